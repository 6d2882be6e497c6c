"""Plots of experiments show their tables, on white pages and dark ones, and typeset no name."""

import io
import re
import time
from itertools import combinations
from types import SimpleNamespace

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import LineCollection, PathCollection, QuadMesh
from matplotlib.colors import to_hex, to_rgb

from ibgn.errors import DataError
from ibgn.evaluation.methods import METHODS
from ibgn.model.activity import ActivityModel
from ibgn.plots import (
    plot_activities,
    plot_comparison,
    plot_confusion,
    plot_detectors,
    plot_learning_curve,
    plot_reliability,
    plot_robustness,
    plot_traces,
)
from ibgn.plots.series import _spread
from ibgn.plots.style import (
    DARK,
    FAINT,
    OWN_LOOKS,
    SERIES_COLOURS,
    method_looks,
    series_look,
    themed,
)
from ibgn.terms.seating import Convergence

UGLY = "$\\frac{$ <b>&amp;</b> \n\ttab"
SHOWN = "$\\frac{$ <b>&amp;</b> \\n\\ttab"
HIDDEN = "_hidden"


@pytest.fixture(autouse=True)
def close_figures():
    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before
    plt.close("all")


def a_summary(count=3, **columns):
    accuracy = np.linspace(0.95, 0.6, count)
    names = ["IBGN-F", UGLY, HIDDEN, *map(str, range(count))][:count]
    given = {"method": names, "accuracy": accuracy, "accuracy_error": accuracy / 50}
    return pd.DataFrame(given | columns)


def a_confusion(count=3, rng=None):
    rng = np.random.default_rng(0) if rng is None else rng
    names = [UGLY, HIDDEN, *map(str, range(count))][:count]
    counts = np.diag(rng.integers(5, 50, count)) + rng.integers(0, 2, (count, count))
    return pd.DataFrame(counts, names, names)


def activities(count=3):
    names = [UGLY, HIDDEN, *map(str, range(count))][:count]
    f1 = {"f1": np.full(count, 0.7), "instances": np.arange(count) + 1}
    scores = {"precision": np.linspace(0.9, 0.5, count), "recall": np.linspace(0.2, 1, count)}
    return pd.DataFrame({"activity": names} | f1 | scores)


def curves(count=3, place="rate", places=(0.0, 0.1, 0.3)):
    names = [UGLY, HIDDEN, *map(str, range(count))][:count]
    rows = [
        (name, where, 0.9 - 0.01 * m - 0.02 * w, 0.02)
        for m, name in enumerate(names)
        for w, where in enumerate(places)
    ]
    return pd.DataFrame(rows, columns=["method", place, "accuracy", "accuracy_error"])


def detectors(count=3):
    return curves(count, "detector", (UGLY, "poor", "good"))


def learned(count=3):
    return curves(count, "per_activity", (1.0, 5.0, 20.0))


def bins(*methods):
    rows = [(4, 0.3, 0.2, 0.0, 0.75), (16, 0.6, 0.7, 0.4, 0.8), (64, 0.95, 0.8, 0.9, 1.0)]
    columns = ["method", "instances", "confidence", "accuracy", "chance_low", "chance_high"]
    every = [(method, *row) for method in methods or (UGLY,) for row in rows]
    return pd.DataFrame(every, columns=columns)


def a_learned(trace=None, name=UGLY, rhat=1.0034, converged=True):
    trace = np.arange(12.0).reshape(2, 6) if trace is None else trace
    traces = np.stack([trace, -trace, 2 * trace])
    diagnostics = Convergence(0, 1, trace.size, 1234.4, rhat, 1.0, converged, traces)
    tables = SimpleNamespace(convergence=diagnostics)
    return ActivityModel(name, (), {"tables": tables}, np.zeros(0, int), 1.0)


PLOTS = [
    (plot_comparison, a_summary()),
    (plot_confusion, a_confusion()),
    (plot_activities, activities()),
    (plot_robustness, curves()),
    (plot_detectors, detectors()),
    (plot_learning_curve, learned()),
    (plot_reliability, bins()),
    (plot_reliability, bins(UGLY, HIDDEN)),
    (plot_traces, a_learned()),
]
TABLES = PLOTS[:-1]


