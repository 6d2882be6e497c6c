"""Which column of a table names the instances."""

import re
from collections.abc import Sequence
from itertools import pairwise

from ibgn.io.parsing.guess import Guess, Places
from ibgn.io.parsing.words import ACTION, INSTANCE, MEDIA, NO_INSTANCE, NUMBERED, NUMBERING, SUBJECT

__all__ = ["find_instance", "instance_of_events", "whose_number"]

PATH = re.compile(r"[^\s/]++(/[^\s/]++)++")
YOUTUBE = re.compile(r"[\w-]{11}", re.ASCII)
UTTERANCES = 2  # columns of names before the times of utterances
REPEATED = 0.75  # different numbers, as a share of the rows, of a column that numbers instances


def find_instance(guess: Guess, free: Sequence[int], packed: bool) -> int | None:
    """Column whose name is that of an instance, or of whoever acts; None where there is none."""
    said = [p for p in free if not set(guess.words[p]) & NO_INSTANCE and _may_name_all(guess, p)]
    named = list(guess.named(said, INSTANCE))
    exact = [p for p in named if len(set(guess.words[p]) - NUMBERING) == 1]
    several = [p for p in named if not guess.is_unique(p)]  # a row of its own is none of several
    for place in [p for p in exact if p in several] or several or exact or named:
        return place  # "case_id" before "batch_instance_id"
    for place in guess.named(said, NUMBERED):
        if guess.distinct(place) <= REPEATED * len(guess.sheet.rows):
            return place
    if packed:
        return next(guess.named(free, ["id"]), None)
    for place in guess.named(free, SUBJECT[:-1]):
        if guess.distinct(place) > 1:  # those of different people need not share their time
            return place
    return None


def whose_number(guess: Guess, free: Sequence[int], instance: int) -> Places:
    """Column of the people who have trials of the same numbers, one person after the other."""
    if guess.kinds[instance] != "number" or not {*NUMBERED} & {*guess.words[instance]}:
        return ()
    for place in guess.named([p for p in free if p != instance], SUBJECT[:-1]):
        cells = guess.sheet.column(place)
        blocks = [cell for cell, before in pairwise([*cells, None]) if cell != before]
        if len(set(blocks)) == len(blocks) > 1 and guess.changes_within(place, (instance,)):
            return (place,)
    return ()


def instance_of_events(
    guess: Guess, free: Sequence[int], start: Places | None, is_log: bool
) -> int | None:
    """What the events of a log belong to, or what cells tell where columns have no names."""
    if is_log and start and guess.kinds[start[0]] == "moment":
        ids = [p for p in free if guess.words[p][-1:] == ["id"] and not guess.is_unique(p)]
        ids = [p for p in ids if not set(guess.words[p][:-1]) & set(ACTION)]  # "sensor_id" acts
        if ids:
            return min(ids, key=lambda place: len(guess.words[place]))  # "id" before "ticket_id"
    return None if any(guess.words) else _instance_by_cells(guess, free, start)


def _may_name_all(guess: Guess, place: int) -> bool:
    """Whether every row has something in a column, and no fractions, which are measured."""
    if guess.kinds[place] == "number" and not guess.are_whole(place):
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
    if len(texts) == len(before) == UTTERANCES and len(guess.words) == 2 * UTTERANCES:
        # an utterance, its recording, a start and an end, as Kaldi has them
        named = [guess.is_unique(place) for place in before]
        if named == [True, False]:
            return before[1]
    if len(texts) > 1 and before and len(before) < len(texts):
        return next((place for place in before if guess.distinct(place) > 1), before[-1])
    return _instance_by_time(guess, free, start)


def _instance_by_time(guess: Guess, free: Sequence[int], start: Places | None) -> int | None:
    """Column of whole numbers, at the changes of which time goes back."""
    if start is None or len(start) > 1 or guess.kinds[start[0]] != "number" or len(free) < 2:
        return None
    times = [0.0 if time is None else time for time in guess.numbers(start[0])]
    for place in free:
        if guess.kinds[place] != "number" or not guess.are_whole(place):
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
