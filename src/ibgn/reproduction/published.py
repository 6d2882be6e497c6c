"""Numbers that the paper prints (Liu et al., 2017), to compare with ours.

Robustness curves are figures in the paper; their numbers are in a table that its source has as a
comment, with a few empty cells.
"""

import numpy as np
import pandas as pd

__all__ = ["DATA_SETS", "DETECTION_F1", "PAPER", "published_accuracy", "published_robustness"]

PAPER = ("IHMM", "DBN", "ITBN", "IBGN-C", "IBGN-F", "IBGN")
"""The six methods that the paper compares, in its order."""

DATA_SETS = {
    "basketball": ("OSUPEL", 2, 6, 72, "2-5"),
    "daily living": ("Opportunity", 5, 211, 125, "1-78"),
    "composable": ("CAD14", 16, 26, 693, "3-11"),
    "hand signs": ("its own recordings", 19, 20, 3480, "5-17"),
}
"""The data set that each simulation follows: activities, actions, instances, intervals."""

DETECTION_F1 = 0.724  # of the intervals of the paper's hand tracker

# five folds, on true intervals; and on hand signs as a tracker detected them
ACCURACY = {
    "basketball": (0.53, 0.58, 0.69, 0.79, 0.76, 0.81),
    "daily living": (0.74, 0.83, 0.88, 0.98, 0.96, 0.98),
    "composable": (0.93, 0.95, 0.51, 0.97, 0.98, 0.98),
    "hand signs": (0.67, 0.81, 0.77, 0.82, 0.84, 0.86),
    "hand signs, detected": (0.43, 0.51, 0.54, 0.49, 0.55, 0.58),
}

EMPTY = np.nan
ROBUSTNESS = {
    ("daily living", "misdetection"): {
        0.1: (0.31, 0.73, 0.79, 0.92, 0.88, 0.94),
        0.2: (0.29, 0.67, 0.74, 0.87, 0.87, 0.87),
        0.3: (0.22, 0.65, 0.71, 0.83, 0.84, 0.84),
    },
    ("daily living", "duration"): {
        0.1: (0.16, 0.45, 0.76, 0.83, 0.88, 0.89),
        0.2: (0.16, 0.45, 0.72, 0.83, 0.85, 0.85),
        0.3: (0.16, 0.45, 0.69, 0.82, 0.83, 0.83),
    },
    ("daily living", "knn"): {0.0: (0.66, 0.62, 0.54, 0.91, 0.79, 0.91)},
    ("daily living", "svm"): {0.0: (0.58, 0.54, 0.46, 0.83, 0.71, 0.85)},
    ("daily living", "tree"): {0.0: (0.16, 0.04, 0.38, 0.71, 0.54, 0.71)},
    ("hand signs", "misdetection"): {
        0.1: (0.65, EMPTY, 0.73, 0.71, 0.76, 0.78),
        0.2: (0.62, EMPTY, 0.71, 0.70, 0.73, 0.74),
        0.3: (0.60, EMPTY, 0.66, 0.66, 0.67, 0.67),
        0.4: (0.52, EMPTY, 0.62, 0.66, 0.70, 0.70),
        0.5: (0.45, EMPTY, 0.52, 0.58, 0.59, 0.58),
    },
    ("hand signs", "duration"): {
        0.1: (0.63, EMPTY, 0.77, 0.82, 0.84, 0.85),
        0.2: (0.62, EMPTY, 0.77, 0.80, 0.81, 0.82),
        0.3: (0.61, EMPTY, 0.77, 0.77, 0.79, 0.79),
        0.4: (0.60, EMPTY, 0.75, 0.77, 0.77, 0.77),
        0.5: (0.60, EMPTY, 0.74, 0.76, 0.77, 0.77),
    },
}


def published_accuracy() -> pd.DataFrame:
    """Accuracy without errors: data, method, published.

    Examples
    --------
    >>> frame = published_accuracy().pivot(index="data", columns="method", values="published")
    >>> float(frame.loc["basketball", "IBGN"])
    0.81
    """
    rows = [
        (data, method, value)
        for data, values in ACCURACY.items()
        for method, value in zip(PAPER, values, strict=True)
    ]
    return pd.DataFrame(rows, columns=["data", "method", "published"])


def published_robustness() -> pd.DataFrame:
    """Accuracy under errors: data, error, rate, method, published."""
    rows = [
        (data, error, rate, method, value)
        for (data, error), by_rate in ROBUSTNESS.items()
        for rate, values in by_rate.items()
        for method, value in zip(PAPER, values, strict=True)
    ]
    return pd.DataFrame(rows, columns=["data", "error", "rate", "method", "published"])
