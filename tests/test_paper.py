"""The paper's experiments: its numbers, a tiny run of all of them, verdicts and the report."""

import dataclasses
import io
import json
import re
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from ibgn import DataError, write
from ibgn.cli import app
from ibgn.cli.results import Watch
from ibgn.datasets import make_composable, make_daily_living, make_hand_signs, make_relations
from ibgn.errors import OptionError
from ibgn.evaluation import trials
from ibgn.evaluation.methods import METHODS
from ibgn.evaluation.robustness import Robustness
from ibgn.evaluation.scores import SCORES
from ibgn.reproduction import protocol
from ibgn.reproduction.markdown import to_markdown
from ibgn.reproduction.page import make_paper_report
from ibgn.reproduction.protocol import BUDGETS, Budget, PaperResults, Study, run_paper
from ibgn.reproduction.published import (
    DATA_SETS,
    DETECTION_F1,
    PAPER,
    published_accuracy,
    published_robustness,
)
from ibgn.reproduction.questions import COLUMNS, QUESTIONS, answer_row
from ibgn.reproduction.verdicts import (
    abilities_agree,
    best_of_ours,
    beyond,
    count_cells,
    detected_agree,
    ideal_agree,
    robust_agree,
)

NAMES = ["IHMM", "DBN", "ITBN", "IBGN-C", "IBGN-F", "IBGN"]
SEVEN = [*NAMES, "IBGN-T"]
SIMULATIONS = ["basketball", "composable", "daily living", "detectors", "hand signs"]
SIMULATIONS += ["hand signs, errors in both", "fingers"]


# what the paper prints


@pytest.mark.parametrize(
    ("data", "numbers"),
    [
        ("basketball", ".53 .58 .69 .79 .76 .81"),
        ("daily living", ".74 .83 .88 .98 .96 .98"),
        ("composable", ".93 .95 .51 .97 .98 .98"),
        ("hand signs", ".67 .81 .77 .82 .84 .86"),
        ("hand signs, detected", ".43 .51 .54 .49 .55 .58"),
    ],
)
def test_accuracies_are_those_of_the_paper(data, numbers):
    table = published_accuracy()
    part = table[table["data"] == data]
    assert part["method"].tolist() == NAMES == list(PAPER)
    assert part["published"].tolist() == [float(number) for number in numbers.split()]
    assert len(table) == 5 * 6


@pytest.mark.parametrize(
    ("data", "error", "rate", "numbers"),
    [
        ("daily living", "misdetection", 0.1, ".31 .73 .79 .92 .88 .94"),
        ("daily living", "duration", 0.3, ".16 .45 .69 .82 .83 .83"),
        ("daily living", "svm", 0.0, ".58 .54 .46 .83 .71 .85"),
        ("daily living", "tree", 0.0, ".16 .04 .38 .71 .54 .71"),
        ("hand signs", "misdetection", 0.4, ".52 nan .62 .66 .70 .70"),
        ("hand signs", "duration", 0.2, ".62 nan .77 .80 .81 .82"),
    ],
)
def test_accuracies_under_errors_are_those_of_the_paper(data, error, rate, numbers):
    table = published_robustness()
    at = (table["data"] == data) & (table["error"] == error) & (table["rate"] == rate)
    assert table.loc[at, "method"].tolist() == NAMES
    found = table.loc[at, "published"].to_numpy()
    np.testing.assert_array_equal(found, [float(number) for number in numbers.split()])


def test_what_the_paper_prints_of_its_data():
    assert {name: row[1:] for name, row in DATA_SETS.items()} == {
        "basketball": (2, 6, 72, "2-5"),
        "daily living": (5, 211, 125, "1-78"),
        "composable": (16, 26, 693, "3-11"),
        "hand signs": (19, 20, 3480, "5-17"),
    }
    assert DETECTION_F1 == 0.724
    table = published_robustness()
    assert table["published"].isna().sum() == 10  # cells that it leaves empty, all of DBN
    assert set(table.loc[table["published"].isna(), "method"]) == {"DBN"}
    assert len(table) == 6 * (3 + 3 + 3 + 5 + 5)


# verdicts

FOLDS = 5


