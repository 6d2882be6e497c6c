"""Models on the command line: fit, predict, explain, sample, as processes."""

import csv
import io
import json

import matplotlib.pyplot as plt
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from ibgn import DBNClassifier, IBGNClassifier, load, read, write
from ibgn.cli import app
from ibgn.cli.options import METHODS as NAMES
from ibgn.datasets import make_hand_signs
from ibgn.errors import OptionError
from ibgn.evaluation.methods import METHODS


@pytest.fixture(scope="module")
def signs(tmp_path_factory):
    X, y, _ = make_hand_signs(instances_per_style=5, random_state=0)
    path = tmp_path_factory.mktemp("signs") / "signs.csv"
    write(X, path, y)
    return path


@pytest.fixture(scope="module")
def model(signs):
    import subprocess
    import sys

    path = signs.with_suffix(".ibgn")
    quick = ["--draws", "100", "--budget", "1200", "--jobs", "2"]
    command = [sys.executable, "-m", "ibgn", "fit", signs, "-o", path, *quick, "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    report = json.loads(result.stdout)
    assert (report["instances"], len(report["activities"])) == (120, 19)
    assert tuple(report["weights"]) == IBGNClassifier().terms
    return path


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_predict(ibgn, model, signs):
    result = ibgn("predict", model, signs)
    assert result.returncode == 0
    table = rows(result.stdout)
    assert len(table) == 120
    right = sum(row["label"] == row["predicted"] for row in table)
    assert right > 100
    assert f"accuracy {right / 120:.3f} of 120" in result.stderr
    for row in table:
        of = {name[2:-1]: float(p) for name, p in row.items() if name.startswith("P(")}
        assert sum(of.values()) == pytest.approx(1, rel=1e-9)
        assert max(of, key=of.get) == row["predicted"]


def test_predict_without_labels_into_a_file(ibgn, model, signs, tmp_path):
    X, _ = read(signs)
    write(X[:7], tmp_path / "new.jsonl")
    result = ibgn("predict", model, "new.jsonl", "-o", "out.csv", "--json")
    assert result.returncode == 0
    assert len(json.loads(result.stdout)["rows"]) == 7
    assert len(rows((tmp_path / "out.csv").read_text())) == 7
    assert "accuracy" not in result.stderr


def test_what_has_no_label_is_recognised_too(ibgn, tmp_path):
    takes = "instance,label,action,start,end\na,tea,boil,0,2\nb,milk,pour,0,2\n"
    (tmp_path / "takes.csv").write_text(takes)
    (tmp_path / "more.csv").write_text(f"{takes}c,,boil,0,2\n")
    assert ibgn("fit", "takes.csv", "-o", "takes.ibgn", "-m", "dbn").returncode == 0
    result = ibgn("predict", "takes.ibgn", "more.csv")
    assert [row["label"] for row in rows(result.stdout)] == ["tea", "milk", ""]
    assert rows(result.stdout)[2]["predicted"] == "tea"
    assert "accuracy 1.000 of 2 labelled instances" in result.stderr
    pieces = ibgn("predict", "takes.ibgn", "more.csv", "--scan")
    assert pieces.stdout == result.stdout
    assert ibgn("explain", "takes.ibgn", "more.csv", "--instance", "c").returncode == 0
    refused = ibgn("predict", "takes.ibgn", "more.csv", "--unlabelled", "error")
    assert "no label, while other rows have one" in refused.stderr


def test_explain(ibgn, model, signs, tmp_path):
    """The strongest reasons in words; all contributions in a file or as JSON."""
    options = ["--instance", "quiz-002", "--figure", "why.png", "-o", "why.csv"]
    drawn = plt.get_fignums()  # by other tests
    result = ibgn("explain", model, signs, *options)
    assert result.returncode == 0
    first, *reasons = result.stdout.splitlines()
    assert first.startswith("Explanation of 'quiz' against ")
    assert [line[:3] for line in reasons[:3]] == ["1. ", "2. ", "3. "]
    assert all("; in 'quiz' " in line and ", log odds " in line for line in reasons[:3])
    table = rows((tmp_path / "why.csv").read_text())
    total = sum(float(row["contribution"]) for row in table)
    odds = float(first.split("log odds ")[1].split(",")[0])
    assert total == pytest.approx(odds, abs=0.01)
    assert (tmp_path / "why.png").stat().st_size > 1000
    assert plt.get_fignums() == drawn
    named = ibgn("explain", model, signs, "--instance", "quiz-002", "--against", "xray", "--json")
    told = json.loads(named.stdout)
    assert (told["activity"], told["against"]) == ("quiz", "xray")
    assert sum(row["contribution"] for row in told["rows"]) == pytest.approx(told["log_odds"])
    assert sum(told["terms"].values()) == pytest.approx(told["log_odds"])
    assert [set(reason) for reason in told["reasons"]] == [
        {"term", "contribution", "text", "action", "relation", "other"}
    ] * 3


def test_sample(ibgn, model, tmp_path):
    result = ibgn("sample", model, "-n", 3, "-o", "new.csv")
    assert result.returncode == 0
    X, y = read(tmp_path / "new.csv")
    assert len(X) == 3 * 19
    assert len(set(y)) == 19
    assert len(rows(ibgn("predict", model, "new.csv").stdout)) == 57
    printed = ibgn("sample", model, "-n", 2, "--activity", "quiz", "--seed", 4)
    assert {row["label"] for row in rows(printed.stdout)} == {"quiz"}
    assert (
        printed.stdout == ibgn("sample", model, "-n", 2, "--activity", "quiz", "--seed", 4).stdout
    )
    assert (
        printed.stdout != ibgn("sample", model, "-n", 2, "--activity", "quiz", "--seed", 5).stdout
    )


def test_the_same_seed_gives_the_same_file(ibgn, signs, tmp_path):
    quick = ["--draws", "20", "--budget", "300", "--structure", "learned"]
    for name, jobs in (("one", 1), ("two", 2)):
        assert ibgn("fit", signs, "-o", f"{name}.ibgn", *quick, "--jobs", jobs).returncode == 0
    one, two = (rows(ibgn("predict", f"{name}.ibgn", signs).stdout) for name in ("one", "two"))
    assert one == two
    paper = ibgn("fit", signs, "-o", "paper.ibgn", *quick, "--method", "published-ibgn-c")
    assert paper.returncode == 0
    assert load(tmp_path / "paper.ibgn").structure == "learned"  # as the flag says


def test_failures(ibgn, model, signs, tmp_path):
    bare = tmp_path / "bare.csv"
    bare.write_text("instance,action,start,end\na,nod,0,1\n")
    for arguments, code, message in [
        (["fit", bare, "-o", "m.ibgn"], 1, "no labels to learn from"),
        (["fit", signs], 2, "Missing option"),
        (["fit", signs, "-o", "m.ibgn", "--structure", "tree"], 2, "'chain', 'learned'"),
        (["fit", signs, "-o", "no/m.ibgn", "--draws", "5", "--budget", "50"], 1, "no folder"),
        (["predict", signs, signs], 1, "is not a model"),
        (["predict", "absent.ibgn", signs], 1, "absent.ibgn"),
        (["predict", model, "absent.csv"], 1, "there is no file"),
        (["explain", model, signs, "--instance", "tea-1"], 1, "no instance 'tea-1'"),
        (["explain", model, signs, "--instance", "quiz-002", "--against", "tea"], 1, "no activity"),
        (["explain", model, signs, "--instance", "quiz-002", "--figure", "a.xyz"], 2, "a.xyz"),
        (["sample", model, "--activity", "tea"], 1, "there is no activity 'tea'"),
        (["sample", model, "-n", "-1"], 2, "-n"),
    ]:
        result = ibgn(*arguments)
        assert result.returncode == code, (arguments, result.stderr)
        assert message in " ".join(result.stderr.replace("│", " ").split())
        assert "Traceback" not in result.stderr
    assert not (tmp_path / "m.ibgn").exists()


@pytest.mark.parametrize("method", ["ihmm", "dbn", "itbn"])
def test_other_methods(ibgn, signs, tmp_path, method):
    assert ibgn("fit", signs, "-o", "other.ibgn", "--method", method).returncode == 0
    found = rows(ibgn("predict", "other.ibgn", signs).stdout)
    assert sum(row["label"] == row["predicted"] for row in found) > 90
    instance = found[0]["instance"]
    reasons = ibgn("explain", "other.ibgn", signs, "--instance", instance, "--figure", "why.png")
    assert reasons.returncode == 0, reasons.stderr
    assert (tmp_path / "why.png").stat().st_size > 1000
    refused = ibgn("sample", "other.ibgn")
    assert refused.returncode == 2
    name = method.upper()
    expected = f"is a model of {name}, which generates nothing; `ibgn fit` learns one that does"
    assert expected in refused.stderr
    alien = ibgn("fit", signs, "-o", "alien.ibgn", "--method", method, "--structure", "chain")
    assert alien.returncode == 2
    assert f"--structure chain is not an option of --method {name}, which has " in alien.stderr


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    """The command in this process, on a few instances."""
    X, y, _ = make_hand_signs(instances_per_style=2, random_state=0)
    write(X, tmp_path / "few.csv", y)
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, [*map(str, words)])


