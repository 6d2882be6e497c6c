"""Text files of Praat: their encoding and their tokens.

Praat ignores all words but free-standing numbers, texts in quotes and flags such as <exists>, so
a reader need not distinguish the long format, with names for everything, from the short one.
"""

import codecs
import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from ibgn._files import InputFile
from ibgn.errors import DataError, DataWarning, Option
from ibgn.text import printable, quote

__all__ = ["Tokens", "read_text"]

MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# possessive, so that a quote that is missing is found without going back
TOKEN = re.compile(
    r"""
    ![^\n]*+                           # a comment
    | "(?P<text>(?:[^"]++|"")*+)"
    | <(?P<flag>[^<>\s"]*+)>
    | (?P<word>[^\s"<!=]++)
    | (?P<stray>["<])
    """,
    re.VERBOSE,
)
TOKENS = 200  # bytes that are made of what stands between two marks
NUMERIC = re.compile(r"[+-]?\.?[0-9]")
REAL = r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:e[+-]?[0-9]+)?"
# also a fraction or a percentage
NUMBER = re.compile(rf"({REAL})(?:[a-z]*+|/({REAL})|(%))", re.IGNORECASE)


def read_text(file: InputFile, encoding: str | None) -> str:
    """Whole text of a file, with a line feed at the end of each line, as in Praat."""
    file.expect({"\n": TOKENS, " ": TOKENS}, "what it holds")
    content = file.content()
    if content.startswith(b"ooBinaryFile"):
        raise DataError(
            f"{file.prefix}the file is binary; open it in Praat and choose 'Save as text file...'"
        )
    text = _decode(content, encoding, file.prefix).removeprefix("\ufeff")
    if "\0" in text:
        raise DataError(
            f"{file.prefix}the text holds NUL characters, as UTF-16 without a byte order mark "
            "would; give ",
            Option("encoding", "utf-16-le"),
            " or ",
            Option("encoding", "utf-16-be"),
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decode(content: bytes, encoding: str | None, prefix: str) -> str:
    if encoding is not None:
        return _decode_as(content, encoding, prefix)
    for mark, name in MARKS.items():
        if content.startswith(mark):
            return _decode_as(content, name, prefix)
    if b"\0" in content[:2]:  # in UTF-16, letters of the Latin alphabet have a zero byte
        name = "utf-16-be" if content[:1] == b"\0" else "utf-16-le"
        return _decode_as(content, name, prefix)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        warnings.warn(
            DataWarning(
                f"{prefix}the text is not UTF-8 and was read as Latin-1; give ",
                Option("encoding", "latin-1"),
                " if that is right, or another, as ",
                Option("encoding", "mac-roman"),
            ),
            stacklevel=2,
        )
        return content.decode("latin-1")


def _decode_as(content: bytes, encoding: str, prefix: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeError as error:
        raise DataError(
            f"{prefix}the text is not {encoding}: {printable(error, 200)}; give the ",
            Option("encoding"),
            " that it was saved in, or save it again in Praat",
        ) from error


def _as_number(word: str) -> float:
    """Number, fraction or percentage, as Praat reads them; nan for anything else."""
    parsed = NUMBER.fullmatch(word)
    if parsed is None:
        return float("nan")
    by = 100.0 if parsed[3] else float(parsed[2] or 1)
    return float(parsed[1]) / by if by else float("nan")


class _Token(NamedTuple):
    kind: str  # "number", "text" or "flag"
    value: Any
    position: int


class Tokens:
    """Numbers, texts and flags of a text file of Praat, to be taken one after the other.

    Parameters
    ----------
    text : of the file
    prefix : begins every message

    Examples
    --------
    >>> tokens = Tokens('xmin = 0 seconds, text = "say ""ah"" now" tiers? <exists> ! or not', "")
    >>> tokens.number("start"), tokens.text("label"), tokens.flag("tiers")
    (0.0, 'say "ah" now', 'exists')
    """

    def __init__(self, text: str, prefix: str) -> None:
        self._text = text
        self._prefix = prefix
        self._tokens = self._scan()
        self._ahead: _Token | None = None  # that was looked at, and not taken yet

    def number(self, name: str) -> float:
        """Take a number; messages call it by its name."""
        value: float = self._take("number", name)
        return value

    def size(self, name: str) -> int:
        """Take a whole number from 0 on."""
        token = self._next(name)
        whole = token.kind == "number" and token.value >= 0 and token.value % 1 == 0
        if not whole:
            raise self._error(token, f"the {name} is {quote(token.value)}, not a whole number")
        return int(token.value)

    def text(self, name: str) -> str:
        """Take a text in quotes."""
        value: str = self._take("text", name)
        return value

    def flag(self, name: str) -> str:
        """Take a flag, without its <>."""
        value: str = self._take("flag", name)
        return value

    def end(self) -> None:
        """Refuse a file that goes on."""
        if not self.at_end:
            token = self._next("end")
            raise self._error(
                token, f"after the last tier comes {quote(token.value)}; correct the sizes"
            )

    @property
    def at_end(self) -> bool:
        """Whether nothing is left to take."""
        self._ahead = self._ahead or next(self._tokens, None)
        return self._ahead is None

    def _take(self, kind: str, name: str) -> Any:
        token = self._next(name)
        if token.kind != kind:
            raise self._error(
                token,
                f"the {name}, a {kind}, is needed, got the {token.kind} {quote(token.value)}; "
                "save it again in Praat",
            )
        return token.value

    def _next(self, name: str) -> _Token:
        token, self._ahead = self._ahead or next(self._tokens, None), None
        if token is None:
            raise DataError(
                f"{self._prefix}the file ends where the {name} should be; is it all there?"
            )
        return token

    def _scan(self) -> Iterator[_Token]:
        for match in TOKEN.finditer(self._text):
            kind, position = match.lastgroup, match.start()
            if kind == "text":
                yield _Token("text", match["text"].replace('""', '"'), position)
            elif kind == "flag":
                yield _Token("flag", match["flag"], position)
            elif kind == "word" and NUMERIC.match(match["word"]):
                word = match["word"]
                number = _as_number(word)
                if not abs(number) < float("inf"):
                    why = f"{quote(word)} is not a finite number; write numbers as 12.5"
                    raise self._error(_Token("", "", position), why)
                yield _Token("number", number, position)
            elif kind == "stray":
                what = "quote" if match["stray"] == '"' else "<"
                raise self._error(_Token("", "", position), f"the {what} here is never closed")

    def _error(self, token: _Token, why: str) -> DataError:
        line = self._text.count("\n", 0, token.position) + 1
        return DataError(f"{self._prefix}line {line}: {why}")
