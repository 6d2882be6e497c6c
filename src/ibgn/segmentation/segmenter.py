"""Segmenter: finds where activities begin and end in a stream."""

from collections.abc import Mapping
from functools import partial
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats, Ints
from ibgn.checks import check_seed, check_whole
from ibgn.classifiers.ibgn import IBGNClassifier
from ibgn.classifiers.recogniser import as_generator
from ibgn.declarations import (
    ANY,
    FITTED,
    FLOAT,
    NAMES,
    STORABLE,
    Stored,
    are_weights,
    is_finite,
    register,
)
from ibgn.errors import DataError, OptionError
from ibgn.flat import Flat
from ibgn.intervals import IntervalSequences, as_sequences
from ibgn.networks import Sequences
from ibgn.persistence import save
from ibgn.segmentation.annotations import AnnotatedStreams, annotate
from ibgn.segmentation.composing import compose_streams
from ibgn.segmentation.evidence import NONE, Evidence, Features, Times, learn_evidence
from ibgn.segmentation.grains import Grains
from ibgn.segmentation.lattice import Lattice
from ibgn.segmentation.weights import USUAL, fit_weights, learn_steps, weigh
from ibgn.segmentation.windows import Runs, own_ends
from ibgn.text import quote
from ibgn.training_data import TrainingData
from ibgn.uncertainty import Uncertainty

__all__ = ["Segmenter"]

FOLDS = 4  # of streams, on which weights are learned
PART = 500  # intervals of a stream that weights are learned on
MOST = 40_000_000  # numbers that these are learned from
LIKELY = 0.001  # probability of a group of similar runs, from which on they are scored apart
LONGER = 1.25  # than all activities that were seen, at most


