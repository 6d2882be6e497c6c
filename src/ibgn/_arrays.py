"""Names for the kinds of arrays in signatures, and array functions that many modules use."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Bools", "Bytes", "Codes", "Floats", "Ints", "Objects", "find_runs", "fixed"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int32]  # of actions
Objects = npt.NDArray[np.object_]


def find_runs(*columns: Array) -> Ints:
    """First row of each run of rows that are equal in all columns, then the number of rows.

    Examples
    --------
    >>> find_runs(np.array([2, 2, 0, 2])).tolist()
    [0, 2, 3, 4]

    A run also ends where another column changes, such as the recording that a row is from:

    >>> find_runs(np.array([2, 2, 2]), np.array([0, 0, 1])).tolist()
    [0, 2, 3]
    """
    is_edge = np.ones(len(columns[0]) + 1, np.bool_)
    is_edge[1:-1] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(is_edge)


def fixed(values: Ints) -> Ints:
    """Array that nobody may change."""
    values.flags.writeable = False
    return values
