"""What commands print: readable on a terminal of any width, exact in pipes and files."""

import csv
import io
import json
import re
import shlex

import pytest

from ibgn import IntervalSequences, __version__, load, read, write
from ibgn.cli.tables import print_table
from ibgn.datasets import sample_path
from ibgn.errors import OptionError
from ibgn.evaluation.methods import DEFAULT, METHODS, find_method
from kitchen import make_kitchen, make_takes

WIDTHS = (40, 50, 80, 120)


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kitchen")
    make_kitchen(folder)
    return folder


@pytest.fixture
def model(kitchen):
    return kitchen / "takes.ibgn"


@pytest.fixture
def takes(kitchen):
    return kitchen / "takes.csv"


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_fitted_saved_and_used_by_its_name(ibgn, takes, tmp_path, method):
    if method == "MiniRocket":
        pytest.importorskip("aeon")
    quick = ["--draws", "20", "--budget", "100"] if "IBGN" in method else []
    name = method.lower().replace(" ", "-")  # as one would type it
    fitted = ibgn("fit", takes, "-o", "m.ibgn", "--method", name, *quick, "--json")
    assert fitted.returncode == 0, fitted.stderr
    assert json.loads(fitted.stdout)["method"] == method
    found = table(ibgn("predict", "m.ibgn", takes).stdout)
    X, _ = read(takes)
    assert [row["predicted"] for row in found] == load(tmp_path / "m.ibgn").predict(X).tolist()
    shown = json.loads(ibgn("show", "m.ibgn", "--json").stdout)
    assert shown["method"] == method
    assert set(shown["options"]) <= {"draws", "budget"}
    assert shown["actions"] == ["boil", "grind", "pour", "stir"]
    assert sorted(shown["activities"]) == ["coffee", "milk", "tea"]


def test_names_of_methods_are_found_however_they_are_written(extensions):
    assert find_method("extra_trees") == find_method("Extra Trees") == "extra trees"
    assert DEFAULT in METHODS
    plain = [name.casefold().replace("-", " ") for name in METHODS]
    assert len(set(plain)) == len(plain)
    with pytest.raises(OptionError, match="did you mean 'MiniRocket'"):
        find_method("minirokcet")


@pytest.mark.parametrize("width", WIDTHS)
def test_predictions_fit_a_terminal(ibgn_at, model, takes, width):
    result = ibgn_at(width, "predict", model, takes)
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= width
    assert sum(line.startswith("tea-1 ") for line in lines) == (2 if width == 40 else 1)
    assert "all probabilities are written with --output FILE.csv" in result.stderr


def test_probabilities_are_rounded_on_a_terminal_and_exact_elsewhere(
    ibgn, ibgn_at, model, takes, tmp_path
):
    X, _ = read(takes)
    write(X[:2], tmp_path / "two.csv", ["milk", "tea"])
    shown = ibgn_at(80, "predict", model, "two.csv").stdout
    assert "tea *" in shown
    assert "* is not the label" in shown
    assert "%" in shown
    expected = load(model).predict_proba(X[:2])
    piped = ibgn("predict", model, "two.csv").stdout
    written = ibgn_at(80, "predict", model, "two.csv", "-o", "out.csv")
    assert written.stdout == ""
    assert (tmp_path / "out.csv").read_text() == piped
    found = [[float(row[f"P({name})"]) for name in load(model).classes_] for row in table(piped)]
    assert found == expected.tolist()


@pytest.mark.parametrize("width", WIDTHS)
def test_explanations_break_between_words(ibgn, ibgn_at, model, takes, width):
    shown = ibgn_at(width, "explain", model, takes, "--instance", "tea-1").stdout
    piped = ibgn("explain", model, takes, "--instance", "tea-1").stdout
    assert max(map(len, shown.splitlines())) <= width
    assert shown.split() == piped.split()
    assert [line[:3] for line in piped.splitlines()[1:4]] == ["1. ", "2. ", "3. "]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tee-1", "there is no instance 'tee-1' in 'takes.csv'; did you mean 'tea-1', "),
        ("TEA-1", "did you mean 'tea-1'"),
        ("ilk-2", "did you mean 'milk-2'"),
        ("xyz", "there are 'tea-1', 'tea-2', 'tea-3', 'tea-4', 'milk-1', ..."),
    ],
)
def test_a_wrong_instance_is_answered_with_near_names(ibgn, model, takes, name, message):
    result = ibgn("explain", model, takes, "--instance", name)
    assert result.returncode == 1
    assert message in result.stderr


def test_the_only_instance_needs_no_name(ibgn, model, tmp_path):
    X, y = make_takes()
    write(X[:1], tmp_path / "one.csv", y[:1])
    assert ibgn("explain", model, "one.csv").stdout.startswith("Explanation of 'tea'")
    write(X[:2], tmp_path / "two.csv", y[:2])
    several = ibgn("explain", model, "two.csv")
    assert several.returncode == 2
    assert "--instance must name one of the instances: 'tea-1', 'tea-2'" in several.stderr


