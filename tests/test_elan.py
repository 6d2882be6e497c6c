"""ELAN files: what ELAN and other programs write is read right, and what is written comes back."""

import gzip
import re
import time
import warnings
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from ibgn import DataError, DataWarning, IntervalSequences, read_table
from ibgn.errors import Option, OptionError
from ibgn.io import read_elan, write_elan
from ibgn.io.registry import load
from ibgn.io.survey import survey
from tiered import labelled, names, same

SLOW_FOLDERS = settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NOT_IN_XML = "".join(map(chr, range(32))).replace("\t", "").replace("\n", "").replace("\r", "")


def eaf(tiers, slots="", header=""):
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="me" DATE="2024-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0">
<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds">{header}</HEADER>
<TIME_ORDER>{slots}</TIME_ORDER>{tiers}
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="default-lt" TIME_ALIGNABLE="true"/>
</ANNOTATION_DOCUMENT>""".encode()


def slots(**times):
    return "".join(
        f'<TIME_SLOT TIME_SLOT_ID="{name}"' + ("/>" if at is None else f' TIME_VALUE="{at}"/>')
        for name, at in times.items()
    )


def tier(name, *annotations, parent=None, kind="lt"):
    parent = f' PARENT_REF="{parent}"' if parent else ""
    return (
        f'<TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="{kind}"{parent}>{"".join(annotations)}</TIER>'
    )


def aligned(id, first, last, value):
    return (
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="{id}" TIME_SLOT_REF1="{first}" '
        f'TIME_SLOT_REF2="{last}"><ANNOTATION_VALUE>{value}</ANNOTATION_VALUE>'
        "</ALIGNABLE_ANNOTATION></ANNOTATION>"
    )


def refers(id, parent, value, previous=None):
    after = f' PREVIOUS_ANNOTATION="{previous}"' if previous else ""
    return (
        f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="{id}" ANNOTATION_REF="{parent}"{after}>'
        f"<ANNOTATION_VALUE>{value}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>"
    )


TALK = eaf(
    tier("hands", aligned("a1", "ts1", "ts2", "reach"), aligned("a2", "ts3", "ts4", "grasp"))
    + tier("gloss", refers("a3", "a1", "TO-REACH"), parent="hands")
    + tier("note", refers("a4", "a3", "slow"), parent="gloss"),
    slots(ts1=0, ts2=1200, ts3=1500, ts4=2250),
)
DIVIDED = eaf(
    tier("phrase", aligned("a1", "ts1", "ts5", "tea"))
    + tier(
        "word",
        aligned("a2", "ts1", "ts2", "boil"),
        aligned("a3", "ts2", "ts4", "pour"),
        aligned("a4", "ts4", "ts5", "stir"),
        parent="phrase",
    ),
    # ts3 is of no matter to the words, though it stands between theirs
    slots(ts1=0, ts2=None, ts3=100, ts4=None, ts5=900),
)
WRITTEN = IntervalSequences.from_lists(
    [[("nod", -0.25, 1 / 3), ("nod", 0, 2), ("wave & <go>", 0.0001, 0.0002)]],
    ids=["monday"],
    groups=["ann"],
)


def written(X=WRITTEN, y=("tea",)):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.eaf"
        write_elan(X, path, y)
        return path.read_bytes()


SAMPLES = {"talk.eaf": TALK, "divided.eaf": DIVIDED, "written.eaf": written()}
READERS = {"talk.eaf": read_elan, "divided.eaf": read_elan, "written.eaf": read_elan}


@pytest.fixture
def file(tmp_path):
    def make(content, name="talk.eaf"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return path

    return make


def rows(path, **options):
    return read_elan(path, **options)[0].to_lists()[0]


def test_times_are_milliseconds_and_references_take_those_of_their_parents(file):
    X, y = read_elan(file(TALK))
    assert list(X.ids) == ["talk.eaf"]
    assert y is None
    assert X.to_lists()[0] == [
        ("TO-REACH", 0, 1.2),
        ("reach", 0, 1.2),
        ("slow", 0, 1.2),
        ("grasp", 1.5, 2.25),
    ]


def test_tiers_are_tracks(file):
    assert rows(file(TALK), tracks=["hands"]) == [("reach", 0, 1.2), ("grasp", 1.5, 2.25)]
    assert rows(file(TALK), tracks=["gloss"], action="track") == [("gloss", 0, 1.2)]
    with pytest.raises(DataError, match="no track 'feet'.*'gloss', 'hands', 'note'"):
        read_elan(file(TALK), tracks=["feet"])


def test_a_tier_of_activities_makes_instances(file):
    X, y = read_elan(file(DIVIDED), activity="track:phrase")
    assert y.tolist() == ["tea"]
    assert [name for name, *_ in X.to_lists()[0]] == ["boil", "pour", "stir"]


def test_slots_without_a_time_divide_their_tier_evenly(file):
    assert rows(file(DIVIDED), tracks=["word"]) == [
        ("boil", 0, 0.3),
        ("pour", 0.3, 0.6),
        ("stir", 0.6, 0.9),
    ]


SHARED = eaf(
    tier("phrase", aligned("a1", "ts1", "ts2", "tea"), aligned("a2", "ts2", "ts3", "soup"))
    + tier(
        "word",
        refers("a5", "a1", "pour", previous="a4"),  # not in the order of the file
        refers("a4", "a1", "boil", previous="a3"),
        refers("a3", "a1", "fill"),
        refers("a6", "a2", "stir"),
        parent="phrase",
        kind="parts",
    )
    + tier("letter", refers("a7", "a4", "b"), refers("a8", "a4", "o"), parent="word", kind="parts")
    + tier("gloss", refers("a9", "a8", "OIL"), refers("a10", "a1", "TEA"), parent="letter")
    + '<LINGUISTIC_TYPE CONSTRAINTS="Symbolic_Subdivision" LINGUISTIC_TYPE_ID="parts"/>',
    slots(ts1=100, ts2=1000, ts3=2000),
)


def test_symbolic_subdivisions_share_the_time_of_their_parent_in_equal_parts(file):
    path = file(SHARED)
    words = rows(path, tracks=["word"])
    assert [(name, round(a, 9), round(b, 9)) for name, a, b in words] == [
        ("fill", 0.1, 0.4),
        ("boil", 0.4, 0.7),
        ("pour", 0.7, 1.0),
        ("stir", 1.0, 2.0),
    ]
    assert all(one[2] == two[1] for one, two in pairwise(words))  # to the last bit
    letters = rows(path, tracks=["letter"])
    assert letters[0][1:] == (words[1][1], pytest.approx(0.55))
    assert letters[1][1:] == (letters[0][2], words[1][2])
    # an association is as long as its parent, whatever part that is
    assert rows(path, tracks=["gloss"]) == [("TEA", 0.1, 1.0), ("OIL", *letters[1][1:])]


def test_parts_whose_order_is_damaged_are_in_the_order_of_the_file(file):
    for previous in ("a5", "a3", "none"):  # a circle, two after one, and one that is not there
        broken = SHARED.replace(
            b'PREVIOUS_ANNOTATION="a3"', f'PREVIOUS_ANNOTATION="{previous}"'.encode()
        )
        assert [name for name, *_ in rows(file(broken), tracks=["word"])][:2] == (
            ["fill", "boil"] if previous == "a3" else ["pour", "boil"]
        )


def test_a_part_that_is_deleted_takes_those_that_would_be_longer_without_it(file, tmp_path):
    X, _ = read_elan(file(SHARED))
    frame = X.to_frame()
    Z, _ = read_table(frame[~frame["action"].isin(["fill", "OIL"])])
    write_elan(Z, tmp_path / "copy.eaf", into=tmp_path / "talk.eaf")
    assert read_elan(tmp_path / "copy.eaf")[0].to_lists() == Z.to_lists()


def test_a_template_is_called_one(file, ibgn):
    empty = eaf(tier("hands") + tier("feet"))
    path = file(empty, "plan.etf")
    with pytest.raises(DataError, match=r"a template of ELAN: 2 tiers and no annotations; name"):
        read_elan(path)
    result = ibgn("inspect", path)
    assert result.returncode == 1
    assert "template" in result.stderr
    assert "hands" in result.stderr  # its tiers are listed
    assert rows(file(TALK, "talk.etf")) == rows(file(TALK))
    assert len(read_elan(file(empty, "empty.eaf"))[0]) == 1  # nothing was annotated, as it may be


def test_inspect_lists_all_tiers_and_of_what_kind_they_are(file):
    given = SHARED.replace(b'TIER_ID="phrase"', b'TIER_ID="phrase" ANNOTATOR="Ann" PARTICIPANT="K"')
    given = given.replace(b"<LINGUISTIC", tier("later").encode() + b"<LINGUISTIC", 1)
    found = {entry.name: entry for entry in survey(file(given)).entries}
    assert list(found) == ["phrase", "word", "letter", "gloss", "later"]
    assert {entry.kind for entry in found.values()} == {"tier"}
    assert [entry.number for entry in found.values()] == [2, 4, 2, 2, 0]
    assert found["phrase"].about == "type lt; participant K; annotator Ann"
    assert found["word"].about == "type parts; child of phrase (divides it in equal parts)"
    assert found["later"].about == "empty; type lt"
    assert found["later"].chosen_by is None
    assert found["word"].chosen_by == Option("tracks", ["word"])


def test_parents_are_divided_before_their_children(file):
    words = [aligned("a2", "ts1", "ts2", "w1"), aligned("a3", "ts2", "ts5", "w2")]
    parts = [aligned(f"a{n}", f"ts{a}", f"ts{b}", f"p{n}") for n, a, b in
             ((4, 1, 6), (5, 6, 2), (6, 2, 7), (7, 7, 8), (8, 8, 5))]  # fmt: skip
    # the tier of parts comes first in the file, as ELAN allows
    content = eaf(
        tier("part", *parts, parent="word") + tier("word", *words, parent="phrase")
        + tier("phrase", aligned("a1", "ts1", "ts5", "x")),
        slots(ts1=0, ts6=None, ts2=None, ts7=None, ts8=None, ts5=1200),
    )  # fmt: skip
    assert [row[1:] for row in rows(file(content), tracks=["part"])] == [
        (0, 0.3), (0.3, 0.6), (0.6, 0.8), (0.8, 1.0), (1.0, 1.2)
    ]  # fmt: skip


def test_slots_that_share_no_chain_lie_between_their_neighbours(file):
    content = eaf(tier("t", aligned("a1", "ts2", "ts3", "x")),
                  slots(ts1=0, ts2=None, ts3=None, ts4=300))  # fmt: skip
    assert rows(file(content)) == [("x", 0.1, 0.2)]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (eaf(tier("t", aligned("a7", "ts1", "ts2", "x")), slots(ts1=0, ts2=None)),
         "tier 't', annotation a7: time slot ts2 has no time.*give it one"),
        (eaf(tier("t", aligned("a7", "ts1", "ts9", "x")), slots(ts1=0)),
         "tier 't', annotation a7: there is no time slot ts9"),
        (eaf(tier("t", aligned("a7", "ts1", "ts2", "x")), slots(ts1=9, ts2=3)),
         "tier 't', annotation a7 .*ends before it starts.*swap them.*start=0.009, end=0.003"),
        (eaf(tier("t", aligned("a1", "ts1", "ts2", "x"), refers("a1", "a1", "y")),
             slots(ts1=0, ts2=9)), "tier 't', annotation a1: there is one of this id already"),
        (eaf(tier("t", refers("a1", "a2", "x"), refers("a2", "a1", "y"))),
         "tier 't', annotation a1 refers to itself"),
        (eaf(tier("t", refers("a1", "a2", "x"))), "annotation a1 refers to a2, which is not"),
        (eaf(tier("t") + tier("t")), "two tiers are called 't'"),
        (eaf(tier("s", parent="t") + tier("t", parent="s")), "tier 's' is its own ancestor"),
        (eaf("", '<TIME_SLOT TIME_SLOT_ID="ts1"/>' * 2), "slot ts1 appears twice"),
        (eaf("", slots(ts1="-5")), "slot ts1 is at '-5'; it must be in milliseconds"),
        (eaf("", slots(ts1="1,5")), "slot ts1 is at '1,5'"),
        (eaf("", slots(ts1="9" * 5000)), "slot ts1 is at '9999"),
        (eaf("", "<TIME_SLOT/>"), "has no TIME_SLOT_ID"),
        (eaf("<TIER/>"), "has no TIER_ID"),
        (eaf(tier("t", "<ANNOTATION/>")), "tier 't': an <ANNOTATION> holds nothing"),
        (eaf(tier("t", "<ANNOTATION><REF_ANNOTATION/></ANNOTATION>")), "no ANNOTATION_ID"),
        (TALK.replace(b'TIME_UNITS="milliseconds"', b'TIME_UNITS="PAL-frames"'),
         "times are in 'PAL-frames', not in milliseconds"),
        (b"<htm/>", "begins with <htm>.*is it an ELAN file"),
        (b"<html/>", "the file is a web page"),
        (b"", "the file is empty"),
        (b" ", "not XML"),
        (TALK[:-30], "not XML"),
        (TALK.replace(b"reach", "r\u00e9ach".encode("latin-1")), "not XML"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "document type"),
    ],
)  # fmt: skip
def test_an_error_says_what_is_wrong_and_where(file, content, why):
    with pytest.raises(DataError, match=f"talk.eaf: .*{why}"):
        read_elan(file(content))


def test_annotations_without_a_value_are_counted(file):
    content = TALK.replace(b"grasp", b" ")
    with pytest.warns(DataWarning, match="left out 1 annotation without a value"):
        assert len(rows(file(content), tracks=["hands"])) == 1


def test_annotations_of_zero_length_are_told_to_cleaning(file):
    content = TALK.replace(b'"2250"', b'"1500"')
    with pytest.raises(DataError, match="tier 'hands', annotation a2.*zero length"):
        read_elan(file(content))
    assert ("grasp", 1.5, 1.6) in rows(file(content), min_duration=0.1)


def test_unknown_options_are_refused(file):
    with pytest.raises(
        OptionError, match="tier=.* is not an option of the format elan; there are tracks=, "
    ):
        read_elan(file(TALK), tier="hands")


def test_a_folder_is_read_by_the_names_of_its_files(file):
    file(TALK, "takes/b.eaf")
    file(gzip.compress(DIVIDED), "takes/a.eaf.gz")
    X, y = read_elan(file(TALK, "takes/c.EAF").parent, activity="([a-z])[.]")
    assert list(X.ids) == ["a.eaf.gz", "b.eaf", "c.EAF"]
    assert y.tolist() == ["a", "b", "c"]


def test_two_files_of_one_instance_are_refused(file):
    file(written(), "takes/a.eaf")
    folder = file(written(), "takes/copy of a.eaf").parent
    with pytest.raises(DataError, match="'a.eaf' and 'copy of a.eaf' both are.*'monday'"):
        read_elan(folder)


def test_long_chains_of_references_take_no_time(file):
    many = 20_000
    notes = [refers(f"a{n}", f"a{n + 1}", "x") for n in range(1, many)]
    nested = [tier(f"t{n}", parent=f"t{n + 1}") for n in range(many)]
    content = eaf(
        "".join(nested) + tier("t", *notes, aligned(f"a{many}", "ts1", "ts2", "x")),
        slots(ts1=0, ts2=1),
    )
    begin = time.monotonic()
    assert len(rows(file(content))) == many
    assert time.monotonic() - begin < 20


def test_what_is_written_comes_back(tmp_path):
    path = tmp_path / "x.eaf"
    write_elan(WRITTEN, path, ["tea"])
    X, y = read_elan(path)
    assert X == WRITTEN
    assert y.tolist() == ["tea"]


@SLOW_FOLDERS
@given(labelled(names(NOT_IN_XML + "\ufffe\uffff")))
def test_everything_comes_back(tmp_path_factory, drawn):
    X, y = drawn
    path = tmp_path_factory.mktemp("written") / "x"
    write_elan(X, path, y)
    assert same(X, y, *read_elan(path))


@SLOW_FOLDERS
@given(labelled(names(NOT_IN_XML + "\ufffe\uffff"), most=1))
def test_files_are_as_elan_wants_them(tmp_path_factory, drawn):
    X, y = drawn
    path = tmp_path_factory.mktemp("written") / "x.eaf"
    write_elan(X, path, y)
    root = ET.parse(path).getroot()  # noqa: S314
    order = ["HEADER", "TIME_ORDER", *["TIER"] * len(root.findall("TIER")), "LINGUISTIC_TYPE"]
    assert [element.tag for element in root] == order
    ids = [e.get("TIME_SLOT_ID") or e.get("ANNOTATION_ID") for e in root.iter()]
    ids = [id for id in ids if id]
    assert len(set(ids)) == len(ids)
    names_of_tiers = [e.get("TIER_ID") for e in root.iter("TIER")]
    assert len(set(names_of_tiers)) == len(names_of_tiers)
    at = {e.get("TIME_SLOT_ID"): int(e.get("TIME_VALUE")) for e in root.iter("TIME_SLOT")}
    assert list(at.values()) == sorted(at.values())
    assert all(0 <= value < 2**32 for value in at.values())
    for element in root.iter("TIER"):
        times = [at[e.get(f"TIME_SLOT_REF{n}")] for e in element.iter("ALIGNABLE_ANNOTATION")
                 for n in (1, 2)]  # fmt: skip
        assert times == sorted(times)
        assert all(first < last for first, last in zip(times[::2], times[1::2], strict=True))


def test_lines_within_a_name_end_as_they_did(tmp_path):
    X = IntervalSequences.from_lists([[("a\rb\nc\r\nd\te", 0, 1)]], ids=["\r\n."])
    write_elan(X, tmp_path / "x.eaf")
    assert read_elan(tmp_path / "x.eaf")[0] == X


def test_an_action_that_overlaps_itself_has_tiers_of_names_that_no_other_has(tmp_path):
    rows = [("nod", 0, 4), ("nod", 1, 2), ("nod", 2, 5), ("nod", 4, 6), ("nod (2)", 0, 1)]
    write_elan(IntervalSequences.from_lists([rows]), tmp_path / "x.eaf")
    root = ET.parse(tmp_path / "x.eaf").getroot()  # noqa: S314
    found = {
        tier.get("TIER_ID"): [value.text for value in tier.iter("ANNOTATION_VALUE")]
        for tier in root.iter("TIER")
    }
    assert found == {"nod": ["nod"] * 2, "nod (3)": ["nod"] * 2, "nod (2)": ["nod (2)"]}


def test_the_same_data_are_the_same_file_of_no_day():
    assert written() == written()
    assert b'DATE="1970-01-01T00:00:00+00:00"' in written()


def test_moved_annotations_have_the_time_they_were_moved_to(tmp_path):
    path = tmp_path / "x.eaf"
    X = IntervalSequences.from_lists([[("nod", 0.1234567, 0.7654321)]])
    write_elan(X, path)
    text = path.read_text()
    assert 'TIME_VALUE="765"' in text
    path.write_text(text.replace('TIME_VALUE="765"', 'TIME_VALUE="800"'))
    assert rows(path) == [("nod", 0.1234567, 0.8)]
    path.write_text(text.replace('TIME_VALUE="123"', 'TIME_VALUE="124"'))
    assert rows(path) == [("nod", 0.124, 0.7654321)]


def test_slots_may_be_numbered_anew_as_elan_does(tmp_path):
    path = tmp_path / "x.eaf"
    write_elan(WRITTEN, path, ["tea"])
    path.write_text(re.sub(r'"ts(\d+)"', lambda m: f'"ts{int(m[1]) + 7}"', path.read_text()))
    assert read_elan(path)[0] == WRITTEN


def test_an_annotation_added_to_shifted_times_is_shifted_too(tmp_path):
    path = tmp_path / "x.eaf"
    write_elan(IntervalSequences.from_lists([[("nod", -2.5, 1)]]), path)
    text = path.read_text().replace(
        "</TIER>", '</TIER><TIER TIER_ID="new" LINGUISTIC_TYPE_REF="default-lt">'
        + aligned("a9", "ts1", "ts2", "new") + "</TIER>")  # fmt: skip
    path.write_text(text)
    assert rows(path) == [("new", -2.5, 1), ("nod", -2.5, 1)]


def test_one_instance_without_intervals_comes_back(tmp_path):
    X = IntervalSequences.from_lists([[]], ids=["none"])
    write_elan(X, tmp_path / "x.eaf")
    assert read_elan(tmp_path / "x.eaf")[0] == X


@pytest.mark.parametrize("bad", ["\x00", "\x1b", "\ufffe", "\ud800"])
@pytest.mark.parametrize("where", ["action", "id", "label", "group"])
def test_what_xml_cannot_hold_is_refused_before_anything_is_written(tmp_path, bad, where):
    given = {"action": "nod", "id": "a", "label": "tea", "group": "ann"}
    given[where] += f"{bad}b"
    rows = [[("wave", 0, 1)], [(given["action"], 0, 1)]]
    named = {"ids": ["first", given["id"]], "groups": ["ann", given["group"]]}
    if bad == "\ud800" and where in ("action", "id"):  # which no format can hold
        with pytest.raises(DataError, match="half a character"):
            IntervalSequences.from_lists(rows, **named)
        return
    X = IntervalSequences.from_lists(rows, **named)
    with pytest.raises(DataError, match="replace it"):
        write_elan(X, tmp_path / "new", ["tea", given["label"]])
    assert list(tmp_path.iterdir()) == []


def test_what_lasts_too_long_is_refused_and_late_times_are_shifted(tmp_path):
    late = IntervalSequences.from_lists([[("nod", 2.0**52, 2.0**52 + 4)]])
    write_elan(late, tmp_path / "x.eaf")
    assert rows(tmp_path / "x.eaf") == late.to_lists()[0]
    long = IntervalSequences.from_lists([[("nod", 0, 1), ("nod", 5e6, 6e6)]])
    with pytest.raises(DataError, match="longer than 49 days.*another format"):
        write_elan(long, tmp_path / "y.eaf")


@pytest.mark.parametrize(
    "said",
    ["ibgn.label", "ibgn.times", "ibgn.offset", "ibgn.instance", "ibgn.group"],
)
@pytest.mark.parametrize(
    "what", ["", "[", "[" * 100_000, "[1]", '{"a1": 1}', '{"a1": ["0", 1]}', "NaN", "9" * 5000,
             "1e999", "null", '{"a1": [1, Infinity]}'],
)  # fmt: skip
def test_damaged_properties_are_refused(file, said, what):
    header = f'<PROPERTY NAME="{said}">{what}</PROPERTY>'
    with pytest.raises(DataError, match="talk.eaf: .*(property ibgn|header)"):
        read_elan(file(TALK.replace(b"</HEADER>", header.encode() + b"</HEADER>")))


def test_pympi_reads_what_is_written(tmp_path):
    elan = pytest.importorskip("pympi.Elan")
    path = tmp_path / "x.eaf"
    write_elan(
        IntervalSequences.from_lists([[("nod", 0, 2), ("nod", 1, 3), ('a "b" <c>', 0.5, 1.25)]]),
        path,
    )
    found = elan.Eaf(path)
    assert set(found.get_tier_names()) == {"nod", "nod (2)", 'a "b" <c>'}
    assert found.get_annotation_data_for_tier("nod") == [(0, 2000, "nod")]
    assert found.get_annotation_data_for_tier("nod (2)") == [(1000, 3000, "nod")]
    assert found.get_annotation_data_for_tier('a "b" <c>') == [(500, 1250, 'a "b" <c>')]


def test_what_pympi_writes_is_read(tmp_path):
    elan = pytest.importorskip("pympi.Elan")
    made = elan.Eaf(author="me")
    made.remove_tier("default")
    made.add_linguistic_type("ref", "Symbolic_Association", False)
    made.add_tier("hands")
    made.add_tier("gloss", ling="ref", parent="hands")
    made.add_annotation("hands", 100, 1234, "réach & <go>")
    made.add_annotation("hands", 2000, 2001, "grasp")
    made.add_ref_annotation("gloss", "hands", 500, "REACH")
    path = tmp_path / "talk.eaf"
    made.to_file(str(path))
    assert rows(path) == [
        ("REACH", 0.1, 1.234),
        ("réach & <go>", 0.1, 1.234),
        ("grasp", 2.0, 2.001),
    ]


def test_files_in_a_folder_are_numbered_and_have_harmless_names(tmp_path):
    ids = [
        "../../evil",
        "con",
        "NUL",
        "a/b",
        "A:b",
        ".hidden",
        "x" * 500,
        "漢" * 300,
        "a\0b",
        "e .",
    ]
    X = IntervalSequences.from_lists([[("nod", 0, 1)]] * len(ids), ids=ids)
    with pytest.raises(DataError, match="replace it"):
        write_elan(X, tmp_path / "takes")
    ids[-2] = "a b"
    X = IntervalSequences.from_lists([[("nod", 0, 1)]] * len(ids), ids=ids)
    write_elan(X, tmp_path / "takes")
    assert [path.name for path in tmp_path.iterdir()] == ["takes"]
    files = sorted(path.name for path in (tmp_path / "takes").iterdir())
    assert len({name.casefold() for name in files}) == len(ids)
    assert all(re.fullmatch(r"\d_[\w-]+\.eaf", name) for name in files)
    assert max(len(name.encode()) for name in files) < 200
    assert read_elan(tmp_path / "takes")[0] == X


def test_the_order_of_many_instances_stays(tmp_path):
    ids = [f"t{n}" for n in range(12)][::-1]
    X = IntervalSequences.from_lists([[("nod", 0, n + 1)] for n in range(12)], ids=ids)
    write_elan(X, tmp_path / "takes")
    write_elan(X, tmp_path / "takes")  # the same files are replaced
    assert read_elan(tmp_path / "takes")[0] == X


def test_a_folder_with_other_files_of_the_format_is_refused(file):
    X = IntervalSequences.from_lists([[("nod", 0, 1)], []], ids=["a", "b"])
    folder = file(TALK, "takes/old.eaf").parent
    with pytest.raises(DataError, match="1 other file of this format, such as 'old.eaf'"):
        write_elan(X, folder)
    assert [path.name for path in folder.iterdir()] == ["old.eaf"]
    (folder / "old.eaf").rename(folder / "old.txt")
    write_elan(X, folder)
    assert read_elan(folder)[0] == X


def test_places_that_cannot_be_written_to_are_refused(tmp_path):
    X = IntervalSequences.from_lists([[("nod", 0, 1)], []])
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="is a file, but 2 instances go into a folder"):
        write_elan(X, tmp_path / "file")
    with pytest.raises(DataError, match="cannot be written to.*check the path"):
        write_elan(X, tmp_path / ("x" * 300))
    with pytest.raises(DataError, match="there is no folder '.*no'; make it first"):
        write_elan(X, tmp_path / "no" / "such")
    with pytest.raises(DataError, match="no instances"):
        write_elan(X[:0], tmp_path / "x")
    with pytest.raises(DataError, match="X must be IntervalSequences"):
        write_elan([[("nod", 0, 1)]], tmp_path / "x")
    with pytest.raises(DataError, match="infinite|finite"):
        write_elan(X, tmp_path / "x", [1.0, np.inf])


def test_one_instance_goes_into_a_folder_that_is_there_and_may_be_compressed(tmp_path):
    write_elan(WRITTEN, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["0_monday.eaf"]
    write_elan(WRITTEN, tmp_path / "x.eaf.gz")
    assert read_elan(tmp_path / "x.eaf.gz")[0] == WRITTEN


def test_loading_tells_nothing_of_cleaning(file):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(load(file(TALK), format="elan").series["action"]) == 4


@pytest.mark.parametrize(
    "options", [{"tracks": 5}, {"tracks": [["hands"]]}, {"tracks": "hands"}, {"activity": ["a"]}]
)
def test_names_of_tiers_are_text(tmp_path, options):
    with pytest.raises(OptionError, match="must be a (list of names|name, as text)"):
        read_elan(tmp_path / "talk.eaf", **options)


def test_more_elements_than_memory_holds_are_refused(file):
    many = file(b"<ANNOTATION_DOCUMENT>" + b"<TIER/>" * 9000 + b"</ANNOTATION_DOCUMENT>")
    with pytest.raises(
        DataError, match=r"and 1 MB are allowed; cut it into parts, or .* allow more"
    ):
        read_elan(many, max_memory="1M")
    with pytest.raises(DataError) as other:  # the control: where there is enough
        read_elan(many)
    assert "allowed" not in str(other.value)


def test_links_to_folders_and_to_nothing_are_counted(file):
    folder = file(TALK).parent
    (folder / "circle").symlink_to(folder)
    (folder / "gone.eaf").symlink_to("nowhere.eaf")
    with pytest.warns(DataWarning, match="skipped 2 links .*'circle'"):
        assert len(read_elan(folder)[0]) == 1


def test_a_link_to_a_file_is_read(file):
    path = file(TALK)
    (path.parent / "twin.eaf").symlink_to(path)
    assert len(read_elan(path.parent)[0]) == 2


def test_a_label_is_seen_in_elan_and_may_be_corrected_there(tmp_path):
    path = tmp_path / "take.eaf"
    X = IntervalSequences.from_lists([[("ibgn activity", 0, 4), ("pour", 3.25, 5)]])
    write_elan(X, path, ["tea"])
    content = path.read_text()
    assert content.count("<ANNOTATION_VALUE>tea</ANNOTATION_VALUE>") == 1
    again, y = read_elan(path)
    assert again.to_lists() == X.to_lists()
    assert y.tolist() == ["tea"]
    path.write_text(content.replace("<ANNOTATION_VALUE>tea<", "<ANNOTATION_VALUE>coffee<"))
    assert read_elan(path)[1].tolist() == ["coffee"]
