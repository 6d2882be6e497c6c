"""Recovery: data sampled from a known model give back its structure and its probabilities.

Run with `python -m benchmarks.recovery`; `make figures` draws what it measures.

The known activity has six positions in two blocks of three, one block before the other. In each
block the first pair is linked: whether it overlaps or starts depends on the two actions. Both leave
the same open for what follows, so no other relation depends on the actions, and the true structure
is {(0, 1), (3, 4)}.
"""

import warnings

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from ibgn import Structure
from ibgn._kernels.links import key_of
from ibgn.allen import ALL, Relation
from ibgn.model.activity import ActivityModel, fit_activity
from ibgn.model.generation import sample_instances
from ibgn.terms.relations import Links
from ibgn.terms.selection import score_links
from ibgn.terms.tables import Convergence, Nodes, Sampling

ACTIONS, POSITIONS = 4, 6
SIZES = (25, 50, 100, 200, 400, 800, 1600)
TRUE_LINKS = {(0, 1), (3, 4)}
RARE = 1e-12  # what hardly ever happens is possible all the same

Floats = npt.NDArray[np.float64]


def known_activity(seed: int = 0) -> ActivityModel:
    """The activity that is to be found again."""
    rng = np.random.default_rng(seed)
    converged = Convergence(0, 1, 1, 1.0, float("nan"), 1.0, True, np.zeros((1, 1)))
    nodes = Nodes(
        rng.dirichlet(np.ones(ACTIONS), 2), np.array([0.7, 0.3]), 1.0, np.ones(ACTIONS), converged
    )
    pairs = [(a, b) for a in range(ACTIONS) for b in range(ACTIONS)]
    keys = np.array([key_of(a, b, ALL, ACTIONS) for a, b in pairs])
    probs = np.full((len(keys), 7), RARE)
    probs[:, Relation.OVERLAPS] = rng.uniform(0.05, 0.95, len(keys))
    probs[:, Relation.STARTS] = 1 - probs[:, Relation.OVERLAPS]
    return ActivityModel(
        name="known",
        actions=tuple("abcd"),
        nodes=nodes,
        links=Links(
            Structure(TRUE_LINKS, POSITIONS),
            ACTIONS,
            keys,
            np.log(probs),
            np.log(np.full((128, 7), 1 / 7)),
            np.log(relations_by_position()),
            np.log(np.full(7, 1 / 7)),
        ),
        link_scores=None,
        lengths=np.array([POSITIONS]),
        pace=1.0,
    )


def relations_by_position() -> Floats:
    """Within a block the second pair overlaps or contains; blocks follow each other."""
    probs = np.full((POSITIONS, POSITIONS, 7), RARE)
    for i in range(POSITIONS):
        for j in range(i + 1, POSITIONS):
            same = i // 3 == j // 3
            probs[i, j, [Relation.OVERLAPS, Relation.CONTAINS] if same else [Relation.BEFORE]] = 0.5
    return probs / probs.sum(axis=2, keepdims=True)


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
    scores = score_links(X, "bic")
    sampling = Sampling(draws=100, budget=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = fit_activity(
            "found", X, scores.structure, scores, 1.0, "constrained", sampling, rng
        )
    known = model.links if (0, 1) in scores.structure.links else None
    relations = [
        variation(truth.links.probs(a, b, ALL), known.probs(a, b, ALL) if known else np.ones(7) / 7)
        for a in range(ACTIONS)
        for b in range(ACTIONS)
    ]
    links = scores.structure.links
    jaccard = len(links & TRUE_LINKS) / len(links | TRUE_LINKS)
    off = variation(actions, model.nodes.shares @ model.nodes.action_probs)
    return off, float(np.mean(relations)), jaccard


def expected_actions(truth: ActivityModel, rng: np.random.Generator) -> Floats:
    """How often each action occurs, over many draws of seats."""
    seats = np.zeros(POSITIONS)
    for _ in range(5000):
        at: list[int] = []
        for n in range(POSITIONS):
            z = int(rng.choice(len(at) + 1, p=np.array([*at, 1.0]) / (n + 1)))
            at[z:] = [at[z] + 1, *at[z + 1 :]] if z < len(at) else [1]
        seats[: len(at)] += at
    mixed: Floats = seats / seats.sum() @ truth.nodes.emission(POSITIONS)[:, :ACTIONS]
    return mixed


def variation(p: Floats, q: Floats) -> float:
    """Total variation of two distributions."""
    return float(np.abs(p - q).sum() / 2)


if __name__ == "__main__":
    print("instances  actions  relations  links")
    for size, actions, relations, links in zip(*measure(), strict=True):
        print(f"{size:9.0f}  {actions:7.3f}  {relations:9.3f}  {links:5.2f}")
