"""What reading does with what it cannot use: bad files of a folder, bad rows, missing labels."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ibgn._files import InputFile, naming_errors
from ibgn.checks import check_choice
from ibgn.errors import DataError
from ibgn.io.files import Files

__all__ = ["STRICT", "Leniency", "parse_each", "parse_together"]

Bad = Literal["error", "drop"]
Unlabelled = Literal["error", "drop", "keep", "ignore"]


@dataclass(frozen=True)
class Leniency:
    """What to do with what cannot be used; what is left out is counted in a warning.

    Parameters
    ----------
    bad_files : what to do with a file that cannot be read, where several are: "error", or "drop"
        it
    bad_rows : what to do with a row that is no interval, as its action or a time is missing or it
        ends before it starts: "error", or "drop" it
    unlabelled : what to do with instances without a label, where others have one: "error", "drop"
        them, "keep" them with the label None, or "ignore" all labels
    """

    bad_files: Bad = "error"
    bad_rows: Bad = "error"
    unlabelled: Unlabelled = "error"

    def __post_init__(self) -> None:
        check_choice("bad_files", self.bad_files, get_args(Bad))
        check_choice("bad_rows", self.bad_rows, get_args(Bad))
        check_choice("unlabelled", self.unlabelled, get_args(Unlabelled))


STRICT = Leniency()


def parse_each(parse: Callable[[Files], Iterable[Any]], files: Files, bad_files: Bad) -> list[Any]:
    """Recordings that a generator yields; after a bad file it goes on with the next."""
    recordings: list[tuple[InputFile, Any]] = []
    while True:
        try:
            with naming_errors(lambda: files.current):
                recordings.extend((files.current, each) for each in parse(files))
            return [recording for _, recording in recordings]
        except DataError as error:
            files.leave_out_current(error, bad_files == "drop", resume=True)
            recordings = [pair for pair in recordings if pair[0] is not files.current]


def parse_together(parse: Callable[[Files], Any], files: Files, bad_files: Bad) -> Any:
    """What a function makes of all files; without those that it refuses."""
    while True:
        try:
            with naming_errors(lambda: files.current):
                return parse(files)
        except DataError as error:
            files.leave_out_current(error, bad_files == "drop", resume=False)
