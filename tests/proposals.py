"""Commands whose messages propose something, and the places in the source that propose it."""

import ast
import io
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

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


def find_proposals() -> tuple[dict[tuple[str, int, int], str], set[str]]:
    """Every `Option(name, value)` in the source by its module, line and column, but for mentions.

    A message mentions what was chosen, as in `Option("closed", cleaning.closed)`. Outlines
    lead to commands that `inspect` prints, which the samples try. Also returns those
    that are made when their module is imported.
    """
    proposals, early = {}, set()
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE).as_posix()
        tree = ast.parse(path.read_text("utf-8"))
        outside = [n for n in tree.body if not isinstance(n, ast.FunctionDef | ast.ClassDef)]
        constants = {id(inner) for node in outside for inner in ast.walk(node)}
        listed = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and "outline" in node.name
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            is_option = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Option"
            is_option &= id(node) not in listed
            if (
                is_option
                and module != "errors.py"
                and len(node.args) == 2
                and not isinstance(node.args[1], ast.Attribute)
            ):
                text = f"{module}: {ast.unparse(node)}"
                proposals[module, node.lineno, node.col_offset] = text
                early |= {text} if id(node) in constants else set()
    return proposals, early


def find_commands() -> set[str]:
    """Every place in the source, other than docstrings, that writes a command of `ibgn`."""
    places = set()
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        known = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
        module = path.relative_to(SOURCE).as_posix()
        for node in ast.walk(tree):
            words = getattr(node, "elts", None) or getattr(node, "args", None)
            if isinstance(words, list) and len(words) > 1:
                first, second = (getattr(each, "value", None) for each in words[:2])
                if first == "ibgn":
                    places.add(f"{module}: ibgn {second if isinstance(second, str) else '...'}")
            text = getattr(node, "value", None)
            if isinstance(node, ast.Constant) and isinstance(text, str) and id(node) not in known:
                names = re.findall(r"(?:`|^)ibgn ([a-z-]+)", text)
                places |= {f"{module}: ibgn {name}" for name in names}
    return places


def find_texts() -> list[str]:
    """All text in the source that users may see, but for the styles of pages."""
    paths = [path for path in sorted(SOURCE.rglob("*.py")) if "report" not in path.parts]
    trees = (ast.parse(path.read_text("utf-8")) for path in paths)
    nodes = (node for tree in trees for node in ast.walk(tree))
    return [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]


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


OBJECTS = json.dumps(
    {
        "ocel:events": {
            str(n): {
                "ocel:activity": name,
                "ocel:timestamp": f"2024-01-01T00:0{n}:00",
                "ocel:omap": ["o1", f"i{n}"],
                "ocel:vmap": {},
            }
            for n, name in enumerate(("place", "pick", "send"))
        },
        "ocel:objects": {
            "o1": {"ocel:type": "order"},
            **{f"i{n}": {"ocel:type": "item"} for n in range(3)},
        },
    }
)
READINGS = "".join(
    " ".join(f"{n * (k + 2) * (k + 3) % 17 / 7:.3f}" for k in range(8)) + "\n" for n in range(30)
)
PAIRED = event("a", 0, "start") + event("a", 3, "complete")
CVAT = (
    "<annotations><version>1.1</version><meta><task><size>50</size><mode>interpolation</mode>"
    "</task></meta>%s</annotations>"
)
FPS = "-O rate=25"
BOX = '<box frame="%d" outside="%d" keyframe="1" xtl="1" ytl="1" xbr="3" ybr="3">%s</box>'
STATE = '<attribute name="state">full</attribute>'


def track(label: str, *shapes: tuple[int, int, str]) -> str:
    return f'<track id="0" label="{label}">{"".join(BOX % shape for shape in shapes)}</track>'


CLOSED = track("stir", (2, 0, STATE), (9, 1, STATE))
UNCLOSED = CVAT % (track("pour", (1, 0, ""), (5, 0, "")) + CLOSED)


