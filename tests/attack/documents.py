"""Files damaged where it hurts: by their structure as JSON, XML, tables, gzip or Parquet."""

import bz2
import gzip
import io
import json
import lzma
import re
from contextlib import suppress
from functools import partial

from attack.words import HOSTILE, NUMBERS, SURROGATES, pick
from model_files import leaves
from mutations import mutate

ODD = (*HOSTILE, *NUMBERS)
ODD_JSON = (
    *("NaN", "Infinity", "-Infinity", "1e999", "-0", "1" * 5000, "9" * 400, "0.1e-400", "true"),
    *("null", "[]", "{}", '""', '"\\ud800"', '"\\u0000"', '["a"]', "[[]]", '{"a": null}', "-1"),
    *(
        '{"start": 0, "start": 1}',
        "9007199254740993",
        "01",
        "'a'",
        "[1,]",
        "//",
        '"' + "x" * 70_000 + '"',
    ),
)
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1", "cp1252", "utf-7")
ENTITIES = (
    '<!DOCTYPE a [<!ENTITY x "y">]>',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    '<!DOCTYPE a SYSTEM "http://localhost:9/a.dtd">',
    '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;"><!ENTITY x "&c;&c;&c;">]>',
)
HOLE = "@@hole@@"
BOMBS = 0.1  # share of gzip files that unpack to a lot
LARGEST = 30_000_000  # bytes of those
# quickly, and without the time of day
PACKERS = (
    (".gz", partial(gzip.compress, compresslevel=1, mtime=0)),
    (".bz2", partial(bz2.compress, compresslevel=1)),
    (".xz", partial(lzma.compress, preset=0)),
)


def damage(name, content, rng):
    """A damaged variant of a file; returns its name, which may say another suffix, and content."""
    if name.endswith(".gz"):
        name, content = name.removesuffix(".gz"), gzip.decompress(content)
    for _ in range(int(rng.integers(1, 4))):
        content = _damage_once(content, rng)
    if rng.random() < 0.08:
        content = _encode(content, rng)
    return _pack(name, content, rng) if rng.random() < 0.08 else (name, content)


def _damage_once(content, rng):
    if content.startswith(b"PAR1"):
        return (_damage_parquet if rng.random() < 0.5 else mutate)(content, rng)
    if rng.random() < 0.3:
        return mutate(content, rng)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return mutate(content, rng)
    by_structure = {"{": damage_json, "[": damage_json, "<": _damage_xml}
    damaged = by_structure.get(text.lstrip("\ufeff \n")[:1], _damage_rows)(text, rng)
    return damaged.encode("utf-8", pick(rng, ("surrogatepass", "replace")))


def damage_json(text, rng):
    """JSON with one value or name replaced, nested, repeated or given twice."""
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return _damage_lines_of_json(text, rng)
    places = list(leaves(tree)) if isinstance(tree, dict | list) else []
    if not places:
        return text
    *path, last = pick(rng, places)
    node = tree
    for key in path:
        node = node[key]
    before, node[last] = node[last], HOLE
    whole = json.dumps(tree, ensure_ascii=bool(rng.random() < 0.5))
    if rng.random() < 0.15 and isinstance(last, str):  # a name twice
        key = json.dumps(last)
        return whole.replace(f'"{HOLE}"', f"{json.dumps(before)}, {key}: {pick(rng, ODD_JSON)}", 1)
    return whole.replace(f'"{HOLE}"', _json_value(before, rng), 1)


def _damage_lines_of_json(text, rng):
    lines = text.split("\n")
    place = int(rng.integers(len(lines)))
    try:
        json.loads(lines[place])
    except (ValueError, RecursionError):
        return _damage_rows(text, rng)
    lines[place] = damage_json(lines[place], rng)
    return "\n".join(lines)


def _json_value(before, rng):
    """Text of a value in place of another."""
    kind = rng.random()
    if kind < 0.5:
        return pick(rng, ODD_JSON)
    if kind < 0.75:
        return json.dumps(pick(rng, ODD))
    dumped = json.dumps(before)
    if kind < 0.85:
        depth = pick(rng, (1, 50, 2_000, 100_000))
        return "[" * depth + dumped + "]" * depth
    times = pick(rng, (2, 50, 3_000))
    return "[" + ", ".join([dumped[:1000]] * times) + "]"


def _damage_xml(text, rng):
    kind = int(rng.integers(8))
    if kind <= 2:  # a value of an attribute
        return _replace_one(
            r'="[^"]*"', text, rng, lambda _: f'="{pick(rng, (*ODD, "z" * 300_000))}"'
        )
    if kind == 3:
        return _replace_one(r">[^<>]+<", text, rng, lambda _: f">{pick(rng, ODD)}<")
    if kind == 4:  # an element twice, or many times
        times = pick(rng, (0, 2, 200))
        return _replace_one(
            r"<(\w+)\b[^>]*>[^<]*</\1>|<\w[^>]*/>", text, rng, lambda m: m[0] * times
        )
    if kind == 5:
        depth = pick(rng, (1, 100, 20_000))
        return _replace_one(
            r"<\w[^>]*/>", text, rng, lambda m: "<a>" * depth + m[0] + "</a>" * depth
        )
    if kind == 6:
        more = pick(rng, ENTITIES)
        declared = _replace_one(r"\?>|^", text, rng, lambda m: m[0] + more)
        return _replace_one(r">[^<>]+<", declared, rng, lambda _: ">&x;<")
    many = " ".join(f'a{n}="{n}"' for n in range(pick(rng, (1, 1_000, 30_000))))
    return _replace_one(r"<\w+ ", text, rng, lambda m: f"{m[0]}{many} ")


