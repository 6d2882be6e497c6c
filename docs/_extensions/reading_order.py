"""The order in which the gallery shows the examples."""

from pathlib import Path

README = Path(__file__).parents[2] / "examples" / "README.md"


class ReadingOrder:
    """Sort examples as the list for a code host does."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, script: str) -> int:
        """Where the script is in the list; it must be there."""
        return README.read_text().index(f"[{script}]")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"
