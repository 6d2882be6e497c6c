"""Labels of frames, one per line, or of ranges of frames; one file per instance.

The layout of Breakfast, 50 Salads, GTEA and similar data sets.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
import pandas as pd

from ibgn._files import Source, as_path, reading
from ibgn.checks import check_choice
from ibgn.errors import DataError, Option
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.choices import check_list
from ibgn.io.files import Files
from ibgn.io.head import LIKELY, POSSIBLE, Head
from ibgn.io.parsing.time import check_steps, find_runs
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_frames"]

Form = Literal["frames", "ranges", "segments"]
Names = Mapping[str, str] | None

BACKGROUND = ("SIL", "background", "action_start", "action_end")
TRACK = "frames"
NUMBER = r"[0-9]+(?:\.[0-9]*)?"
RANGE = re.compile(r"\s*([0-9]{1,15})-([0-9]{1,15})\s+(\S.*)")
GTEA = re.compile(r"\s*(<[^()]{1,200}>)\s*\(([0-9]{1,15})-([0-9]{1,15})\)\s*(\[.*\])?\s*")
SEGMENT = re.compile(rf"\s*({NUMBER})\s+({NUMBER})\s+(\S.*)")
SEGMENTS = 0.6  # how sure we are of lines that might also be rows of a table
FRAME = 150  # bytes that are made of a frame
LARGE = 5000  # times up to this may be seconds
TICKS = 10_000_000  # in a second
ROUND_TICKS = 10_000  # times of HTK are whole milliseconds
MANY_TICKS = 1_000_000
CODE = re.compile(r"\s*(\S+)\s+(\S.*)")


def _sniff(head: Head) -> float:
    """Tell the file by lines that are ranges or segments of frames, or labels that repeat."""
    lines = [_in_order(line) for line in head.lines[:200]]
    if not lines:
        return 0.0
    if all(RANGE.fullmatch(line) for line in lines):
        return LIKELY
    if all(_is_segment(line) for line in lines):
        return POSSIBLE if any("\t" in line for line in lines) else SEGMENTS
    words = [line.split() for line in lines]
    repeats = sum(a == b for a, b in pairwise(lines))
    alone = all(len(line) == 1 for line in words) and len(lines) > 2
    return SEGMENTS if alone and repeats > len(lines) / 3 else 0.0


def _in_order(line: str) -> str:
    """Line with its range first, where it comes last as in GTEA: "<take><cup> (1-379)"."""
    parts = GTEA.fullmatch(line) if line.startswith("<") else None
    return line if parts is None else f"{parts[2]}-{parts[3]} {parts[1]}"


def _is_segment(line: str) -> bool:
    """Whether a line has a start, an end that is not before it, and one label."""
    parts = SEGMENT.fullmatch(line)
    if parts is None or float(parts[1]) > float(parts[2]):
        return False
    words = parts[3].split()
    return len(words) == 1 or not any(re.fullmatch(NUMBER, word) for word in words)


@reader(
    "frames",
    also=(".txt",),
    about="one label per frame: Breakfast, 50 Salads, GTEA",
    unit="frames",
    unnamed=TRACK,
    sniff=_sniff,
)
def read_frames(
    files: Files,
    *,
    rate: float | None = None,
    background: Sequence[str] = BACKGROUND,
    mapping: Source | None = None,
    form: Form | None = None,
) -> Iterator[Recording]:
    r"""Read text files with labels of frames, such as those of Breakfast, 50 Salads and GTEA.

    A file is one recording. All its lines have the same one of three forms, which is detected: a
    label per frame ("pour_milk"); a range of frames that includes the last ("1-379 SIL", or as in
    GTEA "<take><cup> (1-379)"); or a segment that excludes its end ("0 379 SIL", also with
    decimals). activity="folder" suits Breakfast, group=r"(P\d+)_" its people.

    Parameters
    ----------
    rate : frames per second; by default times are frame numbers. The first label line is frame 0;
        ranges and segments keep their own numbers.
    background : labels of frames without an action. An empty line is also such a frame.
    mapping : file with a code and a name on each line ("3 pour_milk"), for labels that are codes
    form : "frames", "ranges" or "segments", for files where the detected form would be wrong

    Returns
    -------
    X : one instance per file, named by its path in the folder
    y : (n,) one activity per instance, or None where activity= is not given

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "P03_milk.txt"
    >>> _ = path.write_text("SIL\ntake_cup\ntake_cup\npour_milk\nSIL\n")
    >>> X, y = read_frames(path, rate=2, activity="_([a-z]+)", background=["SIL"])
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      P03_milk.txt: take_cup [0.5, 1.5), pour_milk [1.5, 2)
    >>> y
    array(['milk'], dtype=object)
    """
    check_steps(rate, None)
    check_list("background", background)
    if form is not None:
        check_choice("form", form, get_args(Form))
    names = None if mapping is None else _read_mapping(mapping)
    no_action = set(background)
    for file in files:
        # the mapping may lie among the files
        if mapping is None or file.path.resolve() != as_path(mapping).resolve():
            lines = [_in_order(line) for line in file.lines(FRAME)]
            if not lines:
                raise DataError(f"{file.prefix}the file is empty; it needs a label on each line")
            own_form = form or _find_form(lines, file.prefix)
            if own_form == "frames":
                notes = _frames(lines, rate, names, file.prefix)
            else:
                notes = list(_segments(lines, own_form, rate, names, file.prefix))
            if own_form == "segments" and rate is None:
                _say_unit(notes, files)
            kept = [note for note in notes if note.value not in no_action]
            if tuple(background) == BACKGROUND and len(kept) < len(notes):
                files.leave_out(
                    f" of {', '.join(BACKGROUND)}: left out as no action; ",
                    Option("background"),
                    " names the labels that are none",
                    noun="segment",
                    number=len(notes) - len(kept),
                )
            yield Recording(file.name, kept)


def _read_mapping(mapping: Source) -> dict[str, str]:
    names: dict[str, str] = {}
    with reading(mapping) as file:
        for number, line in _filled(file.lines()):
            parts = CODE.fullmatch(line)
            if parts is None or parts[1] in names:
                why = "it must be a code and a name" if parts is None else "its code is taken"
                raise DataError(
                    f"{file.prefix}line {number} is {quote(line)}; {why}, as in '3 pour_milk'"
                )
            names[parts[1]] = parts[2].strip()
    return names


def _filled(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Lines with something on them, with their numbers."""
    return ((number, line) for number, line in enumerate(lines, 1) if line and not line.isspace())


