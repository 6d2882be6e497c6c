"""Plain parsers of samples of speech, songs and sounds, which share nothing with the readers.

Each gives the intervals as (instance, action, start, end); the instance is None where the file is
the only one.
"""

import json
import re
from html import unescape
from itertools import pairwise
from xml.etree import ElementTree


def _rows(path, mark=None):
    lines = path.read_text().splitlines()
    return [line.split(mark) for line in lines if line.strip() and not line.startswith(";;")]


def _alone(rows):
    return [(None, action, float(start), float(end)) for action, start, end in rows]


def speakers(path):
    return [(r[1], r[7], float(r[3]), float(r[3]) + float(r[4])) for r in _rows(path)]


def speech(path):
    names = {"SPEAKER": 7, "LEXEME": 5, "NON-SPEECH": 6}
    rows = [row for row in _rows(path) if row[3] != "<NA>"]
    return [(r[1], r[names[r[0]]], float(r[3]), float(r[3]) + float(r[4])) for r in rows]


def words(path):
    return [(r[0], r[4], float(r[2]), float(r[2]) + float(r[3])) for r in _rows(path)]


def scored_sentences(path):
    line = r"^(\w+) 1 \w+ (\S+) (\S+) (?:<.*> )?(?!ignore)(.*)$"
    found = re.findall(line, path.read_text(), re.MULTILINE)
    return [(name, said, float(start), float(end)) for name, start, end, said in found]


def regions_to_score(path):
    return [(name, "region", float(start), float(end)) for name, _, start, end in _rows(path)]


def master_labels(path):
    """A word lasts until the next one, or to the end."""
    found = []
    for name, body in re.findall(r'"(?:\*/)?(\w+)\.\w+"\n(.*?)\n\.', path.read_text(), re.DOTALL):
        rows = [line.split() for line in body.splitlines()]
        found += [(name, r[2], int(r[0]) / 1e7, int(r[1]) / 1e7) for r in rows]
        tops = [(r[4], int(r[0]) / 1e7) for r in rows if len(r) == 5]
        last = ("", int(rows[-1][1]) / 1e7)
        found += [(name, word, start, end) for (word, start), (_, end) in pairwise([*tops, last])]
    return found


def ends_of_labels(path):
    body = path.read_text().partition("\n#\n")[2]
    rows = [("0", "")] + [
        (line.split()[0], " ".join(line.split()[2:3]).rstrip(";")) for line in body.splitlines()
    ]
    return _alone((label, start, end) for (start, _), (end, label) in pairwise(rows) if label)


def observations(path):
    for annotation in json.loads(path.read_text())["annotations"]:
        data = annotation["data"]
        if isinstance(data, dict):
            data = [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]
        for row in data:
            value = row["value"]["label"] if isinstance(row["value"], dict) else row["value"]
            yield (
                None,
                f"{value:g}" if isinstance(value, float) else value,
                row["time"],
                (row["time"] + row["duration"]),
            )


def wrapped_observations(path):
    (annotation,) = json.loads(path.read_text())["chord"]
    plain = [{key: each["value"] for key, each in row.items()} for row in annotation["data"]]
    return [(None, row["label"], row["start"], row["end"]) for row in plain]


def _clock(text):
    parts = [float(part) for part in text.split(":")]
    return sum(part * 60**power for power, part in enumerate(reversed(parts)))


def dialogues(path):
    lines = [line for line in path.read_text().splitlines() if line.startswith("Dialogue")]
    cells = [line.split(",", 9) for line in lines]
    texts = [re.sub(r"\{.*?\}", "", c[9]).replace(r"\N", " ") for c in cells]
    return [(None, t, _clock(c[1]), _clock(c[2])) for t, c in zip(texts, cells, strict=True)]


def comma_blocks(path):
    for block in path.read_text().split("\n\n"):
        times, *text = block.strip().split("\n")
        yield None, " ".join(text), *map(_clock, times.split(","))


