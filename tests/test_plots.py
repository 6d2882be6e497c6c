"""Plots show every interval and link once, keep colours, and take no name for a formula."""

import subprocess
import sys
import time
from itertools import combinations

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import LineCollection, QuadMesh

from ibgn.allen import Relation
from ibgn.errors import OptionError
from ibgn.intervals import IntervalSequences
from ibgn.model.activity import ActivityModel
from ibgn.model.explanation import Explanation
from ibgn.networks import read_networks
from ibgn.plots import (
    plot_explanation,
    plot_network,
    plot_structure,
    plot_tables,
    plot_timeline,
    plot_traces,
)
from ibgn.plots.actions import ACTION_COLOURS, action_colours
from ibgn.plots.curves import bend_apart
from ibgn.plots.style import RELATION_COLOURS
from ibgn.plots.units import timed_in
from ibgn.structure import Structure
from ibgn.terms.base import LogTerms
from ibgn.terms.relations import FittedRelations
from ibgn.terms.selection import LinkScores
from ibgn.terms.tables import Convergence, FittedTables

THREE = [("reach", 0, 2), ("grasp", 2, 3), ("lift", 2.5, 5)]
ALL_SEVEN = [
    ("a", 0, 4),
    ("b", 0, 4),
    ("c", 0, 6),
    ("d", 1, 6),
    ("e", 2, 7),
    ("f", 3, 5),
    ("g", 7, 9),
]
HOSTILE = ["$\\frac{$", "_hidden", "<b>", "two\nlines", "\x1b[31mred", "%", "\\alpha", "{}", "-"]
SHOWN = ["$\\frac{$", "_hidden", "<b>", "two\\nlines", "\\x1b[31mred", "%", "\\alpha", "{}", "-"]


@pytest.fixture(autouse=True)
def close_figures():
    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before
    plt.close("all")


def hostile():
    rows = [(name, place, place + 1.5) for place, name in enumerate(HOSTILE)]
    return IntervalSequences.from_lists([rows], ids=["$\\sqrt{$\x07"])


def random_instance(rng, length, actions=9):
    start = rng.integers(0, 3 * length, length)
    end = start + rng.integers(1, 12, length)
    names = [f"action {code}" for code in rng.integers(0, actions, length)]
    return list(zip(names, start.tolist(), end.tolist(), strict=True))


def texts(labels):
    return [label.get_text() for label in labels]


def boxes(ax):
    """Each bar as (left, right, bottom, top) with y growing downwards."""
    rectangles = [bar.get_bbox() for bar in ax.patches]
    return [(box.x0, box.x1, box.y0, box.y1) for box in rectangles]


def pixels(ax):
    ax.figure.canvas.draw()
    return np.array(ax.figure.canvas.buffer_rgba())


def arcs(ax):
    found = [part for part in ax.collections if isinstance(part, LineCollection)]
    return [segment for part in found for segment in part.get_segments()]


def links(instance, structure):
    return list(read_networks([instance], structure)[0].links())


def test_timeline_has_a_bar_for_each_interval_and_a_lane_for_each_action():
    ax = plot_timeline([("b", 0, 2), ("a", 1, 3), ("b", 4, 5)])
    assert [(x0, x1) for x0, x1, _, _ in boxes(ax)] == [(0, 2), (1, 3), (4, 5)]
    assert texts(ax.get_yticklabels()) == ["b", "a"]
    assert [round(bar.get_center()[1]) for bar in ax.patches] == [0, 1, 0]
    assert ax.yaxis_inverted()  # so the first lane is at the top
    assert ax.get_xlabel() == "time"
    assert ax.get_legend() is None


@pytest.mark.parametrize("lanes", ["action", "track"])
def test_bars_never_cover_each_other(rng, lanes):
    drawn = boxes(plot_timeline(random_instance(rng, 60, actions=3), lanes=lanes))
    assert len(drawn) == 60
    for (l1, r1, b1, t1), (l2, r2, b2, t2) in combinations(drawn, 2):
        assert min(r1, r2) <= max(l1, l2) or min(t1, t2) <= max(b1, b2) + 1e-9


def test_bars_stay_within_the_lane_of_their_action(rng):
    instance = sorted(random_instance(rng, 40, actions=4), key=lambda row: (row[1], row[2], row[0]))
    ax = plot_timeline(instance)
    lanes = texts(ax.get_yticklabels())
    for (name, _, _), (_, _, bottom, top) in zip(instance, boxes(ax), strict=True):
        assert lanes.index(name) - 0.5 < bottom < top < lanes.index(name) + 0.5


def test_each_interval_takes_the_first_free_track():
    ax = plot_timeline(
        [("a", 0, 4), ("b", 1, 2), ("c", 1, 3), ("d", 2, 5), ("e", 4, 6)], lanes="track"
    )
    assert [bar.get_center()[1] for bar in ax.patches] == [0, 1, 2, 1, 0]
    assert texts(ax.get_yticklabels()) == ["1", "2", "3"]
    assert texts(ax.get_legend().get_texts()) == ["a", "b", "c", "d", "e"]


