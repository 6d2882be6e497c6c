"""The smallest change of an instance that makes it another activity."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ibgn._arrays import Floats
from ibgn.checks import check_whole
from ibgn.classifiers.base import as_one_instance
from ibgn.classifiers.questions import unquestioned
from ibgn.errors import DataError
from ibgn.intervals import Instance, IntervalSequences
from ibgn.text import quote

__all__ = ["Counterfactual", "Edit", "find_counterfactual"]

Row = tuple[str, float, float]
Rows = tuple[Row, ...]

BEAM = 6  # instances that are changed further, after each edit
CHOSEN = 30  # intervals of a longer instance that are changed: those that matter most
OTHERS = 20  # actions that an interval is given, or that are added
STRETCHES = (-0.5, -0.25, 0.25, 0.5, 1.0)  # by how much of its duration an end moves
NEAR = 4  # end points of others that an end is moved to
HALVINGS = 7  # of a move, to find how much of it is enough
DIGITS = 15  # of times; beyond them is only what sums leave over


class Edit(NamedTuple):
    """One change of an instance.

    Parameters
    ----------
    before : the interval as it was; None for one that is added
    after : as it is then; None for one that is removed

    Examples
    --------
    >>> print(Edit(("boil", 0, 4), ("boil", 0, 6)))
    'boil' from 0 to 4 becomes 'boil' from 0 to 6
    """

    before: Row | None
    after: Row | None

    def __str__(self) -> str:
        words = [
            f"{quote(row[0])} from {row[1]:g} to {row[2]:g}" for row in self if row is not None
        ]
        if self.before is None:
            return f"{words[0]} is added"
        return f"{words[0]} is removed" if self.after is None else " becomes ".join(words)

    @property
    def extent(self) -> float:
        """For how long something else happens than before."""
        if self.before is None or self.after is None:
            _, start, end = self.before or self.after or ("", 0.0, 0.0)
            return end - start
        if self.before[0] != self.after[0]:
            return self.before[2] - self.before[1]
        return abs(self.after[1] - self.before[1]) + abs(self.after[2] - self.before[2])


@dataclass(frozen=True)
class Counterfactual:
    """What would have to be different.

    Parameters
    ----------
    activity : what the instance would be
    edits : what changes, one after the other
    instance : the changed instance
    probability : of the activity, then
    found : whether it is the likeliest activity then; if not, this is as near as it came

    Examples
    --------
    >>> edit = Edit(("boil", 0, 4), ("grind", 0, 4))
    >>> changed = IntervalSequences.from_lists([[("grind", 0, 4)]])
    >>> print(Counterfactual("coffee", (edit,), changed, 0.9, found=True))
    'boil' from 0 to 4 becomes 'grind' from 0 to 4: then 'coffee' with probability 0.90
    """

    activity: Any
    edits: tuple[Edit, ...]
    instance: IntervalSequences
    probability: float
    found: bool

    def __str__(self) -> str:
        if not self.found:
            return f"no small change makes it {quote(self.activity)}"
        said = "; ".join(map(str, self.edits)) or "nothing has to change"
        return f"{said}: then {quote(self.activity)} with probability {self.probability:.2f}"


class _State(NamedTuple):
    rows: Rows
    edits: tuple[Edit, ...]
    lead: float  # log odds of the activity against the likeliest other one


def find_counterfactual(
    model: Any, instance: IntervalSequences | Instance, activity: Any, most: int = 3
) -> Counterfactual:
    """Find few and small edits that make an activity the likeliest one.

    Edits remove, add or rename an interval, or move one of its ends. A beam search finds the least
    number of them; of those it finds, it takes the ones for which something else happens for the
    shortest time, and moves ends no further than it takes.

    Parameters
    ----------
    model : a fitted classifier
    instance : one instance, or a list of (action, start, end)
    activity : label that it should get
    most : largest number of edits

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> tea, coffee = [("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 4), ("pour", 4, 6)]
    >>> model = IBGNClassifier(random_state=0).fit([tea, coffee] * 5, ["tea", "coffee"] * 5)
    >>> print(find_counterfactual(model, tea, "coffee").edits[0])
    'boil' from 0 to 4 becomes 'grind' from 0 to 4
    """
    check_whole("most", most, 1)
    labels = model.classes_.tolist()
    if activity not in labels:
        raise DataError(f"the model does not know the activity {quote(activity)}")
    search = _Search(model, labels.index(activity))
    rows = tuple(as_one_instance(instance).to_lists()[0])
    best = search.run(rows, most)
    sequences = IntervalSequences.from_lists([list(best.rows)])
    probability = float(np.exp(search.logs([best.rows])[0, search.wanted]))
    return Counterfactual(activity, best.edits, sequences, probability, best.lead > 0)


class _Search:
    def __init__(self, model: Any, wanted: int) -> None:
        self.model, self.wanted = model, wanted
        known = getattr(model, "actions_", None)
        self.actions: Sequence[str] = () if known is None else known

    def logs(self, many: Sequence[Rows]) -> Floats:
        """(instances, activities) log probabilities."""
        with unquestioned():
            sequences = IntervalSequences.from_lists([list(rows) for rows in many])
            logs: Floats = self.model.predict_log_proba(sequences)
        return logs

    def leads(self, many: Sequence[Rows]) -> Floats:
        """(instances,) log odds of the activity against the likeliest other one."""
        logs = self.logs(many)
        others = np.delete(logs, self.wanted, axis=1)
        lead: Floats = logs[:, self.wanted] - others.max(axis=1)
        return lead

    def run(self, rows: Rows, most: int) -> _State:
        first = _State(rows, (), float(self.leads([rows])[0]))
        beam, nearest = [first], first
        for _ in range(most):
            if nearest.lead > 0:
                break
            beam = self._step(beam)
            if not beam:
                break
            nearest = max([nearest, *beam], key=lambda state: state.lead)
            found = [state for state in beam if state.lead > 0]
            if found:
                smaller = [self._shrink(state, rows) for state in found]
                return min(smaller, key=lambda state: (len(state.edits), _extent(state)))
        return nearest

    def _step(self, beam: Sequence[_State]) -> list[_State]:
        """The best instances that one more edit makes; all that are found, the smallest first."""
        drafts = [
            (change(state.rows, edit), (*state.edits, edit))
            for state in beam
            for edit in self._edits(state)
        ]
        if not drafts:
            return []
        leads = self.leads([rows for rows, _ in drafts])
        states = [_State(*draft, float(lead)) for draft, lead in zip(drafts, leads, strict=True)]
        found = sorted((state for state in states if state.lead > 0), key=_extent)
        return found[:BEAM] or sorted(states, key=lambda state: -state.lead)[:BEAM]

    def _edits(self, state: _State) -> Iterator[Edit]:
        """Edits of intervals that have not been edited yet, and new intervals."""
        done = {edit.after for edit in state.edits}
        rows = [row for row in self._choose(state.rows) if row not in done]
        points = np.unique([time for row in state.rows for time in row[1:]])
        if len(state.rows) > 1:
            yield from (Edit(row, None) for row in rows)
        for row in rows:
            yield from (Edit(row, after) for after in moved(row, points))
        for action in self._likely_actions():
            for row in rows:
                if action != row[0]:
                    yield Edit(row, (action, *row[1:]))
                    yield Edit(None, (action, *row[1:]))

    def _choose(self, rows: Rows) -> list[Row]:
        """The intervals that matter most: without them the lead changes most."""
        if len(rows) <= CHOSEN:
            return list(rows)
        without = [rows[:n] + rows[n + 1 :] for n in range(len(rows))]
        change = np.abs(self.leads(without) - self.leads([rows])[0])
        return [rows[n] for n in sorted(np.argsort(-change, kind="stable")[:CHOSEN])]

    def _likely_actions(self) -> Sequence[str]:
        """Known actions; of many those that occur most in the activity."""
        if len(self.actions) <= OTHERS:
            return self.actions
        activity = getattr(self.model, "activities_", {}).get(self.model.classes_[self.wanted])
        if activity is None or "occurrences" not in activity:
            return self.actions[:OTHERS]
        frame = activity["occurrences"].describe().sort_values("occurs", ascending=False)
        return [str(name) for name in frame["action"][:OTHERS]]

    def _shrink(self, state: _State, rows: Rows) -> _State:
        """Leave out edits that are not needed, and move ends no further than needed."""
        for edit in state.edits:
            fewer = tuple(other for other in state.edits if other is not edit)
            state = self._try(rows, fewer) or state
        for edit in state.edits:
            if edit.before is None or edit.after is None or edit.before[0] != edit.after[0]:
                continue
            enough, too_little = 1.0, 0.0
            for _ in range(HALVINGS):
                share = (enough + too_little) / 2
                shorter = Edit(edit.before, _between(edit.before, edit.after, share))
                last = state.edits
                edits = tuple(shorter if other.before == edit.before else other for other in last)
                smaller = self._try(rows, edits)
                state = smaller or state
                enough, too_little = (share, too_little) if smaller else (enough, share)
        return state

    def _try(self, rows: Rows, edits: tuple[Edit, ...]) -> _State | None:
        """What some edits give, if they are enough."""
        for edit in edits:
            rows = change(rows, edit)
        lead = float(self.leads([rows])[0])
        return _State(rows, edits, lead) if lead > 0 else None


def change(rows: Rows, edit: Edit) -> Rows:
    """Intervals after an edit."""
    kept = list(rows)
    if edit.before is not None:
        kept.remove(edit.before)
    return (*kept, *([] if edit.after is None else [edit.after]))


def moved(row: Row, points: Floats) -> Iterator[Row]:
    """An interval with one end moved: by a share of its duration, or to an end of another one."""
    action, start, end = row
    length = end - start
    near_start = points[np.argsort(np.abs(points - start), kind="stable")[: NEAR + 1]].tolist()
    near_end = points[np.argsort(np.abs(points - end), kind="stable")[: NEAR + 1]].tolist()
    digits = DIGITS - int(np.ceil(np.log10(max(np.abs(points).max(), length))))
    starts = {round(start - share * length, digits) for share in STRETCHES} | set(near_start)
    ends = {round(end + share * length, digits) for share in STRETCHES} | set(near_end)
    yield from ((action, time, end) for time in sorted(starts - {start}) if time < end)
    yield from ((action, start, time) for time in sorted(ends - {end}) if time > start)


def _between(before: Row, after: Row, share: float) -> Row:
    start, end = (old + share * (new - old) for old, new in zip(before[1:], after[1:], strict=True))
    return before[0], start, end


def _extent(state: _State) -> float:
    return sum(edit.extent for edit in state.edits)
