"""Commands that use models: predict, explain, sample."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibgn.cli.figures import FIGURES, save_figure
from ibgn.cli.into import Into, Replace, Tier, add_tiers, check_into
from ibgn.cli.loading import load_recogniser
from ibgn.cli.memory import UnknownActions, compare_with_training, extend, read_like_training
from ibgn.cli.options import (
    Data,
    EscapeFormulas,
    Json,
    Model,
    Reading,
    Seed,
    takes_data,
)
from ibgn.cli.output import busy, print_json, print_text, say, warnings_aloud
from ibgn.cli.pieces import PieceReading, read_whole
from ibgn.cli.predictions import (
    NONE,
    FalseAlarm,
    Rejection,
    UnknownActivities,
    as_frame,
    count_right,
    predict_scanned,
    say_accuracy,
)
from ibgn.cli.tables import print_lines, print_predictions
from ibgn.cli.targets import check_suffix, format_to_write, writes
from ibgn.errors import MISSING, DataError, OptionError
from ibgn.text import near, quote

if TYPE_CHECKING:
    import pandas as pd

    from ibgn.intervals import IntervalSequences


Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="File to write, by default standard output.")
]


@writes(output="either")
@takes_data(PieceReading, unlabelled="keep")
def predict(
    model: Model,
    data: Data,
    output: Output = None,
    into: Into = None,
    tier: Tier = "predicted",
    replace: Replace = False,
    unknown_activities: UnknownActivities = "accept",
    false_alarm: FalseAlarm = 0.05,
    unknown_actions: UnknownActions = None,
    escape_formulas: EscapeFormulas = False,
    as_json: Json = False,
    *,
    reading: PieceReading,
) -> None:
    """Recognise the instances in a file: a table, or labels and all probabilities as CSV.

    A terminal shows a table with the likeliest activities; a pipe and a file get every digit.

    $ ibgn predict takes.ibgn takes.csv
    $ ibgn predict takes.ibgn takes.csv -o predictions.csv
    $ ibgn predict takes.ibgn takes.csv --unknown reject --false-alarm 0.05
    $ ibgn predict takes.ibgn talk.eaf --into talk.eaf -o copy.eaf
    """
    import numpy as np

    check_into(into, output)
    with warnings_aloud() as said, busy(f"recognising {data.name}"):
        classifier = load_recogniser(model)
        classifier.unknown_actions = unknown_actions or classifier.unknown_actions
        rejection = Rejection(unknown_activities, false_alarm)
        rejection.check(classifier)
        unfit = {"into": into, "as_json": as_json}
        whole = read_whole(
            lambda: read_like_training(reading, data, classifier), data, reading, unfit
        )
    if whole is None:
        predict_scanned(classifier, data, output, escape_formulas, reading, rejection)
        return
    with warnings_aloud() as more, busy(f"recognising {data.name}"):
        X, y, remembered = whole
        # one score for both, as probabilities of nearly equal scores could round to the same
        logs, p = rejection.assess(classifier, X)
    frame = as_frame(classifier.classes_, X, y, logs, p, false_alarm)
    predicted = frame["predicted"].fillna(NONE) if rejection.active else frame["predicted"]
    if y is not None:
        say_accuracy(*count_right(frame, classifier.classes_))
    rejection.say(int(frame["predicted"].isna().sum()), len(frame))
    if into is not None and output is not None:
        with warnings_aloud():
            like_training = extend(reading, remembered)
            add_tiers(into, output, X, predicted.to_numpy(), tier, replace, like_training)
        output = None
        if not as_json:
            return
    if output is None and not as_json and sys.stdout.isatty():
        print_predictions(
            frame.assign(predicted=predicted), classifier.classes_.tolist(), np.exp(logs)
        )
        say("all probabilities are written with --output FILE.csv")
    else:
        compared = compare_with_training(classifier, X, remembered, said + more) if as_json else {}
        _print_frame(frame, output, as_json, compared, escape_formulas=escape_formulas)


@writes(output="file", figure="file")
@takes_data(unlabelled="keep")
def explain(
    model: Model,
    data: Data,
    instance: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Instance to explain; not needed if there is only one."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Activity to compare with, by default the second likeliest."
        ),
    ] = None,
    figure: Annotated[Path | None, typer.Option(help="File for a picture (PNG, PDF, SVG).")] = None,
    output: Output = None,
    unknown_actions: UnknownActions = None,
    escape_formulas: EscapeFormulas = False,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Say why an activity was recognised: the strongest reasons in words, then all as a file.

    --output writes every contribution as CSV; they add up to the log odds.

    $ ibgn explain takes.ibgn takes.csv --instance tea-1
    $ ibgn explain takes.ibgn takes.csv --instance tea-1 --against milk -o why.csv
    """
    check_suffix("figure", figure, *FIGURES)
    with warnings_aloud() as said:
        classifier = load_recogniser(model)
        X, _, remembered = read_like_training(reading, data, classifier)
        classifier.unknown_actions = unknown_actions or classifier.unknown_actions
        chosen = choose_instance(X, instance, data)
        if not getattr(classifier, "activities_", None):
            raise refuse_method(model, classifier, "gives no reasons")
        labels = {str(label): label for label in classifier.classes_.tolist()}
        explanation = classifier.explain(chosen, against=labels.get(against or "", against))
    if figure is not None:
        save_figure(explanation, figure)
    if output is not None:
        _write_frame(explanation.frame(), output, escape_formulas)
    if not as_json:
        print_lines(repr(explanation), 3)
        return
    print_json(
        {
            "activity": str(explanation.activity),
            "against": str(explanation.against),
            "log_odds": explanation.log_odds,
            "reasons": [reason._asdict() for reason in explanation.reasons()],
            "terms": explanation.by_term,
            "unusual": explanation.unusual and explanation.unusual._asdict(),
            "rows": explanation.frame().to_dict(orient="records"),
        }
        | compare_with_training(classifier, chosen, remembered, said)
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
    escape_formulas: EscapeFormulas = False,
    as_json: Json = False,
) -> None:
    """Draw new instances of activities, as intervals whose relations are possible.

    $ ibgn sample takes.ibgn -n 2 --activity tea
    """
    import numpy as np

    from ibgn.intervals import IntervalSequences
    from ibgn.io import write

    if output is not None:
        format_to_write("output", output)
    classifier = load_recogniser(model)
    if not hasattr(classifier, "sample"):
        raise refuse_method(model, classifier, "generates nothing")
    labels = {str(label): label for label in classifier.classes_.tolist()}
    chosen = [labels.get(name, name) for name in activity or labels]
    rng = np.random.default_rng(seed)
    parts = [classifier.sample(number, label, rng) for label in chosen]
    together = IntervalSequences.concatenate(parts)
    ids = [f"{label}-{d}" for label in chosen for d in range(number)]
    X = IntervalSequences.from_flat(together.flat, together.actions, ids)
    y = np.repeat(np.array([str(label) for label in chosen], object), number)
    if output is not None:
        options: dict[str, Any] = {"escape_formulas": True} if escape_formulas else {}
        write(X, output, y, **options)
        say(f"wrote {len(X)} instances to {output}")
    if output is None or as_json:
        _print_frame(X.to_frame(y), None, as_json, escape_formulas=escape_formulas)


