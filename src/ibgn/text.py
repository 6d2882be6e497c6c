"""Words for users: text from the data made safe and short, and numbers of things."""

__all__ = ["count", "printable", "quote"]


def count(number: int, noun: str) -> str:
    """Say how many there are, as in '1 row' and '2 rows'."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def printable(text: object, longest: int = 60) -> str:
    """Text from the data without control characters, cut to a length that can be shown."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def quote(text: object, longest: int = 60) -> str:
    """Text from the data, made safe and short for a message."""
    shown = repr(text if isinstance(text, str) else str(text))
    return shown if len(shown) <= longest else f"{shown[: longest - 4]}...{shown[0]}"
