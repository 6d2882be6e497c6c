"""IBGNEnsemble: what several members say about an instance, pooled by how much each can be trusted.

Members are the generative model, trees and linear models on features, and any other classifier that
takes instances. Their log probabilities are added with one weight per member, the same for all
activities, under which instances that a member has not seen are likeliest.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ibgn._arrays import Floats
from ibgn.classifiers.base import ActivityClassifier, as_one_instance
from ibgn.classifiers.checks import Training
from ibgn.classifiers.ibgn import IBGNClassifier
from ibgn.classifiers.imported import import_classifier
from ibgn.classifiers.on_features import IntervalForest, IntervalRidge, find_blocks
from ibgn.classifiers.recogniser import Recogniser, as_generator, unquestioned
from ibgn.declarations import FLOAT, MEMBERS, Stored, are_weights
from ibgn.errors import DataError, OptionError
from ibgn.features import Convolutions, IntervalFeatures
from ibgn.horizon import check_horizon
from ibgn.intervals import Instance, IntervalSequences
from ibgn.model.activity import ActivityModel
from ibgn.model.explanation import Explanation
from ibgn.model.folds import make_inner_folds
from ibgn.model.learning import HeldOut
from ibgn.model.ridge import occur_elsewhere, sharpen
from ibgn.model.weights import fit_weights
from ibgn.networks import Sequences
from ibgn.text import quote
from ibgn.training_data import UnknownActions
from ibgn.worlds import likeliest_world

__all__ = ["IBGNEnsemble", "default_members"]

FOLDS = 5  # in which members are learned again that do not say what they know of others
RIDGE = 40.0  # draws weights towards equal ones
LEAST = 1e-6  # probability that a member gives at least to each activity, if it is no model of it


def default_members(horizon: int | None = None) -> dict[str, Any]:
    """The generative model, trees and a linear model on statistics and pairs, and convolutions.

    horizon : how many intervals after each it is related with; None for all
    """
    features = None if horizon is None else IntervalFeatures(unknown="ignore", horizon=horizon)
    return {
        "generative": IBGNClassifier(horizon=horizon),
        "trees": IntervalForest(features),
        "linear": IntervalRidge(features),
        "convolutions": IntervalRidge(Convolutions(unknown="ignore")),
    }


def _has_generative(ensemble: "IBGNEnsemble") -> bool:
    """Whether a member explains and draws; an AttributeError, as hasattr expects, if none does."""
    members = ensemble.members
    if members is None or any(isinstance(m, ActivityClassifier) for m in members.values()):
        return True
    raise AttributeError(
        "none of the members is generative, so reasons and new instances are not to be had; add an "
        "IBGNClassifier() to the members"
    )


class IBGNEnsemble(Recogniser):
    """Several classifiers of instances, pooled: the most accurate choice where only labels count.

    The score of an activity is the sum over members of weight times log probability. Weights make
    instances likeliest that members have not seen. The default members know from one fit what they
    say about such instances; others are learned again in five folds, by group where groups are
    known.

    Parameters
    ----------
    members : classifiers of instances by name, with `predict_proba`: estimators of this library, or
        pipelines of scikit-learn that begin with its features; by default those of
        `default_members`
    horizon : how many intervals after each it is related with by the default members; None for
        all. Given members have horizons of their own
    unknown_actions : "warn", "ignore" or "error" where actions are recognised that were not
        learned; "warn" refuses instances of which none is known
    random_state : seed for members that have none, or a NumPy generator
    n_jobs, progress : for members that have these options

    Attributes
    ----------
    classes_ : labels of the activities, sorted
    members_ : fitted members by name
    weights_ : (members,) how much each counts

    Examples
    --------
    >>> tea, coffee = [("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 2), ("pour", 1, 5)]
    >>> model = IBGNEnsemble(random_state=0).fit([tea, coffee] * 5, ["tea", "coffee"] * 5)
    >>> model.predict([[("grind", 0, 5), ("pour", 4, 9)]]).tolist()
    ['coffee']
    >>> model.describe_weights()["term"].tolist()
    ['generative', 'trees', 'linear', 'convolutions']
    """

    short_name = "ensemble"
    learned: ClassVar[Mapping[str, Stored]] = {
        "members_": Stored(MEMBERS),
        "weights_": Stored(FLOAT, ("members",), are_weights),
    }

    def __init__(
        self,
        members: Mapping[str, Any] | None = None,
        *,
        horizon: int | None = None,
        unknown_actions: UnknownActions = "warn",
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.members = members
        self.horizon = horizon
        self.unknown_actions = unknown_actions
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    @classmethod
    def variants(cls) -> Mapping[str, Any]:
        """One, with its defaults."""
        return {"ensemble": lambda seed: cls(random_state=seed)}

    def _check_options(self) -> None:
        super()._check_options()
        check_horizon(self.horizon)
        members: Any = self.members
        if members is None:
            return
        if self.horizon is not None:
            reason = "is for the default members; give those of your own a horizon themselves"
            raise OptionError("horizon", self.horizon, reason)
        if not isinstance(members, Mapping) or not members:
            reason = 'must be classifiers by name, such as {"trees": IntervalForest()}'
            raise OptionError("members", self.members, reason)
        for name, member in members.items():
            if not hasattr(member, "fit") or not hasattr(member, "predict_proba"):
                raise OptionError(
                    "members", {name: member}, "must be classifiers with fit and predict_proba"
                )

    def storable(self) -> "IBGNEnsemble":
        """The same with members of scikit-learn turned into arrays, for files without pickle."""
        check_is_fitted(self)
        members = {
            name: member if isinstance(member, Recogniser) else import_classifier(name, member)
            for name, member in self.members_.items()
        }
        given = self.members and {
            name: member if isinstance(member, Recogniser) else clone(members[name])
            for name, member in self.members.items()
        }
        copy = IBGNEnsemble(**self.get_params(deep=False) | {"members": given})
        copy.classes_, copy.members_, copy.weights_ = self.classes_, members, self.weights_
        copy.trained_on_ = self.trained_on_
        for name in self.calibrated:
            if hasattr(self, name):
                setattr(copy, name, getattr(self, name))
        return copy

    def agrees(self) -> bool:
        """Whether all members know the activities of the ensemble."""
        labels = [member.classes_.tolist() for member in self.members_.values()]
        return all(known == self.classes_.tolist() for known in labels)

    def fit(
        self,
        X: Sequences,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn all members, and how much each counts.

        Parameters
        ----------
        X : instances, as `IntervalSequences` or lists of (action, start, end)
        y : (n,) label of the activity of each
        sample_weight : (n,) how many instances each counts as; 0 leaves one out
        groups : (n,) who performed each, in place of `X.groups`; those of a group are held out
            together
        """
        data = self._begin(X, y, sample_weight, groups)
        X, codes, weight, _ = data
        rng = as_generator(self.random_state)
        chosen = default_members(self.horizon) if self.members is None else self.members
        self.members_ = {name: self._prepared(member, rng) for name, member in chosen.items()}
        said = [self._learn(name, member, data) for name, member in self.members_.items()]
        usual = 1 / len(said)
        known = occur_elsewhere(codes, find_blocks(X))
        counting = np.ones(len(X)) if weight is None else weight
        held_out = HeldOut(np.stack(said, axis=1)[known], codes[known], counting[known])
        none = np.zeros(len(self.classes_))
        self.weights_ = np.full(len(said), usual)
        if known.any():
            self.weights_ = fit_weights(held_out, none, usual=usual, ridge=RIDGE * usual**2)
        # the ridge keeps weights close to equal ones; how sure all are together is learned freely
        self.weights_ *= sharpen(self.weights_ @ held_out.scores, *held_out[1:3])[1]
        return self

    def _prepared(self, member: Any, rng: np.random.Generator) -> Any:
        """A copy that is not fitted, with a seed and jobs where it has none."""
        copy = clone(member, safe=False)
        options = copy.get_params() if hasattr(copy, "get_params") else {}
        seed = int(rng.integers(2**31))
        given = {"random_state": seed, "n_jobs": self.n_jobs}
        new = {
            name: given[option]
            for name, value in options.items()
            if value is None and (option := name.rpartition("__")[2]) in given
        }
        if self.progress and "progress" in options:
            new["progress"] = True
        return copy.set_params(**new) if new else copy

    def _learn(self, name: str, member: Any, data: Training) -> Floats:
        """Fit a member; returns held-out log probabilities, (n, activities)."""
        X, codes, weight, _ = data
        counted = {} if weight is None else {_weight_parameter(name, member): weight}
        if not hasattr(member, "fit_held_out"):
            data = data._replace(X=likeliest_world(X))
            member.fit(data.X, self.classes_[codes], **counted)
            return self._cross_predict(member, data, counted)
        said = member.fit_held_out(X, self.classes_[codes], **counted)
        if said is None:
            return self._cross_predict(member, data, counted)
        return _bounded(member, said)

    def _cross_predict(self, member: Any, data: Training, counted: Mapping[str, Floats]) -> Floats:
        """Held-out log probabilities of a member that has to be learned again for them."""
        X, codes, *_ = data
        labels = self.classes_[codes]
        logs = np.full((len(X), len(self.classes_)), -np.log(len(self.classes_)))
        folds = make_inner_folds(X, codes, FOLDS) if len(X) >= FOLDS else []
        for fold in folds if len(folds) > 1 else []:
            rest = np.setdiff1d(np.arange(len(X)), fold)
            if len(np.unique(codes[rest])) > 1:
                of_rest = {option: weight[rest] for option, weight in counted.items()}
                again = clone(member, safe=False).fit(X[rest], labels[rest], **of_rest)
                logs[fold] = self._ask(again, X[fold])
        return logs

    def _ask(self, member: Any, X: IntervalSequences) -> Floats:
        """(n, activities) log probabilities by a member; it may not know all activities."""
        if isinstance(member, Recogniser) and len(member.classes_) == len(self.classes_):
            with unquestioned():
                return _bounded(member, member.predict_log_proba(X))
        logs = np.full((len(X), len(self.classes_)), -np.inf)
        columns = np.searchsorted(self.classes_, member.classes_)
        with unquestioned(), np.errstate(divide="ignore"):
            logs[:, columns] = np.log(member.predict_proba(X))
        return _bounded(member, logs)

    @property
    def terms_(self) -> tuple[str, ...]:
        """Names of the members, in the order of `scores` and `weights_`."""
        check_is_fitted(self)
        return tuple(self.members_)

    @property
    def _weights(self) -> Floats:
        return self.weights_

    def _scores(self, X: IntervalSequences) -> Floats:
        """(n, members, activities) log probabilities, member by member."""
        if not len(X):  # which not every classifier takes
            return np.zeros((0, len(self.members_), len(self.classes_)))
        return np.stack([self._ask(member, X) for member in self.members_.values()], axis=1)

    @property
    def generative(self) -> tuple[str, ActivityClassifier]:
        """Name and model of the first member that is generative: it explains and draws."""
        check_is_fitted(self)
        kinds = self.members_.items()
        return next((n, member) for n, member in kinds if isinstance(member, ActivityClassifier))

    def _typical_model(self) -> Any:
        check_is_fitted(self)
        members = (m for m in self.members_.values() if isinstance(m, ActivityClassifier))
        known: Any = next(members, super())
        return known._typical_model()

    @property
    def activities_(self) -> dict[Any, ActivityModel]:
        """What the generative member learned about each activity; nothing without one."""
        kinds = (getattr(member, "activities_", None) for member in self.members_.values())
        return next((found for found in kinds if found), {})

    @property
    def actions_(self) -> tuple[str, ...]:
        """Actions that the generative member knows."""
        return self.generative[1].actions_

    @available_if(_has_generative)  # type: ignore[untyped-decorator]
    def explain(
        self, instance: IntervalSequences | Instance, against: Any = None, activity: Any = None
    ) -> Explanation:
        """Say how much each member decided, and the reasons of the generative one.

        The terms of the generative member are weighted as it counts, and the other members are
        named by what they add, so that all add up to the log odds of the ensemble.

        Parameters
        ----------
        instance : one instance, like X[0], or a list of (action, start, end)
        against : label to compare with, by default the second likeliest
        activity : label to explain, by default the likeliest
        """
        name, model = self.generative
        X = self._question(as_one_instance(instance))
        joint = self._joint_log_likelihood(X)[0]
        X = likeliest_world(X)
        said = self.scores(X)[0]
        chosen, other = self._two_labels(joint, activity, against)
        for_it, against_it = np.searchsorted(self.classes_, [chosen, other])
        lead = self._weights * (said[:, for_it] - said[:, against_it])
        weight = dict(zip(self.members_, self._weights, strict=True))[name]
        with unquestioned():
            why = model.explain(X, against=other, activity=chosen)
        terms = {term: log_terms.scaled(weight) for term, log_terms in why.terms.items()}
        others = dict(zip(self.members_, lead.tolist(), strict=True))
        del others[name]
        return replace(why, prior=weight * why.prior, terms=terms, members=others)

    @available_if(_has_generative)  # type: ignore[untyped-decorator]
    def sample(self, n: int, activity: Any, random_state: Any = None) -> IntervalSequences:
        """Draw new instances of an activity from the generative member."""
        name, model = self.generative
        if not isinstance(model, IBGNClassifier):
            raise DataError(f"the member {quote(name)} cannot draw new instances")
        return model.sample(n, activity, random_state)


def _bounded(member: Any, logs: Floats) -> Floats:
    """Log probabilities, none too small; those of a generative model stay, to be explained."""
    if isinstance(member, ActivityClassifier):
        return logs
    bounded: Floats = np.maximum(logs, np.log(LEAST))
    return bounded


def _weight_parameter(name: str, member: Any) -> str:
    """Name of the parameter of `fit` that takes weights of instances: that of the last step."""
    steps = getattr(member, "steps", [("", member)])
    if not has_fit_parameter(steps[-1][1], "sample_weight"):
        raise DataError(
            f"the member {quote(name)} does not weigh instances; leave sample_weight out, or the "
            "member"
        )
    return f"{steps[-1][0]}__sample_weight" if hasattr(member, "steps") else "sample_weight"
