"""What differs between two models, to the last bit."""

from dataclasses import fields, is_dataclass

import numpy as np

from ibgn import IBGNClassifier


def find_differences(one, two, name="model"):
    """Names of learned values that differ in a bit or a type."""
    if type(one) is not type(two):
        yield name
    elif isinstance(one, np.ndarray):
        nan = one.dtype.kind == "f"
        if one.dtype != two.dtype or not np.array_equal(one, two, equal_nan=nan):
            yield name
    elif isinstance(one, dict | list | tuple):
        keys = list(one) if isinstance(one, dict) else range(len(one))
        if len(one) != len(two) or (isinstance(one, dict) and keys != list(two)):
            yield name
            return
        for key in keys:
            yield from find_differences(one[key], two[key], f"{name}[{key!r}]")
    elif is_dataclass(one):
        for field in fields(one):
            values = (getattr(each, field.name) for each in (one, two))
            yield from find_differences(*values, f"{name}.{field.name}")
    elif isinstance(one, IBGNClassifier):
        yield from find_differences(vars(one), vars(two))
    elif one != two:
        yield name