def lyrics(path):
    text = path.read_text()
    sung = [(_clock(re.search(r"\[length: (.*)\]", text)[1]), "")]
    for line in re.findall(r"^\[\d.*$", text, re.MULTILINE):
        *times, said = re.split(r"\]", line)
        plain = re.sub(r"<.*?>", "", said)
        sung += [(_clock(time.removeprefix("[")), plain) for time in times]
    pairs = pairwise(sorted(sung))
    return [(None, said, start, end) for (start, said), (end, _) in pairs if said]


def film(path):
    """Times of this sample: a clock of 25 frames per second, and a thousand ticks per second."""
    text = path.read_text()
    found = re.findall(r"<tt:p[^>]*>(.*?)</tt:p>", text)
    said = [unescape(re.sub("<.*?>", "", each.replace("<tt:br/>", " "))) for each in found]
    assert 'begin="00:00:03:05" dur="1500ms"' in text
    assert 'begin="5000t" end="6250t"' in text
    spans = [(0.5, 2.25), (3 + 5 / 25, 3 + 5 / 25 + 1.5), (5.0, 6.25)]
    return [(None, each, *span) for each, span in zip(said, spans, strict=True)]


def sung_words(path):
    """The last line counts from the start of its part; the others from that of the song."""
    text = path.read_text()
    found = re.findall(r'<span begin="(\S+)" end="(\S+)">(\w+)</span>', text)
    assert '<p begin="10.5" end="12.25">' in text
    assert '<div begin="1:06"><p begin="1s" end="2s">later' in text
    whole = [(" ".join(word for _, _, word in found), 10.5, 12.25), ("later", 67, 68)]
    return _alone([*((word, start, end) for start, end, word in found), *whole])


def captions(path):
    events = [
        (event, "".join(part["utf8"] for part in event["segs"]).strip())
        for event in json.loads(path.read_text())["events"]
        if "segs" in event
    ]
    shown = [(event, text) for event, text in events if text]
    for (event, text), (after, _) in pairwise([*shown, ({"tStartMs": 0}, "")]):
        end = event["tStartMs"] + event["dDurationMs"] if "dDurationMs" in event else None
        yield None, text, event["tStartMs"] / 1000, (end or after["tStartMs"]) / 1000


def timed_texts(path):
    for start, length, text in re.findall(r'start="(\S+)" dur="(\S+)">(.*?)<', path.read_text()):
        yield None, unescape(unescape(text)), float(start), float(start) + float(length)


def wide_blocks(path):
    text = path.read_text("utf-16").replace(",", ".")
    for start, end, said in re.findall(r"(\S+) --> (\S+)\n(.*)", text):
        yield None, said, _clock(start), _clock(end)


def points_of_folker(path):
    text = path.read_text()
    times = dict(re.findall(r'timepoint-id="(\w+)" absolute-time="(\S+)"', text))
    found = re.findall(
        r'start-reference="(\w+)" end-reference="(\w+)"[^>]*>(?:<un\w+>)?(\w+)', text
    )
    return _alone((said, times[start], times[end]) for start, end, said in found)


def points_of_tei(path):
    """The last point of this sample is half a second after the one before."""
    times = {"T0": 0, "T1": 1.25, "T2": 2.5, "T3": 3.0}
    found = re.findall(r'start="#(\w+)" end="#(\w+)">(.*?)</(?:ann|inc)', path.read_text())
    plain = [(re.sub("<.*?>", "", said), times[start], times[end]) for start, end, said in found]
    return _alone(plain)


def child(path):
    text = path.read_text().replace("PT1M40.00S", "PT100.00S")
    found = re.findall(r'(?:spkr|type)="(\w+)".*?startTime="PT(\S+)S" endTime="PT(\S+)S"', text)
    return _alone(found)


def spoken_words(path):
    """What lasts no time is left out."""
    for each in ElementTree.parse(path).getroot():  # noqa: S314
        start, end = float(each.get("starttime")), float(each.get("endtime"))
        if start < end:
            yield None, each.text or each.get("type"), start, end


