"""Values that would change without a word: refused with the reason, or exact."""

import datetime
import io
import json
import os
import sys
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from inspect import signature

import numpy as np
import pytest

from ibgn import (
    DataError,
    IBGNClassifier,
    IntervalForest,
    IntervalRidge,
    IntervalSequences,
    read,
    read_csv,
    write,
)
from ibgn.classifiers import METHODS, DBNClassifier
from ibgn.cleaning import Cleaning
from ibgn.detection import ActionDetector, SensorRecording
from ibgn.errors import OptionError
from ibgn.features import Convolutions, IntervalFeatures
from ibgn.io.formulas import BEGINNINGS
from ibgn.io.parsing.json import parse_text
from ibgn.terms import TERMS

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::ibgn.DataWarning"),
]

ROWS = [
    [("boil", 0, 4), ("pour", 4, 6)],
    [("grind", 0, 2), ("pour", 1, 5)],
    [("boil", 0, 3), ("pour", 3, 5)],
    [("grind", 0, 3), ("pour", 2, 6), ("stir", 3, 9)],
]
LABELS = ["tea", "coffee", "tea", "coffee"]


# times


@pytest.mark.parametrize("duration", [1e19, 2.0**53, 1e300])
def test_no_duration_leads_beyond_what_floats_count(duration, tmp_path, ibgn):
    with pytest.raises(OptionError, match=r"min_duration=.* must be 0 or more, and below 2\^53"):
        IntervalSequences.from_lists(ROWS, min_duration=duration)
    write(IntervalSequences.from_lists(ROWS), tmp_path / "in.csv", LABELS)
    result = ibgn("convert", "in.csv", "out.csv", "--min-duration", duration)
    assert result.returncode
    assert "--min-duration" in result.stderr
    assert not (tmp_path / "out.csv").exists()


def test_durations_that_move_an_end_too_far_are_refused():
    late = [[("boil", 2**52, 2**52 + 1)]]
    with pytest.raises(DataError, match=r"min_duration=.* moves a time beyond 2\^53"):
        IntervalSequences.from_lists(late, min_duration=2.0**52)
    kept = IntervalSequences.from_lists(late, min_duration=2.0**52 - 1)
    assert kept.to_lists() == [[("boil", 2.0**52, 2.0**53 - 1)]]


def test_whole_numbers_are_exact_or_refused():
    largest = 2**53 - 1
    X = IntervalSequences.from_lists([[("boil", largest - 1, largest)]])
    assert X.to_lists() == [[("boil", largest - 1, largest)]]
    for end in (2**53, 2**53 + 1, 2**63, 10**400):
        with pytest.raises(DataError, match=r"the end is (beyond 2\^53|infinite)"):
            IntervalSequences.from_lists([[("boil", 0, end)]])


@pytest.mark.parametrize("closed", ["both", "right", "neither"])
def test_ticks_are_exact_or_refused(closed):
    last = 2**53 - 3
    X = IntervalSequences.from_lists([[("boil", last - 9, last)]], closed=closed)
    start, end = last - 9 + (closed != "both"), last + (closed != "neither")
    assert X.to_lists() == [[("boil", start, end)]]
    with pytest.raises(DataError, match="closed=.* counts ticks of 1, .*same float; subtract a"):
        IntervalSequences.from_lists([[("boil", 0, 2**53 - 1)]], closed=closed)
    for tick in (1e-9, 1e-300, 5e-324):
        with pytest.raises(DataError, match="same float; subtract a common origin, or give a long"):
            IntervalSequences.from_lists([[("boil", 0, 2**40)]], closed=closed, tick=tick)


HOSTILE = [0, -1, np.nan, np.inf, -np.inf, 1e308, 1e-308, 5e-324, 1e9, 1e-9, 2**31, 2**63, 10**400]
HOSTILE += [True, "1", "", None, Decimal(1), Decimal("NaN"), Fraction(1, 3), 0.5, 1.5, 3, 1j, b"1"]
HOSTILE += [np.float32(0.5), np.float16(1), np.int8(1), np.int64(2), np.float64(1e308), np.True_]
HOSTILE += [np.array(1.0), np.array([1.0]), np.array([1.0, 2.0]), [], (), {}, object(), len]
HOSTILE += [np.datetime64("2020")]


