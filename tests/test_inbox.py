"""Events of a stream: what is refused and why, and the order in which the rest goes on."""

import itertools
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgn.errors import DataError, OptionError
from ibgn.live.events import KINDS, LONGEST, NEEDS, Event
from ibgn.live.inbox import Inbox

START = {"kind": "start", "time": 1, "action": "pour"}
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
MARKS = st.none() | st.integers() | NAMES
TIMES = st.floats(-1e15, 1e15)


EVENTS = st.builds(
    lambda kind, action, to, *values: Event(
        kind, values[0], action * ("action" in NEEDS[kind]), *values[1:], to * ("to" in NEEDS[kind])
    ),
    st.sampled_from(KINDS),
    NAMES,
    NAMES,
    TIMES,
    st.just("") | NAMES,
    MARKS,
    MARKS,
)


@given(EVENTS)
def test_an_event_is_read_from_json_as_it_was_written(event):
    assert Event.parse(json.dumps(event.as_json())) == event
    assert Event.parse(json.dumps(event.as_json()).encode()) == event


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "the line is not valid JSON: ''"),
        ('{"kind": "start", "time": 1, "act', "the line is not valid JSON"),
        (b'{"kind": "\xff"}', "the line is not text in UTF-8"),
        ("[" * 100_000, "the line is not valid JSON"),
        ('{"time": ' + "9" * 10_000 + "}", "the line is not valid JSON"),
        ("3", "an event is an object with names and values, not '3'"),
        ('"start"', "an event is an object"),
        ({}, "the event has no 'kind'; kinds are end, rename, cancel, finish, start, tick"),
        ({**START, "kind": "strat"}, "has the unknown kind 'strat'"),
        ({**START, "kind": ["start"]}, "has the unknown kind"),
        ({"kind": "start", "time": 1}, "has no 'action', which 'start' needs"),
        ({**START, "kind": "rename"}, "has no 'to', which 'rename' needs"),
        ({**START, "action": 7}, "its action is '7', not a name"),
        ({**START, "action": "  "}, "its action is '  ', not a name"),
        ({**START, "action": "\ud800"}, "half a character"),
        ({**START, "action": "a" * (LONGEST + 1)}, "is longer than 1000 characters"),
        ({"kind": "tick"}, "the event has no 'time'"),
        ({**START, "time": "1"}, "its time is '1', not a number"),
        ({**START, "time": True}, "its time is 'True', not a number"),
        ({**START, "time": float("nan")}, "its time is 'nan', not a number"),
        ({**START, "time": float("-inf")}, "its time is '-inf', where floats no longer"),
        ({**START, "time": 10**400}, "where floats no longer distinguish times"),
        ({**START, "time": 2**53 + 1}, "where floats no longer distinguish times"),
        ('{"kind": "tick", "time": 1, "time": 2}', "the event has two values for one name"),
        ({**START, "stream": 7}, "its stream is '7', not a name"),
        ({**START, "stream": 0}, "its stream is '0', not a name"),
        ({**START, "key": 1.5}, "its key is '1.5', not a name"),
        ({**START, "id": []}, r"its id is '\[\]', not a name"),
        ({**START, "id": False}, "its id is 'False', not a name"),
    ],
)
def test_what_is_no_event_is_refused_with_a_reason(line, said):
    text = json.dumps(line) if isinstance(line, dict) else line
    with pytest.raises(DataError, match=said):
        Event.parse(text)


@given(st.text() | st.binary())
def test_no_line_does_more_than_be_refused(line):
    with suppress(DataError):
        assert Event.parse(line).kind in KINDS


def test_a_mark_of_the_byte_order_does_no_harm():
    assert Event.parse(b"\xef\xbb\xbf" + json.dumps(START).encode()) == Event.of(START)


def test_names_that_an_event_does_not_need_are_ignored():
    assert Event.of({**START, "kind": "tick", "room": [4]}) == Event("tick", 1.0)


def pass_on(inbox, events):
    """All that goes on, and the causes of refusals."""
    gone, causes = [], []
    for event in events:
        due, refusal = inbox.put(event)
        gone += due
        causes += [refusal.cause] if refusal else []
    return gone + inbox.flush(), causes


TOGETHER = [
    Event("start", 0, "boil"),
    Event("end", 2, "boil"),
    Event("finish", 2),
    Event("start", 2, "pour", key=1),
    Event("start", 2, "pour"),
    Event("tick", 2),
]


def test_the_order_in_which_events_come_makes_no_difference():
    """At one time ends come first, then the end of the instance, then starts."""
    for order in itertools.permutations(TOGETHER):
        inbox = Inbox(lateness=2)
        assert pass_on(inbox, order) == (TOGETHER, [])
        assert inbox.counts == {"taken": 6}


def test_an_event_waits_until_no_earlier_one_can_come():
    inbox = Inbox(lateness=2)
    assert inbox.put(Event("start", 5, "pour")) == ([], None)
    assert inbox.put(Event("tick", 7)) == ([], None)  # one at 5 may still come
    due, _ = inbox.put(Event("tick", 7.5))
    assert due == [Event("start", 5, "pour")]
    assert inbox.put(Event("start", 5.5, "stir")) == ([], None)
    due, refusal = inbox.put(Event("start", 5.4, "boil"))
    assert (due, refusal.cause) == ([], "late")
    assert (
        refusal.reason
        == "the start of 'boil' at 5.4 is too late: everything up to 5.5 has been passed on"
    )


