"""Live recognition: a posterior after every start and end of an action."""

from collections.abc import Hashable
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats
from ibgn._kernels.live import log_normalise
from ibgn.checks import check_whole
from ibgn.classifiers.base import ActivityClassifier
from ibgn.classifiers.decisions import decisions_of, log_odds
from ibgn.classifiers.questions import unquestioned
from ibgn.classifiers.recogniser import Recogniser
from ibgn.errors import DataError
from ibgn.horizon import reach_of
from ibgn.intervals import IntervalSequences
from ibgn.live.chorus import Chorus
from ibgn.live.events import Event
from ibgn.live.history import correct
from ibgn.live.state import restore, state_of
from ibgn.live.taking import Unmet, end_all, take
from ibgn.live.terms import LiveTerm, go_live
from ibgn.live.timeline import FIRST_ROOM, LIMIT, MOST_OPEN, Timeline

__all__ = ["LiveRecogniser"]

MOST_PAIRS = 1_000_000  # of intervals that go on, within the horizon of a model


class LiveRecogniser:
    """Recognises one instance as it happens.

    Pass events in the order of time. After each event, `posterior` returns the probability of each
    activity, as if the instance consisted of what has happened so far and ongoing actions ended at
    some time from now on. So once all intervals have ended, it equals `predict_proba`.

    Parameters
    ----------
    model : any fitted classifier. `IBGNClassifier` with its default terms takes the same time for
        each event, however long the instance is; others recognise all of it after every event.
    limit : maximum number of intervals in an instance

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
        if not hasattr(model, "predict_log_proba"):
            raise DataError(
                f"a {type(model).__name__} gives no probabilities of activities; give a fitted "
                "classifier, such as IBGNClassifier"
            )
        self.model, self.limit = model, check_whole("limit", limit, 1)
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
        horizon = reach_of(getattr(self.model, "horizon", None))
        most_open = max(MOST_OPEN, MOST_PAIRS // horizon)
        self.timeline = Timeline(getattr(self.model, "actions_", ()), self.limit, most_open)
        self._terms = [term and term.begin(self.timeline) for term in self._templates]
        self._scores = np.zeros((len(self._weights), len(self.classes_)))
        self._followers = [term for term in self._terms if term is not None]
        self._chorus = Chorus.of(self._terms)
        self._asked = (0, self.timeline.now)  # changes and time when scores were asked for last

    def another(self) -> Self:
        """A recogniser for another instance at the same time, which shares the model."""
        live = type(self).__new__(type(self))
        vars(live).update(vars(self))
        live._unmet = set()
        live._begin()
        return live

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles keep: the model, and the state of the instance."""
        return {"model": self.model, "limit": self.limit, "state": self.state()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        LiveRecogniser.__init__(self, kept["model"], kept["limit"])
        self.restore(kept["state"])

    def start(self, action: str, time: float, key: Hashable = None) -> None:
        """Start an action; `key` names the interval if several of the same action are ongoing."""
        self.timeline.start(action, time, key)

    def end(self, action: str, time: float, key: Hashable = None) -> None:
        """End the interval of an action with this key, or else the one that started first."""
        self.timeline.end(action, time, key)

    def tick(self, time: float) -> None:
        """Let time pass without an event."""
        self.timeline.tick(time)

    def cancel(self, action: str, time: float, key: Hashable = None) -> None:
        """Remove the latest interval of an action, or of a key, as if it had never happened.

        This replays the instance, which takes as long as all its events did.
        """
        correct(self, time, {self.timeline.last(action, key): None})

    def rename(self, action: str, to: str, time: float, key: Hashable = None) -> None:
        """Assign the latest interval of an action, or of a key, to another action.

        This replays the instance, which takes as long as all its events did.
        """
        correct(self, time, {self.timeline.last(action, key): to})

    def take(self, event: Event) -> dict[Any, float] | None:
        """Take an event of any kind; returns the last posterior if it finishes the instance.

        An action that starts and ends at the same time is refused, whichever event comes first.
        """
        return take(self, event, self._unmet)

    def state(self) -> dict[str, Any]:
        """The state of the instance as plain JSON; takes time in proportion to the instance.

        A recogniser with the same model can `restore` it, and then gives identical results, to the
        last bit.
        """
        return state_of(self)

    def restore(self, state: Any) -> None:
        """Resume from the state of another recogniser."""
        restore(self, state)

    def log_posterior(self) -> Floats:
        """(activities,) log probability of each activity, in the order of `classes_`."""
        return log_normalise(self._weights @ self.scores() + self._log_prior)

    def posterior(self) -> dict[Any, float]:
        """Probability of each activity."""
        return dict(zip(self.classes_.tolist(), np.exp(self.log_posterior()).tolist(), strict=True))

    def outlook(self) -> dict[Any, float]:
        """Probability of each activity for an instance that is still going on.

        `posterior` treats what has happened so far as the complete instance. Here terms have
        weights for unfinished instances, which the model learns with `ibgn.learn_decisions`.
        """
        probabilities = np.exp(log_normalise(self._ahead())).tolist()
        return dict(zip(self.classes_.tolist(), probabilities, strict=True))

    def decide(self, error: float = 0.05, confidence: float = 0.9) -> Any:
        """Label of the activity as soon as it is sure enough, else None.

        Ask after every start and end, but not in between: the more often, the more mistakes. Of the
        first labels returned for each instance, at most the share `error` is wrong, with
        this `confidence` over held-out instances; see `ibgn.learn_decisions`.
        """
        likeliest, odds = log_odds(self._ahead()[None])
        known = decisions_of(self.model, len(self._weights))
        sure = odds[0] > known.threshold(error, confidence)
        return self.classes_.tolist()[likeliest[0]] if sure else None

    def p_value(self) -> float:
        """The p-value of the instance if it ended now; small for unknown activities.

        Before the last event it is only a hint, because `p_values` of the model compares complete
        instances. It recognises the whole instance again, which takes longer than `posterior`.
        """
        with unquestioned():
            return float(self.model.p_values(self.instance())[0])

    def finish(self) -> dict[Any, float]:
        """End the instance and all ongoing actions, and start a new one; returns the posterior.

        Actions that started just now have no duration, and are left out.
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
        """The instance so far; ongoing actions last until now."""
        names, start, end = self.timeline.snapshot()
        rows = zip(names, start.tolist(), end.tolist(), strict=True)
        return IntervalSequences.from_lists([list(rows)])

    def _ahead(self) -> Floats:
        """(activities,) score of each activity for an instance that is still going on."""
        weights = decisions_of(self.model, len(self._weights)).weights
        joint: Floats = weights @ self.scores() + self._log_prior
        return joint

    def scores(self) -> Floats:
        """(terms, activities) scores of the terms now; the next event overwrites the array.

        A model that is not made of terms has a single one: its log probabilities.
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
