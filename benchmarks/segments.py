"""Activities found in streams: the segmenter, sliding windows, and true boundaries.

Run with `python -m benchmarks.segments [FOLDER]`, where FOLDER has files of recordings as
`ibgn.read_csv` takes them; docs/segments.md has what it prints. Simulated days come from
`make_untrimmed_days`; the instances of a file are put together to streams by `compose_streams`,
those to learn from and those for tests apart. With `--alike`, compares scoring every run with
scoring similar runs together instead, also of activities that are not long.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.accuracy import read
from ibgn import IBGNClassifier, IntervalSequences, Segmenter
from ibgn.datasets import make_untrimmed_days
from ibgn.metrics import edit_score, frame_accuracy, overlap_f1
from ibgn.segmentation import compose_streams, cut_activities
from ibgn.segmentation.annotations import annotate
from ibgn.segmentation.evidence import NONE, learn_evidence

SEEDS = 5
TRAINING, TEST = 10, 4  # days
TESTED = 40  # instances of a file in test streams, at most
WIDTHS = (0.5, 1.0, 2.0)  # of sliding windows, in median durations of activities
ALIKE_FROM = 30  # intervals of an activity
STEPS = 8  # of a window, from one to the next


class Streams(NamedTuple):
    """Streams, and their activities."""

    X: IntervalSequences
    activities: IntervalSequences


Method = Callable[[Streams, IntervalSequences], IntervalSequences]


def segment(known: Streams, X: IntervalSequences) -> IntervalSequences:
    return Segmenter(random_state=0).fit(*known).segment(X)


def segment_by_instances(known: Streams, X: IntervalSequences) -> IntervalSequences:
    return Segmenter(random_state=0).fit_instances(*cut_activities(*known)).segment(X)


def slide(known: Streams, X: IntervalSequences) -> IntervalSequences:
    """Classify windows of all widths, and take the width that does best on known streams."""
    streams = annotate(*known)
    estimator = IBGNClassifier(random_state=0)
    model = learn_evidence(estimator, streams, np.random.default_rng(0)).model
    typical = float(np.median(known.activities.end - known.activities.start))
    best = max(
        (typical * width for width in WIDTHS),
        key=lambda width: edit_score(known.activities, slide_over(model, known.X, width)),
    )
    return slide_over(model, X, best)


def slide_over(model: Any, X: IntervalSequences, width: float) -> IntervalSequences:
    """Activities by the mean probabilities of the windows around each moment."""
    found = [_slide_over_one(model, stream, width) for stream in X]
    return IntervalSequences.from_lists(found, ids=None if X.ids is None else list(X.ids))


def _slide_over_one(
    model: Any, stream: IntervalSequences, width: float
) -> list[tuple[str, float, float]]:
    rows, start = stream.to_lists()[0], stream.start
    step = width / STEPS
    begins = np.arange(start.min() - width + step, stream.end.max(), step)
    first, last = (np.searchsorted(start, begins + late) for late in (0, width))
    chosen = np.flatnonzero(first < last)
    windows = IntervalSequences.from_lists([rows[first[n] : last[n]] for n in chosen])
    probs = np.zeros((len(begins), len(model.classes_)))
    none = model.classes_.tolist().index(NONE)
    probs[:, none] = 1.0
    probs[chosen] = model.predict_proba(windows)
    votes = np.apply_along_axis(lambda p: np.convolve(p, np.ones(STEPS))[STEPS - 1 :], 0, probs)
    label = votes.argmax(axis=1)
    edges = np.flatnonzero(np.diff(label, prepend=-1, append=-1))
    times = begins + width - step
    found = []
    for one, two in pairwise(edges.tolist()):
        if label[one] != none:
            until = times[two] if two < len(times) else times[-1] + step
            found.append((str(model.classes_[label[one]]), float(times[one]), float(until)))
    return found


METHODS: dict[str, Method] = {
    "`Segmenter.fit`": segment,
    "`Segmenter.fit_instances`": segment_by_instances,
    "sliding windows": slide,
}


def recognise(known: Streams, test: Streams) -> IntervalSequences:
    """Recognise with true boundaries."""
    model = IBGNClassifier(random_state=0).fit(*cut_activities(*known))
    labels = model.predict(cut_activities(*test)[0])
    rows = [(start, end) for own in test.activities.to_lists() for _, start, end in own]
    named = [(str(label), *row) for label, row in zip(labels, rows, strict=True)]
    lists = [named[a:b] for a, b in pairwise(test.activities.offsets.tolist())]
    return IntervalSequences.from_lists(lists, ids=test.activities.ids)


def measure(known: Streams, test: Streams) -> Iterator[dict[str, Any]]:
    for name in (*METHODS, "true boundaries"):
        begun = time.process_time()
        found = METHODS[name](known, test.X) if name in METHODS else recognise(known, test)
        seconds = time.process_time() - begun
        f1 = overlap_f1(test.activities, found)
        yield {
            "method": name,
            "frame accuracy": frame_accuracy(test.activities, found, test.X),
            "edit": edit_score(test.activities, found),
            **{f"F1@{round(100 * at)}": value for at, value in f1.items()},
            "seconds": seconds,
        }


def simulated() -> Iterator[dict[str, Any]]:
    for seed in range(SEEDS):
        X, Z = make_untrimmed_days(days=TRAINING + TEST, random_state=seed)
        known, test = Streams(X[:TRAINING], Z[:TRAINING]), Streams(X[TRAINING:], Z[TRAINING:])
        yield from measure(known, test)


def compose(path: Path) -> tuple[Streams, Streams]:
    """Streams to learn from and streams to test on, of the instances of a file."""
    X, y = read(path)
    rng = np.random.default_rng(0)
    order = rng.permutation(np.flatnonzero(X.lengths))
    tested = order[: min(TESTED, len(order) // 3)]
    rest = order[len(tested) :]
    known = Streams(*compose_streams(X[rest], y[rest], streams=5, random_state=rng))
    return known, Streams(*compose_streams(X[tested], y[tested], streams=2, random_state=rng))


def approximate(path: Path) -> Iterator[dict[str, Any]]:
    """Streams cut with every run scored, and with similar runs scored together."""
    known, test = compose(path)
    segmenter = Segmenter(random_state=0).fit_instances(*cut_activities(*known))
    exact = None
    for largest in (None, ALIKE_FROM):
        segmenter.exact = largest
        begun = time.process_time()
        found = segmenter.segment(test.X)
        exact = found if exact is None else exact
        yield {
            "longest": segmenter.longest_,
            "scored": "all runs" if largest is None else "similar ones together",
            "seconds": time.process_time() - begun,
            "edit score": edit_score(test.activities, found),
            "edit score against all runs": edit_score(exact, found),
            "time in agreement": frame_accuracy(exact, found, test.X),
        }


def main() -> None:
    warnings.simplefilter("ignore")
    if "--alike" in sys.argv:
        sys.argv.remove("--alike")
        for path in sorted(Path(sys.argv[1]).glob("*.csv")):
            frame = pd.DataFrame(approximate(path)).round(3)
            print(f"\n{path.stem}\n{frame.to_string(index=False)}", flush=True)
        return
    sets = {"simulated days": simulated()}
    if len(sys.argv) > 1:
        sets |= {
            path.stem: measure(*compose(path)) for path in sorted(Path(sys.argv[1]).glob("*.csv"))
        }
    for name, rows in sets.items():
        frame = pd.DataFrame(rows).groupby("method", sort=False).mean().round(3)
        print(f"\n{name}\n{frame.to_string()}", flush=True)


if __name__ == "__main__":
    main()
