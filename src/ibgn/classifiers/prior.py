"""How likely each activity is before its instances are seen."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from scipy.special import logsumexp

from ibgn._arrays import Floats
from ibgn.checks import check_choice, check_number
from ibgn.errors import OptionError
from ibgn.text import quote

__all__ = ["ClassPrior", "check_prior", "class_log_prior"]

ClassPrior = Literal["uniform", "empirical"] | Mapping[Any, float]


def check_prior(prior: ClassPrior) -> None:
    """Refuse a prior that is neither a choice nor a probability for each label."""
    if not isinstance(prior, Mapping):
        check_choice("class_prior", prior, ("uniform", "empirical"))


def class_log_prior(prior: ClassPrior, classes: Sequence[Any], number: Floats) -> Floats:
    """(activities,) log of the class prior; `number` (activities,) is that of the instances."""
    if prior == "empirical":
        shares: Floats = np.log(number / number.sum())
        return shares
    if not isinstance(prior, Mapping):
        return np.full(len(classes), -np.log(len(classes)))
    missing = [label for label in classes if label not in prior]
    if missing:
        reason = f"has no probability for {quote(missing[0])}; name them all"
        raise OptionError("class_prior", prior, reason)
    for label in classes:
        try:
            check_number("class_prior", prior[label], "positive", lambda weight: weight > 0)
        except OptionError as error:
            raise error.within(f"activity {quote(label)}: ") from None
    logs = np.log([float(prior[label]) for label in classes])
    normalised: Floats = logs - logsumexp(logs)
    return normalised
