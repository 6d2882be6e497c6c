"""What happens at relative times of an instance that goes on, and therefore grows."""

import math

from ibgn._arrays import Codes, Floats, Ints
from ibgn._kernels.compile import kernel


@kernel
def place_live(
    number: int,
    action: Codes,
    start: Floats,
    begin: float,
    span: float,
    passed: Ints,
    logs: Floats,
    scores: Floats,
) -> None:
    """Scores of the parts of the instance in which intervals start, while it grows.

    passed (bins,): how many slots have left each part for an earlier one, and in the place of the
    first part how many there are. logs (actions, bins, activities). A start moves to earlier parts
    only, so each slot is moved at most once per part.
    """
    bins = len(passed)
    while passed[0] < number:  # new ones start in the last part
        code = action[passed[0]]
        if code < len(logs):
            scores += logs[code, bins - 1]
        passed[0] += 1
    for b in range(bins - 1, 0, -1):
        n = passed[b]
        while n < number and int((start[n] - begin) / span * bins) < b:
            code = action[n]
            if code < len(logs):
                for c in range(len(scores)):
                    scores[c] += logs[code, b - 1, c] - logs[code, b, c]
            n += 1
        passed[b] = n


@kernel
def cover_live(
    changes: int,
    time: Floats,
    action: Codes,
    step: Ints,
    begin: float,
    span: float,
    passed: Ints,
    going_on: Ints,
    alone: Floats,
    both: Floats,
    scores: Floats,
) -> None:
    """Scores of what goes on at relative times, while the instance grows.

    time, action, step (changes,): starts (1) and ends (-1) of known actions in order of time.
    passed (instants,): changes before each instant; going_on (actions, instants): intervals at it.
    alone, both (actions, instants, activities): added where an action goes on at an instant, and
    where at the next one too. An instant moves to later times only.
    """
    instants = len(passed)
    for r in range(instants - 1, -1, -1):
        n = passed[r]
        while n < changes and math.ceil((time[n] - begin) / span * instants - 0.5) <= r:
            a = action[n]
            was = going_on[a, r] > 0
            going_on[a, r] += step[n]
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
            n += 1
        passed[r] = n
