"""Models written to files, and read from them."""

from importlib import import_module
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ibgn import __version__
from ibgn._arrays import Array
from ibgn._files import Source, reading, replacing
from ibgn._inputs import open_input, size_of
from ibgn.declarations import STORABLE
from ibgn.errors import DataError
from ibgn.persistence.container import FORMAT, LARGEST, Arrays, check, items, join, split
from ibgn.persistence.models import pack_model, unpack_model
from ibgn.text import printable, quote

__all__ = ["load", "save", "written_by"]

HOMES = {"Segmenter": "ibgn.segmentation"}  # of classes that are defined when a file names them


def save(model: Any, path: Source) -> None:
    """Write a fitted model into one file; by convention its name ends in .ibgn.

    The file replaces another only when it is complete. The same model gives the same bytes. A
    `random_state` that is a generator is left out, and loaded as None; so are `n_jobs` and
    `progress`, as they say how a model runs and not what it knows. Pairs of positions given as
    `structure` are loaded as a sorted list, other lists as tuples.

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
    name = type(model).__name__
    if not _is_estimator(type(model)):
        known = ", ".join(name for name, kind in STORABLE.items() if _is_estimator(kind))
        raise DataError(
            f"an object of class {printable(name)} cannot be saved; choose among {known}"
        )
    check_is_fitted(model)
    try:
        arrays: list[Array] = []
        packed = pack_model(model.storable() if hasattr(model, "storable") else model, arrays)
        data = join({"ibgn": __version__, "class": name, "model": packed}, arrays)
        _from_bytes(data)  # makes sure that it can be loaded
    except Exception as error:
        advice = "" if type(error) is DataError else "; fit it again"
        raise DataError(f"the model cannot be saved: {_words(error)}{advice}") from error
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def load(path: Source) -> Any:
    """Read a model that `save` wrote; nothing in the file is run.

    A file that is damaged, altered, from a newer version or no model at all is a `DataError`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from ibgn import IntervalRidge
    >>> from ibgn.datasets import make_relations
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> IntervalRidge().fit(X, y).save(folder / "model.ibgn")
    >>> load(folder / "model.ibgn").predict(X[:1]).tolist()
    ['apart, apart']
    """
    data = _read_bytes(path)
    try:
        return _from_bytes(data)
    except Exception as error:  # a forged file may cause any error
        advice = "; the file is damaged or was altered, copy it again or save the model again"
        advice = "" if type(error) is DataError else advice
        raise DataError(f"{printable(Path(path).name)}: {_words(error)}{advice}") from error


def written_by(path: Source) -> str:
    """Version of the library that wrote a model file."""
    content: Any = split(_read_bytes(path))[0]
    return printable(content["ibgn"])


def _read_bytes(path: Source) -> bytes:
    with reading(path), open_input(Path(path)) as file:
        head = file.read(len(FORMAT))
        size = min(size_of(Path(path)), LARGEST)  # bounds the memory
        return head + file.read(size) if head == FORMAT else head


def _is_estimator(kind: type) -> bool:
    return STORABLE.get(kind.__name__) is kind and hasattr(kind, "fit") and hasattr(kind, "predict")


def _words(error: Exception) -> str:
    return printable(str(error) or type(error).__name__, 300)


def _from_bytes(data: bytes) -> Any:
    content, packed = split(data)
    names = ("ibgn", "class", "model", "arrays")
    _, name, node, table = items(content, "the second line", names)
    if isinstance(name, str) and name in HOMES:
        import_module(HOMES[name])
    if not isinstance(name, str) or not _is_estimator(STORABLE.get(name, object)):
        raise DataError(
            f"it holds a model of the unknown class {quote(name)}; import the module that defines "
            "it, or update ibgn"
        )
    arrays = Arrays(table, packed)
    model = unpack_model(STORABLE[name], node, arrays)
    check(not arrays.unused, "it has arrays that no part of the model uses")
    return model
