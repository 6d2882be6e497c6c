"""Simulated signals of sensors worn on the body."""

from typing import NamedTuple

import numpy as np

from ibgn._arrays import Floats
from ibgn.datasets import _chores as chores
from ibgn.intervals import IntervalSequences
from ibgn.recordings import SensorRecording

HERTZ = 30
AXES = ("x", "y", "z")
SITES = {  # where sensors are worn, and the track whose actions move them
    "hip": "locomotion",
    "left wrist": "left arm",
    "right wrist": "right arm",
    "shoulders": "both arms",
}
NAMES = tuple(f"{site} {axis}" for site in SITES for axis in AXES)
FAILURE = 15  # samples per failure of a sensor
MOUNTING = 0.1  # standard deviation of the level from subject to subject
SEED = 211  # of what actions look like, which is the same in all data


class Disturbance(NamedTuple):
    """Disturbances of the signals; see `make_daily_living`."""

    noise: float
    drift: float
    dropout: float


class Signature(NamedTuple):
    """What an action looks like on three axes."""

    level: Floats
    swing: Floats
    hertz: float


def _signatures() -> dict[str, Signature]:
    """A verb decides swing and frequency, verb and object together the level."""
    rng = np.random.default_rng(SEED)
    words = [*chores.POSTURES, *chores.SECONDS, *chores.OBJECTS]
    known = {
        word: Signature(rng.normal(size=3), rng.normal(scale=0.7, size=3), rng.uniform(0.5, 5.0))
        for word in words
    }
    moves = {}
    for move in chores.MOVES:
        verb = next(verb for verb in chores.SECONDS if move.startswith(f"{verb} "))
        thing = move.removeprefix(f"{verb} ")
        moves[move] = known[verb]._replace(level=known[verb].level + known[thing].level)
    gestures = {gesture: moves[move] for move, gesture in chores.GESTURES.items()}
    return {posture: known[posture] for posture in chores.POSTURES} | gestures | moves


SIGNATURES = _signatures()


def draw_mounting(n_subjects: int, rng: np.random.Generator) -> Floats:
    """(n_subjects, channels) level of sensors at rest."""
    return rng.normal(scale=MOUNTING, size=(n_subjects, len(NAMES)))


def record(
    x: IntervalSequences, mounting: Floats, disturbance: Disturbance, rng: np.random.Generator
) -> SensorRecording:
    """Signals and labels of the one instance in x, with its id and group."""
    samples = round(float(x.end.max()) * HERTZ)
    labels = {track: np.full(samples, None, object) for track in chores.TRACKS}
    channels = np.tile(mounting, (samples, 1))
    for action, start, end in x.to_lists()[0]:
        track, during = chores.track_of(action), slice(round(start * HERTZ), round(end * HERTZ))
        labels[track][during] = action
        move = action if track == "locomotion" else action.split(maxsplit=1)[1]
        level, swing, hertz = SIGNATURES[move]
        part = channels[during]
        angle = 2 * np.pi * (rng.random() + hertz * np.arange(len(part)) / HERTZ)
        place = list(SITES.values()).index(track)
        part[:, 3 * place : 3 * place + 3] += level + np.sin(angle)[:, None] * swing
    _disturb(channels, disturbance, rng)
    name, subject = (None if column is None else column[0] for column in (x.ids, x.groups))
    return SensorRecording(np.arange(samples) / HERTZ, channels, NAMES, labels, name, subject)


def _disturb(channels: Floats, disturbance: Disturbance, rng: np.random.Generator) -> None:
    shape = channels.shape
    channels += disturbance.noise * rng.normal(size=shape)
    channels += disturbance.drift * np.cumsum(rng.normal(size=shape), axis=0) / np.sqrt(60 * HERTZ)
    # a failure begins at a sample with the chance that gives the requested share overall
    begin = 1 - (1 - disturbance.dropout) ** (1 / FAILURE)
    for place in range(len(SITES)):
        first = np.flatnonzero(rng.random(len(channels)) < begin)
        for sample in first:
            channels[sample : sample + FAILURE, 3 * place : 3 * place + 3] = np.nan
