"""The command `ibgn`: each subcommand is a few lines that call the library.

Results go to standard output, as JSON with --json; messages and progress go to standard error.
Exit codes: 0 done, 1 failed, 2 wrong use, 130 stopped. Heavy modules are imported when a command
needs them.
"""

import io
import os
import sys
from typing import Annotated

import typer

from ibgn.cli.compile import compile
from ibgn.cli.data import convert
from ibgn.cli.demo import demo
from ibgn.cli.detect import detect
from ibgn.cli.experiments import evaluate, robustness
from ibgn.cli.explore import explore
from ibgn.cli.flags import Command
from ibgn.cli.guide import inspect
from ibgn.cli.help import Group
from ibgn.cli.interruption import Interruption
from ibgn.cli.later import put_off
from ibgn.cli.learn import fit
from ibgn.cli.listen import listen
from ibgn.cli.models import explain, predict, sample
from ibgn.cli.output import fail
from ibgn.cli.paper import paper
from ibgn.cli.segments import fit_segments, segment
from ibgn.cli.show import show

__all__ = ["app", "main"]

app = typer.Typer(
    cls=Group,
    help="""Recognise, explain and generate complex activities from the intervals of their actions.

    Begin with `ibgn inspect FILE`, which says what is in a file and what to do next, or with
    `ibgn demo`, which needs no data. `ibgn COMMAND --help` explains a command.
    """,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
PANELS = {
    "Data": (inspect, convert, detect),
    "Models": (fit, show, predict, explain, sample, explore),
    "Streams": (listen, fit_segments, segment),
    "Experiments": (demo, evaluate, robustness, paper),
    "Installation": (compile,),
}
for panel, commands in PANELS.items():
    for command in commands:
        app.command(cls=Command, rich_help_panel=panel)(command)


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from ibgn import __version__

        print(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command; bad input ends in a message and exit code 1, never in a traceback."""
    _mend_streams()
    put_off()
    with Interruption() as interruption:
        try:
            app()
        except BaseException as error:
            if interruption.ended(error):
                interruption.exit(error)
            if isinstance(error, BrokenPipeError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                sys.exit(1)
            if not isinstance(error, Exception) or os.environ.get("IBGN_DEBUG"):
                raise
            fail(error)


def _mend_streams() -> None:
    """Keep a stream that is closed or only writes ASCII from making the command fail."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # closed: a file that is opened later must not get its number
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, PTH123
        elif isinstance(stream, io.TextIOWrapper) and mode == "w":
            stream.reconfigure(errors="backslashreplace")
