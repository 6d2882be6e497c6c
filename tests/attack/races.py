"""Attack: two processes with one output."""

import os

from attack.commands import check_code, finish, start
from attack.findings import FoundError
from attack.harness import Attack
from attack.jobs import JOBS, prepare, put_inputs, results, undisturbed, warm
from attack.words import pick

CHANGED = "other.csv"  # the second set of data


def try_race(rng, place):
    """Two commands write the same at the same time: one of them wins, as a whole."""
    name = pick(rng, sorted(JOBS))
    put_inputs(place, name)
    first, (data,) = JOBS[name].words, JOBS[name].inputs
    same = bool(rng.random() < 0.5)
    if not same:
        (place.inside / CHANGED).write_bytes((place.stock / f"{name}-1" / data).read_bytes())
    second = first if same else tuple(CHANGED if word == data else word for word in first)
    receive, send = os.pipe()
    children = [
        start(place, *words, "--force", before=lambda: os.read(receive, 1))
        for words in (first, second)
    ]
    os.write(send, b"go")
    for child, words in zip(children, (first, second), strict=True):
        check_code(finish(child), words)
    os.close(receive)
    os.close(send)
    _check_winner(place, name, same)


def _check_winner(place, name, same):
    """Refuse a file that neither of the two wrote."""
    right = [undisturbed(place, name, number) for number in ((0,) if same else (0, 1))]
    for output, content in results(place.inside, name).items():
        if content not in [each[output] for each in right]:
            raise FoundError("half output", f"{output} of two runs of {JOBS[name].words}")
    if results(place.inside, name).keys() != right[0].keys():
        raise FoundError("other result", f"nothing of two runs of {JOBS[name].words}")
    known = {*JOBS[name].inputs, *JOBS[name].outputs, CHANGED}
    strays = sorted({path.name for path in place.inside.iterdir()} - known)
    if strays:
        raise FoundError("stray file", f"{strays} after two runs of {JOBS[name].words}")


RACES = Attack(
    "races", "two processes with one output", try_race, share=1, warm=warm, prepare=prepare
)
