"""Streams that are not perfect: late, repeated and wrong events, corrections, interruptions."""

import gc
import itertools
import json
from contextlib import suppress

import numpy as np
import pytest

import ibgn
from ibgn import DataError, IBGNClassifier
from ibgn.classifiers import DBNClassifier
from ibgn.classifiers.questions import unquestioned
from ibgn.datasets import sample_path
from ibgn.live import LiveRecogniser
from ibgn.live.events import Event
from ibgn.live.inbox import Inbox
from instance_events import ACTIONS, as_events, draw_instances, follow

LATENESS = 3.0


@pytest.fixture(scope="module", params=["coarse", "fine", "sparse"])
def taught(request):
    """A model and instances: with times that coincide, with others, and with few at a time."""
    if request.param == "sparse":
        X, y = ibgn.read(sample_path("csv"))
    else:
        rng = np.random.default_rng(5)
        X = draw_instances(rng, 40, request.param == "coarse")
        y = np.array(["tea", "coffee", "soup"])[rng.integers(0, 3, 40)]
    return IBGNClassifier(random_state=0).fit(X, y), X


def as_stream(instance, seed, lateness=LATENESS):
    """Events of an instance and its corrections, delayed by up to the lateness, some repeated.

    Some intervals are misnamed at first, and some were never there.
    """
    rng = np.random.default_rng(seed)
    events = []
    for key, (action, start, end) in enumerate(instance):
        events.append(Event("end", end, action, key=key))
        if rng.random() < 0.3:
            wrong = rng.choice(ACTIONS)
            events.append(Event("start", start, wrong, key=key))
            events.append(Event("rename", rng.uniform(start, end), wrong, key=key, to=action))
        else:
            events.append(Event("start", start, action, key=key))
        if rng.random() < 0.3:
            end = end + rng.integers(0, 2)
            events.append(Event("start", start, "ghost", key=-1 - key))
            events.append(Event("cancel", end, "ghost", key=-1 - key))
    again = [event for event in events if rng.random() < 0.2]
    return sorted(events + again, key=lambda event: event.time + rng.uniform(0, lateness))


def pass_through(inbox, live, events, flush=True, seldom=1):
    """What is said after every so many events that were taken."""
    said = []
    for event in [*events, None]:
        due, refusal = inbox.put(event) if event else (inbox.flush() if flush else [], None)
        assert refusal is None or refusal.cause == "duplicate"
        for each in due:
            live.take(each)
            if len(live.timeline.changes) % seldom == 0:
                said.append(live.log_posterior())
    return said


def test_a_stream_in_disorder_ends_as_the_instance_in_memory(taught):
    model, X = taught
    for seed, (instance, logs) in enumerate(
        zip(X.to_lists(), model.predict_log_proba(X), strict=True)
    ):
        live, inbox = LiveRecogniser(model), Inbox(LATENESS)
        said = pass_through(inbox, live, as_stream(instance, seed))
        np.testing.assert_allclose(said[-1], logs, rtol=0, atol=1e-9)
        assert sorted(live.instance().to_lists()[0]) == sorted(instance)


