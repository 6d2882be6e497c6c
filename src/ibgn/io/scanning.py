"""Files that are read piece by piece, in memory that does not grow with them."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from ibgn._inputs import in_own_context, opening_once
from ibgn.checks import check_choice
from ibgn.cleaning import Cleaning
from ibgn.errors import DataError, OptionError
from ibgn.io.dataframes import is_frame
from ibgn.io.files import Files, Sources
from ibgn.io.jobs import Recipe
from ibgn.io.leniency import Leniency
from ibgn.io.longframe import LongFrame
from ibgn.io.options import refuse_unknown
from ibgn.io.readings import Expected, FileVersions, Saying, pop_reading
from ibgn.io.registry import FORMATS, Stream, find_format
from ibgn.io.together import keep_together
from ibgn.pieces import Part
from ibgn.provenance import Provenance
from ibgn.sources import InstanceSource

__all__ = ["Scan", "scan"]

Engine = Literal["local", "dask"]

ROWS = 100_000  # that are read at a time


@dataclass(frozen=True)
class Scan(InstanceSource):
    """Instances of files, which are read from the start whenever they are asked for.

    Parameters
    ----------
    files : what is read
    stream : reads it, so many rows at a time
    options : of the format
    cleaning, leniency, provenance : as for `LongFrame`
    versions : of the files, which must not change

    Examples
    --------
    >>> from ibgn.datasets import sample_path
    >>> source = scan(sample_path("csv"))
    >>> sum(len(X) for X, y in source.parts())
    27
    """

    files: Files
    stream: Stream
    options: dict[str, Any]
    cleaning: Cleaning
    leniency: Leniency
    provenance: Provenance
    versions: FileVersions
    _said: dict[str, list[Any]] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"Scan of {self.files.prefix.removesuffix(': ')}"

    def parts(self) -> Iterator[Part]:
        """Instances and their labels, as many as a few rows have."""
        self.versions.check()
        expected = Expected(self.leniency.unlabelled)
        saying = Saying(self._said)
        frames = keep_together(in_own_context(self._frames()))
        while True:
            with saying.collecting():
                frame = next(frames, None)
                part = None if frame is None else frame.read(self.cleaning)
                if frame is not None and part is not None:
                    part = expected.check(frame, *part)
            if frame is None:
                break
            if part is not None and len(part[0]):
                yield part
        if not expected.instances:
            raise DataError(f"{self.files.prefix}there are no instances; a row is one interval")
        self.versions.check()
        saying.finish()

    def _frames(self) -> Generator[LongFrame, None, None]:
        with self.files.reading():
            for frame in self.stream(self.files, ROWS, **self.options):
                if len(frame.series["instance"]):
                    yield replace(frame, leniency=self.leniency, provenance=self.provenance)


@opening_once()
def scan(
    path: Sources | Any,
    *,
    format: str | None = None,
    engine: Engine = "local",
    **options: Any,
) -> InstanceSource:
    """Read files piece by piece: a source of instances, for data that memory does not hold.

    `IBGNClassifier.fit` takes it in place of X and y, `predict`, `predict_proba` and `score` of all
    classifiers in place of X. Models and predictions are those of `ibgn.read`, to the last bit.

    Parameters
    ----------
    path : Parquet or CSV file, or a folder of such files; or a frame of Dask
    format : "parquet" or "csv", if the files do not tell
    engine : who reads and counts: "local" this process, "dask" the workers of the current
        `dask.distributed.Client`, which must see the same files (Parquet only) under the same path;
        without a client, threads of this process. Frames of Dask are always left to Dask.
    **options : as for `ibgn.read`: `columns`, `closed`, `tolerance`, `bad_rows`, `unlabelled`, ...

    Notes
    -----
    All rows of an instance stand together; one that returns after others is refused. CSV files have
    a header, and times that are numbers. The files of a folder of Parquet are parts of one, in the
    order of their names: an instance may go on in the next file. In a folder of CSV files, the name
    of the file is part of the names of its instances. With Dask, rows of an instance may stand
    anywhere in a partition, and go on in the next one.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import sample_path
    >>> source = scan(sample_path("csv"))
    >>> model = IBGNClassifier(random_state=0).fit(source)
    >>> model.predict(source)[:3].tolist()
    ['sandwich', 'sandwich', 'tea']
    """
    check_choice("engine", engine, get_args(Engine))
    if is_frame(path):
        from ibgn.io.cluster import scan_frame

        return scan_frame(path, **options)
    known = FORMATS[find_format(path, format)]
    if known.name not in FORMATS.streams:
        readable = " or ".join(map(repr, FORMATS.streams))
        raise OptionError(
            "format",
            known.name,
            f"is read as a whole; only {readable} is read piece by piece: convert the files, or "
            "use read",
        )
    cleaning, leniency, budget = pop_reading(options)
    refuse_unknown(options, list(known.options), known.name)
    provenance = Provenance(known.name, cleaning, options)
    files = Files(path, known.suffixes + known.also, budget=budget)
    if engine == "dask":
        from ibgn.io.cluster import scan_files

        return scan_files(
            files, known.name, Recipe(cleaning, leniency, provenance), budget, options
        )
    stream = FORMATS.streams[known.name]
    return Scan(files, stream, options, cleaning, leniency, provenance, FileVersions(files))