def boris(*events: list[Any], **variables: str) -> str:
    behaviours = {
        "0": {"type": "State event", "key": "b", "code": "boil", "modifiers": {}},
        "2": {"type": "Point event", "key": "x", "code": "beep", "modifiers": {}},
    }
    observation = {
        "file": {"1": ["m.mp4"], "2": []},
        "type": "MEDIA",
        "date": "2020-01-01T00:00:00",
        "description": "",
        "time offset": 0.0,
        "events": [[time, who, what, "", ""] for time, who, what in events],
        "independent_variables": variables,
        "media_info": {},
    }
    project = {
        "time_format": "hh:mm:ss",
        "project_name": "kitchen",
        "subjects_conf": {"0": {"key": "1", "name": "Ann"}},
        "behaviors_conf": behaviours,
        "observations": {"one": observation},
    }
    return json.dumps(project)


BOILING = [0, "Ann", "boil"], [3, "Ann", "boil"]
LOG = "2020-01-01 00:00:0%d M00%d %s\n"
EVENTS = LOG % (1, 1, "ON") + LOG % (2, 2, "ON") + LOG % (4, 1, "OFF") + LOG % (6, 2, "OFF")
TASK = (
    '[{"id": 1, "data": {"csv": "a"}, "annotations": [{"id": 5, "was_cancelled": false, '
    '"result": [{"id": "x", "type": "timeserieslabels", "from_name": "l", "to_name": "ts", '
    '"value": {"start": 0, "end": 2, "timeserieslabels": ["boil"]}}, {"type": "choices", '
    '"from_name": "meal", "to_name": "ts", "value": {"choices": ["tea"]}}]}]}]'
)
VIA = {
    "project": {"pid": "__VIA_PROJECT_ID__", "pname": "kitchen", "vid_list": ["1"]},
    "config": {"ui": {}},
    "attribute": {
        "1": {
            "aname": "hand",
            "anchor_id": "FILE1_Z2_XY0",
            "type": 4,
            "options": {"0": "boil"},
            "default_option_id": "",
        }
    },
    "file": {"1": {"fid": "1", "fname": "tea_01.mp4", "type": 4, "loc": 1, "src": ""}},
    "view": {"1": {"fid_list": ["1"]}},
    "metadata": {
        "a": {"vid": "1", "flg": 0, "z": [0, 2], "xy": [], "av": {"1": "0"}},
        "b": {"vid": "1", "flg": 0, "z": [2, 3], "xy": [], "av": {"1": "0", "7": "odd"}},
    },
}
UNSET = VIA | {"metadata": {"a": {"vid": "1", "flg": 0, "z": [0, 2], "xy": [], "av": {"1": ""}}}}
SIGNAL = "time,hand,action\n" + "".join(
    f"{100 * i},{i // 50 % 2},{('rest', 'hold')[i // 50 % 2]}\n" for i in range(200)
)
TIERS = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="t0" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="1000"/>
<TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="2000"/><TIME_SLOT TIME_SLOT_ID="t3" TIME_VALUE="4000"/>
</TIME_ORDER><TIER LINGUISTIC_TYPE_REF="d" TIER_ID="hand">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t0" TIME_SLOT_REF2="t1">
<ANNOTATION_VALUE>pour</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t3">
<ANNOTATION_VALUE></ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER LINGUISTIC_TYPE_REF="d" TIER_ID="meal">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a3" TIME_SLOT_REF1="t0" TIME_SLOT_REF2="t2">
<ANNOTATION_VALUE>tea</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="d" TIME_ALIGNABLE="true"/></ANNOTATION_DOCUMENT>
"""


def as_parquet() -> bytes:
    file = io.BytesIO()
    columns = {"Instance": ["s", "s"], "action": ["a", "b"], "start": [0, 1], "End": [1, 4]}
    pd.DataFrame(columns).to_parquet(file)
    return file.getvalue()


CROSSING = TIERS.replace("<ANNOTATION_VALUE></", "<ANNOTATION_VALUE>stir</")
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
HEAD_GROUPED = "instance,label,action,start,end,group\n"
GROUPED = HEAD_GROUPED + "".join(
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
    Scenario("convert s.csv out.csv", {"s.csv": rows("s,tea,a,4,1", "s,tea,b,9,5")}),
    Scenario(
        "convert n.csv out.csv", {"n.csv": "a,b,c,d\nv,cut,0,5\nv,mix,5,9\nw,cut,0,4\nw,mix,4,8\n"}
    ),
    Scenario("inspect meeting.csv --closed both", {"meeting.csv": MEETING}),
    Scenario("inspect decimals.csv", {"decimals.csv": DECIMALS}, together=("closed", "tick")),
    Scenario("inspect near.csv", {"near.csv": NEAR}),
    Scenario(
        "inspect emptied.csv", {"emptied.csv": EMPTIED}, together=("tolerance", "zero_length")
    ),
    Scenario("inspect twice.csv", {"twice.csv": TICKS + "s1,tea,a0,0,3\n"}),
    # memory
    Scenario(
        "convert many.csv out.csv --max-memory 1M",
        {"many.csv": rows(*(f"s{d},tea,a,{t},{t + 1}" for d in range(2000) for t in range(9)))},
    ),
    Scenario(
        "fit some.csv -o m.ibgn --scan --unlabelled keep",
        {"some.csv": rows(*(f"s{d},{'tea' if d else ''},a,0,{d + 2}" for d in range(5)))},
    ),
    # tables
    Scenario(
        "convert bad.csv out.csv", {"bad.csv": rows("s,tea,a,0,1", "s,tea,b,1,x", "s,tea,c,1,4")}
    ),
    Scenario(
        "convert latin.csv out.csv",
        {"latin.csv": rows("s,tea,é,0,1").encode("latin-1")},
        either=("encoding",),
    ),
    Scenario(
        "convert some.csv out.csv --unlabelled error",
        {"some.csv": rows("s,tea,a,0,1", "t,,a,0,1", "u,tea,b,0,2")},
        either=("unlabelled",),  # to keep them is for `predict`
    ),
    Scenario(
        "convert two.csv out.csv", {"two.csv": rows("s,tea,a,0,1", "s,milk,b,1,2", "t,tea,a,0,1")}
    ),
    Scenario(
        "convert two.csv out.csv",
        {"two.csv": HEAD_GROUPED + "s,tea,a,0,1,ann\ns,tea,b,1,2,bob\n"},
    ),
    Scenario(
        "convert some.csv out.csv",
        {"some.csv": HEAD_GROUPED + "s,tea,a,0,1,ann\nt,tea,b,1,2,\n"},
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
        "convert u.TextGrid out.csv --encoding latin-1",
        {"u.TextGrid": textgrid(INTERVALS).encode("utf-16-le")},
        either=("encoding",),
    ),
    Scenario(
        "convert d.csv out.csv --delimiter ';'", {"d.csv": "from,to,what\n0,2,walk\n2,3,sit\n"}
    ),
    Scenario(
        "convert b.csv out.csv --column action=behavior",
        {"b.csv": "start,end,behaviour\n0,2,walk\n2,3,sit\n"},
    ),
    Scenario("convert l.TextGrid out.csv", {"l.TextGrid": textgrid(INTERVALS).encode("latin-1")}),
    Scenario("convert v.json out.csv", {"v.json": SEGMENTS % '{"segment": [0, 4]}'}),
    Scenario(
        "convert v.json out.csv",
        {"v.json": SEGMENTS % '{"label": "pour", "segment": [0, 4], "score": 0.7}'},
    ),
    # logs
    Scenario(
        "convert c.xes out.csv -O complete_only=points -O points=error",
        {"c.xes": XES % (PAIRED + event("b", 5))},
        {"min_duration": 0.5},
    ),
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
        either=("repeated",),
    ),
    # experiments
    Scenario("evaluate few.csv -m dbn", {"few.csv": FEW}),
    Scenario("evaluate few.csv -m dbn --scheme group --folds 2", {"few.csv": FEW}),
    Scenario("evaluate grouped.csv -m dbn --scheme group --folds 4", {"grouped.csv": GROUPED}),
    Scenario("evaluate grouped.csv -m dbn --folds 2", {"grouped.csv": GROUPED}),
    Scenario("fit few.csv -o m.ibgn --method dbn --learn-tolerance", {"few.csv": FEW}),
    Scenario("fit few.csv -o few.ibgn --method dbn", {"few.csv": FEW, "few.ibgn": "old"}),
    # ELAN
    Scenario("convert e.eaf out.csv", {"e.eaf": TIERS}),
    Scenario("convert e.eaf out.csv -O activity=track:meal -O crossing=drop", {"e.eaf": CROSSING}),
    # BORIS
    Scenario(
        "convert k.boris out.csv -O points=error",
        {"k.boris": boris(*BOILING, [4, "Ann", "beep"])},
        {"min_duration": 0.5},
    ),
    Scenario(
        "convert k.boris out.csv -O points=drop",
        {"k.boris": boris(*BOILING, [4, "Ann", "beep"])},
        {"min_duration": 0.5},
    ),
    # CVAT
    Scenario(f"convert c.xml out.csv {FPS} -O unclosed=error", {"c.xml": UNCLOSED}),
    Scenario(f"convert c.xml out.csv {FPS} -O unclosed=last", {"c.xml": UNCLOSED}),
    Scenario(
        f"convert c.xml out.csv {FPS} -O attribute=state -O unknown=error -O unclosed=last",
        {"c.xml": UNCLOSED},
    ),
    Scenario(
        f"convert c.xml out.csv {FPS} -O attribute=state -O unknown=drop -O unclosed=last",
        {"c.xml": UNCLOSED},
    ),
    # Label Studio, VIA
    Scenario(
        "convert l.json out.csv -O unknown=error", {"l.json": TASK}, {"activity": "choice:meal"}
    ),
    Scenario("convert v.json out.csv -O unknown=error", {"v.json": json.dumps(VIA)}),
    Scenario("convert v.json out.csv -O unknown=drop", {"v.json": json.dumps(VIA)}),
    Scenario("convert v.json out.csv", {"v.json": json.dumps(UNSET)}),
    Scenario("convert j.json out.csv", {"j.json": '[{"start": 0, "end": 4}]'}),
    Scenario(
        "convert u.json out.csv", {"u.json": '[{"start": 7, "end": 3000000000, "label": "sing"}]'}
    ),
    Scenario(
        "convert b.csv out.csv",
        {"b.csv": "clip,start,end,wing,tail\nv,0,5,up,still\nv,5,9,down,wags\nw,0,4,up,wags\n"},
        {"columns": {"instance": "clip", "start": "start", "end": "end", "action": "tail"}},
    ),
    Scenario("convert c.xes out.csv", {"c.xes": XES % (PAIRED + event("", 5))}),
    Scenario("convert c.xes out.csv -O unknown=drop", {"c.xes": XES % (PAIRED + event("", 5))}),
    Scenario(
        "convert c.xes out.csv",
        {"c.xes": XES % (event("b", 0, "complete") + event("c", 2, "complete"))},
        {"min_duration": 0.5},
    ),
    # logs of sensors
    Scenario("convert log.txt out.csv -O unknown=error", {"log.txt": EVENTS + LOG % (7, 3, "ODD")}),
    Scenario(
        "convert log.txt out.csv -O unknown=error",
        {"log.txt": EVENTS + "2020-01-01 00:00:07 M3\n"},
        either=("unknown", "layout"),
    ),
    Scenario(
        "convert log.txt out.csv -O unknown=error",
        {"log.txt": EVENTS.replace("M001 ON", "M001 ON tea")},
    ),
    Scenario("convert log.txt out.csv -O unknown=drop", {"log.txt": EVENTS + LOG % (7, 3, "ODD")}),
    # frames
    Scenario(
        "convert f.txt out.csv --from frames -O rate=25", {"f.txt": "boil\nboil\n0 379 pour\n"}
    ),
    Scenario(
        "convert p.lab out.csv",
        {"p.lab": "0 31200000 boil\n31200000 60100000 pour\n60100000 90000000 stir\n"},
    ),
    # subtitles, and tables, whose clocks count frames
    Scenario(
        "convert s.srt out.csv",
        {"s.srt": "1\n00:00:01:05 --> 00:00:02:10\nboil\n\n2\n00:00:03:00 --> 00:00:04:24\npour\n"},
    ),
    Scenario(
        "convert o.csv out.csv",
        {"o.csv": "Begin,End,Tier\n00:00:01:05,00:00:02:10,boil\n00:00:03:00,00:00:04:24,pour\n"},
    ),
    # event logs of objects
    Scenario("convert o.jsonocel out.csv --min-duration 1", {"o.jsonocel": OBJECTS}),
    # readings of sensors without names
    Scenario(
        "convert r.txt out.csv",
        {"r.txt": READINGS},
        {"columns": {"hand": 3}},
    ),
    # tables that are not ours
    Scenario("convert o.csv out.csv", {"o.csv": "Begin,End,Tier\n0,2,boil\n2,4,pour\n4,5,stir\n"}),
    Scenario("convert o.csv out.csv", {"o.csv": "Begin,End,Tier\n0,2,boil\n2,,pour\n4,5,stir\n"}),
    Scenario(
        "convert o.csv out.csv",
        {"o.csv": "Begin,End,Tier\n0,2,boil\n2,3\n4,5,stir\n"},
        either=("unknown",),
    ),
    Scenario(
        "convert o.csv out.csv",
        {"o.csv": "what,one,two,three\nboil,0,2,7\npour,2,4,9\nstir,4,5,8\n"},
        {"columns": {"action": "what", "start": "one", "end": "two"}},
    ),
    Scenario(
        "convert d.csv out.csv",
        {
            "d.csv": "Begin,End,Tier\n01/02/2020 10:00,01/02/2020 10:05,boil\n"
            "03/02/2020 10:00,03/02/2020 10:09,pour\n"
        },
    ),
    Scenario(
        "convert d.csv out.csv -O day_first=false",
        {"d.csv": "Begin,End,Tier\n25/02/2020 10:00,25/02/2020 10:05,boil\n"},
    ),
    Scenario(
        "convert o.csv out.csv --column start=Tier --column end=End --column action=Tier",
        {"o.csv": "Begin,End,Tier\n0,2,boil\n2,4,pour\n4,5,stir\n"},
        {"columns": {"start": "Begin"}},
    ),
    Scenario(
        "convert tr.csv out.csv --from tracks -O columns=hand -O time=time -O gap=2",
        {"tr.csv": "time,hand\n0,boil\n1,boil\n2,boil\n9,boil\n10,pour\n"},
    ),
    Scenario(
        "convert on.csv out.csv",
        {"on.csv": "time,boil,pour\n0,1,0\n1,1,0\n2,0,1\n3,0,1\n4,1,0\n5,1,1\n"},
    ),
    Scenario("convert takes.parquet out.csv", {"takes.parquet": as_parquet()}),
    # sensors
    Scenario("detect train.csv train.csv --label action -o out.csv", {"train.csv": SIGNAL}),
)

MENTION = "says what was chosen, and proposes nothing"
PYTHON = "is not reached from the command line"
INSPECT = "leads to a command that inspect prints, which the samples try"
FORMAT = "is tested with its format"
APART = "is tried in test_cli_terminal.py"
UNTRIED: dict[str, str] = {
    "model/typicality.py: Option('false_alarm', wider)": "is tried in test_unknown.py",
    "cli/predictions.py: Option('unknown_activities', 'reject')": "is tried in test_unknown.py",
    "cli/flags.py: Option(name, value)": INSPECT,
    "io/survey.py: Option('columns', read.needed['columns'])": INSPECT,
    "io/outline.py: Option('tracks', [name])": INSPECT,
    "io/survey.py: Option(name, SHOWS_MORE.get(name))": INSPECT,
    "io/survey.py: Option(name, read.needed[name])": INSPECT,
    "io/tiers.py: Option('replace', True)": PYTHON,
    "io/formats/boris/__init__.py: Option('unknown', 'drop')": FORMAT,
    "io/formats/boris/observations.py: Option('subjects', 'instances')": FORMAT,
    "io/formats/csv/times.py: Option('columns', {name: '...'})": FORMAT,
    "io/formats/events/__init__.py: Option('columns', {'instance': '...'})": FORMAT,
    "io/formats/events/__init__.py: Option('columns', {'instance': renamed['instance']})": FORMAT,
    "io/formats/events/tables.py: Option('columns', told)": FORMAT,
    "io/formats/opportunity/__init__.py: Option('null', True)": FORMAT,
    "io/formats/opportunity/recordings.py: Option('runs', None)": FORMAT,
    "io/formats/opportunity/recordings.py: Option('unknown', 'drop')": FORMAT,
    "model/unlabelled.py: Option('unlabelled', 'ignore')": APART,
    "model/unlabelled.py: Option('unlabelled', 'self-training')": APART,
    "terms/relations.py: Option('unlinked', 'constrained')": "is an option of fit, not of sample",
    "horizon.py: Option('horizon', USUAL)": "needs more pairs than memory holds",
    "inspection/mistakes.py: Option('horizon', USUAL)": "is an option of fit, not of inspect",
    "cli/learn.py: Option('horizon', USUAL)": "is tried in test_horizon.py",
    "cli/learn.py: Option('method', method)": MENTION,
    "cli/pieces.py: Option('scanned', True)": MENTION,
    "cli/compile.py: Option('folder', 'FOLDER')": "needs a machine that keeps no kernels",
    "io/readings.py: Option('unlabelled', 'drop')": "needs more rows than are read at a time",
    "cli/into.py: Option('into', str(into))": MENTION,
    "cli/segments.py: Option('activities', str(activities))": MENTION,
    "provenance.py: Option(name, getattr(self.cleaning, name))": MENTION,
    "provenance.py: Option(name, getattr(other.cleaning, name))": MENTION,
    "provenance.py: Option(name, self.options.get(name))": MENTION,
    "provenance.py: Option(name, other.options.get(name))": MENTION,
    "provenance.py: Option('activity', mine)": MENTION,
    "provenance.py: Option('activity', its)": MENTION,
    "io/formats/csv/foreign.py: Option('format', 'tracks')": FORMAT,
    "io/formats/csv/foreign.py: Option('columns', labels or ['...'])": FORMAT,
    "io/formats/csv/foreign.py: Option('time', self.named_as(places['start']))": FORMAT,
    "training_data.py: Option('unknown_actions', 'ignore')": APART,
    "cli/data.py: Option('target', '-')": MENTION,
    "cli/paper.py: Option('full', True)": MENTION,
    "detection/detector.py: Option('window', window)": MENTION,
    "detection/resampling.py: Option('longest_gap', longest_gap)": MENTION,
    "detection/resampling.py: Option('rate', rate)": MENTION,
    "io/formats/frames.py: Option('form', form)": MENTION,
    "io/parsing/columns.py: Option('header', False)": MENTION,
    "detection/detector.py: Option('tracks', [self.tracks])": PYTHON,
    "evaluation/conditions.py: Option('on', 'test')": PYTHON,
    "features/presence.py: Option('unknown', 'ignore')": PYTHON,
    "features/presence.py: Option('unknown', 'warn')": PYTHON,
    "noise.py: Option('insertions', False)": PYTHON,
}
"""Proposals that no scenario tries, and why."""

NAMED = "names a command, and has none to copy"
COPIED: dict[str, str] = {
    "cli/data.py: ibgn inspect": "test_cli_terminal.py: test_convert_keeps_what_has_no_label",
    "cli/guide.py: ibgn convert": "test_samples.py: test_inspect_understands_it",
    "cli/guide.py: ibgn fit": "test_samples.py: test_the_command_that_learns_from_it",
    "cli/guide.py: ibgn inspect": "test_first_minutes.py: test_each_step_was_proposed",
    "cli/learn.py: ibgn evaluate": "test_cli_terminal.py: test_what_fit_proposes_runs",
    "cli/learn.py: ibgn show": "test_cli_terminal.py: test_what_fit_proposes_runs",
    "cli/options.py: ibgn inspect": "test_proposals.py: test_where_there_are_no_labels",
    "cli/segments.py: ibgn segment": "test_cli_segments.py: test_what_is_proposed_for_streams",
    "cli/show.py: ibgn predict": "test_cli_terminal.py: test_what_show_proposes_runs",
    "cli/show.py: ibgn sample": "test_cli_terminal.py: test_what_show_proposes_runs",
    "cli/show.py: ibgn segment": "test_cli_segments.py: test_what_is_proposed_for_streams",
    "_kernels/compile.py: ibgn compile": NAMED,
    "classifiers/decisions.py: ibgn fit": NAMED,
    "cli/__init__.py: ibgn demo": NAMED,
    "cli/__init__.py: ibgn inspect": NAMED,
    "cli/explore.py: ibgn listen": NAMED,
    "cli/listen.py: ibgn fit": NAMED,
    "cli/listen.py: ibgn predict": NAMED,
    "cli/loading.py: ibgn fit": NAMED,
    "cli/loading.py: ibgn fit-segments": NAMED,
    "cli/loading.py: ibgn segment": NAMED,
    "cli/models.py: ibgn fit": NAMED,
    "cli/options.py: ibgn fit": NAMED,
    "cli/segments.py: ibgn fit-segments": NAMED,
    "explore/guard.py: ibgn explore": NAMED,
    "explore/server.py: ibgn explore": NAMED,
    "io/sniffing.py: ibgn show": NAMED,
    "live/checkpoint.py: ibgn listen": NAMED,
    "persistence/container.py: ibgn fit": NAMED,
}
"""Commands that the source writes, and the tests that run them as they are printed."""
