"""Small recordings of our own making, one in each common format, to try things on."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from ibgn.checks import check_choice

__all__ = ["SAMPLES", "sample_path"]

SAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "boris": "dogs.csv",
        "casas": "home.txt",
        "csv": "kitchen.csv",
        "elan": "elan",
        "labelstudio": "kitchen.json",
        "sensors": "wrist",
        "textgrid": "talk.TextGrid",
        "xes": "repairs.xes",
    }
)


def sample_path(name: str) -> Path:
    """Path of a small invented recording that comes with the library.

    Every example of the documentation reads one of these, so all of them run without a network.

    ============= ===================================================================
    name          what it is
    ============= ===================================================================
    "csv"         27 takes of three people who make tea, coffee and sandwiches
    "elan"        folder of four ELAN files, one per person: a tier for each hand, one
                  for the task
    "textgrid"    a talk in Praat: speech, hands, phases
    "boris"       30 meetings of two dogs, as BORIS exports aggregated events; the
                  variable "context" is the activity
    "casas"       log of a home with motion sensors, as those of CASAS, with 30
                  activities
    "sensors"     folder of four CSV files: acceleration of a wrist, with labels
    "xes"         event log of a repair shop; the attribute "outcome" of a case is the
                  activity
    "labelstudio" 12 tasks with labelled stretches; the choice "task" is the activity
    ============= ===================================================================

    Parameters
    ----------
    name : see the table

    Returns
    -------
    path : of the file or folder; copy it before you change anything

    Examples
    --------
    >>> import ibgn
    >>> X, y = ibgn.read(sample_path("textgrid"), activity="track:phase")
    >>> X[:1], y[0]
    (IntervalSequences: 1 instance, 3 intervals, 8 actions
      talk.TextGrid#1: how [0, 2.05), open [0.54, 3.36), rest [3.36, 5.68), 'question')
    """
    check_choice("name", name, tuple(SAMPLES))
    return Path(__file__).with_name(SAMPLES[name])
