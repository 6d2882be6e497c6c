"""Where commands may write: one rule for all of them, applied before the work begins.

No command writes over what it reads, nor among the data of a folder that it reads, however the
paths are spelled or linked; nor over an existing file, unless --force is given. A folder that is
missing or cannot be written to is an error before hours of work, not after them.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ibgn._files import COMPRESSIONS, follow, is_inside, is_same_file, show
from ibgn._temporaries import temporary_folder
from ibgn.cli.output import print_text
from ibgn.errors import DataError, Option, OptionError
from ibgn.text import quote

if TYPE_CHECKING:
    from ibgn.io.registry import Format

__all__ = [
    "STANDARD",
    "Command",
    "Kind",
    "check_folder",
    "check_suffix",
    "check_targets",
    "format_to_write",
    "output_file",
    "writes",
]

Kind = Literal["file", "folder", "either"]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist already.")]
Command = Callable[..., None]

STANDARD = Path("-")  # standard input or output
REDIRECTED = Path("/dev/stdin")  # which may be a file, as in `ibgn convert - OUT < IN`
PRINTED_TO = Path("/dev/stdout")  # and so may this, as in `ibgn convert IN - >> IN`
READER_OPTION = "option"  # -O name=value, which may name a file too
RESUMED = ("journals",)  # what an interrupted run leaves behind, to be resumed


def writes(
    pairs: tuple[str, ...] = (), resumed_by: str | None = None, **outputs: Kind
) -> Callable[[Command], Command]:
    """Check where a command writes before it runs, and give it the option --force.

    Parameters
    ----------
    pairs : parameters written as name=file whose files are read
    resumed_by : parameter for a file from which an earlier run goes on, if it exists; what else
        exists is then not replaced, but continued
    **outputs : parameters for what is written, each a "file", a "folder", or "either", which may
        also be -, standard output. Every other path among the parameters is read.
    """

    def decorate(command: Command) -> Command:
        parameters = signature(command).parameters

        @wraps(command)
        def checked(force: bool, **given: Any) -> None:
            for name, kind in outputs.items():
                if given[name] == STANDARD and kind == "either" and not _required(name):
                    given[name] = None
            written = {name: given[name] for name in outputs}
            read = [path for name in given.keys() - outputs for path in _paths(given[name])]
            named = [
                text.partition("=")[2]
                for name in (*pairs, READER_OPTION)
                for text in given.get(name) or ()
            ]
            kept = None if resumed_by is None else given[resumed_by]
            resumes = kept is not None and kept.is_file()
            sources = [*read, *map(Path, filter(None, named))]
            check_targets(written, outputs, sources, force or resumes, given.get("format"))
            command(**given)

        def _required(name: str) -> bool:
            return parameters[name].default is Parameter.empty

        forced = Parameter("force", Parameter.KEYWORD_ONLY, default=False, annotation=Force)
        keyword = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in parameters.values()]
        checked.__signature__ = Signature([*keyword, forced])  # type: ignore[attr-defined]
        checked.__annotations__ = {p.name: p.annotation for p in (*keyword, forced)}
        checked.outputs = outputs  # type: ignore[attr-defined] # for tests of all commands
        return checked

    return decorate


@contextmanager
def output_file(target: Path, suffix: str) -> Iterator[Path]:
    """Yield the path to write to; for - a file that ends so, printed when it is complete."""
    if target != STANDARD:
        yield target
        return
    with temporary_folder() as folder:
        path = folder / f"output{suffix}"
        yield path
        if path.is_dir():
            raise DataError(
                "several instances of this format are several files, which standard output is "
                "not; name a folder, or a format that holds all in one"
            )
        if sys.stdout.isatty() or not hasattr(sys.stdout, "buffer"):  # as in a notebook
            print_text(_as_text(path.read_bytes()))
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(path.read_bytes())


def _as_text(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            "what is written is not text, which a terminal could show; name a file, or send it "
            "through a pipe"
        ) from error


def check_suffix(option: str, path: Path | None, *suffixes: str) -> None:
    """Refuse a file of another kind than these."""
    if path is not None and path.suffix.lower() not in suffixes:
        raise OptionError(option, str(path), f"must be a {' or a '.join(suffixes)} file")


def format_to_write(
    option: str, path: Path, name: str | None = None, named_by: str | None = None
) -> str:
    """Format of what is written, by name or by its suffix; known before the work begins.

    Refuses a folder for a format that has all instances in one file. `named_by` is the option for
    the name, if there is one.
    """
    from ibgn.io import FORMATS
    from ibgn.io.registry import find_format

    if path.is_dir() and named_by is None:
        raise OptionError(option, str(path), "is a folder; name a file")
    format = find_format(path, name, named_by or "format", writing=True)
    if path.is_dir() and format not in FORMATS.documents:
        reason = f"is a folder, but the format {quote(format)} is one file; name a file"
        raise OptionError(option, str(path), reason)
    return format


def _paths(value: Any) -> Iterator[Path]:
    for each in value if isinstance(value, list | tuple) else [value]:
        if isinstance(each, Path):
            yield REDIRECTED if each == STANDARD else each


def check_targets(
    written: Mapping[str, Path | None],
    kinds: Mapping[str, Kind],
    read: Iterable[Path],
    force: bool,
    format: str | None = None,
) -> None:
    """Refuse to write over what is read, over another output, or over what exists.

    Parameters
    ----------
    written : by option, where results go; None and - are standard output
    kinds : by option, whether that is a "file", a "folder" or "either"
    read : files and folders that the command reads
    force : whether existing files that are not read may be replaced
    format : name of the format that is read; None where the files tell
    """
    before: list[Path] = []
    sources = [path for path in read if path.is_file() or path.is_dir()]
    if PRINTED_TO.is_file():
        for source in sources:
            _refuse_printing(source)
    for option, path in written.items():
        if path is None or (path == STANDARD and kinds[option] == "either"):
            continue
        try:
            _check_kind(option, path, kinds[option])
            for source in sources:
                _refuse_input(option, path, kinds[option], source, format)
            if any(is_same_file(path, other) for other in before):
                raise OptionError(option, str(path), "is written twice; name another file")
            if not force:
                _refuse_existing(option, path)
            check_folder(path if path.is_dir() else follow(path).parent, kinds[option])
        except (OSError, RuntimeError) as error:  # a name that is too long, a loop of links
            reason = getattr(error, "strerror", None) or type(error).__name__
            why = f"cannot be written to: {reason}; name another"
            raise OptionError(option, str(path), why) from error
        before.append(path)


def _check_kind(option: str, path: Path, kind: Kind) -> None:
    if path == STANDARD or not path.name:
        raise OptionError(option, str(path), f"must be a {kind}; name one")
    if kind == "file" and path.is_dir():
        raise OptionError(option, str(path), "is a folder; name a file")
    if kind == "folder" and path.exists() and not path.is_dir():
        raise OptionError(option, str(path), "is a file; name a folder")
    if path.exists() and not path.is_file() and not path.is_dir():
        reason = "is a device or a pipe, which is not replaced; name a file"
        raise OptionError(option, str(path), reason)


def _refuse_printing(source: Path) -> None:
    """Refuse to print to an input; what is printed may be read in its turn, without end."""
    if is_same_file(PRINTED_TO, source) or is_inside(PRINTED_TO, source):
        raise DataError(
            f"standard output goes to {show(source)}, which is read; send it to another file"
        )


def _refuse_input(option: str, path: Path, kind: Kind, source: Path, format: str | None) -> None:
    """Refuse an output that is an input, is in a folder that is read, or holds an input."""
    if is_same_file(path, source):
        reason = "is also an input, and would be overwritten; name another file"
        raise OptionError(option, str(path), reason)
    here, there = path.resolve(), source.resolve()
    if source.is_dir() and _is_data(path, kind, source, there in here.parents, format):
        reason = f"is in the folder {show(source)}, which is read as data; write it elsewhere"
        raise OptionError(option, str(path), reason)
    if path.is_dir() and here in there.parents:
        reason = f"is the folder of {quote(source.name)}, which is read; name another folder"
        raise OptionError(option, str(path), reason)


def _is_data(path: Path, kind: Kind, folder: Path, inside: bool, format: str | None) -> bool:
    """Whether a file is among the data of a folder, or would be the next time it is read."""
    if path.exists():
        return is_inside(path, folder)
    if not inside or kind == "folder" or not path.suffix:  # a folder may hold files of any kind
        return inside
    from ibgn.io import FORMATS

    ending = _ending(path)
    readable = [each for each in map(_endings, FORMATS.values()) if ending in each]
    if readable and format is None:  # the files would no longer tell which format they have
        return True
    alike = {ending}.union(*readable)
    return any(_ending(file) in alike for file in folder.rglob("*") if file.is_file())


def _endings(format: "Format") -> set[str]:
    return {*format.suffixes, *format.also}


def _ending(path: Path) -> str:
    """Suffix of a file in lower case, of what is compressed where it is."""
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() if suffix in COMPRESSIONS else suffix


def _refuse_existing(option: str, path: Path) -> None:
    replace = ("name another, or replace it with ", Option("force", True))
    if path.is_dir():
        inside = sorted(each.name for each in path.iterdir() if each.name not in RESUMED)
        if inside:
            what = f"is a folder that holds {quote(inside[0])} already; "
            raise OptionError(option, str(path), what, *replace)
    elif os.path.lexists(path):
        raise OptionError(option, str(path), "exists already; ", *replace)


def check_folder(folder: Path, kind: Kind) -> None:
    """Refuse a folder that is missing or cannot be written to; folders for folders are made."""
    while kind == "folder" and not folder.exists():
        folder = folder.parent
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{show(folder)} is a file, not a folder; name another")
    if not folder.is_dir():
        raise DataError(f"there is no folder {show(folder)}; make it first")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise DataError(
            f"nothing can be written to the folder {show(folder)}: {error.strerror}"
        ) from error
