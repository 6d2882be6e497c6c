"""Puts what is recorded into the documentation: run with `python -m benchmarks.page`.

`make bench` does it after measuring. A line `<!-- recorded: reading -->` before a block of text
says which part of results.json the block shows.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.record import RESULTS, Measured, show

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
BLOCK = re.compile(r"(<!-- recorded: (\w+) -->\n\n?```text\n)(.*?)(```)", re.DOTALL)


def fill(text: str, parts: Mapping[str, Any]) -> str:
    """The page with its blocks as recorded; those of parts without a record stay."""

    def shown(found: re.Match[str]) -> str:
        before, name, old, after = found.groups()
        if name not in parts:
            return before + old + after
        part = parts[name]
        curves = {what: curve["points"] for what, curve in part["curves"].items()}
        _, *lines = show({name: Measured(part["ratios"], curves, part["notes"])})
        return before + "".join(f"{line}\n" for line in lines) + after

    return BLOCK.sub(shown, text)


if __name__ == "__main__":
    recorded = json.loads(RESULTS.read_text())["full"]["parts"]
    PAGE.write_text(fill(PAGE.read_text(), recorded))
