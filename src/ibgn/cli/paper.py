"""The command paper: every table and figure of the paper, next to the paper's numbers."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ibgn.cli.interruption import resumable
from ibgn.cli.options import Json, Reading, Seed, takes_data
from ibgn.cli.output import print_json, say, warnings_aloud
from ibgn.cli.results import check_jobs, command_line, watched
from ibgn.cli.targets import writes

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
    Path,
    typer.Option(
        "--out",
        "-o",
        metavar="FOLDER",
        help="Folder for the report and its pieces; an interrupted run resumes.",
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", help="Folds at the same time; -1 is all cores.")]


@writes(out="folder")
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
    """Run the experiments of the paper on simulations, and on your recordings if you name some."""
    from ibgn._files import filling
    from ibgn.errors import Option, OptionError
    from ibgn.report.report import make_folder
    from ibgn.reproduction.page import make_paper_report, save_paper_report
    from ibgn.reproduction.protocol import run_paper
    from ibgn.reproduction.recordings import read_recordings

    if quick and full:
        reason = ("cannot be combined with ", Option("full", True), "; give one, or neither")
        raise OptionError("quick", True, *reason)
    check_jobs(jobs)
    journals = out / "journals"
    with resumable(journals), warnings_aloud() as messages:
        real = read_recordings(recordings or [], reading.read)
        make_folder(out)
        with watched() as watch:
            results = run_paper(
                "quick" if quick else "full" if full else "usual",
                real,
                seed=seed,
                n_jobs=jobs,
                journals=journals,
                on_begin=watch.begin,
                on_done=watch.done,
            )
        report = make_paper_report(results, command_line())
        with filling(out) as folder:
            written = [out / path.name for path in save_paper_report(report, folder)]
    for path in written:
        say(f"wrote {path}")
    if as_json:
        print_json(report.summary | {"warnings": messages, "output": str(out)})
    else:
        _print_verdicts(report.summary)


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
