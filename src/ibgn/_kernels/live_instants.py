"""What happens at relative times of an instance that goes on, and therefore grows.

A start moves to earlier parts of the instance only, and what goes on at an instant is that of later
times, so each interval is moved at most once per part and twice per instant.
"""

import math
from typing import NamedTuple

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.live_line import BEGIN, CHANGES, INTERVALS, Line, span_of


class Starts(NamedTuple):
    """What was learned of the parts of an instance in which actions start."""

    logs: Floats  # (actions, parts, activities)


class StartNotes(NamedTuple):
    """What is noted of one instance."""

    settled: Floats  # (activities,)
    said: Floats  # (activities,)
    passed: Ints  # (parts,) slots that left each part for an earlier one; at first all there are


class Instants(NamedTuple):
    """What was learned of actions that go on at an instant, and at the next one too."""

    alone: Floats  # (actions, instants, activities)
    both: Floats  # (actions, instants, activities)


class InstantNotes(NamedTuple):
    """What is noted of one instance."""

    settled: Floats  # (activities,)
    said: Floats  # (activities,)
    passed: Ints  # (instants,) changes before each instant
    going_on: Ints  # (actions, instants) intervals at it


@kernel
def say_starts(line: Line, learned: Starts, notes: StartNotes) -> None:
    """Log probability of the parts of the instance so far in which intervals start."""
    logs, passed, scores = learned.logs, notes.passed, notes.settled
    number, begin, span, parts = line.size[INTERVALS], line.time[BEGIN], span_of(line), len(passed)
    for n in range(passed[0], number):  # new ones start in the last part
        if line.action[n] < len(logs):
            scores += logs[line.action[n], parts - 1]
    passed[0] = number
    for b in range(parts - 1, 0, -1):
        n = passed[b]
        while n < number and int((line.start[n] - begin) / span * parts) < b:
            code = line.action[n]
            if code < len(logs):
                for c in range(len(scores)):
                    scores[c] += logs[code, b - 1, c] - logs[code, b, c]
            n += 1
        passed[b] = n
    notes.said[:] = scores


@kernel
def say_instants(line: Line, learned: Instants, notes: InstantNotes) -> None:
    """Log probability of what goes on at relative times of the instance so far."""
    alone, both, going_on, scores = learned.alone, learned.both, notes.going_on, notes.settled
    begin, span, instants = line.time[BEGIN], span_of(line), len(notes.passed)
    for r in range(instants - 1, -1, -1):
        n = notes.passed[r]
        while n < line.size[CHANGES]:
            change = line.changes[n]
            slot = max(change, ~change)
            time = line.start[slot] if change >= 0 else line.end[slot]
            if math.ceil((time - begin) / span * instants - 0.5) > r:
                break
            n += 1
            a = line.action[slot]
            if a >= len(going_on):
                continue
            was = going_on[a, r] > 0
            going_on[a, r] += 1 if change >= 0 else -1
            if was != (going_on[a, r] > 0):
                sign = -1.0 if was else 1.0
                next_on = r + 1 < instants and going_on[a, r + 1] > 0
                previous_on = r > 0 and going_on[a, r - 1] > 0
                for c in range(len(scores)):
                    scores[c] += sign * alone[a, r, c]
                    if next_on:
                        scores[c] += sign * both[a, r, c]
                    if previous_on:
                        scores[c] += sign * both[a, r - 1, c]
        notes.passed[r] = n
    notes.said[:] = scores
