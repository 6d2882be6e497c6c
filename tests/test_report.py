"""What a report says is what was measured, and all of its pieces are files that can be read."""

import csv
import dataclasses
import json
import re
from collections import Counter
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from PIL import Image
from sklearn.base import BaseEstimator
from sklearn.metrics import classification_report, confusion_matrix

from ibgn import DataError, DataWarning, IntervalSequences, Structure
from ibgn.classifiers.ibgn import IBGNClassifier
from ibgn.datasets import make_hand_signs
from ibgn.errors import OptionError
from ibgn.evaluation.evaluate import Evaluation, evaluate
from ibgn.evaluation.folds import Fold, make_folds
from ibgn.evaluation.learning import learning_curve
from ibgn.evaluation.methods import METHODS, make_estimators
from ibgn.evaluation.plain import rows as plain
from ibgn.evaluation.scores import SCORES
from ibgn.metrics import calibration_by_chance, calibration_error
from ibgn.noise import Misdetection
from ibgn.plots.style import method_looks
from ibgn.report import SECTIONS, Figure, Origin, Report, Section, find, make_report
from ibgn.report.findings import MOST_HARD, _choose
from ibgn.report.report import make_headline
from ibgn.report.sections import model as model_section
from ibgn.report.sections.robustness import robustness_figures
from ibgn.report.svg import draw_svg

ORIGIN = Origin("Signs", "Which?", "ibgn evaluate signs.csv", 5, "stratified")


ONLY_A_PIECE = {"comparison"}  # the page has it as a column of a table
PAPER = {"terms": ("tables", "relations"), "weights": "equal", "copy_weight": 0.0}


def quick(seed):
    return IBGNClassifier("full", draws=20, budget=60, random_state=seed, **PAPER)


THREE = {"extra trees": METHODS["extra trees"], "IBGN-F": quick, "DBN": METHODS["DBN"]}
TWO = {"IBGN-F": quick, "DBN": METHODS["DBN"]}
PLAIN = {name: METHODS[name] for name in ("extra trees", "nearest raster")}


def looked_at(X, y, methods, folds, **options):
    found = evaluate(X, y, methods, folds, seed=ORIGIN.seed)
    return find(ORIGIN, X, y, found, folds, methods, **options)


@pytest.fixture(scope="module")
def signs():
    """A few words with so many errors that none is recognised always."""
    X, y, _ = make_hand_signs(instances_per_style=8, random_state=0)
    chosen = np.isin(y, ["air", "bus", "lab", "leg", "quiz"])
    return Misdetection(0.5, random_state=0).fit_transform(X[chosen]), y[chosen]


@pytest.fixture(scope="module")
def study(signs):
    X, y = signs
    folds = make_folds(X, y, "stratified", 3, 2, seed=1)
    findings = looked_at(X, y, THREE, folds)
    report = make_report(findings)
    found = findings.evaluation.predictions
    part = found[found["method"] == "IBGN-F"]
    return SimpleNamespace(
        X=X, y=y, folds=folds, findings=findings, part=part, report=report, summary=report.summary
    )


# numbers


def test_activities_have_the_scores_of_scikit_learn(study):
    wanted = classification_report(
        study.part["label"], study.part["predicted"], output_dict=True, zero_division=0
    )
    rows = {row["activity"]: row for row in study.summary["activities"]["rows"]}
    assert set(rows) == set(study.y)
    for name, row in rows.items():
        told = (row["precision"], row["recall"], row["f1"])
        given = (wanted[name]["precision"], wanted[name]["recall"], wanted[name]["f1-score"])
        assert told == pytest.approx(given, abs=1e-12)
        assert row["instances"] == (study.y == name).sum() == wanted[name]["support"] / 2
    assert len({row["f1"] for row in rows.values()}) > 2  # or the numbers would tell nothing


def test_mistakes_are_counted(study):
    told = study.summary["activities"]
    wanted = confusion_matrix(study.part["label"], study.part["predicted"], labels=told["labels"])
    assert told["counts"] == wanted.tolist()
    assert told["method"] == "IBGN-F"
    for row in study.summary["activities"]["rows"]:
        of_it = study.part[study.part["label"] == row["activity"]]
        wrong = Counter(of_it.loc[of_it["predicted"] != row["activity"], "predicted"])
        assert wrong[row["mistaken_for"]] == row["mistaken"] == max(wrong.values(), default=0)
    assert sum(row["mistaken"] for row in study.summary["activities"]["rows"])


def test_every_method_has_its_reliability(study):
    told, found = study.summary["calibration"], study.findings.evaluation
    assert [row["method"] for row in told["methods"]] == found.ranking()
    bins = pd.DataFrame(told["rows"])
    pd.testing.assert_frame_equal(bins, found.reliability())
    for row in told["methods"]:
        part = found.predictions[found.predictions["method"] == row["method"]]
        right = part["label"] == part["predicted"]
        assert row["confidence"] == pytest.approx(part["confidence"].mean())
        assert row["accuracy"] == pytest.approx(right.mean())
        once = part["repeat"] == 0
        limit = calibration_by_chance(part.loc[once, "confidence"].to_numpy(float))[-1]
        assert row["calibration_limit"] == limit
        errors = [
            calibration_error(right[chosen].to_numpy(), part.loc[chosen, "confidence"].to_numpy())
            for chosen in (once, ~once)
        ]
        assert row["calibration_error"] == pytest.approx(np.mean(errors))
        own = bins[bins["method"] == row["method"]]
        assert own["instances"].sum() == len(part) == 2 * len(study.X)
        assert (own["accuracy"] * own["instances"]).sum() == pytest.approx(right.sum())
        assert len(own) > 1
    names = [name for name in study.report.figures if name.startswith("reliability-")]
    assert names == ["reliability-0", "reliability-1", "reliability-2"]
    assert "How sure each method is" in study.report.html()


