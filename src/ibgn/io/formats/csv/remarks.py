"""What is said about a table that others wrote: how it was understood, and what was left out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ibgn.errors import Option, Part
from ibgn.io.formats.csv.foreign import NEGATIVE, ORDER, SHOWN, Foreign
from ibgn.io.parsing.moments import kind_of
from ibgn.io.parsing.words import MEDIA, UNITS, words_of
from ibgn.text import count, printable, quote

__all__ = ["Remarks"]


@dataclass(frozen=True)
class Remarks:
    """What has to be said about a table.

    Parameters
    ----------
    table : after its rows were read, as only then it is known which were left out
    """

    table: Foreign

    def notes(self) -> Iterator[tuple[Part, ...]]:
        """What has to be said about the table, each as the parts of a warning."""
        above = sum(map(_is_numbers, self.table.sheet.before))
        if above:
            number = count(above, "line")
            yield (f"left out {number} before the first row, with another number of columns",)
        odd = self.table.sheet.odd
        if odd:
            number = count(len(odd), "line")
            yield (f"left out {number} after the last row, with another number of columns",)
        places = self.table.roles.places
        named = {ours: self.table.named_as(places[ours]) for ours in ORDER if ours in places}
        if self.table.unfolded:
            named = {o: name for o, name in named.items() if o not in ("action", "track")}
        guessed = [
            ours
            for ours, theirs in named.items()
            if ours not in self.table.given.columns and [ours] != words_of(str(theirs))
        ]
        more = list(self._remarks())
        if not guessed and not more:
            return
        if "instance" not in places:
            more.append("a file is one instance")
        by = "their names" if self.table.sheet.has_header else "what is in them"
        told = f"columns were recognised by {by}, as with "
        yield told, Option("columns", named), "".join(f"; {each}" for each in more)

    def _remarks(self) -> Iterator[str]:
        """What was taken to be so, and what was left out."""
        yield from self._remarks_on_actions()
        yield from self._remarks_on_times()
        if self.table.roles.flag is not None:
            flag = quote(printable(self.table.named_as((self.table.roles.flag,))))
            rows = count(self.table.negative, "row")
            yield f"left out {rows} with {NEGATIVE} in {flag}, where the action is not done"

    def _remarks_on_actions(self) -> Iterator[str]:
        """Where actions were found, if they are not one per row in a column of their own."""
        roles = self.table.roles
        if self.table.unfolded:
            listed = ", ".join(map(quote, self.table.unfolded[:SHOWN]))
            yield f"a row is one interval for each of the columns {listed} that says so"
            if self.table.silent:
                yield f"left out {count(self.table.silent, 'row')} where none does"
        if roles.packed is not None:
            column = quote(printable(self.table.named_as((roles.packed,))))
            yield f"actions and their times are in {column}"
        elif roles.shares:
            yield f"{count(len(roles.shares), 'column')} of numbers from 0 to 1 are an action each"
        elif "action" not in roles.places:
            yield f"the action is the name of the file, {quote(self.table.file_action)}"
        if roles.several:
            column = quote(printable(self.table.named_as(roles.places["action"])))
            yield f"the lists in {column} are several actions"
            if self.table.unlabelled:
                yield f"left out {count(self.table.unlabelled, 'row')} without any"

    def _remarks_on_times(self) -> Iterator[str]:
        """How long rows last that have no start or no end."""
        roles = self.table.roles
        length = str(self.table.named("length"))
        if "length" in roles.places and roles.scale < 1 and not {*words_of(length)} & UNITS.keys():
            yield f"{quote(printable(length))} counts thousandths of the unit of the start"
        if self.table.step is not None:
            yield (
                f"rows without an end are samples {self.table.step:g} apart, and equal labels that "
                "follow each other are one interval"
            )
        elif roles.since_before or roles.until_next:
            yield from self._remarks_on_ends()
        elif self._may_count_frames():
            yield f"if column {self.table.named('end')} is a number of frames, call it 'length'"

    def _may_count_frames(self) -> bool:
        """Whether rows of a list of files have a number that may be an end or a length."""
        places = self.table.roles.places
        if self.table.sheet.has_header or "end" in self.table.given.columns or "end" not in places:
            return False
        paths = places.get("instance", ())
        cells = [row[place] for row in self.table.sheet.rows for place in paths]
        ends = [row[place] for row in self.table.sheet.rows for place in places["end"]]
        are_files = bool(cells) and all("/" in cell or MEDIA.fullmatch(cell) for cell in cells)
        return are_files and all(map(str.isdecimal, ends))

    def _remarks_on_ends(self) -> Iterator[str]:
        """How long rows were taken to last that have one time each."""
        lacks, lasts, where = "a start", "since the row before", "before"
        if self.table.roles.until_next:
            lacks, lasts, where = "an end", "until the next row", "after"
        yield f"rows without {lacks} last {lasts} of the same instance"
        if self.table.without_partner:
            yield f"left out {count(self.table.without_partner, 'row')} with none {where}"
        if self.table.at_once > 0:
            yield f"{self.table.at_once} of these have the same time as the one before"


def _is_numbers(line: str) -> bool:
    """Whether a line holds nothing but two numbers or more, as a row does and notes do not."""
    cells = re.split(r"[\s,;|]+", line.strip())
    return len(cells) > 1 and all(kind_of(cell) == "number" for cell in cells)
