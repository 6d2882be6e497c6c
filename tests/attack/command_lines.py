"""Attack: command lines put together from all commands, flags and odd values."""

from functools import cache
from pathlib import Path
from typing import get_type_hints

from typer.main import get_command

from attack.commands import run
from attack.findings import FoundError
from attack.harness import Attack
from attack.jobs import warm
from attack.places import check_unchanged, contents
from attack.words import HOSTILE, NUMBERS, pick
from ibgn.cli import app
from ibgn.cli.help import choices_of
from kitchen import make_kitchen
from sample_files import dialects

LONG = ("compile", "demo", "paper", "explore")  # take long; wrong use of them does not
# what a user may ask much of; here in small numbers, or wrong
MUCH = {
    *("draws", "budget", "number", "n_jobs", "jobs", "n_splits", "n_repeats", "seed"),
    *("sizes", "misdetection", "duration", "rate", "window", "step", "smooth", "longest_gap"),
}
# what a command would wait at for ever; here only wrong
ENDLESS = ("socket", "mqtt")
WRONG = ("", "70700", "http://x", "a:b@c", "x" * 300, "::1:x/y" * 40)
FEW = ("1", "2", "0", "-1", "x", "", "1e3", "nan", "0.5", "1,2", "1.5", "²")
FILES = (
    *("takes.csv", "takes.ibgn", "talk.eaf", "train.csv", "new.csv", ".", "-", "..", "/dev/null"),
    *("missing.csv", "out.csv", "out.jsonl", "out.html", "out.png", "out.ibgn", "out.eaf", "out"),
    *("./takes.csv", "takes.csv/x", "no/such/folder/out.csv", "dialects", "", "~", "x" * 300),
)
PATTERNS = ("[", "{}", "[1]", "(", "(a|a)*b", "((.*)*)*x", "(?P<label>.)", "\\1", "(.*){9999}")
WORDS = "words.txt"  # what was run
OUTPUTS = ("-o", "--output", "--predictions", "--report", "--pieces", "--figure")


@cache
def commands():
    """By name of a command its parameters, and the choices of those that have some."""
    found = {}
    for name, command in get_command(app).commands.items():
        hints = get_type_hints(command.callback)
        choices = {each: choices_of(hint) for each, hint in hints.items()}
        found[name] = command.params, {each: some for each, some in choices.items() if some}
    return found


def prepare(place):
    """Files that commands can be given."""
    make_kitchen(place.stock)
    (place.stock / "dialects").mkdir()
    for path in dialects()[::9]:
        (place.stock / "dialects" / path.name).write_bytes(path.read_bytes())


def try_command(rng, place):
    """Run a command line; it ends with a message or a result, and harms no file."""
    for path in place.stock.rglob("*"):
        target = place.inside / path.relative_to(place.stock)
        target.parent.mkdir(exist_ok=True)
        if path.is_file():
            target.write_bytes(path.read_bytes())
    words = compose(rng)
    (place.inside / WORDS).write_text(repr(words))  # in case the process does not survive
    before = contents(place.inside)
    done = run(place, *words, terminal=rng.random() < 0.3)
    after = contents(place.inside)
    if "--force" not in words:
        check_unchanged(before, after)
    else:
        _check_forced(before, after, words)
    new = sorted(after.keys() - before.keys())
    if done.returncode and [name for name in new if not name.endswith(".journal")]:
        raise FoundError("half output", f"{words} failed and left {new}")
    named = {part for word in words for part in Path(word).parts}
    strays = [{part for part in Path(name).parts if part.startswith(".")} for name in new]
    hidden = [name for name, parts in zip(new, strays, strict=True) if parts - named]
    if hidden:
        raise FoundError("stray file", f"{words} left {hidden}")


