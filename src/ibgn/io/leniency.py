"""What reading does with what it cannot use: bad files of a folder, bad rows, missing labels."""

from dataclasses import dataclass
from typing import Literal, get_args

from ibgn.checks import check_choice

__all__ = ["STRICT", "Bad", "Leniency", "Ungrouped", "Unlabelled"]

Bad = Literal["error", "drop"]
Unlabelled = Literal["error", "drop", "keep", "all"]
Ungrouped = Literal["error", "all"]


@dataclass(frozen=True)
class Leniency:
    """What to do with what cannot be used; what is left out is counted in a warning.

    Parameters
    ----------
    bad_files : what to do with a file that cannot be read, where several are: "error", or "drop"
        it
    bad_rows : what to do with a row that is not an interval, because its action or a time is
        missing or unreadable, or it ends before it starts: "error", or "drop" it
    unlabelled : what to do with instances without a label, where others have one: "error", "drop"
        them, "keep" them with the label None, or read "all" instances without a label
    ungrouped : what to do if an instance has several groups, or none where others have one:
        "error", or read "all" instances without a group
    """

    bad_files: Bad = "error"
    bad_rows: Bad = "error"
    unlabelled: Unlabelled = "error"
    ungrouped: Ungrouped = "error"

    def __post_init__(self) -> None:
        check_choice("bad_files", self.bad_files, get_args(Bad))
        check_choice("bad_rows", self.bad_rows, get_args(Bad))
        check_choice("unlabelled", self.unlabelled, get_args(Unlabelled))
        check_choice("ungrouped", self.ungrouped, get_args(Ungrouped))


STRICT = Leniency()
