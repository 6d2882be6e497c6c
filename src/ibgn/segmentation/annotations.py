"""Streams and the activities in them: which intervals belong to which activity.

Intervals are in the order of their starts, and each belongs to the activity in which it starts,
with all of its duration. So an action that lasts across a cut, like a radio or the last action of
an activity that overlaps the next, counts once, and activities are runs of intervals.
"""

import warnings
from typing import NamedTuple

import numpy as np

from ibgn._arrays import Floats, Ints, Objects
from ibgn.errors import DataError, DataWarning
from ibgn.intervals import IntervalSequences, as_sequences
from ibgn.networks import Sequences
from ibgn.recoding import rebuild
from ibgn.text import quote

__all__ = ["AnnotatedStreams", "annotate", "cut_activities", "split_track", "take_runs"]


class AnnotatedStreams(NamedTuple):
    """Streams, and runs of their intervals that are an activity each, in their order.

    Parameters
    ----------
    X : streams
    stream : (runs,) number of the stream of each run
    first, last : (runs,) places of its first interval in the stream and of the one after its last
    label : (runs,) code of its activity
    until : (runs,) when its activity ends
    activities : names of the activities
    """

    X: IntervalSequences
    stream: Ints
    first: Ints
    last: Ints
    label: Ints
    until: Floats
    activities: tuple[str, ...]

    @property
    def instances(self) -> IntervalSequences:
        """All runs, as instances."""
        begin = self.X.offsets[self.stream]
        return take_runs(self.X, begin + self.first, begin + self.last)

    def take(self, chosen: Ints) -> "AnnotatedStreams":
        """Some of the streams, in ascending order."""
        kept = np.isin(self.stream, chosen)
        stream = np.searchsorted(chosen, self.stream[kept])
        return self._replace(
            X=self.X[chosen],
            stream=stream,
            first=self.first[kept],
            last=self.last[kept],
            label=self.label[kept],
            until=self.until[kept],
        )

    def cut(self, number: int) -> "AnnotatedStreams":
        """The same in at least so many streams, if that leaves activities whole.

        The parts of a stream have about equally many intervals, and end between activities.
        """
        each = -(-number // max(len(self.X), 1))
        even = self.X.offsets[:-1, None] + np.arange(each) * self.X.lengths[:, None] // each
        first = np.unique(even[self.X.lengths > 0])
        begin, end = (self.X.offsets[self.stream] + place for place in (self.first, self.last))
        if len(begin):  # what is within an activity goes to its begin
            run = np.maximum(np.searchsorted(begin, first, "right") - 1, 0)
            within = (begin[run] <= first) & (first < end[run])
            first = np.unique(np.where(within, begin[run], first))
        stream = np.searchsorted(first, begin, "right") - 1
        last = np.append(first[1:], len(self.X.action))
        shift = begin - first[stream] - self.first
        return self._replace(
            X=take_runs(self.X, first, last),
            stream=stream,
            first=self.first + shift,
            last=self.last + shift,
        )

    def find_lasting(self) -> tuple[str, ...]:
        """Actions, sorted, that mostly go on after the activity in which they start."""
        done = self.instances
        later = done.end > self.until[done.owner]
        size = len(self.X.actions)
        outlasting = np.bincount(done.action, later, size)
        share = outlasting / np.maximum(np.bincount(done.action, minlength=size), 1)
        return tuple(np.array([*self.X.actions, ""], object)[:-1][share > 0.5].tolist())


def annotate(X: Sequences, activities: Sequences) -> AnnotatedStreams:
    """Find which intervals of streams belong to which activity.

    Parameters
    ----------
    X : streams
    activities : for each stream, its activities as intervals that do not overlap
    """
    X, activities = as_sequences(X), as_sequences(activities)
    if len(X) != len(activities):
        raise DataError(
            f"there are {len(X)} streams and {len(activities)} lists of activities; give one "
            "list for each stream, empty where nothing was done"
        )
    first, last = np.zeros((2, len(activities.action)), np.int64)
    for d, (stream, done) in enumerate(zip(X, activities, strict=True)):
        early = done.start[1:] < done.end[:-1]
        if early.any():
            n = int(early.argmax())
            one, two = (quote(activities.actions[code]) for code in done.action[n : n + 2])
            raise DataError(
                f"activities of stream {quote(X._names()[d])} overlap: {two} starts at "
                f"{done.start[n + 1]:g}, before {one} ends; cut one of them"
            )
        own = slice(*activities.offsets[d : d + 2])
        first[own], last[own] = (np.searchsorted(stream.start, t) for t in (done.start, done.end))
    kept = first < last
    if not kept.all():
        text = f"{(~kept).sum()} of {len(kept)} activities are left out, as no action starts there"
        warnings.warn(DataWarning(text), stacklevel=3)
    owner, label = activities.owner[kept], activities.action[kept].astype(np.int64)
    until = activities.end[kept]
    return AnnotatedStreams(X, owner, first[kept], last[kept], label, until, activities.actions)


def split_track(X: Sequences, track: str) -> tuple[IntervalSequences, IntervalSequences]:
    """Separate the activities, annotated on one track of the recordings, from the actions.

    Parameters
    ----------
    X : recordings, read with all of their tracks
    track : name of the tier, subject or column that holds the activities

    Returns
    -------
    streams : the intervals of other tracks
    activities : the intervals of that track

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from ibgn import read_csv
    >>> file = pathlib.Path(tempfile.mkdtemp(), "day.csv")
    >>> rows = ["instance,action,start,end,track", "d,boil,5,9,hands", "d,tea,4,9,phase"]
    >>> _ = file.write_text(chr(10).join(rows))
    >>> streams, activities = split_track(read_csv(file)[0], "phase")
    >>> streams.to_lists(), activities.to_lists()
    ([[('boil', 5.0, 9.0)]], [[('tea', 4.0, 9.0)]])
    """
    X = as_sequences(X)
    tracks = np.full(len(X.action), "", object) if X.track is None else X.track
    chosen = tracks == track
    if not chosen.any():
        known = ", ".join(quote(name) for name in sorted({*tracks} - {""})[:20]) or "none"
        raise DataError(f"there is no track {quote(track)}; there are {known}")
    streams, activities = (rebuild(X, X.action, X.start, X.end, kept) for kept in (~chosen, chosen))
    return streams, activities


def cut_activities(X: Sequences, activities: Sequences) -> tuple[IntervalSequences, Objects]:
    """Cut streams into instances, one for each activity.

    An interval belongs to the activity in which it starts; others are left out.

    Parameters
    ----------
    X : streams
    activities : for each stream, its activities as intervals that do not overlap

    Returns
    -------
    instances : of all activities, named by stream and number; the instances of a stream form a
        group, unless streams have groups
    y : (n,) names of the activities

    Examples
    --------
    >>> day = [("radio", 0, 99), ("boil", 5, 9), ("pour", 8, 10), ("grind", 20, 24)]
    >>> done = [("tea", 5, 11), ("coffee", 20, 30)]
    >>> instances, y = cut_activities([day], [done])
    >>> instances.to_lists()[0], y.tolist()
    ([('boil', 5.0, 9.0), ('pour', 8.0, 10.0)], ['tea', 'coffee'])
    """
    streams = annotate(X, activities)
    X, owner = streams.X, streams.stream
    names = np.array([*X._names(), ""], object)[:-1]
    number = np.arange(len(owner)) - np.searchsorted(owner, owner) + 1
    ids = [f"{name}#{n}" for name, n in zip(names[owner], number, strict=True)]
    groups = (names if X.groups is None else X.groups)[owner]
    flat = streams.instances.flat
    y = np.array([*streams.activities, ""], object)[streams.label]
    return IntervalSequences.from_flat(flat, X.actions, ids, groups, X.provenance), y


def take_runs(X: IntervalSequences, first: Ints, last: Ints) -> IntervalSequences:
    """Runs of intervals as instances, each from its first place in X to before its last."""
    lengths = last - first
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    rows = np.repeat(first - offsets[:-1], lengths) + np.arange(offsets[-1])
    return IntervalSequences.from_flat(X.flat.take(rows, offsets), X.actions)
