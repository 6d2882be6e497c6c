"""Why one activity and not another: the log odds, split over intervals and relations."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn.activity import ActivityModel
from ibgn.allen import Relation
from ibgn.intervals import IntervalSequences
from ibgn.links import Unlinked, constraining
from ibgn.networks import read_networks
from ibgn.nodes import NodeLikelihood

__all__ = ["Explanation", "explain"]

Floats = npt.NDArray[np.float64]


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
    """

    activity: Any
    against: Any
    instance: IntervalSequences
    log_odds: float
    prior: float
    nodes: Floats
    links: Floats
    relations: npt.NDArray[np.uint8]

    def table(self) -> pd.DataFrame:
        """One row a contribution, the weightiest first; they add up to the log odds."""
        names = [self.instance.actions[code] for code in self.instance.action]
        rows: list[tuple[Any, ...]] = [("prior", -1, -1, "", "", "", self.prior)]
        rows += [("node", i, -1, names[i], "", "", value) for i, value in enumerate(self.nodes)]
        for i, j in zip(*np.triu_indices(len(names), 1), strict=True):
            held = Relation(int(self.relations[i, j])).label
            rows.append(("link", i, j, names[i], held, names[j], self.links[i, j]))
        columns = ["kind", "first", "second", "action", "relation", "other", "contribution"]
        table = pd.DataFrame(rows, columns=columns)
        order = table["contribution"].abs().sort_values(ascending=False, kind="stable").index
        return table.loc[order].reset_index(drop=True)

    def __repr__(self) -> str:
        return (
            f"Explanation: {self.activity!r} against {self.against!r}, log odds "
            f"{self.log_odds:.2f} = prior {self.prior:.2f} + actions {self.nodes.sum():.2f} "
            f"+ relations {self.links.sum():.2f}"
        )


def explain(
    X: IntervalSequences,
    shown: IntervalSequences,
    activity: ActivityModel,
    against: ActivityModel,
    prior: float,
    node_likelihood: NodeLikelihood,
    unlinked: Unlinked,
    seed: int,
) -> Explanation:
    """Split the log odds of two activities over one instance.

    X is the instance with actions coded as in training, shown the same one as it was given. Equal
    intervals may stand in another order in it, so what is shown follows X.
    """
    for_it, against_it = (
        _contributions(X, model, node_likelihood, unlinked, seed) for model in (activity, against)
    )
    nodes, links = for_it[0] - against_it[0], for_it[1] - against_it[1]
    k = len(nodes)
    matrix = np.zeros((k, k))
    matrix[np.triu_indices(k, 1)] = links
    return Explanation(
        activity=activity.name,
        against=against.name,
        instance=shown,
        log_odds=float(prior + nodes.sum() + links.sum()),
        prior=prior,
        nodes=nodes,
        links=matrix,
        relations=read_networks(X)[0].relations,
    )


def _contributions(
    X: IntervalSequences,
    model: ActivityModel,
    node_likelihood: NodeLikelihood,
    unlinked: Unlinked,
    seed: int,
) -> tuple[Floats, Floats]:
    networks = read_networks(X, constraining(model.structure, unlinked))
    return (
        model.nodes.log_terms(X, node_likelihood, seed),
        model.links.log_terms(X, networks, unlinked),
    )
