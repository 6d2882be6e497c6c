"""
Your own data, and two mistakes to look for
===========================================

Recordings often come as a data frame with one row per interval, but rarely with the column names
that a library expects. This example reads a pandas frame with other names. Then it looks for two
mistakes that are hard to see in the rows, but that change the relations between intervals, and the
model learns from nothing else:

- *inclusive* ends: frames 3 to 7, then 8 to 12. Read as they are, there is a gap between the two,
  and nothing ever *meets*;
- *clicks*: an annotator marks one instant twice, some hundredths of a second apart. Read as they
  are, nothing ever happens at the same time.

``inspect`` warns about both, and says how to read the frame instead.
"""  # noqa: D205, D400

# %%
# A frame with its own column names
# ---------------------------------
# Two people make tea and coffee. Times are frame numbers, and the last frame of an action is part
# of it.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ibgn import count_pairs, inspect, plot_timeline, read_table

rng = np.random.default_rng(0)
rows = []
for take in range(20):
    boil, pour, stir = rng.integers(20, 60, 3)
    task, person = ("tea", "coffee")[take % 2], ("ann", "bob")[take // 10]
    first = {"tea": "boil", "coffee": "grind"}[task]
    rows += [
        (take, task, person, first, 0, boil - 1),
        (take, task, person, "pour", boil, boil + pour - 1),
        (take, task, person, "hold cup", boil, boil + pour + stir - 1),
        (take, task, person, "stir", boil + pour, boil + pour + stir - 1),
    ]
frames = pd.DataFrame(rows, columns=["take", "task", "person", "behaviour", "onset", "offset"])
print(frames.head(4).to_string(index=False))

names = {
    "instance": "take",
    "label": "task",
    "group": "person",
    "action": "behaviour",
    "start": "onset",
    "end": "offset",
}
as_they_stand, y = read_table(frames, columns=names)
for warning in inspect(as_they_stand, y).warnings:
    print("warning:", warning)

# %%
# Inclusive ends
# --------------
# Both warnings have the same cause, which the first one names: an action that ends in frame 53 is
# followed by one that starts in frame 54. ``closed="both"`` says that the last frame is part of the
# interval. Then there are no more warnings.

X, y = read_table(frames, columns=names, closed="both")
print(X)
print("warnings:", inspect(X, y).warnings)

# %%
# Clicks
# ------
# The same takes in seconds, by an annotator who is up to a fiftieth of a second early or late.
# ``inspect`` proposes a tolerance: end points closer than that are one instant.

clicks = frames.copy()
clicks["onset"] = frames["onset"] / 25 + rng.uniform(-0.02, 0.02, len(frames))
clicks["offset"] = (frames["offset"] + 1) / 25 + rng.uniform(-0.02, 0.02, len(frames))

clicked, y = read_table(clicks, columns=names)
for warning in inspect(clicked, y).warnings:
    print("warning:", warning)

merged, y = read_table(clicks, columns=names, tolerance=0.15)
print("warnings:", inspect(merged, y).warnings)

# %%
# What it changes
# ---------------
# Read correctly, both frames tell the same story: pouring starts when boiling ends, and the cup is
# held from the first drop to the last turn of the spoon. Read as they are, they tell another.


def share_of_relations(X):
    """Share of each relation among all pairs of intervals, in per cent."""
    relations = count_pairs(X).relations
    return {name: 100 * n / sum(relations.values()) for name, n in relations.items()}


fig, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
plot_timeline(X[0], ax=left)
left.set(title="one take", xlabel="frame")
readings = {
    "frames, as they are": as_they_stand,
    'frames, closed="both"': X,
    "clicks, as they are": clicked,
    "clicks, tolerance=0.15": merged,
}
shares = pd.DataFrame({name: share_of_relations(read) for name, read in readings.items()})
shares.index = ["before", "meets", "overlaps", "starts", "contains", "finished-by", "equals"]
shares.plot.bar(ax=right, rot=30, width=0.8, color=["#F0B98D", "#D55E00", "#9CCBE8", "#0072B2"])
right.set(ylabel="per cent of pairs", title="relations, by how the frames are read")
right.legend(frameon=False)
right.spines[["top", "right"]].set_visible(False)
plt.show()
