"""Shared style of all plots: colours, names as they are written, new axes, legends."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from itertools import count
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.text import Text

from ibgn._arrays import Ints
from ibgn.intervals import Instance, IntervalSequences, as_sequences
from ibgn.text import printable

__all__ = [
    "AGAINST",
    "BLACK",
    "DARK",
    "DIVERGING",
    "EMPTY",
    "FAINT",
    "FOR",
    "GREY",
    "LEGEND_LINE",
    "MOST_IN_LEGEND",
    "MOST_ROWS",
    "OWN_LOOKS",
    "POINTS",
    "RELATION_COLOURS",
    "SEQUENTIAL",
    "SERIES_COLOURS",
    "SMALLEST_LETTER",
    "Colour",
    "Floats",
    "Ints",
    "add_legend",
    "brightness",
    "draw_grid",
    "draw_signed_bars",
    "dress",
    "edge",
    "inches",
    "ink",
    "label_columns",
    "label_rows",
    "legend_above",
    "letters_across",
    "lines_beside",
    "method_looks",
    "new_axes",
    "only_instance",
    "parse_colours",
    "say_empty",
    "series_look",
    "shown",
    "themed",
    "verbatim",
    "verbatim_ticks",
    "write_title",
]

Colour = tuple[float, float, float]
Floats = npt.NDArray[np.floating[Any]]

POINTS = 72  # an inch
LEGEND_LINE = 0.2  # inches
LARGEST_FIGURE = 40.0  # inches; renderers refuse much larger ones
MOST_IN_LEGEND = 20
MOST_ROWS = 40  # that one plot can show
SMALLEST_LETTER = 4.5  # points


def parse_colours(digits: str) -> list[Colour]:
    """Colours from their hexadecimal digits, six each."""
    parts = np.frombuffer(bytes.fromhex(digits), np.uint8).reshape(-1, 3) / 255
    return [(red, green, blue) for red, green, blue in parts.tolist()]


FAINT, DARK, BLACK = "#DDDDDD", "#404040", "#202020"
EMPTY = "#ECECEC"  # cells that could hold something, and do not
RELATION_COLOURS = parse_colours("56B4E9 E69F00 0072B2 009E73 CC79A7 D55E00" + BLACK[1:])
# lines and dots that stand out by 3 to 1 or more from a white page and from a dark one: Okabe and
# Ito's colours, the lightest ones darkened, and some more
SERIES_COLOURS = parse_colours("""
0072B2 D55E00 009E73 CC79A7 C48600 3598D6 8E63CE 9A6C3A 7C8A1E C8466E 2A8C96 6A78C8 808080
""")
GREY = SERIES_COLOURS[-1]
MARKERS = "os^DvPX<>*phd"
LINES = ("-", "--", ":")
OWN_LOOKS = (
    *("IBGN-T", "DBN", "IHMM", "ITBN", "IBGN", "IBGN-F", "IBGN-C", "ensemble", "extra trees"),
    *("forest", "ridge", "MiniRocket", "nearest raster"),
)
"""Methods that have a look of their own, wherever they are drawn."""
DIVERGING = LinearSegmentedColormap.from_list(
    "against-for", ["#B34A00", "#E8893A", "#F7C89B", "#F4F4F4", "#A6CBE6", "#3D8DC4", "#00508A"]
)
FOR, AGAINST = "#0072B2", "#B34A00"
SEQUENTIAL = LinearSegmentedColormap.from_list(
    "share", ["#FFFFFF", "#9CC8E6", "#0072B2", "#00304F"]
)


def only_instance(instance: IntervalSequences | Instance) -> IntervalSequences:
    """Return the instance as sequences of length one, or refuse."""
    X = instance if isinstance(instance, IntervalSequences) else as_sequences([instance])
    if len(X) != 1:
        raise ValueError(f"a plot shows one instance, got {len(X)}; choose one, e.g. X[0]")
    return X


def shown(X: IntervalSequences, codes: list[int], longest: int) -> list[str]:
    """Names of actions, safe to show and cut."""
    return [printable(X.actions[code], longest) for code in codes]


def new_axes(width: float, height: float) -> Axes:
    """Axes of a new figure of this size in inches, no larger than can be drawn."""
    size = (min(width, LARGEST_FIGURE), min(height, LARGEST_FIGURE))
    return plt.subplots(figsize=size, layout="constrained")[1]


def inches(ax: Axes) -> Floats:
    """Width and height of the axes, before a layout makes room around them."""
    return np.array([ax.bbox.width, ax.bbox.height]) / ax.figure.dpi


def letters_across(ax: Axes, most: int = 60) -> int:
    """Number of letters of a title that fit, at least 12."""
    return min(max(int(POINTS * inches(ax)[0] / 7), 12), most)  # a letter is about 7 points wide


def write_title(ax: Axes, X: IntervalSequences) -> None:
    """Name the instance, if it has a name."""
    if X.ids is not None:
        verbatim(ax.set_title(printable(X.ids[0], letters_across(ax))))


def say_empty(ax: Axes, what: str = "no intervals") -> Axes:
    """Write that there is nothing to draw."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, what, transform=ax.transAxes, ha="center", va="center", color=DARK)
    return ax


