"""What an attack found: what is wrong, with which input, and how to see it again."""

import re
import traceback
from dataclasses import dataclass
from pathlib import Path

from ibgn.text import without_values

FRAME = re.compile(r'File ".*/src/(ibgn/.*)", line (\d+)')  # the last one is where it happened


class FoundError(Exception):
    """Something that must not happen: one of the `KINDS`, and the details."""

    def __init__(self, kind, detail=""):
        assert kind in KINDS, kind
        super().__init__(f"{kind}: {detail}")
        self.kind, self.detail = kind, str(detail)


KINDS = {
    "traceback": "an exception that is no DataError",
    "exit code": "another than 0 (done), 1 (failed), 2 (wrong use) and 130 (stopped)",
    "signal": "death by a signal",
    "memory": "more than the input can need",
    "time": "more than the input can need",
    "changed input": "a file that was only to be read",
    "half output": "a file or folder that is neither complete nor absent",
    "stray file": "outside the target, or a temporary that stays",
    "script": "a page or drawing that runs or loads something",
    "escape sequence": "a control character on the terminal",
    "changed value": "what is read after writing is not what was written",
    "invalid value": "NaN, or intervals that end before they start",
    "other result": "not that of an undisturbed run",
    "side effect": "the network, another program, or a class out of a pickle",
}


@dataclass(frozen=True)
class Finding:
    """What went wrong in one case of an attack."""

    attack: str
    seed: int
    number: int
    kind: str
    detail: str

    @property
    def command(self):
        return (
            f"python -m tests.attack --only {self.attack} --seed {self.seed} --case {self.number}"
        )

    @property
    def signature(self):
        """The same for findings that have the same cause, most likely."""
        *_, last = self.detail.strip().splitlines() or [""]
        frames = FRAME.findall(self.detail)
        return self.attack, self.kind, frames[-1] if frames else without_values(last[:200])


class Findings:
    """Findings of a run; of those that are alike, the first is saved with its input.

    Parameters
    ----------
    folder : where they are saved, one folder each
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.first = {}
        self.counts = {}

    def add(self, finding, place):
        """Save a finding with the files of its case; returns whether it is new."""
        self.counts[finding.signature] = self.counts.get(finding.signature, 0) + 1
        if finding.signature in self.first:
            return False
        self.first[finding.signature] = finding
        folder = self.folder / f"{finding.attack}-{finding.seed}-{finding.number}"
        if not folder.exists():
            place.give(finding.number, folder)
        with (folder / "finding.txt").open("a") as file:
            file.write(f"{finding.kind}: {finding.detail}\n\nto repeat: {finding.command}\n\n")
        return True


def describe(error):
    """Text of an unexpected exception: where it came from, with its type last."""
    return "".join(traceback.format_exception(error))[-3000:]
