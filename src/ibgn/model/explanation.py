"""Why one activity and not another: the log odds, split over intervals and relations."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Floats
from ibgn.allen import Relation
from ibgn.intervals import IntervalSequences

__all__ = ["Contributions", "Explanation", "compare"]


class Contributions(NamedTuple):
    """log P(instance | activity), split over what the instance is made of.

    Parameters
    ----------
    nodes : (k,) what each interval adds
    links : (k, k) what the relation of each pair i < j adds, and 0 elsewhere
    absent : what it adds that an action does not occur, where a model counts that
    """

    nodes: Floats
    links: Floats
    absent: dict[str, float]


@dataclass(frozen=True)
class Explanation:
    """log odds of an activity against another, split exactly.

    Parameters
    ----------
    activity, against : the two labels
    instance : the instance that is explained
    log_odds : log P(activity, instance) - log P(against, instance)
    prior : what the class prior adds
    nodes : (k,) what each interval adds
    links : (k, k) what the relation of each pair i < j adds, and 0 elsewhere
    relations : (k, k) the relation of each pair
    absent : what it adds that an action does not occur, where the model counts that
    """

    activity: Any
    against: Any
    instance: IntervalSequences
    log_odds: float
    prior: float
    nodes: Floats
    links: Floats
    relations: npt.NDArray[np.uint8]
    absent: dict[str, float] = field(default_factory=dict)

    def table(self) -> pd.DataFrame:
        """One row a contribution, the weightiest first; they add up to the log odds.

        Pairs that add nothing are left out.
        """
        names = [self.instance.actions[code] for code in self.instance.action]
        rows: list[tuple[Any, ...]] = [("prior", -1, -1, "", "", "", self.prior)]
        rows += [("node", i, -1, names[i], "", "", value) for i, value in enumerate(self.nodes)]
        rows += [("absent", -1, -1, name, "", "", value) for name, value in self.absent.items()]
        for i, j in zip(*np.nonzero(self.links), strict=True):
            held = Relation(int(self.relations[i, j])).label
            rows.append(("link", i, j, names[i], held, names[j], self.links[i, j]))
        columns = ["kind", "first", "second", "action", "relation", "other", "contribution"]
        table = pd.DataFrame(rows, columns=columns)
        order = table["contribution"].abs().sort_values(ascending=False, kind="stable").index
        return table.loc[order].reset_index(drop=True)

    def __repr__(self) -> str:
        missing = f" + absent actions {sum(self.absent.values()):.2f}" if self.absent else ""
        return (
            f"Explanation: {self.activity!r} against {self.against!r}, log odds "
            f"{self.log_odds:.2f} = prior {self.prior:.2f} + actions {self.nodes.sum():.2f} "
            f"+ relations {self.links.sum():.2f}{missing}"
        )


def compare(
    labels: tuple[Any, Any],
    contributions: tuple[Contributions, Contributions],
    prior: float,
    instance: IntervalSequences,
    relations: npt.NDArray[np.uint8],
) -> Explanation:
    """Split the log odds of two activities by what each part of an instance adds to either."""
    for_it, against_it = contributions
    nodes, links = for_it.nodes - against_it.nodes, for_it.links - against_it.links
    absent = {name: value - against_it.absent[name] for name, value in for_it.absent.items()}
    return Explanation(
        activity=labels[0],
        against=labels[1],
        instance=instance,
        log_odds=float(prior + nodes.sum() + links.sum() + sum(absent.values())),
        prior=prior,
        nodes=nodes,
        links=links,
        relations=relations,
        absent=absent,
    )