def test_a_method_that_is_always_sure_has_no_diagram_and_is_named():
    findings = looked_at(*no_reasons())
    report = make_report(findings)
    methods = report.summary["calibration"]["methods"]
    sure = {row["method"]: row["always_sure"] for row in methods}
    assert sure == {"extra trees": False, "nearest raster": True}
    drawn = [row["method"] for row in methods].index("extra trees")
    names = [name for name in report.figures if name.startswith("reliability-")]
    assert names == [f"reliability-{drawn}"]
    assert report.html().count("It states no probabilities: it is always sure.") == 1


def test_a_learning_curve_has_a_section(signs):
    X, y = signs
    methods = {"DBN": METHODS["DBN"], "extra trees": METHODS["extra trees"]}
    folds = make_folds(X, y, "stratified", 2)
    curve = learning_curve(X, y, methods, folds, [1, 3], seed=ORIGIN.seed)
    found = find(ORIGIN, X, y, curve.whole(), folds, methods, learning=curve.curves())
    report = make_report(found)
    ranked = found.ranked(curve.curves())
    assert list(dict.fromkeys(ranked["method"])) == found.evaluation.ranking()
    assert report.summary["learning"] == plain(ranked)
    assert json.loads(json.dumps(report.summary)) == report.summary
    pd.testing.assert_frame_equal(report.frames["learning-curve"], ranked)
    page = report.html()
    assert '<section id="learning"' in page
    section = page[page.index('<section id="learning"') :]
    section = section[: section.index("</section>")]
    whole = curve.curves()["per_activity"].max()
    assert re.findall(r'<th scope="col" class="num">(.*?)</th>', section)[:3] == [
        "1",
        "3",
        f"all ({whole:.3g})",
    ]
    assert section.count("<svg") == 2
    for value in curve.curves()["accuracy"]:
        assert f"{value:.3f}".lstrip("0") in section
    assert make_report(dataclasses.replace(found, learning=None)).summary["learning"] == []


def test_mistakes_by_hand(study):
    rows = [
        *[("tea", "milk", 0.95)] * 3,
        *[("tea", "soup", 0.75)] * 1,
        *[("soup", "tea", 1.0)] * 5,
        *[("soup", "soup", 0.75)] * 3,
        *[("milk", "milk", 0.85)] * 2,
    ]
    table = pd.DataFrame(rows, columns=["label", "predicted", "confidence"])
    table = table.assign(method="IBGN-F", repeat=0, fold=0, probability=0.5)
    evaluation = dataclasses.replace(study.findings.evaluation, predictions=table)
    findings = dataclasses.replace(study.findings, evaluation=evaluation)
    told = {
        row["activity"]: (row["mistaken_for"], row["mistaken"])
        for row in findings.activity_scores.to_dict("records")
    }
    assert told == {"tea": ("milk", 3), "soup": ("tea", 5), "milk": (None, 0)}
    bins = findings.reliability
    assert bins["instances"].tolist() == [4, 2, 8]
    assert bins["confidence"].tolist() == pytest.approx([0.75, 0.85, (3 * 0.95 + 5) / 8])
    assert bins["accuracy"].tolist() == [0.75, 1.0, 0.0]


def test_the_comparison_is_that_of_the_evaluation(study):
    told, found = study.summary["comparison"], study.findings.evaluation
    assert told["chance"] == max(Counter(study.y).values()) / len(study.y)
    assert (told["folds"], told["repeats"]) == (3, 2)
    assert told["split"] == "Each fold has its share of every activity."
    rows = pd.DataFrame(told["rows"])
    pd.testing.assert_frame_equal(rows, found.summary())
    by_hand = found.scores.groupby("method")["accuracy"].mean()
    assert dict(zip(rows["method"], rows["accuracy"], strict=True)) == pytest.approx(dict(by_hand))
    assert told["reference"] == by_hand.idxmax()
    pd.testing.assert_frame_equal(pd.DataFrame(told["tests"]), found.compare())
    assert {row["reference"] for row in told["tests"]} == {told["reference"]}


def test_sections_are_in_the_order_of_the_page(study):
    names = [section.name for section in SECTIONS]
    assert list(study.summary) == ["title", "question", "headline", *names]
    page = study.report.html()
    shown = [name for name in names if study.summary[name]]
    assert re.findall(r'<li><a href="#([^"]+)">', page) == shown
    assert re.findall(r'<section id="([^"]+)"', page) == shown
    assert study.summary["reproduce"]["command"] == ORIGIN.command
    assert study.summary["reproduce"]["seed"] == 5
    assert study.summary["reproduce"]["versions"]["numpy"] == np.__version__
    assert study.summary["data"]["instances"] == len(study.X)
    origin = dataclasses.replace(ORIGIN, warnings=("dropped 2 rows",))
    report = make_report(dataclasses.replace(study.findings, origin=origin))
    told = report.summary["data"]["warnings"]
    assert told == ["dropped 2 rows", *study.summary["data"]["warnings"]]


def hand_made(**accuracies):
    """An evaluation with the accuracies of each fold; other scores do not matter."""
    rows = [
        {"method": name, "repeat": 0, "fold": fold, "train": 80, "test": 20}
        | dict.fromkeys(SCORES, 0.0)
        | {"accuracy": value, "fit_seconds": 0.0, "predict_seconds": 0.0}
        for name, values in accuracies.items()
        for fold, value in enumerate(values)
    ]
    table = pd.DataFrame(rows)
    predictions = table[["method", "repeat", "fold"]].assign(label="x", predicted="x", confidence=1)
    return Evaluation(table, predictions)


