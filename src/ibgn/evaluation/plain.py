"""Data frames as plain values, for JSON and for pages."""

from typing import Any

import numpy as np
import pandas as pd

__all__ = ["rows"]


def rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as dictionaries; NaN becomes None.

    Examples
    --------
    >>> rows(pd.DataFrame({"method": ["IBGN"], "accuracy": [0.9], "error": [np.nan]}))
    [{'method': 'IBGN', 'accuracy': 0.9, 'error': None}]
    """
    plain = frame.astype(object).where(frame.notna(), None)
    return [
        {str(k): v.item() if isinstance(v, np.generic) else v for k, v in row.items()}
        for row in plain.to_dict(orient="records")
    ]
