"""Processes that work for this one: they end soon after it, even if it was killed."""

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any, Generic, TypeVar

__all__ = ["Followed"]

T = TypeVar("T")

GLANCE = 1.0  # seconds between looks at whether the parent is there


class Followed(Generic[T]):
    """A function for workers; one that has called it ends when the process that asked is gone.

    Otherwise joblib's workers would finish what they do, and then wait for minutes for more.

    Examples
    --------
    >>> count = Followed(len)
    >>> count("abc")  # nothing else happens in the process itself
    3
    """

    def __init__(self, function: Callable[..., T]) -> None:
        self.function, self.asker = function, os.getpid()

    def __call__(self, *values: Any) -> T:
        """Call the function."""
        parent = multiprocessing.parent_process()
        if parent is not None and parent.pid == self.asker and sys.platform != "win32":
            _follow(self.asker)
        return self.function(*values)


@cache
def _follow(parent: int) -> None:
    threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: int) -> None:
    direct = os.getppid() == parent  # otherwise another process started this one, or it is late
    while os.getppid() == parent if direct else _exists(parent):
        time.sleep(GLANCE)
    os._exit(1)


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user
        return True
    return True
