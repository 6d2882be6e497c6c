"""Commands that write something, and what an undisturbed run of each writes."""

import importlib
import io
import shutil
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from attack.commands import check_code, finish, start
from attack.findings import FoundError
from attack.places import contents
from ibgn import IntervalSequences, write
from kitchen import make_takes
from terminals import IN_TESTS, run_here

QUICK = ("--folds", "2", "-m", "DBN", "-m", "ITBN")
RATES = ("--duration", "0.2", "--misdetection", "0.1", "--draws", "1")


@dataclass(frozen=True)
class Job:
    """A command that writes to `outputs`, in a folder that has its inputs."""

    words: tuple[str, ...]
    outputs: tuple[str, ...]
    inputs: tuple[str, ...] = ("takes.csv",)


JOBS = {
    "fit": Job(("fit", "takes.csv", "-m", "DBN", "-o", "out.ibgn"), ("out.ibgn",)),
    "learn": Job(
        ("fit", "takes.csv", "-o", "out.ibgn", "--draws", "20", "--budget", "100"), ("out.ibgn",)
    ),
    "lines": Job(("convert", "takes.csv", "out.jsonl"), ("out.jsonl",)),
    "columns": Job(("convert", "takes.csv", "out.parquet"), ("out.parquet",)),
    "packed": Job(("convert", "takes.csv", "out.csv.gz"), ("out.csv.gz",)),
    "tiers": Job(("convert", "takes.csv", "out", "--to", "elan"), ("out",)),
    "grids": Job(("convert", "takes.csv", "out", "--to", "textgrid"), ("out",)),
    "evaluate": Job(
        ("evaluate", "takes.csv", *QUICK, "-o", "out.csv", "--predictions", "each.csv"),
        ("out.csv", "each.csv"),
    ),
    "robustness": Job(("robustness", "takes.csv", *QUICK, *RATES, "-o", "out.csv"), ("out.csv",)),
}


@cache
def warm():
    """Import and compile what every copy of this process would otherwise begin with."""
    importlib.import_module("matplotlib.font_manager")  # looks for fonts, by other programs
    with TemporaryDirectory() as folder:
        X, y = make_takes()
        write(X, Path(folder, "takes.csv"), y)
        for job in JOBS.values():
            run_here(folder, (*job.words, "--force"), IN_TESTS, io.StringIO())


def prepare(place):
    """Put data and the results of undisturbed runs into the stock; a second set differs."""
    X, y = make_takes()
    moved = IntervalSequences.from_lists(
        [[(a, s + 1, e + 1.5) for a, s, e in rows] for rows in X.to_lists()], ids=list(X.ids)
    )
    for (name, job), number in product(JOBS.items(), (0, 1)):
        place.renew()
        write((X, moved)[number], place.inside / "takes.csv", y)
        check_code(finish(start(place, *job.words), seconds=500), job.words)
        shutil.copytree(place.inside, place.stock / f"{name}-{number}")
    place.renew()


def put_inputs(place, name):
    """Give a job its inputs."""
    for file in JOBS[name].inputs:
        shutil.copy(place.stock / f"{name}-0" / file, place.inside / file)


def results(folder, name):
    """What a job has written in a folder: by output, its content without the time it took."""
    found = {}
    for output in JOBS[name].outputs:
        path = folder / output
        if path.is_dir():
            files = contents(path).items()
            # what is hidden is not read; nothing may be left in the end
            found[output] = {file: each for file, each in files if not file.startswith(".")}
        elif path.exists():
            found[output] = _without_times(path)
    return found


def _without_times(path):
    if path.suffix == ".csv":
        frame = pd.read_csv(io.BytesIO(path.read_bytes()))
        return frame.drop(columns=[c for c in frame if "seconds" in c]).to_csv()
    return path.read_bytes()


def undisturbed(place, name, number=0):
    """What a job writes when nothing happens."""
    return results(place.stock / f"{name}-{number}", name)


def put_old(place, name):
    """Put the results of other data where a job writes; only files are replaced as a whole."""
    old = place.stock / f"{name}-1"
    files = [output for output in JOBS[name].outputs if (old / output).is_file()]
    for output in files:
        shutil.copy(old / output, place.inside / output)
    return bool(files)


def check_whole(place, name, *numbers):
    """Refuse outputs that are neither absent nor those of an undisturbed run with a set of data."""
    right = [undisturbed(place, name, number) for number in numbers or (0,)]
    for output, content in results(place.inside, name).items():
        if content not in [each[output] for each in right]:
            raise FoundError("half output", f"{output} of {JOBS[name].words}")


def check_result(place, name):
    """Refuse a finished run that wrote anything else than an undisturbed one."""
    if results(place.inside, name) != undisturbed(place, name):
        raise FoundError("other result", f"of {JOBS[name].words}")
    check_strays(place, name)


def check_strays(place, name, *others):
    """Refuse files that are neither read nor written."""
    job, paths = JOBS[name], contents(place.inside)
    known = {*job.inputs, *job.outputs, *others}
    strays = {path for path in paths if path.split("/")[0] not in known or "/." in path}
    if strays:
        raise FoundError("stray file", f"{sorted(strays)} after {job.words}")
