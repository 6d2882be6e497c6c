"""Objects of a document that have a start and an end, wherever they stand."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ibgn.checks import as_number
from ibgn.io.parsing.json import Node
from ibgn.io.parsing.time import as_seconds
from ibgn.io.parsing.words import BESIDES, END, FRAMES, LENGTH, START, UNITS, words_of

__all__ = [
    "ENTRIES",
    "SEVERAL",
    "Times",
    "counts_chunks",
    "find_records",
    "find_times",
    "frame_rate",
    "has_one_time",
    "has_score",
    "in_seconds",
    "speaks_of_time",
    "walk",
]

PARTS = frozenset({"seconds", "nanos"})  # of a time that is an object, as clouds write it too
IN_SECONDS = re.compile(r"(?<=[0-9])s\Z")  # "0.100s", as clouds write it
ENTRIES = "entries"  # of a tier, which is no interval itself
BOTH = frozenset(
    {"segment", "interval", "timestamp", "timestamps", "span", "range", "window", "moment", "ts"}
    | {"time", "times", "bounds", "boundary", "boundaries"}
)
SEVERAL = frozenset({*BOTH, "segments", "intervals", "spans", "ranges", "windows", "moments"})
# those of them that also name what is no time, as "price_range", and words that they go with then
WEAK = frozenset({"range", "window", "span", "interval", "bounds", "boundary", "boundaries"})
WEAK |= {f"{word}s" for word in WEAK}
OF_TIME = BESIDES | FRAMES | {*UNITS} | BOTH | SEVERAL
OF_TIME |= {"relevant", "pred", "predicted", "gt", "true", "target", "answer", "temporal", "found"}
SPAN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*-\s*(\d+(?:\.\d+)?)\s*", re.ASCII)  # "12.5-14"
TIME = re.compile(r"\s*[-+.]?\d|PT[\dHMS.]{1,30}\Z", re.ASCII)
PERIOD = re.compile(r"PT(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?", re.ASCII)
DATED = re.compile(r"\d{4}-\d\d-\d\d.\d", re.ASCII)
PLACES_IN_TEXT = frozenset({"offset", "char", "character", "token", "byte", "line"})
ALONE = (["time"], ["timestamp"], ["offset"], ["date", "time"])  # of a start beside a length
SCORED = 3  # numbers of a start, an end and how sure a detector is of them
SINGLE = frozenset({"time", "timestamp", "position", "onset", "offset"})
MOMENT = SINGLE | BESIDES | {*UNITS}
SIDES, HEIGHTS = frozenset({"xmin", "xmax"}), frozenset({"ymin", "ymax"})  # of a box
RATES = frozenset({"fps", "frame_rate", "frameRate", "framerate", "video_fps"})
SAMPLE_RATES = frozenset({"sampleRate", "sample_rate", "samplerate"})  # of sound
RATE = 0.01, 10_000.0
MOST_SAMPLES = 1e6  # a second
TOLD = frozenset({"time", "timestamp", *UNITS})  # words of names that surely are times
CHUNKS = frozenset({"segments", "chunks"})  # words of fields that say how many there are


class Times(NamedTuple):
    """Where an object has its times, and how many seconds a number there stands for.

    `end` is a length where `is_length`. Both are in one list where `end` is None. With a `place`,
    the object has lists of times, or of such pairs, and this is the place in them. `in_frames` says
    that they are numbers of frames.
    """

    start: str
    end: str | None
    is_length: bool = False
    unit: float = 1.0
    place: int | None = None
    in_frames: bool = False


def walk(root: Node) -> Iterator[Node]:
    """All objects and lists of a document, in the order in which they stand."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node.value, dict):
            within = [child for _, child in node.members()]
        else:
            within = _items(node) if isinstance(node.value, list) else []
        waiting += [each for each in reversed(within) if isinstance(each.value, dict | list)]


