"""The posterior as it happens: lines of `ibgn listen`, read while it writes them."""

import json
import math
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ibgn.live.feeds import FileFeed

__all__ = ["Following"]

KEPT = 2000  # records of each stream
STREAMS = 200  # of which records are kept
BEAT = 0.2  # seconds between two looks at the file


class Following:
    """Follows a file that `ibgn listen --output` writes.

    Parameters
    ----------
    path : the file
    tell : called with the kind of news, and each record
    """

    def __init__(self, path: Path, tell: Callable[[str, dict[str, Any]], None]) -> None:
        self.path, self.tell = path, tell
        self.records: dict[str, deque[dict[str, Any]]] = {}
        self.problem = ""
        self._feed = FileFeed(path, follow=True)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="following")

    def begin(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def stop(self) -> None:
        """Follow no more."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._feed.close()

    def state(self) -> dict[str, Any]:
        """What was read so far, by stream."""
        streams = {name: list(records) for name, records in self.records.items()}
        return {"file": self.path.name, "problem": self.problem, "streams": streams}

    def _run(self) -> None:
        try:
            while not self._stopped.is_set():
                for message in self._feed.read(BEAT) or ():
                    self._take(message.text)
        except (OSError, ValueError) as error:  # the page goes on, and says why this does not
            self.problem = str(error)
            self.tell("live", {"problem": self.problem})

    def _take(self, line: bytes) -> None:
        record = parse_record(line)
        if record is None:
            return
        name = record["stream"]
        if name not in self.records:
            if len(self.records) >= STREAMS:
                return
            self.records[name] = deque(maxlen=KEPT)
        self.records[name].append(record)
        self.tell("live", record)


def parse_record(line: bytes) -> dict[str, Any] | None:
    """A record of `ibgn listen`, with what a page shows of it; None for any other line.

    Examples
    --------
    >>> line = b'{"line": 1, "instance": 1, "kind": "end", "time": 2, "posterior": {"tea": 1.0}}'
    >>> parse_record(line)
    {'stream': '', 'instance': 1, 'kind': 'end', 'time': 2.0, 'posterior': {'tea': 1.0}}
    >>> parse_record(b"damaged") is None
    True
    """
    try:
        given = json.loads(line)
        posterior = {str(label): float(p) for label, p in given["posterior"].items()}
        time, instance, kind = float(given["time"]), int(given["instance"]), str(given["kind"])
        stream = str(given.get("stream", ""))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return None
    if not all(map(math.isfinite, [time, *posterior.values()])):
        return None
    said = {"stream": stream, "instance": instance, "kind": kind, "time": time}
    return said | {"posterior": posterior}
