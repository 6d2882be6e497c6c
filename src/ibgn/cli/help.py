"""Help of commands: panels of flags and what they do, complete at every width.

A command's own options come first, then those that it shares with others, by panel. Choices and
defaults stand in the text of an option. Lines of a docstring that begin with `$` are examples.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from typer.core import TyperGroup

__all__ = ["EXAMPLE", "Group", "argument_name", "choices_of", "write_help"]

EXAMPLE = "$ "
WIDEST = 100  # letters per line, beyond which lines are hard to follow
NARROW = 70  # below which flags stand above what they do
FLAGS = 26  # letters for flags beside what they do
VALUES = {"Path": "FILE", "int": "N", "float": "NUMBER", "str": "TEXT"}
OWN = "Options"

Row = tuple[str, str]


class Group(TyperGroup):
    """All commands, in panels."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        panels: dict[str, list[Row]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None:
                panel = getattr(command, "rich_help_panel", None) or "Commands"
                panels.setdefault(panel, []).append((name, _first_sentence(command.help or "")))
        parameters: list[Any] = self.get_params(ctx)
        panels[OWN] = [(_flags(each, Any), each.help or "") for each in parameters]
        usage = f"Usage: {ctx.command_path} COMMAND [OPTIONS]"
        formatter.write(_page(usage, self.help or "", panels))


def write_help(command: Any, ctx: Any, formatter: Any) -> None:
    """Write the help of one command: usage, what it does, options by panel, examples."""
    lines = (command.help or "").splitlines()
    examples = [line.strip() for line in lines if line.strip().startswith(EXAMPLE)]
    text = "\n".join(line for line in lines if not line.strip().startswith(EXAMPLE))
    kinds = get_type_hints(command.callback)
    panels: dict[str, list[Row]] = {"Arguments": [], OWN: []}
    for parameter in command.get_params(ctx):
        kind = kinds.get(parameter.name, Any)
        argument = parameter.param_type_name == "argument"
        panel = "Arguments" if argument else getattr(parameter, "rich_help_panel", None) or OWN
        name = argument_name(parameter) if argument else _flags(parameter, kind)
        panels.setdefault(panel, []).append((name, _meaning(parameter, kind)))
    formatter.write(_page(command.get_usage(ctx), text, panels, examples))


def _page(usage: str, text: str, panels: dict[str, list[Row]], examples: Sequence[str] = ()) -> str:
    """Lay out a page, for a terminal or, without colours, for a file."""
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    console = Console(highlight=False)
    console.width = min(console.width, WIDEST)
    with console.capture() as capture:
        console.print(Text(usage, style="bold"))
        for paragraph in text.strip().split("\n\n"):
            console.print(Text(f"\n{' '.join(paragraph.split())}"))
        for example in examples:  # in one line each, so that they can be copied
            console.print(
                Text(f"\n  {example}" if example == examples[0] else f"  {example}"), soft_wrap=True
            )
        console.print()
        for title, rows in panels.items():
            if rows:
                console.print(
                    Panel(_entries(rows, console.width - 4), title=title, title_align="left")
                )
    return capture.get()


def _entries(rows: list[Row], width: int) -> Any:
    """Names beside what they mean, or above it where there is no room."""
    from rich.text import Text

    beside = width >= NARROW
    column = min(FLAGS, max(len(name) for name, _ in rows)) + 2 if beside else 4
    entries = Text()
    for name, meaning in rows:
        lines = wrap(meaning, width - column, break_on_hyphens=False)
        fits = beside and len(name) + 2 <= column
        entries.append(name.ljust(column) if fits else name, style="cyan")
        entries.append(lines.pop(0) if fits and lines else "")
        entries.append("".join(f"\n{'':{column}}{line}" for line in lines) + "\n")
    entries.rstrip()
    return entries


def _meaning(parameter: Any, kind: Any) -> str:
    """What an option does, with its choices and its default."""
    text = parameter.help or ""
    choices = [str(choice) for choice in choices_of(kind)]
    default = parameter.default
    said = "default" in text
    if choices:
        marked = [f"{c} (default)" if c == default and not said else c for c in choices]
        return f"{text.removesuffix('.')}: {', '.join(marked)}."
    if parameter.required and parameter.param_type_name == "option":
        return f"{text} Required."
    number = isinstance(default, int | float) and not isinstance(default, bool)
    value = f"{default:g}" if number else str(default) if isinstance(default, str | Path) else ""
    return f"{text} Default: {value}." if value and not said else text


def choices_of(kind: Any) -> tuple[Any, ...]:
    """Values that a type lists; none where it takes others too."""
    return next((get_args(k) for k in _plain(kind) if get_origin(k) is Literal), ())


def _plain(kind: Any) -> Iterator[Any]:
    """Parts of a type: without None, without the list around it."""
    if get_origin(kind) in (Union, UnionType):
        for part in get_args(kind):
            if part is not NoneType:
                yield from _plain(part)
    elif get_origin(kind) is list:
        yield from _plain(get_args(kind)[0])
    else:
        yield kind


def argument_name(parameter: Any) -> str:
    """An argument as a line of usage names it."""
    name = parameter.metavar or parameter.name.upper()
    return name if parameter.required else f"[{name}]"


def _flags(parameter: Any, kind: Any) -> str:
    """Flags of an option, the short one first, and what kind of value it takes."""
    flags = [*sorted(parameter.opts, key=len), *parameter.secondary_opts]
    value = parameter.metavar
    if value is None and not parameter.is_flag:
        names = [VALUES.get(getattr(part, "__name__", ""), "") for part in _plain(kind)]
        value = next(filter(None, names), "NAME" if choices_of(kind) else "")
    return " ".join(filter(None, [", ".join(flags), value]))


def _first_sentence(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split())
