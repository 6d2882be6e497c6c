"""Commands whose messages propose something, and the places in the source that propose it."""

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ibgn

SOURCE = Path(ibgn.__file__).parent
CSV = "instance,label,action,start,end\n"


@dataclass(frozen=True)
class Scenario:
    """A command that makes a message, and what its gaps are filled with to follow the advice.

    Parameters
    ----------
    words : the command, whose files are among `files`
    files : content by name
    fill : values of options that the message names without a value
    either : options of which one of the proposed values must help, not all
    together : options that only help together, as the message says
    """

    words: str
    files: dict[str, str | bytes]
    fill: dict[str, Any] = field(default_factory=dict)
    either: tuple[str, ...] = ()
    together: tuple[str, ...] = ()


def find_proposals() -> tuple[dict[tuple[str, int], str], set[str]]:
    """Every `Option(name, value)` in the source by its module and line, but for mentions.

    A message mentions what was chosen, as in `Option("closed", cleaning.closed)`. Also returns
    those that are made when their module is imported.
    """
    proposals, early = {}, set()
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE).as_posix()
        tree = ast.parse(path.read_text("utf-8"))
        outside = [n for n in tree.body if not isinstance(n, ast.FunctionDef | ast.ClassDef)]
        constants = {id(inner) for node in outside for inner in ast.walk(node)}
        for node in ast.walk(tree):
            is_option = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Option"
            if (
                is_option
                and module != "errors.py"
                and len(node.args) == 2
                and not isinstance(node.args[1], ast.Attribute)
            ):
                text = f"{module}: {ast.unparse(node)}"
                proposals[module, node.lineno] = text
                early |= {text} if id(node) in constants else set()
    return proposals, early


def rows(*lines: str) -> str:
    return CSV + "".join(f"{line}\n" for line in lines)


def textgrid(*tiers: str) -> str:
    head = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n4\n<exists>\n'
    return f"{head}{len(tiers)}\n" + "".join(tiers)


INTERVALS = '"IntervalTier"\n"words"\n0\n4\n2\n0\n2\n"tea"\n2\n4\n"té"\n'
POINTS = '"TextTier"\n"clicks"\n0\n4\n1\n2\n"click"\n'
BORIS = (
    "Observation id,Observation date,Media file,Total length,FPS,Subject,Behavior,Behavioral "
    "category,Modifiers,Behavior type,Time,Media file name,Image index,Image file path,Comment\n"
)
SEGMENTS = '{"database": {"v": {"duration": 9, "annotations": [%s]}}}'
TWICE = (
    '{"label": "pour", "segment": [0, 4]}, {"label": "pour", "segment": [2, 6]}, '
    '{"label": "stir", "segment": [6, 8]}'
)
XES = '<log><trace><string key="concept:name" value="c1"/>%s</trace></log>'


def event(name: str, minute: int, transition: str = "") -> str:
    state = f'<string key="lifecycle:transition" value="{transition}"/>' if transition else ""
    time = f"2024-01-01T00:{minute:02}:00+00:00"
    return (
        f'<event><string key="concept:name" value="{name}"/>{state}'
        f'<date key="time:timestamp" value="{time}"/></event>'
    )


PAIRED = event("a", 0, "start") + event("a", 3, "complete")
CVAT = (
    "<annotations><meta><task><size>50</size></task></meta>"
    '<track id="0" label="pour">%s</track>'
    '<track id="1" label="stir">'
    '<box frame="2" outside="0"/><box frame="9" outside="1"/></track></annotations>'
)
TICKS = rows(*(f"s1,tea,a{i % 4},{4 * i},{4 * i + 3}" for i in range(9)))
MEETING = rows(*(f"s1,tea,a{i % 4},{4 * i},{4 * i + 4}" for i in range(9)))
DECIMALS = rows(
    *(
        f"s1,tea,a{i % 4},{3.2 * i + 0.001 * i:.3f},{3.2 * (i + 1) + 0.001 * i:.3f}"
        for i in range(9)
    )
)
NEAR = rows(
    *(
        f"s1,tea,a{i % 4},{3.17 * i + 0.00013 * (i % 3):.5f},{3.17 * (i + 1):.5f}"
        for i in range(12)
    ),
)
EMPTIED = NEAR + "s1,tea,blink,40,40.0001\n"
GROUPED = "instance,label,action,start,end,group\n" + "".join(
    f"s{i},{'tea' if i % 2 else 'milk'},a{i % 2},0,{i + 1},g{i % 3}\n" for i in range(12)
)
FEW = rows(*(f"s{i},{'tea' if i % 2 else 'milk'},a{i % 2},0,{i + 1}" for i in range(6)))

