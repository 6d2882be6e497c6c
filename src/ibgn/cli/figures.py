"""Pictures that commands save."""

from pathlib import Path
from typing import Any

from ibgn.cli.output import say

__all__ = ["FIGURES", "save_figure"]

FIGURES = (".png", ".pdf", ".svg", ".jpg", ".jpeg", ".webp", ".eps")


def save_figure(explanation: Any, figure: Path) -> None:
    """Save the picture of an explanation; it appears when it is complete."""
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    from ibgn._files import replacing
    from ibgn.plots import plot_explanation

    drawn: Any = plot_explanation(explanation).figure
    try:
        with replacing(figure) as temporary:
            drawn.savefig(temporary, format=figure.suffix[1:].lower(), dpi=150)
    finally:
        plt.close(drawn)
    say(f"wrote {figure}")
