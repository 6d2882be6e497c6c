"""Two answers to errors of end points: relations that are uncertain, and copies with errors.

Run with `python -m benchmarks.soft_relations FOLDER [NAME ...]`, where FOLDER has files of
recordings as `ibgn.read_csv` takes them; with names, only these. Folds are those of
`benchmarks.accuracy`, every second one where there are no groups. Errors are made in the test
instances only. Prints a table in Markdown for each file.

The term "soft relations" is written as a third party would write it. It assumes that every end
point has a normal error, proportional to the duration of its interval. So it knows the relation
of two intervals only with a probability.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.special import log_softmax, ndtr

from benchmarks.accuracy import DEFAULT, ERRORS, Model, Outcome, default, folds, read, run_fold
from ibgn import IntervalSequences
from ibgn._arrays import Floats, Ints
from ibgn.allen import Converse, Relation
from ibgn.classifiers.ibgn import DEFAULT_TERMS
from ibgn.declarations import FLOAT, are_smoothed_log_probs, is_natural, stored
from ibgn.horizon import pair_offsets
from ibgn.metrics import log_loss
from ibgn.model.folds import make_inner_folds
from ibgn.model.learning import HeldOut
from ibgn.model.weights import fit_weights
from ibgn.terms.base import Context, FittedTerm, LogTerms, Term
from ibgn.terms.shares import OutcomeCounts, smoothed_logs

CHOICES = (0.0, 0.05, 0.1, 0.2)  # errors to choose among, as parts of the duration
FOLDS = 3  # on which the error is chosen
STRENGTH = 3.0  # what all activities do counts as so many pairs

# relations of intervals that share time, by whether the second starts, and ends, later than the
# first, at the same time, or earlier
OVERLAPPING = (
    (Relation.OVERLAPS, Relation.FINISHED_BY, Relation.CONTAINS),
    (Relation.STARTS, Relation.EQUALS, Converse.STARTED_BY),
    (Converse.DURING, Converse.FINISHES, Converse.OVERLAPPED_BY),
)


@dataclass(frozen=True)
class FittedSoftRelations(FittedTerm):
    """Probabilities of the thirteen relations, for each two actions.

    Parameters
    ----------
    log_probs : (pairs of actions, 13) log probability of each relation of the first to the second
    error : standard deviation of end points, as part of the duration
    """

    log_probs: Floats = stored(FLOAT, "action pairs", 13, holds=are_smoothed_log_probs)
    error: float = stored(float, holds=is_natural)

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability of each pair, summed over what its relation may be."""
        key, chances = soft_pairs(X, len(self.actions), self.error)
        known = key >= 0
        terms = np.zeros(len(key))
        probs = np.exp(self.log_probs)[key[known]]
        terms[known] = np.log(np.einsum("pr,pr->p", probs, chances[known]))
        return LogTerms(pair=terms)

    def describe(self) -> pd.DataFrame:
        """Relations of each two actions, the likeliest first."""
        pair, code = np.divmod(np.argsort(-self.log_probs, axis=None, kind="stable"), 13)
        first, second = np.divmod(pair, len(self.actions))
        return pd.DataFrame(
            {
                "first": [self.actions[a] for a in first],
                "relation": [named(r).label for r in code.tolist()],
                "second": [self.actions[a] for a in second],
                "probability": np.exp(self.log_probs[pair, code]),
            }
        )