def test_names_are_written_in_bars_where_they_fit():
    ax = plot_timeline([("long", 0, 100), ("short", 100, 101)], lanes="track")
    ax.figure.canvas.draw()
    assert [(name.get_text(), name.fits()) for name in ax.texts] == [
        ("long", True),
        ("short", False),
    ]
    ax.set_xlim(99, 101)
    assert ax.texts[1].fits()


@pytest.mark.parametrize(("chosen", "seen"), [(0, True), (1, False)])
def test_only_names_that_fit_are_drawn(chosen, seen):
    ax = plot_timeline([("long", 0, 100), ("short", 100, 101)], lanes="track")
    with_name = pixels(ax)
    ax.texts[chosen].remove()
    assert (pixels(ax) != with_name).any() == seen


def test_colours_belong_to_the_action_not_to_the_instance():
    X = IntervalSequences.from_lists([[("b", 0, 1), ("a", 1, 2)], [("c", 0, 1), ("b", 0, 2)]])
    first, second = (plot_timeline(one).patches for one in X)
    assert first[0].get_facecolor() == second[1].get_facecolor()
    assert len({bar.get_facecolor() for bar in [*first, *second]}) == 3


def test_actions_that_differ_in_the_last_word_are_shades_of_one_colour():
    named = action_colours(["left hand open", "left hand shut", "nod", "right hand open", "wave"])
    assert len(set(named)) == 5
    alone = action_colours(["a", "b", "c", "d"])
    assert (named[0], *named[2:]) == tuple(alone)
    mixed = (np.array(named[1]) - named[0]) / (1 - np.array(named[0]))
    assert np.allclose(mixed, mixed[0])  # with white
    many = action_colours([f"Anna {word}" for word in "abcde"])
    assert many == ACTION_COLOURS[:5]  # more than shades could tell apart
    assert action_colours([]) == []
    bright = action_colours([*"abcdef", "lamp off", "lamp on"])[-2:]
    assert max(np.subtract(*bright)) > 0  # a brighter shade would vanish


@given(st.lists(st.text(st.sampled_from("ab "), max_size=5), unique=True, max_size=20))
def test_actions_have_different_colours(actions):
    assert len(set(action_colours(actions))) == len(actions)


def test_meeting_bars_have_an_edge_that_differs_from_every_fill():
    many = [(f"{code:03}", code, code + 1) for code in range(len(ACTION_COLOURS))]
    bars = plot_timeline(many).patches
    assert len({bar.get_facecolor() for bar in bars}) == len(ACTION_COLOURS)
    for bar in bars:
        apart = np.abs(np.subtract(bar.get_facecolor(), bar.get_edgecolor())).max()
        assert apart > 0.15
        assert bar.get_linewidth() > 0


@pytest.mark.parametrize(
    ("lanes", "legend", "shown"),
    [
        ("action", True, True),
        ("action", False, False),
        ("track", False, False),
        ("track", True, True),
    ],
)
def test_legend_is_as_asked(lanes, legend, shown):
    assert (plot_timeline(THREE, lanes=lanes, legend=legend).get_legend() is not None) is shown


def test_legend_of_tracks_is_left_out_when_actions_are_many():
    many = [(f"action {code}", code, code + 2) for code in range(40)]
    assert plot_timeline(many, lanes="track").get_legend() is None
    ax = plot_timeline(many, lanes="track", legend=True)
    ax.figure.canvas.draw()
    assert len(ax.get_legend().get_texts()) == 40


def test_names_are_shown_as_written():
    lanes = plot_timeline(hostile())
    tracks = plot_timeline(hostile(), lanes="track")
    network = plot_network(hostile(), "chain")
    cells = plot_network(hostile())
    for ax in (lanes, tracks, network, cells):
        ax.tick_params(labelright=True, labeltop=True)  # labels that were hidden are data too
        ax.figure.canvas.draw()
        assert ax.get_title() == "$\\sqrt{$\\x07"
    assert texts(lanes.get_yticklabels())[: len(SHOWN)] == SHOWN
    assert texts(tracks.get_legend().get_texts()) == SHOWN
    assert texts(tracks.texts) == SHOWN
    below = [label.replace("\n", " ") for label in texts(network.get_xticklabels())[: len(SHOWN)]]
    assert below == [f"{place} {name}" for place, name in enumerate(SHOWN)]
    names = [text for text in texts(cells.texts) if len(text) > 1]
    assert names == [f"{name} {place}" for place, name in enumerate(SHOWN)]


def test_texts_with_data_are_never_typeset():
    with mpl.rc_context({"text.usetex": True, "text.parse_math": True}):
        lanes = plot_timeline(hostile(), legend=True)
        tracks = plot_timeline(hostile(), lanes="track")
        network = plot_network(hostile(), "chain")
        cells = plot_network(hostile())
    shown = [*lanes.get_yticklabels(), *lanes.get_legend().get_texts(), lanes.title, *tracks.texts]
    shown += [*network.get_xticklabels(), network.title]
    shown += [text for text in cells.texts if len(text.get_text()) > 1]
    assert len(shown) == 5 * len(HOSTILE) + 2
    assert not any(text.get_parse_math() or text.get_usetex() for text in shown)


