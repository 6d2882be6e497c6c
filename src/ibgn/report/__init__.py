"""Reports: findings, as a dictionary, as figures and frames, as one page that needs no network."""

from ibgn.report.findings import Findings, Origin, find
from ibgn.report.report import Report, make_report
from ibgn.report.section import Figure, Section
from ibgn.report.sections import SECTIONS

__all__ = ["SECTIONS", "Figure", "Findings", "Origin", "Report", "Section", "find", "make_report"]
