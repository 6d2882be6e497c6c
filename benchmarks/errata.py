"""Where the paper does not work as printed, shown by computation; needs no data.

Run with `python -m benchmarks.errata`. docs/errata.md explains each point.
"""

import itertools
import warnings

import numpy as np
from rich.console import Console
from scipy.special import digamma
from sklearn.model_selection import StratifiedKFold, cross_val_score

from ibgn import IBGNClassifier, IntervalSequences, consistency, read_networks
from ibgn.allen import ALL, COMPOSITION, CONSTRAINTS, Relation, members, relation, symbols
from ibgn.datasets import make_hand_signs
from ibgn.terms import Context, Relations, seating
from ibgn.terms.selection import score_links

console = Console(soft_wrap=True, highlight=False)
say = console.print
PAIRS = list(itertools.combinations(range(4), 2))


def bic_never_links() -> None:
    """The penalty of one link against the most that a link can ever gain, N log 8."""
    say("[b]1. BIC as printed never links[/b]: most a link can gain, and what it costs")
    for name, instances, actions in (
        ("OSUPEL", 36, 6),
        ("Opportunity", 25, 211),
        ("CAD14", 43, 26),
        ("hand signs", 183, 20),
    ):
        gain, cost = instances * np.log(8), np.log(instances) / 2 * 7 * ((actions + 1) ** 2 - 1)
        say(f"   {name:12} N={instances:3} M={actions:3}  {gain:6.0f} against {cost:9.0f}")


def hand_sign_accuracy(**options: object) -> float:
    """Cross-validated accuracy on a small set of simulated signs."""
    X, y, _ = make_hand_signs(instances_per_style=15, random_state=0)
    terms = ("actions", "relations")  # of the paper's terms, without the sampler
    model = IBGNClassifier(terms=terms, weights="equal", random_state=0, **options)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return float(cross_val_score(model, X, y, cv=folds).mean())


def different_links() -> None:
    """Accuracy with a structure for each activity, by how unlinked pairs are scored."""
    say("[b]2. Activities with different links[/b] score different variables; fewer links win")
    for unlinked in ("ignore", "marginal", "constrained"):
        accuracy = hand_sign_accuracy(structure="learned", criterion="bic", unlinked=unlinked)
        say(f"   structure learned by 'bic', unlinked={unlinked!r:14}: accuracy {accuracy:.3f}")


def thirteen_sets() -> None:
    """Constraints met in random instances: fully linked, and under random structures."""
    say("[b]3. Constraints are 13 sets, not 11[/b]")
    rng = np.random.default_rng(0)
    for name in ("full", "random"):
        met = set()
        for largest in [4, 8] * 500:
            start, duration = rng.integers(0, largest, 7), rng.integers(1, largest, 7)
            rows = [("a", s, s + d) for s, d in zip(start, duration, strict=True)]
            links = [(i, j) for j in range(7) for i in range(j) if rng.random() < 0.4]
            met |= set(
                read_networks([rows], "full" if name == "full" else links).constraint.tolist()
            )
        names = " ".join(sorted(map(symbols, met)))
        say(f"   {name:6} structures: {len(met):2} of {len(CONSTRAINTS)}: {names}")


def failing_theorem() -> None:
    """Structures of four nodes for which the printed rule makes impossible networks."""
    say("[b]4. Theorem 1 fails for other structures than chain and full[/b]")
    ordered = sorted(itertools.combinations(range(8), 2))
    possible = {
        tuple(relation(chosen[i], chosen[j]) for i, j in PAIRS)
        for chosen in itertools.combinations_with_replacement(ordered, 4)
    }
    failing = []
    for linked in itertools.product([False, True], repeat=6):
        structure = [pair for pair, there in enumerate(linked) if there]
        real = {tuple(network[pair] for pair in structure) for network in possible}
        if set(generate_as_printed(structure)) != real:
            failing.append([PAIRS[pair] for pair in structure])
    say(f"   {len(possible)} networks of four intervals; the rule fails on {len(failing)} of 64")
    example = {(0, 1): "c", (0, 2): "f", (1, 3): "e"}
    why = consistency.smallest_contradiction(example)
    say(f"   {example} obeys every constraint; contradiction: {why}")


def generate_as_printed(structure: list[int]):
    """All relations on the linked pairs that the rule of the paper allows."""
    order = [(m, n) for n in range(1, 4) for m in range(n - 1, -1, -1)]
    linked = {PAIRS[pair] for pair in structure}

    def extend(known, drawn, rest):
        if not rest:
            yield tuple(drawn[PAIRS[pair]] for pair in structure)
            return
        (m, n), *rest = rest
        allowed = ALL
        for between in range(m + 1, n):
            allowed &= COMPOSITION[known[m, between], known[between, n]]
        if (m, n) not in linked:
            yield from extend(known | {(m, n): int(allowed)}, drawn, rest)
        elif allowed == 0:
            yield None
        else:
            for held in members(int(allowed)):
                yield from extend(known | {(m, n): held.mask}, drawn | {(m, n): held}, rest)

    yield from extend({}, {}, order)


def unweighted_sum() -> None:
    """Sum of the printed node likelihood over all sequences of a length."""
    say("[b]5. The printed node likelihood is no probability[/b]: summed over all sequences of 4")
    rng = np.random.default_rng(0)
    for tables in (1, 2, 5):
        theta = rng.dirichlet(np.ones(3), tables)
        of_action = theta.sum(axis=0)
        total = sum(np.prod(of_action[list(s)]) for s in itertools.product(range(3), repeat=4))
        say(f"   {tables} tables: {total:.0f}")


