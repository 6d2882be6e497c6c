"""Predictions as rows: of all instances, or piece by piece."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ibgn.cli.memory import scan_like_training
from ibgn.cli.options import Reading
from ibgn.cli.output import busy, say, warnings_aloud
from ibgn.text import count

if TYPE_CHECKING:
    import pandas as pd

    from ibgn.intervals import IntervalSequences


def as_frame(classes: Any, X: "IntervalSequences", y: Any, logs: Any) -> "pd.DataFrame":
    """Instance, label where it is known, likeliest activity and all probabilities."""
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame({"instance": X.ids, "predicted": classes[logs.argmax(axis=1)]})
    if y is not None:
        frame.insert(1, "label", y)
    for c, name in enumerate(classes):
        frame[f"P({name})"] = np.exp(logs[:, c])
    return frame


def count_right(frame: "pd.DataFrame") -> tuple[int, int]:
    """How many labelled instances are recognised, and how many there are."""
    known = frame[frame["label"].notna()]
    right = known["predicted"].astype(str) == known["label"].astype(str)
    return int(right.sum()), len(known)


def say_accuracy(right: int, known: int) -> None:
    """Say which share of the labelled instances is recognised."""
    share = right / known if known else float("nan")
    say(f"accuracy {share:.3f} of {count(known, 'labelled instance')}")


def predict_scanned(
    classifier: Any,
    data: Path,
    output: Path | None,
    escape_formulas: bool,
    reading: Reading,
) -> None:
    """Recognise instances piece by piece, and write them in their order."""
    from ibgn.io.dataframes import as_csv

    right = known = 0
    labelled = False
    with warnings_aloud(), busy(f"recognising {data.name}"), _writing(output) as file:
        source, _ = scan_like_training(reading, data, classifier)
        for number, (X, y, logs) in enumerate(classifier.predict_pieces(source)):
            frame = as_frame(classifier.classes_, X, y, logs)
            if y is not None:
                labelled = True
                right, known = (
                    a + b for a, b in zip((right, known), count_right(frame), strict=True)
                )
            file.write(as_csv(frame, escape_formulas, header=number == 0))
    if labelled:
        say_accuracy(right, known)
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
