"""Predictions as rows: of all instances, or piece by piece."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal

import typer

from ibgn.cli.flags import given_flags
from ibgn.cli.memory import scan_like_training
from ibgn.cli.output import busy, say, warnings_aloud
from ibgn.cli.pieces import PieceReading
from ibgn.errors import Option, OptionError
from ibgn.text import count

if TYPE_CHECKING:
    import pandas as pd

    from ibgn.intervals import IntervalSequences


UnknownActivities = Annotated[  # readers have an option "unknown" of their own
    Literal["accept", "reject"],
    typer.Option(
        "--unknown",
        help="What becomes of instances that may be of no known activity: reject leaves them "
        "without a label, and adds their p-values.",
    ),
]
FalseAlarm = Annotated[
    float,
    typer.Option(
        metavar="RATE", help="Share of instances of known activities that --unknown may reject."
    ),
]
REJECT = Option("unknown_activities", "reject")
NONE = "none of these"  # on tiers and terminals, for instances that are rejected


@dataclass(frozen=True)
class Rejection:
    """Whether instances may be rejected, and how many of known activities at the most."""

    unknown: str
    false_alarm: float

    def check(self, classifier: Any) -> None:
        """Refuse what the model cannot do, before instances are recognised."""
        self.check_options()
        if self.active:
            classifier._typical_model().typicality_.check_rate(self.false_alarm)

    def check_options(self) -> None:
        """Refuse a rate of false alarms where nothing is rejected."""
        if not self.active and "false_alarm" in given_flags():
            reason = ("is the rate of ", REJECT, "; give both")
            raise OptionError("false_alarm", self.false_alarm, *reason)

    @property
    def active(self) -> bool:
        """Whether some may be rejected."""
        return self.unknown == "reject"

    def assess(self, classifier: Any, X: "IntervalSequences") -> tuple[Any, Any]:
        """Log probabilities, and p-values, None where nothing may be rejected."""
        return classifier.assess(X) if self.active else (classifier.predict_log_proba(X), None)

    def assess_pieces(self, classifier: Any, source: Any) -> Iterator[tuple[Any, ...]]:
        """Pieces of a source, their labels, log probabilities and p-values."""
        if self.active:
            yield from classifier.assess_pieces(source)
            return
        for piece in classifier.predict_pieces(source):
            yield *piece, None

    def say(self, rejected: int, instances: int) -> None:
        """Say how many are rejected."""
        if self.active:
            of = count(instances, "instance")
            say(f"rejected {rejected} of {of}: p-value of {self.false_alarm:g} or less")


def as_frame(
    classes: Any, X: "IntervalSequences", y: Any, logs: Any, p: Any = None, false_alarm: float = 0
) -> "pd.DataFrame":
    """Instance, label where it is known, likeliest activity and all probabilities.

    p : p-values; where they are no larger than false_alarm, no activity is predicted
    """
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame({"instance": X.ids, "predicted": classes[logs.argmax(axis=1)]})
    if y is not None:
        frame.insert(1, "label", y)
    for c, name in enumerate(classes):
        frame[f"P({name})"] = np.exp(logs[:, c])
    if p is not None:
        frame["predicted"] = frame["predicted"].astype(object).where(p > false_alarm, None)
        frame.insert(list(frame).index("predicted") + 1, "p_value", p)
    return frame


def count_right(frame: "pd.DataFrame", classes: Any) -> tuple[int, int, int]:
    """How many labelled instances are recognised, how many there are, and how many are strange.

    Strange ones have a label that the model does not know; it is right to predict none for them.
    """
    known = frame[frame["label"].notna()]
    labels = known["label"].astype(str)
    right = known["predicted"].astype(str) == labels
    strange = ~labels.isin([*map(str, classes)])
    right |= known["predicted"].isna() & strange
    return int(right.sum()), len(known), int(strange.sum())


def say_accuracy(right: int, known: int, strange: int) -> None:
    """Say which share of the labelled instances is recognised."""
    share = right / known if known else float("nan")
    but = f"; the model does not know the labels of {strange}" if strange else ""
    say(f"accuracy {share:.3f} of {count(known, 'labelled instance')}{but}")


def predict_scanned(
    classifier: Any,
    data: Path,
    output: Path | None,
    escape_formulas: bool,
    reading: PieceReading,
    rejection: Rejection,
) -> None:
    """Recognise instances piece by piece, and write them in their order."""
    from ibgn.io.dataframes import as_csv

    right = known = strange = rejected = instances = 0
    labelled = False
    with (
        warnings_aloud(),
        reading.connected(),
        busy(f"recognising {data.name}"),
        _writing(output) as file,
    ):
        source, _ = scan_like_training(reading, data, classifier)
        for number, (X, y, logs, p) in enumerate(rejection.assess_pieces(classifier, source)):
            frame = as_frame(classifier.classes_, X, y, logs, p, rejection.false_alarm)
            rejected += int(frame["predicted"].isna().sum())
            instances += len(X)
            if y is not None:
                labelled = True
                more = count_right(frame, classifier.classes_)
                right, known, strange = right + more[0], known + more[1], strange + more[2]
            file.write(as_csv(frame, escape_formulas, header=number == 0))
    if labelled:
        say_accuracy(right, known, strange)
    rejection.say(rejected, instances)
    if output is not None:
        say(f"wrote {output}")


@contextmanager
def _writing(output: Path | None) -> Iterator[IO[str]]:
    """A file that appears when it is complete, or standard output."""
    from ibgn._files import replacing

    if output is None:
        yield sys.stdout
        return
    with replacing(output) as path, path.open("w", encoding="utf-8", newline="") as file:
        yield file
        file.flush()  # before it gets its name