def sampler() -> None:
    """Posterior mean counts of seven nodes: enumeration, exact and published sampler."""
    say("[b]6. The printed sampler has another target[/b]: mean nodes at tables 1 to 4 of 7 nodes")
    rows = [
        [("0", 0, 1), ("1", 1, 2), ("0", 2, 3), ("2", 3, 4)],
        [("1", 0, 1), ("1", 1, 2), ("2", 2, 3)],
    ]
    X = IntervalSequences.from_lists(rows)
    concentration, prior = 0.7, np.array([0.5, 0.3, 0.2])
    say(f"   enumeration {enumerate_tables(X, concentration, prior).round(2)}")
    start = seating.initial_state(X, concentration, prior)
    for name in ("exact", "published"):
        fixed = seating.Sampling(name, concentration=concentration, action_prior=1.0)
        rng = np.random.default_rng(0)
        summed = seating.run(X, start, fixed, rng, 200_000).counts
        say(f"   {name:11} {(summed.sum(axis=1) / 200_000).round(2)}")


def enumerate_tables(X: IntervalSequences, concentration: float, prior: np.ndarray) -> np.ndarray:
    """Posterior mean of the nodes at each table, over all seatings."""
    total, weight = np.zeros(4), 0.0
    for first, second in itertools.product(seatings(4), seatings(3)):
        state = seating.initial_state(X, concentration, prior, np.array(first + second))
        p = np.exp(seating.log_joint(X, state))
        total, weight = total + p * state.totals, weight + p
    return total / weight


def seatings(k: int) -> list[tuple[int, ...]]:
    """All seatings of k nodes: restricted growth strings."""
    seatings = [(0,)]
    for _ in range(k - 1):
        seatings = [(*seats, z) for seats in seatings for z in range(max(seats) + 2)]
    return seatings


def diverging_update() -> None:
    """Strength of the action prior after some steps, as printed and over tables."""
    say("[b]7. The printed update of beta diverges[/b]: sum of beta after 0, 10, 100, 1000 steps")
    counts = np.array([[40, 10, 5], [8, 30, 4], [3, 5, 20]])
    for name, data in (
        ("one pooled vector", counts.sum(axis=0, keepdims=True)),
        ("tables", counts),
    ):
        beta, shown = np.ones(3), [3.0]
        for step in range(1, 1001):
            gained = (digamma(data + beta) - digamma(beta)).sum(axis=0)
            spread = (digamma(data.sum(axis=1) + beta.sum()) - digamma(beta.sum())).sum()
            beta = beta * gained / spread
            if step in (10, 100, 1000):
                shown.append(float(beta.sum()))
        say(f"   {name:18}" + "".join(f"{value:9.2f}" for value in shown))


def smoothing() -> None:
    """Accuracy of a fully linked model by smoothing."""
    say("[b]8. A smoothing of 1e-5 costs a lot[/b]")
    for value in (1e-5, 1e-2, 1.0):
        say(f"   smoothing {value:7g}: accuracy {hand_sign_accuracy(smoothing=value):.3f}")


def padding() -> None:
    """Links found where relations do not depend on actions, with null relations and without."""
    say("[b]9. Null relations make false links[/b]: relations independent of actions")
    rng = np.random.default_rng(0)
    for shortest in (3, 6):
        X = random_instances([6, *rng.integers(shortest, 7, 399).tolist()], rng)
        found = (score_links(X, "bic-published").gain > charge_with_nulls(X)).sum()
        ours = len(score_links(X, "bic").structure.links)
        say(f"   lengths {shortest} to 6: {found} of 15 with null relations, {ours} without")


def random_instances(lengths: list[int], rng: np.random.Generator) -> IntervalSequences:
    """Intervals of three actions, which have no effect on start and end."""
    rows = []
    for k in lengths:
        start = np.cumsum(rng.integers(0, 4, k))
        end = start + rng.integers(1, 7, k)
        rows.append(list(zip(rng.choice(list("abc"), k).tolist(), start, end, strict=True)))
    return IntervalSequences.from_lists(rows)


def charge_with_nulls(X: IntervalSequences) -> np.ndarray:
    """What a link costs by BIC for what occurs, null actions and relations among it."""
    seen: dict[tuple[int, int], tuple[set, set]] = {
        pair: (set(), set()) for pair in itertools.combinations(range(6), 2)
    }
    for part, network in zip(X, read_networks(X), strict=True):
        actions = [*part.action.tolist(), *[None] * 6][:6]
        for (i, j), (relations, parents) in seen.items():
            relations.add(int(network.relations[i, j]) if j < len(network) else None)
            parents.add((actions[i], actions[j]))
    free = [(len(relations) - 1) * (len(parents) - 1) for relations, parents in seen.values()]
    return np.log(len(X)) / 2 * np.array(free)


def ties() -> None:
    """Probability of all pairs of intervals that can be observed."""
    say("[b]10. Ties count twice[/b]: probability of all instances of two intervals, as sorted")
    X = random_instances([2] * 200, np.random.default_rng(0))
    share = np.bincount(X.action) / len(X.action)
    context = Context("any", X.actions, 0, np.random.default_rng(0))
    for choice in ("published", "sorted"):
        term = Relations(ties=choice)
        learned = term.fit(term.count(X), None, context)
        total = 0.0
        for (a, p), (b, q) in itertools.product(enumerate(share), repeat=2):
            allowed = ALL & ~Relation.EQUALS.mask if choice == "sorted" and a > b else ALL
            probs = learned.probs(a, b, allowed)
            total += p * q * (probs.sum() - (probs[Relation.EQUALS] if a > b else 0.0))
        say(f"   ties={choice!r:12}: {total:.3f}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for show in (
        bic_never_links,
        different_links,
        thirteen_sets,
        failing_theorem,
        unweighted_sum,
        sampler,
        diverging_update,
        smoothing,
        padding,
        ties,
    ):
        show()
