"""Counts by cell and scores by instance, of outcomes and of numbers that instances have."""

import math

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel

Codes = npt.NDArray[np.integer]  # of any size


@kernel
def count_outcomes(
    owner: Ints, code: Codes, cell: Ints, weight: Floats, cells: int, size: int
) -> Floats:
    """How often instances of each cell have each outcome -> (cells, size).

    owner, code (outcomes,): instance and outcome of each. cell, weight (n,): of each instance.
    """
    counts = np.zeros((cells, size))
    for i in range(len(owner)):
        counts[cell[owner[i]], code[i]] += weight[owner[i]]
    return counts


@kernel
def score_outcomes(owner: Ints, code: Codes, row: Ints, logs: Floats) -> Floats:
    """Sum over the outcomes of each instance -> (n, columns).

    owner, code (outcomes,): instance and outcome of each. row (n,): which row of `logs`, (rows,
    outcomes, columns), each instance is scored by.
    """
    columns = logs.shape[2]
    scores = np.zeros((len(row), columns))
    for i in range(len(owner)):
        d = owner[i]
        for c in range(columns):
            scores[d, c] += logs[row[d], code[i], c]
    return scores


@kernel
def count_numbers(
    owner: Ints, group: Codes, value: Floats, cell: Ints, weight: Floats, cells: int, groups: int
) -> Floats:
    """How many numbers, their sum and the sum of their squares -> (3, cells, groups).

    owner, group, value (numbers,): of each number. cell, weight (n,): of each instance.
    """
    sums = np.zeros((3, cells, groups))
    for i in range(len(owner)):
        d = owner[i]
        weighted = weight[d] * value[i]
        sums[0, cell[d], group[i]] += weight[d]
        sums[1, cell[d], group[i]] += weighted
        sums[2, cell[d], group[i]] += weighted * value[i]
    return sums


@kernel
def score_numbers(owner: Ints, group: Codes, value: Floats, row: Ints, shape: Floats) -> Floats:
    """Sum of the log densities of the numbers of each instance -> (n, columns).

    owner, group, value (numbers,): of each number. row (n,): which row each instance is scored by.
    shape (rows, groups, 4, columns): location, width, power and log of the height of Student-t
    distributions, whose density is height * (1 + ((value - location) / width)**2) ** -power.
    """
    columns = shape.shape[3]
    scores = np.zeros((len(row), columns))
    for i in range(len(owner)):
        d = owner[i]
        of_group = shape[row[d], group[i]]
        for c in range(columns):
            off = (value[i] - of_group[0, c]) / of_group[1, c]
            scores[d, c] += of_group[3, c] - of_group[2, c] * math.log(1 + off * off)
    return scores
