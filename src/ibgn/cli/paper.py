"""The command paper: every table and figure of the paper, beside the paper's numbers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibgn.cli.options import Json, Reading, Seed, takes_data
from ibgn.cli.output import print_json, say, warnings_aloud
from ibgn.cli.results import check_jobs, command_line, watched

if TYPE_CHECKING:
    from ibgn.intervals import IntervalSequences

Recordings = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Real recordings to compare on too: files, or folders of CSV files, each a data set.",
        readable=False,
    ),
]
Quick = Annotated[bool, typer.Option("--quick", help="A smaller protocol, in minutes.")]
Full = Annotated[
    bool,
    typer.Option("--full", help="The whole protocol with ten repetitions: a night or more."),
]
Out = Annotated[
    Path, typer.Option(help="Folder for the report, its tables and figures; an old run goes on.")
]
Jobs = Annotated[int, typer.Option("--jobs", help="Folds at the same time; -1 is all cores.")]


@takes_data()
def paper(
    recordings: Recordings = None,
    quick: Quick = False,
    full: Full = False,
    out: Out = Path("ibgn-paper"),
    seed: Seed = 0,
    jobs: Jobs = -1,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Run the experiments of the paper on simulations, and on your recordings if you give some."""
    from ibgn._files import writing
    from ibgn.errors import OptionError
    from ibgn.report.markdown import to_markdown
    from ibgn.report.report import make_folder
    from ibgn.reproduction.experiments import run_paper
    from ibgn.reproduction.page import make_paper_report

    if quick and full:
        raise OptionError("--quick and --full exclude each other; give one, or neither")
    check_jobs(jobs)
    budget = "quick" if quick else "full" if full else "usual"
    with warnings_aloud() as said:
        given = _read_all(recordings or [], reading)
        make_folder(out)
        with watched() as watch:
            results = run_paper(
                budget,
                given,
                seed=seed,
                n_jobs=jobs,
                journals=out / "journals",
                on_begin=watch.begin,
                on_done=watch.done,
            )
        report = make_paper_report(results, command_line())
        report.save(out / "report.html", out / "pieces")
        with writing(out / "report.md") as file:
            file.write(to_markdown(report.summary) + "\n")
    say(f"wrote {out / 'report.html'}, {out / 'report.md'} and {out / 'pieces'}")
    if as_json:
        print_json(report.summary | {"warnings": said, "output": str(out)})
    else:
        _print_verdicts(report.summary)


def _read_all(paths: list[Path], reading: Reading) -> "dict[str, tuple[IntervalSequences, Any]]":
    from ibgn.errors import DataError
    from ibgn.text import printable, quote

    found: dict[str, tuple[IntervalSequences, Any]] = {}
    for file in [file for path in paths for file in _files_of(path)]:
        name = printable(file.stem, longest=300)  # also where it is not in Unicode
        if name in found:
            raise DataError(f"two recordings are called {quote(name)}; give each its own name")
        X, y = reading.read(file)
        if y is None:
            raise DataError(f"{quote(file)} has no labels; name their column (columns=)")
        found[name] = (X, y)
    return found


def _files_of(path: Path) -> list[Path]:
    from ibgn._files import is_folder
    from ibgn.errors import DataError
    from ibgn.text import quote

    if not is_folder(path):
        return [path]
    files = sorted(path.glob("*.csv"))
    if not files:
        raise DataError(f"there is no .csv file in {quote(path)}; name files")
    return files


def _print_verdicts(summary: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("", "what the paper says, and what came out", show_lines=False)
    words = {True: "agrees", False: "differs", None: "cannot tell"}
    for section in summary["sections"]:
        if section["verdicts"]:
            table.add_row("", Text(section["title"], style="bold"))
        for verdict in section["verdicts"]:
            table.add_row(words[verdict["agrees"]], Text(verdict["text"]))
    console = Console(highlight=False)
    console.print(table)
    console.print(summary["headline"])
