"""Which format a file is in: all formats are asked, and the one that is surest reads it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from ibgn._files import Source, as_path, is_folder, reading, show
from ibgn.errors import DataError, Option
from ibgn.io.files import Sources, walk
from ibgn.io.head import LIKELY, Head, Sniff, last_suffix
from ibgn.io.parsing.words import END, LENGTH, START, words_of
from ibgn.text import printable

__all__ = ["find_by_content", "find_by_suffix"]

BY_SUFFIX = 0.1  # how much surer its own suffix makes a format
NUMBERS = re.compile(r"[\s\d.,;:+e-]{1,10000}", re.ASCII | re.IGNORECASE)
MODEL = "ibgn model "  # the first words of a model file, see `ibgn.persistence`
# lines of lists: "pour milk 3" or "3 pour milk"; "v1/clip.avi 120 3"; "rec1 /data/rec1.wav"
CODED = re.compile(
    r"\d{1,6}[\s,:]{1,20}[^\W\d].{0,200}|[^\W\d].{0,200}?[\s,:]{1,20}\d{1,6}(\.\d{1,6})?\s*"
)
COUNTED = re.compile(r"\S{0,500}/\S{1,500}\s+\d{1,9}\s+\d{1,9}\s*")
MEDIA_OF = re.compile(r"\S{1,200}\s.{0,500}\.(wav|flac|mp3|sph|ark|ogg)\b.{0,100}", re.IGNORECASE)
LISTED = 3  # lines of such a list
MOST_FILES = 5  # files of a folder with the same suffix that are looked at


class Candidate(Protocol):
    """What has to be known of a format to recognise its files."""

    @property
    def suffixes(self) -> tuple[str, ...]: ...
    @property
    def also(self) -> tuple[str, ...]: ...
    @property
    def sniff(self) -> Sniff | None: ...


Candidates = Mapping[str, Candidate]


class Claim(NamedTuple):
    """The formats that are surest of a file, and how sure they are."""

    sureness: float
    names: frozenset[str]


def find_by_content(path: Sources, formats: Candidates, option: str) -> str:
    """Name of the format of a file, of those in a folder, or of a list of these.

    All formats are asked; a suffix that identifies a format makes it a little surer. In a folder,
    files that nobody claims are passed over, and so are doubtful ones where others are clear.
    """
    claims = [claim for claim in _claims(path, formats) if claim.sureness > 0]
    clear = [claim for claim in claims if claim.sureness >= LIKELY]
    names = [claim.names for claim in clear or claims]
    if not names:
        return find_by_suffix(path, formats, option, "or by its content")
    common = names[0].intersection(*names)
    if len(common) != 1:
        raise _unclear(path, sorted(common or names[0].union(*names)), option)
    return min(common)


def find_by_suffix(path: Sources, formats: Candidates, option: str, nor: str = "") -> str:
    """Name of the only format that the suffixes of the files identify."""
    suffixes = {last_suffix(file) for root in _roots(path) for file in _files_of(root)}
    known = [name for name, each in formats.items() if suffixes & set(each.suffixes)]
    if len(known) == 1:
        return known[0]
    if known:
        raise _unclear(path, known, option)
    if nor:
        _refuse_nothing(path)
    fitting = [name for name, each in formats.items() if suffixes & set(each.also)]
    seen = f" {nor}{_what_it_is(path)}" if nor else ""
    held = "if it holds intervals, " if nor else ""
    raise DataError(
        f"the format of '{_name(path)}' is not known by its suffix{seen}; {held}name it with ",
        Option(option),
        f", one of {', '.join(map(repr, fitting or formats))}",
    )


def _refuse_nothing(path: Sources) -> None:
    """Refuse paths at which there is no file."""
    for root in _roots(path):
        if not root.exists():
            raise DataError(f"there is no file {show(root)}; check the path")
        if not _files_of(root):
            raise DataError(f"there are no files in the folder {show(root)}; check the path")


def _what_it_is(path: Sources) -> str:
    """What can be seen of a file that no format knows."""
    root = _roots(path)[0]
    if not root.is_file():
        return ""
    lines = Head(root).lines
    if lines and lines[0].startswith(MODEL):
        return ": it is a model, see `ibgn show`"
    if lines and all(NUMBERS.fullmatch(line) for line in lines):
        return ": it holds only numbers, and intervals need names"
    words = {*words_of(lines[0])} if len(lines) == 1 else set()
    if START & words and (END | LENGTH) & words:
        return ": it has one line, which names columns, and no rows"
    return _what_it_lists(lines)


def _what_it_lists(lines: Sequence[str]) -> str:
    """What the lines of a list say, where each has something else in place of a start."""
    if len(lines) < LISTED:
        return ""
    words = [line.split() for line in lines]
    if all(COUNTED.fullmatch(line) for line in lines):
        return ": it lists files with a number of frames and a class, and no times"
    numbers = [sum(bool(NUMBERS.fullmatch(word)) for word in each) for each in words]
    if set(numbers) == {1} and all(CODED.fullmatch(line) for line in lines):
        return ": it lists names with one number each, such as codes of actions, and no times"
    if all(MEDIA_OF.fullmatch(line) for line in lines):
        return ": it lists names and the media files that they stand for, and no times"
    if len({each[0] for each in words}) == len(words) and {len(each) for each in words} == {2}:
        return ": it lists names and what they belong to, and no times"
    return ""


def _claims(path: Sources, formats: Candidates) -> Iterator[Claim]:
    known = {suffix for each in formats.values() for suffix in (*each.suffixes, *each.also)}
    for root in _roots(path):
        if not is_folder(root):
            if root.is_file():  # a pipe can be read only once, and what is missing not at all
                with reading(root):
                    yield _claim(Head(root), formats)
            continue
        by_suffix: dict[str, list[Path]] = {}
        for file in _files_of(root):
            if last_suffix(file) in known and file.is_file():
                by_suffix.setdefault(last_suffix(file), []).append(file)
        for files in by_suffix.values():
            for file in files[:: max(1, len(files) // MOST_FILES)][:MOST_FILES]:
                with suppress(DataError), reading(file):  # its reader says what is wrong with it
                    yield _claim(Head(file), formats)


def _claim(head: Head, formats: Candidates) -> Claim:
    sure = {name: _sureness(head, each) for name, each in formats.items()}
    most = max(sure.values(), default=0.0)
    return Claim(most, frozenset(name for name, value in sure.items() if value == most))


def _sureness(head: Head, format: Candidate) -> float:
    own = head.suffix in format.suffixes
    if format.sniff is None:
        return LIKELY if own else 0.0
    try:
        sure = float(format.sniff(head))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        sure = 0.0  # it expected something else, so the file is not one of the format
    return sure + BY_SUFFIX if own else sure


def _roots(path: Sources) -> list[Path]:
    paths: Sequence[Source] = path if isinstance(path, list | tuple) else [path]
    return [as_path(each) for each in paths]


def _files_of(root: Path) -> list[Path]:
    """The file itself, or all in a folder that are not hidden."""
    if not is_folder(root):
        return [root]
    return sorted(walk(root)[0])


def _name(path: Sources) -> str:
    root = _roots(path)[0]
    return printable(root.name or root.resolve().name)


def _unclear(path: Sources, names: Sequence[str], option: str) -> DataError:
    several = len(_roots(path)) > 1 or is_folder(_roots(path)[0])
    why = "holds files of several formats" if several else "could be one of several formats"
    return DataError(
        f"'{_name(path)}' {why} ({', '.join(names)}); name the one to read with ",
        Option(option),
        f", one of {', '.join(map(repr, names))}",
    )
