"""Plain twins of the kernels in _kernels/live.py: term by term, from scratch at every event."""

from types import SimpleNamespace

from scipy import special

from naive_live_counts import say_length, say_occurrences
from naive_live_durations import say_durations, say_totals
from naive_live_instants import say_instants, say_starts
from naive_live_order import say_gaps, say_order
from naive_live_relations import say_relations

SAY = (
    *(say_length, say_occurrences, say_order, say_gaps, say_relations),
    *(say_durations, say_totals, say_starts, say_instants, say_instants),
)


def bind(parts):
    return SimpleNamespace(parts=parts)


def say_all(bundle):
    line, *terms = bundle.parts
    for say, (learned, notes) in zip(SAY, terms, strict=True):
        say(line, learned, notes)
    return True


def log_normalise(joint):
    return special.log_softmax(joint)
