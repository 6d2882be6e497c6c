"""
How much error a model survives
===============================

Models learn from careful annotations, but are used on what a detector finds in a video or in sensor
data. Detectors lose actions, mistake them for others, and place their ends too early or too late.
Before you choose a method, find out which one copes best.

This example learns from clean recordings and adds errors to the test data: ``Misdetection`` loses
intervals or mistakes them for others, ``DurationNoise`` moves their ends.
Everything is repeated with other signers and other errors, so that the curves have error bars.

A model of relations has a weak spot: equal instants are no longer equal when ends move even
slightly. A ``tolerance`` fixes some of that, so every method is tested with and without one. Its
size suits these signs; ``plot_grid_search.py`` shows how to choose one without looking at the test
set.
"""  # noqa: D205, D400

# %%
# What is repeated
# ----------------
# Each repetition holds out other signers. A method learns once, and is tested at all rates. The
# tolerance is a step of a pipeline: end points closer than that become one instant, in training and
# in recognition.

import warnings

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from ibgn import DataWarning, DBNClassifier, IBGNClassifier, IntervalSequences
from ibgn.datasets import make_hand_signs
from ibgn.noise import DurationNoise, Misdetection

# Few draws are enough here: more of them would not change a curve by more than its error.
warnings.filterwarnings("ignore", category=ConvergenceWarning)
# Noise makes some intervals shorter than the tolerance. They are dropped, as intended.
warnings.filterwarnings("ignore", message=".*zero", category=DataWarning)


def merge_instants(X):
    """Merge end points closer than an eighth of a second into one instant."""
    return IntervalSequences.from_lists(X.to_lists(), tolerance=0.125, zero_length="drop")


X, y, groups = make_hand_signs(instances_per_style=10, random_state=0)
ibgn = IBGNClassifier(draws=100, budget=600, random_state=0)
METHODS = {
    "IBGN": ibgn,
    "IBGN with tolerance": make_pipeline(FunctionTransformer(merge_instants), clone(ibgn)),
    "DBN": DBNClassifier(),
    "DBN with tolerance": make_pipeline(FunctionTransformer(merge_instants), DBNClassifier()),
}
NOISES = {
    "intervals lost or mistaken": (Misdetection, [0, 0.05, 0.1, 0.2, 0.4]),
    "ends moved, as a share of the duration": (DurationNoise, [0, 0.05, 0.1, 0.2, 0.4]),
}
REPETITIONS = 4

# %%
# Learning from clean data, recognising noisy ones
# ------------------------------------------------
# Noise is a transformer: fitted to the training set, it knows which actions there are.

results = []
splits = GroupShuffleSplit(REPETITIONS, test_size=0.25, random_state=0).split(X, y, groups)
for seed, (train, test) in enumerate(splits):
    models = {name: method.fit(X[train], y[train]) for name, method in METHODS.items()}
    for what, (noise, rates) in NOISES.items():
        for rate in rates:
            noisy = noise(rate, random_state=seed).fit(X[train]).transform(X[test])
            for name, model in models.items():
                results.append((what, rate, name, model.score(noisy, y[test])))
table = pd.DataFrame(results, columns=["noise", "rate", "method", "accuracy"])

# %%
# Mean and standard error
# -----------------------

by_rate = table.groupby(["noise", "method", "rate"])["accuracy"].agg(["mean", "sem"])
print(table.pivot_table("accuracy", ["noise", "method"], "rate").round(2).to_string())

fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
for ax, (what, (_, rates)) in zip(axes, NOISES.items(), strict=True):
    for name, style in zip(METHODS, ("o--", "o-", "s--", "s-"), strict=True):
        curve, colour = by_rate.loc[what, name], "#0072B2" if "IBGN" in name else "#D55E00"
        ax.errorbar(rates, curve["mean"], curve["sem"], fmt=style, color=colour, label=name)
    ax.axhline(1 / len(set(y)), color="0.6", linewidth=1, linestyle=":")
    ax.set(xlabel=what, ylim=(0, 1))
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("accuracy on unseen signers")
axes[0].annotate("guessing", (0.4, 1 / len(set(y))), color="0.4", ha="right", va="bottom")
axes[1].legend(frameon=False)
plt.show()
