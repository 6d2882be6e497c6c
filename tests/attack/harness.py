"""Attacks in turn, each for its share of the time, and what they found."""

import math
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from attack.children import Limits, run_cases
from attack.findings import Findings
from attack.places import Place

SLICE = 20  # seconds of one attack before the next has its turn
MOST_CASES = 10**9
UNLIMITED = Limits(memory=1 << 50, seconds=1e6, patience=600, hardest=1 << 50)


@dataclass(frozen=True)
class Attack:
    """A kind of attack.

    Parameters
    ----------
    name : as --only takes it
    about : what it does, in a few words
    run : function of a generator and a `Place` that tries one case; raises `FoundError`
    share : of the time, relative to others
    warm : function that imports and remembers what every child would otherwise begin with
    prepare : function of a `Place` that puts into its stock what all cases use
    """

    name: str
    about: str
    run: Callable[..., Any]
    share: float = 1.0
    warm: Callable[[], Any] | None = None
    prepare: Callable[..., Any] | None = None


def _place(attack, folder):
    """Attacks that prepare the same share it."""
    made = attack.prepare.__module__.rpartition(".")[2] if attack.prepare else attack.name
    return Place(folder / attack.name, folder / "stock" / made)


class Harness:
    """Runs attacks, and keeps what they find.

    Parameters
    ----------
    attacks : to run in turn
    seed : of all random numbers
    folder : for the work and for findings
    say : function that shows a line
    """

    def __init__(self, attacks, seed, folder, limits=None, say=print):
        self.attacks, self.seed, self.say = list(attacks), seed, say
        self.limits = Limits() if limits is None else limits
        self.places = {each.name: _place(each, folder / "work") for each in attacks}
        self.findings = Findings(folder / "findings")
        self.cases = dict.fromkeys(self.places, 0)
        self.spent = dict.fromkeys(self.places, 0.0)

    def prepare(self):
        """Let attacks prepare what they use, in a child each, so that this process stays small."""
        for warm in {each.warm: None for each in self.attacks if each.warm}:
            warm()
        firsts = {each.prepare: each for each in self.attacks if each.prepare}
        for prepare, attack in firsts.items():
            place = self.places[attack.name]
            shutil.rmtree(place.stock)
            place.stock.mkdir()
            ready = Attack(attack.name, "", lambda rng, place, do=prepare: do(place))
            for _, found in run_cases(ready, self.seed, range(1), place, UNLIMITED):
                if found:
                    raise RuntimeError(f"{attack.name} cannot begin: {found[0].detail}")

    def run(self, seconds):
        """Run all attacks for some time; returns whether nothing was found."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            attack = min(self.attacks, key=lambda each: self.spent[each.name] / each.share)
            numbers = range(self.cases[attack.name], MOST_CASES)
            self._try(attack, numbers, min(end, now + SLICE))
            self.spent[attack.name] += time.monotonic() - now
        return not self.findings.first

    def run_cases(self, attack, numbers):
        """Run a range of cases of an attack; returns whether nothing was found."""
        self._try(attack, numbers)
        return not self.findings.first

    def _try(self, attack, numbers, until=math.inf):
        place = self.places[attack.name]
        outcomes = run_cases(attack, self.seed, numbers, place, self.limits, until)
        for number, found in outcomes:
            self.cases[attack.name] = number + 1
            for finding in found:
                if self.findings.add(finding, place):
                    last = finding.detail.strip().splitlines()[-1:] or [""]
                    self.say(f"FOUND {finding.kind} by {finding.attack}: {last[0][:300]}")
                    self.say(f"  {finding.command}")

    def summary(self):
        """Lines that say what was tried and found."""
        for attack in self.attacks:
            name, number = attack.name, self.cases[attack.name]
            found = sum(n for (by, *_), n in self.findings.counts.items() if by == name)
            rate = number / (self.spent[name] or 1) * 60
            counts = f"{number:>8} cases {rate:>7.0f}/min {found:>6} findings"
            yield f"{name:<14}{counts}  {attack.about}"
        if self.findings.first:
            kinds = len(self.findings.first)
            yield f"{kinds} kinds of findings; inputs are in {self.findings.folder}"
