"""One instance to look at: its intervals on a timeline, its relations as a network.

Names of actions and of instances are data: they are shown as they are written, never typeset.
"""

from typing import Any, Literal, get_args

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.text import Text

from ibgn.allen import Relation
from ibgn.intervals import Instance, IntervalSequences, as_sequences
from ibgn.messages import check_choice, printable
from ibgn.networks import StructureLike, read_networks

__all__ = ["plot_network", "plot_timeline"]

Lanes = Literal["action", "track"]
Link = tuple[int, int, Relation]
Colour = tuple[float, float, float]
Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]


def _colours(digits: str) -> list[Colour]:
    parts = np.frombuffer(bytes.fromhex(digits), np.uint8).reshape(-1, 3) / 255
    return [(red, green, blue) for red, green, blue in parts.tolist()]


# Okabe and Ito's colours, with grey for their black so that its edge shows; then colours each as
# far as can be from all before it, to eyes with and without red-green blindness
ACTION_COLOURS = _colours("""
0072B2 E69F00 009E73 D55E00 56B4E9 CC79A7 F0E442 666666 E1E1A5 780F0F 780069 69F0F0 E1965A 7896FF
87693C E1B4B4 003C96 5A2D3C FFD269 874B00 F07887 785A87 3CB4C3 69D278 3C5A3C 3C4B87 B4D2FF 87962D
1EF0D2 8787C3 1E69C3 B4F0C3 782D5A 78B496 5A965A E15A5A B42D5A 96002D 004B1E 5A96E1 F0E187 1E8787
E1C3A5 B4C34B 5A78A5 87782D C3B4E1 003C69 0087F0 FF87C3 C35A87 784B1E 874BA5 FFB487 871E00 E1A5FF
78B45A 6978D2 D2782D 6996A5 A55A00 3C3C87 FFD2F0 2DC3C3
""")
RELATION_COLOURS = _colours("56B4E9 E69F00 0072B2 009E73 CC79A7 D55E00 202020")
FAINT, DARK = "#DDDDDD", "#404040"

POINTS = 72  # an inch
LANE_HEIGHT, LEGEND_LINE = 0.32, 0.2  # inches
LARGEST_FIGURE = 40.0  # inches; renderers refuse much larger ones
MOST_IN_LEGEND = 20
MOST_LETTERS = 190  # links, as 20 nodes have when all are linked
SMALLEST_LETTER = 4.5  # points


