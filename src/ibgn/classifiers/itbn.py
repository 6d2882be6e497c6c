"""ITBN: an activity as a Bayesian network of which actions occur, and how linked ones relate."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy.typing as npt

from ibgn.classifiers.base import ActivityClassifier
from ibgn.classifiers.occurrences import Occurrence
from ibgn.classifiers.prior import ClassPrior
from ibgn.classifiers.temporal_network import Comparison, Consistency, Network
from ibgn.networks import Sequences
from ibgn.training_data import UnknownActions

__all__ = ["ITBNClassifier"]


class ITBNClassifier(ActivityClassifier):
    """Interval temporal Bayesian network: which actions occur, and how pairs of them relate.

    Each action occurs or not, depending on the actions that are linked to it; for each link, one of
    Allen's thirteen relations holds where both occur. Links are found greedily by BIC, without
    cycles, and so that the relations of three linked actions never contradict each other.

    Parameters
    ----------
    occurrence : which interval stands for an action that occurs several times in an instance: the
        "longest" or the "first"; the others are left out
    comparison : how activities with different links are compared. "all-pairs" takes each relation
        without a link to be one of thirteen, so that all activities describe the same variables;
        "links" leaves such relations out; "per-link" does too, and divides by the number of links
    consistency : links must not contradict each other, by their most "frequent" relations or, if
        "strict", by all relations that occur in training
    smoothing : added to each count
    class_prior : "uniform", "empirical", or a probability for each label
    unknown_actions : "warn", "ignore" or "error" where actions are recognised that were not
        learned; "warn" refuses instances of which none is known
    n_jobs : activities learned at the same time, by joblib
    progress : show which activities are done, if standard error is a terminal

    Attributes
    ----------
    classes_ : labels of the activities, sorted
    actions_ : names of the known actions, sorted
    activities_ : an `ActivityModel` for each label, with the term "network", which also says what
        had to be left out
    class_log_prior_ : (activities,) log of the class prior

    Notes
    -----
    Actions never seen in training are skipped. An instance without intervals favours activities
    whose actions are most often absent.

    Examples
    --------
    >>> X = [[("boil", 0, 4), ("pour", 5, 6)]] * 9 + [[("boil", 0, 4), ("pour", 2, 6)]] * 9
    >>> model = ITBNClassifier().fit(X, ["tea"] * 9 + ["soup"] * 9)
    >>> model.activities_["tea"]["network"].describe()
      parent relation child  probability
    0   boil   before  pour      0.72093
    >>> model.predict([[("boil", 0, 9), ("pour", 8, 10)]]).tolist()
    ['soup']
    """

    short_name = "itbn"
    grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "occurrence": ("first", "longest"),
        "smoothing": (0.1, 1.0),
    }

    def __init__(
        self,
        occurrence: Occurrence = "longest",
        *,
        comparison: Comparison = "all-pairs",
        consistency: Consistency = "frequent",
        smoothing: float = 0.3,
        class_prior: ClassPrior = "uniform",
        unknown_actions: UnknownActions = "warn",
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.occurrence = occurrence
        self.comparison = comparison
        self.consistency = consistency
        self.smoothing = smoothing
        self.class_prior = class_prior
        self.unknown_actions = unknown_actions
        self.n_jobs = n_jobs
        self.progress = progress

    # links are found by looking at whole instances, which cannot be weighed
    def fit(self, X: Sequences, y: npt.ArrayLike) -> Self:  # type: ignore[override]
        """Learn a model of each activity, from whole instances.

        Parameters
        ----------
        X : instances, as `IntervalSequences` or lists of (action, start, end)
        y : (n,) label of the activity of each
        """
        return super().fit(X, y)

    def _make_terms(self) -> list[Network]:
        return [Network(self.occurrence, self.comparison, self.consistency, self.smoothing)]
