"""What other libraries do with our files: the evidence of docs/dependencies.md.

`python -m benchmarks.dependencies` writes models with safetensors and as we do, and gives damaged
files to other readers. It needs `pip install safetensors textgrid` as well as the dev extra.
"""

import json
import struct
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import textgrid
from praatio.textgrid import openTextgrid
from pympi.Elan import Eaf
from rich import print as show
from rich.markup import escape
from safetensors.numpy import load, save

import ibgn
from ibgn.datasets import make_hand_signs

ELAN = (
    '<ANNOTATION_DOCUMENT xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" AUTHOR="" '
    'xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd" FORMAT="3.0" '
    'DATE="2020-01-01T00:00:00+00:00" VERSION="3.0"><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER>'
    '<TIME_SLOT TIME_SLOT_ID="s1" TIME_VALUE="100"/><TIME_SLOT TIME_SLOT_ID="s2"/>'
    '<TIME_SLOT TIME_SLOT_ID="s3" TIME_VALUE="900"/></TIME_ORDER>'
    '<TIER LINGUISTIC_TYPE_REF="t" TIER_ID="hand"><ANNOTATION><ALIGNABLE_ANNOTATION '
    'ANNOTATION_ID="a1" TIME_SLOT_REF1="s1" TIME_SLOT_REF2="s2"><ANNOTATION_VALUE>reach'
    "</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION><ANNOTATION><ALIGNABLE_ANNOTATION "
    'ANNOTATION_ID="a2" TIME_SLOT_REF1="s2" TIME_SLOT_REF2="s3"><ANNOTATION_VALUE>grasp'
    "</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER><LINGUISTIC_TYPE "
    'LINGUISTIC_TYPE_ID="t" TIME_ALIGNABLE="true" GRAPHIC_REFERENCES="false"/>'
    "</ANNOTATION_DOCUMENT>"
)
ENTITY = '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
GRID = (
    'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n2\n<exists>\n1\n"IntervalTier"\n'
    '"hand"\n0\n2\n2\n0\n1\n"reach"\n1\n2\n"grasp"\n'
)
DAMAGED = {
    "inner times left open": ("x.eaf", ELAN),
    "entities": ("x.eaf", ENTITY + ELAN.replace("reach", "&b;")),
    "one id twice": ("x.eaf", ELAN.replace('"a2"', '"a1"')),
    "cut short": ("x.TextGrid", GRID[:-12]),
    "a count too small": ("x.TextGrid", GRID.replace("\n2\n2\n0", "\n2\n1\n0")),
    "end before start": ("x.TextGrid", GRID.replace('\n2\n"grasp"', '\n0.5\n"grasp"')),
    "overlapping intervals": ("x.TextGrid", GRID.replace('\n1\n2\n"grasp"', '\n0.5\n2\n"grasp"')),
}


def outcome(act: Callable[[], Any]) -> str:
    """Result of a call, in one line."""
    try:
        return escape(str(act()).replace("\n", " "))[:100]
    except Exception as error:
        return f"{type(error).__name__}: {escape(str(error))}"[:100]


def read_damaged() -> None:
    """Give each damaged file to the readers of its format."""
    with TemporaryDirectory() as folder:
        for damage, (name, content) in DAMAGED.items():
            path = Path(folder, name)
            path.write_text(content)
            show(f"{name}, {damage}")
            for reader, read in readers(path).items():
                show(f"  {reader:9}{outcome(read)}")


def readers(path: Path) -> dict[str, Callable[[], Any]]:
    """All readers of a format, by name."""
    if path.suffix == ".eaf":
        others = {"pympi": lambda: Eaf(str(path)).get_annotation_data_for_tier("hand")}
    else:
        others = {
            "praatio": lambda: openTextgrid(str(path), False).getTier("hand").entries,
            "textgrid": lambda: list(textgrid.TextGrid.fromFile(str(path))[0]),
        }
    return others | {"ibgn": lambda: ibgn.read(path)[0]}


def forge() -> None:
    """Load altered files with safetensors."""
    good = save({"x": np.arange(4.0)})
    entry = '"x":{"dtype":"F64","shape":[4],"data_offsets":[0,32]}'
    show("safetensors")
    for damage, data in {
        "a bit flipped": good[:-1] + bytes([good[-1] ^ 64]),
        "one name twice": _tensors(
            "{" + entry + "," + entry.replace("F64", "I64") + "}", good[-32:]
        ),
        "arrays overlap": _tensors("{" + entry + "," + entry.replace("x", "y") + "}", good[-32:]),
        "cut short": good[:-3],
    }.items():
        show(f"  {damage:16}{outcome(lambda data=data: load(data))}")


def _tensors(header: str, body: bytes) -> bytes:
    text = header.encode() + b" " * (-len(header) % 8)
    return struct.pack("<Q", len(text)) + text + body


def arrays_of(part: Any) -> Iterator[np.ndarray]:
    """All arrays of numbers within a fitted model."""
    if isinstance(part, np.ndarray):
        if part.dtype.kind in "biuf":
            yield np.ascontiguousarray(part)
    elif isinstance(part, dict | list | tuple):
        for item in part.values() if isinstance(part, dict) else part:
            yield from arrays_of(item)
    elif type(part).__module__.startswith("ibgn.") and hasattr(part, "__dict__"):
        yield from arrays_of(vars(part))


def measure(name: str, model: Any) -> None:
    """Size, and milliseconds to write and read, of one model."""
    arrays = {str(number): array for number, array in enumerate(arrays_of(model))}
    tensors = save(arrays, metadata={"parameters": json.dumps(str(model.get_params()))})
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.ibgn")
        ours = _milliseconds(lambda: model.save(path)), _milliseconds(lambda: ibgn.load(path))
        size = path.stat().st_size
    theirs = _milliseconds(lambda: save(arrays)), _milliseconds(lambda: load(tensors))
    show(
        f"{name}: ibgn {size / 1e3:,.0f} kB, saved in {ours[0]:.1f} ms, loaded "
        f"in {ours[1]:.1f} ms; "
        f"safetensors {len(tensors) / 1e3:,.0f} kB ({len(zlib.compress(tensors)) / 1e3:,.0f} kB "
        f"compressed), {theirs[0]:.1f} ms, {theirs[1]:.1f} ms"
    )


def _milliseconds(act: Callable[[], Any]) -> float:
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        act()
        times.append(time.perf_counter() - begin)
    return 1e3 * min(times)


def main() -> None:
    """Print everything."""
    warnings.simplefilter("ignore")
    read_damaged()
    forge()
    X, y, _ = make_hand_signs(instances_per_style=20, random_state=0)
    for structure in ("full", "learned"):
        model = ibgn.IBGNClassifier(structure=structure, draws=100, budget=1000, random_state=0)
        measure(f"hand signs, {structure}", model.fit(X, y))
    measure("hand signs, DBN", ibgn.DBNClassifier().fit(X, y))


if __name__ == "__main__":
    main()
