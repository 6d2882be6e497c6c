"""Links from the names of public things, in pages and docstrings, to their reference."""

import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

NAME = re.compile(r"(?:ibgn\.)?([A-Za-z_][\w.]*)(?:\(.*\))?", re.DOTALL)


class LinkNames(SphinxTransform):
    """Make references of the code in running text; what is no public name stays code."""

    default_priority = 400

    def apply(self, **kwargs: Any) -> None:
        """Wrap every piece of inline code that may be a name."""
        for literal in list(self.document.findall(nodes.literal)):
            match = NAME.fullmatch(literal.astext())
            inside = isinstance(literal.parent, nodes.reference | pending_xref | nodes.title)
            if match and not inside and not literal.get("classes"):
                reference = pending_xref(
                    "",
                    literal.deepcopy(),
                    refdomain="py",
                    reftype="obj",
                    reftarget=match[1],
                    refexplicit=True,
                    refwarn=False,
                )
                reference["refdoc"] = self.env.docname
                literal.replace_self(reference)


def find_by_last_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element
) -> nodes.Element | None:
    """Resolve `read_csv` and `io.read_elan`, if one public thing is called so."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"].removeprefix("~").removeprefix("ibgn.")
    objects = env.get_domain("py").objects  # type: ignore[attr-defined]
    found = [
        (name, entry)
        for name, entry in objects.items()
        if name == f"ibgn.{target}" or (name.endswith(f".{target}") and entry.objtype in KINDS)
    ]
    if len({entry.node_id for _, entry in found}) != 1:
        return None
    name, entry = found[0]
    uri = app.builder.get_relative_uri(node["refdoc"], entry.docname)
    return nodes.reference(
        "", "", content, internal=True, refuri=f"{uri}#{entry.node_id}", reftitle=name
    )


KINDS = ("class", "exception", "function", "data")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_transform(LinkNames)
    app.connect("missing-reference", find_by_last_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
