"""Compiled kernels on disk, kept where that works and done without where it does not."""

import sys
from typing import Any

from numba.core.caching import FunctionCache

__all__ = ["ForgivingCache"]


class ForgivingCache(FunctionCache):  # type: ignore[misc]
    """A cache of one kernel whose files may be damaged, foreign, read-only or on a full disk.

    What cannot be loaded is compiled, and what cannot be saved is not: neither stops the caller.
    The user is told once per process, as every kernel has the same folder.
    """

    said = False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for these types, or None; a damaged cache is emptied."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # damaged pickles raise anything
            self._say("read", error)
            self._empty()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if that is possible."""
        try:
            super().save_overload(sig, data)
        except Exception as error:  # as above: the index is read before it is saved
            self._say("written", error)
            self.disable()

    def _empty(self) -> None:
        try:
            self.flush()
        except OSError:
            self.disable()

    def _say(self, what: str, error: Exception) -> None:
        if not ForgivingCache.said:
            ForgivingCache.said = True
            print(
                f"ibgn: compiled kernels in {self.cache_path!r} cannot be {what} "
                f"({type(error).__name__}: {error}); compiling them for this run. Another folder: "
                "set NUMBA_CACHE_DIR",
                file=sys.stderr,
                flush=True,
            )