def scores(error="none", rate=0.0, spread=0.01, **accuracies):
    """Accuracies of all methods, each with its own luck in each fold."""
    rng = np.random.default_rng(0)
    names = {"IBGN_C": "IBGN-C", "IBGN_F": "IBGN-F", "IBGN_T": "IBGN-T"}
    known = dict.fromkeys(NAMES, 0.5) | {names.get(k, k): v for k, v in accuracies.items()}
    rows = [
        {"method": method, "error": error, "rate": rate, "draw": 0, "repeat": 0, "fold": fold}
        | {"train": 80, "test": 20}
        | dict.fromkeys(SCORES, 0.0)
        | {"accuracy": mean + spread * luck}
        for method, mean in known.items()
        for fold, luck in enumerate(np.linspace(-1, 1, FOLDS)[rng.permutation(FOLDS)])
    ]
    return pd.DataFrame(rows)


def study(*tables, name="basketball"):
    found = Robustness(pd.concat(tables), pd.DataFrame())
    return Study(name, None, None, found)


def agrees(verdicts):
    return [verdict["agrees"] for verdict in verdicts]


def test_a_clear_lead_agrees():
    first, second, third = ideal_agree(study(scores(IBGN_F=0.8, IBGN=0.9, DBN=0.7, IHMM=0.2)))
    assert first["agrees"] is True
    assert first["text"].startswith(
        "The IBGN family is more accurate than the other methods (IBGN minus DBN: +0.200 ± "
    )
    assert second["agrees"] is True
    assert (
        "learned structure is no worse than fixed ones (IBGN minus IBGN-F: +0.1" in second["text"]
    )
    assert third["agrees"] is True
    assert re.match(r"IHMM is the weakest method \(\S+ minus IHMM: \+0\.300 ± ", third["text"])


def test_what_is_clearly_behind_differs():
    first, second, third = ideal_agree(study(scores(IBGN_C=0.6, ITBN=0.9, IHMM=0.7, IBGN=0.5)))
    assert agrees([first, second, third]) == [False, False, False]
    assert "(IBGN-C minus ITBN: -0.300 ± " in first["text"]
    assert "(IBGN minus IBGN-C: -0.100 ± " in second["text"]
    assert re.search(r"\((DBN|IBGN-F|IBGN) minus IHMM: -0\.200 ± ", third["text"])


def test_what_is_within_the_error_is_not_told_apart():
    same = scores(IBGN=0.61, IBGN_F=0.62, DBN=0.6, IHMM=0.48, spread=0.2)
    assert agrees(ideal_agree(study(same))) == [None, None, None]
    sure = scores(IBGN=0.61, IBGN_F=0.62, DBN=0.6, IHMM=0.48, spread=0.0001)
    assert agrees(ideal_agree(study(sure))) == [True, False, True]


def test_one_fold_tells_nothing():
    table = scores(IBGN_F=0.9, IBGN=0.8, DBN=0.6, IHMM=0.1)
    assert agrees(ideal_agree(study(table[table["fold"] == 0]))) == [None, None, None]


def test_methods_that_are_always_alike_are_not_told_apart():
    table = scores(spread=0.0, IHMM=0.5)
    assert agrees(ideal_agree(study(table))) == [None, True, None]


def test_the_weakest_method_depends_on_the_data():
    table = scores(ITBN=0.2, IBGN=0.9)
    assert ideal_agree(study(table, name="composable"))[2]["agrees"] is True
    assert "ITBN is the weakest" in ideal_agree(study(table, name="composable"))[2]["text"]
    assert ideal_agree(study(table))[2]["agrees"] is False


def test_errors_are_judged_at_the_largest_rate():
    clean = scores(IBGN=0.9, DBN=0.5)
    little = scores("misdetection", 0.1, IBGN=0.9, DBN=0.5)
    much = scores("misdetection", 0.3, IBGN_C=0.4, DBN=0.8)
    (verdict,) = robust_agree(study(clean, little, much), "misdetection")
    assert verdict["agrees"] is False
    assert verdict["text"].startswith("At 30% of misdetection errors the IBGN family is ahead (")
    assert "IBGN" in verdict["text"]
    assert "minus DBN: -0.300" in verdict["text"]
    (verdict,) = robust_agree(study(clean, little), "misdetection")
    assert verdict["agrees"] is True
    (verdict,) = robust_agree(study(clean, scores("knn", IBGN=0.7)), "knn")
    assert verdict["text"].startswith("With intervals that knn detected the IBGN family is ahead")
    assert verdict["agrees"] is True


