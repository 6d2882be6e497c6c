"""The term of when actions begin and end to go on: a chain over time for each action."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ibgn._arrays import Floats, Ints
from ibgn.declarations import ANY, FLOAT, are_smoothed_log_probs, stored
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, Counts, LogTerms
from ibgn.terms.occupancy import INSTANTS, going_on, running_instants
from ibgn.terms.parts import Part, probability
from ibgn.terms.shares import Outcomes
from ibgn.terms.stacked import Cells, StackedFit, StackedTerm

__all__ = ["FittedSwitches", "Switches"]

STRENGTH = 2.0


@dataclass(frozen=True)
class SwitchCounts(Counts):
    """Instances in which each action goes on, or not, from one instant to the next.

    Parameters
    ----------
    first : (actions, 2) not at the first instant, and at it
    steps : (actions, instants - 1, 2, 2) by whether it goes on at an instant, and at the next
    """

    first: Floats
    steps: Floats


@dataclass(frozen=True)
class FittedSwitches(StackedFit):
    """When each action begins to go on, and when it ends.

    Parameters
    ----------
    first : (actions, 2) log probability that it does not go on at the first instant, and does
    steps : (actions, instants - 1, 2, 2) log probability at the next instant, by the one before
    """

    first: Floats = stored(FLOAT, "actions", 2, holds=are_smoothed_log_probs)
    steps: Floats = stored(FLOAT, "actions", ANY, 2, 2, holds=are_smoothed_log_probs)

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability of what goes on at each instant given the one before, by action."""
        running = going_on(X, len(self.actions), self.steps.shape[1] + 1)
        lasting = running[:, :, :-1] & running[:, :, 1:]
        constant, alone, both = self._parts()
        terms = np.einsum("nas,as->na", running, alone)
        terms += np.einsum("nas,as->na", lasting, both[:, :-1])
        return LogTerms(action=terms + constant)

    def scores(self, X: IntervalSequences, row: Ints) -> Floats:
        """Log probability of all that goes on at all instants, by many activities."""
        constant, alone, both = self._parts()
        size = len(self.actions), self.steps.shape[-3] + 1
        said = running_instants(X, *size).score(alone, row)
        said += lasting_instants(X, *size).score(both, row)
        whole: Floats = constant.sum(axis=-1)
        return said + whole[row]

    def _parts(self) -> tuple[Floats, Floats, Floats]:
        """Logarithms as a sum over instants, (actions,), (actions, instants) twice.

        With a and b the states of two instants, a step is one of four logarithms: s00 + a (s10 -
        s00) + b (s01 - s00) + ab (s11 - s10 - s01 + s00). The last part, of an instant and the
        next, is 0 at the last instant.
        """
        (s00, s01), (s10, s11) = np.moveaxis(self.steps, (-2, -1), (0, 1))
        shape = (*s00.shape[:-1], s00.shape[-1] + 1)
        alone, both = np.zeros(shape), np.zeros(shape)
        alone[..., :-1] += s10 - s00
        alone[..., 1:] += s01 - s00
        alone[..., 0] += self.first[..., 1] - self.first[..., 0]
        both[..., :-1] = s11 - s10 - s01 + s00
        return s00.sum(axis=-1) + self.first[..., 0], alone, both

    def describe(self) -> pd.DataFrame:
        """When each action most likely begins and ends, as parts of the instance.

        `begins` and `ends` are the instants with the largest probability to switch, given that it
        has not switched before; the likeliest to begin first.
        """
        begins, ends = np.exp(self.steps[:, :, 0, 1]), np.exp(self.steps[:, :, 1, 0])
        instants = self.steps.shape[1] + 1
        columns = {
            "begins": (begins.argmax(axis=1) + 1) / instants,
            "chance to begin": begins.max(axis=1),
            "ends": (ends.argmax(axis=1) + 1) / instants,
            "chance to end": ends.max(axis=1),
        }
        frame = pd.DataFrame({"action": self.actions} | columns)
        return frame.sort_values(
            "chance to begin", ascending=False, kind="stable", ignore_index=True
        )

    def brief(self) -> str:
        """How often actions begin in an instance, on average."""
        state = np.exp(self.first)[:, 1]
        begun = state.sum()
        for step in np.moveaxis(np.exp(self.steps), 1, 0):
            begun += ((1 - state) * step[:, 0, 1]).sum()
            state = (1 - state) * step[:, 0, 1] + state * step[:, 1, 1]
        return f"actions begin about {begun:.0f} times"

    def focus(self, other: "FittedSwitches", X: IntervalSequences, part: Part) -> Part:
        """The instant whose step says most."""
        gain = self._steps_of(X, part) - other._steps_of(X, part)
        return part._replace(where=np.array([np.argmax(gain * np.sign(gain.sum()))]))

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """What the action does at the instant."""
        before, now = self._states(X, part)
        does = (("does not go on", "begins"), ("ends", "goes on"))[before][now]
        when = part.where[0] / (self.steps.shape[1] + 1)
        return f"{part.named} {does} at {when:.0%} of the instance"

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """Probability of that, given the instant before."""
        return probability(self._steps_of(X, part), part)

    def _states(self, X: IntervalSequences, part: Part) -> tuple[int, int]:
        """Whether the action goes on at the instant before, and at the instant."""
        running = going_on(X, len(self.actions), self.steps.shape[1] + 1)[0, part.code].astype(int)
        instant = int(part.where[0])
        return int(running[instant - 1]) if instant else 0, int(running[instant])

    def _steps_of(self, X: IntervalSequences, part: Part) -> Floats:
        """(instants,) log probability of each step of one action."""
        running = going_on(X, len(self.actions), self.steps.shape[1] + 1)[0, part.code].astype(int)
        steps = self.steps[part.code, np.arange(len(running) - 1), running[:-1], running[1:]]
        return np.append(self.first[part.code, running[0]], steps)


