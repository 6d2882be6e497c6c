"""Recorded instances, event by event: what a model says about them while they go on."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats, Ints
from ibgn.classifiers.questions import unquestioned
from ibgn.intervals import IntervalSequences
from ibgn.live.recogniser import LiveRecogniser, follows_terms
from ibgn.recoding import rebuild

__all__ = ["Moments", "cut_at", "event_moments", "replay", "share_moments"]

MOST_INTERVALS = 200_000  # of unfinished instances that are recognised at the same time
LEAST = 1e-12  # probability that is as good as none, where a method says 0
LOWEST = -1e4  # logarithm of one


class Moments(NamedTuple):
    """Moments at which instances are looked at, those of an instance one after the other.

    Parameters
    ----------
    owner : (moments,) number of the instance, ascending
    time : (moments,) ascending within an instance
    seen : (moments,) share of the duration of the instance that has passed
    events : (moments,) how many of its events have happened
    """

    owner: Ints
    time: Floats
    seen: Floats
    events: Ints


def event_moments(X: IntervalSequences) -> Moments:
    """After each event of each instance; ends come before starts at the same time.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 4, 8)]])
    >>> moments = event_moments(X)
    >>> moments.time.tolist(), moments.seen.tolist()
    ([0.0, 4.0, 4.0, 8.0], [0.0, 0.5, 0.5, 1.0])
    """
    owner, time = np.tile(X.owner, 2), np.concatenate([X.start, X.end])
    order = np.lexsort((time, owner))
    owner, time = owner[order], time[order]
    events = 1 + np.arange(len(owner)) - 2 * X.offsets[owner]
    return Moments(owner, time, _share(X, owner, time), events)


def share_moments(X: IntervalSequences, shares: npt.ArrayLike) -> Moments:
    """When these shares of the duration of each instance have passed; those without are left out.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 4, 8)]])
    >>> moments = share_moments(X, [0.25, 1])
    >>> moments.time.tolist(), moments.events.tolist()
    ([2.0, 8.0], [1, 4])
    """
    shares = np.asarray(shares, float)
    begin, end = _limits(X)
    there = np.flatnonzero(X.lengths)
    owner = np.repeat(there, len(shares))
    time = begin[owner] + np.tile(shares, len(there)) * (end - begin)[owner]
    time = np.where(np.tile(shares == 1, len(there)), end[owner], time)  # whatever is rounded
    of_events = event_moments(X)
    # within an instance, events up to a time; instances are apart whatever their times
    happened = np.array(
        [
            np.searchsorted(of_events.time[2 * first : 2 * stop], at, "right")
            for first, stop, at in zip(
                X.offsets[owner], X.offsets[owner + 1], time.tolist(), strict=True
            )
        ],
        np.int64,
    )
    return Moments(owner, time, np.tile(shares, len(there)), happened)


def _limits(X: IntervalSequences) -> tuple[Floats, Floats]:
    """(instances,) first start and last end of each; 0 where there is none."""
    there = np.flatnonzero(X.lengths)
    begin, end = np.zeros(len(X)), np.zeros(len(X))
    if len(there):
        begin[there] = np.minimum.reduceat(X.start, X.offsets[there])
        end[there] = np.maximum.reduceat(X.end, X.offsets[there])
    return begin, end


def _share(X: IntervalSequences, owner: Ints, time: Floats) -> Floats:
    begin, end = _limits(X)
    share: Floats = (time - begin[owner]) / (end - begin)[owner]
    return share


def cut_at(X: IntervalSequences, owner: Ints, time: Floats) -> IntervalSequences:
    """Instances as they are at some time: what goes on lasts until then, what starts is left out.

    Parameters
    ----------
    X : instances
    owner, time : (moments,) which instance is cut, and when

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 4, 8)]])
    >>> cut_at(X, np.array([0, 0]), np.array([4.0, 5.0])).to_lists()
    [[('boil', 0.0, 4.0)], [('boil', 0.0, 4.0), ('pour', 4.0, 5.0)]]
    """
    seen = X[owner]
    until = time[seen.owner]
    return rebuild(seen, seen.action, seen.start, np.minimum(seen.end, until), seen.start < until)


def replay(model: Any, X: IntervalSequences, moments: Moments) -> Floats:
    """(moments, terms, activities) what each term says at each moment, before it is weighted.

    A model that is not made of terms, or a method from elsewhere, has one term: the log
    probabilities of what has been seen, as if it were all.

    Parameters
    ----------
    model : a fitted classifier
    X : instances without uncertainty
    moments : when they are looked at; of an instance all events up to then have happened

    Examples
    --------
    >>> from ibgn import DBNClassifier
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4)], [("grind", 0, 2)]])
    >>> model = DBNClassifier().fit(X, ["tea", "coffee"])
    >>> replay(model, X, event_moments(X)).shape
    (4, 1, 2)
    """
    with unquestioned():  # a fold may have an action that the others lack
        if follows_terms(model):
            return _follow(LiveRecogniser(model), X, moments)
        return _recognise(model, X, moments)[:, None]


def _follow(base: LiveRecogniser, X: IntervalSequences, moments: Moments) -> Floats:
    """Scores of terms that follow events."""
    scores = np.empty((len(moments.owner), *base.scores().shape))
    for instance, rows in _by_instance(X, moments.owner):
        live, done = base.another(), 0
        events = as_events(instance)
        for row in rows:
            while done < moments.events[row]:
                starts, key, action, time = events[done]
                (live.start if starts else live.end)(action, time, key)
                done += 1
            live.tick(moments.time[row])
            scores[row] = live.scores()
    return scores


def _by_instance(X: IntervalSequences, owner: Ints) -> Any:
    """Instances as lists, each with the rows of its moments."""
    bounds = np.searchsorted(owner, np.arange(len(X) + 1))
    return (
        (X[d].to_lists()[0], range(bounds[d], bounds[d + 1]))
        for d in np.flatnonzero(np.diff(bounds))
    )


def as_events(instance: list[tuple[str, float, float]]) -> list[tuple[bool, int, str, float]]:
    """Events of an instance, in the order of `event_moments`: (starts, interval, action, time)."""
    events = [
        event
        for key, (action, start, end) in enumerate(instance)
        for event in ((True, key, action, start), (False, key, action, end))
    ]
    return sorted(events, key=lambda event: (event[3], event[0], event[1]))


def _recognise(model: Any, X: IntervalSequences, moments: Moments) -> Floats:
    """(moments, activities) log probabilities of instances cut at each moment, many at once."""
    logs = np.empty((len(moments.owner), len(model.classes_)))
    # events at the same time leave the same to be seen
    fresh = (np.diff(moments.owner, prepend=-1) != 0) | (np.diff(moments.time, prepend=0.0) != 0)
    chosen, group = np.flatnonzero(fresh), np.cumsum(fresh) - 1
    found = np.empty((len(chosen), logs.shape[1]))
    room = np.cumsum(X.lengths[moments.owner[chosen]]) // MOST_INTERVALS
    for piece in np.split(np.arange(len(chosen)), 1 + np.flatnonzero(np.diff(room))):
        rows = chosen[piece]
        if len(rows):
            cut = cut_at(X, moments.owner[rows], moments.time[rows])
            found[piece] = log_probabilities(model, cut)
    logs[:] = found[group]
    return logs


def log_probabilities(model: Any, X: IntervalSequences) -> Floats:
    """(n, activities) log probabilities by any method; one without is sure of what it predicts."""
    logs: Floats
    if hasattr(model, "predict_log_proba"):
        logs = np.asarray(model.predict_log_proba(X), float)
        return np.maximum(logs, LOWEST)
    if hasattr(model, "predict_proba"):
        shares = np.asarray(model.predict_proba(X), float)
    else:
        shares = np.asarray(model.predict(X))[:, None] == np.asarray(model.classes_)
    logs = np.log(np.maximum(shares, LEAST))
    return logs