class Segmenter(BaseEstimator):  # type: ignore[misc]
    """Cuts streams into activities and background.

    A stream is a recording of hours or days, as one instance. It is cut into runs of intervals, in
    the order of their starts; each run is an activity, and other intervals are left alone. The
    segmenter finds the likeliest of all such segmentations, by the terms of a classifier, how long
    activities last, the pauses before them, and which activity follows which. An interval belongs
    to the activity in which it starts, with all of its duration.

    Parameters
    ----------
    estimator : classifier that learns the activities, by default an `IBGNClassifier`
    exact : if activities may have more intervals than this, runs that begin and end close to each
        other share a score at first, and only those that matter are scored one by one; None always
        scores every run
    random_state : seed, or a NumPy generator; the same seed gives the same segmenter

    Attributes
    ----------
    classes_ : names of the activities, sorted
    model_ : the classifier, which has a further class "(none)" for runs cut at random
    times_ : how long activities last, and the pauses before them
    lasting_ : actions that usually outlast the activity in which they start, like a radio; they say
        nothing about when it ends
    steps_ : (labels + 1, labels) log probability of the next label after each, "(none)" being the
        last; and, in the last row, of the first label of a stream
    term_weights_ : (terms,) weights of the terms, relative to those of the classifier
    weights_ : (4,) weights of spans and pauses, of each activity, and of each interval in none
    shortest_, longest_ : minimum and maximum number of intervals in an activity

    Notes
    -----
    Time is linear in the number of intervals of a stream. Weights are learned on streams that the
    classifier has not seen, so it is trained five times. With activities of more than `exact`
    intervals, the segmentation is the likeliest one of those that were looked at; usually it is the
    likeliest of all, see docs/segments.md.

    Examples
    --------
    >>> tea, coffee = [("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 2), ("pour", 1, 5)]
    >>> segmenter = Segmenter(random_state=0)
    >>> segmenter = segmenter.fit_instances([tea, coffee] * 10, ["tea", "coffee"] * 10)
    >>> day = [("boil", 5, 9), ("pour", 9, 11), ("pour", 20, 22), ("grind", 60, 62)]
    >>> segmenter.segment([[*day, ("pour", 61, 65)]]).to_lists()
    [[('tea', 5.0, 11.0), ('coffee', 60.0, 65.0)]]
    """

    learned: ClassVar[Mapping[str, Stored]] = {
        "model_": Stored(FITTED),
        "times_": Stored(Times),
        "lasting_": Stored(NAMES),
        "steps_": Stored(FLOAT, ("labels+1", "labels"), is_finite),
        "term_weights_": Stored(FLOAT, (ANY,), are_weights),
        "weights_": Stored(FLOAT, (len(USUAL),), is_finite),
        "shortest_": Stored(int, holds=lambda shortest: 0 < shortest <= 1_000_000),
        "longest_": Stored(int, holds=lambda longest: 0 < longest <= 1_000_000),
    }

    classes_: npt.NDArray[Any]
    model_: Any
    times_: Times
    lasting_: tuple[str, ...]
    steps_: Floats
    term_weights_: Floats
    weights_: Floats
    shortest_: int
    longest_: int

    def __init__(
        self, estimator: Any = None, *, exact: int | None = 100, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.exact = exact
        self.random_state = random_state

    def _check_options(self) -> None:
        check_seed("random_state", self.random_state)
        if self.exact is not None:
            check_whole("exact", self.exact, 1)
        needed = ("fit", "predict_log_proba", "_joint_log_likelihood")
        if self.estimator is not None and not all(hasattr(self.estimator, n) for n in needed):
            reason = "must be a classifier of this library, such as IBGNClassifier()"
            raise OptionError("estimator", self.estimator, reason)

    def fit(self, X: Sequences, activities: Sequences) -> Self:
        """Learn from streams with annotated activities.

        Parameters
        ----------
        X : streams
        activities : for each stream, its activities as intervals that do not overlap; everything
            between them is background
        """
        self._check_options()
        streams = annotate(X, activities)
        self.trained_on_ = TrainingData.of(streams.X)
        return self._learn(streams, ordered=True)

    def fit_instances(
        self, X: Sequences, y: npt.ArrayLike, background: Sequences | None = None
    ) -> Self:
        """Learn from instances, each of one activity, by composing streams from them.

        It then learns nothing about which activity follows which.

        Parameters
        ----------
        X, y : instances, and the activity of each
        background : stretches that belong to no activity, see `compose_streams`
        """
        self._check_options()
        rng = as_generator(self.random_state)
        composed = compose_streams(X, y, background, streams=FOLDS, random_state=rng)
        parts = [as_sequences(each) for each in (X, background) if each is not None]
        self.trained_on_ = TrainingData.of(IntervalSequences.concatenate(parts)).of_streams()
        return self._learn(annotate(*composed), ordered=False)

    def _learn(self, streams: AnnotatedStreams, ordered: bool) -> Self:
        if NONE in streams.activities:
            raise DataError(
                f"an activity is called {quote(NONE)}, which stands for no activity; rename it"
            )
        if not len(streams.first):
            raise DataError("there are no activities in the streams to learn from")
        occurring = np.unique(streams.label)
        streams = streams._replace(
            label=np.searchsorted(occurring, streams.label),
            activities=tuple(streams.activities[c] for c in occurring),
        )
        rng = as_generator(self.random_state)
        estimator = self.estimator
        if estimator is None:
            estimator = IBGNClassifier(random_state=int(rng.integers(2**31)))
        self.classes_ = np.array([*streams.activities, ""], object)[:-1]
        lengths = streams.last - streams.first
        self.shortest_ = max(int(lengths.min() / LONGER), 1)
        self.longest_ = int(np.ceil(LONGER * lengths.max()))
        self.steps_ = learn_steps(streams, ordered)
        weights = self._learn_weights(estimator, streams, rng)
        evidence = learn_evidence(estimator, streams, rng)
        self.model_, self.times_ = evidence.model, evidence.times
        self.lasting_ = evidence.lasting
        if weights is None:
            weights = np.append(np.ones(len(self.model_.terms_)), USUAL)
        self.term_weights_, self.weights_ = np.split(weights, [-len(USUAL)])
        return self

    def _learn_weights(
        self, estimator: Any, streams: AnnotatedStreams, rng: np.random.Generator
    ) -> Floats | None:
        """Weights under which streams are cut well by what was learned from others, if any."""
        parts = streams.cut(max(FOLDS, -(-len(streams.X.action) // PART)))
        features: dict[int, Features] = {}
        for fold in range(FOLDS):
            own, others = (
                np.flatnonzero((np.arange(len(parts.X)) % FOLDS == fold) == held_out)
                for held_out in (True, False)
            )
            known = parts.take(others)
            if not len(own) or not len(known.first):
                continue
            evidence = learn_evidence(estimator, known, rng)
            terms, labels = len(evidence.model.terms_), len(streams.activities)
            most = MOST // (FOLDS * PART * self.longest_ * labels * terms)
            for d in rng.permutation(own)[: max(most, 1)].tolist():
                features[d] = self._features(evidence, parts, d)
        if not features:
            return None
        scored = sorted(features)
        chosen = parts.take(np.array(scored))
        return fit_weights([features[d] for d in scored], chosen, self.steps_)

    def _features(self, evidence: Evidence, streams: AnnotatedStreams, d: int) -> Features:
        """What is known of all runs of a stream; the true ones are scored themselves."""
        stream, own = streams.X[d], streams.stream == d
        n = len(stream.action)
        runs = Runs(stream, self.shortest_, self.longest_, 0, n)
        score = partial(evidence.odds, stream)
        if not self._is_coarse:
            return evidence.features(runs, runs.odds(score))
        grains, size = Grains(score, n, self.shortest_, self.longest_), np.array([2])
        first, length = streams.first[own], (streams.last - streams.first)[own] - 1
        while (size > 1).any():
            odds, sizes = grains.paint(0, n)
            size = sizes[first, length]
            grains.split(first, length, size)
        return evidence.features(runs, odds)

    def segment(self, X: Sequences) -> IntervalSequences:
        """Activities of each stream, as intervals that do not overlap, with their confidence.

        An activity lasts from its first start to its last end, or until the next activity begins;
        ends of `lasting_` actions do not count.
        Its confidence is the probability, over all segmentations, that its intervals belong to such
        an activity, on average.
        """
        X = self._question(X)
        parts = [self._cut(stream) for stream in X]
        action, start, end, confidence = (
            np.concatenate([np.zeros(0), *(part[n] for part in parts)]) for n in range(4)
        )
        lengths = [len(part[0]) for part in parts]
        flat = Flat(
            np.cumsum([0, *lengths]).astype(np.int64),
            action.astype(np.int32),
            start,
            end,
            Uncertainty.none(len(action))._replace(confidence=confidence),
        )
        return IntervalSequences.from_flat(flat, tuple(self.classes_.tolist()), X.ids, X.groups)

    predict = segment

    def _cut(self, stream: IntervalSequences) -> tuple[Ints, Floats, Floats, Floats]:
        """Code, start, end and confidence of each activity of one stream."""
        lattice = self._lattice(stream)
        first, label = lattice.best()
        inside = lattice.chances().inside
        last = np.append(first[1:], len(stream.action))
        chosen = np.flatnonzero(label < len(self.classes_))
        runs = [slice(first[n], last[n]) for n in chosen]
        start = stream.start[first[chosen]]
        ends = own_ends(stream, self.lasting_)
        latest = np.array([ends[run].max() for run in runs], np.float64)
        confidence = [inside[run, label[n]].mean() for run, n in zip(runs, chosen, strict=True)]
        end = np.minimum(latest, np.append(start[1:], np.inf)[: len(start)])
        return label[chosen], start, end, np.clip(np.array(confidence, np.float64), 0, 1)

    def predict_proba(self, X: Sequences) -> list[Floats]:
        """For each stream (intervals, activities + 1): probability of each activity per interval.

        The last column is for none of them.
        """
        return [self._lattice(stream).chances().inside for stream in self._question(X)]

    def _question(self, X: Sequences) -> IntervalSequences:
        check_is_fitted(self)
        X = as_sequences(X)
        self.trained_on_.compare(X).say("warn")
        return X

    def _lattice(self, stream: IntervalSequences) -> Lattice:
        """All segmentations of one stream."""
        evidence = Evidence(self.model_, tuple(self.classes_.tolist()), self.times_, self.lasting_)
        n, weights = len(stream.action), np.append(1.0, self.weights_)
        longest = min(self.longest_, max(n, 1))

        odds = partial(evidence.odds, stream, share=self.term_weights_)
        grains = Grains(odds, n, self.shortest_, longest) if self._is_coarse and n else None

        def score(begin: int, stop: int) -> Floats:
            runs = Runs(stream, self.shortest_, longest, begin, stop)
            found = runs.odds(odds) if grains is None else grains.paint(begin, stop)[0]
            return weigh(evidence.features(runs, found), weights)

        while True:
            shape = n, longest, len(self.classes_)
            lattice = Lattice(score, shape, self.weights_[-1], self.steps_)
            if grains is None or not _split_likely(grains, lattice):
                return lattice

    @property
    def _is_coarse(self) -> bool:
        return self.exact is not None and self.longest_ > self.exact

    def save(self, path: str | PathLike[str]) -> None:
        """Write the segmenter to a file that `ibgn.load` reads."""
        save(self, path)

    def agrees(self) -> bool:
        """Whether the parts know the same activities."""
        names = self.classes_.tolist()
        known = sorted([*names, NONE]) == self.model_.classes_.tolist()
        labels = self.steps_.shape[1] == len(names) + 1 == len(self.times_.span_location)
        return bool(known and labels and len(self.term_weights_) == len(self.model_.terms_))


def _split_likely(grains: Grains, lattice: Lattice) -> bool:
    """Split the grains that segmentations need; returns whether there were any."""
    first, label = lattice.best()
    length = np.diff(first, append=lattice.shape[0]) - 1
    is_activity, likely = label < lattice.shape[2], []

    def look(begin: int, shares: Floats) -> None:
        sizes = grains.paint(begin, begin + len(shares))[1]
        needed = shares.max(axis=2) * sizes**2 > LIKELY
        best = is_activity & (first >= begin) & (first < begin + len(shares))
        needed[first[best] - begin, length[best]] = True
        place, number = np.nonzero(needed & (sizes > 1))
        likely.append(np.stack([place + begin, number, sizes[place, number]]))

    lattice.chances(look=look)
    return grains.split(*np.concatenate(likely, axis=1))


register(STORABLE, "Segmenter", Segmenter)
