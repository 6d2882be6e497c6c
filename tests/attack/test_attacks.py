"""A few cases of every attack: nothing is found. `make attack` tries thousands."""

import pytest

from attack.attacks import ATTACKS
from attack.harness import Harness

CASES = {
    "data_files": 100,
    "command_lines": 30,
    "model_files": 30,
    "names": 5,
    "kills": 3,
    "races": 3,
    "disks": 3,
}


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS, ids=[each.name for each in ATTACKS])
def test_an_attack_finds_nothing(attack, tmp_path, seed):
    said = []
    harness = Harness([attack], seed, tmp_path, say=said.append)
    harness.prepare()
    harness.run_cases(attack, range(CASES[attack.name]))
    assert not said
    assert harness.cases == {attack.name: CASES[attack.name]}