def _items(node: Node) -> list[Node]:
    """Values of a list; rows such as [0.5, 1.2, "tea"] as objects with a start and an end."""
    if any(map(_is_described, node.value)):
        return [_described(each) if _is_described(each.value) else each for each in node.items()]
    if not node.value or not all(map(_is_row, node.value)):
        return node.items()
    return [
        Node({"start": start, "end": end, "label": label}, node.prefix, node, place)
        for place, (start, end, label) in enumerate(node.value)
    ]


def _is_described(value: Any) -> bool:
    """Whether a list is a start, an end, numbers, and objects that say what it was: AviaNZ."""
    if not isinstance(value, list) or len(value) < SCORED or not isinstance(value[-1], list):
        return False
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in value[:-1])
    said = bool(value[-1]) and all(isinstance(each, dict) for each in value[-1])
    return numbers and said and value[0] <= value[1]


def _described(row: Node) -> Node:
    start, end, *_, said = row.value
    return Node({**said[0], "start": start, "end": end}, row.prefix, row.parent, row.key)


def _is_row(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 3 or not isinstance(value[2], str):
        return False
    times = [v for v in value[:2] if isinstance(v, int | float) and not isinstance(v, bool)]
    return len(times) == 2 and times[0] <= times[1]


def find_records(root: Node) -> Iterator[tuple[Node, Times]]:
    """Objects with a start and an end, in the order in which they stand."""
    for node in walk(root):
        if isinstance(node.value, dict) and ENTRIES not in node.value:
            yield from ((node, times) for times in find_times(node.value))


def find_times(fields: Mapping[str, Any]) -> list[Times]:
    """Where an object has its times; frames only where it has no others.

    One that has places in a text beside its start and end is of paragraphs.
    """
    if _has_places(fields):
        return []
    single = {key: value for key, value in fields.items() if _is_time(value)}
    if HEIGHTS & single.keys():  # a box in a picture
        single = {key: value for key, value in single.items() if key not in SIDES}
    one = _named_times(single) or _offset_times(single) or _alike_times(single)
    if one is not None:
        return [one]
    found = _paired_times(fields)
    if found:
        return found
    several = {key: value for key, value in fields.items() if _are_times(value)}
    both = _named_times(several)
    if both is None or both.end is None or len(fields[both.start]) != len(fields[both.end]):
        return []
    return [both._replace(place=place) for place in range(len(fields[both.start]))]


def _paired_times(fields: Mapping[str, Any]) -> list[Times]:
    """Where an object has pairs of times, or lists of such pairs."""
    for key, value in fields.items():
        words = set(words_of(key))
        if WEAK & words and not words <= OF_TIME | WEAK:
            continue
        frames = bool(words & FRAMES)
        if BOTH & words and (_is_pair(value) or _is_span(value)):
            return [Times(key, None, in_frames=frames)]
        if SEVERAL & words and isinstance(value, list) and value and all(map(_is_found, value)):
            several = range(len(value))
            return [Times(key, None, place=place, in_frames=frames) for place in several]
        if words == {"duration"} and _is_pair(value):  # from when until when
            return [Times(key, None)]
    return []


def _has_places(fields: Mapping[str, Any]) -> bool:
    """Whether an object counts characters: "startOffset" and "endOffset" as whole numbers.

    Numbers beside them are times, as those of words that were aligned with speech.
    """
    offsets = {key: value for key, value in fields.items() if "offset" in key.casefold()}
    counted = [{*words_of(key)} for key, value in offsets.items() if _is_whole(value)]
    if {"start", "offset"} not in counted or {"end", "offset"} not in counted:
        return False
    return not any(isinstance(fields.get(key), int | float) for key in ("start", "end"))


def _named_times(fields: Mapping[str, Any]) -> Times | None:
    """Start, and end or length, among fields that hold times."""
    words = {key: words_of(key) for key in fields}
    for besides in (BESIDES, BESIDES | FRAMES):
        start, end, length = (
            min(
                (key for key, each in words.items() if _says(each, telling, besides)),
                key=lambda key: (not {*words[key]} & TOLD, len(words[key])),
                default=None,
            )
            for telling in (START, END, LENGTH)
        )
        if start is None and end is None and length is None:
            length = _counted_seconds(fields)
        if start is None and length is not None:  # music has a time and a duration
            start = next((key for key, each in words.items() if each in ALONE), None)
            end = None if end == start else end
        if start is not None and (end is not None or length is not None):
            unit = next((UNITS[word] for word in words[start] if word in UNITS), 1.0)
            frames = bool(FRAMES & {*words[start]})
            return Times(start, end or length, end is None, unit, in_frames=frames)
    return None


def _counted_seconds(fields: Mapping[str, Any]) -> str | None:
    """Length that is only called by its unit, beside a date: {"dateTime": ..., "seconds": 30}."""
    dated = any(isinstance(value, str) and DATED.match(value) for value in fields.values())
    return "seconds" if dated and "seconds" in fields else None


def _offset_times(fields: Mapping[str, Any]) -> Times | None:
    """Times since the start of a recording: "startTimeOffset", or "startOffset": "0.1s".

    Others are places in a text.
    """
    words = {key: [word for word in words_of(key) if word != "offset"] for key in fields}
    offsets = {key: each for key, each in words.items() if len(each) < len(words_of(key))}
    sure = {
        "-".join(each): key
        for key, each in offsets.items()
        if "time" in each or (isinstance(fields[key], str) and IN_SECONDS.search(fields[key]))
    }
    found = _named_times({name: fields[key] for name, key in sure.items()})
    if found is None or found.end is None:
        return None
    return found._replace(start=sure[found.start], end=sure[found.end])


def _alike_times(fields: Mapping[str, Any]) -> Times | None:
    """Start and end whose names differ in that alone: "anomaly_start" and "anomaly_end"."""
    rest: dict[tuple[str, ...], dict[bool, str]] = {}
    for key in fields:
        words = words_of(key)
        for is_end, telling in ((False, "start"), (True, "end")):
            if telling in words and not PLACES_IN_TEXT & {*words}:
                others = tuple(word for word in words if word != telling)
                rest.setdefault(others, {})[is_end] = key
    for key in fields:  # the start may be "ts" beside an "end_ts"
        named = tuple(words_of(key))
        if {*named} & BOTH and named in rest:
            rest[named].setdefault(False, key)
    for both in rest.values():
        numbers = all(isinstance(fields[key], int | float) for key in both.values())
        if len(both) == 2 and numbers and fields[both[False]] <= fields[both[True]]:
            return Times(both[False], both[True])
    return None


def has_one_time(fields: Mapping[str, Any]) -> str | None:
    """Field with the only time of an object, which is a point then; None where there is none."""
    named = {key: words_of(key) for key, value in fields.items() if _is_time(value)}
    times = (key for key, words in named.items() if {*words} <= MOMENT and {*words} & SINGLE)
    return next(times, None)


def speaks_of_time(name: str) -> bool:
    """Whether a name is that of a time, a frame or a length."""
    return bool({*words_of(name)} & (START | END | LENGTH | FRAMES | {"time", "fps"}))


def _is_pair(value: Any) -> bool:
    return _are_times(value) and len(value) == 2


def _is_found(value: Any) -> bool:
    """Whether a list is a start and an end, perhaps with how sure a detector is of them."""
    if not _are_times(value) or len(value) not in (2, SCORED):
        return False
    return len(value) == 2 or (isinstance(value[2], int | float) and 0 <= value[2] <= 1)


def has_score(record: Node, times: Times) -> bool:
    """Whether the times of an object come with how sure a detector is of them."""
    return (
        times.place is not None
        and times.end is None
        and (len(record.value[times.start][times.place]) == SCORED)
    )


def counts_chunks(record: Node, times: Times) -> bool:
    """Whether times are places among chunks, of which the object says how many there are."""
    if times.place is None or times.end is not None:
        return False
    pair = record.value[times.start][times.place]
    numbers = [
        value
        for key, value in record.value.items()
        if CHUNKS & {*words_of(key)} and _is_whole(value)
    ]
    return bool(numbers) and all(_is_whole(end) and 0 <= end < min(numbers) for end in pair[:2])


def frame_rate(record: Node, times: Times) -> float | None:
    """Frames or samples per second, as an object or what is around it says."""
    samples = "sample" in words_of(times.start)
    rates, most = (SAMPLE_RATES, MOST_SAMPLES) if samples else (RATES, RATE[1])
    node: Node | None = record
    while node is not None:
        fields = node.value if isinstance(node.value, dict) else {}
        for key in rates & fields.keys():
            rate = as_number(str(fields[key]))
            if rate is not None and RATE[0] <= rate <= most:
                return rate
        node = node.parent
    return None


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_span(value: Any) -> bool:
    return isinstance(value, str) and bool(SPAN.fullmatch(value[:100]))


def _are_times(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_time, value))


