"""What files hold that reading can choose from: tiers, subjects, variables, columns.

`ibgn inspect` shows it. For every format the tracks or columns come from what was read; a format
whose files know more says so with `@reader(..., outline=function)`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from ibgn.errors import Option

if TYPE_CHECKING:
    from ibgn.io.annotations import Recording
    from ibgn.io.longframe import LongFrame

__all__ = [
    "Entry",
    "Outline",
    "TierOutline",
    "covering_tracks",
    "outline_frame",
    "outline_recordings",
]

EXAMPLES = 5  # values that are shown
MOST_TRACKS = 1000  # of a recording; where it has more, none of them names activities
COVERED = 0.8  # share of the annotations of other tracks that lie within those of an activity


class Entry(NamedTuple):
    """One thing in files that reading can choose: a tier, a subject, a variable, a column.

    Parameters
    ----------
    kind : "track", "tier", "subject", "variable", "column", "choice", ..., as users call it
    name : what it is called in the files
    number : how many intervals, or values, it has
    values : its most frequent values, the first few
    distinct : how many different values it has
    chosen_by : option that reads it, such as Option("activity", "variable:meal"); None where it
        is read anyway
    about : what else the files say of it, such as the type of a tier

    Examples
    --------
    >>> entry = Entry("tier", "left hand", 12, values=("hold", "pour"), distinct=2)
    >>> entry.kind, entry.name, entry.values[0]
    ('tier', 'left hand', 'hold')
    """

    kind: str
    name: str
    number: int
    values: tuple[str, ...] = ()
    distinct: int = 0
    chosen_by: Option | None = None
    about: str = ""

    @classmethod
    def of(
        cls, kind: str, name: str, values: Iterable[Any], chosen_by: Option | None = None
    ) -> "Entry":
        """Entry with these values, one per interval or recording; blank ones do not count.

        Examples
        --------
        >>> Entry.of("tier", "hands", ["reach", "grasp", "reach", ""])
        Entry(kind='tier', name='hands', number=3, values=('reach', 'grasp'), distinct=2, \
chosen_by=None, about='')
        """
        counts = Counter(text for value in values if (text := str(value).strip()))
        common = tuple(value for value, _ in counts.most_common(EXAMPLES))
        return cls(kind, name, counts.total(), common, len(counts), chosen_by)


class TierOutline:
    """Tiers of one or several files, joined by their names, also those without annotations.

    Examples
    --------
    >>> tiers = TierOutline()
    >>> tiers.add("hands", ["reach", "grasp"], annotator="Ann")
    >>> tiers.add("hands", ["wave"], annotator="Bob")
    >>> tiers.add("notes", [])
    >>> [(entry.name, entry.number, entry.about) for entry in tiers.entries()]
    [('hands', 3, 'annotator Ann, Bob'), ('notes', 0, 'empty')]
    """

    def __init__(self) -> None:
        self._values: dict[str, list[str]] = {}
        self._about: dict[str, dict[str, list[str]]] = {}

    def add(self, name: str, values: Iterable[str], **about: str | None) -> None:
        """Add a tier of a file: the values of its annotations, and what the file says of it."""
        self._values.setdefault(name, []).extend(values)
        known = self._about.setdefault(name, {})
        for topic, text in about.items():
            if text is not None and text not in known.setdefault(topic, []):
                known[topic].append(text)

    def entries(self) -> Iterator[Entry]:
        """All tiers, those without annotations last."""
        for name, values in sorted(self._values.items(), key=lambda item: not item[1]):
            entry = Entry.of("tier", name, values, Option("tracks", [name]) if values else None)
            about = [] if values else ["empty"]
            for topic, texts in self._about[name].items():
                more = ["..."] if len(texts) > EXAMPLES else []
                about.append(f"{topic} {', '.join(texts[:EXAMPLES] + more)}".strip())
            # an annotation without a value is one too
            yield entry._replace(number=len(values), about="; ".join(about))


# takes `Files` and those of the options of the reader that it names, and reads leniently
Outline = Callable[..., Iterable[Entry]]


def outline_recordings(recordings: "Iterable[Recording]") -> Iterator[Entry]:
    """Tracks of recordings, in the order in which they first appear."""
    values: dict[str, list[str]] = {}
    for recording in recordings:
        for annotation in recording.annotations:
            values.setdefault(annotation.track, []).append(annotation.value)
    for name, each in values.items():
        # an annotation without a value is an interval too
        entry = Entry.of("track", name, each, Option("tracks", [name]))
        yield entry._replace(number=len(each))


def outline_frame(frame: "LongFrame") -> Iterator[Entry]:
    """Columns of a frame: ours with their values, and the names of those that are left out."""
    for name, column in frame.series.items():
        if name not in ("start", "end"):
            yield Entry.of("column", name, pd.Series(column).dropna())
    for name in frame.left_out:
        yield Entry("column left out", name, len(frame.series["instance"]))


def covering_tracks(recordings: "Iterable[Recording]") -> list[str]:
    """Tracks that could name activities, as most annotations of the others lie in theirs.

    They have fewer annotations than the others together, which start no earlier and end no later
    than one of theirs; the track that covers the most comes first.

    Examples
    --------
    >>> from ibgn.io import Annotation, Recording
    >>> notes = [("phase", "tea", 0, 9), ("phase", "soup", 9, 20), ("hands", "pour", 1, 3),
    ...          ("hands", "stir", 3, 8), ("hands", "cut", 10, 12)]
    >>> covering_tracks([Recording("r", [Annotation(*note, "") for note in notes])])
    ['phase']
    """
    inside: Counter[str] = Counter()
    others: Counter[str] = Counter()
    number: Counter[str] = Counter()
    for recording in recordings:
        starts, ends = (np.array([a[k] for a in recording.annotations], float) for k in (2, 3))
        tracks = np.array([a.track for a in recording.annotations])
        names, codes = np.unique(tracks, return_inverse=True)
        if len(names) > MOST_TRACKS:
            continue
        for code, name in enumerate(names.tolist()):
            mine = codes == code
            order = np.argsort(starts[mine])
            begin, reach = starts[mine][order], np.maximum.accumulate(ends[mine][order])
            last = np.searchsorted(begin, starts[~mine], side="right") - 1
            within = (last >= 0) & (ends[~mine] <= reach[last])
            inside[name] += int(within.sum())
            others[name] += len(within)
            number[name] += int(mine.sum())
    share = {
        name: inside[name] / others[name] for name in others if others[name] > number[name] > 1
    }
    return sorted((name for name in share if share[name] >= COVERED), key=lambda n: -share[n])
