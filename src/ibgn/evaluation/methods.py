"""The methods that evaluations compare, by name.

The library's methods are declared by their classes; `evaluate` takes any other estimator too.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sklearn.base import clone

from ibgn import classifiers
from ibgn.classifiers import IBGNClassifier
from ibgn.errors import OptionError
from ibgn.evaluation.search import Grid

__all__ = ["COMPARED", "GRIDS", "METHODS", "Method", "make_estimators", "with_short_chains"]

Method = Callable[[int], Any] | Any
"""A function that makes an estimator from a seed, or an estimator, or its class."""


class _Methods(Mapping[str, Callable[[int], Any]]):
    """Variants of all registered classes, now or later."""

    def _all(self) -> dict[str, Callable[[int], Any]]:
        kinds = classifiers.METHODS.values()
        return {name: make for kind in kinds for name, make in kind.variants().items()}

    def __getitem__(self, name: str) -> Callable[[int], Any]:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


METHODS: Mapping[str, Callable[[int], Any]] = _Methods()
"""From names to functions that make an estimator from a seed. IBGN-T is `IBGNClassifier` with
its defaults; IBGN-C, IBGN-F and IBGN have the terms of the paper."""

GRIDS: Mapping[str, Grid] = {
    name: kind.grid
    for kind in classifiers.METHODS.values()
    for name in kind.variants()
    if kind.grid and not name.startswith("published")  # these have the parameters of the paper
} | {"IBGN": {"criterion": ("bic", "bdeu"), **IBGNClassifier.grid}}  # it also chooses links
"""Values that a search within the training set chooses from."""

COMPARED = ("IHMM", "DBN", "ITBN", "IBGN-C", "IBGN-F", "IBGN", "IBGN-T")
"""Methods that commands compare by default."""


def make_estimators(methods: Mapping[str, Method], seed: int) -> dict[str, Any]:
    """An estimator for each method.

    An estimator is not changed: a copy learns. If its `random_state`, or that of a step of a
    pipeline, is not set, the copy gets the seed.

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
    """Methods by name, those of IBGN with at most this many draws and sweeps."""

    def shortened(make: Callable[[int], Any]) -> Method:
        def short(seed: int) -> Any:
            model = make(seed)
            if isinstance(model, IBGNClassifier):
                model.set_params(draws=draws, budget=budget)
            return model

        return short

    return {name: shortened(METHODS[name]) for name in names}
