"""Modules that register formats: those of this package, and those of others."""

import os
import pkgutil
import warnings
from importlib import import_module
from importlib.metadata import entry_points

from ibgn.errors import DataError, DataWarning
from ibgn.text import printable

__all__ = ["builtin_names", "import_plugins"]

PLUGINS = "IBGN_PLUGINS"  # environment variable: modules that register formats, with commas
GROUP = "ibgn.formats"  # of entry points


def builtin_names() -> list[str]:
    """Names of the formats of this package, without importing them."""
    package = import_module("ibgn.io.formats")
    return [module.name for module in pkgutil.iter_modules(package.__path__)]


def import_plugins() -> None:
    """Import what entry points and the environment name; a broken package gets a warning."""
    for point in entry_points(group=GROUP):
        try:
            point.load()
        except Exception as error:  # a package that is broken must not keep others from working
            message = f"formats of {point.value!r} are not available: {printable(error, 200)}"
            warnings.warn(DataWarning(message), stacklevel=2)
    for name in filter(None, map(str.strip, os.environ.get(PLUGINS, "").split(","))):
        try:
            import_module(name)
        except ImportError as error:
            raise DataError(
                f"the environment variable {PLUGINS} names {printable(name)!r}, which cannot be "
                f"imported: {printable(error, 200)}; correct it, or set PYTHONPATH"
            ) from error