def test_instances_are_scored_once(invoke, monkeypatch):
    assert invoke("fit", "few.csv", "-o", "m.ibgn", "--method", "dbn").exit_code == 0
    scores = []
    score = DBNClassifier._joint_log_likelihood

    def counted(self, X):
        scores.append(len(X))
        return score(self, X)

    monkeypatch.setattr(DBNClassifier, "_joint_log_likelihood", counted)
    result = invoke("predict", "m.ibgn", "few.csv")
    X, _ = read("few.csv")
    assert scores == [len(X)]
    model = load("m.ibgn")
    table = rows(result.stdout)
    assert [row["predicted"] for row in table] == model.predict(X).tolist()
    named = [f"P({name})" for name in model.classes_]
    shown = [[float(row[name]) for name in named] for row in table]
    assert shown == model.predict_proba(X).tolist()


def test_options_of_a_method_are_set(invoke):
    options = ["--method", "dbn", "--set", "n_bins=4", "--set", "smoothing=0.5"]
    assert invoke("fit", "few.csv", "-o", "m.ibgn", *options).exit_code == 0
    model = load("m.ibgn")
    assert (model.n_bins, model.smoothing) == (4, 0.5)
    options = ["--set", "unlinked=ignore", "--set", "draws=5", "--budget", "50", "--seed", "3"]
    assert invoke("fit", "few.csv", "-o", "m.ibgn", "--force", *options).exit_code == 0
    model = load("m.ibgn")
    assert (model.unlinked, model.draws, model.budget) == ("ignore", 5, 50)
    assert (model.structure, model.random_state) == ("full", 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--method", "hmm"],
            "--method hmm is not a method; did you mean 'IHMM'? choose among 'DBN', 'IBGN-C', ",
        ),
        (
            ["--method", "dbn", "--set", "colour=red"],
            "--set colour=red is not an option of --method DBN, which has class_prior, n_bins, "
            "smoothing",
        ),
        (["--method", "dbn", "--draws", "5"], "--draws 5 is not an option of --method DBN"),
        (["--set", "n_jobs=2"], "--set n_jobs=2 is not an option of --method IBGN-T"),
        (["--set", "draws"], "--set draws must be written name=value"),
        (["--set", "draws=5", "--draws", "6"], "--set draws=5 sets 'draws' twice"),
        (["--method", "dbn", "--set", "n_bins=0"], "--set n_bins=0 must be a whole number"),
        (["--method", "dbn", "--set", "n_bins=few"], "--set n_bins=few must be a whole number"),
        (
            ["--learn-tolerance", "--method", "published IBGN"],
            "--learn-tolerance is not for --method 'published IBGN'; use --method IBGN-T",
        ),
        (["--jobs", "0"], "--jobs 0 must be a whole number other than 0"),
    ],
)
def test_options_that_a_method_does_not_have_are_refused(invoke, options, message):
    result = invoke("fit", "few.csv", "-o", "m.ibgn", *options)
    assert type(result.exception) is OptionError
    assert message in str(result.exception)


