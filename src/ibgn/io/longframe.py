"""A long frame, one row per interval, to interval sequences and labels."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import is_hashable

from ibgn._arrays import Bools, Ints, find_runs
from ibgn.checks import as_number, not_a_number, span_advice
from ibgn.cleaning import LARGEST_TIME, Cleaning, Records
from ibgn.errors import DataError, DataWarning, Option, Part
from ibgn.intervals import IntervalSequences
from ibgn.io.leniency import STRICT, Leniency
from ibgn.io.uncertain import Rows, UncertainCells
from ibgn.names import as_categorical, factorize, first_rows, name_by_text, order_by_name
from ibgn.provenance import Provenance
from ibgn.text import count, half_character, printable, quote
from ibgn.uncertainty import COLUMNS as UNCERTAIN

__all__ = ["Labels", "LongFrame", "as_objects", "join"]

Labels = npt.NDArray[Any] | None
Where = Callable[[int], str]

LONGEST_NAME = 1_000_000  # characters; transcripts are names of actions, whole books are none
MOST_BAD = 0.5  # share of rows; where more are bad, the columns are
UNLABELLED: tuple[Part, ...] = (
    "; ",
    Option("unlabelled", "drop"),
    " leaves such instances out, ",
    Option("unlabelled", "keep"),
    " reads them without a label, as to recognise them",
)
CONFLICTING: tuple[Part, ...] = ("; ", Option("unlabelled", "all"), " reads no labels")
UNGROUPED: tuple[Part, ...] = ("; ", Option("ungrouped", "all"), " reads no groups")


@dataclass(frozen=True)
class LongFrame:
    """Columns as they are in a file, one row per interval; every format is loaded into this.

    Parameters
    ----------
    series : columns by our names
    left_out : names of the columns that are not ours
    source : begins every message
    place : names a row for a message, if its number would not help
    leniency : what to do with rows that are not intervals, and with instances without a label
    provenance : from which format it was loaded, and by which options

    Examples
    --------
    >>> names = ["instance", "action", "start", "end"]
    >>> rows = pd.DataFrame([("take 1", "boil", 0, 4)], columns=names)
    >>> X, y = LongFrame(rows).read(Cleaning())
    >>> X.to_lists(), y
    ([[('boil', 0.0, 4.0)]], None)
    """

    series: Mapping[str, Any]
    left_out: Sequence[str] = ()
    source: str = ""
    place: Where = lambda row: f"row {row + 1}"
    leniency: Leniency = STRICT
    provenance: Provenance = field(default_factory=Provenance)

    def __sizeof__(self) -> int:
        """Bytes of the columns, by which Dask decides where to work with them."""
        return sum(pd.Series(self.series[name]).memory_usage(index=False) for name in self.series)

    def read(self, cleaning: Cleaning) -> tuple[IntervalSequences, Labels]:
        """Check, clean and order the rows; returns the instances and one label for each."""
        if len(self.series["instance"]) == 0:
            raise DataError(f"{self.source}there are no rows; a row is one interval")
        if self.leniency.bad_rows == "drop":
            return self._without_bad_rows()._read(cleaning)
        try:
            return self._read(cleaning)
        except DataError as error:
            advised = any(isinstance(part, Option) for part in error.parts)
            if advised or not 0 < self._bad_rows().mean() <= MOST_BAD:
                raise
            advice = (Option("bad_rows", "drop"), " leaves such rows out")
            raise DataError(*error.parts, "; ", *advice) from error

    def _read(self, cleaning: Cleaning) -> tuple[IntervalSequences, Labels]:
        instance, ids = self._names("instance")

        def where(row: int) -> str:
            named = f" (instance {quote(ids[instance[row]])})" if instance[row] >= 0 else ""
            return f"{self.source}{self.place(row)}{named}"

        _refuse_missing(instance < 0, "instance", where)
        labels = self._label_instances("label", instance, where)
        if self.leniency.unlabelled == "drop" and labels is not None:
            unlabelled = np.array([label is None for label in labels.tolist()])
            if unlabelled.any():
                left_out = f"left out {count(int(unlabelled.sum()), 'instance')} without a label"
                warnings.warn(DataWarning(f"{self.source}{left_out}"), stacklevel=4)
                return self.take(np.flatnonzero(~unlabelled[instance]))._read(cleaning)
        groups = self._label_instances("group", instance, where)
        named = self._names("action")
        blank = self._rows_without_interval(named[0], instance)
        rows = np.flatnonzero(~blank) if blank.any() else range(len(blank))
        records = self._records(rows, (instance, ids), named, where)
        del named  # which is as long as the file, and has other codes than the records
        read = replace(self.provenance, cleaning=cleaning)
        return IntervalSequences.from_records(records, read, groups), labels

    def runs(self) -> tuple[Ints, list[str]]:
        """First row of each run of rows of one instance, and the name of the instance.

        Rows without a name are of the run that they stand in.
        """
        codes, names = self._names("instance")
        named = np.maximum.accumulate(
            np.where(codes < 0, np.argmax(codes >= 0), np.arange(len(codes)))
        )
        codes = codes[named]
        first = find_runs(codes)[:-1]
        return first, [names[code] if code >= 0 else "" for code in codes[first].tolist()]

    def numbered_from(self, first: int) -> "LongFrame":
        """The same rows, of which messages name the first as the one of this number, from 0 on."""
        return replace(self, place=lambda row: self.place(first + row))

    def rows(self, begin: int, stop: int) -> "LongFrame":
        """Rows that follow each other."""
        series = {name: values[begin:stop] for name, values in self.series.items()}
        return replace(self, series=series, place=lambda row: self.place(begin + row))

    def take(self, rows: npt.NDArray[np.intp]) -> "LongFrame":
        """Some of the rows."""
        series = {name: pd.Series(values).array[rows] for name, values in self.series.items()}
        return replace(self, series=series, place=lambda row: self.place(int(rows[row])))

    def _without_bad_rows(self) -> "LongFrame":
        bad = self._bad_rows()
        if not bad.any():
            return self
        if bad.all():
            raise DataError(f"{self.source}no row is an interval; check the columns")
        first = self.place(int(np.argmax(bad)))
        what = "row that is not an interval" if bad.sum() == 1 else "rows that are not intervals"
        left_out = f"left out {bad.sum()} {what} (first: {first})"
        warnings.warn(DataWarning(f"{self.source}{left_out}"), stacklevel=4)
        return self.take(np.flatnonzero(~bad))

    def _bad_rows(self) -> Bools:
        """Rows without instance, action or time, or that end before they start."""
        instance, _ = self._names("instance")
        action, _ = self._names("action")
        start, end = (_as_numbers(np.asarray(self.series[name])) for name in ("start", "end"))
        bad: Bools = (
            np.isnan(start) | (end < start) | (np.fmax(abs(start), abs(end)) >= LARGEST_TIME)
        )
        if not any(name in self.series for name in UNCERTAIN):  # these may lack an end, an action
            bad |= np.isnan(end) | (action < 0)
        return (bad & ~self._rows_without_interval(action, instance)) | (instance < 0)

    def _names(self, name: str) -> tuple[Ints, tuple[str, ...]]:
        """Codes and names of a column of names; -1 where one is missing or blank."""
        codes, names = name_by_text(*self._factorize(name))
        self._refuse_no_names(name, codes, names)
        return codes, names

    def _refuse_no_names(self, name: str, codes: Ints, names: Sequence[Any]) -> None:
        """Refuse text that no file can hold, as it has half a character, or that is no name."""
        all_texts = set(map(type, names)) <= {str}
        texts = names if all_texts else [text for text in names if isinstance(text, str)]
        if max(map(len, texts), default=0) <= LONGEST_NAME and not half_character("".join(texts)):
            return
        for code, text in enumerate(names):
            wrong = half_character(text) if isinstance(text, str) else None
            if isinstance(text, str) and len(text) > LONGEST_NAME:
                wrong = f"has {len(text)} characters, more than {LONGEST_NAME}; a name is meant"
            if wrong is not None:
                place = printable(self.place(int(np.argmax(codes == code))), 200)
                raise DataError(f"{self.source}{place}: the {name} {wrong}")

    def _factorize(self, name: str) -> tuple[Ints, Any]:
        values = self.series[name]
        if isinstance(values, pd.arrays.NumpyExtensionArray):  # pandas 2 does not factorise these
            values = values.to_numpy()
        try:
            return factorize(values)
        except TypeError as error:  # a cell holds a list or the like
            row = next(row for row, value in enumerate(values) if not is_hashable(value))
            raise DataError(
                f"{self.source}{self.place(row)}: the {name} is {quote(values[row])}, "
                f"of type {type(values[row]).__name__}; make it text or a number"
            ) from error

    def _label_instances(self, name: str, instance: Ints, where: Where) -> Labels:
        """One value per instance, or None where no row has one; refuses two, or some missing."""
        is_label = name == "label"
        lenient = self.leniency.unlabelled if is_label else self.leniency.ungrouped
        if name not in self.series or lenient == "all":
            return None
        codes, uniques = self._factorize(name)
        self._refuse_no_names(name, codes, uniques)
        if not all(isinstance(value, str) for value in uniques):
            self._refuse_truths(name, where)
        blank = [code for code, v in enumerate(uniques) if isinstance(v, str) and not v.strip()]
        codes = np.where(np.isin(codes, blank), -1, codes)
        if (codes < 0).all():
            return None
        missing = codes < 0
        if missing.any() and lenient == "error":
            raise DataError(
                f"{where(int(np.argmax(missing)))}: no {name}, while other rows have one; fill it "
                "in, or leave the whole column empty",
                *(UNLABELLED if is_label else UNGROUPED),
            )
        first = first_rows(instance, missing)
        other = (codes != codes[first][instance]) & ~missing
        if other.any():
            row = int(np.argmax(other))
            before = int(first[instance[row]])
            raise DataError(
                f"{where(row)}: the {name} is {quote(uniques[codes[row]])}, but "
                f"{quote(uniques[codes[before]])} in {self.place(before)} of the same instance; "
                f"give an instance one {name}, or different instances different names",
                *(CONFLICTING if is_label else UNGROUPED),
            )
        names = _plain(uniques)
        if missing.any():
            names = np.array([*as_objects(names), None], object)
        labels: npt.NDArray[Any] = names[codes[first]]
        return labels

    def _refuse_truths(self, name: str, where: Where) -> None:
        """Refuse True and False among numbers: for Python True is 1, and they would be merged."""
        values = np.asarray(self.series[name])
        if values.dtype != object:  # all of one kind
            return
        truths = np.array([isinstance(value, bool | np.bool_) for value in values])
        numbers = ~truths & np.array(
            [isinstance(value, int | float | np.number) for value in values]
        )
        if truths.any() and numbers.any():
            row, other = int(np.argmax(truths)), int(np.argmax(numbers))
            raise DataError(
                f"{where(row)}: the {name} is {values[row]}, but a number, {values[other]}, in "
                f"{self.place(other)}; make all of them text, or all numbers"
            )

    def _rows_without_interval(self, action: Ints, instance: Ints) -> Bools:
        """Rows that say that an instance has no intervals: only its name, and its only row."""
        blank = action < 0
        if not blank.any():
            return blank
        for name in ("start", "end"):
            values = pd.Series(self.series[name]).astype(object)
            blank &= (values.isna() | (values.astype(str).str.strip() == "")).to_numpy()
        alone: Bools = np.bincount(instance + 1)[instance + 1] == 1
        return blank & alone

    def _records(
        self,
        rows: Rows,
        instances: tuple[Ints, tuple[str, ...]],
        named: tuple[Ints, tuple[str, ...]],
        where: Where,
    ) -> Records:
        def where_kept(row: int) -> str:
            return where(int(rows[row]))

        (instance, ids), (action, actions) = instances, named
        start, end = (np.asarray(self.series[name]) for name in ("start", "end"))
        if not isinstance(rows, range):  # all of them, and copies would take much memory
            instance, action, start, end = (v[rows] for v in (instance, action, start, end))
        times = ("start", start), ("end", end)
        start, end = (_as_times(name, values, where_kept) for name, values in times)
        cells = UncertainCells.parse(self.series, rows, where_kept)
        if cells is not None:
            end = cells.fill_unknown(instance, start, end)
            action, actions = cells.name_actions(action, actions)
        _refuse_missing(action < 0, "action", where_kept)
        codes, vocabulary = order_by_name(action, actions)
        unsure = None
        if cells is not None:
            unsure = cells.coded({name: code for code, name in enumerate(vocabulary)})
        columns = (instance, codes, start, end, ids, vocabulary, where_kept, unsure)
        return Records(*columns, self._tracks(rows))

    def _tracks(self, rows: Rows) -> npt.NDArray[np.object_] | None:
        """Names of tracks of these rows, "" where one is missing or blank; None without any."""
        if "track" not in self.series:
            return None
        codes, names = self._names("track")
        known = np.array([*names, ""], object)[codes[rows]]
        return known if names else None


def join(frames: Sequence[LongFrame], source: str) -> LongFrame:
    """Make one frame of several, such as those of the files of a folder.

    A column that some of them lack is empty there; messages name the file and the row in it.
    """
    names = [*dict.fromkeys(name for frame in frames for name in frame.series)]
    sizes = [len(frame.series["instance"]) for frame in frames]
    series = {}
    for name in names:
        empty = (np.full(size, None, object) for size in sizes)
        series[name] = _join_columns(
            [frame.series.get(name, nothing) for frame, nothing in zip(frames, empty, strict=True)]
        )
    first = np.concatenate([[0], np.cumsum(sizes)])

    def place(row: int) -> str:
        number = int(np.searchsorted(first, row, side="right")) - 1
        file = frames[number].source if frames[number].source != source else ""
        return f"{file}{frames[number].place(row - int(first[number]))}"

    left_out = [*dict.fromkeys(name for frame in frames for name in frame.left_out)]
    return LongFrame(series, left_out, source, place)


def _join_columns(parts: list[Any]) -> Any:
    """One column of several; as objects, unless all are codes of names, or numbers of a kind."""
    if all(isinstance(part, pd.Categorical) for part in parts):
        number: dict[str, int] = {}
        codes = []
        for own, names in map(factorize, parts):
            renumber = [number.setdefault(name, len(number)) for name in names.tolist()]
            codes.append(np.array([*renumber, -1], np.int64)[own])
        return as_categorical(np.concatenate(codes), np.array(list(number), object))
    arrays = [np.asarray(part) for part in parts]
    alike = len({array.dtype for array in arrays}) == 1 and arrays[0].dtype.kind in "iufb"
    return np.concatenate(arrays if alike else [array.astype(object) for array in arrays])


def _refuse_missing(missing: Bools, name: str, where: Where) -> None:
    if missing.any():
        row = int(np.argmax(missing))
        raise DataError(f"{where(row)}: the {name} is missing; fill it in or drop the row")


def as_objects(column: npt.NDArray[Any]) -> list[Any]:
    """Values as objects of Python, or of pandas where they are dates, which are longer there."""
    if column.dtype.kind in "mM":
        return list(pd.Series(column).astype(object))
    return [value.item() if isinstance(value, np.generic) else value for value in column.tolist()]


def _plain(uniques: Any) -> npt.NDArray[Any]:
    """Values as numbers or booleans where all are, and as plain objects otherwise."""
    kept = np.asarray(uniques)
    if kept.dtype.kind in "iufb":
        return kept
    return np.array([*as_objects(kept), None], object)[:-1]


def _as_times(name: str, values: npt.NDArray[Any], where: Where) -> npt.NDArray[np.float64]:
    """Times as floats; refuses text and dates, and names their row."""
    if values.dtype.kind in "mM" and len(values):
        raise DataError(f"{where(0)}: {span_advice(name, values[0])}")
    numbers = _as_numbers(values)
    wrong = np.flatnonzero(np.isnan(numbers)).tolist()
    wrong = [row for row in wrong if as_number(values[row]) is None]
    if wrong:
        more = f" ({count(len(wrong) - 1, 'more row')} likewise)" if len(wrong) > 1 else ""
        raise DataError(f"{where(wrong[0])}: {not_a_number(name, values[wrong[0]])}{more}")
    return numbers


def _as_numbers(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Numbers as floats, NaN where there is none."""
    if values.dtype.kind in "iuf":
        return values.astype(np.float64, copy=False)
    numbers = map(as_number, values)
    return np.array([np.nan if number is None else number for number in numbers], np.float64)
