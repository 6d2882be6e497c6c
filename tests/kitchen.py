"""Small files that examples and messages speak of: instances, a model, sensor recordings."""

import numpy as np
import pandas as pd

from ibgn import IBGNClassifier, IntervalSequences, Segmenter, write
from ibgn.io import add_activities
from ibgn.segmentation import compose_streams

ACTIONS = {"tea": ("boil", "pour", "stir"), "milk": ("pour", "stir"), "coffee": ("grind", "pour")}
SIZE = 4  # instances of each activity


def make_takes():
    """Instances of three drinks, named tea-1, tea-2 and so on, and their labels."""
    rng = np.random.default_rng(0)
    names, labels, rows = [], [], []
    for label, actions in ACTIONS.items():
        for number in range(1, SIZE + 1):
            start = np.round(np.cumsum(rng.uniform(0.5, 4, len(actions))), 2)
            end = np.round(start + rng.uniform(1, 5, len(actions)), 2)
            rows.append(list(zip(actions, start.tolist(), end.tolist(), strict=True)))
            names.append(f"{label}-{number}")
            labels.append(label)
    return IntervalSequences.from_lists(rows, ids=names), np.array(labels)


def make_kitchen(folder):
    """Write takes.csv, talk.eaf, takes.ibgn, sensors in train.csv and new.csv, and streams.

    Also what happens, in events.jsonl.
    """
    X, y = make_takes()
    write(X, folder / "takes.csv", y)
    write(X[:1], folder / "talk.eaf", y[:1])
    IBGNClassifier(draws=20, budget=100, random_state=0).fit(X, y).save(folder / "takes.ibgn")
    time = np.arange(0, 20, 0.1)
    up = (time // 5 % 2).astype(int)
    new = pd.DataFrame({"time": time, "hand": up + time / 1000}).round(3)
    new.to_csv(folder / "new.csv", index=False)
    new.assign(action=np.array(["rest", "hold"])[up]).to_csv(folder / "train.csv", index=False)
    make_streams(folder, X, y)
    (folder / "events.jsonl").write_text('{"kind": "start", "time": 0, "action": "boil"}\n')


def make_streams(folder, X, y):
    """Write days.csv and activities.csv, today.csv, day.eaf with a tier "phase", and days.ibgn."""
    days, activities = compose_streams(X, y, streams=3, random_state=0)
    write(days[:2], folder / "days.csv")
    write(activities[:2], folder / "activities.csv")
    write(days[2:], folder / "today.csv")
    write(days[2:], folder / "stream.eaf")
    add_activities(folder / "stream.eaf", folder / "day.eaf", activities[2:], tier="phase")
    segmenter = Segmenter(IBGNClassifier(terms=("order",)), random_state=0)
    segmenter.fit(days[:2], activities[:2]).save(folder / "days.ibgn")
