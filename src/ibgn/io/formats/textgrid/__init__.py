"""Praat: tiers of intervals and of points (.TextGrid)."""

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

from ibgn._files import InputFile
from ibgn.checks import check_choice
from ibgn.errors import DataError, Option
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.export import check_known, parse_known
from ibgn.io.files import Files
from ibgn.io.formats.textgrid.tokens import Tokens, read_text
from ibgn.io.formats.textgrid.writing import MINE, Stretch, write_textgrid
from ibgn.io.head import CERTAIN, Head
from ibgn.io.parsing.tabular import check_encoding
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_textgrid", "write_textgrid"]

Points = Literal["error", "drop", "keep"]


def _sniff(head: Head) -> float:
    """Tell a TextGrid by its first words."""
    begins = head.text[:300]
    is_praat = "ooTextFile" in begins or "ooBinaryFile" in begins or "Praat chron" in begins
    return CERTAIN if is_praat and "TextGrid" in begins else 0.0


@reader("textgrid", (".textgrid",), also=(".txt",), about="Praat", sniff=_sniff)
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
        tiers = _parse(file, encoding)
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


class _Tier(NamedTuple):
    """A tier of the file: its number, its name, and its stretches; points have start = end."""

    number: int
    name: str
    has_points: bool
    stretches: list[Stretch]

    @classmethod
    def of(cls, tokens: Tokens, number: int, prefix: str) -> "_Tier":
        kind, name = tokens.text("class of the tier"), tokens.text("name of the tier")
        if kind not in ("IntervalTier", "TextTier"):
            raise DataError(
                f"{prefix}tier {number} {quote(name)} is of class {quote(kind)}, not "
                "'IntervalTier' or 'TextTier'; save it again in Praat"
            )
        tier = cls(number, name, kind == "TextTier", [])
        tokens.number("start of the tier")
        tokens.number("end of the tier")
        for entry in range(1, tokens.size("size of the tier") + 1):
            start = tokens.number("time")
            end = start if tier.has_points else tokens.number("end of the interval")
            if end < start:
                raise DataError(
                    f"{prefix}{tier.place(entry)} ends at {end:g}, before it starts at {start:g}; "
                    "swap them"
                )
            tier.stretches.append((start, end, tokens.text("text")))
        return tier

    def place(self, entry: int) -> str:
        """Name an entry of the tier for a message."""
        kind = "point" if self.has_points else "interval"
        return f"tier {self.number} {quote(self.name)}, {kind} {entry}"


def _parse(file: InputFile, encoding: str | None) -> list[_Tier]:
    prefix = file.prefix
    tokens = Tokens(read_text(file, encoding), prefix)
    kind = tokens.text("type of the file")
    if kind.startswith("Praat chronological"):
        raise DataError(
            f"{prefix}the TextGrid is in chronological order, which is not read; open it in Praat "
            "and choose 'Save as text file...'"
        )
    if kind not in ("ooTextFile", "ooTextFile short"):
        raise DataError(
            f"{prefix}the type of the file is {quote(kind)}, not 'ooTextFile'; is it a TextGrid?"
        )
    held = tokens.text("class of the object")
    if held != "TextGrid":
        raise DataError(f"{prefix}the file holds a {quote(held)}, not a 'TextGrid'; save that")
    tokens.number("start of the grid")
    tokens.number("end of the grid")
    some = tokens.flag("flag <exists>") == "exists"
    tiers = [
        _Tier.of(tokens, number, prefix)
        for number in range(1, (tokens.size("number of tiers") if some else 0) + 1)
    ]
    tokens.end()
    return tiers


def _refuse_points(tiers: list[_Tier], prefix: str) -> None:
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


def _recording(name: str, tiers: list[_Tier], prefix: str) -> Recording:
    mine = [tier for tier in tiers if _is_mine(tier)]
    if len(mine) > 1:
        raise DataError(f"{prefix}there are {len(mine)} tiers {MINE!r}; remove all but one")
    annotations = [
        Annotation(tier.name, text, start, end, tier.place(entry))
        for tier in tiers
        if not _is_mine(tier)
        for entry, (start, end, text) in enumerate(tier.stretches, 1)
        if tier.has_points or text.strip()  # blank intervals are gaps
    ]
    known = {}
    if mine:
        what = f"{prefix}the text on tier {MINE!r}"
        text = "".join(text for *_, text in mine[0].stretches)
        known = check_known(parse_known(text, what), what)
    return Recording(name, annotations, known)


def _is_mine(tier: _Tier) -> bool:
    texts = [text for *_, text in tier.stretches if text.strip()]
    return tier.name == MINE and not tier.has_points and len(texts) == 1 and texts[0][0] == "{"
