"""Which columns of a sheet are times: by the words of their names, or by what is in them."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ibgn.io.parsing.guess import Guess, Places
from ibgn.io.parsing.lasting import are_codes_of_samples, ends_with_mark
from ibgn.io.parsing.moments import Kind
from ibgn.io.parsing.words import BESIDES, END, FRAMES, LENGTH, NUMBERING, START, UNITS

__all__ = ["find_times"]

ORDERED = 0.95  # share of rows whose ends are not before their starts
POINTS = 0.1  # how likely rows are that last no time, as against rows that do
WIDEST = 6  # columns of numbers without names; more are measurements
COUNTED = FRAMES | {"epoch"}  # what rows may be counted in
# words that say start and end of anything, also beside words that are not of times
STARTING = frozenset({"start", "begin", "onset"})
ENDING = frozenset({"end", "stop", "offset"})
# words that do so beside words of times alone: "first_frame" and "last_frame"
FIRST = frozenset({"first", "min", "initial", "inicial", "in"})
LAST = frozenset({"last", "max", "final", "out"})
OF_TIME = BESIDES | FRAMES | UNITS.keys()
SIDES = 4  # numbers of a box
MANY = 4  # rows that codes take to be seen as such
FRAME_LIST = 3  # numbers after a path: where it starts, how many frames it has, and its class
THOUSANDTH = 0.001  # of a second, in which lengths may be given beside starts in seconds
CROWD = 100  # intervals that cannot go on at once
FEW = 4  # columns of numbers without names, among which one may be a length


class _Time(NamedTuple):
    """A column of times by its name: of which kind, in which form and unit."""

    place: int
    is_frame: bool
    words: frozenset[str]
    unit: float


def find_times(guess: Guess) -> tuple[dict[str, Places], float]:
    """Places of the start, and of the end or the length; and the scale of the length."""
    if "start" in guess.known and guess.known.keys() & {"end", "length"}:
        return {}, 1.0
    if any(guess.words):
        # numbers under names that do not speak of times are something else
        found = _times_by_name(guess) or (_times_by_cells(guess, by_numbers=False), 1.0)
        return found if found[0] else (_only_time(guess), 1.0)
    return _first_of_two(guess) or _times_by_cells(guess, by_numbers=True), 1.0


def _first_of_two(guess: Guess) -> dict[str, Places]:
    """Start in a table of times and names that has no other columns; numbers may be names."""
    if len(guess.kinds) != 2 or guess.kinds[0] not in ("number", "clock"):
        return {}
    return {"start": (0,)} if guess.kinds[1] == "text" or ends_with_mark(guess) else {}


def _only_time(guess: Guess) -> dict[str, Places]:
    """Start of rows that have no end: a column named as a start, as a time, or as a frame."""
    starts = [start for start in _named_times(guess)["start"] if not start.is_frame]
    kinds = enumerate(zip(guess.words, guess.kinds, strict=True))
    named = [place for place, (words, kind) in kinds if _is_time(words, kind)]
    frames = [
        place
        for place, words in enumerate(guess.words)
        if guess.kinds[place] in ("number", "clock")
        if {*words} & COUNTED and {*words} <= COUNTED | NUMBERING
    ]
    times = [*starts, *(_Time(p, False, frozenset(), 1.0) for p in (*named, *frames))]
    return {"start": _with_date(guess, times[0], starts)} if times else {}


def _named_times(guess: Guess) -> dict[str, list[_Time]]:
    """Columns whose names speak of a start, an end or a length, by which of these.

    Where no column has such a name alone, a start and an end of the same thing count: "query_start"
    and "query_end".
    """
    found: dict[str, list[_Time]] = {"start": [], "end": [], "length": []}
    of_others: dict[str, list[_Time]] = {"start": [], "end": []}
    for place, words in enumerate(guess.words):
        if guess.kinds[place] in ("text", "empty"):
            continue
        for role, telling in (("start", START), ("end", END), ("length", LENGTH)):
            own = [word for word in words if word in telling]
            if words in (["t0"], ["t", "0"], ["t1"], ["t", "1"]):
                own = words[:1] if (words[-1][-1] == "0") == (role == "start") else []
                own = own if role != "length" else []
            others = frozenset(words) - set(own)
            known = BESIDES | FRAMES | UNITS.keys() | {"0", "1"}
            if len(own) != 1:
                continue
            unit = next((UNITS[word] for word in words if word in UNITS), 1.0)
            time = _Time(place, bool(others & FRAMES), others, unit)
            if others <= known:
                found[role].append(time)
            elif role in of_others:
                of_others[role].append(time)
    shared = {start.words for start in of_others["start"]} & {e.words for e in of_others["end"]}
    if shared and not found["start"] and not found["end"]:
        for role, times in of_others.items():
            found[role] = [time for time in times if time.words in shared]
    return found


def _times_by_name(guess: Guess) -> tuple[dict[str, Places], float] | None:
    starts, ends, lengths = _named_times(guess).values()
    if "onset" not in {word for words in guess.words for word in words}:
        # an offset alone shifts all times and ends none
        ends = [end for end in ends if "offset" not in guess.words[end.place]]
    alone = [p for p, words in enumerate(guess.words) if _is_time(words, guess.kinds[p])]
    bare = [_Time(p, False, frozenset(guess.words[p]), 1.0) for p in alone]
    if not starts:  # a time alone is a start where something says how long it lasts
        offsets = [p for p, words in enumerate(guess.words) if words == ["offset"]]
        in_file = [_Time(p, False, frozenset(), 1.0) for p in offsets if guess.kinds[p] == "number"]
        starts = in_file if in_file and lengths else bare  # the clock is that of the file then
    elif not ends and not lengths:  # and an end where something else is the start, as in event logs
        ends = bare
    pairs = [
        (start, end, role)
        for start in starts
        for role, those in (("end", ends), ("length", lengths))
        for end in those
        if end.place != start.place
    ]
    if not pairs:
        return _alike_times(guess)

    def doubt(pair: tuple[_Time, _Time, str]) -> tuple[bool, bool, bool, int]:
        start, end, role = pair
        alike = start.words == end.words or role == "length"
        return start.is_frame or end.is_frame, role == "length", not alike, start.place

    start, end, role = min(pairs, key=doubt)
    joined = {"start": _with_date(guess, start, starts), role: (end.place,)}
    if role == "end":
        joined[role] = _with_date(guess, end, ends)
    scale = end.unit / start.unit if role == "length" else 1.0
    units = {*guess.words[start.place], *guess.words[end.place]} & UNITS.keys()
    if role == "length" and not units and _are_thousandths(guess, start.place, end.place):
        scale = THOUSANDTH
    return joined, scale


def _are_thousandths(guess: Guess, start: int, length: int) -> bool:
    """Whether lengths are milliseconds and starts seconds, as the fixations of Pupil Labs are.

    Their thousandths end before the next start, while as they are, a hundred would go on at once.
    """
    if guess.kinds[start] != "number" or guess.kinds[length] != "number" or guess.are_whole(start):
        return False
    rows = list(zip(guess.numbers(start), guess.numbers(length), strict=True))
    steps = [
        (a, b - c)
        for (c, a), (b, _) in pairwise(rows)
        if a is not None and b is not None and c is not None and b > c
    ]
    many = sum(length > CROWD * step for length, step in steps)
    fitting = sum(length * THOUSANDTH <= step for length, step in steps)
    return len(steps) > 1 and 2 * many > len(steps) and fitting >= ORDERED * len(steps)


def _alike_times(guess: Guess) -> tuple[dict[str, Places], float] | None:
    """Start and end whose names differ in that alone: "anomaly_start" and "anomaly_end"."""
    rest: dict[tuple[str, ...], dict[str, int]] = {}
    for place, words in enumerate(guess.words):
        if guess.kinds[place] in ("text", "empty", "date") or {*words} & NUMBERING:
            continue
        of_time = bool(OF_TIME & {*words})
        for role, telling in (("start", STARTING), ("end", ENDING)):
            if of_time and {*words} <= OF_TIME | FIRST | LAST:
                telling |= FIRST if role == "start" else LAST
            if len(telling & {*words}) == 1:
                others = tuple(word for word in words if word not in telling)
                rest.setdefault(others, {}).setdefault(role, place)
    pairs = [pair for pair in rest.values() if len(pair) == 2 and _in_order(guess, **pair)]
    frames = [bool({*guess.words[pair["start"]]} & FRAMES) for pair in pairs]
    best = min(zip(frames, range(len(pairs)), strict=True), default=None)
    if best is None:
        return None
    return {role: (place,) for role, place in pairs[best[1]].items()}, 1.0


def _in_order(guess: Guess, start: int, end: int) -> bool:
    """Whether a column holds times that are not before those of another."""
    if guess.kinds[start] != guess.kinds[end]:
        return False
    if guess.kinds[start] == "moment":
        return True
    both = zip(guess.numbers(start), guess.numbers(end), strict=True)
    ordered = [a <= b for a, b in both if a is not None and b is not None]
    return sum(ordered) >= max(1, ORDERED * len(ordered))


def _is_time(words: Sequence[str], kind: Kind) -> bool:
    bare = {word for word in words if word not in UNITS and word not in ("hh", "mm", "ss")}
    known = {"time", "timestamp", "datetime", "t"} | ({"date"} if kind == "moment" else set())
    # "frame_timestamp"
    of_what = {"frame", "event", "recording"} if bare & known else set()
    return kind != "text" and bool(bare) and bare <= known | of_what


def _with_date(guess: Guess, time: _Time, others: Sequence[_Time]) -> Places:
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


def _times_by_cells(guess: Guess, by_numbers: bool) -> dict[str, Places]:
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
        beside = [p for p in rest if p == moments[0][-1] + 1 and guess.kinds[p] == "number"]
        return found | ({"length": (beside[0],)} if beside and by_numbers else {})
    by_clock = [places for places in joined if guess.kinds[places[0]] == "clock"]
    if len(by_clock) > 1:
        return {"start": by_clock[0], "end": by_clock[1]}
    return _times_by_numbers(guess) if by_numbers else {}


def _join_dates(kinds: Sequence[Kind]) -> list[Places]:
    """Places of the columns of times, those of a date and the clock after it together."""
    joined: list[Places] = []
    for place, kind in enumerate(kinds):
        if kind == "clock" and joined and joined[-1] == (place - 1,) and kinds[place - 1] == "date":
            joined[-1] = (place - 1, place)
        elif kind in ("number", "clock", "date", "moment"):
            joined.append((place,))
    return joined


def _times_by_numbers(guess: Guess) -> dict[str, Places]:
    places = [
        p for p, kind in enumerate(guess.kinds) if kind == "number" and not guess.counts_rows(p)
    ]
    if len(places) > WIDEST:
        return {}
    columns = {place: guess.numbers(place) for place in places}
    samples = _times_of_samples(guess, columns)
    if samples or are_codes_of_samples(guess):
        return samples
    shares = [place for place in places if _are_shares(columns[place])]
    if len(shares) >= SIDES:  # of the width and the height of pictures
        places = [place for place in places if place not in shares]
    pairs = [
        (_likeness(columns[first], columns[second]), -first)
        for first, second in pairwise(places)
        if second == first + 1 and not _are_codes(columns, first, second)
    ]
    likeness, place = max(pairs, default=(0.0, 0))
    for first, second in zip(places, places[2:], strict=False):  # a time, a value and a length
        if second == first + 2 and _lasts(columns[first], columns[second]) > likeness:
            return {"start": (first,), "length": (second,)}
    if likeness > 0 and not _are_lengths(columns[-place], columns[1 - place]):
        return {"start": (-place,), "end": (1 - place,)}
    for first, second in pairwise(places if len(places) <= FEW else ()):
        ordered = [time for time in columns[first] if time is not None]
        positive = all(time is None or time >= 0 for time in columns[second])
        changes = len(ordered) == 1 or len(set(ordered)) > 1
        counts = _are_counts(columns[first], columns[second])
        if second == first + 1 and positive and changes and not counts and _rise(ordered):
            return {"start": (first,), "length": (second,)}
    return _times_of_paths(guess, places, columns)


def _times_of_samples(
    guess: Guess, columns: Mapping[int, Sequence[float | None]]
) -> dict[str, Places]:
    """Start of rows that are samples: the only number that goes up, beside names and readings.

    Readings have decimals, and some of them are below 0, unlike times and lengths.
    """
    names = [place for place, kind in enumerate(guess.kinds) if kind == "text"]
    measured = [place for place in columns if not guess.are_whole(place)]
    rising = [place for place in columns if _goes_up(columns[place])]
    below = any((number or 0.0) < 0 for place in measured for number in columns[place])
    if len(names) != 1 or len(rising) != 1 or len({*measured} - {*rising}) < 2 or not below:
        return {}
    return {"start": (rising[0],)}


def _goes_up(times: Sequence[float | None]) -> bool:
    known = [time for time in times if time is not None]
    steps = [after > before for before, after in pairwise(known)]
    return len(steps) >= MANY and sum(steps) >= ORDERED * len(steps)


def _times_of_paths(
    guess: Guess, places: Sequence[int], columns: Mapping[int, Sequence[float | None]]
) -> dict[str, Places]:
    """Start and length in a list of paths with an offset, a number of frames and a class."""
    if len(places) != FRAME_LIST or guess.kinds[0] != "text" or places != [1, 2, 3]:
        return {}
    cells = guess.sheet.column(0)
    rows = list(zip(cells, columns[1], columns[2], strict=True))
    if not all("/" in path for path in cells) or not all(map(guess.are_whole, places)):
        return {}
    ends: dict[str, float] = {}
    for path, start, length in rows:
        if start is None or length is None or length <= 0 or start < ends.get(path, 0.0):
            return {}
        ends[path] = start + length
    return {"start": (1,), "length": (2,)}


def _are_shares(numbers: Sequence[float | None]) -> bool:
    known = [number for number in numbers if number is not None]
    return all(0 <= number <= 1 for number in known) and any(number % 1 for number in known)


def _are_codes(columns: Mapping[int, Sequence[float | None]], one: int, two: int) -> bool:
    """Whether two columns are parts of a code in another one, as a verb and a noun of an action."""
    pairs = list(zip(columns[one], columns[two], strict=True))
    different = len(set(pairs))
    if not MANY <= 2 * different <= len(pairs):
        return False
    others = (column for place, column in columns.items() if place not in (one, two))
    return any(
        len(set(column)) == different == len(set(zip(pairs, column, strict=True)))
        for column in others
    )


def _likeness(starts: Sequence[float | None], ends: Sequence[float | None]) -> float:
    """How much two columns are like starts and ends; 0 where ends come before starts or below 0.

    Starts and ends differ from row to row, which codes do not, and most intervals end before the
    next one starts. Where the ones have decimals, so have the others.
    """
    both = [(a, b) for a, b in zip(starts, ends, strict=True) if a is not None and b is not None]
    if sum(a <= b for a, b in both) < max(1, ORDERED * len(both)) or any(a < 0 for a, _ in both):
        return 0.0  # what is negative was measured
    whole = [all(time.is_integer() for time in times) for times in zip(*both, strict=True)]
    if len(both) > 2 and len(set(whole)) > 1:
        return 0.0
    distinct = len({a for a, _ in both}) + len({b for _, b in both})
    follow = [end <= start for (_, end), (start, _) in pairwise(both)]
    likeness = distinct / (2 * len(both)) + (sum(follow) / len(follow) if follow else 0.0)
    return likeness * max(POINTS, sum(a < b for a, b in both) / len(both))


def _rise(times: Sequence[float]) -> bool:
    return list(times) == sorted(times)


def _are_counts(starts: Sequence[float | None], numbers: Sequence[float | None]) -> bool:
    """Whether whole numbers beside times with decimals count something, such as beats of a bar.

    As lengths, they would reach beyond most of the times that follow.
    """
    rows = [(a, b) for a, b in zip(starts, numbers, strict=True) if a is not None and b is not None]
    if all(a.is_integer() for a, _ in rows) or not all(b.is_integer() for _, b in rows):
        return False
    beyond = [start + length > after for (start, length), (after, _) in pairwise(rows)]
    return sum(beyond) > len(beyond) / 2


def _lasts(starts: Sequence[float | None], lengths: Sequence[float | None]) -> float:
    """How much two columns are like starts and lengths, on the scale of `_likeness`.

    Starts increase, lengths are positive and have decimals, and rows end before the next begins.
    """
    rows = [(a, b) for a, b in zip(starts, lengths, strict=True) if a is not None and b is not None]
    ordered = all(a < b for (a, _), (b, _) in pairwise(rows))
    positive = all(length > 0 for _, length in rows)
    if len(rows) < 3 or not ordered or not positive or all(b.is_integer() for _, b in rows):
        return 0.0
    ends = [start + length <= after + 1e-6 for (start, length), (after, _) in pairwise(rows)]
    return len({b for _, b in rows}) / len(rows) + sum(ends) / len(ends)


def _are_lengths(start: Sequence[float | None], length: Sequence[float | None]) -> bool:
    """Whether the second column says how long it is until the next start."""
    meets = [
        a is not None and b is not None and c is not None and abs(a + b - c) < 1e-6
        for a, b, c in zip(start, length, start[1:], strict=False)
    ]
    return len(meets) > 2 and sum(meets) > 0.8 * len(meets) and any(start[1:])
