"""Folders of a case, and what happens to the files in and around them."""

import gzip
import hashlib
import os
import shutil
import zlib
from pathlib import Path

from attack.findings import FoundError

HARMLESS = 1 << 26  # bytes that a small file may unpack to without being suspect
NEIGHBOUR = "neighbour.csv"  # beside the folder of a case, where nothing may be written


class Place:
    """Where cases run, one after the other: `inside` is new for each.

    Parameters
    ----------
    root : folder, made if needed
    stock : folder for what all cases of an attack use, by default one inside

    `temporary` is for temporary files, and `log` has what a child prints, such as the last words of
    a library that aborts.
    """

    def __init__(self, root, stock=None):
        self.root = Path(root).resolve()
        self.case = self.root / "case"
        self.stock = self.root / "stock" if stock is None else Path(stock).resolve()
        self.temporary = self.root / "temporary"
        self.inside, self.log = self.case / "inside", self.root / "log.txt"
        for folder in (self.root, self.stock):
            folder.mkdir(parents=True, exist_ok=True)

    def renew(self):
        """Forget the last case."""
        os.chdir(self.root)
        for folder in (self.case, self.temporary):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        self.inside.mkdir()
        (self.case / NEIGHBOUR).write_text("instance,action,start,end\nprecious,a,0,1\n")
        self._before = contents(self.case)
        os.chdir(self.inside)

    def check_surroundings(self):
        """Refuse files beside the folder of the case, and temporary ones that are left."""
        beside = {name: each for name, each in contents(self.case).items() if "/" not in name}
        if beside != self._before:
            raise FoundError("stray file", f"beside the folder: {sorted(beside)}")
        left = sorted(contents(self.temporary))
        if left:
            raise FoundError("stray file", f"left in the folder for temporary files: {left}")

    def keep(self, number):
        """Put the files of a case aside."""
        shutil.copytree(self.case, self._kept(number), symlinks=True, dirs_exist_ok=True)

    def give(self, number, target):
        """Give away the files of a case that was put aside or never ended."""
        kept = self._kept(number)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(kept if kept.exists() else self.case, target)

    def _kept(self, number):
        return self.root / "kept" / str(number)

    def size(self):
        """Bytes of all files of the case, which count as unpacked as far as that is harmless."""
        return sum(_size(path) for path in self.inside.rglob("*") if path.is_file())


def _size(path):
    packed = path.stat().st_size
    if path.suffix != ".gz":
        return packed
    try:
        with gzip.open(path) as stream:
            return max(packed, len(stream.read(HARMLESS)))
    except (OSError, EOFError, zlib.error):  # it is damaged
        return packed


def contents(folder):
    """What is in a folder: by path, a hash of each file, and where links lead."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def check_unchanged(before, after):
    """Refuse that files of `before` are changed or gone."""
    for name, content in before.items():
        if after.get(name) != content:
            raise FoundError("changed input", f"{name!r} is not what it was")
