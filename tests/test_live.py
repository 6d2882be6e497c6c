"""Recognising while it happens: after the last event as of the whole, before it by definition."""

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

import ibgn
import naive_densities
import naive_live
import naive_live_counts
import naive_live_durations
import naive_live_instants
import naive_live_order
import naive_live_relations
from ibgn import DataError, IBGNClassifier
from ibgn._kernels import densities
from ibgn.classifiers import DBNClassifier
from ibgn.datasets import make_relations
from ibgn.live import LiveRecogniser, recogniser
from ibgn.live.timeline import Timeline
from instance_events import (
    ACTIONS,
    as_events,
    draw_instances,
    duration_scores,
    follow,
    intervals_at,
    moments_between,
    total_scores,
)


def repickle(live):
    return pickle.loads(pickle.dumps(live))


@pytest.fixture(scope="module", params=[True, False], ids=["coarse", "fine"])
def taught(request):
    rng = np.random.default_rng(3)
    X = draw_instances(rng, 60, request.param)
    y = np.array(["tea", "coffee", "soup"])[rng.integers(0, 3, 60)]
    return IBGNClassifier(random_state=0).fit(X, y), X


def test_after_the_last_event_it_is_the_posterior_of_the_whole(taught):
    model, X = taught
    expected = model.predict_log_proba(X)
    for instance, logs in zip(X.to_lists(), expected, strict=True):
        live = LiveRecogniser(model)
        for event in as_events(instance):
            follow(live, event)
            live.posterior()
        np.testing.assert_allclose(live.log_posterior(), logs, rtol=0, atol=1e-9)


def test_how_often_it_is_asked_does_not_matter(taught):
    model, X = taught
    for instance in X.to_lists()[:10]:
        often, seldom = LiveRecogniser(model), LiveRecogniser(model)
        for event in as_events(instance):
            follow(often, event)
            follow(seldom, event)
            often.posterior()
        np.testing.assert_allclose(often.log_posterior(), seldom.log_posterior(), atol=1e-9)


TWINS = {
    "terms.counts.live_counts": naive_live_counts,
    "terms.durations.live_durations": naive_live_durations,
    "terms.order.live_order": naive_live_order,
    "terms.relations.live_relations": naive_live_relations,
    "terms.instants.live_instants": naive_live_instants,
}


def use_twins(monkeypatch):
    for target, twins in TWINS.items():
        monkeypatch.setattr(f"ibgn.live.{target}", twins)


def say_all(model, instances):
    """Scores of all terms at every moment."""
    said = []
    for instance in instances:
        live, done = LiveRecogniser(model), 0
        for events, now in moments_between(as_events(instance)):
            while done < len(events):
                follow(live, events[done])
                done += 1
            live.tick(now)
            said.append([term.scores().copy() for term in live._terms])
    return np.array(said)


def test_kernels_say_at_every_moment_what_their_twins_say(taught, monkeypatch):
    model, X = taught
    chosen = X.to_lists()[:4]
    fast = say_all(model, chosen)
    use_twins(monkeypatch)
    np.testing.assert_allclose(say_all(model, chosen), fast, atol=1e-8)


def test_all_terms_at_once_say_what_their_twins_say(taught, monkeypatch):
    model, X = taught
    events = as_events(X.to_lists()[0])

    def posteriors():
        live = LiveRecogniser(model)
        for event in events:
            follow(live, event)
            yield live.log_posterior()

    fast = [*posteriors()]
    monkeypatch.setattr("ibgn.live.chorus.live", naive_live)
    monkeypatch.setattr("ibgn.live.recogniser.log_normalise", naive_live.log_normalise)
    np.testing.assert_allclose([*posteriors()], fast, atol=1e-8)


def without_the_last(say):
    """What is said of one interval less."""
    return lambda line, *others: say(line._replace(size=np.maximum(line.size - 1, 0)), *others)


@pytest.mark.parametrize(
    ("twins", "name"),
    [
        (naive_live_order, "say_order"),
        (naive_live_order, "say_gaps"),
        (naive_live_relations, "say_relations"),
        (naive_live_durations, "log_survival"),
    ],
)
def test_twins_differ_where_they_are_altered(taught, monkeypatch, twins, name):
    """The control: the same comparison finds a twin that sees one interval less, or too much."""
    model, X = taught
    plain = getattr(twins, name)
    altered = without_the_last(plain) if name != "log_survival" else longer(plain)
    fast = say_all(model, X.to_lists()[:1])
    monkeypatch.setattr(twins, name, altered)
    use_twins(monkeypatch)
    assert np.abs(say_all(model, X.to_lists()[:1]) - fast).max() > 1e-3