def test_what_is_added_stands_beside_the_best_of_the_paper():
    clean = scores(IBGN_T=0.7, IBGN=0.8, ITBN=0.6)
    much = scores("duration", 0.5, IBGN_T=0.9, IBGN=0.5, ITBN=0.6)
    little = scores("duration", 0.1, IBGN_T=0.1)
    found = study(clean, little, much)
    assert beyond(found).startswith(
        "Beyond the paper, IBGN-T minus IBGN, the best of its six: -0.100 ± "
    )
    assert beyond(found, "duration").startswith(
        "Beyond the paper at 50% of duration errors, IBGN-T minus ITBN, the best of its six: +0.300"
    )


def predictions(recalls, instances):
    """Predictions of IBGN-F for the instances of each word, of which so many are right."""
    words = list(recalls)
    rows = [
        ("IBGN-F", "fingers", 0.0, 0, word, word if k < recalls[word] else words[place - 1])
        for place, word in enumerate(words)
        for k in range(instances)
    ]
    names = ["method", "error", "rate", "draw", "label", "predicted"]
    return pd.DataFrame(rows, columns=names)


@pytest.mark.parametrize(
    ("detected", "recalls", "instances", "expected", "counts"),
    [
        (0.6, {"bus": 100, "lab": 10, "leg": 70, "other": 90}, 100, [True] * 3, "2 and 1 of 4"),
        (0.6, {"bus": 10, "lab": 1, "leg": 7, "other": 9}, 10, [True, True, None], "2 and 1 of 4"),
        (0.85, {"bus": 100, "lab": 70, "leg": 80}, 100, [True, False, False], "1 and 0 of 3"),
        (0.6, {"bus": 70, "lab": 10, "leg": 75}, 100, [True, True, False], "0 and 1 of 3"),
    ],
)
def test_detection_is_judged_by_its_cost_and_its_words(
    detected, recalls, instances, expected, counts
):
    tables = [scores(IBGN_F=0.9), scores("fingers", spread=0.02, IBGN_F=detected)]
    found = Robustness(pd.concat(tables), predictions(recalls, instances))
    verdicts = detected_agree(Study("fingers", None, None, found), "fingers")
    assert agrees(verdicts) == expected
    loss = f"(IBGN-F with true minus with detected intervals: {0.9 - detected:+.3f} ± "
    assert loss in verdicts[1]["text"]
    assert f"({counts})" in verdicts[2]["text"]
    assert best_of_ours(found, "fingers") == "IBGN-F"


def measured(right=True):
    """Abilities as if they had been measured: as printed, or none as printed."""
    rows = [
        answer_row(question, name, question.enough if right else -1.0)
        for question in QUESTIONS
        for name in PAPER
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"agrees": object})


def test_abilities_are_judged_cell_by_cell():
    table = measured()
    told = abilities_agree(PaperResults("quick", 0, table, {}, {}))
    claimed = table[table["paper"] != ""]
    wrong = claimed[claimed["answer"] != claimed["paper"]]
    assert 0 < len(wrong) < len(claimed)
    assert agrees(told) == [False] * len(wrong)
    for verdict, row in zip(told, wrong.to_dict(orient="records"), strict=True):
        assert verdict["text"].startswith(row["method"])
        assert f"Here {row['answer']}, paper {row['paper']}." in verdict["text"]
        assert verdict["text"].endswith(row["note"] or ".")
    right = len(claimed) - len(wrong)
    told = count_cells(PaperResults("quick", 0, table, {}, {}))
    assert told.startswith(f"{right} of {len(claimed)} cells")


# a run of everything, tiny

SLOW_FIXTURES = ("run",)


@pytest.fixture(scope="module")
def tiny():
    """Budgets and simulations so small that all experiments take seconds."""
    with pytest.MonkeyPatch.context() as patch:
        budget = Budget(20, 60, 1, 1, (0.3,), 3, 12, False)
        patch.setattr(protocol, "BUDGETS", {"quick": budget, "usual": budget})
        patch.setattr(protocol, "make_composable", smaller(make_composable, 80))
        patch.setattr(protocol, "make_daily_living", smaller(make_daily_living, 25))
        patch.setattr(protocol, "make_hand_signs", few_words)
        patch.setattr(protocol, "measure_abilities", lambda *_: measured())
        yield patch


