"""Recognising while it happens: events per second and how long each takes, and what the past costs.

Run with `python -m benchmarks.live`; part of `make bench`. Ten activities, twenty actions, a
posterior after every event. Rooms take turns: each has a recogniser and instances of its own, whose
events come in the order of time. In the long instance two intervals go on from the first event to
the last, so that every other one relates to them. A service reads lines, and makes records. Rates
are per second of the processor, latencies by the clock.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.children import Memory, in_child
from benchmarks.growth import ACTIVITIES, LENGTH, simulate
from benchmarks.record import Measured, Point, show
from ibgn import IBGNClassifier, LiveRecogniser
from ibgn.live import Event
from ibgn.live.complaints import Complaints
from ibgn.live.feeds import Message
from ibgn.live.service import Service

ROOMS = (1, 10, 1_000)
STREAMS = 10  # of a service
EVENTS = 100_000
PASTS = (1_000, 10_000, 90_000)  # intervals before those that are measured
WINDOW = 1_000  # events
TRAINED = 2_000  # instances
CHILD = "benchmarks.live"


class Moment(NamedTuple):
    """An event of one interval; ends come before starts."""

    time: float
    starts: bool
    key: int
    action: str


def as_moments(instance: Sequence[tuple[str, float, float]]) -> list[Moment]:
    """Starts and ends in the order of time."""
    return sorted(
        Moment(at, starts, key, action)
        for key, (action, start, end) in enumerate(instance)
        for at, starts in ((start, True), (end, False))
    )


def follow(live: LiveRecogniser, moment: Moment) -> None:
    """Take an event, and say how likely each activity is."""
    (live.start if moment.starts else live.end)(moment.action, moment.time, moment.key)
    live.posterior()


def make_live() -> LiveRecogniser:
    """Of ten activities, compiled."""
    X, y = simulate(TRAINED, LENGTH)
    live = LiveRecogniser(IBGNClassifier(random_state=0).fit(X, y))
    for instance in X[:20].to_lists():
        for moment in as_moments(instance):
            follow(live, moment)
        live.finish()
    return live


def measure_rooms(rooms: int, events: int) -> dict[str, float]:
    """Rate and latencies of some recognisers that take turns, and the memory of all."""
    first = make_live()
    memory = Memory()
    recognisers = [first.another() for _ in range(rooms)]
    megabytes = memory.peak()
    per_instance = 2 * LENGTH
    instances = simulate(max(events // per_instance, rooms), LENGTH, seed=1)[0].to_lists()
    taken = []
    before = time.process_time()
    for room, moment in _take_turns(instances, rooms):
        begun = time.perf_counter()
        if moment is None:
            recognisers[room].finish()
        else:
            follow(recognisers[room], moment)
        taken.append(time.perf_counter() - begun)
    spent = time.process_time() - before
    return {
        "rate": len(taken) / spent,
        "median": float(np.median(taken)),
        "p99": float(np.quantile(taken, 0.99)),
        "highest": max(taken),
        "megabytes": megabytes,
    }


def _take_turns(instances: Sequence[Any], rooms: int) -> Iterator[tuple[int, Moment | None]]:
    """An event of each room after the other; None where an instance is over."""
    for group in range(0, len(instances) - rooms + 1, rooms):
        streams = [as_moments(instance) for instance in instances[group : group + rooms]]
        for n in range(2 * LENGTH):
            for room, moments in enumerate(streams):
                yield room, moments[n]
        yield from ((room, None) for room in range(rooms))


def measure_service(streams: int, events: int) -> float:
    """Events of several streams per second of the processor, as lines in and records out."""
    service = Service(make_live(), Complaints(lambda words: None))
    instances = simulate(max(events // (2 * LENGTH), streams), LENGTH, seed=1)[0].to_lists()
    messages, begin, last = [], np.zeros(streams), np.zeros(streams)
    for stream, moment in _take_turns(instances, streams):
        name = f"room {stream}"
        if moment is None:
            event = Event("finish", last[stream], stream=name)
            begin[stream] = last[stream] + 1
        else:
            last[stream] = begin[stream] + moment.time
            kind = "start" if moment.starts else "end"
            event = Event(kind, last[stream], moment.action, name, moment.key)
        messages.append(Message(json.dumps(event.as_json()).encode(), "a line"))
    before = time.process_time()
    for message in messages:
        service.take(message)
    return len(messages) / (time.process_time() - before)


def measure_past(pasts: Sequence[int]) -> dict[str, list[float]]:
    """Seconds of the processor for a thousand events after so many intervals, and the peak."""
    live = make_live()
    memory = Memory()
    instance = simulate(1, max(pasts) + WINDOW, seed=2)[0].to_lists()[0]
    last = max(end for _, _, end in instance) + 1
    names = sorted({action for action, _, _ in instance})
    moments = as_moments([(names[0], 0.0, last), (names[1], 0.0, last), *instance])
    seconds, peaks = [], []
    done = 0
    for past in pasts:
        while live.timeline.number < past:
            follow(live, moments[done])
            done += 1
        before = time.process_time()
        for moment in moments[done : done + WINDOW]:
            follow(live, moment)
        seconds.append(time.process_time() - before)
        peaks.append(memory.peak())
        done += WINDOW
    return {"seconds": seconds, "peaks": peaks}


def measure_yardstick() -> float:
    """Seconds of the processor to recognise one instance that is over."""
    model = make_live().model
    X = simulate(100, LENGTH, seed=1)[0]
    before = time.process_time()
    for n in range(len(X)):
        model.predict_proba(X[n : n + 1])
    return (time.process_time() - before) / len(X)


def measure(
    rooms: Sequence[int] = ROOMS, events: int = EVENTS, pasts: Sequence[int] = PASTS
) -> Measured:
    """Rates against recognising whole instances, and the growth with the past."""
    whole = in_child(CHILD, "measure_yardstick")
    runs = {n: in_child(CHILD, "measure_rooms", rooms=n, events=events) for n in rooms}
    past = in_child(CHILD, "measure_past", pasts=pasts)
    service = in_child(CHILD, "measure_service", streams=STREAMS, events=events)
    ratios = {
        f"event of {n:,} recognisers, against recognising a whole instance": whole * run["rate"]
        for n, run in runs.items()
    }
    ratios[f"event of a service of {STREAMS} streams, against the same"] = whole * service
    first, last = past["seconds"][0], past["seconds"][-1]
    ratios[f"event after {pasts[-1]:,} intervals, against one after {pasts[0]:,}"] = first / last
    curve = [
        Point(size=size, seconds=seconds, peak_mb=peak)
        for size, seconds, peak in zip(pasts, past["seconds"], past["peaks"], strict=True)
    ]
    notes = [
        f"{n:,} recognisers: {run['rate']:,.0f} events per second, {1e6 * run['median']:.0f} us "
        f"each, 99 % below {1e6 * run['p99']:.0f} us, all below {1e3 * run['highest']:.1f} ms, "
        f"{run['megabytes']:.0f} MB"
        for n, run in runs.items()
    ]
    notes.append(
        f"a service of {STREAMS} streams: {service:,.0f} events per second, from lines to records"
    )
    notes.append(f"{ACTIVITIES} activities; a whole instance takes {1e6 * whole:,.0f} us")
    return Measured(ratios, {f"{WINDOW:,} events after so many intervals": curve}, notes)


if __name__ == "__main__":
    print("\n".join(show({"live": measure(events=int((*sys.argv[1:], EVENTS)[0]))})))
