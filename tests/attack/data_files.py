"""Attack: damaged data files of every format, read, inspected, converted and read again."""

from functools import cache

from attack.commands import run
from attack.documents import damage
from attack.findings import FoundError
from attack.harness import Attack
from attack.places import check_unchanged, contents
from attack.round_trips import SUFFIXES, check_same, check_valid_or_found, round_trip, writable
from attack.words import pick
from ibgn import DataError, read
from ibgn.io import FORMATS, survey
from sample_files import dialects, samples


@cache
def all_samples():
    """Name, content and reader of every sample; readers of dialects find out themselves."""
    known = [(path.name, path.read_bytes(), None) for path in dialects()]
    return (*known, *samples())


def try_data(rng, place):
    """Damage a file, and do one of the things that people do with it."""
    name, content, reader = pick(rng, all_samples())
    name, content = damage(name, content, rng)
    path = place.inside / name
    path.write_bytes(content)
    before = contents(place.inside)
    do = pick(
        rng, (_read, _read, _survey, _inspect, _convert) if reader is None else (_read, _read_so)
    )
    do(rng, place, path, reader)
    check_unchanged(before, contents(place.inside))


def _read(rng, place, path, _):
    format = None if rng.random() < 0.7 else pick(rng, sorted(FORMATS))
    try:
        X, y = read(path, format=format)
    except DataError:
        return
    round_trip(X, y, place.inside, rng)


def _read_so(rng, place, path, reader):
    try:
        found = reader(path)
    except DataError:
        return
    check_valid_or_found(found)


def _survey(rng, place, path, _):
    try:
        found = survey(path)
    except DataError:
        return
    round_trip(found.X, found.y, place.inside, rng)


def _inspect(rng, place, path, _):
    before = contents(place.inside)
    run(place, "inspect", path.name, *pick(rng, ((), ("--json",))), terminal=rng.random() < 0.5)
    if contents(place.inside) != before:
        raise FoundError("stray file", "inspect wrote something")


def _convert(rng, place, path, _):
    format = pick(rng, writable())
    target = place.inside / f"out{SUFFIXES.get(format, FORMATS[format].suffixes[0])}"
    done = run(place, "convert", path.name, target.name, "--to", format)
    if done.returncode:
        if target.exists():
            raise FoundError("half output", f"{format}: {done.stderr}")
        return
    try:
        written = read(target, format=format)
    except DataError as error:
        raise FoundError("changed value", f"{format} is written but refused: {error}") from error
    try:
        check_same(read(path), written, format)
    except DataError:
        raise FoundError("changed value", f"{path.name} was converted but is refused") from None


DATA_FILES = Attack(
    "data_files",
    "damaged data files: read, inspected, converted, read again",
    try_data,
    share=4,
    warm=all_samples,
)
