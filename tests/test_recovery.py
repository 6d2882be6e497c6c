"""A known model is found again as the sample grows, and real recordings are recognised."""

import numpy as np
import pytest
from benchmarks.accuracy import folds
from benchmarks.recovery import measure

from ibgn import IBGNClassifier

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.slow
def test_more_data_bring_the_model_back():
    _, actions, relations, links = measure(sizes=(30, 120, 480), repeats=3)
    assert (np.diff(relations) < 0).all()
    assert actions[-1] < actions[0]
    assert links[0] < 1
    assert links[-1] == 1
    assert relations[-1] < 0.3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "structure", "least"),
    [
        ("BLOCKS", "full", 0.975),
        ("BLOCKS", "learned", 0.95),
        ("BLOCKS", "shared", 0.98),
        ("SKATING", "full", 0.99),
    ],
)
def test_accuracy_on_real_recordings(read_shared, name, structure, least):
    X, y = read_shared(name)
    right = 0
    for train, test in folds(X, y):
        model = IBGNClassifier(structure, random_state=0, n_jobs=2).fit(X[train], y[train])
        right += (model.predict(X[test]) == y[test]).sum()
    assert right / len(y) >= least
