"""What speaks for a run of intervals being an activity: terms, its duration, the pause before it.

A classifier learns the activities, and beside them what is none: runs that are cut at random, so
that they have a part of an activity, parts of two, or what is between. Log odds of an activity
against none say how likely a run is this activity, from its begin to its end.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ibgn._arrays import Bools, Floats, Ints, Objects
from ibgn.classifiers.questions import unquestioned
from ibgn.classifiers.recogniser import Recogniser
from ibgn.declarations import FLOAT, is_finite, is_positive, stored
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.segmentation.annotations import AnnotatedStreams, take_runs
from ibgn.segmentation.windows import Runs, own_ends, score_runs
from ibgn.terms.moments import Moments, StudentT, fit_student_t

__all__ = ["NONE", "Evidence", "Features", "Times", "learn_evidence"]

NONE = "(none)"  # what the classifier calls runs that are no activity
RANDOM_RUNS = 2  # cut at random, for each activity of a stream
ALIKE = 0.7  # intersection over union, from which on a run is nearly the activity itself


class Features(NamedTuple):
    """What is known of runs of a stream; see `Runs` for the shapes.

    Parameters
    ----------
    there : (block, longest) which runs there are
    odds : (block, longest, activities, terms) log odds against none by each term, or by all in one;
        0 where there is no run
    span : (block, longest, activities) the same by the time from the first start to the last end
    pause : (block,) log odds that an activity begins, by the time since the start before
    """

    there: Bools
    odds: Floats
    span: Floats
    pause: Floats


@dataclass(frozen=True)
class Times:
    """How long activities last, and which pause is before them: predictions of logarithms.

    Parameters
    ----------
    span_location, span_scale, span_freedom : (labels,) of the time that each activity lasts, and of
        random runs
    pause_location, pause_scale, pause_freedom : (2,) of the time since the start before, at the
        begin of an activity and elsewhere; log(1 + time / unit)
    unit : the usual time between starts
    """

    span_location: Floats = stored(FLOAT, "labels", holds=is_finite)
    span_scale: Floats = stored(FLOAT, "labels", holds=is_positive)
    span_freedom: Floats = stored(FLOAT, "labels", holds=is_positive)
    pause_location: Floats = stored(FLOAT, 2, holds=is_finite)
    pause_scale: Floats = stored(FLOAT, 2, holds=is_positive)
    pause_freedom: Floats = stored(FLOAT, 2, holds=is_positive)
    unit: float = stored(float, holds=is_positive)

    def span_odds(self, spans: Floats) -> Floats:
        """(..., activities) log odds of each activity against random runs."""
        prediction = StudentT(self.span_location, self.span_scale, self.span_freedom)
        label = np.arange(len(self.span_location))
        logs = prediction.log_density(label, np.log(spans)[..., None])
        odds: Floats = logs[..., :-1] - logs[..., -1:]
        return odds

    def pause_odds(self, pauses: Floats) -> Floats:
        """(n,) log odds that an activity begins; 0 for the first of a stream, a NaN."""
        prediction = StudentT(self.pause_location, self.pause_scale, self.pause_freedom)
        known = np.where(np.isnan(pauses), self.unit, pauses)
        logs = prediction.log_density(np.arange(2), np.log1p(known / self.unit)[:, None])
        return np.where(np.isnan(pauses), 0.0, logs[:, 0] - logs[:, 1])


class Evidence(NamedTuple):
    """What was learned about runs of intervals.

    Parameters
    ----------
    model : a classifier of activities and `NONE`
    activities : names, sorted
    times : how long activities last, and which pause is before them
    lasting : actions that mostly go on after the activity in which they start
    """

    model: Recogniser
    activities: tuple[str, ...]
    times: Times
    lasting: tuple[str, ...]

    def odds(
        self, stream: IntervalSequences, first: Ints, last: Ints, share: Floats | None = None
    ) -> Floats:
        """(runs, activities, terms) log odds of runs; `share` (terms,) makes one of all terms."""
        scores = score_runs(stream, first, last, self.model, share)
        known = self.model.classes_.tolist()
        own = scores - scores[:, :, [known.index(NONE)]]
        lowest = own.min(axis=2)  # of an activity that the classifier has not seen
        names = self.activities
        odds = [own[:, :, known.index(name)] if name in known else lowest for name in names]
        return np.stack(odds, axis=1)

    def features(self, runs: Runs, odds: Floats) -> Features:
        """What is known of runs of a stream, besides the log odds of each."""
        there = runs.there
        span = np.zeros(odds.shape[:3])
        span[there] = self.times.span_odds(runs.spans(self.lasting)[there])
        return Features(there, odds, span, self.times.pause_odds(runs.pauses()))


def learn_evidence(estimator: Any, streams: AnnotatedStreams, rng: np.random.Generator) -> Evidence:
    """Learn from the activities in streams, and from random runs of these.

    Parameters
    ----------
    estimator : a classifier, of which a copy learns
    streams : what it learns from
    rng : source of random numbers
    """
    done, runs = streams.instances, _random_runs(streams, rng)
    if not len(runs):
        raise DataError(
            "all runs of intervals are nearly activities, so nothing shows what is none of them; "
            "give more streams, or such with background between activities"
        )
    names: Objects = np.array([*streams.activities, ""], object)[streams.label]
    y = np.concatenate([names, np.full(len(runs), NONE, object)])
    with unquestioned():
        model = clone(estimator).fit(IntervalSequences.concatenate([done, runs]), y)
    label = np.append(streams.label, np.full(len(runs), len(streams.activities)))
    lasting = streams.find_lasting()
    spans = np.log(np.concatenate([_spans(done, lasting), _spans(runs, lasting)]))
    pauses = np.diff(streams.X.start, prepend=np.nan)
    pauses[streams.X.offsets[:-1][streams.X.lengths > 0]] = np.nan
    known = ~np.isnan(pauses)
    elsewhere = np.ones(len(pauses), np.int64)
    elsewhere[streams.X.offsets[streams.stream] + streams.first] = 0
    unit = float(np.mean(pauses[known])) if known.any() else 1.0
    unit = unit if unit > 0 else 1.0
    times = Times(
        *_predict(label, spans, len(streams.activities) + 1),
        *_predict(elsewhere[known], np.log1p(pauses[known] / unit), 2),
        unit,
    )
    return Evidence(model, streams.activities, times, lasting)


def _spans(X: IntervalSequences, lasting: tuple[str, ...]) -> Floats:
    """(n,) from the first start to the last end of instances that have intervals."""
    first = X.offsets[:-1]
    latest = np.maximum.reduceat(own_ends(X, lasting), first) if len(first) else np.zeros(0)
    spans: Floats = latest - X.start[first]
    return spans


def _predict(group: Ints, values: Floats, groups: int) -> StudentT:
    """Predictions of the numbers of each group, drawn towards those of all."""
    sums = (np.bincount(group, values**power, groups)[:, None] for power in (0, 1, 2))
    own = Moments(*(np.asarray(each, np.float64) for each in sums))
    prediction = fit_student_t(own, own.map(lambda each: each.sum(axis=0, keepdims=True)))
    return StudentT(*(field[:, 0] for field in prediction))


def _random_runs(streams: AnnotatedStreams, rng: np.random.Generator) -> IntervalSequences:
    """Runs as long as activities that begin anywhere, but none that is nearly an activity."""
    X, lengths = streams.X, streams.last - streams.first
    length = rng.choice(lengths, RANDOM_RUNS * len(lengths))
    first = rng.integers(len(X.action), size=len(length))
    last = np.minimum(first + length, X.offsets[1:][X.owner[first]])
    begin, end = (X.offsets[streams.stream] + place for place in (streams.first, streams.last))
    near = np.maximum(np.searchsorted(begin, (first + last) // 2, "right") - 1, 0)
    shared = np.minimum(last, end[near]) - np.maximum(first, begin[near])
    alike = shared / (last - first + end[near] - begin[near] - shared) >= ALIKE
    return take_runs(X, first[~alike], last[~alike])