def texts(labels):
    return [label.get_text() for label in labels]


def segments(ax):
    found = [part for part in ax.collections if isinstance(part, LineCollection)]
    return np.concatenate([part.get_segments() for part in found])


def dots(ax):
    found = [part for part in ax.collections if isinstance(part, PathCollection)]
    return next(part.get_offsets() for part in found if len(part.get_offsets()))


def cells(ax):
    """Shares of right and of mistaken predictions, NaN where nothing is drawn."""
    meshes = [part for part in ax.collections if isinstance(part, QuadMesh)]
    return [part.get_array().filled(np.nan) for part in meshes]


def contrast(one, other):
    """How far two colours stand apart, as WCAG 2 defines it."""

    def luminance(colour):
        parts = np.array(to_rgb(colour))
        linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ (0.2126, 0.7152, 0.0722) + 0.05

    pair = luminance(one), luminance(other)
    return max(pair) / min(pair)


# methods side by side


def test_comparison_draws_each_score_with_its_error():
    table = a_summary()
    ax = plot_comparison(table)
    assert np.allclose(dots(ax), np.column_stack([table["accuracy"], range(3)]))
    ends = np.column_stack(
        [table["accuracy"] - table["accuracy_error"], table["accuracy"] + table["accuracy_error"]]
    )
    assert np.allclose(segments(ax)[:, :, 0], ends)
    assert texts(ax.texts) == ["0.950", "0.775", "0.600"]
    assert texts(ax.get_yticklabels()) == ["IBGN-F", SHOWN, HIDDEN]
    assert ax.yaxis_inverted()
    assert ax.get_xlabel() == "accuracy (± 1 standard error)"


def test_a_method_has_the_same_look_in_all_plots_whatever_the_order():
    methods = ["ours", "DBN", "extra trees"]
    looks = method_looks(methods)
    assert len({look["color"] for look in looks.values()}) == 3
    for order in (methods, methods[::-1]):
        summary = a_summary(3, method=order)
        compared = plot_comparison(summary).collections[-1].get_facecolors()
        tables = [
            (plot_robustness, "rate", (0.0, 0.1)),
            (plot_detectors, "detector", ("poor", "good")),
            (plot_learning_curve, "per_activity", (1.0, 9.0)),
        ]
        for name, colour in zip(order, compared, strict=True):
            assert to_hex(colour) == to_hex(looks[name]["color"])
        for plot, place, places in tables:
            rows = [(name, where, 0.5, 0.1) for name in order for where in places]
            columns = ["method", place, "accuracy", "accuracy_error"]
            lines = [
                line
                for line in plot(pd.DataFrame(rows, columns=columns)).lines
                if line.get_marker() != "None"
            ]
            for name, line in zip(order, lines, strict=True):
                assert line.get_color() == looks[name]["color"]
                assert line.get_marker() == looks[name]["marker"]
        for name in order:
            ax = plot_reliability(bins(*order), name)
            dots = next(part for part in ax.collections if isinstance(part, PathCollection))
            assert to_hex(dots.get_facecolors()[0]) == to_hex(looks[name]["color"])


def test_a_missing_error_has_no_bar_and_a_missing_score_no_dot():
    table = a_summary(accuracy=[0.9, 0.8, np.nan], accuracy_error=[np.nan] * 3)
    ax = plot_comparison(table)
    ax.figure.canvas.draw()
    assert segments(ax).size == 0
    assert np.isnan(dots(ax).filled(np.nan)[:, 0]).tolist() == [False, False, True]
    assert ax.get_xlabel() == "accuracy"
    assert texts(ax.texts) == ["0.900", "0.800", "–"]


def test_other_scores_can_be_compared():
    table = a_summary(log_loss=[1.5, 2.5, 3.5], log_loss_error=[0.1, 0.1, 0.1])
    ax = plot_comparison(table, score="log_loss", chance=4)
    assert dots(ax)[:, 0].tolist() == [1.5, 2.5, 3.5]
    assert ax.get_xlabel() == "log loss (± 1 standard error)"
    assert ax.get_xlim()[1] > 4


