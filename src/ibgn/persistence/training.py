"""What models remember of their training data, as JSON and arrays."""

from dataclasses import asdict, fields

from ibgn._arrays import Array
from ibgn.cleaning import Cleaning
from ibgn.declarations import FLOAT, Stored, is_finite, is_natural, is_positive
from ibgn.persistence.container import Arrays, Json, check, items
from ibgn.persistence.values import pack_value, unpack_names, unpack_value
from ibgn.provenance import Provenance
from ibgn.training_data import TrainingData

__all__ = ["pack_training", "unpack_training"]


def pack_training(known: TrainingData | None, arrays: list[Array]) -> Json:
    """Turn what is remembered into JSON; None where nothing is."""
    if known is None:
        return None
    node = {name: pack_value(getattr(known, name), arrays) for name in _declared(known.actions)}
    return node | {
        "actions": list(known.actions),
        "provenance": known.provenance and asdict(known.provenance),  # all of it is plain
    }


def unpack_training(node: Json, arrays: Arrays) -> TrainingData:
    """Turn JSON into what is remembered."""
    names = ("actions", "provenance", *_declared(()))
    listed, read, *values = items(node, "trained_on", names)
    actions = tuple(unpack_names(listed, "actions of trained_on"))
    known = {
        name: unpack_value(declared, value, arrays, f"{name} of trained_on")
        for (name, declared), value in zip(_declared(actions).items(), values, strict=True)
    }
    provenance = None if read is None else _unpack_provenance(read)
    return TrainingData(actions, **known, provenance=provenance)


def _declared(actions: tuple[str, ...]) -> dict[str, Stored]:
    """Fields that are numbers."""
    return {
        "log_duration": Stored(FLOAT, (len(actions),), is_finite),
        "spread": Stored(float, holds=is_positive),
        "furthest": Stored(float, holds=lambda value: 0 <= value < float("inf")),
        "instances": Stored(int, holds=is_natural),
        "intervals": Stored(int, holds=is_natural),
    }


def _unpack_provenance(node: Json) -> Provenance:
    format, cleaning, options = items(node, "provenance", ("format", "cleaning", "options"))
    check(format is None or type(format) is str, "the format is no name")
    names = [field.name for field in fields(Cleaning)]
    values = items(cleaning, "cleaning", names)  # which refuses invalid values itself
    check(isinstance(options, dict), "options of the reader are not named")
    check(isinstance(options.get("columns", {}), dict), "columns of the reader are not named")
    text = all(type(options.get(name, "")) is str for name in ("delimiter", "encoding"))
    check(text, "options of the reader that are text have other values")
    return Provenance(format, Cleaning(**dict(zip(names, values, strict=True))), options)