@pytest.mark.parametrize("width", WIDTHS)
def test_show_says_what_a_model_knows(ibgn_at, model, width):
    result = ibgn_at(width, "show", model)
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    # the first line has the path, and commands are not broken
    assert all(len(line) <= width or line.startswith("  ibgn ") for line in lines[1:])
    text = " ".join(result.stdout.split())
    assert "IBGN-T (IBGNClassifier) Options: budget=100, draws=20" in text
    assert "4 actions: 'boil', 'grind', 'pour', 'stir'" in text
    assert "tea 4 3 " in text
    assert "'milk': length (about 2 intervals), " in text
    assert f"written by ibgn {__version__}" in text
    assert f"{model.stat().st_size:,} bytes" in text


def test_show_for_programs(ibgn, model, takes):
    found = json.loads(ibgn("show", model, "--json").stdout)
    assert (found["method"], found["class"]) == ("IBGN-T", "IBGNClassifier")
    assert found["options"] == {"budget": "100", "draws": "20"}
    assert set(found["weights"]) == set(load(model).terms_)
    assert found["activities"]["milk"]["intervals"] == [2, 2]
    assert found["bytes"] == model.stat().st_size
    assert ibgn("show", takes).returncode == 1


def test_columns_that_do_not_fit_follow_below(monkeypatch, capsys):
    monkeypatch.setattr("ibgn.cli.tables.WIDE", 20)
    print_table(
        ("name", "first", "second", "third"), [("a", "1", "2", "3"), ("é[b]", "4", "5", "")]
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "",
        "name  first  second",
        "───────────────────",
        "a     1      2",
        "é[b]  4      5",
        "",
        "name  third",
        "───────────",
        "a     3",
        "é[b]",
        "",
    ]


@pytest.mark.parametrize("command", ["evaluate", "robustness"])
def test_folds_scheme_and_chance_are_said(ibgn, ibgn_at, takes, command):
    quick = ["-m", "dbn", "-m", "itbn", "--folds", "2"]
    quick += ["--duration", "0.2", "--misdetection", ""] if command == "robustness" else []
    shown = ibgn_at(50, command, takes, *quick)
    assert shown.returncode == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 50
    text = " ".join(shown.stdout.split())
    assert "12 instances, 3 activities" in text
    assert "Scheme stratified: 2 folds with about the same share of each activity" in text
    assert "Chance: 0.333, the accuracy of always guessing 'coffee'" in text
    found = json.loads(ibgn(command, takes, *quick, "--json").stdout)
    assert (found["scheme"], found["n_splits"], found["n_repeats"]) == ("stratified", 2, 1)
    assert found["chance"] == pytest.approx(1 / 3)
    assert {row["method"] for row in found["folds"]} == {"DBN", "ITBN"}


def test_fit_says_where_there_is_little_to_learn_from(ibgn, tmp_path):
    X, y = make_takes()
    write(X[:4], tmp_path / "tea.csv", y[:4])
    one = ibgn("fit", "tea.csv", "-o", "tea.ibgn", "--method", "dbn", "--json")
    assert one.returncode == 0
    assert "all instances are of one activity, 'tea'" in one.stderr
    assert any("of one activity" in warning for warning in json.loads(one.stdout)["warnings"])
    write(X[3:9], tmp_path / "few.csv", y[3:9])
    few = ibgn("fit", "few.csv", "-o", "few.ibgn", "--method", "dbn")
    assert "2 of 3 activities have one instance only ('coffee', 'tea')" in few.stderr
    assert "unique classes" not in few.stderr  # of scikit-learn


def proposed(text):
    """Commands that a message or a page proposes, as words for the program."""
    found = re.findall(r"(?:with: |^  )ibgn (.*)$", text, re.M)
    return [shlex.split(command) for command in found]


def test_what_fit_proposes_runs(ibgn, takes):
    said = ibgn("fit", takes, "-o", "my model.ibgn", "--method", "dbn").stderr
    show, evaluate = proposed(said)
    assert show == ["show", "my model.ibgn"]
    assert evaluate[:4] == ["evaluate", str(takes), "--method", "DBN"]
    for words in (show, evaluate):
        result = ibgn(*words)
        assert result.returncode == 0, result.stderr


def test_fit_proposes_no_test_where_there_are_too_few(ibgn, tmp_path):
    rows = [[("boil", 0, 1)], [("pour", 0, 2)], [("boil", 0, 2), ("pour", 1, 3)]]
    X, y = IntervalSequences.from_lists(rows), ["tea", "soup", "tea"]
    write(X[:2], tmp_path / "one.csv", y[:2])
    said = ibgn("fit", "one.csv", "-o", "one.ibgn", "-m", "dbn").stderr
    assert [words[0] for words in proposed(said)] == ["show"]
    write(X, tmp_path / "two.csv", [*y[:2], None])
    said = ibgn("fit", "two.csv", "-o", "two.ibgn", "-m", "dbn", "--unlabelled", "drop").stderr
    assert [words[0] for words in proposed(said)] == ["show"]
    write(X, tmp_path / "few.csv", y)
    said = ibgn("fit", "few.csv", "-o", "few.ibgn", "-m", "dbn", "--closed", "both").stderr
    assert proposed(said)[1][2:] == ["--method", "DBN", "--folds", "2", "--closed", "both"]
    assert ibgn(*proposed(said)[1]).returncode == 0


