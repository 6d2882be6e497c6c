"""Text for users: names from the data made safe and short, and counts of things."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

__all__ = [
    "count",
    "half_character",
    "near",
    "number_repeats",
    "printable",
    "quote",
    "without_values",
]

SURROGATE = re.compile("[\ud800-\udfff]")
NUMBER_OR_NAME = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?(?:e[+-]?\d+)?""")


LONGEST = 2000  # characters of a message that are compared


def count(number: int, noun: str) -> str:
    """Number and noun, as in '1 row' and '2 rows'."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def number_repeats(names: Sequence[str]) -> list[str]:
    """Names that are all different: one that came before gets a number.

    Examples
    --------
    >>> number_repeats(["a", "b", "a", "a (2)", "a"])
    ['a', 'b', 'a (3)', 'a (2)', 'a (4)']
    """
    taken, times = set(names), Counter[str]()
    different = []
    for name in names:
        times[name] += 1
        while times[name] > 1 and f"{name} ({times[name]})" in taken:
            times[name] += 1
        different.append(name if times[name] == 1 else f"{name} ({times[name]})")
    return different


def printable(text: object, longest: int = 60) -> str:
    """Text from the data without control characters, cut to a length that can be shown."""
    cut = str(text)[: longest + 1]  # before the work, as text may have any length
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in cut)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def quote(text: object, longest: int = 60) -> str:
    """Text from the data, made safe and short for a message."""
    shown = repr(str(text)[: longest + 1])
    return shown if len(shown) <= longest else f"{shown[: longest - 4]}...{shown[0]}"


def half_character(text: str) -> str | None:
    r"""What is wrong with text that no file can hold, as it has half a character; else None.

    Such lone surrogates come from escapes in JSON, and from names of files that are not UTF-8.

    Examples
    --------
    >>> half_character("caf\u00e9"), half_character("caf\ud800")
    (None, "is 'caf\\ud800', which holds half a character (a lone surrogate); replace it")
    """
    if text.isascii() or SURROGATE.search(text) is None:
        return None
    return f"is {quote(text)}, which holds half a character (a lone surrogate); replace it"


def near(name: str, names: Iterable[str], most: int = 5) -> list[str]:
    """Names that are written almost like this one, or contain it, the nearest first.

    Examples
    --------
    >>> near("tae-1", ["tea-1", "tea-2", "milk"])
    ['tea-1', 'tea-2']
    >>> near("TEA", ["make tea", "milk"])
    ['make tea']
    >>> near("IBNG", ["ITBN", "IBGN"])
    ['IBGN', 'ITBN']
    """
    by_key: dict[str, list[str]] = {}
    for each in names:
        by_key.setdefault(each.casefold(), []).append(each)
    key = name.casefold()
    alike = get_close_matches(key, by_key, most)
    alike.sort(key=lambda other: sorted(other) != sorted(key))  # the same letters, swapped
    alike += [other for other in by_key if key and key in other and other not in alike]
    return [each for other in alike for each in by_key[other]][:most]


def without_values(message: str) -> str:
    """Text that messages of one kind share: without numbers and quoted names.

    Examples
    --------
    >>> without_values(f"dropped 3 rows (first: {quote('s1')})")
    'dropped  rows (first: )'
    """
    return NUMBER_OR_NAME.sub("", message[:LONGEST])
