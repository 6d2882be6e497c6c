"""Run the command line: `ibgn`, or `python -m ibgn`."""

import signal
import sys


def main() -> None:
    """Import the command line and run it; Ctrl-C ends without a traceback before and after it."""
    try:
        from ibgn.cli import main as run

        run()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left is to tidy up


if __name__ == "__main__":
    main()
