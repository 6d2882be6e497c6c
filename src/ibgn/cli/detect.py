"""The command detect: sensor recordings to intervals of actions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ibgn.cli.options import Delimiter, Encoding, Json, Seed
from ibgn.cli.output import busy, print_json, say, warnings_aloud

if TYPE_CHECKING:
    from ibgn.detection import ActionDetector, SensorRecording
    from ibgn.intervals import IntervalSequences

Train = Annotated[
    Path,
    typer.Argument(metavar="TRAIN", help="Labelled CSV file, or a folder of them.", readable=False),
]
New = Annotated[
    Path,
    typer.Argument(metavar="NEW", help="CSV file to detect in, or a folder.", readable=False),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="File for the intervals, else CSV is printed.")
]
Label = Annotated[list[str], typer.Option(help="Column of labels, a track; repeatable.")]
Channel = Annotated[
    list[str] | None, typer.Option(help="Column of numbers; repeatable, else all others.")
]
Time = Annotated[str, typer.Option(help="Column of times.")]
Unit = Annotated[float, typer.Option(help="Seconds that a unit of time lasts, as 0.001.")]
Ignore = Annotated[
    list[str] | None, typer.Option(help="Column that is left out, if it is there; repeatable.")
]
Null = Annotated[list[str] | None, typer.Option(help="Label that means none; repeatable.")]
Activity = Annotated[
    str | None,
    typer.Option(help="Column of activities in NEW: each stretch is an instance with its label."),
]
Classifier = Annotated[
    Literal["knn", "svm", "rbf", "tree"], typer.Option(help="What tells windows apart.")
]
Window = Annotated[float, typer.Option(help="Seconds of a window.")]
Step = Annotated[float, typer.Option(help="Seconds from one window to the next.")]
Rate = Annotated[float, typer.Option(help="Frames a second to resample to.")]
Gap = Annotated[float, typer.Option(help="Seconds; longer gaps are not filled.")]
Smooth = Annotated[float, typer.Option(help="Seconds over which votes are taken together.")]
Shortest = Annotated[float, typer.Option(help="Seconds; shorter runs become no interval.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Recordings at the same time; -1 is all.")]


def detect(
    train: Train,
    new: New,
    label: Label,
    output: Output = None,
    channel: Channel = None,
    time: Time = "time",
    unit: Unit = 1.0,
    ignore: Ignore = None,
    null: Null = None,
    activity: Activity = None,
    classifier: Classifier = "knn",
    window: Window = 1.0,
    step: Step = 0.1,
    rate: Rate = 30.0,
    longest_gap: Gap = 0.5,
    smooth: Smooth = 0.5,
    min_duration: Shortest = 0.3,
    seed: Seed = 0,
    jobs: Jobs = 1,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    as_json: Json = False,
) -> None:
    """Learn actions from labelled sensor recordings, and detect their intervals in new ones."""
    from ibgn.detection import ActionDetector
    from ibgn.io.registry import find_format
    from ibgn.io.sensors import read_sensors

    reading: dict[str, Any] = {"time": time, "unit": unit, "null": null or ()}
    reading |= _csv_options(delimiter, encoding)
    labels = [name for name in label if name != activity]
    detector = ActionDetector(
        classifier,
        tracks=labels,
        window=window,
        step=step,
        rate=rate,
        longest_gap=longest_gap,
        smooth=smooth,
        min_duration=min_duration,
        random_state=seed,
        n_jobs=jobs,
    )
    if output is not None:
        find_format(output, None, writing=True)  # before the work, so that a typo costs no time
    with warnings_aloud() as said:
        with busy(f"learning from {train.name}"):
            left_out = [*(ignore or []), *([] if activity is None else [activity])]
            known = read_sensors(train, tracks=labels, channels=channel, ignore=left_out, **reading)
            detector.fit(known)
        with busy(f"detecting in {new.name}"):
            tracks = [] if activity is None else [activity]
            found = read_sensors(new, tracks=tracks, channels=list(detector.channels_), **reading)
            X, y = _detect(detector, found, activity)
    _put_out(X, y, output, as_json, {"recordings": len(found), "warnings": said})


def _csv_options(delimiter: str | None, encoding: str | None) -> dict[str, str]:
    options = {}
    if delimiter is not None:
        options["delimiter"] = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if encoding is not None:
        options["encoding"] = encoding
    return options


def _detect(
    detector: "ActionDetector", recordings: "list[SensorRecording]", activity: str | None
) -> "tuple[IntervalSequences, Any]":
    """Instances, and their labels where stretches of an activity are asked for."""
    if activity is None:
        return detector.predict(recordings), None
    return detector.detect_instances(recordings, activity)


def _put_out(
    X: "IntervalSequences", y: Any, output: Path | None, as_json: bool, told: dict[str, Any]
) -> None:
    """Write or print the intervals; with --json print what was found in numbers."""
    import numpy as np

    from ibgn.io import write
    from ibgn.text import count

    if output is not None:
        write(X, output, y)
        counted = f"{count(len(X), 'instance')}, {count(len(X.action), 'interval')}"
        say(f"wrote {counted} to {output}")
    if as_json:
        each = np.bincount(X.action, minlength=len(X.actions)).tolist()
        counts = {"instances": len(X), "intervals": len(X.action)}
        by_action = dict(zip(X.actions, each, strict=True))
        where = None if output is None else str(output)
        print_json({"output": where} | counts | {"intervals_per_action": by_action} | told)
    elif output is None:
        print(X.to_table(y).to_csv(index=False), end="")
