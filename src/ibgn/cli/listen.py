"""The command that recognises while it happens: listen."""

import hashlib
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ibgn.cli.flags import given_flags
from ibgn.cli.loading import load_recogniser
from ibgn.cli.options import Model
from ibgn.cli.output import busy, say, warnings_aloud
from ibgn.cli.predictions import FalseAlarm, Rejection, UnknownActivities
from ibgn.cli.targets import STANDARD, writes
from ibgn.errors import Option, OptionError
from ibgn.text import count

if TYPE_CHECKING:
    from ibgn.live.checkpoint import Checkpoint
    from ibgn.live.feeds import Feed
    from ibgn.live.listener import Listener
    from ibgn.live.service import Service


@writes(resumed_by="checkpoint", output="either", checkpoint="file")
def listen(
    model: Model,
    events: Annotated[
        Path,
        typer.Argument(
            metavar="EVENTS", help="File with a JSON object per line; - is standard input."
        ),
    ] = STANDARD,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write, by default standard output."),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="File to go on from after a stop, a crash or a kill; made if needed."),
    ] = None,
    report: Annotated[
        Literal["change", "event", "end"],
        typer.Option(
            help="What is worth a line, beside the end of each instance: a change of the likeliest "
            "activity, every event, or nothing else."
        ),
    ] = "change",
    error: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Say a decision as soon as at most this share of them is wrong; of a model that "
            "`ibgn fit --early` wrote.",
        ),
    ] = None,
    unknown_activities: UnknownActivities = "accept",
    false_alarm: FalseAlarm = 0.05,
    lateness: Annotated[
        float, typer.Option(help="How much later than others an event may come, in its unit.")
    ] = 0.0,
    leap: Annotated[
        float | None,
        typer.Option(help="How far ahead of all others an event may be, unless another agrees."),
    ] = None,
    pause: Annotated[
        float | None,
        typer.Option(help="Time without any action after which an instance is over."),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Wait for more at the end of a file.")
    ] = False,
    socket: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Listen at a port of this machine, at HOST:PORT, or at the path of a Unix socket.",
        ),
    ] = None,
    mqtt: Annotated[
        str | None,
        typer.Option(
            metavar="BROKER",
            help="Subscribe to topics of a broker: HOST, HOST:PORT or mqtts://USER@HOST.",
        ),
    ] = None,
    topic: Annotated[
        list[str] | None,
        typer.Option(help="Topic to subscribe to, by default ibgn/#; repeatable."),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name by which the broker knows this listener, by default from --checkpoint.",
        ),
    ] = None,
    every: Annotated[float, typer.Option(help="Seconds between two checkpoints.")] = 1.0,
    summary: Annotated[
        float | None,
        typer.Option(help="Seconds between two summaries, by default one at the end."),
    ] = None,
) -> None:
    """Recognise while it happens: events in, a JSON line for every change and every end out.

    Events are JSON objects, one per line, with kind (start, end, finish, tick, cancel, rename),
    time and action. Events that are damaged, late or repeated are counted, with a reason on
    standard error. Ctrl-C and SIGTERM end it, SIGUSR1 asks for a summary.

    $ ibgn listen takes.ibgn events.jsonl
    $ ibgn listen takes.ibgn --socket kitchen.sock --checkpoint kitchen.checkpoint -o kitchen.jsonl
    $ ibgn listen takes.ibgn --mqtt localhost --topic 'home/+/events' --checkpoint home.checkpoint
    """
    from ibgn.live import LiveRecogniser
    from ibgn.live.complaints import Complaints
    from ibgn.live.listener import Listener
    from ibgn.live.output import Output
    from ibgn.live.service import Service

    _check_source(events, socket, mqtt, topic)
    rejection = Rejection(unknown_activities, false_alarm)
    rejection.check_options()
    if output is not None and output.is_dir():
        raise OptionError("output", str(output), "is a folder; name a file")
    for name, seconds in (("every", every), ("summary", summary)):
        if seconds is not None and not 0 < seconds < float("inf"):
            raise OptionError(name, seconds, "must be a positive number of seconds")
    options: dict[str, Any] = {
        "lateness": lateness,
        "leap": leap,
        "pause": pause,
        "report": report,
        "error": error,
        "false_alarm": false_alarm if rejection.active else None,
    }
    to = "standard output" if output is None else "a file"
    with _keeping(checkpoint, model, options | {"output": to}) as kept:
        with busy(f"loading {model.name}"):
            live = LiveRecogniser(load_recogniser(model))
        with warnings_aloud():
            service = Service(live, Complaints(say), **options)
        feed = _open_feed(events, follow, socket, mqtt, topic, session or _name_session(checkpoint))
        written = Output(output)
        listener = Listener(feed, service, written, kept, say, every, summary)
        try:
            with _heeding_signals(listener):
                listener.begin(again="force" in given_flags())
                listener.run()
        finally:
            feed.close()
            written.close()
    say(listener.summary())
    if not listener.is_stopped:  # the events are over
        _advise(service, checkpoint)


