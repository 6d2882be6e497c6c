"""The sections of a report, each in one module, in the order of the page."""

from ibgn.report.section import Section
from ibgn.report.sections import (
    activities,
    calibration,
    comparison,
    data,
    early,
    hardest,
    learning,
    model,
    reproduce,
    robustness,
)

__all__ = ["SECTIONS"]

SECTIONS: tuple[Section, ...] = tuple(
    module.SECTION
    for module in (
        data,
        comparison,
        learning,
        early,
        robustness,
        activities,
        calibration,
        model,
        hardest,
        reproduce,
    )
)
"""The sections that `make_report` shows by default."""
