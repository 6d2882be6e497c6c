"""
A tour: from a file to a result
===============================

Everything in ten minutes: read a file, look for mistakes, test on people the model has not seen,
learn, ask why, draw new instances, save the model.

The file has one row per interval: 27 takes of three people who make tea, coffee and sandwiches.
"""  # noqa: D205, D400

# %%
# Read and look
# -------------
# Every reader returns ``X, y``: the instances, and one label for each.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import ibgn
from ibgn.datasets import sample_path
from ibgn.evaluation.evaluate import evaluate
from ibgn.evaluation.folds import make_folds
from ibgn.features import IntervalFeatures

X, y = ibgn.read(sample_path("csv"))
X

# %%
# ``inspect`` counts, and warns about possible mistakes, such as inclusive ends. Here are none.

found = ibgn.inspect(X, y)
print("instances of each activity:", found.instances_per_activity)
print("warnings:", found.warnings)

# %%
# A timeline shows an instance.

ibgn.plot_timeline(X[0])

# %%
# Test on people who are new
# --------------------------
# Each person is left out in turn, and the methods learn from the other two. ``make_folds`` sees
# that there are groups. The second method is one of scikit-learn's on features of the instances.

methods = {
    "IBGN": ibgn.IBGNClassifier(),
    "logistic regression": make_pipeline(IntervalFeatures(), LogisticRegression(max_iter=1000)),
}
evaluation = evaluate(X, y, methods, make_folds(X, y))
print(evaluation.summary()[["method", "accuracy", "accuracy_error"]].round(3))
ibgn.plot_confusion(evaluation.confusion("IBGN"))

# %%
# Learn, and ask why
# ------------------
# What speaks for tea in the first take in which tea was made?

model = ibgn.IBGNClassifier(random_state=0).fit(X, y)
take = X[y == "tea"][0]
why = model.explain(take, activity="tea")
for reason in why.reasons(3):
    print("-", reason.text)

# %%
# Draw new instances
# ------------------
# The model is generative: it can produce new performances of a task.

new = model.sample(2, activity="tea", random_state=0)
print(new)

# %%
# Keep the model
# --------------
# A model file holds no code; whoever loads it runs nothing of yours.

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "kitchen.ibgn"
    model.save(path)
    again = ibgn.load(path)
    print(again.predict(X[:3]), f"{path.stat().st_size / 1000:.0f} kB")

# %%
# A real take above, a drawn one below.

fig, (above, below) = plt.subplots(2, 1, figsize=(9, 5), layout="constrained")
ibgn.plot_timeline(X[y == "tea"][0], ax=above)
above.set(title="tea, as recorded", xlabel="")
ibgn.plot_timeline(new[0], ax=below)
below.set(title="tea, as drawn from the model", xlabel="seconds")
plt.show()