def longer(survive):
    return lambda value, *others: survive(value - 0.1, *others)


def draw_long(rng, number):
    """One instance in which some intervals go on for long, and many end or start together."""
    rows = []
    for _ in range(number):
        start = rng.integers(0, 3 * number)
        length = rng.integers(1, 6) if rng.random() < 0.8 else rng.integers(10, 3 * number)
        rows.append((rng.choice(ACTIONS), float(start), float(start + length)))
    return rows


@pytest.mark.parametrize("horizon", [None, 3])
def test_relations_are_those_of_all_pairs_whenever_they_are_asked_for(horizon):
    rng = np.random.default_rng(5)
    X = draw_instances(rng, 30, coarse=True)
    y = np.repeat(["tea", "soup"], 15)
    terms = ("length", "relations")
    model = IBGNClassifier(terms=terms, horizon=horizon, weights="equal", random_state=0).fit(X, y)
    for _ in range(6):
        live = LiveRecogniser(model)
        relations = live._terms[1]
        events = as_events(draw_long(rng, 18))
        for event, after in pairwise([*events, (np.inf,)]):
            follow(live, event)
            if rng.random() < 0.4:
                live.tick(min(after[0], event[0] + rng.choice([0.0, 0.5])))
                said = relations.scores().copy()
                naive = relations.begin(live.timeline)
                naive_live_relations.say_relations(live.timeline.line, naive.learned, naive.notes)
                np.testing.assert_allclose(said, naive.notes.said, atol=1e-8)


