"""Attack: kill -9 at any moment, once or more, and what the next run makes of it."""

import os
import signal
import sys
import time

from attack.commands import check_code, finish, start
from attack.harness import Attack
from attack.jobs import JOBS, check_result, check_whole, prepare, put_inputs, put_old, warm
from attack.places import check_unchanged, contents
from attack.words import pick

# what a process does with files; to be killed there is harder than anywhere else
FILE_EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod")
MOST_EVENTS = 80
LONGEST = 1.5  # seconds until a kill by the clock


def try_kill(rng, place):
    """Kill a command up to three times, then let it end: the result is the same."""
    name = pick(rng, sorted(JOBS))
    put_inputs(place, name)
    before = contents(place.inside)
    old = rng.random() < 0.4 and put_old(place, name)
    words = JOBS[name].words
    for _ in range(int(rng.integers(1, 4))):
        forced = ("--force",) if old or rng.random() < 0.5 else ()
        if rng.random() < 0.7:
            moment = int(rng.integers(MOST_EVENTS))
            child = start(place, *words, *forced, before=lambda m=moment: kill_at(m, place.inside))
            finish(child)
        else:
            child = start(place, *words, *forced)
            time.sleep(rng.random() * LONGEST)
            _stop(child, pick(rng, (signal.SIGKILL, signal.SIGINT)), words)
        check_unchanged(before, contents(place.inside))
        check_whole(place, name, *((0, 1) if old else (0,)))
    check_code(finish(start(place, *words, "--force")), words)
    check_unchanged(before, contents(place.inside))
    check_result(place, name)


def _stop(child, how, words):
    """Kill or interrupt a process; what is interrupted ends as if nothing else had happened."""
    os.kill(child, how)
    code = finish(child)
    if how == signal.SIGINT:
        check_code(code, words)


def kill_at(moment, folder):
    """Kill this process when it has done so many things with files of a folder."""
    left, root = [moment], os.fsencode(folder)

    def count_down(event, arguments):
        if event not in FILE_EVENTS or not isinstance(arguments[0], str | bytes | os.PathLike):
            return
        if os.fsencode(os.path.abspath(arguments[0])).startswith(root):  # noqa: PTH100
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count_down)


KILLS = Attack(
    "kills",
    "kill -9 at any moment, and the result of the next run",
    try_kill,
    share=1.5,
    warm=warm,
    prepare=prepare,
)
