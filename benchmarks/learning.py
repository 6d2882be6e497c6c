"""Learning: structure, sampler and a whole fit, compared with alternatives in one run.

Run with `make bench`, which names the folder of recordings if there is one; without SKATING.csv in
it, or without pgmpy or aeon, the comparison that needs it is left out with a message.
"""

import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from benchmarks.record import Measured, show
from ibgn import IBGNClassifier, IntervalSequences, read_csv
from ibgn._kernels import links, sampling
from ibgn.allen import relation
from ibgn.datasets import make_hand_signs
from ibgn.terms import seating
from ibgn.terms.selection import score_links

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import naive_links
import naive_sampling


def seconds(work: Callable[[], Any], repeats: int = 3) -> float:
    """Best time of a call."""
    times = []
    for _ in range(repeats):
        before = time.perf_counter()
        work()
        times.append(time.perf_counter() - before)
    return min(times)


def measure_structure() -> Measured:
    """All candidate links of one word, against pgmpy's BIC local scores of the same links.

    Without pgmpy, against the plain twin of the kernel.
    """
    X, y, _ = make_hand_signs(random_state=0)
    X = X[y == "ketchup"]
    pairs = [(i, j) for j in range(int(X.lengths.max())) for i in range(j)]
    try:
        from pgmpy.structure_score import BIC
    except ImportError:
        yardstick, notes = "its plain twin", ["pgmpy is not installed: the plain twin instead"]

        def local_scores() -> Any:
            with patch.object(links, "link_gains", naive_links.link_gains):
                return score_links(X, "bic-published").score
    else:
        yardstick, notes = "pgmpy", []
        table, names = as_variables(X)

        def local_scores() -> Any:
            score = BIC(table, state_names=names)  # a new one, as it remembers what it was asked
            return [
                score.local_score(f"r{i},{j}", (f"a{i}", f"a{j}"))
                - score.local_score(f"r{i},{j}", ())
                for i, j in pairs
            ]

    theirs = np.sort(local_scores())
    ours = np.sort(score_links(X, "bic-published").score)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    mine, other = seconds(lambda: score_links(X, "bic-published"), 10), seconds(local_scores, 2)
    notes.append(
        f"{len(pairs)} links of {len(X)} instances: {1000 * mine:.1f} ms; {yardstick} {other:.2f} s"
    )
    return Measured({f"structure learning, against {yardstick}": other / mine}, notes=notes)


def as_variables(X: IntervalSequences) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """Actions and relations of each position as columns, null if an instance is too short."""
    longest = int(X.lengths.max())
    rows = []
    for instance in X.to_lists():
        row = {f"a{i}": "null" for i in range(longest)}
        row |= {f"r{i},{j}": "null" for j in range(longest) for i in range(j)}
        for j, (action, start, end) in enumerate(instance):
            row[f"a{j}"] = action
            for i, (_, s, e) in enumerate(instance[:j]):
                row[f"r{i},{j}"] = relation((s, e), (start, end)).symbol
        rows.append(row)
    table = pd.DataFrame(rows)
    actions, relations = [*X.actions, "null"], [*"bmoscfe", "null"]
    return table, {name: actions if name[0] == "a" else relations for name in table}


def compare_sweep() -> None:
    """One sweep of the exact sampler, against its plain twin, from the same state."""
    X, y, _ = make_hand_signs(random_state=0)
    X = X[y == "ketchup"]
    start = seating.initial_state(X, 1.0, np.full(len(X.actions), 0.1))
    fixed = seating.Sampling(concentration=1.0, action_prior=0.1)
    start = seating.run(X, start, fixed, np.random.default_rng(0), 50).state

    def sweep(module: Any) -> Any:
        state = seating.copy(start)
        rng = np.random.default_rng(1)
        module.sweep_exact(X.offsets, X.action, *state, seating.MOVES, rng)
        return state[0]

    np.testing.assert_array_equal(sweep(sampling), sweep(naive_sampling))
    compiled = seconds(lambda: sweep(sampling), 20)
    plain = seconds(lambda: sweep(naive_sampling), 2)
    print(
        f"one sweep over {len(X.action)} nodes: {1000 * compiled:.2f} ms; plain twin "
        f"{1000 * plain:.0f} ms: {plain / compiled:,.0f} times as long"
    )


def compare_whole_fit(folder: Path) -> None:
    """Fit and predict SKATING, against MiniRocket with ridge on a raster of 200 steps."""
    path = folder / "SKATING.csv"
    if not path.exists():
        print(f"fit and predict: there is no SKATING.csv in {folder.name!r}")
        return
    try:
        from aeon.transformations.collection.convolution_based import MiniRocket
    except ImportError:
        print("fit and predict: aeon is not installed")
        return
    from sklearn.linear_model import RidgeClassifierCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = read_csv(path, closed="both")

    def ours() -> Any:
        return IBGNClassifier(random_state=0, n_jobs=2).fit(X, y).predict(X)

    def theirs() -> Any:
        rows = rasterise(X, 200)
        rocket = MiniRocket(random_state=0, n_jobs=2)
        ridge = RidgeClassifierCV(alphas=np.logspace(-3, 3, 10))
        return (
            make_pipeline(rocket, StandardScaler(with_mean=False), ridge).fit(rows, y).predict(rows)
        )

    ours(), theirs()  # compile
    mine, other = seconds(ours), seconds(theirs)
    print(
        f"fit and predict SKATING: {mine:.2f} s; MiniRocket with ridge {other:.2f} s: "
        f"{other / mine:.1f} times as long"
    )


def rasterise(X: IntervalSequences, steps: int) -> np.ndarray:
    """Which actions are in progress at each step, (instances, actions, steps)."""
    first = np.repeat(np.minimum.reduceat(X.start, X.offsets[:-1]), X.lengths)
    last = np.repeat(np.maximum.reduceat(X.end, X.offsets[:-1]), X.lengths)
    begin = ((X.start - first) / (last - first) * steps).astype(int)
    stop = np.maximum(((X.end - first) / (last - first) * steps).astype(int), begin + 1)
    raster = np.zeros((len(X), len(X.actions), steps), np.float32)
    for d, a, b, s in zip(
        np.repeat(np.arange(len(X)), X.lengths), X.action, begin, stop, strict=True
    ):
        raster[d, a, b:s] = 1
    return raster


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    print("\n".join(show({"structure": measure_structure()})))
    compare_sweep()
    compare_whole_fit(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("data"))
