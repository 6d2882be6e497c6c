"""Commands that compare methods: evaluate, robustness."""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ibgn.cli.comparison import Comparison, describe_design, say_design, takes_comparison
from ibgn.cli.detected import Detection
from ibgn.cli.options import Data, Json, Reading, expanding, takes_data
from ibgn.cli.output import print_json, warnings_aloud
from ibgn.cli.pieces import PieceReading, read_whole
from ibgn.cli.results import (
    Outputs,
    command_line,
    watched,
    writes_outputs,
)
from ibgn.cli.scanned import evaluate_scanned, needs_all
from ibgn.cli.tables import (
    print_accuracies,
    print_comparison,
    print_decisions,
    print_lines,
    print_reliability,
)
from ibgn.text import printable

if TYPE_CHECKING:
    import pandas as pd

    from ibgn.evaluation.early import EarlyEvaluation
    from ibgn.evaluation.evaluate import Evaluation
    from ibgn.evaluation.folds import Fold
    from ibgn.evaluation.learning import Size
    from ibgn.evaluation.methods import Method
    from ibgn.intervals import IntervalSequences

Misdetection = Annotated[
    str,
    typer.Option(
        metavar="RATES",
        help="Shares of the intervals that are lost or mistaken; empty text leaves this out.",
    ),
]
Duration = Annotated[
    str,
    typer.Option(
        metavar="RATES",
        help="By how much of its duration each end moves; empty text leaves this out.",
    ),
]
On = Annotated[
    Literal["test", "both"],
    typer.Option(help="Errors in the test data only, or in the training data too."),
]
Draws = Annotated[int, typer.Option(min=1, help="How often errors are drawn at each rate.")]
Sizes = Annotated[
    str | None,
    typer.Option(
        "--curve",
        metavar="SIZES",
        help="Learning curve: training instances per activity, such as 1,2,5,10, or shares of the "
        "training set, such as 10%,25%,50%.",
    ),
]
SizeDraws = Annotated[
    int | None,
    typer.Option(min=1, help="How often each size of --curve is drawn; 1 by default."),
]
Reliability = Annotated[
    bool,
    typer.Option("--reliability", help="Print how often methods are right by how sure they are."),
]
Early = Annotated[
    bool,
    typer.Option(
        "--early",
        help="Also recognise instances that are not over, and measure early decisions; methods "
        "then learn six times as often.",
    ),
]

TITLE = "Recognising activities"


takes_outputs = expanding("outputs", Outputs)


@writes_outputs()
@takes_data(PieceReading)
@takes_outputs
@takes_comparison
def evaluate(
    data: Data,
    sizes: Sizes = None,
    draws: SizeDraws = None,
    reliability: Reliability = False,
    early: Early = False,
    as_json: Json = False,
    *,
    comparison: Comparison,
    reading: PieceReading,
    outputs: Outputs,
) -> None:
    """Compare methods on your data by cross-validation, with errors and paired tests.

    $ ibgn evaluate takes.csv --method DBN --method ITBN --folds 2
    $ ibgn evaluate takes.csv -m forest -m ridge --folds 2 --curve 1,2
    $ ibgn evaluate takes.csv -m IBGN-T --folds 2 --early
    """
    from ibgn.errors import DataWarning, Option, OptionError
    from ibgn.evaluation.early import evaluate_early
    from ibgn.evaluation.learning import learning_curve
    from ibgn.evaluation.plain import rows

    if early and sizes is not None:
        raise OptionError("early", True, "takes whole training sets; leave out ", Option("sizes"))
    unfit = {"sizes": sizes, "draws": draws, "reliability": reliability, "early": early}
    unfit |= needs_all(comparison, outputs)
    methods = {} if reading.pieces else comparison.methods()
    parts = _read_sizes(sizes)
    with warnings_aloud() as messages:
        outputs.check()
        whole = read_whole(
            lambda: reading.read_labelled(data, "to compare with"), data, reading, unfit
        )
    if whole is None:
        evaluate_scanned(data, as_json, comparison, reading, outputs)
        return
    X, y = whole
    with warnings_aloud() as before:
        folds, scheme = comparison.split(X, y)
        if draws is not None and sizes is None:
            warning = DataWarning(Option("draws"), " is not used without ", Option("sizes"))
            warnings.warn(warning, stacklevel=1)
    with warnings_aloud() as more, watched() as watch:
        many = 1 + (draws or 1) * len(parts)
        watch.begin("comparing", len(folds) * len(methods) * many, alike=many == 1)
        options = comparison.options(outputs, watch)
        sooner = evaluate_early(X, y, methods, folds, **options) if early else None
        if sooner is None:
            measured = learning_curve(X, y, methods, folds, parts, draws=draws or 1, **options)
    evaluation = measured.whole() if sooner is None else sooner.whole
    curves = None if sizes is None else measured.curves()
    design = describe_design(X, y, folds, scheme)
    kept = evaluation if curves is None else measured
    outputs.keep_frames(kept.scores, kept.predictions)
    question = f"Which method recognises the activities of {data.name} best?"
    study = _Study(X, y, methods, folds, scheme, evaluation, None, curves, sooner)
    messages += before + more
    messages += study.report(question, comparison, outputs, messages)
    if as_json:
        frames = {
            "summary": evaluation.summary(),
            "comparison": evaluation.compare(),
            "reliability": evaluation.reliability(),
            "folds": evaluation.scores,
        }
        frames |= {} if curves is None else {"curve": curves}
        if sooner is not None:
            frames |= {"early": sooner.curves(), "early_decisions": sooner.decisions()}
            frames |= {"early_trade_off": sooner.trade_off()}
        result = {name: rows(frame) for name, frame in frames.items()}
        print_json({"instances": len(X)} | design | result | {"warnings": messages})
        return
    print_lines(say_design(design, len(X)))
    print_comparison(evaluation)
    if curves is not None:
        print_accuracies(curves, size=str, per_activity="{:.3g}".format)
    if sooner is not None:
        print_accuracies(sooner.curves(), seen="{:.0%}".format)
        print_decisions(sooner.decisions())
    if reliability:
        print_reliability(evaluation.reliability())


