"""Counts by cell and scores by instance, of outcomes and of numbers that instances have."""

import math

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel, vector_kernel

Codes = npt.NDArray[np.integer]  # of any size

# The bits of a float: 52 of its fraction, above them its exponent plus 1023.
FRACTION = np.uint64(52)
FRACTION_BITS = np.uint64(2**52 - 1)
HALF_ROOT = np.uint64(0x3FE6A09E667F3BCD)  # bits of the square root of 1/2
TO_ONE = np.uint64(0x3FF0000000000000 - 0x3FE6A09E667F3BCD)  # from there to the bits of 1
INTEGER = np.uint64(0x4330000000000000)  # bits of 2**52, whose fraction counts whole numbers
BIAS = 2.0**52 + 1023
LOG_2 = math.log(2.0)
ATANH = (  # Chebyshev approximation of 2 atanh(s) / s - 2, as powers of s**2, up to 1e-17
    *(0.666666666666667, 0.39999999999899005, 0.28571428626173057, 0.2222221110612709),
    *(0.1818289100504977, 0.15331664799306263, 0.14617093237558204),
)


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
    scores = np.zeros((len(row), logs.shape[2]))
    for i in range(len(owner)):
        sums, said = scores[owner[i]], logs[row[owner[i]], code[i]]
        for c in range(len(said)):
            sums[c] += said[c]
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


@vector_kernel
def log_from_one(x: float) -> float:
    """Logarithm of a number that is at least 1, to about two units in the last place.

    The one of the library takes one number at a time; of this, several are computed at once. With
    x = 2**k * f, f from sqrt(1/2) to sqrt(2), it is k log 2 + log f, and log f = 2 atanh s, where
    s = (f - 1) / (f + 1): 2 s plus s times a polynomial of its square, that of least error.
    """
    shifted = np.float64(x).view(np.uint64) + TO_ONE
    k = np.uint64((shifted >> FRACTION) | INTEGER).view(np.float64) - BIAS
    f = np.uint64((shifted & FRACTION_BITS) + HALF_ROOT).view(np.float64)
    s = (f - 1.0) / (f + 1.0)
    z, (a, b, c, d, e, g, h) = s * s, ATANH
    more = z * (a + z * (b + z * (c + z * (d + z * (e + z * (g + z * h))))))
    return k * LOG_2 + s * (2.0 + more) if x < np.inf else x


@vector_kernel
def score_numbers(owner: Ints, group: Codes, value: Floats, row: Ints, shape: Floats) -> Floats:
    """Sum of the log densities of the numbers of each instance -> (n, columns).

    owner, group, value (numbers,): of each number. row (n,): which row each instance is scored by.
    shape (rows, groups, 4, columns): location, 1 / width, power and log of the height of Student-t
    distributions, whose density is height * (1 + ((value - location) / width)**2) ** -power.
    """
    scores = np.zeros((len(row), shape.shape[3]))
    for i in range(len(owner)):
        sums, number = scores[owner[i]], value[i]
        of_group = shape[row[owner[i]], group[i]]
        for c in range(len(sums)):
            off = (number - of_group[0, c]) * of_group[1, c]
            sums[c] += of_group[3, c] - of_group[2, c] * log_from_one(1.0 + off * off)
    return scores
