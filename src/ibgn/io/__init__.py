"""Files and tables to interval sequences and back; the only place that opens data files.

Every reader returns (X, y): the instances, and one label for each or None where there are none.
"""

from ibgn.io.csv import read_csv, write_csv
from ibgn.io.formats import FORMATS, read, write
from ibgn.io.jsonl import read_jsonl, write_jsonl
from ibgn.io.parquet import read_parquet, write_parquet
from ibgn.io.table import read_table

__all__ = [
    "FORMATS",
    "read",
    "read_csv",
    "read_jsonl",
    "read_parquet",
    "read_table",
    "write",
    "write_csv",
    "write_jsonl",
    "write_parquet",
]
