"""Options that commands share, and how they are read."""

import os
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args, get_type_hints
from warnings import catch_warnings, simplefilter

import typer

from ibgn.cli.flags import as_argument, given_flags, in_shell, read_value

if TYPE_CHECKING:
    from ibgn.cleaning import Cleaning
    from ibgn.intervals import IntervalSequences
    from ibgn.io.longframe import LongFrame
    from ibgn.io.registry import Format as FormatOfFiles
    from ibgn.io.scanning import Engine
    from ibgn.sources import InstanceSource

# names of the modules of formats, which are not imported for a help page
FORMATS = [module.name for module in iter_modules([str(Path(__file__).parents[1] / "io/formats")])]

WRITTEN = ("csv", "elan", "jsonl", "parquet", "textgrid")  # those that can be written

# names of the methods, which are not imported either
METHODS = (
    "IBGN-T",
    "ensemble",
    "forest",
    "ridge",
    "IHMM",
    "DBN",
    "ITBN",
    "IBGN",
    "IBGN-C",
    "IBGN-F",
    "published IBGN",
    "published IBGN-C",
    "published IBGN-F",
    "extra trees",
    "extra trees without pairs",
    "nearest raster",
    "MiniRocket",
)
METHOD_HELP = (
    f"{', '.join(METHODS)}, or one of your own; capitals do not matter, and a hyphen may stand "
    "for a space"
)

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="File with intervals, or a folder; - is standard input.",
        readable=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        help=f"Format, if the file does not tell: {', '.join(FORMATS)}.",
    ),
]
Closed = Annotated[
    Literal["left", "right", "both", "neither"],
    typer.Option(
        metavar="ENDS",
        help="Which ends belong to an interval, where inclusive ends in whole ticks are both.",
    ),
]
Tick = Annotated[float, typer.Option(help="Length of a tick, for --closed other than left.")]
Tolerance = Annotated[float, typer.Option(help="End points closer than this are the same instant.")]
ZeroLength = Annotated[
    Literal["error", "drop"], typer.Option(help="What to do with intervals of zero length.")
]
MinDuration = Annotated[float, typer.Option(help="Lengthen shorter intervals to this.")]
Duplicates = Annotated[
    Literal["keep", "drop"], typer.Option(help="What to do with rows that repeat another.")
]
BadFiles = Annotated[
    Literal["error", "drop"], typer.Option(help="What to do with a bad file of a folder.")
]
BadRows = Annotated[
    Literal["error", "drop"], typer.Option(help="What to do with rows that are not intervals.")
]
Unlabelled = Annotated[
    Literal["error", "drop", "keep", "all"],
    typer.Option(
        help="What to do with instances without a label, where others have one; all reads none."
    ),
]
Ungrouped = Annotated[
    Literal["error", "all"],
    typer.Option(
        help="What to do if an instance has several groups, or none where others have one; all "
        "reads no groups."
    ),
]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Memory to allow, as 8G, where a file or an instance needs more than the default.",
    ),
]
Column = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="OURS=THEIRS",
        help="Name that a column has in the file, as action=behaviour; repeatable.",
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(metavar="CHARACTER", help="What separates columns of a CSV file; 'tab' is one."),
]
Encoding = Annotated[str | None, typer.Option(help="Encoding of a CSV file, UTF-8 by default.")]
ReaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-O",
        metavar="NAME=VALUE",
        help="Option of the format's reader, as action=track or rate=25; repeatable.",
    ),
]
Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="File that `ibgn fit` wrote.", readable=False)
]
Jobs = Annotated[
    int, typer.Option("--jobs", help="Activities learned at the same time; -1 takes all cores.")
]
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="In CSV, put an apostrophe before names that spreadsheets would run, such as =1+1; "
        "-O unescape_formulas=true reads them.",
    ),
]
Seed = Annotated[
    int, typer.Option(min=0, max=2**31, help="Seed; the same one gives the same result.")
]


