"""Files and tables to interval sequences and back; the only place that opens data files.

Every reader returns (X, y): the instances, and one label for each or None where there are none.
`read_elan`, `write_elan` and the like exist for every format that is registered.
"""

from collections.abc import Callable
from typing import Any

from ibgn._files import InputFile
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.dataframes import read_table
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, LIKELY, POSSIBLE, Head
from ibgn.io.joints import read_joints
from ibgn.io.longframe import LongFrame
from ibgn.io.outline import Entry
from ibgn.io.plugins import builtin_names
from ibgn.io.predictions import add_activities, add_predictions
from ibgn.io.registry import FORMATS, read, reader, streamer, write, writer
from ibgn.io.scanning import Scan, scan
from ibgn.io.sensors import read_sensors
from ibgn.io.survey import Survey, survey
from ibgn.io.tiers import add_tier

__all__ = [
    "CERTAIN",
    "FORMATS",
    "LIKELY",
    "POSSIBLE",
    "Annotation",
    "Entry",
    "Files",
    "Head",
    "InputFile",
    "LongFrame",
    "Recording",
    "Scan",
    "Survey",
    "add_activities",
    "add_predictions",
    "add_tier",
    "read",
    "read_joints",
    "read_sensors",
    "read_table",
    "reader",
    "scan",
    "streamer",
    "survey",
    "write",
    "writer",
]


def __getattr__(name: str) -> Callable[..., Any]:
    """Find the readers and writers of formats, which are imported when they are first used."""
    from importlib import import_module

    verb, _, format = name.partition("_")
    if verb in ("read", "write"):
        module = format if format in builtin_names() else format.partition("_")[0]
        if module in builtin_names():
            functions = vars(import_module(f"ibgn.io.formats.{module}"))
            if name in functions:
                function: Callable[..., Any] = functions[name]
                return function
    raise AttributeError(f"module 'ibgn.io' has no attribute {name!r}")


def __dir__() -> list[str]:
    read_and_written = [f"read_{name}" for name in FORMATS]
    return sorted({*globals(), *read_and_written, *(f"write_{name}" for name in FORMATS.writers)})