def test_long_names_are_cut():
    name = "x" * 500
    ax = plot_timeline(IntervalSequences.from_lists([[(name, 0, 1)]], ids=[name]), legend=True)
    shown = [ax.get_title(), *texts(ax.get_yticklabels()), *texts(ax.get_legend().get_texts())]
    shown += texts(plot_network([(name, 0, 1)]).get_xticklabels())
    assert all(len(text) <= 60 and text.endswith("…") for text in shown)


@pytest.mark.parametrize(
    "structure",
    ["chain", "full", [(0, 2), (1, 5)], [], Structure({(0, 2)}, beyond="chain"), Structure.full()],
)
def test_network_has_an_arc_and_a_letter_for_each_link(structure):
    ax = plot_network(ALL_SEVEN, structure)
    expected = links(ALL_SEVEN, structure)
    ends = [(*arc[0], *arc[-1]) for arc in arcs(ax)]
    assert np.allclose(
        np.reshape(ends, (-1, 4)), [(i, 0, j, 0) for i, j, _ in expected] or np.empty((0, 4))
    )
    assert texts(ax.texts) == [relation.symbol for _, _, relation in expected]
    assert [text.get_position()[0] for text in ax.texts] == [(i + j) / 2 for i, j, _ in expected]


def test_letters_stand_on_top_of_their_arcs_and_longer_links_higher():
    ax = plot_network(ALL_SEVEN)
    heights = {}
    for (i, j, _), arc, text in zip(links(ALL_SEVEN, "full"), arcs(ax), ax.texts, strict=True):
        assert arc[:, 1].max() == pytest.approx(text.get_position()[1])
        heights.setdefault(j - i, set()).add(text.get_position()[1])
    assert all(len(level) == 1 for level in heights.values())
    levels = [min(heights[span]) for span in sorted(heights)]
    assert levels == sorted(set(levels))


def test_relations_have_their_own_colour_and_only_those_that_occur_are_listed():
    ax = plot_network(ALL_SEVEN)
    listed = texts(ax.get_legend().get_texts())
    found = {relation for _, _, relation in links(ALL_SEVEN, "full")}
    assert listed == [f"{r.symbol} {r.label}" for r in Relation if r in found]
    assert len(found) == 7
    assert texts(plot_network(THREE, "chain").get_legend().get_texts()) == ["m meets", "o overlaps"]
    colours = next(part for part in ax.collections if isinstance(part, LineCollection)).get_colors()
    for (_, _, relation), colour in zip(links(ALL_SEVEN, "full"), colours, strict=True):
        assert np.allclose(colour[:3], RELATION_COLOURS[relation])
    assert len(set(RELATION_COLOURS)) == 7


SPARSE = [(0, 1), (0, 3), (0, 5), (1, 4), (2, 11), (6, 9)]


@pytest.mark.parametrize("length", [12, 20])
@pytest.mark.parametrize("structure", ["chain", SPARSE])
def test_letters_and_dots_do_not_overlap(rng, length, structure):
    ax = plot_network(random_instance(rng, length), structure)
    ax.figure.canvas.draw()
    letters = [text.get_window_extent() for text in ax.texts]
    assert len(letters) == len(Structure.of(structure).pairs(length))
    assert not any(one.overlaps(other) for one, other in combinations(letters, 2))
    dots = ax.collections[-1]
    centres = ax.transData.transform(dots.get_offsets())
    diameter = dots.get_sizes()[0] ** 0.5 * ax.figure.dpi / 72
    nearest = min(np.hypot(*(one - other)) for one, other in combinations(centres, 2))
    assert max(letter.width for letter in letters) < diameter < nearest


def relations_in_cells(ax):
    """(row, column) of each filled cell, with its relation."""
    values = ax.collections[-1].get_array().filled(np.nan)
    return [(i, j, Relation(int(values[i, j]))) for i, j in np.argwhere(np.isfinite(values))]


@pytest.mark.parametrize("length", [9, 15, 40])
def test_many_links_are_cells_beside_the_names_of_both_intervals(rng, length):
    instance = random_instance(rng, length)
    ax = plot_network(instance)
    ax.figure.canvas.draw()
    expected = links(instance, "full")
    assert relations_in_cells(ax) == expected
    assert not arcs(ax)
    letters = [text for text in ax.texts if len(text.get_text()) == 1]
    assert [(*text.get_position(), text.get_text()) for text in letters] == [
        (j, i, relation.symbol) for i, j, relation in expected
    ]
    assert min(text.get_fontsize() for text in letters) >= (9 if length <= 30 else 7)
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    names = [text for text in ax.texts if len(text.get_text()) > 1]
    actions = [X.split()[1] for X in texts(names)]
    assert actions == [str(name.split()[1]) for name, _, _ in sorted_by_start(instance)]
    assert ax.figure.bbox.x0 <= min(text.get_window_extent().x0 for text in names)


