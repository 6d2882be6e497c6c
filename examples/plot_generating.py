"""
New instances of an activity, and whether they are any good
===========================================================

A generative model can be asked for data: to see what it believes, to have more to train others on,
or to plan a study before recordings exist. Whether it may be trusted shows in a comparison of what
it generates with what it learned from.

This example draws new instances of one signed word and compares them with real ones: by length, by
the relations between intervals, and by whether a model that never saw this one's training data
takes them for the word. Times are *not* compared. The model knows which intervals overlap, but not
for how many seconds; end points of a sample are spread by the mean pace of the word.
"""  # noqa: D205, D400

# %%
# Two halves of the signers
# -------------------------
# One half teaches the model that generates, the other the one that judges.

import matplotlib.pyplot as plt
import numpy as np

from ibgn import IBGNClassifier, count_pairs, plot_timeline
from ibgn.allen import Relation
from ibgn.datasets import make_hand_signs

X, y, groups = make_hand_signs(instances_per_style=15, random_state=0)
first, second = groups <= "signer 08", groups > "signer 08"
generator = IBGNClassifier(draws=500, random_state=0).fit(X[first], y[first])
judge = IBGNClassifier(draws=500, random_state=1).fit(X[second], y[second])

# %%
# Drawing and judging
# -------------------
# The relations of a sample are always possible together, so every sample can be laid out in time.

word = "ketchup"
real = X[first & (y == word)]
sampled = generator.sample(200, word, random_state=0)
print(sampled[:3])
for name, instances in (("real", real), ("sampled", sampled)):
    taken = np.mean(judge.predict(instances) == word)
    print(f"{taken:.2f} of the {name} ones are taken for {word}")

# %%
# A model that does not sample well is easily caught. Put the actions of each sample in any order:
# they are as many and the same, but what the word is made of in time is lost.

rng = np.random.default_rng(0)
shuffled = []
for instance in sampled.to_lists():
    actions = rng.permutation([action for action, _, _ in instance])
    times = [(start, end) for _, start, end in instance]
    shuffled.append([(str(action), *time) for action, time in zip(actions, times, strict=True)])
print(f"{np.mean(judge.predict(shuffled) == word):.2f} of the shuffled ones are taken for {word}")

# %%
# Side by side
# ------------
# Above, a real instance and a sampled one. Below, how many intervals they have, and how often each
# relation holds between two of them.

fig, axes = plt.subplots(2, 2, figsize=(11, 7), layout="constrained", height_ratios=[3, 2])
for ax, name, instances in zip(axes[0], ("real", "sampled"), (real, sampled), strict=True):
    plot_timeline(instances[0], ax=ax)
    ax.set(title=f"{word}, {name}", xlabel="seconds")

lengths = np.arange(real.lengths.min(), sampled.lengths.max() + 1)
relations = [relation.label for relation in Relation]
for shift, name, instances in ((-0.2, "real", real), (0.2, "sampled", sampled)):
    share = [100 * np.mean(instances.lengths == length) for length in lengths]
    axes[1, 0].bar(lengths + shift, share, width=0.4, label=name)
    counts = np.array(list(count_pairs(instances).relations.values()))
    axes[1, 1].bar(np.arange(len(counts)) + shift, 100 * counts / counts.sum(), width=0.4)
axes[1, 0].set(xlabel="intervals", ylabel="per cent of instances", xticks=lengths)
axes[1, 0].legend(frameon=False)
axes[1, 1].set(ylabel="per cent of pairs")
axes[1, 1].set_xticks(range(len(relations)), relations, rotation=20)
for ax in axes[1]:
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
