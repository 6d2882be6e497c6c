"""The demo: the main job from start to end, on simulated data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ibgn.cli.options import Json, Seed
from ibgn.cli.output import busy, print_json, say
from ibgn.cli.results import check_jobs, command_line, watched
from ibgn.cli.tables import print_comparison
from ibgn.cli.targets import writes

if TYPE_CHECKING:
    from ibgn.evaluation.folds import Fold
    from ibgn.evaluation.methods import Method
    from ibgn.evaluation.robustness import Robustness
    from ibgn.intervals import IntervalSequences

Out = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        metavar="FOLDER",
        help="Folder for the report, its pieces, the data and a model.",
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", help="Folds at the same time; -1 is all cores.")]
Quick = Annotated[
    bool, typer.Option("--quick", help="Less data and shorter chains, in seconds; only a look.")
]


class Size(NamedTuple):
    """How much the demo does: chains are shorter than usual, to save time."""

    instances: int  # of each style
    folds: int
    draws: int
    sweeps: int
    rates: tuple[float, ...]  # of each kind of noise


USUAL = Size(16, 8, 100, 600, (0.1, 0.2, 0.3))  # two of 16 signers in each fold
QUICK = Size(3, 3, 20, 60, (0.2,))
QUESTION = (
    "Which method best recognises signed words from the intervals in which fingers are "
    "bent or straight, for signers that it has never seen? And what if detection is poor?"
)


@writes(out="folder")
def demo(
    out: Out = Path("ibgn-demo"),
    quick: Quick = False,
    seed: Seed = 0,
    jobs: Jobs = -1,
    as_json: Json = False,
) -> None:
    """Simulate signed words, compare methods on them and write a report; needs no data."""
    from ibgn._files import filling
    from ibgn.datasets import make_hand_signs
    from ibgn.evaluation.folds import make_folds
    from ibgn.evaluation.methods import COMPARED, with_short_chains
    from ibgn.evaluation.plain import rows
    from ibgn.io import write

    check_jobs(jobs)
    size = QUICK if quick else USUAL
    X, y, _ = make_hand_signs(instances_per_style=size.instances, random_state=seed)
    folds = make_folds(X, y, "group", n_splits=size.folds, seed=seed)
    methods = with_short_chains(COMPARED, size.draws, size.sweeps)
    robustness = _compare(X, y, methods, folds, size.rates, seed, jobs)
    with busy("writing the report"), filling(out) as folder:
        write(X, folder / "hand-signs.csv", y)
        _write_report(folder, X, y, robustness, methods, folds, seed, jobs)
        _save_model(X, y, methods, folder, seed, jobs)
    clean = robustness.at("none")
    if as_json:
        frames = {
            "summary": clean.summary(),
            "comparison": clean.compare(),
            "curves": robustness.curves(),
        }
        result = {name: rows(frame) for name, frame in frames.items()}
        print_json({"instances": len(X)} | result | {"report": str(out / "report.html")})
        return
    print_comparison(clean)
    say(f"wrote data, a model and all pieces of the report to {out}")
    print(f"Look at {out / 'report.html'}")


def _compare(
    X: "IntervalSequences",
    y: Any,
    methods: "dict[str, Method]",
    folds: "list[Fold]",
    rates: tuple[float, ...],
    seed: int,
    jobs: int,
) -> "Robustness":
    from ibgn.evaluation.conditions import noise_conditions
    from ibgn.evaluation.robustness import measure_robustness

    conditions = noise_conditions({"misdetection": rates, "duration": rates}, seed=seed)
    with watched() as watch:
        watch.begin("comparing methods on simulated hand signs", len(folds) * len(methods))
        return measure_robustness(
            X, y, methods, folds, conditions, seed=seed, n_jobs=jobs, on_done=watch.done
        )


def _write_report(
    out: Path,
    X: "IntervalSequences",
    y: Any,
    measured: "Robustness",
    methods: "dict[str, Method]",
    folds: "list[Fold]",
    seed: int,
    jobs: int,
) -> None:
    from ibgn.report import Origin, find, make_report

    origin = Origin("Signed words", QUESTION, command_line(), seed, "group", unit="s")
    clean, curves = measured.at("none"), measured.curves()
    findings = find(origin, X, y, clean, folds, methods, robustness=curves, n_jobs=jobs)
    make_report(findings).save(out / "report.html", out / "pieces")


def _save_model(
    X: "IntervalSequences", y: Any, methods: "dict[str, Method]", out: Path, seed: int, jobs: int
) -> None:
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    from ibgn.classifiers import save

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        save(methods["IBGN-T"](seed).set_params(n_jobs=jobs).fit(X, y), out / "hand-signs.ibgn")
