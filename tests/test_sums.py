"""Sums that come out the same to the last bit, whoever adds up which parts."""

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgn import pieces
from ibgn.sources import InstanceSource
from ibgn.sums import Extent, PieceSums, TreeSum
from strategies import sequences


class Shown:
    """A sum that shows the order of adding."""

    def __init__(self, text):
        self.text = text

    def __add__(self, other):
        return Shown(f"({self.text} {other.text})")


def total(values):
    tree = TreeSum()
    for number, text in values:
        tree.add(number, Shown(text))
    return None if tree.total() is None else tree.total().text


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([], None),
        ([5], "5"),
        ([0, 1, 2, 3, 4], "(((0 1) (2 3)) 4)"),
        ([0, 1, 2, 4, 6, 7], "(((0 1) 2) (4 (6 7)))"),
        ([3, 4, 100], "((3 4) 100)"),
    ],
)
def test_values_are_added_up_in_blocks(numbers, expected):
    assert total((number, str(number)) for number in numbers) == expected


class Cut(InstanceSource):
    """Instances in parts."""

    def __init__(self, X, edges):
        self.X, self.edges = X, edges

    def parts(self):
        for begin, stop in zip(self.edges, self.edges[1:], strict=False):
            yield self.X[begin:stop], np.arange(begin, stop)


@given(st.data(), sequences(most=12), st.sampled_from([1, 5, 40]))
def test_parts_are_joined_in_any_order_of_time(data, X, size):
    """And the sum is that of the whole, to the order in which fractions are added."""
    inner = data.draw(st.lists(st.integers(0, len(X)), max_size=5))
    edges = [0, *sorted(inner), len(X)]  # some parts have no instances
    before, pieces.SIZE = pieces.SIZE, size
    try:

        def show(first, X, numbers):
            assert first == (numbers[0] if len(numbers) else 0)
            return Shown(",".join(map(str, numbers.tolist())))

        source = Cut(X, edges)
        whole = Cut(X, [0, len(X)]).sum_pieces(show)
        parts = list(source.parts())
        sums = PieceSums(show, [Extent.of(part) for part, _ in parts])
        found = [sums.of(number, *part) for number, part in enumerate(parts)]
        while len(found) > 1:
            place = data.draw(st.integers(0, len(found) - 2))
            found[place : place + 2] = [sums.join(*found[place : place + 2])]
        joined = sums.total(found[0])
        again = source.sum_pieces(show)
    finally:
        pieces.SIZE = before
    texts = [None if shown is None else shown.text for shown in (whole, joined, again)]
    assert texts == [texts[0]] * 3


def test_fractions_depend_on_the_order_of_adding():
    """The control: without it, there would be nothing to show."""
    values = [0.1, 0.2, 0.3, 0.4, 1e16, -1e16]
    # one by one: from Python 3.12 on, sum keeps what rounding takes away
    assert reduce(add, values) != reduce(add, reversed(values))
