"""Recognising while it happens: a posterior after every start and end of an action."""

from collections.abc import Hashable
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats
from ibgn._kernels.live import log_normalise
from ibgn.classifiers.base import ActivityClassifier
from ibgn.classifiers.decisions import decisions_of, log_odds
from ibgn.classifiers.questions import unquestioned
from ibgn.classifiers.recogniser import Recogniser
from ibgn.intervals import IntervalSequences
from ibgn.live.chorus import Chorus
from ibgn.live.events import Event
from ibgn.live.history import correct
from ibgn.live.state import restore, state_of
from ibgn.live.taking import Unmet, end_all, take
from ibgn.live.terms import LiveTerm, go_live
from ibgn.live.timeline import FIRST_ROOM, LIMIT, Timeline

__all__ = ["LiveRecogniser"]


class LiveRecogniser:
    """Recognises one instance while it happens.

    Events come in the order of time. After each, `posterior` says how likely each activity is,
    as if the instance consisted of what has been seen, and what goes on ended at some time from now
    on. So once all intervals have ended, it is what `predict_proba` says about the instance.

    Parameters
    ----------
    model : any fitted classifier. `IBGNClassifier` with its default terms takes the same time for
        each event, however long the instance is; others recognise all of it after every event.
    limit : how many intervals an instance may have

    Attributes
    ----------
    classes_ : labels of the activities, in the order of `log_posterior`

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> X = [
    ...     [("boil", 0, 4), ("pour", 4, 6)],
    ...     [("boil", 0, 3), ("pour", 3, 5)],
    ...     [("grind", 0, 2), ("pour", 1, 5)],
    ...     [("grind", 0, 3), ("pour", 2, 6)],
    ... ]
    >>> model = IBGNClassifier(random_state=0).fit(X, ["tea", "tea", "coffee", "coffee"])
    >>> live = LiveRecogniser(model)
    >>> live.start("grind", 0)
    >>> live.start("pour", 2)
    >>> max(live.posterior(), key=live.posterior().get)
    'coffee'
    """

    def __init__(self, model: Recogniser, limit: int = LIMIT) -> None:
        check_is_fitted(model)
        self.model, self.limit = model, limit
        self.classes_ = model.classes_
        self._templates: list[LiveTerm | None] = []
        self._weights, self._log_prior = np.ones(1), np.zeros(len(self.classes_))
        if follows_terms(model):
            members = list(model.activities_.values())
            self._fitted = list(zip(*(member.terms.values() for member in members), strict=True))
            self._templates = [go_live(fitted) for fitted in self._fitted]
            self._weights, self._log_prior = model._weights, model._log_prior
        self._unmet: Unmet = set()
        self._begin()

    def _begin(self) -> None:
        """Begin with an empty instance."""
        self.timeline = Timeline(getattr(self.model, "actions_", ()), self.limit)
        self._terms = [term and term.begin(self.timeline) for term in self._templates]
        self._scores = np.zeros((len(self._weights), len(self.classes_)))
        self._followers = [term for term in self._terms if term is not None]
        self._chorus = Chorus.of(self._terms)
        self._asked = (0, self.timeline.now)  # changes and time when scores were asked for last

    def another(self) -> Self:
        """A recogniser of another instance at the same time, which shares what was learned."""
        live = copy(self)
        live._unmet = set()
        live._begin()
        return live

    def start(self, action: str, time: float, key: Hashable = None) -> None:
        """An action starts; `key` names the interval, where several of one action go on at once."""
        self.timeline.start(action, time, key)

    def end(self, action: str, time: float, key: Hashable = None) -> None:
        """An action ends: its interval of this key, or of several the one that started first."""
        self.timeline.end(action, time, key)

    def tick(self, time: float) -> None:
        """Let time pass without an event."""
        self.timeline.tick(time)

    def cancel(self, action: str, time: float, key: Hashable = None) -> None:
        """The interval of an action, or of a key, that started last was a mistake: it never was.

        The instance is read again, which takes as long as all its events did.
        """
        correct(self, time, {self.timeline.last(action, key): None})

    def rename(self, action: str, to: str, time: float, key: Hashable = None) -> None:
        """The interval of an action, or of a key, that started last is of another action.

        The instance is read again, which takes as long as all its events did.
        """
        correct(self, time, {self.timeline.last(action, key): to})

    def take(self, event: Event) -> dict[Any, float] | None:
        """Take an event of any kind; returns the last posterior if it finishes the instance.

        What starts and ends at the same time is refused in whichever order the two come.
        """
        return take(self, event, self._unmet)

    def state(self) -> dict[str, Any]:
        """What is known of the instance, as plain JSON; takes time in proportion to the instance.

        A recogniser of the same model that is given it by `restore` goes on as this one would, to
        the last bit.
        """
        return state_of(self)

    def restore(self, state: Any) -> None:
        """Go on where another recogniser was, whose state this is."""
        restore(self, state)

    def log_posterior(self) -> Floats:
        """(activities,) log probability of each activity, in the order of `classes_`."""
        return log_normalise(self._weights @ self.scores() + self._log_prior)

    def posterior(self) -> dict[Any, float]:
        """Probability of each activity."""
        return dict(zip(self.classes_.tolist(), np.exp(self.log_posterior()).tolist(), strict=True))

    def outlook(self) -> dict[Any, float]:
        """Probability of each activity, as of an instance that goes on.

        `posterior` is about what has been seen, as if it were all. Here terms count as much as they
        are worth while instances go on, which the model learns by `ibgn.learn_decisions`.
        """
        probabilities = np.exp(log_normalise(self._ahead())).tolist()
        return dict(zip(self.classes_.tolist(), probabilities, strict=True))

    def decide(self, error: float = 0.05, confidence: float = 0.9) -> Any:
        """Label of the activity as soon as it is sure enough, else None.

        Ask after every start and end, but not in between: the more often, the more mistakes. Of the
        first labels that are given for instances, at most the share `error` is wrong, with
        the `confidence` that held-out instances give; see `ibgn.learn_decisions`.
        """
        likeliest, odds = log_odds(self._ahead()[None])
        known = decisions_of(self.model, len(self._weights))
        sure = odds[0] > known.threshold(error, confidence)
        return self.classes_.tolist()[likeliest[0]] if sure else None

    def p_value(self) -> float:
        """As by `p_values` of the model, if the instance ended now; a small one: none of these.

        Before the last event it is no more than a hint, as it is whole instances that are typical.
        All that has been seen is recognised again, which takes longer than `posterior`.
        """
        with unquestioned():
            return float(self.model.p_values(self.instance())[0])

    def finish(self) -> dict[Any, float]:
        """End the instance, with all that goes on, and begin with a new one; its posterior.

        What started just now lasts no time, and is left out.
        """
        end_all(self)
        last = self.posterior()
        if self.timeline.room > FIRST_ROOM:  # which is not needed by most
            self._begin()
        else:
            self.timeline.clear()
            for term in self._followers:
                term.restart()
            self._asked = (0, self.timeline.now)
        return last

    def instance(self) -> IntervalSequences:
        """What has been seen, as one instance; what goes on lasts until now."""
        names, start, end = self.timeline.snapshot()
        rows = zip(names, start.tolist(), end.tolist(), strict=True)
        return IntervalSequences.from_lists([list(rows)])

    def _ahead(self) -> Floats:
        """(activities,) score of each activity of an instance that goes on."""
        weights = decisions_of(self.model, len(self._weights)).weights
        joint: Floats = weights @ self.scores() + self._log_prior
        return joint

    def scores(self) -> Floats:
        """(terms, activities) what each term says now; it is overwritten after the next event.

        A model that is not made of terms has one: its log probabilities.
        """
        self._asked = (self.timeline.changed, self.timeline.now)
        if self._chorus:
            return self._chorus.scores()
        if not self._terms:
            with unquestioned():
                self._scores[0] = self.model.predict_log_proba(self.instance())[0]
        seen = None
        for n, follower in enumerate(self._terms):
            if follower is not None:
                self._scores[n] = follower.scores()
            else:
                seen = self.model._coded(self.instance()) if seen is None else seen
                fitted = self._fitted[n]
                self._scores[n] = type(fitted[0]).log_likelihoods(fitted, seen)[0]
        return self._scores


def follows_terms(model: Recogniser) -> bool:
    """Whether scores are sums over terms of the intervals as they are."""
    return (
        isinstance(model, ActivityClassifier)
        and all(activity.pooling is None for activity in model.activities_.values())
        and not getattr(model, "tolerance_", 0.0)
    )
