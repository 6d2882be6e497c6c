"""Files damaged by chance, and what must become of them: an error that helps, or a valid X."""

import re
import warnings

import numpy as np

from ibgn import DataError, IntervalSequences
from ibgn.recordings import SensorRecording

NUMBER = re.compile(rb"[0-9]+(\.[0-9]+)?")
ODD = (
    *(b"nan", b"inf", b"1e999", b"-1", b"0", b"null", b"9" * 40, b"1" * 5000, b"", b"0x10", b"--"),
    *(b"\x00", b"1,5", b"\xff", b'"', b",", b"\n", b"<", b"&#0;"),
)


def mutate(content, rng):
    """Flip, delete, insert or repeat bytes, swap a number, or cut the file short."""
    data = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(len(data) + 1))
        size = int(rng.integers(1, 20))
        kind = rng.integers(6)
        if kind == 0 and place < len(data):
            data[place] = int(rng.integers(256))
        elif kind == 1:
            del data[place : place + size]
        elif kind == 2:
            data[place:place] = rng.bytes(size)
        elif kind == 3:
            data[place:place] = data[place : place + size]
        elif kind == 4:
            numbers = list(NUMBER.finditer(bytes(data)))
            if numbers:
                found = numbers[rng.integers(len(numbers))]
                data[found.start() : found.end()] = ODD[rng.integers(len(ODD))]
        else:
            del data[place:]
    return bytes(data)


def check_damaged(content, read, path, rng, times=300):
    """Read damaged files; gives how many could be read and how many were refused."""
    outcomes = {"read": 0, "refused": 0}
    for _ in range(times):
        path.write_bytes(mutate(content, rng))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = read(path)
            except DataError:
                outcomes["refused"] += 1
                continue
        check_valid(found)
        outcomes["read"] += 1
    return outcomes


def check_valid(found):
    """What a reader gives: recordings of sensors, with labels or without, or (X, y)."""
    recordings = found[0] if isinstance(found, tuple) else found
    if isinstance(recordings, list):
        assert all(isinstance(recording, SensorRecording) for recording in recordings)
        return
    X, y = found
    assert isinstance(X, IntervalSequences)
    assert (X.start < X.end).all()
    assert np.isfinite(X.end).all()
    assert y is None or len(y) == len(X)