def sorted_by_start(instance):
    return IntervalSequences.from_lists([instance]).to_lists()[0]


def test_links_that_are_not_there_are_pale_cells(rng):
    pairs = [(i, j) for i in range(12) for j in range(i + 1, 12) if (i + j) % 2]
    ax = plot_network(random_instance(rng, 12), pairs)
    assert [(i, j) for i, j, _ in relations_in_cells(ax)] == pairs
    pale = ax.collections[-2].get_array().filled(0).astype(bool)
    assert np.argwhere(pale).tolist() == [
        [i, j] for i in range(12) for j in range(i + 1, 12) if (i, j) not in pairs
    ]


def test_two_hundred_nodes_fully_linked_are_drawn_quickly(rng):
    plot_network(THREE)  # compile the kernels
    began = time.perf_counter()
    ax = plot_network(random_instance(rng, 200))
    ax.figure.canvas.draw()
    assert time.perf_counter() - began < 10
    assert len(relations_in_cells(ax)) == 200 * 199 // 2
    assert 10 < len(ax.texts) <= 200  # some names, no letters


@pytest.mark.parametrize("length", [1, 2])
def test_networks_of_one_or_two_nodes(length):
    ax = plot_network(THREE[:length])
    ax.figure.canvas.draw()
    assert len(ax.get_xticklabels()) == length
    assert len(arcs(ax)) == length - 1


@pytest.mark.parametrize("plot", [plot_timeline, plot_network])
def test_empty_instance_says_so(plot):
    ax = plot(IntervalSequences.from_lists([[]], ids=["nobody"]))
    ax.figure.canvas.draw()
    assert texts(ax.texts) == ["no intervals"]
    assert ax.get_title() == "nobody"
    assert not ax.patches


@pytest.mark.parametrize("plot", [plot_timeline, plot_network])
@pytest.mark.parametrize("layout", [None, "constrained"])
def test_given_axes_are_used_and_returned(plot, layout):
    figure, (left, right) = plt.subplots(1, 2, layout=layout)
    assert plot(THREE, ax=right) is right
    figure.canvas.draw()
    assert right.has_data()
    assert not left.has_data()
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("plot", [plot_timeline, plot_network])
def test_one_instance_is_asked_for(plot):
    X = IntervalSequences.from_lists([THREE, THREE])
    with pytest.raises(ValueError, match=r"one instance, got 2; choose one, e\.g\. X\[0\]"):
        plot(X)
    assert plot(X[0]).get_title() == ""


def test_choices_are_listed():
    with pytest.raises(ValueError, match="'action', 'track'"):
        plot_timeline(THREE, lanes="rows")
    with pytest.raises(ValueError, match="'chain', 'full'"):
        plot_network(THREE, "ring")


def test_very_many_lanes_make_no_figure_too_large_to_draw():
    ax = plot_timeline([(f"action {code}", code, code + 1) for code in range(300)])
    assert ax.figure.get_size_inches().max() <= 40


# what was learned


def an_activity(probs, shares=None, *, name="making tea", actions=None, **parts):
    """An activity with these tables, as if it had been learned."""
    probs = np.asarray(probs, float)
    tables, count = probs.shape
    actions = actions or tuple(f"action {code}" for code in range(count))
    fitted_tables = FittedTables(
        actions=actions,
        action_probs=probs,
        shares=np.full(tables, 1 / tables) if shares is None else np.asarray(shares, float),
        concentration=1.0,
        action_prior=np.ones(count),
        convergence=Convergence(0, 1, 1, 1.0, 1.0, 1.0, True, np.zeros((3, 1, 1))),
    )
    relations = FittedRelations(
        actions=actions,
        structure=parts.get("structure", Structure.full()),
        keys=np.zeros(0, np.int64),
        log_probs=np.zeros((0, 7)),
        unknown=np.zeros((2, 128, 7)),
        link_scores=parts.get("link_scores"),
    )
    terms = {"tables": fitted_tables, "relations": relations}
    return ActivityModel(name, actions, terms, np.array(parts.get("lengths", [3])), 1.0)


def with_links(structure, lengths, link_scores=None):
    return an_activity([[1.0]], structure=structure, lengths=lengths, link_scores=link_scores)


def learned(score, size):
    scores = LinkScores(size, np.asarray(score, float), np.zeros(len(score)))
    return with_links(scores.structure, [size], scores)


def an_explanation(instance, seed=0, *, ids=None, names=("tea", "coffee"), **parts):
    """An explanation with random contributions of two terms."""
    rng = np.random.default_rng(seed)
    one = IntervalSequences.from_lists([instance], ids=ids)
    k = len(one.action)
    intervals = parts.get("intervals", rng.normal(size=k))
    pairs = parts.get("pairs", np.triu(rng.normal(size=(k, k)), 1))
    terms = {
        "actions": LogTerms(interval=np.asarray(intervals, float)),
        "relations": LogTerms(pair=pairs[np.triu_indices(k, 1)]),
    }
    explanation = Explanation(*names, one, one.actions, 0.5, terms)
    assert explanation.log_odds == pytest.approx(0.5 + np.sum(intervals) + np.sum(pairs))
    return explanation


