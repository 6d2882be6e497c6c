"""The methods that evaluations compare, by name.

Those of the library are declared by their classes; `evaluate` takes any other estimator too.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sklearn.base import clone

from ibgn import classifiers
from ibgn.classifiers import IBGNClassifier
from ibgn.errors import OptionError
from ibgn.evaluation.search import Grid
from ibgn.evaluation.yardsticks import YARDSTICKS

__all__ = ["COMPARED", "GRIDS", "METHODS", "Method", "make_estimators", "with_short_chains"]

Method = Callable[[int], Any] | Any
"""A function that makes an estimator from a seed, or an estimator, or its class."""


class _Methods(Mapping[str, Callable[[int], Any]]):
    """Variants of all classes that are registered, now or later, and the yardsticks."""

    def _all(self) -> dict[str, Callable[[int], Any]]:
        kinds = classifiers.METHODS.values()
        return {n: make for kind in kinds for n, make in kind.variants().items()} | YARDSTICKS

    def __getitem__(self, name: str) -> Callable[[int], Any]:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


METHODS: Mapping[str, Callable[[int], Any]] = _Methods()
"""A function that makes an estimator from a seed, for each name. IBGN-F is `IBGNClassifier` with
its defaults; IBGN-T also learns a tolerance: how far apart end points may be and still be the same
instant."""

GRIDS: Mapping[str, Grid] = {
    name: kind.grid
    for kind in classifiers.METHODS.values()
    for name in kind.variants()
    if kind.grid and not name.startswith("published")  # whose parameters are those of the paper
} | {"IBGN": {"criterion": ("bic", "bdeu"), **IBGNClassifier.grid}}  # which chooses links
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
