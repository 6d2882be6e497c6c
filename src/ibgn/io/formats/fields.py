"""Text of fields with a name and a value in each line: "Start: 12", "End: 15", "Name: boil"."""

import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ibgn._files import InputFile
from ibgn.checks import as_number
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import POSSIBLE, Head
from ibgn.io.parsing.moments import as_clock, kind_of
from ibgn.io.parsing.time import as_seconds
from ibgn.io.parsing.words import ACTION, BESIDES, END, INSTANCE, MEDIA, START, UNITS, words_of
from ibgn.io.registry import reader

__all__ = ["read_fields"]

FIELD = re.compile(r"\s{0,40}(?:- )?['\"]?(\w[\w .-]{0,60}?)['\"]? {0,3}[:=] {0,9}(\S.{0,500})")
ITEM = re.compile(r"\s{0,40}- ")  # of a list in YAML
BLOCK = re.compile(r"\s{0,40}[\[{}\]]")  # "[CHAPTER]", or the braces around an object
STOPPED = re.compile(r"(\d{1,2})[.:](\d{2})[.:](\d{2})", re.ASCII)  # 19.58.36
BASE = re.compile(r"1/(\d{1,12})", re.ASCII)
TIMEBASE = ["timebase"]
FIELD_SIZE = 1500  # bytes that a field takes
MOST = 50  # fields of a block that are looked at
MORE = 0.15  # than a table, which any text may be
WHOLE = frozenset({"file", "recording", "registration"})  # whose times are no action's
NAMES = ("title", *ACTION)
OF_TIME = BESIDES | UNITS.keys()


class Field(NamedTuple):
    """A field, and the number of its line; `block` counts the blocks of fields before it."""

    words: list[str]
    value: str
    number: int
    block: int


class Pair(NamedTuple):
    """A start and an end as they are written, with what their names say besides."""

    start: Field
    end: Field
    about: tuple[str, ...]


def _sniff(head: Head) -> float:
    """Tell the file by fields with a start and an end of the same."""
    if head.xml is not None or head.json is not None:
        return 0.0
    fields = list(_fields(head.lines))
    if 2 * len(fields) < len(head.lines):
        return 0.0
    blocks = _blocks(fields)
    said = (_about(pair) or _beside(pair, blocks[pair.start.block]) for pair in _pairs(fields))
    return POSSIBLE + MORE if any(said) else 0.0


@reader(
    "fields",
    also=(".txt", ".yaml", ".yml", ".llc"),
    about="text with a field in each line: seizures of CHB-MIT, chapters of FFmpeg",
    sniff=_sniff,
)
def read_fields(files: Files) -> Iterator[Recording]:
    r"""Read text that has a field in each line, `name: value` or `name=value`.

    A field with a start and the next one with an end of the same are an interval. Its action is
    what their names say besides, as for "Seizure 1 Start Time", or else a field such as "title" in
    the same block; blocks end with a blank line, a new item of a list, or a heading in brackets.
    Fields such as "File Name" name the recordings. "TIMEBASE=1/1000" says what a number stands for.

    Returns
    -------
    X : the instances, by the names of the recordings, or else of the files; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "summary.txt"
    >>> _ = path.write_text("File Name: a.edf\nSeizure Start: 12 s\nSeizure End: 15 s\n")
    >>> read_fields(path)[0]
    IntervalSequences: 1 instance, 1 interval, 1 action
      a.edf: seizure [12, 15)
    """
    for file in files:
        fields = list(_fields(file.lines(FIELD_SIZE)))
        pairs = list(_pairs(fields))
        if not pairs:
            raise DataError(f"{file.prefix}no two fields are the start and the end of something")
        blocks = _blocks(fields)
        named = {_about(pair) for pair in pairs} - {""}
        usual = min(named) if len(named) == 1 else ""
        recordings = [field for field in fields if _names_recording(field)]
        numbers = [field.number for field in recordings]
        notes: dict[str, list[Annotation]] = {}
        for pair, (start, end) in zip(pairs, _in_seconds(pairs, blocks, file), strict=True):
            what = _about(pair) or _beside(pair, blocks[pair.start.block]) or usual
            note = Annotation("fields", what, start, end, f"line {pair.start.number}")
            before = bisect(numbers, pair.start.number)
            name = recordings[before - 1].value if before else file.name
            own = f"{file.name}#{name}" if len(files) > 1 and name != file.name else name
            notes.setdefault(own, []).append(note)
        yield from (Recording(name, each) for name, each in notes.items())