@dataclass(frozen=True)
class Switches(StackedTerm):
    """When each action begins and ends to go on, at twenty relative times.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("switches",), random_state=0).fit(X, y)
    >>> model.activities_["apart, apart"]["switches"].describe().head(2).round(2)
      action  begins  chance to begin  ends  chance to end
    0   pour    0.35             0.57  0.60           0.64
    1   stir    0.75             0.54  0.05           0.00
    """

    name = "switches"
    fitted = FittedSwitches
    pools = True

    def count_cells(self, X: IntervalSequences, cells: Cells) -> SwitchCounts:
        """Count instances by what goes on at each instant and at the next."""
        shape = cells.number, len(X.actions), INSTANTS
        on = running_instants(X, *shape[1:]).by_cell(cells).reshape(shape)
        both = lasting_instants(X, *shape[1:]).by_cell(cells).reshape(shape)[..., :-1]
        instances = cells.instances[:, None, None]
        before, after = on[..., :-1], on[..., 1:]
        steps = np.stack(
            [instances - before - after + both, after - both, before - both, both], axis=-1
        )
        first = np.stack([instances[..., 0] - on[..., 0], on[..., 0]], axis=-1)
        # rounding leaves none below 0
        return SwitchCounts(
            np.maximum(first, 0), np.maximum(steps, 0).reshape(*steps.shape[:-1], 2, 2)
        )

    def fit(self, counts: SwitchCounts, pooled: SwitchCounts, context: Context) -> FittedSwitches:
        """Shares of instances, drawn to those at any time and to those of all activities."""
        in_all = pooled.steps.sum(axis=-3, keepdims=True)
        in_all = (in_all + 0.5) / (in_all.sum(axis=-1, keepdims=True) + 1)
        common = _shares(pooled.steps, in_all)
        at_any_time = _shares(counts.steps.sum(axis=-3, keepdims=True), in_all)
        expected = np.sqrt(common * at_any_time)
        expected /= expected.sum(axis=-1, keepdims=True)
        first = (pooled.first + 0.5) / (pooled.first.sum(axis=-1, keepdims=True) + 1)
        return FittedSwitches(
            context.actions,
            np.log(_shares(counts.first, first)),
            np.log(_shares(counts.steps, expected)),
        )


def _shares(counts: Floats, expected: Floats) -> Floats:
    shares: Floats = (counts + STRENGTH * expected) / (
        counts.sum(axis=-1, keepdims=True) + STRENGTH
    )
    return shares


def lasting_instants(X: IntervalSequences, actions: int, instants: int) -> Outcomes:
    """(action, instant) wherever a known action goes on there and at the next instant."""

    def look() -> Outcomes:
        owner, code, size = running_instants(X, actions, instants)
        follows = (np.diff(owner) == 0) & (np.diff(code) == 1) & (code[1:] % instants != 0)
        lasts = np.flatnonzero(follows)
        return Outcomes(owner[lasts], code[lasts], size)

    return X.derived(("lasting", actions, instants), look)
