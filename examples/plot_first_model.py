"""
A first model, from data to what it learned
===========================================

An activity is made of actions that last and overlap. Here the activities are words of sign
language, the actions are fingers that are straight or bent, and the question is which word was
signed. The recordings are simulated: 19 words by 16 signers.

The example learns a model of each word from twelve signers, and tests it on the other four, which
it has never seen. Then it looks inside: what one word is made of, and which of its relations in
time depend on the actions.
"""  # noqa: D205, D400

# %%
# The data
# --------
# ``X`` holds all instances. An integer, a slice or a mask chooses among them, so train and test
# sets are made as with NumPy arrays. ``groups`` says who signed.

import matplotlib.pyplot as plt

from ibgn import IBGNClassifier, plot_structure, plot_tables, plot_timeline
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
# The default links every pair of intervals of an instance. ``structure="learned"`` keeps only
# the useful links. That model is simpler to look at, but less accurate with few instances.

model = IBGNClassifier(draws=300, random_state=0).fit(X[train], y[train])
sparse = IBGNClassifier("learned", draws=300, random_state=0).fit(X[train], y[train])

print(f"every pair linked: {model.score(X[test], y[test]):.2f} recognised")
print(f"learned links:     {sparse.score(X[test], y[test]):.2f} recognised")
print(f"guessing:          {1 / len(model.classes_):.2f}")

# %%
# What a word is made of
# ----------------------
# Each table is a mix of actions, a phase or a style of the word, with its share of all intervals.
# ``model.activities_[word]["tables"].describe()`` has the same numbers as a data frame.

print(model.activities_[word])
plot_tables(model.activities_[word])

# %%
# Which relations matter
# ----------------------
# A filled cell is a link: the relation of these two intervals in time depends on their actions. The
# darker the cell, the surer the link.

plot_structure(sparse.activities_[word])
plt.show()
