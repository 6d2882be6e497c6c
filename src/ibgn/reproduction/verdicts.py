"""Whether our measurements agree with what the paper claims."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from ibgn._arrays import Floats
from ibgn.evaluation.evaluate import Evaluation
from ibgn.evaluation.paired import share_of_test
from ibgn.evaluation.robustness import Gain, Robustness
from ibgn.reproduction.protocol import PaperResults, Study

__all__ = [
    "abilities_agree",
    "best_of_ours",
    "beyond",
    "count_cells",
    "detected_agree",
    "ideal_agree",
    "robust_agree",
]

Verdict = dict[str, Any]

OURS, OTHERS = ("IBGN-C", "IBGN-F", "IBGN"), ("IHMM", "DBN", "ITBN")
PAPERS = (*OURS, *OTHERS)
SURE = 0.05  # a difference counts if p is below this
MARGIN = 0.02  # of accuracy; who is not behind by more than this is not behind
MUCH = 0.1  # of accuracy; the paper loses .28
WELL, BADLY = 0.9, 0.5  # recall of words that are recognised well, and badly


def abilities_agree(results: PaperResults) -> list[Verdict]:
    """Cells of the table of abilities that differ from the paper's."""
    frame = results.abilities[results.abilities["agrees"].notna()]
    verdicts = []
    for row in frame[~frame["agrees"].astype(bool)].to_dict(orient="records"):
        why = f" {row['note']}" if row["note"] else ""
        text = f"{row['method']}, “{row['question']}” Here {row['answer']}, paper {row['paper']}."
        verdicts.append(_verdict(False, text + why))
    return verdicts


def count_cells(results: PaperResults) -> str:
    """Count the cells of the table of abilities that are as the paper prints them."""
    agrees = results.abilities["agrees"].dropna().astype(bool)
    return f"{agrees.sum()} of {len(agrees)} cells that the paper has are as it prints them."


def ideal_agree(study: Study) -> list[Verdict]:
    """What the paper says about accuracy on true intervals."""
    robustness, claims = study.robustness, []
    best, rival = _best(robustness, OURS), _best(robustness, OTHERS)
    text = "the IBGN family is more accurate than the other methods"
    claims.append(_ahead(robustness, best, rival, text))
    fixed = _best(robustness, OURS[:2])
    text = "a learned structure is no worse than fixed ones"
    claims.append(_not_behind(robustness, "IBGN", fixed, text))
    weakest = "ITBN" if study.name == "composable" else "IHMM"
    others = [name for name in PAPERS if name != weakest]
    next_weakest = min(others, key=lambda name: _mean(robustness, name))
    text = f"{weakest} is the weakest method"
    claims.append(_ahead(robustness, next_weakest, weakest, text))
    return claims


def robust_agree(study: Study, error: str) -> list[Verdict]:
    """What the paper says about errors, at the largest rate."""
    robustness = study.robustness
    rates = robustness.scores.loc[robustness.scores["error"] == error, "rate"]
    rate = float(rates.max())
    best, rival = (_best(robustness, names, error, rate) for names in (OURS, OTHERS))
    what = f"at {rate:.0%} of {error} errors" if rate else f"with intervals that {error} detected"
    text = f"{what} the IBGN family is ahead"
    return [_ahead(robustness, best, rival, text, error, rate)]


def detected_agree(study: Study, error: str) -> list[Verdict]:
    """What the paper says about detected hand signs."""
    best = best_of_ours(study.robustness, error)
    return [
        *robust_agree(study, error),
        _costs_much(study.robustness, best, error),
        _words_differ(study.robustness.at(error), best),
    ]


def _costs_much(robustness: Robustness, method: str, error: str) -> Verdict:
    """Whether a method surely loses more than `MUCH`, or surely less."""
    loss = robustness.loss(method, error, among=OURS, margin=-MUCH)
    agrees = loss.difference > MUCH if loss.p_holm < SURE else None
    text = f"detection costs more than {MUCH} of accuracy ({method} with true minus with detected"
    return _verdict(agrees, f"{text} intervals: {_shown(loss)}; in the paper IBGN +0.28).")


