"""Commands about experiments: evaluate, robustness."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ibgn.cli.options import Data, Json, Reading, Seed, takes_data
from ibgn.cli.output import busy, print_json, say, warnings_aloud
from ibgn.cli.results import (
    Outputs,
    check_jobs,
    command_line,
    print_comparison,
    print_curves,
    takes_outputs,
    watched,
)

if TYPE_CHECKING:
    from ibgn.evaluation.conditions import Condition
    from ibgn.evaluation.folds import Fold
    from ibgn.evaluation.methods import Method
    from ibgn.intervals import IntervalSequences
    from ibgn.report import Origin

Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method", "-m", help="Method to compare, or all; repeatable, else the paper's and IBGN-T."
    ),
]
Scheme = Annotated[
    Literal["auto", "stratified", "group", "leave-one-group-out"],
    typer.Option(help="How instances are split; auto keeps groups together where there are any."),
]
Folds = Annotated[int | None, typer.Option(min=2, help="Folds of a repetition, else 5.")]
Repeats = Annotated[
    int | None, typer.Option(min=1, help="How often all instances are split anew, else once.")
]
Search = Annotated[
    bool, typer.Option(help="Choose parameters of each method within each training set.")
]
Jobs = Annotated[int, typer.Option("--jobs", help="Folds at the same time; -1 is all cores.")]
Rates = Annotated[
    str, typer.Option(help="Rates, as 0.1,0.2,0.3; an empty text leaves these errors out.")
]
On = Annotated[
    Literal["test", "both"],
    typer.Option(help="Errors in what is tested only, or in what is learned from too."),
]
Draws = Annotated[int, typer.Option(min=1, help="How often errors are drawn anew at each rate.")]
FoundBy = Annotated[
    list[str] | None,
    typer.Option(
        "--detected",
        help="Intervals that a detector found in the same instances, as name=file; repeatable.",
    ),
]
Sensors = Annotated[
    Path | None,
    typer.Option(help="Folder of sensor recordings (CSV) named as the instances, for --detector."),
]
Detectors = Annotated[
    list[str] | None,
    typer.Option(
        "--detector", help="Detector to learn in each fold: knn, svm, rbf or tree; repeatable."
    ),
]
Tracks = Annotated[
    list[str] | None, typer.Option("--track", help="Column of labels of sensors; repeatable.")
]

TITLE = "Recognising activities"


@takes_outputs()
@takes_data()
def evaluate(
    data: Data,
    method: Methods = None,
    scheme: Scheme = "auto",
    folds: Folds = None,
    repeats: Repeats = None,
    search: Search = False,
    seed: Seed = 0,
    jobs: Jobs = 1,
    as_json: Json = False,
    *,
    reading: Reading,
    outputs: Outputs,
) -> None:
    """Compare methods on your data, cross-validated, with errors and paired tests."""
    from ibgn.evaluation.evaluate import evaluate as evaluate_methods
    from ibgn.evaluation.methods import GRIDS
    from ibgn.evaluation.plain import rows

    chosen = _choose(method, seed)
    check_jobs(jobs)
    outputs.check(data)
    with warnings_aloud() as said:
        X, y = _read_labelled(reading, data)
    split, way = _split(X, y, scheme, folds, repeats, seed)
    grids = GRIDS if search else None
    with warnings_aloud() as more, watched() as watch:
        watch.begin("comparing", len(split) * len(chosen))
        found = evaluate_methods(
            X,
            y,
            chosen,
            split,
            seed=seed,
            search=grids,
            n_jobs=jobs,
            journal=outputs.journal,
            on_done=watch.done,
        )
    outputs.keep_tables(found.scores, found.predictions)

    def find_out(origin: Any) -> Any:
        from ibgn.report import find

        return find(origin, X, y, found, split, chosen, search=grids, n_jobs=jobs)

    question = f"Which method recognises the activities of {data.name} best?"
    origin = _origin(question, seed, way, said)
    said += more + outputs.write_report(origin, find_out)
    outputs.finish()
    if not as_json:
        print_comparison(found)
        return
    tables = {"summary": found.summary(), "comparison": found.compare(), "folds": found.scores}
    told = {name: rows(table) for name, table in tables.items()}
    print_json({"instances": len(X)} | told | {"warnings": said})


@takes_outputs()
@takes_data()
def robustness(
    data: Data,
    method: Methods = None,
    misdetection: Rates = "0.1,0.2,0.3",
    duration: Rates = "0.1,0.2,0.3",
    on: On = "test",
    draws: Draws = 3,
    detected: FoundBy = None,
    sensors: Sensors = None,
    detector: Detectors = None,
    track: Tracks = None,
    scheme: Scheme = "auto",
    folds: Folds = None,
    repeats: Repeats = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    as_json: Json = False,
    *,
    reading: Reading,
    outputs: Outputs,
) -> None:
    """Measure what errors of detection cost: intervals lost, mistaken, moved, or detected."""
    from ibgn.evaluation.conditions import noise_conditions
    from ibgn.evaluation.plain import rows
    from ibgn.evaluation.robustness import measure_robustness

    chosen = _choose(method, seed)
    check_jobs(jobs)
    files = _named_files(detected, detector)
    outputs.check(data, sensors, *files.values())
    rates = {"misdetection": _numbers(misdetection), "duration": _numbers(duration)}
    conditions = noise_conditions(rates, on=on, draws=draws, seed=seed)
    with warnings_aloud() as said:
        X, y = _read_labelled(reading, data)
        conditions += _files_of_detectors(files, X, on, reading)
        conditions += _detectors(detector, sensors, track, X, on, seed)
    split, way = _split(X, y, scheme, folds, repeats, seed)
    learned = 1 if on == "test" else len(conditions)
    with warnings_aloud() as more, watched() as watch:
        watch.begin("comparing under errors", len(split) * len(chosen) * learned)
        found = measure_robustness(
            X,
            y,
            chosen,
            split,
            conditions,
            seed=seed,
            n_jobs=jobs,
            journal=outputs.journal,
            on_done=watch.done,
        )
    curves = found.curves()
    outputs.keep_tables(found.scores, found.predictions)

    def find_out(origin: Any) -> Any:
        from ibgn.report import find

        clean = found.at("none")
        return find(origin, X, y, clean, split, chosen, robustness=curves, n_jobs=jobs)

    question = f"How well are the activities of {data.name} recognised if detection makes errors?"
    origin = _origin(question, seed, way, said)
    said += more + outputs.write_report(origin, find_out)
    outputs.finish()
    if as_json:
        told = {"curves": rows(curves), "folds": rows(found.scores)}
        print_json({"instances": len(X)} | told | {"warnings": said})
    else:
        print_curves(curves)


def _origin(question: str, seed: int, way: str, said: list[str]) -> "Origin":
    from ibgn.report import Origin

    return Origin(TITLE, question, command_line(), seed, way, tuple(said))


def _split(
    X: "IntervalSequences", y: Any, scheme: Any, folds: int | None, repeats: int | None, seed: int
) -> "tuple[list[Fold], str]":
    """Folds, and how they were made; options that this way has no use for are named."""
    from ibgn.evaluation.folds import make_folds, resolve_scheme

    way = resolve_scheme(X, scheme)
    if way == "leave-one-group-out" and (folds, repeats) != (None, None):
        say("warning: --folds and --repeats are not used: each group is left out once; for folds")
        say("of several groups use --scheme group")
    return make_folds(X, y, way, folds or 5, repeats or 1, seed), way


def _choose(method: list[str] | None, seed: int) -> "dict[str, Method]":
    from ibgn.checks import check_choice
    from ibgn.evaluation.methods import COMPARED, METHODS

    names = list(METHODS) if "all" in (method or []) else method or list(COMPARED)
    for name in names:
        check_choice("method", name, (*METHODS, "all"))
    chosen = {name: METHODS[name] for name in names}
    for make in chosen.values():
        make(seed)  # a library that is missing is told before the work
    return chosen


def _read_labelled(reading: Reading, data: Path) -> "tuple[IntervalSequences, Any]":
    from ibgn.errors import DataError

    X, y = reading.read(data)
    if y is None:
        raise DataError("there are no labels to compare with; name their column (columns=)")
    return X, y


def _numbers(text: str) -> list[float]:
    from ibgn.checks import as_number
    from ibgn.errors import OptionError

    found = [as_number(part) for part in text.split(",") if part.strip()]
    if any(value is None for value in found):
        raise OptionError(f"rates are numbers with commas between, as 0.1,0.2; got {text!r}")
    return [value for value in found if value]  # data without errors are there anyway


def _named_files(detected: list[str] | None, detector: list[str] | None) -> dict[str, Path]:
    """Read --detected name=file; each name stands for one condition."""
    from ibgn.errors import OptionError
    from ibgn.evaluation.conditions import NOISES

    found: dict[str, Path] = {}
    taken = {"none", *NOISES, *(detector or [])}
    for pair in detected or []:
        name, equals, path = pair.partition("=")
        if not (name and equals and path):
            raise OptionError(f"--detected is written name=file; got {pair!r}")
        if name in taken:
            raise OptionError(f"--detected names {name!r}, which is taken; give another name")
        found[name] = Path(path)
        taken.add(name)
    return found


def _files_of_detectors(
    files: dict[str, Path], X: "IntervalSequences", on: Any, reading: Reading
) -> "list[Condition]":
    from ibgn.evaluation.conditions import Detected

    return [
        Detected(error=name, on=on, found=_in_order_of(X, reading.read(path)[0], path))
        for name, path in files.items()
    ]


def _in_order_of(X: "IntervalSequences", Z: "IntervalSequences", path: Path) -> "IntervalSequences":
    """Instances of Z by the names of X; one in which nothing was detected is in no file."""
    from ibgn.errors import DataError
    from ibgn.intervals import IntervalSequences
    from ibgn.text import count, quote

    place = {name: d for d, name in enumerate(Z._names())}
    lists, names = Z.to_lists(), X._names()
    unknown = set(place) - set(names)
    if unknown:
        raise DataError(
            f"{quote(path)} has {count(len(unknown), 'instance')} that the data do not have "
            f"(first: {quote(min(unknown))}); name instances alike"
        )
    missing = sum(name not in place for name in names)
    if missing:
        say(f"warning: {path} has nothing of {count(missing, 'instance')}")
    rows = [lists[place[name]] if name in place else [] for name in names]
    ordered = IntervalSequences.from_lists(rows, ids=names)
    return IntervalSequences._trusted(ordered._flat(), ordered.actions, X.ids, X.groups)


def _detectors(
    names: Sequence[str] | None,
    sensors: Path | None,
    track: list[str] | None,
    X: "IntervalSequences",
    on: Any,
    seed: int,
) -> "list[Condition]":
    from ibgn.checks import check_choice
    from ibgn.detection import ActionDetector
    from ibgn.errors import OptionError
    from ibgn.evaluation.conditions import Detector
    from ibgn.io.sensors import read_sensors

    if not names and sensors is None:
        return []
    if not names or sensors is None or not track:
        raise OptionError("detectors learn from sensors: give --sensors, --track and --detector")
    for name in names:
        check_choice("detector", name, ("knn", "svm", "rbf", "tree"))
    with busy(f"reading {sensors.name}"):
        recordings = _one_for_each(X, read_sensors(sensors, tracks=track))
    naming = _naming(X, recordings, track)
    return [
        Detector(
            error=name,
            on=on,
            detector=ActionDetector(
                name, tracks=track, action=naming, training_step=0.5, random_state=seed
            ),
            recordings=recordings,
        )
        for name in names
    ]


def _one_for_each(X: "IntervalSequences", recordings: list[Any]) -> list[Any]:
    """Recordings in the order of the instances, found by name, with or without a suffix."""
    from ibgn.errors import DataError
    from ibgn.text import quote

    by_name = {Path(one.id).name.partition(".")[0]: one for one in recordings}
    by_name |= {one.id: one for one in recordings}
    missing = [name for name in X._names() if name not in by_name]
    if missing:
        raise DataError(
            f"there is no recording of {len(missing)} instances (first: {quote(missing[0])}); "
            f"name files as the instances, e.g. {quote(f'{missing[0]}.csv')}"
        )
    return [by_name[name] for name in X._names()]


def _naming(X: "IntervalSequences", recordings: list[Any], tracks: list[str]) -> Any:
    """Whether actions of X are called as labels of sensors, or by their track too."""
    labels = {(t, label) for one in recordings for t in tracks for label in one.track(t) if label}
    plain = sum(label in X.actions for _, label in labels)
    both = sum(f"{t}: {label}" in X.actions for t, label in labels)
    return "both" if both > plain else "value"