@pytest.mark.parametrize(
    ("accuracies", "told"),
    [
        (
            {"A": (0.90, 0.92, 0.91, 0.9), "B": (0.5, 0.51, 0.49, 0.52)},
            "on average over 4 folds, significantly more than every other method (p < 0.05",
        ),
        (
            {"A": (0.9, 0.8, 0.9, 0.8), "B": (0.5, 0.4, 0.51, 0.4), "C": (0.8, 0.9, 0.79, 0.9)},
            ". These do not differ significantly from it: C.",
        ),
        ({"A": (0.9,), "B": (0.1,)}, "1 fold. No other method differs significantly from it"),
        ({"A": (0.9, 0.8)}, "on average over 2 folds."),
    ],
)
def test_the_headline_says_what_is_told_apart(study, accuracies, told):
    findings = dataclasses.replace(study.findings, evaluation=hand_made(**accuracies))
    line = make_headline(findings)
    begin = f"A is the most accurate of {len(accuracies)} methods: "
    begin = begin if len(accuracies) > 1 else "A recognises "
    assert line.startswith(f"{begin}{np.mean(accuracies['A']):.1%}")
    assert told in line
    assert ("±" in line) == (len(accuracies["A"]) > 1)


# what is hard


def test_the_hardest_have_the_least_probability_in_the_first_repetition(study):
    first = study.part[study.part["repeat"] == 0]
    wanted = first.sort_values("probability", kind="stable")[:MOST_HARD]
    assert [one.name for one in study.findings.hardest] == wanted["instance"].tolist()
    place = {name: d for d, name in enumerate(study.X.ids)}
    for one, row in zip(study.findings.hardest, wanted.to_dict(orient="records"), strict=True):
        told = (one.label, one.predicted, one.probability)
        assert told == (row["label"], row["predicted"], row["probability"])
        assert one.label == study.y[place[one.name]]
        assert one.instance.to_lists() == study.X[place[one.name]].to_lists()
    assert study.findings.hardest[0].predicted != study.findings.hardest[0].label


def test_log_odds_of_the_hardest_add_up_to_what_the_model_thought(study):
    for one, told in zip(study.findings.hardest, study.summary["hardest"], strict=True):
        why = one.explanation
        assert sum(told["parts"].values()) == pytest.approx(told["log_odds"], abs=1e-9)
        assert why.frame()["contribution"].sum() == pytest.approx(why.log_odds, abs=1e-9)
        assert told["reasons"] == [reason._asdict() for reason in why.reasons(8)]
        assert told["headline"] == why.headline
        if one.predicted == one.label:
            assert told["activity"] == one.label
            continue
        assert (told["activity"], told["against"]) == (one.predicted, one.label)
        row = study.part[(study.part["repeat"] == 0) & (study.part["instance"] == one.name)].iloc[0]
        odds = np.log(row["confidence"]) - np.log(row["probability"])
        assert told["log_odds"] == pytest.approx(odds, abs=1e-6)


class Spied(IBGNClassifier):
    """Remembers what it learned from when it explains."""

    explained: list

    def fit(self, X, y):
        self.known_ = set(X.ids.tolist())
        return super().fit(X, y)

    def explain(self, instance, against=None, activity=None):
        Spied.explained.append((self, instance.ids[0]))
        return super().explain(instance, against, activity)


def spied(seed):
    return Spied("full", draws=20, budget=60, random_state=seed)


def test_explanations_come_from_models_that_did_not_learn_from_the_instance(signs):
    X, y = signs
    folds = make_folds(X, y, "stratified", 2, 2)
    Spied.explained = []
    findings = looked_at(X, y, {"IBGN": spied}, folds)
    assert [name for _, name in Spied.explained] == [one.name for one in findings.hardest]
    for model, name in Spied.explained:
        tested = next(fold.test for fold in folds if name in X.ids[fold.test])
        assert name not in model.known_
        assert model.known_ == set(X.ids.tolist()) - set(X.ids[tested].tolist())
    learned = {name: len(model.lengths) for name, model in findings.activities.items()}
    assert learned == Counter(y)  # this model would not do, as it knows all


def test_a_method_that_was_searched_is_searched_again(signs):
    X, y = signs
    folds = make_folds(X, y, "stratified", 2)
    grid = {"IBGN": {"smoothing": [7.0]}}
    found = evaluate(X, y, {"IBGN": spied}, folds, search=grid)
    for search, wanted in ((grid, 7.0), (None, spied(0).smoothing)):
        Spied.explained = []
        find(ORIGIN, X, y, found, folds, {"IBGN": spied}, search=search)
        assert {model.smoothing for model, _ in Spied.explained} == {wanted}


def test_instances_of_the_same_name_are_not_mistaken_for_each_other(signs):
    X, y = signs
    ids = np.array([f"take {d % 2}" for d in range(len(X))], object)
    same = IntervalSequences.from_flat(X.flat, X.actions, ids, None)
    folds = make_folds(same, y, "stratified", 3)
    findings = looked_at(same, y, {"DBN": METHODS["DBN"]}, folds)
    tested = np.concatenate([fold.test for fold in folds])
    found = findings.evaluation.predictions
    hardest = tested[np.argsort(found["probability"].to_numpy(), kind="stable")[:MOST_HARD]]
    assert [one.label for one in findings.hardest] == y[hardest].tolist()
    assert [one.name for one in findings.hardest] == ids[hardest].tolist()
    for one, place in zip(findings.hardest, hardest, strict=True):
        assert one.instance.to_lists() == X[int(place)].to_lists()


@pytest.mark.parametrize(
    ("accuracies", "wanted"),
    [
        ({"IBGN-F": (0.5,), "DBN": (0.6,), "extra trees": (0.9,)}, "IBGN-F"),
        ({"IBGN-F": (0.5,), "IBGN": (0.6,), "DBN": (0.7,)}, "IBGN"),
        ({"ITBN": (0.5,), "DBN": (0.6,), "extra trees": (0.9,)}, "DBN"),
        ({"nearest raster": (0.5,), "extra trees": (0.9,)}, "extra trees"),
    ],
)
def test_the_best_ibgn_is_examined_else_the_best_that_explains_else_the_best(accuracies, wanted):
    evaluation = hand_made(**accuracies)
    estimators = make_estimators({name: METHODS[name] for name in accuracies}, 0)
    assert _choose(evaluation, estimators) == wanted