def _words_differ(evaluation: Evaluation, method: str) -> Verdict:
    """Whether some words are surely recognised well and others surely badly.

    Bounds of each recall are those of a binomial (Clopper and Pearson), corrected as in the other
    tests: for the training instances that folds share, which make the instances of a word worth
    fewer, and, where one word of all is enough, for the number of words.
    """
    counts, scores = evaluation.confusion(method), evaluation.scores
    tested = counts.sum(axis=1).to_numpy()
    words = tested > 0  # others were only predicted
    recall, tested = np.diag(counts)[words] / tested[words], tested[words]
    repeats = scores["repeat"].nunique()
    folds = len(scores.drop_duplicates(["repeat", "fold"])) / repeats
    worth = tested / repeats / (1 + folds * share_of_test(scores["train"], scores["test"]))
    low, high = _recall_bounds(recall, worth, SURE / len(recall))  # one word of all is enough
    lowest, highest = _recall_bounds(recall, worth, SURE)  # every word has to be beyond
    agrees = None
    if (low > WELL).any() and (high < BADLY).any():
        agrees = True
    elif (highest < WELL).all() or (lowest > BADLY).all():
        agrees = False
    good, poor = (recall >= WELL).sum(), (recall < BADLY).sum()
    text = f"some words are recognised very well and others below one half ({good} and {poor}"
    return _verdict(agrees, f"{text} of {len(recall)}).")


def _recall_bounds(recall: Floats, worth: Floats, level: float) -> tuple[Floats, Floats]:
    """Lower and upper bounds of each recall; NaN, which excludes nothing, for those of 0 and 1."""
    seen, missed = worth * recall, worth * (1 - recall)
    low = np.asarray(stats.beta.ppf(level, seen, missed + 1))
    return low, np.asarray(stats.beta.ppf(1 - level, seen + 1, missed))


def beyond(study: Study, error: str = "none") -> str:
    """How IBGN-T, which the paper does not have, compares with the best of the paper's six."""
    robustness = study.robustness
    rate = float(robustness.scores.loc[robustness.scores["error"] == error, "rate"].max())
    best = _best(robustness, PAPERS, error, rate)
    gain = robustness.gain("IBGN-T", best, error, rate)
    what = f" at {rate:.0%} of {error} errors" if rate else ""
    return f"Beyond the paper{what}, IBGN-T minus {best}, the best of its six: {_shown(gain)}."


def best_of_ours(robustness: Robustness, error: str) -> str:
    """The most accurate of the IBGN family."""
    return _best(robustness, OURS, error)


def _ahead(
    robustness: Robustness,
    method: str,
    rival: str,
    text: str,
    error: str = "none",
    rate: float = 0.0,
) -> Verdict:
    """Whether a method is ahead; both were chosen by looking at the same folds."""
    gain = robustness.gain(method, rival, error, rate, among=PAPERS)
    agrees = gain.difference > 0 if gain.p_holm < SURE else None
    return _verdict(agrees, f"{text} ({method} minus {rival}: {_shown(gain)}).")


def _not_behind(robustness: Robustness, method: str, rival: str, text: str) -> Verdict:
    """Whether a method is surely not behind by more than a margin, or surely behind."""
    gain = robustness.gain(method, rival, among=PAPERS)
    to_margin = robustness.gain(method, rival, among=PAPERS, margin=MARGIN)
    alike = gain.difference == gain.error == 0  # in every fold
    agrees = None
    if gain.p_holm < SURE and gain.difference < 0:
        agrees = False
    elif alike or (to_margin.p_holm < SURE and gain.difference > -MARGIN):
        agrees = True
    return _verdict(agrees, f"{text} ({method} minus {rival}: {_shown(gain)}).")


def _shown(gain: Gain) -> str:
    return f"{gain.difference:+.3f} ± {gain.error:.3f}"


def _verdict(agrees: bool | None, text: str) -> Verdict:
    return {"agrees": None if agrees is None else bool(agrees), "text": text[0].upper() + text[1:]}


def _mean(robustness: Robustness, method: str, error: str = "none", rate: float = 0.0) -> float:
    scores = robustness.scores
    chosen = (scores["method"] == method) & (scores["error"] == error) & (scores["rate"] == rate)
    return float(scores.loc[chosen, "accuracy"].mean())


def _best(
    robustness: Robustness, names: Sequence[str], error: str = "none", rate: float = 0.0
) -> str:
    return max(names, key=lambda name: _mean(robustness, name, error, rate))
