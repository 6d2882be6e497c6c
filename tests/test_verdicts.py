"""When a claim of the paper is held for true, false, or open."""

import numpy as np
import pandas as pd
import pytest

from chance import binomial_bounds
from ibgn.evaluation.evaluate import Evaluation
from ibgn.evaluation.robustness import Robustness
from ibgn.evaluation.scores import SCORES
from ibgn.reproduction.verdicts import (
    BADLY,
    MARGIN,
    MUCH,
    PAPERS,
    SURE,
    WELL,
    _ahead,
    _costs_much,
    _not_behind,
    _recall_bounds,
    _words_differ,
)


def measured(accuracies, train=80, test=20, error="none"):
    """Accuracies (methods, folds) of the paper's six methods."""
    rows = [
        {"method": name, "error": error, "rate": 0.0, "draw": 0, "repeat": 0, "fold": fold}
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


def detected(losses, spread):
    """Accuracies of .9 on true intervals; losses of the six methods, with luck, on detected."""
    luck = spread * np.array([-1, -0.5, 0, 0.5, 1])
    true = np.full((6, 5), 0.9)
    found = true - [loss + np.roll(luck, n) for n, loss in enumerate(losses)]
    parts = measured(true), measured(found, error="fingers")
    return Robustness(pd.concat([part.scores for part in parts]), pd.DataFrame())


@pytest.mark.parametrize(
    ("loss", "spread", "agrees"),
    [
        (0.25, 0.01, True),
        (0.25, 0.3, None),  # may be less than much
        (MUCH / 2, 0.01, False),  # surely lost, but surely not much
        (0.0, 0.01, False),
        (MUCH, 0.001, None),
    ],
)
def test_a_loss_is_shown_to_be_large(loss, spread, agrees):
    found = detected([loss, *[0.4] * 5], spread)
    verdict = _costs_much(found, "IBGN-C", "fingers")
    assert verdict["agrees"] is agrees
    assert f"{loss:+.3f} ±" in verdict["text"]


def test_a_loss_is_corrected_for_the_methods_it_was_chosen_from():
    found = detected([0.17, 0.1, 0.1, 0.1, 0.1, 0.1], 0.04)
    chosen = found.loss("IBGN-C", "fingers", among=PAPERS[:3], margin=-MUCH)
    alone = found.loss("IBGN-C", "fingers", among=["IBGN-C"], margin=-MUCH)
    assert alone.p_holm == pytest.approx(chosen.p)
    assert chosen.p_holm == pytest.approx(3 * chosen.p)
    assert chosen.p < SURE < chosen.p_holm
    assert _costs_much(found, "IBGN-C", "fingers")["agrees"] is None


def recognised(right, tested, train=80, test=20, repeats=1):
    """Words of which so many were recognised in each of five folds, again in every repetition."""
    labels = np.repeat([f"word {w}" for w in range(len(right))], tested)
    hit = np.arange(tested) < np.array(right)[:, None]
    rows = pd.DataFrame(
        {"method": "IBGN", "label": labels, "predicted": np.where(hit.ravel(), labels, "other")}
    )
    folds = [
        {"method": "IBGN", "repeat": repeat, "fold": fold, "train": train, "test": test}
        for repeat in range(repeats)
        for fold in range(5)
    ]
    return Evaluation(pd.DataFrame(folds), pd.concat([rows] * repeats, ignore_index=True))


@pytest.mark.parametrize(
    ("right", "tested", "agrees"),
    [
        ([400, 40, 300], 400, True),
        ([12, 1, 9], 12, None),  # so few instances exclude nothing
        ([400, 300, 300], 400, False),  # none below one half
        ([40, 300, 300], 400, False),  # none very well
        ([400, 195, 300], 400, None),
        ([0, 400], 400, True),
    ],
)
def test_words_are_shown_to_differ(right, tested, agrees):
    verdict = _words_differ(recognised(right, tested), "IBGN")
    assert verdict["agrees"] is agrees


def test_repetitions_and_shared_training_instances_add_no_instances():
    right = [60, 20, 45]
    assert _words_differ(recognised(right, 60, train=10**6, test=1), "IBGN")["agrees"] is True
    assert _words_differ(recognised(right, 60), "IBGN")["agrees"] is None
    assert _words_differ(recognised(right, 60, repeats=10), "IBGN")["agrees"] is None


@pytest.mark.statistical(false_alarm=5e-7)
def test_among_many_words_one_is_rarely_thought_well_recognised(rng, false_alarm):
    """Five in a hundred at most; without the correction for 19 words it is half of the runs."""
    surely = alone = 0
    for right in rng.binomial(100, WELL, (200, 19)):
        found = recognised([*right, 0], 100, train=10**6, test=1)
        surely += _words_differ(found, "IBGN")["agrees"] is True
        low, high = _recall_bounds(np.append(right, 0) / 100, np.full(20, 100.0), SURE)
        alone += bool((low > WELL).any() and (high < BADLY).any())
    assert surely <= binomial_bounds(200, 0.05, false_alarm)[1]
    assert alone > surely + 40
