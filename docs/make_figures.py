"""Make every figure of the documentation: `make figures`."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from ibgn import (
    IBGNClassifier,
    plot_explanation,
    plot_learning_curve,
    plot_network,
    plot_reliability,
    plot_structure,
    plot_styles,
    plot_tables,
    plot_term,
    plot_timeline,
    plot_weights,
)
from ibgn.classifiers.ibgn import PAPER
from ibgn.datasets import make_hand_signs, make_styles
from ibgn.plots.style import method_looks, series_look

FIGURES = Path(__file__).parent / "figures"


def save(name: str) -> None:
    """Write the current figure and close it."""
    plt.savefig(FIGURES / f"{name}.png", dpi=90)
    plt.close()


def draw_model() -> None:
    """A signed word, what was learned about it, and why it was recognised."""
    X, y, _ = make_hand_signs(random_state=0)
    one = X[y == "ketchup"][0]
    plot_timeline(one)
    save("timeline")
    plot_network(one)
    save("network")
    words = np.isin(y, ["ketchup", "air"])  # two suffice: structures are learned one by one
    by_tables = IBGNClassifier("learned", **PAPER, random_state=0, n_jobs=-1)
    by_tables.fit(X[words], y[words])
    plot_tables(by_tables.activities_["ketchup"])
    save("tables")
    plot_structure(by_tables.activities_["ketchup"])
    save("structure")
    model = IBGNClassifier(random_state=0, n_jobs=-1).fit(X, y)
    plot_explanation(model.explain(one))
    save("explanation")
    plot_weights(model, X)
    save("weights")
    for term in ("durations", "occupancy"):
        plot_term(model, term, "ketchup")
        save(term)


def draw_styles() -> None:
    """The styles of a simulated activity."""
    X, y, _ = make_styles(random_state=0)
    model = IBGNClassifier(styles="learned", random_state=0, n_jobs=-1).fit(X, y)
    plot_styles(model.activities_["three ways"])
    save("styles")


def draw_generated() -> None:
    """Real instances of a signed word on the left, generated ones on the right."""
    X, y, _ = make_hand_signs(random_state=0)
    model = IBGNClassifier(random_state=0, n_jobs=-1).fit(X, y)
    made = model.sample(3, "ketchup", random_state=0)
    _, axes = plt.subplots(3, 2, figsize=(10, 8.5), layout="constrained")
    for column, title, instances in zip(
        axes.T, ("real", "generated"), (X[y == "ketchup"], made), strict=True
    ):
        for n, ax in enumerate(column):
            plot_timeline(instances[n], ax=ax)
            ax.set_title(title)
    save("generated")


def draw_recovery() -> None:
    """Data sampled from a known model give it back as the sample grows."""
    from benchmarks.recovery import measure

    sizes, action_error, relation_error, links_found = measure()
    _, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    axes[0].loglog(sizes, action_error, label="actions", **series_look(0))
    axes[0].loglog(sizes, relation_error, label="relations", **series_look(1))
    axes[0].set(xlabel="instances", ylabel="mean total variation")
    axes[0].legend(frameon=False)
    axes[1].semilogx(sizes, links_found, **series_look(0))
    axes[1].set(xlabel="instances", ylabel="links found again (Jaccard)", ylim=(0, 1.05))
    save("recovery")


def draw_simulations() -> None:
    """An instance of each simulated set."""
    from ibgn import datasets

    for name, label in (
        ("basketball", None),
        ("composable", None),
        ("daily_living", "coffee time"),
    ):
        X, y, _ = getattr(datasets, f"make_{name}")(random_state=0)
        chosen = X[y == (label or y[0])]
        lengths = chosen.lengths
        plot_timeline(chosen[int(abs(lengths - min(25, lengths.max())).argmin())])
        save(name)


def draw_learning_curve() -> None:
    """Where only relations differ, models that see none stay at chance."""
    from benchmarks.comparison import SIZES, learning_curve

    curve = learning_curve(SIZES).groupby(["method", "instances"], sort=False)["accuracy"].mean()
    looks = method_looks(map(str, curve.index.unique("method")))
    _, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    for name, values in curve.groupby("method", sort=False):
        ax.semilogx(SIZES, values.to_numpy(), markersize=5, label=str(name), **looks[str(name)])
    ax.axhline(0.25, color="0.6", linewidth=1)
    ax.axhline(0.81, color="0.6", linewidth=1)
    ax.set(xlabel="training instances of an activity", ylabel="accuracy", ylim=(0, 1))
    ax.set_xticks(SIZES, list(map(str, SIZES)), minor=False)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, ncols=1, loc="center left", bbox_to_anchor=(1, 0.5))
    save("learning_curve")


def draw_experiments() -> None:
    """How sure methods are of signs by new signers, and how much data they need for them."""
    from ibgn.evaluation.folds import make_folds
    from ibgn.evaluation.learning import learning_curve
    from ibgn.evaluation.methods import METHODS

    X, y, _ = make_hand_signs(instances_per_style=16, random_state=0)
    methods = {name: METHODS[name] for name in ("DBN", "ITBN", "IBGN-T", "extra trees")}
    folds = make_folds(X, y, "group", n_splits=4)
    curve = learning_curve(X, y, methods, folds, [1, 2, 5, 10], n_jobs=-1)
    plot_learning_curve(curve.curves())
    save("accuracy_by_instances")
    limits = curve.whole().summary().set_index("method")["calibration_limit"]
    _, axes = plt.subplots(1, 2, figsize=(7.4, 4), layout="constrained")
    for ax, name in zip(axes, ("IBGN-T", "DBN"), strict=True):
        plot_reliability(curve.whole().reliability(), name, limit=limits[name], ax=ax)
    save("reliability")


@contextmanager
def browsing(height: int = 800) -> Iterator[Any]:
    """An empty page in a browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tool:
        browser = tool.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser.new_page(viewport={"width": 1280, "height": height}, color_scheme="light")
        browser.close()