@pytest.mark.parametrize("power", [1.0, 3.5, 60.0, 5e4])
@pytest.mark.parametrize("deviations", [-8.0, -2.0, -0.1, 0.0, 0.7, 2.5, 3.3, 7.0])
def test_survival_is_that_of_students_distribution(power, deviations):
    freedom = 2 * power - 1
    shape = np.array([[0.3], [2 * np.sqrt(freedom)], [power], [0.0]])
    shape[3] = stats.t(freedom, 0.3, 2).logpdf(0.3)
    fast, plain = np.zeros((2, 1))
    densities.log_survival(0.3 + 2 * deviations, shape, fast)
    naive_densities.log_survival(0.3 + 2 * deviations, shape, plain)
    np.testing.assert_allclose(fast, plain, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("x", [0.01, 0.3, 0.5])
@pytest.mark.parametrize("power", [1.0, 3.5, 20.0])
def test_parts_of_the_incomplete_beta_function(power, x):
    series, plain = densities.beta_series(x, power), naive_densities.beta_series(x, power)
    assert series == pytest.approx(plain, rel=1e-10)
    fraction = densities.beta_fraction(x, power)
    assert fraction == pytest.approx(naive_densities.beta_fraction(x, power), rel=1e-10)


FROM_SCRATCH = {"durations": duration_scores, "totals": total_scores}


def test_every_term_says_of_an_unfinished_instance_what_its_definition_says(taught):
    model, X = taught
    for instance in X.to_lists()[:5]:
        live, done = LiveRecogniser(model), 0
        for events, now in moments_between(as_events(instance)):
            while done < len(events):
                follow(live, events[done])
                done += 1
            live.tick(now)
            intervals = intervals_at(instance, events, now)
            just_now = any(now in (start, end) for _, start, end in intervals)
            seen = model._coded(live.instance())
            for name, fitted, term in zip(model.terms_, live._fitted, live._terms, strict=True):
                if name == "relations":  # see the twins
                    continue
                if name in FROM_SCRATCH:
                    expected = FROM_SCRATCH[name](fitted, intervals, now)
                elif just_now:  # what is open ends later, which the instance does not say
                    continue
                else:
                    expected = type(fitted[0]).log_likelihoods(fitted, seen)[0]
                np.testing.assert_allclose(term.scores(), expected, atol=1e-8, err_msg=name)


def test_an_open_interval_leaves_relations_open(taught):
    """The control: scored as if it ended now, relations say something else."""
    model, _ = taught
    live = LiveRecogniser(model)
    live.start("boil", 0)
    live.start("pour", 1)
    live.tick(5)
    number = model.terms_.index("relations")
    fitted = live._fitted[number]
    ended_now = type(fitted[0]).log_likelihoods(fitted, model._coded(live.instance()))[0]
    assert np.abs(live._terms[number].scores() - ended_now).max() > 1e-3


def test_unknown_actions_are_taken_as_predict_takes_them(taught):
    model, X = taught
    common = X.to_lists()[0][0][0]
    rows = [[("unheard of" if a == common else a, s, e) for a, s, e in X.to_lists()[0]]]
    with pytest.warns(ibgn.DataWarning):
        expected = model.predict_log_proba(rows)[0]
    live = LiveRecogniser(model)
    for event in as_events(rows[0]):
        follow(live, event)
    np.testing.assert_allclose(live.log_posterior(), expected, atol=1e-9)


@pytest.mark.parametrize(
    "make",
    [
        lambda: DBNClassifier(),
        lambda: IBGNClassifier("chain", random_state=0),
        lambda: IBGNClassifier("learned", terms=("tables", "relations"), random_state=0),
        lambda: IBGNClassifier(tolerance=0.3, random_state=0),
        lambda: IBGNClassifier(horizon=2, random_state=0),
        lambda: IBGNClassifier(styles=2, random_state=0),
    ],
    ids=["DBN", "chain", "tables", "tolerance", "horizon", "styles"],
)
def test_every_classifier_can_go_live(make):
    X, y = make_relations(instances_per_activity=8, random_state=0)
    model = make().fit(X, y)
    for instance, logs in zip(X.to_lists()[::7], model.predict_log_proba(X)[::7], strict=True):
        live = LiveRecogniser(model)
        for event in as_events(instance):
            follow(live, event)
            assert sum(live.posterior().values()) == pytest.approx(1)
        np.testing.assert_allclose(live.log_posterior(), logs, atol=1e-9)


def test_what_goes_on_ends_with_the_instance_and_another_one_begins(taught):
    model, X = taught
    live = LiveRecogniser(model)
    live.start("boil", 0)
    live.start("pour", 1)
    live.end("boil", 2)
    live.tick(3)
    last = live.finish()
    rows = [[("boil", 0, 2), ("pour", 1, 3)]]
    assert list(last.values()) == pytest.approx(model.predict_proba(rows)[0].tolist())
    assert live.timeline.number == 0
    for event in as_events(X.to_lists()[0]):
        follow(live, event)
    np.testing.assert_allclose(live.log_posterior(), model.predict_log_proba(X[:1])[0], atol=1e-9)


def test_recognisers_of_one_model_do_not_mix(taught):
    model, X = taught
    first = LiveRecogniser(model)
    both = [first, first.another()]
    chosen = X.to_lists()[:2]
    events = [(event, n) for n in range(2) for event in as_events(chosen[n])]
    for event, n in sorted(events):
        follow(both[n], event)
        both[n].posterior()
    for live, logs in zip(both, model.predict_log_proba(X[:2]), strict=True):
        np.testing.assert_allclose(live.log_posterior(), logs, atol=1e-9)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, repickle])
def test_a_copy_goes_on_by_itself(taught, duplicate):
    model, X = taught
    events = as_events(X.to_lists()[0])
    live = LiveRecogniser(model, limit=50)
    for event in events[:6]:
        follow(live, event)
        live.posterior()
    before = live.posterior()
    other = duplicate(live)
    assert other.posterior() == before
    for event in events[6:]:
        follow(other, event)
    np.testing.assert_allclose(other.log_posterior(), model.predict_log_proba(X)[0], atol=1e-9)
    assert live.posterior() == before
    assert other.limit == 50


def test_wrong_events_are_refused_and_change_nothing(taught):
    model, _ = taught
    live = LiveRecogniser(model)
    live.start("boil", 3)
    before = live.log_posterior()
    for wrong, said in (
        (lambda: live.end("pour", 4), "'pour' ends at 4, but has not started"),
        (lambda: live.start("pour", 1), "time 1 is before 3"),
        (lambda: live.end("boil", 3), "'boil' ends at 3, where it starts"),
        (lambda: live.end("boil", 2), "time 2 is before 3, which has passed"),
        (lambda: live.end("boil", float("nan")), "time nan is no time"),
        (lambda: live.tick(float("nan")), "time nan is no time"),
        (lambda: live.tick(None), "time 'None' is not a number"),
        (lambda: live.tick(True), "time 'True' is not a number"),
        (lambda: live.start("pour", "4"), "time '4' is not a number"),
        (lambda: live.end("boil", "4"), "time '4' is not a number"),
        (lambda: live.start(3, 4), "the action is '3', not a name"),
        (lambda: live.end("boil", 5, key="other"), "'boil' ends at 5, but has not started"),
    ):
        with pytest.raises(DataError, match=said):
            wrong()
    np.testing.assert_array_equal(live.log_posterior(), before)


