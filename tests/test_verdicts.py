"""When a claim of the paper is held for true, false, or open."""

import numpy as np
import pandas as pd
import pytest

from chance import binomial_bounds
from ibgn.evaluation.evaluate import Evaluation
from ibgn.evaluation.robustness import Robustness
from ibgn.evaluation.scores import SCORES
from ibgn.reproduction.verdicts import MARGIN, PAPERS, _ahead, _not_behind


def measured(accuracies, train=80, test=20):
    """Accuracies (methods, folds) of the paper's six methods."""
    rows = [
        {"method": name, "error": "none", "rate": 0.0, "draw": 0, "repeat": 0, "fold": fold}
        | {"train": train, "test": test}
        | dict.fromkeys(SCORES, value)
        for name, values in zip(PAPERS, accuracies, strict=True)
        for fold, value in enumerate(values)
    ]
    return Robustness(pd.DataFrame(rows), pd.DataFrame())


def wobbling(means, spread):
    """Means with a different order of the same luck in each fold."""
    luck = spread * np.array([-1, -0.5, 0, 0.5, 1])
    return measured([mean + (1 + n / 10) * np.roll(luck, 2 * n) for n, mean in enumerate(means)])


def test_claims_are_judged_as_comparisons_are():
    """The same p as `compare` has for the best, which was picked by looking at all."""
    found = wobbling([0.8, 0.7, 0.72, 0.6, 0.65, 0.5], 0.03)
    table = Evaluation(found.scores, pd.DataFrame()).compare().set_index("method")
    for rival in PAPERS[1:]:
        gain = found.gain("IBGN-C", rival, among=PAPERS)
        assert gain.p_holm == pytest.approx(table.loc[rival, "p_holm"], rel=1e-9)
        assert gain.p_holm >= gain.p == pytest.approx(table.loc[rival, "p"], rel=1e-9)
        judged = _ahead(found, "IBGN-C", rival, "it is ahead")["agrees"]
        assert judged is (True if gain.p_holm < 0.05 else None)
    assert found.gain("IBGN-C", "IBGN", among=["IBGN-C", "IBGN"]).p_holm == pytest.approx(
        found.gain("IBGN-C", "IBGN").p
    )


def test_a_lead_that_is_sure_only_without_the_correction_is_open():
    found = wobbling([0.8, 0.735, 0.7, 0.7, 0.7, 0.7], 0.02)
    gain = found.gain("IBGN-C", "IBGN-F", among=PAPERS)
    assert gain.p < 0.05 < gain.p_holm
    assert _ahead(found, "IBGN-C", "IBGN-F", "it is ahead")["agrees"] is None


@pytest.mark.slow
@pytest.mark.statistical(false_alarm=5e-7)
def test_of_equal_methods_none_is_ahead(rng, false_alarm):
    """Five in a hundred at most; the control, without the correction, is 30 of a hundred."""
    told = alone = 0
    for accuracies in rng.normal(0.8, 0.05, (150, 6, 10)):
        found = measured(accuracies, train=10**6, test=1)
        means = accuracies.mean(axis=1)
        best, worst = PAPERS[means.argmax()], PAPERS[means.argmin()]
        told += _ahead(found, best, worst, "it is ahead")["agrees"] is not None
        alone += found.gain(best, worst).p < 0.05
    assert told <= binomial_bounds(150, 0.05, false_alarm)[1]
    assert alone > told + 10


@pytest.mark.parametrize(
    ("behind", "spread", "agrees"),
    [
        (0.0, 0.001, True),
        (MARGIN / 4, 0.001, False),  # surely behind, if only by a little
        (MARGIN / 4, 0.004, True),  # perhaps behind, but surely by less than the margin
        (MARGIN / 4, 0.1, None),  # may be behind by much
        (0.1, 0.001, False),
        (-0.1, 0.001, True),
        (-0.001, 0.1, None),  # ahead in the mean, which says nothing
    ],
)
def test_not_behind_is_shown_and_not_assumed(behind, spread, agrees):
    found = wobbling([0.8, 0.6, 0.8 - behind, 0.5, 0.5, 0.5], spread)
    assert _not_behind(found, "IBGN", "IBGN-C", "it is not behind")["agrees"] is agrees


def test_methods_that_are_alike_in_every_fold_are_not_behind():
    found = measured([[0.8, 0.7, 0.9]] * 6)
    assert _not_behind(found, "IBGN", "IBGN-C", "it is not behind")["agrees"] is True
    assert _ahead(found, "IBGN", "IBGN-C", "it is ahead")["agrees"] is None
