"""Make notebooks of some examples, for a code host and for Jupyter: `make notebooks`."""

import json
from pathlib import Path

from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF
from sphinx_gallery.notebook import jupyter_notebook
from sphinx_gallery.py_source_parser import split_code_and_text_blocks

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = ("plot_tour", "plot_own_data")


def convert(script: Path) -> str:
    """Text of a notebook with the cells of a script."""
    _, blocks = split_code_and_text_blocks(str(script))
    settings = DEFAULT_GALLERY_CONF | {"first_notebook_cell": None, "last_notebook_cell": None}
    notebook = jupyter_notebook(blocks, settings, str(script.parent))
    notebook["metadata"] = {"kernelspec": notebook["metadata"]["kernelspec"]}
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"cell-{number}"  # which notebooks have had since version 4.5
    return json.dumps(notebook | {"nbformat_minor": 5}, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name in SCRIPTS:
        path = EXAMPLES / "notebooks" / f"{name.removeprefix('plot_')}.ipynb"
        path.write_text(convert(EXAMPLES / f"{name}.py"))
