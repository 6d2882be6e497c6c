"""Instances on many machines: partitions of rows, which the workers of Dask read and count."""

import operator
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, TypeVar

import narwhals as nw
import pandas as pd

from ibgn.budgets import PieceBudget
from ibgn.errors import DataError, OptionError
from ibgn.io.dataframes import column_values
from ibgn.io.files import Files
from ibgn.io.format import CLEANING, LENIENCY
from ibgn.io.formats.parquet import RowGroups, divide_parquet
from ibgn.io.jobs import Job, Recipe, Reply, load_rows
from ibgn.io.longframe import LongFrame
from ibgn.io.options import refuse_unknown
from ibgn.io.parsing.columns import find_columns
from ibgn.io.partitions import (
    Claim,
    Ends,
    Names,
    find_returning,
    plan_claims,
    refuse_return,
    take_instance,
)
from ibgn.io.readings import Expected, FileVersions, Saying, pop_reading
from ibgn.pieces import Part
from ibgn.provenance import Provenance
from ibgn.sources import InstanceSource, PartChange, Work
from ibgn.sums import Counter, Extent, PieceSums
from ibgn.text import printable

__all__ = ["DaskSource", "connected", "scan_files", "scan_frame"]

R = TypeVar("R")

ROWS = 500_000  # that a task reads, or as many as a row group has
JOINED = 8  # replies that are joined at once
PARTITIONS = 64  # whose names one task compares
MOST_TASKS = 16  # that compare names
AHEAD = 2  # tasks for each thread of the workers, before their results are asked for
LARGEST_GRAPH = "1GB"  # of which Dask does not warn, as a model goes to the workers in one


