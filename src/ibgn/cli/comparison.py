"""Which methods commands compare, how instances are split, and what guessing would reach."""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from ibgn.cli.options import METHOD_HELP, Seed, expanding
from ibgn.cli.results import Outputs, Watch, check_jobs

if TYPE_CHECKING:
    from ibgn.evaluation.folds import Fold
    from ibgn.evaluation.methods import Method
    from ibgn.evaluation.trials import TrialOptions
    from ibgn.intervals import IntervalSequences

USUAL_FOLDS = 5
MOST = 5  # unknown actions that are named

Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        "-m",
        metavar="NAME",
        help=f"Method to compare; repeatable. By default those of the paper and IBGN-T; all takes "
        f"all: {METHOD_HELP}.",
    ),
]
Scheme = Annotated[
    Literal["auto", "stratified", "group", "leave-one-group-out"],
    typer.Option(
        metavar="SCHEME",
        help="How instances are split, where auto keeps groups together if there are any.",
    ),
]
Folds = Annotated[
    int | None, typer.Option("--folds", min=2, help=f"Number of folds, {USUAL_FOLDS} by default.")
]
Repeats = Annotated[
    int | None,
    typer.Option("--repeats", min=1, help="Number of different splits into folds, 1 by default."),
]
Search = Annotated[
    bool,
    typer.Option("--search", help="Choose parameters of each method within each training set."),
]
Jobs = Annotated[int, typer.Option("--jobs", help="Folds at the same time; -1 is all cores.")]


@dataclass(frozen=True)
class Comparison:
    """Which methods are compared, and how: options that several commands share."""

    panel: ClassVar[str] = "Methods and folds"

    method: Methods = None
    scheme: Scheme = "auto"
    n_splits: Folds = None
    n_repeats: Repeats = None
    search: Search = False
    seed: Seed = 0
    jobs: Jobs = 1

    def methods(self) -> "dict[str, Method]":
        """The methods by name; fails early if a method lacks a library."""
        from ibgn.evaluation.methods import COMPARED, METHODS, find_method, make_estimators

        chosen = [find_method(name, "all") for name in self.method or COMPARED]
        names = list(METHODS) if "all" in chosen else chosen
        methods: dict[str, Method] = {name: METHODS[name] for name in names}
        make_estimators(methods, self.seed)
        check_jobs(self.jobs)
        return methods

    def split(self, X: "IntervalSequences", y: Any) -> "tuple[list[Fold], str]":
        """Folds, and the scheme that made them; warns of options that are not used."""
        from ibgn.errors import DataWarning, Option
        from ibgn.evaluation.folds import make_folds, resolve_scheme

        scheme = resolve_scheme(X, self.scheme)
        if scheme == "leave-one-group-out" and (self.n_splits, self.n_repeats) != (None, None):
            warning = DataWarning(
                Option("n_splits"),
                " and ",
                Option("n_repeats"),
                " are not used, as each group is left out once; for folds of several groups use ",
                Option("scheme", "group"),
            )
            warnings.warn(warning, stacklevel=2)
        splits, repeats = self.n_splits or USUAL_FOLDS, self.n_repeats or 1
        return make_folds(X, y, scheme, splits, repeats, self.seed), scheme

    def options(self, outputs: Outputs, watch: Watch) -> "TrialOptions":
        """How trials are run."""
        from ibgn.evaluation.methods import GRIDS

        return {
            "seed": self.seed,
            "search": GRIDS if self.search else None,
            "n_jobs": self.jobs,
            "journal": outputs.journal,
            "on_done": watch.done,
        }


takes_comparison = expanding("comparison", Comparison)


def describe_design(
    X: "IntervalSequences", y: Any, folds: "list[Fold]", scheme: str
) -> dict[str, Any]:
    """How methods are compared, and what guessing would reach."""
    import numpy as np

    labels, counts = np.unique(y, return_counts=True)
    return {
        "activities": len(labels),
        "groups": None if X.groups is None else len({str(group) for group in X.groups}),
        "scheme": scheme,
        "n_splits": 1 + max(fold.number for fold in folds),
        "n_repeats": 1 + max(fold.repeat for fold in folds),
        "most_frequent": str(labels[counts.argmax()]),
        "chance": float(counts.max() / counts.sum()),
    } | _count_unknown(X, folds)


def _count_unknown(X: "IntervalSequences", folds: "list[Fold]") -> dict[str, Any]:
    """How many intervals are tested, and how many of an action that was not learned, by name."""
    import numpy as np

    tested = np.zeros(len(X.actions), int)
    unknown = np.zeros(len(X.actions), int)
    for fold in folds:
        number = np.bincount(X[fold.test].action, minlength=len(X.actions))
        learned = np.bincount(X[fold.train].action, minlength=len(X.actions)) > 0
        tested += number
        unknown += np.where(learned, 0, number)
    named = {
        X.actions[a]: int(unknown[a]) for a in np.argsort(-unknown, kind="stable") if unknown[a]
    }
    return {
        "tested_intervals": int(tested.sum()),
        "unknown_intervals": int(unknown.sum()),
        "unknown_actions": named,
    }


def say_design(design: dict[str, Any], instances: int) -> str:
    """The same in words."""
    from ibgn.text import count, quote

    groups = "" if design["groups"] is None else f", {count(design['groups'], 'group')}"
    how = {
        "stratified": "{} folds with about the same share of each activity",
        "group": "{} folds, each group in one of them",
        "leave-one-group-out": "{} folds, each of one group that is left out",
    }[design["scheme"]].format(design["n_splits"])
    unknown = design["unknown_actions"]
    lacking = ""
    if unknown:
        named = ", ".join(f"{quote(name)} {number}" for name, number in [*unknown.items()][:MOST])
        more = f" and {len(unknown) - MOST} more" if len(unknown) > MOST else ""
        lacking = (
            f"\nUnknown actions: {design['unknown_intervals']} of "
            f"{count(design['tested_intervals'], 'tested interval')}, as their action is not in "
            f"the training set of the fold ({named}{more})"
        )
    times = "" if design["n_repeats"] == 1 else f", split {design['n_repeats']} times"
    return (
        f"{count(instances, 'instance')}, {design['activities']} activities{groups}\n"
        f"Scheme {design['scheme']}: {how}{times}\n"
        f"Chance: {design['chance']:.3f}, the accuracy of always guessing "
        f"{quote(design['most_frequent'])}, the most frequent activity"
        f"{lacking}"
    )
