"""Files of the Opportunity data set: which columns there are, what codes mean, and the numbers."""

import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from ibgn._arrays import Floats, Ints
from ibgn._files import Recording, Source, reading
from ibgn.checks import as_number, check_choice
from ibgn.errors import DataError, DataWarning, OptionError
from ibgn.io.folders import find_files
from ibgn.text import count, quote

Unknown = Literal["error", "drop"]
Sources = Source | list[Any] | tuple[Source, ...]

LONGEST_FRAME = 1.0  # seconds to the next frame from which on something is missing between them
ACTIVITY = "HL_Activity"


def _axes(quantity: str) -> list[str]:
    return [f"{quantity}{axis}" for axis in "XYZ"]


def _channels() -> Iterator[str]:
    """Names of the channels. What was published as accX three times is X, Y and Z here."""
    body = "RKN^ HIP LUA^ RUA_ LH BACK RKN_ RWR RUA^ LUA_ LWR RH"
    objects = "CUP SALAMI WATER CHEESE BREAD KNIFE1 MILK SPOON SUGAR KNIFE2 PLATE GLASS"
    room = "DOOR1 LAZYCHAIR DOOR2 DISHWASHER UPPERDRAWER LOWERDRAWER MIDDLEDRAWER FRIDGE"
    inertial = [*_axes("acc"), *_axes("gyro"), *_axes("magnetic")]
    inertial += [f"Quaternion{number}" for number in range(1, 5)]
    shoe = [*_axes("Eu"), *(f"{frame}_A{axis}" for frame in ("Nav", "Body") for axis in "xyz")]
    shoe += [*_axes("AngVelBodyFrame"), *_axes("AngVelNavFrame"), "Compass"]
    switches = (
        "DISHWASHER S1,FRIDGE S3,FRIDGE S2,FRIDGE S1,MIDDLEDRAWER S1,MIDDLEDRAWER S2,"
        "MIDDLEDRAWER S3,LOWERDRAWER S3,LOWERDRAWER S2,UPPERDRAWER,DISHWASHER S3,LOWERDRAWER S1,"
        "DISHWASHER S2"
    )
    yield from _each("Accelerometer", body.split(), _axes("acc"))
    yield from _each("InertialMeasurementUnit", ["BACK", "RUA", "RLA", "LUA", "LLA"], inertial)
    yield from _each("InertialMeasurementUnit", ["L-SHOE", "R-SHOE"], shoe)
    yield from _each("Accelerometer", objects.split(), [*_axes("acc"), "gyroX", "gyroY"])
    yield from (f"REED SWITCH {switch}" for switch in switches.split(","))
    yield from _each("Accelerometer", room.split(), _axes("acc"))
    yield from _each("LOCATION", [f"TAG{number}" for number in range(1, 5)], list("XYZ"))


def _each(kind: str, places: Sequence[str], quantities: Sequence[str]) -> Iterator[str]:
    return (f"{kind} {place} {quantity}" for place in places for quantity in quantities)


def _legend() -> dict[str, dict[int, str]]:
    """Names of the codes of each track, in the order of the columns; 0 is no label."""
    verbs = "unlock stir lock close reach open sip clean bite cut spread release move"
    objects = (
        "Bottle,Salami,Bread,Sugar,Dishwasher,Switch,Milk,Drawer3 (lower),Spoon,Knife cheese,"
        "Drawer2 (middle),Table,Glass,Cheese,Chair,Door1,Door2,Plate,Drawer1 (top),Fridge,Cup,"
        "Knife salami,Lazychair"
    )
    activities = "Relaxing,Coffee time,Early morning,Cleanup,Sandwich time"
    doors = {516: "Door 1", 517: "Door 2", 520: "Fridge", 505: "Dishwasher"}
    doors |= {519: "Drawer 1", 511: "Drawer 2", 508: "Drawer 3"}
    both = {406_000 + code: f"Open {name}" for code, name in doors.items()}
    both |= {404_000 + code: f"Close {name}" for code, name in doors.items()}
    both |= {408512: "Clean Table", 407521: "Drink from Cup", 405506: "Toggle Switch"}
    return {
        "Locomotion": {1: "Stand", 2: "Walk", 4: "Sit", 5: "Lie"},
        ACTIVITY: dict(enumerate(activities.split(","), 101)),
        "LL_Left_Arm": dict(enumerate(verbs.split(), 201)),
        "LL_Left_Arm_Object": dict(enumerate(objects.split(","), 301)),
        "LL_Right_Arm": dict(enumerate(verbs.split(), 401)),
        "LL_Right_Arm_Object": dict(enumerate(objects.split(","), 501)),
        "ML_Both_Arms": both,
    }


CHANNELS = tuple(_channels())
LEGEND = _legend()
WIDTH = 1 + len(CHANNELS) + len(LEGEND)
TRACKS = tuple(track for track in LEGEND if track != ACTIVITY)


class Run(NamedTuple):
    """A file, and what its name says."""

    name: str
    path: Path
    subject: str


class Frames(NamedTuple):
    """The numbers of a file: time in seconds, channels asked for, codes of each track."""

    time: Floats
    channels: Floats
    codes: dict[str, Ints]