def _replace_one(pattern, text, rng, change):
    """Replace one of the matches."""
    matches = list(re.finditer(pattern, text))
    if not matches:
        return text
    match = pick(rng, matches)
    return text[: match.start()] + change(match) + text[match.end() :]


def _damage_rows(text, rng):
    """Damage a table, or whatever has lines."""
    lines = text.split("\n")
    place = int(rng.integers(len(lines)))
    kind = int(rng.integers(9))
    if kind <= 3:  # a cell
        odd = pick(rng, (*ODD, *SURROGATES, "q" * 100_000))
        separator = max(",;\t |", key=lines[place].count)
        cells = lines[place].split(separator)
        cells[int(rng.integers(len(cells)))] = odd if rng.random() < 0.6 else json.dumps(odd)
        lines[place] = separator.join(cells)
    elif kind == 4:
        lines[place:place] = [pick(rng, lines)] * pick(rng, (1, 2, 500))
    elif kind == 5:
        del lines[place : place + int(rng.integers(1, 4))]
    elif kind == 6:  # more columns
        separator = max(",;\t |", key=lines[place].count)
        more = separator.join(["c"] * pick(rng, (1, 20, 5_000)))
        some = lines if rng.random() < 0.5 else [lines[place]]
        return "\n".join(line + separator + more if line in some else line for line in lines)
    elif kind == 7:
        return pick(rng, ("\r", "\r\n", "\n\n", "\x00\n", "\u2028")).join(lines)
    else:
        lines[place] += pick(rng, ('"', "'", "\x00", "\\", "\x1a", "#", "\ufeff"))
    return "\n".join(lines)


def _damage_parquet(content, rng):
    """Write the table again with another type, name or number of columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(io.BytesIO(content))
    except (pa.ArrowException, OSError, ValueError):
        return mutate(content, rng)
    if table.num_columns == 0:
        return content
    place, rows = int(rng.integers(table.num_columns)), table.num_rows
    odd = (
        pa.array([b"\xff\x00"] * rows),
        pa.array([[1, 2]] * rows),
        pa.array([{"a": 1}] * rows),
        pa.array([None] * rows),
        pa.array(["x" * pick(rng, (1, 1_000_000))] * rows).dictionary_encode(),
        pa.array([2**63 - 1] * rows),
        pa.array([float("nan")] * rows),
        pa.array([float("inf")] * rows),
        pa.array([0] * rows, pa.timestamp("ns", "Europe/Berlin")),
        pa.array([-(2**62)] * rows, pa.timestamp("s")),
        pa.array([0] * rows, pa.duration("s")),
        pa.array([True] * rows),
        pa.array([pick(rng, (*HOSTILE, *NUMBERS))] * rows),
    )
    name = table.column_names[place]
    kind = int(rng.integers(4))
    if kind <= 1:
        table = table.set_column(place, name, pick(rng, odd))
    elif kind == 2:
        table = table.append_column(
            pick(rng, (name, "", "label", "track", "\x1b[1m")), pick(rng, odd)
        )
    elif rng.random() < 0.5:
        for number in range(pick(rng, (2, 300))):
            table = table.append_column(f"c{number}", table.column(place))
    else:  # much of the same, which takes next to no room in the file
        long = pa.array(["x" * pick(rng, (1, 100_000))] * rows).dictionary_encode()
        table = table.set_column(place, name, long).take([0] * pick(rng, (10, 2_000)))
    if rng.random() < 0.3:
        junk = pick(rng, (b"", b"{", b'{"columns": 1}', b'{"index_columns": [9]}', b"\xff"))
        table = table.replace_schema_metadata({b"pandas": junk})
    buffer = io.BytesIO()
    with suppress(pa.ArrowInvalid):  # a time that Parquet cannot hold; what is there is damaged too
        pq.write_table(table, buffer, compression=pick(rng, ("snappy", "gzip", "none", "zstd")))
    return buffer.getvalue()


def _encode(content, rng):
    """The same text in another encoding, or with bytes that are none."""
    if rng.random() < 0.3:
        place = int(rng.integers(len(content) + 1))
        return (
            content[:place]
            + pick(rng, (b"\xff\xfe", b"\xed\xa0\x80", b"\x00", b"\xc3"))
            + content[place:]
        )
    text = content.decode("utf-8", "replace")
    return text.encode(pick(rng, ENCODINGS), "replace")


def _pack(name, content, rng):
    """Compress the file, well or not."""
    suffix, pack = pick(rng, PACKERS)
    if rng.random() < 0.1:
        content *= min(1_000_000 // (len(content) + 1) + 1, pick(rng, (50, 5_000)))
    elif suffix == ".gz" and rng.random() < BOMBS:
        content *= LARGEST // (len(content) + 1) + 1
    packed = pack(content)
    kind = int(rng.integers(6))
    if kind == 0:
        packed = packed[: int(rng.integers(len(packed)))]
    elif kind == 1:
        packed = mutate(packed, rng)
    elif kind == 2:
        packed += pick(rng, (packed, b"junk", b"\x00" * 512))
    elif kind == 3:
        packed, suffix = pack(packed), suffix * int(rng.integers(1, 3))
    return name + (suffix if rng.random() < 0.9 else pick(rng, (".gz", ".xz", ""))), packed