def meshes(ax):
    return [part for part in ax.collections if isinstance(part, QuadMesh)]


def cells(ax):
    """Values of all cells, (rows, columns), what is left last."""
    return np.column_stack([np.ma.getdata(mesh.get_array()) for mesh in meshes(ax)])


def linked_cells(ax):
    """Pairs that are filled as links."""
    return list(zip(*np.nonzero(~np.ma.getmaskarray(meshes(ax)[1].get_array())), strict=True))


def speaks_for(colour):
    """Positive for blue, negative for orange, about 0 for grey."""
    return colour[2] - colour[0]


def random_tables(rng, tables, actions):
    return an_activity(
        rng.dirichlet(np.full(actions, 0.1), tables), rng.dirichlet(np.full(tables, 5.0))
    )


@pytest.mark.parametrize(("tables", "actions"), [(2, 5), (7, 20), (15, 50), (1, 3)])
def test_rows_of_tables_add_up_to_one(rng, tables, actions):
    ax = plot_tables(random_tables(rng, tables, actions), least=0)
    ax.figure.canvas.draw()
    shown = cells(ax)
    assert shown.shape[0] == tables
    assert shown.shape[1] <= 13
    assert np.allclose(shown.sum(axis=1), 1, atol=0.005)
    assert len(ax.get_xticks()) == shown.shape[1]
    assert len(ax.texts) == (shown >= 0.005).sum()


def test_cells_are_the_probabilities_of_the_named_actions():
    probs = [[0.6, 0.3, 0.06, 0.04], [0.1, 0.1, 0.1, 0.7]]
    ax = plot_tables(an_activity(probs, [0.75, 0.25]), most_actions=2)
    assert texts(ax.get_xticklabels()) == ["action 0", "action 3", "other"]
    assert texts(ax.get_yticklabels()) == ["table 0: 75%", "table 1: 25%"]
    assert np.allclose(cells(ax), [[0.6, 0.04, 0.36], [0.1, 0.7, 0.2]])
    assert texts(ax.texts) == ["60", "4", "10", "70", "36", "20"]
    assert ax.get_title() == "making tea: 2 tables"
    assert ax.yaxis_inverted()
    all_of_them = plot_tables(an_activity(probs))
    by_table = ["action 0", "action 1", "action 3", "action 2"]
    assert texts(all_of_them.get_xticklabels()) == by_table
    assert len(meshes(all_of_them)) == 1


def test_darker_cells_are_likelier():
    ax = plot_tables(an_activity([[0.1, 0.2, 0.3, 0.4]]))
    (mesh,) = meshes(ax)
    brightness = mesh.to_rgba(mesh.get_array())[..., :3].sum(axis=-1).ravel()
    assert (np.diff(brightness) > 0).all()  # the likeliest comes first
    assert texts(ax.texts) == ["40", "30", "20", "10"]


def test_small_tables_are_left_out_but_never_all():
    activity = an_activity(np.eye(4), [0.5, 0.485, 0.009, 0.006])
    ax = plot_tables(activity)
    assert texts(ax.get_yticklabels()) == ["table 0: 50%", "table 1: 48%"]
    assert ax.get_title() == "making tea: 2 tables (2 below 1% left out)"
    assert len(plot_tables(activity, least=0).get_yticklabels()) == 4
    assert texts(plot_tables(activity, least=1).get_yticklabels()) == ["table 0: 50%"]


def test_a_single_table_of_a_single_action():
    ax = plot_tables(an_activity([[1.0]]))
    ax.figure.canvas.draw()
    assert cells(ax).tolist() == [[1]]
    assert ax.get_title() == "making tea: 1 table"


@pytest.mark.parametrize("options", [{"least": -1}, {"least": np.nan}, {"most_actions": 0}])
def test_options_of_tables_are_checked(options):
    with pytest.raises(OptionError, match=f"{next(iter(options))}=.* must be "):
        plot_tables(an_activity([[1.0]]), **options)


@pytest.mark.parametrize("size", [2, 5, 61, 150])
@pytest.mark.parametrize("structure", [Structure.chain(), Structure.full()])
def test_structures_are_drawn_up_to_the_longest_instance(structure, size):
    ax = plot_structure(with_links(structure, [1, size, 2]))
    ax.figure.canvas.draw()
    assert linked_cells(ax) == structure.pairs(size)
    assert ax.get_xlim() == (-0.5, size - 0.5)
    pairs = size * (size - 1) // 2
    assert ax.get_title() == f"making tea: {len(structure.pairs(size))} of {pairs} pairs linked"
    assert texts(ax.get_legend().get_texts()) == ["linked", "not linked"]
    unlinked = (~np.ma.getmaskarray(meshes(ax)[0].get_array())).sum()
    assert unlinked == pairs - len(structure.pairs(size))


