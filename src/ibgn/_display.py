"""How interval sequences show themselves: text in a terminal, HTML in a notebook."""

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from ibgn.text import count, printable

if TYPE_CHECKING:
    from ibgn.intervals import IntervalSequences

SHOWN_INSTANCES = 5
SHOWN_INTERVALS = 4
BAR_WIDTH, BAR_HEIGHT = 600, 9


def headline(X: "IntervalSequences") -> str:
    """Count instances, intervals, actions and groups."""
    parts = [f"{len(X)} instance{'' if len(X) == 1 else 's'}"]
    intervals = len(X.action)
    parts.append(f"{intervals} interval{'' if intervals == 1 else 's'}")
    if len(X) > 1:
        parts[-1] += f" ({X.lengths.min()} to {X.lengths.max()} each)"
    parts.append(f"{len(X.actions)} action{'' if len(X.actions) == 1 else 's'}")
    if X.groups is not None:
        groups = len(set(X.groups.tolist()))
        parts.append(f"{groups} group{'' if groups == 1 else 's'}")
    if X.uncertainty is not None:
        parts.append(f"{count(int(X.uncertainty.uncertain.sum()), 'interval')} uncertain")
    return ", ".join(parts)


def as_text(X: "IntervalSequences") -> str:
    """Show the first instances, one per line, below the headline."""
    lines = [f"IntervalSequences: {headline(X)}"]
    for d in range(min(len(X), SHOWN_INSTANCES)):
        instance = X[d]
        name = str(d) if instance.ids is None else printable(instance.ids[0])
        shown = [
            f"{name} [{start:g}, {end:g})"
            for name, start, end in zip(
                _names(instance)[:SHOWN_INTERVALS], instance.start, instance.end, strict=False
            )
        ]
        more = ["..."] if len(instance.action) > SHOWN_INTERVALS else []
        lines.append(f"  {name}: {', '.join(shown + more) or 'no intervals'}")
    if len(X) > SHOWN_INSTANCES:
        lines.append(f"  ... {len(X) - SHOWN_INSTANCES} more")
    return "\n".join(lines)


def _names(instance: "IntervalSequences") -> list[str]:
    """Name of each interval, with a question mark where something about it is not certain."""
    names = [printable(instance.actions[code]) for code in instance.action.tolist()]
    if instance.uncertainty is None:
        return names
    marks = np.where(instance.uncertainty.uncertain, "?", "").tolist()
    return [name + mark for name, mark in zip(names, marks, strict=True)]


def as_html(X: "IntervalSequences") -> str:
    """Show the first instances as small timelines; every name is escaped."""
    rows = []
    for d in range(min(len(X), SHOWN_INSTANCES)):
        instance = X[d]
        name = str(d) if instance.ids is None else printable(instance.ids[0])
        cells = (
            f"<th>{escape(name)}</th><td>{len(instance.action)}</td><td>{_timeline(instance)}</td>"
        )
        rows.append(f"<tr>{cells}</tr>")
    if len(X) > SHOWN_INSTANCES:
        rows.append(f'<tr><td colspan="3">... {len(X) - SHOWN_INSTANCES} more</td></tr>')
    head = "<tr><th>instance</th><th>intervals</th><th>timeline</th></tr>"
    return (
        f"<div><p><b>IntervalSequences</b>: {headline(X)}</p>"
        f"<table>{head}{''.join(rows)}</table></div>"
    )


def _timeline(instance: "IntervalSequences") -> str:
    """Draw an instance as bars, one lane per action, with names as tooltips."""
    if len(instance.action) == 0:
        return ""
    lanes = {code: lane for lane, code in enumerate(dict.fromkeys(instance.action.tolist()))}
    origin, scale = instance.start.min(), BAR_WIDTH / (instance.end.max() - instance.start.min())
    bars = []
    times = instance.start.tolist(), instance.end.tolist()
    for code, shown, start, end in zip(
        instance.action.tolist(), _names(instance), *times, strict=True
    ):
        hue = 360 * code // len(instance.actions)
        name = escape(shown)
        bars.append(
            f'<rect x="{(start - origin) * scale:.1f}" y="{lanes[code] * BAR_HEIGHT}" '
            f'width="{max((end - start) * scale, 1):.1f}" height="{BAR_HEIGHT - 2}" '
            f'fill="hsl({hue},60%,50%)"><title>{name} [{start:g}, {end:g})</title></rect>'
        )
    height = len(lanes) * BAR_HEIGHT
    size = f'width="{BAR_WIDTH}" height="{height}"'
    return f'<svg {size} role="img" aria-label="timeline">{"".join(bars)}</svg>'
