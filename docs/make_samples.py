"""Make the small recordings of `ibgn.datasets.samples`: `make samples`.

Everything is invented: people in a kitchen, dogs that meet, a home with sensors, a repair shop. A
script says what an activity consists of; a performance of it varies tempo and gaps, and leaves
steps out.
"""

import csv
import io
import json
import math
import random
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

FOLDER = Path(__file__).parents[1] / "src" / "ibgn" / "datasets" / "samples"
LEFT_OUT = 0.3  # chance that an optional step is left out
DISTRACTED = 0.12  # chance that a step of any activity is done instead
PAUSES = 0.5  # chance of a pause between steps


class Span(NamedTuple):
    """What happens on a track, from a time to another, in seconds."""

    track: str
    action: str
    start: float
    end: float


class Take(NamedTuple):
    """A performance of an activity."""

    label: str
    person: str
    spans: list[Span]

    @property
    def start(self) -> float:
        """When it begins."""
        return min(span.start for span in self.spans)

    @property
    def end(self) -> float:
        """When all of it is over."""
        return max(span.end for span in self.spans)


# A step is "track: action seconds", and what happens meanwhile after "&", each a bit later than the
# one before it; steps follow each other, and one that begins with "?" may be left out.
Script = str

KITCHEN: dict[str, Script] = {
    "tea": """right: fill kettle 5 & left: hold kettle 6
        ?right: get cup 2
        right: pour 4 & left: hold cup 9 & right: stir 3""",
    "coffee": """?right: get cup 2
        right: fill kettle 5 & left: hold kettle 6
        right: open tin 3 & left: hold tin 4
        right: pour 4
        right: stir 3 & left: hold cup 4""",
    "sandwich": """right: open tin 3 & left: hold tin 4
        right: cut 6 & left: hold bread 8
        right: spread 7 & left: hold bread 9
        ?right: cut 3""",
}
DOGS: dict[str, Script] = {
    "play": """Rex: play bow 2 & Bella: wag tail 9
        Rex: chase 6 & Bella: flee 6
        ?Bella: roll over 3
        Bella: chase 5 & Rex: flee 5""",
    "greeting": """Bella: approach 3 & Rex: approach 3
        Rex: sniff 4 & Bella: wag tail 8 & Bella: sniff 4
        ?Rex: wag tail 5""",
    "dispute": """Rex: stare 4 & Bella: freeze 7 & Rex: growl 5
        ?Bella: growl 3
        Rex: chase 3 & Bella: flee 5""",
}
HOME: dict[str, Script] = {
    "Sleeping": "M001: ON 900\nM002: ON 40\n?M003: ON 120",
    "Bathing": "M002: ON 20 & M003: ON 500 & D002: OPEN 30\nD002: OPEN 20",
    "Cooking": "M004: ON 400 & I001: ON 300 & I002: ON 60\n?M005: ON 60\nI001: ON 90",
    "Eating": "M004: ON 40\nM005: ON 500 & I002: ON 30",
    "Watching_TV": "M006: ON 900 & I003: ON 800\n?M004: ON 60",
}
OPPOSITE = {"ON": "OFF", "OPEN": "CLOSE"}
REPAIRS: dict[str, Script] = {
    "repaired": """desk: register 300
        workshop: analyse 1800 & desk: order parts 2400
        workshop: repair 3600
        workshop: test 900 & desk: write bill 600
        ?desk: inform customer 300""",
    "replaced": """desk: register 300
        workshop: analyse 1800
        desk: order device 1200 & desk: inform customer 300
        desk: write bill 600""",
    "returned": """desk: register 300
        workshop: analyse 900
        ?workshop: test 900
        desk: inform customer 300 & desk: write letter 900""",
}
TALK: dict[str, Script] = {
    "greeting": "speech: hello 1 & hands: wave 2\n?speech: name 1",
    "explanation": """speech: first 2 & hands: count 3
        speech: then 2 & hands: count 3
        hands: rest 2""",
    "question": "speech: how 2 & hands: open 3\nhands: rest 3",
}
BENCH: dict[str, Script] = {
    "salad": "hand: cut 5\n?hand: rest 1\nhand: stir 4",
    "soup": "hand: cut 4\nhand: pour 3\nhand: stir 5",
    "tea": "hand: pour 3\n?hand: rest 1\nhand: stir 3",
}


