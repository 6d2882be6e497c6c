"""CHAT: what speakers say, with times in milliseconds between bullets (.cha)."""

import re
from collections.abc import Iterator

from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, LIKELY, Head
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_chat"]

# bullets of a media file may name it: %snd:"tea"_0_1200; copying loses those around the last times
BULLET = re.compile(
    r"[\x15\u2022](?:%\w+:\"[^\"]*\")?_?(\d{1,15})_(\d{1,15})-?[\x15\u2022]"
    r"|(?<=\s)(\d{1,15})_(\d{1,15})\s*\Z",
    re.ASCII,
)


def _sniff(head: Head) -> float:
    """Tell a transcript by its first lines."""
    if not head.lines or not head.lines[0].lstrip("\ufeff").startswith(("@UTF8", "@Begin")):
        return 0.0
    return (
        CERTAIN if any(line.startswith(("@Participants", "*")) for line in head.lines) else LIKELY
    )


@reader("chat", (".cha",), also=(".txt",), about="CHAT of CLAN", unit="s", sniff=_sniff)
def read_chat(files: Files) -> Iterator[Recording]:
    r"""Read a transcript of CLAN, or a folder of them; a file is an instance.

    Tracks are the speakers, and each utterance that has times is an annotation; lines that depend
    on it are left out. Utterances without times are counted in a warning.

    Returns
    -------
    X : the instances, by the names of their files; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "play.cha"
    >>> _ = path.write_text("@Begin\n*CHI:\tmore cookie . \x150_1200\x15\n@End\n")
    >>> read_chat(path)[0].to_lists()
    [[('more cookie .', 0.0, 1.2)]]
    """
    for file in files:
        annotations = []
        for number, line in _utterances(file.lines()):
            speaker, _, text = line[1:].partition(":")
            bullets = list(BULLET.finditer(text))
            if not bullets:
                files.leave_out(" without times left out", noun="utterance")
                continue
            times = (_seconds(bullets[0], 1), _seconds(bullets[-1], 2))
            said = " ".join(BULLET.sub(" ", text).split())
            place = f"line {number}, {quote(speaker)}"
            annotations.append(Annotation(speaker.strip(), said, *times, place))
        if not annotations:
            raise DataError(
                f"{file.prefix}no utterance has times; link it to its recording in CLAN first"
            )
        yield Recording(file.name, annotations)


def _utterances(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Main lines with the lines that continue them, and where they begin."""
    current: tuple[int, str] | None = None
    for number, line in enumerate(lines, 1):
        if line.startswith("\t") and current is not None:
            current = (current[0], f"{current[1]} {line.strip()}")
            continue
        if current is not None:
            yield current
        current = (number, line) if line.startswith("*") else None
    if current is not None:
        yield current


def _seconds(bullet: re.Match[str], which: int) -> float:
    """Start, the first, or end, the second, of a bullet, whether it is marked or not."""
    return int(bullet[which] or bullet[which + 2]) / 1000
