"""Which column of a table is what: by the words of its name, and where there is none, by its cells.

Nothing here reads a file; a guess is always announced by whoever makes use of it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

from ibgn.io.parsing.actions import find_action, with_flags
from ibgn.io.parsing.guess import Guess, Places
from ibgn.io.parsing.instances import find_instance, instance_of_events, whose_number
from ibgn.io.parsing.lasting import are_boxes, find_boxes, last_until_next
from ibgn.io.parsing.sheets import Sheet
from ibgn.io.parsing.timed import find_times
from ibgn.io.parsing.words import GROUP, LABEL, NUMBERING, SUBJECT, TRACK

__all__ = ["Roles", "find_roles"]

PACKED = re.compile(r"\S+ [\d.]+ [\d.]+(;\S+ [\d.]+ [\d.]+)*;?")
FOLLOWED = frozenset({"entity", "track", "tracklet", "object"})  # through a video
# words of numbers from 0 to 1 that say how good an interval is
MEASURES = frozenset({"confidence", "conf", "score", "probability", "prob", "iou", "overlap"})
LEVELS = (["type"], ["level"], ["layer"], ["speaker"])  # columns that tell tracks apart
EQUAL = 0.0015  # how far a length may be from the end less the start, which are rounded
MOST_COLUMNS = 500  # that are told apart by what is in them


@dataclass(frozen=True)
class Roles:
    """Places of the columns by what they are; several are joined, as a date and a time.

    Parameters
    ----------
    places : of instance, action, start, end or length, label, group and others of our columns
    scale : how many units of the start make one of the length
    packed : place of the column whose cells hold actions with their times, if one does
    since_before : whether rows say only when they end, and last since the row before
    until_next : whether rows say only when they start, and last until the next one
    sampled : whether these rows are samples of what goes on, as boxes in frames are
    readings : whether these samples are readings of sensors, which may come unevenly
    several : whether the cells of actions are lists of them
    flag : place of a column that has 1 for examples of an action, and -1 for what is none
    shares : places of columns that are an action each, with how much of it there is, from 0 to 1
    """

    places: Mapping[str, Places] = field(default_factory=dict)
    scale: float = 1.0
    packed: int | None = None
    since_before: bool = False
    until_next: bool = False
    sampled: bool = False
    readings: bool = False
    several: bool = False
    flag: int | None = None
    shares: Places = ()

    @property
    def used(self) -> set[int]:
        """Places of all columns that are read."""
        packed = set() if self.packed is None else {self.packed}
        return {*packed, *self.shares} | {
            place for places in self.places.values() for place in places
        }


def find_roles(sheet: Sheet, known: Mapping[str, Places]) -> Roles:
    """Tell the columns of a sheet apart; what cannot be found is absent from the places.

    Among very many columns nothing is found: it would take long, and be right by chance.
    """
    if len(sheet.names) > MOST_COLUMNS:
        return Roles(dict(known))
    guess = Guess(sheet, known)
    packed = _find_packed(guess)
    if packed is not None and "start" not in known:
        places = dict(known) | _find_names(guess, {packed}, packed=True)
        return Roles(places, packed=packed)
    boxes = find_boxes(guess)
    guess.known = {**boxes, **known}
    times, scale = ({}, 1.0) if "start" in guess.known.keys() - known else find_times(guess)
    places = {**times, **guess.known}
    if "start" not in known and places.get("start") == known.get("end"):
        places.pop("start", None)  # the only time there is, which is said to be the end
    used = {place for each in places.values() for place in each} | _find_lengths(guess, places)
    ends = bool(places.keys() & {"end", "length"})
    places |= _find_names(guess, used, places.get("start"), is_log=not ends)
    if "track" not in places:
        places |= _find_levels(guess, places) if ends else _find_track(guess, places)
    if _is_log_of_cases(guess, places):
        places["end"] = places.pop("start")
    places |= dict(known)
    since_before = "end" in places and "start" not in places
    until_next = last_until_next(guess, places)
    readings = until_next and not boxes and _are_readings(guess, places)
    sampled = until_next and (bool(boxes) or are_boxes(guess) or readings)
    several = any(map(guess.holds_lists, places.get("action", ())))
    if until_next and "track" not in places:
        places |= _find_classes(guess, places)
    flag = _find_flag(guess, places)
    shares = _find_shares(guess, places)
    lasting = (since_before, until_next, sampled, readings)
    return Roles(places, scale, None, *lasting, several, flag, shares)


def _find_lengths(guess: Guess, places: Mapping[str, Places]) -> set[int]:
    """Columns of numbers that say again how long it is from the start to the end."""
    if not {"start", "end"} <= places.keys() or len(places["start"] + places["end"]) > 2:
        return set()
    times = [guess.numbers(places[ours][0]) for ours in ("start", "end")]
    lengths = [None if None in row else row[1] - row[0] for row in zip(*times, strict=True)]
    known = [length for length in lengths if length is not None]
    if len({*known}) < 2:
        return set()

    def says_it(place: int) -> bool:
        both = zip(guess.numbers(place), lengths, strict=True)
        return all(n is None or m is None or abs(n - m) < EQUAL for n, m in both)

    numbers = [place for place, kind in enumerate(guess.kinds) if kind == "number"]
    return {place for place in numbers if says_it(place)}


def _are_readings(guess: Guess, places: Mapping[str, Places]) -> bool:
    """Whether rows without names have two numbers or more that were measured."""
    used = {place for each in places.values() for place in each}
    free = [p for p, kind in enumerate(guess.kinds) if kind == "number" and p not in used]
    return not any(guess.words) and sum(not guess.are_whole(place) for place in free) > 1


def _find_track(guess: Guess, places: Mapping[str, Places]) -> dict[str, Places]:
    """Column that tells apart what is seen at the same time, such as faces or objects."""
    used = {place for each in places.values() for place in each}
    for place, words in enumerate(guess.words):
        if place not in used and {*words} & FOLLOWED and {*words} <= FOLLOWED | NUMBERING:
            return {"track": (place,)}
    return {}


def _find_levels(guess: Guess, places: Mapping[str, Places]) -> dict[str, Places]:
    """Columns that say on which level and by whom: words and their sounds, as aligners have them.

    Rows of one level and speaker follow each other, while those of different ones overlap.
    """
    used = {place for each in places.values() for place in each}
    named = [p for p, words in enumerate(guess.words) if words in LEVELS and p not in used]
    levels = [p for p in named if guess.kinds[p] == "text" and guess.distinct(p) > 1]
    if not levels or "end" not in places or len(places["start"] + places["end"]) > 2:
        return {}
    rows: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    times = (guess.numbers(places[ours][0]) for ours in ("start", "end"))
    for row, start, end in zip(guess.sheet.rows, *times, strict=True):
        if start is not None and end is not None:
            key = tuple(row[p] for p in (*levels, *places.get("instance", ())))
            rows.setdefault(key, []).append((start, end))
    follow = all(a[1] <= b[0] for each in rows.values() for a, b in pairwise(sorted(each)))
    return {"track": tuple(levels)} if follow and len(rows) > 1 else {}


def _find_flag(guess: Guess, places: Mapping[str, Places]) -> int | None:
    """Column of 1 and -1 beside one of actions in words, as HACS has it."""
    used = {place for each in places.values() for place in each}
    if not used or any(guess.kinds[place] != "text" for place in places.get("action", (0,))):
        return None
    free = [p for p in guess.named(range(len(guess.words)), LABEL) if p not in used]
    return next((p for p in free if set(guess.sheet.column(p)) == {"1", "-1"}), None)


def _find_classes(guess: Guess, places: Mapping[str, Places]) -> dict[str, Places]:
    """Column of classes beside one of codes: as in CowLog, codes of a class exclude each other."""
    codes = [guess.words[place] for place in places["action"]] == [["code"]]
    classes = [place for place, words in enumerate(guess.words) if words == ["class"]]
    return {"track": (classes[0],)} if codes and classes else {}


def _find_shares(guess: Guess, places: Mapping[str, Places]) -> Places:
    """Columns of numbers from 0 to 1, where rows have times and no action: an action each."""
    if "action" in places or "start" not in places or not places.keys() & {"end", "length"}:
        return ()
    used = {place for each in places.values() for place in each}
    free = [p for p in range(len(guess.words)) if p not in used and guess.words[p]]
    if len(free) < 2 or any(guess.kinds[place] != "number" for place in free):
        return ()
    if any(MEASURES & {*guess.words[place]} for place in free):
        return ()
    numbers = [number for place in free for number in guess.numbers(place)]
    fits = all(number is None or 0 <= number <= 1 for number in numbers)
    return tuple(free) if fits else ()


def _is_log_of_cases(guess: Guess, places: Mapping[str, Places]) -> bool:
    """Whether rows are events of cases, as of process logs, each with one date and time."""
    if "start" in guess.known or not {"instance", "action", "start"} <= places.keys():
        return False
    if places.keys() & {"end", "length"} or len(places["instance"] + places["start"]) > 2:
        return False
    words = guess.words[places["instance"][0]]
    named = {*words} & {"case", "trace"} or words == ["id"]
    return bool(named) and guess.kinds[places["start"][0]] == "moment"


def _find_packed(guess: Guess) -> int | None:
    """Column with actions and their times in each cell, as Charades has them."""
    for place, kind in enumerate(guess.kinds):
        if kind == "text" and guess.words[place][:1] != ["start"]:
            cells = [cell for cell in guess.sheet.column(place) if cell]
            if cells and all(PACKED.fullmatch(cell) for cell in cells):
                return place
    return None


def _find_names(
    guess: Guess,
    used: set[int],
    start: Places | None = None,
    packed: bool = False,
    is_log: bool = False,
) -> dict[str, Places]:
    """Places of action, instance, label and group among columns that are no times."""
    free = [
        place
        for place in range(len(guess.words))
        if place not in used and guess.kinds[place] != "empty" and not guess.counts_rows(place)
    ]
    places = dict(guess.known)
    if "instance" not in places:
        found = find_instance(guess, free, packed)
        if found is None and not _unnamed_tiers(guess, start):
            found = instance_of_events(guess, free, start, is_log)
        if found is not None:
            places["instance"] = (*whose_number(guess, free, found), found)
    free = [place for place in free if place not in places.get("instance", ())]
    places = _find_tier(guess, free, start) | places
    free = [place for place in free if (place,) != places.get("track")]
    instance = places.get("instance", ())
    if "action" not in places and not packed:
        if _are_appointments(guess, instance):
            found, instance = places.pop("instance")[0], ()
        else:
            found = find_action(guess, free, instance, used)
        if found is not None:
            places["action"] = with_flags(guess, free, found)
    for role, telling in (("label", LABEL), ("group", (*GROUP, *SUBJECT))):
        taken = {place for each in places.values() for place in each}
        taken -= {*instance[:-1]} if role == "group" else set()  # people with trials of their own
        for place in guess.named([p for p in (*free, *instance[:-1]) if p not in taken], telling):
            steady = bool(instance) and not guess.changes_within(place, instance)
            if role not in places and steady and guess.kinds[place] in ("text", "number"):
                places[role] = (place,)
    return places


def _are_appointments(guess: Guess, instance: Places) -> bool:
    """Whether a subject is that of an appointment in a calendar, and nobody who acts."""
    whole_days = any({"all", "day", "event"} <= {*words} for words in guess.words)
    return whole_days and [guess.words[place] for place in instance] == [["subject"]]


def _find_tier(guess: Guess, free: Sequence[int], start: Places | None) -> dict[str, Places]:
    """Column of the tiers, if there is one."""
    named = [p for p in guess.named(free, TRACK) if guess.kinds[p] == "text"]
    tiers = named or _unnamed_tiers(guess, start)
    return {"track": (tiers[0],)} if tiers else {}


def _unnamed_tiers(guess: Guess, start: Places | None) -> list[int]:
    """Column of tiers in what ELAN exports without a header.

    The tier comes first, perhaps after it who acts, then start, end and length of each row.
    """
    if any(guess.words) or start is None or start[0] not in (1, 2) or guess.kinds[0] != "text":
        return []
    times = [p for p in range(start[0], len(guess.kinds)) if guess.kinds[p] in ("number", "clock")]
    for begin, end, length in combinations(times[:9], 3):
        rows = zip(*(guess.numbers(place) for place in (begin, end, length)), strict=True)
        if all(None not in row and abs(row[1] - row[0] - row[2]) < EQUAL for row in rows):
            return [0]
    return []