@dataclass(frozen=True)
class SoftRelations(Term):
    """Relations of all pairs of intervals, each known with a probability.

    A pair counts for its two actions, whichever interval is first, as errors can swap them.

    Parameters
    ----------
    error : standard deviation of end points, as part of the duration; "learned" chooses it
    """

    name = "soft relations"
    fitted = FittedSoftRelations
    pools = True

    error: float | Literal["learned"] = "learned"

    def specialise(self, parts: Sequence[IntervalSequences]) -> Sequence[Term]:
        """Choose the error under which held-out instances are recognised best."""
        if self.error != "learned":
            return [self] * len(parts)
        X = IntervalSequences.concatenate(parts)
        codes = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        cells = make_inner_folds(X, codes, FOLDS)
        terms = [replace(self, error=error) for error in CHOICES]
        best = max(terms, key=lambda term: term.recognised(X, codes, cells))
        return [best] * len(parts)

    def count(self, X: IntervalSequences) -> OutcomeCounts:
        """Expected counts of relations, by actions."""
        key, chances = soft_pairs(X, len(X.actions), float(self.error))
        cells = len(X.actions) ** 2
        columns = [np.bincount(key, weights=column, minlength=cells) for column in chances.T]
        return OutcomeCounts(np.column_stack(columns))

    def fit(
        self, counts: OutcomeCounts, pooled: OutcomeCounts, context: Context
    ) -> FittedSoftRelations:
        """Shares of the counts, drawn to those of all activities."""
        logs = smoothed_logs(counts.counts, pooled.counts, STRENGTH)
        return FittedSoftRelations(context.actions, logs, float(self.error))

    def recognised(self, X: IntervalSequences, codes: Ints, cells: Sequence[Ints]) -> float:
        """Log probability of the true activities of held-out instances, by this term alone."""
        activities = range(int(codes.max()) + 1)
        counts = [[self.count(X[cell[codes[cell] == c]]) for c in activities] for cell in cells]
        scores = np.zeros((len(X), 1, len(activities)))
        for f, cell in enumerate(cells):
            others = [of_cell for g, of_cell in enumerate(counts) if g != f] or counts
            rest = [reduce(add, of_activity) for of_activity in zip(*others, strict=True)]
            pooled, tested = reduce(add, rest), X[cell]
            for c in activities:
                context = Context(c, X.actions, 0, np.random.default_rng(0))
                learned = self.fit(rest[c], pooled, context)
                scores[cell, 0, c] = learned.log_likelihood(tested)
        prior = np.zeros(len(activities))
        weight = fit_weights(HeldOut(scores, codes, np.ones(len(X))), prior)[0]
        logs = log_softmax(weight * scores[:, 0], axis=1)
        return float(logs[np.arange(len(X)), codes].mean())


def soft_pairs(X: IntervalSequences, actions: int, error: float) -> tuple[Ints, Floats]:
    """Read all pairs of X, once for each error.

    Returns (pairs,) the actions of each as one number, -1 where one is unknown, and (pairs, 13)
    the probabilities of its relations. The action with the smaller code is first.
    """

    def make() -> tuple[Ints, Floats]:
        i, j = pairs_of(X)
        first, second = np.where(X.action[i] <= X.action[j], (i, j), (j, i))
        key = X.action[first].astype(np.int64) * actions + X.action[second]
        key[X.action[second] >= actions] = -1
        return key, soft_relations(X.start, X.end, first, second, error)

    return X.derived(("soft pairs", actions, error), make)


def pairs_of(X: IntervalSequences) -> tuple[Ints, Ints]:
    """Both intervals of each pair i < j of an instance, row by row."""
    later = np.repeat(X.offsets[1:], X.lengths) - np.arange(len(X.action)) - 1
    i = np.repeat(np.arange(len(X.action)), later)
    row_starts = np.cumsum(later) - later
    j = i + 1 + np.arange(pair_offsets(X)[-1]) - row_starts[i]
    return i, j


def soft_relations(start: Floats, end: Floats, first: Ints, second: Ints, error: float) -> Floats:
    """(pairs, 13) probability of each relation of the first intervals to the second.

    Each relation is a product of comparisons of end points, as if these were independent; then
    they are normalised.

    Examples
    --------
    >>> times = np.array([0.0, 10.0]), np.array([10.0, 20.0])
    >>> named(int(soft_relations(*times, np.array([0]), np.array([1]), 0.0).argmax())).label
    'meets'
    >>> times = np.array([0.0, 10.5]), np.array([10.0, 20.0])
    >>> soft_relations(*times, np.array([0]), np.array([1]), 0.1).round(2)[0, :3].tolist()
    [0.04, 0.94, 0.02]
    """
    spread = error * np.hypot((end - start)[first], (end - start)[second])
    starts = compare(start[second] - start[first], spread)
    ends = compare(end[second] - end[first], spread)
    ahead = compare(start[second] - end[first], spread)
    behind = compare(start[first] - end[second], spread)
    chances = np.empty((13, len(first)))
    chances[Relation.BEFORE], chances[Relation.MEETS] = ahead[:2] * behind[2]
    chances[Converse.AFTER], chances[Converse.MET_BY] = behind[:2] * ahead[2]
    for by_start, row in zip(starts, OVERLAPPING, strict=True):
        for by_end, code in zip(ends, row, strict=True):
            chances[code] = ahead[2] * behind[2] * by_start * by_end
    shares: Floats = (chances / chances.sum(axis=0)).T
    return shares


