"""What a model remembers of its training data, and how other data compare with them.

Names of actions that a model does not know, and times in another unit, do not make it fail: it
answers, and is wrong. So models remember the names and the usual durations of actions, and how
their data were read.
"""

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self

import numpy as np

from ibgn._arrays import Array, Bools, Floats, Ints, find_runs
from ibgn._kernels.summaries import run_medians
from ibgn.errors import DataError, DataWarning, Option, Part
from ibgn.intervals import IntervalSequences
from ibgn.pieces import cut, map_in_order
from ibgn.provenance import Provenance
from ibgn.text import count, quote
from ibgn.worlds import occurring_actions

__all__ = ["Familiarity", "TrainingData", "UnknownActions"]

UnknownActions = Literal["warn", "ignore", "error"]

SHOWN = 5  # names in a message
MOST = 700.0  # largest logarithm of a number and of its inverse
LEAST_SHIFT = np.log(5.0)  # people and cameras differ by up to 3 times, units by 10 and more
BEYOND = np.log(2.0)  # further than any training instance was
ERRORS = 3.0  # standard errors of a median, by which a scale differs at least
OF_MEDIAN = np.sqrt(np.pi / 2)  # standard error of a median as part of that of a mean
USUAL_SPREAD = 0.7  # standard deviation of the logarithm of durations of an action
WORTH = 5.0  # as many intervals as the usual spread counts


@dataclass(frozen=True)
class TrainingData:
    """What a model remembers of the data that it learned from.

    Parameters
    ----------
    actions : names of the actions that occurred, sorted
    log_duration : (actions,) median of the logarithm of the durations of each
    spread : standard deviation of the logarithm of durations around these
    furthest : largest distance of an instance from these, of the median over its intervals
    instances, intervals : how many there were
    provenance : how they were read, None where that is not known

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("boil", 0, 90), ("pour", 90, 100)]] * 9)
    >>> known = TrainingData.of(X)
    >>> np.exp(known.log_duration).round()
    array([90., 10.])
    >>> new = IntervalSequences.from_lists([[("boil", 0, 3.5), ("stir", 3, 4), ("pour", 4, 4.4)]])
    >>> found = known.compare(new)
    >>> found.unknown, round(found.scale, 2), found.rescaled
    ({'stir': 1}, 0.04, 1)
    """

    actions: tuple[str, ...]
    log_duration: Floats
    spread: float
    furthest: float
    instances: int
    intervals: int
    provenance: Provenance | None = None

    @classmethod
    def of(cls, X: IntervalSequences, actions: tuple[str, ...] | None = None) -> Self:
        """What is to be remembered of training instances.

        actions : names of all that occur, sorted, where X is a sample of the instances
        """
        known = {*actions} if actions else {X.actions[code] for code in occurring_actions(X)}
        codes = [code for code, name in enumerate(X.actions) if name in known]
        chosen, logs = _log_durations(X)
        action, middle = X.action[chosen], float(np.median(logs)) if len(logs) else 0.0
        log_duration = np.full(len(X.actions), middle)  # also of those that only may occur
        present, median = _medians(action, logs)
        log_duration[present] = median
        longer = logs - log_duration[action]
        _, shift = _medians(X.owner[chosen], longer)
        squares = (longer**2).sum() + WORTH * USUAL_SPREAD**2
        return cls(
            tuple(X.actions[code] for code in codes),
            log_duration[codes],
            float(np.sqrt(squares / (len(logs) + WORTH))),
            float(np.abs(shift).max(initial=0.0)),
            len(X),
            len(X.action),
            X.provenance,
        )

    def of_streams(self) -> Self:
        """The same for what learned from instances and looks for them in whole recordings."""
        return replace(self, provenance=self.provenance and self.provenance.uncut())

    def similar(self, name: str) -> str | None:
        """The action whose name differs only in case and in the marks between words, if any.

        Examples
        --------
        >>> known = TrainingData.of(IntervalSequences.from_lists([[("fill kettle", 0, 90)]]))
        >>> known.similar("Fill_Kettle"), known.similar("fill")
        ('fill kettle', None)
        """
        meant = _shape(name)
        return next((action for action in self.actions if _shape(action) == meant), None)

    def knows(self, X: IntervalSequences) -> Bools:
        """(n,) whether an action of each instance is known; so it is where there is none."""
        known = {*self.actions}
        is_known = np.array([name in known for name in X.actions], bool)
        familiar = is_known[X.action]
        if X.uncertainty is not None:  # an interval may have another action, which is known
            familiar[X.uncertainty.owner[is_known[X.uncertainty.alternative]]] = True
        some = np.bincount(X.owner[familiar], minlength=len(X)) > 0
        known_or_empty: Bools = some | (X.lengths == 0)
        return known_or_empty

    def compare(self, X: IntervalSequences) -> "Familiarity":
        """How other instances compare with these."""
        code = {name: number for number, name in enumerate(self.actions)}
        renumber = np.array([code.get(name, -1) for name in X.actions], np.int64)
        looks = list(map_in_order(lambda run: self._look(X[run], run.start, renumber), cut(X)))
        number = np.sum([look.unknown for look in looks], axis=0)
        frequent = np.argsort(-number, kind="stable")[: np.count_nonzero(number)]
        far, shift = self._find_rescaled(looks)
        return Familiarity(
            {X.actions[a]: int(number[a]) for a in frequent.tolist()},
            len(X.action),
            float(np.exp(np.clip(np.median(shift), -MOST, MOST))) if len(far) else 1.0,
            len(far),
            X._names()[far[0]] if len(far) else None,
            len(X),
            self,
            X.provenance,
        )

    def _look(self, X: IntervalSequences, first: int, renumber: Ints) -> "_Look":
        """Look at a piece whose first instance has this number.

        renumber : code of each action of X among those that are known, -1 of others
        """
        action = renumber[X.action] if len(X.action) else np.zeros(0, np.int64)
        unknown = action < 0
        if X.uncertainty is not None:  # an interval may have another action, which is known
            known = renumber[X.uncertainty.alternative] >= 0
            unknown[X.uncertainty.owner[known]] = False
        chosen, logs = _log_durations(X)
        known = action[chosen] >= 0
        chosen = chosen[known]
        longer = logs[known] - self.log_duration[action[chosen]]
        owner, shift = _medians(X.owner[chosen], longer)
        number = np.bincount(X.action[unknown], minlength=len(X.actions))
        return _Look(number, longer, first + owner, shift, np.bincount(X.owner[chosen])[owner])

    def _find_rescaled(self, looks: "list[_Look]") -> tuple[Ints, Floats]:
        """Instances of another scale, and the logarithm of how much longer their intervals are."""
        longer, owner, shift, intervals = map(np.concatenate, list(zip(*looks, strict=True))[1:])
        if not len(longer):
            return owner, shift
        far = self._is_far(shift, intervals)
        whole = np.median(longer, keepdims=True)
        if self._is_far(whole, np.array([len(longer)]), len(owner)).all():
            far |= np.sign(shift) == np.sign(whole)  # also those too short to say by themselves
        return owner[far], shift[far]

    def _is_far(self, shift: Floats, intervals: Ints, instances: int = 1) -> Bools:
        """Whether medians of so many intervals and instances differ by more than people do."""
        error = OF_MEDIAN * self.spread * np.sqrt(1 / intervals + 1 / max(self.intervals, 1))
        least = max(LEAST_SHIFT, (self.furthest + BEYOND) / np.sqrt(instances))
        far: Bools = np.abs(shift) > np.maximum(least, ERRORS * error)
        return far


