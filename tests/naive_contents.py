"""Plain twins of the kernels that hash the contents of instances."""

from itertools import pairwise

import numpy as np

BITS = 2**64


def mix(state, word):
    """One step of splitmix64, with numbers of any size."""
    z = ((int(state) ^ int(word)) + 0x9E3779B97F4A7C15) % BITS
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % BITS
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % BITS
    return z ^ (z >> 31)


def hash_contents(offsets, action, names, start, end):
    numbers = []
    for begin, stop in pairwise(offsets):
        state = stop - begin
        for i in range(begin, stop):
            for word in (names[action[i]], start[i], end[i]):
                state = mix(state, word)
        numbers.append(state)
    return np.array(numbers, np.uint64)
