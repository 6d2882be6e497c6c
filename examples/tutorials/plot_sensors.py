"""
Sensors: from acceleration to activities
========================================

You have sensors on a body and labels for some recordings: what the hand does from frame to frame,
and what all of it amounts to. You want both from recordings without labels.

That takes two steps. A *detector* turns numbers into intervals of actions; a *classifier*
recognises the activity from these. The recordings here are four CSV files, one per person: the
acceleration of a wrist ten times a second, with the columns *action* and *activity*. Put your own
folder in the place of ``sample_path("sensors")``.
"""  # noqa: D205, D400

# %%
# Reading
# -------
# ``tracks`` names the columns of labels; all others but the time are channels.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import accuracy_score

import ibgn
from ibgn.datasets import sample_path
from ibgn.detection import ActionDetector, label_instances

recordings = ibgn.io.read_sensors(
    sample_path("sensors"), tracks=["action", "activity"], group="file"
)
for recording in recordings:
    print(recording)

# %%
# Intervals from labels
# ---------------------
# Labels given by people become intervals without a detector. Each continuous stretch of an activity
# is an instance. The classifier learns from these.

X, y = label_instances(recordings, "activity", tracks=["action"], action="value")
print(X)

# %%
# A detector
# ----------
# Three people are known, dora is new. The detector learns what the wrist does from windows of a
# second, and detects it in her recording. An interval counts as detected if it shares at least half
# of its time with a true one.

detector = ActionDetector("rbf", tracks=["action"], action="value", random_state=0)
known = [recording for recording in recordings if recording.group != "dora"]
new = [recording for recording in recordings if recording.group == "dora"]
detected, _ = detector.fit(known).detect_instances(new, "activity")
labelled = X[X.groups == "dora"]
scores = ibgn.metrics.interval_scores(labelled, detected)
print(f"precision {scores.precision:.2f}, recall {scores.recall:.2f}")

# %%
# From detected intervals to activities
# -------------------------------------
# The classifier learns from the intervals that people labelled, and judges those that were
# detected. Each person is new in turn.

truth, by_labels, by_detector = [], [], []
for person in np.unique(X.groups):
    known = [recording for recording in recordings if recording.group != person]
    new = [recording for recording in recordings if recording.group == person]
    model = ibgn.IBGNClassifier(random_state=0).fit(X[X.groups != person], y[X.groups != person])
    found, activities = detector.fit(known).detect_instances(new, "activity")
    truth += activities.tolist()
    by_labels += model.predict(X[X.groups == person]).tolist()
    by_detector += model.predict(found).tolist()
print(f"{accuracy_score(truth, by_labels):.0%} of {len(y)} activities recognised from labels")
print(f"{accuracy_score(truth, by_detector):.0%} recognised from what was detected")

# %%
# The mistakes of the detector cost some activities. Where they cost more, let it say how
# sure it is of each interval: ``ActionDetector(..., soft=True)``.
#
# The same in a shell:
#
# .. code-block:: console
#
#    ibgn detect labelled/ new/ --label action --activity activity -o intervals.csv
#    ibgn inspect intervals.csv
#
# The figure shows the labels and the detected intervals of the first activity in the new recording.

fig, (above, below) = plt.subplots(2, 1, figsize=(9, 4.5), sharex=True, layout="constrained")
ibgn.plot_timeline(labelled[0], ax=above)
above.set(title="labelled", xlabel="")
ibgn.plot_timeline(detected[0], ax=below)
below.set(title="detected", xlabel="seconds")
plt.show()
