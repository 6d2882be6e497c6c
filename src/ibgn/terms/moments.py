"""Numbers by group: how they are counted, and Student-t predictions of new ones.

A group of an activity, say the durations of an action, may have few numbers or none. Its prediction
is drawn towards the same group in all activities, and that towards all groups together.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, stdtrit

from ibgn._arrays import Floats, Ints
from ibgn._kernels import tallies as kernels
from ibgn.declarations import LARGEST_LOG, LEAST_LOG
from ibgn.terms.base import Counts
from ibgn.terms.parts import USUAL
from ibgn.terms.stacked import Cells

__all__ = ["Moments", "Numbers", "StudentT", "fit_student_t"]

MEAN_STRENGTH = 1.0  # the mean of all activities counts as so many numbers
SPREAD_STRENGTH = 3.0  # and their variance as so many
LANES = 4  # numbers that processors work on at once; what is left over takes as long
LEAST_VARIANCE = 1e-2  # of logarithms: recordings are not more exact than that


@dataclass(frozen=True)
class Moments(Counts):
    """Sums over the numbers of each group, (groups,) each.

    Parameters
    ----------
    number : how many
    total : their sum
    squares : the sum of their squares
    """

    number: Floats
    total: Floats
    squares: Floats

    @property
    def mean(self) -> Floats:
        """(groups,) mean of each group, 0 where there is nothing."""
        mean: Floats = self.total / np.maximum(self.number, 1)
        return mean

    @property
    def scatter(self) -> Floats:
        """(groups,) sum of squared distances from the mean; rounding leaves none below 0."""
        return np.maximum(self.squares - self.number * self.mean**2, 0.0)


class StudentT(NamedTuple):
    """Prediction of a new number of each group, (groups,) each: Student-t distributions."""

    location: Floats
    scale: Floats
    freedom: Floats

    def log_density(self, group: npt.NDArray[np.integer], value: Floats) -> Floats:
        """Log density of values, each of a group."""
        location, width, power, height = (field[group] for field in self.shape())
        density: Floats = height - power * np.log1p(((value - location) / width) ** 2)
        return density

    def shape(self) -> Floats:
        """(4, groups) location, width, power and log of the height."""
        power = (self.freedom + 1) / 2
        width = self.scale * np.sqrt(self.freedom)
        height = gammaln(power) - gammaln(self.freedom / 2) - np.log(np.sqrt(np.pi) * width)
        return np.stack([self.location, width, power, height])

    def usual(self) -> Floats:
        """(2, groups) ends of the range in the middle that has most of the numbers.

        The numbers are logarithms; ends are cut where floats end.
        """
        reach = self.scale * stdtrit(self.freedom, (1 + USUAL) / 2)
        ends = np.stack([self.location - reach, self.location + reach])
        return np.clip(ends, LEAST_LOG, LARGEST_LOG)


class Numbers(NamedTuple):
    """Numbers that instances have, instance by instance.

    Parameters
    ----------
    owner : (numbers,) number of the instance of each, ascending
    group, value : (numbers,) of each
    groups : how many groups there are
    """

    owner: Ints
    group: npt.NDArray[np.integer]
    value: Floats
    groups: int

    def by_cell(self, cells: Cells) -> Moments:
        """Moments (cells, groups) of the instances of each cell."""
        sums = kernels.count_numbers(
            self.owner,
            self.group,
            self.value,
            cells.cell,
            cells.weight,
            cells.number,
            self.groups,
        )
        return Moments(*sums)

    def score(self, prediction: StudentT, row: Ints) -> Floats:
        """(n, columns) sum of the log densities of the numbers of each instance.

        prediction (rows, columns, groups); row (n,) chooses the row of each instance.
        """
        shape = np.moveaxis(prediction.shape(), (0, 3), (2, 1))  # (rows, groups, 4, columns)
        columns = shape.shape[3]
        padded = np.zeros((*shape.shape[:3], -(-columns // LANES) * LANES))
        padded[..., :columns] = shape
        padded[:, :, 1, :columns] = 1 / shape[:, :, 1]
        scores = kernels.score_numbers(self.owner, self.group, self.value, row, padded)
        return scores[:, :columns]


def fit_student_t(own: Moments, pooled: Moments) -> StudentT:
    """Predict the numbers of one activity, given those of all.

    The posterior predictive of a normal distribution under a normal-inverse-gamma prior, whose
    mean and variance are those of the group in all activities.
    """
    number, total, squares = (
        sums.sum(axis=-1, keepdims=True) for sums in (pooled.number, pooled.total, pooled.squares)
    )
    centre = total / np.maximum(number, 1)
    spread = np.maximum(squares / np.maximum(number, 1) - centre**2, LEAST_VARIANCE)
    mean = (pooled.total + MEAN_STRENGTH * centre) / (pooled.number + MEAN_STRENGTH)
    variance = (pooled.scatter + SPREAD_STRENGTH * spread) / (pooled.number + SPREAD_STRENGTH)
    variance = np.maximum(variance, LEAST_VARIANCE)

    strength, freedom = own.number + MEAN_STRENGTH, own.number + SPREAD_STRENGTH
    location = (own.total + MEAN_STRENGTH * mean) / strength
    shift = own.number * MEAN_STRENGTH / strength * (own.mean - mean) ** 2
    posterior = (own.scatter + shift + SPREAD_STRENGTH * variance) / freedom
    posterior = np.maximum(posterior, LEAST_VARIANCE / 4)
    return StudentT(location, np.sqrt(posterior * (strength + 1) / strength), freedom)