@pytest.mark.parametrize("option", [field.name for field in fields(Cleaning)])
def test_cleaning_refuses_options_or_gives_finite_times(option):
    for value in HOSTILE:
        try:
            X = IntervalSequences.from_lists(ROWS, **{"closed": "both", option: value})
        except DataError:  # also about intervals that a tolerance empties
            continue
        assert np.isfinite([X.start, X.end]).all()
        assert (X.start < X.end).all()


# options of estimators and terms: refused, or finite results

QUICK = {"draws": 20, "budget": 100, "trees": 3, "random_state": 0, "patterns": 9}
MEMBERS = {"linear": IntervalRidge(), "generative": DBNClassifier()}
GIVEN = {  # so that each is used, and quickly
    "ibgn": {"terms": ("length", "actions", "relations", "tables"), "structure": "learned"},
    "ensemble": {"members": MEMBERS},
}
LEARNED_ELSEWHERE = {"MiniRocket"}  # compiles for minutes


def estimators():
    """Every registered estimator, term and feature with each option: a function of its value."""
    for name, kind in METHODS.items():
        for option in signature(kind).parameters if name not in LEARNED_ELSEWHERE else ():
            given = _quick(kind) | GIVEN.get(name, {})
            yield name, option, lambda value, k=kind, g=given, o=option: k(**g | {o: value})
    for name, kind in TERMS.items():
        for option in signature(kind).parameters:
            yield (
                f"term {name}",
                option,
                lambda value, k=kind, o=option: IBGNClassifier(
                    terms=[k(**_quick(k) | {o: value})], random_state=0
                ),
            )
    for parts in (("statistics", "pairs"), ("occupancy",), ("raster",)):
        for option in signature(IntervalFeatures).parameters:
            yield (
                f"forest on {parts[0]}",
                option,
                lambda value, p=parts, o=option: IntervalForest(
                    IntervalFeatures(**{"parts": p, o: value}), trees=3, random_state=0
                ),
            )
    for option in signature(Convolutions).parameters:
        yield (
            "convolutions",
            option,
            lambda value, o=option: IntervalRidge(Convolutions(**{"patterns": 9, o: value})),
        )


def _quick(kind):
    known = signature(kind).parameters
    return {name: value for name, value in QUICK.items() if name in known}


CASES = list(estimators())


@pytest.mark.parametrize(
    ("name", "option", "make"), CASES, ids=[f"{name}-{option}" for name, option, _ in CASES]
)
def test_options_are_refused_or_give_finite_results(name, option, make):
    for value in HOSTILE:
        try:
            with np.errstate(all="ignore"):
                model = make(value).fit(ROWS, LABELS)
                given = model.predict_proba(ROWS)
        except OptionError:
            continue
        assert np.isfinite(given).all(), (name, option, value)
        np.testing.assert_allclose(given.sum(axis=1), 1, rtol=0, atol=1e-9)


def test_every_estimator_and_term_is_swept():
    swept = {name for name, _, _ in CASES}
    assert swept >= METHODS.keys() - LEARNED_ELSEWHERE
    assert swept >= {f"term {name}" for name, kind in TERMS.items() if signature(kind).parameters}


@pytest.mark.slow
def test_minirocket_refuses_options_too():
    pytest.importorskip("aeon")
    kind = METHODS["MiniRocket"]
    for option in signature(kind).parameters:
        for value in HOSTILE:
            try:
                model = kind(**{"random_state": 0, "samples": 10} | {option: value})
                assert np.isfinite(model.fit(ROWS, LABELS).predict_proba(ROWS)).all()
            except OptionError:
                continue


@pytest.mark.parametrize("option", ["weights", "class_prior"])
def test_numbers_by_name_are_refused_or_give_finite_results(option):
    names = ("length", "relations") if option == "weights" else ("tea", "coffee")
    for value in HOSTILE:
        given = {option: dict.fromkeys(names, 1) | {names[0]: value}}
        try:
            with np.errstate(all="ignore"):
                model = IBGNClassifier(terms=("length", "relations"), **given).fit(ROWS, LABELS)
                assert np.isfinite(model.predict_proba(ROWS)).all(), value
        except OptionError:
            continue


