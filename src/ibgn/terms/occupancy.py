"""The term of which actions go on when: a picture of the activity."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ibgn._arrays import Bools, Floats, Ints
from ibgn._kernels.actions import covered_instants
from ibgn.declarations import ANY, FLOAT, stored
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, Counts, LogTerms
from ibgn.terms.by_action import ActionRuns
from ibgn.terms.parts import Part, per_cent
from ibgn.terms.shares import Outcomes
from ibgn.terms.stacked import Cells, StackedFit, StackedTerm
from ibgn.terms.timing import time_spans

__all__ = ["FittedOccupancy", "Occupancy"]

INSTANTS = 20
STRENGTH = 1.5
BLUR = 1.5  # instants by which what goes on might as well have been earlier or later
DISTANCE = np.subtract.outer(np.arange(INSTANTS), np.arange(INSTANTS))
# (instants, instants) how much each counts for each; what counts for one adds up to 1
NEARBY = np.exp(-((DISTANCE / BLUR) ** 2) / 2)
NEARBY /= NEARBY.sum(axis=0)


@dataclass(frozen=True)
class OccupancyCounts(Counts):
    """Instances in which each action goes on at each instant.

    Parameters
    ----------
    going_on : (actions, instants) number of instances
    instances : (1, 1) number of all instances
    """

    going_on: Floats
    instances: Floats


@dataclass(frozen=True)
class FittedOccupancy(StackedFit):
    """Which actions go on at each of some relative times.

    Parameters
    ----------
    probs : (actions, instants) probability that each action goes on
    """

    probs: Floats = stored(
        FLOAT, "actions", ANY, holds=lambda rows: ((rows > 0) & (rows < 1)).all()
    )

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability of what goes on and what does not, by action."""
        running = going_on(X, len(self.actions), self.probs.shape[1])
        absent = np.log1p(-self.probs)
        change = np.log(self.probs) - absent
        return LogTerms(action=np.einsum("nas,as->na", running, change) + absent.sum(axis=1))

    def scores(self, X: IntervalSequences, row: Ints) -> Floats:
        """Log probability of all that goes on and does not, by many activities."""
        absent = np.log1p(-self.probs)
        running = running_instants(X, len(self.actions), self.probs.shape[-1])
        said = running.score(np.log(self.probs) - absent, row)
        constant: Floats = absent.sum(axis=(-2, -1))
        return said + constant[row]

    def describe(self) -> pd.DataFrame:
        """Part of the time that each action goes on, and when the most, the longest first."""
        columns = {"share": self.probs.mean(axis=1), "peak": self.probs.max(axis=1)}
        when = (self.probs.argmax(axis=1) + 0.5) / self.probs.shape[1]
        frame = pd.DataFrame({"action": self.actions} | columns | {"when": when})
        return frame.sort_values("share", ascending=False, kind="stable", ignore_index=True)

    def brief(self) -> str:
        """How many actions go on at a time, on average."""
        return f"about {self.probs.sum() / self.probs.shape[1]:.1f} actions at a time"

    def focus(self, other: "FittedOccupancy", X: IntervalSequences, part: Part) -> Part:
        """Instants in a row at which the action goes on, or does not, and that say most."""
        running = going_on(X, len(self.actions), self.probs.shape[1])[0, part.code]
        mine, its = self.probs[part.code], other.probs[part.code]
        said = np.where(running, np.log(mine / its), np.log((1 - mine) / (1 - its)))
        lead = said * np.sign(said.sum())
        agrees = lead >= lead.max() / 2  # instants nearby say a little of the same
        runs = np.split(
            np.arange(len(said)),
            np.flatnonzero((np.diff(running) != 0) | (np.diff(agrees) != 0)) + 1,
        )
        return part._replace(where=max(runs, key=lambda run: lead[run].sum()))

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """Whether the action goes on at these instants."""
        instants = self.probs.shape[1]
        running = going_on(X, len(self.actions), instants)[0, part.code]
        when = f"from {part.where[0] / instants:.0%} to {(part.where[-1] + 1) / instants:.0%}"
        verb = "goes on" if running[part.where[0]] else "does not go on"
        return f"{part.named} {verb} {when} of the instance"

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """Share of the instances in which it goes on at these instants."""
        share = per_cent(self.probs[part.code, part.where].mean())
        return f"it goes on in {share} of the instances"


@dataclass(frozen=True)
class Occupancy(StackedTerm):
    """Which actions go on at each of twenty relative times.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("occupancy",), random_state=0).fit(X, y)
    >>> model.activities_["apart, apart"]["occupancy"].describe().head(2).round(2)
      action  share  peak  when
    0   stir   0.35  0.99  0.98
    1   hold   0.25  0.97  0.02
    """

    name = "occupancy"
    fitted = FittedOccupancy
    pools = True

    def count_cells(self, X: IntervalSequences, cells: Cells) -> OccupancyCounts:
        """Count the instances in which each action goes on."""
        running = running_instants(X, len(X.actions), INSTANTS).by_cell(cells)
        return OccupancyCounts(
            running.reshape(cells.number, -1, INSTANTS),
            cells.instances[:, None, None],
        )

    def fit(
        self, counts: OccupancyCounts, pooled: OccupancyCounts, context: Context
    ) -> FittedOccupancy:
        """Shares of instances, at about each instant, drawn to those of all activities."""
        common = (pooled.going_on @ NEARBY + 0.5) / (pooled.instances + 1)
        probs = (counts.going_on @ NEARBY + STRENGTH * common) / (counts.instances + STRENGTH)
        return FittedOccupancy(context.actions, probs)


def going_on(X: IntervalSequences, actions: int, instants: int) -> Bools:
    """(n, actions, instants) whether an interval of the action covers the middle of each part."""
    owner, code, size = running_instants(X, actions, instants)
    running = np.zeros((len(X), size), bool)
    running[owner, code] = True
    return running.reshape(len(X), actions, instants)


def running_instants(X: IntervalSequences, actions: int, instants: int) -> Outcomes:
    """(action, instant) wherever an interval of a known action covers the middle of a part."""

    def look() -> Outcomes:
        runs, (begin, span) = ActionRuns.of(X, actions), time_spans(X)
        owner = X.owner[runs.order]
        first, last = (
            np.ceil((times[runs.order] - begin[owner]) / span[owner] * instants - 0.5)
            for times in (X.start, X.end)
        )
        run, instant = covered_instants(
            runs.edges, first.astype(np.int64), last.astype(np.int64), instants
        )
        code = runs.action[run] * instants + instant
        return Outcomes(runs.owner[run], code, actions * instants)

    return X.derived(("running", actions, instants), look)