def test_given_links_are_all_drawn_even_past_the_longest_instance():
    ax = plot_structure(with_links(Structure({(0, 6), (1, 2)}), [4]))
    assert linked_cells(ax) == [(0, 6), (1, 2)]
    assert ax.get_title() == "making tea: 2 of 21 pairs linked"


def test_links_are_shaded_by_their_score():
    ax = plot_structure(learned([5.0, -3.0, 0.5, 200.0, 0.0, 20.0], 4))
    ax.figure.canvas.draw()
    assert linked_cells(ax) == [(0, 1), (0, 3), (1, 2), (2, 3)]
    links = meshes(ax)[1]
    shades = [links.to_rgba(score)[:3] for score in (0.5, 5.0, 20.0, 200.0)]
    assert (np.diff(np.sum(shades, axis=1)) < -0.1).all()
    assert links.get_array().compressed().tolist() == [5, 0.5, 200, 20]
    assert texts(ax.get_legend().get_texts()) == ["not linked"]
    (inset,) = ax.child_axes
    assert inset.get_xlabel() == "score, from weak to strong (nats)"
    assert inset.get_xticklabels()[-1].get_text() == "200"


def test_scores_of_no_link_at_all():
    ax = plot_structure(learned([-1.0, -2.0, -3.0], 3))
    ax.figure.canvas.draw()
    assert linked_cells(ax) == []
    assert ax.get_title() == "making tea: 0 of 3 pairs linked"
    assert not ax.child_axes


@pytest.mark.parametrize("size", [0, 1])
def test_structures_without_pairs_say_so(size):
    ax = plot_structure(with_links(Structure.full(), [size]))
    ax.figure.canvas.draw()
    assert texts(ax.texts) == ["no pairs of positions"]


# why


def test_bars_are_coloured_by_what_they_add():
    weights = [2.0, -2.0, 0.0, 0.4, -0.4]
    names = [("a", 0, 1), ("b", 1, 2), ("c", 2, 3), ("d", 3, 4), ("e", 4, 5)]
    ax = plot_explanation(an_explanation(names, intervals=weights, pairs=np.zeros((5, 5))))
    ax.figure.canvas.draw()
    said = [speaks_for(bar.get_facecolor()) for bar in ax.patches]
    assert np.sign(np.round(said, 2)).tolist() == [1, -1, 0, 1, -1]
    assert said[0] > said[3]
    assert said[1] < said[4]
    assert not arcs(ax)
    assert boxes(ax)[0][:2] == (0, 1)


def test_the_weightiest_links_are_drawn_with_their_letters():
    explanation = an_explanation(ALL_SEVEN)
    ax = plot_explanation(explanation, most_links=5)
    ax.figure.canvas.draw()
    rows = explanation.frame().query("level == 'pair'").head(5)
    middles = np.array([bar.get_center() for bar in ax.patches])
    drawn = next(part for part in ax.collections if isinstance(part, LineCollection))
    for row, line, colour in zip(rows.itertuples(), arcs(ax), drawn.get_colors(), strict=True):
        assert np.allclose(line[[0, -1]], middles[[row.first, row.second]])
        assert speaks_for(colour) * row.contribution > 0
    symbols = {relation.label: relation.symbol for relation in Relation}
    assert texts(ax.texts) == [symbols[label] for label in rows["relation"]]
    words = ax.figure.axes[-1].get_xlabel().split("    ")
    assert set(words) == {f"{symbols[label]} {label}" for label in rows["relation"]}


@pytest.mark.parametrize(("most", "drawn"), [(0, 0), (3, 3), (100, 21)])
def test_no_more_links_than_asked_for(most, drawn):
    pairs = np.triu(np.linspace(0.5, 1.5, 49).reshape(7, 7), 1)
    ax = plot_explanation(an_explanation(ALL_SEVEN, pairs=pairs), most_links=most)
    assert len(arcs(ax)) == len(ax.texts) == drawn
    assert ax.get_xlabel() == f"time; {drawn} of 21 pairs drawn"


def test_links_that_are_weak_beside_others_are_left_out():
    pairs = np.zeros((3, 3))
    pairs[0, 1:] = 0.06, 0.04
    ax = plot_explanation(an_explanation(THREE, intervals=[1.0, 0, 0], pairs=pairs))
    assert len(arcs(ax)) == 1


def test_explanations_begin_with_reasons_and_terms():
    explanation = an_explanation(
        THREE, intervals=[1.0, 2.0, -0.5], pairs=np.triu(np.full((3, 3), -0.01), 1)
    )
    top, terms = plot_explanation(explanation, reasons=2).figure.axes[:2]
    assert top.get_title(loc="left") == "tea against coffee: log odds +3.0"
    written = " ".join(top.texts[0].get_text().split())
    assert written == " ".join(
        f"{n}. {reason}" for n, reason in enumerate(explanation.reasons(2), 1)
    )
    assert texts(terms.get_yticklabels()) == ["actions", "prior", "relations"]
    assert [bar.get_width() for bar in terms.patches] == pytest.approx([2.5, 0.5, -0.03])
    assert texts(terms.texts) == ["+2.50", "+0.50", "-0.03"]
    assert not plot_explanation(explanation, reasons=0).figure.axes[0].texts[0].get_text()


