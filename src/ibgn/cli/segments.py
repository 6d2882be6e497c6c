"""Commands that find activities in streams: fit-segments and segment."""

import sys
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibgn.cli.flags import as_argument, in_shell
from ibgn.cli.into import Into, Replace, check_into
from ibgn.cli.learn import Method, Settings, new_model
from ibgn.cli.loading import load_segmenter
from ibgn.cli.memory import extend, recall, without_labels
from ibgn.cli.models import Output
from ibgn.cli.options import Data, EscapeFormulas, Json, Reading, Seed, takes_data
from ibgn.cli.output import busy, print_json, print_text, say, warnings_aloud
from ibgn.cli.tables import print_lines, print_table
from ibgn.cli.targets import format_to_write, writes
from ibgn.errors import DataError, Option, OptionError
from ibgn.text import count, quote

if TYPE_CHECKING:
    import pandas as pd

    from ibgn.intervals import IntervalSequences

TRACK = "track:"

Segments = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="File that `ibgn fit-segments` wrote.", readable=False),
]
Activities = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE|track:NAME",
        help="Activities of the streams: a file in which they are the intervals of instances of "
        "the same names, or the track of DATA that has them, as track:phase.",
        readable=False,
    ),
]
Background = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="File with stretches of what belongs to no activity; without --activities only.",
        readable=False,
    ),
]


@writes(output="file")
@takes_data(unlabelled="keep")
def fit_segments(
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="File for the model.")],
    activities: Activities = None,
    background: Background = None,
    method: Method = "IBGN-T",
    settings: Settings = None,
    seed: Seed = 0,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Learn to find activities in streams: from annotated streams, or from labelled instances.

    With --activities, DATA has streams, recordings of hours or days. Without it, DATA has labelled
    instances, which are put together to streams.

    $ ibgn fit-segments days.csv -o days.ibgn --activities activities.csv
    $ ibgn fit-segments day.eaf -o day.ibgn --activities track:phase
    $ ibgn fit-segments takes.csv -o drinks.ibgn
    """
    from ibgn.segmentation import Segmenter

    if activities is not None and background is not None:
        known = Option("activities", str(activities))
        reason = ("is for labelled instances; leave it out, as ", known, " says what is between")
        raise OptionError("background", str(background), *reason)
    segmenter = Segmenter(new_model(method, seed, {}, settings or [])[1], random_state=seed)
    with warnings_aloud() as messages, busy(f"learning from {data.name}"):
        if activities is None:
            X, y = reading.read_labelled(data, "to learn from")
            nothing = None if background is None else _read_plainly(background)
            segmenter.fit_instances(X, y, nothing)
        else:
            X, Z = read_annotated(reading, data, activities)
            segmenter.fit(X, Z)
        segmenter.save(output)
    known = segmenter.classes_.tolist()
    result = {"model": str(output), "activities": known, "longest": segmenter.longest_}
    result |= {"streams": len(X), "intervals": len(X.action), "warnings": messages}
    if as_json:
        print_json(result)
        return
    source = "stream" if activities is not None else "instance"
    print_lines(f"learned {len(known)} activities from {count(len(X), source)}")
    use = in_shell("ibgn", "segment", as_argument(output), "DATA")
    say(f"wrote {output}; use it with: {use}")


@writes(output="either")
@takes_data(unlabelled="all")
def segment(
    model: Segments,
    data: Data,
    output: Output = None,
    into: Into = None,
    tier: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the tier that --into adds.")
    ] = "activities",
    replace: Replace = False,
    activities: Activities = None,
    escape_formulas: EscapeFormulas = False,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Find the activities in streams: a table, or a file in which they are the intervals.

    With --activities, which are then not looked at, says how well they were found.

    $ ibgn segment days.ibgn today.csv
    $ ibgn segment days.ibgn today.csv -o activities.csv
    $ ibgn segment days.ibgn talk.eaf --into talk.eaf -o copy.eaf
    """
    from ibgn.io import add_activities, write

    check_into(into, output)
    if into is None and output is not None:
        format_to_write("output", output)
    with warnings_aloud() as messages, busy(f"looking for activities in {data.name}"):
        segmenter = load_segmenter(model)
        remembered = without_labels(recall(reading, data, segmenter))
        reading = extend(reading, remembered) if remembered else reading
        true: IntervalSequences | None = None
        if activities is None:
            X, _ = reading.read(data)
        else:
            X, true = read_annotated(reading, data, activities)
        Z = segmenter.segment(X)
        scores = {} if true is None else _score(X, true, Z)
    for name, score in scores.items():
        say(f"{name} {score:.3f}")
    frame = Z.to_frame()[["instance", "action", "start", "end", "confidence"]].dropna()
    if into is not None and output is not None:
        number = add_activities(into, output, Z, tier=tier, replace=replace)
        say(f"wrote {count(number, 'annotation')} to tier {quote(tier)} of {output}")
    elif output is not None:
        options: dict[str, Any] = {"escape_formulas": True} if escape_formulas else {}
        write(Z, output, **options)
        say(f"wrote {len(frame)} activities of {count(len(X), 'stream')} to {output}")
    if as_json:
        rows = frame.to_dict(orient="records")
        print_json({"rows": rows, "scores": scores, "warnings": messages})
    elif output is None:
        _print_activities(frame, escape_formulas)


def read_annotated(
    reading: Reading, data: Path, activities: Path
) -> "tuple[IntervalSequences, IntervalSequences]":
    """Streams, and the activities of each."""
    from ibgn.intervals import IntervalSequences
    from ibgn.segmentation import split_track

    X, _ = changed(reading, unlabelled="all").read(data)
    if str(activities).startswith(TRACK):
        return split_track(X, str(activities).removeprefix(TRACK))
    Z = _read_plainly(activities)
    done = dict(zip(Z._names(), Z.to_lists(), strict=True))
    names = X._names()
    lost = next((name for name in done if name not in names), None)
    if lost is not None:
        known = ", ".join(map(quote, names[:5]))
        raise DataError(
            f"{quote(activities.name)} has activities of {quote(lost)}, which is no stream of "
            f"{quote(data.name)}; there are {known}"
        )
    return X, IntervalSequences.from_lists([done.get(name, []) for name in names], ids=names)


def _read_plainly(path: Path) -> "IntervalSequences":
    X, _ = Reading(unlabelled="all").read(path)
    return X


def _score(
    X: "IntervalSequences", true: "IntervalSequences", found: "IntervalSequences"
) -> dict[str, float]:
    """How well activities were found."""
    from ibgn.metrics import edit_score, frame_accuracy, overlap_f1

    scores = {
        "frame accuracy": frame_accuracy(true, found, X),
        "edit score": edit_score(true, found),
    }
    return scores | {f"F1@{round(100 * at)}": f1 for at, f1 in overlap_f1(true, found).items()}


def _print_activities(frame: "pd.DataFrame", escape_formulas: bool) -> None:
    from ibgn.io.dataframes import as_csv

    if not sys.stdout.isatty():
        print_text(as_csv(frame, escape_formulas))
        return
    columns = (
        frame["instance"].astype(str),
        frame["action"].astype(str),
        frame["start"].map("{:g}".format),
        frame["end"].map("{:g}".format),
        frame["confidence"].map("{:.0%}".format),
    )
    rows = list(zip(*columns, strict=True))
    print_table(("stream", "activity", "start", "end", "confidence"), rows)
