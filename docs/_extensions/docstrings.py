"""Docstrings for numpydoc: a parameter is described on the line of its name, without a type."""

import re
from collections import abc
from typing import Any

from sphinx.application import Sphinx

SECTIONS = ("Parameters", "Returns", "Yields", "Attributes", "Raises", "Other Parameters")
ENTRY = re.compile(r"^(\*{0,2}\w[\w, *\\]*?) : (.*)$")


def move_descriptions(
    app: Sphinx, what: str, name: str, obj: object, options: Any, lines: list[str]
) -> None:
    """Move the description of each parameter below its name, where numpydoc looks for it."""
    moved, section = [], ""
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        if line and following and set(following) == {"-"}:
            section = line
        entry = ENTRY.match(line) if section in SECTIONS else None
        moved += [entry[1], f"    {entry[2]}"] if entry else [line]
    lines[:] = moved


def skip_inherited(
    app: Sphinx, what: str, name: str, obj: object, skip: bool, options: Any
) -> bool | None:
    """Leave out what scikit-learn, tuples and dataclasses add to a class: it is known."""
    inner = getattr(obj, "fget", None) or getattr(obj, "__func__", obj)
    home = getattr(inner, "__module__", None) or ""
    is_field = not isinstance(obj, abc.Callable) and not isinstance(obj, property)  # type: ignore[arg-type]
    return True if is_field or not home.startswith("ibgn") else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx, before numpydoc."""
    app.connect("autodoc-process-docstring", move_descriptions, priority=100)
    app.connect("autodoc-skip-member", skip_inherited)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
