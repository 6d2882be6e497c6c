"""Model files for commands: those that recognise instances, and those that cut streams."""

from pathlib import Path
from typing import Any

from ibgn.errors import OptionError

__all__ = ["load_recogniser", "load_segmenter"]


def load_recogniser(path: Path) -> Any:
    """Load a model that recognises instances; one that cuts streams is refused."""
    from ibgn.classifiers import load

    loaded = load(path)
    if hasattr(loaded, "segment"):
        reason = "finds activities in streams, see `ibgn segment`; `ibgn fit` learns a classifier"
        raise OptionError("model", path.name, reason)
    return loaded


def load_segmenter(path: Path) -> Any:
    """Load a model that cuts streams; one that recognises instances is refused."""
    from ibgn.classifiers import load

    loaded = load(path)
    if not hasattr(loaded, "segment"):
        reason = "recognises whole instances; `ibgn fit-segments` learns to find them in streams"
        raise OptionError("model", path.name, reason)
    return loaded
