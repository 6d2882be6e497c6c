"""Attack: two processes with one output."""

import os

from attack.commands import check_code, finish, start
from attack.findings import FoundError
from attack.harness import Attack
from attack.jobs import JOBS, check_strays, check_whole, prepare, put_inputs, results, warm
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
    check_whole(place, name, *((0,) if same else (0, 1)))
    if results(place.inside, name).keys() != set(JOBS[name].outputs):
        raise FoundError("other result", f"nothing of two runs of {JOBS[name].words}")
    check_strays(place, name, CHANGED)


RACES = Attack(
    "races", "two processes with one output", try_race, share=1, warm=warm, prepare=prepare
)
