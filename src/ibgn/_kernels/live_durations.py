"""How long the intervals and actions of an instance that goes on last, or have lasted so far."""

import math
from typing import NamedTuple

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.densities import log_density, log_survival
from ibgn._kernels.live_line import CHANGES, NOW, OPEN, Line


class Durations(NamedTuple):
    """What was learned of durations, or of totals."""

    shape: Floats  # (actions, 4, activities) as `StudentT.shape`


class DurationNotes(NamedTuple):
    """What is noted of one instance."""

    settled: Floats  # (activities,) of what has ended
    said: Floats  # (activities,)
    done: Ints  # (1,) changes that were counted


class TotalNotes(NamedTuple):
    """What is noted of one instance."""

    settled: Floats  # (activities,) of actions of which none goes on
    said: Floats  # (activities,)
    done: Ints  # (1,) changes that were counted
    open: Ints  # (actions,) intervals that go on
    ended: Floats  # (actions,) total time of what has ended
    share: Floats  # (actions, activities) in the settled sum
    lasting: Floats  # (actions,) total time so far of what goes on; 0 between calls


@kernel
def say_durations(line: Line, learned: Durations, notes: DurationNotes) -> None:
    """Log density of durations, and log survival of what goes on."""
    shape = learned.shape
    for n in range(notes.done[0], line.size[CHANGES]):
        slot = ~line.changes[n]
        if slot >= 0 and line.action[slot] < len(shape):
            lasted = math.log(line.end[slot] - line.start[slot])
            log_density(lasted, shape[line.action[slot]], notes.settled)
    notes.done[0] = line.size[CHANGES]
    notes.said[:] = notes.settled
    for n in range(line.size[OPEN]):
        slot = line.open[n]
        lasted = line.time[NOW] - line.start[slot]
        if lasted > 0 and line.action[slot] < len(shape):
            log_survival(math.log(lasted), shape[line.action[slot]], notes.said)


@kernel
def say_totals(line: Line, learned: Durations, notes: TotalNotes) -> None:
    """Log density of the total time of each action, and log survival of those that go on."""
    shape = learned.shape
    for n in range(notes.done[0], line.size[CHANGES]):
        change = line.changes[n]
        slot = max(change, ~change)
        code = line.action[slot]
        if code >= len(shape):
            continue
        if change >= 0:  # the total goes on
            notes.open[code] += 1
            notes.settled[:] -= notes.share[code]
            notes.share[code] = 0.0
            continue
        notes.open[code] -= 1
        notes.ended[code] += line.end[slot] - line.start[slot]
        if notes.open[code] == 0:
            log_density(math.log(notes.ended[code]), shape[code], notes.share[code])
            notes.settled[:] += notes.share[code]
    notes.done[0] = line.size[CHANGES]
    notes.said[:] = notes.settled
    for n in range(line.size[OPEN]):
        slot = line.open[n]
        if line.action[slot] < len(shape):
            notes.lasting[line.action[slot]] += line.time[NOW] - line.start[slot]
    for n in range(line.size[OPEN]):
        code = line.action[line.open[n]]
        if code < len(shape) and notes.lasting[code] >= 0:
            total = notes.ended[code] + notes.lasting[code]
            notes.lasting[code] = -1.0  # others of this action are in it
            if total > 0:
                log_survival(math.log(total), shape[code], notes.said)
    notes.lasting[:] = 0.0
