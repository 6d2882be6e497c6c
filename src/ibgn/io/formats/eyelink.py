"""ASC files of EyeLink: what the tracker told of fixations, saccades and blinks of each eye."""

import re
from collections.abc import Iterator
from itertools import pairwise

from ibgn._files import InputFile
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.registry import reader

__all__ = ["read_eyelink"]

FIRST = "** CONVERTED FROM"
ACTIONS = {"FIX": "fixation", "SACC": "saccade", "BLINK": "blink"}
TIME = r"\s+([0-9]+(?:\.[0-9]+)?)"
ENDED = re.compile(rf"E(FIX|SACC|BLINK)\s+([LR]){TIME}{TIME}{TIME}(?:\s.*)?", re.ASCII)
RECORDING = re.compile(r"START\s+[0-9]", re.ASCII)


def _sniff(head: Head) -> float:
    """Tell the file by its first line, or by the end of something that an eye did."""
    told = head.text.startswith(FIRST) or any(map(ENDED.fullmatch, head.lines))
    return CERTAIN if told else 0.0


@reader(
    "eyelink",
    also=(".asc", ".txt"),
    about="EyeLink eye trackers, converted by edf2asc",
    unit="s",
    sniff=_sniff,
)
def read_eyelink(files: Files) -> Iterator[Recording]:
    r"""Read fixations, saccades and blinks from ASC files of EyeLink, or a folder of them.

    Eyes are tracks, "L" and "R". Every stretch that was recorded, from START on, is an instance, as
    a trial usually is one. Events last as long as the tracker says, which is a sample longer than
    from their first to their last one. Samples and messages are not read.

    Returns
    -------
    X : the instances; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "eyes.asc"
    >>> _ = path.write_text("START 1000 LEFT EVENTS\nEFIX L 1000 1199 200 512.1 384.2 1180\n")
    >>> read_eyelink(path)[0].to_lists()
    [[('fixation', 1.0, 1.2)]]
    """
    for file in files:
        stretches = [notes for notes in _stretches(file) if notes]
        if not stretches:
            raise DataError(
                f"{file.prefix}the file has no fixations, saccades or blinks, that is, no lines "
                "with EFIX, ESACC or EBLINK; convert the recording with its events"
            )
        for number, notes in enumerate(stretches, 1):
            yield Recording(file.name if len(stretches) == 1 else f"{file.name}#{number}", notes)


def _stretches(file: InputFile) -> Iterator[list[Annotation]]:
    """Events of each stretch that was recorded."""
    lines = file.lines()
    begins = [number for number, line in enumerate(lines) if RECORDING.match(line)]
    for begin, end in pairwise([0, *begins, len(lines)]):
        numbered = enumerate(map(ENDED.fullmatch, lines[begin:end]), begin + 1)
        yield [
            Annotation(
                match[2],
                ACTIONS[match[1]],
                float(match[3]) / 1000,
                (float(match[3]) + float(match[5])) / 1000,
                f"line {number}",
            )
            for number, match in numbered
            if match
        ]
