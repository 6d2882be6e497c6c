"""Reads a feed until it ends or is stopped, and neither loses nor repeats anything."""

import time
from collections.abc import Callable
from operator import index

from ibgn.errors import DataError
from ibgn.live.checkpoint import Checkpoint
from ibgn.live.feeds.base import Feed
from ibgn.live.output import Output
from ibgn.live.service import Record, Service
from ibgn.text import count

__all__ = ["Listener"]

WAIT = 0.1  # seconds after which something else is looked at, when nothing happens
MOST_UNSAVED = 20_000  # messages between two checkpoints


class Listener:
    """Passes messages from a feed to a service, and the service's records to an output.

    The output is written to disk first, then the checkpoint, which holds the effect of all
    messages, and only then are they acknowledged. If it is killed at any moment, the next run
    resumes from the last checkpoint: later messages are read again, and give the same lines.

    Parameters
    ----------
    feed, service, output : what is connected
    checkpoint : file for the state that must survive; None for no checkpoint
    say : called with messages for people
    every : seconds between two checkpoints
    summary_every : seconds between two summaries; None for none

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ibgn import IBGNClassifier, LiveRecogniser
    >>> from ibgn.live.complaints import Complaints
    >>> from ibgn.live.feeds import FileFeed
    >>> X = [[("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 2), ("pour", 1, 5)]] * 2
    >>> model = IBGNClassifier(random_state=0).fit(X, ["tea", "coffee"] * 2)
    >>> events = Path(tempfile.mkdtemp()) / "events.jsonl"
    >>> _ = events.write_text('{"kind": "start", "time": 0, "action": "grind"}')
    >>> service = Service(LiveRecogniser(model), Complaints(print), report="end")
    >>> listener = Listener(FileFeed(events), service, Output(None), None, print)
    >>> listener.begin()
    >>> listener.run()
    >>> listener.summary()
    'took 1 event of 1 stream; wrote 0 lines'
    >>> listener.feed.close()
    """

    def __init__(
        self,
        feed: Feed,
        service: Service,
        output: Output,
        checkpoint: Checkpoint | None,
        say: Callable[[str], None],
        every: float = 1.0,
        summary_every: float | None = None,
    ) -> None:
        self.feed, self.service, self.output = feed, service, output
        self.checkpoint, self.say = checkpoint, say
        self.every, self.summary_every = every, summary_every
        self.is_stopped = self.is_asked = False
        self._unsaved = 0

    def begin(self, again: bool = False) -> None:
        """Open the output, and resume from the checkpoint if there is one."""
        kept = None if self.checkpoint is None or again else self.checkpoint.load()
        if kept is None:
            self.save()  # so that the next run knows that the output is ours
            self.output.open()
            return
        try:
            head = kept.head
            self.output.open(head["output"])
            self.feed.resume(head["input"])
            counts = {str(cause): index(number) for cause, number in head["counts"].items()}
            self.service.complaints.counts.update(counts)
            self.service.restore(kept.streams)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError("the checkpoint cannot be restored; begin with another") from error
        self.say(f"resuming after {count(self.output.lines, 'line')} of output")

    def run(self) -> None:
        """Listen until the feed ends or `stop` is called."""
        saved = said = time.monotonic()
        while not self.is_stopped:
            messages = self.feed.read(WAIT)
            if messages is None:
                self._write(self.service.flush())
                break
            for message in messages:
                self._write(self.service.take(message))
            self.output.flush()
            self._unsaved += len(messages)
            now = time.monotonic()
            if self._unsaved and (now - saved >= self.every or self._unsaved >= MOST_UNSAVED):
                self.save()
                saved = time.monotonic()
            if self.is_asked or (self.summary_every and now - said >= self.summary_every):
                self.is_asked, said = False, now
                self.say(self.summary())
        self.save()

    def stop(self) -> None:
        """End `run` soon; may be called by another thread, or when a signal arrives."""
        self.is_stopped = True

    def ask(self) -> None:
        """Print a summary soon; may be called by another thread, or when a signal arrives."""
        self.is_asked = True

    def save(self) -> None:
        """Save the effect of all messages so far, and acknowledge them."""
        position = self.output.position()
        if self.checkpoint is not None:
            head = {
                "output": position,
                "input": self.feed.position(),
                "counts": self.service.complaints.counts,
            }
            self.checkpoint.save(head, self.service.states())
        self.feed.acknowledge()
        self._unsaved = 0

    def summary(self) -> str:
        """What has happened so far, in a sentence."""
        counts = sorted(self.service.complaints.counts.items())
        others = "".join(f", {number} {cause}" for cause, number in counts)
        inboxes = [stream.inbox for stream in self.service.streams.values()]
        waiting = sum(len(inbox.waiting) for inbox in inboxes)
        wait = f", {waiting} of which wait for others" if waiting else ""
        taken = count(sum(inbox.counts["taken"] for inbox in inboxes), "event")
        streams, lines = count(len(inboxes), "stream"), count(self.output.lines, "line")
        return f"took {taken} of {streams}{wait}{others}; wrote {lines}"

    def _write(self, records: list[Record]) -> None:
        for record in records:
            self.output.write(record)
