"""What tests of formats with tiers share: instances of odd names and times, damaged files."""

import string

from hypothesis import strategies as st

from ibgn import IntervalSequences

ODD_CHARACTERS = "\"'<>&!,;=[]{}()\\/\n\t\r äß漢字\u2028\ufeff😀\x7f\x85" + string.ascii_letters


def names(without=""):
    """Names as people and devils choose them; few are drawn often, so that actions repeat."""
    odd = st.text(
        st.one_of(
            st.sampled_from([c for c in ODD_CHARACTERS if c not in without]),
            st.characters(exclude_categories=["Cs"], exclude_characters=without),
        ),
        min_size=1,
        max_size=12,
    ).filter(str.strip)
    return st.one_of(
        st.sampled_from(["nod", "nod (2)", "nod (3)", "ibgn", "{}", '"', "]]>", "-->", "1"]), odd
    )


def times():
    return st.one_of(
        st.integers(-20, 20).map(float),
        st.integers(0, 5000).map(lambda ms: ms / 1000),
        st.floats(-1e3, 1e3),
        st.floats(0, 1e-2),
    )


@st.composite
def labelled(draw, names, most=3):
    """X with distinct ids and groups, and labels: as text, or numbers."""
    pool = draw(st.lists(names, min_size=1, max_size=3))
    row = st.tuples(st.sampled_from(pool), times(), times()).filter(lambda r: r[1] != r[2])
    origin = draw(st.sampled_from([0.0, 0.0, 1.7e9]))  # the day that computers count from
    row = row.map(lambda r: (r[0], *sorted(time + origin for time in r[1:])))
    row = row.filter(lambda r: r[1] < r[2])
    instances = draw(st.lists(st.lists(row, max_size=6), min_size=1, max_size=most))
    column = draw(st.sampled_from([names, st.integers(-5, 5), st.floats(-5, 5)]))
    ids = draw(st.lists(names, min_size=len(instances), max_size=len(instances), unique=True))
    y, groups = (
        draw(st.none() | st.lists(column, min_size=len(instances), max_size=len(instances)))
        for _ in range(2)
    )
    return IntervalSequences.from_lists(instances, ids=ids, groups=groups), y


def same(X, y, again, y_again):
    """Whether all came back; columns of numbers may come back as objects."""
    labels = (y is None) == (y_again is None) and (y is None or list(y) == list(y_again))
    return again == X and labels
