"""A summary of the data, and what looks like a mistake in them."""

from typing import Any

from ibgn.report.findings import Findings
from ibgn.report.section import Section, template_beside

__all__ = ["SECTION"]


def _data(findings: Findings) -> dict[str, Any]:
    inspected = findings.inspection.as_dict()
    warnings = [*findings.origin.warnings, *inspected["warnings"]]
    return inspected | {"warnings": warnings, "unit": findings.origin.unit}


SECTION = Section(
    "data",
    "The data",
    "An instance is one performance of an activity, recorded as intervals: which action was done, "
    "from when to when. Everything below is learned from these.",
    _data,
    template_beside(__file__),
)