def test_a_method_that_cannot_be_learned_again_is_named(study):
    with pytest.raises(OptionError, match="methods= must have 'DBN'"):
        find(
            ORIGIN,
            study.X,
            study.y,
            study.findings.evaluation,
            study.folds,
            {name: THREE[name] for name in ("extra trees", "IBGN-F")},
        )


# data of all kinds


def random_data(labels, n=6, seed=0, **options):
    """Two intervals an instance, which tell little of the label."""
    rng = np.random.default_rng(seed)
    lists, y = [], []
    for _ in range(n):
        for c, label in enumerate(labels):
            t = np.cumsum(rng.uniform(0.2, 1, 4))
            apart = [("a", t[0], t[1]), ("b", t[2], t[3])]
            over = [("b", t[0], t[2]), ("c" if c % 3 else "a", t[1], t[3])]
            lists.append(apart if rng.random() < 0.3 + 0.4 * (c % 2) else over)
            y.append(label)
    return IntervalSequences.from_lists(lists, **options), np.array(y)


def one_fold():
    X, y = random_data(["tea", "soup", "milk"])
    return X, y, TWO, make_folds(X, y, n_splits=2)[:1]


def two_activities():
    X, y = random_data(["tea", "soup"])
    return X, y, TWO, make_folds(X, y, n_splits=2)


def numbers():
    X, y = random_data([3, 1, 20])
    return X, y, TWO, make_folds(X, y, n_splits=2)


def no_reasons():
    X, y = random_data(["tea", "soup", "milk"])
    return X, y, PLAIN, make_folds(X, y, n_splits=2)


def no_ibgn():
    X, y = random_data(["tea", "soup", "milk"])
    return X, y, {"DBN": METHODS["DBN"]}, make_folds(X, y, n_splits=2)


def label_of_one_group():
    X, y = random_data(["tea", "soup", "milk"], groups=["g"] * 6 + ["h"] * 6 + ["k"] * 6)
    y = y.astype(object)
    y[:3] = "only here"
    return X, y, TWO, make_folds(X, y, "leave-one-group-out")


def one_activity_to_learn_from():
    X, _ = random_data(["tea", "soup"], n=2, groups=["g", "g", "h", "h"])
    y = np.array(["tea", "soup", "tea", "tea"], object)
    return X, y, TWO, make_folds(X, y, "leave-one-group-out")


def never_predicted():
    X, y = random_data(["tea", "soup"], n=8)
    folds = [Fold(0, 0, np.arange(8, 16), np.arange(8))]
    y = y.astype(object)
    y[0] = "milk"
    return X, y, TWO, folds


def nothing_in_some():
    X, y = random_data(["tea", "soup", "milk"])
    lists = X.to_lists()
    lists[0] = lists[4] = []
    X = IntervalSequences.from_lists(lists)
    return X, y, TWO, make_folds(X, y, n_splits=2)


def few_draws():
    X, y = random_data(["tea", "soup", "milk"])
    methods = {
        "IBGN": lambda seed: IBGNClassifier(
            "learned", draws=4, budget=4, random_state=seed, **PAPER
        )
    }
    return X, y, methods, make_folds(X, y, n_splits=2)


