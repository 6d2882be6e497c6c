"""How far learning has come, for people who wait for it, and its end when they do not."""

from collections.abc import Iterable, Iterator
from threading import Lock
from types import TracebackType
from typing import Any, Self

__all__ = ["Progress"]


class Progress:
    """What is learned, as it is done, on standard error if it is a terminal.

    Threads that still learn when an error or Ctrl-C ends the block are stopped.

    Parameters
    ----------
    shown : whether anything is shown
    """

    def __init__(self, shown: bool) -> None:
        self._bar: Any = None
        self._lock = Lock()
        self._sweeps, self._stopped = 0, False
        if shown:
            from rich import progress
            from rich.console import Console

            console = Console(stderr=True)
            if console.is_terminal:
                self._bar = progress.Progress(
                    *progress.Progress.get_default_columns()[:3],
                    progress.TimeElapsedColumn(),
                    progress.TextColumn("{task.fields[note]}"),
                    console=console,
                )
                self._task = self._bar.add_task("learning activities", total=None, note="")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopped = kind is not None
        if self._bar is not None:
            self._bar.stop()

    def watch(self, sweeps: int) -> None:
        """Say how many more sweeps of a sampler were run; raises where there is no use in more."""
        if self._stopped:
            raise KeyboardInterrupt
        with self._lock:
            self._sweeps += sweeps
        if self._bar is not None:
            self._bar.update(self._task, note=f"{self._sweeps:,} sweeps of tables")

    def track(self, done: Iterable[Any], total: int) -> Iterator[Any]:
        """Pass things on, and say how many of all are done."""
        if self._bar is not None:
            self._bar.update(self._task, total=total)
        for each in done:
            if self._bar is not None:
                self._bar.advance(self._task)
            yield each