def _advise(service: "Service", checkpoint: Path | None) -> None:
    """Say what may be missing, where events are over and less was reported than expected."""
    if not service.streams and service.complaints.counts["malformed"]:
        say("warning: no line is an event; `ibgn predict` recognises recordings, such as CSV files")
    unfinished = sum(stream.is_unfinished for stream in service.streams.values())
    if unfinished and checkpoint is None:
        say(
            f"{count(unfinished, 'instance')} did not end; send a finish event after each, or set "
            "--pause to the time without any action after which an instance is over"
        )


def _check_source(
    events: Path, socket: str | None, mqtt: str | None, topic: list[str] | None
) -> None:
    """Refuse several sources of events, and an address that is none, before the work."""
    from ibgn.live.feeds.mqtt import check_topics, parse_broker
    from ibgn.live.feeds.sockets import parse_address

    if topic is not None and mqtt is None:
        raise OptionError("topic", topic, "is of a broker, which ", Option("mqtt"), " names")
    check_topics(topic or [])
    if socket is not None:
        parse_address(socket)
    if mqtt is not None:
        parse_broker(mqtt)
    if (events != STANDARD) + (socket is not None) + (mqtt is not None) > 1:
        name, value = ("mqtt", mqtt) if mqtt is not None else ("socket", socket)
        raise OptionError(name, value, "is a second source of events; run one command for each")


@contextmanager
def _keeping(
    path: Path | None, model: Path, options: dict[str, Any]
) -> "Iterator[Checkpoint | None]":
    """A checkpoint that only this process uses."""
    from ibgn._files import reading
    from ibgn._inputs import open_input
    from ibgn.live.checkpoint import Checkpoint, load_checkpoint

    if path is None:
        yield None
        return
    if path.exists() and "force" not in given_flags():
        load_checkpoint(path)  # what is none is refused before the model is read
    with reading(model), open_input(model) as file:
        digest = hashlib.sha256(file.read())
    checkpoint = Checkpoint(path, {"model": digest.hexdigest()} | options)
    try:
        yield checkpoint
    finally:
        checkpoint.close()


def _open_feed(
    events: Path,
    follow: bool,
    socket: str | None,
    mqtt: str | None,
    topics: list[str] | None,
    session: str | None,
) -> "Feed":
    from ibgn.live.feeds import FileFeed, MqttFeed, SocketFeed
    from ibgn.live.feeds.mqtt import parse_broker
    from ibgn.live.feeds.sockets import parse_address

    if mqtt is not None:
        return MqttFeed(parse_broker(mqtt), topics or ["ibgn/#"], session, say)
    if socket is None:
        return FileFeed(None if events == STANDARD else events, follow)
    feed = SocketFeed(parse_address(socket))
    where = feed.address.path or f"{feed.address.host}:{feed.address.port}"
    say(f"listening at {where}")
    if not feed.address.is_local:
        say("warning: whoever reaches this address can send events")
    return feed


def _name_session(checkpoint: Path | None) -> str | None:
    """A name that is the same the next time, and another for another checkpoint."""
    if checkpoint is None:
        return None
    where = f"{os.uname().nodename if hasattr(os, 'uname') else ''}:{checkpoint.resolve()}"
    return f"ibgn-{hashlib.sha256(where.encode('utf-8', 'replace')).hexdigest()[:16]}"


@contextmanager
def _heeding_signals(listener: "Listener") -> Iterator[None]:
    """Stop after Ctrl-C and SIGTERM, and say a summary after SIGUSR1."""
    reactions: dict[str, Callable[[], None]] = {
        "SIGINT": listener.stop,
        "SIGTERM": listener.stop,
        "SIGUSR1": listener.ask,
    }
    before = {}
    for name, react in reactions.items():
        number = getattr(signal, name, None)  # Windows lacks the last
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, lambda *_, react=react: react())
    try:
        yield
    finally:
        for number, reaction in before.items():
            signal.signal(number, reaction)