@pytest.mark.parametrize("name", ["AUSLAN2", "BIMACS", "BLOCKS", "CAD120", "CONTEXT", "SKATING"])
def test_recordings_as_streams_in_disorder_end_as_in_memory(read_shared, name):
    X, y = read_shared(name)
    model = IBGNClassifier(random_state=0).fit(X, y)
    first = LiveRecogniser(model)
    chosen = X[:: len(X) // 3]
    expected = model.predict_log_proba(chosen)
    for seed, (instance, logs) in enumerate(zip(chosen.to_lists(), expected, strict=True)):
        lateness = max(end for _, _, end in instance) / 10
        events = as_stream(instance, seed, lateness)
        said = pass_through(Inbox(lateness), first.another(), events)
        np.testing.assert_allclose(said[-1], logs, rtol=0, atol=1e-9)


def test_what_is_said_does_not_depend_on_the_order_in_which_events_come(taught):
    """To the last bit, as decisions of a stream that was interrupted must be the same."""
    model, X = taught
    for seed, instance in enumerate(X.to_lists()[:10]):
        events = as_stream(instance, seed)
        in_order = sorted(set(events), key=lambda event: event.time)
        one, two = (
            pass_through(Inbox(LATENESS), LiveRecogniser(model), each)
            for each in (events, in_order)
        )
        np.testing.assert_array_equal(one, two)


def test_an_interval_that_never_was_leaves_no_trace(taught):
    model, X = taught
    for instance in X.to_lists()[:10]:
        plain, corrected = LiveRecogniser(model), LiveRecogniser(model)
        for n, (event, after) in enumerate(itertools.pairwise(as_events(instance))):
            ghost = ACTIONS[n % 4]
            follow(plain, event)
            follow(corrected, event)
            corrected.start(ghost, event[0], key="ghost")
            corrected.posterior()
            if n % 2 and after[0] > event[0]:
                corrected.end(ghost, after[0], key="ghost")
            corrected.posterior()
            corrected.cancel(ghost, after[0], key="ghost")
            plain.tick(after[0])
            np.testing.assert_allclose(corrected.log_posterior(), plain.log_posterior(), atol=1e-9)


def test_corrections_concern_the_last_interval_of_an_action():
    live = LiveRecogniser(DBNClassifier().fit([[("a", 0, 1)], [("b", 0, 1)]], ["x", "y"]))
    for action, time in (("a", 0), ("b", 1), ("a", 2)):
        live.start(action, time)
    live.end("a", 3)  # the first one
    live.rename("a", "c", 3)
    live.end("c", 4)
    assert live.instance().to_lists() == [[("a", 0, 3), ("b", 1, 4), ("c", 2, 4)]]
    live.cancel("a", 5)
    assert live.timeline.now == 5
    assert live.instance().to_lists() == [[("b", 1, 5), ("c", 2, 4)]]
    live.end("b", 6)
    assert live.timeline.ending[: live.timeline.number].tolist() == [6, 4]


def test_a_renamed_interval_does_not_take_the_end_of_another():
    """When the others are read again, each has the end that it had."""
    live = LiveRecogniser(DBNClassifier().fit([[("a", 0, 1)], [("b", 0, 1)]], ["x", "y"]))
    live.start("a", 0)
    live.start("b", 1)
    live.end("b", 2)
    live.rename("a", "b", 3)
    assert live.instance().to_lists() == [[("b", 0, 3), ("b", 1, 2)]]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (Event("cancel", 5, "pour"), "'pour' is corrected, but has not started"),
        (Event("cancel", 5, "boil", key="b"), "'boil' is corrected, but has not started"),
        (Event("rename", 5, "pour", to="boil"), "'pour' is corrected, but has not started"),
        (Event("rename", 1, "boil", to="pour"), "time 1 is before 3"),
        (Event("end", 5, "pour"), "'pour' ends at 5, but has not started"),
        (Event("finish", 1), "time 1 is before 3"),
        (Event("tick", float("inf")), "time inf is no time"),
        (Event("pause", 5), "events of the kind 'pause' are not known"),
    ],
)
def test_impossible_events_are_refused_and_change_nothing(taught, event, said):
    live = LiveRecogniser(taught[0])
    live.start("boil", 2, key="a")
    live.tick(3)
    before = live.state()
    with pytest.raises(DataError, match=said):
        live.take(event)
    assert {**live.state(), "unmet": []} == before


class Plain:
    """What events say, by the rules as they stand: a list of [action, start, end, key]."""

    def __init__(self):
        self.rows = []

    def take(self, event):
        """Returns whether the event was possible."""
        fits = [row for row in self.rows if row[0] == event.action and event.key in (None, row[3])]
        going = [row for row in fits if row[2] is None]
        if event.kind == "start":
            self.rows.append([event.action, event.time, None, event.key])
        elif event.kind == "end" and going and going[0][1] == event.time:
            self.rows.remove(going[0])
            return False
        elif event.kind == "end" and going:
            going[0][2] = event.time
        elif event.kind == "cancel" and fits:
            self.rows = [row for row in self.rows if row is not fits[-1]]
        elif event.kind == "rename" and fits:
            fits[-1][0] = event.to
        else:
            return event.kind == "tick"
        return True

    def instance(self, now):
        rows = [(a, s, now if e is None else e) for a, s, e, _ in self.rows]
        return [row for row in rows if row[2] > row[1]]


def test_any_events_are_taken_or_refused_as_the_rules_say(taught):
    model, _ = taught
    rng = np.random.default_rng(11)
    first, ends, refused = LiveRecogniser(model), [], 0
    for _ in range(30):
        live, plain, time = first.another(), Plain(), 0.0
        for _ in range(rng.integers(5, 40)):
            time += float(rng.choice([0, 0.5, 1]))
            kind = str(rng.choice(["start", "start", "end", "end", "cancel", "rename", "tick"]))
            action, to = (str(name) for name in rng.choice(ACTIONS, 2))
            event = Event(kind, time, action, key=[None, "a"][rng.integers(2)], to=to)
            if not live._unmet.isdisjoint({(time, action, key) for key in (None, event.key)}):
                continue
            possible = plain.take(event)
            refused += not possible
            if possible:
                live.take(event)
            else:
                with pytest.raises(DataError):
                    live.take(event)
            if live.timeline.number:
                assert np.isfinite(live.log_posterior()).all()
        live.tick(time + 1)
        ends.append(plain.instance(time + 1))
        assert sorted(live.instance().to_lists()[0]) == sorted(ends[-1])
        if ends[-1]:
            with unquestioned():
                expected = model.predict_proba([ends[-1]])[0]
            assert list(live.finish().values()) == pytest.approx(expected.tolist(), abs=1e-9)
    assert refused > 100


