"""The methods that experiments compare, by name."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ibgn.classifiers import DBNClassifier, IHMMClassifier, ITBNClassifier
from ibgn.classifiers.ibgn import IBGNClassifier
from ibgn.evaluation.comparators import extra_trees, mini_rocket, nearest_raster

__all__ = ["COMPARED", "GRIDS", "METHODS", "PAPER", "Method", "with_short_chains"]

Method = Callable[[int], Any]  # from a seed to an estimator

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "IHMM": lambda seed: IHMMClassifier(),
        "DBN": lambda seed: DBNClassifier(),
        "ITBN": lambda seed: ITBNClassifier(),
        "IBGN-C": lambda seed: IBGNClassifier("chain", random_state=seed),
        "IBGN-F": lambda seed: IBGNClassifier("full", random_state=seed),
        "IBGN": lambda seed: IBGNClassifier("learned", random_state=seed),
        "IBGN-T": lambda seed: IBGNClassifier(tolerance="learned", random_state=seed),
        "published IBGN-C": lambda seed: IBGNClassifier.published("chain", random_state=seed),
        "published IBGN-F": lambda seed: IBGNClassifier.published("full", random_state=seed),
        "published IBGN": lambda seed: IBGNClassifier.published("learned", random_state=seed),
        "extra trees": lambda seed: extra_trees(True, seed),
        "extra trees without pairs": lambda seed: extra_trees(False, seed),
        "nearest raster": lambda seed: nearest_raster(),
        "MiniRocket": lambda seed: mini_rocket(seed=seed),
    }
)
"""An estimator for each name. IBGN-F is `IBGNClassifier` with its defaults, IBGN-T learns a
tolerance besides: how far apart end points may be and still be the same instant."""

GRIDS: Mapping[str, Mapping[str, tuple[Any, ...]]] = MappingProxyType(
    {
        "IHMM": {"n_chains": (1, 3, "overlap"), "smoothing": (0.1, 1.0)},
        "DBN": {"n_bins": (1, 2, 4, 8), "smoothing": (0.5, 2.0)},
        "ITBN": {"occurrence": ("first", "longest"), "smoothing": (0.1, 1.0)},
        "IBGN-C": {"smoothing": (0.3, 1.0, 3.0)},
        "IBGN-F": {"smoothing": (0.3, 1.0, 3.0)},
        "IBGN-T": {"smoothing": (0.3, 1.0, 3.0)},
        "IBGN": {"criterion": ("bic", "bdeu"), "smoothing": (0.3, 1.0, 3.0)},
    }
)
"""Values among which a search within the training set chooses."""

PAPER = ("IHMM", "DBN", "ITBN", "IBGN-C", "IBGN-F", "IBGN")
"""The six that the paper compares."""

COMPARED = (*PAPER, "IBGN-T")
"""Those six, and the one that we add."""


def with_short_chains(names: Sequence[str], draws: int, budget: int) -> dict[str, Method]:
    """Methods by name, those of IBGN with so many draws and sweeps at the most."""

    def shortened(make: Method) -> Method:
        def short(seed: int) -> Any:
            model = make(seed)
            if isinstance(model, IBGNClassifier):
                model.set_params(draws=draws, budget=budget)
            return model

        return short

    return {name: shortened(METHODS[name]) for name in names}