def draw_demo() -> None:
    """What the demo finds, and the page that it writes, as a browser shows it."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "ibgn-demo"
        subprocess.run([sys.executable, "-m", "ibgn", "demo", "--out", out], check=True)  # noqa: S603
        shutil.copy(out / "pieces" / "comparison.png", FIGURES / "demo.png")
        shutil.copy(out / "pieces" / "robustness-1.png", FIGURES / "demo_durations.png")
        with browsing() as page:
            page.goto((out / "report.html").as_uri())
            page.screenshot(path=FIGURES / "report.png")


def draw_explore() -> None:
    """The page of `ibgn explore`, about a sample that comes with the library."""
    from ibgn.datasets import sample_path

    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(sample_path("csv"), Path(folder) / "recordings.csv")
        command = [sys.executable, "-m", "ibgn", "explore", "recordings.csv", "--no-browser"]
        with (
            subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as server,  # noqa: S603
            browsing(height=860) as page,
        ):
            assert server.stderr is not None  # noqa: S101
            page.goto(next(line for line in server.stderr if line.startswith("http")).strip())
            page.get_by_text("answers held out").wait_for()
            page.locator(".item").first.click()  # the one that the model finds hardest to believe
            page.locator("[aria-selected=true]").get_by_text("wrong").wait_for()
            page.locator("button.bar").nth(1).click()
            page.mouse.move(0, 0)
            page.wait_for_timeout(500)  # until bars have their lengths
            page.screenshot(path=FIGURES / "explore.png")
            server.terminate()


if __name__ == "__main__":
    plt.switch_backend("Agg")
    FIGURES.mkdir(exist_ok=True)
    draw_model()
    draw_styles()
    draw_generated()
    draw_recovery()
    draw_simulations()
    draw_learning_curve()
    draw_experiments()
    draw_demo()
    draw_explore()