def test_the_help_names_the_methods_that_there_are(extensions):
    assert sorted(NAMES) == sorted(METHODS)
    for command in ("fit", "evaluate", "robustness"):
        (shown,) = (p.help for p in get_command(app).commands[command].params if p.name == "method")
        assert f": {', '.join(NAMES)}, or " in shown


def test_a_tolerance_is_learned_where_asked(ibgn, signs):
    quick = ["--draws", "20", "--budget", "100"]
    told = ibgn("fit", signs, "-o", "t.ibgn", *quick, "--learn-tolerance", "--json")
    assert told.returncode == 0, told.stderr
    learned = json.loads(told.stdout)
    assert learned["tolerance"] >= 0
    assert learned["emptied"] >= 0
    assert "are the same instant; this empties" in told.stderr
    assert "tolerance" not in json.loads(
        ibgn("fit", signs, "-o", "p.ibgn", *quick, "--json").stdout
    )
    for other in ("published-ibgn-f", "dbn"):
        refused = ibgn("fit", signs, "-o", "r.ibgn", "--learn-tolerance", "--method", other)
        assert refused.returncode == 2
        assert "; use --method IBGN-T" in refused.stderr


def test_options_of_a_reader(ibgn, tmp_path):
    (tmp_path / "data" / "tea").mkdir(parents=True)
    (tmp_path / "data" / "tea" / "one.txt").write_text("SIL\nboil\nboil\npour\n")
    options = ["--from", "frames", "-O", "rate=2", "-O", "activity=folder"]
    result = ibgn("convert", "data", "out.csv", *options)
    assert result.returncode == 0, result.stderr
    X, y = read(tmp_path / "out.csv")
    assert X.to_lists() == [[("boil", 0.5, 1.5), ("pour", 1.5, 2.0)]]
    assert y.tolist() == ["tea"]
    refusals = {
        "rate": "name=value",
        "colour=red": "not an option of the format",
        "closed=both": "has a flag of its own, --closed",
    }
    for wrong, message in refusals.items():
        refused = ibgn("inspect", "data", *options, "-O", wrong)
        assert refused.returncode == 2
        assert message in refused.stderr


