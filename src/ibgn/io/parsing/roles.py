"""Which column of a table is what: by the words of its name, and where there is none, by its cells.

Nothing here reads a file; a guess is always announced by whoever makes use of it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from ibgn.io.parsing.moments import Kind, as_clock, as_plain_number, kind_of_column
from ibgn.io.parsing.sheets import Sheet

__all__ = ["Guess", "Roles", "find_roles", "words_of"]

START = frozenset(
    "start starts started begin begins beginning onset from tmin xmin anfang beginn von inicio "
    "debut".split()
)
END = frozenset(
    "end ends ended stop stops stopped offset to until till finish tmax xmax ende bis fin fim "
    "terminate".split()
)
LENGTH = frozenset("duration dur length len dauer duracion duree".split())
# what names of times say besides: of what, or in which form
BESIDES = frozenset(
    "time times timestamp timestamps timecode date datetime day clock hh hhmmss mm ss hms position "
    "pos t at of the video audio media label event segment seg interval annotation action activity "
    "behavior behaviour utc local clip tc file relative rel absolute abs sf unix epoch".split()
)
FRAMES = frozenset("frame frames frm sample samples index idx".split())
UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds", "millis"), 0.001),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
}
# words that name a column of actions, the surest first
ACTION = (
    "action behavior behaviour verhalten gesture event activity annotation label labels stage "
    "class classname category task trial state phase skill step verb call species word phone "
    "phoneme note chord tag text transcription transcript utterance narration description "
    "sentence name type kind what code value id speaker"
).split()
INSTANCE = (
    "instance recording observation take video videoname vid file filename filepath wav path clip "
    "youtube ytid session meeting case movie episode match experiment exp"
).split()
# these may also number the rows
NUMBERED = "sequence seq segment trial record run sample".split()
SUBJECT = (
    "subject participant person user patient animal individual resident actor child speaker"
).split()
NO_INSTANCE = frozenset("date duration description length type kind class".split())
LABEL = "label activity task scene scenario condition".split()
GROUP = ("group",)
NUMBERING = frozenset("id no nr number num idx index code".split())
MEDIA = re.compile(r".*\.(wav|mp3|mp4|m4a|flac|ogg|avi|mkv|mov|webm|mpe?g|wmv|jpe?g|png)|video_\w+")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def words_of(name: str) -> list[str]:
    """Words of the name of a column, in small letters.

    Examples
    --------
    >>> words_of("Start..s."), words_of("timestampStart"), words_of("t0")
    (['start', 's'], ['timestamp', 'start'], ['t0'])
    """
    return re.findall(r"[^\W_]+", HUMP.sub(" ", name).casefold())


@dataclass(frozen=True)
class Roles:
    """Places of the columns by what they are; several are joined, as a date and a time.

    Parameters
    ----------
    places : of instance, action, start, end or length, label, group and others of our columns
    scale : how many units of the start make one of the length
    packed : place of the column whose cells hold actions with their times, if one does
    """

    places: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    scale: float = 1.0
    packed: int | None = None

    @property
    def used(self) -> set[int]:
        """Places of all columns that are read."""
        packed = set() if self.packed is None else {self.packed}
        return packed | {place for places in self.places.values() for place in places}


class _Time(NamedTuple):
    """A column of times by its name: of which kind, in which form and unit."""

    place: int
    is_frame: bool
    words: frozenset[str]
    unit: float


class Guess:
    """A sheet whose columns are to be told apart.

    Parameters
    ----------
    sheet : the cells
    known : places that are given
    """

    def __init__(self, sheet: Sheet, known: Mapping[str, tuple[int, ...]]) -> None:
        self.sheet = sheet
        self.known = dict(known)
        self.words = [words_of(name) for name in sheet.names]
        self.kinds: list[Kind] = [kind_of_column(sheet.column(p)) for p in range(len(self.words))]

    @cached_property
    def times(self) -> dict[str, list[_Time]]:
        """Columns whose names speak of a start, an end or a length, by which of these."""
        found: dict[str, list[_Time]] = {"start": [], "end": [], "length": []}
        for place, words in enumerate(self.words):
            if self.kinds[place] in ("text", "empty"):
                continue
            for role, telling in (("start", START), ("end", END), ("length", LENGTH)):
                own = [word for word in words if word in telling]
                if words in (["t0"], ["t", "0"], ["t1"], ["t", "1"]):
                    own = words[:1] if (words[-1][-1] == "0") == (role == "start") else []
                    own = own if role != "length" else []
                others = frozenset(words) - set(own)
                known = BESIDES | FRAMES | UNITS.keys() | {"0", "1"}
                if len(own) == 1 and others <= known:
                    unit = next((UNITS[word] for word in words if word in UNITS), 1.0)
                    is_frame = bool(others & FRAMES)
                    found[role].append(_Time(place, is_frame, others, unit))
        return found

    def distinct(self, place: int) -> int:
        """Number of different cells of a column."""
        return len(set(self.sheet.column(place)))

    def is_unique(self, place: int) -> bool:
        """Whether a column may number the rows."""
        return len(self.sheet.rows) > 2 and self.distinct(place) == len(self.sheet.rows)

    def numbers(self, place: int) -> list[float | None]:
        """Numbers or seconds in a column."""
        read: Callable[[str], float | None] = (
            as_clock if self.kinds[place] == "clock" else as_plain_number
        )
        return [read(cell) for cell in self.sheet.column(place)]

    def instances(self, places: tuple[int, ...]) -> set[tuple[str, ...]]:
        """Names of the instances, whose columns these are."""
        return {tuple(row[place] for place in places) for row in self.sheet.rows}

    def changes_within(self, place: int, instance: tuple[int, ...]) -> bool:
        """Whether a column has several values in an instance; all rows are one without a column."""
        values: dict[tuple[str, ...], str] = {}
        for row in self.sheet.rows:
            if values.setdefault(tuple(row[p] for p in instance), row[place]) != row[place]:
                return True
        return False


def find_roles(sheet: Sheet, known: Mapping[str, tuple[int, ...]]) -> Roles:
    """Tell the columns of a sheet apart; what cannot be found is absent from the places."""
    guess = Guess(sheet, known)
    packed = _find_packed(guess)
    if packed is not None and "start" not in known:
        places = dict(known) | _find_names(guess, {packed}, packed=True)
        return Roles(places, packed=packed)
    times, scale = _find_times(guess)
    places = {**times, **known}
    used = {place for each in places.values() for place in each}
    places |= _find_names(guess, used, start=places.get("start"))
    return Roles(places | dict(known), scale)


def _find_packed(guess: Guess) -> int | None:
    """Column with actions and their times in each cell, as Charades has them."""
    for place, kind in enumerate(guess.kinds):
        if kind == "text" and guess.words[place][:1] != ["start"]:
            cells = [cell for cell in guess.sheet.column(place) if cell]
            if cells and all(PACKED.fullmatch(cell) for cell in cells):
                return place
    return None


PACKED = re.compile(r"\S+ [\d.]+ [\d.]+(;\S+ [\d.]+ [\d.]+)*;?")


def _find_times(guess: Guess) -> tuple[dict[str, tuple[int, ...]], float]:
    """Places of the start, and of the end or the length; and the scale of the length."""
    if "start" in guess.known and guess.known.keys() & {"end", "length"}:
        return {}, 1.0
    if any(guess.words):
        found = _times_by_name(guess)
        if found:
            return found
    return _times_by_cells(guess), 1.0


def _times_by_name(guess: Guess) -> tuple[dict[str, tuple[int, ...]], float] | None:
    starts, ends, lengths = (guess.times[role] for role in ("start", "end", "length"))
    if "onset" not in {word for words in guess.words for word in words}:
        # an offset alone shifts all times and ends none
        ends = [end for end in ends if "offset" not in guess.words[end.place]]
    if not starts and (lengths or ends):
        # a time alone is a start where something says how long it lasts
        alone = [p for p, words in enumerate(guess.words) if _is_time(words, guess.kinds[p])]
        starts = [_Time(p, False, frozenset(guess.words[p]), 1.0) for p in alone]
    pairs = [
        (start, end, role)
        for start in starts
        for role, those in (("end", ends), ("length", lengths))
        for end in those
        if end.place != start.place
    ]
    if not pairs:
        return None

    def doubt(pair: tuple[_Time, _Time, str]) -> tuple[bool, bool, bool, int]:
        start, end, role = pair
        alike = start.words == end.words or role == "length"
        return start.is_frame or end.is_frame, role == "length", not alike, start.place

    start, end, role = min(pairs, key=doubt)
    joined = {"start": _with_date(guess, start, starts), role: (end.place,)}
    if role == "end":
        joined[role] = _with_date(guess, end, ends)
    scale = end.unit / start.unit if role == "length" else 1.0
    return joined, scale


def _is_time(words: Sequence[str], kind: Kind) -> bool:
    bare = {word for word in words if word not in UNITS and word not in ("hh", "mm", "ss")}
    return kind != "text" and bool(bare) and bare <= {"time", "timestamp", "datetime", "t"}


def _with_date(guess: Guess, time: _Time, others: Sequence[_Time]) -> tuple[int, ...]:
    """Column of a time, after that of its date where the two are apart."""
    kinds = guess.kinds
    if kinds[time.place] == "date":  # the date came first; its time is another column
        clocks = [other.place for other in others if kinds[other.place] == "clock"]
        return (time.place, *clocks[:1])
    if kinds[time.place] != "clock":
        return (time.place,)
    own = [other.place for other in others if kinds[other.place] == "date"]
    shared = [
        place
        for place, words in enumerate(guess.words)
        if kinds[place] == "date" and words in (["date"], ["day"], ["datum"], ["fecha"])
    ]
    return (*(own or shared)[:1], time.place)


def _times_by_cells(guess: Guess) -> dict[str, tuple[int, ...]]:
    """Start and end, or start and length, of a table without names that tell."""
    joined = _join_dates(guess.kinds)
    moments = [places for places in joined if guess.kinds[places[0]] in ("moment", "date")]
    if moments:
        found = {"start": moments[0]}
        if len(moments) > 1:
            return found | {"end": moments[1]}
        rest = [p for (p, *_) in joined if p > moments[0][-1]]
        clocks = [p for p in rest if guess.kinds[p] == "clock"]
        if len(moments[0]) == 2 and clocks:  # a date, and when it starts and ends on that day
            return found | {"end": (moments[0][0], clocks[0])}
        lengths = [p for p in rest if guess.kinds[p] == "number"]
        return found | ({"length": (lengths[0],)} if lengths[:1] == rest[:1] and rest else {})
    clocks = [places for (*places,) in joined if guess.kinds[places[0]] == "clock"]
    if len(clocks) > 1:
        return {"start": tuple(clocks[0]), "end": tuple(clocks[1])}
    return _times_by_numbers(guess)


def _join_dates(kinds: Sequence[Kind]) -> list[tuple[int, ...]]:
    """Places of the columns of times, those of a date and the clock after it together."""
    joined: list[tuple[int, ...]] = []
    for place, kind in enumerate(kinds):
        if kind == "clock" and joined and joined[-1] == (place - 1,) and kinds[place - 1] == "date":
            joined[-1] = (place - 1, place)
        elif kind in ("number", "clock", "date", "moment"):
            joined.append((place,))
    return joined


def _times_by_numbers(guess: Guess) -> dict[str, tuple[int, ...]]:
    places = [p for p, kind in enumerate(guess.kinds) if kind == "number" and not _counts(guess, p)]
    columns = {place: guess.numbers(place) for place in places}
    pairs = []
    for first, second in zip(places, places[1:], strict=False):
        both = [
            (a, b)
            for a, b in zip(columns[first], columns[second], strict=True)
            if a is not None and b is not None
        ]
        if second == first + 1 and both and all(a <= b for a, b in both):
            pairs.append((guess.distinct(first) + guess.distinct(second), -first, second))
    if pairs and not _are_lengths(columns, max(pairs)):
        _, start, end = max(pairs)
        return {"start": (-start,), "end": (end,)}
    for first, second in zip(places, places[1:], strict=False):
        ordered = [time for time in columns[first] if time is not None]
        positive = all(time is None or time >= 0 for time in columns[second])
        changes = len(ordered) == 1 or len(set(ordered)) > 1
        if second == first + 1 and positive and changes and ordered == sorted(ordered):
            return {"start": (first,), "length": (second,)}
    return {}


def _are_lengths(
    columns: Mapping[int, Sequence[float | None]], pair: tuple[int, int, int]
) -> bool:
    """Whether the second column says how long it is until the next start."""
    start, length = columns[-pair[1]], columns[pair[2]]
    next_starts = list(zip(start, length, start[1:], strict=False))
    meets = [
        a is not None and b is not None and c is not None and abs(a + b - c) < 1e-6
        for a, b, c in next_starts
    ]
    return len(meets) > 2 and sum(meets) > 0.8 * len(meets) and any(a for a in start[1:])


def _counts(guess: Guess, place: int) -> bool:
    """Whether a column numbers the rows."""
    if place > 0 or len(guess.sheet.rows) < 3:
        return False
    first = guess.numbers(place)
    begin = first[0]
    return begin in (0, 1) and all(n == begin + row for row, n in enumerate(first))


def _find_names(
    guess: Guess,
    used: set[int],
    start: tuple[int, ...] | None = None,
    packed: bool = False,
) -> dict[str, tuple[int, ...]]:
    """Places of action, instance, label and group among columns that are no times."""
    free = [
        place
        for place in range(len(guess.words))
        if place not in used and guess.kinds[place] != "empty" and not _counts(guess, place)
    ]
    places = dict(guess.known)
    if "instance" not in places:
        found = _find_instance(guess, free, packed)
        if found is None and not any(guess.words):
            found = _instance_by_cells(guess, free, start)
        if found is not None:
            places["instance"] = (found,)
    free = [place for place in free if (place,) != places.get("instance")]
    instance = places.get("instance", ())
    if "action" not in places and not packed:
        found = _find_action(guess, free, instance, used)
        if found is not None:
            places["action"] = (found,)
    for role, telling in (("label", LABEL), ("group", (*GROUP, *SUBJECT))):
        taken = {place for each in places.values() for place in each}
        for place in _named(guess, [p for p in free if p not in taken], telling):
            steady = bool(instance) and not guess.changes_within(place, instance)
            if role not in places and steady and guess.kinds[place] in ("text", "number"):
                places[role] = (place,)
    return places


def _named(guess: Guess, free: Sequence[int], telling: Sequence[str]) -> Iterator[int]:
    """Columns named by one of these words, the surest first."""
    for word in telling:
        plain = [p for p in free if word in guess.words[p]]
        yield from sorted(plain, key=lambda p: (bool(NUMBERING & set(guess.words[p])), p))


def _find_instance(guess: Guess, free: Sequence[int], packed: bool) -> int | None:
    said = [p for p in free if not set(guess.words[p]) & NO_INSTANCE]
    for place in _named(guess, said, INSTANCE):
        return place
    for place in _named(guess, said, NUMBERED):
        if not guess.is_unique(place):
            return place
    if packed:
        return next(_named(guess, free, ["id"]), None)
    for place in _named(guess, free, SUBJECT[:-1]):
        if guess.distinct(place) > 1:  # those of different people need not share their time
            return place
    return None


def _instance_by_cells(
    guess: Guess, free: Sequence[int], start: tuple[int, ...] | None
) -> int | None:
    texts = [place for place in free if guess.kinds[place] == "text"]
    for place in texts:
        if all(MEDIA.fullmatch(cell) for cell in guess.sheet.column(place)):
            return place
    before = [place for place in texts if start and place < start[0]]
    if len(texts) > 1 and before and len(before) < len(texts):
        return next((place for place in before if guess.distinct(place) > 1), before[-1])
    if start is None or len(start) > 1 or guess.kinds[start[0]] != "number":
        return None
    times = guess.numbers(start[0])
    for place in free:
        if guess.kinds[place] == "number" and guess.distinct(place) > 1 and len(free) > 1:
            by_value: dict[str, list[float]] = {}
            for value, time in zip(guess.sheet.column(place), times, strict=True):
                by_value.setdefault(value, []).append(0.0 if time is None else time)
            whole = [0.0 if time is None else time for time in times]
            if all(each == sorted(each) for each in by_value.values()) and whole != sorted(whole):
                return place  # time goes back where another one begins
    return None


def _find_action(
    guess: Guess, free: Sequence[int], instance: tuple[int, ...], used: set[int]
) -> int | None:
    """Column of the actions; None where there is none, or several that could be it."""
    texts = [place for place in free if guess.kinds[place] == "text"]
    telling = [place for place in texts if not guess.is_unique(place)]
    named = [p for p in _named(guess, free, ACTION) if guess.kinds[p] in ("text", "number")]
    named = [p for p in named if _may_name(guess, p)]
    several = instance and len(guess.sheet.rows) > len(guess.instances(instance))
    steady = [p for p in named if several and not guess.changes_within(p, instance)]
    changing = [p for p in named if p not in steady]
    if not changing and steady and len(guess.sheet.rows) > 1:
        others = [p for p in telling if p not in named]
        if len(others) == 1:  # what stays the same in an instance is its label
            return others[0]
    in_words = [p for p in changing or steady if guess.kinds[p] == "text"]
    best = (changing or steady)[:1]
    if best and in_words and guess.kinds[best[0]] == "number" and _alike(guess, best[0], in_words):
        return in_words[0]
    if best:
        return best[0]
    if not any(guess.words):
        after = [place for place in telling or texts if place > max(used, default=-1)]
        if after or telling or texts:
            return (after or telling or texts)[0]
        codes = [p for p in free if guess.kinds[p] == "number" and _are_whole(guess, p)]
        near = [p for p in codes if p - 1 in used or p + 1 in used]
        return max(near or codes, key=guess.distinct, default=None)
    return telling[0] if len(telling) == 1 else None


def _may_name(guess: Guess, place: int) -> bool:
    """Whether a column that is named as actions are can hold them."""
    words = set(guess.words[place])
    if words & {"confidence", "score", "comment", "probability", "prob", "count", "valid"}:
        return False
    if guess.kinds[place] == "number":
        numbering = words & NUMBERING
        return _are_whole(guess, place) and not (numbering and guess.is_unique(place))
    return True


def _alike(guess: Guess, code: int, texts: Sequence[int]) -> bool:
    """Whether a column of text is named like a column of codes."""
    return bool(set(guess.words[code]) & set(guess.words[texts[0]]) - NUMBERING)


def _are_whole(guess: Guess, place: int) -> bool:
    return all(n is None or n == round(n) for n in guess.numbers(place))
