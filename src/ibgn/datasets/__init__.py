"""Recordings: simulated ones with their truth, published ones to fetch, small files to try."""

from ibgn.datasets.basketball import BasketballTruth, make_basketball
from ibgn.datasets.composable import ComposableTruth, make_composable
from ibgn.datasets.daily_living import DailyLivingTruth, make_daily_living
from ibgn.datasets.hand_signs import HandSignsTruth, make_hand_signs
from ibgn.datasets.published import fetch_auslan2, fetch_blocks, fetch_context, fetch_skating
from ibgn.datasets.relations import make_relations
from ibgn.datasets.samples import SAMPLES, sample_path
from ibgn.datasets.styles import make_styles
from ibgn.datasets.untrimmed import make_untrimmed_days

__all__ = [
    "SAMPLES",
    "BasketballTruth",
    "ComposableTruth",
    "DailyLivingTruth",
    "HandSignsTruth",
    "fetch_auslan2",
    "fetch_blocks",
    "fetch_context",
    "fetch_skating",
    "make_basketball",
    "make_composable",
    "make_daily_living",
    "make_hand_signs",
    "make_relations",
    "make_styles",
    "make_untrimmed_days",
    "sample_path",
]
