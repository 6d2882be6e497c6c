"""How long chains must run: test vectors of Raftery and Lewis, and chains of known worth."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import norm

from ibgn.terms.diagnostics import (
    effective_sample_size,
    minimum_length,
    potential_scale_reduction,
    raftery_lewis,
)


def noise(length=5000):
    """Normal numbers from a linear congruential generator: the same on every machine."""
    x, values = 12345, []
    for _ in range(length):
        x = (1103515245 * x + 12345) % 2**31
        values.append((x + 0.5) / 2**31)
    return norm.ppf(values)


def autoregressive(steps, memory, start=0.0):
    """y <- memory y + sqrt(1 - memory^2) e, which keeps the variance of e."""
    values, y = [], start
    for e in steps:
        y = memory * y + math.sqrt(1 - memory**2) * e
        values.append(y)
    return np.array(values)


def test_vector_of_independent_draws():
    found = raftery_lewis(noise())
    assert (found.burn_in, found.total, found.thin) == (2, 3680, 1)
    assert round(found.dependence_factor, 3) == 0.982 == round(3680 / 3746, 3)
    assert found.enough


def test_vector_of_dependent_draws():
    found = raftery_lewis(autoregressive(noise(), 0.8))
    assert (found.burn_in, found.total, found.thin) == (10, 11706, 2)
    assert round(found.dependence_factor, 3) == 3.125


@pytest.mark.parametrize(
    ("options", "length"),
    [
        ({}, 3746),
        ({"r": 0.01}, 937),
        ({"r": 0.0125}, 600),
        ({"q": 0.5, "r": 0.025}, 1537),
    ],
)
def test_minimum_length(options, length):
    assert minimum_length(**options) == length
    assert raftery_lewis(noise(), **options).minimum == length


def test_a_looser_demand_needs_less():
    loose, strict = raftery_lewis(noise(), r=0.01), raftery_lewis(noise())
    assert loose.keep < strict.keep
    assert loose.burn_in == strict.burn_in


@pytest.mark.parametrize("length", [0, 1, 2, 3, 100, 3746, 5000])
def test_a_constant_trace_needs_nothing(length):
    found = raftery_lewis(np.full(length, -12.5))
    assert (found.burn_in, found.keep, found.thin) == (0, 3746, 1)
    assert found.enough == (length >= 3746)


@pytest.mark.parametrize("length", [0, 1, 2, 4, 5, 10, 50, 3745])
def test_a_short_trace_gives_a_guess_and_says_so(length):
    found = raftery_lewis(noise(length))
    assert not found.enough
    assert found.burn_in >= 0
    assert found.keep >= 1
    assert found.thin >= 1
    assert found.minimum == 3746


def test_steps_that_forget_the_last_one_need_no_burn_in():
    """a + b = 1: below the median half of the time, whatever the step before was."""
    # every three steps in a row as often as any other (a de Bruijn cycle), and back to the first
    low = np.append(np.tile([0, 0, 0, 1, 0, 1, 1, 1], 500), 0)
    found = raftery_lewis(low, q=0.4, r=0.02)
    assert (found.burn_in, found.thin) == (0, 1)


@pytest.mark.parametrize("length", [3, 4, 5, 100, 5000])
def test_a_trace_that_alternates(length):
    """a + b = 2: the chain never forgets where it began."""
    found = raftery_lewis(np.arange(length) % 2)
    assert found.burn_in >= 0
    assert not found.enough


def test_a_trace_that_drifts_is_not_enough_or_asks_for_more():
    found = raftery_lewis(np.arange(5000.0))
    assert not found.enough or found.dependence_factor > 5


@example([1, 0, 0, 1, 1, 0], 0.025)  # alternates once it is thinned
@given(st.lists(st.integers(0, 3), max_size=60), st.sampled_from([0.025, 0.5]))
def test_every_trace_has_an_answer(trace, q):
    found = raftery_lewis(trace, q=q)
    assert found.burn_in >= 0
    assert found.keep >= 1
    assert found.total == found.burn_in + found.keep
    assert 1 <= found.thin <= max(1, len(trace))


@pytest.mark.parametrize("trace", [[[1.0, 2.0]], [1.0, np.nan, 2.0], [np.inf, 1.0, 2.0]])
def test_a_trace_is_one_finite_number_a_step(trace):
    with pytest.raises(ValueError, match="one finite number per step"):
        raftery_lewis(trace)


# effective sample size and R-hat


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
@pytest.mark.statistical(false_alarm=1e-8)
def test_effective_sample_size_of_an_autoregressive_chain(memory, rng):
    """Known: N (1 - memory) / (1 + memory); over seeds it spreads by 5 % at most."""
    traces = [autoregressive(rng.normal(size=20_000), memory, rng.normal()) for _ in range(4)]
    known = 80_000 * (1 - memory) / (1 + memory)
    assert 0.65 < effective_sample_size(traces) / known < 1.5


def test_effective_sample_size_of_what_cannot_be_estimated():
    assert effective_sample_size(np.ones((2, 50))) == 100
    assert effective_sample_size([1.0, 2.0, 3.0]) == 3
    assert effective_sample_size(np.arange(100.0)) < 20


@pytest.mark.statistical(false_alarm=1e-9)
def test_chains_that_agree(rng):
    """1.02 would be a chi-square above 280 between 8 halves of chains."""
    assert potential_scale_reduction(rng.normal(size=(4, 2000))) < 1.02


@pytest.mark.parametrize("apart", [1.0, 5.0])
@pytest.mark.statistical(false_alarm=1e-9)
def test_control_chains_with_different_means(apart, rng):
    """R-hat is 1.1 and more; for less the means, of 0.03 each, would be off by ten errors."""
    traces = rng.normal(np.array([[0.0], [apart]]), size=(2, 1000))
    assert potential_scale_reduction(traces) > 1.05


@pytest.mark.statistical(false_alarm=1e-9)
def test_the_halves_of_a_single_chain(rng):
    """1.05 would be a chi-square above 90 between 4 quarters; a drift of 2 gives 1.1 and more."""
    values = rng.normal(size=2000)
    assert potential_scale_reduction(values) < 1.05
    assert potential_scale_reduction(values + np.linspace(0, 2, 2000)) > 1.05


def test_rhat_of_what_cannot_be_estimated(rng):
    """Too few draws to tell are no sign of agreement; no answer is NaN."""
    assert potential_scale_reduction(rng.normal(size=(2, 3))) == math.inf
    assert potential_scale_reduction(rng.normal(size=7)) == math.inf
    assert math.isfinite(potential_scale_reduction(rng.normal(size=8)))
    for constant in (np.ones((3, 10)), np.ones(10)):
        assert potential_scale_reduction(constant) == 1.0


@pytest.mark.parametrize("chains", [1, 2, 4])
@pytest.mark.parametrize("draws", [0, 1, 3, 4, 8, 9])
def test_no_answer_is_nan(chains, draws, rng):
    some = rng.normal(size=(chains, draws))
    half = some.copy()
    half[0] = 0.0  # one chain that is stuck
    for traces in (some, half, np.zeros((chains, draws)), np.round(some)):
        assert not math.isnan(potential_scale_reduction(traces))
        assert not math.isnan(effective_sample_size(traces))


def test_chains_stuck_at_different_values_disagree():
    assert potential_scale_reduction([[1.0] * 10, [2.0] * 10]) > 1.05
