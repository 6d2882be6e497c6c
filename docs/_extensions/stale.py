"""Removes pages that an earlier build made of what is no longer there."""

from pathlib import Path

from sphinx.application import Sphinx


def remove_stale(app: Sphinx) -> None:
    """Remove pages of examples without a script, and of names that no list has."""
    docs = Path(app.srcdir)
    gallery, reference = docs / "gallery", docs / "api"
    for page in gallery.rglob("plot_*.rst"):
        if not (docs.parent / "examples" / page.relative_to(gallery).with_suffix(".py")).exists():
            page.unlink()
    lists = "".join(page.read_text() for page in reference.glob("*.md"))
    for page in (reference / "generated").glob("ibgn.*.rst"):
        if f"   {page.stem.removeprefix('ibgn.')}\n" not in lists:
            page.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx, before it looks for pages."""
    app.connect("builder-inited", remove_stale, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
