"""How many intervals an instance that goes on has so far, in all and of each action."""

import math
from typing import NamedTuple

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.densities import log_density
from ibgn._kernels.live_line import CHANGES, INTERVALS, Line


class Length(NamedTuple):
    """What was learned of the number of intervals."""

    shape: Floats  # (4, activities) as `StudentT.shape`


class LengthNotes(NamedTuple):
    """What is said of one instance."""

    settled: Floats  # (activities,)
    said: Floats  # (activities,)


class Occurrences(NamedTuple):
    """What was learned of the occurrences of actions."""

    logs: Floats  # (actions, numbers, activities)


class OccurrenceNotes(NamedTuple):
    """What is noted of one instance."""

    settled: Floats  # (activities,)
    said: Floats  # (activities,)
    done: Ints  # (1,) changes that were counted
    number: Ints  # (actions,) occurrences, up to the last that is told apart


@kernel
def say_length(line: Line, learned: Length, notes: LengthNotes) -> None:
    """Log density of the number of intervals so far."""
    notes.said[:] = 0.0
    log_density(math.log1p(line.size[INTERVALS]), learned.shape, notes.said)


@kernel
def say_occurrences(line: Line, learned: Occurrences, notes: OccurrenceNotes) -> None:
    """Log probability of how often each action has occurred."""
    logs, most = learned.logs, learned.logs.shape[1] - 1
    for n in range(notes.done[0], line.size[CHANGES]):
        slot = line.changes[n]
        if slot >= 0 and line.action[slot] < len(logs):
            code = line.action[slot]
            number = notes.number[code]
            if number < most:
                for c in range(len(notes.settled)):
                    notes.settled[c] += logs[code, number + 1, c] - logs[code, number, c]
                notes.number[code] = number + 1
    notes.done[0] = line.size[CHANGES]
    notes.said[:] = notes.settled