@dataclass(frozen=True)
class Reading:
    """How a file of intervals is read: what the options of every such command say."""

    panel: ClassVar[str] = "Reading the data"

    format: Format = None
    closed: Closed = "left"
    tick: Tick = 1.0
    tolerance: Tolerance = 0.0
    zero_length: ZeroLength = "error"
    min_duration: MinDuration = 0.0
    duplicates: Duplicates = "keep"
    bad_files: BadFiles = "error"
    bad_rows: BadRows = "error"
    unlabelled: Unlabelled = "error"
    ungrouped: Ungrouped = "error"
    max_memory: MaxMemory = None
    columns: Column = None
    delimiter: Delimiter = None
    encoding: Encoding = None
    option: ReaderOption = None

    def cleaning(self) -> "Cleaning":
        """How intervals are cleaned."""
        from ibgn.cleaning import Cleaning, CleaningOptions

        return Cleaning(**{name: getattr(self, name) for name in CleaningOptions.__annotations__})

    def find(self, path: Path) -> "tuple[Path, FormatOfFiles]":
        """A file or folder, or standard input for -, and its format."""
        from ibgn.io.registry import FORMATS, find_format

        path = Path("/dev/stdin") if str(path) == "-" else path
        return path, FORMATS[find_format(path, self.format)]

    def load(self, path: Path) -> "LongFrame":
        """Load a file or folder, or standard input for -."""
        from ibgn.io.format import LENIENCY

        path, format = self.find(path)
        leniency = {name: getattr(self, name) for name in LENIENCY}
        return format.load(path, **self.options_of(format), **leniency)

    def scan(self, path: Path, engine: "Engine" = "local") -> "InstanceSource":
        """A file or folder that is read piece by piece; its first rows are tried here."""
        from ibgn.io import scan
        from ibgn.io.format import LENIENCY

        path, format = self.find(path)
        options = {name: getattr(self, name) for name in LENIENCY} | vars(self.cleaning())
        options |= self.options_of(format)
        with catch_warnings():
            simplefilter("ignore")  # they come again when all is read
            next(scan(path, format=format.name, **options).parts())
        return scan(path, format=format.name, engine=engine, **options)

    def is_copied(self, path: Path, written_as: str) -> bool:
        """Whether what is written in a format can be a changed copy of what is read."""
        from ibgn.io.registry import FORMATS, find_format

        if written_as not in FORMATS.documents or not (path.is_file() or path.is_dir()):
            return False
        return find_format(path, self.format) == written_as

    def options_of(self, format: "FormatOfFiles") -> dict[str, Any]:
        """Options of the reader of a format that were given."""
        from ibgn.budgets import VARIABLE, as_bytes

        options = parse_options(self.option, format.options)
        if self.columns:
            options["columns"] = parse_columns(self.columns)
        if self.max_memory is not None:
            as_bytes("max_memory", self.max_memory)
            os.environ[VARIABLE] = self.max_memory  # also for what is made of the data
            options["max_memory"] = self.max_memory
        return options | text_options(self.delimiter, self.encoding)

    def given(self, format: "FormatOfFiles") -> dict[str, Any]:
        """Options of the reader of a format that were given as flags, and not those by default."""
        shared = format.options.keys() - format.own_options.keys()
        flags = {name: getattr(self, name) for name in sorted(given_flags() & shared)}
        return self.options_of(format) | flags

    def read(self, path: Path) -> "tuple[IntervalSequences, Any]":
        """Read a file or folder: the instances, and their labels or None."""
        cleaning = self.cleaning()  # before the work, so that a typo costs no time
        return self.load(path).read(cleaning)

    def read_labelled(self, path: Path, purpose: str) -> "tuple[IntervalSequences, Any]":
        """Read a file or folder whose instances have labels.

        purpose : what labels are for, as "to learn from"
        """
        from ibgn.errors import DataError

        X, y = self.read(path)
        if y is None:
            look = in_shell("ibgn", "inspect", as_argument(path))
            raise DataError(f"there are no labels {purpose}; `{look}` shows what could be one")
        return X, y


def text_options(delimiter: str | None, encoding: str | None) -> dict[str, str]:
    """Options of a reader of text, those that were given; a tab may be written as a word."""
    options = {}
    if delimiter is not None:
        options["delimiter"] = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if encoding is not None:
        options["encoding"] = encoding
    return options