@pytest.mark.parametrize("chance", [0.05, 0.94])
def test_chance_is_named_and_clear_of_the_legend(chance):
    ax = plot_comparison(a_summary(reference=[0.97, np.nan, 0.5]), chance=chance)
    ax.figure.canvas.draw()
    (word,) = [text for text in ax.texts if text.get_text() == f"chance {chance}"]
    line = next(line for line in ax.lines if line.get_linestyle() == ":")
    assert set(line.get_xdata()) == {chance}
    legend = ax.get_legend().get_window_extent()
    assert not word.get_window_extent().overlaps(legend)
    assert ax.bbox.x0 - 1 < legend.x0 < legend.x1 < ax.bbox.x1 + 1


def test_published_numbers_are_hollow_and_named():
    ax = plot_comparison(a_summary(reference=[0.97, np.nan, 0.5]))
    (published,) = ax.lines
    assert np.array_equal(published.get_xdata(), [0.97, np.nan, 0.5], equal_nan=True)
    assert published.get_markerfacecolor() == "none"
    assert texts(ax.get_legend().get_texts()) == ["measured", "published"]
    assert plot_comparison(a_summary()).get_legend() is None


def test_activities_have_precision_recall_and_f1():
    table = activities()
    ax = plot_activities(table)
    for line, name in zip(ax.lines, ("precision", "recall", "f1"), strict=True):
        assert np.allclose(line.get_xydata(), np.column_stack([table[name], range(3)]))
    assert np.allclose(segments(ax)[:, :, 0], table[["precision", "recall"]])
    assert texts(ax.get_yticklabels()) == [f"{SHOWN} (1)", f"{HIDDEN} (2)", "0 (3)"]
    assert texts(ax.get_legend().get_texts()) == ["precision", "recall", "F1"]


@pytest.mark.parametrize(
    ("plot", "table"), [(plot_comparison, a_summary), (plot_activities, activities)]
)
def test_rows_that_are_not_drawn_are_counted(plot, table):
    assert plot(table(52)).get_xlabel().endswith("\n12 more rows not drawn")
    assert len(plot(table(41)).get_yticklabels()) == 40
    assert plot(table(41)).get_xlabel().endswith("\n1 more row not drawn")
    assert "not drawn" not in plot(table(40)).get_xlabel()


# which for which


@pytest.mark.parametrize("count", [1, 2, 19, 61])
def test_cells_are_shares_of_their_row(rng, count):
    table = a_confusion(count, rng)
    ax = plot_confusion(table)
    ax.figure.canvas.draw()
    right, mistaken = cells(ax)
    expected = table.to_numpy() / table.to_numpy().sum(axis=1, keepdims=True)
    assert np.allclose(np.nan_to_num(right), np.diag(np.diag(expected)))
    assert np.allclose(np.nan_to_num(mistaken), expected - np.diag(np.diag(expected)))
    assert not np.isnan(np.diag(right)).any()
    total, good = table.to_numpy().sum(), np.trace(table.to_numpy())
    assert ax.get_title() == f"{good:,} of {total:,} predictions right ({good / total:.1%})"
    assert ax.yaxis_inverted()


def test_numbers_are_per_cents_or_counts():
    table = pd.DataFrame([[999, 1], [0, 4]], ["a", "b"], ["a", "b"])
    assert texts(plot_confusion(table).texts) == ["100", "<1", "100"]
    assert texts(plot_confusion(table, shares=False).texts) == ["999", "1", "4"]


@pytest.mark.parametrize("count", [2, 19])
@pytest.mark.parametrize("shares", [True, False])
def test_numbers_fit_into_their_cells(rng, count, shares):
    ax = plot_confusion(1000 * a_confusion(count, rng), shares=shares)
    ax.figure.canvas.draw()
    width = ax.bbox.width / count
    assert ax.texts
    assert all(text.get_window_extent().width < width for text in ax.texts)


