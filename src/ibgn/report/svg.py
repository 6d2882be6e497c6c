"""A figure as part of a page: an SVG in colours that follow the theme of the page."""

import io
import re
import warnings
from typing import Any
from xml.etree.ElementTree import Element, fromstring, tostring

import matplotlib.pyplot as plt

from ibgn.plots.style import BLACK, DARK, EMPTY, FAINT, themed
from ibgn.report.section import Figure
from ibgn.text import printable

__all__ = ["draw_svg"]

# Text stays text: it can be searched, its letters need not be in matplotlib's font, and a figure
# is half as large as with outlines.
LOOK: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "ibgn",  # names of clips depend on the figure alone
}
TONES = {
    f"fill: {DARK.lower()}": "fill: var(--figure-ink)",
    f"stroke: {DARK.lower()}": "stroke: var(--figure-ink)",
    f"stroke: {FAINT.lower()}": "stroke: var(--figure-line)",
    "stroke: #ffffff": "stroke: var(--figure-gap)",  # a gap between areas
    f"fill: {BLACK.lower()}": "fill: var(--figure-ink)",  # black would not show on a dark page
    f"fill: {EMPTY.lower()}": "fill: var(--figure-empty)",
}
TONE = re.compile("|".join(map(re.escape, TONES)))
FONT = re.compile(r"font-family: [^;]*;?")  # that of the page
SIZE = re.compile(r"font-size: ([\d.]+)px")  # units of the drawing
LONG_NUMBER = re.compile(r"-?(?<!\d)\d++\.\d{3,}")
LEVEL = re.compile(r"rotate\(-?0 .*\)")
TARGET = re.compile(r"#([^#()]+)(\)?)$")  # of a link within the figure
GEOMETRY = ("d", "x", "y", "width", "height")
LINKS = ("href", "clip-path")
UNSEEN = ("metadata", "style")  # left out, like empty cells of a mesh, of which there are many
LONGEST_ALT = 2000  # letters
LEAST_LETTER = 9  # pixels, however narrow the page; a figure that needs more room can be moved


def draw_svg(figure: Figure, prefix: str) -> str:
    """Draw a figure as an element of a page; the same figure gives the same text.

    Parameters
    ----------
    figure : what to draw, and a text that says what it shows
    prefix : of every id inside, so that two figures of a page share none

    Examples
    --------
    >>> from ibgn.plots import plot_timeline
    >>> figure = Figure(lambda: plot_timeline([("reach", 0, 2)]), "a reach, from 0 to 2")
    >>> draw_svg(figure, "f0-")[:58]
    '<svg role="img" aria-label="a reach, from 0 to 2" viewBox='
    """
    root = fromstring(_drawn(figure))  # noqa: S314  # written by matplotlib a line above
    for element in root.iter():  # elements and attributes of a page have no namespaces
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
    attributes = (element.attrib.get(name, "") for element in root.iter() for name in LINKS)
    linked = {link[1] for link in map(TARGET.search, attributes) if link}
    for element in root.iter():
        _clean(element, prefix, linked)
    box = root.attrib["viewBox"]
    width = float(box.split()[2])
    styles = (element.attrib.get("style", "") for element in root.iter())
    smallest = min((float(size) for style in styles for size in SIZE.findall(style)), default=10.0)
    root.attrib = {
        "role": "img",
        "aria-label": printable(figure.alt, LONGEST_ALT),
        "viewBox": box,
        "style": f"--natural: {width:.0f}pt; --least: {LEAST_LETTER * width / smallest:.0f}px",
    }
    return tostring(root, encoding="unicode")


def _drawn(figure: Figure) -> str:
    """What matplotlib writes with default settings; settings and open figures are restored."""
    file, before = io.StringIO(), set(plt.get_fignums())
    look = plt.style.context(["default", LOOK])
    try:
        with warnings.catch_warnings(), look, themed(), plt.ioff():
            warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
            drawn: Any = figure.draw().figure  # the whole figure, as it made its own axes
            drawn.savefig(file, format="svg", metadata={"Date": None})
    finally:
        for number in set(plt.get_fignums()) - before:
            plt.close(number)
    return file.getvalue()


def _clean(element: Element, prefix: str, linked: set[str]) -> None:
    """Keep what is visible: ids that something links to, colours of the page, short numbers."""
    element.text = element.text if element.tag in ("text", "tspan") else None
    element.tail = None
    is_mesh = element.attrib.get("id", "").startswith("QuadMesh")
    for child in list(element):
        if child.tag in UNSEEN or (is_mesh and "fill: none" in child.attrib.get("style", "")):
            element.remove(child)
    attributes = element.attrib
    if attributes.get("id") in linked:
        attributes["id"] = prefix + attributes["id"]
    else:
        attributes.pop("id", None)
    for name in LINKS:
        if name in attributes:
            attributes[name] = TARGET.sub(rf"#{prefix}\1\2", attributes[name])
    if "style" in attributes:
        style = FONT.sub("", TONE.sub(lambda match: TONES[match[0]], attributes["style"]))
        attributes["style"] = style.replace("  ", " ").strip(" ;")
    if LEVEL.fullmatch(attributes.get("transform", "")):
        del attributes["transform"]
    for name in GEOMETRY:
        if name in attributes:
            attributes[name] = LONG_NUMBER.sub(_short, " ".join(attributes[name].split()))


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