def compose(rng):
    """Words of a command line, mostly close to a right one."""
    name = pick(rng, sorted(commands()))
    parameters, choices = commands()[name]
    words = [name]
    likely = _likely_arguments(name)
    for parameter in parameters:
        if parameter.param_type_name == "argument" and rng.random() < 0.95:
            words.append(next(likely) if rng.random() < 0.7 else pick(rng, (*FILES, *HOSTILE)))
    if name == "fit" and rng.random() < 0.9:
        words += ["--method", pick(rng, ("DBN", "ITBN", "IHMM", "ridge", "x", "forest", "dbn"))]
    if name in ("evaluate", "robustness"):
        words += ["-m", pick(rng, ("DBN", "ITBN", "ridge")), "--folds", "2"]
    if name == "detect":
        words += ["--label", pick(rng, ("action", "hand", "x"))]
    if name in LONG:
        words.append("--wrong-use")
    if rng.random() < 0.7:
        words += _output(name, rng)
    options = [p for p in parameters if p.param_type_name == "option" and p.name != "follow"]
    for _ in range(int(rng.integers(0, 5))):
        words += _option(pick(rng, options), choices, rng)
    if rng.random() < 0.1:
        words.insert(int(rng.integers(len(words) + 1)), pick(rng, (*HOSTILE, "--", "-", "--help")))
    return [word.replace("\x00", "\\0") for word in words if not _is_surrogate(word)]


def _is_surrogate(word):
    return any("\ud800" <= letter <= "\udfff" for letter in word)


def _likely_arguments(name):
    model = name in ("predict", "explain", "show", "sample", "listen")
    first = {"detect": "train.csv", "convert": "takes.csv"}.get(name)
    yield first or ("takes.ibgn" if model else "takes.csv")
    yield {"detect": "new.csv", "convert": "out.jsonl"}.get(name, "takes.csv")
    while True:
        yield "takes.csv"


def _output(name, rng):
    if name in ("inspect", "show", "convert", *LONG):
        return []
    flag = "-o" if rng.random() < 0.8 else pick(rng, OUTPUTS)
    fitting = "out.ibgn" if name == "fit" else "out.csv"
    return [flag, fitting if rng.random() < 0.7 else pick(rng, FILES)]


def _option(parameter, choices, rng):
    flag = pick(rng, [*parameter.opts, *parameter.secondary_opts])
    if parameter.is_flag:
        return [flag]
    if parameter.name in ENDLESS:
        return [flag, pick(rng, WRONG)]
    if parameter.name in MUCH:
        return [flag, pick(rng, FEW)]
    if parameter.name == "option":
        names = ("action", "activity", "rate", "tracks", "columns", "unknown", "points", "instance")
        return [flag, f"{pick(rng, names)}={pick(rng, (*NUMBERS, *HOSTILE, *PATTERNS))}"]
    if parameter.name == "settings":
        names = ("n_bins", "smoothing", "penalty", "alpha", "terms", "weights", "x", "prior")
        return [
            flag,
            f"{pick(rng, names)}={pick(rng, (*FEW, '1e308', '[]', '{}', 'null', 'true'))}",
        ]
    if parameter.name in choices and rng.random() < 0.8:
        return [flag, pick(rng, choices[parameter.name])]
    if parameter.name in ("into", "sensors", "detected"):
        return [flag, pick(rng, ("mine=", "")) + pick(rng, FILES)]
    values = (*NUMBERS, *HOSTILE, "left", "csv", "elan", "tab", ";", "utf-16", "action=action")
    return [flag, pick(rng, values)]


def _check_forced(before, after, words):
    """With --force, only what is named as an output may be replaced."""
    named = {Path(word).as_posix().removeprefix("./") for word in words}
    for name, content in before.items():
        if after.get(name) != content and name not in named:
            raise FoundError("changed input", f"{name!r} by {words}")


COMMAND_LINES = Attack(
    "command_lines",
    "command lines of odd words, flags and values",
    try_command,
    share=2,
    warm=warm,
    prepare=prepare,
)
