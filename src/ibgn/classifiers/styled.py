"""Estimators whose activities may be done in several styles."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats, Ints
from ibgn.checks import check_whole
from ibgn.classifiers.base import ActivityClassifier
from ibgn.classifiers.checks import Training
from ibgn.classifiers.recogniser import as_generator
from ibgn.classifiers.streamed import AnyTraining
from ibgn.errors import OptionError
from ibgn.intervals import Instance, IntervalSequences, as_sequences
from ibgn.model.activity import ActivityModel
from ibgn.model.explanation import Explanation
from ibgn.model.learning import HeldOut
from ibgn.model.style_search import StyleChoice, find_styles
from ibgn.model.styles import STYLES, StyleWords, pool_styles
from ibgn.networks import Sequences
from ibgn.worlds import likeliest_world

__all__ = ["StyledClassifier"]

MOST_STYLES = 100


class Style(NamedTuple):
    """A style while it is learned: the number of its activity, and its share of the instances."""

    activity: int
    number: int
    share: float


class StyledClassifier(ActivityClassifier):
    """Base of estimators with `styles=`: an activity is a mixture of styles, each with its terms.

    Styles are searched activity by activity, see `ibgn.model.style_search`. Then one model is
    learned for each style, as for each activity of other estimators, and the weights of terms are
    those under which held-out instances are recognised best, whatever their styles.
    """

    styles: StyleChoice
    random_state: Any
    weights_: Floats
    styles_: Floats

    def _check_options(self) -> None:
        super()._check_options()
        if isinstance(self.styles, str) and self.styles != "learned":
            raise OptionError("styles", self.styles, "must be a whole number from 1, or 'learned'")
        if not isinstance(self.styles, str):
            check_whole("styles", self.styles, 1, MOST_STYLES)

    def _scorer(self) -> Self:
        scorer = super()._scorer()
        scorer.styles_ = self.styles_[:0]
        return scorer

    def _learn_models(
        self, data: AnyTraining, labels: Sequence[Any], every: bool
    ) -> tuple[dict[Any, ActivityModel], HeldOut | None]:
        if self.styles == 1 or not isinstance(data, Training):
            self.styles_ = np.ones((data.instances, 1))
            return super()._learn_models(data, labels, every)
        X, codes, weight, _ = data
        if weight is not None:
            raise OptionError(
                "styles", self.styles, "divides whole instances, which cannot have a sample_weight"
            )
        activities, held_out = super()._learn_models(data, labels, every)
        self.styles_ = np.ones((len(X), 1))
        found = self._find_styles(X, codes)
        if not any(style.any() for style in found):
            return activities, held_out
        names: list[Style] = []
        style_codes = np.empty(len(X), np.intp)
        for c, style in enumerate(found):
            style_codes[codes == c] = len(names) + style
            shares = (np.bincount(style) / len(style)).tolist()
            names += [Style(c, number, share) for number, share in enumerate(shares)]
        styles, by_style = super()._learn_models(data._replace(codes=style_codes), names, every)
        for c, label in enumerate(labels):
            own = [
                replace(model, share=name.share)
                for name, model in styles.items()
                if name.activity == c
            ]
            several = own if len(own) > 1 else ()
            activities[label] = activities[label].with_styles(several, self.weights_)
        self.styles_ = np.zeros((len(X), max(len(each.members) for each in activities.values())))
        for c, activity in enumerate(activities.values()):
            posterior = np.exp(activity.log_posterior(likeliest_world(X[codes == c])))
            self.styles_[codes == c, : posterior.shape[1]] = posterior
        return activities, by_style and self._pool(by_style, names)

    def _pool(self, held_out: HeldOut, names: Sequence[Style]) -> HeldOut:
        """Held-out scores of activities from those of their styles."""
        owner = np.array([name.activity for name in names])
        shares = np.array([name.share for name in names])
        own = [owner == c for c in range(len(self.classes_))]
        scores = [
            pool_styles(held_out.scores[:, :, style], shares[style], self.weights_) for style in own
        ]
        codes = owner[held_out.codes]
        return held_out._replace(scores=np.stack(scores, axis=2), codes=codes)

    def _find_styles(self, X: IntervalSequences, codes: npt.NDArray[np.intp]) -> list[Ints]:
        """Style of each instance, activity by activity."""
        terms = self._make_terms()
        parts = [likeliest_world(X[codes == c]) for c in range(len(self.classes_))]
        children = as_generator(self.random_state).spawn(len(parts))
        found: list[Ints] = joblib.Parallel(n_jobs=self.n_jobs, prefer="threads")(
            joblib.delayed(find_styles)(terms, part, self.styles, rng)
            for part, rng in zip(parts, children, strict=True)
        )
        return found

    def _columns(self, labels: Sequence[Any]) -> tuple[Floats, Ints | None]:
        """Log prior of each label, and the activity of which it is a style, if it is one."""
        if not isinstance(labels[0], Style):
            return self.class_log_prior_, None
        activity = np.array([name.activity for name in labels])
        shares = np.array([name.share for name in labels])
        return self.class_log_prior_[activity] + np.log(shares), activity

    @property
    def _has_styles(self) -> bool:
        """Whether some activity has several, so that their choice is scored."""
        return any(activity.pooling is not None for activity in self.activities_.values())

    @property
    def _weights(self) -> Floats:
        return np.append(self.weights_, 1.0) if self._has_styles else self.weights_

    @property
    def terms_(self) -> tuple[str, ...]:
        """Names of the terms, in the order of `scores`; "styles" is the choice of a style."""
        names = super().terms_
        return (*names, STYLES) if self._has_styles else names

    def predict_styles(self, X: Sequences, activity: Any) -> Floats:
        """(n, styles) probability of each style of an activity, for instances of that activity.

        Examples
        --------
        >>> from ibgn import IBGNClassifier
        >>> slow = [[("boil", 0, 8 + d / 9), ("pour", 10, 18 + d)] for d in range(8)]
        >>> fast = [[("boil", 0, 1 + d / 9), ("pour", 2, 2.3)] for d in range(6)]
        >>> model = IBGNClassifier(styles=2, random_state=0).fit(slow + fast, ["tea"] * 14)
        >>> model.predict_styles([[("boil", 0, 1), ("pour", 2, 2.4)]], "tea").round()
        array([[0., 1.]])
        """
        check_is_fitted(self)
        coded = self._coded(self._prepare(likeliest_world(as_sequences(X))))
        return np.exp(self.activities_[self._label(activity)].log_posterior(coded))

    def describe_styles(self) -> pd.DataFrame:
        """Styles of all activities: their shares, instances, and mean number of intervals."""
        check_is_fitted(self)
        rows = [
            (label, number, style.share, len(style.lengths), float(style.lengths.mean()))
            for label, activity in self.activities_.items()
            for number, style in enumerate(activity.members, 1)
        ]
        columns = ["activity", "style", "share", "instances", "intervals"]
        return pd.DataFrame(rows, columns=columns)

    def explain(
        self, instance: IntervalSequences | Instance, against: Any = None, activity: Any = None
    ) -> Explanation:
        """Say what spoke for one activity and against another.

        Where activities have styles, reasons say what is usual in the likeliest style of each.

        Parameters
        ----------
        instance : one instance, like X[0], or a list of (action, start, end)
        against : label to compare with, by default the second likeliest
        activity : label to explain, by default the likeliest
        """
        why = super().explain(instance, against, activity)
        if not self._has_styles:
            return why
        coded = self._coded(why.instance)
        (mine, my_style), (its, its_style) = (
            self._likeliest_style(self.activities_[label], coded)
            for label in (why.activity, why.against)
        )
        fitted = {name: (mine[name], its[name]) for name in mine.terms}
        return replace(why, fitted=fitted | {STYLES: (my_style, its_style)})

    def _likeliest_style(
        self, activity: ActivityModel, X: IntervalSequences
    ) -> tuple[ActivityModel, StyleWords]:
        number = int(activity.log_posterior(X)[0].argmax())
        style, of = activity.members[number], len(activity.members)
        return style, StyleWords(self.actions_, number + 1, of, style.share)