SCENARIOS = (
    # cleaning
    Scenario(
        "convert z.csv out.csv",
        {"z.csv": rows("s,tea,a,0,3", "s,tea,b,4,4", "s,tea,c,5,9")},
        {"min_duration": 0.5},
    ),
    Scenario(
        "convert h.csv out.csv --closed both", {"h.csv": rows("s,tea,a,0,1.5")}, {"tick": 0.5}
    ),
    Scenario("convert t.csv out.csv --tolerance 2", {"t.csv": rows("s,tea,a,0,1", "s,tea,b,5,9")}),
    # what inspect suspects
    Scenario("inspect ticks.csv", {"ticks.csv": TICKS}),
    Scenario("inspect meeting.csv --closed both", {"meeting.csv": MEETING}),
    Scenario("inspect decimals.csv", {"decimals.csv": DECIMALS}, together=("closed", "tick")),
    Scenario("inspect near.csv", {"near.csv": NEAR}),
    Scenario(
        "inspect emptied.csv", {"emptied.csv": EMPTIED}, together=("tolerance", "zero_length")
    ),
    Scenario("inspect twice.csv", {"twice.csv": TICKS + "s1,tea,a0,0,3\n"}),
    # tables
    Scenario(
        "convert head.csv out.csv", {"head.csv": "Instance,action,start, end\ns,a,0,1\ns,b,1,4\n"}
    ),
    Scenario(
        "convert bad.csv out.csv", {"bad.csv": rows("s,tea,a,0,1", "s,tea,b,1,x", "s,tea,c,1,4")}
    ),
    Scenario(
        "convert latin.csv out.csv",
        {"latin.csv": rows("s,tea,é,0,1").encode("latin-1")},
        either=("encoding",),
    ),
    Scenario(
        "convert some.csv out.csv", {"some.csv": rows("s,tea,a,0,1", "t,,a,0,1", "u,tea,b,0,2")}
    ),
    Scenario(
        "convert two.csv out.csv", {"two.csv": rows("s,tea,a,0,1", "s,milk,b,1,2", "t,tea,a,0,1")}
    ),
    Scenario(
        "convert folder out.csv",
        {"folder/good.csv": rows("s,tea,a,0,1"), "folder/bad.csv": "nothing\n"},
    ),
    # annotations
    Scenario("convert v.json out.csv -O overlaps=error", {"v.json": SEGMENTS % TWICE}),
    Scenario("convert v.json out.csv", {"v.json": SEGMENTS % TWICE}),
    Scenario(
        "convert p.TextGrid out.csv -O points=error",
        {"p.TextGrid": textgrid(INTERVALS, POINTS)},
        {"min_duration": 0.5, "tracks": ["words"]},
    ),
    Scenario(
        "convert p.TextGrid out.csv -O points=drop",
        {"p.TextGrid": textgrid(INTERVALS, POINTS)},
        {"min_duration": 0.5},
    ),
    Scenario(
        "convert u.TextGrid out.csv",
        {"u.TextGrid": textgrid(INTERVALS).encode("utf-16-le")},
        either=("encoding",),
    ),
    Scenario("convert l.TextGrid out.csv", {"l.TextGrid": textgrid(INTERVALS).encode("latin-1")}),
    # logs
    Scenario(
        "convert c.xes out.csv -O points=error",
        {"c.xes": XES % (PAIRED + event("b", 5))},
        {"min_duration": 0.5},
    ),
    Scenario("convert c.xes out.csv -O points=drop", {"c.xes": XES % (PAIRED + event("b", 5))}),
    Scenario(
        "convert c.xes out.csv -O unpaired=error",
        {
            "c.xes": XES
            % (PAIRED + event("b", 5, "start") + event("c", 6, "start") + event("c", 7, "complete"))
        },
    ),
    Scenario(
        "convert c.xes out.csv -O repeated=error",
        {
            "c.xes": XES
            % (
                event("a", 0, "start")
                + event("a", 1, "start")
                + event("a", 3, "complete")
                + event("a", 4, "complete")
            )
        },
    ),
    # experiments
    Scenario("evaluate few.csv -m dbn", {"few.csv": FEW}),
    Scenario("evaluate few.csv -m dbn --scheme group --folds 2", {"few.csv": FEW}),
    Scenario("evaluate grouped.csv -m dbn --scheme group --folds 4", {"grouped.csv": GROUPED}),
    Scenario("evaluate grouped.csv -m dbn --folds 2", {"grouped.csv": GROUPED}),
    Scenario("fit few.csv -o m.ibgn --method dbn --learn-tolerance", {"few.csv": FEW}),
    Scenario("fit few.csv -o few.ibgn --method dbn", {"few.csv": FEW, "few.ibgn": "old"}),
)
UNTRIED: dict[str, str] = {}
