"""The styles of an activity: which of its instances are done in the same way.

The style of an instance is latent. It is found by a hard form of EM: each style is learned from the
instances that have it now, and each instance gets the style under which it is likeliest. An
instance is always scored by styles that were learned from others, as counts without its fold. So it
does not hold on to its own style, and more styles are not likelier just because there are more.

Terms describe the same instance several times over. Each therefore counts as much as a term does
where nothing says how much it should, and a style has to earn more than that.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import logsumexp

from ibgn._arrays import Floats, Ints
from ibgn.intervals import IntervalSequences
from ibgn.model.folds import fingerprint, make_inner_folds
from ibgn.model.learning import Lesson
from ibgn.model.weights import USUAL
from ibgn.recoding import recode
from ibgn.terms.base import Context, Term

__all__ = ["Division", "StyleChoice", "StyleSearch", "find_styles"]

StyleChoice = int | Literal["learned"]

FOLDS = 10  # of instances that are scored by the others
STARTS = 3  # divisions from which EM begins, for each number of styles
SEEDS = 200  # instances among which the first ones of styles are chosen
LEAST = 5  # instances of a style: fewer are exceptions
MOST = 8  # styles, where their number is learned
ERRORS = 2.0  # standard errors by which one more style must be better


class Division(NamedTuple):
    """Instances by style.

    Parameters
    ----------
    style : (n,) of each instance
    joint : (n, styles) log share + pooled score of each instance, learned from others
    """

    style: Ints
    joint: Floats

    @property
    def evidence(self) -> Floats:
        """(n,) log of how likely each instance is, whatever its style."""
        result: Floats = logsumexp(self.joint, axis=1)
        return result


def find_styles(
    terms: Sequence[Term], X: IntervalSequences, styles: StyleChoice, rng: np.random.Generator
) -> Ints:
    """(n,) style of each instance of an activity, from 0 for the most frequent one.

    Parameters
    ----------
    terms : what is learned about each style
    X : all instances of the activity
    styles : how many there are, fewer if there are too few instances; "learned" adds one after the
        other as long as held-out instances become likelier by more than two standard errors
    rng : source of random numbers; the order of instances does not matter

    Examples
    --------
    >>> from ibgn.terms import Durations, Relations
    >>> slow = [[("boil", 0, 8 + d / 9), ("pour", 10, 18 + d)] for d in range(8)]
    >>> fast = [[("boil", 0, 1 + d / 9), ("pour", 2, 2.3)] for d in range(6)]
    >>> X = IntervalSequences.from_lists(slow + fast)
    >>> find_styles([Durations(), Relations()], X, 2, np.random.default_rng(0)).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    """
    order = np.argsort(fingerprint(X), kind="stable")
    search = StyleSearch(terms, X[order], rng)
    found = search.learn() if styles == "learned" else search.divide(int(styles))
    style = np.empty_like(found.style)
    style[order] = found.style
    ranked = np.argsort(-np.bincount(style), kind="stable")
    return np.argsort(ranked)[style]


class StyleSearch:
    """Divisions of the instances of an activity into styles.

    Parameters
    ----------
    terms : what is learned about each style; those that cannot be counted at once, like the tables
        of the paper, have no say unless there are no others
    X : instances
    rng : source of random numbers
    """

    def __init__(
        self, terms: Sequence[Term], X: IntervalSequences, rng: np.random.Generator
    ) -> None:
        # actions of other activities would only take time
        actions = tuple(X.actions[code] for code in np.unique(X.action))
        flat = recode(X, actions).flat
        self.X = IntervalSequences.from_flat(flat, actions, X.ids, X.groups)
        quick = [term for term in terms if term.scales] or terms
        self.terms = [term.specialise([self.X])[0] for term in quick]
        self.folds = make_inner_folds(self.X, np.zeros(len(X), np.int64), FOLDS)
        self.rng = rng

    @property
    def whole(self) -> Division:
        """All instances as one style."""
        return self.score(np.zeros(len(self.X), np.int64), 1)

    def learn(self) -> Division:
        """As many styles as there is evidence for."""
        best = self.whole
        for number in range(2, MOST + 1):
            found = self.divide(number)
            gain = found.evidence - best.evidence
            if gain.sum() <= ERRORS * np.sqrt(len(gain)) * gain.std():
                break
            best = found
        return best

    def divide(self, number: int) -> Division:
        """The likeliest division into some number of styles, or fewer if that is impossible."""
        if number == 1 or len(self.X) < LEAST * number:
            return self.whole if number == 1 else self.divide(number - 1)
        ends = [list(self.climb(start, number))[-1:] for start in self.starts(number)]
        found = [division for end in ends for division in end]
        if not found:
            return self.divide(number - 1)
        return max(found, key=lambda division: division.evidence.sum())

    def climb(self, style: Ints, number: int) -> Iterator[Division]:
        """Divisions by EM from a first one, each likelier than the one before."""
        height = -np.inf
        while np.bincount(style, minlength=number).min() >= LEAST:
            division = self.score(style, number)
            if division.evidence.sum() <= height:
                return
            yield division
            height, style = division.evidence.sum(), division.joint.argmax(axis=1)
            if (style == division.style).all():
                return

    def score(self, style: Ints, number: int) -> Division:
        """Score instances by styles, as learned from other instances with their present styles."""
        held_out = self._lesson(style, number, self.folds).hold_out(self._contexts(number))
        shares = (np.bincount(style, minlength=number) + 1) / (len(style) + number)
        return Division(style, USUAL * held_out.scores.sum(axis=1) + np.log(shares))

    def starts(self, number: int) -> Iterator[Ints]:
        """Divisions by the likeness to some instances that are unlike each other.

        The first is drawn at random. The worse the ones before explain an instance, the likelier it
        is drawn next.
        """
        likeness = self._likeness
        seeds = likeness.shape[1]
        for _ in range(STARTS):
            chosen = [int(self.rng.integers(seeds))]
            while len(chosen) < number:
                unlike = likeness.max(axis=1) - likeness[:, chosen].max(axis=1)
                chances = unlike[self._seeds] + 1e-9
                chosen.append(int(self.rng.choice(seeds, p=chances / chances.sum())))
            yield likeness[:, chosen].argmax(axis=1)

    @cached_property
    def _seeds(self) -> Ints:
        """Instances from which styles may grow."""
        return np.sort(self.rng.permutation(len(self.X))[:SEEDS])

    @cached_property
    def _likeness(self) -> Floats:
        """(n, seeds) pooled score of each instance by a style with one instance alone."""
        number = len(self._seeds)
        lesson = self._lesson(np.arange(number), number, [np.arange(number)], self.X[self._seeds])
        fitted = list(lesson.learn(self._contexts(number)))
        total = np.zeros((len(self.X), number))
        for first in range(0, len(fitted), number):
            of_term = fitted[first : first + number]
            total += type(of_term[0]).log_likelihoods(of_term, self.X)
        return USUAL * total

    def _lesson(
        self,
        style: Ints,
        number: int,
        folds: Sequence[Ints],
        X: IntervalSequences | None = None,
    ) -> Lesson:
        terms = [[term] * number for term in self.terms]
        return Lesson(terms, self.X if X is None else X, style, folds)

    def _contexts(self, number: int) -> list[Context]:
        return [
            Context(style, self.X.actions, 0, rng)
            for style, rng in enumerate(np.random.default_rng(0).spawn(number))
        ]
