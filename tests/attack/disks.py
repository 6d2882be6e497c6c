"""Attack: a disk that fills, on a small tmpfs of its own or, where that cannot be, by a limit."""

import ctypes
import os
from functools import cache

from attack.commands import check_code, finish, limit_files, start
from attack.findings import FoundError
from attack.harness import Attack
from attack.jobs import JOBS, check_result, check_whole, prepare, put_inputs, warm
from attack.places import check_unchanged, contents
from attack.words import pick

NEW_MOUNTS, NEW_USER = 0x00020000, 0x10000000  # flags of unshare
PRIVATE = (1 << 14) | (1 << 18)  # of mount: what is mounted here is seen nowhere else
PAGE = 4096


def try_disk(rng, place):
    """Let a command run out of space: it fails, leaves nothing behind, and succeeds with more."""
    name = pick(rng, sorted(JOBS))
    size = int(rng.integers(1, 12)) * PAGE
    mounted = can_mount()
    child = os.fork()
    if child == 0:  # what is mounted goes with the process that sees it
        code = 70
        try:
            code = _run_full(name, place, size, mounted)
        finally:
            os._exit(code)
    code = finish(child)
    if code:
        raise FoundError(*OUTCOMES.get(code, ("exit code", code)))


OUTCOMES = {
    81: ("half output", "on a full disk; see the log"),
    82: ("changed input", "on a full disk"),
    83: ("stray file", "on a full disk; see the log"),
    84: ("traceback", "on a full disk; see the log"),
    85: ("other result", "after the disk was full"),
}


def _run_full(name, place, size, mounted):
    """Run a command with little space, and again with enough; returns what became of it."""
    if mounted:
        mount(place.inside, 1 << 22)
        os.chdir(place.inside)
    put_inputs(place, name)
    before = contents(place.inside)
    ballast = place.inside / "ballast.bin"
    if mounted:
        free = os.statvfs(place.inside)
        ballast.write_bytes(b"x" * (free.f_bavail * free.f_frsize - size))
    words = JOBS[name].words
    try:
        limited = (lambda: None) if mounted else (lambda: limit_files(size))
        check_code(finish(start(place, *words, before=limited)), words)
        ballast.unlink(missing_ok=True)
        check_unchanged(before, contents(place.inside))
        check_whole(place, name)
        hidden = [path for path in contents(place.inside) if path.startswith(".")]
        if hidden:
            raise FoundError("stray file", hidden)
        check_code(finish(start(place, *words, "--force")), words)
        check_result(place, name)
    except FoundError as error:
        os.write(2, f"{error}\n".encode())
        return next((c for c, (kind, _) in OUTCOMES.items() if kind == error.kind), 84)
    return 0


@cache
def can_mount():
    """Whether a process may have a tmpfs of its own."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            mount(os.getcwd(), 1 << 16)  # noqa: PTH109
            code = 0
        finally:
            os._exit(code)
    return finish(child) == 0


def mount(folder, size):
    """Mount a small tmpfs that only this process and its children see."""
    system = ctypes.CDLL(None, use_errno=True)
    flags = NEW_MOUNTS if os.getuid() == 0 else NEW_MOUNTS | NEW_USER
    options = f"size={size}".encode()
    for call, arguments in (
        (system.unshare, (flags,)),
        (system.mount, (b"none", b"/", None, PRIVATE, None)),
        (system.mount, (b"tmpfs", os.fsencode(folder), b"tmpfs", 0, options)),
    ):
        if call(*arguments):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def announce():
    """Say where the disk is not really full, and begin as others do."""
    warm()
    if not can_mount():
        print("disks: no tmpfs can be mounted here; a limit of file sizes stands in for it")


DISKS = Attack(
    "disks",
    "a disk that fills, on a small tmpfs",
    try_disk,
    share=1,
    warm=announce,
    prepare=prepare,
)
