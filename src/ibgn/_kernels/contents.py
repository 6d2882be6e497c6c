"""Numbers that stand for the contents of instances."""

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Codes, Ints
from ibgn._kernels.compile import kernel

Word = np.uint64
Words = npt.NDArray[np.uint64]

# of splitmix64, which mixes all bits of a number
STEP, FIRST, SECOND = (
    np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


@kernel
def mix(state: Word, word: Word) -> Word:
    """Next state of a hash after one more word."""
    z = (state ^ word) + STEP
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    return z ^ (z >> np.uint64(31))


@kernel
def hash_contents(offsets: Ints, action: Codes, names: Words, start: Words, end: Words) -> Words:
    """Numbers as good as random, equal if the intervals are equal -> (n,).

    names (actions,): what stands for each action. start, end (intervals,): times, bit by bit.
    """
    numbers = np.empty(len(offsets) - 1, np.uint64)
    for d in range(len(numbers)):
        state = np.uint64(offsets[d + 1] - offsets[d])
        for i in range(offsets[d], offsets[d + 1]):
            state = mix(mix(mix(state, names[action[i]]), start[i]), end[i])
        numbers[d] = state
    return numbers