KINDS = [
    one_fold,
    two_activities,
    numbers,
    no_reasons,
    no_ibgn,
    label_of_one_group,
    one_activity_to_learn_from,
    never_predicted,
    nothing_in_some,
    few_draws,
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_summary_is_plain_whatever_the_data_are(kind):
    X, y, methods, folds = kind()
    findings = looked_at(X, y, methods, folds)
    told = make_report(findings).summary
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    learned = isinstance(methods[findings.method](0), IBGNClassifier)
    assert (told["model"] is not None) == learned
    assert len(told["hardest"]) == min(MOST_HARD, sum(len(fold.test) for fold in folds))
    assert {row["label"] for row in told["hardest"]} <= set(map(str, y))
    if kind in (one_fold, no_reasons, one_activity_to_learn_from):
        assert make_report(findings).html().count("<figure") > 4


def test_what_is_not_known_is_none():
    told = make_report(looked_at(*one_fold())).summary
    assert [row["accuracy_error"] for row in told["comparison"]["rows"]] == [None, None]
    assert [row["p"] for row in told["comparison"]["tests"]] == [None]
    assert "No other method differs significantly" in told["headline"]


def test_a_label_that_training_did_not_know_has_no_reasons():
    findings = looked_at(*label_of_one_group())
    unknown = [one for one in findings.hardest if one.label == "only here"]
    assert len(unknown) == 3
    assert {(one.probability, one.explanation) for one in unknown} == {(0.0, None)}
    assert all(one.explanation for one in findings.hardest if one.label != "only here")
    rows = {row["activity"]: row for row in make_report(findings).summary["activities"]["rows"]}
    assert (rows["only here"]["recall"], rows["only here"]["precision"]) == (0, 0)
    assert "only here" in findings.activities  # which was learned from all


def test_a_label_that_nobody_predicts_has_zeros():
    told = make_report(looked_at(*never_predicted())).summary["activities"]["rows"]
    rows = {row["activity"]: row for row in told}
    assert [rows["milk"][name] for name in ("precision", "recall", "f1", "mistaken")] == [
        0,
        0,
        0,
        1,
    ]
    assert rows["tea"]["instances"] == 3


def test_methods_without_reasons_show_their_hardest_all_the_same():
    findings = looked_at(*no_reasons())
    report = make_report(findings)
    told = report.summary["hardest"]
    assert [row["reasons"] for row in told] == [None] * MOST_HARD
    assert [name for name in report.figures if name.startswith("timeline")] == [
        f"timeline-{k}" for k in range(MOST_HARD)
    ]
    assert report.frames["hardest"]["instance"].tolist() == [row["instance"] for row in told]
    assert report.frames["hardest"]["probability"].is_monotonic_increasing
    assert report.frames["reasons"].empty
    assert "contribution" in report.frames["reasons"].columns


def test_numbers_as_labels_are_names():
    told = make_report(looked_at(*numbers())).summary
    assert told["activities"]["labels"] == ["1", "20", "3"]
    assert [row["activity"] for row in told["model"]["activities"]] == ["1", "20", "3"]


# models


def test_all_models_have_a_place_where_there_are_few(study):
    told = study.summary["model"]
    assert [row["activity"] for row in told["activities"]] == sorted(set(study.y))
    assert (told["left_out"], told["in_all"]) == (0, 5)
    assert told["converged"] == sum(row["convergence"]["converged"] for row in told["activities"])
    for row in told["activities"]:
        lengths = study.X.lengths[study.y == row["activity"]]
        assert row["instances"] == len(lengths)
        assert row["intervals"] == [lengths.min(), lengths.max()]
        table = study.report.frames["structure"]
        assert row["linked"] == (table["activity"] == row["activity"]).sum() == row["pairs"]


def test_the_worst_models_are_shown_where_there_are_many(study, monkeypatch):
    monkeypatch.setattr(model_section, "MOST_MODELS", 2)
    report = make_report(study.findings)
    told = report.summary["model"]
    by_f1 = sorted(report.summary["activities"]["rows"], key=lambda row: row["f1"])
    worst = {row["activity"] for row in by_f1[:2]}
    assert by_f1[1]["f1"] < by_f1[2]["f1"]
    assert [row["activity"] for row in told["activities"]] == sorted(worst)
    assert (told["left_out"], told["in_all"]) == (3, 5)
    (drawn,) = [n for n, row in enumerate(told["activities"]) if row["drawn"]]
    assert told["activities"][drawn]["activity"] == by_f1[0]["activity"]  # the worst of all
    for kind in ("tables", "relations", "traces"):
        named = [name for name in report.figures if re.fullmatch(rf"{kind}-\d+", name)]
        assert named == [f"{kind}-{drawn}"]
        assert by_f1[0]["activity"] in report.figures[named[0]].alt
    assert not [name for name in report.figures if name.startswith("structure-")]  # all are linked
    for name in ("term-tables", "term-relations", "structure", "convergence"):
        assert set(report.frames[name]["activity"]) == set(study.y)


# sections


@pytest.mark.slow
def test_an_evaluation_is_summarised_once(study, monkeypatch, tmp_path):
    calls = Counter()
    for name in ("summary", "compare", "confusion", "reliability"):
        original = getattr(Evaluation, name)

        def counted(self, *args, name=name, original=original):
            calls[name] += 1
            return original(self, *args)

        monkeypatch.setattr(Evaluation, name, counted)
    X, y = study.X, study.y
    findings = find(ORIGIN, X, y, study.findings.evaluation, study.folds, THREE)
    make_report(findings).save(tmp_path / "page.html")
    assert calls == {"summary": 1, "compare": 1, "confusion": 1, "reliability": 1}


@pytest.fixture(scope="module")
def few():
    """Findings of two methods on little data, which are drawn soon."""
    return looked_at(*no_reasons())


def longest(findings):
    return {"name": "<b>longest</b>", "intervals": findings.inspection.intervals_per_instance}


def test_a_user_adds_a_section_of_their_own(few, tmp_path, monkeypatch):
    def figures(findings, data):
        return {"longest": Figure(lambda: plt.figure().add_subplot(), f"of {data['name']}")}

    def frames(findings, data):
        return {"longest": pd.DataFrame([data["intervals"]])}

    template = "<p>{{ data.name | name }}</p>{{ ui.figure('longest') }}"
    mine = Section("lengths", "Lengths", "How long?", longest, template, figures, frames)
    empty = Section("empty", "Empty", "", lambda findings: None, "{{ data.x }}")
    report = make_report(few, [mine, empty, *SECTIONS])
    assert report.summary["lengths"]["name"] == "<b>longest</b>"
    monkeypatch.chdir(tmp_path)
    report.save("report.html", pieces="pieces")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert '<li><a href="#lengths">Lengths</a></li>' in page
    assert '<section id="lengths"' in page
    assert "&lt;b&gt;longest&lt;/b&gt;" in page
    assert "<b>longest" not in page
    assert "empty" not in re.findall(r'<section id="([^"]+)"', page)
    assert {"longest.png", "longest.csv", "comparison.csv"} <= {
        path.name for path in (tmp_path / "pieces").iterdir()
    }
    with pytest.raises(OptionError, match=r"sections=\['data'\] are names of more than one"):
        make_report(few, [*SECTIONS, dataclasses.replace(mine, name="data")])


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_every_section_stands_alone(few, section):
    report = make_report(few, [section])
    page = report.html()
    assert (f'<section id="{section.name}"' in page) == bool(report.summary[section.name])
    assert page.count("<svg") == len(set(report.figures) - ONLY_A_PIECE)


def sections(*names):
    return [section for section in SECTIONS if section.name in names]


def test_all_tables_are_in_the_order_of_the_scores(study):
    table = curves(misdetection=(0.1, 0.3)).replace({"A": "DBN", "B": "IBGN-F"})
    findings = dataclasses.replace(study.findings, robustness=table)
    ranking = [name for name in findings.evaluation.ranking() if name in ("DBN", "IBGN-F")]
    report = make_report(findings, sections("comparison", "robustness", "calibration"))
    assert list(dict.fromkeys(report.frames["robustness"]["method"])) == ranking
    assert plain(report.frames["robustness"]) == report.summary["robustness"]
    tested = [row["method"] for row in report.summary["comparison"]["tests"]]
    assert tested == findings.evaluation.ranking()[1:]
    for body in re.findall(r"<tbody>(.*?)</tbody>", report.html(), re.DOTALL):
        methods = re.findall(r'class="swatch" style="[^"]*"></span><bdi>(.*?)</bdi>', body)
        assert methods in ([], ranking, findings.evaluation.ranking())


def test_a_method_has_one_colour_in_tables_and_figures(study):
    page = make_report(study.findings, sections("comparison", "calibration")).html()
    found = re.findall(r'class="swatch" style="--colour: (.*?)"></span><bdi>(.*?)</bdi>', page)
    looks = method_looks(study.findings.summary["method"])
    assert {(to_hex(look["color"]), name) for name, look in looks.items()} == set(found)
    for number, row in enumerate(study.summary["calibration"]["methods"]):
        drawn = draw_svg(study.report.figures[f"reliability-{number}"], "a-")
        assert to_hex(looks[row["method"]]["color"]) in drawn


def test_the_unit_of_time_is_beside_the_times(study):
    before = plt.get_fignums()  # of other tests
    without = make_report(study.findings, sections("data", "hardest")).html()
    assert "in the time unit of the data" in without
    origin = dataclasses.replace(ORIGIN, unit="min")
    findings = dataclasses.replace(study.findings, origin=origin)
    page = make_report(findings, sections("data", "hardest")).html()
    assert "in the time unit of the data" not in page
    median = study.summary["data"]["duration"]["median"]
    assert f"(median {median:.3g}\N{NO-BREAK SPACE}min)" in page
    assert "time (min); " in page
    assert "time; " in without
    assert plt.get_fignums() == before


def test_models_are_shown_term_by_term():
    X, y = random_data(["tea", "soup"])
    methods = {"IBGN": IBGNClassifier("chain", terms=("actions", "relations"), weights="equal")}
    report = make_report(looked_at(X, y, methods, make_folds(X, y, n_splits=2)))
    told = report.summary["model"]
    assert told["chains"] == 0
    for activity in told["activities"]:
        assert list(activity["terms"]) == ["actions", "relations"]
        assert activity["convergence"] is None
        assert activity["terms"]["actions"]["columns"] == ["action", "probability"]
        assert activity["terms"]["actions"]["brief"].startswith("mostly ")
    for hard in report.summary["hardest"]:
        assert set(hard["parts"]) == {"prior", "actions", "relations"}
        assert {row["term"] for row in hard["reasons"]} <= set(hard["parts"])
    assert {"term-actions", "term-relations"} <= set(report.frames)
    shown = {name for name in report.figures if name[-1].isdigit()}
    (drawn,) = [n for n, activity in enumerate(told["activities"]) if activity["drawn"]]
    of_terms = {f"{name}-{drawn}" for name in ("actions", "relations")}
    others = ("explanation-", "reliability-")
    assert {name for name in shown if not name.startswith(others)} == of_terms
    assert all(row["linked"] == row["pairs"] for row in told["activities"])  # no figure of links
    assert "pairs linked" not in report.html()
    assert {row["term"] for row in told["weights"]} == {"actions", "relations"}
    assert told["weights"][0]["spread"] > told["weights"][1]["spread"]
    assert told["weights"][0]["part"] == 1
    assert [row["weight"] for row in told["weights"]] == [1.0, 1.0]
    page = report.html()
    assert "How much each term of " in page
    assert "Frequencies of actions, each interval by itself, whatever their order." in page
    assert page.count("What the term actions learned of") == 2 * len(told["activities"])
    assert "converged" not in page


def test_links_are_drawn_where_some_pairs_have_none(study):
    chain = IBGNClassifier("chain", terms=("actions", "relations"), weights="equal")
    activities = chain.fit(study.X, study.y).activities_
    findings = dataclasses.replace(study.findings, activities=activities, weights=None)
    report = make_report(findings, sections("model"))
    told = report.summary["model"]["activities"]
    (drawn,) = [number for number, row in enumerate(told) if row["drawn"]]
    assert set(report.figures) == {f"{name}-{drawn}" for name in (*chain.terms, "structure")}
    assert all(row["linked"] < row["pairs"] for row in told)
    assert f"{told[0]['linked']} of {told[0]['pairs']} pairs linked" in report.html()


def test_no_empty_figure_is_drawn_where_nothing_is_linked(study):
    alone = IBGNClassifier(Structure(), terms=("actions", "relations"), weights="equal")
    activities = alone.fit(study.X, study.y).activities_
    findings = dataclasses.replace(study.findings, activities=activities, weights=None)
    report = make_report(findings, sections("model"))
    told = report.summary["model"]["activities"]
    assert {row["linked"] for row in told} == {0}
    assert {name.rpartition("-")[0] for name in report.figures} == {"actions"}
    assert f"0 of {told[0]['pairs']} pairs linked" in report.html()


class Pooled(BaseEstimator):
    """Members around a generative one, which has the activities."""

    def fit(self, X, y):
        self.model_ = quick(0).fit(X, y)
        self.classes_, self.activities_ = self.model_.classes_, self.model_.activities_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X) ** 0.5

    def explain(self, instance, against=None, activity=None):
        return self.model_.explain(instance, against, activity)

    def sample(self, n, activity):
        return self.model_.sample(n, activity)

    def describe_weights(self, X):
        return pd.DataFrame({"term": ["one", "two"], "weight": [0.7, 0.3], "spread": [2.0, 1.0]})


