"""Plots show every interval and link once, keep colours, and take no name for a formula."""

import time
from itertools import combinations

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection

from ibgn.allen import Relation
from ibgn.intervals import IntervalSequences
from ibgn.networks import read_networks
from ibgn.plots import ACTION_COLOURS, RELATION_COLOURS, plot_network, plot_timeline
from ibgn.structure import Structure

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
    network = plot_network(hostile())
    for ax in (lanes, tracks, network):
        ax.tick_params(labelright=True, labeltop=True)  # labels that were hidden are data too
        ax.figure.canvas.draw()
        assert ax.get_title() == "$\\sqrt{$\\x07"
    assert texts(lanes.get_yticklabels())[: len(SHOWN)] == SHOWN
    assert texts(tracks.get_legend().get_texts()) == SHOWN
    assert texts(tracks.texts) == SHOWN
    below = [label.replace("\n", " ") for label in texts(network.get_xticklabels())[: len(SHOWN)]]
    assert below == [f"{place} {name}" for place, name in enumerate(SHOWN)]


def test_texts_with_data_are_never_typeset():
    with mpl.rc_context({"text.usetex": True, "text.parse_math": True}):
        lanes = plot_timeline(hostile(), legend=True)
        tracks = plot_timeline(hostile(), lanes="track")
        network = plot_network(hostile())
    shown = [*lanes.get_yticklabels(), *lanes.get_legend().get_texts(), lanes.title, *tracks.texts]
    shown += [*network.get_xticklabels(), network.title]
    assert len(shown) == 4 * len(HOSTILE) + 2
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
@pytest.mark.parametrize("structure", ["full", "chain", SPARSE])
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


def test_sixty_nodes_fully_linked_become_dots_quickly(rng):
    plot_network(THREE)  # compile the kernels
    began = time.perf_counter()
    ax = plot_network(random_instance(rng, 60))
    ax.figure.canvas.draw()
    assert time.perf_counter() - began < 10
    assert len(arcs(ax)) == 60 * 59 // 2
    assert not ax.texts
    dots = max((part.get_offsets() for part in ax.collections), key=len)
    assert len(np.unique(dots, axis=0)) == 60 * 59 // 2


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
