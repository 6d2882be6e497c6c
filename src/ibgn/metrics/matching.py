"""Detected intervals matched with true ones: how many are right, and what the others are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from ibgn._arrays import Floats, Ints
from ibgn.checks import check_number
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences, as_sequences
from ibgn.networks import Sequences
from ibgn.recoding import recode
from ibgn.text import quote

__all__ = [
    "Confusion",
    "DetectionScores",
    "align",
    "edit_score",
    "find_overlaps",
    "interval_scores",
    "measure_confusion",
    "overlap_f1",
]


class DetectionScores(NamedTuple):
    """Precision, recall and F1 of detected intervals, and the counts behind them.

    Examples
    --------
    >>> true = IntervalSequences.from_lists([[("pour", 0, 4), ("stir", 5, 9)]])
    >>> detected = IntervalSequences.from_lists([[("pour", 0, 3), ("stir", 8, 9)]])
    >>> interval_scores(true, detected)
    DetectionScores(precision=0.5, recall=0.5, f1=0.5, matched=1, true=2, detected=2)
    """

    precision: float
    recall: float
    f1: float
    matched: int
    true: int
    detected: int


def interval_scores(true: Sequences, detected: Sequences, iou: float = 0.5) -> DetectionScores:
    """Precision, recall and F1 over all intervals of all instances.

    A detected interval is right if it can be matched, one to one, with a true one of the same
    action whose intersection over union with it is at least `iou`. As many as possible are matched.

    Examples
    --------
    >>> scores = interval_scores([[("pour", 0, 4), ("stir", 4, 6)]], [[("pour", 0, 3)]])
    >>> scores.precision, scores.recall, scores.matched
    (1.0, 0.5, 1)
    """
    _check_overlap("iou", iou)
    X, Z = align(true, detected)
    pairs = find_overlaps(X, Z, same_action=True)
    close = pairs[pairs["iou"] >= iou]
    graph = csr_array(
        (np.ones(len(close), bool), (close["true"], close["detected"])),
        (max(len(X.action), 1), max(len(Z.action), 1)),
    )
    matched = int((maximum_bipartite_matching(graph, perm_type="column") >= 0).sum())
    return _scores(matched, len(X.action), len(Z.action))


def overlap_f1(
    true: Sequences, detected: Sequences, overlaps: Sequence[float] | float = (0.1, 0.25, 0.5)
) -> dict[float, float]:
    """F1@k as usual for action segmentation: F1 at several degrees of overlap.

    Each detected interval, in order, is compared with the true one of the same action that it
    overlaps most. It is right if they overlap enough and no earlier one was right about the same.

    Examples
    --------
    >>> overlap_f1([[("pour", 0, 10)]], [[("pour", 0, 3)]])
    {0.1: 1.0, 0.25: 1.0, 0.5: 0.0}
    """
    overlaps = [overlaps] if isinstance(overlaps, int | float) else overlaps
    for overlap in overlaps:
        _check_overlap("overlap", overlap)
    X, Z = align(true, detected)
    pairs = find_overlaps(X, Z, same_action=True)
    best = pairs.sort_values(["detected", "iou", "true"], ascending=[True, False, True])
    best = best.drop_duplicates("detected")
    scores = {}
    for overlap in overlaps:
        close = best[best["iou"] >= overlap]
        matched = close["true"].nunique()
        scores[float(overlap)] = _scores(matched, len(X.action), len(Z.action)).f1
    return scores


def edit_score(true: Sequences, detected: Sequences) -> float:
    """How well the order of actions was detected, from 0 to 1; times do not matter.

    Mean over instances of one minus the edit distance (Levenshtein) between the actions in the
    order of their starts, divided by the length of the longer sequence.

    Examples
    --------
    >>> edit_score([[("a", 0, 1), ("b", 1, 2)]], [[("a", 0, 5)]])
    0.5
    """
    X, Z = align(true, detected)
    ends = zip(pairwise(X.offsets.tolist()), pairwise(Z.offsets.tolist()), strict=True)
    scores = [_edit(X.action[slice(*span)], Z.action[slice(*other)]) for span, other in ends]
    return float(np.mean(scores)) if scores else 1.0


@dataclass(frozen=True)
class Confusion:
    """What a detector reports for each action.

    Parameters
    ----------
    actions : names, sorted
    counts : (actions, actions + 1) how often a true action was detected as another; the last
        column counts those not detected at all
    inserted : (actions,) how often an action was detected where there was none
    instances : number of instances in the counts

    Examples
    --------
    >>> true = IntervalSequences.from_lists([[("pour", 0, 4), ("stir", 5, 9)]])
    >>> detected = IntervalSequences.from_lists([[("pour", 0, 3), ("stir", 8, 9)]])
    >>> measure_confusion(true, detected).counts.tolist()
    [[1, 0, 0], [0, 0, 1]]
    """

    actions: tuple[str, ...]
    counts: Ints
    inserted: Ints
    instances: int

    def frame(self) -> pd.DataFrame:
        """True actions by row, detected ones by column."""
        columns = [*self.actions, "(not detected)"]
        return pd.DataFrame(self.counts, index=list(self.actions), columns=columns)


def measure_confusion(true: Sequences, detected: Sequences, iou: float = 0.5) -> Confusion:
    """Count what a detector reports for each action.

    Within an instance, intervals are matched one to one so that the sum of their intersections
    over unions is largest, whatever their actions; pairs below `iou` do not match.

    Examples
    --------
    >>> confusion = measure_confusion([[("pour", 0, 4), ("stir", 4, 6)]], [[("shake", 0, 4)]])
    >>> confusion.frame().loc["pour"].to_dict()
    {'pour': 0, 'shake': 1, 'stir': 0, '(not detected)': 0}
    """
    _check_overlap("iou", iou)
    X, Z = align(true, detected)
    pairs = find_overlaps(X, Z, same_action=False)
    pairs = pairs[pairs["iou"] >= iou]
    size = len(X.actions)
    counts, inserted = np.zeros((size, size + 1), np.int64), np.zeros(size, np.int64)
    taken_as = np.full(len(X.action), size)
    unmatched = np.ones(len(Z.action), bool)
    for _, close in pairs.groupby("owner"):
        for row, other in _best_matches(close):
            taken_as[row], unmatched[other] = Z.action[other], False
    np.add.at(counts, (X.action, taken_as), 1)
    np.add.at(inserted, Z.action[unmatched], 1)
    return Confusion(X.actions, counts, inserted, len(X))


def _check_overlap(name: str, value: float) -> None:
    check_number(name, value, "above 0 and at most 1", lambda value: 0 < value <= 1)


def align(true: Sequences, detected: Sequences) -> tuple[IntervalSequences, IntervalSequences]:
    """Both with the same vocabulary; refuses them if they are about different instances."""
    X, Z = as_sequences(true), as_sequences(detected)
    if len(X) != len(Z):
        raise DataError(
            f"there are {len(X)} true instances and {len(Z)} detected ones; give them in pairs, "
            "with an instance without intervals if nothing was detected"
        )
    if X.ids is not None and Z.ids is not None and (X.ids != Z.ids).any():
        d = int(np.argmax(X.ids != Z.ids))
        raise DataError(
            f"instance {d} is {quote(X.ids[d])} among the true and {quote(Z.ids[d])} among the "
            "detected ones; put them in the same order"
        )
    actions = tuple(sorted({*X.actions, *Z.actions}))
    X, Z = (IntervalSequences.from_flat(recode(Y, actions).flat, actions, Y.ids) for Y in (X, Z))
    return X, Z


def find_overlaps(X: IntervalSequences, Z: IntervalSequences, same_action: bool) -> pd.DataFrame:
    """Pairs of a true and a detected interval that overlap, with their IoU."""
    true, detected = _candidates(X, Z, same_action)
    shared = np.minimum(X.end[true], Z.end[detected]) - np.maximum(X.start[true], Z.start[detected])
    true, detected, shared = true[shared > 0], detected[shared > 0], shared[shared > 0]
    whole = (X.end - X.start)[true] + (Z.end - Z.start)[detected] - shared
    return pd.DataFrame(
        {"owner": X.owner[true], "true": true, "detected": detected, "iou": shared / whole}
    )


def _candidates(X: IntervalSequences, Z: IntervalSequences, same_action: bool) -> tuple[Ints, Ints]:
    """Pairs that include all that overlap: far fewer than all pairs if intervals are short.

    In the order of starts, intervals before the first that ends late enough can be skipped, and
    those from the first that starts too late.
    """
    times = np.unique(np.concatenate([X.start, X.end, Z.start, Z.end]))

    def ranked(Y: IntervalSequences, time: Floats) -> Ints:
        track = Y.owner * len(Y.actions) + Y.action if same_action else Y.owner
        ranks: Ints = track * len(times) + np.searchsorted(times, time)
        return ranks

    start = ranked(Z, Z.start)
    order = np.argsort(start, kind="stable")
    latest_end = np.maximum.accumulate(ranked(Z, Z.end)[order])
    first = np.searchsorted(latest_end, ranked(X, X.start), side="right")
    many = np.maximum(np.searchsorted(start[order], ranked(X, X.end)) - first, 0)
    skipped = np.repeat(first - np.cumsum(many) + many, many)
    return np.repeat(np.arange(len(many)), many), order[skipped + np.arange(many.sum())]


def _scores(matched: int, true: int, detected: int) -> DetectionScores:
    precision = matched / detected if detected else 1.0
    recall = matched / true if true else 1.0
    f1 = 2 * matched / (true + detected) if true + detected else 1.0
    return DetectionScores(precision, recall, f1, matched, true, detected)


def _edit(first: npt.NDArray[np.int32], second: npt.NDArray[np.int32]) -> float:
    if not len(first) and not len(second):
        return 1.0
    steps = np.arange(len(second) + 1)
    row = steps
    for code in first:
        changed = np.minimum(row[1:] + 1, row[:-1] + (second != code))
        # an insertion costs one per step, so it is the smallest so far, counted from the diagonal
        row = np.minimum.accumulate(np.concatenate([[row[0] + 1], changed]) - steps) + steps
    return float(1 - row[-1] / max(len(first), len(second)))


def _best_matches(close: pd.DataFrame) -> Iterator[tuple[int, int]]:
    """Pairs of an assignment with the largest sum of IoU."""
    rows, row = np.unique(close["true"], return_inverse=True)
    columns, other = np.unique(close["detected"], return_inverse=True)
    value = np.zeros((len(rows), len(columns)))
    value[row, other] = close["iou"]
    for r, c in zip(*linear_sum_assignment(value, maximize=True), strict=True):
        if value[r, c] > 0:
            yield int(rows[r]), int(columns[c])
