"""Fitted models as files: described by one line of JSON, with packed arrays, without pickle.

A file has a line with the version and the SHA-256 of all that follows, so that any altered byte is
noticed; a line of JSON, in which an array is a number, used once; and all arrays one after the
other, compressed by zlib. `head -2` shows all but the arrays. The SHA-256 does not prove the
origin: a forger can compute it too. So nothing in a file is run or imported, sizes are known before
anything is unpacked, and all parts are checked against each other, as kernels trust their arrays.
"""

from ibgn.persistence.files import load, save, written_by

__all__ = ["load", "save", "written_by"]
