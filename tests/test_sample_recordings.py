"""The small recordings of the package: reproducible, readable, and as they are described."""

import csv
import json
import re
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from xml.etree import ElementTree

import pytest

import ibgn
from ibgn.datasets import SAMPLES, sample_path

ROOT = Path(__file__).parents[1]
READING = {
    "csv": {},
    "elan": {"activity": "track:task", "tracks": ["left hand", "right hand"], "group": "file"},
    "textgrid": {"activity": "track:phase"},
    "boris": {
        "activity": "variable:context",
        "action": "both",
        "points": "drop",
    },
    "casas": {"activity": "track:activity"},
    "xes": {"activity": "attribute:outcome"},
    "labelstudio": {"activity": "choice:task"},
}


def rows(name):
    with sample_path(name).open(newline="") as file:
        return list(csv.DictReader(file))


def eaf_values(tiers):
    trees = [ElementTree.parse(path) for path in sample_path("elan").iterdir()]  # noqa: S314
    return [
        value.text
        for tree in trees
        for tier in tree.iter("TIER")
        if tier.get("TIER_ID") in tiers
        for value in tier.iter("ANNOTATION_VALUE")
    ]


def textgrid_texts(tier):
    parts = re.split(r'name = "(\w+)"', sample_path("textgrid").read_text())
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    return [text for text in re.findall(r'text = "(.*)"', found[tier]) if text]


def attributes(key):
    tree = ElementTree.parse(sample_path("xes"))  # noqa: S314
    return [each.get("value") for each in tree.iter("string") if each.get("key") == key]


def count_plainly(name):
    """Intervals and labels of a sample, by a few lines of Python without a reader of ours."""
    if name == "csv":
        return len(rows("csv")), {row["instance"]: row["label"] for row in rows("csv")}.values()
    if name == "boris":
        states = [row for row in rows("boris") if row["Behavior type"] == "STATE"]
        return len(states), {row["Observation id"]: row["context"] for row in states}.values()
    if name == "elan":
        return len(eaf_values(["left hand", "right hand"])), eaf_values(["task"])
    if name == "textgrid":
        spoken = textgrid_texts("speech") + textgrid_texts("hands")
        return len(spoken), textgrid_texts("phase")
    if name == "casas":
        text = sample_path("casas").read_text()
        return len(re.findall(r" (?:ON|OPEN)\b", text)), re.findall(r" (\w+) begin$", text, re.M)
    if name == "xes":
        return attributes("lifecycle:transition").count("complete"), attributes("outcome")
    regions = [
        region
        for task in json.loads(sample_path("labelstudio").read_text())
        for region in task["annotations"][0]["result"]
    ]
    choices = [r["value"]["choices"][0] for r in regions if r["type"] == "choices"]
    return len(regions) - len(choices), choices


@pytest.mark.filterwarnings("ignore:dogs.csv. 30 point events")
@pytest.mark.parametrize("name", READING)
def test_a_sample_is_read_whole_and_looks_like_no_mistake(name):
    X, y = ibgn.read(sample_path(name), **READING[name])
    intervals, labels = count_plainly(name)
    assert len(X.action) == intervals
    assert Counter(y) == Counter(labels)
    assert ibgn.inspect(X, y).warnings == ()


def test_sensors_are_read_with_their_labels():
    recordings = ibgn.io.read_sensors(sample_path("sensors"), tracks=["action", "activity"])
    assert len(recordings) == 4
    assert all(list(recording.names) == ["x", "y", "z"] for recording in recordings)


def test_every_sample_is_described_and_read_by_a_test():
    described = re.findall(r'^ *"(\w+)" ', sample_path.__doc__, re.M)
    assert sorted(described) == sorted(SAMPLES) == sorted({*READING, "sensors"})
    with pytest.raises(ibgn.DataError, match="name='ELAN' is not a choice; .*'elan'"):
        sample_path("ELAN")


def test_samples_are_small_and_made_by_the_script_of_the_documentation(tmp_path):
    spec = spec_from_file_location("make_samples", ROOT / "docs" / "make_samples.py")
    make_samples = module_from_spec(spec)
    spec.loader.exec_module(make_samples)
    make_samples.write_all(tmp_path)

    def contents(folder):
        files = [p for p in folder.rglob("*") if p.is_file() and "__" not in str(p)]
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    made, packaged = contents(tmp_path), contents(sample_path("csv").parent)
    assert made == packaged
    assert sum(map(len, packaged.values())) < 300_000
