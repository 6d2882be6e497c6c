"""Reports: findings, as a dictionary, as figures and tables, as one page that needs no network."""

from ibgn.report.findings import Findings, Origin, find
from ibgn.report.report import Report, make_report

__all__ = ["Findings", "Origin", "Report", "find", "make_report"]
