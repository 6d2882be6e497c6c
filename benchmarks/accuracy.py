"""Accuracy on real recordings: the default model, its opponents, its parts, and what was tried.

Run with `python -m benchmarks.accuracy FOLDER`, where FOLDER has files of recordings as
`ibgn.read_csv` takes them. Those with groups are split by group, others in ten stratified folds
with seed 0. No option depends on the data set. Prints tables in Markdown; docs/accuracy.md has
them. With names of parts, those of `PARTS`, only these.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold

from benchmarks.opponents import OPPONENTS, ROCKET, Model
from ibgn import IBGNClassifier, IBGNEnsemble, IntervalSequences, inspect, read_csv
from ibgn.classifiers.ensemble import default_members
from ibgn.classifiers.ibgn import DEFAULT_TERMS, PAPER
from ibgn.evaluation.methods import METHODS
from ibgn.metrics import brier_score, calibration_by_chance, calibration_error, log_loss
from ibgn.noise import DurationNoise, Misdetection

ERRORS: Mapping[str, Any] = {
    "none": None,
    "ends 10%": DurationNoise(0.1, random_state=0),
    "ends 20%": DurationNoise(0.2, random_state=0),
    "20% misdetected": Misdetection(0.2, random_state=0),
}
DEFAULT = "`IBGNClassifier()`"
ENSEMBLE = "`IBGNEnsemble()`"
SHORT = {"draws": 100, "budget": 600, "random_state": 0}  # chains of tables, to save time
PLAIN: Mapping[str, Any] = {
    "terms": ("actions", "relations"),
    "weights": "equal",
    "copy_weight": 0.0,
}
WARM: dict[str, bool] = {}  # models whose kernels this process has compiled


class Outcome(NamedTuple):
    """What one method gave on the test instances of one fold under one kind of error."""

    data: str
    model: str
    error: str
    true: Any
    classes: Any
    probabilities: Any
    seconds: float


def read(path: Path) -> tuple[IntervalSequences, Any]:
    """Read with inclusive ends if they look inclusive."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X, y = read_csv(path, zero_length="drop")
    if any("ends look inclusive" in str(warning) for warning in inspect(X, y).warnings):
        X, y = read_csv(path, closed="both")
    return X, np.asarray(y)


def folds(X: IntervalSequences, y: Any) -> list[tuple[Any, Any]]:
    if X.groups is not None:
        return list(LeaveOneGroupOut().split(y, y, X.groups))
    return list(StratifiedKFold(10, shuffle=True, random_state=0).split(y, y))


def default(**options: Any) -> Model:
    return lambda: IBGNClassifier(random_state=0, **options)


def paper(links: str, **options: Any) -> Model:
    return lambda: IBGNClassifier(links, **SHORT, **PAPER, **options)


def opponents() -> dict[str, Model]:
    """The default, the paper's model, and what a practitioner would try instead."""
    return {
        DEFAULT: default(),
        "the paper's model, corrected": paper("full"),
        "the paper's model, as printed": lambda: IBGNClassifier.published("full", **SHORT),
        "extra trees": lambda: METHODS["extra trees"](0),
        ROCKET: OPPONENTS[ROCKET],
    }


def ensemble() -> dict[str, Model]:
    """The ensemble, its members, itself without each, and all opponents with a temperature."""
    members = default_members()
    without = {
        f"ensemble without {name}": _pool({n: m for n, m in members.items() if n != name})
        for name in members
    }
    alone = {f"member {name}": _pool({name: member}) for name, member in members.items()}
    return {
        ENSEMBLE: lambda: IBGNEnsemble(random_state=0),
        DEFAULT: default(),
        **OPPONENTS,
        **alone,
        **without,
    }


def _pool(members: Mapping[str, Any]) -> Model:
    return lambda: IBGNEnsemble(members, random_state=0)