@pytest.mark.parametrize("option", signature(ActionDetector).parameters)
def test_detectors_refuse_options_or_give_finite_times(option):
    time = np.arange(0, 6, 0.05)
    up = (time // 1.5 % 2).astype(int)
    labels = {"hand": np.array(["rest", "hold"], object)[up]}
    recording = SensorRecording(time, np.column_stack([up, time]), ["x", "y"], labels=labels)
    for value in HOSTILE:
        try:
            detector = ActionDetector(**{"rate": 20, "random_state": 0} | {option: value})
            X = detector.fit([recording]).predict([recording])
        except DataError:  # also about gaps that are longer than longest_gap
            continue
        assert np.isfinite([X.start, X.end]).all()


def test_weights_of_instances_are_refused_or_give_finite_results():
    for weight in (0, -1, np.nan, np.inf, 1e308, 1e-308, 1e300):
        for make in (DBNClassifier, IntervalRidge, IBGNClassifier):
            try:
                with np.errstate(all="ignore"):
                    model = make().fit(ROWS, LABELS, sample_weight=[1, 1, weight, 1])
                    given = model.predict_proba(ROWS)
            except DataError:
                continue
            assert np.isfinite(given).all(), (make, weight)


# JSON


def lines(*objects):
    return "".join(f"{text}\n" for text in objects)


def line(instance, label):
    return f'{{"instance": "{instance}", "label": {label}, "intervals": [["boil", 0, 4]]}}'


@pytest.mark.parametrize(
    ("second", "key"),
    [
        ('{"instance": "b", "label": "tea", "label": "milk", "intervals": []}', "label"),
        ('{"instance": "b", "label": "tea", "intervals": [], "intervals": [["x", 0, 1]]}', "inter"),
        (
            '{"instance": "b", "label": "t", "intervals": [{"action": "x", "start": 0, "end": 1, '
            '"end": 2}]}',
            "end",
        ),
    ],
)
def test_json_lines_refuses_keys_that_repeat(second, key, tmp_path):
    path = tmp_path / "takes.jsonl"
    path.write_text(lines(line("a", '"tea"'), second))
    with pytest.raises(DataError, match=rf"takes\.jsonl: line 2: the key '{key}.*' appears twice"):
        read(path)


def test_alternatives_refuse_keys_that_repeat(tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text(
        "instance,action,start,end,alternatives\n"
        'a,pour,0,1,"{""pour"": 0.5, ""pour"": 0.2, ""stir"": 0.3}"\n'
    )
    with pytest.raises(DataError, match="row 1 .*the key 'pour' appears twice"):
        read(path)


HALF = "half a character"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (line("a", '"te\\ud800"'), "line 1: label"),
        (line("a\\udfff", '"tea"'), "line 1: instance"),
        (line("a", '"tea"').replace("boil", "bo\\uD8aBil"), r"line 1: intervals\[0\]\[0\]"),
        (line("a", '"tea"').replace('"label"', '"l\\ud800"'), "line 1: the document: a key"),
    ],
)
def test_half_characters_are_refused_where_they_stand(text, place, tmp_path):
    path = tmp_path / "takes.jsonl"
    path.write_text(text)
    with pytest.raises(DataError, match=f"{place}.*{HALF}"):
        read(path)
    path.write_text(line("a", '"\\ud83d\\ude00"'))  # two halves make one
    assert read(path)[1].tolist() == ["\U0001f600"]


def test_half_characters_are_refused_in_documents():
    with pytest.raises(DataError, match=rf"a\.json: v\.w\[1\]: .*{HALF}"):
        parse_text('{"v": {"w": [0, "\\udc00"]}}', "a.json: ")


@pytest.mark.parametrize(
    ("make", "place"),
    [
        (lambda: IntervalSequences.from_lists([[("a", 0, 1), ("b\ud800", 0, 1)]]), "interval 1 of"),
        (
            lambda: IntervalSequences.from_lists([[("a", 0, 1)]], ids=["\udfff"]),
            "id of an instance",
        ),
        (lambda: IntervalSequences([0, 1], [0], [0], [1], ["\ud800"]), "action of the vocabulary"),
        (lambda: DBNClassifier().fit(ROWS, ["a", "b", "a\ud800", "b"]), "label 2 "),
    ],
)
def test_half_characters_are_refused_in_python(make, place):
    with pytest.raises(DataError, match=f"{place}.*{HALF}"):
        make()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names themselves")
