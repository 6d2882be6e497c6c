"""Recognising while it happens."""

from ibgn.live.decisions import learn_decisions
from ibgn.live.recogniser import LiveRecogniser

__all__ = ["LiveRecogniser", "learn_decisions"]
