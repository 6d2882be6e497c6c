"""Small files of every format that is read, for those who damage them."""

import importlib
import io
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from ibgn import read_csv, read_jsonl, read_parquet
from ibgn.io.plugins import builtin_names

DIALECTS = Path(__file__).parent / "samples"
FLAT = {"csv": "takes.csv", "jsonl": "takes.jsonl", "parquet": "takes.parquet"}
OTHERS = ("joints", "sensors")  # readers of sensors, which are no formats of intervals

TABLE = "instance,label,action,start,end\na,tea,boil,0,4.5\na,tea,pour,3,5\nb,soup,boil,1,2\n"
LINES = (
    '{"instance": "a", "label": "tea", "intervals": [["boil", 0, 4.5], ["pour", 3, 5]]}\n'
    '{"instance": "b", "label": "soup", "intervals": [["boil", 1, 2]]}\n'
)


def samples():
    """Name, content and reader of a file in turn, for every format that is registered."""
    buffer = io.BytesIO()
    pd.read_csv(io.StringIO(TABLE)).to_parquet(buffer)
    yield FLAT["csv"], TABLE.encode(), read_csv
    yield FLAT["jsonl"], LINES.encode(), read_jsonl
    yield FLAT["parquet"], buffer.getvalue(), read_parquet
    # every format has samples in the module of its tests, or in a folder
    in_folders = {folder.name for folder in DIALECTS.iterdir()}
    for name in sorted({*builtin_names(), *OTHERS} - FLAT.keys()):
        if name in in_folders and find_spec(f"test_{name}") is None:
            continue
        module = importlib.import_module(f"test_{name}")
        for file, content in module.SAMPLES.items():
            yield file, content, module.READERS[file]


def dialects():
    """Samples of dialects, which are read with whatever options they need."""
    return sorted(path for path in DIALECTS.glob("*/*") if path.is_file())