def refuse_method(model: Path, classifier: Any, what: str) -> OptionError:
    """An error that says what a method does not do, and which does."""
    from ibgn.evaluation.methods import name_method

    method = name_method(classifier)[0]
    reason = f"is a model of {method}, which {what}; `ibgn fit` learns one that does by default"
    return OptionError("model", model.name, reason)


def choose_instance(X: "IntervalSequences", name: str | None, data: Path) -> "IntervalSequences":
    """The instance of this name, or the only one; an error lists names that are near."""
    names = list(map(str, X._names()))
    listed = ", ".join(map(quote, names[:5])) + (", ..." if len(names) > 5 else "")
    if name is None:
        if len(X) == 1:
            return X
        raise OptionError("instance", MISSING, f"must name one of the instances: {listed}")
    if name in names:
        return X[[names.index(name)]]
    alike = near(name, names, 3)
    hint = f"did you mean {', '.join(map(quote, alike))}?" if alike else f"there are {listed}"
    raise DataError(f"there is no instance {quote(name)} in {quote(data.name)}; {hint}")


def _write_frame(frame: "pd.DataFrame", output: Path, escape_formulas: bool) -> None:
    from ibgn._files import replacing
    from ibgn.io.dataframes import as_csv

    with replacing(output) as temporary:
        temporary.write_text(as_csv(frame, escape_formulas), "utf-8", newline="")
    say(f"wrote {output}")


def _print_frame(
    frame: "pd.DataFrame",
    output: Path | None,
    as_json: bool,
    more: dict[str, Any] | None = None,
    *,
    escape_formulas: bool = False,
) -> None:
    """Print a frame as CSV or JSON, or write it to a file if one is named.

    more : what else JSON has
    """
    if output is not None:
        _write_frame(frame, output, escape_formulas)
    if as_json:
        from ibgn.evaluation.plain import rows

        print_json({"rows": rows(frame)} | (more or {}))
    elif output is None:
        from ibgn.io.dataframes import as_csv

        print_text(as_csv(frame, escape_formulas))