class _Look(NamedTuple):
    """What is found in a piece of the instances that are compared.

    Parameters
    ----------
    unknown : (actions,) number of intervals of each that the model does not know
    longer : (intervals,) logarithm of how much longer than usual each is, of known actions
    owner, shift, intervals : (instances,) number of each that has some, median and number of these
    """

    unknown: Ints
    longer: Floats
    owner: Ints
    shift: Floats
    intervals: Ints


class Familiarity(NamedTuple):
    """How instances compare with those that a model learned from.

    Parameters
    ----------
    unknown : number of intervals of each action that the model does not know, frequent ones first
    intervals : number of all intervals
    scale : how many times as long as in training intervals of the same actions are, where that
        differs by more than people do; otherwise 1
    rescaled : number of instances of that scale
    first : the first of them
    instances : number of all instances
    trained_on : what the model remembers
    provenance : how the instances were read, None where that is not known

    Examples
    --------
    >>> known = TrainingData.of(IntervalSequences.from_lists([[("boil", 0, 90)]]))
    >>> new = IntervalSequences.from_lists([[("Boil", 0, 90), ("boil", 5, 80)]])
    >>> known.compare(new).as_dict()["unknown_actions"]
    {'Boil': 1}
    """

    unknown: Mapping[str, int]
    intervals: int
    scale: float
    rescaled: int
    first: str | None
    instances: int
    trained_on: TrainingData
    provenance: Provenance | None

    def joined(self, other: "Familiarity") -> "Familiarity":
        """How these and other instances compare, where both are pieces of all.

        Examples
        --------
        >>> known = TrainingData.of(IntervalSequences.from_lists([[("boil", 0, 90)]]))
        >>> new = known.compare(IntervalSequences.from_lists([[("Boil", 0, 90), ("boil", 5, 80)]]))
        >>> both = new.joined(new)
        >>> both.unknown, both.intervals
        ({'Boil': 2}, 4)
        """
        unknown = Counter(self.unknown) + Counter(other.unknown)
        rescaled = self.rescaled + other.rescaled
        logs = np.log(self.scale) * self.rescaled + np.log(other.scale) * other.rescaled
        return self._replace(
            unknown=dict(unknown.most_common()),
            intervals=self.intervals + other.intervals,
            scale=float(np.exp(logs / max(rescaled, 1))),
            rescaled=rescaled,
            first=other.first if self.first is None else self.first,
            instances=self.instances + other.instances,
        )

    def say(self, unknown_actions: UnknownActions, refuse: bool = True) -> None:
        """Warn of each difference; refuse instances of which the model knows no action.

        Not `refuse`: warn of them too, where a model may say that it knows none of this.
        """
        number = sum(self.unknown.values())
        if number and unknown_actions == "error":
            remedy = ("; rename them, or leave them out with ", Option("unknown_actions", "ignore"))
            raise DataError(*self._unknown_words(number, "does not know"), *remedy)
        if refuse and number == self.intervals > 0 and unknown_actions == "warn":
            raise DataError(
                f"the model knows none of the actions: {_listed(self.unknown)}; it knows "
                f"{_listed(dict.fromkeys(self.trained_on.actions, 0))}; rename them, or let it "
                "decide by what is missing alone with ",
                Option("unknown_actions", "ignore"),
            )
        if number and unknown_actions == "warn":
            _warn(*self._unknown_words(number, "does not know and ignores"))
        if self.rescaled:
            _warn(*self._scale_words())
        for words in self._reading_words():
            _warn(*words)

    def _unknown_words(self, number: int, does: str) -> list[Part]:
        verb = "has an action" if number == 1 else "have actions"
        near = filter(None, map(self.trained_on.similar, self.unknown))
        listed = dict.fromkeys(near, 0)
        meant = f"; it knows {_listed(listed)}" if listed else ""
        return [
            f"{number} of {count(self.intervals, 'interval')} {verb} that the model {does}: "
            f"{_listed(self.unknown)}{meant}"
        ]

    @property
    def scale_phrase(self) -> str:
        """How the scale differs, to follow the word "intervals"."""
        factor = f"{float(f'{max(self.scale, 1 / self.scale):.2g}'):,g}"
        length = "shorter" if self.scale < 1 else "longer"
        return (
            f"are about {factor} times {length} than those of the same actions in training; give "
            "times in the unit of the training data"
        )

    def _scale_words(self) -> list[Part]:
        which = f"{self.rescaled} of {count(self.instances, 'instance')}"
        return [f"intervals of {which} (first: {quote(self.first)}) {self.scale_phrase}"]

    def _reading_words(self) -> list[list[Part]]:
        before, now = self.trained_on.provenance, self.provenance
        if before is None or now is None:
            return []
        return [
            ["the training data were read ", *_how(mine), ", these ", *_how(its), _what_to_do(mine)]
            for mine, its in before.differences(now)
        ]

    def as_dict(self) -> dict[str, object]:
        """Plain values for programs."""
        return {
            "unknown_intervals": sum(self.unknown.values()),
            "unknown_actions": dict(self.unknown),
            "scale": self.scale,
            "rescaled_instances": self.rescaled,
        }