def perform(
    script: Script, others: Sequence[Script], tempo: float, rng: random.Random, start: float
) -> list[Span]:
    """One performance that begins at a time; some steps are left out, or are those of others."""
    now, spans = start, []
    for step in script.splitlines():
        step = step.strip()
        if step.startswith("?") and rng.random() < LEFT_OUT:
            continue
        if rng.random() < DISTRACTED:
            step = rng.choice(rng.choice(others).splitlines()).strip()
        begin, free = now, dict[str, float]()
        for part in step.lstrip("?").split(" & "):
            track, what = part.split(": ")
            action, seconds = what.rsplit(" ", 1)
            begin = max(begin, free.get(track, 0.0))
            lasts = float(seconds) * tempo * math.exp(rng.uniform(-0.25, 0.25))
            free[track] = round(begin + lasts, 2)
            spans.append(Span(track, action, round(begin, 2), free[track]))
            begin += rng.uniform(0.1, 0.4) * lasts
        now = max(free.values())
        if rng.random() < PAUSES:
            now += rng.uniform(0.1, 0.3) * lasts
    return spans


def record(
    scripts: dict[str, Script], people: Sequence[str], times: int, pause: float, seed: int
) -> list[list[Take]]:
    """One recording per person, who performs every script some times in a random order."""
    rng = random.Random(seed)  # noqa: S311
    recordings = []
    for person in people:
        tempo, now = rng.uniform(0.8, 1.3), 0.0
        labels = [label for label in scripts for _ in range(times)]
        rng.shuffle(labels)
        takes = []
        for label in labels:
            take = Take(
                label, person, perform(scripts[label], [*scripts.values()], tempo, rng, now)
            )
            takes.append(take)
            now = round(take.end + pause * rng.uniform(0.5, 1.5), 2)
        recordings.append(takes)
    return recordings


def write_csv(folder: Path) -> None:
    """One row per interval."""
    rows = []
    for takes in record(KITCHEN, ["ann", "bob", "cem"], 3, 5, 1):
        for number, take in enumerate(takes, 1):
            name = f"{take.person} {number}", take.label
            rows += [(*name, s.action, s.start, s.end, take.person) for s in shift(take)]
    header = ["instance", "label", "action", "start", "end", "group"]
    (folder / "kitchen.csv").write_text(as_csv([header, *rows]))


def shift(take: Take) -> list[Span]:
    """Spans of a take, in order, on a clock that starts with it."""
    moved = [
        span._replace(start=round(span.start - take.start, 2), end=round(span.end - take.start, 2))
        for span in take.spans
    ]
    return sorted(moved, key=lambda span: (span.start, span.end))


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """Rows as comma-separated values."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def write_elan(folder: Path) -> None:
    """One file per person: a tier for each hand and one for the task."""
    (folder / "elan").mkdir()
    for takes in record(KITCHEN, ["ann", "bob", "cem", "dora"], 3, 5, 2):
        spans = [span._replace(track=f"{span.track} hand") for take in takes for span in take.spans]
        spans += [Span("task", take.label, take.start, take.end) for take in takes]
        times = sorted({time for span in spans for time in (span.start, span.end)})
        slot = {time: f"ts{number}" for number, time in enumerate(times, 1)}
        person, number, tiers = takes[0].person, 0, ""
        for tier in ("right hand", "left hand", "task"):
            tiers += (
                f'    <TIER LINGUISTIC_TYPE_REF="action" PARTICIPANT="{person}" TIER_ID="{tier}">\n'
            )
            for span in sorted((s for s in spans if s.track == tier), key=lambda s: s.start):
                number += 1
                tiers += (
                    f'        <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{number}" '
                    f'TIME_SLOT_REF1="{slot[span.start]}" TIME_SLOT_REF2="{slot[span.end]}">'
                    f"<ANNOTATION_VALUE>{span.action}</ANNOTATION_VALUE>"
                    "</ALIGNABLE_ANNOTATION></ANNOTATION>\n"
                )
            tiers += "    </TIER>\n"
        slots = "".join(
            f'        <TIME_SLOT TIME_SLOT_ID="{name}" TIME_VALUE="{round(1000 * time)}"/>\n'
            for time, name in slot.items()
        )
        (folder / "elan" / f"{person}.eaf").write_text(EAF.format(slots=slots, tiers=tiers))


KIND = 'LINGUISTIC_TYPE_REF="action"'
EAF = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2024-05-02T10:00:00+00:00" FORMAT="3.0" VERSION="3.0">
    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>
    <TIME_ORDER>
{slots}    </TIME_ORDER>
{tiers}    <LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="action" TIME_ALIGNABLE="true"/>
</ANNOTATION_DOCUMENT>
"""


