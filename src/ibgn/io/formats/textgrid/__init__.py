"""Praat: tiers of intervals and of points (.TextGrid)."""

from collections.abc import Iterator
from typing import Literal, get_args

from ibgn.checks import check_choice
from ibgn.errors import DataError, Option
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.formats.textgrid.editing import GridDocument
from ibgn.io.formats.textgrid.grid import GridTier, read_grid, read_known
from ibgn.io.formats.textgrid.writing import write_textgrid
from ibgn.io.head import CERTAIN, Head
from ibgn.io.outline import Entry, TierOutline
from ibgn.io.parsing.tabular import check_encoding
from ibgn.io.registry import reader

__all__ = ["GridDocument", "read_textgrid", "write_textgrid"]

Points = Literal["error", "drop", "keep"]


def _sniff(head: Head) -> float:
    """Tell a TextGrid by its first words."""
    begins = head.text[:300]
    is_praat = "ooTextFile" in begins or "ooBinaryFile" in begins or "Praat chron" in begins
    return CERTAIN if is_praat and "TextGrid" in begins else 0.0


def _outline(files: Files, *, encoding: str | None = None) -> Iterator[Entry]:
    """Tiers, also those of points, and those without annotations."""
    tiers = TierOutline()
    for file in files:
        for tier in read_grid(file, encoding).tiers:
            if not tier.is_mine:
                texts = [text for *_, text in tier.stretches if tier.has_points or text.strip()]
                tiers.add(tier.name, texts, points="" if tier.has_points else None)
    return tiers.entries()


@reader(
    "textgrid",
    (".textgrid",),
    also=(".txt",),
    about="Praat",
    unit="s",
    sniff=_sniff,
    outline=_outline,
)
def read_textgrid(
    files: Files, *, encoding: str | None = None, points: Points = "error"
) -> Iterator[Recording]:
    """Read a TextGrid of Praat, or a folder of them; a file is an instance.

    Tracks are its tiers. Intervals without text are the gaps between annotations. A file written
    by `write_textgrid` gives back its instance, label and group.

    Parameters
    ----------
    encoding : of the text; by default that of its byte order mark, else UTF-8, else Latin-1, with
        a warning. Old files from a Mac are in 'mac-roman'.
    points : what to do with points on the chosen tiers, which have no length: "error"; "drop"
        them, with a count; or "keep" them, which needs min_duration=

    Returns
    -------
    X : the instances, by the names of their files
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from ibgn import IntervalSequences
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "take.TextGrid"
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 3.2, 5)]], ids=["monday"])
    >>> write_textgrid(X, path, ["tea"])
    >>> X, y = read_textgrid(path)
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      monday: boil [0, 4), pour [3.2, 5)
    >>> y
    array(['tea'], dtype=object)
    """
    if encoding is not None:
        check_encoding(encoding)
    check_choice("points", points, get_args(Points))
    tracks = files.choices.tracks
    chosen = (*tracks, files.choices.activity_track) if tracks else ()
    for file in files:
        tiers = read_grid(file, encoding).tiers
        pointed = [t for t in tiers if t.has_points and (not chosen or t.name in chosen)]
        if points == "error":
            _refuse_points(pointed, file.prefix)
        elif points == "drop":
            files.leave_out(
                " left out, as they have no length; ",
                Option("points", "keep"),
                " with ",
                Option("min_duration"),
                " lengthens them",
                noun="point",
                number=sum(len(tier.stretches) for tier in pointed),
            )
            tiers = [tier for tier in tiers if not tier.has_points]
        yield _recording(file.name, tiers, file.prefix)


def _refuse_points(tiers: list[GridTier], prefix: str) -> None:
    for tier in tiers:
        if tier.stretches:
            raise DataError(
                f"{prefix}{tier.place(1)} has no length; leave points out with ",
                Option("points", "drop"),
                ", lengthen them with ",
                Option("points", "keep"),
                " and ",
                Option("min_duration"),
                ", or choose tiers with ",
                Option("tracks"),
            )


def _recording(name: str, tiers: list[GridTier], prefix: str) -> Recording:
    annotations = [
        Annotation(tier.name, text, start, end, tier.place(entry))
        for tier in tiers
        if not tier.is_mine
        for entry, (start, end, text) in enumerate(tier.stretches, 1)
        if tier.has_points or text.strip()  # blank intervals are gaps
    ]
    return Recording(name, annotations, read_known(tiers, prefix))