TAKES = """take,activity,behaviour,start,end
1,tea,boil,0,39
1,tea,pour,40,49
2,milk,cool,0,9
2,milk,pour,5,14
3,tea,boil,0,41
3,tea,pour,42,50
4,milk,cool,1,9
4,milk,pour,6,16
"""
HOW = ["--column", "instance=take", "--column", "label=activity", "--column", "action=behaviour"]


@pytest.fixture
def drinks(ibgn, tmp_path):
    """A model that was fitted on a file with other columns and inclusive ends."""
    (tmp_path / "takes.csv").write_text(TAKES)
    command = ["fit", "takes.csv", "-o", "drinks.ibgn", "--method", "DBN", "--closed", "both"]
    result = ibgn(*command, *HOW)
    assert result.returncode == 0, result.stderr
    return tmp_path / "drinks.ibgn"


def test_data_are_read_like_those_of_training(ibgn, drinks, tmp_path):
    """Without a flag, also where there are no labels; a flag takes precedence."""
    (tmp_path / "new.csv").write_text("take,behaviour,start,end\n9,boil,0,40\n9,pour,41,50\n")
    result = ibgn("predict", drinks, "new.csv", "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["rows"][0]["predicted"] == "tea"
    columns = {"instance": "take", "action": "behaviour"}
    assert found["read_with"] == {"closed": "both", "columns": columns}
    assert (found["unknown_intervals"], found["scale"], found["warnings"]) == (0, 1.0, [])
    said = "--closed both --column instance=take --column action=behaviour"
    assert result.stderr == f"read like the training data of the model: {said}\n"
    result = ibgn("predict", drinks, "takes.csv")
    assert "accuracy 1.000 of 4 labelled instances" in result.stderr
    result = ibgn("predict", drinks, "new.csv", "--json", "--closed", "left")
    found = json.loads(result.stdout)
    assert found["read_with"] == {"columns": columns}
    differ = "the training data were read with --closed both, these with --closed left"
    alike = "read both alike, unless ibgn wrote the file, as its ends are never inclusive"
    assert found["warnings"] == [f"{differ}; {alike}"]
    result = ibgn("explain", drinks, "new.csv", "--json")
    assert json.loads(result.stdout)["read_with"] == {"closed": "both", "columns": columns}


def test_another_format_is_read_by_its_own_options(ibgn, drinks, tmp_path):
    line = {"instance": "9", "intervals": [["boil", 0, 41], ["pour", 41, 51]]}
    (tmp_path / "new.jsonl").write_text(json.dumps(line))
    result = ibgn("predict", drinks, "new.jsonl", "--json")
    assert json.loads(result.stdout)["read_with"] == {}
    assert "were read with --closed both, these with --closed left" in result.stderr


def test_unknown_actions_and_other_units_are_named(ibgn, drinks, tmp_path):
    head = "take,behaviour,start,end\n"
    (tmp_path / "new.csv").write_text(f"{head}9,boil,0,40000\n9,pour,41000,50000\n9,Pour,3,8\n")
    result = ibgn("predict", drinks, "new.csv", "--json")
    found = json.loads(result.stdout)
    assert (found["unknown_intervals"], found["unknown_actions"]) == (1, {"Pour": 1})
    assert found["rescaled_instances"] == 1
    assert 500 < found["scale"] < 2000
    unknown, unit = found["warnings"]
    assert unknown == (
        "1 of 3 intervals has an action that the model does not know and ignores: 'Pour' (1); "
        "it knows 'pour'"
    )
    assert "times longer than those of the same actions in training" in unit
    assert f"warning: {unknown}\nwarning: {unit}\n" in result.stderr
    assert ibgn("explain", drinks, "new.csv").stderr.count("warning: ") == 2
    (tmp_path / "strange.csv").write_text(f"{head}9,a,0,40\n9,b,41,50\n")
    for command in ("predict", "explain"):
        result = ibgn(command, drinks, "strange.csv")
        assert result.returncode == 1
        assert "the model knows none of the actions: 'a' (1), 'b' (1); it knows" in result.stderr
        proposed = result.stderr.rpartition(" with ")[2].split()
        assert proposed == ["--unknown-actions", "ignore"]
        result = ibgn(command, drinks, "strange.csv", *proposed)
        assert (result.returncode, "warning" in result.stderr) == (0, False)
    result = ibgn("predict", drinks, "new.csv", "--unknown-actions", "error")
    assert result.returncode == 1
    assert "rename them, or leave them out with --unknown-actions ignore" in result.stderr


def test_show_says_how_training_data_were_read(ibgn, drinks):
    found = json.loads(ibgn("show", drinks, "--json").stdout)
    assert found["trained_on"] == {
        "instances": 4,
        "intervals": 8,
        "format": "csv",
        "read_with": {
            "closed": "both",
            "columns": {"instance": "take", "label": "activity", "action": "behaviour"},
        },
    }
    assert found["actions"] == ["boil", "cool", "pour"]
    assert (
        "Training data: 4 instances, 8 intervals of the format csv" in ibgn("show", drinks).stdout
    )


def test_labels_that_the_model_does_not_know_are_counted(ibgn, tmp_path):
    rows = "a,tea,boil,0,2\nb,milk,pour,0,2\n"
    (tmp_path / "takes.csv").write_text(f"instance,label,action,start,end\n{rows}")
    other = rows.replace("milk", "soup") + "c,cup,pour,0,2\n"
    (tmp_path / "other.csv").write_text(f"instance,label,action,start,end\n{other}")
    assert ibgn("fit", "takes.csv", "-o", "takes.ibgn").returncode == 0
    said = ibgn("predict", "takes.ibgn", "other.csv").stderr
    assert "of 3 labelled instances; the model does not know the labels of 2\n" in said
    said = ibgn("predict", "takes.ibgn", "takes.csv").stderr
    assert "of 2 labelled instances\n" in said
