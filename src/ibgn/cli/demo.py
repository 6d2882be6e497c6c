"""The demo: the main job from beginning to end, on simulated data."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibgn.cli.options import Json, Seed
from ibgn.cli.output import busy, print_inspection, print_json, say

if TYPE_CHECKING:
    from ibgn.classifier import IBGNClassifier
    from ibgn.intervals import IntervalSequences

Out = Annotated[Path, typer.Option(help="Folder for the data, the model and the figures.")]


def demo(out: Out = Path("ibgn-demo"), seed: Seed = 0, as_json: Json = False) -> None:
    """Simulate signed words, learn and recognise them, and draw one; needs no data."""
    from ibgn.datasets import make_hand_signs
    from ibgn.inspection import inspect
    from ibgn.io import write
    from ibgn.persistence import save

    with busy("simulating hand signs"):
        X, y, groups = make_hand_signs(random_state=seed)
        found = inspect(X, y, n_jobs=-1)
    with busy("learning the signs of twelve signers, recognising those of four"):
        model, accuracy, tested = _learn(X, y, groups, seed)
    with busy("writing data, model and figures"):
        out.mkdir(parents=True, exist_ok=True)
        write(X, out / "hand-signs.csv", y)
        save(model, out / "hand-signs.ibgn")
        drawn = _draw(X[y == "ketchup"][0], model, out)
    files = [out / "hand-signs.csv", out / "hand-signs.ibgn", *drawn]
    if as_json:
        result = {"accuracy": accuracy, "tested": tested, "files": [str(file) for file in files]}
        print_json(found.as_dict() | result)
        return
    print_inspection(found)
    for file in files:
        say(f"wrote {file}")
    print(f"accuracy {accuracy:.3f} on {tested} signs of signers never seen, among 19 words")


def _learn(
    X: "IntervalSequences", y: Any, groups: Any, seed: int
) -> "tuple[IBGNClassifier, float, int]":
    """Learn from all but the last four signers, and recognise what they sign."""
    import warnings

    import numpy as np

    from ibgn.classifier import IBGNClassifier

    test = np.isin(groups, np.unique(groups)[-4:])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # chains are cut short for the demo's sake
        model = IBGNClassifier(draws=200, budget=1500, random_state=seed, n_jobs=-1)
        model.fit(X[~test], y[~test])
    return model, float((model.predict(X[test]) == y[test]).mean()), int(test.sum())


def _draw(one: "IntervalSequences", model: "IBGNClassifier", out: Path) -> list[Path]:
    """Save the timeline and the network of one instance, and why it was recognised."""
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    from ibgn.plots import plot_explanation, plot_network, plot_tables, plot_timeline

    plots: dict[str, Callable[[], Any]] = {
        "timeline": lambda: plot_timeline(one),
        "network": lambda: plot_network(one),
        "tables": lambda: plot_tables(model.activities_["ketchup"]),
        "explanation": lambda: plot_explanation(model.explain(one)),
    }
    for name, plot in plots.items():
        plot()
        plt.savefig(out / f"{name}.png", dpi=100)
        plt.close()
    return [out / f"{name}.png" for name in plots]
