"""
Event logs: a workshop and a home
=================================

You have a log: one line when something starts, one when it ends. A process has cases (XES), a home
has sensors that switch on and off (CASAS and the like). Both become intervals: the time between
the two lines.

The logs here are those of a repair shop and of a home. Put the path of your own in the place of
``sample_path("xes")`` and ``sample_path("casas")``.
"""  # noqa: D205, D400

# %%
# A process: cases and their outcome
# ----------------------------------
# A trace is an instance. Activities of the process are our actions: from the event "start" to the
# event "complete". What is to be recognised is the attribute *outcome* of a case, and the attribute
# *clerk* says who handled it.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict

import ibgn
from ibgn.datasets import sample_path

cases, outcome = ibgn.read(
    sample_path("xes"), activity="attribute:outcome", group="attribute:clerk"
)
print(cases)

# %%
# Can a model of one clerk's cases predict how the other clerk's cases end?

model = ibgn.IBGNClassifier(random_state=0)
predicted = cross_val_predict(model, cases, outcome, groups=cases.groups, cv=LeaveOneGroupOut())
print(f"{(predicted == outcome).mean():.0%} of {len(cases)} outcomes are recognised")

# %%
# Before a case is closed
# -----------------------
# Usually the question comes earlier: how will this case end, given what has happened so far? Cut
# every case of a clerk after some hours, and let a model of the other clerk's cases judge what is
# left.


def until(cases, seconds):
    """What has happened in each case so far."""
    return ibgn.IntervalSequences.from_lists(
        [(action, start, min(end, seconds)) for action, start, end in case if start < seconds]
        for case in cases.to_lists()
    )


hours = [0.5, 1, 1.5, 2, 3]
right = np.zeros(len(hours))
for clerk in ("anna", "boris"):
    new = cases.groups == clerk
    model.fit(cases[~new], outcome[~new])
    right += [(model.predict(until(cases[new], 3600 * h)) == outcome[new]).sum() for h in hours]
shares = right / len(cases)
for hour, share in zip(hours, shares, strict=True):
    print(f"after {hour} h: {share:.0%} recognised")

# %%
# A home: sensors and activities
# ------------------------------
# Each line of the log is a date, a time, a sensor and its state; some begin or end an activity.
# ``activity="track:activity"`` makes an instance of each activity. A sensor that never switches off
# would be an error here, and ``unpaired=`` says what to do about it.

rooms, activity = ibgn.read(sample_path("casas"), activity="track:activity")
print(rooms)
judged = cross_val_predict(ibgn.IBGNClassifier(random_state=0), rooms, activity, cv=5)
print(f"{(judged == activity).mean():.0%} of {len(rooms)} activities are recognised")

# %%
# Which activities are confused? Rows are the true activities, columns the recognised ones.

counts = pd.crosstab(activity, judged)
ibgn.plot_confusion(counts)

# %%
# The same in a shell:
#
# .. code-block:: console
#
#    ibgn inspect repairs.xes -O activity=attribute:outcome
#    ibgn evaluate home.txt -O activity=track:activity
#
# The figure shows how soon the outcome of a case is known.

fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.plot(hours, shares, marker="o", color="#0072B2")
ax.axhline(1 / 3, color="gray", linestyle="--", linewidth=1)
ax.annotate("guessing", (hours[-1], 1 / 3), ha="right", va="bottom", color="gray")
ax.set(xlabel="hours since the case was opened", ylabel="recognised", ylim=(0, 1.05))
ax.spines[["top", "right"]].set_visible(False)
plt.show()
