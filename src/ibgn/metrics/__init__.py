"""How good detected intervals are: matched one to one, in order, and error by error.

All functions take the true instances and the detected ones in the same order, and are defined on
empty input: nothing to detect and nothing detected is perfect.
"""

from ibgn.metrics.matching import (
    Confusion,
    DetectionScores,
    edit_score,
    interval_scores,
    measure_confusion,
    overlap_f1,
)
from ibgn.metrics.ward import WardScores, ward_scores

__all__ = [
    "Confusion",
    "DetectionScores",
    "WardScores",
    "edit_score",
    "interval_scores",
    "measure_confusion",
    "overlap_f1",
    "ward_scores",
]
