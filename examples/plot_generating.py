"""
New instances of an activity, and whether they are any good
===========================================================

A generative model can make data: to see what it has learned, to train other models on, or to plan a
study before recordings exist. To decide whether to trust it, compare what it generates with what it
learned from.

This example draws new instances of one activity and compares them with real ones: by length, by
the relations between intervals, and by whether a model of other people recognises them as the
activity. It also shows the effect of ``smoothing``: it helps to recognise what was never seen, but
puts relations into the samples that never occur.

The models here know actions and relations only, so times are *not* compared: end points of a
sample are spread by the mean pace of the activity. With all terms, the default, times follow
learned durations and gaps.
"""  # noqa: D205, D400

# %%
# Two halves of the people
# ------------------------
# Three activities of the same two actions, composed in three ways: together, in turn, or one during
# the other. The models that generate learn from one half of the people, the model that judges from
# the other half.

import warnings

import matplotlib.pyplot as plt
import numpy as np

from ibgn import IBGNClassifier, IntervalSequences, count_pairs, plot_timeline
from ibgn.allen import Relation
from ibgn.datasets import make_composable
from ibgn.errors import DataWarning

X, y, subjects = make_composable(instances=1000, random_state=0)
same_actions = np.array([name.startswith("clap and gesticulate") for name in y])
y, subjects = y[same_actions], subjects[same_actions]
X = IntervalSequences.from_lists(X[same_actions].to_lists())  # with only these actions
first, second = subjects <= "subject 07", subjects > "subject 07"
plain = {"terms": ("actions", "relations"), "weights": "equal", "copy_weight": 0.0}
default = IBGNClassifier(**plain, random_state=0).fit(X[first], y[first])
sharp = IBGNClassifier(smoothing=0.02, **plain, random_state=0).fit(X[first], y[first])
judge = IBGNClassifier(**plain, random_state=1).fit(X[second], y[second])

# %%
# Drawing
# -------
# The relations of a sample are always possible together, so every sample can be laid out in time.
# As a control, the actions of each sample are also shuffled: they stay the same, but the relations
# between them are lost.


def shuffle_actions(X, rng):
    """The same intervals with their actions shuffled."""
    shuffled = []
    for instance in X.to_lists():
        actions = rng.permutation([action for action, _, _ in instance]).tolist()
        times = [(start, end) for _, start, end in instance]
        shuffled.append([(a, *span) for a, span in zip(actions, times, strict=True)])
    return shuffled


activity = "clap and gesticulate, together"
real = X[first & (y == activity)]
sampled = sharp.sample(200, activity, random_state=0)
smoothed = default.sample(200, activity, random_state=0)
print(sampled[:3])

# %%
# Judging
# -------
# The share that the model of the other people recognises as the activity. Guessing gives a third.
# A model warns of times on another scale than in training. This one does not look at times.

warnings.filterwarnings("ignore", "intervals of", DataWarning)
shuffled = shuffle_actions(sampled, np.random.default_rng(0))
for name, instances in {
    "real": real,
    "sampled, smoothing=0.02": sampled,
    "sampled, smoothing=1": smoothed,
    "sampled, then shuffled": shuffled,
}.items():
    print(f"{name:24} {np.mean(judge.predict(instances) == activity):.2f}")

# %%
# Side by side
# ------------
# Above, a real instance and a sampled one. Below, how many intervals they have, and how often each
# relation holds between two of them. Starts, finished-by and equals never occur among the real
# ones: that is what smoothing adds, at the cost of contains. Lengths are drawn from those of the
# real ones, so they agree by construction.

fig, axes = plt.subplots(2, 2, figsize=(9.5, 6.5), layout="constrained")
for ax, name, instances in zip(axes[0], ("real", "sampled"), (real, sampled), strict=True):
    typical = np.argmin(abs(instances.lengths - np.median(real.lengths)))
    plot_timeline(instances[typical], ax=ax)
    ax.set(title=f"{activity}: {name}", xlabel="seconds")

lengths = np.arange(real.lengths.min(), real.lengths.max() + 1)
labels = [relation.label for relation in Relation]
bars = {"real": real, "sampled, smoothing=0.02": sampled, "sampled, smoothing=1": smoothed}
colours = ("#666666", "#0072B2", "#8DC4E8")
for place, ((name, instances), colour) in enumerate(zip(bars.items(), colours, strict=True)):
    shift = 0.27 * (place - 1)
    share = [100 * np.mean(instances.lengths == length) for length in lengths]
    axes[1, 0].bar(lengths + shift, share, width=0.27, color=colour)
    counts = np.array(list(count_pairs(instances).relations.values()))
    share = 100 * counts / counts.sum()
    axes[1, 1].bar(np.arange(len(counts)) + shift, share, width=0.27, color=colour, label=name)
axes[1, 0].set(xlabel="intervals of an instance", ylabel="per cent of instances", xticks=lengths)
axes[1, 1].set(ylabel="per cent of pairs")
axes[1, 1].set_xticks(range(len(labels)), labels, rotation=30)
axes[1, 1].legend(frameon=False)
for ax in axes[1]:
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
