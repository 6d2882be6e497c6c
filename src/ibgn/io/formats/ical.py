"""Calendars: appointments with a start and an end, as most programs export them (.ics)."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from ibgn._files import InputFile
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_ical"]

PROPERTY = re.compile(r'(?P<name>[\w-]+)(?P<options>(?:;[^:;"]*(?:"[^"]*")?)*):(?P<value>.*)')
ZONE = re.compile(r';TZID="?([^;:"]+)"?', re.IGNORECASE)
TIME = re.compile(r"(\d{8})(?:T(\d{6})(Z)?)?")
LENGTH = re.compile(
    r"\+?P(?:(?P<weeks>\d+)W)?(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+)S)?)?"
)
ESCAPED = re.compile(r"\\([\\;,nN])")
UNTITLED = "appointment"
CALENDAR = "calendar"

Entry = dict[str, tuple[str, str]]  # options and value of each property


def _sniff(head: Head) -> float:
    """Tell a calendar by its first line."""
    return CERTAIN if head.lines[:1] and head.lines[0].strip().upper() == "BEGIN:VCALENDAR" else 0.0


@reader("ical", (".ics",), also=(".ical",), about="calendars", unit="s", sniff=_sniff)
def read_ical(files: Files) -> Iterator[Recording]:
    r"""Read calendars, or a folder of them; a file is an instance, and the title is the action.

    Tracks are the categories of appointments, or "calendar". Times are seconds since the earliest;
    those without a time zone, or with one that is not known, are taken to be UTC. Of an appointment
    that repeats, only the first is read, and a warning counts such appointments; those without an
    end are points.

    Returns
    -------
    X : the instances, by the names of their files; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "week.ics"
    >>> times = "DTSTART:20210301T090000Z\nDTEND:20210301T093000Z\n"
    >>> event = f"BEGIN:VEVENT\n{times}SUMMARY:Tea\nEND:VEVENT\n"
    >>> _ = path.write_text(f"BEGIN:VCALENDAR\n{event}END:VCALENDAR\n")
    >>> read_ical(path)[0].to_lists()
    [[('Tea', 0.0, 1800.0)]]
    """
    for file in files:
        spans = [(line, entry, *_span(file, line, entry, files)) for line, entry in _entries(file)]
        if not spans:
            raise DataError(f"{file.prefix}the calendar has no appointments (VEVENT)")
        origin = min(start for _, _, start, _ in spans)
        annotations = []
        for line, entry, *times in spans:
            if "RRULE" in entry or "RDATE" in entry:
                files.leave_out(" that repeats: only the first time is read", noun="appointment")
            track = _text(entry, "CATEGORIES") or CALENDAR
            title = _text(entry, "SUMMARY") or UNTITLED
            start, end = ((time - origin).total_seconds() for time in times)
            annotations.append(Annotation(track, title, start, end, f"line {line}"))
        yield Recording(file.name, annotations)


def _entries(file: InputFile) -> Iterator[tuple[int, Entry]]:
    """Properties of each appointment, and the line that it begins at."""
    entry: Entry | None = None
    begun, depth = 0, 0
    for number, line in _unfold(file.lines()):
        word = line.strip().upper()
        if word == "BEGIN:VEVENT":
            entry, begun, depth = {}, number, 0
        elif entry is not None and word == "END:VEVENT":
            yield begun, entry
            entry = None
        elif entry is not None and word.startswith(("BEGIN:", "END:")):
            depth += 1 if word.startswith("BEGIN:") else -1  # an alarm, which has times of its own
        elif entry is not None and depth == 0:
            found = PROPERTY.fullmatch(line)
            if found is not None:
                entry.setdefault(found["name"].upper(), (found["options"], found["value"]))
    if entry is not None:
        raise DataError(f"{file.prefix}line {begun}: the appointment has no end (END:VEVENT)")


def _unfold(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Lines with those that continue them, which begin with a space."""
    whole, first = "", 1
    for number, line in enumerate(lines, 1):
        if line[:1] in (" ", "\t"):
            whole += line[1:].rstrip("\r")
            continue
        if whole:
            yield first, whole
        whole, first = line.rstrip("\r"), number
    if whole:
        yield first, whole


def _span(file: InputFile, line: int, entry: Entry, files: Files) -> tuple[datetime, datetime]:
    """Start and end of an appointment; a whole day has neither end nor length in some calendars."""
    where = f"{file.prefix}line {line}"
    if "DTSTART" not in entry:
        raise DataError(f"{where}: the appointment has no start (DTSTART)")
    start = _moment(*entry["DTSTART"], where, files)
    if "DTEND" in entry:
        return start, _moment(*entry["DTEND"], where, files)
    if "DURATION" in entry:
        length = LENGTH.fullmatch(entry["DURATION"][1].strip())
        if length is None:
            raise DataError(f"{where}: the length {quote(entry['DURATION'][1])} is not understood")
        parts = {name: int(part) for name, part in length.groupdict().items() if part}
        return start, start + timedelta(**parts)
    is_day = len(entry["DTSTART"][1].strip()) == 8
    return start, start + timedelta(days=is_day)


def _moment(options: str, value: str, where: str, files: Files) -> datetime:
    found = TIME.fullmatch(value.strip())
    try:
        if found is None:
            raise ValueError
        moment = datetime.strptime(found[1] + (found[2] or "000000"), "%Y%m%d%H%M%S")
        return moment.replace(tzinfo=UTC if found[3] else _zone(options, files))
    except (ValueError, OverflowError) as error:
        raise DataError(
            f"{where}: the time {quote(value)} is not understood; it must be written as "
            "20210301T090000Z"
        ) from error


def _zone(options: str, files: Files) -> tzinfo:
    """Time zone that a property names, or UTC where it names none that is known."""
    named = ZONE.search(options)
    try:
        return UTC if named is None else ZoneInfo(named[1].strip())
    except (KeyError, OSError, ValueError):  # names of zones that a program has for itself
        files.leave_out(" in a time zone that is not known: taken to be UTC", noun="time")
        return UTC


def _text(entry: Entry, name: str) -> str:
    value = entry.get(name, ("", ""))[1].strip()
    return " ".join(ESCAPED.sub(lambda m: " " if m[1] in "nN" else m[1], value).split())
