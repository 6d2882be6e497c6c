"""Files and tables to interval sequences and back; the only place that opens data files.

Every reader returns (X, y): the instances, and one label for each or None where there are none.
"""

from ibgn.io.activitynet import read_activitynet
from ibgn.io.boris import read_boris
from ibgn.io.csv import read_csv, write_csv
from ibgn.io.cvat import read_cvat
from ibgn.io.elan import read_elan, write_elan
from ibgn.io.events import read_events
from ibgn.io.formats import FORMATS, read, write
from ibgn.io.frames import read_frames
from ibgn.io.joints import read_joints
from ibgn.io.jsonl import read_jsonl, write_jsonl
from ibgn.io.labelstudio import read_labelstudio
from ibgn.io.opportunity import read_opportunity, read_opportunity_frames
from ibgn.io.parquet import read_parquet, write_parquet
from ibgn.io.sensors import read_sensors
from ibgn.io.table import read_table
from ibgn.io.textgrid import read_textgrid, write_textgrid
from ibgn.io.tracks import read_tracks
from ibgn.io.via import read_via
from ibgn.io.xes import read_xes

__all__ = [
    "FORMATS",
    "read",
    "read_activitynet",
    "read_boris",
    "read_csv",
    "read_cvat",
    "read_elan",
    "read_events",
    "read_frames",
    "read_joints",
    "read_jsonl",
    "read_labelstudio",
    "read_opportunity",
    "read_opportunity_frames",
    "read_parquet",
    "read_sensors",
    "read_table",
    "read_textgrid",
    "read_tracks",
    "read_via",
    "read_xes",
    "write",
    "write_csv",
    "write_elan",
    "write_jsonl",
    "write_parquet",
    "write_textgrid",
]
