"""Names for the kinds of arrays that signatures speak of, and the runs of an array."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Bools", "Bytes", "Codes", "Floats", "Ints", "Objects", "find_edges"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int32]  # of actions
Objects = npt.NDArray[np.object_]


def find_edges(values: Array) -> npt.NDArray[np.intp]:
    """Where runs of equal values begin, and the number of values at the end.

    Examples
    --------
    >>> find_edges(np.array([2, 2, 0, 2])).tolist()
    [0, 2, 3, 4]
    >>> find_edges(np.array([])).tolist()
    [0]
    """
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.unique(np.concatenate([[0], changes, [len(values)]]).astype(np.intp))