def test_lanes_have_sums_and_absent_actions_that_count():
    """What is said about an action is shared by its intervals; an absent one has its own lane."""
    one = IntervalSequences.from_lists([[("grasp", 0, 1), ("lift", 1, 2), ("grasp", 3, 4)]])
    known = ("grasp", "lift", "pour", "stir")
    terms = {
        "durations": LogTerms(interval=np.array([0.5, -1.0, 0.0])),
        "occurrences": LogTerms(action=np.array([[2.0, 0.0, -1.5, 0.01]])),
    }
    explanation = Explanation("a", "b", one, known, 0.0, terms)
    ax = plot_explanation(explanation)
    ax.figure.canvas.draw()
    assert texts(ax.get_yticklabels()) == ["grasp", "lift", "no pour"]
    assert texts(ax.child_axes[0].get_yticklabels()) == ["+2.5", "-1.0", "-1.5"]
    said = [speaks_for(bar.get_facecolor()) for bar in ax.patches]
    assert said[0] > said[2] > 0 > said[1]


def test_a_hundred_intervals_and_many_terms_fit(rng):
    one = IntervalSequences.from_lists([random_instance(rng, 100, actions=25)])
    terms = {
        f"term {t}": LogTerms(interval=rng.normal(size=100) / 9, action=rng.normal(size=(1, 25)))
        for t in range(12)
    }
    explanation = Explanation("tea", "coffee", one, one.actions, 0.0, terms)
    start = time.perf_counter()
    ax = plot_explanation(explanation)
    ax.figure.canvas.draw()
    assert time.perf_counter() - start < 10
    width, height = ax.figure.get_size_inches()
    assert width <= 12
    assert height <= 16
    rows = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert not any(one.overlaps(other) for one, other in combinations(rows, 2))
    for part in ax.figure.axes[:2]:  # nothing is cut
        for text in part.texts:
            box = text.get_window_extent()
            assert box.x0 >= 0
            assert box.x1 <= ax.figure.bbox.width


def test_colours_are_explained_and_centred():
    ax = plot_explanation(an_explanation(THREE))
    key = ax.figure.axes[-1]
    assert texts(key.texts) == ["against tea", "for tea"]
    assert key.get_xlim()[0] == -key.get_xlim()[1]
    nothing = plot_explanation(an_explanation(THREE, intervals=np.zeros(3), pairs=np.zeros((3, 3))))
    nothing.figure.canvas.draw()
    assert not any(round(speaks_for(bar.get_facecolor()), 2) for bar in nothing.patches)


