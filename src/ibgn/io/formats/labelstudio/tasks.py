"""Tasks of Label Studio, from all the shapes in which it and its users save them."""

import csv
import io
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import PurePath
from typing import Any, NamedTuple

from ibgn._files import InputFile
from ibgn.errors import DataError
from ibgn.io.formats.labelstudio.frames import BOXES, FRAMED
from ibgn.io.parsing.json import Node, parse_text
from ibgn.text import printable

__all__ = ["ANNOTATIONS", "PREDICTIONS", "TIMED", "Task", "is_table", "parse_export", "read_tasks"]

TIMED = ("timeserieslabels", "labels")  # kinds of results with a start and an end
ANNOTATIONS = ("annotations", "completions")  # the second until version 1.0
PREDICTIONS = "predictions"
# fields of JSON-MIN that say something of the annotation, and are neither data nor results
ABOUT = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")


class Task(NamedTuple):
    """A task: where it stands, its data, its annotations, and whether a model made these."""

    node: Node
    data: Mapping[str, Any]
    annotations: list[Node]
    is_predicted: bool = False

    @property
    def own_name(self) -> str | None:
        """Its id, or the name of the file that it is about; None where it has neither."""
        if self.node.first("id") is not None:
            return self.node.child("id").name()
        texts = [value for value in self.data.values() if isinstance(value, str) and value]
        upload = self.node.first("file_upload")
        names = [*([] if upload is None else [upload.name()]), *texts[:1]]
        return PurePath(names[0]).name if names else None


def is_table(names: Collection[str]) -> bool:
    """Whether these are names of the columns of an export as CSV or TSV."""
    return "annotation_id" in names and bool({"lead_time", "annotator"} & {*names})


def parse_export(file: InputFile) -> Node:
    """Document of an export; a row of CSV or TSV is a task of JSON-MIN."""
    text = file.text()
    first = text.lstrip("\ufeff\r\n\t ").partition("\n")[0]
    mark = "\t" if "\t" in first else ","
    if first.startswith(("{", "[")) or not is_table(first.replace('"', "").strip().split(mark)):
        return parse_text(text, file.prefix)
    try:
        rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), delimiter=mark))
    except csv.Error as error:
        raise DataError(
            f"{file.prefix}the table cannot be read: {printable(error)}; export it as JSON"
        ) from error
    return Node([{name: _cell(row[name]) for name in row if name} for row in rows], file.prefix)


def _cell(text: Any) -> Any:
    """Cell of an exported table: lists and objects as JSON, and others as text."""
    if isinstance(text, str) and text.startswith(("[", "{")):
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    return text or None


def read_tasks(root: Node) -> Iterator[Task]:
    """Tasks of an export: a list of them, a single one, or one annotation with its task."""
    for node in root.items() if isinstance(root.value, list) else [root]:
        annotations, predictions = node.first(*ANNOTATIONS), node.first(PREDICTIONS)
        if (
            predictions is not None
            and predictions.value
            and not (annotations and annotations.value)
        ):
            yield Task(node, _data(node), predictions.items(), is_predicted=True)
        elif annotations is not None:
            yield Task(node, _data(node), annotations.items())
        elif node.has("result") or node.has("annotation"):
            # what a cloud storage and other programs get, an annotation at a time
            annotation = node if node.has("result") else node.child("annotation")
            task = node.child("task") if isinstance(node.value.get("task"), dict) else node
            yield Task(task, _data(task), [annotation], node.has("model_version"))
        else:
            yield _short(node)


def _data(task: Node) -> Mapping[str, Any]:
    data = task.first("data")
    return data.value if data is not None and isinstance(data.value, dict) else {}


def _short(task: Node) -> Task:
    """Task of JSON-MIN, which has what was noted with a tag under the name of the tag."""
    fields = dict(task.members()) if isinstance(task.value, dict) else {}
    results = [
        {"type": BOXES if "sequence" in value else kind, "from_name": name, "value": value}
        for name, node in fields.items()
        for value in (node.value if isinstance(node.value, list) else [node.value])
        if isinstance(value, dict)
        for kind in (*TIMED, *FRAMED)
        if kind in value
    ]
    if not results and not fields.keys() & set(ABOUT[1:]):
        raise task.error('there are no "annotations"; export the project of Label Studio as "JSON"')
    tags = {result["from_name"] for result in results}
    data = {name: node.value for name, node in fields.items() if name not in (*ABOUT, *tags)}
    annotation = {"completed_by": task.value.get("annotator"), "result": results}
    return Task(task, data, [Node(annotation, task.prefix, task.parent, task.key)])
