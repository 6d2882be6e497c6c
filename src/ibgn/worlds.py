"""Possible worlds: an uncertain instance is a distribution over crisp ones.

In a world each interval is there or not, has one of its actions, and ends that are drawn by their
errors, all independent of each other. What is known about crisp instances then holds for uncertain
ones, whatever it is: it is averaged over worlds.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, ndtri

from ibgn._arrays import Bools, Codes, Floats, Ints, find_runs
from ibgn.flat import Flat
from ibgn.intervals import IntervalSequences
from ibgn.pieces import cut, map_in_order
from ibgn.recoding import order_intervals, rebuild
from ibgn.uncertainty import Uncertainty

__all__ = [
    "Worlds",
    "average_worlds",
    "draw_worlds",
    "likeliest_world",
    "occurring_actions",
    "score_worlds",
]

NUMBER = 32  # worlds that stand for an instance with too many of them
SEED = 20_240_229  # of the draws, which are the same for all activities and in every run
AT_ONCE = 1_000_000  # intervals in worlds that are scored together


class Worlds(NamedTuple):
    """Crisp instances that stand for uncertain ones.

    Parameters
    ----------
    X : all worlds; those of instance d are from offsets[d] to offsets[d+1]
    offsets : (n + 1,)
    probability : (worlds,) which adds up to 1 in each instance

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5)]])
    >>> unsure = X.with_uncertainty(confidence=[1, 0.75])
    >>> worlds = draw_worlds(unsure)
    >>> worlds.X.lengths.tolist(), worlds.probability.tolist()
    ([2, 1], [0.75, 0.25])
    """

    X: IntervalSequences
    offsets: Ints
    probability: Floats


class Options(NamedTuple):
    """What each interval can be: its actions, and -1 where it is not there; in CSR form.

    Parameters
    ----------
    offsets : (intervals + 1,) where the options of each interval begin
    action, probability : (options,) with probabilities above 0 that add up to 1
    """

    offsets: Ints
    action: Codes
    probability: Floats

    @classmethod
    def of(cls, X: IntervalSequences, unsure: Uncertainty) -> "Options":
        """Alternatives of each interval, or its action, times its confidence; and absence."""
        number = len(X.action)
        single = np.diff(unsure.offsets) == 0
        owner = np.concatenate(
            [unsure.owner, np.flatnonzero(single), np.arange(number)]  # alternatives, action, -1
        )
        action = np.concatenate([unsure.alternative, X.action[single], np.full(number, -1)])
        chance = np.concatenate([unsure.probability, np.ones(single.sum()), np.zeros(number)])
        chance *= unsure.confidence[owner]
        chance[-number or len(chance) :] = 1 - unsure.confidence
        order = np.argsort(owner, kind="stable")
        order = order[chance[order] > 0]
        lengths = np.bincount(owner[order], minlength=number)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        total = np.bincount(owner[order], chance[order], number)
        return cls(offsets, action[order].astype(np.int32), chance[order] / total[owner[order]])


def draw_worlds(
    X: IntervalSequences, number: int = NUMBER, seed: int = SEED, exact: bool = True
) -> Worlds:
    """Worlds of each instance: all of them if they are few, else `number` that are drawn.

    With exact=False they are always drawn, and all are equally likely.

    Draws are stratified, so that an interval with a confidence of .75 is in three of four worlds.
    They depend on the instance and the seed alone, not on what else is in X. End points of an
    instance with the same time and the same error are one instant and move together, so that
    intervals that meet still do. Where drawn ends would swap, an interval keeps its own.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5)]])
    >>> worlds = draw_worlds(X.with_uncertainty([1, 0.75]))
    >>> worlds.X.to_lists()
    [[('pour', 0.0, 2.0), ('stir', 2.0, 5.0)], [('pour', 0.0, 2.0)]]
    >>> worlds.probability.tolist()
    [0.75, 0.25]
    """
    unsure = X.uncertainty
    if unsure is None:
        return Worlds(X, np.arange(len(X) + 1), np.ones(len(X)))
    options = Options.of(X, unsure)
    counts = np.diff(options.offsets)
    moves = _sum(X, (unsure.start_error > 0) | (unsure.end_error > 0)) > 0
    logs = _sum(X, np.log(counts))
    few = ~moves & (logs <= np.log(number) + 1e-9) & exact
    sizes = np.where(few, np.rint(np.exp(np.where(few, logs, 0))), number).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    rows = _Rows.of(X, offsets)
    option = np.where(
        few[rows.instance],
        _enumerate(rows, X, options),
        _choose(rows, options, _uniforms(X.lengths.max(initial=0), number, seed, 0)),
    )
    probability = np.repeat(1 / sizes, sizes)
    chances = np.bincount(rows.world, np.log(options.probability[option]), offsets[-1])
    listed = np.repeat(few, sizes)
    probability[listed] = np.exp(chances[listed])
    start, end = _move(rows, X, unsure, number, seed)
    return Worlds(
        _build(X, rows, options.action[option], start, end, offsets), offsets, probability
    )


class _Rows(NamedTuple):
    """One row for each interval in each world of its instance."""

    world: Ints
    draw: Ints  # number of the world in its instance
    instance: Ints
    interval: Ints
    position: Ints  # of the interval in its instance

    @classmethod
    def of(cls, X: IntervalSequences, offsets: Ints) -> "_Rows":
        instance = np.repeat(np.arange(len(X)), np.diff(offsets))
        lengths = X.lengths[instance]
        world = np.repeat(np.arange(len(instance)), lengths)
        begin = np.cumsum(lengths) - lengths
        position = np.arange(len(world)) - begin[world]
        owner = instance[world]
        return cls(world, world - offsets[owner], owner, X.offsets[owner] + position, position)


def _sum(X: IntervalSequences, values: Floats | Bools) -> Floats:
    """(n,) sum over the intervals of each instance."""
    return np.bincount(X.owner, values, len(X)).astype(np.float64)


def _uniforms(size: int, number: int, seed: int, stream: int) -> Floats:
    """(size, number) numbers from 0 to 1, stratified in each row; rows do not depend on size."""
    rng, jitter = (np.random.default_rng([seed, stream, part]) for part in range(2))
    strata = rng.permuted(np.tile(np.arange(number), (size, 1)), axis=1)
    uniforms: Floats = (strata + jitter.random((size, number))) / number
    return uniforms


def _enumerate(rows: _Rows, X: IntervalSequences, options: Options) -> Ints:
    """Option of each row if worlds are numbered as digits, the first interval counting slowest."""
    counts = np.diff(options.offsets)
    logs = np.cumsum(np.log(counts))
    last = np.append(logs, 0.0)[X.offsets[1:] - 1]
    after = np.minimum(last[X.owner] - logs, 40.0)  # so many are not enumerated
    stride = np.rint(np.exp(after)).astype(np.int64)
    interval = rows.interval
    digit: Ints = (rows.draw // stride[interval]) % counts[interval]
    return options.offsets[interval] + digit


def _choose(rows: _Rows, options: Options, uniforms: Floats) -> Ints:
    """Option of each row by its probability."""
    if not len(rows.interval):
        return rows.interval
    draw = uniforms[rows.position, rows.draw % uniforms.shape[1]]
    above = np.cumsum(options.probability) - options.probability  # each interval adds 1
    chosen = np.searchsorted(above, rows.interval + draw, side="right") - 1
    last: Ints = np.clip(
        chosen, options.offsets[rows.interval], options.offsets[rows.interval + 1] - 1
    )
    return last


def _move(
    rows: _Rows, X: IntervalSequences, unsure: Uncertainty, number: int, seed: int
) -> tuple[Floats, Floats]:
    """Start and end of each row, drawn by their errors."""
    start, end = X.start[rows.interval], X.end[rows.interval]
    open_end = unsure.unknown_end
    if not ((unsure.start_error > 0) | (unsure.end_error > 0)).any():
        return start, end
    error = np.concatenate([unsure.start_error, np.where(open_end, 0.0, unsure.end_error)])
    rank = _rank_instants(np.tile(X.owner, 2), np.concatenate([X.start, X.end]), error)
    normal = ndtri(_uniforms(int(rank.max()) + 1, number, seed, 1))
    draw = rows.draw % number
    first, last = rows.interval, rows.interval + len(X.action)
    moved = start + error[first] * normal[rank[first], draw]
    until = end + error[last] * normal[rank[last], draw]
    if open_end.any():
        part = 1 - _uniforms(X.lengths.max(), number, seed, 2)[rows.position, draw]
        until = np.where(open_end[first], moved + part * (end - moved), until)
    swapped = ~(moved < until)
    return np.where(swapped, start, moved), np.where(swapped, end, until)


def _rank_instants(owner: Ints, time: Floats, error: Floats) -> Ints:
    """(points,) rank of each end point among the distinct (time, error) of its instance."""
    order = np.lexsort((error, time, owner))
    changes = [np.diff(column[order], prepend=np.nan) != 0 for column in (owner, time, error)]
    number = np.cumsum(np.any(changes, axis=0))
    first = np.concatenate([[0], np.flatnonzero(np.diff(owner[order])) + 1])
    begin = np.zeros(int(owner.max(initial=0)) + 1, np.int64)
    begin[owner[order][first]] = number[first]
    rank = np.empty(len(owner), np.int64)
    rank[order] = number - begin[owner[order]]
    return rank


def _build(
    X: IntervalSequences, rows: _Rows, action: Codes, start: Floats, end: Floats, offsets: Ints
) -> IntervalSequences:
    """All worlds as instances; intervals that are not there are left out."""
    kept = action >= 0
    world, action, start, end = rows.world[kept], action[kept], start[kept], end[kept]
    lengths = np.bincount(world, minlength=offsets[-1])
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    order = order_intervals(world, start, end, action)
    return IntervalSequences.from_flat(
        Flat(bounds, action, start, end).take(order, bounds), X.actions
    )


def occurring_actions(X: IntervalSequences) -> Codes:
    """Codes of the actions that intervals have, or may have.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5)]])
    >>> unsure = X.with_uncertainty(alternatives=[{"pour": 0.7, "stir": 0.3}, {}])
    >>> occurring_actions(unsure[:1]).tolist()
    [0, 1]
    """
    alternatives = X.action[:0] if X.uncertainty is None else X.uncertainty.alternative
    return np.unique(np.concatenate([X.action, alternatives]))


def likeliest_world(X: IntervalSequences) -> IntervalSequences:
    """Each instance as it most likely is: without uncertainty.

    An interval is there if no other option is likelier; an unknown end is taken as it is given.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5)]])
    >>> unsure = X.with_uncertainty(confidence=[1, 0.75])
    >>> likeliest_world(unsure) == X
    True
    """
    unsure = X.uncertainty
    if unsure is None:
        return X
    options = Options.of(X, unsure)
    owner = np.repeat(np.arange(len(X.action)), np.diff(options.offsets))
    earlier = -np.arange(len(owner))  # of options that are equally likely, the first
    best = np.lexsort((earlier, options.probability, owner))[options.offsets[1:] - 1]
    action = options.action[best]
    kept = action >= 0
    crisp = IntervalSequences.from_flat(
        X.flat._replace(uncertainty=None), X.actions, X.ids, X.groups, X.provenance
    )
    return rebuild(crisp, np.where(kept, action, 0), X.start, X.end, kept)


def average_worlds(scores: Floats, worlds: Worlds) -> Floats:
    """(n, ..., activities) scores of instances from those of their worlds.

    Parameters
    ----------
    scores : (worlds, ..., activities) log P(world | activity), with the prior or without
    worlds : what was scored

    Notes
    -----
    Among worlds with equally many intervals, the log of the mean of P(world | activity). Worlds
    with other numbers have densities in other units, which cannot be added: over these, the mean
    of the probability of the activity, on the scale of the mean score. So a unit of time changes
    nothing, and one world keeps its scores.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5)]])
    >>> unsure = X.with_uncertainty(confidence=[1, 0.75])
    >>> scores = np.log([[0.2, 0.4], [0.5, 0.5]])  # of two worlds under two activities
    >>> average_worlds(scores, draw_worlds(unsure)).round(2)
    array([[-1.36, -0.85]])
    """
    instance = np.repeat(np.arange(len(worlds.offsets) - 1), np.diff(worlds.offsets))
    order = np.lexsort((worlds.X.lengths, instance))
    first = find_runs(instance[order], worlds.X.lengths[order])[:-1]
    chance = np.add.reduceat(worlds.probability[order], first)
    alike = _log_sums(scores[order], worlds.probability[order], first)
    alike -= _log(chance).reshape(-1, *(1,) * (scores.ndim - 1))
    begin = find_runs(instance[order][first])[:-1]
    shared = logsumexp(alike, axis=-1, keepdims=True)
    shared = np.where(np.isfinite(shared), shared, 0.0)  # where no activity can be
    level = np.add.reduceat(chance.reshape(-1, *(1,) * (scores.ndim - 1)) * shared, begin, axis=0)
    averaged: Floats = _log_sums(alike - shared, chance, begin) + level
    return averaged


def _log_sums(logs: Floats, weight: Floats, begin: Ints) -> Floats:
    """Log of the weighted sum of exp(logs) over each run of rows that begins at `begin`."""
    weighted = logs + _log(weight).reshape(-1, *(1,) * (logs.ndim - 1))
    highest = np.maximum.reduceat(weighted, begin, axis=0)
    highest = np.where(np.isfinite(highest), highest, 0.0)
    spread = np.repeat(highest, np.diff([*begin, len(logs)]), axis=0)
    sums: Floats = _log(np.add.reduceat(np.exp(weighted - spread), begin, axis=0)) + highest
    return sums


def _log(values: Floats) -> Floats:
    """Log without a warning for 0."""
    logs: Floats = np.log(values, out=np.full(values.shape, -np.inf), where=values > 0)
    return logs


def score_worlds(
    score: Callable[[IntervalSequences], Floats],
    X: IntervalSequences,
    horizon: int | None = None,
) -> Floats:
    """(n, ..., activities) what `score` says about crisp instances, for uncertain ones.

    Instances without uncertainty are scored as they are. An uncertain one costs as much as its
    worlds, at most 32 crisp instances. Where `score` looks at pairs within a horizon only, pieces
    that are scored together are larger.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5)]])
    >>> unsure = X.with_uncertainty(confidence=[1, 0.75])
    >>> count = score_worlds(lambda worlds: -worlds.lengths[:, None] * np.ones(2), unsure)
    >>> count.round(2)
    array([[-1.75, -1.75]])
    """
    if X.uncertainty is None:
        runs = cut(X, horizon)
        if len(runs) == 1:
            return score(X)
        return np.concatenate(list(map_in_order(score, (X[run] for run in runs))))
    size = np.cumsum(np.maximum(X.lengths, 1)) * NUMBER // AT_ONCE
    edges = [0, *(np.flatnonzero(np.diff(size)) + 1).tolist(), len(X)]
    parts = []
    for first, last in pairwise(edges):
        worlds = draw_worlds(X[first:last])
        scores = score(worlds.X)
        parts.append(average_worlds(scores, worlds) if len(scores) else scores)
    return np.concatenate(parts)
