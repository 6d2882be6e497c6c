"""
A first model, from data to what it learned
===========================================

An activity is made of actions that last and overlap. Here the activities are words of sign
language, the actions are fingers that are straight or bent, and the question is which word was
signed. The recordings are simulated: 19 words by 16 signers.

The example learns a model of each word from twelve signers, and tests it on the other four, which
it has never seen. Then it looks inside: how much each side of a word says, and what one word is
made of.
"""  # noqa: D205, D400

# %%
# The data
# --------
# ``X`` holds all instances. An integer, a slice or a mask chooses among them, so train and test
# sets are made as with NumPy arrays. ``groups`` says who signed.

import matplotlib.pyplot as plt

from ibgn import IBGNClassifier, plot_term, plot_timeline, plot_weights
from ibgn.datasets import make_hand_signs

X, y, groups = make_hand_signs(instances_per_style=15, random_state=0)
train, test = groups <= "signer 12", groups > "signer 12"
print(f"{train.sum()} instances to learn from, {test.sum()} of other signers to test on")
print(X[:2])

word = "ketchup"
plot_timeline(X[y == word][0])

# %%
# Learning and recognising
# ------------------------
# A model of a word is a set of terms: relations of its intervals, durations, order and more. With
# two of them alone it recognises less.

model = IBGNClassifier(random_state=0).fit(X[train], y[train])
two = IBGNClassifier(terms=("order", "relations"), random_state=0).fit(X[train], y[train])

print(f"all terms:           {model.score(X[test], y[test]):.2f} recognised")
print(f"order and relations: {two.score(X[test], y[test]):.2f} recognised")
print(f"guessing:            {1 / len(model.classes_):.2f}")

# %%
# How much each term says
# -----------------------
# Weights are learned: those under which held-out instances are recognised best. The figure also
# shows how far each term sets the words apart.

print(model.describe_weights(X[test]))
plot_weights(model, X[test])

# %%
# What a word is made of
# ----------------------
# Every term has a figure, and ``model.activities_[word]["occupancy"].describe()`` has its numbers
# as a data frame.

plot_term(model, "occupancy", word)
plot_term(model, "relations", word)
plt.show()
