"""What is in the data, and what looks like a mistake."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats
from ibgn.columns import as_column
from ibgn.errors import DataWarning
from ibgn.inspection.mistakes import LONGEST, find_mistakes
from ibgn.intervals import as_sequences
from ibgn.networks import Sequences, count_pairs

__all__ = ["Inspection", "inspect"]


@dataclass(frozen=True)
class Inspection:
    """Counts of everything, and warnings about likely mistakes.

    Parameters
    ----------
    instances, activities, actions, intervals : how many there are
    unlabelled : how many instances have no label
    groups : how many there are, or None if instances have no group
    intervals_per_instance, duration : smallest, median and largest
    instances_per_activity, intervals_per_action : counts by name
    relations, constraints : pairs of intervals by symbol, in fully linked networks; instances of
        more than 30,000 intervals are left out, with a warning
    warnings : what looks like a mistake, and what to do about it

    Examples
    --------
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> found = inspect(X, y)
    >>> found.instances, found.activities, found.warnings
    (20, 4, ())
    """

    instances: int
    activities: int
    actions: int
    intervals: int
    unlabelled: int
    groups: int | None
    intervals_per_instance: dict[str, float]
    duration: dict[str, float]
    instances_per_activity: dict[str, int]
    intervals_per_action: dict[str, int]
    relations: dict[str, int]
    constraints: dict[str, int]
    warnings: tuple[DataWarning, ...]

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, strings, lists and dictionaries."""
        return asdict(self) | {"warnings": list(map(str, self.warnings))}


def inspect(
    X: Sequences, y: Sequence[Any] | npt.NDArray[Any] | None = None, n_jobs: int | None = None
) -> Inspection:
    """Count instances, activities, actions, intervals and relations, and look for mistakes.

    Examples
    --------
    >>> data = inspect([[("reach", 0, 2), ("grasp", 2, 5)], [("reach", 0, 1)]], ["take", "wave"])
    >>> data.instances, data.activities, data.actions, data.intervals, data.relations["m"]
    (2, 2, 2, 3, 1)
    """
    X = as_sequences(X)
    labels = [None] * len(X) if y is None else as_column("y", y, len(X)).tolist()
    activities = Counter(str(label) for label in labels if label is not None)
    short = X.lengths <= LONGEST
    counts = count_pairs(X if short.all() else X[short], n_jobs=n_jobs)
    each = np.bincount(X.action, minlength=len(X.actions)).tolist()
    return Inspection(
        instances=len(X),
        activities=len(activities),
        actions=len(X.actions),
        intervals=len(X.action),
        unlabelled=labels.count(None),
        groups=None if X.groups is None else len(set(X.groups.tolist())),
        intervals_per_instance=_spread(X.lengths.astype(float)),
        duration=_spread(X.end - X.start),
        instances_per_activity=dict(sorted(activities.items())),
        intervals_per_action=dict(zip(X.actions, each, strict=True)),
        relations=counts.relations,
        constraints=counts.constraints,
        warnings=tuple(find_mistakes(X, activities)),
    )


def _spread(values: Floats) -> dict[str, float]:
    if len(values) == 0:
        return {"least": 0.0, "median": 0.0, "most": 0.0}
    least, median, most = float(values.min()), float(np.median(values)), float(values.max())
    return {"least": least, "median": median, "most": most}
