"""All default terms of an instance that goes on, in one call.

The arrays of a timeline, what was learned and what is noted are taken over from Python when an
instance begins, and again when they grow: a call for each term would spend its time on that. What a
term says is in the kernels of its own file.
"""

import math
from typing import Any, NamedTuple

from numba.core import types
from numba.experimental import structref

from ibgn._arrays import Floats
from ibgn._kernels.compile import kernel
from ibgn._kernels.live_counts import (
    Length,
    LengthNotes,
    OccurrenceNotes,
    Occurrences,
    say_length,
    say_occurrences,
)
from ibgn._kernels.live_durations import (
    DurationNotes,
    Durations,
    TotalNotes,
    say_durations,
    say_totals,
)
from ibgn._kernels.live_instants import (
    InstantNotes,
    Instants,
    StartNotes,
    Starts,
    say_instants,
    say_starts,
)
from ibgn._kernels.live_line import Line
from ibgn._kernels.live_order import Gaps, Order, OrderNotes, say_gaps, say_order
from ibgn._kernels.live_relations import Relations, Rows, say_relations


class Parts(NamedTuple):
    """An instance, and of each term what was learned and what is noted."""

    line: Line
    length: tuple[Length, LengthNotes]
    occurrences: tuple[Occurrences, OccurrenceNotes]
    order: tuple[Order, OrderNotes]
    gaps: tuple[Gaps, OrderNotes]
    relations: tuple[Relations, Rows]
    durations: tuple[Durations, DurationNotes]
    totals: tuple[Durations, TotalNotes]
    starts: tuple[Starts, StartNotes]
    occupancy: tuple[Instants, InstantNotes]
    switches: tuple[Instants, InstantNotes]


@structref.register
class BundleType(types.StructRef):  # type: ignore[misc]
    """How numba sees a bundle."""


class Bundle(structref.StructRefProxy):  # type: ignore[misc]
    """Parts that are not taken over again in each call."""

    parts: Parts


structref.define_proxy(Bundle, BundleType, ["parts"])


@kernel
def bind(parts: Parts) -> Any:
    """Take arrays over, for many calls."""
    return Bundle(parts)


@kernel
def say_all(bundle: Bundle) -> bool:
    """Let all terms follow the instance; whether there is room for relations."""
    parts = bundle.parts
    line = parts.line
    if not say_relations(line, parts.relations[0], parts.relations[1]):
        return False
    say_length(line, parts.length[0], parts.length[1])
    say_occurrences(line, parts.occurrences[0], parts.occurrences[1])
    say_order(line, parts.order[0], parts.order[1])
    say_gaps(line, parts.gaps[0], parts.gaps[1])
    say_durations(line, parts.durations[0], parts.durations[1])
    say_totals(line, parts.totals[0], parts.totals[1])
    say_starts(line, parts.starts[0], parts.starts[1])
    say_instants(line, parts.occupancy[0], parts.occupancy[1])
    say_instants(line, parts.switches[0], parts.switches[1])
    return True


@kernel
def log_normalise(joint: Floats) -> Floats:
    """(activities,) log probabilities, from scores whose differences are log odds."""
    highest, total = joint.max(), 0.0
    for c in range(len(joint)):
        total += math.exp(joint[c] - highest)
    logs: Floats = joint - (highest + math.log(total))
    return logs