def terms() -> dict[str, Model]:
    """One term left out at a time; each term alone."""
    left_out = {
        f"without {name}": default(terms=tuple(t for t in DEFAULT_TERMS if t != name))
        for name in DEFAULT_TERMS
    }
    alone = {f"{name} alone": default(terms=(name,)) for name in DEFAULT_TERMS}
    more = {
        f"with {name} as well": default(terms=(*DEFAULT_TERMS, name))
        for name in ("actions", "steps")
    }
    return {DEFAULT: default(), **left_out, **more, **alone}


def weights() -> dict[str, Model]:
    """How terms are weighted, and how much copies with errors count."""
    copies = {
        f"`copy_weight={weight}`": default(copy_weight=weight) for weight in (0, 0.05, 0.5, 1)
    }
    return {DEFAULT: default(), '`weights="equal"`': default(weights="equal"), **copies}


def structures() -> dict[str, Model]:
    """Links, with the frequencies of actions as the only other term, and in the default."""
    models: dict[str, Model] = {}
    for links in ("full", "chain", "shared", "learned"):
        models[f"relations and actions, {links}"] = default(structure=links, **PLAIN)
        models[f"default, {links}"] = default(structure=links)
    for criterion in ("bdeu", "aic"):
        models[f'relations and actions, learned by `"{criterion}"`'] = default(
            structure="learned", criterion=criterion, **PLAIN
        )
    for unlinked in ("marginal", "ignore"):
        models[f'relations and actions, chain, `unlinked="{unlinked}"`'] = default(
            structure="chain", unlinked=unlinked, **PLAIN
        )
    return models


def options() -> dict[str, Model]:
    """Single options away from the defaults."""
    smoothing = {f"`smoothing={s!r}`": default(smoothing=s) for s in (0.3, 3.0)}
    return {
        DEFAULT: default(),
        **smoothing,
        '`tolerance="learned"`': default(tolerance="learned"),
        '`class_prior="empirical"`': default(class_prior="empirical"),
    }


def horizons() -> dict[str, Model]:
    """With how many intervals after it each interval is related."""
    models = {DEFAULT: default(), "relations and actions": default(**PLAIN)}
    for reach in (1, 2, 5, 10, 20, 50):
        models[f"`horizon={reach}`"] = default(horizon=reach)
        models[f"relations and actions, `horizon={reach}`"] = default(horizon=reach, **PLAIN)
    return models


PARTS: Mapping[str, tuple[Callable[[], dict[str, Model]], tuple[str, ...]]] = {
    "opponents": (opponents, tuple(ERRORS)),
    "ensemble": (ensemble, tuple(ERRORS)),
    "weights": (weights, tuple(ERRORS)),
    "terms": (terms, ("none",)),
    "structures": (structures, ("none",)),
    "options": (options, ("none",)),
    "horizons": (horizons, ("none",)),
}


