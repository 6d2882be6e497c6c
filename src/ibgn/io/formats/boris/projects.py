"""Projects of BORIS: an ethogram, and observations of it."""

import math
from collections.abc import Iterator

from ibgn.io.formats.boris.observations import Coded, Observation, split_modifiers
from ibgn.io.parsing.json import Node
from ibgn.text import quote

__all__ = ["read_project"]


def read_project(root: Node, by_subject: bool) -> Iterator[Observation]:
    """Observations of a project, as "File > Save project" writes it, or those of each subject."""
    kinds: dict[str, str] = {}  # STATE or POINT; BORIS also has both "with coding map"
    for _, node in root.child("behaviors_conf").members():
        kind = node.child("type").name().strip().upper()[:5]
        if kind not in ("STATE", "POINT"):
            raise node.child("type").error("it must be 'State event' or 'Point event'")
        code = node.child("code").name()
        if kinds.setdefault(code, kind) != kind:
            raise node.error(f"the behaviour {quote(code)} is a state and a point; rename one")
    for name, node in root.child("observations").members():
        events = []
        for row in node.child("events").items():
            time, subject, behavior, *others = row.items(least=3)
            code = behavior.name()
            modifiers = split_modifiers(_text(others[0])) if others else ()
            kind = kinds.get(code, "not defined in the project")
            events.append(
                Coded(time.number(), _text(subject).strip(), code, modifiers, kind, row.path)
            )
        variables = {}
        if node.has("independent_variables"):
            members = node.child("independent_variables").members()
            variables = {key: _text(value) for key, value in members}
        place = f"{root.prefix}{node.path}"
        whole = Observation(name, events, variables, _media_length(node), place)
        if not by_subject:
            yield whole
            continue
        for of in dict.fromkeys(event.subject for event in events):
            own = [event for event in events if event.subject == of]
            yield whole._replace(name=f"{name}#{of}", events=own)


def _text(node: Node) -> str:
    return "" if node.value is None else node.name()


def _media_length(observation: Node) -> float:
    """Total length of the media of the first player, where it is known."""
    for holder, key in (("file", "1"), ("media_info", "length")):
        if not (observation.has(holder) and observation.child(holder).has(key)):
            return -math.inf
    lengths = observation.child("media_info").child("length")
    files = [file.name() for file in observation.child("file").child("1").items()]
    if not files or not all(lengths.has(file) for file in files):
        return -math.inf
    return sum(lengths.child(file).number("length") for file in files)