def plot_timeline(
    instance: IntervalSequences | Instance,
    *,
    lanes: Lanes = "action",
    legend: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the intervals of one instance as bars over time, coloured by action.

    Parameters
    ----------
    instance : one instance, like X[0], or a list of (action, start, end)
    lanes : "action" gives every action a lane, "track" puts each interval in the first lane that
        is free when it starts
    legend : whether to list the actions beside the bars; None does so for tracks, if they fit
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        An action has the same colour in all instances of the same X.

    Examples
    --------
    >>> ax = plot_timeline([("reach", 0, 2), ("grasp", 1, 3)])
    >>> len(ax.patches), [label.get_text() for label in ax.get_yticklabels()]
    (2, ['reach', 'grasp'])
    >>> plt.close(ax.figure)
    """
    check_choice("lanes", lanes, get_args(Lanes))
    one, by_action = _only_instance(instance), lanes == "action"
    codes = list(dict.fromkeys(one.action.tolist()))
    names = _shown(one, codes, 32)
    lane = _lane_of_action(one, codes) if by_action else _first_free(one.start, one.end)
    labels = names if by_action else [str(track + 1) for track in range(max(lane, default=-1) + 1)]
    if ax is None:
        listed = min(len(names), MOST_IN_LEGEND) if legend or not by_action else 0
        height = max(LANE_HEIGHT * len(labels), LEGEND_LINE * listed)
        ax = _new_axes(min(8 + 0.05 * len(lane), 14), height + 1)
    _write_title(ax, one)
    if not len(lane):
        return _say_empty(ax)
    bars = _draw_bars(ax, one, lane)
    _label_timeline(ax, labels)
    if not by_action:
        ax.set_ylabel("track")
        for bar, name in zip(bars, _shown(one, one.action.tolist(), 32), strict=True):
            ax.add_artist(_NameInBar(bar, name))
    if legend or (legend is None and not by_action and len(names) <= _lines_beside(ax)):
        _add_legend(ax, [Patch(facecolor=_action_colour(code)) for code in codes], names)
    return ax


def plot_network(
    instance: IntervalSequences | Instance,
    structure: StructureLike = "full",
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the intervals of one instance in order, with an arc for each linked pair.

    Parameters
    ----------
    instance : one instance, like X[0], or a list of (action, start, end)
    structure : "full", "chain", pairs of positions, or a `Structure`
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        Arcs carry the letter of their relation at the top. Longer links stand higher, so letters
        never meet. Where links are too many for letters, coloured dots remain.

    Examples
    --------
    >>> ax = plot_network([("reach", 0, 2), ("grasp", 1, 3), ("lift", 3, 4)], "chain")
    >>> [letter.get_text() for letter in ax.texts]
    ['o', 'm']
    >>> plt.close(ax.figure)
    """
    one = _only_instance(instance)
    links = list(read_networks(one, structure)[0].links())
    names = _shown(one, one.action.tolist(), 24 if len(one.action) <= 20 else 16)
    rows = len({j - i for i, j, _ in links})
    if ax is None:
        below = 0.06 * max(map(len, names), default=0)
        width, height = np.clip(0.8 * len(names), 3, 13), np.clip(0.55 * rows, 1, 8.5)
        ax = _new_axes(width + 1.6, height + below + 0.7)
    _write_title(ax, one)
    if not names:
        return _say_empty(ax)
    _draw_nodes(ax, names, rows)
    if links:
        _draw_links(ax, links)
        found = sorted({relation for _, _, relation in links})
        _add_legend(ax, [_dot(r) for r in found], [f"{r.symbol} {r.label}" for r in found])
    return ax


def _only_instance(instance: IntervalSequences | Instance) -> IntervalSequences:
    X = instance if isinstance(instance, IntervalSequences) else as_sequences([instance])
    if len(X) != 1:
        raise ValueError(f"a plot shows one instance, got {len(X)}; choose one, e.g. X[0]")
    return X


def _shown(one: IntervalSequences, codes: list[int], longest: int) -> list[str]:
    return [printable(one.actions[code], longest) for code in codes]


def _lane_of_action(one: IntervalSequences, codes: list[int]) -> Ints:
    lane = np.zeros(len(one.actions), np.int64)
    lane[codes] = np.arange(len(codes))
    return lane[one.action]


def _first_free(start: Floats, end: Floats) -> Ints:
    """Give each interval the first track whose last interval is over; starts never decrease."""
    over: list[float] = []
    tracks = []
    for begin, stop in zip(start.tolist(), end.tolist(), strict=True):
        track = next((t for t, last in enumerate(over) if last <= begin), len(over))
        over[track : track + 1] = [stop]
        tracks.append(track)
    return np.array(tracks, np.int64)


def _draw_bars(ax: Axes, one: IntervalSequences, lane: Ints) -> list[Rectangle]:
    """Draw a bar for each interval; those of a lane that overlap share its height."""
    middle, height = lane.astype(float), np.full(len(lane), 0.8)
    for number in range(lane.max() + 1):
        inside = lane == number
        track = _first_free(one.start[inside], one.end[inside])
        height[inside] /= track.max() + 1
        middle[inside] += (track + 0.5) * height[inside] - 0.4
    fill = [_action_colour(code) for code in one.action.tolist()]
    style: Any = {"color": fill, "edgecolor": list(map(_edge, fill)), "linewidth": 0.8, "zorder": 2}
    return list(ax.barh(middle, one.end - one.start, height, one.start, **style).patches)


def _label_timeline(ax: Axes, labels: list[str]) -> None:
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.margins(x=0.01)
    ax.set_xlabel("time")
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "left", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    size = min(10, 0.8 * POINTS * _inches(ax)[1] / len(labels))
    ax.set_yticks(range(len(labels)), labels, fontsize=size)
    _verbatim_ticks(ax.yaxis)


class _NameInBar(Text):
    """A name that is drawn only while it fits into its bar, however the axes are zoomed."""

    def __init__(self, bar: Rectangle, name: str) -> None:
        x, y = bar.get_center()
        super().__init__(x, y, name, ha="center", va="center", fontsize=9)
        self.bar = bar
        self.set_color(_ink(to_rgb(bar.get_facecolor())))
        self.set_in_layout(False)  # the space it takes is that of the bar
        _verbatim(self)

    def fits(self, renderer: Any = None) -> bool:
        """Whether the name is no larger than the bar."""
        room, needed = self.bar.get_window_extent(renderer), self.get_window_extent(renderer)
        return bool(needed.width <= 0.94 * room.width and needed.height <= room.height)

    def draw(self, renderer: Any) -> None:
        """Draw the name or nothing."""
        if self.fits(renderer):
            super().draw(renderer)


def _draw_nodes(ax: Axes, names: list[str], rows: int) -> None:
    count, (width, height) = len(names), POINTS * _inches(ax)
    room, below = width / count, 8 / height * (rows + 1)  # 8 points, for half a node
    ax.set(xlim=(-0.6, count - 0.4), ylim=(-below, rows + 0.6), yticks=[])
    ax.spines[:].set_visible(False)
    ax.tick_params(axis="x", length=0)
    ax.plot(range(count), [0] * count, color=FAINT, zorder=1)
    ax.scatter(range(count), [0] * count, s=min(7, 0.6 * room) ** 2, color=DARK, zorder=3)
    size = min(9, 0.7 * room)
    level = 0.65 * size * max(map(len, [*names, str(count)])) <= room
    labels = [f"{i}\n{name}" if level else f"{i} {name}" for i, name in enumerate(names)]
    turned: Any = {"rotation": 0 if level else -90}
    if not level and room > 2 * size:
        turned = {"rotation": -45, "ha": "left", "rotation_mode": "anchor"}
    ax.set_xticks(range(count), labels, fontsize=size, **turned)
    _verbatim_ticks(ax.xaxis)


def _draw_links(ax: Axes, links: list[Link]) -> None:
    """Draw half an ellipse over each pair, its top in the row of all links of that span."""
    first, last, _ = np.array(links).T
    spans, row = np.unique(last - first, return_inverse=True)
    middle, top = (first + last) / 2, row + 1.0
    turn = np.linspace(np.pi, 0, 61)
    across = middle[:, None] + np.outer(last - first, np.cos(turn)) / 2
    arcs = np.stack([across, np.outer(top, np.sin(turn))], axis=-1)
    colours = [RELATION_COLOURS[relation] for _, _, relation in links]
    many = len(links) > MOST_LETTERS
    alpha, width = min(0.6, 5 / len(links) ** 0.5), 0.5 if many else 1.2
    ax.add_collection(LineCollection(list(arcs), colors=colours, alpha=alpha, linewidths=width))
    dot = min(17, 0.75 * _points_between(ax, spans))
    ax.scatter(middle, top, s=dot**2, c=colours, linewidths=0, zorder=4)
    if not many and 0.65 * dot >= SMALLEST_LETTER:
        _write_letters(ax, links, np.column_stack([middle, top]), 0.65 * dot)


def _write_letters(ax: Axes, links: list[Link], places: Floats, size: float) -> None:
    style: Any = {"ha": "center", "va": "center_baseline", "clip_on": True, "zorder": 5}
    for (_, _, relation), (x, y) in zip(links, places.tolist(), strict=True):
        ink = _ink(RELATION_COLOURS[relation])
        ax.text(x, y, relation.symbol, fontsize=size, color=ink, **style)


def _points_between(ax: Axes, spans: Ints) -> float:
    """Distance of the nearest two places where tops of arcs can be."""
    across, up = POINTS * _inches(ax) / (np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim()))
    if (np.diff(spans) % 2 == 1).all():  # each row stands half a step beside the one below
        up = min(2 * up, np.hypot(across / 2, up))
    return float(min(across, up))