def smaller(make, instances):
    return lambda **options: make(**({"instances": instances} | options))


def few_words(**options):
    X, y, signers, *angles = make_hand_signs(**options)
    kept = np.flatnonzero(np.isin(y, ["air", "bus", "ketchup", "lab", "quiz", "teaspoon"]))
    return X[kept], y[kept], signers[kept], *([one[d] for d in kept] for one in angles)


@pytest.fixture(scope="module")
def recording():
    return make_relations(instances_per_activity=5, random_state=0)


@pytest.fixture(scope="module")
def run(tiny, recording, tmp_path_factory):
    """Results of a run, its folder of journals, and reports of its progress."""
    folder = tmp_path_factory.mktemp("run") / "new" / "journals"
    begun, done = [], []
    results = run_paper(
        "quick",
        {"../a b": recording},
        n_jobs=1,
        journals=folder,
        on_begin=lambda *part: begun.append(part),
        on_done=lambda task, result: done.append((len(begun), task.method)),
    )
    return results, folder, begun, done


def numbers(results):
    """All tables, without what depends on the machine."""
    return {
        name: (
            study.robustness.scores.drop(columns=["fit_seconds", "predict_seconds"]),
            study.robustness.predictions,
        )
        for name, study in results.studies.items()
    }


def assert_same(one, other):
    one, other = numbers(one), numbers(other)
    assert list(one) == list(other)
    for name, tables in one.items():
        for table, same in zip(tables, other[name], strict=True):
            pd.testing.assert_frame_equal(table, same)


@pytest.fixture
def tried(monkeypatch):
    """Every learning and testing that is really done."""
    calls, original = [], trials._try

    def spy(*arguments):
        calls.append(arguments[0])
        return original(*arguments)

    monkeypatch.setattr(trials, "_try", spy)
    return calls


@pytest.fixture
def first(tiny, monkeypatch):
    """Only so many of the experiments."""
    original = protocol._plans

    def only(number):
        monkeypatch.setattr(protocol, "_plans", lambda *given: islice(original(*given), number))

    return only


def begin_of(results, number):
    """The same results, but for those of later experiments."""
    studies = dict(islice(results.studies.items(), number))
    return dataclasses.replace(results, studies=studies)


def test_all_experiments_are_run(run):
    results, _, begun, done = run
    assert list(results.studies) == [*SIMULATIONS, "recording ../a b"]
    assert results.recordings == ["recording ../a b"]
    assert set(results.interval_f1) == {"knn", "svm", "tree", "fingers"}
    assert all(0 < f1 <= 1 for f1 in results.interval_f1.values())
    for name, one in results.studies.items():
        assert one.name == name
        assert list(dict.fromkeys(one.robustness.scores["method"])) == SEVEN
    told = [name for name, _ in begun]
    assert told == ["what each model can express", *results.studies]
    for number, (_, tasks) in enumerate(begun, 1):
        assert sum(part == number for part, _ in done) == tasks


def test_methods_learn_again_only_where_what_they_learn_from_differs(run):
    tasks = dict(run[2])
    once = 7 * 5  # methods and folds
    assert tasks["basketball"] == tasks["daily living"] == tasks["hand signs"] == once
    assert tasks["hand signs, errors in both"] == 3 * once
    assert tasks["fingers"] == 2 * once  # from true intervals, and from those detected
    assert tasks["detectors"] == 7 * 4


def test_conditions_are_those_of_the_paper(run):
    results = run[0]

    def conditions(name):
        table = results.studies[name].robustness.scores
        return set(table[["error", "rate"]].itertuples(index=False, name=None))

    clean, both = {("none", 0.0)}, ("misdetection", "duration")
    three = {(error, rate) for error in both for rate in (0.1, 0.2, 0.3)}
    five = three | {(error, rate) for error in both for rate in (0.4, 0.5)}
    assert conditions("basketball") == conditions("composable") == clean
    assert conditions("daily living") == clean | three
    assert conditions("hand signs") == clean | five
    assert conditions("hand signs, errors in both") == clean | {(e, 0.3) for e in both}
    assert conditions("detectors") == clean | {(name, 0.0) for name in ("knn", "svm", "tree")}
    assert conditions("fingers") == clean | {("fingers", 0.0)}
    assert conditions("recording ../a b") == clean | {(e, 0.2) for e in both}
    people = results.studies["detectors"].X.groups
    assert results.studies["detectors"].robustness.scores["fold"].nunique() == len(set(people)) == 4
    assert results.studies["basketball"].robustness.scores["fold"].nunique() == 5