def test_a_method_is_examined_for_what_it_can_do_and_not_for_its_class():
    X, y = random_data(["tea", "soup", "milk"])
    methods = {"pool": Pooled(), "DBN": METHODS["DBN"], "extra trees": METHODS["extra trees"]}
    report = make_report(looked_at(X, y, methods, make_folds(X, y, n_splits=2)))
    assert report.summary["model"]["method"] == "pool"
    assert [row["term"] for row in report.summary["model"]["weights"]] == ["one", "two"]
    assert len(report.summary["model"]["activities"]) == 3
    assert all(row["reasons"] for row in report.summary["hardest"])
    assert {row["method"] for row in report.summary["calibration"]["methods"]} == set(methods)
    page = report.html()
    assert "<caption><span>How much each member of pool says</span></caption>" in page
    assert "Members differ in how much" in page


# figures


def curves(**rates):
    rows = [("A", "none", 0.0), ("B", "none", 0.0)]
    rows += [(m, error, rate) for error, all_of in rates.items() for rate in all_of for m in "AB"]
    table = pd.DataFrame(rows, columns=["method", "error", "rate"])
    return table.assign(accuracy=0.9 - table["rate"] / 2, accuracy_error=0.02)


def test_errors_with_rates_have_a_figure_each_and_detectors_one_together():
    table = curves(misdetection=(0.1, 0.3), knn=(0.0,), duration=(0.2,), tree=(0.0,))
    figures = robustness_figures(table)
    assert list(figures) == ["robustness-0", "robustness-1", "robustness-2"]
    alts = [figure.alt for figure in figures.values()]
    assert "misdetection errors grow from 0 to 30%" in alts[0]
    assert "duration errors grow from 0 to 20%" in alts[1]
    assert "detectors found" in alts[2]
    drawn = figures["robustness-2"].draw.args[1]
    assert sorted(set(drawn["detector"])) == ["knn", "tree", "true intervals"]
    for figure in figures.values():
        plt.close(figure.draw().figure)
    assert list(robustness_figures(curves(duration=(0.1,)))) == ["robustness-0"]


