"""From votes of windows to uncertain stretches: what may be there, and how sure that is.

Hard labels throw most of the votes away, and where votes waver, a run breaks into pieces. Here a
change of label has a cost, so that the likeliest path keeps a label until enough votes speak
against it; the votes within a stretch say which labels it may have. How much votes count, what a
change costs and how exact ends are is measured on recordings that the classifiers did not learn
from.
"""

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.base import clone

from ibgn._arrays import Floats, Ints, find_runs
from ibgn._kernels.paths import likeliest_path
from ibgn.detection.extraction import encode
from ibgn.errors import DataWarning
from ibgn.recordings import SensorRecording

__all__ = ["SoftStretch", "SoftVoting", "learn_votings", "trace_states"]

COSTS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 16.0)  # of a change, to choose from
LEAST = 0.02  # probability; a label is never less likely in a window, as windows err together
SMALLEST = 1e-4  # vote of a label that got none
MOST = 8  # labels that a stretch may have
LEAST_CONFIDENCE = 0.05  # of a stretch that is kept
MATCH = 0.5  # overlap from which a stretch is the true one, as intersection over union
DEVIATION = 1.4826  # standard deviation of normal errors for each median of their sizes
POWERS = 2.0 ** (np.arange(-6, 13) / 2)  # of probabilities, to choose from


class SoftStretch(NamedTuple):
    """A stretch of time in which a track has one label, as far as votes say."""

    alternatives: dict[str, float]
    start: float
    end: float
    confidence: float
    start_error: float
    end_error: float

    @property
    def label(self) -> str:
        """The likeliest label."""
        return max(self.alternatives, key=self.alternatives.__getitem__)


class SoftVoting(NamedTuple):
    """How the votes of a track become stretches.

    Parameters
    ----------
    power : of the votes of a window, after which they are probabilities
    cost : of a change of label
    sharpness : of the mean log probabilities of a stretch, after which they are those of its labels
    error : seconds, standard deviation of its ends
    """

    power: float
    cost: float
    sharpness: float
    error: float

    def logits(self, votes: Floats) -> Floats:
        """(windows, classes) log probabilities, none below `LEAST`."""
        logs = log_softmax(self.power * np.log(np.maximum(votes, SMALLEST)), axis=1)
        floored: Floats = np.maximum(logs, np.log(LEAST))
        return floored

    def stretches(
        self, votes: Floats, edges: Floats, classes: Sequence[str | None]
    ) -> list[SoftStretch]:
        """Stretches that are there with some confidence; None among the classes is no label."""
        logits = self.logits(votes)
        first = find_runs(likeliest_path(logits, self.cost))
        found = []
        for begin, stop in pairwise(first.tolist()):
            chances = np.exp(log_softmax(self.sharpness * logits[begin:stop].mean(axis=0)))
            named = {
                str(classes[code]): float(chances[code])
                for code in np.argsort(-chances, kind="stable")[: MOST + 1]
                if classes[code] is not None and chances[code] >= LEAST * chances.max()
            }
            confidence = 1 - sum(p for p, c in zip(chances, classes, strict=True) if c is None)
            if confidence < LEAST_CONFIDENCE or not named:
                continue
            total = sum(named.values())
            found.append(
                SoftStretch(
                    {label: chance / total for label, chance in named.items()},
                    float(edges[begin]),
                    float(edges[stop]),
                    float(min(confidence, 1.0)),
                    self.error if begin else 0.0,
                    self.error if stop < len(votes) else 0.0,
                )
            )
        return found


def trace_states(
    votes: Floats, edges: Floats, states: Sequence[str], cost: float
) -> list[SoftStretch]:
    """Stretches of states that frames vote for independently of each other.

    Given all other ends, an end lies where the votes before it are for one state and those after
    it for the other; its error is the deviation of that. Less than half a frame is none.

    Parameters
    ----------
    votes : (frames, states) probabilities
    edges : (frames + 1,) when frames begin, and the last one ends
    states : their names
    cost : of a change of state
    """
    logits = np.log(np.maximum(votes, LEAST))
    path = likeliest_path(logits, cost)
    first = find_runs(path)
    before = np.concatenate([np.zeros((1, len(states))), np.cumsum(logits, axis=0)])
    errors = [0.0]
    for begin, middle, stop in zip(first[:-2], first[1:-1], first[2:], strict=True):
        inside = slice(begin + 1, stop)
        share = softmax(before[inside, path[begin]] - before[inside, path[middle]])
        mean = share @ edges[inside]
        error = float(np.sqrt(share @ (edges[inside] - mean) ** 2))
        errors.append(error if error > (edges[middle] - edges[middle - 1]) / 2 else 0.0)
    errors.append(0.0)
    return [
        SoftStretch({states[path[begin]]: 1.0}, edges[begin], edges[stop], 1.0, *around)
        for (begin, stop), around in zip(pairwise(first.tolist()), pairwise(errors), strict=True)
    ]


