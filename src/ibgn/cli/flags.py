"""Flags of commands: how the command line writes what Python takes as keyword arguments.

A parameter of a command has the name of the library option that it stands for, whatever its
flag is called, so that an error of the library can name the flag. All other options of readers
are written `-O name=value`, and those of methods `--set name=value`.
"""

import json
import shlex
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from typer import BadParameter
from typer.core import TyperCommand

from ibgn._inputs import opening_once
from ibgn.cli.help import argument_name, choices_of, write_help
from ibgn.errors import MISSING, DataError, Option, message_of

if TYPE_CHECKING:
    from ibgn.classifiers import Recogniser

__all__ = [
    "Command",
    "as_argument",
    "as_flag",
    "given_flags",
    "in_flags",
    "in_shell",
    "methods",
    "read_value",
    "write_value",
]


OF_PYDANTIC = "Value error, "  # with which typer lets some of its messages begin


def as_argument(path: Path) -> str:
    """A path as a command takes it, which has a dash in front for an option."""
    return f"./{path}" if path.name != "-" and str(path).startswith("-") else str(path)


def in_shell(*words: object) -> str:
    r"""Words as a shell takes them, without letters that a terminal would obey.

    bash, zsh and ksh read escapes within $''.

    Examples
    --------
    >>> print(in_shell("ibgn", "inspect", "two words.csv", "a\x1b[31mb.csv"))
    ibgn inspect 'two words.csv' $'a\x1b[31mb.csv'
    """
    return " ".join(
        f"$'{_escaped(word)}'" if any(map(_is_obeyed, word)) else shlex.quote(word)
        for word in map(str, words)
    )


def _is_obeyed(letter: str) -> bool:
    """Whether it has no shape of its own, but controls the terminal, or the order of letters."""
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _escaped(word: str) -> str:
    return "".join(
        "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", "surrogateescape"))
        if _is_obeyed(letter)
        else f"\\{letter}"
        if letter in "\\'"
        else letter
        for letter in word
    )


class Command(TyperCommand):
    """A command whose errors and warnings name its own flags, and whose help has panels."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        write_help(self, ctx, formatter)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Words of the line of usage."""
        arguments = [p for p in self.params if p.param_type_name == "argument"]
        return [*map(argument_name, arguments), "[OPTIONS]"]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of a command; an error begins with what is wrong."""
        try:
            return super().parse_args(ctx, args)
        except BadParameter as error:
            error.message = error.message.removeprefix(OF_PYDANTIC)
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a `DataError` that leaves it names flags."""
        token = RUNNING.set(self)
        self.given = {
            name for name in ctx.params if ctx.get_parameter_source(name).name == "COMMANDLINE"
        }
        try:
            with opening_once():  # so that all parts of a command see the same data
                return super().invoke(ctx)
        except DataError as error:
            error.reword(self.as_flag)
            raise
        finally:
            RUNNING.reset(token)

    def as_flag(self, option: Option) -> str:
        """Write an option as this command takes it; others as Python would."""
        own = {parameter.name: parameter for parameter in self.params}
        # --column gives names to columns; formats that take a list of columns take it with -O
        listed = option.name == "columns" and isinstance(option.value, list | tuple)
        flags = {flag for parameter in own.values() for flag in parameter.opts}
        holders = [holder for holder, names in HOLDERS.items() if option.name in names()]
        if option.name in own and not listed:
            choices = choices_of(get_type_hints(self.callback).get(option.name))
            # what is not a choice of the flag may be one of the method's option of that name
            refused = choices and option.value is not MISSING and option.value not in choices
            holders = ["--set"] if refused and "--set" in holders else []
        for holder in holders:
            if holder in flags:
                return in_shell(holder, f"{option.name}={write_value(option.value)}")
        if option.name in own and not listed:
            return in_shell(*_words(own[option.name], option.value))
        return str(option)


RUNNING: ContextVar[Command | None] = ContextVar("RUNNING", default=None)


def given_flags() -> set[str]:
    """Names of the parameters of the current command that were given, and not by default."""
    command = RUNNING.get()
    return set() if command is None else command.given


def in_flags(error: BaseException) -> str:
    """Text of an error or a warning, with options as flags of the current command."""
    command = RUNNING.get()
    return message_of(error) if command is None else message_of(error, command.as_flag)


def as_flag(option: Option) -> str:
    """An option as the current command takes it."""
    command = RUNNING.get()
    return str(option) if command is None else command.as_flag(option)


def as_flags(options: Mapping[str, Any]) -> str:
    """Options as the current command takes them, and others that read the same data."""
    return " ".join(as_flag(Option(name, value)) for name, value in options.items())


def as_setting(option: Option) -> str:
    """Write an option of a method, whether or not a reader has one of the same name."""
    return in_shell("--set", f"{option.name}={write_value(option.value)}")


def options_of_readers() -> set[str]:
    """Names of all options that any reader takes."""
    from ibgn.io.registry import FORMATS

    return {name for format in FORMATS.values() for name in format.options}


def methods() -> "Mapping[str, type[Recogniser]]":
    """Methods of recognition by their short names, including those that a user defined."""
    from ibgn.classifiers import METHODS

    return METHODS


def options_of_methods() -> set[str]:
    """Names of all options that any method of recognition takes."""
    return {name for method in methods().values() for name in signature(method).parameters}


# flags for options that have no flag of their own, and the names that each of them takes
HOLDERS: dict[str, Callable[[], set[str]]] = {
    "-O": options_of_readers,
    "--set": options_of_methods,
}


def _words(parameter: Any, value: Any) -> Iterator[str]:
    """Words on the command line that give a parameter its value."""
    flag = next((name for name in parameter.opts if name.startswith("--")), parameter.opts[0])
    if parameter.param_type_name == "argument":
        flag = parameter.metavar or parameter.name
    if value is False and parameter.secondary_opts:
        yield parameter.secondary_opts[0]
    elif value is MISSING or value is None or isinstance(value, bool):
        yield flag
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from (flag, f"{name}={item}")
    elif parameter.multiple and isinstance(value, list | tuple):
        for item in value:
            yield from (flag, str(item))
    else:
        yield from (flag, str(value))


def read_value(text: str) -> Any:
    """Value of a text: JSON if it can be read as such, otherwise the text itself.

    Examples
    --------
    >>> read_value("2"), read_value('["a", "b"]'), read_value("True"), read_value("track")
    (2, ['a', 'b'], True, 'track')
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {"True": True, "False": False, "None": None}.get(text, text)


def write_value(value: Any) -> str:
    """Text that `read_value` turns into this value.

    Examples
    --------
    >>> write_value("track"), write_value("2"), write_value(["a"]), write_value(True)
    ('track', '"2"', '["a"]', 'true')
    """
    if value is MISSING:
        return ""
    if isinstance(value, str) and value.isprintable() and read_value(value) == value:
        return value
    as_list = getattr(value, "tolist", None)  # of arrays and their numbers
    return json.dumps(value if as_list is None else as_list(), ensure_ascii=False, default=str)
