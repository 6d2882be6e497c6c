"""How each term of a model scores an instance as it happens."""

from ibgn.live.terms import counts, durations, instants, order, relations  # which register
from ibgn.live.terms.base import LiveTerm, go_live

__all__ = ["LiveTerm", "counts", "durations", "go_live", "instants", "order", "relations"]
