"""Commands about models: fit, predict, explain, sample."""

from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ibgn.cli.flags import methods, read_value
from ibgn.cli.options import Data, Jobs, Json, Model, Reading, Seed, takes_data
from ibgn.cli.output import busy, print_json, say, warnings_aloud
from ibgn.cli.targets import check_suffix, writes
from ibgn.errors import DataError, Option, OptionError
from ibgn.text import count, printable, quote

if TYPE_CHECKING:
    import pandas as pd


LONGEST_LINE = 10_000  # letters
# options of methods whose flag has another name, or that are not for the command line
WITH_A_FLAG = ("random_state", "n_jobs", "progress")
FIGURES = (".png", ".pdf", ".svg", ".jpg", ".jpeg", ".webp", ".eps")

Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="File to write, by default standard output.")
]
Method = Annotated[
    str,
    typer.Option(
        help="Method: ibgn, ensemble, forest, ridge, ihmm, dbn, itbn, or one of your own."
    ),
]
Structure = Annotated[
    Literal["full", "chain", "learned", "shared"] | None,
    typer.Option(help="Which pairs of intervals have a relation; full by default."),
]
Draws = Annotated[
    int | None, typer.Option(min=1, help="Draws of tables that are averaged; 1000 by default.")
]
Budget = Annotated[int | None, typer.Option(min=1, help="Sweeps at most; 20,000 by default.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Option of the method, such as n_bins=4; repeatable."
    ),
]


@writes(output="file")
@takes_data()
def fit(
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="File for the model.")],
    method: Method = "ibgn",
    settings: Settings = None,
    structure: Structure = None,
    published: Annotated[
        bool, typer.Option(help="Use every setting as the paper prints it, for comparison.")
    ] = False,
    learn_tolerance: Annotated[
        bool,
        typer.Option("--learn-tolerance", help="Learn which end points are the same instant."),
    ] = False,
    draws: Draws = None,
    budget: Budget = None,
    seed: Seed = 0,
    n_jobs: Jobs = 1,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Learn a model of each activity in a file of labelled instances."""
    from ibgn.classifiers import save

    flags = {"structure": structure, "draws": draws, "budget": budget}
    options = {name: value for name, value in flags.items() if value is not None}
    model = _new_model(method, published, options, settings or [])
    if learn_tolerance:
        _set_tolerance(model, published)
    shared = {"random_state": seed, "n_jobs": n_jobs, "progress": True}
    model.set_params(**{name: shared[name] for name in shared if name in model.get_params()})
    with warnings_aloud() as messages:
        X, y = reading.read(data)
        if y is None:
            raise DataError(
                "there are no labels to learn from; name their column with ",
                Option("columns", {"label": "..."}),
            )
        model.fit(X, y)
        save(model, output)
    result: dict[str, Any] = {"model": str(output), "instances": len(X), "warnings": messages}
    if learn_tolerance or getattr(model, "tolerance_", 0.0) > 0:
        result |= {"tolerance": model.tolerance_, "emptied": model.emptied_}
        say(
            f"end points closer than {model.tolerance_:.3g} are the same instant; "
            f"this empties {model.emptied_} of {count(len(X.action), 'interval')}"
        )
    weights = model.describe_weights()
    result["weights"] = dict(zip(weights["term"], weights["weight"].tolist(), strict=True))
    result["activities"] = {
        str(name): repr(activity) for name, activity in getattr(model, "activities_", {}).items()
    }
    if as_json:
        print_json(result)
        return
    for line in result["activities"].values():
        print(line)
    counted = ", ".join(f"{name} {weight:.2f}" for name, weight in result["weights"].items())
    say(f"weights: {counted}")
    say(f"wrote {output}")


def _new_model(method: str, published: bool, flags: dict[str, Any], settings: list[str]) -> Any:
    """A new estimator with the options from flags and --set."""
    from ibgn.checks import check_choice

    check_choice("method", method, tuple(methods()))
    kind: Any = methods()[method]
    options = [name for name in signature(kind).parameters if name not in WITH_A_FLAG]
    reason = ("is not an option of ", Option("method", method), f", which has {', '.join(options)}")
    chosen = dict(flags)
    for name, value in flags.items():
        if name not in options:
            raise OptionError(name, value, *reason)
    for pair in settings:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise OptionError("settings", pair, "must be written name=value, such as n_bins=4")
        if name not in options:
            raise OptionError("settings", pair, *reason)
        if name in chosen:
            raise OptionError("settings", pair, f"sets {quote(name)} twice; give it once")
        chosen[name] = read_value(value)
    if not published:
        return kind(**chosen)
    if not hasattr(kind, "published"):
        raise OptionError("published", True, "is for ", Option("method", "ibgn"))
    return kind.published(chosen.pop("structure", "full"), **chosen)


def _set_tolerance(model: Any, published: bool) -> None:
    if published or "tolerance" not in model.get_params():
        needed = (Option("method", "ibgn"), " without ", Option("published", True))
        raise OptionError("learn_tolerance", True, "is for ", *needed)
    model.set_params(tolerance="learned")


@writes(output="either")
@takes_data()
def predict(
    model: Model,
    data: Data,
    output: Output = None,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Recognise the instances in a file: labels and probabilities as CSV."""
    import numpy as np
    import pandas as pd

    from ibgn.classifiers import load as load_model

    with warnings_aloud(), busy(f"recognising {data.name}"):
        classifier = load_model(model)
        X, y = reading.read(data)
        # one score for both, as probabilities of nearly equal scores could round to the same
        logs = classifier.predict_log_proba(X)
    predicted = classifier.classes_[logs.argmax(axis=1)]
    frame = pd.DataFrame({"instance": X.ids, "predicted": predicted})
    if y is not None:
        frame.insert(1, "label", y)
        right = (frame["predicted"].astype(str) == frame["label"].astype(str)).mean()
        say(f"accuracy {right:.3f} of {len(frame)} labelled instances")
    for c, name in enumerate(classifier.classes_):
        frame[f"P({name})"] = np.exp(logs[:, c])
    _print_frame(frame, output, as_json)


