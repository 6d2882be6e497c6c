"""Run the command line as `python -m ibgn`."""

from ibgn.cli import main

main()
