"""How probabilities change over the course of an instance."""

import numpy as np
import pandas as pd

from ibgn.classifiers.recogniser import Recogniser
from ibgn.intervals import Instance, IntervalSequences, as_sequences
from ibgn.live.recogniser import LiveRecogniser

__all__ = ["trace_posterior"]


def trace_posterior(model: Recogniser, instance: IntervalSequences | Instance) -> pd.DataFrame:
    """Probability of each activity whenever something starts or ends in an instance.

    Parameters
    ----------
    model : a fitted classifier
    instance : one instance, like X[0], or a list of (action, start, end)

    Returns
    -------
    DataFrame
        One row per moment, indexed by its time, and one column per activity, as expected by
        `plot_posterior` and `animate_posterior`. Events at the same time are one moment.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> X = [[("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 2), ("pour", 1, 5)]]
    >>> model = IBGNClassifier(random_state=0).fit(X, ["tea", "coffee"])
    >>> trace_posterior(model, X[0]).index.tolist()
    [0.0, 4.0, 6.0]
    """
    X = instance if isinstance(instance, IntervalSequences) else as_sequences([instance])
    if len(X) != 1:
        raise ValueError(f"a course is that of one instance, got {len(X)}; choose one, e.g. X[0]")
    (intervals,) = X.to_lists()
    live = LiveRecogniser(model)
    times, rows = np.unique([X.start, X.end]), []
    for time in times.tolist():
        for key, (action, _, end) in enumerate(intervals):
            if end == time:
                live.end(action, time, key)
        for key, (action, start, _) in enumerate(intervals):
            if start == time:
                live.start(action, time, key)
        rows.append(np.exp(live.log_posterior()))
    shares = np.reshape(rows, (len(times), len(live.classes_)))
    return pd.DataFrame(shares, pd.Index(times, name="time"), live.classes_.tolist())
