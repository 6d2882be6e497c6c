"""XES: traces with events that start and complete."""

import gzip
import json
import warnings

import pytest
from hypothesis import HealthCheck, given, settings

from ibgn.errors import DataError, DataWarning, Option, OptionError
from ibgn.io import FORMATS, Files, read_xes
from ibgn.io.registry import load, read
from strategies import as_events, tracked_instances

HEADER = """\
<?xml version="1.0" encoding="UTF-8" ?>
<log xes.version="1.0" xes.features="nested-attributes" xmlns="http://www.xes-standard.org/">
<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
<global scope="trace"><string key="concept:name" value="none"/></global>
<global scope="event"><date key="time:timestamp" value="1970-01-01T00:00:00Z"/></global>
<classifier name="Activity" keys="concept:name"/>
<string key="concept:name" value="a log"/>
"""


def event(name, second, transition=None, **more):
    """One event; more is instance= or resource=."""
    keys = {"instance": "concept:instance", "resource": "org:resource"}
    attributes = {"concept:name": name, "lifecycle:transition": transition}
    attributes |= {keys[key]: value for key, value in more.items()}
    minute, rest = divmod(second, 60)
    stamp = f"2020-01-01T10:{int(minute):02}:{rest:06.3f}+01:00"
    strings = "".join(
        f'<string key="{key}" value="{value}"/>'
        for key, value in attributes.items()
        if value is not None
    )
    return f'<event>{strings}<date key="time:timestamp" value="{stamp}"/></event>\n'


def trace(*events, **attributes):
    keys = {"name": "concept:name", "kind": "kind", "ward": "ward"}
    known = "".join(f'<string key="{keys[k]}" value="{v}"/>' for k, v in attributes.items())
    return f"<trace>{known}{''.join(events)}</trace>\n"


def pair(name, start, stop, **more):
    return event(name, start, "start", **more) + event(name, stop, "complete", **more)


PLAIN = (
    HEADER
    + trace(pair("test", 1, 2.5), pair("repair", 2, 4), name="case 1", kind="short")
    + trace(pair("test", 7, 9), name="case 2", kind="long")
    + "</log>"
)
PREFIXED = (
    '<x:log xmlns:x="http://www.xes-standard.org/"><x:trace><x:string key="concept:name" '
    'value="c"><x:int key="nested" value="1"/></x:string><x:event><x:string key="concept:name" '
    'value="a"/><x:string key="lifecycle:transition" value="Start"/><x:date key="time:timestamp" '
    'value="2020-01-01T00:00:00"/></x:event><x:event><x:string key="concept:name" value="a"/>'
    '<x:string key="lifecycle:transition" value="COMPLETE"/><x:date key="time:timestamp" '
    'value="2020-01-01T00:00:01"/></x:event></x:trace></x:log>'
)
SAMPLES = {
    "repairs.xes": PLAIN.encode(),
    "other.xes": PREFIXED.encode(),
    "points.xes": f"<log>{trace(event('a', 1), event('b', 2), pair('c', 1, 3))}</log>".encode(),
    "completed.xes": f"<log>{trace(event('a', 1), event('b', 2), event('c', 7))}</log>".encode(),
}