@writes_outputs("detected")
@takes_data()
@takes_outputs
@takes_comparison
@expanding("detection", Detection)
def robustness(
    data: Data,
    misdetection: Misdetection = "0.1,0.2,0.3",
    duration: Duration = "0.1,0.2,0.3",
    on: On = "test",
    draws: Draws = 3,
    as_json: Json = False,
    *,
    detection: Detection,
    comparison: Comparison,
    reading: Reading,
    outputs: Outputs,
) -> None:
    """Measure what errors of detection cost: intervals lost, mistaken, moved, or detected.

    $ ibgn robustness takes.csv -m DBN -m ITBN --folds 2 --duration 0.2
    """
    from ibgn.evaluation.conditions import noise_conditions
    from ibgn.evaluation.plain import rows
    from ibgn.evaluation.robustness import measure_robustness

    methods = comparison.methods()
    detection.files()  # checks its options before the work
    rates = {
        "misdetection": _numbers("misdetection", misdetection),
        "duration": _numbers("duration", duration),
    }
    conditions = noise_conditions(rates, on=on, draws=draws, seed=comparison.seed)
    with warnings_aloud() as messages:
        outputs.check()
        X, y = reading.read_labelled(data, "to compare with")
        conditions += detection.conditions(X, on, reading, comparison.seed)
        folds, scheme = comparison.split(X, y)
    learned = 1 if on == "test" else len(conditions)
    with warnings_aloud() as more, watched() as watch:
        watch.begin("comparing under errors", len(folds) * len(methods) * learned)
        options = comparison.options(outputs, watch)
        measured = measure_robustness(X, y, methods, folds, conditions, **options)
    curves = measured.curves()
    design = describe_design(X, y, folds, scheme)
    outputs.keep_frames(measured.scores, measured.predictions)
    question = f"How well are the activities of {data.name} recognised if detection makes errors?"
    study = _Study(X, y, methods, folds, scheme, measured.at("none"), robustness=curves)
    messages += more + study.report(question, comparison, outputs, messages)
    if as_json:
        result = {"curves": rows(curves), "folds": rows(measured.scores)}
        print_json({"instances": len(X)} | design | result | {"warnings": messages})
    else:
        print_lines(say_design(design, len(X)))
        print_accuracies(curves, error=printable, rate=lambda rate: f"{rate:.0%}" if rate else "")


@dataclass(frozen=True)
class _Study:
    """What a report needs."""

    X: "IntervalSequences"
    y: Any
    methods: "dict[str, Method]"
    folds: "list[Fold]"
    scheme: str
    evaluation: "Evaluation"
    robustness: "pd.DataFrame | None" = None
    learning: "pd.DataFrame | None" = None
    early: "EarlyEvaluation | None" = None

    def report(
        self, question: str, comparison: Comparison, outputs: Outputs, messages: list[str]
    ) -> list[str]:
        """Write the report if one is asked for, and close the journal; returns warnings."""
        more = []
        if outputs.has_report:
            from ibgn.evaluation.methods import GRIDS
            from ibgn.report import Origin, find

            seed = comparison.seed
            said, unit = tuple(messages), outputs.unit
            unit = unit_of(self.X) if unit is None else unit
            origin = Origin(TITLE, question, command_line(), seed, self.scheme, said, unit)
            more = outputs.write_report(
                lambda: find(
                    origin,
                    self.X,
                    self.y,
                    self.evaluation,
                    self.folds,
                    self.methods,
                    robustness=self.robustness,
                    learning=self.learning,
                    early=self.early,
                    search=GRIDS if comparison.search else None,
                    n_jobs=comparison.jobs,
                )
            )
        outputs.finish()
        return more


def unit_of(X: "IntervalSequences") -> str:
    """Unit of the times, where the format of the data says it."""
    from ibgn.io.registry import FORMATS

    read = X.provenance
    format = None if read is None else FORMATS.get(read.format or "")
    if read is None or format is None:
        return ""
    return format.unit if read.options.get("rate") is None else "s"


def _read_sizes(text: str | None) -> "list[Size]":
    """Sizes of a learning curve: shares are written as per cents or with a point."""
    from ibgn.checks import as_number
    from ibgn.errors import OptionError
    from ibgn.evaluation.learning import check_sizes

    sizes: list[Size] = []
    for part in [] if text is None else text.split(","):
        word = part.strip()
        number = as_number(word.removesuffix("%"))
        if number is None or not word:
            raise OptionError(
                "sizes",
                text,
                "must be whole numbers or shares with commas between, such as 1,2,5 or 10%,50%",
            )
        whole = word.isdecimal()
        sizes.append(int(word) if whole else number / 100 if word.endswith("%") else number)
    return check_sizes(sizes)


def _numbers(option: str, text: str) -> list[float]:
    from ibgn.checks import as_number
    from ibgn.errors import OptionError

    numbers = [as_number(part) for part in text.split(",") if part.strip()]
    if any(number is None for number in numbers):
        raise OptionError(option, text, "must be numbers with commas between, such as 0.1,0.2")
    return [number for number in numbers if number]  # clean data are always tested