def test_an_instance_has_a_limit(taught):
    model, _ = taught
    live = LiveRecogniser(model, limit=2)
    live.start("boil", 0)
    live.start("pour", 1)
    with pytest.raises(DataError, match="an instance has at most 2 intervals"):
        live.start("stir", 2)


@pytest.mark.parametrize(("horizon", "most"), [(None, 30), (3, 33)])
def test_what_goes_on_at_the_same_time_has_a_limit(monkeypatch, horizon, most):
    monkeypatch.setattr(recogniser, "MOST_OPEN", 30)
    monkeypatch.setattr(recogniser, "MOST_PAIRS", 100)
    X, y = make_relations(instances_per_activity=5, random_state=0)
    live = LiveRecogniser(IBGNClassifier(horizon=horizon, random_state=0).fit(X, y))
    for number in range(most):
        live.start("hold", number, number)
        live.posterior()
    marked = live._terms[live.model.terms_.index("relations")].notes.marked
    assert marked.size <= 64 * (64 if horizon is None else horizon + 8)
    before = live.posterior()
    with pytest.raises(DataError, match=f"'hold' starts while {most} others go on; end them"):
        live.start("hold", most)
    assert live.posterior() == before
    live.end("hold", most)
    live.start("hold", most)


@pytest.mark.parametrize("limit", [0, 2.5, "many"])
def test_what_is_no_limit_is_refused(taught, limit):
    with pytest.raises(ibgn.errors.OptionError, match="limit=.* must be a whole number from 1"):
        LiveRecogniser(taught[0], limit=limit)


def test_what_gives_no_probabilities_of_activities_is_refused():
    segmenter = ibgn.Segmenter(DBNClassifier(), random_state=0)
    instances = [[("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 2), ("pour", 1, 5)]] * 10
    segmenter.fit_instances(instances, ["tea", "coffee"] * 10)
    with pytest.raises(DataError, match="a Segmenter gives no probabilities of activities; give"):
        LiveRecogniser(segmenter)


def test_keys_tell_intervals_of_one_action_apart():
    line = Timeline(("boil",))
    line.start("boil", 0, "left")
    line.start("boil", 1, "right")
    assert line.end("boil", 2, "right") == 1
    assert line.end("boil", 3) == 0
    assert (line.ending[:2] == [3, 2]).all()


def test_what_goes_on_for_long_does_not_make_events_costly(taught):
    """Rows of intervals that go on are summed up to the last few positions, with marks."""
    model, _ = taught
    live = LiveRecogniser(model)
    live.start("stir", 0)
    live.start("grind", 0)
    live.start("stir", 0.5, "other")
    relations = live._terms[model.terms_.index("relations")]
    for n in range(1, 200):
        live.start("pour", n)
        live.log_posterior()
        live.end("pour", n + 0.5)
        live.log_posterior()
        rows = relations.notes
        used = slice(rows.done[2])
        assert rows.done[2] <= 5
        assert rows.marks[used].max() <= 3
        assert live.timeline.number - rows.stop[used].min() <= 2
    live.finish()


def test_a_long_instance_grows_and_its_rows_do_not(taught):
    """Each event looks at what it can affect: rows whose relations to later ones are open."""
    model, _ = taught
    live = LiveRecogniser(model)
    relations = live._terms[model.terms_.index("relations")]
    for n in range(300):
        live.start(ACTIONS[n % 4], n)
        live.log_posterior()
        if n:
            live.end(ACTIONS[(n - 1) % 4], n + 0.5)
        live.log_posterior()
        assert relations.notes.done[2] <= 4  # rows in use
    live.end(ACTIONS[299 % 4], 301)
    expected = model.predict_log_proba(live.instance())[0]
    np.testing.assert_allclose(live.log_posterior(), expected, atol=1e-9)