def write_textgrid(folder: Path) -> None:
    """A talk: what is said, what the hands do, and the phases."""
    (takes,) = record(TALK, ["talk"], 4, 2, 3)
    spans = [span for take in takes for span in take.spans]
    spans += [Span("phase", take.label, take.start, take.end) for take in takes]
    last = max(span.end for span in spans)
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', ""]
    lines += ["xmin = 0", f"xmax = {last}", "tiers? <exists>", "size = 3", "item []:"]
    for number, tier in enumerate(("speech", "hands", "phase"), 1):
        filled, now = [], 0.0
        for span in sorted((s for s in spans if s.track == tier), key=lambda s: s.start):
            filled += [("", now, span.start)] * (span.start > now)
            filled.append((span.action, span.start, span.end))
            now = span.end
        filled += [("", now, last)] * (now < last)
        lines += [f"    item [{number}]:", '        class = "IntervalTier"']
        lines += [f'        name = "{tier}"', "        xmin = 0", f"        xmax = {last}"]
        lines += [f"        intervals: size = {len(filled)}"]
        for place, (text, start, end) in enumerate(filled, 1):
            lines += [f"        intervals [{place}]:", f"            xmin = {start:g}"]
            lines += [f"            xmax = {end:g}", f'            text = "{text}"']
    (folder / "talk.TextGrid").write_text("\n".join(lines) + "\n")


def write_boris(folder: Path) -> None:
    """Aggregated events of dogs that meet, with barks, which are points."""
    header = ["Observation id", "Observation date", "Description", "Media file", "Total length"]
    header += ["FPS", "context", "park", "Subject", "Behavior", "Behavioral category", "Modifiers"]
    header += ["Behavior type", "Start (s)", "Stop (s)", "Duration (s)", "Comment start"]
    rows, rng = [], random.Random(40)  # noqa: S311
    for takes in record(DOGS, ["north park", "south park"], 5, 5, 4):
        for number, take in enumerate(takes, 1):
            name = f"{take.person.split()[0]}-{number:02}"
            spans = shift(take)
            bark = round(rng.uniform(0, spans[-1].end), 2)
            spans.append(Span("Rex", "bark", bark, bark))
            length = max(span.end for span in spans)
            for span in sorted(spans, key=lambda span: span.start):
                kind = "STATE" if span.end > span.start else "POINT"
                row: list[object] = [name, "2024-05-02 10:00:00", "", f"{name}.mp4", length, 25]
                row += [take.label, take.person, span.track, span.action, "", "", kind]
                rows.append([*row, span.start, span.end, round(span.end - span.start, 2), ""])
    (folder / "dogs.csv").write_text(as_csv([header, *rows]))


def write_casas(folder: Path) -> None:
    """A log of one home: motion sensors, doors and items that are used, with activities."""
    (takes,) = record(HOME, ["home"], 6, 600, 5)
    begin = datetime(2024, 5, 2, 6, 30)
    events = []
    for take in takes:
        lines = []
        for span in take.spans:
            lines.append((span.start, 1, span.track, span.action))
            lines.append((span.end, 0, span.track, OPPOSITE[span.action]))
        lines.sort()
        notes = [""] * len(lines)
        notes[0], notes[-1] = f" {take.label} begin", f" {take.label} end"
        events += [(*line, note) for line, note in zip(lines, notes, strict=True)]
    text = ""
    for seconds, _, sensor, state, note in events:
        time = begin + timedelta(seconds=seconds)
        text += f"{time:%Y-%m-%d %H:%M:%S.%f} {sensor} {state}{note}\n"
    (folder / "home.txt").write_text(text)


