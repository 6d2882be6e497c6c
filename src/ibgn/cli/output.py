"""What commands print: results on standard output, messages and progress on standard error."""

import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from ibgn.cli.flags import in_flags
from ibgn.errors import DataError, OptionError, message_of
from ibgn.text import printable, quote, without_values


def listed(names: Sequence[str], most: int = 20) -> str:
    """Name columns, quoted."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    noun = "column" if len(names) == 1 else "columns"
    return f"{noun} {', '.join(map(quote, names[:most]))}{more}"


def print_json(result: dict[str, Any]) -> None:
    """Print a result for programs."""
    # the only control character that JSON does not escape
    print(json.dumps(result, indent=1).replace("\x7f", "\\u007f"))


def print_text(text: str) -> None:
    """Print lines as they are in a file; a terminal shows control characters as escapes."""
    if sys.stdout.isatty():
        text = "\n".join(printable(line, sys.maxsize) for line in text.split("\n"))
    print(text, end="")


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Show on standard error that work is in progress, if it is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(printable(what))):
        yield


@contextmanager
def warnings_aloud() -> Iterator[list[str]]:
    """Print warnings about the data on standard error, and list them afterwards."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # which scikit-learn says of a few instances per activity; commands say it in their words
        warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%")
        yield messages
    # of those that differ only in numbers and names, the first
    kinds: dict[str, list[UserWarning]] = {}
    for warning in (each.message for each in caught if isinstance(each.message, UserWarning)):
        text = message_of(warning, lambda option: option.name)
        kinds.setdefault(without_values(text), []).append(warning)
    for first, *more in kinds.values():
        others = f" (and {len(more)} more of this kind)" if more else ""
        messages.append(in_flags(first) + others)
    for message in messages:
        say(f"warning: {message}")


def say(message: str) -> None:
    """Print a message on standard error."""
    print(printable(message, longest=10_000), file=sys.stderr)


def fail(error: Exception) -> NoReturn:
    """Exit with a message: code 2 for wrong use, else 1."""
    if isinstance(error, DataError | ModuleNotFoundError | OSError):
        say(f"error: {error}")
    else:
        say(f"error: {type(error).__name__}: {error}; set IBGN_DEBUG=1 to see where")
    sys.exit(2 if isinstance(error, OptionError) else 1)
