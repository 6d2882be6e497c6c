"""Which activities are done, shown while they are learned."""

from collections.abc import Iterable
from typing import Any

__all__ = ["with_progress"]


def with_progress(done: Iterable[Any], total: int, shown: bool) -> Iterable[Any]:
    """Show how many of a total are done, if that is asked for and standard error is a terminal."""
    if not shown:
        return done
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(
        done, "learning activities", total, console=console, disable=not console.is_terminal
    )