@writes(output="file", figure="file")
@takes_data()
def explain(
    model: Model,
    data: Data,
    instance: Annotated[str, typer.Option(help="Name of the instance to explain.")],
    against: Annotated[
        str | None, typer.Option(help="Activity to compare with; by default the second likeliest.")
    ] = None,
    figure: Annotated[Path | None, typer.Option(help="File for a picture (PNG, PDF, SVG).")] = None,
    output: Output = None,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Say why an activity was recognised: the strongest reasons in words, then all as a file.

    --output writes every contribution as CSV; they add up to the log odds.
    """
    from ibgn.classifiers import load as load_model

    check_suffix("figure", figure, *FIGURES)
    with warnings_aloud():
        classifier = load_model(model)
        X, _ = reading.read(data)
        chosen = X[X.ids == instance]
        if len(chosen) == 0:
            raise DataError(f"there is no instance {quote(instance)} in {quote(data.name)}")
        labels = {str(label): label for label in classifier.classes_.tolist()}
        explanation = classifier.explain(chosen, against=labels.get(against or "", against))
    if figure is not None:
        _save_figure(explanation, figure)
    if output is not None:
        _write_frame(explanation.frame(), output)
    if not as_json:
        print("\n".join(printable(line, LONGEST_LINE) for line in repr(explanation).split("\n")))
        return
    print_json(
        {
            "activity": str(explanation.activity),
            "against": str(explanation.against),
            "log_odds": explanation.log_odds,
            "reasons": [reason._asdict() for reason in explanation.reasons()],
            "terms": explanation.by_term,
            "rows": explanation.frame().to_dict(orient="records"),
        }
    )


@writes(output="either")
def sample(
    model: Model,
    number: Annotated[int, typer.Option("-n", min=0, help="Instances of each activity.")] = 10,
    activity: Annotated[
        list[str] | None, typer.Option(help="Activity to draw, all by default; repeatable.")
    ] = None,
    output: Output = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Draw new instances of activities, as intervals whose relations are possible."""
    import numpy as np

    from ibgn.classifiers import load as load_model
    from ibgn.intervals import IntervalSequences
    from ibgn.io import write
    from ibgn.io.registry import find_format

    if output is not None:
        find_format(output, None, writing=True)  # before the work, so that a typo costs no time
    classifier = load_model(model)
    if not hasattr(classifier, "sample"):
        raise OptionError("model", model.name, "does not generate; fit one with --method ibgn")
    labels = {str(label): label for label in classifier.classes_.tolist()}
    chosen = [labels.get(name, name) for name in activity or labels]
    rng = np.random.default_rng(seed)
    parts = [classifier.sample(number, label, rng) for label in chosen]
    together = IntervalSequences.concatenate(parts)
    ids = [f"{label}-{d}" for label in chosen for d in range(number)]
    X = IntervalSequences.from_flat(together.flat, together.actions, ids)
    y = np.repeat(np.array([str(label) for label in chosen], object), number)
    if output is not None:
        write(X, output, y)
        say(f"wrote {len(X)} instances to {output}")
    if output is None or as_json:
        _print_frame(X.to_frame(y), None, as_json)


def _save_figure(explanation: Any, figure: Path) -> None:
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    from ibgn._files import replacing
    from ibgn.plots import plot_explanation

    plot_explanation(explanation)
    with replacing(figure) as temporary:
        plt.savefig(temporary, format=figure.suffix[1:].lower(), dpi=150)
    say(f"wrote {figure}")


def _write_frame(frame: "pd.DataFrame", output: Path) -> None:
    from ibgn._files import replacing

    with replacing(output) as temporary:
        frame.to_csv(temporary, index=False)
    say(f"wrote {output}")


def _print_frame(frame: "pd.DataFrame", output: Path | None, as_json: bool) -> None:
    """Print a frame as CSV or JSON, or write it to a file if one is named."""
    if output is not None:
        _write_frame(frame, output)
    if as_json:
        print_json({"rows": frame.to_dict(orient="records")})
    elif output is None:
        print(frame.to_csv(index=False), end="")