USUAL = SoftVoting(1.5, 6.0, 1.5, 0.0)  # where nothing can be held out


def learn_votings(detector: Any, recordings: list[SensorRecording]) -> dict[str, SoftVoting]:
    """Measure the votes of a copy that learns from some of the recordings on the others.

    Parameters
    ----------
    detector : an `ActionDetector`, fitted
    recordings : that it learned from
    """
    known, rest = _hold_out(recordings)
    if not known or not rest:
        return dict.fromkeys(detector.tracks_, USUAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the detector has warned of the same
        other = clone(detector).set_params(soft=False, tracks=detector.tracks_).fit(known)
    held_out = {track: HeldOut([], []) for track in detector.tracks_}
    for recording, votes in zip(rest, other.predict_proba(rest), strict=True):
        windows = other.extraction_.cut(recording)
        for track, (probabilities, truth) in held_out.items():
            codes = encode(windows.recording.labels[track], other.classes_[track])
            probabilities.append(votes.probabilities[track])
            truth.append(windows.majority(codes, len(other.classes_[track])))
    step = other.extraction_.windowing.hop / other.extraction_.windowing.rate
    return {
        track: learn_voting(votes, len(other.classes_[track]) - 1, step)
        for track, votes in held_out.items()
    }


def _hold_out(
    recordings: list[SensorRecording],
) -> tuple[list[SensorRecording], list[SensorRecording]]:
    """Recordings to learn from, and about a third to measure on, of other groups if there are."""
    groups = [str(recording.group) for recording in recordings]
    names = list(dict.fromkeys(groups))
    if len(names) == 1:
        groups = names = [str(number) for number in range(len(recordings))]
    apart = set(names[2::3] if len(names) > 2 else names[1:])
    chosen = [group in apart for group in groups]
    known = [each for each, out in zip(recordings, chosen, strict=True) if not out]
    return known, [each for each, out in zip(recordings, chosen, strict=True) if out]


class HeldOut(NamedTuple):
    """Votes of held-out windows of a track, recording by recording, and their true classes."""

    votes: list[Floats]
    codes: list[Ints]


def learn_voting(held_out: HeldOut, null: int, step: float) -> SoftVoting:
    """Measure on held-out votes: powers by likelihood, the cost by the F1 score of stretches.

    Parameters
    ----------
    held_out : votes and true classes
    null : code of no label
    step : seconds between windows
    """
    votes, codes = held_out
    if not sum(map(len, codes)):
        return USUAL
    logs = np.log(np.maximum(np.concatenate(votes), SMALLEST))
    voting = USUAL._replace(power=_sharpen(logs, np.concatenate(codes)))
    logits = [voting.logits(part) for part in votes]
    tried = [_match([likeliest_path(part, cost) for part in logits], codes, null) for cost in COSTS]
    best = int(np.argmax([f1 for f1, _ in tried]))
    misses = tried[best][1]
    error = DEVIATION * float(np.median(np.abs(misses))) * step if len(misses) else 0.0
    means, true = [], []
    for part, truth in zip(logits, codes, strict=True):
        first = find_runs(likeliest_path(part, COSTS[best]))
        for begin, stop in pairwise(first.tolist()):
            means.append(part[begin:stop].mean(axis=0))
            true.append(int(np.bincount(truth[begin:stop]).argmax()))
    sharpness = _sharpen(np.array(means), np.array(true))
    return voting._replace(cost=COSTS[best], sharpness=sharpness, error=error)


def _sharpen(logs: Floats, codes: Ints) -> float:
    """Power of probabilities under which the true classes are likeliest, none below `LEAST`."""
    rows = np.arange(len(codes))
    found = [log_softmax(power * logs, axis=1)[rows, codes] for power in POWERS]
    fits = [np.maximum(each, np.log(LEAST)).mean() for each in found]
    return float(POWERS[int(np.argmax(fits))])


def _match(paths: list[Ints], codes: list[Ints], null: int) -> tuple[float, Ints]:
    """F1 score of the runs of labels, and by how many windows the ends of true ones are missed."""
    missed: list[int] = []
    total = 0
    for path, truth in zip(paths, codes, strict=True):
        first, true = find_runs(path), find_runs(truth)
        total += int((path[first[:-1]] != null).sum() + (truth[true[:-1]] != null).sum())
        for begin, stop in pairwise(first.tolist()):
            # more than half of the union overlaps at most one true run
            middle = int(np.searchsorted(true, (begin + stop - 1) // 2, side="right")) - 1
            for run in range(max(middle - 1, 0), min(middle + 2, len(true) - 1)):
                a, b = int(true[run]), int(true[run + 1])
                overlap, union = min(stop, b) - max(begin, a), max(stop, b) - min(begin, a)
                if path[begin] == truth[a] != null and overlap > MATCH * union:
                    missed += [begin - a, stop - b]
    return len(missed) / max(total, 1), np.array(missed, np.int64)
