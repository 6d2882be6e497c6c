"""
Behaviour coded in BORIS
========================

You have coded the behaviour of animals in BORIS and exported the events as a table. You want to
know whether the context of an observation shows in how behaviours follow and overlap, and in
which.

The table here holds 30 meetings of two dogs in two parks. The independent variable *context* says
how an observer judged each meeting: play, greeting or dispute. Put the path of your own export in
the place of ``sample_path("boris")``; projects (``.boris``) work alike.
"""  # noqa: D205, D400

# %%
# States and points
# -----------------
# BORIS knows states, which last, and points, which do not. Relations in time hold between
# intervals, so choose what happens to points: they are either left out and counted, or kept as
# short intervals. A bark takes about a third of a second.
#
# Subjects matter: that Rex chases and Bella flees is not the same as the reverse. With
# ``action="both"`` an action is a subject and a behaviour.

import matplotlib.pyplot as plt
from sklearn.model_selection import cross_val_predict

import ibgn
from ibgn.datasets import sample_path

X, y = ibgn.read(
    sample_path("boris"),
    activity="variable:context",
    group="variable:park",
    action="both",
    points="keep",
    min_duration=0.3,
)
print(X)

# %%
# Is it possible at all?
# ----------------------
# Cross-validation answers honestly: every meeting is judged by a model that has not seen it.
# Guessing would be right in a third of the meetings.

model = ibgn.IBGNClassifier(random_state=0)
judged = cross_val_predict(model, X, y, cv=5)
print(f"{(judged == y).mean():.0%} of {len(y)} meetings are recognised")
for name, truth, guess in zip(X.ids, y, judged, strict=True):
    if truth != guess:
        print(f"{name} was judged a {truth}, and looks like a {guess}")

# %%
# What sets the contexts apart
# ----------------------------
# A model of each context consists of terms: which behaviours occur, in which order, how they relate
# in time, and how long they last. The weights say how informative each term is.

model.fit(X, y)
print(model.describe_weights(X).round(2))

# %%
# The pairs of behaviours whose relation in time is most typical of play, with how often it occurs:

ibgn.plot_term(model, "relations", "play")

# %%
# One meeting
# -----------
# ``explain`` takes an instance and says what speaks for its context, and what against.

meeting = X[y == "dispute"][0]
why = model.explain(meeting)
print(why)

# %%
# The same in a shell:
#
# .. code-block:: console
#
#    ibgn inspect dogs.csv
#    ibgn evaluate dogs.csv -O activity=variable:context -O action=both -O points=drop
#
# One meeting of each context:

fig, axes = plt.subplots(3, 1, figsize=(9, 8), layout="constrained")
for ax, context in zip(axes, model.classes_, strict=True):
    ibgn.plot_timeline(X[y == context][0], ax=ax)
    ax.set(title=context, xlabel="seconds" if ax is axes[-1] else "")
plt.show()
