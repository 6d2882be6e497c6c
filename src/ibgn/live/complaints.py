"""What is wrong with events: counted always, said not too often."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from ibgn.text import count

__all__ = ["Complaints"]

AT_ONCE = 5  # complaints of one cause that are said
PAUSE = 10.0  # seconds within which they are


@dataclass
class _Recent:
    """Complaints of one cause within a while."""

    since: float
    number: int = 0
    hidden: int = 0


class Complaints:
    """Counts what happens by cause, and says the reasons of what goes wrong, a few at a time.

    Parameters
    ----------
    say : is given sentences for people
    clock : gives the time in seconds

    Attributes
    ----------
    counts : how often each cause occurred

    Examples
    --------
    >>> complaints = Complaints(print, clock=lambda: 0.0)
    >>> for number in range(7):
    ...     is_said = complaints.add("late", f"event {number} is late")
    late: event 0 is late
    late: event 1 is late
    late: event 2 is late
    late: event 3 is late
    late: event 4 is late; others that are late are only counted for a while
    >>> complaints.counts["late"]
    7
    """

    def __init__(
        self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.say, self.clock = say, clock
        self.counts = Counter[str]()
        self._recent: dict[str, _Recent] = {}

    def add(self, cause: str, reason: str) -> bool:
        """Count one, and say it unless many were said just now; whether it was said."""
        self.counts[cause] += 1
        now = self.clock()
        recent = self._recent.setdefault(cause, _Recent(now))
        missed = ""
        if now - recent.since > PAUSE:
            missed = f" (after {count(recent.hidden, 'other')})" if recent.hidden else ""
            recent = self._recent[cause] = _Recent(now)
        recent.number += 1
        if recent.number > AT_ONCE:
            recent.hidden += 1
            return False
        last = recent.number == AT_ONCE
        more = f"; others that are {cause} are only counted for a while" if last else ""
        self.say(f"{cause}: {reason}{missed}{more}")
        return True
