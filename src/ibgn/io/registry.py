"""Formats: one decorated function each, from which everything else about the format comes.

`@reader` takes the function that parses the format, and makes its public reader; `read`, the
command line and the documentation know the format from then on. Formats of this package live in
`ibgn.io.formats`, one module each, by their names. Others register where they are imported: in
your own code, in modules that the environment variable IBGN_PLUGINS names, or in installed
packages with an entry point in the group "ibgn.formats".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from inspect import Parameter, Signature, signature
from typing import Any

import numpy.typing as npt

from ibgn._files import Source
from ibgn._inputs import opening_once
from ibgn.budgets import Budget
from ibgn.checks import check_choice
from ibgn.cleaning import Cleaning
from ibgn.errors import OptionError
from ibgn.intervals import IntervalSequences
from ibgn.io.choices import Choices, Kinds
from ibgn.io.dataframes import is_frame, read_table
from ibgn.io.docstrings import describe
from ibgn.io.files import Sources
from ibgn.io.format import BUDGET, CHOICES, CLEANING, LENIENCY, Format
from ibgn.io.head import Sniff
from ibgn.io.leniency import Leniency
from ibgn.io.longframe import Labels, LongFrame
from ibgn.io.options import refuse_unknown
from ibgn.io.outline import Outline
from ibgn.io.plugins import builtin_names, import_plugins
from ibgn.io.sniffing import find_by_content, find_by_suffix

__all__ = [
    "FORMATS",
    "Format",
    "find_format",
    "load",
    "read",
    "reader",
    "streamer",
    "write",
    "writer",
]

Read = Callable[..., tuple[IntervalSequences, Labels]]
Write = Callable[..., None]
Stream = Callable[..., Iterator[LongFrame]]


class Formats(Mapping[str, Format]):
    """All formats by name: those of this package, of plugins, and what else was registered."""

    def __init__(self) -> None:
        self.writers: dict[str, Write] = {}
        self.documents: dict[str, Callable[..., Any]] = {}  # see `ibgn.io.tiers`
        self.streams: dict[str, Stream] = {}  # see `ibgn.io.scanning`
        self._formats: dict[str, Format] = {}
        self._is_complete = False

    def __getitem__(self, name: str) -> Format:
        self._complete()
        return self._formats[name]

    def __iter__(self) -> Iterator[str]:
        self._complete()
        return iter(sorted(self._formats))

    def __len__(self) -> int:
        self._complete()
        return len(self._formats)

    def add(self, format: Format) -> None:
        """Register a format; one of the same function is replaced, as in a notebook."""
        for other in self._formats.values():
            again = _identity(other.parse) == _identity(format.parse)
            taken = set(other.suffixes) & set(format.suffixes)
            if not again and other.name == format.name:
                raise ValueError(f"there is a format {format.name!r} already; choose another name")
            if not again and taken:
                raise ValueError(
                    f"files {min(taken)} are of the format {other.name!r}; name the suffix with "
                    f"also=, and the format with format={format.name!r} where they are read"
                )
        self._formats[format.name] = format

    def remove(self, name: str) -> None:
        """Forget a format that was registered, and its writer."""
        del self._formats[name]
        self.writers.pop(name, None)
        self.documents.pop(name, None)
        self.streams.pop(name, None)

    def _complete(self) -> None:
        if self._is_complete:
            return
        self._is_complete = True  # plugins may ask for formats themselves
        for name in builtin_names():
            import_module(f"ibgn.io.formats.{name}")
        import_plugins()


def _identity(function: Callable[..., Any]) -> tuple[str, str]:
    return function.__module__, function.__qualname__


FORMATS = Formats()


def reader(
    name: str,
    suffixes: Sequence[str] = (),
    *,
    also: Sequence[str] = (),
    about: str = "",
    activity: Sequence[str] = ("track",),
    group: Sequence[str] = (),
    sniff: Sniff | None = None,
    outline: Outline | None = None,
    unit: str = "",
    unnamed: str | None = None,
) -> Callable[[Callable[..., Any]], Read]:
    r"""Register a format, and make a public reader of the function that parses it.

    Parameters
    ----------
    name : of the format, as `read(path, format=name)` and `ibgn convert --from name` take it
    suffixes : of its files, that identify the format, such as (".foo",)
    also : more suffixes that its files may have, which do not identify it, such as (".txt",); in
        a folder, files with any of these suffixes are read
    about : what it is, in a few words, for the table of formats
    activity, group : kinds of things in its files that can give the activity, or the group, such
        as "variable": the option activity="variable:meal" then names one, and the function finds it
        with `files.choices.name_of("activity", "variable")` and gives `Recording.known`
    sniff : function of a `Head`, the beginning of a file, that says how sure it is that the file
        is of this format: `CERTAIN`, `LIKELY`, `POSSIBLE` or another number up to 1; 0 is no. The
        surest format reads a file. By default only the suffix identifies files.
    outline : function that yields an `Entry` for each thing in the files that reading can choose,
        beside the tracks or columns, such as variables; it takes `Files` and any of the options of
        the function, and refuses nothing that can be counted
    unit : of the times that it gives, "s" or "frames"; empty where files may have any. With an
        option rate= they are seconds
    unnamed : track of annotations whose files name none; `X.track` does not name it where it is
        the only one

    Returns
    -------
    decorator
        The function takes `Files`, an iterable of opened files, and its own options, which are
        keyword arguments with defaults. It yields a `Recording` for each recording, or returns a
        `LongFrame` of rows. The decorator returns the public reader: it takes a path, the options
        of the function and those that all readers share, and returns X and y.

    Examples
    --------
    >>> from ibgn.io import FORMATS, Annotation, Recording, read, reader
    >>> @reader("notes", (".notes",))
    ... def read_notes(files, *, separator: str = ";"):
    ...     '''Read notes with an action, a start and an end on each line.'''
    ...     for file in files:
    ...         rows = [line.split(separator) for line in file.lines()]
    ...         yield Recording(file.name, [
    ...             Annotation("notes", action, float(start), float(end), f"line {number}")
    ...             for number, (action, start, end) in enumerate(rows, 1)
    ...         ])
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tea.notes"
    >>> _ = path.write_text("boil;0;4\npour;3;5\n")
    >>> X, y = read(path, activity="file")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      tea.notes: boil [0, 4), pour [3, 5)
    >>> y
    array(['tea'], dtype=object)
    >>> FORMATS.remove("notes")
    """

    def register(parse: Callable[..., Any]) -> Read:
        lower, others = (tuple(map(str.lower, each)) for each in (suffixes, also))
        kinds = Kinds(tuple(activity), tuple(group))
        format = Format(name, lower, others, about, kinds, parse, outline, sniff, unit, unnamed)
        first, *own = signature(parse).parameters.values()
        wrong = [p.name for p in own if p.kind is not p.KEYWORD_ONLY or p.default is p.empty]
        if first.kind is Parameter.KEYWORD_ONLY or wrong:
            raise TypeError(
                f"the reader of {name!r} takes files, and options as keyword arguments with "
                f"defaults; got {', '.join(wrong) or first.name}"
            )
        shared = (*(CHOICES if format.yields_recordings else ()), *CLEANING, *LENIENCY, *BUDGET)
        taken = [p.name for p in own if p.name in shared]
        if taken:
            raise TypeError(
                f"{taken[0]} is an option that all readers share; rename that of the format"
            )
        FORMATS.add(format)
        return _public(format)

    return register


def _public(format: Format) -> Read:
    def read(path: Sources, **options: Any) -> tuple[IntervalSequences, Labels]:
        return format.read(path, **options)

    path = Parameter("path", Parameter.POSITIONAL_OR_KEYWORD, annotation=Sources)
    read.__signature__ = Signature(  # type: ignore[attr-defined]
        [path, *format.options.values()], return_annotation=tuple[IntervalSequences, Labels]
    )
    read.__name__ = read.__qualname__ = format.parse.__name__
    read.__module__ = format.parse.__module__
    read.__doc__ = describe(
        format.parse.__doc__ or f"Read files of the format {format.name}.",
        format.suffixes + format.also,
        [*([Choices] if format.yields_recordings else []), Cleaning, Leniency, Budget],
    )
    return read


def writer(name: str) -> Callable[[Write], Write]:
    r"""Register the function that writes a format, which takes X, a path, y and its own options.

    Examples
    --------
    >>> from ibgn.io import FORMATS, reader, write, writer
    >>> @reader("lines", (".lines",))
    ... def read_lines(files):
    ...     '''Not needed here; what is written should be read too.'''
    ...     yield from ()
    >>> @writer("lines")
    ... def write_lines(X, path, y=None):
    ...     rows = [row for instance in X.to_lists() for row in instance]
    ...     path.write_text("\n".join(f"{action} {start:g} {end:g}" for action, start, end in rows))
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tea.lines"
    >>> write(IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 4, 6)]]), path)
    >>> print(path.read_text())
    boil 0 4
    pour 4 6
    >>> FORMATS.remove("lines")
    """

    def register(write: Write) -> Write:
        FORMATS.writers[name] = write
        return write

    return register


def streamer(name: str) -> Callable[[Stream], Stream]:
    """Register the function that reads a format piece by piece, for `ibgn.scan`.

    It takes `Files`, how many rows a frame has at most, and the options of the reader; and yields
    long frames, whose rows are those of the reader, in their order.

    Examples
    --------
    >>> from ibgn.io import FORMATS, LongFrame, streamer
    >>> @streamer("words")
    ... def stream_words(files, rows):
    ...     for file in files:
    ...         with file.open() as lines:
    ...             for line in lines:
    ...                 name, action, start, end = line.split()
    ...                 row = {"instance": [name], "action": [action], "start": [start]}
    ...                 yield LongFrame(row | {"end": [end]}, (), file.prefix)
    >>> FORMATS.streams.pop("words") is stream_words
    True
    """

    def register(stream: Stream) -> Stream:
        FORMATS.streams[name] = stream
        return stream

    return register


@opening_once()
def read(
    path: Sources | Any, *, format: str | None = None, **options: Any
) -> tuple[IntervalSequences, Labels]:
    """Read any format, known by `format` or by content and suffix; options go to its reader.

    Of a folder, all files of the format are read, including those in subfolders. A frame of pandas,
    Polars or PyArrow is read too, see `read_table`; `X.to_frame(y)` gives it back.

    Examples
    --------
    >>> from ibgn.datasets import sample_path
    >>> X, y = read(sample_path("csv"))
    >>> len(X), sorted(set(y))
    (27, ['coffee', 'sandwich', 'tea'])
    """
    if is_frame(path):
        if format is not None:
            raise OptionError("format", format, "is for files; a frame has none")
        return read_table(path, **options)
    return FORMATS[find_format(path, format)].read(path, **options)


@opening_once()
def load(path: Sources, *, format: str | None = None, **options: Any) -> LongFrame:
    """Load any format as it is, before cleaning; also says which columns were left out."""
    return FORMATS[find_format(path, format)].load(path, **options)


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

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 4, 6)]], ids=["take 1"])
    >>> write(X, folder / "takes.jsonl", ["tea"])
    >>> print((folder / "takes.jsonl").read_text(), end="")
    {"instance": "take 1", "label": "tea", "intervals": [["boil", 0.0, 4.0], ["pour", 4.0, 6.0]]}
    """
    name = find_format(path, format, writing=True)
    chosen = FORMATS.writers[name]
    own = [p.name for p in signature(chosen).parameters.values() if p.kind is p.KEYWORD_ONLY]
    refuse_unknown(options, own, name)
    chosen(X, path, y, **options)


def find_format(
    path: Sources, format: str | None, option: str = "format", writing: bool = False
) -> str:
    """Name of the format: the given one, or what content and suffix say; messages name the option.

    What is to be written has no content yet, so that its suffix decides.
    """
    choices = {name: FORMATS[name] for name in FORMATS if not writing or name in FORMATS.writers}
    if format is not None:
        check_choice(option, format, tuple(choices))
        return format
    return (find_by_suffix if writing else find_by_content)(path, choices, option)


def describe_formats() -> str:
    """Table of all formats in Markdown, as it stands in docs/data.md."""
    lines = ["| format | suffix | what it is | written too |", "|---|---|---|---|"]
    for name, format in FORMATS.items():
        telling = ", ".join(f"`{suffix}`" for suffix in format.suffixes)
        others = ", ".join(f"`{suffix}`" for suffix in format.also)
        how = "by name" if format.sniff is None else "by content"
        suffix = "; ".join(filter(None, [telling, others and f"{how} ({others})"]))
        written = "yes" if name in FORMATS.writers else ""
        lines.append(f"| `{name}` | {suffix} | {format.about} | {written} |")
    return "\n".join(lines)