def test_cells_too_small_have_no_numbers_and_all_cells_are_drawn_quickly(rng):
    table = a_confusion(95, rng)
    began = time.perf_counter()
    ax = plot_confusion(table)
    ax.figure.canvas.draw()
    assert time.perf_counter() - began < 6  # a second, where nothing else runs
    assert not ax.texts
    assert len(ax.get_xticklabels()) == len(ax.get_yticklabels()) == 95


def test_names_too_many_for_the_axes_are_thinned():
    ax = plt.subplots(figsize=(4, 4))[1]
    plot_confusion(a_confusion(95), ax=ax)
    assert 20 < len(ax.get_yticks()) < 95
    assert texts(ax.get_yticklabels())[1] == texts(ax.get_xticklabels())[1]
    assert all(label.get_fontsize() >= 4.5 for label in ax.get_yticklabels())


@pytest.mark.parametrize("counts", [[[0, 0], [1, 3]], [[0, 0], [0, 0]], [[np.nan, 0.2], [0, 0.4]]])
def test_rows_may_be_empty(counts):
    ax = plot_confusion(pd.DataFrame(counts, ["a", "b"], ["a", "b"]))
    ax.figure.canvas.draw()
    expected = pd.DataFrame(counts).fillna(0)
    expected = expected.div(expected.sum(axis=1), axis=0).fillna(0).to_numpy()
    assert np.allclose(sum(map(np.nan_to_num, cells(ax))), expected)


def test_right_and_mistaken_have_different_colours():
    ax = plot_confusion(a_confusion())
    right, mistaken = (part for part in ax.collections if isinstance(part, QuadMesh))
    for share in (0.01, 0.5, 1.0):
        one, other = right.to_rgba(share), mistaken.to_rgba(share)
        assert np.abs(np.subtract(one[:3], other[:3])).max() > 0.5
        assert one[3] == pytest.approx(0.15 + 0.85 * share, abs=0.01)


def test_labels_of_rows_and_columns_must_agree():
    with pytest.raises(DataError, match=r"only one has 'b', 'c'; .*reindex"):
        plot_confusion(pd.DataFrame([[1, 0], [0, 1]], ["a", "b"], ["a", "c"]))
    with pytest.raises(DataError, match="their order differs"):
        plot_confusion(pd.DataFrame([[1, 0], [0, 1]], ["a", "b"], ["b", "a"]))
    with pytest.raises(DataError, match="row 1 of the frame: 'a' is '-1'"):
        plot_confusion(pd.DataFrame([[1, 0], [-1, 1]], ["a", "b"], ["a", "b"]))
    with pytest.raises(DataError, match="shares=.* must be True or False"):
        plot_confusion(a_confusion(), shares="yes")


# errors


def test_robustness_has_a_line_for_each_method():
    table = curves()
    ax = plot_robustness(table.sample(frac=1, random_state=0).sort_values("method"))
    for name, line in zip(sorted(set(table["method"])), ax.lines, strict=True):
        rows = table[table["method"] == name]
        assert np.allclose(line.get_xydata(), rows[["rate", "accuracy"]])
    assert ax.get_ylim() == (0, 1)
    ax.figure.canvas.draw()
    assert texts(ax.get_xticklabels()) == ["0%", "10%", "30%"]
    heights = np.sort(np.diff(segments(ax)[:, :, 1]).ravel())
    assert np.allclose(heights, 0.04)


@pytest.mark.parametrize("count", [1, 6, 13])
def test_names_at_line_ends_do_not_overlap(count):
    table = curves(count)
    ax = plot_robustness(table)
    ax.figure.canvas.draw()
    assert texts(ax.texts) == [SHOWN, HIDDEN, *map(str, range(count))][:count]
    boxes = [mpl.text.Text.get_window_extent(text) for text in ax.texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    for text, line in zip(ax.texts, ax.lines, strict=True):
        assert np.allclose(text.xy, line.get_xydata()[-1])


def test_names_stand_in_the_order_of_the_ends():
    ax = plot_robustness(curves(13))
    heights = [text.get_position()[1] for text in ax.texts]
    assert heights == sorted(heights, reverse=True)


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_names_stand_in_a_legend_where_there_is_no_room(layout):
    ax = plt.subplots(figsize=(4, 2), layout=layout)[1]
    plot_robustness(curves(13), ax=ax)
    assert not ax.texts
    assert texts(ax.get_legend().get_texts())[:2] == [SHOWN, HIDDEN]


def test_names_stand_in_a_legend_where_leaders_would_look_like_lines():
    shorter = curves().drop(index=2)
    for table in (shorter, curves(places=[0.1])):
        ax = plot_robustness(table)
        assert not ax.texts
        assert len(ax.get_legend().get_texts()) == 3
    ax.figure.canvas.draw()
    assert texts(ax.get_xticklabels()) == ["10%"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10), st.floats(0.001, 0.1))
