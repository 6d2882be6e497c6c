"""Labels of speech: master label files of HTK (.mlf), and labels of xwaves and Festival."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePath

from ibgn._files import InputFile
from ibgn.checks import as_number
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_labels"]

MASTER = "#!MLF!#"
TICKS = 1e7  # of HTK, in a second
TRACK = "labels"
UPPER = "upper labels"  # of words, where the labels are those of their sounds
ROW = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?)\s+(-?[0-9]+)(?:\s+(\S.*))?", re.ASCII)
LONGEST_HEAD = 50  # lines before those of xwaves
NAMED = re.compile(r"\s*\"([^\"]*)\"\s*")


def _sniff(head: Head) -> float:
    """Tell the file by its first line, or by rows after a line that is "#"."""
    lines = [line.strip() for line in head.lines]
    if lines[:1] == [MASTER]:
        return CERTAIN
    begin = _end_of_head(lines)
    rows = lines[begin : begin + 20] if begin else []
    return CERTAIN if rows and all(ROW.fullmatch(row) for row in rows) else 0.0


def _end_of_head(lines: Sequence[str]) -> int:
    """Number of lines of a head that ends in "#", 0 where there is none."""
    return next((n for n, line in enumerate(lines[:LONGEST_HEAD], 1) if line.strip() == "#"), 0)


@reader(
    "labels",
    (".mlf",),
    also=(".lab", ".txt", ".phones", ".words"),
    about="labels of HTK and xwaves",
    unit="s",
    unnamed=TRACK,
    sniff=_sniff,
)
def read_labels(files: Files) -> Iterator[Recording]:
    r"""Read labels of HTK and xwaves, or a folder of them.

    A master label file of HTK has labels of many recordings, each of them an instance; where sounds
    have a second label that begins a word, words are on the track "upper labels". A file of xwaves
    is an instance; its rows say when a label ends, and it starts where the one before ended.

    Returns
    -------
    X : the instances; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tea.lab"
    >>> _ = path.write_text("#\n0.2 125 pau\n0.35 125 t\n")
    >>> read_labels(path)[0].to_lists()
    [[('pau', 0.0, 0.2), ('t', 0.2, 0.35)]]
    """
    for file in files:
        lines = file.lines()
        if lines and lines[0].strip() == MASTER:
            for name, notes in _master(lines, file):
                yield Recording(f"{file.name}#{name}" if len(files) > 1 else name, notes)
        else:
            yield Recording(file.name, list(_xwaves(lines, file.prefix)))


def _xwaves(lines: Sequence[str], prefix: str) -> Iterator[Annotation]:
    start = 0.0
    for number, line in list(enumerate(lines, 1))[_end_of_head(lines) :]:
        if not line.strip():
            continue
        row = ROW.fullmatch(line)
        if row is None:
            raise DataError(
                f"{prefix}line {number} is {quote(line)}; it must be when a label ends, a colour "
                "and the label, as in '0.35 125 t'"
            )
        end = float(row[1])
        label = (row[3] or "").partition(";")[0].strip()  # what follows are other transcriptions
        yield Annotation(TRACK, label, start, end, f"line {number}")
        start = end


def _master(lines: Sequence[str], file: InputFile) -> Iterator[tuple[str, list[Annotation]]]:
    """Labels of each recording of a master label file."""
    name, rows = "", list[tuple[int, list[str]]]()
    found = False
    for number, line in enumerate([*lines[1:], "."], 2):
        named, words = NAMED.fullmatch(line), line.split()
        if words == ["."]:
            if rows:
                found = True
                yield name, list(_htk(rows, file.prefix))
            name, rows = "", []
        elif named:
            name = PurePath(named[1].replace("\\", "/")).stem
        elif words and words[0] != "///":
            rows.append((number, words))
    if not found:
        raise DataError(f"{file.prefix}the file has no labels")


def _htk(rows: Sequence[tuple[int, list[str]]], prefix: str) -> Iterator[Annotation]:
    words: list[tuple[float, str, int]] = []
    end = 0.0
    for number, (first, *rest) in rows:
        times = [as_number(each) for each in (first, *rest[:1])]
        if len(rest) < 2 or times[0] is None or times[1] is None:
            raise DataError(
                f"{prefix}line {number} is {quote(' '.join((first, *rest)))}, a label without "
                "times; align the labels with their recordings first"
            )
        start, end = times[0] / TICKS, times[1] / TICKS
        yield Annotation(TRACK, rest[1].strip("\"'"), start, end, f"line {number}")
        upper = [each for each in rest[2:] if as_number(each) is None]
        words += [(start, upper[0].strip("\"'"), number)] if upper else []
    for (start, word, number), (after, _, _) in pairwise([*words, (end, "", 0)]):
        yield Annotation(UPPER, word, start, after, f"line {number}")
