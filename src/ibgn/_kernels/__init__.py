"""Compiled loops: arrays in, arrays out; no strings, no objects.

Nothing is compiled on import. A kernel is compiled on its first call and cached on disk for the
next run; it releases the interpreter's lock, so that callers can run it in threads.
"""

from ibgn._kernels.compile import kernel

__all__ = ["kernel"]
