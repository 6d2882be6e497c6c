"""Fitted models as files: described by one line of JSON, with packed arrays, without pickle.

A file is a line with the version and the SHA-256 of all that follows, so that any altered byte is
noticed; a line of JSON, in which an array is a number, used once; and all arrays one after the
other, by zlib. `head -2` shows all but the arrays. The SHA-256 proves no origin: who forges a file
can compute it too. So nothing in a file is run or imported, sizes are known before anything is
unpacked, and all is checked against the rest, since kernels trust their arrays.
"""

from ibgn.persistence.files import load, save

__all__ = ["load", "save"]
