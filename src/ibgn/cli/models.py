"""Commands about models: fit, predict, explain, sample."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ibgn.cli.options import Data, Jobs, Json, Model, Reading, Seed, takes_data
from ibgn.cli.output import busy, print_json, say, warnings_aloud

if TYPE_CHECKING:
    import pandas as pd

    from ibgn.intervals import IntervalSequences

Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="File to write, else standard output.")
]
Method = Annotated[
    Literal["ibgn", "ihmm", "dbn", "itbn"], typer.Option(help="Which kind of model is learned.")
]
Structure = Annotated[
    Literal["full", "chain", "learned", "shared"],
    typer.Option(help="Which pairs of intervals carry a relation."),
]


@takes_data()
def fit(
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="File for the model.")],
    method: Method = "ibgn",
    structure: Structure = "full",
    published: Annotated[
        bool, typer.Option(help="Every switch as the paper prints it, for comparison.")
    ] = False,
    learn_tolerance: Annotated[
        bool,
        typer.Option("--learn-tolerance", help="Learn which end points are the same instant."),
    ] = False,
    draws: Annotated[int, typer.Option(min=1, help="Draws of tables that are averaged.")] = 1000,
    budget: Annotated[int, typer.Option(min=1, help="Sweeps at the most.")] = 20_000,
    seed: Seed = 0,
    jobs: Jobs = 1,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Learn a model of each activity in a file of labelled instances."""
    from ibgn.errors import DataError
    from ibgn.persistence import save

    model = _new_model(method, structure, published, draws, budget, seed)
    model.set_params(n_jobs=jobs, progress=True)
    if learn_tolerance:
        _set_tolerance(model, published)
    with warnings_aloud() as said:
        X, y = reading.read(data)
        if y is None:
            raise DataError(
                "there are no labels to learn from; name their column with --column label=..."
            )
        model.fit(X, y)
        save(model, output)
    result: dict[str, Any] = {"model": str(output), "instances": len(X), "warnings": said}
    if learn_tolerance:
        result["tolerance"] = model.tolerance_
        say(f"end points closer than {model.tolerance_:.3g} are the same instant")
    result["activities"] = {str(name): repr(m) for name, m in model.activities_.items()}
    if as_json:
        print_json(result)
        return
    for line in result["activities"].values():
        print(line)
    say(f"wrote {output}")


def _set_tolerance(model: Any, published: bool) -> None:
    from ibgn.classifiers.ibgn import IBGNClassifier
    from ibgn.errors import OptionError

    if published or not isinstance(model, IBGNClassifier):
        raise OptionError("--learn-tolerance is for --method ibgn without --published")
    model.set_params(tolerance="learned")


def _new_model(method: str, structure: str, published: bool, *sampling: int) -> Any:
    """An estimator that is not fitted yet."""
    from ibgn.classifiers import DBNClassifier, IHMMClassifier, ITBNClassifier
    from ibgn.classifiers.ibgn import IBGNClassifier
    from ibgn.errors import OptionError

    if method != "ibgn":
        if published or structure != "full":
            raise OptionError(f"--structure and --published are for --method ibgn, not {method}")
        return {"ihmm": IHMMClassifier, "dbn": DBNClassifier, "itbn": ITBNClassifier}[method]()
    make = IBGNClassifier.published if published else IBGNClassifier
    draws, budget, seed = sampling
    return make(structure, draws=draws, budget=budget, random_state=seed)  # type: ignore[arg-type]


