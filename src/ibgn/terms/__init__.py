"""Sides of an activity: each term counts, fits, scores, describes and may draw one of them."""

from ibgn.terms.actions import Actions
from ibgn.terms.base import TERMS, Context, Counts, FittedTerm, LogTerms, Term
from ibgn.terms.durations import Durations, Totals
from ibgn.terms.length import Length
from ibgn.terms.occupancy import Occupancy
from ibgn.terms.occurrences import Occurrences
from ibgn.terms.order import Order
from ibgn.terms.relations import Relations
from ibgn.terms.switches import Switches
from ibgn.terms.tables import Tables
from ibgn.terms.timing import Gaps, Starts

__all__ = [
    "TERMS",
    "Actions",
    "Context",
    "Counts",
    "Durations",
    "FittedTerm",
    "Gaps",
    "Length",
    "LogTerms",
    "Occupancy",
    "Occurrences",
    "Order",
    "Relations",
    "Starts",
    "Switches",
    "Tables",
    "Term",
    "Totals",
]
