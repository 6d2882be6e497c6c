"""Docstrings of readers: what a format says of itself, and the options that all share."""

import re
from collections.abc import Sequence
from inspect import cleandoc

__all__ = ["describe"]

SECTION = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)


def describe(own: str, suffixes: Sequence[str], shared: Sequence[type]) -> str:
    """Docstring of a reader: `own` with the path and the shared options among its parameters.

    Parameters
    ----------
    own : docstring of the function that knows the format, in numpydoc; if its first parameter
        is the path, that description stays
    suffixes : of its files
    shared : classes whose parameters are options of the reader too
    """
    before, sections = _split(cleandoc(own))
    parameters = [sections.pop("Parameters", "")]
    if not parameters[0].startswith("path :"):
        listed = ", ".join(suffixes)
        parameters.insert(
            0,
            f"path : file, or a folder of files {listed}, also in folders within it, or a list\n"
            "    of these; compressed files too (.gz, .bz2, .xz)",
        )
    parameters += [_split(cleandoc(kind.__doc__ or ""))[1]["Parameters"] for kind in shared]
    joined = "\n".join(text.strip("\n") for text in parameters if text)
    sections = {"Parameters": joined, **sections}
    parts = [before]
    parts += [f"{title}\n{'-' * len(title)}\n{text}" for title, text in sections.items()]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _split(docstring: str) -> tuple[str, dict[str, str]]:
    """Text before the first section, and the text of each section by its title."""
    before, *rest = SECTION.split(docstring)
    return before, dict(zip(rest[::2], rest[1::2], strict=True))