def test_places_are_spread_within_the_axes_and_keep_their_order(places, gap):
    places = np.array(places)
    spread = _spread(places, gap)
    inside = np.sort(spread)
    assert (np.diff(inside) >= gap - 1e-9).all()
    assert inside[0] >= -1e-9
    assert inside[-1] <= 1 + 1e-9
    assert (places[np.argsort(spread)] == np.sort(places)).all()
    if len(places) == 1 or np.diff(np.sort(places)).min() >= gap:
        assert np.allclose(spread, places)


def test_a_method_of_the_library_has_its_own_look_whatever_it_is_compared_with():
    looks = method_looks([*METHODS, "mine"])
    assert set(OWN_LOOKS) <= set(METHODS)
    own = [looks[name] for name in OWN_LOOKS]
    assert len({look["color"] for look in own}) == len({look["marker"] for look in own}) == 13
    for name in OWN_LOOKS:
        assert method_looks([name, "another"])[name] == looks[name]
    few = method_looks(["mine", "IBGN-T", "yours"])
    assert len({look["color"] for look in few.values()}) == 3


def test_methods_differ_without_colours():
    looks = [series_look(number) for number in range(13)]
    assert len({look["marker"] for look in looks}) == 13
    assert len({(look["color"], look["linestyle"]) for look in looks}) == 13


def test_missing_accuracies_leave_gaps():
    table = curves().assign(accuracy_error=np.nan)
    table.loc[table["method"] == HIDDEN, "accuracy"] = np.nan
    table.loc[2, "accuracy"] = np.nan
    ax = plot_robustness(table)
    ax.figure.canvas.draw()
    assert np.isnan(ax.lines[0].get_ydata()).tolist() == [False, False, True]
    assert ax.get_ylabel() == "accuracy"
    assert len(ax.get_legend().get_texts()) == 3


def test_detectors_have_columns_with_a_dot_for_each_method():
    table = detectors()
    ax = plot_detectors(table)
    assert texts(ax.get_xticklabels()) == [f"{SHOWN[:23]}…", "poor", "good"]
    assert texts(ax.get_legend().get_texts()) == [SHOWN, HIDDEN, "0"]
    drawn = [line for line in ax.lines if line.get_linestyle() == "None"]
    for name, line in zip(dict.fromkeys(table["method"]), drawn, strict=True):
        rows = table[table["method"] == name]
        assert np.round(line.get_xdata()).tolist() == [0, 1, 2]
        assert np.allclose(line.get_ydata(), rows["accuracy"])
    places = np.concatenate([line.get_xdata() for line in drawn])
    assert len(set(places.round(6))) == 9


def test_methods_and_detectors_that_are_not_drawn_are_counted():
    many = curves(42, "detector", [f"detector {number}" for number in range(21)])
    more = "\n1 more detector not drawn\n2 more methods not drawn"
    assert plot_detectors(many).get_xlabel().endswith(more)
    assert plot_robustness(curves(41)).get_xlabel().endswith("\n1 more method not drawn")


# learning curves


def test_learning_curves_have_a_line_for_each_method_over_factors():
    table = learned()
    ax = plot_learning_curve(table.sample(frac=1, random_state=0).sort_values("method"))
    for name, line in zip(sorted(set(table["method"])), ax.lines, strict=True):
        rows = table[table["method"] == name]
        assert np.allclose(line.get_xydata(), rows[["per_activity", "accuracy"]])
    assert (ax.get_xscale(), ax.get_ylim()) == ("log", (0, 1))
    ax.figure.canvas.draw()
    assert sorted(texts(ax.get_xticklabels())) == ["1", "20", "5"]
    assert ax.get_xlabel() == "training instances per activity"
    assert ax.get_ylabel() == "accuracy (± 1 standard error)"
    assert np.allclose(np.diff(segments(ax)[:, :, 1]), 0.04)


