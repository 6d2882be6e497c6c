"""Processes that work for this one: they end soon after it, even if it was killed."""

import multiprocessing
import os
import sys
import threading
import time
from typing import Any

import joblib

__all__ = ["Workers"]

GLANCE = 1.0  # seconds between looks at whether the parent is there


class Workers(joblib.Parallel):  # type: ignore[misc]
    """`joblib.Parallel` whose processes end when the one that started them is gone.

    Otherwise they would finish what they do, and then wait for minutes for more.

    Examples
    --------
    >>> Workers(n_jobs=1)(joblib.delayed(len)(word) for word in ["tea", "soup"])
    [3, 4]
    """

    def __init__(self, n_jobs: int | None, **options: Any) -> None:
        super().__init__(n_jobs, initializer=_follow, initargs=(os.getpid(),), **options)


def _follow(parent: int) -> None:
    """End this process when another is gone, if it was started for that one."""
    mine = multiprocessing.parent_process()
    if mine is not None and mine.pid == parent and sys.platform != "win32":
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
