"""
Live recognition
================

A live recogniser follows the starts and ends of actions, and knows the probability of every
activity after each of them. This example follows the signs of people the model has never seen, and
shows when it becomes sure.
"""  # noqa: D205, D400

# %%
# Learn, then follow
# ------------------

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

from ibgn import (
    IBGNClassifier,
    LiveRecogniser,
    animate_posterior,
    plot_posterior,
    plot_timeline,
    trace_posterior,
)
from ibgn.datasets import make_hand_signs

X, y, groups = make_hand_signs(instances_per_style=10, random_state=0)
train, test = groups <= "signer 12", groups > "signer 12"
model = IBGNClassifier(random_state=0).fit(X[train], y[train])

live = LiveRecogniser(model)
sign = X[test][0]
for action, start, _ in sign.to_lists()[0][:3]:  # they go on, as nothing has ended
    live.start(action, start)
    surest = max(live.posterior(), key=live.posterior().get)
    print(f"{start:5.2f}  {action:24} looks like {surest!r}, {live.posterior()[surest]:.0%}")

# %%
# The course of a whole sign
# --------------------------
# ``trace_posterior`` has a row for each moment at which something started or ended, and a column
# for each word. The last row is what ``predict_proba`` says of the whole.

course = trace_posterior(model, sign)
print(course.iloc[[0, len(course) // 2, -1]].round(2).to_string())
print("the same as of the whole:", np.allclose(course.iloc[-1], model.predict_proba(sign)[0]))
plot_timeline(sign)
plot_posterior(course)

# %%
# As a moving picture
# -------------------
# ``save("sign.gif", writer="pillow")`` writes it to a file, and ``to_jshtml()`` makes a page on
# which it can be stopped.

film = animate_posterior(course, sign, seconds=2)
with TemporaryDirectory() as folder:
    film.save(Path(folder, "sign.gif"), writer="pillow")

# %%
# When is it sure?
# ----------------
# The share of each sign that had passed when the word that won in the end became the likeliest, and
# stayed so.

shares = []
for one in X[test][:40]:
    course = trace_posterior(model, one)
    likeliest = course.to_numpy().argmax(axis=1)
    others = np.flatnonzero(likeliest != likeliest[-1])
    first = others[-1] + 1 if len(others) else 0
    begin, end = course.index[[0, -1]]
    shares.append((course.index[first] - begin) / (end - begin))
print(f"half of the signs are known after {np.median(shares):.0%} of their time")
plt.show()
