"""A model that learns from the labels as they are, while the page goes on."""

import threading
import time
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from ibgn._arrays import Floats
from ibgn.explore.desk import Desk
from ibgn.text import count

__all__ = ["Learning"]

BEAT = 0.5  # seconds between two messages about progress
LEAST = 2  # activities to learn


class Learning:
    """Fits one model at a time in a thread of its own; the desk takes it when it is ready.

    Parameters
    ----------
    desk : whose labels are learned, and which judges by the model then
    model : what learns: a copy of it is fitted
    """

    def __init__(self, desk: Desk, model: Any) -> None:
        self.desk, self.model = desk, model
        self.error = ""
        self.stage = ""
        self.since = 0.0
        self.lasted: float | None = None  # seconds that learning took the last time
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether a model learns just now."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_possible(self) -> bool:
        """Whether there are labels enough to learn from."""
        return len(set(self.desk.collection.labels) - {None}) >= LEAST

    def state(self) -> dict[str, Any]:
        """What goes on, as plain values."""
        now = time.monotonic()
        seconds = now - self.since if self.busy else 0.0
        return {
            "at": now,  # by which a page knows the newest of two
            "learning": self.busy,
            "stage": self.stage,
            "seconds": round(seconds, 1),
            "expected": None if self.lasted is None else round(self.lasted, 1),
            "error": self.error,
        }

    def begin(self) -> dict[str, Any]:
        """Begin to learn, unless that goes on already."""
        with self.desk.lock:
            if not self.busy:
                self.error, self.stage, self.since = "", "", time.monotonic()
                self._thread = threading.Thread(target=self._learn, daemon=True, name="learning")
                self._thread.start()
                threading.Thread(target=self._beat, daemon=True, name="progress").start()
        return self.state()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until it is done."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _learn(self) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._fit()
        except Exception as error:  # the page must go on, whatever a method thinks of the data
            self.error = str(error) or type(error).__name__

    def _fit(self) -> None:
        with self.desk.lock:
            collection = self.desk.collection
            X, labels, seen = collection.sequences, collection.labels, dict(collection.changed)
        known = np.flatnonzero([label is not None for label in labels])
        if not self.is_possible:
            found = count(len(known), "labelled instance")
            self.error = f"a model needs at least two activities, but there are {found}"
            return
        self.stage = f"learning from {count(len(known), 'instance')}"
        model = clone(self.model)
        y = np.array(labels[known].tolist())
        held_out: Floats | None = None
        if hasattr(model, "fit_held_out"):
            said = model.fit_held_out(
                X[known], y, groups=None if X.groups is None else X.groups[known]
            )
            if said is not None:
                held_out = np.full((len(X), said.shape[1]), np.nan)
                held_out[known] = said
                held_out[collection.changed_since(seen)] = np.nan  # said of what they were before
        else:
            model.fit(X[known], y)
        self.stage = f"judging {count(len(X), 'instance')}"
        self.desk.take_model(model, held_out)
        self.lasted = time.monotonic() - self.since

    def _beat(self) -> None:
        while self.busy:
            self.desk.tell("learning", self.state())
            self.wait(BEAT)
        self.desk.tell("learning", self.state())
