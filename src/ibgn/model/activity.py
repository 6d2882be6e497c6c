"""One activity as it was learned: its tables, its structure, its relations."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Floats
from ibgn.allen import Relation, symbols
from ibgn.intervals import IntervalSequences
from ibgn.model.explanation import Contributions
from ibgn.networks import Networks, read_networks, sum_by_instance
from ibgn.structure import Structure
from ibgn.terms.relations import Links, Smoothing, Unlinked, constraining, count_links, fit_links
from ibgn.terms.selection import LinkScores
from ibgn.terms.tables import Convergence, NodeLikelihood, Nodes, Sampling, fit_nodes

__all__ = ["ActivityModel", "fit_activity"]


@dataclass(frozen=True)
class ActivityModel:
    """What was learned about one activity.

    Parameters
    ----------
    name : the activity
    actions : names of all known actions
    nodes : tables and their actions
    links : relations and their probabilities
    link_scores : score of every candidate link, where the structure was learned
    lengths : (n,) numbers of intervals of the instances it was learned from
    pace : mean time between end points that follow each other
    """

    name: Any
    actions: tuple[str, ...]
    nodes: Nodes
    links: Links
    link_scores: LinkScores | None
    lengths: npt.NDArray[np.int64]
    pace: float

    @property
    def structure(self) -> Structure:
        """Which pairs of positions are linked."""
        return self.links.structure

    @property
    def convergence(self) -> Convergence:
        """Whether the chains that learned the tables ran long enough."""
        return self.nodes.convergence

    def log_likelihood(
        self,
        X: IntervalSequences,
        networks: Networks,
        node_likelihood: NodeLikelihood,
        unlinked: Unlinked,
        seed: int = 0,
    ) -> Floats:
        """Log P(nodes) + log P(relations) of each instance; actions coded as in training."""
        nodes = self.nodes.log_terms(X, node_likelihood, seed)
        links = self.links.log_terms(X, networks, unlinked)
        return sum_by_instance(X.offsets, nodes) + sum_by_instance(networks.offsets, links)

    def contributions(
        self, X: IntervalSequences, node_likelihood: NodeLikelihood, unlinked: Unlinked, seed: int
    ) -> Contributions:
        """Split the log likelihood of one instance over its intervals and relations."""
        networks = read_networks(X, constraining(self.structure, unlinked))
        k = len(X.action)
        links = np.zeros((k, k))
        links[np.triu_indices(k, 1)] = self.links.log_terms(X, networks, unlinked)
        return Contributions(self.nodes.log_terms(X, node_likelihood, seed), links, {})

    def tables(self, least: float = 0.01) -> pd.DataFrame:
        """Actions of each table with at least this share of the nodes, the likeliest first."""
        rows = [
            (table, share, self.actions[a], probs[a])
            for table, (share, probs) in enumerate(
                zip(self.nodes.shares, self.nodes.action_probs, strict=True)
            )
            if share >= least
            for a in np.argsort(-probs, kind="stable")
        ]
        return pd.DataFrame(rows, columns=["table", "share", "action", "probability"])

    def relations(self, least: float = 0.0) -> pd.DataFrame:
        """Relations of linked pairs given actions and constraint, the most telling first.

        `surprise` is how far the distribution is from even, in nats: log of the number of
        relations that were possible, less the entropy.
        """
        rows = []
        for key, log_probs in zip(self.links.keys.tolist(), self.links.log_probs, strict=True):
            pair, constraint = divmod(key, 128)
            first, second = divmod(pair, len(self.actions))
            probs = np.exp(log_probs)
            entropy = -(probs[probs > 0] * log_probs[probs > 0]).sum()
            best = Relation(int(probs.argmax()))
            surprise = np.log((probs > 0).sum()) - entropy
            rows.append(
                (
                    self.actions[first],
                    best.label,
                    self.actions[second],
                    symbols(constraint),
                    probs[best],
                    surprise,
                )
            )
        names = ["first", "relation", "second", "constraint", "probability", "surprise"]
        table = pd.DataFrame(rows, columns=names)
        table = table[table["probability"] >= least]
        return table.sort_values("surprise", ascending=False, kind="stable", ignore_index=True)

    def __repr__(self) -> str:
        linked = len(self.structure.links) or self.structure.beyond
        tables = int((self.nodes.shares >= 0.01).sum())
        shortest, longest = (min(self.lengths), max(self.lengths)) if len(self.lengths) else (0, 0)
        settled = "converged" if self.convergence.converged else "NOT converged"
        return (
            f"ActivityModel {self.name!r}: {len(self.lengths)} instances of "
            f"{shortest} to {longest} intervals, "
            f"{tables} tables, links: {linked}, {settled}"
        )


def fit_activity(
    name: Any,
    X: IntervalSequences,
    structure: Structure,
    link_scores: LinkScores | None,
    smoothing: Smoothing,
    unlinked: Unlinked,
    sampling: Sampling,
    rng: np.random.Generator,
) -> ActivityModel:
    """Learn one activity from its instances; all share the vocabulary of X."""
    networks = read_networks(X, constraining(structure, unlinked))
    counts = count_links(X, structure, networks)
    return ActivityModel(
        name=name,
        actions=X.actions,
        nodes=fit_nodes(X, sampling, rng, str(name)),
        links=fit_links(counts, structure, len(X.actions), smoothing),
        link_scores=link_scores,
        lengths=X.lengths,
        pace=_pace(X),
    )


def _pace(X: IntervalSequences) -> float:
    """Mean time between neighbouring end points of an instance that are not the same instant."""
    gaps = [
        gap
        for begin, stop in zip(X.offsets[:-1], X.offsets[1:], strict=True)
        for gap in np.diff(np.unique(np.concatenate([X.start[begin:stop], X.end[begin:stop]])))
    ]
    return float(np.mean(gaps)) if gaps else 1.0
