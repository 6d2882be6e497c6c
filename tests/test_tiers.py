"""Copies of files with tiers: what is not touched stays, and predictions become a tier."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given

from ibgn import IntervalSequences, read_csv
from ibgn.classifiers import METHODS, save
from ibgn.errors import DataError, DataWarning, OptionError
from ibgn.io import (
    add_predictions,
    add_tier,
    read_elan,
    read_textgrid,
    write,
    write_elan,
    write_textgrid,
)
from tiered import labelled, names, same

SAMPLES = Path(__file__).parent / "samples"
TALK = (SAMPLES / "elan" / "talk.eaf").read_text()
GRID = (SAMPLES / "textgrid" / "short.TextGrid").read_text()


@pytest.fixture
def talk(tmp_path):
    path = tmp_path / "talk.eaf"
    path.write_text(TALK)
    return path


@pytest.fixture
def grid(tmp_path):
    path = tmp_path / "talk.TextGrid"
    path.write_text(GRID)
    return path


def added(path, before=TALK):
    """Lines of a file that another text does not have, and those that it lacks."""
    lines, old = path.read_text().splitlines(), before.splitlines()
    return [line.strip() for line in lines if line not in old], [x for x in old if x not in lines]


def test_elan_to_elan_keeps_all_there_is(ibgn, talk, tmp_path):
    result = ibgn("convert", talk, "copy.eaf")
    assert result.returncode == 0, result.stderr
    new, lost = added(tmp_path / "copy.eaf")
    assert new == ['<PROPERTY NAME="ibgn.instance">"talk.eaf"</PROPERTY>']
    assert lost == []
    assert read_elan(tmp_path / "copy.eaf")[0] == read_elan(talk)[0]


@pytest.mark.filterwarnings("ignore:.*1 point left out")
def test_textgrid_to_textgrid_keeps_all_there_is(ibgn, grid, tmp_path):
    result = ibgn("convert", grid, "copy.TextGrid", "-O", "points=drop")
    assert result.returncode == 0, result.stderr
    again = ibgn("convert", "copy.TextGrid", "again.TextGrid", "-O", "points=drop")
    assert again.returncode == 0, again.stderr
    text = (tmp_path / "copy.TextGrid").read_text()
    assert text == (tmp_path / "again.TextGrid").read_text()
    names = [line.split('"')[1] for line in text.splitlines() if "name =" in line]
    assert names == ["hand", "tones", "hand", "empty", "ibgn"]
    assert text.count('text = ""') == 4  # two gaps side by side among them
    assert 'mark = "H*"' in text
    X, _ = read_textgrid(grid, points="drop")
    assert read_textgrid(tmp_path / "copy.TextGrid", points="drop")[0] == X


def test_what_is_changed_is_changed_where_it_is(talk, tmp_path):
    X, _ = read_elan(talk)
    rows = [("sit", *row[1:]) if row[0] == "go" else row for row in X.to_lists()[0]]
    changed = IntervalSequences.from_lists([rows], ids=X.ids)
    order = np.lexsort((changed.action, changed.end, changed.start))
    changed = changed.from_flat(changed.flat._replace(track=X.track[order]), changed.actions, X.ids)
    write_elan(changed, tmp_path / "copy.eaf", into=talk)
    new, lost = added(tmp_path / "copy.eaf")
    assert new[1:] == ["<ANNOTATION_VALUE>sit</ANNOTATION_VALUE>"]
    assert [line.strip() for line in lost] == ["<ANNOTATION_VALUE>go</ANNOTATION_VALUE>"]
    assert read_elan(tmp_path / "copy.eaf")[0] == changed


@pytest.mark.filterwarnings("ignore:.*1 point left out")
@pytest.mark.parametrize("least", [0.7, 1.2])
def test_what_is_moved_is_read_as_it_was_written(talk, grid, tmp_path, least):
    for source, read, write_file in (
        (talk, read_elan, write_elan),
        (grid, lambda *a, **k: read_textgrid(*a, points="drop", **k), write_textgrid),
    ):
        X, _ = read(source, min_duration=least)
        copy = tmp_path / f"copy{source.suffix}"
        write_file(X, copy, ["chat"], into=source)
        again, y = read(copy)
        assert again == X
        assert y.tolist() == ["chat"]
        copy.unlink()


def test_chosen_tiers_are_changed_and_others_stay(talk, tmp_path):
    X, _ = read_elan(talk, tracks=["speech"], min_duration=1.2)
    write(X, tmp_path / "copy.eaf", into=talk)
    again, _ = read_elan(tmp_path / "copy.eaf")
    assert sorted(set(again.track)) == ["gloss", "speech", "words"]
    spans = {row[0]: row[1:] for row in again.to_lists()[0]}
    assert spans["you & I"] == (0, 1.2)  # moved within its tier
    assert spans["go"] == spans["GO"] == (1.5, 2.7)  # what refers to it moves with it
    assert spans["I"] == (0.5, 1.0)


def test_parts_of_a_file_become_files_without_the_rest(talk, tmp_path):
    X, y = read_elan(talk, activity="track:speech", tracks=["words", "gloss"])
    write_elan(X, tmp_path / "parts", y, into=talk)
    assert sorted(p.name for p in (tmp_path / "parts").iterdir()) == ["talk_1.eaf", "talk_2.eaf"]
    again, labels = read_elan(tmp_path / "parts")
    assert same(X, y, again, labels)
    assert 'CV_ID="cv"' in (tmp_path / "parts" / "talk_1.eaf").read_text()


def test_a_folder_keeps_its_names(ibgn, talk, tmp_path):
    (tmp_path / "in" / "tea").mkdir(parents=True)
    talk.rename(tmp_path / "in" / "tea" / "one.eaf")
    result = ibgn("convert", "in", "out", "--to", "elan", "-O", "activity=folder")
    assert result.returncode == 0, result.stderr
    X, y = read_elan(tmp_path / "out")
    assert (list(X.ids), list(y)) == (["tea/one.eaf"], ["tea"])
    assert (tmp_path / "out" / "tea" / "one.eaf").exists()


@given(labelled(names("\0\r"), most=1))
def test_whatever_was_written_can_be_written_into(tmp_path_factory, drawn):
    X, y = drawn
    folder = tmp_path_factory.mktemp("copies")
    for suffix, read, write_file in (
        (".TextGrid", read_textgrid, write_textgrid),
        (".eaf", read_elan, write_elan),
    ):
        try:
            write_file(X, folder / f"a{suffix}", y)
        except DataError:  # characters that XML does not have
            continue
        again, labels = read(folder / f"a{suffix}")
        write_file(again, folder / f"b{suffix}", labels, into=folder / f"a{suffix}")
        assert same(X, y, *read(folder / f"b{suffix}"))


def test_the_tier_is_a_column_that_is_read_back(ibgn, talk, tmp_path):
    for suffix in ("csv", "jsonl", "parquet"):
        assert ibgn("convert", talk, f"out.{suffix}").returncode == 0
        assert ibgn("convert", f"out.{suffix}", f"back-{suffix}.eaf").returncode == 0
        X, _ = read_elan(tmp_path / f"back-{suffix}.eaf")
        assert read_elan(talk)[0] == X
        tiers = ["words", "speech", "words", "gloss", "speech"]
        assert list(X.track) == tiers
    X, _ = read_csv(tmp_path / "out.csv")
    assert list(X.track) == tiers
    assert X.to_frame()["track"].tolist() == tiers
    assert list(X[0].track) == tiers
    assert list(IntervalSequences.concatenate([X, X]).track) == tiers * 2


def test_a_tier_is_added_and_nothing_else_changes(talk, tmp_path):
    add_tier(talk, tmp_path / "copy.eaf", "predicted", [("tea", 0, 1), ("milk", 1, 2.5)])
    new, lost = added(tmp_path / "copy.eaf")
    assert lost == ['        <PROPERTY NAME="lastUsedAnnotationId">7</PROPERTY>']
    kinds = {line.split()[0].strip("</>").partition(">")[0] for line in new}
    assert kinds == {
        "PROPERTY",
        "TIME_SLOT",
        "TIER",
        "ALIGNABLE_ANNOTATION",
        "ANNOTATION_VALUE",
        "LINGUISTIC_TYPE",
    }
    root = ElementTree.parse(tmp_path / "copy.eaf").getroot()  # noqa: S314
    assert list(dict.fromkeys(element.tag for element in root)) == [
        "HEADER",
        "TIME_ORDER",
        "TIER",
        "LINGUISTIC_TYPE",
        "CONSTRAINT",
        "CONTROLLED_VOCABULARY",
    ]
    times = [int(slot.get("TIME_VALUE")) for slot in root.iter("TIME_SLOT") if len(slot.keys()) > 1]
    assert times == sorted(times)
    ids = [each.get("ANNOTATION_ID") for each in root.iter("ALIGNABLE_ANNOTATION")]
    assert len(set(ids)) == len(ids) == 6
    X, _ = read_elan(tmp_path / "copy.eaf", tracks=["predicted"])
    assert X.to_lists() == [[("tea", 0, 1), ("milk", 1, 2.5)]]


def test_a_tier_that_is_there_is_replaced_only_if_told(talk, grid, tmp_path):
    for source, tier in ((talk, "empty"), (grid, "hand")):
        copy = tmp_path / f"copy{source.suffix}"
        with pytest.raises(OptionError, match=f"tier='{tier}' is a tier of .* already; .*replace="):
            add_tier(source, copy, tier, [("tea", 0, 1)])
        assert not copy.exists()
        add_tier(source, copy, tier, [("tea", 0, 1), ("milk", 0.5, 3)], replace=True)
        text = copy.read_text()
        assert (text.count("tea"), text.count("milk"), text.count(f"{tier} (2)")) == (1, 1, 1)
    with pytest.raises(DataError, match="tier 'words' depends on tier 'speech'"):
        add_tier(talk, tmp_path / "x.eaf", "speech", [], replace=True)


@pytest.mark.parametrize(
    ("target", "message"),
    [("talk.eaf", "is the file that is copied"), ("x.csv", "let it end in .eaf")],
)
def test_copies_that_cannot_be(talk, tmp_path, target, message):
    with pytest.raises(DataError, match=message):
        add_tier(talk, tmp_path / target, "new", [])
    assert talk.read_text() == TALK
    (tmp_path / "a.csv").write_text("instance,action,start,end\ns,a,0,1\n")
    with pytest.raises(DataError, match="'csv', which has no tiers to write into"):
        add_tier(tmp_path / "a.csv", tmp_path / "b.csv", "new", [])
    with pytest.raises(DataError, match="instance 'other' is not one of"):
        write_elan(
            IntervalSequences.from_lists([[("a", 0, 1)]], ids=["other"]),
            tmp_path / "y.eaf",
            into=talk,
        )
    with pytest.raises(DataError, match="ELAN cannot hold an annotation from -1 to 1 seconds"):
        add_tier(talk, tmp_path / "z.eaf", "new", [("a", -1, 1)])


def test_predictions_last_as_long_as_what_they_are_about(talk, tmp_path):
    X, _ = read_elan(talk)
    assert add_predictions(talk, tmp_path / "a.eaf", X, ["chat"]) == 1
    assert read_elan(tmp_path / "a.eaf", tracks=["predicted"])[0].to_lists() == [[("chat", 0, 2.5)]]
    X, _ = read_elan(talk, activity="track:speech", tracks=["gloss"], crossing="keep")
    assert X.lengths.tolist() == [0, 1]
    add_predictions(talk, tmp_path / "b.eaf", X, ["a", "b"], activity="track:speech")
    assert read_elan(tmp_path / "b.eaf", tracks=["predicted"])[0].to_lists() == [
        [("a", 0, 1), ("b", 1.5, 2.5)]
    ]


def test_predictions_of_other_recordings_are_refused(talk, tmp_path):
    X = IntervalSequences.from_lists([[("a", 0, 2)], [("a", 1, 3)]], ids=["s", "t"])
    with pytest.raises(DataError, match=r"instances overlap at 1 .*read the instances from there"):
        add_predictions(talk, tmp_path / "copy.eaf", X, ["tea", "milk"])
    (tmp_path / "in").mkdir()
    talk.rename(tmp_path / "in" / "talk.eaf")
    with pytest.raises(DataError, match="there is no file of instance 's' in .*'talk.eaf'"):
        add_predictions(tmp_path / "in", tmp_path / "out", X, ["tea", "milk"])
    empty = IntervalSequences.from_lists([[]], ids=["talk.eaf"])
    with pytest.warns(DataWarning, match="1 instance without intervals"):
        assert add_predictions(tmp_path / "in", tmp_path / "out", empty, ["tea"]) == 0


@pytest.fixture
def model(tmp_path):
    X = IntervalSequences.from_lists([[("go", 0, 1)], [("reach", 0, 1)]] * 4)
    save(METHODS["dbn"]().fit(X, ["talk", "take"] * 4), tmp_path / "m.ibgn")


@pytest.mark.parametrize("new", ["talk.eaf", "talks"])
def test_predictions_last_as_long_as_the_training_data_say(ibgn, talk, tmp_path, new):
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks" / "talk.eaf").write_text(TALK)
    read = ["-O", "activity=track:speech", "-O", "crossing=keep"]
    assert ibgn("fit", talk, "-o", "talk.ibgn", "-m", "dbn", *read).returncode == 0
    copy = f"new-{new}"
    result = ibgn("predict", "talk.ibgn", new, "--into", new, "-o", copy)
    assert result.returncode == 0, result.stderr
    X, _ = read_elan(tmp_path / copy, tracks=["predicted"])
    assert [row[1:] for row in X.to_lists()[0]] == [(0, 1), (1.5, 2.5)]
    (tmp_path / "other.eaf").write_text(TALK.replace('"speech"', '"voice"'))
    whole = ibgn("predict", "talk.ibgn", "other.eaf").stderr
    assert "read with -O activity=track:speech, these without -O activity=; cut rec" in whole


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("model")
def test_predict_into_a_copy(ibgn, talk, grid, tmp_path):
    for source, options in ((talk, []), (grid, ["-O", "points=drop"])):
        copy = f"copy{source.suffix}"
        arguments = ["predict", "m.ibgn", source.name, "--into", source.name, *options]
        result = ibgn(*arguments, "-o", copy)
        assert result.returncode == 0, result.stderr
        assert f"wrote 1 prediction to tier 'predicted' of {copy}" in result.stderr
        assert result.stdout == ""
        again = ibgn("predict", "m.ibgn", source.name, "--into", copy, *options, "-o", f"2{copy}")
        assert again.returncode == 2
        assert "--tier predicted is a tier of" in again.stderr
        assert "replace it with --replace-tier" in again.stderr
        both = ibgn(*arguments, "-o", f"3{copy}", "--tier", "model 2", "--json")
        assert '"predicted":' in both.stdout
        assert "model 2" in (tmp_path / f"3{copy}").read_text()
        over = ibgn(*arguments, "-o", source.name, "--force")
        assert "is also an input" in over.stderr
    missing = ibgn("predict", "m.ibgn", "talk.eaf", "--into", "talk.eaf")
    assert missing.returncode == 2
    assert "--output must name the copy of --into talk.eaf" in missing.stderr
