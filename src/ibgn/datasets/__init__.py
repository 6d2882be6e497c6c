"""Simulated recordings, with their truth."""

from ibgn.datasets.hand_signs import HandSignsTruth, make_hand_signs

__all__ = ["HandSignsTruth", "make_hand_signs"]