def test_learning_curves_of_losses_are_named_at_their_ends():
    table = learned().rename(columns={"accuracy": "log_loss", "accuracy_error": "log_loss_error"})
    ax = plot_learning_curve(table.assign(log_loss=table["log_loss"] * 4), score="log_loss")
    ax.figure.canvas.draw()
    assert ax.get_ylabel() == "log loss (± 1 standard error)"
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 3.6
    assert texts(ax.texts) == [SHOWN, HIDDEN, "0"]
    inside = ax.get_window_extent()
    for text, line in zip(ax.texts, ax.lines, strict=True):
        box = mpl.text.Text.get_window_extent(text)
        end = ax.transData.transform(line.get_xydata()[-1])[1]
        assert abs((box.y0 + box.y1) / 2 - end) < 0.2 * inside.height


def test_ticks_of_learning_curves_do_not_overlap():
    table = curves(2, "per_activity", [float(n) for n in range(1, 101)])
    ax = plot_learning_curve(table.assign(accuracy=0.5))
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert 5 < len(boxes) < 30
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert {"1", "100"} <= set(texts(ax.get_xticklabels()))


@pytest.mark.parametrize("score", ["seconds", None, 3])
def test_scores_of_learning_curves_are_checked(score):
    with pytest.raises(DataError, match="is not a choice; choose among 'accuracy'"):
        plot_learning_curve(learned(), score=score)


def test_a_size_that_is_unknown_is_refused():
    with pytest.raises(DataError, match="row 0 of the frame has no per_activity"):
        plot_learning_curve(learned().assign(per_activity=np.nan))
    one = plot_learning_curve(curves(2, "per_activity", [3.0]))
    one.figure.canvas.draw()
    assert texts(one.get_xticklabels()) == ["3"]


# how sure


def bars(ax):
    """Ends of the pale bars."""
    return [line.get_xydata().tolist() for line in ax.lines if line.get_alpha() == 0.28]


def test_reliability_draws_each_bin_with_what_chance_explains():
    ax = plot_reliability(bins().iloc[::-1])
    assert np.allclose(dots(ax), bins()[["confidence", "accuracy"]])
    sizes = next(part for part in ax.collections if isinstance(part, PathCollection)).get_sizes()
    assert np.allclose(sizes[1:] / sizes[-1], [16 / 64, 1])
    assert ax.lines[0].get_xydata().tolist() == [[0, 0], [1, 1]]
    assert bars(ax) == [
        [[0.3, 0.0], [0.3, 0.75]],
        [[0.6, 0.4], [0.6, 0.8]],
        [[0.95, 0.9], [0.95, 1.0]],
    ]
    assert texts(ax.get_legend().get_texts()) == ["4", "64 instances", "chance"]
    error = (4 * 0.1 + 16 * 0.1 + 64 * 0.15) / 84
    assert ax.get_title() == SHOWN
    words = f"{SHOWN}\ncalibration error {error:.3f}, by chance up to 0.100"
    assert plot_reliability(bins(), limit=0.1).get_title() == words


def test_one_method_of_several_or_all_of_them():
    table = bins("A", "B")
    table.loc[table["method"] == "B", "accuracy"] = 0.5
    one = plot_reliability(table, "B")
    assert dots(one)[:, 1].tolist() == [0.5, 0.5, 0.5]
    assert len(bars(one)) == 3
    assert one.get_title() == "B"
    both = plot_reliability(table)
    assert len(bars(both)) == 6
    assert texts(both.get_legend().get_texts()) == ["A", "B"]
    assert both.get_title() == ""
    with pytest.raises(DataError, match="method='C' is not a method of the frame, which has 'A'"):
        plot_reliability(table, "C")


