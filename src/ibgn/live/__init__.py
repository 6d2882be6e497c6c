"""Live recognition: activities recognised as they happen."""

from ibgn.live.course import trace_posterior
from ibgn.live.decisions import learn_decisions
from ibgn.live.events import Event
from ibgn.live.inbox import Inbox
from ibgn.live.recogniser import LiveRecogniser

__all__ = ["Event", "Inbox", "LiveRecogniser", "learn_decisions", "trace_posterior"]