@pytest.mark.parametrize("lateness", [0, 1])
@pytest.mark.parametrize("key", [None, "a"])
def test_what_starts_and_ends_at_one_time_is_left_out(taught, lateness, key):
    """In whichever order the two come, and it does not go on for ever."""
    live, inbox = LiveRecogniser(taught[0]), Inbox(lateness)
    events = [
        Event("start", 0, "stir"),
        Event("start", 3, "boil", key="a"),
        Event("end", 3, "boil", key=key),
        Event("start", 4, "boil"),
        Event("end", 5, "boil"),
        Event("end", 6, "stir"),
    ]
    reasons = []
    for event in [*events, None]:
        due, _ = inbox.put(event) if event else (inbox.flush(), None)
        for each in due:
            try:
                live.take(each)
            except DataError as error:
                reasons.append(str(error))
    assert live.instance().to_lists() == [[("stir", 0, 6), ("boil", 4, 5)]]
    assert reasons[-1].endswith("it is left out")


def test_what_starts_when_the_instance_is_finished_is_left_out(taught):
    model, _ = taught
    live = LiveRecogniser(model)
    live.start("stir", 0)
    live.start("pour", 3)
    live.start("pour", 3)
    last = live.take(Event("finish", 3))
    expected = model.predict_proba([[("stir", 0, 3)]])[0]
    assert list(last.values()) == pytest.approx(expected.tolist())
    assert live.timeline.number == 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("seldom", [1, 2, 5])
def test_an_interrupted_stream_goes_on_to_the_last_bit(taught, seed, seldom):
    """At any event the state is written and read by a recogniser that knows nothing."""
    model, X = taught
    first = LiveRecogniser(model)
    events = as_stream(X.to_lists()[seed], seed) + [
        event._replace(time=event.time + 400)
        for event in (Event("finish", -10.0), *as_stream(X.to_lists()[seed + 4], seed))
    ]
    whole = pass_through(Inbox(LATENESS), first.another(), events, seldom=seldom)
    for stop in range(1, len(events), 4):
        live, inbox = first.another(), Inbox(LATENESS)
        said = pass_through(inbox, live, events[:stop], False, seldom)
        saved = json.dumps([live.state(), inbox.state()], allow_nan=False)
        live, inbox = first.another(), Inbox(LATENESS)
        for one, state in zip((live, inbox), json.loads(saved), strict=True):
            one.restore(state)
        assert json.dumps([live.state(), inbox.state()]) == saved
        said += pass_through(inbox, live, events[stop:], True, seldom)
        np.testing.assert_array_equal(said, whole)


def draw_rows(rng):
    """An instance that may be short or long, crowded or sparse, with times that coincide or not."""
    number, span, mean = rng.integers(3, 25), rng.choice([10, 30, 80]), rng.choice([1, 3, 8])
    start, length = rng.random(number) * span, 0.05 + rng.gamma(2, mean / 2, number)
    if rng.random() < 0.5:
        start, length = np.floor(start), np.ceil(length)
    names = rng.choice(ACTIONS, number).tolist()
    return list(zip(names, start.tolist(), (start + length).tolist(), strict=True))


def test_whenever_it_is_asked_or_interrupted_the_bits_are_the_same(taught):
    """Instances of any density, with ticks, asked at random: restored or not, no bit differs."""
    model, _ = taught
    rng = np.random.default_rng(2)
    first = LiveRecogniser(model)
    for _ in range(120):
        rows, often = draw_rows(rng), rng.choice([1, 0.5, 0.2])
        whole, parts = first.another(), first.another()
        for event in as_events(rows):
            if whole.timeline.number and rng.random() < 0.2:
                between = rng.uniform(whole.timeline.now, event[0])
                whole.tick(between)
                parts.tick(between)
            follow(whole, event)
            follow(parts, event)
            if rng.random() < often:
                np.testing.assert_array_equal(parts.log_posterior(), whole.log_posterior())
            if rng.random() < 0.2:
                state = json.loads(json.dumps(parts.state()))
                parts = first.another()
                parts.restore(state)
        with unquestioned():
            expected = model.predict_log_proba([rows])[0]
        np.testing.assert_allclose(whole.log_posterior(), expected, rtol=0, atol=1e-9)