@pytest.mark.parametrize(
    ("method", "names"), [("IBGN-T", ["predict", "sample"]), ("ridge", ["predict"])]
)
def test_what_show_proposes_runs(ibgn, takes, method, names):
    assert ibgn("fit", takes, "-o", "my model.ibgn", "--method", method).returncode == 0
    commands = proposed(ibgn("show", "my model.ibgn").stdout)
    assert [words[0] for words in commands] == names
    for words in commands:
        result = ibgn(*(takes if word == "DATA" else word for word in words))
        assert result.returncode == 0, result.stderr
    told = json.loads(ibgn("show", "my model.ibgn", "--json").stdout)["commands"]
    assert [shlex.split(command)[1:] for command in told.values()] == commands


def test_convert_keeps_what_has_no_label_and_proposes_to_look_at_it(ibgn, tmp_path):
    part = "instance,label,action,start,end\n1,tea,boil,0,4\n2,,boil,0,5\n"
    (tmp_path / "part.csv").write_text(part)
    for target, more in (("my copy.csv", []), ("copies", ["--to", "elan"])):
        result = ibgn("convert", "part.csv", target, *more)
        assert result.returncode == 0, result.stderr
        assert "1 instance of 2 without a label" in result.stderr
        (look,) = proposed(result.stderr)
        assert look[:2] == ["inspect", target]
        assert "1 instance without a label" in ibgn(*look).stdout
    assert (tmp_path / "my copy.csv").read_text() == part
    refused = ibgn("convert", "part.csv", "-", "--unlabelled", "error")
    assert refused.returncode == 1
    assert "no label, while other rows have one" in refused.stderr
    dropped = ibgn("convert", "part.csv", "one.csv", "--unlabelled", "drop", "--json")
    found = json.loads(dropped.stdout)
    assert (found["instances"], found["unlabelled"]) == (1, 0)
    assert proposed(ibgn("convert", "part.csv", "-").stderr) == []


def test_names_from_the_data_are_only_text_on_a_terminal(ibgn, ibgn_at, tmp_path):
    X = IntervalSequences.from_lists([[("\x1b[31mboil", 0, 1)], [("pour", 0, 2)]], ids=["[b]", "x"])
    write(X, tmp_path / "odd.csv", ["\x1b[1mtea", "[red]milk"])
    assert ibgn("fit", "odd.csv", "-o", "odd.ibgn", "--method", "dbn").returncode == 0
    for words in (["predict", "odd.ibgn", "odd.csv"], ["show", "odd.ibgn"]):
        shown = ibgn_at(80, *words)
        assert shown.returncode == 0
        assert "\x1b" not in shown.stdout
        assert "[red]milk" in shown.stdout


def test_missing_labels_are_options_of_the_method_and_not_of_the_reader(ibgn, tmp_path):
    X, y = make_takes()
    labels = y.astype(object)
    frame = X.to_frame(labels)
    frame["label"] = frame["label"].where(frame["instance"] != "tea-1")
    frame.to_csv(tmp_path / "some.csv", index=False)
    quick = ["fit", "some.csv", "--unlabelled", "keep", "--draws", "20", "--budget", "100"]
    refused = ibgn(*quick, "-o", "0.ibgn")
    assert refused.returncode == 1
    for value in ("ignore", "self-training"):
        assert f"--set unlabelled={value}" in refused.stderr
        fitted = ibgn(*quick, "-o", f"{value}.ibgn", "--set", f"unlabelled={value}")
        assert fitted.returncode == 0, fitted.stderr
    result = ibgn("predict", "ignore.ibgn", "some.csv", "--unlabelled", "keep")
    assert "of 11 labelled instances" in result.stderr
    assert table(result.stdout)[0]["label"] == ""
    found = json.loads(
        ibgn("predict", "ignore.ibgn", "some.csv", "--unlabelled", "keep", "--json").stdout
    )
    assert found["rows"][0]["label"] is None


def test_tables_of_inspect_have_no_empty_columns(ibgn, tmp_path):
    (tmp_path / "a.csv").write_text("instance,action,start,end,mood\n1,boil,0,4,1\n1,pour,4,5,2\n")
    shown = ibgn("inspect", "a.csv").stdout
    assert re.search(r"^column left out  number\n─+\nmood +2\n", shown, re.M)
    assert re.search(r"^column    number  different  values\n", shown, re.M)


@pytest.mark.parametrize("width", [50, 80])
def test_tables_of_inspect_fit_a_terminal(ibgn_at, width):
    shown = ibgn_at(width, "inspect", sample_path("elan") / "ann.eaf").stdout
    lines = [line for line in shown.splitlines() if not line.startswith("  ibgn ")]
    assert max(map(len, lines)) <= width
    assert re.search(r"^right hand  34 +7.*\n(?:\s+\S.*\n)*left hand   23 +4", shown, re.M)
    for name in ("hold kettle", "hold tin", "hold bread", "hold cup"):
        assert name in " ".join(shown.split())
