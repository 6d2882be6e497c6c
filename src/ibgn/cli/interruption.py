"""Ctrl-C: a command that is stopped says so in every phase, and what the same command does next."""

import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, Self

from ibgn.cli.flags import given_flags
from ibgn.cli.output import say

__all__ = ["STOPPED", "Interruption", "resumable"]

STOPPED = 130  # exit code of what SIGINT ends, as shells have it
AGAIN = 0.05  # seconds until an interruption that got lost is repeated


class _Next(str):
    """A note on what the same command does next; Python and other packages add notes of theirs."""

    __slots__ = ()


class Interruption:
    """Whether Ctrl-C was pressed, even where a library made another error of it, or lost it."""

    def __init__(self) -> None:
        self.happened = False
        self._repetition: threading.Timer | None = None

    def __enter__(self) -> Self:
        self._hook = sys.unraisablehook
        # where signals are ignored, as behind nohup, they stay so
        self._is_heard = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if self._is_heard:
            signal.signal(signal.SIGINT, self._interrupt)
            sys.unraisablehook = self._repeat
        return self

    def __exit__(self, *_: object) -> None:
        if self._repetition is not None:
            self._repetition.cancel()  # nobody waits for it any more
            self._repetition.join()
        if self._is_heard:
            sys.unraisablehook = self._hook
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _interrupt(self, *_: object) -> NoReturn:
        self.happened = True
        raise KeyboardInterrupt

    def _repeat(self, lost: Any) -> None:
        """Interrupt again after an interruption in a callback, which Python prints and forgets."""
        if issubclass(lost.exc_type, KeyboardInterrupt):
            self._repetition = threading.Timer(AGAIN, _interrupt_main_thread)
            self._repetition.start()
        else:
            self._hook(lost)

    def ended(self, error: BaseException) -> bool:
        """Whether the command ends in this because of an interruption."""
        if isinstance(error, SystemExit) and not error.code:
            return False  # it was complete already
        return self.happened or any(isinstance(each, KeyboardInterrupt) for each in _chain(error))

    def exit(self, error: BaseException) -> NoReturn:
        """Say that the command was stopped, and exit."""
        if self._is_heard:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # impatience changes nothing any more
        notes = (note for each in _chain(error) for note in getattr(each, "__notes__", ()))
        ours = (note for note in notes if isinstance(note, _Next))
        say(f"stopped; {next(ours, 'the same command begins again')}")
        sys.exit(STOPPED)


def _interrupt_main_thread() -> None:
    main = threading.main_thread().ident
    if main is not None and sys.platform != "win32":
        signal.pthread_kill(main, signal.SIGINT)  # which wakes it, too
    else:
        signal.raise_signal(signal.SIGINT)


@contextmanager
def resumable(journal: Path | None, outputs: Iterable[Path] = ()) -> Iterator[None]:
    """Note on what stops the work that the same command resumes, if there is a journal by then.

    outputs : what is written on the way; where one is there, the same command needs --force
    """
    try:
        yield
    except BaseException as stop:
        if journal is not None and journal.exists():
            forced = "force" in given_flags() or not any(path.exists() for path in outputs)
            with_force = "" if forced else " with --force"
            stop.add_note(_Next(f"the same command{with_force} resumes from {journal}"))
        raise


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
