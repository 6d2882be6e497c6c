"""Sides of an activity: each term counts, fits, scores, describes and may draw one of them."""

from ibgn.terms.actions import Actions
from ibgn.terms.base import TERMS, Context, Counts, FittedTerm, LogTerms, Term
from ibgn.terms.relations import Relations
from ibgn.terms.tables import Tables

__all__ = [
    "TERMS",
    "Actions",
    "Context",
    "Counts",
    "FittedTerm",
    "LogTerms",
    "Relations",
    "Tables",
    "Term",
]
