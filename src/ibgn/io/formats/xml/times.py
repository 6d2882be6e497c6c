"""Times of elements: numbers, clocks, periods, points of a timeline and date-times."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ibgn.checks import as_number
from ibgn.errors import DataError
from ibgn.io.parsing.moments import as_clock, kind_of, read_moments
from ibgn.io.parsing.words import BESIDES, END, LENGTH, START, UNITS, words_of

__all__ = [
    "RATE",
    "Field",
    "Reading",
    "Time",
    "as_instant",
    "find_spans",
    "find_times",
    "local",
    "sample_rate",
    "seconds_of",
    "timeline",
]

BETWEEN = frozenset({"from", "to"})  # which may as well be nodes of a graph
BESIDE = BESIDES | UNITS.keys() | {"reference", "ref", "id"}
LASTING = LENGTH | {"elapsed"}
SHORT = {"s": "start", "e": "end"}  # names of attributes that are one letter
# names that are times where both are there: of labels of Audacity, and of notes of songs
ALIASES = ({"t": "start", "t1": "end"}, {"Position": "start", "Length": "duration"})
RATE = "sampleRate"  # of media, and not of what goes on in them
SIDES = frozenset({"xmin", "xmax"})  # of a box in a picture, where its heights are beside them
HEIGHTS = frozenset({"ymin", "ymax"})
SPANS = re.compile(r"\s*\d{1,15}:\d{1,15}(\s+\d{1,15}:\d{1,15})*\s*", re.ASCII)
PERIOD = re.compile(r"P?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?", re.ASCII)
# 20080715003000 -0600, or 20201023 20:37:09.123
COMPACT = re.compile(
    r"((?:19|20)\d{6})[T ]?(\d{6}|\d\d:\d\d:\d\d)(\.\d{1,6})?\s?([+-]\d{4})?", re.ASCII
)

Time = float | datetime
Field = tuple[str, str]


class Reading(NamedTuple):
    """How times are read: points of a timeline by their ids, and else from their text."""

    points: Mapping[str, float]
    read: Callable[[str], Time | None]
    rate: float | None = None  # of the samples of sound that an attribute "frame" counts


def find_spans(element: Element) -> list[tuple[float, float]]:
    """Stretches of frames that an attribute has: framespan="10:120 200:240", as in ViPER."""
    text = element.get("framespan", "")
    if not SPANS.fullmatch(text):
        return []
    return [(float(a), float(b)) for a, b in (span.split(":") for span in text.split())]


def find_times(fields: Iterable[Field], reading: Reading) -> tuple[Time, Time] | None:
    """Start and end that fields have; None where they have not both."""
    fields = list(fields)
    in_samples = _times_in_samples(dict(fields), reading.rate)
    if in_samples is not None:
        return in_samples
    names = {name for name, _ in fields}
    for alias in ALIASES:
        if alias.keys() <= names:
            fields = [(alias.get(name, name), text) for name, text in fields]
    named = [(_words(name), text) for name, text in fields]
    if any(HEIGHTS & {*words} for words, _ in named):
        named = [(words, text) for words, text in named if not SIDES & {*words}]
    start, end = (_find_time(named, telling, reading) for telling in (START, END))
    length = next((t for w, text in named if _tells(w, LASTING) and (t := seconds_of(text))), None)
    if end is None and length is not None:
        end = _after(start, length, _scale(named, LASTING))
    scale = _scale(named, START | END)
    if isinstance(start, datetime) or isinstance(end, datetime):
        return (start, end) if isinstance(start, datetime) and isinstance(end, datetime) else None
    return None if start is None or end is None else (start * scale, end * scale)


def _times_in_samples(fields: Mapping[str, str], rate: float | None) -> tuple[Time, Time] | None:
    """Start and end of <point frame="44100" duration="22050"/>, as of Sonic Visualiser."""
    if rate is None or not {"frame", "duration"} <= fields.keys():
        return None
    start, length = (as_number(fields[name]) for name in ("frame", "duration"))
    return None if start is None or length is None else (start / rate, (start + length) / rate)


def sample_rate(root: Element) -> float | None:
    """Samples per second of the sound that a document is about, where it says only one number."""
    rates = {as_number(element.get(RATE, "")) for element in root.iter() if RATE in element.attrib}
    rate = next(iter(rates)) if len(rates) == 1 else None
    return rate if rate is not None and rate > 0 else None


def _find_time(
    named: Sequence[tuple[Sequence[str], str]], telling: frozenset[str], reading: Reading
) -> Time | None:
    """The first time that fields with a telling word have."""
    for words, text in named:
        if not _tells(words, telling):
            continue
        time: Time | None = reading.points.get(text.strip().lstrip("#"))
        if time is None and not {*words} <= BETWEEN:
            time = reading.read(text)
        if time is not None:
            return time
    return None


def _after(start: Time | None, length: float, scale: float) -> Time | None:
    """End of what lasts so long; a number is of the same unit as its start."""
    if isinstance(start, datetime):
        return start + timedelta(seconds=length * scale)
    return None if start is None else start + length


def _scale(named: Sequence[tuple[Sequence[str], str]], telling: frozenset[str]) -> float:
    """Seconds that a number stands for, as a word of its name or a field with the unit says."""
    own = [word for words, _ in named if _tells(words, telling) for word in words]
    own += [text.strip().casefold() for words, text in named if "unit" in words]
    return next((UNITS[word] for word in own if word in UNITS), 1.0)


def _tells(words: Sequence[str], telling: frozenset[str]) -> bool:
    others = {*words} - telling
    return len(others) < len({*words}) and others <= BESIDE


@lru_cache(1000)
def _words(name: str) -> tuple[str, ...]:
    """Words of the name of an attribute, also of those that are run together: "starttime"."""
    words = words_of(SHORT.get(local(name), local(name)))
    return tuple(p for word in words for p in re.sub(r"(?<=.)time$", " time", word).split())


def as_instant(text: str) -> datetime | None:
    """A date with a time, also without marks between its parts; None where it is neither."""
    compact = COMPACT.fullmatch(text.strip())
    with suppress(DataError, ValueError):
        if compact is not None:
            date, clock, fraction, zone = compact.groups()
            plain = f"{date}{clock.replace(':', '')}{fraction or '.0'}{zone or ''}"
            return datetime.strptime(plain, f"%Y%m%d%H%M%S.%f{'%z' if zone else ''}")
        if kind_of(text) == "moment":
            return read_moments([text], str)[0][0]
    return None


def seconds_of(text: str) -> float | None:
    """Seconds of a number, a clock, or a period as PT1M2.5S; None where it is none of these."""
    plain = text.strip().removesuffix("s")
    number = as_number(plain)
    if number is not None:
        return None if COMPACT.fullmatch(plain) else number
    clock = as_clock(plain)
    period = PERIOD.fullmatch(text.strip())
    if clock is not None or period is None or not any(period.groups()):
        return clock
    hours, minutes, rest = (float(part or 0) for part in period.groups())
    return hours * 3600 + minutes * 60 + rest


def timeline(root: Element) -> dict[str, float]:
    """Times of points by their ids, which others refer to by their start and end.

    Points of TEI may be at an interval since another; those without a time are none.
    """
    points: dict[str, float] = {}
    for element in root.iter():
        own = {local(name): text for name, text in element.items()}
        name = next((own[key] for key in ("id", "timepoint-id") if key in own), None)
        if name is None:
            continue
        scale = 0.001 if own.get("unit") == "ms" else 1.0
        since = points.get(own.get("since", "").lstrip("#"), 0.0)
        for key in ("interval", "absolute-time", "absolute", "time", "TIME_VALUE"):
            time = seconds_of(own[key]) if key in own else None
            if time is not None:
                points[name] = time * scale + (since if key == "interval" else 0.0)
                break
    return points


def local(name: str) -> str:
    """Name without its namespace."""
    return name.rsplit(":", 1)[-1]
