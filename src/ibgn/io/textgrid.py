"""Praat: tiers of intervals and of points (.TextGrid)."""

import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, Unpack, get_args

import numpy as np
import numpy.typing as npt

from ibgn._files import Recording, Source, reading
from ibgn.checks import check_choice
from ibgn.errors import DataError, DataWarning
from ibgn.intervals import Instance, IntervalSequences
from ibgn.io.annotations import (
    Annotation,
    ChoiceOptions,
    Choices,
    ReadingOptions,
    Take,
    split_options,
    to_table,
)
from ibgn.io.folders import find_files
from ibgn.io.praat import Tokens, check_encoding, read_text
from ibgn.io.table import Labels, LongTable
from ibgn.io.tiers import (
    Known,
    check_known,
    lay_out,
    parse_known,
    refuse_repeated,
    to_json,
    write_instances,
)
from ibgn.text import count, quote

__all__ = ["load_textgrid", "read_textgrid", "write_textgrid"]

Points = Literal["error", "drop", "keep"]
Stretch = tuple[float, float, str]

SUFFIX = ".TextGrid"
MINE = "ibgn"  # the tier on which a file speaks of itself
NOT_IN_PRAAT = re.compile("[\0\r]")  # where a text ends, and what is read as the end of a line


def read_textgrid(
    path: Source,
    *,
    encoding: str | None = None,
    points: Points = "error",
    **options: Unpack[ReadingOptions],
) -> tuple[IntervalSequences, Labels]:
    """Read a TextGrid of Praat, or a folder of them; a file is an instance.

    Parameters
    ----------
    path : text file, long or short, or folder whose files *.TextGrid are read; compressed ones
        too (.gz, .bz2, .xz)
    encoding : of the text; by default that of its byte order mark, else UTF-8, else Latin-1, with
        a warning. Old files from a Mac are in 'mac-roman'.
    points : what to do with points on the chosen tiers, which have no length: "error"; "drop"
        them, with a count; or "keep" them, for min_duration= to lengthen
    **options : tracks (the tiers), action, activity, crossing, label, group of
        `ibgn.io.annotations.Choices`, and closed, tick, tolerance, zero_length, min_duration,
        duplicates of `ibgn.cleaning.Cleaning`

    Returns
    -------
    X : the instances, by the names of their files
    y : (n,) one label an instance, or None

    Intervals without text are the gaps between annotations. A file of `write_textgrid` gives its
    instance, label and group back.

    Examples
    --------
    >>> import tempfile, pathlib
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
    choices, cleaning = split_options(options)
    table = load_textgrid(path, encoding=encoding, points=points, **vars(choices))
    return table.read(cleaning)


def load_textgrid(
    path: Source,
    *,
    encoding: str | None = None,
    points: Points = "error",
    **choices: Unpack[ChoiceOptions],
) -> LongTable:
    """Load the annotations of all files as they are; options as for `read_textgrid`."""
    chosen = Choices(**choices)
    check_encoding(encoding)
    check_choice("points", points, get_args(Points))
    takes, dropped = [], 0
    with reading(path) as folder:
        for name, file in find_files(path, (SUFFIX.lower(),)):
            with reading(file) as recording:
                tiers = _parse(recording, encoding)
                pointed = [tier for tier in tiers if tier.has_points and _is_chosen(tier, chosen)]
                if points == "error":
                    _refuse_points(pointed, recording.prefix)
                elif points == "drop":
                    dropped += sum(len(tier.stretches) for tier in pointed)
                    tiers = [tier for tier in tiers if not tier.has_points]
                takes.append(_take(name, tiers, recording.prefix))
    _warn_of_points(dropped, folder.prefix)
    refuse_repeated(takes, chosen, folder.prefix)
    return to_table(takes, chosen, folder.prefix)


def write_textgrid(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
) -> None:
    """Write TextGrids of Praat, one an instance, which `read_textgrid` reads back exactly.

    Parameters
    ----------
    X : instances; times are taken for seconds
    path : file, where there is one instance; else a folder, made where it is missing, of files
        numbered in the order of X. A folder with other TextGrids is refused, since they would be
        read together with these; those of the same name are replaced.
    y : (n,) labels, optional

    Each action has a tier, and further ones, "name (2)", where it overlaps itself. The instance,
    its label and group stand on the tier "ibgn".

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "takes"
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4)], [("pour", 1, 2)]], ids=["a", "b/c"])
    >>> write_textgrid(X, folder)
    >>> sorted(path.name for path in folder.iterdir())
    ['0_a.TextGrid', '1_b_c.TextGrid']
    """
    write_instances(X, path, y, SUFFIX, _check, _render)


class _Tier(NamedTuple):
    """A tier of the file: its number, name, and what stands on it, points with start = end."""

    number: int
    name: str
    has_points: bool
    stretches: list[Stretch]

    def place(self, entry: int) -> str:
        """Name an entry of the tier for a message."""
        kind = "point" if self.has_points else "interval"
        return f"tier {self.number} {quote(self.name)}, {kind} {entry}"


def _parse(recording: Recording, encoding: str | None) -> list[_Tier]:
    prefix = recording.prefix
    tokens = Tokens(read_text(recording, encoding), prefix)
    _check_kind(tokens.text("type of the file"), prefix)
    found = tokens.text("class of the object")
    if found != "TextGrid":
        raise DataError(f"{prefix}the file holds a {quote(found)}, not a 'TextGrid'; save that")
    tokens.number("start of the grid")
    tokens.number("end of the grid")
    some = tokens.flag("flag <exists>") == "exists"
    tiers = [
        _parse_tier(tokens, number, prefix)
        for number in range(1, (tokens.size("number of tiers") if some else 0) + 1)
    ]
    tokens.end()
    return tiers


def _check_kind(kind: str, prefix: str) -> None:
    if kind.startswith("Praat chronological"):
        raise DataError(
            f"{prefix}the TextGrid is in chronological order, which is not read; open it in Praat "
            "and choose 'Save as text file...'"
        )
    if kind not in ("ooTextFile", "ooTextFile short"):
        raise DataError(
            f"{prefix}the type of the file is {quote(kind)}, not 'ooTextFile'; is it a TextGrid?"
        )


def _parse_tier(tokens: Tokens, number: int, prefix: str) -> _Tier:
    kind, name = tokens.text("class of the tier"), tokens.text("name of the tier")
    if kind not in ("IntervalTier", "TextTier"):
        raise DataError(
            f"{prefix}tier {number} {quote(name)} is of class {quote(kind)}, where 'IntervalTier' "
            "or 'TextTier' is wanted; save it anew in Praat"
        )
    tier = _Tier(number, name, kind == "TextTier", [])
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


def _is_chosen(tier: _Tier, choices: Choices) -> bool:
    return not choices.tracks or tier.name in (*choices.tracks, choices.activity)


def _refuse_points(tiers: list[_Tier], prefix: str) -> None:
    for tier in tiers:
        if tier.stretches:
            raise DataError(
                f"{prefix}{tier.place(1)} has no length; leave points out with points='drop', "
                "lengthen them with points='keep' and min_duration=..., or choose tiers with "
                "tracks=[...]"
            )


def _warn_of_points(dropped: int, prefix: str) -> None:
    if dropped:
        warnings.warn(
            f"{prefix}left out {count(dropped, 'point')}, which have no length; points='keep' with "
            "min_duration=... lengthens them",
            DataWarning,
            stacklevel=3,
        )


def _take(name: str, tiers: list[_Tier], prefix: str) -> Take:
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
    return Take(name, annotations, _known(mine[0], prefix) if mine else {})


def _is_mine(tier: _Tier) -> bool:
    texts = [text for *_, text in tier.stretches if text.strip()]
    return tier.name == MINE and not tier.has_points and len(texts) == 1 and texts[0][0] == "{"


def _known(tier: _Tier, prefix: str) -> dict[str, Any]:
    what = f"{prefix}the text on tier {MINE!r}"
    known = parse_known("".join(text for *_, text in tier.stretches), what)
    return check_known(known, what)


def _check(rows: Instance, known: Known) -> None:
    """Refuse what Praat cannot hold; instance, label and group are escaped in any case."""
    for action in {row[0] for row in rows}:
        found = NOT_IN_PRAAT.search(action)
        if found:
            raise DataError(
                f"instance {quote(known['instance'])}: the action {quote(action)} holds the "
                f"character {found[0]!r}, which Praat does not keep; replace it"
            )


def _render(rows: Instance, known: Known) -> Iterator[str]:
    """Lines of the file of one instance, in the long format."""
    earliest = min((start for _, start, _ in rows), default=0.0)
    latest = max((end for _, _, end in rows), default=1.0)
    span = (min(earliest, 0.0), latest)
    tiers: list[tuple[str, list[Stretch]]] = [
        (
            tier.name,
            [(start, end, action) for action, start, end in map(rows.__getitem__, tier.places)],
        )
        for tier in lay_out(rows, (MINE,))
    ]
    tiers.append((MINE, [(*span, to_json(known))]))
    yield 'File type = "ooTextFile"'
    yield 'Object class = "TextGrid"'
    yield ""
    yield from _times("", *span)
    yield "tiers? <exists> "
    yield f"size = {len(tiers)} "
    yield "item []: "
    for number, (name, stretches) in enumerate(tiers, 1):
        yield f"    item [{number}]:"
        yield from _tier_lines(name, _tiled(stretches, *span), span)


def _tier_lines(name: str, stretches: list[Stretch], span: tuple[float, float]) -> Iterator[str]:
    yield '        class = "IntervalTier" '
    yield f"        name = {_quoted(name)} "
    yield from _times("        ", *span)
    yield f"        intervals: size = {len(stretches)} "
    for number, (start, end, text) in enumerate(stretches, 1):
        yield f"        intervals [{number}]:"
        yield from _times("            ", start, end)
        yield f"            text = {_quoted(text)} "


def _tiled(stretches: list[Stretch], begin: float, stop: float) -> list[Stretch]:
    """Fill the gaps with blank intervals, since a tier of Praat has none."""
    tiled = []
    for start, end, text in stretches:
        if begin < start:
            tiled.append((begin, start, ""))
        tiled.append((start, end, text))
        begin = end
    return [*tiled, (begin, stop, "")] if begin < stop else tiled


def _times(indent: str, start: float, end: float) -> Iterator[str]:
    for name, time in (("xmin", start), ("xmax", end)):
        # all digits that tell the number, and no exponent, which some readers do not know
        yield f"{indent}{name} = {np.format_float_positional(time + 0.0, trim='-')} "


def _quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
