"""From labelled stretches of tracks to instances of intervals."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from ibgn._arrays import Objects
from ibgn.checks import check_choice
from ibgn.detection.soft import SoftStretch
from ibgn.errors import DataWarning
from ibgn.intervals import IntervalSequences
from ibgn.recordings import SensorRecording, Stretch, as_recordings

__all__ = ["ActionFrom", "label_instances", "label_intervals"]

Streams = Mapping[str, Sequence[Stretch | SoftStretch]]
ROUNDING = 1 - 1e-9
ActionFrom = Literal["both", "value"]


class _Interval(NamedTuple):
    """An interval, and what is not certain about it."""

    start: float
    end: float
    action: str
    confidence: float = 1.0
    alternatives: dict[str, float] | None = None
    start_error: float = 0.0
    end_error: float = 0.0

    def cut(self, begin: float, stop: float) -> "_Interval":
        """The part from begin to stop, which are exact."""
        return self._replace(
            start=max(self.start, begin),
            end=min(self.end, stop),
            start_error=0.0 if self.start < begin else self.start_error,
            end_error=0.0 if self.end > stop else self.end_error,
        )


class _Instance(NamedTuple):
    name: str
    label: str
    group: Any
    intervals: list[_Interval]


def label_intervals(
    recordings: Iterable[SensorRecording],
    tracks: Sequence[str] | None = None,
    action: ActionFrom = "both",
) -> IntervalSequences:
    """Intervals from the labels of recordings, one instance per recording.

    A detector without errors would detect these.

    Parameters
    ----------
    recordings : with labels
    tracks : names of label tracks, by default all that a recording has
    action : name of an action: "both" is "track: label", "value" the label alone

    Examples
    --------
    >>> walk = SensorRecording([0, 1, 2], [[0], [0], [0]], ["x"], {"legs": ["step", None, "hop"]})
    >>> label_intervals([walk]).to_lists()
    [[('legs: step', 0.0, 1.0), ('legs: hop', 2.0, 3.0)]]
    """
    recordings = as_recordings(recordings)
    return to_sequences(
        recordings, [_labelled(recording, tracks) for recording in recordings], action
    )


def label_instances(
    recordings: Iterable[SensorRecording],
    activity: str,
    tracks: Sequence[str] | None = None,
    action: ActionFrom = "both",
) -> tuple[IntervalSequences, Objects]:
    """Intervals from the labels of recordings, one instance for each stretch of an activity.

    Parameters
    ----------
    recordings, tracks, action : as for `label_intervals`
    activity : label track of the activities, which gives no intervals

    Returns
    -------
    X : instances, named by the recording and a number; intervals are cut where the activity ends
    y : (n,) labels of the activities

    Examples
    --------
    >>> labels = {"legs": ["step", "step", "hop"], "day": [None, "walk", "walk"]}
    >>> day = SensorRecording([0, 1, 2], [[0], [0], [0]], ["x"], labels, id="mon")
    >>> X, y = label_instances([day], "day")
    >>> X.ids.tolist(), y.tolist(), X.to_lists()
    (['mon#1'], ['walk'], [[('legs: step', 1.0, 2.0), ('legs: hop', 2.0, 3.0)]])
    """
    recordings = as_recordings(recordings)
    streams = [_labelled(recording, tracks) for recording in recordings]
    return to_instances(recordings, streams, activity, action)


def to_sequences(
    recordings: list[SensorRecording], streams: Sequence[Streams], action: ActionFrom
) -> IntervalSequences:
    """Make one instance per recording."""
    check_choice("action", action, get_args(ActionFrom))
    return _sequences(
        [_intervals(stream, action) for stream in streams],
        _names(recordings),
        _groups([recording.group for recording in recordings]),
    )


def _sequences(
    instances: list[list[_Interval]], ids: list[str], groups: list[Any] | None
) -> IntervalSequences:
    """Instances with what is not certain about their intervals, if there is anything."""
    ordered = [sorted(instance, key=lambda interval: interval[:3]) for instance in instances]
    rows = [[(each.action, each.start, each.end) for each in instance] for instance in ordered]
    X = IntervalSequences.from_lists(rows, ids=ids, groups=groups)
    unsure = [interval[3:] for instance in ordered for interval in instance]
    if all(values == (1.0, None, 0.0, 0.0) for values in unsure):
        return X
    confidence, alternatives, start_error, end_error = zip(*unsure, strict=True)
    return X.with_uncertainty(confidence, alternatives, start_error, end_error)


def to_instances(
    recordings: list[SensorRecording],
    streams: list[Streams],
    activity: str,
    action: ActionFrom,
    least: float = 0.0,
) -> tuple[IntervalSequences, Objects]:
    """Make one instance for each stretch of the activity track; drop parts that are too short."""
    check_choice("action", action, get_args(ActionFrom))
    instances = []
    for name, recording, stream in zip(_names(recordings), recordings, streams, strict=True):
        others = {track: parts for track, parts in stream.items() if track != activity}
        intervals = _intervals(others, action)
        for number, stretch in enumerate(recording.stretches(activity), 1):
            parts = [
                interval.cut(stretch.start, stretch.end)
                for interval in intervals
                if interval.start < stretch.end and interval.end > stretch.start
            ]
            inside = [part for part in parts if part.end - part.start >= least * ROUNDING]
            instances.append(_Instance(f"{name}#{number}", stretch.label, recording.group, inside))
    X = _sequences(
        [instance.intervals for instance in instances],
        [instance.name for instance in instances],
        _groups([instance.group for instance in instances]),
    )
    return X, np.array([instance.label for instance in instances], object)


def _labelled(recording: SensorRecording, tracks: Sequence[str] | None) -> Streams:
    chosen = recording.labels if tracks is None else tracks
    return {track: list(recording.stretches(track)) for track in chosen}


def _intervals(streams: Streams, action: ActionFrom) -> list[_Interval]:
    intervals = []
    for track, stretches in streams.items():
        prefix = "" if action == "value" else f"{track}: "
        for stretch in stretches:
            interval = _Interval(stretch.start, stretch.end, prefix + stretch.label)
            if isinstance(stretch, SoftStretch):
                named = {prefix + label: chance for label, chance in stretch.alternatives.items()}
                interval = interval._replace(
                    confidence=stretch.confidence,
                    alternatives=named if len(named) > 1 else None,
                    start_error=stretch.start_error,
                    end_error=stretch.end_error,
                )
            intervals.append(interval)
    return intervals


def _names(recordings: list[SensorRecording]) -> list[str]:
    return [
        str(d) if recording.id is None else recording.id for d, recording in enumerate(recordings)
    ]


def _groups(groups: list[Any]) -> list[Any] | None:
    missing = sum(group is None for group in groups)
    if 0 < missing < len(groups):
        warnings.warn(
            f"groups left out, as {missing} of {len(groups)} recordings have none",
            DataWarning,
            stacklevel=2,
        )
    return None if missing or not groups else groups
