"""ActionDetector: from sensor recordings to intervals, by the activity recognition chain.

Recordings are resampled and cut into windows; one classifier per label track votes on the features
of each window; the votes are smoothed, and runs of one label that last long enough become intervals
(Bulling, Blanke and Schiele, 2014).
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple, Self, TypeVar, get_args

import joblib
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats, Ints, Objects, find_runs
from ibgn.checks import check_choice, check_flag, check_jobs, check_number, check_seed
from ibgn.detection.extraction import Extraction, Training, learn_extraction
from ibgn.detection.features import Correlations, FeatureSet
from ibgn.detection.runs import Short, remove_short, smooth
from ibgn.detection.soft import SoftVoting, learn_votings
from ibgn.detection.streams import ActionFrom, Streams, to_instances, to_sequences
from ibgn.detection.tracks import Preset, TrackModel, find_classes, new_classifier
from ibgn.detection.windows import Windowing
from ibgn.errors import DataError, DataWarning, Option, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.recordings import SensorRecording, Stretch, as_recordings
from ibgn.text import quote

__all__ = ["ActionDetector", "Votes"]

Recordings = Iterable[SensorRecording]
Voting = Literal["mean", "majority"]
T = TypeVar("T")


class Votes(NamedTuple):
    """Smoothed votes of the windows of a recording.

    Parameters
    ----------
    edges : (windows + 1,) instants between which each window decides
    probabilities : for each track, (windows, classes), in the order of `classes_[track]`

    Examples
    --------
    >>> time = np.arange(0, 6, 1 / 30)
    >>> labels = {"hand": np.where(time > 3, "shake", None)}
    >>> wave = SensorRecording(time, np.sin(9 * time)[:, None] * (time[:, None] > 3), ["x"], labels)
    >>> detector = ActionDetector("tree", random_state=0).fit([wave])
    >>> votes = detector.predict_proba([wave])[0]
    >>> detector.classes_["hand"], votes.probabilities["hand"][-1].round(2).tolist()
    (('shake', None), [1.0, 0.0])
    """

    edges: Floats
    probabilities: dict[str, Floats]


class ActionDetector(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Detects the intervals of actions in sensor recordings.

    Parameters
    ----------
    classifier : of windows, one per track: "knn" (five nearest neighbours), "svm" (linear), "rbf"
        (a support vector machine with radial basis functions), "tree", or any classifier of
        scikit-learn. Without probabilities, its decision values are used as logits; without
        these either, its answer is one vote.
    tracks : label tracks to learn, by default all that the first recording has
    window, step, rate, longest_gap : seconds, and frames per second; see `Windowing`
    correlations, spectrum : which features, see `FeatureSet`
    training_step : seconds between two training windows, by default step. As windows overlap,
        a longer step loses little and saves time and memory.
    smooth : seconds around each window over which votes are averaged
    voting : "mean" of the probabilities, or "majority" of the likeliest labels
    min_duration : seconds; shorter runs of a label are dropped
    short : what replaces them: their "neighbours", or "null", no label
    action : name of an action: "both" is "track: label", "value" the label alone
    soft : whether intervals say how sure they are: each has a confidence, alternatives to its
        action, and an error of its ends, see `ibgn.uncertainty.Uncertainty`. `fit` then learns
        twice, first without a third of the recordings, on which it measures how far votes can
        be trusted; min_duration and short do not apply.
    random_state : seed, or a NumPy generator; the same seed gives the same detector
    n_jobs : recordings and tracks worked on at the same time, by joblib

    Attributes
    ----------
    channels_ : names of the channels
    tracks_ : names of the tracks
    classes_ : for each track its labels, sorted, and None, which means no label, last
    models_ : for each track its `TrackModel`
    votings_ : for each track its `ibgn.detection.soft.SoftVoting`, if soft
    extraction_ : how recordings become features

    Notes
    -----
    A window in which nothing was measured votes for no label. Features that are missing in a
    window are replaced by their means in training, and the share of missing values is a feature
    itself. Training holds one row per window, four bytes per feature; the rest is done in blocks.

    Examples
    --------
    >>> time = np.arange(0, 20, 1 / 30)
    >>> shakes = (time // 5) % 2 == 1
    >>> x = np.where(shakes, np.sin(20 * time), 0.1 * np.sin(3 * time))
    >>> labels = {"hand": np.where(shakes, "shake", None)}
    >>> recording = SensorRecording(time, x[:, None], ["x"], labels, id="try")
    >>> ActionDetector("tree", random_state=0).fit([recording]).predict([recording])
    IntervalSequences: 1 instance, 2 intervals, 1 action
      try: hand: shake [4.95, 10.05), hand: shake [14.95, 20)
    """

    channels_: tuple[str, ...]
    tracks_: tuple[str, ...]
    classes_: dict[str, tuple[str | None, ...]]
    models_: dict[str, TrackModel]
    votings_: dict[str, SoftVoting]
    extraction_: Extraction

    def __init__(
        self,
        classifier: Preset | Any = "knn",
        *,
        tracks: Sequence[str] | None = None,
        window: float = 1.0,
        step: float = 0.1,
        rate: float = 30.0,
        longest_gap: float = 0.5,
        correlations: Correlations = "auto",
        spectrum: bool = True,
        training_step: float | None = None,
        smooth: float = 0.5,
        voting: Voting = "mean",
        min_duration: float = 0.3,
        short: Short = "neighbours",
        action: ActionFrom = "both",
        soft: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.classifier = classifier
        self.tracks = tracks
        self.window = window
        self.step = step
        self.rate = rate
        self.longest_gap = longest_gap
        self.correlations = correlations
        self.spectrum = spectrum
        self.training_step = training_step
        self.smooth = smooth
        self.voting = voting
        self.min_duration = min_duration
        self.short = short
        self.action = action
        self.soft = soft
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, recordings: Recordings, y: Any = None) -> Self:
        """Learn from labelled recordings; y is ignored, pipelines pass it."""
        self._check_options()
        recordings = as_recordings(recordings)
        tracks = self._choose_tracks(recordings)
        classes = {track: find_classes(recordings, track) for track in tracks}
        windowing = self._windowing(self.step if self.training_step is None else self.training_step)
        chosen = FeatureSet(self.correlations, bool(self.spectrum))
        extraction, training = learn_extraction(recordings, windowing, chosen, classes, self.n_jobs)
        models = self._learn(training, classes)
        self.extraction_ = extraction._replace(windowing=self._windowing(self.step))
        self.channels_, self.tracks_ = extraction.names, tracks
        self.models_ = dict(zip(tracks, models, strict=True))
        self.classes_ = {track: model.classes for track, model in self.models_.items()}
        if self.soft:
            self.votings_ = learn_votings(self, recordings)
        return self

    def predict(self, recordings: Recordings) -> IntervalSequences:
        """Detect the intervals of actions, one instance per recording; ids and groups are kept."""
        recordings = as_recordings(recordings)
        return to_sequences(recordings, self._each(self._stretches, recordings), self.action)

    def transform(self, recordings: Recordings) -> IntervalSequences:
        """The same as `predict`, by the name that pipelines use."""
        return self.predict(recordings)

    def detect_instances(
        self, recordings: Recordings, activity: str
    ) -> tuple[IntervalSequences, Objects]:
        """Detect intervals, one instance for each stretch of an activity.

        Parameters
        ----------
        recordings : with a label track of the activities
        activity : its name. If it was learned too, it gives no intervals.

        Returns
        -------
        X : instances, named by the recording and a number; intervals are cut where the activity
            begins and ends, and left out if less than min_duration remains
        y : (n,) labels of the activities
        """
        recordings = as_recordings(recordings)
        for recording in recordings:  # before the work, so that a typo costs no time
            recording.track(activity)
        streams = self._each(self._stretches, recordings)
        return to_instances(recordings, streams, activity, self.action, self.min_duration)

    def predict_frames(self, recordings: Recordings) -> list[dict[str, Objects]]:
        """Label of every frame of each recording, by track; None if there is none."""
        recordings = as_recordings(recordings)
        return self._each(self._frames, recordings)

    def predict_proba(self, recordings: Recordings) -> list[Votes]:
        """Smoothed votes of the windows of each recording, which add up to 1 in each track."""
        return self._each(self._vote, as_recordings(recordings))

    def _check_options(self) -> None:
        FeatureSet(self.correlations)
        check_choice("voting", self.voting, get_args(Voting))
        check_choice("short", self.short, get_args(Short))
        check_choice("action", self.action, get_args(ActionFrom))
        for name in ("spectrum", "soft"):
            check_flag(name, getattr(self, name))
        for name in ("smooth", "min_duration"):
            check_number(name, getattr(self, name), "0 or more", lambda value: value >= 0)
        if self.training_step is not None:
            check_number("training_step", self.training_step, "positive", lambda value: value > 0)
        self._windowing(self.step)
        new_classifier(self.classifier, 1, 0)
        if isinstance(self.tracks, str):
            advice = Option("tracks", [self.tracks])
            raise OptionError("tracks", self.tracks, "must be a list of names; write ", advice)
        listed = isinstance(self.tracks, Sequence) and all(isinstance(t, str) for t in self.tracks)
        if not (self.tracks is None or listed):
            raise OptionError("tracks", self.tracks, "must be a list of names")
        check_jobs("n_jobs", self.n_jobs)
        check_seed("random_state", self.random_state)

    def _windowing(self, step: float) -> Windowing:
        return Windowing(self.window, step, self.rate, self.longest_gap)

    def _choose_tracks(self, recordings: list[SensorRecording]) -> tuple[str, ...]:
        if not recordings:
            raise DataError("there are no recordings to learn from")
        named = recordings[0].labels if self.tracks is None else self.tracks
        tracks = tuple(dict.fromkeys(named))
        if not tracks:
            raise DataError("there are no labels to learn from; recordings have no label track")
        for recording in recordings:
            for track in tracks:
                recording.track(track)
        return tracks

    def _learn(
        self, training: Training, classes: dict[str, tuple[str | None, ...]]
    ) -> list[TrackModel]:
        """One model per track; the number of jobs does not change the result."""
        rng = np.random.default_rng(self.random_state)
        seeds = rng.integers(2**31, size=len(classes)).tolist()
        todo = []
        for (track, known), seed in zip(classes.items(), seeds, strict=True):
            codes = training.codes[track]
            _warn_of_lost(track, known, codes, self.window)
            classifier = new_classifier(self.classifier, len(codes), seed)
            todo.append((training.features, codes, known, classifier))
        # liblinear draws from one state that all threads share, so its results would depend on them
        alone = any(isinstance(classifier, LinearSVC) for *_, classifier in todo)
        parallel = joblib.Parallel(1 if alone else self.n_jobs, require="sharedmem")
        with warnings.catch_warnings():  # here, as threads share the filters
            if isinstance(self.classifier, str):  # presets stop early on purpose
                warnings.filterwarnings("ignore", "Liblinear failed", ConvergenceWarning)
            models = parallel(joblib.delayed(TrackModel.learn)(*task) for task in todo)
        return list(models)

    def _each(
        self, work: Callable[[SensorRecording], T], recordings: list[SensorRecording]
    ) -> list[T]:
        check_is_fitted(self)
        self._check_options()
        parallel = joblib.Parallel(self.n_jobs, require="sharedmem")
        done: list[T] = parallel(joblib.delayed(work)(recording) for recording in recordings)
        return done

    def _vote(self, recording: SensorRecording) -> Votes:
        windows = self.extraction_.cut(recording)
        number = len(windows.starts)
        votes = {track: np.empty((number, len(self.classes_[track]))) for track in self.tracks_}
        for rows, features, measured in self.extraction_.extract(windows):
            features = self.extraction_.scale(features)
            for track, model in self.models_.items():
                part = model.votes(features)
                part[~measured] = np.eye(len(model.classes))[-1]
                votes[track][rows] = part
        windowing = self.extraction_.windowing
        each_side = int(
            min(float(self.smooth) * windowing.rate / (2 * windowing.hop), 2.0**40) + 1e-9
        )
        for track, part in votes.items():
            if self.voting == "majority":
                part = np.eye(part.shape[1])[part.argmax(axis=1)]
            votes[track] = smooth(part, 2 * each_side + 1)
        return Votes(windows.edges, votes)

    def _runs(self, recording: SensorRecording) -> tuple[Floats, dict[str, Ints]]:
        """Instants between which each window decides, and its class, without short runs."""
        edges, probabilities = self._vote(recording)
        codes = {}
        for track, votes in probabilities.items():
            null = votes.shape[1] - 1
            likeliest = votes.argmax(axis=1)
            codes[track] = remove_short(likeliest, edges, self.min_duration, null, self.short)
        return edges, codes

    def _stretches(self, recording: SensorRecording) -> Streams:
        if self.soft:
            edges, probabilities = self._vote(recording)
            return {
                track: self.votings_[track].stretches(votes, edges, self.classes_[track])
                for track, votes in probabilities.items()
            }
        edges, codes = self._runs(recording)
        streams: dict[str, list[Stretch]] = {}
        for track, of_windows in codes.items():
            first = find_runs(of_windows)
            named = [self.classes_[track][code] for code in of_windows[first[:-1]]]
            bounds = zip(edges[first[:-1]].tolist(), edges[first[1:]].tolist(), strict=True)
            streams[track] = [
                Stretch(label, *ends)
                for label, ends in zip(named, bounds, strict=True)
                if label is not None
            ]
        return streams

    def _frames(self, recording: SensorRecording) -> dict[str, Objects]:
        edges, codes = self._runs(recording)
        place = np.searchsorted(edges[1:-1], recording.time, side="right")
        names = {track: np.array(classes, object) for track, classes in self.classes_.items()}
        return {track: names[track][of_windows][place] for track, of_windows in codes.items()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.non_deterministic = self.random_state is None
        return tags


def _warn_of_lost(track: str, classes: tuple[str | None, ...], codes: Ints, window: float) -> None:
    lost = sorted(set(range(len(classes) - 1)) - set(np.unique(codes).tolist()))
    if lost:
        named = quote(classes[lost[0]])
        warnings.warn(
            DataWarning(
                f"{len(lost)} of {len(classes) - 1} labels of {quote(track)} never fill most of a "
                f"window and will not be detected (first: {named}); use less than ",
                Option("window", window),
            ),
            stacklevel=2,
        )
