"""
From ELAN and back
==================

Many activities are annotated by hand in ELAN, on tiers: one for each hand, say, and one for the
task. This example reads such files. The tiers of the hands are the actions, and every annotation of
the tier "task" becomes an instance, with its value as the label.

Then it learns a model from some recordings, and recognises another recording in which the tasks are
marked but not named. The result goes back to ELAN, to look at beside the video.
"""  # noqa: D205, D400

# %%
# Files to read
# -------------
# With your own recordings, skip this cell. It writes four files in a temporary folder, as ELAN
# would: time slots in milliseconds, and tiers of annotations that refer to them.

import tempfile
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np

import ibgn

rng = np.random.default_rng(0)
STEPS = {"tea": ("boil", "pour"), "coffee": ("grind", "pour"), "washing up": ("rinse", "wipe")}


def annotate(tasks):
    """Annotations (tier, value, start, end) of someone who does these tasks, in seconds."""
    now, rows = 0.0, []
    for task in tasks:
        first, second = STEPS[task]
        switch, end = now + np.cumsum(rng.uniform(3, 8, 2))
        rows += [
            ("right hand", first, now, switch),
            ("left hand", "hold", rng.uniform(now, switch), end),
            ("right hand", second, switch, end),
            ("task", task, now, end),
        ]
        now = end + rng.uniform(2, 5)
    return rows


def write_eaf(path, rows):
    """Write annotations as an ELAN file."""
    root = ElementTree.Element("ANNOTATION_DOCUMENT")
    ElementTree.SubElement(root, "HEADER", TIME_UNITS="milliseconds")
    slots, tiers = ElementTree.SubElement(root, "TIME_ORDER"), {}
    for number, (tier, value, *times) in enumerate(rows):
        for side, time in zip("ab", times, strict=True):
            slot = {"TIME_SLOT_ID": f"{number}{side}", "TIME_VALUE": str(round(1000 * time))}
            ElementTree.SubElement(slots, "TIME_SLOT", slot)
        if tier not in tiers:
            tiers[tier] = ElementTree.SubElement(root, "TIER", TIER_ID=tier)
        note = ElementTree.SubElement(tiers[tier], "ANNOTATION")
        note = ElementTree.SubElement(note, "ALIGNABLE_ANNOTATION", ANNOTATION_ID=f"n{number}")
        note.attrib |= {"TIME_SLOT_REF1": f"{number}a", "TIME_SLOT_REF2": f"{number}b"}
        ElementTree.SubElement(note, "ANNOTATION_VALUE").text = value
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)
(folder / "known").mkdir()
for person in ("ann", "bob", "cem"):
    write_eaf(folder / "known" / f"{person}.eaf", annotate(rng.permutation([*STEPS] * 4)))
new = annotate(["coffee", "washing up", "tea"])
unnamed = [(tier, "?" if tier == "task" else value, *times) for tier, value, *times in new]
write_eaf(folder / "dora.eaf", unnamed)

# %%
# Tiers to instances
# ------------------
# A folder stands for all its files. ``tracks`` names the tiers of actions, ``activity`` the tier
# that cuts recordings into instances. ``group="file"`` makes each file a group, so that people can
# be kept apart when a model is tested.

options = {"tracks": ["left hand", "right hand"], "activity": "track:task"}
X, y = ibgn.read(folder / "known", group="file", **options)
print(X)
print("labels:", *y[:5], "...")

# %%
# Learning and recognising
# ------------------------
# Instances keep the times of their recording; only relations matter.

model = ibgn.IBGNClassifier(draws=300, random_state=0).fit(X, y)
X_new, unknown = ibgn.read(folder / "dora.eaf", **options)
predicted = model.predict(X_new)
surest = model.predict_proba(X_new).max(axis=1)
for name, label, sure in zip(X_new.ids, predicted, surest, strict=True):
    print(f"{name}: {label} ({sure:.1%})")

# %%
# Back to ELAN
# ------------
# ``write`` makes one file per instance and one tier per action. The label is in the header, where
# ``read`` finds it again. To see it among the tiers too, add it as an interval.

rows = [
    [*instance, (f"recognised: {label}", instance[0][1], max(end for _, _, end in instance))]
    for instance, label in zip(X_new.to_lists(), predicted, strict=True)
]
shown = ibgn.IntervalSequences.from_lists(rows, ids=X_new.ids)
ibgn.write(shown, folder / "recognised", predicted, format="elan")
print(*sorted(path.name for path in (folder / "recognised").iterdir()), sep="\n")

again, labels = ibgn.read(folder / "recognised", format="elan")
print("read again:", len(again), "instances,", *labels)

# %%
# Above, the whole recording as it was annotated: one action for each tier and value. Below, the
# result: the first task with the name that was recognised.

whole, _ = ibgn.read(folder / "dora.eaf", action="both")
fig, (above, below) = plt.subplots(
    2, 1, figsize=(9, 6), layout="constrained", height_ratios=[len(whole.actions), 4]
)
ibgn.plot_timeline(whole, ax=above)
above.set(title="dora.eaf: tier and value", xlabel="")
ibgn.plot_timeline(again[0], ax=below)
below.set(title="the first task, as written", xlabel="seconds")
temporary.cleanup()
plt.show()
