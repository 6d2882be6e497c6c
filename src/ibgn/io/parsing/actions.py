"""Which column of a table names the actions."""

from collections.abc import Sequence
from itertools import pairwise

from ibgn.io.parsing.guess import Guess, Places
from ibgn.io.parsing.words import ACTION, LENGTH, NO_ACTION, NUMBERING, SUBJECT

__all__ = ["find_action", "with_flags"]

HALF_EMPTY = 0.5  # share of the cells that a column of actions has more of
WEAK = frozenset({"name", "type", "kind"})  # words of what may also be the name of a recording
SAMPLES = frozenset({"sample", "samples", "frame", "frames"})
YES_OR_NO = frozenset({"true", "false", "yes", "no"})


def find_action(guess: Guess, free: Sequence[int], instance: Places, used: set[int]) -> int | None:
    """Column of the actions; None where there is none, or several that could be it."""
    free = [place for place in free if not _is_about(guess, place)]
    rows = len(guess.sheet.rows)
    texts = [place for place in free if guess.kinds[place] == "text"]
    telling = [place for place in texts if not guess.is_unique(place)]
    named = _named_actions(guess, free)
    several = instance and len(guess.sheet.rows) > len(guess.instances(instance))
    steady = [p for p in named if several and not guess.changes_within(p, instance)]
    changing = [p for p in named if p not in steady]
    if not changing and steady and len(guess.sheet.rows) > 1:
        others = [p for p in telling if p not in named and guess.changes_within(p, instance)]
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
        if not after and len(texts) == 1 and instance and guess.is_unique(texts[0]):
            return None  # it names the rows
        likely = after or telling or texts
        if likely:  # what stays the same in an instance is its label or its group
            vary = [p for p in [*likely, *telling] if several and guess.changes_within(p, instance)]
            found = (vary or likely)[0]
            later = [p for p in texts if p > found and guess.distinct(p) > 1]
            # what is always the same before what differs is where it happened
            return later[0] if later and guess.distinct(found) == 1 else found
        codes = [p for p in free if guess.kinds[p] == "number" and guess.are_whole(p)]
        near = [p for p in codes if p - 1 in used or p + 1 in used]
        behind = [p for p in near if p > last and guess.distinct(p) > 1]
        # codes before times that follow each other are no channels; those after may be how sure
        before = [] if _overlap(guess, used) else [p for p in near if not _rises(guess, p)]
        return max([*behind, *before] or near or codes, key=guess.distinct, default=None)
    if not telling and not texts and not instance and len(free) == 1:
        only = free[0]
        if "id" in guess.words[only] and guess.are_whole(only) and not _rises(guess, only):
            return only
    telling = [place for place in telling if not _is_id_of(guess, place)]
    return telling[0] if len(telling) == 1 else None


def _overlap(guess: Guess, used: set[int]) -> bool:
    """Whether stretches of time overlap; where there are no two columns of numbers, they may."""
    times = [guess.numbers(place) for place in sorted(used)]
    rows = list(zip(*times, strict=True))
    if len(times) != 2 or any(None in row for row in rows):
        return True
    return any(before[1] > after[0] for before, after in pairwise(sorted(rows)))


def _is_id_of(guess: Guess, place: int) -> bool:
    """Whether a column has the ids of something else than actions, such as "crew_id"."""
    words = set(guess.words[place])
    return words & {*ACTION} == {"id"} and not words <= NUMBERING


def _named_actions(guess: Guess, free: Sequence[int]) -> list[int]:
    """Columns that are named as actions are and can hold them, the surest first."""
    named = [p for p in guess.named(free, ACTION) if guess.kinds[p] in ("text", "number")]
    named = [p for p in named if _may_name(guess, p)]
    if ["code"] in [guess.words[p] for p in named]:  # a class has several codes, as in CowLog
        named = [p for p in named if guess.words[p] != ["class"]]
    if any(guess.kinds[p] == "text" for p in named):  # whether it was right, and not what it was
        named = [p for p in named if not _is_flag(guess, p)]
    if any(guess.distinct(p) > 1 for p in named):
        named = [p for p in named if guess.distinct(p) > 1 or not WEAK & {*guess.words[p]}]
    return named


def with_flags(guess: Guess, free: Sequence[int], action: int) -> Places:
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
    if _is_id_of(guess, place):
        return False
    if words & {"confidence", "score", "comment", "probability", "prob", "count", "valid"}:
        return False
    if words & SAMPLES and guess.kinds[place] == "number":
        return False  # the number of the sample at which it began
    numbering = NUMBERING if guess.kinds[place] == "number" else NUMBERING - {"code"}
    if words & numbering and guess.is_unique(place):
        return False  # it numbers the rows
    if words & {"time", "times", "timestamp", "date", *LENGTH} and guess.kinds[place] != "text":
        return False  # how long the annotation or an event took, and the like
    if guess.holds_lists(place):
        return True
    return guess.kinds[place] != "number" or guess.are_whole(place)


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
    if "value" in guess.words[code] and {"type", "name"} & {*guess.words[text]}:
        return True  # the values of events, and the names of their types
    alike = bool(set(guess.words[code]) & set(guess.words[text]) - NUMBERING)
    return alike or (not guess.is_unique(text) and guess.distinct(text) > guess.distinct(code))
