"""
Annotations in ELAN
===================

You have annotated videos in ELAN: tiers for what the hands do, and a tier that says which task was
being done. You want to know which task an unnamed stretch of another recording is, why, and see the
answer in ELAN beside the video.

The recordings here are four ``.eaf`` files, one per person, with the tiers *right hand*, *left
hand* and *task*. Put the path of your own folder in the place of ``sample_path("elan")``.
"""  # noqa: D205, D400

# %%
# What is in the files
# --------------------
# A folder stands for all its files. Before anything is decided, look at what was annotated: with
# ``action="both"``, an action is the tier and the value of an annotation.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import ibgn
from ibgn.datasets import sample_path

folder = sample_path("elan")
print(*sorted(path.name for path in folder.iterdir()))

whole, _ = ibgn.read(folder, action="both")
print(whole)

# %%
# Tiers to instances
# ------------------
# ``tracks`` names the tiers of actions, ``activity`` the tier that cuts recordings into instances:
# every annotation of the tier *task* becomes one, with its value as the label. ``group="file"``
# makes each file a group, as everything in a file is done by one person.

options = {"tracks": ["left hand", "right hand"], "activity": "track:task"}
X, y = ibgn.read(folder, group="file", **options)
print(X)

# %%
# ``inspect`` counts everything, and warns about possible mistakes. There are none here.

found = ibgn.inspect(X, y)
print("instances of each task:", found.instances_per_activity)
print("warnings:", found.warnings)

# %%
# Learn from three people, recognise the fourth
# ---------------------------------------------
# A model that is tested on people it has learned from looks better than it is. So dora is left out
# when learning.

known = X.groups != "dora"
model = ibgn.IBGNClassifier(random_state=0).fit(X[known], y[known])
dora, truth = X[~known], y[~known]
predicted = model.predict(dora)
surest = model.predict_proba(dora).max(axis=1)
for name, label, sure, right in zip(dora.ids, predicted, surest, truth, strict=True):
    print(f"{name}: {label} ({sure:.0%}){'' if label == right else f', but it was {right}'}")

# %%
# Why?
# ----
# Every answer has reasons: actions, durations and relations in time that speak for one task and
# against another.

why = model.explain(dora[0])
for reason in why.reasons(3):
    print("-", reason.text)
ibgn.plot_explanation(why)

# %%
# Back to ELAN
# ------------
# ``add_predictions`` writes a copy of the file with one more tier, *predicted*. Everything else in
# it stays as it is, so you can open the copy in ELAN and compare. The tier *task* shows how long
# each task lasts.

with tempfile.TemporaryDirectory() as results:
    copy = Path(results) / "dora.eaf"
    ibgn.io.add_predictions(folder / "dora.eaf", copy, dora, predicted, activity="track:task")
    seen, _ = ibgn.read(copy, tracks=["task", "predicted"], action="both")
for annotation, start, end in seen.to_lists()[0][:4]:
    print(f"{start:6.2f} to {end:6.2f} s  {annotation}")

# %%
# The same in a shell:
#
# .. code-block:: console
#
#    ibgn inspect recordings/
#    ibgn fit recordings/ -O activity=track:task -o tasks.ibgn
#    ibgn predict tasks.ibgn new.eaf --into new.eaf -o seen.eaf
#
# The figure shows one instance of each task.

fig, axes = plt.subplots(3, 1, figsize=(9, 7), layout="constrained")
for ax, task in zip(axes, model.classes_, strict=True):
    ibgn.plot_timeline(dora[truth == task][0], ax=ax)
    ax.set(title=task, xlabel="seconds into the recording" if ax is axes[-1] else "")
plt.show()