@pytest.mark.parametrize("length", [4, 15, 40])
def test_letters_of_explanations_keep_apart_and_inside(rng, length):
    ax = plot_explanation(an_explanation(random_instance(rng, length), int(rng.integers(100))))
    ax.figure.canvas.draw()
    letters = [text.get_window_extent() for text in ax.texts]
    assert len(letters) == min(8, length * (length - 1) // 2)
    assert not any(one.overlaps(other) for one, other in combinations(letters, 2))
    lower, upper = ax.viewLim.min, ax.viewLim.max
    assert all(((line >= lower) & (line <= upper)).all() for line in arcs(ax))


def test_letters_of_lines_between_the_same_ends_keep_apart():
    ends = np.repeat([[[0.0, 0.0], [3.0, 1.0]]], 5, axis=0)
    lines, places = bend_apart(ends, np.array([[-9.0, -9.0], [9.0, 9.0]]))
    assert all(np.hypot(*(one - other)) > 0.2 for one, other in combinations(places, 2))
    for line, place, (first, last) in zip(lines, places, ends, strict=True):
        assert (line == place).all(axis=1).any()
        assert np.allclose(line[[0, -1]], [first, last])


def test_intervals_of_one_lane_are_joined_visibly():
    ax = plot_explanation(an_explanation([("a", 0, 1), ("a", 2, 3), ("a", 4, 5)]))
    ax.figure.canvas.draw()
    assert all(np.ptp(line[:, 1]) > 0.05 for line in arcs(ax))


def test_an_explanation_without_intervals_says_so():
    ax = plot_explanation(an_explanation([]))
    ax.figure.canvas.draw()
    assert texts(ax.texts) == ["no intervals"]
    title = ax.figure.axes[0].get_title(loc="left")
    assert title.startswith("tea against coffee: log odds +0.5")


@pytest.mark.parametrize("option", ["most_links", "reasons"])
def test_numbers_of_links_and_reasons_are_checked(option):
    with pytest.raises(OptionError, match=f"{option}=-1 must be a whole number from 0"):
        plot_explanation(an_explanation(THREE), **{option: -1})


def hostile_plots():
    rows = [(name, place, place + 1.5) for place, name in enumerate(HOSTILE)]
    name = "$\\sqrt{$\x07"
    size = len(HOSTILE)
    activity = an_activity(np.eye(size), name=name, actions=tuple(HOSTILE))
    return (
        plot_tables(activity),
        plot_structure(activity),
        plot_explanation(an_explanation(rows, names=(name, "_%$"))),
    )


def test_learned_names_are_shown_as_written():
    tables, structure, explained = hostile_plots()
    for ax in (tables, structure):
        ax.figure.canvas.draw()
        assert ax.get_title().startswith("$\\sqrt{$\\x07")
    explained.figure.canvas.draw()
    top = explained.figure.axes[0]
    assert top.get_title(loc="left").startswith("$\\sqrt{$\\x07 against _%$")
    assert all(line.isprintable() for line in top.texts[0].get_text().split("\n"))
    assert texts(tables.get_xticklabels()) == SHOWN
    assert texts(explained.get_yticklabels()) == SHOWN
    key = explained.figure.axes[-1]
    assert texts(key.texts) == ["against $\\sqrt{$\\x07", "for $\\sqrt{$\\x07"]


def test_learned_names_are_never_typeset():
    with mpl.rc_context({"text.usetex": True, "text.parse_math": True}):
        tables, structure, explained = hostile_plots()
    top = explained.figure.axes[0]
    shown = [tables.title, structure.title, top._left_title, *tables.get_xticklabels()]
    shown += [*explained.get_yticklabels(), *explained.figure.axes[-1].texts, *top.texts]
    assert len(shown) == 2 * len(HOSTILE) + 6
    assert not any(text.get_parse_math() or text.get_usetex() for text in shown)


def test_long_learned_names_are_cut():
    name = "x" * 500
    activity = an_activity(np.eye(2), name=name, actions=(name, "y" * 500))
    explained = plot_explanation(an_explanation([(name, 0, 1)], names=(name, name)))
    shown = [*plot_tables(activity).get_xticklabels(), plot_structure(activity).title]
    shown += [*explained.get_yticklabels(), *explained.figure.axes[-1].texts]
    assert all(len(text.get_text()) < 70 and "…" in text.get_text() for text in shown)


LEARNED_PLOTS = [
    (plot_tables, an_activity(np.eye(3))),
    (plot_structure, learned([1.0, -1.0, 2.0], 3)),
    (plot_structure, with_links(Structure.chain(), [4])),
    (plot_explanation, an_explanation(THREE)),
]


@pytest.mark.parametrize(("plot", "what"), LEARNED_PLOTS)
@pytest.mark.parametrize("layout", [None, "constrained"])
def test_given_axes_are_used_for_what_was_learned(plot, what, layout):
    figure, (left, right) = plt.subplots(1, 2, layout=layout)
    assert plot(what, ax=right) is right
    figure.canvas.draw()
    assert right.has_data()
    assert not left.has_data()
    assert plt.get_fignums() == [figure.number]


def test_contributions_of_all_terms_are_drawn_together():
    """Two terms that speak of intervals, one of pairs, and one of the whole alone."""
    one = IntervalSequences.from_lists([THREE])
    terms = {
        "actions": LogTerms(interval=np.array([1.0, -3.0, 0.0])),
        "durations": LogTerms(interval=np.array([-1.0, 1.0, 2.0]), pair=np.array([0.0, 2.0, 0.0])),
        "relations": LogTerms(pair=np.array([1.0, -2.0, 0.0])),
        "length": LogTerms(instance=np.array([0.25])),
    }
    explanation = Explanation("tea", "coffee", one, one.actions, 0.0, terms)
    ax = plot_explanation(explanation)
    said = [speaks_for(bar.get_facecolor()) for bar in ax.patches]
    assert np.sign(np.round(said, 2)).tolist() == [0, -1, 1]
    assert len(arcs(ax)) == 1  # at the second pair the terms say the opposite
    names = texts(ax.figure.axes[1].get_yticklabels())
    assert names == ["durations", "actions", "relations", "length"]
    assert ax.get_xlabel() == "time; 1 of 3 pairs drawn"
    with timed_in("min"):
        assert plot_explanation(explanation).get_xlabel() == "time (min); 1 of 3 pairs drawn"
        assert plot_timeline(one).get_xlabel() == "time (min)"


@pytest.mark.parametrize(
    ("plot", "term"),
    [(plot_tables, "tables"), (plot_structure, "relations"), (plot_traces, "tables")],
)
def test_plots_of_a_term_ask_for_it(plot, term):
    activity = ActivityModel("tea", (), {"mine": None}, np.array([3]), 1.0)
    with pytest.raises(
        OptionError, match=f"term='{term}' is not a term of this activity; .* 'mine'"
    ):
        plot(activity)


def test_plots_of_data_need_not_load_what_learns():
    program = "import sys, ibgn.plots; sys.exit('ibgn.model.activity' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
