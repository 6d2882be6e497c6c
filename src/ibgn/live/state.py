"""What a recogniser knows of its instance, as plain JSON.

A state has what happened and sums, and nothing that points anywhere: whatever else a recogniser
keeps follows from what happened. So a state that was damaged is refused, or gives other numbers.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from ibgn._arrays import Floats
from ibgn.errors import DataError
from ibgn.live.history import Change, Ended, Started, history_of, replay
from ibgn.text import printable, quote

if TYPE_CHECKING:
    from ibgn.live.recogniser import LiveRecogniser

__all__ = ["restore", "state_of"]

LARGEST_SUM = 1e100  # all of them together are finite


def state_of(live: "LiveRecogniser") -> dict[str, Any]:
    """What a recogniser knows of its instance; takes time and room in proportion to it.

    Examples
    --------
    >>> from ibgn import IBGNClassifier, LiveRecogniser
    >>> X = [[("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 2), ("pour", 1, 5)]]
    >>> live = LiveRecogniser(IBGNClassifier(terms=("length",)).fit(X, ["tea", "coffee"]))
    >>> live.start("boil", 1)
    >>> live.state()["changes"]
    [['boil', 1.0, None]]
    """
    for key in live.timeline.keys:
        if not (key is None or isinstance(key, str | int)):
            raise DataError(f"a key can be saved if it is text or a whole number, not {quote(key)}")
    changes, asked = live._asked
    return {
        "changes": [list(change) for change in history_of(live.timeline)],
        "now": _as_json(live.timeline.now),
        "asked": [changes, _as_json(asked)],
        "settled": [term.settled.tolist() for term in live._followers],
        "unmet": sorted(map(list, live._unmet), key=repr),
    }


def restore(live: "LiveRecogniser", state: Any) -> None:
    """Give a recogniser the state of another one of the same model.

    What it says from then on has the same bits as what the other one says.
    """
    live._begin()
    try:
        changes = [_as_change(change) for change in state["changes"]]
        number, asked = state["asked"]
        _go_on(live, changes[:number], asked)
        if asked is not None:
            live.scores()
        _go_on(live, changes[number:], state["now"])
        # sums also grow when a recogniser is asked, so their last bits depend on when that was
        for term, settled in zip(live._followers, state["settled"], strict=True):
            term.settled[...] = _as_sums(settled, term.settled)
        live._unmet = {(float(time), action, key) for time, action, key in state["unmet"]}
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        live._begin()
        raise DataError(
            f"this is not the state of a recogniser of this model ({printable(error)}); begin "
            "without it"
        ) from error


def _go_on(live: "LiveRecogniser", changes: list[Change], time: float | None) -> None:
    """Replay what happened until some time."""
    replay(live, changes)
    if time is not None:
        live.tick(float(time))


def _as_change(change: Any) -> Change:
    if isinstance(change[0], str):
        action, time, key = change
        if not (key is None or isinstance(key, str | int)):
            raise TypeError("a key is neither text nor a number")
        return Started(action, float(time), key)
    slot, time = change
    return Ended(int(slot), float(time))


def _as_json(time: float) -> float | None:
    """A time, or None before all times."""
    return float(time) if np.isfinite(time) else None


def _as_sums(values: Any, like: Floats) -> Floats:
    sums = np.array(values, np.float64)
    if sums.shape != like.shape or not (np.abs(sums) < LARGEST_SUM).all():
        raise ValueError(f"{like.shape[0]} sums are needed")
    return sums
