"""Names as codes: distinct values of a column, and names in their order."""

from typing import Any

import numpy as np
import pandas as pd

from ibgn._arrays import Bools, Codes, Ints

__all__ = ["as_categorical", "factorize", "first_rows", "name_by_text", "order_by_name"]


def factorize(values: Any) -> tuple[Ints, Any]:
    r"""Codes of values, -1 where one is missing, and the distinct values in order of appearance.

    pandas takes text that is the same up to a NUL for the same text; this does not.

    Examples
    --------
    >>> codes, names = factorize(np.array(["a\0b", "a", None, "a\0b"], object))
    >>> codes.tolist(), names.tolist()
    ([0, 1, -1, 0], ['a\x00b', 'a'])
    """
    if isinstance(values, pd.Categorical):  # whose values are distinct already
        place, used = pd.factorize(values.codes)
        absent = used < 0
        renumber = np.where(absent, -1, np.cumsum(~absent) - 1)
        return renumber[place], np.asarray(values.categories, object)[used[~absent]]
    of_arrow = isinstance(values, pd.arrays.ArrowExtensionArray)  # which compares all of a text
    held = not of_arrow and np.asarray(values).dtype.kind == "O"
    if not (held and any(type(value) is str and "\0" in value for value in values)):
        codes, names = pd.factorize(values, use_na_sentinel=True)
        return codes, names.to_numpy() if of_arrow else names
    missing, number = pd.isna(np.asarray(values, object)), dict[Any, int]()
    numbers = [
        -1 if absent else number.setdefault(value, len(number))
        for value, absent in zip(values, missing, strict=True)
    ]
    return np.array(numbers, np.int64), np.array([*number, None], object)[:-1]


def as_categorical(codes: Ints, names: Any) -> pd.Categorical:
    """Codes of distinct names, -1 where one is missing, as a column."""
    kept = pd.CategoricalDtype(pd.Index(names, dtype=object))  # of Arrow, they would be slower
    return pd.Categorical.from_codes(codes, dtype=kept)


def name_by_text(codes: Ints, values: Any) -> tuple[Ints, tuple[str, ...]]:
    """Name factorised values by how they are written, so that 1 and "1" are the same name.

    Codes of -1, and those of blank names, are -1: no name.
    """
    if set(map(type, values)) <= {str} and all(map(str.strip, values)):  # names as they are
        return codes, tuple(values)
    number: dict[str, int] = {}
    again = [number.setdefault(str(v), len(number)) if str(v).strip() else -1 for v in values]
    return np.array([*again, -1], np.int64)[codes], tuple(number)


def first_rows(codes: Ints, missing: Bools) -> Ints:
    """First row of each code that misses nothing, or its first row; every code occurs.

    Examples
    --------
    >>> first_rows(np.array([0, 1, 0, 1, 2]), np.array([True, False, False, False, True])).tolist()
    [2, 1, 4]
    """
    rows = np.arange(len(codes))[::-1]  # so that the first of several rows is what stays
    first = np.empty(int(codes.max(initial=-1)) + 1, np.int64)
    first[codes[rows]] = rows
    complete = rows[~missing[rows]]
    first[codes[complete]] = complete
    return first


def order_by_name(codes: Ints, names: tuple[str, ...]) -> tuple[Codes, tuple[str, ...]]:
    """Renumber codes so that names are sorted."""
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), np.int32)
    rank[order] = np.arange(len(names))
    return rank[codes.astype(np.int64, copy=False)], tuple(names[i] for i in order)
