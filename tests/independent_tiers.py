"""Plain parsers of the samples of tiers and transcripts, which share nothing with the readers.

Each gives the intervals as (action, start, end), in seconds.
"""

import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree


def parse_xml(path):
    content = path.read_bytes()
    if content.startswith(b"<"):  # whatever it declares, it is no UTF-16
        content = content.replace(b"UTF-16", b"UTF-8", 1)
    return ElementTree.fromstring(content)  # noqa: S314


def parse_elan(path):
    """Slots without a time are in the middle of their neighbours in these samples."""
    root = parse_xml(path)
    slots = [(s.get("TIME_SLOT_ID"), s.get("TIME_VALUE")) for s in root.iter("TIME_SLOT")]
    times = {}
    for place, (name, value) in enumerate(slots):
        sides = [slots[place - 1][1], slots[(place + 1) % len(slots)][1]]
        times[name] = float(value) if value else sum(map(float, sides)) / 2
    spans = {}
    for element in root.iter("ALIGNABLE_ANNOTATION"):
        ends = (element.get("TIME_SLOT_REF1"), element.get("TIME_SLOT_REF2"))
        spans[element.get("ANNOTATION_ID")] = [times[end] / 1000 for end in ends]
    divided = root.findall("LINGUISTIC_TYPE[@CONSTRAINTS='Symbolic_Subdivision']")
    for tier in root.iter("TIER"):
        divides = tier.get("LINGUISTIC_TYPE_REF") in [d.get("LINGUISTIC_TYPE_ID") for d in divided]
        parents = [e.get("ANNOTATION_REF") for e in tier.iter("REF_ANNOTATION")]
        for place, element in enumerate(tier.iter("REF_ANNOTATION")):
            start, end = spans[parents[place]]
            number, parts = parents[:place].count(parents[place]), parents.count(parents[place])
            length = (end - start) / parts
            part = [start + number * length, start + (number + 1) * length]
            spans[element.get("ANNOTATION_ID")] = part if divides else [start, end]
    for element in (*root.iter("ALIGNABLE_ANNOTATION"), *root.iter("REF_ANNOTATION")):
        yield (element.findtext("ANNOTATION_VALUE"), *spans[element.get("ANNOTATION_ID")])


def parse_short(path):
    tiers = path.read_text().split('"IntervalTier"')[1:]
    for tier in tiers:
        lines = tier.partition('"TextTier"')[0].strip().splitlines()[4:]
        for start, end, text in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
            if text != '""':
                yield text[1:-1], float(start), float(end)


def parse_long(path):
    text = path.read_text("utf-16").partition('"TextTier"')[0]
    entry = r'intervals \[\d+\]:\s+xmin = (\S+)\s+xmax = (\S+)\s+text = "((?:[^"]|"")+)"'
    for start, end, value in re.findall(entry, text):
        yield value.replace('""', '"'), float(start), float(end)


def parse_chronological(path):
    for start, end, text in re.findall(r'^\d (\S+) (\S+)\n"(.+)"$', path.read_text(), re.M):
        yield text, float(start), float(end)


def parse_subtitles(path):
    def seconds(time):
        parts = [float(part.replace(",", ".")) for part in time.split(":")]
        return sum(part * 60**power for power, part in enumerate(reversed(parts)))

    for block in path.read_text("utf-8-sig").split("\n\n"):
        head, arrow, tail = block.partition(" --> ")
        if arrow:
            times, _, text = tail.partition("\n")
            start, end = head.split()[-1], times.split()[0]
            said = " ".join(re.sub(r"<.*?>|\{.*?\}", "", text).split())
            yield unescape(said), seconds(start), seconds(end)


def parse_exmaralda(path):
    root = parse_xml(path)
    times = {point.get("id"): point.get("time") for point in root.iter("tli")}
    times["T2"] = (float(times["T1"]) + float(times["T3"])) / 2
    for event in root.iter("event"):
        yield event.text.strip(), *(float(times[event.get(side)]) for side in ("start", "end"))


def parse_anvil(path):
    first, second = parse_xml(path).iter("track")
    spans = [(float(each.get("start")), float(each.get("end"))) for each in first]
    for element, span in zip(first, spans, strict=True):
        yield element[0].text, *span
    for element in second:
        yield (
            element[0].text,
            spans[int(element.get("start"))][0],
            spans[int(element.get("end"))][1],
        )


def parse_transcriber(path):
    text = path.read_text("iso-8859-1")
    (section,) = re.findall(r'<Section type="(\w+)" startTime="(\S+)" endTime="(\S+)"', text)
    yield section[0], float(section[1]), float(section[2])
    cuts = re.findall(r'<Sync time="(\S+?)"/>(.*?)(?=<Sync|</Turn)', text, re.S)
    for (start, said), (end, _) in pairwise([*cuts, (section[2], "")]):
        words = " ".join(re.sub("<.*?>", "", said).split())
        if words:
            yield words, float(start), float(end)


def parse_chat(path):
    utterance = r"^\*\w+:\t([^\x15*]*?) \x15?(\d+)_(\d+)\x15?$"
    for said, start, end in re.findall(utterance, Path(path).read_text(), re.M):
        yield " ".join(said.split()), int(start) / 1000, int(end) / 1000


PARSERS = {
    "elan/talk.eaf": parse_elan,
    "elan/utf16.eaf": parse_elan,
    "elan/says_utf16.eaf": parse_elan,
    "elan/old.eaf": parse_elan,
    "textgrid/short.TextGrid": parse_short,
    "textgrid/utf16.TextGrid": parse_long,
    "textgrid/chronological.TextGrid": parse_chronological,
    "subtitles/film.srt": parse_subtitles,
    "subtitles/talk.vtt": parse_subtitles,
    "subtitles/signs.vtt": parse_subtitles,
    "exmaralda/kitchen.exb": parse_exmaralda,
    "anvil/gesture.anvil": parse_anvil,
    "transcriber/news.trs": parse_transcriber,
    "chat/play.cha": parse_chat,
    "chat/without_bullets.cha": parse_chat,
}
