"""
Why people must be kept apart
=============================

Everybody has habits: a tempo, a favourite way of doing things. If instances of one person are both
in the training set and in the test set, a model is rewarded for knowing this person. The resulting
accuracy only holds for people who were recorded before.

This example compares plain stratified folds with folds that leave out one signer at a time. In
the simulated signs, each signer has a tempo, and a preference if a word can be signed in two
styles.
"""  # noqa: D205, D400

# %%
# One study, two ways to split it
# -------------------------------
# Four signers and five words with two styles each. ``LeaveOneGroupOut`` needs ``groups``, which
# every reader takes from the column "group", and every simulation returns.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold, cross_val_score

from ibgn import DBNClassifier, IBGNClassifier
from ibgn.datasets import make_hand_signs

# Few draws are enough to compare splits; both use the same.
warnings.filterwarnings("ignore", category=ConvergenceWarning)


def simulate_study(seed):
    """Signs of four people, of the words that have two styles."""
    X, y, groups = make_hand_signs(instances_per_style=15, n_signers=4, random_state=seed)
    chosen = np.isin(y, ["air", "gallon", "ketchup", "lady", "teaspoon"])
    return X[chosen], y[chosen], groups[chosen]


def evaluate(method, X, y, groups):
    """Accuracy in each fold, with people mixed and with people apart."""
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    mixed = cross_val_score(method, X, y, cv=folds)
    apart = cross_val_score(method, X, y, groups=groups, cv=LeaveOneGroupOut())
    return mixed, apart


mixed, apart = evaluate(DBNClassifier(), *simulate_study(0))
print("people mixed:", *mixed.round(2), "mean", mixed.mean().round(2))
print("people apart:", *apart.round(2), "mean", apart.mean().round(2))

# %%
# Many studies
# ------------
# In a single study of four people, chance may hide the difference. So simulate several, each with
# other people, and evaluate each both ways.

METHODS = {
    "DBN, sees durations": (DBNClassifier(), 12),
    "DBN without durations": (DBNClassifier(n_bins=1), 12),
    "IBGN, sees relations": (IBGNClassifier(draws=50, budget=300, random_state=0), 4),
}
accuracy = {}
for name, (method, studies) in METHODS.items():
    folds = [evaluate(method, *simulate_study(seed)) for seed in range(studies)]
    accuracy[name] = np.mean(folds, axis=2)  # (studies, 2): mixed, apart
    gap = accuracy[name][:, 0] - accuracy[name][:, 1]
    error = gap.std(ddof=1) / np.sqrt(studies)
    print(f"{name}: people mixed look better by {gap.mean():.3f} ± {error:.3f}")

# %%
# What to report
# --------------
# Each line is a study. Plain folds promise more than a new person gets. The gap is widest for a
# method that sees how long things take, and so learns the tempo of a person; without durations
# little of it is left. You cannot know beforehand which method has such a gap: keep people apart.
# With many people, ``GroupKFold`` or ``StratifiedGroupKFold`` make fewer and larger folds than
# ``LeaveOneGroupOut``.

fig, axes = plt.subplots(1, 3, figsize=(10, 4), layout="constrained", sharey=True)
for ax, (name, scores) in zip(axes, accuracy.items(), strict=True):
    ax.plot(scores.T, "o-", color="0.75", markersize=4, linewidth=1)
    ax.plot(scores.mean(axis=0), "o-", color="#0072B2", markersize=8, linewidth=3, label="mean")
    ax.set_xticks([0, 1], ["people mixed", "people apart"])
    ax.set(title=name, xlim=(-0.3, 1.3))
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("accuracy in cross-validation")
axes[0].legend(frameon=False)
plt.show()