def regions(path):
    return [(None, r[3], float(r[0]), float(r[0]) + float(r[2])) for r in _rows(path, "\t")]


def notes(path):
    return [(None, "notes", float(r[0]), float(r[0]) + float(r[2])) for r in _rows(path, ",")]


def breaths(path):
    return _alone((f"{r[2]} {r[3]}", r[0], r[1]) for r in _rows(path))


def marked_species(path):
    names, *rows = _rows(path, ",")
    for row in rows:
        marked = [name for name, cell in zip(names, row, strict=True) if cell == "POS"]
        yield from ((row[0], name, float(row[1]), float(row[2])) for name in marked)


def found_queries(path):
    return _alone((r[4], r[2], r[3]) for r in _rows(path, ",")[1:])


def tiers_as_columns(path):
    rows = _rows(path, "\t")[1:]
    return _alone((cell, r[1], r[3]) for r in rows for cell in r[5:7] if cell)


def tiers_without_header(path):
    return _alone((r[8], r[3], r[5]) for r in _rows(path, "\t"))


def tier_column(path):
    return _alone((r[3], r[1], r[2]) for r in _rows(path, "\t")[1:])


def signed_sentences(path):
    return [(r[0], r[6], float(r[4]), float(r[5])) for r in _rows(path, "\t")[1:]]


def entries(path):
    tiers = json.loads(path.read_text())["tiers"]
    for tier in tiers.values() if isinstance(tiers, dict) else tiers:
        yield from ((None, label, start, end) for start, end, label in tier["entries"])


def aligned(path):
    for word in json.loads(path.read_text())["words"]:
        if word["case"] == "success":
            yield None, word["word"], word["start"], word["end"]


def likeliest(path):
    for item in json.loads(path.read_text())["results"]["items"]:
        if item["type"] != "punctuation":
            times = float(item["start_time"]), float(item["end_time"])
            yield None, item["alternatives"][0]["content"], *times


def cloud(path):
    found = re.findall(
        r'"startTime": "(\S+)s", "endTime": "(\S+)s", "word": "(\w+)"', path.read_text()
    )
    return _alone((word, start, end) for start, end, word in found)


PARSERS = {
    "nist/meeting.rttm": speakers,
    "nist/words.rttm": speech,
    "nist/phone.ctm": words,
    "nist/sentences.stm": scored_sentences,
    "nist/scored.uem": regions_to_score,
    "labels/kitchen.mlf": master_labels,
    "labels/xwaves.lab": ends_of_labels,
    "jams/song.jams": observations,
    "jams/first_version.jams": wrapped_observations,
    "subtitles/play.ass": dialogues,
    "subtitles/play.ssa": dialogues,
    "subtitles/talk.sbv": comma_blocks,
    "subtitles/song.lrc": lyrics,
    "subtitles/film.ttml": film,
    "subtitles/sung.ttml": sung_words,
    "subtitles/auto.json3": captions,
    "subtitles/timedtext.xml": timed_texts,
    "subtitles/wide.srt": wide_blocks,
    "xml/folker.flk": points_of_folker,
    "xml/timeline.tei": points_of_tei,
    "xml/child.its": child,
    "xml/words.xml": spoken_words,
    "csv/regions.txt": regions,
    "csv/notes.csv": notes,
    "csv/breaths.txt": breaths,
    "csv/marked_species.csv": marked_species,
    "csv/queries_found.csv": found_queries,
    "csv/tiers_as_columns.txt": tiers_as_columns,
    "csv/tiers_without_header.txt": tiers_without_header,
    "csv/tier_column.txt": tier_column,
    "csv/signed_sentences.csv": signed_sentences,
    "json/tiers.json": entries,
    "json/grid.json": entries,
    "json/aligned.json": aligned,
    "json/recognised.json": likeliest,
    "json/cloud.json": cloud,
}
