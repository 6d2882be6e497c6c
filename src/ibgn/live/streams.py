"""One stream: its events in order, the instance that goes on, and what was said about it."""

from collections.abc import Iterator
from typing import Any, Literal

from ibgn.live.events import Event
from ibgn.live.inbox import Inbox
from ibgn.live.recogniser import LiveRecogniser

__all__ = ["Report", "Stream"]

Report = Literal["change", "event", "end"]


class Stream:
    """Follows the events of one stream, and reports what they change.

    Parameters
    ----------
    name : of the stream
    live : recogniser of its instances
    inbox : for its events
    pause : an instance is over when nothing has happened for so long; None if only events end it
    report, error : see `Service`

    Attributes
    ----------
    number : how many instances there were, with the one that goes on
    activity : the likeliest one, as it was last said; None before that
    decision : what was decided about the instance; None before that
    """

    def __init__(
        self,
        name: str,
        live: LiveRecogniser,
        inbox: Inbox,
        pause: float | None,
        report: Report,
        error: float | None,
    ) -> None:
        self.name, self.live, self.inbox = name, live, inbox
        self.pause, self.report, self.error = pause, report, error
        self.number, self.activity, self.decision = 1, None, None

    def follow(self, event: Event) -> Iterator[dict[str, Any]]:
        """Records about an event whose turn it is; raises `DataError` if it cannot be."""
        if self._was_over(event):
            yield self._end(self.live.timeline.last_end, self.live.finish())
        line = self.live.timeline
        if event.kind == "finish" and not line.number:
            return
        if event.kind == "start" and line.number >= self.live.limit:
            yield self._end(event.time, self.live.finish())
        last = self.live.take(event)
        if last is not None:
            yield self._end(event.time, last)
        elif self.live.timeline.number:
            # also where it is not reported: sums that grow in the same order have the same bits
            posterior = self.live.posterior()
            activity = likeliest(posterior)
            if self.report == "event" or (self.report == "change" and activity != self.activity):
                self.activity = activity
                yield self._record(self.report, event.time, activity, posterior)
            if self.error is not None and self.decision is None:
                self.decision = self.live.decide(self.error)
                if self.decision is not None:
                    yield self._record("decision", event.time, self.decision, posterior)

    def state(self) -> dict[str, Any]:
        """What restores the stream, as JSON."""
        own = {"number": self.number, "activity": self.activity, "decision": self.decision}
        return own | {"inbox": self.inbox.state(), "live": self.live.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on with a state from before."""
        self.number, self.activity = state["number"], state["activity"]
        self.decision = state["decision"]
        self.inbox.restore(state["inbox"])
        self.live.restore(state["live"])

    def _was_over(self, event: Event) -> bool:
        """Whether the instance was over before an event, as nothing went on for long enough."""
        line = self.live.timeline
        if self.pause is None or not line.number or line.open:
            return False
        return bool(event.time - line.last_end >= self.pause)

    def _end(self, time: float, posterior: dict[Any, float]) -> dict[str, Any]:
        record = self._record("end", time, likeliest(posterior), posterior)
        self.number, self.activity, self.decision = self.number + 1, None, None
        return record

    def _record(
        self, kind: str, time: float, activity: Any, posterior: dict[Any, float]
    ) -> dict[str, Any]:
        named = {"stream": self.name} if self.name else {}
        return named | {
            "instance": self.number,
            "kind": kind,
            "time": time,
            "activity": activity,
            "probability": posterior[activity],
            "posterior": {str(label): p for label, p in posterior.items()},
        }


def likeliest(posterior: dict[Any, float]) -> Any:
    """The activity of the highest probability."""
    return max(posterior, key=posterior.__getitem__)
