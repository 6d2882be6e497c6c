"""What Hypothesis draws: instances whose end points often coincide, structures, networks, seats."""

import numpy as np
from hypothesis import strategies as st

from ibgn import IntervalSequences, Structure
from ibgn._kernels.pairs import EVERY

ACTIONS = ("drink", "grasp", "pour", "reach")


@st.composite
def intervals(draw, largest=12):
    start = draw(st.integers(0, largest - 1))
    return float(start), float(draw(st.integers(start + 1, largest)))


def instances(longest=8, largest=12):
    row = st.tuples(st.sampled_from(ACTIONS), intervals(largest)).map(lambda r: (r[0], *r[1]))
    return st.lists(row, max_size=longest)


def sequences(least=0, most=4, longest=8):
    return st.lists(instances(longest), min_size=least, max_size=most).map(
        IntervalSequences.from_lists
    )


HORIZONS = st.one_of(st.integers(1, 6), st.just(EVERY))


@st.composite
def structures(draw, most=8):
    size = draw(st.integers(0, most))
    pairs = [(i, j) for j in range(size) for i in range(j)]
    links = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    return Structure(links, size, draw(st.sampled_from(["none", "chain", "full"])))


SETS = st.integers(1, 127)


@st.composite
def networks(draw, least=0, most=6, masks=SETS):
    """A (k, k) array of relation sets; many pairs are left open."""
    k = draw(st.integers(least, most))
    network = np.zeros((k, k), np.uint8)
    for i in range(k):
        for j in range(i + 1, k):
            network[i, j] = draw(st.one_of(st.just(127), masks))
    return network


@st.composite
def states(draw, most=4, longest=5):
    """Instances with a seat for every node, a concentration and a prior over actions.

    Returns (X, seat, concentration, prior); instances without intervals are among them.
    """
    X = draw(sequences(most=most, longest=longest))
    seat = []
    for k in X.lengths:
        mine = []
        for _ in range(k):
            mine.append(draw(st.integers(0, max(mine, default=-1) + 1)))
        seat += mine
    positive = st.floats(0.05, 5)
    prior = draw(st.lists(positive, min_size=len(X.actions), max_size=len(X.actions)))
    return X, np.array(seat, np.int64), draw(positive), np.array(prior, np.float64)


@st.composite
def one_track(draw):
    """Intervals of one track that do not overlap; of those that meet, actions differ."""
    rows, time, last = [], 0, None
    for _ in range(draw(st.integers(0, 6))):
        pause = draw(st.integers(0, 3))
        names = [name for name in ("pour milk", "stir", "wash") if pause or name != last]
        last = draw(st.sampled_from(names))
        start = time + pause
        time = start + draw(st.integers(1, 5))
        rows.append((last, float(start), float(time)))
    return rows


@st.composite
def tracked_instances(draw):
    """Instances in which actions overlap each other, but none itself."""
    tracks = st.lists(one_track(), min_size=1, max_size=3)
    drawn = draw(st.lists(tracks, min_size=1, max_size=3))
    return [
        sorted(
            [(f"{n} {a}", s, e) for n, rows in enumerate(tracks) for a, s, e in rows],
            key=lambda row: (row[1], row[2], row[0]),
        )
        for tracks in drawn
    ]


def as_events(rows):
    """Events of intervals, at the same time those that stop first."""
    events = [(start, 1, action, "ON") for action, start, _ in rows]
    events += [(end, 0, action, "OFF") for action, _, end in rows]
    return [(time, action, state) for time, _, action, state in sorted(events)]
