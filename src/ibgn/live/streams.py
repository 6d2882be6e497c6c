"""One stream: its events in order, the instance that goes on, and what was reported about it."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from ibgn.live.events import Event
from ibgn.live.familiar import Doubts
from ibgn.live.inbox import Inbox
from ibgn.live.recogniser import LiveRecogniser
from ibgn.text import quote

__all__ = ["Policy", "Report", "Stream"]

Report = Literal["change", "event", "end"]


class Policy(NamedTuple):
    """When instances end, and what is reported about them; see `Service` for each option."""

    pause: float | None = None
    report: Report = "change"
    error: float | None = None
    false_alarm: float | None = None


class Stream:
    """Follows the events of one stream, and reports what they change.

    Parameters
    ----------
    name : of the stream
    live : recogniser of its instances
    inbox : for its events
    policy : when instances end, and what is reported
    doubts : complains about what the model does not know

    Attributes
    ----------
    number : how many instances there were, with the one that goes on
    activity : the likeliest one, as it was last reported; None before that
    decision : what was decided about the instance; None before that
    """

    def __init__(
        self, name: str, live: LiveRecogniser, inbox: Inbox, policy: Policy, doubts: Doubts
    ) -> None:
        self.name, self.live, self.inbox = name, live, inbox
        self.policy, self.doubts = policy, doubts
        self.number = 1
        self.activity: Any = None
        self.decision: Any = None

    @property
    def where(self) -> str:
        """The beginning of a complaint about this stream."""
        return f"stream {quote(self.name)}: " if self.name else ""

    @property
    def is_unfinished(self) -> bool:
        """Whether an instance goes on."""
        return bool(self.live.timeline.number)

    def follow(self, event: Event) -> Iterator[dict[str, Any]]:
        """Records about an event whose turn it is; raises `DataError` if it cannot be."""
        if self._was_over(event):
            yield self._finish(self.live.timeline.last_end)
        if event.kind == "finish":
            if self.is_unfinished:
                self.live.tick(event.time)
                yield self._finish(event.time)
            return
        if event.kind == "start" and self.live.timeline.number >= self.live.limit:
            yield self._finish(event.time)
        self.live.take(event)
        self.doubts.hear(event)
        if self.is_unfinished:
            yield from self._look(event)

    def check(self) -> None:
        """Complain about the instance that goes on, if its times seem to have another unit."""
        if self.is_unfinished:
            self.doubts.judge(self.live.instance(), self.where)

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
        line, pause = self.live.timeline, self.policy.pause
        if pause is None or not line.number or line.open:
            return False
        return bool(event.time - line.last_end >= pause)

    def _look(self, event: Event) -> Iterator[dict[str, Any]]:
        """Records about the instance that goes on, after an event."""
        report, error = self.policy.report, self.policy.error
        # also where it is not reported: sums that grow in the same order have the same bits
        posterior = self.live.posterior()
        activity = likeliest(posterior)
        if report == "event" or (report == "change" and activity != self.activity):
            self.activity = activity
            yield self._record(report, event.time, activity, posterior)
        # thresholds were learned after starts and ends: more questions would mean more mistakes
        if error is not None and self.decision is None and event.kind in ("start", "end"):
            self.decision = self.live.decide(error)
            if self.decision is not None:
                yield self._record("decision", event.time, self.decision, posterior)

    def _finish(self, time: float) -> dict[str, Any]:
        """End the instance, and whatever goes on; the record about it."""
        self.check()
        rate, p_value = self.policy.false_alarm, 1.0
        if rate is not None:
            p_value = self.live.p_value()
        posterior = self.live.finish()
        record = self._record("end", time, likeliest(posterior), posterior)
        if rate is not None:
            record["p_value"] = p_value
            if p_value <= rate:  # none of these; the posterior still says which is nearest
                record["activity"] = record["probability"] = None
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
