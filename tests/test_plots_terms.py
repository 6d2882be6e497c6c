"""Every term has a figure that shows what it learned; weights are drawn; names are data."""

import warnings
from dataclasses import dataclass

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from ibgn import IBGNClassifier, plot_term, plot_weights
from ibgn.datasets import make_hand_signs
from ibgn.declarations import is_positive, stored
from ibgn.errors import DataError, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.plots.shares import switch_shares
from ibgn.plots.terms import FIGURES, figure_of
from ibgn.terms import TERMS, Counts, FittedTerm, LogTerms, Term
from ibgn.terms.occupancy import NEARBY

OF_TIME = ("length", "durations", "totals", "starts", "gaps", "occupancy", "switches")
ALL = (*OF_TIME, "actions", "occurrences", "order", "relations", "tables")
TEA = [("boil", 0, 4), ("pour", 4, 6), ("stir", 5, 9)]
COFFEE = [("grind", 0, 2), ("pour", 1, 5)]
HOSTILE = "$\\frac{$<b>\n\x1b[31m"


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model():
    X, y, _ = make_hand_signs(instances_per_style=3, random_state=0)
    chosen = np.isin(y, ["air", "bank", "ketchup"])
    options = {"draws": 50, "budget": 500, "random_state": 0, "weights": "equal"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return IBGNClassifier(terms=ALL, copy_weight=0.0, **options).fit(X[chosen], y[chosen])


@pytest.fixture(scope="module")
def drinks():
    terms = [name for name in ALL if name != "tables"]
    kitchen = IBGNClassifier(terms=terms, weights="equal", copy_weight=0.0)
    return kitchen.fit([TEA, COFFEE] * 20, ["tea", "coffee"] * 20)


def texts(labels):
    return [label.get_text() for label in labels]


@pytest.mark.parametrize("term", ALL)
def test_every_term_has_its_figure(term, model):
    assert term in FIGURES
    ax = plot_term(model, term, "air")
    ax.figure.canvas.draw()
    assert ax.has_data()
    assert ax.get_title().startswith("air: ")
    _, (left, right) = plt.subplots(1, 2, layout="constrained")
    assert plot_term(model, term, "bank", ax=right) is right
    assert not left.has_data()


def test_no_term_of_the_library_is_without_a_figure():
    own = {name for name, kind in TERMS.items() if kind.__module__.startswith("ibgn.terms")}
    assert own == set(ALL) == own & set(FIGURES)


def test_length_is_a_distribution_around_the_typical_number(drinks):
    ax = plot_term(drinks, "length", "tea")
    heights = [bar.get_height() for bar in ax.patches]
    assert sum(heights) == pytest.approx(1)
    assert int(np.argmax(heights)) == 3
    assert len(ax.lines) == 1  # the other activity
    assert int(np.argmax(ax.lines[0].get_ydata())) == 2


@pytest.mark.parametrize(("term", "stir"), [("durations", 4), ("totals", 4), ("gaps", 1)])
def test_ranges_are_those_of_the_description(term, stir, drinks):
    ax = plot_term(drinks, term, "tea")
    names = texts(ax.get_yticklabels())
    assert set(names) == {"boil", "pour", "stir"}  # tea has no grinding
    assert ax.get_xscale() == "log"
    described = drinks.activities_["tea"][term].describe().set_index("action").loc[names]
    other, own = ax.lines
    np.testing.assert_allclose(own.get_xdata(), described["typical"])
    assert described.loc["stir", "typical"] == pytest.approx(stir, rel=0.2)
    segments = ax.collections[0].get_segments()
    np.testing.assert_allclose([segment[:, 0] for segment in segments], described[["from", "to"]])
    theirs = drinks.activities_["coffee"][term].describe().set_index("action").loc[names]
    np.testing.assert_allclose(other.get_xdata(), theirs["typical"])


@pytest.mark.parametrize(
    ("term", "column"), [("actions", "probability"), ("occurrences", "occurs")]
)
def test_bars_are_those_of_the_description(term, column, drinks):
    ax = plot_term(drinks, term, "tea")
    described = drinks.activities_["tea"][term].describe()
    assert texts(ax.get_yticklabels()) == described["action"].tolist()
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], described[column])
    if term == "occurrences":
        assert texts(ax.texts) == [f"{mean:.1f}" for mean in described["mean"]]


