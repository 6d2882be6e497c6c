"""What a process does beside its work: the network, other programs, pickles, files elsewhere."""

import os
import sys

NEVER = ("socket.connect", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn")
WRITTEN = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CACHES = (".nbi", ".nbc", ".pyc", "__pycache__", "/matplotlib")  # of code, and of fonts
SHARED = "/joblib_memmapping_folder_"  # where workers share arrays; it goes with the process
ALLOWED = (*CACHES, SHARED)
CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate")


class Guard:
    """Notes every side effect of this process from now on; it cannot be taken back.

    Parameters
    ----------
    *folders : in which files may be written
    """

    def __init__(self, *folders):
        self.allowed = (*map(str, folders), "/proc/self/", "/dev/null")
        self.noted = []
        sys.addaudithook(self._note)

    def _note(self, event, arguments):
        if event in NEVER:
            if not self._within("ibgn/io/patterns.py"):  # runs a program of its own, with a limit
                self.noted.append(f"{event} {arguments[:2]!r}"[:300])
        elif event == "pickle.find_class":
            if not self._within("/numba/", "/joblib/", "/dask/"):
                self.noted.append(f"{event} {arguments[1:]!r}"[:300])
        elif event == "open":
            path, _, flags = arguments
            named = isinstance(path, str | bytes) and not os.path.isdir(path)  # noqa: PTH112
            if named and flags & WRITTEN:  # one that is opened in a folder never has a name
                self._note_file(event, path)
        elif event in CHANGES:
            for path in arguments[:2]:
                if isinstance(path, str | bytes):
                    self._note_file(event, path)

    def _note_file(self, event, path):
        full = os.path.abspath(os.fsdecode(path))  # noqa: PTH100
        if not full.startswith(self.allowed) and not any(part in full for part in ALLOWED):
            self.noted.append(f"{event} of {full!r}"[:300])

    def _within(self, *paths):
        """Whether code of such a path is running."""
        frame = sys._getframe()
        while frame is not None:
            if any(path in frame.f_code.co_filename for path in paths):
                return True
            frame = frame.f_back
        return False
