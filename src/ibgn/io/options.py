"""Options of readers as data: their types, and which there are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from inspect import Parameter
from typing import Any, get_args, get_origin, get_type_hints

from ibgn.errors import Option, OptionError, Part
from ibgn.text import near

__all__ = ["is_list", "is_text", "parameters_of", "refuse_unknown"]


def is_list(option: Parameter) -> bool:
    """Whether an option takes a list of values."""
    kinds = get_args(option.annotation) or (option.annotation,)
    named = any((get_origin(kind) or kind) in (Sequence, list, tuple) for kind in kinds)
    return named or isinstance(option.default, list | tuple)


def is_text(option: Parameter) -> bool:
    """Whether the values of an option are text and never numbers, or true and false."""
    kinds = get_args(option.annotation) or (option.annotation,)
    inner = [get_args(kind)[:1] or (kind,) for kind in kinds]
    named = {kind for (kind,) in inner if kind is not type(None)}
    return bool(named) and all(kind is str or isinstance(kind, str) for kind in named)


def parameters_of(kind: type[Any], names: Iterable[str]) -> dict[str, Parameter]:
    """Fields of a dataclass as keyword arguments."""
    hints, defaults = get_type_hints(kind), {field.name: field.default for field in fields(kind)}
    return {
        name: Parameter(
            name, Parameter.KEYWORD_ONLY, default=defaults[name], annotation=hints[name]
        )
        for name in names
    }


def refuse_unknown(options: Mapping[str, Any], known: Sequence[str], format: str) -> None:
    """Refuse options that a format does not take, and list those that it does."""
    for name, value in options.items():
        if name not in known:
            listed: list[Part] = [part for each in known for part in (", ", Option(each))]
            there = listed[1:] or ["none"]
            alike: list[Part] = [Option(each) for each in near(name, known, 1)]
            meant = ["did you mean ", *alike, "? "] if alike else []
            raise OptionError(
                name,
                value,
                f"is not an option of the format {format}; ",
                *meant,
                "there are ",
                *there,
            )