@pytest.mark.parametrize("term", ["starts", "occupancy"])
def test_time_goes_from_left_to_right_and_actions_by_when_they_are(term, drinks):
    ax = plot_term(drinks, term, "tea")
    assert texts(ax.get_yticklabels()) == ["boil", "pour", "stir"]
    fitted = drinks.activities_["tea"][term]
    shares = fitted.probs if term == "occupancy" else np.exp(fitted.log_probs)
    rows = [drinks.actions_.index(name) for name in ("boil", "pour", "stir")]
    (mesh,) = ax.collections
    np.testing.assert_allclose(mesh.get_array().reshape(3, -1), shares[rows])
    assert mesh.get_array().reshape(3, -1)[0].argmax() == 0  # boiling comes first


def test_switches_are_when_actions_begin_and_end(drinks):
    ax = plot_term(drinks, "switches", "tea")
    rows = texts(ax.get_yticklabels())
    assert rows[:4] == ["boil begins", "boil ends", "pour begins", "pour ends"]
    cells = ax.collections[0].get_array().reshape(len(rows), -1)
    instants = cells.shape[1]
    assert cells[0].argmax() == 0
    # boiling ends, and pouring begins, at 4 of 9
    assert cells[1].argmax() == cells[2].argmax() == np.ceil(4 / 9 * instants - 0.5)


def test_shares_of_switches_lead_to_what_goes_on(drinks):
    """Begun before and not ended yet is going on: the chain says what occupancy counts."""
    fitted = drinks.activities_["tea"]
    begins, ends = switch_shares(np.exp(fitted["switches"].first), fitted["switches"].steps)
    assert (begins >= 0).all()
    assert (ends >= 0).all()
    going = np.cumsum(begins - ends, axis=1)
    # occupancy is blurred in time
    np.testing.assert_allclose(going @ NEARBY, fitted["occupancy"].probs, atol=0.1)


def test_steps_are_from_rows_to_columns(drinks):
    ax = plot_term(drinks, "order", "tea")
    rows, columns = texts(ax.get_yticklabels()), texts(ax.get_xticklabels())
    cells = ax.collections[0].get_array().reshape(len(rows), len(columns))
    steps = {(row, columns[cells[r].argmax()]) for r, row in enumerate(rows)}
    assert {("boil", "pour"), ("pour", "stir"), ("at the beginning", "boil")} <= steps


def test_relations_of_a_pair_add_up_to_one(drinks):
    ax = plot_term(drinks, "relations", "tea")
    names = texts(ax.get_yticklabels())
    assert "boil … pour" in names
    widths = np.array([bar.get_width() for bar in ax.patches]).reshape(7, len(names))
    np.testing.assert_allclose(widths.sum(axis=0), 1)
    legend = texts(ax.get_legend().get_texts())
    assert legend[widths[:, names.index("boil … pour")].argmax()] == "meets"


@dataclass(frozen=True)
class PaceCounts(Counts):
    total: float


@dataclass(frozen=True)
class FittedPace(FittedTerm):
    pace: float = stored(float, holds=is_positive)

    def log_terms(self, X):
        return LogTerms(instance=np.full(len(X), -self.pace))

    def describe(self):
        return pd.DataFrame({"what": ["all", HOSTILE], "pace": [self.pace, 1.0]})


def pace_of(X):
    return float(len(X) + 1)


@pytest.fixture
def paced():
    """A model with a term from outside, which has no figure and says nothing in words."""

    @dataclass(frozen=True)
    class Pace(Term):
        name = "pace of mine"
        fitted = FittedPace

        def count(self, X):
            return PaceCounts(pace_of(X))

        def fit(self, counts, pooled, context):
            return FittedPace(context.actions, counts.total)

    yield IBGNClassifier(terms=[Pace(), "actions"], weights="equal", copy_weight=0.0).fit(
        [TEA, TEA, COFFEE], ["tea", "tea", "coffee"]
    )
    TERMS.pop("pace of mine")