Command = Callable[..., None]


def takes_data(kind: type[Any] = Reading, **defaults: Any) -> Callable[[Command], Command]:
    """Give a command all options of `Reading`, or more, in place of its parameter `reading`."""
    return expanding("reading", kind, **defaults)


def expanding(parameter: str, kind: type[Any], **defaults: Any) -> Callable[[Command], Command]:
    """Give a command all fields of a dataclass as options, in place of one parameter.

    In the help they stand together in a panel, which the dataclass names.
    """

    def decorate(command: Command) -> Command:
        names = [field.name for field in fields(kind)]

        @wraps(command)
        def with_options(**given: Any) -> None:
            value = kind(**{name: given.pop(name) for name in names})
            command(**{parameter: value}, **given)

        own = [p for p in signature(command).parameters.values() if p.name != parameter]
        hints = get_type_hints(kind, include_extras=True)
        shared = [
            Parameter(
                field.name,
                Parameter.KEYWORD_ONLY,
                default=defaults.get(field.name, field.default),
                annotation=_in_panel(hints[field.name], kind.panel),
            )
            for field in fields(kind)
        ]
        parameters = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in own] + shared
        with_options.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        with_options.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_options

    return decorate


def _in_panel(annotation: Any, panel: str) -> Any:
    """The same option, in a panel of the help."""
    plain, option = get_args(annotation)
    option = copy(option)
    option.rich_help_panel = panel
    return Annotated[plain, option]


def parse_options(option: list[str] | None, known: Mapping[str, Parameter]) -> dict[str, Any]:
    """Read -O name=value, each as the type of the option says; what is given twice is a list.

    Parameters
    ----------
    option : what was given, as ["action=track", "rate=25"]
    known : options of the reader, with their types

    Examples
    --------
    >>> def read(*, activity: str | None = None, runs: list[str] = [], rate: float = 1.0): ...
    >>> known = dict(signature(read).parameters)
    >>> parse_options(["activity=1", "runs=ADL1", "rate=25"], known)
    {'activity': '1', 'runs': ['ADL1'], 'rate': 25}
    """
    # --column gives names to columns; formats that take a list of columns take it with -O
    flags = ({field.name for field in fields(Reading)} - {"columns"}) & known.keys()
    given: dict[str, list[str]] = {}
    for pair in option or []:
        name, equals, text = pair.partition("=")
        if not (name and equals):
            raise typer.BadParameter(
                f"is written name=value, as action=track; got {pair!r}", param_hint="--option"
            )
        name = name.replace("-", "_")
        if name in flags:
            raise typer.BadParameter(
                f"{name} has a flag of its own, --{name.replace('_', '-')}", param_hint="--option"
            )
        given.setdefault(name, []).append(text)
    return {name: _as_option(texts, known.get(name)) for name, texts in given.items()}


def _as_option(texts: list[str], option: Parameter | None) -> Any:
    """Value of an option, of texts that were given for it; a reader refuses unknown options."""
    from ibgn.io.options import is_list, is_text

    values = [read_value(text) for text in texts]
    if option is not None and is_text(option):  # a number is then the text that it was
        numbers = [isinstance(value, bool | int | float) for value in values]
        values = [t if n else v for t, n, v in zip(texts, numbers, values, strict=True)]
    alone = values[0] is None or isinstance(values[0], list | dict)
    listed = option is not None and is_list(option) and not alone
    return values if listed or len(values) > 1 else values[0]


def parse_columns(column: list[str] | None) -> dict[str, str]:
    """Read --column ours=theirs."""
    columns = {}
    for pair in column or []:
        ours, equals, theirs = pair.partition("=")
        if not (ours and equals and theirs):
            raise typer.BadParameter(
                f"is written ours=theirs, as action=behaviour; got {pair!r}", param_hint="--column"
            )
        if ours in columns:
            raise typer.BadParameter(f"names {ours!r} twice", param_hint="--column")
        columns[ours] = theirs
    return columns