def test_bins_without_instances_are_left_out():
    empty = bins().head(1).assign(instances=0, confidence=np.nan, accuracy=np.nan)
    assert len(dots(plot_reliability(pd.concat([empty, bins()])))) == 3
    with pytest.raises(DataError, match="row 0 of the frame has no accuracy"):
        plot_reliability(bins().assign(accuracy=np.nan))


# chains


def test_traces_have_a_line_for_each_chain():
    ax = plot_traces(a_learned())
    # each trace in a band of its own, from its lowest to its highest value
    up = np.arange(12) / 11
    for band, values in enumerate((up, 1 - up, up)):
        bottom = -1.4 * band
        drawn = [line.get_ydata() for line in ax.lines[2 * band : 2 * band + 2]]
        np.testing.assert_allclose(np.concatenate(drawn), bottom + values, atol=1e-12)
    assert ax.lines[0].get_xdata().tolist() == [1, 2, 3, 4, 5, 6]
    assert texts(ax.get_yticklabels()) == ["0", "11", "-11", "-0", "0", "22"]
    assert texts(ax.texts)[:3] == [
        "log joint probability",
        "log concentration",
        "log sum of the action prior",
    ]
    assert ax.get_title() == f"{SHOWN}\neffective sample size 1,234, R-hat 1.003, converged"
    assert texts(ax.get_legend().get_texts()) == ["chain 1", "chain 2"]


def test_a_single_chain_that_has_not_converged():
    ax = plot_traces(a_learned(np.zeros((1, 9)), "tea", np.inf, converged=False))
    assert ax.get_title() == "tea\neffective sample size 1,234, NOT converged"
    assert ax.get_legend() is None


def test_long_traces_are_thinned():
    trace = np.arange(20_000.0)[None]
    line, *others = plot_traces(a_learned(trace)).lines
    assert len(others) == 2
    assert len(line.get_xdata()) == 500
    assert np.allclose(line.get_ydata() * 19_999, line.get_xdata() - 1)
    assert line.axes.get_xlabel() == "draw (one of 40 shown)"


# all of them


@pytest.mark.parametrize(("plot", "what"), PLOTS)
@pytest.mark.parametrize("layout", [None, "constrained"])
def test_given_axes_are_used_and_returned(plot, what, layout):
    figure, (left, right) = plt.subplots(1, 2, layout=layout, figsize=(12, 6))
    assert plot(what, ax=right) is right
    figure.canvas.draw()
    assert right.has_data()
    assert not left.has_data()
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize(("plot", "what"), TABLES)
def test_an_empty_table_says_so(plot, what):
    empty = what.iloc[:0, :0] if plot is plot_confusion else what.iloc[:0]
    ax = plot(empty)
    ax.figure.canvas.draw()
    (words,) = texts(ax.texts)
    assert words.startswith("no ")


def test_traces_without_draws_say_so():
    ax = plot_traces(a_learned(np.zeros((2, 0))))
    ax.figure.canvas.draw()
    assert texts(ax.texts) == ["no draws"]


WITH_COLUMNS = [(plot, table) for plot, table in TABLES if plot is not plot_confusion]


@pytest.mark.parametrize(("plot", "table"), WITH_COLUMNS)
def test_a_missing_column_is_named_with_those_there_are(plot, table):
    for name in table.columns:
        others = ", ".join(repr(other) for other in table.columns if other != name)
        with pytest.raises(DataError) as caught:
            plot(table.drop(columns=name))
        assert str(caught.value) == f"the frame has no column '{name}'; its columns are {others}"


@pytest.mark.parametrize(("plot", "table"), WITH_COLUMNS)
@pytest.mark.parametrize("bad", ["many", -0.5, np.inf, 1e300, [1], True])
def test_what_is_no_such_number_is_named(plot, table, bad):
    for name in table.select_dtypes("number").columns:
        broken = table.astype(object)
        broken[name] = [broken[name][0], bad, *broken[name][2:]]
        if plot is plot_comparison and name == "accuracy" and bad == -0.5:
            continue  # a score may be negative
        with pytest.raises(DataError, match=f"row 1 of the frame: '{name}' is "):
            plot(broken)