def test_a_term_from_outside_needs_no_figure_and_can_have_one(paced):
    ax = plot_term(paced, "pace of mine", "tea")
    assert ax.get_title() == "tea: pace of mine"
    assert [bar.get_width() for bar in ax.patches] == [3.0, 1.0]
    assert texts(ax.get_yticklabels())[0] == "all"
    assert ax.get_xlabel() == "pace"

    @figure_of("pace of mine")
    def draw(activity, others, ax):
        return ("mine", activity.name, [other.name for other in others], ax)

    try:
        assert plot_term(paced, "pace of mine", "tea") == ("mine", "tea", ["coffee"], None)
    finally:
        del FIGURES["pace of mine"]


def test_a_term_from_outside_is_a_reason_by_its_name(paced):
    why = paced.explain(TEA, activity="tea", against="coffee")
    mine = next(reason for reason in why.reasons(9) if reason.term == "pace of mine")
    assert mine.text == "the instance as a whole"
    assert mine.contribution == -1.0


def test_names_in_figures_of_terms_are_shown_as_written():
    rows = [(HOSTILE, 0, 2), ("_b", 1, 3), ("$x$", 4, 5)]
    terms = [name for name in ALL if name != "tables"]
    hostile = IBGNClassifier(terms=terms, weights="equal", copy_weight=0.0)
    hostile.fit([rows, COFFEE], [HOSTILE, "coffee"])
    with mpl.rc_context({"text.usetex": True, "text.parse_math": True}):
        for term in terms:
            ax = plot_term(hostile, term, HOSTILE)
            shown = [ax.title, *ax.get_yticklabels()]
            assert ax.get_title().startswith("$\\frac{$<b>\\n\\x1b[31m: ")
            for text in shown if term != "length" else [ax.title]:
                assert text.get_text().isprintable()
                assert not text.get_parse_math()
                assert not text.get_usetex()


def test_what_does_not_exist_is_refused(drinks):
    with pytest.raises(OptionError, match="term='pauses' is not a term of this activity"):
        plot_term(drinks, "pauses", "tea")
    with pytest.raises(DataError, match="no activity 'cocoa'; choose among 'coffee', 'tea'"):
        plot_term(drinks, "length", "cocoa")


def test_without_intervals_figures_say_so():
    nothing = IBGNClassifier(terms=("length", "actions", "durations", "order", "starts"))
    nothing.set_params(weights="equal", copy_weight=0.0)
    nothing.fit(IntervalSequences.from_lists([[], []]), ["a", "b"])
    for term in nothing.terms_:
        plot_term(nothing, term, "a").figure.canvas.draw()


def test_weights_are_described_and_drawn(drinks):
    X = [TEA, COFFEE]
    weights = dict.fromkeys(drinks.terms_, 0.5) | {"order": 2.0, "gaps": 0.0}
    weighted = IBGNClassifier(terms=drinks.terms_, weights=weights, copy_weight=0.0)
    weighted.fit([TEA, COFFEE] * 6, ["tea", "coffee"] * 6)
    frame = weighted.describe_weights(X)
    assert dict(zip(frame["term"], frame["weight"], strict=True)) == weights
    spread = (weighted.scores(X) * weighted.weights_[:, None]).std(axis=2).mean(axis=0)
    np.testing.assert_allclose(frame["spread"], spread)
    assert frame.set_index("term").loc["gaps", "spread"] == 0
    ax = plot_weights(weighted, X)
    names = texts(ax.get_yticklabels())
    ordered = frame.sort_values("spread", ascending=False, kind="stable")
    assert names == ordered["term"].tolist()
    widths = np.array([bar.get_width() for bar in ax.patches]).reshape(2, -1)
    np.testing.assert_allclose(widths[0], ordered["spread"] / frame["spread"].max())
    np.testing.assert_allclose(widths[1], ordered["weight"] / 2)
    alone = plot_weights(weighted)
    assert len(alone.patches) == len(names)
    assert texts(alone.get_yticklabels())[0] == "order"
