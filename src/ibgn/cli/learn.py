"""The command fit: a method learns from labelled instances, and is written to a file."""

import warnings
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ibgn.cli.comparison import USUAL_FOLDS
from ibgn.cli.flags import as_argument, as_flag, as_flags, as_setting, in_shell, read_value
from ibgn.cli.options import METHOD_HELP, Data, Jobs, Json, Reading, Seed, takes_data
from ibgn.cli.output import print_json, say, warnings_aloud
from ibgn.cli.pieces import PieceReading, read_whole
from ibgn.cli.show import (
    describe_learned,
    say_decisions,
    say_horizon,
    say_weights,
)
from ibgn.cli.tables import print_lines
from ibgn.cli.targets import writes
from ibgn.errors import DataError, DataWarning, Option, OptionError, Part
from ibgn.text import count, quote

if TYPE_CHECKING:
    from ibgn.intervals import IntervalSequences

# options of methods whose flag has another name, or that are not for the command line
WITH_A_FLAG = ("random_state", "n_jobs", "progress")

Method = Annotated[
    str, typer.Option("--method", "-m", metavar="NAME", help=f"Method to learn: {METHOD_HELP}.")
]
Structure = Annotated[
    Literal["full", "chain", "learned", "shared"] | None,
    typer.Option(
        metavar="LINKS",
        help="Which pairs of intervals have a relation, by default as the method has it",
    ),
]
Horizon = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="INTERVALS",
        help="Relate each interval only with so many after it, for long instances; by default all.",
    ),
]
Draws = Annotated[
    int | None, typer.Option(min=1, help="Draws of tables that are averaged; 1000 by default.")
]
Budget = Annotated[int | None, typer.Option(min=1, help="Sweeps at most; 3000 by default.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Option of the method, such as n_bins=4; repeatable."
    ),
]
Early = Annotated[
    bool,
    typer.Option(
        "--early",
        help="Also learn when it may decide while an instance goes on, for live use; takes "
        "many times as long.",
    ),
]


@writes(output="file")
@takes_data(PieceReading)
def fit(
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="File for the model.")],
    method: Method = "IBGN-T",
    settings: Settings = None,
    structure: Structure = None,
    horizon: Horizon = None,
    learn_tolerance: Annotated[
        bool,
        typer.Option("--learn-tolerance", help="Learn which end points are the same instant."),
    ] = False,
    draws: Draws = None,
    budget: Budget = None,
    seed: Seed = 0,
    n_jobs: Jobs = 1,
    early: Early = False,
    as_json: Json = False,
    *,
    reading: PieceReading,
) -> None:
    """Learn a model of each activity in a file of labelled instances.

    $ ibgn fit takes.csv -o takes.ibgn
    $ ibgn fit takes.csv -o dbn.ibgn --method DBN --set n_bins=4
    $ ibgn fit takes.csv -o near.ibgn --horizon 100
    $ ibgn fit takes.csv -o live.ibgn --early
    """
    from ibgn.classifiers import save

    flags = {"structure": structure, "horizon": horizon, "draws": draws, "budget": budget}
    options = {name: value for name, value in flags.items() if value is not None}
    name, model = new_model(method, seed, options, settings or [])
    if learn_tolerance:
        _set_tolerance(model, name)
    unfit: dict[str, Any] = {"early": early}
    unfit |= {} if getattr(model, "fits_sources", False) else {"method": name}
    shared = {"n_jobs": n_jobs, "progress": True}
    model.set_params(**{option: shared[option] for option in shared if hasattr(model, option)})
    test = None
    with warnings_aloud() as messages:
        whole = read_whole(
            lambda: reading.read_labelled(data, "to learn from"), data, reading, unfit
        )
        if whole is None:
            with reading.connected():
                model.fit(reading.scan(data))
            warn_of_few(model.classes_, [len(each.lengths) for each in model.activities_.values()])
            instances, intervals = model.trained_on_.instances, model.trained_on_.intervals
        else:
            X, y = whole
            warn_of_few(*_count_labels(y))
            _propose_horizon(model, X)
            try:
                model.fit(X, y)
            except DataError as error:
                shared_names = {*model.get_params()} & {field.name for field in fields(Reading)}
                error.parts = tuple(_of_method(part, shared_names) for part in error.parts)
                raise
            if early:
                _learn_decisions(model, X, y)
            test = _evaluation(data, name, reading, X, y)
            instances, intervals = len(X), len(X.action)
        save(model, output)
    result: dict[str, Any] = {"model": str(output), "method": name, "instances": instances}
    result["warnings"] = messages
    if learn_tolerance or getattr(model, "tolerance_", 0.0) > 0:
        result |= {"tolerance": model.tolerance_, "emptied": model.emptied_}
        say(
            f"end points closer than {model.tolerance_:.3g} are the same instant; "
            f"this empties {model.emptied_} of {count(intervals, 'interval')}"
        )
    result |= describe_learned(model)
    if as_json:
        print_json(result)
        return
    _print_learned(result, name)
    say(f"wrote {output}; look at it with: {in_shell('ibgn', 'show', as_argument(output))}")
    if test:
        say(f"see how well the method does on instances that it has not seen with: {test}")