@pytest.mark.parametrize(("plot", "table"), TABLES)
@pytest.mark.parametrize("bad", [None, "table", 3, [[1]]])
def test_a_table_is_wanted(plot, table, bad):
    with pytest.raises(DataError, match="a plot needs a pandas DataFrame, got"):
        plot(bad)


def test_two_columns_of_one_name_are_refused():
    double = pd.concat([bins(), bins()["accuracy"]], axis=1)
    with pytest.raises(DataError, match="more than one column 'accuracy'"):
        plot_reliability(double)


def test_per_cents_are_told_from_shares():
    with pytest.raises(DataError, match="per cents divided by 100"):
        plot_robustness(curves().assign(accuracy=93.1))
    with pytest.raises(DataError, match="row 0 of the frame has no rate"):
        plot_robustness(curves().assign(rate=np.nan))


@pytest.mark.parametrize("options", [{"chance": "low"}, {"chance": np.nan}, {"score": 5}])
def test_options_of_comparisons_are_checked(options):
    with pytest.raises(DataError, match=next(iter(options))):
        plot_comparison(a_summary(), **options)


def shown_texts(ax):
    """All texts of the axes but numbers on axes, as they would be drawn."""
    legend = ax.get_legend()
    found = [ax.title, ax.xaxis.label, *ax.texts, *ax.get_xticklabels(), *ax.get_yticklabels()]
    return found + ([] if legend is None else legend.get_texts())


@pytest.mark.parametrize(("plot", "what"), PLOTS)
def test_names_are_never_typeset(plot, what):
    with mpl.rc_context({"text.usetex": True, "text.parse_math": True}):
        ax = plot(what)
        ugly = [text for text in shown_texts(ax) if "frac" in text.get_text()]
    assert ugly
    assert not any(text.get_parse_math() or text.get_usetex() for text in ugly)
    assert all(SHOWN[:10] in text.get_text() for text in ugly)


@pytest.mark.parametrize(("plot", "what"), PLOTS)
def test_long_names_are_cut(plot, what):
    name = "x" * 500
    if plot is plot_traces:
        what = a_learned(name=name)
    elif plot is plot_confusion:
        what = what.rename(index={UGLY: name}, columns={UGLY: name})
    else:
        what = what.replace(UGLY, name)
    ax = plot(what)
    assert all(len(line) < 70 for text in shown_texts(ax) for line in text.get_text().split("\n"))


@pytest.mark.parametrize(("plot", "what"), PLOTS)
@pytest.mark.parametrize("ours", [True, False])
def test_pages_can_put_their_own_colours(plot, what, ours):
    """All colours are those that a page replaces, or seen on white and on dark pages."""
    ax = None if ours else plt.subplots(figsize=(9, 6))[1]
    file = io.StringIO()
    with themed():
        ax = plot(what, ax=ax)
        ax.patch.set_visible(ours)  # axes that were given have the background of their maker
        ax.figure.savefig(file, format="svg", transparent=True)
    svg = re.sub("<metadata>.*?</metadata>", "", file.getvalue(), flags=re.DOTALL)
    used = set(re.findall("#[0-9a-f]{6}(?![0-9a-f])", svg))
    data = {to_hex(colour) for colour in SERIES_COLOURS}
    in_cells = {"#ffffff"} if plot is plot_confusion else set()
    assert used - data - in_cells == {DARK.lower()} | (used & {FAINT.lower()})
    assert used & data
    # black is not written in the file, so it is looked for here
    words = {to_hex(text.get_color()) for text in [ax.yaxis.label, *shown_texts(ax)]}
    assert words - in_cells == {DARK.lower()}


def test_colours_of_data_are_seen_on_white_and_on_dark_pages():
    for colour in SERIES_COLOURS:
        assert contrast(colour, "white") >= 3
        assert contrast(colour, "#15181c") >= 3
    assert contrast(FAINT, "white") < 3  # a control


def test_themed_is_over_when_it_is_over():
    with themed():
        assert mpl.rcParams["text.color"] == DARK
        assert mpl.rcParams["axes.facecolor"] == "none"
    assert mpl.rcParams["text.color"] != DARK
