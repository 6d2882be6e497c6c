"""Published sets of real recordings, which are downloaded when they are first used.

None of them is part of this package: those who published them state no terms of use, so every user
downloads a copy and cites the original work.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import cleandoc
from typing import TYPE_CHECKING

import numpy as np

from ibgn._arrays import Objects
from ibgn._files import Source, as_path, show
from ibgn.errors import DataError, Option
from ibgn.intervals import IntervalSequences
from ibgn.text import printable

if TYPE_CHECKING:
    from pooch import Pooch

__all__ = ["fetch_auslan2", "fetch_blocks", "fetch_context", "fetch_skating"]

COMMIT = "8088ab04ddb9bb90f702ced4f7f7dc8c216a8c6d"
ORIGIN = f"https://raw.githubusercontent.com/leonbornemann/stife/{COMMIT}/data/singleLabelDatasets/"
CHECKSUMS = {  # SHA-256
    "AUSLAN2/classes.txt": "7b8825405bad945809d075aa87e183140a95762b4fea3e160ab829c8c8e83f95",
    "AUSLAN2/data.txt": "7b927445cbab34241cd2c1b7b9a511f4e6048f3d0fc81537e5bde13a8c3de28a",
    "BLOCKS/classes.txt": "6a42a2bcc5b2d166597d113865d7734ef75300457c674588035ddd197d243166",
    "BLOCKS/data.txt": "432df9c83433e2e37df84da069ec394c9d46c88d63e81ecab9d9b3f205b7cf58",
    "CONTEXT/classes.txt": "735f149142da3af5367a5f696f0dfbc2bc995807c9f78f635114dd3d5093b89d",
    "CONTEXT/data.txt": "da9a9866e7add851b7f3c98d52b110bfbbec971454fb9ad69532b134fb8f79c5",
    "SKATING/classes.txt": "a6493378345e0dc0c99a01cb7d81a0e90fdcbff463e8395cc08c30711e769997",
    "SKATING/data.txt": "be0023b7ffc3a97705b4cc11492061aa27224b9bf51ef49df6edca18ca44e506",
}
TERMS = """\
Please cite F. Moerchen and D. Fradkin, "Robust mining of time intervals with semi-interval
partial order patterns", SIAM International Conference on Data Mining, 2010. The files come from
https://github.com/leonbornemann/stife (L. Bornemann, J. Lecerf and P. Papapetrou, "STIFE: a
framework for feature-based classification of sequences of temporal intervals", Discovery Science,
2016). No terms of use are stated there: use the data for research, and ask their authors before
you pass them on.
"""
SHARED_DOCSTRING = f"""

The files are downloaded once, a few hundred kilobytes at most. Their SHA-256 is checked whenever
they are read, and later calls need no network. Needs pooch: ``pip install 'ibgn[fetch]'``.

Parameters
----------
folder : where the files are kept, by default the folder of the user for caches

Returns
-------
X : the instances; times are whole ticks, and ends, which are inclusive in the files, are read so
y : (n,) one label per instance, a number as text

