"""How to get the same numbers again."""

import platform
from importlib.metadata import version
from typing import Any

from ibgn.report.section import Section, template_beside

__all__ = ["SECTION", "provenance"]

PACKAGES = ("ibgn", "numpy", "scipy", "pandas", "scikit-learn", "numba", "matplotlib")


def provenance(command: str, seed: int) -> dict[str, Any]:
    """The command, the seed and the versions behind a result."""
    versions = {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
    return {"command": command, "seed": seed, "versions": versions}


SECTION = Section(
    "reproduce",
    "Run it again",
    "The same command with the same data, seed and versions gives the same numbers; only seconds "
    "differ.",
    lambda findings: provenance(findings.origin.command, findings.origin.seed),
    template_beside(__file__),
)
