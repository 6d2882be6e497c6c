"""Which column of a table is what: by the words of its name, and where there is none, by its cells.

Nothing here reads a file; a guess is always announced by whoever makes use of it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from ibgn.io.parsing.guess import Guess, Places
from ibgn.io.parsing.lasting import are_boxes, find_boxes, last_until_next
from ibgn.io.parsing.sheets import Sheet
from ibgn.io.parsing.timed import find_times
from ibgn.io.parsing.words import (
    ACTION,
    GROUP,
    INSTANCE,
    LABEL,
    MEDIA,
    NO_ACTION,
    NO_INSTANCE,
    NUMBERED,
    NUMBERING,
    SUBJECT,
    TRACK,
)

__all__ = ["Roles", "find_roles"]

HALF_EMPTY = 0.5  # share of the cells that a column of actions has more of
PACKED = re.compile(r"\S+ [\d.]+ [\d.]+(;\S+ [\d.]+ [\d.]+)*;?")
PATH = re.compile(r"[^\s/]++(/[^\s/]++)++")
YOUTUBE = re.compile(r"[\w-]{11}", re.ASCII)
FOLLOWED = frozenset({"entity", "track", "tracklet", "object"})  # through a video
REPEATED = 0.75  # different numbers, as a share of the rows, of a column that numbers instances
# words of numbers from 0 to 1 that say how good an interval is
MEASURES = frozenset({"confidence", "conf", "score", "probability", "prob", "iou", "overlap"})
YES_OR_NO = frozenset({"true", "false", "yes", "no"})
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
    used = {place for each in places.values() for place in each}
    ends = bool(places.keys() & {"end", "length"})
    places |= _find_names(guess, used, places.get("start"), is_log=not ends)
    if not ends and "track" not in places:
        places |= _find_track(guess, places)
    if _is_log_of_cases(guess, places):
        places["end"] = places.pop("start")
    places |= dict(known)
    since_before = "end" in places and "start" not in places
    until_next = last_until_next(guess, places)
    sampled = until_next and (bool(boxes) or are_boxes(guess))
    several = any(map(guess.holds_lists, places.get("action", ())))
    if until_next and "track" not in places:
        places |= _find_classes(guess, places)
    flag = _find_flag(guess, places)
    shares = _find_shares(guess, places)
    return Roles(places, scale, None, since_before, until_next, sampled, several, flag, shares)


def _find_track(guess: Guess, places: Mapping[str, Places]) -> dict[str, Places]:
    """Column that tells apart what is seen at the same time, such as faces or objects."""
    used = {place for each in places.values() for place in each}
    for place, words in enumerate(guess.words):
        if place not in used and {*words} & FOLLOWED and {*words} <= FOLLOWED | NUMBERING:
            return {"track": (place,)}
    return {}


def _find_flag(guess: Guess, places: Mapping[str, Places]) -> int | None:
    """Column of 1 and -1 beside one of actions in words, as HACS has it."""
    used = {place for each in places.values() for place in each}
    if not used or any(guess.kinds[place] != "text" for place in places.get("action", (0,))):
        return None
    free = [p for p in _named(guess, range(len(guess.words)), LABEL) if p not in used]
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
        found = _find_instance(guess, free, packed)
        if found is None and not _unnamed_tiers(guess, start):
            found = _instance_of_events(guess, free, start, is_log)
        if found is not None:
            places["instance"] = (found,)
    free = [place for place in free if (place,) != places.get("instance")]
    places = _find_tier(guess, free, start) | places
    free = [place for place in free if (place,) != places.get("track")]
    instance = places.get("instance", ())
    if "action" not in places and not packed:
        if _are_appointments(guess, instance):
            found, instance = places.pop("instance")[0], ()
        else:
            found = _find_action(guess, free, instance, used)
        if found is not None:
            places["action"] = _with_flags(guess, free, found)
    for role, telling in (("label", LABEL), ("group", (*GROUP, *SUBJECT))):
        taken = {place for each in places.values() for place in each}
        for place in _named(guess, [p for p in free if p not in taken], telling):
            steady = bool(instance) and not guess.changes_within(place, instance)
            if role not in places and steady and guess.kinds[place] in ("text", "number"):
                places[role] = (place,)
    return places


def _are_appointments(guess: Guess, instance: Places) -> bool:
    """Whether a subject is that of an appointment in a calendar, and nobody who acts."""
    whole_days = any({"all", "day", "event"} <= {*words} for words in guess.words)
    return whole_days and [guess.words[place] for place in instance] == [["subject"]]


def _named(guess: Guess, free: Sequence[int], telling: Sequence[str]) -> Iterator[int]:
    """Columns named by one of these words, the surest first."""
    for word in telling:
        plain = [p for p in free if word in guess.words[p]]
        yield from sorted(
            plain,
            key=lambda p: (bool(NUMBERING & set(guess.words[p])), guess.words[p] != [word], p),
        )


def _find_instance(guess: Guess, free: Sequence[int], packed: bool) -> int | None:
    said = [p for p in free if not set(guess.words[p]) & NO_INSTANCE and _may_name_all(guess, p)]
    named = list(_named(guess, said, INSTANCE))
    exact = [p for p in named if len(set(guess.words[p]) - NUMBERING) == 1]
    for place in exact or named:  # "case_id" before "batch_instance_id"
        return place
    for place in _named(guess, said, NUMBERED):
        if guess.distinct(place) <= REPEATED * len(guess.sheet.rows):
            return place
    if packed:
        return next(_named(guess, free, ["id"]), None)
    for place in _named(guess, free, SUBJECT[:-1]):
        if guess.distinct(place) > 1:  # those of different people need not share their time
            return place
    return None


def _instance_of_events(
    guess: Guess, free: Sequence[int], start: Places | None, is_log: bool
) -> int | None:
    """What the events of a log belong to, or what cells tell where columns have no names."""
    if is_log and start and guess.kinds[start[0]] == "moment":
        ids = (p for p in free if guess.words[p] == ["id"] and not guess.is_unique(p))
        found = next(ids, None)
        if found is not None:
            return found
    return None if any(guess.words) else _instance_by_cells(guess, free, start)


def _may_name_all(guess: Guess, place: int) -> bool:
    """Whether every row has something in a column, and no fractions, which are measured."""
    if guess.kinds[place] == "number" and not _are_whole(guess, place):
        return False
    return all(guess.sheet.column(place)) or not any(map(all, guess.sheet.rows))


def _instance_by_cells(guess: Guess, free: Sequence[int], start: Places | None) -> int | None:
    texts = [place for place in free if guess.kinds[place] == "text"]
    for place in texts:
        cells = guess.sheet.column(place)
        paths = start is not None and place < start[0] and all(map(PATH.fullmatch, cells))
        if paths or all(map(MEDIA.fullmatch, cells)) or _are_youtube(cells):
            return place
    after = [place for place in texts if start and place > start[0]]
    before = [place for place in texts if start and place < start[0]]
    if any(guess.is_unique(place) for place in after):  # what is unique too is a code of it
        before = [place for place in before if not guess.is_unique(place)]
    if len(texts) > 1 and before and len(before) < len(texts):
        return next((place for place in before if guess.distinct(place) > 1), before[-1])
    return _instance_by_time(guess, free, start)


def _instance_by_time(guess: Guess, free: Sequence[int], start: Places | None) -> int | None:
    """Column of whole numbers, at the changes of which time goes back."""
    if start is None or len(start) > 1 or guess.kinds[start[0]] != "number" or len(free) < 2:
        return None
    times = [0.0 if time is None else time for time in guess.numbers(start[0])]
    for place in free:
        if guess.kinds[place] != "number" or not _are_whole(guess, place):
            continue
        by_value: dict[str, list[float]] = {}
        for value, time in zip(guess.sheet.column(place), times, strict=True):
            by_value.setdefault(value, []).append(time)
        ordered = all(each == sorted(each) for each in by_value.values())
        if len(by_value) > 1 and ordered and times != sorted(times):
            return place
    return None


def _are_youtube(cells: Sequence[str]) -> bool:
    """Whether cells are the ids that videos of YouTube have, of letters, digits and marks."""
    mixed = [cell for cell in cells if not cell.isalpha() and not cell.islower()]
    return all(map(YOUTUBE.fullmatch, cells)) and 2 * len(mixed) > len(cells)


def _find_tier(guess: Guess, free: Sequence[int], start: Places | None) -> dict[str, Places]:
    """Column of the tiers, if there is one."""
    named = [p for p in _named(guess, free, TRACK) if guess.kinds[p] == "text"]
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
        if all(None not in row and abs(row[1] - row[0] - row[2]) < 0.0015 for row in rows):
            return [0]
    return []


def _find_action(guess: Guess, free: Sequence[int], instance: Places, used: set[int]) -> int | None:
    """Column of the actions; None where there is none, or several that could be it."""
    free = [place for place in free if not _is_about(guess, place)]
    rows = len(guess.sheet.rows)
    texts = [place for place in free if guess.kinds[place] == "text"]
    telling = [place for place in texts if not guess.is_unique(place)]
    named = [p for p in _named(guess, free, ACTION) if guess.kinds[p] in ("text", "number")]
    named = [p for p in named if _may_name(guess, p)]
    if any(guess.kinds[p] == "text" for p in named):  # whether it was right, and not what it was
        named = [p for p in named if not _is_flag(guess, p)]
    several = instance and len(guess.sheet.rows) > len(guess.instances(instance))
    steady = [p for p in named if several and not guess.changes_within(p, instance)]
    changing = [p for p in named if p not in steady]
    if not changing and steady and len(guess.sheet.rows) > 1:
        others = [p for p in telling if p not in named]
        if len(others) == 1:  # what stays the same in an instance is its label
            return others[0]
    in_words = [p for p in changing or steady if guess.kinds[p] == "text"]
    best = (changing or steady)[:1]
    if (
        best
        and in_words
        and guess.kinds[best[0]] == "number"
        and _says_more(guess, best[0], in_words[0])
    ):
        return in_words[0]
    if best:
        return best[0]
    if not any(guess.words):
        last = max(used, default=-1)
        filled = [p for p in texts if sum(map(bool, guess.sheet.column(p))) > HALF_EMPTY * rows]
        after = [p for p in telling if p > last and p in filled] or [p for p in filled if p > last]
        if after or telling or texts:
            return (after or telling or texts)[0]
        codes = [p for p in free if guess.kinds[p] == "number" and _are_whole(guess, p)]
        near = [p for p in codes if p - 1 in used or p + 1 in used]
        behind = [p for p in near if p > last and guess.distinct(p) > 1]
        return max(behind or near or codes, key=guess.distinct, default=None)
    if not telling and not texts and not instance and len(free) == 1:
        only = free[0]
        if "id" in guess.words[only] and _are_whole(guess, only) and not _rises(guess, only):
            return only
    return telling[0] if len(telling) == 1 else None


def _with_flags(guess: Guess, free: Sequence[int], action: int) -> Places:
    """The action; where it is one of several columns of 0 and 1 without names, all of them."""
    flags = [p for p in free if set(guess.sheet.column(p)) <= {"0", "1"}]
    return tuple(flags) if action in flags and not any(guess.words) else (action,)


def _is_about(guess: Guess, place: int) -> bool:
    """Whether a column says who acts, or what its row is for, and not what is done."""
    words = set(guess.words[place])
    who = words & set(SUBJECT[:-1])  # a speaker acts by speaking
    return bool(words & NO_ACTION) or bool(who and words <= {*who, *NUMBERING, "name"})


def _may_name(guess: Guess, place: int) -> bool:
    """Whether a column that is named as actions are can hold them."""
    words = set(guess.words[place])
    if words & {"confidence", "score", "comment", "probability", "prob", "count", "valid"}:
        return False
    if words & NUMBERING and guess.is_unique(place):
        return False  # it numbers the rows
    if words & {"time", "times", "timestamp", "date"} and guess.kinds[place] != "text":
        return False  # how long the annotation took, and the like
    if guess.holds_lists(place):
        return True
    return guess.kinds[place] != "number" or _are_whole(guess, place)


def _is_flag(guess: Guess, place: int) -> bool:
    if guess.kinds[place] == "text":
        return {cell.casefold() for cell in guess.sheet.column(place)} <= YES_OR_NO
    return guess.kinds[place] == "number" and set(guess.numbers(place)) <= {-1, 0, 1, None}


def _rises(guess: Guess, place: int) -> bool:
    """Whether the numbers of a column increase from row to row, as those that count them do."""
    numbers = [number for number in guess.numbers(place) if number is not None]
    return numbers == sorted(numbers)


def _says_more(guess: Guess, code: int, text: int) -> bool:
    """Whether a column of text is named like a column of codes, or tells more actions apart."""
    alike = bool(set(guess.words[code]) & set(guess.words[text]) - NUMBERING)
    return alike or (not guess.is_unique(text) and guess.distinct(text) > guess.distinct(code))


def _are_whole(guess: Guess, place: int) -> bool:
    return all(n is None or n.is_integer() for n in guess.numbers(place))
