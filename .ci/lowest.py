"""Print the lowest versions that pyproject.toml allows, as constraints for pip."""

import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement


def lowest(path: Path) -> list[str]:
    """Exact versions of all that a user installs; tools of developers are left as they are."""
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    named = [
        *project["dependencies"],
        *(r for name in extras if name not in ("dev", "docs") for r in extras[name]),
    ]
    found = []
    for requirement in map(Requirement, named):
        (bound,) = [s for s in requirement.specifier if s.operator == ">="]
        found.append(f"{requirement.name}=={bound.version}")
    return found


if __name__ == "__main__":
    print("\n".join(lowest(Path(sys.argv[1]))))
