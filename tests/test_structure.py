import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgn import Structure
from strategies import structures


@given(structures(), st.integers(0, 11))
def test_mask_pairs_and_span_say_the_same(structure, length):
    linked = [p for p in itertools.combinations(range(length), 2) if structure.is_linked(*p)]
    assert structure.pairs(length) == linked
    assert structure.span(length) == max((j - i for i, j in linked), default=0)


def test_chain_and_full_are_rules():
    assert Structure.chain().pairs(3) == [(0, 1), (1, 2)]
    assert Structure.full().pairs(3) == [(0, 1), (0, 2), (1, 2)]
    assert Structure.of("full") == Structure.full()
    assert Structure.of([(0, 2), (0, 2)]).links == {(0, 2)}
    assert Structure.of(np.argwhere(Structure.chain().mask(3))).links == {(0, 1), (1, 2)}
    assert hash(Structure([(0, 1)])) == hash(Structure({(0, 1)}))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([(1, 1)],), r"got \(1, 1\)"),
        (([(-1, 1)],), r"got \(-1, 1\)"),
        (([(0, 4)], 3), "size=3 is too small: links reach position 4"),
        (((), 2.5), "size=2.5 must be a whole number"),
        (((), 0, "ring"), "choose among 'none', 'chain', 'full'"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        Structure(*arguments)
