"""Finds where activities begin and end in uncut recordings."""

from ibgn.segmentation.annotations import cut_activities, split_track
from ibgn.segmentation.composing import compose_streams
from ibgn.segmentation.segmenter import Segmenter

__all__ = ["Segmenter", "compose_streams", "cut_activities", "split_track"]