def test_names_of_files_that_are_no_text_are_refused(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/b\xff.srt")
    with open(path, "w") as file:  # noqa: PTH123
        file.write("1\n00:00:00,000 --> 00:00:01,000\nboil\n")
    with pytest.raises(DataError, match=HALF) as caught:
        read(path)
    str(caught.value).encode()  # the message can be printed


# labels


@pytest.mark.parametrize("order", [("true", "1"), ("1", "true"), ("false", "0.0")])
def test_truths_among_numbers_are_refused(order, tmp_path):
    path = tmp_path / "takes.jsonl"
    path.write_text(lines(*(line(name, label) for name, label in zip("ab", order, strict=True))))
    with pytest.raises(DataError, match="line .*: the label is (True|False), but a number, "):
        read(path)
    path.write_text(lines(line("a", order[0]), line("b", '"milk"')))
    assert [json.dumps(label) for label in read(path)[1].tolist()] == [order[0], '"milk"']


@pytest.mark.parametrize("labels", [[True, 1], [1.0, False], [True, "x", 0]])
def test_truths_among_numbers_are_not_written(labels, tmp_path):
    X = IntervalSequences.from_lists(ROWS[: len(labels)])
    for name in ("x.jsonl", "x.csv"):
        with pytest.raises(DataError, match="labels are True or False, others numbers"):
            write(X, tmp_path / name, labels)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("labels", [[1, "1"], ["1", 1], [True, "True"], ["1.5", 1.5]])
def test_labels_that_are_written_alike_are_refused_or_stay_apart(labels, tmp_path):
    X = IntervalSequences.from_lists(ROWS[:2])
    with pytest.raises(DataError, match="written alike and would be read as one"):
        write(X, tmp_path / "x.csv", labels)
    write(X, tmp_path / "x.jsonl", labels)
    again = read(tmp_path / "x.jsonl")[1].tolist()
    assert list(map(repr, again)) == list(map(repr, labels))
    with pytest.raises(DataError, match="written alike"):
        write(X.with_groups(labels), tmp_path / "x.csv")


@pytest.mark.parametrize("labels", [["a\0", "a"], ["\0", "b"], ["a\0b\0", "a\0b"]])
def test_text_is_not_cut_at_nul(labels, tmp_path):
    X = IntervalSequences.from_lists(ROWS[:2])
    path = tmp_path / "x.jsonl"
    write(X, path, labels)
    assert read(path)[1].tolist() == labels
    write(X.with_groups(labels), path)
    assert read(path)[0].groups.tolist() == labels
    model = DBNClassifier().fit(ROWS, labels * 2)
    assert model.classes_.tolist() == sorted(labels)


def test_names_that_differ_after_nul_are_different(tmp_path):
    """pandas takes them for the same name."""
    names = ["a\0b", "a\0c", "a"]
    rows = [[(name, 0, 1) for name in names]] * 3
    X = IntervalSequences.from_lists(rows, ids=names)
    assert X.actions == tuple(sorted(names))
    write(X, tmp_path / "x.jsonl", names)
    again, y = read(tmp_path / "x.jsonl")
    assert again == X
    assert again.ids.tolist() == y.tolist() == names


def test_what_csv_and_json_lines_give_back(tmp_path):
    """As the documentation states it: CSV gives text, JSON Lines the same values."""
    X = IntervalSequences.from_lists(ROWS, ids=list("abcd"), groups=[1, 2, 1, 2])
    for labels in ([3, 4, 3, 4], [0.1, 0.2, 1e300, 5e-324], [True, False, True, True], LABELS):
        write(X, tmp_path / "x.csv", labels)
        write(X, tmp_path / "x.jsonl", labels)
        again, y = read(tmp_path / "x.csv")
        assert (again.to_lists(), y.tolist()) == (X.to_lists(), list(map(str, labels)))
        assert again.groups.tolist() == ["1", "2", "1", "2"]
        again, y = read(tmp_path / "x.jsonl")
        assert again == X
        assert list(map(repr, y.tolist())) == list(map(repr, labels))


# formulas

RUN = ["=cmd()", "+1", "-1+1", "@SUM(A1)", "\tx", "\rx", "'=x", "'tis", "＝1", "plain"]


def test_formulas_are_harmless_in_csv_and_come_back(tmp_path):
    rows = [[(action, 0, 1), ("pour", -5.5, 2)] for action in RUN]
    X = IntervalSequences.from_lists(rows, ids=[f"{name}." for name in RUN], groups=RUN)
    path = tmp_path / "x.csv"
    write(X, path, RUN, escape_formulas=True)
    text = path.read_bytes().decode()
    cells = [cell for row in _cells(text) for cell in row]
    numbers = [cell for cell in cells if cell.startswith("-5.5")]
    assert len(numbers) == len(RUN)  # times stay numbers
    assert not [c for c in cells if c.startswith(BEGINNINGS[:-1]) and c not in numbers]
    again, y = read_csv(path, unescape_formulas=True)
    assert again == X
    assert y.tolist() == RUN
    write(X, path, RUN)  # as before, where nobody asks for it
    assert [cell for row in _cells(path.read_bytes().decode()) for cell in row if cell == "=cmd()"]


def _cells(text):
    import csv

    return list(csv.reader(io.StringIO(text, newline="")))


def test_formulas_are_harmless_from_the_command_line(tmp_path, ibgn):
    rows = [[("=cmd()", 0, 4), ("pour", 4, 6)], [("@x", 0, 2), ("pour", 1, 5)]] * 3
    ids = [f"={number}" for number in range(6)]
    X = IntervalSequences.from_lists(rows, ids=ids)
    y = np.array(["+tea", "-milk"] * 3)
    write(X, tmp_path / "in.jsonl", y)
    DBNClassifier().fit(X, y).save(tmp_path / "m.ibgn")
    for command in (
        ("convert", "in.jsonl", "out.csv"),
        ("convert", "in.jsonl", "-"),
        ("predict", "m.ibgn", "in.jsonl", "-o", "out.csv"),
        ("predict", "m.ibgn", "in.jsonl"),
        ("explain", "m.ibgn", "in.jsonl", "--instance", "=1", "-o", "out.csv"),
        ("evaluate", "in.jsonl", "-m", "DBN", "--folds", "2", "--predictions", "out.csv"),
    ):
        for flags in (["--escape-formulas"], []):
            (tmp_path / "out.csv").unlink(missing_ok=True)
            result = ibgn(*command, *flags)
            assert result.returncode == 0, result.stderr
            written = tmp_path / "out.csv"
            text = written.read_text() if written.exists() else result.stdout
            dangerous = [
                cell
                for row in _cells(text)
                for cell in row
                if cell.startswith(("=", "+", "@", "-m"))
            ]
            assert bool(dangerous) is not bool(flags), (command, dangerous)
    ibgn("convert", "in.jsonl", "out.csv", "--escape-formulas", "--force")
    result = ibgn("convert", "out.csv", "back.jsonl", "-O", "unescape_formulas=true")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "back.jsonl").read_text() == (tmp_path / "in.jsonl").read_text()
    refused = ibgn("convert", "in.jsonl", "other.jsonl", "--escape-formulas")
    assert refused.returncode
    assert "--escape-formulas is not an option of the format jsonl" in refused.stderr


DAY, TIME = datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 5)
MIXED = {
    "date": [DAY, TIME],
    "zone": [TIME, TIME.replace(tzinfo=datetime.UTC)],
    "number": [datetime.timedelta(1), 1],
    "bytes": [b"tea", "tea"],
}


@pytest.mark.parametrize("labels", MIXED.values(), ids=MIXED)
def test_a_column_of_parquet_merges_no_labels_of_several_types(tmp_path, labels):
    """A time of day became midnight, a number a millionth of a second, and text bytes."""
    pytest.importorskip("pyarrow")
    X = IntervalSequences.from_lists([[("a", 0, 1)]] * 2)
    path = tmp_path / "takes.parquet"
    with pytest.raises(DataError, match="the label .*, of type .*make them text"):
        write(X, path, labels)
    assert not path.exists()
    write(X, path, list(map(str, labels)))
    assert read(path)[1].tolist() == list(map(str, labels))