def write_xes(folder: Path) -> None:
    """A repair shop: a case is a device, and activities have a start and a completion."""
    rng = random.Random(60)  # noqa: S311
    cases = [take for takes in record(REPAIRS, ["anna", "boris"], 4, 900, 6) for take in takes]
    rng.shuffle(cases)
    text = '<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1849.2016">\n'
    for number, case in enumerate(cases, 1):
        begin = datetime(2024, 5, 2, 8) + timedelta(hours=7 * number)
        text += f'<trace><string key="concept:name" value="device {number}"/>'
        text += f'<string key="outcome" value="{case.label}"/>'
        text += f'<string key="clerk" value="{case.person}"/>\n'
        events = []
        for place, span in enumerate(shift(case)):
            both = ("start", span.start), ("complete", span.end)
            events += [(time, place, phase, span) for phase, time in both]
        for seconds, place, phase, span in sorted(events):
            time = begin + timedelta(seconds=round(seconds))
            pairs = {"concept:name": span.action, "concept:instance": str(place)}
            pairs |= {"org:resource": span.track, "lifecycle:transition": phase}
            attributes = "".join(
                f"<string key={quoteattr(key)} value={quoteattr(value)}/>"
                for key, value in pairs.items()
            )
            when = f'<date key="time:timestamp" value="{time:%Y-%m-%dT%H:%M:%S}+00:00"/>'
            text += f"<event>{attributes}{when}</event>\n"
        text += "</trace>\n"
    (folder / "repairs.xes").write_text(text + "</log>\n")


def write_labelstudio(folder: Path) -> None:
    """An export of tasks with labelled stretches of a video, and what was made as a choice."""
    tasks = []
    for takes in record(KITCHEN, ["ann", "bob"], 2, 5, 7):
        for take in takes:
            result: list[dict[str, object]] = [
                {
                    "id": f"r{place}",
                    "from_name": "hands",
                    "to_name": "audio",
                    "type": "labels",
                    "value": {"start": span.start, "end": span.end, "labels": [span.action]},
                }
                for place, span in enumerate(shift(take))
            ]
            choice = {"from_name": "task", "to_name": "audio", "type": "choices"}
            result.append({"id": "c", **choice, "value": {"choices": [take.label]}})
            number = len(tasks) + 1
            data = {"audio": f"/data/{take.person}-{number}.wav"}
            tasks.append({"id": number, "data": data, "annotations": [{"result": result}]})
    (folder / "kitchen.json").write_text(json.dumps(tasks, indent=1) + "\n")


RATE = 10  # frames per second
NOISE = 0.35  # g
WAVES: dict[str, Callable[[float], tuple[float, float, float]]] = {  # acceleration, in g
    "cut": lambda t: (0.1, 0.0, 1 + 0.8 * math.sin(2 * math.pi * 3 * t)),
    "stir": lambda t: (
        0.5 * math.sin(2 * math.pi * 1.2 * t),
        0.5 * math.cos(2 * math.pi * 1.2 * t),
        1.0,
    ),
    "pour": lambda t: (0.7, 0.3, 0.6),
    "rest": lambda t: (0.0, 0.0, 1.0),
}


def write_sensors(folder: Path) -> None:
    """One file per person: acceleration of the wrist, with the action and the activity."""
    (folder / "wrist").mkdir()
    rng = random.Random(80)  # noqa: S311
    for takes in record(BENCH, ["ann", "bob", "cem", "dora"], 2, 2, 8):
        rows: list[Sequence[object]] = [("time", "x", "y", "z", "action", "activity")]
        spans = [(span, take.label) for take in takes for span in take.spans]
        for frame in range(math.ceil(takes[-1].end * RATE)):
            time = frame / RATE
            action = next((s.action for s, _ in spans if s.start <= time < s.end), "")
            activity = next((take.label for take in takes if take.start <= time < take.end), "")
            numbers = [f"{v + rng.gauss(0, NOISE):.2f}" for v in WAVES[action or "rest"](time)]
            rows.append((time, *numbers, action if action != "rest" else "", activity))
        (folder / "wrist" / f"{takes[0].person}.csv").write_text(as_csv(rows))


WRITERS = (
    write_csv,
    write_elan,
    write_textgrid,
    write_boris,
    write_casas,
    write_xes,
    write_labelstudio,
    write_sensors,
)


def write_all(folder: Path) -> None:
    """Write every sample into an empty folder."""
    for write in WRITERS:
        write(folder)


if __name__ == "__main__":
    import shutil

    for path in FOLDER.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.suffix != ".py":
            path.unlink()
    write_all(FOLDER)
