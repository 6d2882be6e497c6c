"""Print the lowest versions that pyproject.toml allows, as constraints for pip."""

import re
import sys
import tomllib
from pathlib import Path

NOT_FOR_USERS = ("dev", "docs")  # tools of developers have the versions of constraints.txt


def lowest(path: Path) -> dict[str, str]:
    """The lowest version of each package that a user installs, extras included."""
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    named = [
        *project["dependencies"],
        *(each for name in extras if name not in NOT_FOR_USERS for each in extras[name]),
    ]
    bounds = {}
    for requirement in named:
        bound = re.fullmatch(r"([A-Za-z0-9._-]+)>=([0-9.]+)", requirement)
        if bound is None:
            sys.exit(f"{requirement} in {path} is not of the form name>=version")
        bounds[bound[1]] = bound[2]
    return bounds


if __name__ == "__main__":
    for name, version in lowest(Path(sys.argv[1])).items():
        print(f"{name}=={version}")
