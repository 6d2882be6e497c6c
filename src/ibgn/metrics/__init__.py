"""How good detected intervals and predicted probabilities are.

Functions on intervals match them one to one, in order, and error by error. They take the true
instances and the detected ones in the same order, and are defined on empty input: nothing to detect
and nothing detected is perfect.
"""

from ibgn.metrics.frames import frame_accuracy
from ibgn.metrics.matching import (
    Confusion,
    DetectionScores,
    edit_score,
    interval_scores,
    measure_confusion,
    overlap_f1,
)
from ibgn.metrics.probabilities import (
    brier_score,
    calibration_by_chance,
    calibration_error,
    log_loss,
    reliability,
)
from ibgn.metrics.ward import WardScores, ward_scores

__all__ = [
    "Confusion",
    "DetectionScores",
    "WardScores",
    "brier_score",
    "calibration_by_chance",
    "calibration_error",
    "edit_score",
    "frame_accuracy",
    "interval_scores",
    "log_loss",
    "measure_confusion",
    "overlap_f1",
    "reliability",
    "ward_scores",
]