def announced(path, **options):
    """Read a log whose completed events are announced by a warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* without a start", DataWarning)
        return read_xes(path, **options)


READERS = {
    "repairs.xes": lambda path: read_xes(path, activity="attribute:kind", unpaired="close"),
    "other.xes": lambda path: read_xes(path, origin="log"),
    "points.xes": lambda path: announced(path, points="keep", min_duration=0.5, unpaired="drop"),
    "completed.xes": lambda path: announced(path, complete_only="resource"),
}


@pytest.fixture
def file(tmp_path):
    def make(content, name="log.xes"):
        path = tmp_path / name
        alone = content.startswith(("<trace", "<event"))
        path.write_text(f"<log>{content}</log>" if alone else content)
        return path

    return make


@given(tracked_instances())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_logs_written_from_intervals_give_them_back(tmp_path, drawn):
    transitions = {"ON": "start", "OFF": "complete"}
    traces = [
        trace(*(event(a, t, transitions[state]) for t, a, state in as_events(rows)), name=n)
        for n, rows in enumerate(drawn)
    ]
    path = tmp_path / "log.xes"
    path.write_text(f"{HEADER}{''.join(traces)}</log>")
    since = [min([start for _, start, _ in rows], default=0) for rows in drawn]
    wanted = [[(a, s - t, e - t) for a, s, e in rows] for rows, t in zip(drawn, since, strict=True)]
    assert read_xes(path)[0].to_lists() == wanted


def test_traces_are_instances_by_name_with_labels_from_an_attribute(file):
    X, y = read_xes(file(PLAIN), activity="attribute:kind", group="attribute:concept:name")
    assert X.ids.tolist() == X.groups.tolist() == ["case 1", "case 2"]
    assert y.tolist() == ["short", "long"]
    assert X.to_lists() == [[("test", 0, 1.5), ("repair", 1, 3)], [("test", 0, 2)]]


def test_times_may_be_those_of_the_log(file):
    X, _ = read_xes(file(PLAIN), origin="log")
    assert X.to_lists() == [[("test", 0, 1.5), ("repair", 1, 3)], [("test", 6, 8)]]


def test_namespaces_may_have_a_prefix_and_case_does_not_matter(file):
    assert read_xes(file(PREFIXED))[0].to_lists() == [[("a", 0, 1)]]


def test_traces_without_a_name_go_by_their_number(file):
    assert read_xes(file(trace(pair("a", 0, 1)) * 2))[0].ids.tolist() == ["trace 1", "trace 2"]


def test_a_trace_without_events_is_an_instance_without_intervals(file):
    assert read_xes(file(trace() + trace(pair("a", 0, 1))))[0].to_lists() == [[], [("a", 0, 1)]]


def test_what_overlaps_itself_is_paired_first_in_first_out_with_a_count(file):
    events = [event("a", t, state) for t, state in enumerate(["start"] * 2 + ["complete"] * 2)]
    with pytest.warns(DataWarning, match="log.xes: 1 event starting what is already going on: f"):
        X, _ = read_xes(file(trace(*events)))
    assert X.to_lists() == [[("a", 0, 2), ("a", 1, 3)]]
    with pytest.raises(DataError, match="trace 'trace 1', event 2: 'a' starts, but goes on"):
        read_xes(file(trace(*events)), repeated="error")


def test_a_concept_instance_tells_what_goes_together(file):
    events = pair("a", 0, 3, instance="1"), pair("a", 1, 2, instance="2")
    assert read_xes(file(trace(*events)))[0].to_lists() == [[("a", 0, 3), ("a", 1, 2)]]


def test_the_resource_of_the_start_is_the_track(file):
    events = event("a", 0, "start", resource="Bo"), event("a", 1, "complete", resource="Al")
    path = file(trace(*events, pair("b", 0, 2)))
    assert read_xes(path, action="both")[0].to_lists() == [[("Bo: a", 0, 1), ("events: b", 0, 2)]]
    assert read_xes(path, tracks=["Bo"])[0].to_lists() == [[("a", 0, 1)]]


def test_other_transitions_are_left_out_with_a_count(file):
    pauses = event("a", 1, "suspend"), event("a", 2, "resume"), event("a", 2, "resume")
    path = file(trace(event("a", 0, "start"), *pauses, event("a", 4, "complete")))
    with pytest.warns(DataWarning, match=r"3 events with another .*\('resume', 'suspend'\)"):
        X, _ = read_xes(path)
    assert X.to_lists() == [[("a", 0, 4)]]


def test_a_start_timestamp_makes_an_interval(file):
    stamp = '<date key="start_timestamp" value="2020-01-01T10:00:{}+01:00"/></event>'
    events = [
        event("a", 4).replace("</event>", stamp.format("01")),
        event("b", 6.5, "complete").replace("</event>", stamp.format("04.250")),
        event("c", 9, "complete").replace("</event>", stamp.format("08")),
    ]
    X, _ = read_xes(file(trace(*events)))  # without a warning
    assert X.to_lists() == [[("a", 0, 3), ("b", 3.25, 5.5), ("c", 7, 8)]]


COMPLETED = trace(
    event("a", 1, resource="Bo"),
    event("b", 3, "complete", resource="Al"),
    event("c", 9, "Resolved", resource="Bo"),
    name="one",
) + trace(
    event("a", 2, "complete", resource="Al"),
    event("b", 12, resource="Bo"),
    event("c", 12, resource="Al"),
    name="two",
)


def test_what_is_only_completed_lasts_since_the_event_before_in_the_trace(file):
    with pytest.warns(DataWarning) as said:
        X, _ = read_xes(file(COMPLETED))
    assert X.to_lists() == [[("b", 0, 2), ("c", 2, 8)], [("b", 0, 10)]]
    messages = [str(warning.message) for warning in said]
    assert len(messages) == 2
    assert messages[0].startswith(
        "log.xes: 3 events without a start: each is taken to start when the event before it ends"
    )
    assert "complete_only='case'" in messages[0]
    assert messages[1].startswith("log.xes: 3 events without a start and without an earlier event")


def test_or_since_the_event_before_of_the_resource(file):
    with pytest.warns(DataWarning) as said:
        X, _ = read_xes(file(COMPLETED), complete_only="resource", origin="log")
    assert "3 events without a start: each is taken to start when" in str(said[0].message)
    assert "the same trace or resource (complete_only='resource')" in str(said[0].message)
    # Al was busy until 2, which is later than what came before in the trace
    assert X.to_lists() == [[("b", 1, 2), ("c", 2, 8)], [("b", 8, 11)]]


def test_or_is_a_point(file):
    path = file(COMPLETED)
    with pytest.raises(
        DataError, match="trace 'one', event 1 has no start, so it is a point .*drop"
    ):
        read_xes(path, complete_only="points")
    with pytest.warns(DataWarning, match="6 events without a start left out"):
        X, _ = read_xes(path, complete_only="points", points="drop")
    assert X.lengths.tolist() == [0, 0]
    X, _ = read_xes(path, complete_only="points", points="keep", min_duration=0.5)
    assert X.to_lists()[0] == [("a", 0, 0.5), ("b", 2, 2.5), ("c", 8, 8.5)]
    with pytest.raises(DataError, match="event 1 .*zero length"):
        read_xes(path, complete_only="points", points="keep")
    with pytest.warns(DataWarning, match="3 events without a start"):
        X, _ = read_xes(path, points="keep", min_duration=0.25)
    assert X.to_lists()[0] == [("a", 0, 0.25), ("b", 0, 2), ("c", 2, 8)]


def test_each_name_tells_by_itself_whether_it_is_only_completed(file):
    path = file(trace(pair("work", 1, 5), event("sent", 7, "complete"), event("work", 9, "start")))
    with pytest.raises(DataError, match="event 4: 'work' starts, but there is no stop"):
        read_xes(path)
    with pytest.warns(DataWarning, match="1 event without a"):
        X, _ = read_xes(path, unpaired="drop")
    assert X.to_lists() == [[("work", 0, 4), ("sent", 4, 6)]]


def test_traces_of_the_same_name_get_numbers(file):
    traces = trace(pair("a", 0, 1), name="x") * 2 + trace(name="x (2)") + trace(name="x")
    with pytest.warns(DataWarning, match="log.xes: 2 traces: of a name that another has; numbered"):
        X, _ = read_xes(file(traces))
    assert X.ids.tolist() == ["x", "x (3)", "x (2)", "x (4)"]


def test_the_outline_has_the_attributes_of_traces(file):
    (entry,) = FORMATS["xes"].outline(Files(file(PLAIN), (".xes",)))
    assert (entry.kind, entry.name, entry.number) == ("attribute", "kind", 2)
    assert entry.values == ("short", "long")
    assert entry.chosen_by == Option("activity", "attribute:kind")


def test_unpaired_events_are_refused_dropped_or_closed(file):
    begun = event("a", 0, "start"), event("b", 2, "complete"), pair("b", 2.5, 2.75)
    path = file(trace(*begun, pair("c", 3, 4)))
    with pytest.raises(DataError, match="event 2: 'b' stops, but there is no start"):
        read_xes(path)
    with pytest.warns(DataWarning, match="2 events without a partner left out"):
        assert read_xes(path, unpaired="drop")[0].to_lists() == [[("b", 2.5, 2.75), ("c", 3, 4)]]
    with pytest.warns(DataWarning, match="2 events without a partner closed"):
        X, _ = read_xes(path, unpaired="close")
    assert X.to_lists() == [[("b", 0, 2), ("a", 0, 4), ("b", 2.5, 2.75), ("c", 3, 4)]]


def test_events_outside_of_traces_are_counted(file):
    with pytest.warns(DataWarning, match="log.xes: 1 event outside of every trace left out"):
        read_xes(file(event("a", 0) + trace(pair("a", 0, 1))))


def test_compressed_files_of_a_folder_keep_their_traces_apart(tmp_path):
    for name in ("mon.xes.gz", "tue.xes.gz"):
        (tmp_path / name).write_bytes(gzip.compress(PLAIN.encode()))
    X, y = read_xes(tmp_path, activity="([a-z]+)[.]xes")
    assert X.ids.tolist()[:2] == ["mon.xes.gz#case 1", "mon.xes.gz#case 2"]
    assert y.tolist() == ["mon", "mon", "tue", "tue"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<logs/>", "begins with <logs>, not with <log>"),
        ("<log/>", "no <trace>"),
        ("<log>", "not XML"),
        ('<!DOCTYPE log [<!ENTITY a "b">]><log/>', "document type"),
        (trace(event("a", 0, "start").replace("time:", "")), "no event has a time:timestamp"),
        (
            trace(event("a", 0, "start"), event("a", 1).replace("time:", "")),
            "event 2 has no time:timestamp; give it one, or use unknown='drop'",
        ),
        (trace(event("", 0, "start")), "event 1 has no concept:name"),
        (trace(event("a", 0, "start").replace("2020-", "")), "event 1: the time .* not under"),
        (trace(event("a", 0, "start").replace("<event>", event("b", 0)[:-9])), "two attributes"),
    ],
)
def test_files_that_cannot_be_read_say_why(file, content, message):
    with pytest.raises(DataError, match=f"log.xes: .*{message}"):
        read_xes(file(content))


def test_a_missing_attribute_is_named_with_those_there_are(file):
    with pytest.raises(DataError, match="trace 1 has no attribute 'ward', .* its label; .* 'kind'"):
        read_xes(file(PLAIN), activity="attribute:ward")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"origin": "day"}, "origin"),
        ({"points": "close"}, "points"),
        ({"complete_only": "trace"}, "complete_only"),
        ({"unpaired": "keep"}, "unpaired"),
        ({"repeated": "keep"}, "repeated"),
        ({"instance": ["kind"]}, "instance=.'kind'. must be a name, as text"),
        ({"activity": 5}, "activity=5 must be a name, as text"),
        ({"activity": "attribute:"}, "needs the name of the attribute"),
        ({"activity": "track:events"}, "is not one of 'folder', 'file', 'attribute:...', and as"),
        ({"group": "variable:ward"}, "is not one of 'folder', 'file', 'attribute:...', and as"),
        ({"colour": 1}, "colour=1 is not an option of the format xes; there are instance=, "),
    ],
)
def test_options_are_checked(file, options, message):
    with pytest.raises(OptionError, match=message):
        read_xes(file(PLAIN), **options)


def test_loading_tells_the_events(file):
    assert load(file(PLAIN), format="xes").place(1) == "log.xes, trace 'case 1', event 3"


def test_events_without_a_name_or_a_time_can_be_left_out(file):
    events = pair("test", 1, 2), event("", 3), event("repair", 4).replace("time:", "")
    with pytest.warns(DataWarning, match="2 events without concept:name or time:timestamp"):
        X, _ = read_xes(file(trace(*events)), unknown="drop")
    assert X.to_lists() == [[("test", 0.0, 1.0)]]


def test_an_attribute_may_be_repeated_with_the_same_value(file):
    again = '<string key="concept:name" value="test"/>'
    events = pair("test", 1, 2).replace("<event>", f"<event>{again}")
    assert read_xes(file(trace(events)))[0].to_lists() == [[("test", 0.0, 1.0)]]


ORDERS = {
    "objectTypes": [],
    "eventTypes": [],
    "objects": [{"id": "o", "type": "order"}, {"id": "i", "type": "item"}],
    "events": [
        {"type": "place", "time": "2021-01-01T10:00:00Z", "relationships": [{"objectId": "o"}]},
        {"type": "send", "time": "2021-01-01T11:00:00Z", "relationships": [{"objectId": "o"}]},
        {"type": "ask", "time": "2021-01-01T12:00:00Z", "relationships": [{"objectId": "i"}]},
    ],
}


def test_objects_of_the_chosen_type_are_instances(tmp_path):
    path = tmp_path / "orders.json"
    path.write_text(json.dumps(ORDERS))
    with pytest.raises(DataError, match=r"several types, 'order' \(1\), 'item' \(1\), and those"):
        read(path)
    with pytest.raises(OptionError, match=r"is no type of objects; there are 'order'"):
        read(path, objects="visit")
    with pytest.warns(DataWarning) as caught:
        X, _ = read(path, objects="order")
    assert X.ids.tolist() == ["o"]
    assert X.to_lists() == [[("send", 0, 3600)]]
    said = " ".join(str(each.message) for each in caught)
    assert "1 event of no 'order', left out" in said
    assert "1 object type other than 'order' ('item'): not the instances" in said


def test_a_log_with_traces_has_no_types_of_objects(tmp_path):
    path = tmp_path / "repairs.xes"
    path.write_text("<log><trace/></log>")
    with pytest.raises(OptionError, match="chooses instances of OCEL"):
        read_xes(path, objects="order")