def compare(difference: Floats, spread: Floats) -> Floats:
    """(3, pairs) probabilities that a point is later than another, the same, and earlier.

    The nearer they are in relation to their spread, the surer it is that they are the same.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.where(difference == 0, 0.0, difference / spread)
    same = np.exp(-(away**2) / 2)
    return np.stack([(1 - same) * ndtr(away), same, (1 - same) * ndtr(-away)])


def named(code: int) -> Relation | Converse:
    return Relation(code) if code < len(Relation) else Converse(code)


def models() -> dict[str, Model]:
    """Nothing against errors, copies, soft relations, and both; then single terms."""
    others = tuple(name for name in DEFAULT_TERMS if name != "relations")

    def soft(error: Any, terms: tuple[str, ...] = others, copy_weight: float = 0.0) -> Model:
        return default(terms=(*terms, SoftRelations(error)), copy_weight=copy_weight)

    return {
        "neither": default(copy_weight=0.0),
        f"copies: {DEFAULT}": default(),
        "soft instead, error 0": soft(0.0),
        "soft instead, error 0.1": soft(0.1),
        "soft instead, error learned": soft("learned"),
        "soft beside, error 0.1": soft(0.1, DEFAULT_TERMS),
        "soft beside, error learned": soft("learned", DEFAULT_TERMS),
        "soft 0.1 instead, and copies": soft(0.1, copy_weight=0.15),
        "soft 0.1 beside, and copies": soft(0.1, DEFAULT_TERMS, 0.15),
        "relations alone": default(terms=("relations",), copy_weight=0.0),
        "relations alone, copies": default(terms=("relations",)),
        "soft 0 alone": soft(0.0, ()),
        "soft 0.1 alone": soft(0.1, ()),
        "soft 0.1 alone, copies": soft(0.1, (), 0.15),
    }


def lines(path: Path) -> Iterator[str]:
    """Table of accuracy and log loss over all folds, and seconds per fold."""
    X, y = read(path)
    chosen = folds(X, y)[:: 2 if X.groups is None else 1]
    yield f"| {path.stem}: accuracy, log loss | {' | '.join(ERRORS)} | seconds |"
    yield "|" + "---|" * (len(ERRORS) + 2)
    for name, make in models().items():
        runs = [run_fold(path.stem, name, make, X, y, fold, ERRORS) for fold in chosen]
        cells = [cell(outcomes) for outcomes in zip(*runs, strict=True)]
        seconds = np.mean([outcomes[0].seconds for outcomes in runs])
        yield f"| {name} | {' | '.join(cells)} | {seconds:.2f} |"


def cell(outcomes: Sequence[Outcome]) -> str:
    """Accuracy with its standard error, and log loss, of the predictions of all folds."""
    right, losses = [], []
    for outcome in outcomes:
        predicted = outcome.classes[outcome.probabilities.argmax(axis=1)]
        right.append(predicted == outcome.true)
        losses.append(log_loss(outcome.true, outcome.probabilities, outcome.classes))
    hits = np.concatenate(right)
    loss = np.average(losses, weights=[len(part) for part in right])
    return f"{hits.mean():.3f} ± {hits.std() / np.sqrt(len(hits)):.3f}, {loss:.3f}"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m benchmarks.soft_relations FOLDER [NAME ...]")
    for path in sorted(Path(sys.argv[1]).glob("*.csv")):
        if path.stem in sys.argv[2:] or not sys.argv[2:]:
            print(*lines(path), sep="\n", end="\n\n", flush=True)
