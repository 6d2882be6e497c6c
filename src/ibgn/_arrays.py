"""Names for the kinds of arrays that signatures speak of; shapes stand in docstrings."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Bools", "Bytes", "Codes", "Floats", "Ints", "Objects"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int32]  # of actions
Objects = npt.NDArray[np.object_]