def test_asking_again_changes_no_bit(taught):
    model, X = taught
    for instance in X.to_lists()[:10]:
        once, often = LiveRecogniser(model), LiveRecogniser(model)
        for event in as_events(instance):
            follow(once, event)
            follow(often, event)
            said = [once.log_posterior(), *(often.log_posterior() for _ in range(3))]
            np.testing.assert_array_equal(said, said[:1] * 4)


def test_sums_are_part_of_a_state(taught):
    """The control: with sums from replaying alone, last bits are others."""
    model, X = taught
    differ = 0
    for instance in X.to_lists():
        live, other = LiveRecogniser(model), LiveRecogniser(model)
        for event in as_events(instance):
            follow(live, event)
            follow(other, event)
            live.posterior()
        differ += (live.log_posterior() != other.log_posterior()).any()
    assert differ


def test_memory_does_not_grow_with_the_stream(taught):
    """What is kept of an instance goes with it, and of events that were refused nothing is."""
    model, X = taught
    live, inbox, objects = LiveRecogniser(model), Inbox(LATENESS), []
    late = Event("start", -1, "boil")
    for turn in range(12):
        events = as_stream(X.to_lists()[turn % 3], turn % 3)
        for event in (*events, late, Event("finish", 90), Event("end", 90, "stir", key=turn)):
            for due in inbox.put(event._replace(time=100 * turn + event.time))[0]:
                with suppress(DataError):
                    live.take(due)
                live.posterior()
        for due in inbox.flush():
            with suppress(DataError):
                live.take(due)
        assert live.timeline.number == 0
        if turn in (5, 11):
            gc.collect()
            objects.append(len(gc.get_objects()))
    assert objects[1] <= objects[0] + 2  # of this test
    assert inbox.counts["late"] == 12


def test_a_recogniser_that_reads_all_again_can_be_interrupted_too():
    model = DBNClassifier().fit([[("a", 0, 1)], [("b", 0, 1)]], ["x", "y"])
    live, other = LiveRecogniser(model), LiveRecogniser(model)
    live.start("a", 0)
    other.restore(live.state())
    assert other.posterior() == live.posterior()
    other.restore(LiveRecogniser(model).state())
    assert other.timeline.number == 0


GOOD = {"changes": [["boil", 0.0, None], [0, 2.0]], "now": 2.0, "asked": [1, 1.5], "unmet": []}


@pytest.mark.parametrize(
    "damage",
    [
        [],
        {"now": 1.0},
        {"now": "x"},
        {"now": float("inf")},
        {"changes": [[0, 2.0]]},
        {"changes": [["boil", 0.0, None], [-1, 2.0]]},
        {"changes": [["boil", 0.0, None], [10**30, 2.0]]},
        {"changes": [["boil", 0.0, None], [0, 1.0], [0, 2.0]]},
        {"changes": [["boil", float("nan"), None]]},
        {"changes": [["boil", float("inf"), None]]},
        {"changes": [["boil", 0.0, []]]},
        {"changes": [["boil", 0.0]]},
        {"changes": [[]]},
        {"asked": [1, 0.0 - 1]},
        {"asked": [2, 1.0]},
        {"asked": ["x", 1.0]},
        {"asked": [0, None, 1]},
        {"settled": []},
        {"settled": [[0.0]] * 20},
        {"settled": [[1e308] * 3] * 10},
        {"unmet": [[]]},
        {"unmet": [[0.0, [], None]]},
    ],
    ids=str,
)
def test_a_damaged_state_is_refused_and_leaves_an_empty_recogniser(taught, damage):
    live = LiveRecogniser(taught[0])
    sums = [term.settled.tolist() for term in live._followers]
    live.restore({**GOOD, "settled": sums})
    with pytest.raises(DataError, match="this is not the state of a recogniser of this model"):
        live.restore({**GOOD, "settled": sums, **damage} if damage else damage)
    assert live.timeline.number == 0


@pytest.mark.parametrize(
    "damage",
    [
        {"clock": "x"},
        {"counts": []},
        {"counts": {"late": "many"}},
        {"waiting": [{"kind": "start"}]},
        {"passed": [[[]]]},
        {"passed": None},
        {"doubted": {"kind": "tick"}},
    ],
    ids=str,
)
def test_a_damaged_state_of_an_inbox_is_refused_and_changes_nothing(damage):
    inbox = Inbox(1)
    inbox.put(Event("start", 1, "boil"))
    before = inbox.state()
    with pytest.raises(DataError, match="this is not the state of an inbox"):
        inbox.restore({**before, **damage})
    assert inbox.state() == before


def test_keys_that_json_has_not_cannot_be_saved(taught):
    live = LiveRecogniser(taught[0])
    live.start("boil", 0, key=(1, 2))
    with pytest.raises(DataError, match=r"text or a whole number, not '\(1, 2\)'"):
        live.state()
