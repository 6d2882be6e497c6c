"""Run the command line: `ibgn`, or `python -m ibgn`."""

import gc
import signal
import sys
from typing import Any

# objects that are made before garbage is looked for: imports make some 100,000, and none is garbage
PATIENCE_OBJECTS = 50_000


def main() -> None:
    """Import the command line and run it; Ctrl-C ends without a traceback before and after it."""
    gc.set_threshold(PATIENCE_OBJECTS)
    lost: list[Any] = []  # interruptions in callbacks, which Python prints and forgets
    hook = sys.unraisablehook
    sys.unraisablehook = lost.append
    try:
        from ibgn.cli import main as run

        sys.unraisablehook = hook
        if any(issubclass(each.exc_type, KeyboardInterrupt) for each in lost):
            raise KeyboardInterrupt
        run()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left is to tidy up
        gc.freeze()  # the end of the process frees memory; a last search for garbage takes a while


if __name__ == "__main__":
    main()
