"""The methods that evaluations compare, by name.

Those of the library are declared by their classes; `evaluate` takes any other estimator too.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sklearn.base import clone

from ibgn.classifiers import DBNClassifier, IHMMClassifier, ITBNClassifier
from ibgn.classifiers.ibgn import IBGNClassifier
from ibgn.errors import OptionError
from ibgn.evaluation.search import Grid
from ibgn.evaluation.yardsticks import YARDSTICKS

__all__ = ["COMPARED", "GRIDS", "METHODS", "Method", "make_estimators", "with_short_chains"]

Method = Callable[[int], Any] | Any
"""A function that makes an estimator from a seed, or an estimator, or its class."""

# What the classes will declare themselves: from the names of variants to a function that makes
# one from a seed, and to the values among which a search chooses.
_SMOOTHING = {"smoothing": (0.3, 1.0, 3.0)}
_DECLARED: tuple[tuple[dict[str, Callable[[int], Any]], dict[str, Grid]], ...] = (
    (
        {"IHMM": lambda seed: IHMMClassifier()},
        {"IHMM": {"n_chains": (1, 3, "overlap"), "smoothing": (0.1, 1.0)}},
    ),
    (
        {"DBN": lambda seed: DBNClassifier()},
        {"DBN": {"n_bins": (1, 2, 4, 8), "smoothing": (0.5, 2.0)}},
    ),
    (
        {"ITBN": lambda seed: ITBNClassifier()},
        {"ITBN": {"occurrence": ("first", "longest"), "smoothing": (0.1, 1.0)}},
    ),
    (
        {
            "IBGN-C": lambda seed: IBGNClassifier("chain", random_state=seed),
            "IBGN-F": lambda seed: IBGNClassifier("full", random_state=seed),
            "IBGN": lambda seed: IBGNClassifier("learned", random_state=seed),
            "IBGN-T": lambda seed: IBGNClassifier(tolerance="learned", random_state=seed),
            "published IBGN-C": lambda seed: IBGNClassifier.published("chain", random_state=seed),
            "published IBGN-F": lambda seed: IBGNClassifier.published("full", random_state=seed),
            "published IBGN": lambda seed: IBGNClassifier.published("learned", random_state=seed),
        },
        {
            "IBGN-C": _SMOOTHING,
            "IBGN-F": _SMOOTHING,
            "IBGN": {"criterion": ("bic", "bdeu"), **_SMOOTHING},
            "IBGN-T": _SMOOTHING,
        },
    ),
)

METHODS: Mapping[str, Callable[[int], Any]] = MappingProxyType(
    {name: make for variants, _ in _DECLARED for name, make in variants.items()} | YARDSTICKS
)
"""A function that makes an estimator from a seed, for each name. IBGN-F is `IBGNClassifier` with
its defaults; IBGN-T also learns a tolerance: how far apart end points may be and still be the same
instant."""

GRIDS: Mapping[str, Grid] = MappingProxyType(
    {name: grid for _, grids in _DECLARED for name, grid in grids.items()}
)
"""Values among which a search within the training set chooses."""

COMPARED = ("IHMM", "DBN", "ITBN", "IBGN-C", "IBGN-F", "IBGN", "IBGN-T")
"""Those that commands compare unless others are named."""


def make_estimators(methods: Mapping[str, Method], seed: int) -> dict[str, Any]:
    """An estimator for each method.

    An estimator that is given stays as it is: a copy learns. Where it, or a step of a pipeline,
    has no `random_state`, the copy gets the seed.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> make_estimators({"chance": DummyClassifier(strategy="stratified")}, seed=3)
    {'chance': DummyClassifier(random_state=3, strategy='stratified')}
    """
    return {name: _make(name, method, seed) for name, method in methods.items()}


def _make(name: str, method: Method, seed: int) -> Any:
    if not hasattr(method, "fit"):
        estimator = method(seed) if callable(method) else method
    else:
        estimator = method() if isinstance(method, type) else clone(method, safe=False)
        options = estimator.get_params() if hasattr(estimator, "get_params") else {}
        unset = [
            option
            for option, value in options.items()
            if value is None and option.rpartition("__")[2] == "random_state"
        ]
        if unset:
            estimator.set_params(**dict.fromkeys(unset, seed))
    if not hasattr(estimator, "fit"):
        raise OptionError(
            "methods", {name: method}, "must be estimators, or functions from a seed to one"
        )
    return estimator


def with_short_chains(names: Sequence[str], draws: int, budget: int) -> dict[str, Method]:
    """Methods by name, those of IBGN with at most so many draws and sweeps."""

    def shortened(make: Callable[[int], Any]) -> Method:
        def short(seed: int) -> Any:
            model = make(seed)
            if isinstance(model, IBGNClassifier):
                model.set_params(draws=draws, budget=budget)
            return model

        return short

    return {name: shortened(METHODS[name]) for name in names}
