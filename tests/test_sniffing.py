"""Which format a file is in, by its content; and files that hold no annotations at all."""

import gzip
import json
from contextlib import suppress

import pytest

import ibgn
from ibgn import DataError
from ibgn.io import CERTAIN, FORMATS, LIKELY, Head, Recording, reader
from ibgn.io.registry import find_format
from ibgn.io.survey import survey
from mutations import mutate

TASK = {"id": 1, "data": {}, "annotations": [{"result": []}]}
VIA = {"project": {}, "config": {}, "attribute": {}, "file": {}, "metadata": {}, "view": {}}
XES = '<?xml version="1.0"?>\n<!-- a log -->\n<log xes.version="1.0"><trace></trace></log>'
BORIS = (
    "Observation id,Subject,Behavior,Behavior type,Start (s),Stop (s)\nmorning,A,nap,STATE,0,9\n"
)
HOME = "2010-11-04 00:03:50.2 M003 ON\n2010-11-04 00:03:57.4 M003 OFF\n"
TEXTGRID = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n1\n<exists>\n0\n'

KNOWN = {
    "takes.json": ('{"database": {"v": {"annotations": []}}}', "activitynet"),
    "export.json": (json.dumps([TASK]), "labelstudio"),
    "project.json": (json.dumps(VIA), "via"),
    "coded.json": ('{"observations": {}, "behaviors_conf": {}}', "boris"),
    "events.csv": (BORIS, "boris"),
    "events.tsv": (BORIS.replace(",", "\t"), "boris"),
    "tasks.xml": ('<annotations><version>1.1</version><track label="a"/></annotations>', "cvat"),
    "log.xml": (XES, "xes"),
    "prefixed.xml": (XES.replace("<log", '<x:log xmlns:x="u"').replace("</log", "</x:log"), "xes"),
    "talk.xml": ("<ANNOTATION_DOCUMENT><TIME_ORDER/></ANNOTATION_DOCUMENT>", "elan"),
    "talk.txt": (TEXTGRID, "textgrid"),
    "wide.TextGrid": (TEXTGRID.encode("utf-16"), "textgrid"),
    "home.txt": (HOME, "events"),
    "P03.txt": ("1-30 SIL\n31-80 take_cup\n", "frames"),
    "takes.txt": ("instance;action;start;end\na;x;0;1\n", "csv"),
    "lines.json": (
        '{"instance": "a", "intervals": []}\n{"instance": "b", "intervals": []}',
        "jsonl",
    ),
    "odd.csv": ("name,what,from,to\na,x,0,1\n", "csv"),  # by the suffix, as nobody knows it
    "log.xes.gz": (gzip.compress(XES.encode()), "xes"),
}


