"""From recordings to intervals of actions: sensors by windows, features and votes.

`ActionDetector` is the whole chain; each of its parts has its own module.
"""

from ibgn.detection.detector import ActionDetector, Votes
from ibgn.detection.features import FeatureSet, window_features
from ibgn.detection.fingers import FingerDetector
from ibgn.detection.resampling import resample
from ibgn.detection.streams import label_instances, label_intervals
from ibgn.detection.windows import Windowing, Windows, majority
from ibgn.recordings import SensorRecording

__all__ = [
    "ActionDetector",
    "FeatureSet",
    "FingerDetector",
    "SensorRecording",
    "Votes",
    "Windowing",
    "Windows",
    "label_instances",
    "label_intervals",
    "majority",
    "resample",
    "window_features",
]
