"""Models written to files, and read from them."""

import os
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ibgn import __version__
from ibgn._arrays import Array
from ibgn._files import Source, reading, replacing
from ibgn.errors import DataError
from ibgn.persistence.container import FORMAT, LARGEST, Arrays, check, items, join, split
from ibgn.persistence.models import KINDS, pack_model, unpack_model
from ibgn.text import printable, quote

__all__ = ["load", "save"]


def save(model: Any, path: Source) -> None:
    """Write a fitted model into one file; by convention its name ends in .ibgn.

    The file replaces another only when it is complete. The same model gives the same bytes. A
    `random_state` that is a generator is left out, and loaded as None; pairs of positions given
    as `structure` are loaded as a sorted list.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from ibgn import IBGNClassifier
    >>> X = [[("pour", 0, 2), ("stir", 1, 3)], [("pour", 0, 1), ("stir", 2, 3)]]
    >>> model = IBGNClassifier(draws=100, random_state=0).fit(X, ["latte", "tea"])
    >>> with TemporaryDirectory() as folder:
    ...     save(model, Path(folder, "drinks.ibgn"))
    ...     load(Path(folder, "drinks.ibgn")).predict(X).tolist()
    ['latte', 'tea']
    """
    names = [name for name, kind in KINDS.items() if type(model) is kind.estimator]
    if not names:
        given, known = printable(type(model).__name__), ", ".join(KINDS)
        raise DataError(f"an object of class {given} cannot be saved; choose among {known}")
    check_is_fitted(model)
    try:
        data = _to_bytes(names[0], model)
        _from_bytes(data)  # what is saved can be loaded
    except Exception as error:
        raise DataError(f"the model cannot be saved: {_words(error)}; fit it anew") from error
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def load(path: Source) -> Any:
    """Read a model that `save` wrote; nothing in the file is run.

    A file that is damaged, altered, from a newer version or no model at all is a `DataError`.
    """
    with reading(path), Path(path).open("rb") as file:
        head = file.read(len(FORMAT))
        size = min(os.fstat(file.fileno()).st_size, LARGEST)  # so much memory is taken
        data = head + file.read(size) if head == FORMAT else head
    try:
        return _from_bytes(data)
    except Exception as error:  # whatever a forged file leads to
        advice = "; the file is damaged or was altered, get it anew or save the model again"
        told = "" if isinstance(error, DataError) else advice
        raise DataError(f"{printable(Path(path).name)}: {_words(error)}{told}") from error


def _words(error: Exception) -> str:
    return printable(str(error) or type(error).__name__, 300)


def _to_bytes(name: str, model: Any) -> bytes:
    arrays: list[Array] = []
    packed = pack_model(KINDS[name], model, arrays)
    return join({"ibgn": __version__, "class": name, "model": packed}, arrays)


def _from_bytes(data: bytes) -> Any:
    content, packed = split(data)
    names = ("ibgn", "class", "model", "arrays")
    _, name, node, table = items(content, "the second line", names)
    if not isinstance(name, str) or name not in KINDS:
        raise DataError(f"it holds a model of class {quote(name)}; update ibgn to read it")
    arrays = Arrays(table, packed)
    model = unpack_model(KINDS[name], node, arrays)
    check(not arrays.unused, "it has arrays that no part of the model uses")
    return model