@dataclass(frozen=True, eq=False)
class DaskSource(InstanceSource):
    """Instances whose rows are partitions of Dask; `ibgn.scan` makes one.

    The workers of the current `dask.distributed.Client` read and count them; without a client,
    threads of this process do.

    Parameters
    ----------
    rows : (partitions,) each a task that gives a `LongFrame`, or that loads one
    names : (partitions,) tasks that give the same with the names of instances alone
    recipe : how rows become instances
    prefix : begins messages about all of them
    versions : of files, which must not change; None where there are none

    Examples
    --------
    >>> import pytest
    >>> _ = pytest.importorskip("dask.dataframe")
    >>> from dask.dataframe import from_pandas
    >>> from ibgn import IBGNClassifier, read, scan
    >>> from ibgn.datasets import sample_path
    >>> X, y = read(sample_path("csv"))
    >>> frame = from_pandas(X.to_frame(y), npartitions=3, sort=False)
    >>> source = scan(frame)
    >>> source
    DaskSource of a frame, in 3 partitions
    >>> model = IBGNClassifier(random_state=0).fit(source)
    >>> model.score(source) == model.score(X, y)
    True
    """

    rows: Sequence[Any]
    names: Sequence[Any]
    recipe: Recipe
    prefix: str = ""
    versions: FileVersions | None = None
    _claims: list[Claim] = field(default_factory=list, repr=False)
    _extents: list[Extent] = field(default_factory=list, repr=False)
    _said: dict[str, list[Any]] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        about = self.prefix.removesuffix(": ") or "a frame"
        return f"DaskSource of {about}, in {len(self.rows)} partitions"

    def parts(self) -> Iterator[Part]:
        """Instances and labels of each partition, read by the workers and sent here."""
        return self.map_pieces(lambda X, y: (X, y))

    def changed(self, change: PartChange, same: bool = False) -> "DaskSource":
        """A source of instances that the workers change."""
        recipe = replace(self.recipe, changes=(*self.recipe.changes, change))
        return replace(self, recipe=recipe, _extents=self._extents if same else [])

    def reduce(self, work: Work[R]) -> R | None:
        """The sum over what `work` returns for each partition, added up by the workers."""
        total: R | None = self._reduce(lambda number, X, y: work(X, y), operator.add)
        return total

    def sum_pieces(self, count: Counter[R], horizon: int | None = None) -> R | None:
        """The sum over what `count` returns for each piece, added up by the workers."""
        if not self._extents:
            self.reduce(lambda X, y: 0)
        sums = PieceSums(count, self._extents, horizon)
        whole = self._reduce(sums.of, sums.join)
        return None if whole is None else sums.total(whole)

    def map_pieces(self, work: Work[R], horizon: int | None = None) -> Iterator[R]:
        """What `work` returns for each partition, in order; it is sent to the workers once."""
        self._check_versions()
        _, replies = self._plan(lambda number, X, y: work(X, y), operator.add, keeps=True)
        saying, expected = Saying(self._said), Expected(self.recipe.leniency.unlabelled)
        for reply in _compute_in_order(replies):
            expected = expected.joined(reply.expected)
            for warning in reply.warnings:
                saying.say(warning)
            if reply.value is not None:
                yield reply.value
        self._finish(saying, expected)

    def make_frame(self, make: Work[pd.DataFrame]) -> Any:
        """A frame of Dask, of what `make` returns for the instances of each partition.

        Nothing is computed yet. So predictions need not come to this process: `to_parquet` lets the
        workers write them.

        make : takes instances and labels, and returns a pandas frame, always with the same columns

        Examples
        --------
        >>> import pytest
        >>> _ = pytest.importorskip("dask.dataframe")
        >>> from dask.dataframe import from_pandas
        >>> from ibgn import read, scan
        >>> from ibgn.datasets import sample_path
        >>> X, y = read(sample_path("csv"))
        >>> source = scan(from_pandas(X.to_frame(y), npartitions=3, sort=False))
        >>> lengths = source.make_frame(lambda X, y: pd.DataFrame({"intervals": X.lengths}))
        >>> int(lengths["intervals"].sum().compute()) == len(X.action)
        True
        """
        from dask.dataframe import from_delayed

        _, replies = self._plan(lambda number, X, y: make(X, y), operator.add)
        return from_delayed([_delayed(_value_of)(reply) for reply in replies])

    def _reduce(self, work: Callable[..., Any], join: Callable[[Any, Any], Any]) -> Any:
        """What is made of all partitions, joined by the workers in a tree."""
        self._check_versions()
        job, replies = self._plan(work, join)
        while len(replies) > 1:
            groups = (replies[first : first + JOINED] for first in range(0, len(replies), JOINED))
            replies = [_delayed(Job.join_replies)(job, group) for group in groups]
        [reply] = _compute(replies)
        self._extents[:] = reply.extents
        saying = Saying(self._said)
        for warning in reply.warnings:
            saying.say(warning)
        self._finish(saying, reply.expected)
        return reply.value

    def _plan(
        self, work: Callable[..., Any], join: Callable[[Any, Any], Any], keeps: bool = False
    ) -> tuple[Any, list[Any]]:
        """A task that has what is to be done, and one for each part that does it.

        keeps : whether workers keep it, as tasks are not begun all at once
        """
        if not self._claims:
            self._claims.extend(self._find_claims())
        # named, as Dask would otherwise look into it for a name; all tasks share it
        job = _delayed(Job(self.recipe, work, join), name=f"job-{uuid.uuid4().hex}", traverse=False)
        if keeps:
            [job] = _persist([job])
        rows = list(self.rows)  # loaded where they are counted, unless others need some of them too
        for other in {other for claim in self._claims for other in claim.others}:
            rows[other] = _delayed(load_rows)(rows[other])
        replies = [
            _delayed(Job.run)(
                job,
                number,
                claim,
                rows[claim.partition],
                [_delayed(take_instance)(rows[other], claim.name) for other in claim.others],
            )
            for number, claim in enumerate(self._claims)
        ]
        return job, replies

    def _find_claims(self) -> list[Claim]:
        """Which partition has which instances; refuses instances that return."""
        tasks = min(1 + len(self.names) // PARTITIONS, MOST_TASKS)
        names = [_delayed(Names.of)(rows, tasks) for rows in self.names]
        ends = _delayed(_ends_of)(names)
        returning = [
            _delayed(find_returning)(ends, [_delayed(_hashes_of)(each, task) for each in names])
            for task in range(tasks)
        ]
        known, *compared = _compute([ends, *returning])
        found = [each for each in compared if each is not None]
        if found:
            first = min(each.partition for each in found)
            hashes = [value for each in found if each.partition == first for value in each.hashes]
            raise _compute([_delayed(refuse_return)(self.names[first], hashes)])[0]
        claims = plan_claims(known)
        if not claims:
            raise DataError(f"{self.prefix}there are no instances; a row is one interval")
        return claims

    def _check_versions(self) -> None:
        if self.versions is not None:
            self.versions.check()

    def _finish(self, saying: Saying, expected: Expected) -> None:
        """Refuse data without instances and files that changed, and say how many warnings were."""
        if not expected.instances:
            raise DataError(f"{self.prefix}there are no instances; a row is one interval")
        self._check_versions()
        saying.finish()


@contextmanager
def connected(address: str) -> Iterator[None]:
    """The workers of the scheduler at an address do what `DaskSource` leaves to them meanwhile."""
    _dask()
    from distributed import Client

    try:
        _check_address(address)
        client = Client(address)
    except (OSError, ValueError) as error:
        reason = f"is not the address of a scheduler that answers: {printable(error, 200)}"
        raise OptionError("cluster", address, reason) from error
    with client:
        yield


def _check_address(address: str) -> None:
    """Refuse what is no address; a client of it would stay, and everything would wait for it."""
    from distributed.comm import parse_address
    from distributed.comm.registry import get_backend

    scheme, location = parse_address(address)
    with suppress(NotImplementedError):  # of schemes without ports
        get_backend(scheme).get_address_host_port(location)


def scan_files(
    files: Files, format: str, recipe: Recipe, budget: PieceBudget, options: Mapping[str, Any]
) -> DaskSource:
    """A source of Parquet files, which workers read by row groups."""
    _dask()
    if format != "parquet":
        raise OptionError(
            "engine",
            "dask",
            f"reads Parquet files, got {format!r}; convert them, or scan a frame of Dask, such as "
            "dask.dataframe.read_csv(...)",
        )
    versions = FileVersions(files)
    groups = divide_parquet(files, ROWS, budget, **options)
    names = [_delayed(RowGroups.load)(each, names_only=True) for each in groups]
    return DaskSource(groups, names, recipe, files.prefix, versions)


def scan_frame(frame: Any, **options: Any) -> DaskSource:
    """A source of a frame of Dask, with one row per interval; options are those of `read_table`."""
    if not nw.dependencies.is_dask_dataframe(frame):
        raise DataError(
            f"a frame of {type(frame).__module__.partition('.')[0]} is in memory already; read it "
            "with ibgn.read. Files and frames of Dask are read piece by piece"
        )
    cleaning, leniency, _ = pop_reading(options)
    refuse_unknown(options, ["columns", *CLEANING, *LENIENCY], "frame")
    columns = options.get("columns")
    named = list(frame.columns)
    used = {
        ours: named[place] for ours, place in find_columns(named, columns, "the frame has").items()
    }
    partitions = (
        [
            _delayed(_load_frame)(part, chosen, f"partition {number}: ")
            for number, part in enumerate(frame[list(chosen.values())].to_delayed(), 1)
        ]
        for chosen in (used, {"instance": used["instance"]})
    )
    rows, names = partitions
    read = Provenance("frame", cleaning, {} if columns is None else {"columns": columns})
    return DaskSource(rows, names, Recipe(cleaning, leniency, read))


def _load_frame(part: pd.DataFrame, used: Mapping[str, Any], source: str) -> LongFrame:
    """The rows of a partition."""
    columns = {ours: nw.from_native(part[name], series_only=True) for ours, name in used.items()}
    series = {
        ours: column_values(column, str(used[ours]), source) for ours, column in columns.items()
    }
    return LongFrame(series, (), source)


def _ends_of(names: Sequence[Names]) -> list[Ends]:
    return [each.ends for each in names]


def _hashes_of(names: Names, task: int) -> Any:
    return names.hashes[task]


def _value_of(reply: Reply) -> Any:
    return reply.value


def _compute_in_order(tasks: Sequence[Any]) -> Iterator[Any]:
    """Results in order; those of the next tasks are made meanwhile, but not all at once."""
    size = AHEAD * _count_threads()
    waiting: deque[Any] = deque()
    for first in range(0, len(tasks), size):
        waiting.extend(_persist(tasks[first : first + size]))
        while len(waiting) > size:
            yield _compute([waiting.popleft()])[0]
    while waiting:
        yield _compute([waiting.popleft()])[0]


def _count_threads() -> int:
    """Threads of the workers of the current client, or of this process."""
    from dask.system import CPU_COUNT
    from distributed import default_client

    try:
        threads = sum(default_client().nthreads().values())
    except ValueError:  # there is no client
        threads = CPU_COUNT
    return max(int(threads), 1)


def _compute(tasks: Sequence[Any]) -> Sequence[Any]:
    dask = _dask()
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": LARGEST_GRAPH}):
        computed: Sequence[Any] = dask.compute(*tasks)
    return computed


def _persist(tasks: Sequence[Any]) -> Sequence[Any]:
    """The same tasks, on their way."""
    dask = _dask()
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": LARGEST_GRAPH}):
        begun: Sequence[Any] = dask.persist(*tasks)
    return begun


def _delayed(value: Any, **options: Any) -> Any:
    return _dask().delayed(value, **options)


def _dask() -> ModuleType:
    try:
        import dask
        import distributed  # noqa: F401  # which adds its settings to those of Dask
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "engine='dask' needs Dask; install it with: pip install 'ibgn[dask]'"
        ) from error
    module: ModuleType = dask
    return module
