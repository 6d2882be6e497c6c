"""Recovery: data sampled from a known model give back its structure and its probabilities.

Run with `python -m benchmarks.recovery`; `make figures` draws what it measures.

The known activity has six positions. Two pairs of neighbours are linked: whether they overlap or
start together depends on the two actions. All other pairs have each of the relations that those
before leave open with the same probability, so the true structure is {(0, 1), (3, 4)}. What the
links leave open for others does depend on actions, but a link is judged within its constraint.
"""

import warnings

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from ibgn import Structure
from ibgn._kernels.links import key_of
from ibgn.allen import ALL, Relation
from ibgn.model.activity import ActivityModel
from ibgn.model.generation import sample_instances
from ibgn.terms import Context, Relations, Tables
from ibgn.terms.relations import FittedRelations
from ibgn.terms.selection import score_links
from ibgn.terms.smoothing import MEMBERS
from ibgn.terms.tables import Convergence, FittedTables

ACTIONS, POSITIONS = 4, 6
SIZES = (25, 50, 100, 200, 400, 800, 1600)
TRUE_LINKS = {(0, 1), (3, 4)}
RARE = 1e-12  # rare relations stay possible
PAIRS = [(a, b) for a in range(ACTIONS) for b in range(ACTIONS)]

Floats = npt.NDArray[np.float64]


def known_activity(seed: int = 0) -> ActivityModel:
    """The activity that is to be found again."""
    rng = np.random.default_rng(seed)
    converged = Convergence(0, 1, 1, 1.0, 1.0, 1.0, True, np.zeros((3, 1, 1)))
    actions = tuple("abcd")
    tables = FittedTables(
        actions=actions,
        action_probs=rng.dirichlet(np.ones(ACTIONS), 2),
        shares=np.array([0.7, 0.3]),
        concentration=1.0,
        action_prior=np.ones(ACTIONS),
        convergence=converged,
    )
    keys = np.array([key_of(a, b, left_open(a, b), ACTIONS) for a, b in PAIRS])
    probs = np.where(MEMBERS[keys % 128], RARE, 0.0)
    probs[:, Relation.OVERLAPS] = rng.uniform(0.05, 0.95, len(keys))
    probs[:, Relation.STARTS] = 1 - probs[:, Relation.OVERLAPS]
    with np.errstate(divide="ignore"):
        even = np.log(MEMBERS / np.maximum(MEMBERS.sum(axis=1, keepdims=True), 1))
        relations = FittedRelations(
            actions=actions,
            structure=Structure(TRUE_LINKS, POSITIONS),
            keys=keys,
            log_probs=np.log(probs),
            unknown=np.stack([even, even]),
        )
    terms = {"tables": tables, "relations": relations}
    return ActivityModel("known", actions, terms, lengths=np.array([POSITIONS]), pace=1.0)


def left_open(first: int, second: int) -> int:
    """Relations of neighbours with these actions: equal intervals are sorted by action."""
    return ALL if first <= second else ALL & ~Relation.EQUALS.mask


def measure(sizes: tuple[int, ...] = SIZES, seed: int = 0, repeats: int = 5) -> tuple[Floats, ...]:
    """Sizes, errors of actions and relations (total variation), and links found (Jaccard)."""
    truth = known_activity()
    actions = expected_actions(truth, np.random.default_rng(seed))

    def once(size: int, repeat: int) -> tuple[float, ...]:
        return recover(truth, actions, size, np.random.default_rng([seed, size, repeat]))

    found = np.array([[once(size, r) for r in range(repeats)] for size in sizes]).mean(axis=1)
    return np.array(sizes, float), *found.T


def recover(
    truth: ActivityModel, actions: Floats, size: int, rng: np.random.Generator
) -> tuple[float, ...]:
    """Learn again from a sample; how far off actions and relations are, and the links found."""
    X = sample_instances(truth, size, rng)
    structure = score_links(X, "bic").structure
    context = Context("known", X.actions, 0, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        tables, relations = (
            term.fit(term.count(X), None, context)
            for term in (Tables(draws=100, budget=1000), Relations(structure))
        )
    linked = (0, 1) in structure.links
    off = [
        variation(
            truth["relations"].probs(a, b, left_open(a, b)),
            relations.probs(a, b, left_open(a, b), linked),
        )
        for a, b in PAIRS
    ]
    jaccard = len(structure.links & TRUE_LINKS) / len(structure.links | TRUE_LINKS)
    found = tables.shares @ tables.action_probs
    return variation(actions, found), float(np.mean(off)), jaccard


def expected_actions(truth: ActivityModel, rng: np.random.Generator) -> Floats:
    """How often each action occurs, over many draws of seats."""
    seats = np.zeros(POSITIONS)
    for _ in range(5000):
        at: list[int] = []
        for n in range(POSITIONS):
            z = int(rng.choice(len(at) + 1, p=np.array([*at, 1.0]) / (n + 1)))
            at[z:] = [at[z] + 1, *at[z + 1 :]] if z < len(at) else [1]
        seats[: len(at)] += at
    mixed: Floats = seats / seats.sum() @ truth["tables"].emission(POSITIONS)[:, :ACTIONS]
    return mixed


def variation(p: Floats, q: Floats) -> float:
    """Total variation of two distributions."""
    return float(np.abs(p - q).sum() / 2)


if __name__ == "__main__":
    print("instances  actions  relations  links")
    for size, actions, relations, links in zip(*measure(), strict=True):
        print(f"{size:9.0f}  {actions:7.3f}  {relations:9.3f}  {links:5.2f}")
