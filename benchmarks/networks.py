"""Relations and constraints: the kernels against their plain twins and against vectorised NumPy.

Run with `make bench`. All three do the same work on the same instances, and their results are
compared before they are timed.
"""

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from ibgn import IntervalSequences, count_pairs, read_networks
from ibgn._kernels import pairs as kernels
from ibgn.allen import ALL, COMPOSITION

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import naive

console = Console(soft_wrap=True)
Result = npt.NDArray[np.uint8]


def random_sequences(instances: int, k: int, seed: int = 0) -> IntervalSequences:
    """Instances of k intervals on a grid coarse enough for all seven relations to occur."""
    rng = np.random.default_rng(seed)
    start = rng.integers(0, 2 * k, (instances, k)).astype(float)
    end = start + rng.integers(1, max(k // 2, 3), (instances, k))
    action = rng.integers(0, 10, (instances, k))
    owner = np.repeat(np.arange(instances), k)
    order = np.lexsort((action.ravel(), end.ravel(), start.ravel(), owner))
    flat = (values.ravel()[order] for values in (action, start, end))
    offsets = np.arange(instances + 1) * k
    return IntervalSequences(offsets, *flat, [f"action {a}" for a in range(10)])


def relate_with_numpy(X: IntervalSequences) -> Result:
    """Relations of instances of one length, all pairs of all instances at once."""
    k = int(X.lengths[0])
    i, j = np.triu_indices(k, 1)
    start, end = X.start.reshape(-1, k), X.end.reshape(-1, k)
    s, e, t, f = start[:, i], end[:, i], start[:, j], end[:, j]
    later = [e < t, e == t, e < f, e > f]
    apart = np.select(later, np.array([0, 1, 2, 4], np.uint8), np.uint8(5))
    together = np.where(e < f, np.uint8(3), np.uint8(6))
    return np.where(s == t, together, apart).ravel()


def constrain_with_numpy(X: IntervalSequences) -> Result:
    """Constraints of instances of one length where all pairs are linked, one middle at a time."""
    k = int(X.lengths[0])
    upper = np.triu_indices(k, 1)
    known = np.zeros((len(X), k, k), np.uint8)
    known[:, *upper] = 1 << relate_with_numpy(X).reshape(len(X), -1)
    allowed = np.full_like(known, ALL)
    for m in range(1, k - 1):
        left, right = known[:, :m, m, None], known[:, None, m, m + 1 :]
        allowed[:, :m, m + 1 :] &= COMPOSITION[left, right]
    return allowed[:, *upper].ravel()


def seconds(work: Callable[[], Any], least: float = 0.3) -> float:
    """Best time of one call, over repeats that together last at least this long."""
    best, total = np.inf, 0.0
    while best == np.inf or total < least:
        before = time.perf_counter()
        work()
        taken = time.perf_counter() - before
        best, total = min(best, taken), total + taken
    return float(best)


def compare_speeds() -> None:
    """Print pairs per second of each implementation, and how many times faster the kernel is."""
    table = Table("instances of 20", "done by", "pairs per second", "kernel is faster by")
    implementations = {
        "related": (kernels.relate, naive.relate, relate_with_numpy),
        "constrained": (kernels.constrain_full, naive.constrain_full, constrain_with_numpy),
    }
    for what, (kernel, plain, vectorised) in implementations.items():
        rates = {}
        for name, instances, work in (
            ("kernel", 20_000, lambda X, f=kernel: f(X.offsets, X.start, X.end, kernels.EVERY)),
            ("NumPy", 5_000, vectorised),
            ("plain twin", 20, lambda X, f=plain: f(X.offsets, X.start, X.end, kernels.EVERY)),
        ):
            X = random_sequences(instances, 20)
            expected = kernel(X.offsets, X.start, X.end, kernels.EVERY)
            np.testing.assert_array_equal(work(X), expected)
            rates[name] = len(expected) / seconds(lambda X=X, work=work: work(X))
            factor = rates["kernel"] / rates[name]
            shown = "" if name == "kernel" else f"{factor:,.0f} times"
            table.add_row(what, name, f"{rates[name]:,.0f}", shown)
    console.print(table)


def measure_growth() -> None:
    """Print seconds for one instance of k intervals; doubling k should take 4 times as long."""
    table = Table("k", "full: ms", "growth", "chain: ms", "half linked: ms", "growth ")
    before: dict[str, float] = {}
    rng = np.random.default_rng(0)
    for k in (50, 100, 200, 400, 800, 1600):
        X = random_sequences(1, k)
        links = np.triu(rng.random((k, k)) < 0.5, 1)
        flat = X.offsets, X.start, X.end
        now = {
            "full": seconds(lambda flat=flat: kernels.constrain_full(*flat, kernels.EVERY)),
            "chain": seconds(
                lambda flat=flat: kernels.constrain_chain(*flat, COMPOSITION, kernels.EVERY)
            ),
            "half": seconds(
                lambda flat=flat, links=links: kernels.constrain_linked(
                    *flat, links, kernels.BEYOND_NONE, COMPOSITION, kernels.EVERY
                )
            ),
        }
        growth = {name: f"x {now[name] / before[name]:.1f}" if before else "" for name in now}
        shown = {name: f"{1000 * taken:.3f}" for name, taken in now.items()}
        table.add_row(
            str(k), shown["full"], growth["full"], shown["chain"], shown["half"], growth["half"]
        )
        before = now
    console.print(table)


def measure_size() -> None:
    """Print what two million intervals take, and what counting a very long instance takes."""
    long = random_sequences(1, 20_000)
    before = peak_megabytes()
    taken = seconds(lambda: count_pairs(long), least=0.0)
    more = peak_megabytes() - before
    console.print(
        f"one instance of 20,000 intervals, {20_000 * 19_999 // 2:,} pairs counted: "
        f"{taken:.2f} s, {more:.1f} MB more than before at the most"
    )
    X = random_sequences(100_000, 20)
    for n_jobs in (1, 2):
        taken = seconds(lambda n_jobs=n_jobs: read_networks(X, n_jobs=n_jobs), least=0.0)
        pairs = 190 * len(X)
        console.print(
            f"{len(X.start):,} intervals in instances of 20, {pairs:,} pairs related and "
            f"constrained: {taken:.2f} s with n_jobs={n_jobs}"
        )


def peak_megabytes() -> float:
    """Peak memory of the process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    for structure in ("full", "chain", [(0, 2)]):  # compile first
        read_networks(random_sequences(2, 5), structure)
        count_pairs(random_sequences(2, 5), structure)
    measure_size()  # first, as the most memory so far never falls
    compare_speeds()
    measure_growth()
