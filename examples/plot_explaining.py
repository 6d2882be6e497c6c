"""
Why this word and not that one
==============================

A label alone is not convincing. Every model here also says which intervals, and which relations
between them, spoke for one activity and against another. The parts add up exactly to the log odds
of the two, so no approximation hides anything.

What a model can say depends on what it sees. This example explains one signed word twice: by an
``IBGNClassifier`` that only sees actions and how their intervals relate in time, and by
``DBNClassifier``, which sees the order of actions and how long they last.
"""  # noqa: D205, D400

# %%
# Two models of the same words
# ----------------------------

import matplotlib.pyplot as plt
import numpy as np

from ibgn import DBNClassifier, IBGNClassifier, plot_explanation
from ibgn.datasets import make_hand_signs

X, y, groups = make_hand_signs(instances_per_style=15, random_state=0)
train, test = groups <= "signer 12", groups > "signer 12"
relational = IBGNClassifier(terms=("actions", "relations"), weights="equal", random_state=0)
relational.fit(X[train], y[train])
durational = DBNClassifier().fit(X[train], y[train])

# %%
# An instance on which they disagree
# ----------------------------------
# Among the signs of unseen signers that the first model gets right and the second one does not,
# take the one that the first is surest of. By default an explanation compares the two likeliest
# activities; ``activity`` and ``against`` choose others.

truth = y[test]
right, mistaken = relational.predict(X[test]), durational.predict(X[test])
disagree = (right == truth) & (mistaken != truth)
print(f"{disagree.sum()} of {len(truth)} signs are right by relations only,", end=" ")
print(f"{((right != truth) & (mistaken == truth)).sum()} by durations only")

surest = relational.predict_proba(X[test]).max(axis=1)
chosen = np.argmax(np.where(disagree, surest, 0))
sign, word, other = X[test][chosen], truth[chosen], mistaken[chosen]
by_relations = relational.explain(sign, activity=word, against=other)
by_durations = durational.explain(sign, activity=word, against=other)
print(by_relations)
print(by_durations)

# %%
# As a data frame
# ---------------
# One row per contribution, the weightiest first. Positive numbers speak for the word.

frame = by_relations.frame()
print(frame.head(8)[["term", "action", "relation", "other", "contribution"]].round(2).to_string())
print(f"all {len(frame)} add up to {frame['contribution'].sum():.3f}")
print(by_durations.frame().head(4)[["action", "contribution"]].round(2).to_string())

# %%
# As a figure
# -----------
# The strongest reasons in words, a bar for each term, and the intervals: blue speaks for the word,
# orange against it. In the first figure, lines join the intervals whose relation mattered. In the
# second there are none: the other model only sees durations and order.

for explanation in (by_relations, by_durations):
    plot_explanation(explanation, most_links=6)
plt.show()
