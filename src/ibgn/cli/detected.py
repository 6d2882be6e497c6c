"""Intervals that detectors found: from files, or by learning from sensors."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ibgn.cli.options import Reading
from ibgn.cli.output import busy

if TYPE_CHECKING:
    from ibgn.evaluation.conditions import Condition
    from ibgn.intervals import IntervalSequences

Files = Annotated[
    list[str] | None,
    typer.Option(
        "--detected",
        metavar="NAME=FILE",
        help="Intervals that a detector found in the same instances; repeatable.",
    ),
]
Sensors = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder of sensor recordings (CSV), named like the instances, for --detector.",
    ),
]
Detectors = Annotated[
    list[str] | None,
    typer.Option(
        "--detector",
        metavar="NAME",
        help="Detector to learn in each fold: knn, svm, rbf or tree; repeatable.",
    ),
]
Tracks = Annotated[
    list[str] | None,
    typer.Option("--track", metavar="NAME", help="Column of labels of the sensors; repeatable."),
]


@dataclass(frozen=True)
class Detection:
    """Detectors whose intervals methods are tested on."""

    panel: ClassVar[str] = "Errors of detectors"

    detected: Files = None
    sensors: Sensors = None
    detector: Detectors = None
    track: Tracks = None

    def files(self) -> dict[str, Path]:
        """Files of intervals by the name of their detector; also checks the other options."""
        from ibgn.checks import check_choice
        from ibgn.errors import MISSING, Option, OptionError
        from ibgn.evaluation.conditions import NOISES

        files: dict[str, Path] = {}
        taken = {"none", *NOISES, *(self.detector or [])}
        for pair in self.detected or []:
            name, equals, path = pair.partition("=")
            if not (name and equals and path):
                raise OptionError("detected", pair, "must be written name=file")
            if name in taken:
                raise OptionError("detected", pair, "uses a name that is taken; choose another")
            files[name] = Path(path)
            taken.add(name)
        learning = {"sensors": self.sensors, "track": self.track, "detector": self.detector}
        missing = [name for name, value in learning.items() if not value]
        if 0 < len(missing) < len(learning):
            every = (Option("sensors"), ", ", Option("track"), " and ", Option("detector"))
            reason = ("must be given, as detectors learn from sensors; give ", *every)
            raise OptionError(missing[0], MISSING, *reason)
        for name in self.detector or []:
            check_choice("detector", name, ("knn", "svm", "rbf", "tree"))
        return files

    def conditions(
        self, X: "IntervalSequences", on: Any, reading: Reading, seed: int
    ) -> "list[Condition]":
        """One condition per file, and one per detector that learns."""
        from ibgn.evaluation.conditions import Detected

        conditions: list[Condition] = [
            Detected(error=name, on=on, intervals=_align(reading.read(path)[0], X, path))
            for name, path in self.files().items()
        ]
        return conditions + self._detectors(X, on, seed)

    def _detectors(self, X: "IntervalSequences", on: Any, seed: int) -> "list[Condition]":
        from ibgn.detection import ActionDetector
        from ibgn.evaluation.conditions import Detector
        from ibgn.io.sensors import read_sensors

        if self.detector is None or self.sensors is None or self.track is None:
            return []
        with busy(f"reading {self.sensors.name}"):
            recordings = _one_per_instance(X, read_sensors(self.sensors, tracks=self.track))
        # whether actions of X are named like labels of sensors, or with their track in front
        labels = {(t, n) for each in recordings for t in self.track for n in each.track(t) if n}
        plain = sum(name in X.actions for _, name in labels)
        both = sum(f"{track}: {name}" in X.actions for track, name in labels)
        naming: Any = "both" if both > plain else "value"
        return [
            Detector(
                error=name,
                on=on,
                detector=ActionDetector(
                    name, tracks=self.track, action=naming, training_step=0.5, random_state=seed
                ),
                recordings=recordings,
            )
            for name in self.detector
        ]


def _align(
    detected: "IntervalSequences", X: "IntervalSequences", path: Path
) -> "IntervalSequences":
    """Detected instances in the order of X; a file leaves out instances without detections."""
    from ibgn.errors import DataError, DataWarning
    from ibgn.intervals import IntervalSequences
    from ibgn.text import count, quote

    position = {name: d for d, name in enumerate(detected._names())}
    names = X._names()
    unknown = set(position) - set(names)
    if unknown:
        raise DataError(
            f"{quote(path)} has {count(len(unknown), 'instance')} that the data do not have "
            f"(first: {quote(min(unknown))}); use the same names for the same instances"
        )
    missing = sum(name not in position for name in names)
    if missing:
        nothing = f"{quote(path)} has no intervals of {count(missing, 'instance')}"
        warnings.warn(DataWarning(nothing), stacklevel=2)
    with_nothing = IntervalSequences.concatenate([detected, IntervalSequences.from_lists([[]])])
    ordered = with_nothing[[position.get(name, len(detected)) for name in names]]
    return IntervalSequences.from_flat(ordered.flat, ordered.actions, X.ids, X.groups)


def _one_per_instance(X: "IntervalSequences", recordings: list[Any]) -> list[Any]:
    """Recordings in the order of the instances, matched by name, with or without a suffix."""
    from ibgn.errors import DataError
    from ibgn.text import count, quote

    by_name = {Path(each.id).name.partition(".")[0]: each for each in recordings}
    by_name |= {each.id: each for each in recordings}
    missing = [name for name in X._names() if name not in by_name]
    if missing:
        raise DataError(
            f"there is no recording of {count(len(missing), 'instance')} "
            f"(first: {quote(missing[0])}); name files like the instances, "
            f"as {quote(f'{missing[0]}.csv')}"
        )
    return [by_name[name] for name in X._names()]