def _is_time(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(value, dict):  # {"seconds": "1", "nanos": 500000000}, or {} for 0
        own = {"time": value["time"]} if "time" in value else value
        return (own is not value or value.keys() <= PARTS) and all(map(_is_time, own.values()))
    return number or (isinstance(value, str) and bool(TIME.match(value)))


def _as_plain(time: Node) -> Node:
    """A time, as a number of seconds where it has parts."""
    if not isinstance(time.value, dict):
        return time
    if "time" in time.value:  # beside the number of a frame
        return _as_plain(time.child("time"))
    seconds, nanos = (as_number(str(time.value.get(part, 0))) for part in ("seconds", "nanos"))
    return Node((seconds or 0.0) + (nanos or 0.0) / 1e9, time.prefix, time.parent, time.key)


def _says(words: Sequence[str], telling: frozenset[str], besides: frozenset[str]) -> bool:
    """Whether a name is made of a telling word, units, and words that times have besides.

    With two of them it tells of something else: "endOffset" is a place in a text.
    """
    others = set(words) - telling
    one = len(others) == len(set(words)) - 1
    return one and all(w in besides or w in UNITS for w in others)


def _two_ends(node: Node) -> list[Node]:
    """Start and end that are in one value, a list or a text."""
    span = SPAN.fullmatch(node.value) if isinstance(node.value, str) else None
    if span is not None:
        return [Node(end, node.prefix, node.parent, node.key) for end in span.groups()]
    return node.items()[:2]


def _unfolded(text: str) -> str:
    """Text of a time; one that is a period, such as PT1M2.5S, as seconds."""
    period = PERIOD.fullmatch(text)
    if period is None:
        return text
    hours, minutes, seconds = (float(part or 0) for part in period.groups())
    return str(hours * 3600 + minutes * 60 + seconds)


def in_seconds(records: Sequence[tuple[Node, Times]]) -> Iterator[tuple[float, float]]:
    """Start and end of each object."""
    both: list[Node] = []
    for record, times in records:
        keys = [key for key in (times.start, times.end) if key is not None]
        ends = [_as_plain(record.child(key)) for key in keys]
        if times.place is not None:
            ends = [Node(end.value[times.place], end.prefix, end, times.place) for end in ends]
        both += ends if len(ends) == 2 else _two_ends(ends[0])
    texts = [IN_SECONDS.sub("", _unfolded(str(end.value))) for end in both]
    lasting = [times.is_length and at == 1 for _, times in records for at in (0, 1)]
    seconds = [0.0] * len(both)
    for are_lengths in (False, True):  # which are numbers also where starts are date-times
        places = [place for place, length in enumerate(lasting) if length == are_lengths]
        here = [f"{both[place].prefix}{both[place].path}" for place in places]
        read = as_seconds([texts[place] for place in places], here.__getitem__)
        for place, time in zip(places, read.tolist(), strict=True):
            seconds[place] = time
    for (record, times), start, end in zip(records, seconds[::2], seconds[1::2], strict=True):
        last = start + end if times.is_length else end
        unit = 1 / (frame_rate(record, times) or 1.0) if times.in_frames else times.unit
        yield start * unit, last * unit
