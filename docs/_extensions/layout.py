"""Pictures on cards, tables of numbers, and code without blank lines at its end."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

NUMBER = re.compile(r"[-+<]?\s?[\d.,]+%?(?:(?: ± | \(|, )[-+]?[\d.]+\)?)?")
WIDE = 7  # columns


class Card(nodes.General, nodes.Element):
    """A light place for a picture, which was drawn for a light page; on a phone it scrolls."""


def lay_out(app: Sphinx, document: nodes.document) -> None:
    """Change what a page holds, before it is written."""
    for block in document.findall(nodes.literal_block):
        if block.rawsource == block.astext():  # else it is marked up, and not highlighted
            block.rawsource = block.astext().rstrip()  # doctests end with a blank line
            block[:] = [nodes.Text(block.rawsource)]
    for table in document.findall(nodes.table):
        if len(list(table.findall(nodes.colspec))) >= WIDE:
            table["classes"].append("wide")
        for entry in table.findall(nodes.entry):
            if NUMBER.fullmatch(entry.astext()):
                entry["classes"].append("number")
                _shrink_error(next(iter(entry.findall(nodes.Text))))
    for picture in list(document.findall(_is_picture)):
        card = Card()
        picture.replace_self(card)
        card += picture
    for paragraph in list(document.findall(nodes.paragraph)):
        cards = [part for part in paragraph if isinstance(part, Card)]
        words = [part for part in paragraph if not isinstance(part, Card) and part.astext().strip()]
        if cards and not words:
            paragraph.replace_self(cards)


def _shrink_error(text: nodes.Text) -> None:
    """Set what follows the sign in smaller letters, so that more columns fit."""
    value, sign, error = text.partition("±")
    if sign:
        small = nodes.inline("", f"{sign}{error}", classes=["error"])
        text.parent.replace(text, [nodes.Text(value), small])


def _is_picture(node: nodes.Node) -> bool:
    """Images of pages, and what examples drew, whose node is the gallery's own; no thumbnails."""
    kind = type(node).__name__
    return kind == "imgsgnode" or (kind == "image" and "/thumb/" not in node["uri"])  # type: ignore[index]


def open_card(writer: HTML5Translator, node: Card) -> None:
    """Begin the place of a picture."""
    writer.body.append('<div class="picture">')


def close_card(writer: HTML5Translator, node: Card) -> None:
    """End the place of a picture."""
    writer.body.append("</div>\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_node(Card, html=(open_card, close_card))
    app.connect("doctree-read", lay_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
