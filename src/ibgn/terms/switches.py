"""The term of when actions begin and end to go on: a chain over time for each action."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ibgn._arrays import Bools, Floats
from ibgn.declarations import ANY, FLOAT, are_smoothed_log_probs, stored
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, Counts, FittedTerm, LogTerms, Term
from ibgn.terms.occupancy import INSTANTS, going_on
from ibgn.terms.parts import Part, probability

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
class FittedSwitches(FittedTerm):
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
        # with a and b the states of two instants, a step is one of four logarithms:
        # s00 + a (s10 - s00) + b (s01 - s00) + ab (s11 - s10 - s01 + s00)
        (s00, s01), (s10, s11) = np.moveaxis(self.steps, (2, 3), (0, 1))
        alone = np.zeros((len(self.actions), running.shape[2]))
        alone[:, :-1] += s10 - s00
        alone[:, 1:] += s01 - s00
        alone[:, 0] += self.first[:, 1] - self.first[:, 0]
        terms = np.einsum("nas,as->na", running, alone)
        terms += np.einsum("nas,as->na", _lasting(X, running), s11 - s10 - s01 + s00)
        return LogTerms(action=terms + s00.sum(axis=1) + self.first[:, 0])

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
class Switches(Term):
    """When each action begins and ends to go on, at twenty relative times."""

    name = "switches"
    fitted = FittedSwitches
    pools = True

    def count(self, X: IntervalSequences) -> SwitchCounts:
        """Count instances by what goes on at each instant and at the next."""
        running = going_on(X, len(X.actions), INSTANTS)
        on = running.sum(axis=0)
        both = _lasting(X, running).sum(axis=0)
        before, after = on[:, :-1], on[:, 1:]
        cells = [len(X) - before - after + both, after - both, before - both, both]
        first = np.stack([len(X) - on[:, 0], on[:, 0]], axis=-1)
        steps = np.stack(cells, axis=-1).reshape(*both.shape, 2, 2)
        return SwitchCounts(first.astype(float), steps.astype(float))

    def fit(self, counts: SwitchCounts, pooled: SwitchCounts, context: Context) -> FittedSwitches:
        """Shares of instances, drawn to those at any time and to those of all activities."""
        in_all = pooled.steps.sum(axis=1, keepdims=True)
        in_all = (in_all + 0.5) / (in_all.sum(axis=-1, keepdims=True) + 1)
        common = _shares(pooled.steps, in_all)
        at_any_time = _shares(counts.steps.sum(axis=1, keepdims=True), in_all)
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


def _lasting(X: IntervalSequences, running: Bools) -> Bools:
    """(n, actions, instants - 1) whether an action goes on at an instant and at the next."""
    return X.derived(
        ("lasting", *running.shape[1:]), lambda: running[:, :, :-1] & running[:, :, 1:]
    )