def saved(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("name", list(KNOWN))
def test_a_file_is_known_by_its_content(name, tmp_path):
    content, format = KNOWN[name]
    assert find_format(saved(tmp_path, name, content), None) == format


def test_a_name_that_is_given_wins(tmp_path):
    assert find_format(saved(tmp_path, "takes.json", KNOWN["takes.json"][0]), "via") == "via"


@pytest.mark.parametrize("name", ["takes.json", "export.json", "project.json", "log.xml"])
def test_the_beginning_of_a_long_file_is_enough(name, tmp_path):
    content, format = KNOWN[name]
    padding = json.dumps(
        {f"v{n}": {"note, [{": 'a "quoted", } part', "n": [n]} for n in range(9999)}
    )
    long = content.replace('"result": []', f'"result": [{padding}]')
    long = long.replace('"file": {}', f'"file": {padding}')
    long = long.replace('{"v": {', f'{{"first": {padding}, "v": {{')
    long = long.replace("<trace>", "<trace><event/>" + "<event><a/></event>" * 9999)
    assert len(long) > 100_000
    assert find_format(saved(tmp_path, name, long), None) == format


REFUSED = {
    "lfs.csv": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n",
        "LFS pointer",
    ),
    "page.csv": (b"\n<!DOCTYPE html>\n<html lang='en'>", r"web page \(HTML\)"),
    "page.xml": (b"<?xml version='1.0'?><!-- x --><html xmlns='x'>", r"web page \(HTML\)"),
    "empty.eaf": (b"", "empty"),
    "picture.json": (b"\x89PNG\r\n\x1a\n", "a picture"),
    "photo.json": (b"\xff\xd8\xff\xe0", "a picture"),
    "film.eaf": (b"\0\0\0\x18ftypmp42", "a video"),
    "paper.csv": (b"%PDF-1.5", "a PDF"),
    "archive.xes": (b"PK\x03\x04" + bytes(26) + b"log.xes", "a ZIP archive; unpack it"),
    "sheet.csv": (b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", "save it there as CSV"),
    "sheet.xls": (b"\xd0\xcf\x11\xe0\xa1\xb1", "save it there as CSV"),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_a_file_without_annotations_is_refused_with_a_plain_word(name, tmp_path):
    content, why = REFUSED[name]
    path = saved(tmp_path, name, content)
    for options in ({}, {"format": "csv"}, {"format": "xes"}, {"format": "labelstudio"}):
        with pytest.raises(DataError, match=f"{name}: the file is .*{why}"):
            ibgn.read(path, **options)


def test_a_model_is_not_taken_for_data(tmp_path):
    path = tmp_path / "tea.ibgn"
    ibgn.IBGNClassifier().fit([[("boil", 0, 4)]] * 2, ["tea", "tea"]).save(path)
    with pytest.raises(DataError, match="'tea.ibgn' is not known .*: it is a model, see `ibgn sh"):
        ibgn.read(path)


NO_INTERVALS = {
    "signs.csv": ("name|start|end|gloss\na|-1|-1|TEA\nb|-1|-1|CUP\n", "start and end at -1"),
    "selections.txt": ("Selection\tBegin Time (s)\tEnd Time (s)\tSpecies\t\n", "and no rows"),
    "beats.txt": ("0.5\t1\n1.0\t2\n1.5\t3\n2.0\t1\n", "only numbers, and intervals need names"),
    "actions.txt": ("Pull Apart 1\nPush 2\nHold Still 3\nTake 5\n", "names with one number each"),
    "classes.txt": ("0 background\n1 pour milk\n2 take cup\n", "names with one number each"),
    "split.txt": ("a/v1 120 0\na/v2 117 0\nb/v3 200 2\n", "a number of frames and a class"),
    "utt2spk": ("ann-1 ann\nann-2 ann\nbob-1 bob\n", "names and what they belong to"),
    "wav.scp": ("r1 /a/r1.wav\nr2 /a/r2.wav\nr3 sox /a/r3.flac -t wav - |\n", "the media files"),
    "flowers.data": (
        "".join(f"{n // 9 + 1}," + f"{n * 7 % 9}.5," * 6 + "0.1\n" for n in range(27)),
        "none seems to hold labels",
    ),
    "boxes.txt": (
        "".join(f"{f},{t},{t}0.5,7,30,60,1,1\n" for t in range(1, 9) for f in range(1, 20)),
        "none seems to hold labels",
    ),
    "talk.pfsx": ("<preferences><pref key='a'><Long>3</Long></pref></preferences>", "no element"),
    "graph.xml": ("<graph><edge from='1' to='2' label='x'/></graph>", "no element has a start"),
    "words.mlf": ('#!MLF!#\n"*/a.lab"\nsil\nt\n.\n', "a label without times"),
    "film.ttml": ("<tt><body><p>tea</p></body></tt>", "no text has a begin and an end"),
    "call.ctm": ("a A 0.5\n", "without the columns that others have"),
    "tea.lab": ("#\n0.2 125 pau\nt\n", "when a label ends"),
}


@pytest.mark.parametrize("name", list(NO_INTERVALS))
def test_a_file_without_intervals_is_refused_with_the_reason(name, tmp_path):
    content, why = NO_INTERVALS[name]
    format = {"call.ctm": "nist", "tea.lab": "labels"}.get(name)
    with pytest.raises(DataError, match=f"{name}.*{why}"):
        survey(saved(tmp_path, name, content), format=format)


def test_formats_that_are_equally_sure_are_named(tmp_path, extensions):
    def read(files):
        """Read nothing."""
        yield Recording("a", [])

    for name, sniff in {
        "one": lambda head: LIKELY if "gesture" in head.text else 0,
        "two": lambda head: "gesture" in head.text and LIKELY,
        "broken": lambda head: CERTAIN if head.json["a"]["b"] else 0,
    }.items():
        reader(name, sniff=sniff)(read)
    path = saved(tmp_path, "film.notes", "gesture 1")
    why = r"'film.notes' could be one of several formats \(one, two\); .* one of 'one', 'two'"
    with pytest.raises(DataError, match=why):
        find_format(path, None)
    assert find_format(path, "two") == "two"


def test_a_folder_has_the_format_of_its_files(tmp_path):
    saved(tmp_path, "logs/a/one.xml", XES)
    saved(tmp_path, "logs/b/two.xml", XES)
    saved(tmp_path, "logs/pointer.xml", REFUSED["lfs.csv"][0])
    saved(tmp_path, "logs/notes.txt", "0 10 reading\n")  # a doubtful file among clear ones
    saved(tmp_path, "logs/.hidden.xml", KNOWN["tasks.xml"][0])
    assert find_format(tmp_path / "logs", None) == "xes"
    saved(tmp_path, "logs/tasks.xml", KNOWN["tasks.xml"][0])
    with pytest.raises(DataError, match=r"'logs' holds files of several formats \(cvat, xes\)"):
        find_format(tmp_path / "logs", None)
    (tmp_path / "nothing").mkdir()
    with pytest.raises(DataError, match=r"no files in the folder '.*nothing'; check the path"):
        find_format(tmp_path / "nothing", None)
    files = [tmp_path / "logs/a/one.xml", tmp_path / "logs/b/two.xml"]
    assert find_format(files, None) == "xes"


def test_the_parts_of_a_head(tmp_path):
    head = Head(
        saved(tmp_path, "a.CSV.gz", gzip.compress(b'\xef\xbb\xbfa;"b, c" ;1,5\n\nd;e;2,5\n'))
    )
    assert (head.suffix, head.delimiter, head.is_whole) == (".csv", ";", True)
    assert head.rows == [["a", "b, c", "1,5"], ["d", "e", "2,5"]]
    assert (head.json, head.xml) == (None, None)
    deep = Head(saved(tmp_path, "deep.json", "[" * 10**5))
    assert (deep.json, deep.lines, deep.rows) == (None, [], [])
    bomb = '<!DOCTYPE log [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><log>&b;</log>'
    assert Head(saved(tmp_path, "bomb.xml", bomb)).xml is None


def test_damaged_beginnings_are_no_trouble(tmp_path, rng):
    for name, (content, _) in KNOWN.items():
        data = content.encode() if isinstance(content, str) else content
        for _ in range(20):
            path = saved(tmp_path, name, mutate(data, rng))
            with suppress(DataError):
                assert find_format(path, None) in FORMATS