def _dot(relation: Relation) -> Line2D:
    return Line2D([], [], ls="", marker="o", markersize=8, color=RELATION_COLOURS[relation])


def _new_axes(width: float, height: float) -> Axes:
    size = (min(width, LARGEST_FIGURE), min(height, LARGEST_FIGURE))
    return plt.subplots(figsize=size, layout="constrained")[1]


def _inches(ax: Axes) -> Floats:
    """Width and height of the axes, before a layout makes room around them."""
    return np.array([ax.bbox.width, ax.bbox.height]) / ax.figure.dpi


def _write_title(ax: Axes, one: IntervalSequences) -> None:
    if one.ids is not None:
        fitting = int(POINTS * _inches(ax)[0] / 7)  # a letter is about 7 points wide
        _verbatim(ax.set_title(printable(one.ids[0], min(max(fitting, 12), 60))))


def _say_empty(ax: Axes) -> Axes:
    ax.set_axis_off()
    ax.text(0.5, 0.5, "no intervals", transform=ax.transAxes, ha="center", va="center", color=DARK)
    return ax


def _lines_beside(ax: Axes) -> int:
    return min(MOST_IN_LEGEND, int(_inches(ax)[1] / LEGEND_LINE))


def _add_legend(ax: Axes, handles: list[Artist], names: list[str]) -> None:
    beside: Any = {"loc": "upper left", "bbox_to_anchor": (1, 1), "frameon": False}
    if ax.figure.get_layout_engine() is None:  # nothing would make room beside the axes
        beside = {"loc": "upper right"}
    columns = -(-len(names) // max(_lines_beside(ax), 4))
    # before 3.10 matplotlib left out labels that begin with an underscore, so write them afterwards
    legend = ax.legend(handles, ["-"] * len(names), ncols=columns, fontsize=9, **beside)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(name)
        _verbatim(text)


def _verbatim(*texts: Text) -> None:
    """Keep data from being typeset as a formula or by TeX."""
    for text in texts:
        text.set_parse_math(False)
        text.set_usetex(False)


def _verbatim_ticks(axis: Axis) -> None:
    # not get_ticklabels(): labels that are hidden now may be shown later
    for tick in axis.get_major_ticks():
        _verbatim(tick.label1, tick.label2)


def _action_colour(code: int) -> Colour:
    return ACTION_COLOURS[code % len(ACTION_COLOURS)]


def _brightness(colour: Colour) -> float:
    return float(np.dot(colour, (0.299, 0.587, 0.114)))


def _ink(colour: Colour) -> str:
    return "white" if _brightness(colour) < 0.5 else "black"


def _edge(colour: Colour) -> Colour:
    """Shade that parts bars that meet: darker than the bar, or lighter if that would not show."""
    lift = 0.45 if _brightness(colour) < 0.25 else 0.0
    red, green, blue = (0.55 * part + lift for part in colour)
    return red, green, blue
