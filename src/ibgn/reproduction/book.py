"""The paper's page, section by section."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from ibgn.evaluation.plain import rows
from ibgn.report import Figure

__all__ = ["Book"]

Section = dict[str, Any]


class Book:
    """Sections, figures and frames of the page so far."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self.figures: dict[str, Figure] = {}
        self.frames: dict[str, pd.DataFrame] = {}

    def add(
        self,
        title: str,
        lead: Sequence[str],
        *,
        figures: dict[str, Figure] | None = None,
        tables: dict[str, tuple[str, pd.DataFrame]] | None = None,
        verdicts: Sequence[dict[str, Any]] = (),
    ) -> None:
        """Append a section; tables are captions and frames, by file name."""
        self.figures |= figures or {}
        self.frames |= {name: frame for name, (_, frame) in (tables or {}).items()}
        shown = []
        for caption, frame in (tables or {}).values():
            columns = [str(name) for name in frame.columns]
            cells = [[row[name] for name in columns] for row in rows(frame)]
            shown.append({"caption": caption, "columns": columns, "rows": cells, "note": None})
        self.sections.append(
            {
                "title": title,
                "lead": list(lead),
                "figures": list(figures or {}),
                "tables": shown,
                "verdicts": list(verdicts),
            }
        )
