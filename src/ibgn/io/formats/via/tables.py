"""Annotations that VIA 3 exports as CSV, put together as the project they came from."""

import csv
import json
from typing import Any

from ibgn._files import InputFile
from ibgn.errors import DataError
from ibgn.io.parsing.json import VALUES, Node, parse_text
from ibgn.text import printable

__all__ = ["COLUMNS", "OF_IMAGES", "read_table"]

COLUMNS = ["metadata_id", "file_list", "flags", "temporal_coordinates"]
OF_IMAGES = "region_shape_attributes"  # a column of VIA 2
ATTRIBUTES = ("# ATTRIBUTE = ", "# ATTRIBUTES = ")


def read_table(file: InputFile) -> Node:
    """Project that a table of exported annotations is of: its attributes, files and entries."""
    file.expect(VALUES, "its annotations")
    lines = file.lines()
    comments = [line.strip('"') for line in lines if line.lstrip('"').startswith("#")]
    if any(OF_IMAGES in line for line in lines[:20]):
        raise DataError(
            f"{file.prefix}the table is one of VIA 2, of regions in pictures, which have no time"
        )
    attributes = _attributes(comments, file.prefix)
    project: dict[str, Any] = {"attribute": attributes, "file": {}, "view": {}, "metadata": {}}
    views: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if line.strip(' "') and not line.lstrip('"').startswith("#") and COLUMNS[0] not in line:
            name, entry = _entry(line, f"{file.prefix}line {number}: ")
            files = json.dumps(entry.pop("files"))
            entry["vid"] = views.setdefault(files, str(len(views) + 1))
            for key in entry["av"]:
                # a number alone would look like a value
                attributes.setdefault(key, {"aname": f"attribute {key}" if key.isdigit() else key})
            project["metadata"][name if name not in project["metadata"] else f"line {number}"] = (
                entry
            )
    for files, view in views.items():
        names = {f"{view}.{place}": {"fname": name} for place, name in enumerate(json.loads(files))}
        project["file"] |= names
        project["view"][view] = {"fid_list": list(names)}
    return Node(project, file.prefix)


def _attributes(comments: list[str], source: str) -> dict[str, Any]:
    """Attributes as a project has them; older exports only have their names."""
    for line in comments:
        for begin in ATTRIBUTES:
            if line.startswith(begin):
                # spreadsheets add empty columns, and double the quotes
                text = line.removeprefix(begin).rstrip(', "')
                text = text.replace('""', '"') if '{""' in text else text
                found = parse_text(text, f"{source}the attributes: ")
                return {
                    key: node.value if isinstance(node.value, dict) else {"aname": node.name()}
                    for key, node in found.members()
                }
    return {}


def _entry(line: str, where: str) -> tuple[str, dict[str, Any]]:
    """Name of a row, and what it says as an entry of a project."""
    try:
        cells = next(csv.reader([line, ""]))
    except csv.Error as error:
        raise DataError(f"{where}not readable as a row of VIA 3: {printable(error)}") from error
    if len(cells) == len(COLUMNS) + 1:
        cells.insert(2, "")  # some exports have no flags
    if len(cells) < len(COLUMNS) + 2:
        raise DataError(
            f"{where}a row of VIA 3 has six columns, got {len(cells)}: {printable(line)}"
        )
    name, files, _, times, region, values = cells[:6]
    parsed = [parse_text(text or "null", where).value for text in (files, times, region, values)]
    kinds = (list, list, list, dict)
    if not all(isinstance(value, kind) for value, kind in zip(parsed, kinds, strict=True)):
        raise DataError(
            f"{where}the files, times, coordinates and values are not as VIA 3 has them"
        )
    keys = ("files", "z", "xy", "av")
    return name, dict(zip(keys, parsed, strict=True))
