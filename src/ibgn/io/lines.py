"""Lines of a text file."""

from ibgn._files import Recording
from ibgn.errors import DataError
from ibgn.text import printable

__all__ = ["read_lines"]

LARGEST = 1 << 28  # bytes, decompressed


def read_lines(recording: Recording) -> list[str]:
    """Lines of a file in UTF-8, without their ends; the empty ones at its end are left out."""
    with recording.open() as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise DataError(f"{recording.prefix}the file is larger than {LARGEST} bytes; cut it up")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{recording.prefix}the text is not UTF-8: {printable(error, 200)}; save it as UTF-8"
        ) from error
    # by line feeds only: str.splitlines also cuts at marks that labels may hold
    return text.replace("\r\n", "\n").rstrip().split("\n") if text.strip() else []
