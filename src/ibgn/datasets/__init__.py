"""Simulated recordings, with their truth."""

from ibgn.datasets.basketball import BasketballTruth, make_basketball
from ibgn.datasets.composable import ComposableTruth, make_composable
from ibgn.datasets.daily_living import DailyLivingTruth, make_daily_living
from ibgn.datasets.hand_signs import HandSignsTruth, make_hand_signs
from ibgn.datasets.relations import make_relations
from ibgn.datasets.styles import make_styles

__all__ = [
    "BasketballTruth",
    "ComposableTruth",
    "DailyLivingTruth",
    "HandSignsTruth",
    "make_basketball",
    "make_composable",
    "make_daily_living",
    "make_hand_signs",
    "make_relations",
    "make_styles",
]
