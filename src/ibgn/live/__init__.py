"""Recognising while it happens."""

from ibgn.live.recogniser import LiveRecogniser

__all__ = ["LiveRecogniser"]
