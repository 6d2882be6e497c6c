"""Times as people write them: numbers, clocks, dates and date-times, told apart cell by cell."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from ibgn._arrays import Floats
from ibgn.errors import DataError, Option
from ibgn.text import quote

__all__ = [
    "Kind",
    "as_clock",
    "as_plain_number",
    "check_moment",
    "find_frames",
    "kind_of",
    "kind_of_column",
    "read_moments",
    "since_first",
]

Kind = Literal["number", "clock", "date", "moment", "empty", "text"]
Where = Callable[[int], str]

MISSING = frozenset(["", "na", "n/a", "nan", "null", "none", "-", "<na>"])
MOST = 0.9  # share of the cells of a column that make it one of their kind
LONGEST = 60  # characters of a time
LOOKED_AT = 1000  # cells of a column
ADVICE = "write times as numbers or as date-times, 12.5 or 2010-11-04 00:03:50.2"

NUMBER = re.compile(r"[+-]?(\d++([.,]\d*+)?|[.,]\d++)(e[+-]?\d++)?", re.ASCII | re.IGNORECASE)
CLOCK = r"(?P<a>\d+):(?P<b>\d{1,2})(:(?P<c>\d{1,2}))?([.,](?P<fraction>\d+))?"
DATE = (
    r"((?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})[-/.](?P<day>\d{1,2})"
    r"|(?P<first>\d{1,2})(?P<sign>[-/.])(?P<second>\d{1,2})[-/.](?P<year2>\d{4}|\d\d)"
    r"|(?P<day3>\d{1,2})[- ](?P<name>[A-Za-z]{3,9})[- ,]\s?(?P<year3>\d{4}))"
)
ZONE = r"(\s?(?P<zone>Z|UTC|[+-]\d{2}:?\d{2}))?"
HALF = r"(\s?(?P<half>[AaPp])\.?[Mm]\.?)?"
DAYS = r"((?P<days>\d{1,6}) days?,? )?"  # as pandas and Python write how long something lasts
IS_CLOCK = re.compile(DAYS + CLOCK + HALF, re.ASCII)
# a clock with a fourth number, which counts frames, or thousandths of a second
IS_CODE = re.compile(r"(?P<clock>\d+:\d{1,2}:\d{1,2})[:;](?P<parts>\d{1,3})", re.ASCII)
# "1 h 20 min 5 s"; metres and minutes are both written "20 m", so that this alone is no time
SPELT = re.compile(
    r"(?=\d)(?!\d+ ?m$)((?P<hours>\d+) ?h(ours?|rs?)?)?[ ,]*"
    r"((?P<minutes>\d+) ?m(in(ute)?s?)?)?[ ,]*"
    r"((?P<seconds>\d+([.,]\d+)?) ?s(ec(ond)?s?)?)?",
    re.ASCII | re.IGNORECASE,
)
THOUSANDTHS = 3  # digits that only these have
IS_DATE = re.compile(DATE, re.ASCII)
# a full stop in the clock, and a colon before it, as the logs of process mining have them
STOPPED = r"(?P<h>\d{1,2})\.(?P<m>\d{2})(\.(?P<s>\d{2}))?"
IS_MOMENT = re.compile(rf"{DATE}(?:[T\s]+|:)(?:{CLOCK}|{STOPPED}){HALF}{ZONE}", re.ASCII)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def kind_of(text: str) -> Kind:
    """Tell what a cell holds.

    Examples
    --------
    >>> [kind_of(text) for text in ("12,5", "0:12.5", "25-Feb-2008 00:22:46", "2/3/2008", "NA")]
    ['number', 'clock', 'moment', 'date', 'empty']
    >>> kind_of("30-12-2010:11.02")  # as the logs of process mining have it
    'moment'
    """
    text = text.strip()
    if text.casefold() in MISSING:
        return "empty"
    if len(text) > LONGEST:  # no time, and patterns would take long to find that out
        return "text"
    if NUMBER.fullmatch(text):
        return "number"
    if IS_CLOCK.fullmatch(text) or IS_CODE.fullmatch(text) or SPELT.fullmatch(text):
        return "clock"
    if IS_DATE.fullmatch(text):
        return "date"
    return "moment" if IS_MOMENT.fullmatch(text) else "text"


def kind_of_column(texts: Sequence[str], most: float = MOST) -> Kind:
    """Kind of `most` of the cells that are not empty, or of all but one of three or more.

    "text" where they differ more.
    """
    step = max(1, len(texts) // LOOKED_AT)
    kinds = Counter(map(kind_of, texts[::step]))
    del kinds["empty"]
    if not kinds:
        return "empty"
    kind, times = kinds.most_common(1)[0]
    odd = kinds.total() - times
    return kind if odd <= (1 - most) * kinds.total() or (odd == 1 and times > 1) else "text"


def as_plain_number(text: str) -> float | None:
    """Number with a point or a comma before its decimals; None where it is none."""
    stripped = text.strip()
    if len(stripped) > LONGEST or not NUMBER.fullmatch(stripped):
        return None
    return float(stripped.replace(",", "."))


def as_clock(text: str, rate: float | None = None) -> float | None:
    """Seconds of h:mm:ss or mm:ss, of h:mm PM or of "1 h 5 min"; None where it is none of these.

    With a `rate`, a fourth number counts parts of a second, of which there are so many.

    Examples
    --------
    >>> as_clock("01:02:03.5"), as_clock("2:03"), as_clock("2:03 PM")
    (3723.5, 123.0, 50580.0)
    >>> as_clock("1 h 5 min"), as_clock("34.5 sec"), as_clock("20 m")
    (3900.0, 34.5, None)
    >>> as_clock("1 days 00:00:02"), as_clock("00:00:02:12"), as_clock("00:00:02:12", rate=25)
    (86402.0, None, 2.48)
    """
    stripped = text.strip()[: LONGEST + 1]
    spelt = SPELT.fullmatch(stripped)
    if spelt is not None:
        hours, minutes = (int(spelt[unit] or 0) for unit in ("hours", "minutes"))
        return 3600 * hours + 60 * minutes + float((spelt["seconds"] or "0").replace(",", "."))
    code = IS_CODE.fullmatch(stripped)
    match = IS_CLOCK.fullmatch(stripped if code is None else code["clock"])
    if match is None or (code is not None and rate is None):
        return None
    if match["half"]:
        return _of_day(match)
    parts = 0.0 if code is None or rate is None else int(code["parts"]) / rate
    return 86400 * int(match["days"] or 0) + _seconds(match) + parts


def find_frames(texts: Iterable[str]) -> tuple[int, bool] | None:
    """The largest fourth number of clocks, and whether it counts thousandths, as three digits tell.

    None where no clock has one.

    Examples
    --------
    >>> find_frames(["00:00:01:12", "00:00:02:24"]), find_frames(["0:0:1:500", "0:0:2:0"])
    ((24, False), (500, True))
    """
    codes = [code["parts"] for text in texts if (code := IS_CODE.fullmatch(text.strip()))]
    if not codes:
        return None
    return max(map(int, codes)), any(len(code) == THOUSANDTHS for code in codes)


def _of_day(match: re.Match[str]) -> float:
    """Seconds since midnight of h:mm or h:mm:ss, with AM or PM or neither."""
    seconds = _seconds(match) * (60 if len(_parts(match)) == 2 else 1)
    half = match["half"]
    return seconds % 43200 + 43200 * (half in "pP") if half else seconds


def _seconds(match: re.Match[str]) -> float:
    seconds = 0
    for part in _parts(match):
        seconds = 60 * seconds + int(part)
    return seconds + float(f"0.{match['fraction'] or 0}")


def _parts(match: re.Match[str]) -> list[str]:
    """Hours, minutes and seconds of a clock, or the two of them that it has."""
    groups = match.groupdict()
    return [groups[name] for name in ("a", "b", "c", "h", "m", "s") if groups.get(name)]


class _Moment(NamedTuple):
    """Numbers of a date as they stand, the order of two of them open, and what follows it."""

    year: int
    first: int
    second: int
    order: Literal["day", "month", "open"]  # which one comes first
    match: re.Match[str]


def read_moments(
    texts: Sequence[str], where: Where, day_first: bool | None = None
) -> tuple[list[datetime], bool]:
    """Date-times of a column, and whether the order of day and month was a guess.

    Where both orders are possible and it matters, the month comes first, unless only the other
    order makes the times increase.

    Examples
    --------
    >>> read_moments(["2/25/2008 0:22:46", "2/26/2008 9:34"], "row {}".format)[0][1]
    datetime.datetime(2008, 2, 26, 9, 34)
    """
    parsed = [_parse(check_moment(text, where(place))) for place, text in enumerate(texts)]
    is_open = [moment for moment in parsed if moment.order == "open"]
    days_first = day_first
    guessed = False
    if is_open and days_first is None:
        late_first = any(moment.first > 12 for moment in is_open)
        late_second = any(moment.second > 12 for moment in is_open)
        days_first = late_first and not late_second
        if not late_first and not late_second and len({m[:3] for m in is_open}) > 1:
            guessed = True
            days_first = _increases(parsed, True) and not _increases(parsed, False)
    moments = []
    for place, moment in enumerate(parsed):
        try:
            moments.append(_as_datetime(moment, bool(days_first)))
        except (ValueError, OverflowError) as error:
            raise DataError(
                f"{where(place)}: there is no date and time {quote(texts[place])}; correct it, or "
                "say whether the day comes first with ",
                Option("day_first", not days_first),
            ) from error
    return moments, guessed


def check_moment(text: str, where: str) -> re.Match[str]:
    """Parts of a date and time; refuses other text."""
    match = IS_MOMENT.fullmatch(text.strip()[: LONGEST + 1])
    if match is None:
        raise DataError(f"{where}: the time {quote(text)} is not understood; {ADVICE}")
    return match


def _parse(match: re.Match[str]) -> _Moment:
    if match["year"]:
        return _Moment(int(match["year"]), int(match["month"]), int(match["day"]), "month", match)
    if match["name"]:
        name = match["name"][:3].lower()
        month = MONTHS.index(name) + 1 if name in MONTHS else 0
        return _Moment(int(match["year3"]), int(match["day3"]), month, "day", match)
    year = int(match["year2"])
    # a full stop between them is the habit where days come first
    order: Literal["day", "open"] = "day" if match["sign"] == "." else "open"
    full = year if len(match["year2"]) == 4 else 2000 + year - 100 * (year > 68)
    return _Moment(full, int(match["first"]), int(match["second"]), order, match)


def _as_datetime(moment: _Moment, days_first: bool) -> datetime:
    day_first = moment.order == "day" or (moment.order == "open" and days_first)
    day, month = (moment.first, moment.second) if day_first else (moment.second, moment.first)
    seconds, zone = _of_day(moment.match), moment.match["zone"]
    if not seconds <= 86400:
        raise ValueError
    whole = datetime(moment.year, month, day, tzinfo=_zone(zone))
    return whole + timedelta(seconds=int(seconds), microseconds=round(seconds % 1 * 1e6))


def _zone(zone: str | None) -> timezone | None:
    if zone is None:
        return None
    if zone in ("Z", "UTC"):
        return UTC
    sign = -1 if zone[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:])))


def _increases(parsed: Sequence[_Moment], days_first: bool) -> bool:
    try:
        moments = [_as_datetime(moment, days_first).replace(tzinfo=None) for moment in parsed]
    except (ValueError, OverflowError):
        return False
    return all(a <= b for a, b in pairwise(moments))


def since_first(moments: Sequence[datetime], where: Where) -> Floats:
    """Seconds since the earliest; refuses some with a time zone beside some without."""
    zoned = [moment.tzinfo is not None for moment in moments]
    if len(set(zoned)) > 1:
        has, first = ("no time zone", "has one") if zoned[0] else ("a time zone", "has none")
        raise DataError(
            f"{where(zoned.index(not zoned[0]))}: the time has {has}, while the first {first}; "
            "write all alike"
        )
    origin = min(moments)
    return np.array([(moment - origin).total_seconds() for moment in moments])
