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
from ibgn.text import near, quote

__all__ = [
    "COMPARED",
    "DEFAULT",
    "GRIDS",
    "METHODS",
    "Method",
    "find_method",
    "make_estimators",
    "name_method",
    "with_short_chains",
]

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

DEFAULT = "IBGN-T"
"""The method that is fitted by default: `IBGNClassifier` with its defaults."""


def find_method(name: str, *others: str) -> str:
    """Name of a method as `METHODS` has it; case, hyphens and spaces make no difference.

    Parameters
    ----------
    name : as a user writes it
    others : further names that are allowed

    Examples
    --------
    >>> find_method("ibgn-t"), find_method("extra-trees"), find_method("All", "all")
    ('IBGN-T', 'extra trees', 'all')
    """
    names = [*METHODS, *others]
    if name in names:
        return name
    plain = {each.casefold().replace(" ", "-"): each for each in reversed(names)}
    found = plain.get(name.casefold().replace(" ", "-").replace("_", "-"))
    if found is None:
        alike = near(name, names)
        meant = f"did you mean {quote(alike[0])}? " if alike else ""
        listed = ", ".join(map(quote, names))
        raise OptionError("method", name, f"is not a method; {meant}choose among {listed}")
    return found


def name_method(model: Any) -> tuple[str, dict[str, Any]]:
    """Name of the method that a model is of, and its options that differ from that method's.

    Seeds, jobs and progress do not count.

    Examples
    --------
    >>> name_method(IBGNClassifier("chain", draws=50, random_state=4))
    ('IBGN-T', {'draws': 50, 'structure': 'chain'})
    """
    own = _options(model)
    differing = {}
    for name, make in METHODS.items():
        try:
            other = make(0)
        except OptionError:  # a library is missing; then its model cannot be loaded either
            continue
        if type(other) is type(model):
            usual = _options(other)
            differing[name] = {o: v for o, v in own.items() if repr(v) != repr(usual[o])}
    name = min(differing, key=lambda each: len(differing[each]), default=type(model).__name__)
    return name, differing.get(name, own)


def _options(model: Any) -> dict[str, Any]:
    options = model.get_params(deep=False)
    return {o: v for o, v in options.items() if o not in ("random_state", "n_jobs", "progress")}


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
