"""Tables of activities with many instances: chains converge on a part, the others are seated."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from ibgn import IBGNClassifier, IntervalSequences
from ibgn._kernels import nodes as kernels
from ibgn._kernels.compile import interruptible
from ibgn._kernels.generation import draw_nodes
from ibgn.classifiers.progress import Progress
from ibgn.flat import Flat
from ibgn.terms import action_sequences, seating, tables
from ibgn.terms.action_sequences import TableCounts
from ibgn.terms.base import Context
from ibgn.terms.seating import Sampling
from ibgn.terms.tables import Tables
from strategies import sequences, states

LENGTH, ACTIONS = 6, 8
QUICK = {"draws": 100, "budget": 400}


def draw_instances(number, rng, theta=None):
    """Instances whose actions come from tables that differ."""
    theta = rng.dirichlet(np.full(ACTIONS, 0.2), LENGTH) if theta is None else theta
    action = np.concatenate([draw_nodes(LENGTH, 1.0, theta, rng)[1] for _ in range(number)])
    start = np.tile(np.arange(LENGTH, dtype=float), number) + rng.random(number).repeat(LENGTH)
    flat = Flat(np.arange(number + 1) * LENGTH, action, start, start + 1)
    return IntervalSequences.from_flat(flat, [f"a{a}" for a in range(ACTIONS)])


def learn(X, seed=0, **options):
    term = Tables(**{**QUICK, **options})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        context = Context("it", X.actions, 0, np.random.default_rng(seed))
        return term.fit(term.count(X), None, context)


def same(one, two):
    return np.array_equal(one.action_probs, two.action_probs) and one.seated == two.seated


# the error, against the full run


def loss(X, new, full, monkeypatch, seated=10, **options):
    """Nats per held-out instance that an approximation loses."""
    monkeypatch.setattr(tables, "SEATED", seated)
    found = learn(X, **options)
    assert found.instances == len(X)
    return float((full.log_likelihood(new) - found.log_likelihood(new)).mean())


def test_little_is_lost_against_the_full_run(monkeypatch):
    """A fixed seed, as chains may settle elsewhere; what is broken on purpose loses far more."""
    rng = np.random.default_rng(3)
    theta = rng.dirichlet(np.full(ACTIONS, 0.2), LENGTH)
    X, new = draw_instances(400, rng, theta), draw_instances(600, rng, theta)
    full = learn(X, table_sample="all")
    assert (full.sampled, full.seated) == (400, 400)
    given = X, new, full, monkeypatch
    assert abs(loss(*given, table_sample=600)) < 0.03
    assert abs(loss(*given, table_sample="all")) == 0
    # control: a part that is far too small, and no others seated
    assert loss(*given, seated=1, table_sample=90) > 0.1

    def at_one_table(X, state, rng):  # control: others take seats whatever their actions
        return seating.initial_state(X, state.concentration, state.prior)

    monkeypatch.setattr(seating, "seat_others", at_one_table)
    monkeypatch.setattr(seating, "SWEEPS", 1)
    assert loss(*given, table_sample=600) > 0.1


@pytest.mark.parametrize("sampler", ["exact", "published"])
def test_small_activities_are_sampled_in_full(sampler, rng):
    X = draw_instances(30, rng)
    options = {"sampler": sampler, "draws": 20, "budget": 60}
    whole = learn(X, table_sample="all", **options)
    assert same(whole, learn(X, table_sample=len(X.action), **options))
    part = learn(X, table_sample=len(X.action) - 1, **options)
    assert not same(whole, part)
    assert (part.instances, part.seated, part.sampled) == (30, 30, 29)
    assert part.brief().endswith("converged on 29 of 30 instances")
    assert whole.brief().endswith("converged")


def test_what_is_left_out_is_said_and_the_longest_still_counts(rng, monkeypatch):
    monkeypatch.setattr(action_sequences, "LEAST", 2)
    monkeypatch.setattr(tables, "SEATED", 2)
    X = draw_instances(40, rng)
    long = IntervalSequences.from_lists([[("a1", t, t + 1) for t in range(9)]])
    X = IntervalSequences.concatenate([X, long])
    learned = learn(X, table_sample=30, draws=20, budget=60)
    assert (learned.instances, learned.sampled, learned.seated) == (41, 5, 10)
    assert learned.action_probs.shape == (9, ACTIONS)
    np.testing.assert_allclose(learned.action_probs.sum(axis=1), 1, rtol=1e-12)
    assert learned.shares.sum() == pytest.approx(1, abs=1e-12)


# seats


@given(states(), st.integers(0, 2**32 - 1))
def test_others_take_seats_and_the_first_keep_theirs(state, seed):
    X, seat, concentration, prior = state
    X = X[X.lengths > 0]
    few = len(X) // 2
    begin = seating.initial_state(X[:few], concentration, prior, seat[: X.offsets[few]])
    found = seating.seat_others(X, begin, np.random.default_rng(seed))
    np.testing.assert_array_equal(found.seat[: X.offsets[few]], begin.seat)
    counts, totals = kernels.count_tables(X.action, found.seat, *found.counts.shape)
    np.testing.assert_array_equal(found.counts, counts)
    np.testing.assert_array_equal(found.totals, totals)
    assert np.isfinite(seating.log_joint(X, found))  # tables are numbered as they open


@pytest.mark.parametrize("sampler", ["exact", "published"])
@pytest.mark.parametrize("thin", [1, 3])
def test_a_run_in_parts_is_the_same_run(sampler, thin, rng, monkeypatch):
    """So that it can be interrupted within half a second, however many instances there are."""
    X, sampling = draw_instances(5, rng), Sampling(sampler)
    state, sizes, run_sweeps = seating.start(X, sampling, 1, rng), [], seating.run_sweeps

    def watched(*arguments):
        sizes.append(arguments[-3])
        return run_sweeps(*arguments)

    monkeypatch.setattr(seating, "run_sweeps", watched)
    whole = seating.run(X, state, sampling, np.random.default_rng(1), 23, thin)
    assert sizes == [23]
    monkeypatch.setattr(seating, "WORK", 4 * len(X.action) + 1)
    parts = seating.run(X, state, sampling, np.random.default_rng(1), 23, thin)
    assert sizes[1:] == [4, 4, 4, 4, 4, 3]
    np.testing.assert_array_equal(parts.state.seat, whole.state.seat)
    np.testing.assert_array_equal(parts.traces, whole.traces)
    np.testing.assert_array_equal(parts.counts, whole.counts)
    np.testing.assert_allclose(parts.log_prior, whole.log_prior, rtol=1e-12)


# which instances


@given(sequences(least=1, most=9), st.integers(1, 12), st.integers(0, 8), st.booleans())
def test_what_is_kept_of_parts_is_what_is_kept_of_all(X, intervals, cut, turned):
    before, action_sequences.LEAST = action_sequences.LEAST, 2
    try:
        whole = TableCounts.of(X).least(intervals)
        parts = [TableCounts.of(X[:cut]).least(intervals), TableCounts.of(X[cut:]).least(intervals)]
        joined = TableCounts.join(parts[::-1] if turned else parts).least(intervals)
    finally:
        action_sequences.LEAST = before
    if len(set(TableCounts.of(X).numbers)) == len({*parts[0].numbers, *parts[1].numbers}):
        assert joined._sequences() == whole._sequences()
    assert (joined.instances, joined.longest) == (whole.instances, whole.longest)
    assert len(whole.action) <= intervals or len(whole.numbers) <= 2
    assert (np.diff(whole.numbers.astype(float)) >= 0).all()


def test_equal_instances_are_kept_in_proportion(rng):
    """Their contents alone would keep all of them, or none."""
    often = IntervalSequences.from_lists([[("a0", 0, 1)]] * 1000)
    others = IntervalSequences.from_lists([[("a1", 0, 1 + t)] for t in rng.random(1000)])
    kept = TableCounts.of(IntervalSequences.concatenate([often, others])).least(400)
    share = (kept.action == 0).mean()
    assert 0.3 < share < 0.7  # 400 draws: 8 standard errors


def test_the_number_of_jobs_changes_nothing(rng):
    X = IntervalSequences.concatenate([draw_instances(40, rng), draw_instances(40, rng)])
    y = np.repeat(["one", "two"], 40)
    options = {"terms": ("tables",), "table_sample": 60, "draws": 20, "budget": 60}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        one, two = (
            IBGNClassifier(random_state=0, n_jobs=n, **options).fit(X, y) for n in (None, 2)
        )
    for label in ("one", "two"):
        first, second = (model.activities_[label]["tables"] for model in (one, two))
        assert same(first, second)
        assert (first.instances, first.sampled) == (40, 10)


@pytest.mark.parametrize("value", [0, 1.5, True, "some", None])
def test_the_size_of_the_part_is_a_number_or_all(value):
    with pytest.raises(
        ValueError, match="table_sample=.* must be a whole number from 1 on, or 'all'"
    ):
        Sampling(table_sample=value)


# interruptions


def test_an_interruption_in_a_kernel_stays_one():
    """Numba makes it a SystemError where it hands a generator back."""
    with pytest.raises(KeyboardInterrupt), interruptible():
        raise SystemError("a result with an exception set") from KeyboardInterrupt()
    with pytest.raises(SystemError, match="other"), interruptible():
        raise SystemError("other")


def test_sampling_is_watched_and_can_be_stopped(rng, monkeypatch):
    X, done = draw_instances(20, rng), []
    counts, sampling = TableCounts.of(X), Sampling(draws=20, budget=60)
    monkeypatch.setattr(seating, "WORK", 5 * len(X.action))
    seating.sample_tables(counts, sampling, rng, counts.first(60), done.append)
    assert max(done) <= 2 * 5  # those of half of the instances are twice as quick
    assert 2 * 60 < sum(done) <= 2 * (60 + 60 + 60)  # chains on a part, then over all twice

    def stop(sweeps):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        seating.sample_tables(counts, sampling, rng, watch=stop)


def test_what_still_learns_is_stopped_after_an_error():
    with Progress(shown=False) as progress:
        progress.watch(3)
    progress.watch(3)
    with pytest.raises(ValueError, match="broken"), progress:
        raise ValueError("broken")
    with pytest.raises(KeyboardInterrupt):
        progress.watch(3)


def test_sweeps_are_shown_on_a_terminal(rng, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as if it were one
    X, options = draw_instances(12, rng), {"terms": ("tables",), "draws": 10, "budget": 40}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        IBGNClassifier(random_state=0, progress=True, **options).fit(X, np.repeat(["a", "b"], 6))
    assert "sweeps of tables" in capsys.readouterr().err