def run_fold(data: str, name: str, make: Model, X: Any, y: Any, fold: Any, errors: Any) -> Any:
    """Outcomes of one model on one fold; seconds are CPU time of fitting and predicting.

    A first small fit compiles kernels, which is not part of the seconds.
    """
    train, test = fold
    few = np.unique(y[train], return_index=True)[1]
    few = train[np.concatenate([few, np.arange(min(10, len(train)))])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        WARM.get(name) or make().fit(X[few], y[few]).predict_proba(X[test[:1]])
        WARM[name] = True
        model = make()
        before = time.process_time()
        model.fit(X[train], y[train])
    taken = getattr(model, "seconds", time.process_time() - before)
    outcomes = []
    for error in errors:
        noise = ERRORS[error]
        tested = X[test] if noise is None else noise.fit(X).transform(X[test])
        before = time.process_time()
        probabilities = model.predict_proba(tested)
        seconds = taken + time.process_time() - before
        outcomes.append(Outcome(data, name, error, y[test], model.classes_, probabilities, seconds))
    return outcomes


def measure(folder: Path, models: Mapping[str, Model], errors: tuple[str, ...]) -> pd.DataFrame:
    """One row per data set, model and kind of error; figures are of pooled predictions."""
    tasks = []
    for path in sorted(folder.glob("*.csv")):
        X, y = read(path)
        tasks += [
            joblib.delayed(run_fold)(path.stem, name, make, X, y, fold, errors)
            for name, make in models.items()
            for fold in folds(X, y)
        ]
    outcomes = pd.DataFrame(
        [row for rows in joblib.Parallel(n_jobs=2)(tasks) for row in rows], columns=Outcome._fields
    )
    return outcomes.groupby(["data", "model", "error"], sort=False).apply(_summarise).reset_index()


def _summarise(rows: pd.DataFrame) -> pd.Series:
    """Figures over all folds together."""
    right, confidence, logs, brier, counts = [], [], [], [], []
    for true, classes, probabilities in zip(
        rows["true"], rows["classes"], rows["probabilities"], strict=True
    ):
        right.append(classes[probabilities.argmax(axis=1)] == true)
        confidence.append(probabilities.max(axis=1))
        logs.append(log_loss(true, probabilities, classes))
        brier.append(brier_score(true, probabilities, classes))
        counts.append(len(true))
    hits, sure = np.concatenate(right), np.concatenate(confidence)
    return pd.Series(
        {
            "accuracy": hits.mean(),
            "deviation": hits.std() / np.sqrt(len(hits)),
            "log loss": np.average(logs, weights=counts),
            "Brier": np.average(brier, weights=counts),
            "calibration": calibration_error(hits, sure),
            "by chance": calibration_by_chance(sure)[-1],
            "seconds": rows["seconds"].mean(),
        }
    )


def wide(table: pd.DataFrame, column: str, digits: int = 3) -> str:
    """One row per model, one column per data set and their mean; accuracies with their errors."""
    names = list(dict.fromkeys(table["data"]))
    lines = [f"| {column} | {' | '.join(names)} | mean |", "|" + "---|" * (len(names) + 2)]
    for model, rows in table.groupby("model", sort=False):
        cells = [f"{value:.{digits}f}" for value in rows[column]]
        if column == "accuracy":
            cells = [
                f"{cell} ± {error:.3f}"
                for cell, error in zip(cells, rows["deviation"], strict=True)
            ]
        mean = rows[column].mean()
        lines.append(f"| {model} | {' | '.join(cells)} | {mean:.{digits + 1}f} |")
    return "\n".join(lines)


def sections(part: str, table: pd.DataFrame) -> Iterator[str]:
    """Tables of one part, each with a heading."""
    clean = table[table["error"] == "none"]
    for column in ("accuracy", "log loss", "seconds"):
        yield f"### {part}: {column}\n\n{wide(clean, column)}"
    if part == "ensemble":
        mine = clean[clean["model"] == ENSEMBLE].set_index("data")
        parts = clean[clean["model"].str.startswith("member ")].groupby("data")["seconds"].sum()
        yield f"Seconds of {ENSEMBLE} over the sum of its members': " + str(
            (mine["seconds"] / parts).round(2).to_dict()
        )
        for column in ("calibration", "by chance"):
            yield f"### {part}: {column}\n\n{wide(clean, column)}"
    if part == "opponents":
        ours = clean[clean["model"] == DEFAULT].set_index("data")
        rocket = clean[clean["model"] == ROCKET].set_index("data")
        ratio = (ours["seconds"] / rocket["seconds"]).round(2).to_dict()
        yield f"Seconds of {DEFAULT} over those of {ROCKET}: {ratio}"
        for column in ("Brier", "calibration", "by chance"):
            yield f"### {part}: {column}\n\n{wide(clean, column)}"
    for error in dict.fromkeys(table["error"]):
        if error != "none":
            yield f"### {part}: {error}\n\n{wide(table[table['error'] == error], 'accuracy')}"


if __name__ == "__main__":
    chosen = sys.argv[2:] or list(PARTS)
    if len(sys.argv) < 2 or not set(chosen) <= set(PARTS):
        sys.exit(f"usage: python -m benchmarks.accuracy FOLDER [{'] ['.join(PARTS)}]")
    for part in chosen:
        make, errors = PARTS[part]
        for section in sections(part, measure(Path(sys.argv[1]), make(), errors)):
            print(section, end="\n\n", flush=True)
