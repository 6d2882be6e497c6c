"""A format: how its files are parsed, and the options that its reader has."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from inspect import Parameter, isgeneratorfunction, signature
from typing import Any, cast, get_type_hints

from ibgn.budgets import Budget
from ibgn.cleaning import Cleaning
from ibgn.intervals import IntervalSequences
from ibgn.io.annotations import to_frame
from ibgn.io.choices import Choices, Kinds
from ibgn.io.files import Files, Sources
from ibgn.io.head import Sniff
from ibgn.io.leniency import Leniency
from ibgn.io.longframe import Labels, LongFrame
from ibgn.io.options import parameters_of, refuse_unknown
from ibgn.io.outline import Outline
from ibgn.provenance import Provenance

__all__ = ["BUDGET", "CHOICES", "CLEANING", "LENIENCY", "Format"]

CHOICES = tuple(field.name for field in fields(Choices) if field.name != "kinds")
CLEANING = tuple(field.name for field in fields(Cleaning))
LENIENCY = tuple(field.name for field in fields(Leniency))
BUDGET = tuple(field.name for field in fields(Budget))


@dataclass(frozen=True)
class Format:
    """A format that can be read, and written where there is a writer.

    Parameters
    ----------
    name : of the format
    suffixes : of its files, in lower case, that identify the format
    also : more suffixes of its files, which do not identify it
    about : what it is, in a few words
    kinds : of things in its files that can give the activity or the group
    parse : takes `Files` and the format's own options; yields recordings, or returns a frame
    sniff : says how sure it is that a file is of this format, by its `Head`
    outline : what its files hold beside tracks or columns, for `inspect`; see `reader`
    unit : of the times that it gives, where that is known
    unnamed : track of annotations whose files name none
    """

    name: str
    suffixes: tuple[str, ...]
    also: tuple[str, ...]
    about: str
    kinds: Kinds
    parse: Callable[..., Any]
    outline: Outline | None = None
    sniff: Sniff | None = None
    unit: str = ""
    unnamed: str | None = None

    @property
    def yields_recordings(self) -> bool:
        """Whether the format has annotations, to which `Choices` apply, and not rows."""
        return isgeneratorfunction(self.parse)

    @property
    def own_options(self) -> dict[str, Parameter]:
        """Options of the format itself, with their types as annotations."""
        hints = get_type_hints(self.parse)
        own = list(signature(self.parse).parameters.values())[1:]
        return {p.name: p.replace(annotation=hints.get(p.name, p.annotation)) for p in own}

    @property
    def options(self) -> dict[str, Parameter]:
        """Options of the reader: those of the format, and those that all readers share."""
        shared = parameters_of(Choices, CHOICES) if self.yields_recordings else {}
        shared |= parameters_of(Cleaning, CLEANING) | parameters_of(Leniency, LENIENCY)
        return self.own_options | shared | parameters_of(Budget, BUDGET)

    @property
    def remembered(self) -> frozenset[str]:
        """Options that say what a file means, as models remember them.

        What is left out, or how much memory may be taken, is for whoever reads to say.
        """
        shared = CHOICES if self.yields_recordings else ()
        return frozenset((*self.own_options, *shared, *CLEANING))

    def load(self, path: Sources, **options: Any) -> LongFrame:
        """Load files as they are, before cleaning; options as for the reader, without cleaning."""
        refuse_unknown(options, list(self.options), self.name)
        given = {n: value for n, value in options.items() if n not in (*LENIENCY, *BUDGET)}
        shared = set(CHOICES) if self.yields_recordings else set()
        choices = Choices(**{n: options.pop(n) for n in shared & options.keys()}, kinds=self.kinds)
        leniency = Leniency(**{name: options.pop(name) for name in LENIENCY if name in options})
        budget = Budget(**{name: options.pop(name) for name in BUDGET if name in options})
        files = Files(path, self.suffixes + self.also, choices, budget)

        def parse(files: Files) -> Any:
            parsed = self.parse(files, **options)
            return files.collect(parsed) if self.yields_recordings else parsed

        with files.reading():
            frame = files.parse(parse, leniency.bad_files)
        if self.yields_recordings:
            frame = to_frame(frame, choices, files.prefix, files.allowance, self.unnamed)
        read = Provenance(self.name, options=given)
        return cast("LongFrame", replace(frame, leniency=leniency, provenance=read))

    def read(self, path: Sources, **options: Any) -> tuple[IntervalSequences, Labels]:
        """Read files: the instances, and one label for each or None where there are none."""
        # before the work, so that a typo costs no time
        cleaning = Cleaning(**{name: options.pop(name) for name in CLEANING if name in options})
        return self.load(path, **options).read(cleaning)
