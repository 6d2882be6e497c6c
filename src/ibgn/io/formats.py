"""Formats by name and by suffix."""

from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy.typing as npt

from ibgn._files import COMPRESSIONS, Source, as_path, is_folder
from ibgn.checks import check_choice
from ibgn.cleaning import CleaningOptions
from ibgn.errors import DataError, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.io.annotations import ChoiceOptions
from ibgn.io.table import Labels, LongTable
from ibgn.text import printable

__all__ = ["FORMATS", "Format", "find_format", "load", "read", "write"]


class Format(NamedTuple):
    """A format: `load_...`, `read_...` and perhaps `write_...` of the module of its name.

    Parameters
    ----------
    name : of the format and of its module
    suffixes : of its files; a format without is read only if it is named
    can_write : whether there is a writer
    """

    name: str
    suffixes: tuple[str, ...] = ()
    can_write: bool = False

    def function(self, verb: str) -> Callable[..., Any]:
        """Load, read or write; the module is imported when it is needed."""
        module = import_module(f"ibgn.io.{self.name}")
        function: Callable[..., Any] = getattr(module, f"{verb}_{self.name}")
        return function

    def options(self, verb: str) -> list[str]:
        """Names of the options that a function of the format takes."""
        parameters = signature(self.function(verb)).parameters.values()
        names = [p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY]
        if any(p.kind is Parameter.VAR_KEYWORD and p.name == "choices" for p in parameters):
            names += ChoiceOptions.__annotations__
        if any(p.kind is Parameter.VAR_KEYWORD and p.name == "options" for p in parameters):
            names += [*ChoiceOptions.__annotations__, *CleaningOptions.__annotations__]
        if any(p.kind is Parameter.VAR_KEYWORD and p.name == "cleaning" for p in parameters):
            names += CleaningOptions.__annotations__
        return names


FORMATS = MappingProxyType(
    {
        format.name: format
        for format in (
            Format("csv", (".csv",), can_write=True),
            Format("parquet", (".parquet", ".pq"), can_write=True),
            Format("jsonl", (".jsonl", ".ndjson"), can_write=True),
            Format("elan", (".eaf",), can_write=True),
            Format("textgrid", (".textgrid",), can_write=True),
            Format("boris", (".boris",)),
            Format("xes", (".xes",)),
            Format("activitynet"),
            Format("labelstudio"),
            Format("via"),
            Format("cvat"),
            Format("frames"),
            Format("tracks"),
            Format("events"),
            Format("opportunity"),
        )
    }
)
WRITABLE = tuple(name for name, format in FORMATS.items() if format.can_write)

# what files with suffixes that tell no format can be
AMBIGUOUS = {
    ".json": ("activitynet", "labelstudio", "via"),
    ".xml": ("cvat", "xes"),
    ".txt": ("frames", "events", "tracks"),
    ".tsv": ("csv", "boris", "tracks", "events"),
    ".dat": ("opportunity", "tracks"),
}


def read(
    path: Source, *, format: str | None = None, **options: Any
) -> tuple[IntervalSequences, Labels]:
    """Read any format, known by `format` or by the suffix of the file; options go to its reader.

    Of formats with one file a recording, a folder is read too.
    """
    found: tuple[IntervalSequences, Labels] = _find(path, format, "read", options)(path, **options)
    return found


def load(path: Source, *, format: str | None = None, **options: Any) -> LongTable:
    """Load any format as it is, before cleaning; tells also which columns were left out."""
    table: LongTable = _find(path, format, "load", options)(path, **options)
    return table


def write(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
    *,
    format: str | None = None,
    **options: Any,
) -> None:
    """Write any format that can be written, known by `format` or by the suffix of the file.

    The file appears whole or not at all; one that was there stays as it was until then.
    """
    _find(path, format, "write", options)(X, path, y, **options)


def _find(path: Source, format: str | None, verb: str, options: dict[str, Any]) -> Any:
    name = find_format(path, format, writing=verb == "write")
    known = FORMATS[name].options(verb)
    alien = [option for option in options if option not in known]
    if alien:
        listed = ", ".join(known) or "none"
        raise OptionError(f"{alien[0]} is no option of the format {name}; there are: {listed}")
    return FORMATS[name].function(verb)


def find_format(
    path: Source, format: str | None, option: str = "format", writing: bool = False
) -> str:
    """Name of the format asked for, or that of the suffix; messages name the option."""
    choices = WRITABLE if writing else tuple(FORMATS)
    if format is not None:
        check_choice(option, format, choices)
        return format
    path = as_path(path)
    suffixes = _suffixes_in(path) if is_folder(path) else _suffix(path)
    known = [name for name in choices if set(suffixes) & set(FORMATS[name].suffixes)]
    if len(known) == 1:
        return known[0]
    if len(known) > 1:
        why = f"holds files of several formats ({', '.join(known)})"
    else:
        every = ", ".join(suffix for name in choices for suffix in FORMATS[name].suffixes)
        why = f"is not known by its suffix ({every})"
    likely = next((AMBIGUOUS[suffix] for suffix in suffixes if suffix in AMBIGUOUS), choices)
    fitting = [name for name in likely if name in choices] or choices
    raise DataError(
        f"the format of '{printable(path.name)}' {why}; "
        f"name it with {option}=, one of {', '.join(map(repr, fitting))}"
    )


def _suffix(path: Path) -> list[str]:
    """Last suffix of a file that tells no compression, in small letters."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    return [suffix for suffix in suffixes if suffix not in COMPRESSIONS][-1:]


def _suffixes_in(folder: Path) -> list[str]:
    found = (_suffix(path) for path in folder.rglob("*") if not path.name.startswith("."))
    return sorted({suffix for suffixes in found for suffix in suffixes})