def _find_form(lines: Sequence[str], source: str) -> Form:
    """Form of the lines; refuses two of them in one file."""
    forms: dict[Form, str] = {}
    for line in dict.fromkeys(lines):
        if line.strip():
            form: Form = "segments" if SEGMENT.fullmatch(line) else "frames"
            forms.setdefault("ranges" if RANGE.fullmatch(line) else form, line)
    if len(forms) > 1:
        first, other = list(forms.values())[:2]
        raise DataError(
            f"{source}line {lines.index(first) + 1} is {quote(first)}, and line "
            f"{lines.index(other) + 1} is {quote(other)}: labels of frames, ranges and segments "
            "are not mixed; write all lines alike, or say what they are with ",
            Option("form", "frames"),
        )
    return next(iter(forms))


def _frames(
    lines: Sequence[str], rate: float | None, names: Names, source: str
) -> list[Annotation]:
    codes, distinct = pd.factorize(np.array([line.strip() for line in lines], object))
    first = np.unique(codes, return_index=True)[1]
    labels = [
        _name(label, names, int(row) + 1, source)
        for label, row in zip(distinct, first, strict=True)
    ]
    runs = find_runs(np.array(labels, object)[codes], rate=rate, ignore=("",))
    columns = (column.tolist() for column in runs)
    return [
        Annotation(TRACK, label, start, end, f"line {row + 1}")
        for start, end, label, row in zip(*columns, strict=True)
    ]


def _segments(
    lines: Sequence[str], form: Form, rate: float | None, names: Names, source: str
) -> Iterator[Annotation]:
    pattern, inclusive = (RANGE, 1) if form == "ranges" else (SEGMENT, 0)
    for number, line in _filled(lines):
        parts = pattern.fullmatch(line)
        if parts is None:
            example = "1-379 SIL" if inclusive else "0 379 SIL"
            raise DataError(
                f"{source}line {number} is {quote(line)}; ",
                Option("form", form),
                f" needs lines as {example!r}",
            )
        label = _name(parts[3].strip(), names, number, source)
        start, end = float(parts[1]), float(parts[2]) + inclusive
        scale = 1.0 if rate is None else rate
        yield Annotation(TRACK, label, start / scale, end / scale, f"line {number}")


def _say_unit(notes: Sequence[Annotation], files: Files) -> None:
    """Say that times are no seconds, where segments have whole numbers as large as in recordings.

    HTK has ticks, of which a step of its analysis takes many; TIMIT has samples.
    """
    times = {time for note in notes for time in (note.start, note.end)}
    if max(times, default=0.0) < LARGE or any(time % 1 for time in times):
        return
    if max(times) >= MANY_TICKS and not any(time % ROUND_TICKS for time in times):
        ticks = ": times look like ticks of 100 ns, as HTK writes them; "
        files.leave_out(ticks, Option("rate", TICKS), " makes them seconds", noun="file")
        return
    samples = ": times are large whole numbers, as samples or frames are; "
    with_rate = " with their number per second, such as 16000, makes them seconds"
    files.leave_out(samples, Option("rate"), with_rate, noun="file")


def _name(label: str, names: Names, line: int, source: str) -> str:
    """Name of a label that may be a code."""
    if names is None or not label:
        return label
    if label in names:
        return names[label]
    if label not in names.values():
        raise DataError(
            f"{source}line {line}: the label {quote(label)} is neither a code nor a name in the "
            "mapping; add it there"
        )
    return label