def _blocks(fields: Iterable[Field]) -> dict[int, list[Field]]:
    blocks: dict[int, list[Field]] = {}
    for field in fields:
        blocks.setdefault(field.block, []).append(field)
    return blocks


def _fields(lines: Sequence[str]) -> Iterator[Field]:
    """Fields of all lines; a value is without the marks around it."""
    block = 0
    for number, line in enumerate(lines, 1):
        match = FIELD.fullmatch(line.rstrip())
        block += match is None or bool(ITEM.match(line)) or bool(BLOCK.match(line))
        if match is not None:
            value = match[2].rstrip(",").strip().strip("'\"")
            yield Field(words_of(match[1]), value, number, block)


def _pairs(fields: Sequence[Field]) -> Iterator[Pair]:
    """Fields with a start, each with the next one that has an end of the same."""
    waiting: dict[tuple[str, ...], Field] = {}
    for field in fields:
        about = tuple(word for word in field.words if word not in OF_TIME | START | END)
        telling = [word for word in field.words if word in START | END]
        if len(telling) != 1 or WHOLE & {*field.words} or not _is_time(field.value):
            continue
        if telling[0] in START:
            waiting[about] = field
            continue
        start = waiting.pop(about, None)
        if start is not None and (about or start.block == field.block):
            yield Pair(start, field, about)


def _is_time(value: str) -> bool:
    return _read(value) is not None or kind_of(value) == "moment"


def _read(value: str) -> float | None:
    """Seconds of a number, perhaps with its unit, or of a clock."""
    stopped = STOPPED.fullmatch(value)
    if stopped is not None:
        hours, minutes, seconds = map(int, stopped.groups())
        return 3600.0 * hours + 60.0 * minutes + seconds
    number, _, unit = value.partition(" ")
    if unit.casefold() in UNITS and as_number(number) is not None:
        return (as_number(number) or 0.0) * UNITS[unit.casefold()]
    plain = as_number(value)
    return plain if plain is not None else as_clock(value)


def _in_seconds(
    pairs: Sequence[Pair], blocks: Mapping[int, Sequence[Field]], file: InputFile
) -> Iterator[tuple[float, float]]:
    ends = [end for pair in pairs for end in (pair.start, pair.end)]
    read = [_read(end.value) for end in ends]
    places = [f"{file.prefix}line {end.number}" for end in ends]
    if None in read:
        times = as_seconds([end.value for end in ends], places.__getitem__).tolist()
    else:
        units = [_unit(end, blocks[end.block]) for end in ends]
        times = [(time or 0.0) * unit for time, unit in zip(read, units, strict=True)]
    yield from zip(times[::2], times[1::2], strict=True)


def _unit(end: Field, beside: Sequence[Field]) -> float:
    """Seconds that a number stands for, as its name, or a field of the same block says."""
    for field in beside[:MOST]:
        base = BASE.fullmatch(field.value)
        if field.words == TIMEBASE and base and int(base[1]):
            return 1 / int(base[1])
    return next((UNITS[word] for word in end.words if word in UNITS), 1.0)


def _about(pair: Pair) -> str:
    """What the names of the times say besides, without numbers."""
    return " ".join(word for word in pair.about if not word.isdecimal())


def _beside(pair: Pair, block: Sequence[Field]) -> str:
    """What went on, as a field of the same block says."""
    beside = [field for field in block[:MOST] if not {*field.words} & {*INSTANCE}]
    named = (field for word in NAMES for field in beside if word in field.words)
    return next((field.value for field in named if field not in pair[:2]), "")


def _names_recording(field: Field) -> bool:
    if not {*field.words} & {*INSTANCE}:
        return False
    return "name" in field.words or MEDIA.fullmatch(field.value[-200:]) is not None