def test_chains_are_as_short_as_the_budget_says(tiny, monkeypatch):
    given = []
    monkeypatch.setattr(protocol, "_plans", lambda *_: [])
    monkeypatch.setattr(protocol, "measure_abilities", lambda *a: given.append(a) or measured())
    run_paper("quick", seed=3)
    methods, seed, jobs = given[0]
    assert (list(methods), seed, jobs) == (NAMES, 3, None)
    assert [methods[name](3).get_params()["draws"] for name in NAMES[3:]] == [20] * 3
    assert [methods[name](3).get_params()["budget"] for name in NAMES[3:]] == [60] * 3
    assert methods["DBN"](3).get_params() == METHODS["DBN"](3).get_params()
    assert (BUDGETS["full"].repeats, BUDGETS["full"].search) == (10, True)


def test_a_second_run_does_nothing_again(run, first, tried):
    results, folder, _, done = run
    first(4)
    told = []
    again = run_paper("quick", n_jobs=1, journals=folder, on_done=lambda *_: told.append(1))
    assert tried == []
    assert len(told) == sum(part <= 5 for part, _ in done)  # the first part has no tasks
    assert_same(begin_of(results, 4), again)
    first(1)
    run_paper("quick", n_jobs=1, journals=folder, seed=1)
    assert len(tried) == 35  # what is not the same is done


def test_names_of_recordings_are_no_names_of_files(run):
    _, folder, _, _ = run
    files = [path.name for path in folder.parent.parent.rglob("*") if path.is_file()]
    assert len(files) == 8
    assert all(re.fullmatch(r"[0-9a-f]{16}\.journal", name) for name in files)


