"""How kernels are compiled, and the word to the user when that takes a while."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import event

from ibgn._kernels.cache import ForgivingCache

P = ParamSpec("P")
R = TypeVar("R")

PATIENCE_SECONDS = 2.0
KERNELS: list[Any] = []  # all that were imported


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on first call, cache on disk, run without the interpreter's lock."""
    return _compile(function)


def vector_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel in which dividing by 0 is no error, so that loops can use vector instructions."""
    return _compile(function, error_model="numpy")


def _compile(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    compiled = numba.njit(nogil=True, **options)(function)
    with suppress(RuntimeError):  # no folder to cache in: neither the package's nor the user's
        compiled._cache = ForgivingCache(function)
    KERNELS.append(compiled)
    return cast("Callable[P, R]", compiled)


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C during a kernel that takes a generator ends in a SystemError; make it one again."""
    try:
        yield
    except SystemError as error:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, KeyboardInterrupt):
                raise KeyboardInterrupt from error
            cause = cause.__cause__ or cause.__context__
        raise


def cache_folder() -> str | None:
    """Where compiled kernels are kept; None if those of some are not."""
    caches = [each._cache for each in KERNELS]
    if not all(isinstance(cache, ForgivingCache) and cache._enabled for cache in caches):
        return None
    return str(caches[0].cache_path) if caches else None


class Compilations(event.Listener):  # type: ignore[misc]
    """Counts what is compiled of ibgn: each kernel for each set of types."""

    def __init__(self) -> None:
        self.number = 0

    def on_start(self, event: Any) -> None:
        """Count one more."""
        self.number += _is_ours(event)

    def on_end(self, event: Any) -> None:
        """Need nothing more."""


class CompileNotice(event.Listener):  # type: ignore[misc]
    """Says on standard error that kernels are being compiled, once it takes long.

    Kernels of ibgn only; a cached kernel starts no compilation and so says nothing. A kernel that
    calls another compiles it on the way: such nested events belong to the outermost one. Time adds
    up over kernels, and the notice comes once. A default fit takes 15 to 25 seconds to compile.
    """

    message = (
        "compiling kernels, about 20 seconds, once after installation; later runs start at once. "
        "`ibgn compile` does this ahead of time"
    )

    def __init__(self) -> None:
        self._depth = 0
        self._spent = 0.0
        self._begun = 0.0
        self._timer: threading.Timer | None = None

    def _say(self) -> None:
        print(f"ibgn: {self.message}", file=sys.stderr, flush=True)

    def on_start(self, event: Any) -> None:
        """Start the clock when the outermost compilation begins."""
        if not _is_ours(event):
            return
        self._depth += 1
        if self._depth == 1 and self._spent < PATIENCE_SECONDS:
            self._begun = time.perf_counter()
            self._timer = threading.Timer(PATIENCE_SECONDS - self._spent, self._say)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """Stop the clock when the outermost compilation ends."""
        if not _is_ours(event):
            return
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._spent += time.perf_counter() - self._begun


def _is_ours(event: Any) -> bool:
    return str(event.data["dispatcher"].py_func.__module__).startswith("ibgn.")


NOTICE = CompileNotice()
event.register("numba:compile", NOTICE)
