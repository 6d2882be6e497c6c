"""What the readers and writers of all formats share: errors that name the file, safe writing."""

import lzma
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ibgn.messages import DataError, quote

Source = str | os.PathLike[str]


@contextmanager
def reading(path: Source) -> Iterator[str]:
    """Turn what goes wrong with a file into errors that name it; gives the prefix of messages."""
    try:
        yield f"{Path(path).name}: "
    except FileNotFoundError as error:
        raise DataError(f"there is no file {quote(path)}; check the path") from error
    except IsADirectoryError as error:
        raise DataError(f"{quote(path)} is a folder; name a file") from error
    except PermissionError as error:
        raise DataError(f"{quote(path)} may not be read; check its permissions") from error
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:  # a damaged compressed file
        raise DataError(f"{Path(path).name}: could not be read: {error}") from error


@contextmanager
def replacing(path: Source) -> Iterator[Path]:
    """Give a temporary path beside the file, and put it in its place only when all went well."""
    target = Path(path)
    if not target.parent.is_dir():
        raise DataError(f"there is no folder {quote(target.parent)}; make it first")
    if target.is_dir():
        raise DataError(f"{quote(path)} is a folder; name a file")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=target.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