def _log_durations(X: IntervalSequences) -> tuple[Ints, Floats]:
    """Intervals whose end is known, and the logarithm of the duration of each."""
    known = np.ones(len(X.action), bool) if X.uncertainty is None else ~X.uncertainty.unknown_end
    chosen = np.flatnonzero(known)
    return chosen, np.log(X.end[chosen] - X.start[chosen])


def _medians(keys: Array, values: Floats) -> tuple[Ints, Floats]:
    """Keys that there are, in order, and the median of the values of each."""
    if (np.diff(keys) < 0).any():
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], values[order]
    edges = find_runs(keys)
    return keys[edges[:-1]].astype(np.int64), run_medians(edges, values)


def _listed(names: Mapping[str, int]) -> str:
    """Some names, each with its number where there is one."""
    shown = [f"{quote(name)} ({n})" if n else quote(name) for name, n in names.items()][:SHOWN]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "") if shown else "none"


def _shape(name: str) -> str:
    """A name as people mean it, whatever its case and the marks between words."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _how(option: Option) -> list[Part]:
    return ["without ", Option(option.name)] if option.value is None else ["with ", option]


def _what_to_do(option: Option) -> str:
    """What to do where the training data were read with another value of an option."""
    if option.name == "closed":  # read a second time, they would get longer
        return "; read both alike, unless ibgn wrote the file, as its ends are never inclusive"
    if option.name == "activity":
        return "; cut recordings into instances alike"
    return "; read both alike"


def _warn(*parts: Part) -> None:
    warnings.warn(DataWarning(*parts), stacklevel=5)  # where something is to be recognised
