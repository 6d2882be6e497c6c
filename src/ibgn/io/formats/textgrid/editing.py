"""TextGrids that are changed: tiers, points and boundaries stay as they are."""

from collections.abc import Iterable, Iterator
from typing import cast

from ibgn._files import InputFile
from ibgn.io.export import Known, to_json
from ibgn.io.formats.textgrid.grid import (
    MINE,
    Grid,
    GridTier,
    Stretch,
    check_text,
    grid_lines,
    read_grid,
    read_known,
    tile,
)
from ibgn.io.tiers import TierEntry, document

__all__ = ["GridDocument"]


@document("textgrid")
class GridDocument:
    """A TextGrid to be changed; see `ibgn.io.tiers.TierDocument`."""

    def __init__(self, file: InputFile) -> None:
        self._prefix = file.prefix
        self._span, self._tiers = read_grid(file)
        self.known = read_known(self._tiers, file.prefix)

    @property
    def tiers(self) -> list[str]:
        """Names of all tiers, of which some may be the same."""
        return [tier.name for tier in self._tiers]

    def entries(self) -> Iterator[TierEntry]:
        """All intervals and points but what the file says of itself."""
        for tier in self._tiers:
            for start, end, text in [] if tier.is_mine else tier.stretches:
                if tier.has_points or text.strip():
                    yield TierEntry(tier.number, tier.name, text, start, end)

    def change(self, entry: TierEntry, value: str, start: float, end: float) -> bool:
        """Change an interval where there is room for it."""
        tier = self._numbered(entry)
        before = tier.stretches[:]
        self.delete(entry)
        if tier.has_points or _meets(tier.stretches, start, end):
            tier.stretches[:] = before
            return False
        self._carve(tier, (start, end, value))
        return True

    def delete(self, entry: TierEntry) -> tuple[()]:
        """Delete a point, or the text of an interval; no other depends on it."""
        tier = self._numbered(entry)
        place = tier.stretches.index((entry.start, entry.end, entry.value))
        blank = [] if tier.has_points else [(entry.start, entry.end, "")]
        tier.stretches[place : place + 1] = blank
        return ()

    def _numbered(self, entry: TierEntry) -> GridTier:
        return next(tier for tier in self._tiers if tier.number == cast("int", entry.key))

    def accepts(self, tier: str, start: float, end: float) -> bool:
        """Whether there is room on a tier, or no such tier yet."""
        return tier not in self.tiers or self._with_room(tier, start, end) is not None

    def _with_room(self, name: str, start: float, end: float) -> GridTier | None:
        for tier in self._tiers:
            fits = tier.name == name and not tier.has_points and not tier.is_mine
            if fits and not _meets(tier.stretches, start, end):
                return tier
        return None

    def insert(self, tier: str, value: str, start: float, end: float) -> None:
        """Add an interval where there is none."""
        if tier not in self.tiers:
            self.make(tier)
        room = self._with_room(tier, start, end)
        self._carve(cast("GridTier", room), (start, end, value))

    def _carve(self, tier: GridTier, stretch: Stretch) -> None:
        """Put a stretch where only blank ones are, and keep what remains of those."""
        check_text(stretch[2], self._prefix)
        start, end, _ = stretch
        kept: list[Stretch] = [stretch]
        for one, two, text in tier.stretches:
            if two <= start or end <= one:
                kept.append((one, two, text))
            else:
                kept += [(one, start, "")] if one < start else []
                kept += [(end, two, "")] if end < two else []
        span = min(tier.span[0], start), max(tier.span[1], end)
        self._span = min(self._span[0], start), max(self._span[1], end)
        place = self._tiers.index(tier)
        self._tiers[place] = tier._replace(span=span, stretches=tile(sorted(kept), span))

    def make(self, tier: str) -> None:
        """Make a tier of intervals without text."""
        check_text(tier, self._prefix)
        number = max((each.number for each in self._tiers), default=0) + 1
        blank = tile([], self._span)
        self._tiers.append(GridTier(number, tier, False, self._span, blank))

    def remove(self, tier: str) -> None:
        """Remove all tiers of a name."""
        self._tiers = [each for each in self._tiers if each.name != tier]

    def describe(self, known: Known) -> None:
        """Name the instance, label and group on a tier."""
        self._tiers = [tier for tier in self._tiers if not tier.is_mine]
        self.make(MINE)
        self._tiers[-1].stretches[:] = [(*self._span, to_json(known))]
        self.known = dict(known)

    def lines(self) -> Iterator[str]:
        """Lines of the changed file, in the long format."""
        return grid_lines(Grid(self._span, self._tiers))


def _meets(stretches: Iterable[Stretch], start: float, end: float) -> bool:
    return any(one < end and start < two for one, two, text in stretches if text.strip())