def test_without_lateness_events_go_on_as_they_come():
    inbox = Inbox()
    events = [Event("start", 1, "boil"), Event("start", 1, "pour"), Event("end", 1, "stir")]
    for event in events:
        assert inbox.put(event) == ([event], None)
    assert inbox.put(Event("end", 0.5, "stir"))[1].cause == "late"
    assert inbox.put(events[0])[1].cause == "duplicate"


def test_duplicates_are_known_by_their_ids_or_by_what_they_say():
    inbox = Inbox(lateness=9)
    first = Event("start", 1, "pour", id="a")
    assert pass_on(inbox, [first, first, first._replace(action="boil")])[1] == ["duplicate"] * 2
    inbox = Inbox(lateness=9)
    others = [first, first._replace(id="b"), first._replace(id=None), first._replace(stream="s")]
    assert pass_on(inbox, others)[1] == []
    assert pass_on(Inbox(lateness=9), [first._replace(id=None)] * 2)[1] == ["duplicate"]
    assert first.identity != first._replace(id=None).identity


@given(
    st.lists(st.tuples(st.integers(0, 20), st.sampled_from("abc")), max_size=30),
    st.sampled_from([0, 1, 5]),
    st.sampled_from([3, 1000]),
)
def test_every_event_goes_on_once_in_order_or_has_a_reason(drawn, lateness, room):
    inbox = Inbox(lateness, room=room)
    events = [Event("start", time, action) for time, action in drawn]
    gone, causes = pass_on(inbox, events)
    assert len(gone) == len(set(gone)) == inbox.counts["taken"]
    assert [event.time for event in gone] == sorted(event.time for event in gone)
    assert len(gone) + len(causes) == len(events)
    assert set(causes) <= {"late", "duplicate"}
    if "late" not in causes:
        assert set(gone) == set(events)


def test_no_more_events_wait_than_there_is_room_for():
    inbox = Inbox(lateness=1e9, room=10)
    gone = []
    for n in range(1000):
        gone += inbox.put(Event("start", n, "boil"))[0]
        assert len(inbox.waiting) <= 10
        assert len(inbox._known) <= 11
    assert [event.time for event in gone] == list(range(990))
    assert inbox.put(Event("start", 980, "pour"))[1].cause == "late"
    assert inbox.put(Event("start", 989, "pour"))[1] is None


def test_what_is_remembered_does_not_grow_with_the_stream():
    at_once, late = Inbox(room=10), Inbox(lateness=3, room=10)
    for n in range(1000):
        at_once.put(Event("start", 0, "boil", key=n))
        late.put(Event("start", n, "boil"))
    assert len(at_once._known) == len(at_once._passed) == 10
    assert len(late._known) == len(late.waiting) == 4


def test_ticks_that_come_late_or_again_say_nothing():
    inbox = Inbox()
    gone, causes = pass_on(inbox, [Event("tick", 5), Event("tick", 5), Event("tick", 3)])
    assert (gone, causes, inbox.counts) == ([Event("tick", 5)], [], {"taken": 1})


def test_a_time_that_is_none_is_refused():
    assert Inbox().put(Event("start", float("nan"), "boil"))[1].cause == "malformed"


def test_a_wrong_time_does_not_make_all_others_late():
    """One that is far ahead is believed when another one agrees; the control believes it."""
    events = [Event("tick", time) for time in (0, 1, 1e9, 2, 3, 5e8, 4)]
    assert [event.time for event in pass_on(Inbox(), events)[0]] == [0, 1, 1e9]
    inbox = Inbox(leap=10)
    gone = [event.time for each in events for event in inbox.put(each)[0]]
    assert gone == [0, 1, 2, 3, 4]
    assert inbox.counts == {"taken": 5, "ahead": 1}
    assert inbox.put(Event("start", 5e8 + 4, "boil"))[0] == [
        events[5],
        Event("start", 5e8 + 4, "boil"),
    ]
    assert inbox.clock == 5e8 + 4


def test_what_is_far_ahead_goes_on_when_the_others_get_there_or_end():
    inbox = Inbox(lateness=1, leap=10)
    far = Event("start", 15, "boil")
    assert inbox.put(Event("tick", 0)) == inbox.put(far) == ([], None)
    other = Inbox(lateness=1, leap=10)
    other.restore(json.loads(json.dumps(inbox.state())))
    assert other.flush() == [Event("tick", 0), far]
    assert inbox.put(Event("tick", 6)) == ([Event("tick", 0), Event("tick", 6)], None)
    assert inbox.clock == 15
    assert inbox.put(Event("tick", 16.5)) == ([far], None)


def test_the_refusal_of_what_is_far_ahead_says_how_far():
    inbox = Inbox(leap=10)
    for time in (0, 1000, 50):
        due, refusal = inbox.put(Event("start", time, "boil"))
    assert due == []
    assert refusal == (
        "ahead",
        "the start of 'boil' at 1000 is 1000 ahead of all others; is its clock right?",
    )


@pytest.mark.parametrize(
    "options",
    [
        {"leap": 0},
        {"leap": float("nan")},
        {"lateness": -1},
        {"lateness": float("inf")},
        {"room": 0},
        {"room": 1.5},
    ],
)
def test_wrong_options_are_refused(options):
    with pytest.raises(OptionError):
        Inbox(**options)