def lines_beside(ax: Axes) -> int:
    """Number of lines of a legend that fit beside the axes."""
    return min(MOST_IN_LEGEND, int(inches(ax)[1] / LEGEND_LINE))


def add_legend(ax: Axes, handles: list[Artist], names: list[str]) -> None:
    """List names of the data beside the axes."""
    beside: Any = {"loc": "upper left", "bbox_to_anchor": (1, 1), "frameon": False}
    if ax.figure.get_layout_engine() is None:  # there is no room beside the axes
        beside = {"loc": "upper right"}
    columns = -(-len(names) // max(lines_beside(ax), 4))
    # before 3.10 matplotlib left out labels that begin with an underscore, so write them afterwards
    legend = ax.legend(handles, ["-"] * len(names), ncols=columns, fontsize=9, **beside)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(name)
        verbatim(text)


def verbatim(*texts: Text) -> None:
    """Keep data from being typeset as a formula or by TeX."""
    for text in texts:
        text.set_parse_math(False)
        text.set_usetex(False)


def verbatim_ticks(axis: Axis) -> None:
    """Keep labels of an axis from being typeset."""
    # not get_ticklabels(): labels that are hidden now may be shown later
    for tick in axis.get_major_ticks():
        verbatim(tick.label1, tick.label2)


def themed() -> AbstractContextManager[None]:
    """Draw with a transparent background, and everything but data in `DARK`.

    A page can then show its own background, and replace `DARK` and `FAINT` by its own colours.
    """
    words = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    faces = ("figure.facecolor", "axes.facecolor", "savefig.facecolor")
    settings: Any = dict.fromkeys(words, DARK) | dict.fromkeys(faces, "none")
    return plt.rc_context(settings | {"legend.edgecolor": FAINT})


def dress(ax: Axes) -> Axes:
    """Give finished axes the colours of `themed`."""
    ax.spines[:].set_color(DARK)
    ax.tick_params(which="both", color=DARK, labelcolor=DARK)
    legend = ax.get_legend()
    words = [ax.title, ax.xaxis.label, ax.yaxis.label]
    if legend is not None:
        legend.get_frame().set_edgecolor(FAINT)
        words += legend.get_texts()
    for text in words:
        text.set_color(DARK)
    return ax


def draw_grid(ax: Axes) -> None:
    """Draw faint lines behind the data, and no frame at the top and on the right."""
    ax.grid(color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def draw_signed_bars(ax: Axes, names: list[str], values: Floats) -> None:
    """Draw one bar per name from the middle, blue to the right and orange to the left."""
    places = np.arange(len(values))
    colours = [FOR if value >= 0 else AGAINST for value in values]
    ax.barh(places, values, 0.7, color=colours, zorder=2)
    ax.axvline(0, color=DARK, linewidth=0.8, zorder=3)
    reach = float(np.abs(values).max()) * 1.15 or 1.0
    ax.set_xlim(
        min(0.0, float(values.min())) - 0.12 * reach, max(0.0, float(values.max())) + 0.12 * reach
    )
    for place, value in zip(places.tolist(), values.tolist(), strict=True):
        side = "left" if value >= 0 else "right"
        ax.annotate(
            f"{value:+z.2f}",
            (value, place),
            (3 if value >= 0 else -3, 0),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=9,
            color=DARK,
        )
    label_rows(ax, [printable(name, 24) for name in names])
    ax.tick_params(axis="y", length=0)
    ax.set_xticks([])
    ax.spines[:].set_visible(False)


def series_look(number: int) -> dict[str, Any]:
    """Colour, marker and line of one of many series, which differ even without colours."""
    count = len(SERIES_COLOURS)
    return {
        "color": SERIES_COLOURS[number % count],
        "marker": MARKERS[number % len(MARKERS)],
        "linestyle": LINES[number // count % len(LINES)],
    }


def method_looks(methods: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Look of each method, the same in all plots of the same methods, whatever their order.

    A method of the library has the same look whatever it is compared with; others have the looks
    that are left.

    Examples
    --------
    >>> method_looks(["IHMM", "DBN"])["DBN"] == method_looks(["DBN", "mine", "IBGN-T"])["DBN"]
    True
    """
    known = {name: number for number, name in enumerate(OWN_LOOKS)}
    names = sorted(set(methods), key=lambda name: (name not in known, name))
    taken = {known[name] for name in names if name in known}
    free = (number for number in count() if number not in taken)
    return {name: series_look(known[name] if name in known else next(free)) for name in names}


def legend_above(ax: Axes, handles: list[Any], names: list[str], **options: Any) -> None:
    """Explain marks in a line above the axes."""
    corner: Any = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
    style: Any = {"ncols": len(names), "fontsize": 9, "frameon": False, "borderpad": 0.2}
    ax.legend(handles, names, **(corner | style | options))


def label_rows(ax: Axes, names: list[str]) -> None:
    """Name the rows, the first at the top."""
    size = min(10, 0.8 * POINTS * inches(ax)[1] / len(names))
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_yticks(range(len(names)), names, fontsize=size)
    verbatim_ticks(ax.yaxis)


def label_columns(ax: Axes, places: Sequence[float], labels: list[str], room: float) -> None:
    """Write a label under each column, `room` points wide.

    Labels are horizontal if they fit, else slanted, else vertical.
    """
    size = min(9, 0.7 * room)
    longest = max((len(line) for label in labels for line in label.split("\n")), default=0)
    turned: Any = {"rotation": 0}
    if 0.65 * size * longest > room:
        labels = [label.replace("\n", " ") for label in labels]
        turned = {"rotation": -90}
        if room > 2 * size:
            turned = {"rotation": -45, "ha": "left", "rotation_mode": "anchor"}
    ax.set_xticks(places, labels, fontsize=size, **turned)
    verbatim_ticks(ax.xaxis)


def brightness(colour: Colour) -> float:
    """How bright a colour looks, from 0 to 1."""
    return float(np.dot(colour, (0.299, 0.587, 0.114)))


def ink(colour: Colour) -> str:
    """Black or white, whichever can be read on the colour."""
    return "white" if brightness(colour) < 0.5 else "black"


def edge(colour: Colour) -> Colour:
    """Colour of the edge between bars: darker than the bar, or lighter if that would not show."""
    lift = 0.45 if brightness(colour) < 0.25 else 0.0
    red, green, blue = (0.55 * part + lift for part in colour)
    return red, green, blue
