"""Plain twins of the kernels that count by cell and score by instance."""

import numpy as np
from scipy.stats import t as student_t


def count_outcomes(owner, code, cell, weight, cells, size):
    counts = np.zeros((cells, size))
    for d, c in zip(owner, code, strict=True):
        counts[cell[d], c] += weight[d]
    return counts


def score_outcomes(owner, code, row, logs):
    return np.array(
        [
            sum(
                (logs[row[d], c] for o, c in zip(owner, code, strict=True) if o == d),
                np.zeros(logs.shape[2]),
            )
            for d in range(len(row))
        ]
    ).reshape(len(row), logs.shape[2])


def count_numbers(owner, group, value, cell, weight, cells, groups):
    sums = np.zeros((3, cells, groups))
    for power in range(3):
        for d, g, x in zip(owner, group, value, strict=True):
            sums[power, cell[d], g] += weight[d] * x**power
    return sums


def score_numbers(owner, group, value, row, shape):
    scores = np.zeros((len(row), shape.shape[3]))
    for d, g, x in zip(owner, group, value, strict=True):
        location, narrowness, power, height = shape[row[d], g]
        freedom = 2 * power - 1
        scale = 1 / narrowness / np.sqrt(freedom)
        density = student_t.logpdf(x, freedom, location, scale)
        scores[d] += density - student_t.logpdf(location, freedom, location, scale)
        scores[d] += height
    return scores


def log_from_one(x):
    return float(np.log(x))