def test_an_interrupted_run_resumes(run, first, tried, tmp_path):
    first(2)
    left = iter(range(50))

    def stop(*_):
        if next(left, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_paper("quick", n_jobs=1, journals=tmp_path, on_done=stop)
    assert len(tried) == 51
    results = run_paper("quick", n_jobs=1, journals=tmp_path)
    assert len(tried) == 70
    assert_same(begin_of(run[0], 2), results)


def test_jobs_do_not_matter_and_seeds_do(run, first):
    first(2)
    assert_same(begin_of(run[0], 2), run_paper("quick", n_jobs=2))
    first(1)
    other = run_paper("quick", n_jobs=1, seed=1).studies["basketball"].robustness.predictions
    same = run[0].studies["basketball"].robustness.predictions
    assert other["confidence"].tolist() != same["confidence"].tolist()


def test_jobs_do_not_matter_to_detectors(run):
    one, two = (protocol._detectors(protocol.BUDGETS["quick"], 0, jobs) for jobs in (1, 2))
    assert one.interval_f1 == two.interval_f1
    assert one.interval_f1.items() <= run[0].interval_f1.items()
    for by_one, by_two in zip(one.conditions[1:], two.conditions[1:], strict=True):
        assert by_one.intervals.to_lists() == by_two.intervals.to_lists()
    assert [condition.error for condition in one.conditions] == ["none", "knn", "svm", "tree"]


def test_what_cannot_be_split_is_told_before_the_work(tiny, recording, monkeypatch):
    monkeypatch.setattr(protocol, "measure_abilities", None)  # which would be the first to run
    X, _ = recording
    with pytest.raises(DataError, match="recording 'mine': there is only one label"):
        run_paper("quick", {"good": recording, "mine": (X, np.full(len(X), "tea"))})
    with pytest.raises(DataError, match="recording 'few': 5 folds need 5 instances of a label"):
        run_paper("quick", {"few": (X[:8], np.arange(8).astype(str))})
    with pytest.raises(OptionError, match="budget='fast' is not a choice"):
        run_paper("fast")


# the report


@pytest.fixture(scope="module")
def report(run):
    return make_paper_report(run[0], "ibgn paper --quick")


def section_of(report, title):
    return next(one for one in report.summary["sections"] if one["title"] == title)


def test_the_report_has_everything_in_the_order_of_the_paper(report):
    assert json.loads(json.dumps(report.summary, allow_nan=False)) == report.summary
    assert [section["title"] for section in report.summary["sections"]] == [
        "What each model can express",
        "The data",
        *(f"Intervals given: {name}" for name in list(DATA_SETS)),
        "Errors of detection: daily living",
        "Real detectors: daily living",
        "Errors of detection: hand signs",
        "Errors in the training data too: hand signs",
        "Hand signs, detected and true",
        "Real recordings",
    ]
    shown = [name for section in report.summary["sections"] for name in section["figures"]]
    assert sorted(shown) == sorted(report.figures)
    assert len(shown) == 4 + 2 + 1 + 2 + 1
    assert report.summary["reproduce"]["command"] == "ibgn paper --quick"


def test_the_headline_counts_the_verdicts_on_accuracy(report, run):
    _, *sections = report.summary["sections"]
    found = [verdict["agrees"] for section in sections for verdict in section["verdicts"]]
    line, cells = re.fullmatch(r"(.*?\.) (.*)", report.summary["headline"]).groups()
    given = [int(number) for number in re.findall(r"\d+", line)]
    assert given == [len(found), found.count(True), found.count(False), found.count(None)]
    assert len(found) > 20
    assert sum(given[1:]) == given[0]
    assert cells == count_cells(run[0])


def test_accuracies_stand_beside_those_of_the_paper(report, run):
    found = run[0].studies["composable"].robustness.scores
    table = report.frames["ideal-composable"]
    assert table["method"].tolist() == SEVEN
    assert table["paper"].tolist()[:6] == [0.93, 0.95, 0.51, 0.97, 0.98, 0.98]
    assert np.isnan(table["paper"][6])  # the paper knows nothing of IBGN-T
    means = found.groupby("method")["accuracy"].mean()
    assert table["accuracy"].tolist() == pytest.approx(means[SEVEN].tolist(), abs=6e-4)
    assert means.nunique() > 2


def test_rates_are_rows_and_the_paper_is_in_brackets(report, run):
    curves = run[0].studies["hand signs"].robustness.curves()
    table = report.frames["hand-signs-misdetection"].set_index("rate")
    assert list(table.index) == ["10%", "20%", "30%", "40%", "50%"]
    at = (curves["error"] == "misdetection") & (curves["rate"] == 0.4)
    ours = curves[at].set_index("method")["accuracy"]
    assert table.loc["40%", "IBGN"] == f"{ours['IBGN']:.3f} (0.70)"
    assert table.loc["40%", "IHMM"] == f"{ours['IHMM']:.3f} (0.52)"
    assert table.loc["40%", "IBGN-T"] == f"{ours['IBGN-T']:.3f}"
    assert table.loc["40%", "DBN"] == f"{ours['DBN']:.3f}"  # a cell that the paper leaves empty
    both = report.frames["both-duration"]
    assert both["rate"].tolist() == ["30%"]
    assert both["ITBN"][0].endswith("(0.77)")
    living = report.frames["daily-living-duration"].set_index("rate")
    assert living.loc["20%", "DBN"].endswith("(0.45)")


def test_detectors_and_fingers_have_their_quality(report, run):
    table = report.frames["detectors"].set_index("intervals")
    assert list(table.index) == ["true", "knn", "svm", "tree"]
    assert table.loc["true", "interval F1"] == ""
    for name in ("knn", "svm", "tree"):
        assert table.loc[name, "interval F1"] == f"{run[0].interval_f1[name]:.3f}"
    assert table.loc["knn", "IBGN"].endswith(" (0.91)")
    lead = section_of(report, "Hand signs, detected and true")["lead"]
    assert f"F1 of {run[0].interval_f1['fingers']:.3f} (the paper's tracker: 0.724)" in lead[0]
    fingers = report.frames["fingers"]
    assert fingers["paper, detected"].tolist()[:6] == [0.43, 0.51, 0.54, 0.49, 0.55, 0.58]
    assert fingers["paper, true"].tolist()[:6] == [0.67, 0.81, 0.77, 0.82, 0.84, 0.86]
    scores = run[0].studies["fingers"].robustness.scores
    for column, error in (("true intervals", "none"), ("detected", "fingers")):
        means = scores[scores["error"] == error].groupby("method")["accuracy"].mean()
        assert fingers[column].tolist() == pytest.approx(means[SEVEN].tolist(), abs=6e-4)
    confusion = report.frames["confusion"].set_index("label")
    assert confusion.to_numpy().sum() == len(run[0].studies["fingers"].X)


def test_data_are_counted_beside_the_paper(report, run):
    table = report.frames["data"].set_index("simulation")
    assert list(table.index) == list(DATA_SETS)
    assert table.loc["composable", "instances"] == "80 (693)"
    assert table.loc["basketball", "activities"] == "2 (2)"
    assert table["stands for"].tolist() == [row[0] for row in DATA_SETS.values()]
    lengths = run[0].studies["basketball"].X.lengths
    wanted = f"{lengths.min()}-{lengths.max()} (2-5)"
    assert table.loc["basketball", "intervals per instance"] == wanted


def test_recordings_have_a_row_for_each_condition(report, run, recording):
    table = report.frames["recordings"]
    assert table["recordings"].tolist() == ["../a b"] * 3
    assert table["errors"].tolist() == ["none", "misdetection", "duration"]
    curves = run[0].studies["recording ../a b"].robustness.curves().iloc[0]
    assert table["IHMM"][0] == f"{curves['accuracy']:.3f} ± {curves['accuracy_error']:.3f}"
    gains = report.frames["gains"]
    assert gains[["recordings", "errors"]].equals(table[["recordings", "errors"]])
    for row, best in zip(table.to_dict(orient="records"), gains["best of six"], strict=True):
        accuracy = {name: float(row[name].split()[0]) for name in SEVEN}
        assert accuracy[best] == max(accuracy[name] for name in NAMES)
        difference = gains.loc[gains["errors"] == row["errors"], "difference"].item()
        assert difference == pytest.approx(accuracy["IBGN-T"] - accuracy[best], abs=2e-3)
    assert gains["p"].between(0, 1).any()
    without = make_paper_report(begin_of(run[0], 7), "")
    titles = [section["title"] for section in without.summary["sections"]]
    assert "Real recordings" not in titles
    assert len(titles) == 11


# Markdown


def test_markdown_has_all_sections_tables_and_verdicts(report):
    text = to_markdown(report.summary)
    lines = text.splitlines()
    sections = report.summary["sections"]
    assert [line[3:] for line in lines if line.startswith("## ")] == [s["title"] for s in sections]
    tables = [table for section in sections for table in section["tables"]]
    rows = sum(2 + len(table["rows"]) for table in tables)
    assert sum(line.startswith("|") for line in lines) == rows
    verdicts = [v for section in sections for v in section["verdicts"]]
    told = [line for line in lines if line.startswith("- **")]
    words = {True: "agrees", False: "differs", None: "cannot tell"}
    assert [line.split("**")[1] for line in told] == [words[v["agrees"]] for v in verdicts]
    assert lines[0] == report.summary["headline"]


@pytest.mark.parametrize(
    "name",
    [
        "a|b",
        "`x`",
        "<script>",
        "two\nlines",
        "a\rb",
        "[x](javascript:1)",
        "*b*",
        "a\\|b",
        "a\u2028b",
    ],
)
def test_names_are_no_markup_in_markdown(name):
    table = {"caption": name, "columns": ["recording", "DBN"], "rows": [[name, None]]}
    section = {"title": "T", "lead": [], "tables": [table], "verdicts": []}
    text = to_markdown({"headline": "H", "sections": [section]})
    *_, last = text.splitlines()
    assert len(text.splitlines()) == 9
    assert len(re.split(r"(?<!\\)(?:\\\\)*\|", last)) == 4  # two cells
    assert not re.search(r"(?<!\\)[`*\[\]<>]", last)


# the command


@pytest.fixture
def at_once(run, report, monkeypatch):
    """The command without the work: gives what it asked for."""
    asked = []

    def ready(*given, **options):
        asked.append((*given, options))
        return run[0]

    monkeypatch.setattr(protocol, "run_paper", ready)
    monkeypatch.setattr("ibgn.reproduction.page.make_paper_report", lambda *_: report)
    return asked


def test_command_writes_everything(at_once, report, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["paper", "--quick", "--out", "new/out", "--json"])
    assert result.exit_code == 0, result.exception
    told = json.loads(result.stdout)
    saved = json.loads((tmp_path / "new/out/pieces/summary.json").read_text("utf-8"))
    assert {name: told[name] for name in saved} == saved
    assert told["output"] == "new/out"
    assert (tmp_path / "new/out/report.md").read_text("utf-8").startswith("Of ")
    page = (tmp_path / "new/out/report.html").read_text("utf-8")
    assert page.count("<svg") == len(report.figures)
    for name, table in report.frames.items():
        assert len(pd.read_csv(tmp_path / "new/out/pieces" / f"{name}.csv")) == len(table)
    names = [path.name for path in (tmp_path / "new/out/pieces").iterdir()]
    assert all(re.fullmatch(r"[a-z]+(-[a-z0-9]+)*\.(png|csv|json)", name) for name in names)
    budget, given, options = at_once[0]
    assert (budget, given, options["seed"]) == ("quick", {}, 0)
    assert str(options["journals"]) == "new/out/journals"


def test_command_prints_verdicts_and_takes_recordings(at_once, recording, tmp_path, monkeypatch):
    monkeypatch.setattr("ibgn.report.report.Report.save", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "many").mkdir()
    for name in ("one.csv", "many/b.csv", "many/a.csv"):
        write(recording[0], tmp_path / name, recording[1])
    (tmp_path / "many" / "notes.txt").write_text("not a recording")
    for options in ([], ["--full"]):
        result = CliRunner().invoke(app, ["paper", *options, "--force", "many", "one.csv"])
        assert result.exit_code == 0, result.exception
    assert "cannot tell" in result.stdout or "differs" in result.stdout
    assert "Of " in result.stdout
    assert [(budget, list(given)) for budget, given, _ in at_once] == [
        ("usual", ["a", "b", "one"]),
        ("full", ["a", "b", "one"]),
    ]


@pytest.fixture
def files(tmp_path, recording):
    X, y = recording
    write(X, tmp_path / "takes.csv", y)
    write(X, tmp_path / "unlabelled.csv")
    write(X, tmp_path / "alike.csv", np.full(len(X), "tea"))
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    write(X, tmp_path / "other" / "takes.csv", y)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["--quick", "--full"], OptionError, "--quick cannot be combined with --full"),
        (["unlabelled.csv"], DataError, "'unlabelled.csv' has no labels; name their column"),
        (["empty"], DataError, "there is no .csv file in 'empty'; name files"),
        (["takes.csv", "empty"], DataError, "there is no .csv file in 'empty'; name files"),
        (["takes.csv", "other"], DataError, "two recordings are called 'takes'"),
        (["takes.csv", "nowhere.csv"], DataError, "there is no file 'nowhere.csv'"),
        (["alike.csv"], DataError, "recording 'alike': there is only one label"),
        (["--out", "takes.csv"], OptionError, "--out takes.csv is a file; name a folder"),
        (["--jobs", "0"], OptionError, "--jobs 0 must be "),
    ],
)
def test_command_refuses(files, tiny, monkeypatch, arguments, error, message):
    monkeypatch.chdir(files)
    monkeypatch.setattr(protocol, "measure_abilities", None)
    result = CliRunner().invoke(app, ["paper", *arguments])
    assert type(result.exception) is error
    assert message in str(result.exception)
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--quick", "--full"], 2, "error: --quick cannot be combined with --full"),
        (["unlabelled.csv"], 1, "'unlabelled.csv' has no labels; name their column with --column"),
    ],
)
def test_failures_end_in_a_message(ibgn, files, arguments, code, message):
    result = ibgn("paper", *arguments)
    assert result.returncode == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_a_name_that_is_not_in_unicode_is_written_out(at_once, recording, tmp_path, monkeypatch):
    monkeypatch.setattr("ibgn.report.report.Report.save", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "data"
    data.mkdir()
    write(recording[0], data / "takes.csv", recording[1])
    odd = data / b"t\xff.csv".decode("utf-8", "surrogateescape")
    try:
        (data / "takes.csv").rename(odd)
    except OSError:
        pytest.skip("this file system knows only names in Unicode")
    result = CliRunner().invoke(app, ["paper", str(data)])
    assert result.exit_code == 0, result.exception
    assert list(at_once[0][1]) == ["t\\udcff"]


def test_progress_shows_names_as_they_are_written():
    from rich.console import Console

    shown = []
    Watch(SimpleNamespace(update=shown.append)).begin("recording [/red] \x1b[31m", 30)
    file = io.StringIO()
    Console(file=file, width=200).print(shown[-1])
    assert "recording [/red] \\x1b[31m" in file.getvalue()
