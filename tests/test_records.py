"""Cleaning: closed ends, tolerance, zero length, duplicates."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgn import DataError, DataWarning, IntervalSequences, count_pairs
from ibgn.checks import as_number
from ibgn.cleaning import snap
from ibgn.errors import OptionError
from ibgn.text import quote
from strategies import instances


def read(rows, **options):
    return IntervalSequences.from_lists([rows], ids=["one"], **options).to_lists()[0]


@pytest.mark.parametrize(
    ("closed", "expected"),
    [("left", (3, 7)), ("both", (3, 8)), ("right", (4, 8)), ("neither", (4, 7))],
)
def test_closed_in_ticks(closed, expected):
    assert read([("a", 3, 7)], closed=closed) == [("a", *expected)]


def test_inclusive_intervals_meet():
    rows = [("a", 3, 7), ("b", 8, 9), ("c", 5, 5)]
    X = IntervalSequences.from_lists([rows], closed="both")
    assert count_pairs(X).relations["m"] == 1
    assert X.to_lists()[0] == [("a", 3, 8), ("c", 5, 6), ("b", 8, 10)]


@pytest.mark.parametrize("tick", [0.1, 0.04, 1 / 30, 1001 / 30000, 0.5, 7])
@pytest.mark.parametrize("closed", ["both", "right"])
def test_inclusive_ends_meet_whatever_the_tick(tick, closed):
    """Each interval ends one tick before the next starts; as floats, 0.1 + 0.2 is not 0.3."""
    shift = 1 if closed == "both" else 0
    rows = [("a", 3 * n * tick, (3 * n + 3 - shift) * tick) for n in range(100)]
    X = IntervalSequences.from_lists([rows], closed=closed, tick=tick)
    assert count_pairs(X, "chain").relations["m"] == 99


def test_other_ticks():
    assert read([("a", 0.5, 1.0)], closed="both", tick=0.5) == [("a", 0.5, 1.5)]
    with pytest.raises(DataError, match=r"whole ticks of 1; give the length of a tick"):
        read([("a", 0.5, 1.0)], closed="both")


def test_close_end_points_merge_to_one_that_was_recorded():
    rows = [("a", 0, 1.0), ("b", 1.02, 2.0), ("c", 1.04, 3.0)]
    assert read(rows, tolerance=0.05) == [("a", 0, 1.02), ("b", 1.02, 2.0), ("c", 1.02, 3.0)]
    assert read(rows, tolerance=0.01) == rows


def test_instances_are_snapped_apart():
    X = IntervalSequences.from_lists([[("a", 0, 1.0)], [("a", 1.01, 2)]], tolerance=0.1)
    assert X.to_lists() == [[("a", 0, 1.0)], [("a", 1.01, 2)]]


@given(instances(), st.integers(1, 4))
def test_snapping(rows, tolerance):
    """Snapped points were recorded, keep their order and distance; twice is once."""
    start, end = (np.array([row[i] for row in rows], float) for i in (1, 2))
    owner = np.zeros(len(rows), np.int64)
    before = np.concatenate([start, end])
    snapped = np.concatenate(snap(owner, start, end, tolerance))
    assert set(snapped) <= set(before)
    assert (np.diff(np.unique(snapped)) >= tolerance).all()
    order = np.argsort(before, kind="stable")
    assert (np.diff(snapped[order]) >= 0).all()
    again = np.concatenate(snap(owner, *np.split(snapped, 2), tolerance))
    np.testing.assert_array_equal(again, snapped)


@given(instances(longest=6), st.floats(0.01, 0.09))
def test_jitter_below_the_tolerance_changes_no_relation(rows, jitter):
    """Ends recorded early and starts recorded late are the same instants again after snapping."""
    noisy = [(a, s + jitter * i / len(rows), e) for i, (a, s, e) in enumerate(rows)]
    clean = IntervalSequences.from_lists([rows])
    snapped = IntervalSequences.from_lists([noisy], tolerance=0.1)
    assert count_pairs(snapped).relations == count_pairs(clean).relations


def test_jitter_without_a_tolerance_does_change_relations():
    met, missed = ([("a", 0, 1), ("b", 1 + jitter, 2)] for jitter in (0, 0.01))
    assert count_pairs([met]).relations != count_pairs([missed]).relations


def test_snapping_may_empty_an_interval_and_says_so():
    rows = [("a", 0, 2), ("b", 1.0, 1.05)]
    with pytest.raises(DataError, match=r"interval 1 of instance 'one'.*tolerance=0.1 .*smaller"):
        read(rows, tolerance=0.1)
    with pytest.warns(DataWarning, match=r"zero length, 1 of them emptied by tolerance=0.1 .first"):
        assert read(rows, tolerance=0.1, zero_length="drop") == [("a", 0, 2)]


def test_what_was_empty_before_is_not_blamed_on_the_tolerance():
    """Also if a row that repeats another is dropped before."""
    rows = [("a", 0, 2), ("a", 0, 2), ("b", 5, 5), ("c", 7.0, 7.05)]
    options = {"tolerance": 0.1, "duplicates": "drop"}
    with (
        pytest.warns(DataWarning, match="repeat another"),
        pytest.raises(DataError, match="interval 2 .* the interval has zero length; use"),
    ):
        read(rows, **options)
    with pytest.warns(DataWarning) as told:
        assert read(rows, **options, zero_length="drop") == [("a", 0, 2)]
    assert "dropped 2 intervals of zero length, 1 of them emptied by tol" in str(told[1].message)


def test_zero_length():
    rows = [("a", 0, 2), ("b", 1, 1)]
    with pytest.raises(DataError, match="zero_length='drop' or a min_duration=, or closed='both'"):
        read(rows)
    with pytest.raises(DataError, match=r"min_duration= \(start=1.5, end=1.5\)"):
        read([("b", 1.5, 1.5)])
    with pytest.warns(DataWarning, match="dropped 1 interval of zero length"):
        assert read(rows, zero_length="drop") == [("a", 0, 2)]
    assert read(rows, min_duration=0.5) == [("a", 0, 2), ("b", 1, 1.5)]
    assert read(rows, closed="both") == [("a", 0, 3), ("b", 1, 2)]


def test_many_whole_intervals_without_length_have_inclusive_ends():
    rows = [("a", 4, 4), ("a", 4, 5), ("b", 0, 0), ("b", 1, 1)]
    with pytest.raises(DataError, match="use closed='both' if ends are inclusive, or zero_length="):
        read(rows)
    with pytest.raises(DataError, match="zero_length='drop' or a min_duration=, or closed='both'"):
        read([("a", n, n) for n in range(5)])  # points


def test_duplicates_are_kept_or_dropped_with_a_count():
    rows = [("a", 0, 2), ("b", 0, 2), ("a", 0, 2), ("a", 0, 2)]
    assert len(read(rows)) == 4
    with pytest.warns(DataWarning, match="dropped 2 rows that repeat another exactly"):
        assert read(rows, duplicates="drop") == [("a", 0, 2), ("b", 0, 2)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", 2, 1)], r"ends before it starts; swap them or drop the row \(start=2, end=1\)"),
        ([("a", 2, 1)] * 3, r"\(2 more rows likewise\)"),
        ([("a", 2, 1)] * 2, r"\(1 more row likewise\)"),
        ([("a", float("nan"), 1)], "start is missing"),
        ([("a", 0, float("inf"))], "end is infinite"),
        ([("a", 0, 1e300)], "beyond 2\\^53"),
    ],
)
def test_bad_times(rows, message):
    with pytest.raises(DataError, match=message) as raised:
        read(rows)
    assert "interval 0 of instance 'one'" in str(raised.value)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"closed": "Both"}, "closed='Both' is not a choice; choose among 'left', 'right'"),
        ({"zero_length": None}, "choose among 'error', 'drop'"),
        ({"duplicates": "remove"}, "choose among 'keep', 'drop'"),
        ({"tolerance": -1}, "tolerance=-1 must be 0 or more"),
        ({"tolerance": "1"}, "tolerance='1' must be a finite number, 0 or more"),
        ({"min_duration": float("nan")}, "min_duration=nan must be a finite number"),
        ({"tick": 0}, "tick=0 must be positive"),
    ],
)
def test_bad_options(option, message):
    with pytest.raises(OptionError, match=message):
        read([("a", 0, 1)], **option)


@pytest.mark.parametrize("text", ["1", " -1.5 ", "+.5", "1.", "2e-3", "1E5"])
def test_numbers_as_text(text):
    assert as_number(text) == float(text)


@pytest.mark.parametrize("value", ["1_0", "0x1", "１", "1,5", "1e", "True", True, 1j, b"1", [1]])
def test_what_is_no_number(value):
    assert as_number(value) is None


def test_numbers_of_other_types():
    assert (
        as_number(np.float32(0.5)) == as_number(np.array(0.5)) == as_number(Decimal("0.5")) == 0.5
    )
    assert np.isnan([as_number(value) for value in (None, pd.NA, pd.NaT, "", "NaN")]).all()
    assert [as_number(value) for value in (10**400, -(10**400))] == [np.inf, -np.inf]
    assert as_number(np.datetime64("2020", "ns")) is None
    assert as_number(np.timedelta64(1, "s")) is None


def test_quotes_are_safe_and_short():
    assert quote("a\x1bb") == "'a\\x1bb'"
    assert len(quote("x" * 1000)) <= 60