Notes
-----
{TERMS}"""

Recordings = tuple[IntervalSequences, Objects]
Fetch = Callable[..., Recordings]


def _documented(function: Fetch) -> Fetch:
    """Add what all these functions share to a docstring, before its example."""
    before, example = cleandoc(function.__doc__ or "").split("\n\nExamples\n")
    function.__doc__ = f"{before}{SHARED_DOCSTRING}\nExamples\n{example}\n"
    return function


@_documented
def fetch_blocks(*, folder: Source | None = None) -> Recordings:
    """Fetch BLOCKS: a hand that moves blocks, 8 activities of 8 visual primitives.

    Examples
    --------
    >>> X, y = fetch_blocks()  # doctest: +SKIP
    >>> X  # doctest: +SKIP
    IntervalSequences: 210 instances, 1207 intervals (3 to 12 each), 8 actions
    """
    return _fetch("BLOCKS", folder)


@_documented
def fetch_auslan2(*, folder: Source | None = None) -> Recordings:
    """Fetch AUSLAN2: 10 words of Australian Sign Language, by 12 features of the hands.

    37 of the 200 instances are exact copies of others with another label, so that no method
    recognises all of them.

    Examples
    --------
    >>> X, y = fetch_auslan2()  # doctest: +SKIP
    >>> X  # doctest: +SKIP
    IntervalSequences: 200 instances, 2447 intervals (9 to 20 each), 12 actions
    """
    return _fetch("AUSLAN2", folder)


@_documented
def fetch_skating(*, folder: Source | None = None) -> Recordings:
    """Fetch SKATING: in-line skaters, 6 activities of 41 states of muscles and legs.

    Examples
    --------
    >>> X, y = fetch_skating()  # doctest: +SKIP
    >>> X  # doctest: +SKIP
    IntervalSequences: 530 instances, 23202 intervals (27 to 143 each), 41 actions
    """
    return _fetch("SKATING", folder)


@_documented
def fetch_context(*, folder: Source | None = None) -> Recordings:
    """Fetch CONTEXT: what a mobile phone senses around it, 5 situations of 54 states.

    Examples
    --------
    >>> X, y = fetch_context()  # doctest: +SKIP
    >>> X  # doctest: +SKIP
    IntervalSequences: 240 instances, 19355 intervals (47 to 149 each), 54 actions
    """
    return _fetch("CONTEXT", folder)


def _fetch(name: str, folder: Source | None) -> Recordings:
    store = _open_store(folder)
    with _explaining(name, store):
        is_new = not all((store.abspath / file).exists() for file in _files(name))
        paths = [store.fetch(file) for file in _files(name)]
    if is_new:
        print(f"ibgn: {name} was saved in {show(store.abspath)}.\n{TERMS}", file=sys.stderr)
    classes, data = (np.loadtxt(path, str, ndmin=2) for path in paths)
    instances: list[list[tuple[str, float, float]]] = [[] for _ in classes]
    for instance, action, start, end in data:
        instances[int(instance)].append((action, float(start), float(end)))
    ids = list(map(str, range(len(classes))))
    y = classes[:, 0].astype(object)
    return IntervalSequences.from_lists(instances, ids, closed="both"), y


def _files(name: str) -> tuple[str, str]:
    return f"{name}/classes.txt", f"{name}/data.txt"


def _open_store(folder: Source | None) -> "Pooch":
    try:
        import pooch
    except ImportError as error:
        raise DataError(
            "fetching data sets needs pooch; install it with: pip install 'ibgn[fetch]'"
        ) from error
    path = pooch.os_cache("ibgn") if folder is None else as_path(folder)
    return pooch.create(path, ORIGIN, registry=CHECKSUMS)


@contextmanager
def _explaining(name: str, store: "Pooch") -> Iterator[None]:
    """Turn errors of the network, of the disk and of checksums into ones that say what to do."""
    places = " and ".join(show(store.abspath / file) for file in _files(name))
    urls = " and ".join(map(store.get_url, _files(name)))
    by_hand = (
        f"try again with a network, or download {urls} elsewhere and save them as {places}; "
        "simulated recordings need no network: ibgn.datasets.make_hand_signs"
    )
    try:
        yield
    except OSError as error:
        import requests

        if isinstance(error, requests.RequestException):
            reason = printable(error, longest=200)
            raise DataError(f"{name} could not be downloaded ({reason}); {by_hand}") from error
        raise DataError(
            f"{name} could not be saved in {show(store.abspath)} "
            f"({error.strerror or type(error).__name__}); name another folder with ",
            Option("folder"),
        ) from error
    except ValueError as error:  # pooch has deleted what it downloaded
        raise DataError(
            f"a file of {name} is not the one that was published (its SHA-256 differs), perhaps "
            f"as a proxy answered instead of the server; {by_hand}"
        ) from error
