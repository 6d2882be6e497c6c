"""The Opportunity recordings: 30 frames per second of 242 sensor channels and seven label tracks.

A file has one line per frame and 250 columns, as the data set publishes them: milliseconds, the
channels, and the tracks. A high-level activity is an instance; the labels of the other tracks are
its actions.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn.checks import check_choice
from ibgn.errors import DataError, Option, OptionError
from ibgn.io.annotations import Annotation, Recording, to_frame
from ibgn.io.choices import Choices, check_flag, check_list
from ibgn.io.files import Files, Sources
from ibgn.io.formats.opportunity.legend import ACTIVITY, CHANNELS, LEGEND, TRACKS
from ibgn.io.formats.opportunity.recordings import Frames, Unknown, find_files, load_frames
from ibgn.io.head import LIKELY, Head
from ibgn.io.longframe import LongFrame
from ibgn.io.parsing.time import find_runs
from ibgn.io.registry import reader
from ibgn.recordings import SensorRecording
from ibgn.text import quote

__all__ = ["read_opportunity", "read_opportunity_frames"]

RATE = 30  # frames per second
NULL = "null"
SUFFIXES = (".dat",)


def _sniff(head: Head) -> float:
    """Tell a recording by its many columns of numbers."""
    return LIKELY if head.suffix == ".dat" and len(head.lines[0].split()) >= 250 else 0.0


@reader("opportunity", also=SUFFIXES, about="the Opportunity data set", unit="s", sniff=_sniff)
def read_opportunity(
    files: Files,
    *,
    null: bool = False,
    tracks: Sequence[str] = TRACKS,
    merge_objects: bool = False,
    runs: Sequence[str] | None = ("ADL",),
    unknown: Unknown = "error",
) -> LongFrame:
    r"""Read the labels of Opportunity recordings; subjects are the groups.

    Files are named like S1-ADL3.dat and S2-Drill.dat.

    Parameters
    ----------
    null : whether stretches without a high-level activity are instances of the activity "null"
        too. Otherwise their intervals are left out with a warning.
    tracks : label tracks that give actions, named "Locomotion: Walk", "LL_Right_Arm: open"
    merge_objects : whether an arm and its object form one action, "LL_Right_Arm: open Fridge".
        The tracks have 93 labels if not merged; published work counts 211 actions, which only
        merged ones can reach: 4 of Locomotion, 17 of ML_Both_Arms, and pairs of a verb and an
        object, 95 per arm if the rest is shared evenly.
    runs : beginnings of the names of the runs to read, as ("ADL1", "ADL2"), or None for all.
        Drill runs have no high-level activities.
    unknown : what to do with codes that are not in the legend of the data set: "error", or "drop"
        to treat them as no label, with a warning

    Returns
    -------
    X : one instance for each stretch of a high-level activity, named "S1-ADL3.dat#1"; actions are
        clipped to it, times are in seconds of the recording
    y : (n,) high-level activities

    Notes
    -----
    A label lasts until the next frame, which is 1/30 s later.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> def line(ms, locomotion, activity):  # 242 sensor channels, and seven tracks
    ...     return f"{ms} {'NaN ' * 242}{locomotion} {activity} 0 0 406 520 0"
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "S1-ADL1.dat"
    >>> _ = path.write_text("\n".join([line(0, 1, 102), line(500, 2, 102), line(1000, 2, 0)]))
    >>> X, y = read_opportunity(path, merge_objects=True)
    >>> X.to_lists()[0][1:], X.groups[0], y[0]
    ([('LL_Right_Arm: open Fridge', 0.0, 1.0), ('Locomotion: Walk', 0.5, 1.0)], 'S1', 'Coffee time')
    """
    check_flag("null", null)
    check_flag("merge_objects", merge_objects)
    check_list("tracks", tracks)
    for track in tracks:
        check_choice("tracks", track, TRACKS)
    recordings = []
    for run in find_files(files, runs):
        frames = load_frames(run, (), unknown)
        notes = list(_annotations(frames, tracks, merge_objects, null))
        recordings.append(Recording(run.file.name, notes, {"group": run.subject}))
    if not any(a.track == ACTIVITY for recording in recordings for a in recording.annotations):
        raise DataError(
            f"{files.prefix}no frame has a high-level activity; ",
            Option("null", True),
            " reads such stretches as the activity 'null'",
        )
    choices = Choices(action="both", activity=f"track:{ACTIVITY}")
    return to_frame(files.collect(recordings), choices, files.prefix, files.allowance)


def read_opportunity_frames(
    path: Sources,
    *,
    columns: Sequence[str] | None = None,
    runs: Sequence[str] | None = None,
    unknown: Unknown = "error",
) -> list[SensorRecording]:
    """Read Opportunity recordings frame by frame, to detect actions in them.

    Parameters
    ----------
    path, runs, unknown : as for `read_opportunity`
    columns : names of channels, or their beginnings, as ("InertialMeasurementUnit BACK",); by
        default all 242, which is 100 MB per recording

    Returns
    -------
    recordings : one per file, with its file as id, its subject as group, and the labels of all
        seven tracks, also of the high-level activity; None where there is none

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "S2-Drill.dat"
    >>> _ = path.write_text("0 -17 NaN " + "5 " * 240 + "1 0 0 0 406 520 0")
    >>> [recording] = read_opportunity_frames(path, columns=["Accelerometer RKN^"])
    >>> recording.group, recording.channels, recording.labels["LL_Right_Arm"]
    ('S2', array([[-17.,  nan,   5.]]), array(['open'], dtype=object))
    """
    places = _find_channels(columns)
    files = Files(path, SUFFIXES)
    names = tuple(CHANNELS[place] for place in places)
    recordings = []
    with files.reading():
        for run in find_files(files, runs):
            time, channels, codes = load_frames(run, places, unknown)
            labels = {}
            for track, column in codes.items():
                known, inverse = np.unique(column, return_inverse=True)
                texts = [LEGEND[track].get(code) for code in known.tolist()]
                labels[track] = np.array(texts, object)[inverse]
            name, subject = run.file.name, run.subject
            recordings.append(SensorRecording(time, channels, names, labels, name, subject))
    return recordings


def _find_channels(columns: Sequence[str] | None) -> list[int]:
    if columns is None:
        return list(range(len(CHANNELS)))
    check_list("columns", columns)
    for beginning in columns:
        if not any(name.startswith(beginning) for name in CHANNELS):
            raise OptionError(
                "columns",
                columns,
                f"names {quote(beginning)}, with which no channel begins; channels are named like "
                f"{CHANNELS[0]!r} and {CHANNELS[-1]!r}, see the module legend",
            )
    return [place for place, name in enumerate(CHANNELS) if name.startswith(tuple(columns))]


def _annotations(
    frames: Frames, tracks: Sequence[str], merge_objects: bool, null: bool
) -> Iterator[Annotation]:
    """Stretches of the activities, and of the labels of each track or arm with its object."""
    activities = LEGEND[ACTIVITY] | ({0: NULL} if null else {})
    yield from _stretches(ACTIVITY, frames.time, frames.codes[ACTIVITY], activities)
    for track in dict.fromkeys(tracks):
        objects = f"{track}_Object"
        arm = track.removesuffix("_Object")
        if merge_objects and objects in tracks:
            both = frames.codes[track] * 1000 + frames.codes[objects]
            pairs = {
                verb * 1000 + thing: f"{name} {what}"
                for verb, name in LEGEND[track].items()
                for thing, what in LEGEND[objects].items()
            }
            # where only one of the two has a label, that label alone
            verbs = {verb * 1000: name for verb, name in LEGEND[track].items()}
            yield from _stretches(track, frames.time, both, pairs | verbs)
            yield from _stretches(objects, frames.time, both, LEGEND[objects])
        elif not (merge_objects and arm != track and arm in tracks):
            yield from _stretches(track, frames.time, frames.codes[track], LEGEND[track])


def _stretches(
    track: str, time: Floats, codes: Ints, names: Mapping[int, str]
) -> Iterator[Annotation]:
    """Stretches of frames with the same code, those that have a name."""
    runs = find_runs(codes, time, rate=RATE, gap=None)
    for start, end, code, frame in zip(*(column.tolist() for column in runs), strict=True):
        if code in names:
            yield Annotation(track, names[code], start, end, f"{track} from frame {frame + 1}")
