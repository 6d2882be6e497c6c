"""Data read as a model remembers that its training data were read."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from ibgn.cli.flags import as_flags, given_flags, write_value
from ibgn.cli.options import Reading
from ibgn.cli.output import say
from ibgn.errors import DataError

if TYPE_CHECKING:
    from ibgn.intervals import IntervalSequences
    from ibgn.sources import InstanceSource

T = TypeVar("T")

NAMING_LABELS = ("activity", "group")  # options for what new data may lack
LABELS = ("label", "group")  # columns that new data may lack

UnknownActions = Annotated[
    Literal["warn", "ignore", "error"] | None,
    typer.Option(
        help="What to do with actions that the model does not know; by default it warns, and "
        "refuses data in which all are unknown."
    ),
]


def read_like_training(
    reading: Reading, data: Path, classifier: Any
) -> "tuple[IntervalSequences, Any, dict[str, Any]]":
    """Read data as those were read that a model learned from, unless flags say otherwise.

    Also returns the options that the model remembers and that were applied.
    """
    (X, y), remembered = _like_training(reading, data, classifier, lambda like: like.read(data))
    return X, y, remembered


def scan_like_training(
    reading: Reading, data: Path, classifier: Any
) -> "tuple[InstanceSource, dict[str, Any]]":
    """The same for data that are read piece by piece."""
    return _like_training(reading, data, classifier, lambda like: like.scan(data))


def _like_training(
    reading: Reading, data: Path, classifier: Any, read: Callable[[Reading], T]
) -> tuple[T, dict[str, Any]]:
    remembered = recall(reading, data, classifier)
    if not remembered:
        return read(reading), {}
    try:
        result = read(extend(reading, remembered))
    except DataError:
        unlabelled = without_labels(remembered)
        if unlabelled == remembered:
            _say_applied(remembered)  # as they may be what is wrong
            raise
        remembered = unlabelled
        result = read(extend(reading, remembered))
    _say_applied(remembered)
    return result, remembered


def _say_applied(remembered: Mapping[str, Any]) -> None:
    if remembered:
        say(f"read like the training data of the model: {as_flags(remembered)}")


def compare_with_training(
    classifier: Any, X: "IntervalSequences", remembered: dict[str, Any], said: list[str]
) -> dict[str, Any]:
    """How data compare with those that a model learned from, for programs."""
    remembers = hasattr(classifier, "trained_on_")  # as not every method of others does
    found: dict[str, Any] = classifier.familiarity(X).as_dict() if remembers else {}
    return found | {"read_with": remembered, "warnings": said}


def recall(reading: Reading, data: Path, classifier: Any) -> dict[str, Any]:
    """Options by which the training data were read, if these data are of the same format."""
    known = getattr(classifier, "trained_on_", None)
    provenance = None if known is None else known.provenance
    if provenance is None or provenance.format is None:
        return {}
    format = reading.find(data)[1]
    if provenance.format != format.name:
        return {}
    given = given_flags() | {pair.partition("=")[0] for pair in reading.option or []}
    options = provenance.given().items()
    return {n: value for n, value in options if n in format.remembered and n not in given}


def extend(reading: Reading, remembered: Mapping[str, Any]) -> Reading:
    """The same with more options, as flags would give them."""
    flags = {field.name for field in fields(Reading)}
    own = {name: value for name, value in remembered.items() if name in flags}
    if "columns" in own:
        own["columns"] = [f"{ours}={theirs}" for ours, theirs in own["columns"].items()]
    others = [f"{n}={write_value(value)}" for n, value in remembered.items() if n not in flags]
    return replace(reading, **own, option=[*others, *(reading.option or [])])


def without_labels(remembered: Mapping[str, Any]) -> dict[str, Any]:
    """The same without what says where labels and groups are, which new data may not have."""
    kept = {name: value for name, value in remembered.items() if name not in NAMING_LABELS}
    if isinstance(kept.get("columns"), Mapping):
        columns = {ours: name for ours, name in kept["columns"].items() if ours not in LABELS}
        kept["columns"] = columns
    return {name: value for name, value in kept.items() if name != "columns" or value}