def test_what_figures_show_is_said_in_words(study):
    right = (study.part["label"] == study.part["predicted"]).sum()
    alt = study.report.figures["confusion"].alt
    assert f"{right} of {len(study.part)} predictions" in alt
    best = study.findings.evaluation.summary().iloc[0]
    assert f"{best['method']} {best['accuracy']:.3f}" in study.report.figures["comparison"].alt


# files


@pytest.fixture(scope="module")
def saved(study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    before = plt.get_fignums()
    study.report.save(folder / "page.html", folder / "some" / "pieces")
    assert plt.get_fignums() == before
    return folder


@pytest.mark.slow
def test_every_piece_is_a_file_that_can_be_read(study, saved):
    pieces = saved / "some" / "pieces"
    wanted = {f"{name}.png" for name in study.report.figures}
    wanted |= {f"{name}.csv" for name in study.report.frames} | {"summary.json"}
    assert {path.name for path in pieces.iterdir()} == wanted
    for name in study.report.figures:
        with Image.open(pieces / f"{name}.png") as image:
            pixels = np.asarray(image.convert("L"))
        assert min(pixels.shape) > 100
        assert np.ptp(pixels) > 100  # something is drawn
    assert json.loads((pieces / "summary.json").read_text("utf-8")) == study.summary
    page = (saved / "page.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert page.count("<svg") == len(set(study.report.figures) - ONLY_A_PIECE)


def test_every_frame_reads_back_as_it_was(study, saved):
    for name, table in study.report.frames.items():
        path = saved / "some" / "pieces" / f"{name}.csv"
        back = pd.read_csv(path, float_precision="round_trip", keep_default_na=False, na_values=[])
        assert list(back.columns) == [str(column) for column in table.columns]
        for column in table.columns:
            given, read = table[column].tolist(), back[str(column)].tolist()
            assert [str(v) if v is not None and v == v else "" for v in given] == [
                str(v) if v != "" else "" for v in read
            ], (name, column)


def test_frames_have_what_the_summary_says(study):
    frames = study.report.frames
    assert frames["comparison"].to_dict("records") == study.summary["comparison"]["rows"]
    assert frames["paired-tests"].to_dict("records") == study.summary["comparison"]["tests"]
    assert frames["reliability"].to_dict("records") == study.summary["calibration"]["rows"]
    assert plain(frames["activities"]) == study.summary["activities"]["rows"]
    confusion = frames["confusion"].pivot_table("instances", "label", "predicted")
    assert confusion.to_numpy().tolist() == study.summary["activities"]["counts"]
    assert len(frames["folds"]) == 3 * 6
    assert len(frames["predictions"]) == 3 * 2 * len(study.X)
    sums = frames["reasons"].groupby("instance")["contribution"].sum()
    for row in study.summary["hardest"]:
        assert sums[row["instance"]] == pytest.approx(row["log_odds"], abs=1e-9)


def test_activities_may_have_the_names_of_columns():
    X, y, _ = make_hand_signs(instances_per_style=4, random_state=0)
    names = np.array(["label", "predicted", "instances", "method"], object)
    y = names[np.unique(y, return_inverse=True)[1] % len(names)]
    frames = make_report(looked_at(X, y, THREE, make_folds(X, y, "stratified", 2))).frames
    assert set(frames["confusion"]["label"]) == set(names)
    assert frames["confusion"]["instances"].sum() == len(X)


def test_a_frame_without_rows_can_be_read(tmp_path):
    make_report(looked_at(*no_reasons())).save_pieces(tmp_path)
    assert pd.read_csv(tmp_path / "reasons.csv").empty


@pytest.mark.parametrize("escape_formulas", [False, True])
def test_formulas_in_frames_are_harmless_if_asked_for(tmp_path, escape_formulas):
    report = Report({}, {}, {"odd": pd.DataFrame({"label": ["=cmd()"], "share": [-1.5]})})
    report.save_pieces(tmp_path, escape_formulas)
    name = "'=cmd()" if escape_formulas else "=cmd()"
    assert (tmp_path / "odd.csv").read_text() == f"label,share\n{name},-1.5\n"


@pytest.mark.slow
def test_letters_that_a_font_lacks_are_told_once(tmp_path):
    X, y = random_data(["日本", "soup"])
    report = make_report(looked_at(X, y, {"DBN": METHODS["DBN"]}, make_folds(X, y, n_splits=2)))
    with pytest.warns(DataWarning, match=r"boxes in \d+ figures \(first: confusion.png\)") as told:
        report.save_pieces(tmp_path)
    assert len(told) == 1
    assert (tmp_path / "summary.json").exists()
    assert "日本" in report.html()
    with pytest.raises(DataWarning):  # also where warnings are errors, and after the work
        report.save_pieces(tmp_path / "again")
    assert (tmp_path / "again" / "summary.json").exists()


def test_other_warnings_of_figures_are_passed_on(tmp_path):
    def draw():
        import warnings

        warnings.warn("too small", UserWarning, stacklevel=1)
        return plt.figure().add_subplot()

    report = Report({}, {"odd": Figure(draw, "odd")}, {})
    with pytest.warns(UserWarning, match="too small"):
        report.save_pieces(tmp_path)
    assert (tmp_path / "odd.png").exists()


def test_a_place_that_cannot_be_written_is_told_and_nothing_stays_open(study, tmp_path):
    before = plt.get_fignums()
    (tmp_path / "taken").write_text("here")
    with pytest.raises(DataError, match="'.*taken' could not be made: .*; name another"):
        study.report.save_pieces(tmp_path / "taken")
    with pytest.raises(DataError, match="could not be made"):
        study.report.save_pieces(tmp_path / "taken" / "below")
    (tmp_path / "folder" / "comparison.png").mkdir(parents=True)
    with pytest.raises(DataError, match=r"comparison.png' is a folder"):
        study.report.save_pieces(tmp_path / "folder")
    assert plt.get_fignums() == before
    assert (tmp_path / "taken").read_text() == "here"


# the commands

HOSTILE = {
    "<script>alert(1)</script>": 'a"b',
    "../../x": "it's",
    "日本": '"><img src=x onerror=alert(1)>',
}


@pytest.fixture
def takes(tmp_path):
    rng = np.random.default_rng(1)
    folder = tmp_path / "in"
    folder.mkdir()
    with (folder / "takes.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["instance", "label", "action", "start", "end"])
        for take in range(8):
            for label, action in HOSTILE.items():
                t = np.sort(rng.random(4))
                for start, end in ((t[0], t[2]), (t[1], t[3])):
                    name = action if rng.random() < 0.7 else "../other"
                    table.writerow([f"../../{label}/{take}", label, name, start, end])
    return "in/takes.csv"


@pytest.mark.slow
def test_command_writes_a_report_of_hostile_names(ibgn, takes, tmp_path):
    options = ["-m", "DBN", "-m", "nearest raster", "--folds", "2", "--json"]
    result = ibgn("evaluate", takes, *options, "--report", "page.html", "--pieces", "pieces")
    assert result.returncode == 0, result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "page.html", "pieces"]
    names = [path.name for path in (tmp_path / "pieces").iterdir()]
    assert all(re.fullmatch(r"[a-z]+(-[a-z0-9]+)*\.(png|csv|json)", name) for name in names)
    assert len(names) == 17
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)" in page
    told = json.loads(result.stdout)
    saved = json.loads((tmp_path / "pieces" / "summary.json").read_text("utf-8"))
    assert saved["comparison"]["rows"] == told["summary"]
    assert saved["comparison"]["tests"] == told["comparison"]
    assert saved["reproduce"]["command"].startswith("ibgn evaluate in/takes.csv -m DBN")
    assert set(saved["activities"]["labels"]) == set(HOSTILE)
    assert [said for said in told["warnings"] if "boxes" in said]
    assert "Glyph" not in result.stderr
    assert result.stderr.count("wrote ") == 2


@pytest.mark.slow
def test_command_reports_robustness(ibgn, takes, tmp_path):
    options = ["-m", "DBN", "--misdetection", "0.4", "--duration", "", "--draws", "1"]
    options += ["--folds", "2", "--json", "--report", "page.html", "--pieces", "new/pieces"]
    result = ibgn("robustness", takes, *options, "--unit", "hours")
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    saved = json.loads((tmp_path / "new" / "pieces" / "summary.json").read_text("utf-8"))
    assert saved["robustness"] == told["curves"]
    assert [row["error"] for row in saved["robustness"]] == ["none", "misdetection"]
    assert saved["comparison"]["rows"][0]["accuracy"] == told["curves"][0]["accuracy"]
    assert (tmp_path / "new" / "pieces" / "robustness-0.png").exists()
    table = pd.read_csv(tmp_path / "new" / "pieces" / "robustness.csv")
    assert table["accuracy"].tolist() == pytest.approx([row["accuracy"] for row in told["curves"]])
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "misdetection errors grow" in page
    assert "\N{NO-BREAK SPACE}hours (median" in page


@pytest.mark.parametrize("command", ["evaluate", "robustness"])
@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--pieces", "in/takes.csv"], 2, "--pieces in/takes.csv is a file; name a folder"),
        (["--report", "nowhere/page.html"], 1, "nowhere'; make it first"),
        (["-o", "nowhere/scores.csv"], 1, "nowhere'; make it first"),
        (["--report", "page.pdf"], 2, "--report page.pdf must be a .html or a .htm file"),
        (["--jobs", "0"], 2, "error: --jobs 0 must be "),
    ],
)
def test_what_cannot_be_written_is_told_before_the_work(
    takes, tmp_path, monkeypatch, command, options, code, message
):
    from typer.testing import CliRunner

    from ibgn.cli import app

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ibgn.cli.options.Reading.read", None)  # nothing was read yet
    result = CliRunner().invoke(app, [command, takes, "-m", "DBN", *options])
    assert isinstance(result.exception, DataError)
    assert message in f"error: {result.exception}"
    assert (type(result.exception) is DataError) == (code == 1)
    assert (tmp_path / takes).stat().st_size > 1000


def test_a_file_in_the_place_of_a_folder_is_no_traceback(ibgn, takes):
    result = ibgn("evaluate", takes, "-m", "DBN", "--folds", "2", "--pieces", takes)
    assert result.returncode == 2
    assert "error: --pieces in/takes.csv is a file; name a folder" in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