def check_names(option: str, names: Any) -> None:
    """Refuse what is not a list of names."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise OptionError(f"{option} is a list of names, got {quote(names)}; write [...]")


def find_runs(path: Sources, runs: Sequence[str] | None) -> list[Run]:
    """Files whose runs begin with one of these names."""
    if runs is not None:
        check_names("runs", runs)
    given = path if isinstance(path, list | tuple) else [path]
    found = [_named(*file) for source in given for file in find_files(source, [".dat"])]
    chosen = [run for kind, run in found if runs is None or kind.startswith(tuple(map(str, runs)))]
    if not chosen:
        kinds = ", ".join(sorted({kind for kind, _ in found})[:20]) or "none"
        raise DataError(f"no run among {quote(runs)}; there are {kinds}; runs=None reads all")
    name, times = Counter(run.name for run in chosen).most_common(1)[0]
    if times > 1:
        raise DataError(f"{quote(name)} is given {times} times; give each recording once")
    return chosen


def _named(name: str, path: Path) -> tuple[str, Run]:
    """Kind of run, as "ADL3", and the run."""
    found = re.match(r"(S\d+)-([A-Za-z]+\d*)(\.|$)", path.name)
    if not found:
        raise DataError(
            f"{quote(name)} does not name a subject and a run, as S1-ADL3.dat does; rename it"
        )
    return found[2], Run(name, path, found[1])


def load_frames(run: Run, places: Sequence[int], unknown: Unknown) -> Frames:
    """Check a file and read the columns that are needed."""
    check_choice("unknown", unknown, get_args(Unknown))
    with reading(run.path) as recording:
        number = _check_width(recording)
        used = [0, *(1 + place for place in places), *range(WIDTH - len(LEGEND), WIDTH)]
        table = _read_numbers(recording, used)
    if len(table) != number:
        raise DataError(f"{recording.prefix}{number} lines, but {len(table)} frames; damaged file")
    time = _check_time(table[:, 0] / 1000, recording.prefix)
    labels = table[:, 1 + len(places) :].T
    codes = {
        track: _check_codes(track, column, unknown, recording.prefix)
        for track, column in zip(LEGEND, labels, strict=True)
    }
    return Frames(time, table[:, 1 : 1 + len(places)], codes)


def _check_width(recording: Recording) -> int:
    """Count the frames; pandas would let rows pass that are too short or too long."""
    number = 0
    with recording.open() as stream:
        for line in stream:
            width = len(line.split())
            if width not in (0, WIDTH):
                raise DataError(
                    f"{recording.prefix}frame {number + 1} has {count(width, 'column')}, not "
                    f"{WIDTH}; check that it is a file of the Opportunity data set, and whole"
                )
            number += width > 0
    if number == 0:
        raise DataError(f"{recording.prefix}the file is empty; it needs one line a frame")
    return number


def _read_numbers(recording: Recording, used: list[int]) -> Floats:
    try:
        with recording.open() as stream:
            table = pd.read_csv(
                stream,
                sep=r"\s+",
                header=None,
                names=range(WIDTH),
                usecols=used,
                dtype=float,
                quoting=3,
                na_values=["NaN"],
                keep_default_na=False,
                encoding="utf-8-sig",
                encoding_errors="replace",
            )
    except (ValueError, pd.errors.ParserError) as error:
        if isinstance(error, DataError):
            raise
        _refuse_text(recording, used)
        raise DataError(f"{recording.prefix}not readable as numbers; damaged file") from error
    return table.to_numpy(np.float64)


def _refuse_text(recording: Recording, used: list[int]) -> None:
    """Say where something stands that is not a number."""
    with recording.open() as stream:
        lines = (line.split() for line in stream if line.strip())
        for number, cells in enumerate(lines, 1):
            for place in used:
                text = cells[place].decode("utf-8", "replace")
                if as_number(text) is None:
                    raise DataError(
                        f"{recording.prefix}frame {number}, column {place + 1}: {quote(text)} is "
                        "not a number; missing values are NaN"
                    )


def _check_time(time: Floats, source: str) -> Floats:
    wrong = ~np.isfinite(time)
    wrong[1:] |= ~(time[1:] > time[:-1])
    if wrong.any():
        frame = int(np.argmax(wrong))
        raise DataError(
            f"{source}frame {frame + 1} is at {time[frame] * 1000:.15g} ms; times are numbers that "
            "increase from frame to frame; sort the frames or read the parts on their own"
        )
    gaps = int((np.diff(time) > LONGEST_FRAME).sum())
    if gaps:
        warnings.warn(
            f"{source}{count(gaps, 'gap')} of more than {LONGEST_FRAME:g} s between frames; labels "
            "last until the next frame",
            DataWarning,
            stacklevel=2,
        )
    return time


def _check_codes(track: str, column: Floats, unknown: Unknown, source: str) -> Ints:
    known = np.isin(column, [0, *LEGEND[track]])
    if known.all():
        return column.astype(np.int64)
    frame, more = int(np.argmin(known)), int((~known).sum()) - 1
    also = f" ({count(more, 'more frame')} likewise)" if more else ""
    found = f"{source}frame {frame + 1}: {track} has no code {column[frame]:.15g}{also}"
    if unknown == "error":
        codes = ", ".join(map(str, LEGEND[track]))
        raise DataError(f"{found}; codes are 0, {codes}; unknown='drop' takes others for no label")
    warnings.warn(f"{found}; taken for no label", DataWarning, stacklevel=2)
    return np.where(known, column, 0).astype(np.int64)