@takes_data()
def predict(
    model: Model,
    data: Data,
    output: Output = None,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Recognise the instances of a file: labels and probabilities as CSV."""
    import pandas as pd

    from ibgn.persistence import load as load_model

    with warnings_aloud(), busy(f"recognising {data.name}"):
        classifier = load_model(model)
        X, y = reading.read(data)
        probabilities = classifier.predict_proba(X)
    table = pd.DataFrame({"instance": X.ids, "predicted": classifier.predict(X)})
    if y is not None:
        table.insert(1, "label", y)
        right = (table["predicted"].astype(str) == table["label"].astype(str)).mean()
        say(f"accuracy {right:.3f} of {len(table)} labelled instances")
    for c, name in enumerate(classifier.classes_):
        table[f"P({name})"] = probabilities[:, c]
    _print_table(table, output, as_json)


@takes_data()
def explain(
    model: Model,
    data: Data,
    instance: Annotated[str, typer.Option(help="Name of the instance to explain.")],
    against: Annotated[
        str | None, typer.Option(help="Activity to compare with, else the second likeliest.")
    ] = None,
    figure: Annotated[Path | None, typer.Option(help="File for a picture (PNG, PDF, SVG).")] = None,
    output: Output = None,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Say which intervals and relations spoke for the activity that was recognised."""
    from ibgn.errors import DataError
    from ibgn.persistence import load as load_model
    from ibgn.text import quote

    with warnings_aloud():
        classifier = load_model(model)
        X, _ = reading.read(data)
        chosen = X[X.ids == instance]
        if len(chosen) == 0:
            raise DataError(f"there is no instance {quote(instance)} in {quote(data.name)}")
        labels = {str(label): label for label in classifier.classes_.tolist()}
        found = classifier.explain(chosen, against=labels.get(against or "", against))
    if figure is not None:
        _save_figure(found, figure)
    say(repr(found))
    _print_table(found.table(), output, as_json)


def sample(
    model: Model,
    number: Annotated[int, typer.Option("-n", min=0, help="Instances of each activity.")] = 10,
    activity: Annotated[
        list[str] | None, typer.Option(help="Activity to draw; repeatable, else all.")
    ] = None,
    output: Output = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Draw new instances of activities, as intervals whose relations are possible."""
    import numpy as np

    from ibgn.errors import OptionError
    from ibgn.io import write
    from ibgn.persistence import load as load_model
    from ibgn.text import quote

    classifier = load_model(model)
    if not hasattr(classifier, "sample"):
        raise OptionError(
            f"{quote(model.name)} is a model that does not generate; fit one with --method ibgn"
        )
    labels = {str(label): label for label in classifier.classes_.tolist()}
    chosen = [labels.get(name, name) for name in activity or labels]
    rng = np.random.default_rng(seed)
    parts = [classifier.sample(number, label, rng) for label in chosen]
    X = _named(parts, chosen)
    y = np.repeat(np.array([str(label) for label in chosen], object), number)
    if output is not None:
        write(X, output, y)
        say(f"wrote {len(X)} instances to {output}")
    if output is None or as_json:
        _print_table(X.to_frame(y), None, as_json)


def _named(parts: "list[IntervalSequences]", labels: list[Any]) -> "IntervalSequences":
    """All parts as one, instances named by their activity and a number."""
    from ibgn.intervals import IntervalSequences

    together = IntervalSequences.concatenate(parts)
    ids = [
        f"{label}-{d}" for label, part in zip(labels, parts, strict=True) for d in range(len(part))
    ]
    return IntervalSequences.from_flat(together.flat, together.actions, ids)


def _save_figure(found: Any, figure: Path) -> None:
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    from ibgn.errors import OptionError
    from ibgn.plots import plot_explanation
    from ibgn.text import quote

    plot_explanation(found)
    try:
        plt.savefig(figure, dpi=150)
    except ValueError as error:
        raise OptionError(f"{quote(figure)}: {error}") from error
    say(f"wrote {figure}")


def _print_table(table: "pd.DataFrame", output: Path | None, as_json: bool) -> None:
    """Print a table as CSV, or as JSON; to a file where one is named."""
    from ibgn._files import replacing

    if output is not None:
        with replacing(output) as temporary:
            table.to_csv(temporary, index=False)
        say(f"wrote {output}")
    if as_json:
        print_json({"rows": table.to_dict(orient="records")})
    elif output is None:
        print(table.to_csv(index=False), end="")
