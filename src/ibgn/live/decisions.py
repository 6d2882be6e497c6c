"""Learning when to decide: instances that a model has not learned from, replayed as streams."""

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Bools, Floats, Ints, find_runs
from ibgn.classifiers.checks import check_data
from ibgn.classifiers.decisions import Decisions, Records, find_records
from ibgn.classifiers.questions import unquestioned
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.live.recogniser import follows_terms
from ibgn.live.replay import event_moments, replay
from ibgn.model.folds import fingerprint, make_inner_folds
from ibgn.model.learning import HeldOut
from ibgn.model.weights import fit_weights
from ibgn.networks import Sequences
from ibgn.text import quote
from ibgn.worlds import likeliest_world

__all__ = ["hold_out_decisions", "learn_decisions"]

FOLDS = 5
MOST_INSTANCES = 2_000  # that are replayed
MOST_SCORES = 20_000_000  # of terms and activities after all events
LOOKS = 12  # at each instance, from which weights are learned


def learn_decisions(model: Any, X: Sequences, y: npt.ArrayLike) -> Decisions:
    """Learn how sure a model must be to name an activity before an instance is over.

    Copies of the model are trained on four fifths of the instances, and the others are replayed as
    streams. They show how much weight each term deserves while an instance is unfinished, and how
    often the likeliest activity is wrong when its probability first reaches a given level. Groups
    are held out together.

    Parameters
    ----------
    model : a fitted classifier; the result becomes its `decisions_`, and is saved with it
    X, y : its training data

    Returns
    -------
    Decisions
        The model stores them too, so that `LiveRecogniser(model).decide()` works.

    Notes
    -----
    This takes five times as long as `fit`, and the time to replay the instances event by event,
    which is longer if they have many. At most 2,000 instances are replayed.

    Examples
    --------
    >>> from ibgn import IBGNClassifier, LiveRecogniser
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=20, random_state=0)
    >>> model = IBGNClassifier(random_state=0).fit(X, y)
    >>> decisions = learn_decisions(model, X, y)
    >>> decisions.instances, LiveRecogniser(model).decide(error=0.2) is None
    (80, True)
    """
    check_is_fitted(model)
    decisions = hold_out_decisions(model, *check_data(X, y))
    model.decisions_ = decisions
    return decisions


def hold_out_decisions(model: Any, X: IntervalSequences, y: npt.NDArray[Any]) -> Decisions:
    """Learn when a model, or a method from elsewhere, may decide; see `learn_decisions`."""
    classes = np.asarray(model.classes_)
    if len(classes) < 2:
        raise DataError("there is one activity only, and nothing to decide; give two")
    unknown = set(y.tolist()).difference(classes.tolist())
    if unknown:
        said = f"the model does not know the activity {quote(min(unknown, key=str))}"
        raise DataError(f"{said}; give what it has learned from")
    codes = np.searchsorted(classes, y)
    X, log_prior = likeliest_world(X), np.zeros(len(classes))
    if follows_terms(model):
        log_prior = model._log_prior
    folds = make_inner_folds(X, codes, FOLDS)
    if len(folds) < 2:
        raise DataError(
            "when to decide is learned from instances that are held out, and no activity has two; "
            "give more of each"
        )
    kept = _choose(X, model)
    streams = [_hold_out(model, X, y, codes, fold, fold[kept[fold]]) for fold in folds]
    streams = [stream for stream in streams if len(stream.owner)]
    if not streams:
        raise DataError("no instance with intervals could be held out; give more of each activity")
    records = []
    for stream in streams:  # each is judged by weights that were learned from the others
        others = [other for other in streams if other is not stream] or streams
        joint = _learn_weights(others, log_prior) @ stream.scores + log_prior
        records.append(find_records(stream.owner, joint))
    codes = np.concatenate([stream.codes for stream in streams])
    return Decisions.of(_learn_weights(streams, log_prior), _join(records, streams), codes)


def _choose(X: IntervalSequences, model: Any) -> Bools:
    """(n,) whether an instance is replayed: as many as may be, whatever their order."""
    chosen = np.argsort(fingerprint(X), kind="stable")
    terms = len(model.terms_) if follows_terms(model) else 1
    scores = np.cumsum(2 * X.lengths[chosen] * len(model.classes_) * terms)
    most = max(int(np.searchsorted(scores, MOST_SCORES)), 1)
    kept = np.zeros(len(X), bool)
    kept[chosen[: min(most, MOST_INSTANCES)]] = True
    return kept


class _Stream(NamedTuple):
    """Instances of a fold, event by event.

    Parameters
    ----------
    owner : (events,) number of the instance
    scores : (events, terms, activities) by what was learned from the others
    codes : (instances,) true activity of each
    """

    owner: Ints
    scores: Floats
    codes: Ints


def _hold_out(
    model: Any, X: IntervalSequences, y: Any, codes: Ints, fold: Ints, replayed: Ints
) -> _Stream:
    """Replay some instances of a fold by a copy of the model that learned from the other folds."""
    others = np.setdiff1d(np.arange(len(X)), fold)
    with warnings.catch_warnings(), unquestioned():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learned = clone(model, safe=False).fit(X[others], y[others])
    present = np.unique(codes[others])
    replayed = replayed[np.isin(codes[replayed], present)]  # nobody could name another activity
    part = X[replayed]
    moments = event_moments(part)
    said = replay(learned, part, moments)
    scores = np.broadcast_to(said.min(axis=2, keepdims=True), (*said.shape[:2], codes.max() + 1))
    scores = scores.copy()
    scores[:, :, present] = said
    return _Stream(moments.owner, scores, codes[replayed])


def _learn_weights(streams: Sequence[_Stream], log_prior: Floats) -> Floats:
    """(terms,) weights under which true activities are likeliest while instances go on."""
    rows = [_look(stream.owner) for stream in streams]
    parts = list(zip(streams, rows, strict=True))
    return fit_weights(
        HeldOut(
            np.concatenate([stream.scores[row] for stream, row in parts]),
            np.concatenate([stream.codes[stream.owner[row]] for stream, row in parts]),
            np.concatenate(
                [1 / np.bincount(stream.owner[row])[stream.owner[row]] for stream, row in parts]
            ),
        ),
        log_prior,
    )


def _look(owner: Ints) -> Ints:
    """Some events of each instance, evenly from its first to its last."""
    bounds = pairwise(find_runs(owner).tolist())
    looks = [np.unique(np.linspace(begin, end - 1, LOOKS).astype(int)) for begin, end in bounds]
    return np.concatenate(looks)


def _join(parts: Sequence[Records], streams: Sequence[_Stream]) -> Records:
    """Records of all folds, whose instances are numbered one after the other."""
    before = np.cumsum([0, *(len(stream.codes) for stream in streams)])
    joined = [
        part._replace(owner=part.owner + first) for part, first in zip(parts, before, strict=False)
    ]
    return Records(*(np.concatenate(columns) for columns in zip(*joined, strict=True)))
