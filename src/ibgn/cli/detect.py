"""The command detect: sensor recordings to intervals of actions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ibgn.cli.options import Delimiter, Encoding, EscapeFormulas, Json, Seed, text_options
from ibgn.cli.output import busy, print_json, print_text, say, warnings_aloud
from ibgn.cli.targets import format_to_write, writes

if TYPE_CHECKING:
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
    Path | None,
    typer.Option("--output", "-o", help="File for the intervals, by default printed as CSV."),
]
Tracks = Annotated[
    list[str], typer.Option("--label", help="Column of labels, a track; repeatable.")
]
Channels = Annotated[
    list[str] | None,
    typer.Option("--channel", help="Column of numbers, by default all others; repeatable."),
]
Time = Annotated[str, typer.Option(help="Column of times.")]
Unit = Annotated[float, typer.Option(help="Seconds per unit of time, such as 0.001.")]
Ignore = Annotated[
    list[str] | None, typer.Option(help="Column to leave out, if there is one; repeatable.")
]
Null = Annotated[list[str] | None, typer.Option(help="Label that means no action; repeatable.")]
Activity = Annotated[
    str | None,
    typer.Option(help="Column of activities in NEW: each stretch of one becomes an instance."),
]
Classifier = Annotated[
    Literal["knn", "svm", "rbf", "tree"], typer.Option(help="Classifier of windows.")
]
Window = Annotated[float, typer.Option(help="Length of a window in seconds.")]
Step = Annotated[float, typer.Option(help="Seconds from one window to the next.")]
Rate = Annotated[float, typer.Option(help="Frames per second to resample to.")]
Gap = Annotated[float, typer.Option(help="Gaps longer than these seconds are not filled.")]
Smooth = Annotated[float, typer.Option(help="Seconds over which votes are averaged.")]
Shortest = Annotated[float, typer.Option(help="Runs shorter than these seconds are dropped.")]
Soft = Annotated[
    bool,
    typer.Option(
        "--soft", help="Also say how sure each interval is: confidence, alternatives, errors."
    ),
]
Jobs = Annotated[
    int, typer.Option("--jobs", help="Recordings at the same time; -1 takes all cores.")
]


@writes(output="either")
def detect(
    train: Train,
    new: New,
    tracks: Tracks,
    output: Output = None,
    channels: Channels = None,
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
    soft: Soft = False,
    seed: Seed = 0,
    n_jobs: Jobs = 1,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    escape_formulas: EscapeFormulas = False,
    as_json: Json = False,
) -> None:
    """Learn actions from labelled sensor recordings, and detect their intervals in new ones.

    $ ibgn detect train.csv new.csv --label action -o intervals.csv
    """
    from ibgn.detection import ActionDetector
    from ibgn.io.sensors import read_sensors

    reading: dict[str, Any] = {"time": time, "unit": unit, "null": null or ()}
    reading |= text_options(delimiter, encoding)
    tracks = [name for name in tracks if name != activity]
    of_activities = [] if activity is None else [activity]
    detector = ActionDetector(
        classifier,
        tracks=tracks,
        window=window,
        step=step,
        rate=rate,
        longest_gap=longest_gap,
        smooth=smooth,
        min_duration=min_duration,
        soft=soft,
        random_state=seed,
        n_jobs=n_jobs,
    )
    if output is not None:
        format_to_write("output", output)
    with warnings_aloud() as messages:
        with busy(f"learning from {train.name}"):
            left_out = [*(ignore or []), *of_activities]
            known = read_sensors(
                train, tracks=tracks, channels=channels, ignore=left_out, **reading
            )
            detector.fit(known)
        with busy(f"detecting in {new.name}"):
            used = list(detector.channels_)
            recordings = read_sensors(new, tracks=of_activities, channels=used, **reading)
            if activity is None:
                X, y = detector.predict(recordings), None
            else:
                X, y = detector.detect_instances(recordings, activity)
    more = {"recordings": len(recordings), "warnings": messages}
    _put_out(X, y, output, escape_formulas, as_json, more)


def _put_out(
    X: "IntervalSequences",
    y: Any,
    output: Path | None,
    escape_formulas: bool,
    as_json: bool,
    more: dict[str, Any],
) -> None:
    """Write or print the intervals; with --json print counts."""
    import numpy as np

    from ibgn.io import write
    from ibgn.io.dataframes import as_csv
    from ibgn.text import count

    if output is not None:
        options: dict[str, Any] = {"escape_formulas": True} if escape_formulas else {}
        write(X, output, y, **options)
        counted = f"{count(len(X), 'instance')}, {count(len(X.action), 'interval')}"
        say(f"wrote {counted} to {output}")
    if as_json:
        each = np.bincount(X.action, minlength=len(X.actions)).tolist()
        counts = {
            "output": None if output is None else str(output),
            "instances": len(X),
            "intervals": len(X.action),
            "intervals_per_action": dict(zip(X.actions, each, strict=True)),
        }
        print_json(counts | more)
    elif output is None:
        print_text(as_csv(X.to_frame(y), escape_formulas))