def _print_learned(result: dict[str, Any], name: str) -> None:
    learned = len(result["activities"])
    print_lines(
        f"{name} learned {learned} {'activity' if learned == 1 else 'activities'} from "
        f"{count(result['instances'], 'instance')}"
    )
    if len(result["weights"]) > 1:
        print_lines(say_weights(result["weights"]), 2)
    if result.get("horizon"):
        print_lines(say_horizon(result), 2)
    if result.get("early"):
        print_lines(say_decisions(result["early"]), 2)


def _learn_decisions(model: Any, X: "IntervalSequences", y: Any) -> None:
    """Learn when the model may decide, from the instances that have a label."""
    import numpy as np
    import pandas as pd

    from ibgn.live import learn_decisions

    known = np.flatnonzero(~pd.isna(np.asarray(y, object)))
    learn_decisions(model, X[known], np.asarray(y)[known])


def _evaluation(
    data: Path, method: str, reading: Reading, X: "IntervalSequences", y: Any
) -> str | None:
    """Command that tests the method on the same data; None where there are too few."""
    import numpy as np

    from ibgn.evaluation.folds import resolve_scheme

    known = [str(label) for label in y if label is not None]
    counts = np.unique(known, return_counts=True)[1]
    if len(counts) < 2 or counts.max() < 2 or str(data) == "-":
        return None
    options: dict[str, Any] = {} if reading.format is None else {"format": reading.format}
    options |= reading.given(reading.find(data)[1])
    if len(known) < len(y):
        options["unlabelled"] = "drop"
    words = ["ibgn", "evaluate", as_argument(data), "--method", method]
    if resolve_scheme(X, "auto") == "stratified" and counts.min() < USUAL_FOLDS:
        words += ["--folds", str(max(2, counts.min()))]
    return f"{in_shell(*words)} {as_flags(options)}".strip()


def new_model(
    method: str, seed: int, flags: dict[str, Any], settings: list[str]
) -> tuple[str, Any]:
    """A method by name: its name, and a new estimator with the options from flags and --set."""
    from ibgn.evaluation.methods import METHODS, find_method

    method = find_method(method)
    model = METHODS[method](seed)
    options = [name for name in model.get_params(deep=False) if name not in WITH_A_FLAG]
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
    return method, model.set_params(**chosen)


def _of_method(part: Part, shared: set[str]) -> Part:
    """A part of a message of a method; options that readers have too are those of the method."""
    return as_setting(part) if isinstance(part, Option) and part.name in shared else part


def _set_tolerance(model: Any, method: str) -> None:
    if method.startswith("published") or "tolerance" not in model.get_params():
        instead = Option("method", "IBGN-T")
        reason = ("is not for ", Option("method", method), "; use ", instead)
        raise OptionError("learn_tolerance", True, *reason)
    model.set_params(tolerance="learned")


def _propose_horizon(model: Any, X: "IntervalSequences") -> None:
    """Say what helps where an instance is so long that all its pairs may take long."""
    from ibgn.horizon import LONG, USUAL

    longest = X.lengths.max(initial=0)
    if longest > LONG and "horizon" in model.get_params() and model.horizon is None:
        say(
            f"an instance has {longest:,} intervals; if learning takes long, "
            f"{as_flag(Option('horizon', USUAL))} relates each only with the {USUAL} after it"
        )


def _count_labels(y: Any) -> tuple[Any, Any]:
    """Labels that are there, and how often each is."""
    import numpy as np
    import pandas as pd

    known = [str(label) for label in y if not pd.isna(label)]
    return np.unique(known, return_counts=True)


def warn_of_few(labels: Any, counts: Any) -> None:
    """Warn where there is nothing to tell apart, or an activity is known by one instance."""
    if len(labels) == 1:
        only = f"all instances are of one activity, {quote(labels[0])}: the model will recognise "
        warnings.warn(DataWarning(f"{only}it in everything; add instances of others"), stacklevel=2)
    single = [str(label) for label, number in zip(labels, counts, strict=True) if number == 1]
    if single and len(labels) > 1:
        named = ", ".join(map(quote, single[:5])) + (", ..." if len(single) > 5 else "")
        have = "has" if len(single) == 1 else "have"
        warning = DataWarning(
            f"{len(single)} of {len(labels)} activities {have} one instance only ({named}); how "
            "their instances differ cannot be learned from it, so add some if you can"
        )
        warnings.warn(warning, stacklevel=2)
