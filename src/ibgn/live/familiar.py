"""What a model does not know about a stream: actions, and times in another unit."""

from typing import Any

from ibgn.intervals import IntervalSequences
from ibgn.live.complaints import Complaints
from ibgn.live.events import Event
from ibgn.text import quote
from ibgn.training_data import TrainingData

__all__ = ["Doubts"]

MOST_NAMED = 1000  # unknown actions, each of which is named once; more are only counted


class Doubts:
    """Complains about events that are taken, but say less to the model than they should.

    Parameters
    ----------
    model : a fitted classifier
    complaints : counts them as "unknown" (actions) and "rescaled" (instances), with a reason

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> X = [[("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 2), ("pour", 1, 5)]]
    >>> model = IBGNClassifier(random_state=0).fit(X, ["tea", "coffee"])
    >>> doubts = Doubts(model, Complaints(print))
    >>> doubts.hear(Event("start", 3.0, "Pour"))
    unknown: the model does not know the action 'Pour' and ignores it; it knows 'pour'
    """

    def __init__(self, model: Any, complaints: Complaints) -> None:
        self.complaints = complaints
        self._trained_on: TrainingData | None = getattr(model, "trained_on_", None)
        self._known = set(self._trained_on.actions) if self._trained_on else None
        self._named: set[str] = set()

    def hear(self, event: Event) -> None:
        """Complain about an action that the model does not know; each is named once."""
        action = event.to if event.kind == "rename" else event.action
        if event.kind not in ("start", "rename") or self._known is None or action in self._known:
            return
        if action in self._named or len(self._named) >= MOST_NAMED:
            self.complaints.counts["unknown"] += 1
            return
        meant = self._trained_on.similar(action) if self._trained_on else None
        hint = f"; it knows {quote(meant)}" if meant else ""
        reason = f"the model does not know the action {quote(action)} and ignores it{hint}"
        if self.complaints.add("unknown", reason):
            self._named.add(action)

    def judge(self, instance: IntervalSequences, where: str) -> None:
        """Complain about an instance whose times seem to have another unit."""
        if self._trained_on is None:
            return
        found = self._trained_on.compare(instance)
        if found.rescaled:
            self.complaints.add("rescaled", f"{where}intervals {found.scale_phrase}")
