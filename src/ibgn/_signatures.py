"""What a file is that holds no annotations as text: told by how it begins."""

import re
from typing import NamedTuple

__all__ = ["LONGEST_SIGNATURE", "Signature", "recognise"]

LONGEST_SIGNATURE = 512  # bytes at the beginning of a file that tell what it is


class Signature(NamedTuple):
    """How files of a kind begin, what they are, and what to do with them."""

    begins: re.Pattern[bytes]
    what: str
    advice: str


def _signature(pattern: bytes, what: str, advice: str) -> Signature:
    return Signature(re.compile(pattern, re.DOTALL | re.IGNORECASE), what, advice)


UNPACK = "unpack it, and read the file or the folder in it"
NAME_ANNOTATIONS = "name the file of its annotations"
SIGNATURES = (
    _signature(
        rb"version https://git-lfs\.github\.com/spec/",
        "a Git LFS pointer, which stands for a file that was not downloaded",
        "get the file with `git lfs pull`, or download it from the page of the repository",
    ),
    _signature(
        rb"(?:\.git/annex/|\.\./.*\.git/annex/|/annex/objects/)",
        "a pointer of git-annex, which stands for a file that was not downloaded",
        "get the file with `git annex get`",
    ),
    _signature(
        rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{,400}?-->\s*)*<(?:!doctype\s+html|html)\b",
        "a web page (HTML), perhaps saved instead of the file that it links to",
        'download the file itself; on GitHub, with its button "Raw"',
    ),
    _signature(
        rb"(?:\xef\xbb\xbf)?\s*<(?:head|body|div|table)\b",
        "a table or another part of a web page (HTML)",
        "export it as CSV or as tab-separated text instead",
    ),
    _signature(rb"%PDF-", "a PDF", "name a file of annotations"),
    _signature(
        rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|RIFF....WEBP|BM....\0\0\0\0",
        "a picture",
        NAME_ANNOTATIONS,
    ),
    _signature(
        rb"....ftyp|\x1aE\xdf\xa3|RIFF....(?:WAVE|AVI )|OggS|fLaC|ID3[\x02-\x04]",
        "a video or a sound recording",
        NAME_ANNOTATIONS,
    ),
    _signature(
        rb"PK\x03\x04.{26}(?:\[Content_Types\]\.xml|_rels/|docProps/|xl/|mimetypeapplication/)",
        "a document of an office program, such as a spreadsheet",
        "save it there as CSV",
    ),
    _signature(rb"\xd0\xcf\x11\xe0", "a document of an office program", "save it there as CSV"),
    _signature(rb"PK(?:\x03\x04|\x05\x06)", "a ZIP archive", UNPACK),
    _signature(rb"7z\xbc\xaf|Rar!\x1a|.{257}ustar", "an archive", UNPACK),
    _signature(rb"SQLite format 3\0", "a database of SQLite", "export a table of it as CSV"),
    _signature(rb"MATLAB \d", "a MAT-file of MATLAB", "save a table of intervals as CSV"),
    _signature(
        rb"\x89HDF|\x93NUMPY|RDX[23]|\x80[\x02-\x05][\x8a-\x95}\](c]",
        "an array or an object that a program stored",
        "save a table of intervals as CSV",
    ),
)


def recognise(beginning: bytes) -> Signature | None:
    r"""Kind of a file that cannot hold annotations as text, or None.

    Examples
    --------
    >>> recognise(b"version https://git-lfs.github.com/spec/v1\noid ...").what
    'a Git LFS pointer, which stands for a file that was not downloaded'
    >>> recognise(b"instance,action,start,end")
    """
    return next((sign for sign in SIGNATURES if sign.begins.match(beginning)), None)
