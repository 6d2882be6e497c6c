"""Detectors that say how sure they are."""

import numpy as np
import pytest

from ibgn import IntervalSequences
from ibgn.detection import ActionDetector, FingerDetector, SensorRecording
from ibgn.detection.soft import LEAST, HeldOut, SoftVoting, learn_voting, trace_states
from ibgn.worlds import draw_worlds, likeliest_world

SECONDS = 40


def record(number, noise=1.0):
    """A hand that shakes fast, slowly or not at all, five seconds each."""
    rng = np.random.default_rng(number)
    time = np.arange(0, SECONDS, 1 / 30)
    what = np.resize([0, 1, 0, 2], SECONDS // 5)[(time // 5).astype(int)]
    hertz = np.array([0.0, 1.0, 4.0])[what]
    x = np.where(what > 0, np.sin(2 * np.pi * hertz * time), 0.0)
    x += noise * rng.normal(size=len(time))
    names = np.array([None, "swing", "shake"], object)
    day = np.where(time < SECONDS / 2, "am", "pm").astype(object)
    labels = {"hand": names[what], "day": day}
    group = f"person {number % 3}"
    return SensorRecording(time, x[:, None], ["x"], labels, id=f"run {number}", group=group)


@pytest.fixture(scope="module")
def recordings():
    return [record(number) for number in range(7)]


@pytest.fixture(scope="module")
def detector(recordings):
    chain = ActionDetector(
        "tree", tracks=["hand"], training_step=0.5, action="value", soft=True, random_state=0
    )
    return chain.fit(recordings[:6])


def test_votes_are_measured_on_what_was_held_out(detector):
    power, cost, sharpness, error = detector.votings_["hand"]
    assert 0.1 < power < 50
    assert cost >= 1
    assert sharpness > 0
    assert 0 <= error < 1


def test_intervals_say_how_sure_they_are(detector, recordings):
    X = detector.predict(recordings[6:])
    assert X.uncertainty is not None
    assert ((X.uncertainty.confidence > 0.05) & (X.uncertainty.confidence <= 1)).all()
    assert X.uncertainty.start_error.max() == pytest.approx(detector.votings_["hand"].error)
    names = [row[0] for row in likeliest_world(X).to_lists()[0]]
    assert [name for n, name in enumerate(names) if names[:n][-1:] != [name]] == [
        "swing",
        "shake",
        "swing",
        "shake",
    ]
    assert X.ids.tolist() == ["run 6"]
    assert X.groups.tolist() == ["person 0"]
    again = detector.predict(recordings[6:])
    assert again == X


def test_stretches_break_less_often_than_hard_runs(recordings):
    options = {"tracks": ["hand"], "training_step": 0.5, "action": "value", "random_state": 0}
    noisy = [record(number, noise=3.0) for number in range(6)]
    numbers = []
    for soft in (False, True):
        chain = ActionDetector("tree", soft=soft, **options).fit(noisy[:5])
        numbers.append(len(likeliest_world(chain.predict(noisy[5:])).action))
    assert numbers[1] <= numbers[0]
    assert numbers[1] >= 2


def test_ends_at_the_edge_of_an_activity_are_exact(detector, recordings):
    X, y = detector.detect_instances(recordings[6:], "day")
    assert y.tolist() == ["am", "pm"]
    for x in X:
        at_edge = np.isin(x.end, [20.0]) | (x.end > SECONDS - 0.1)
        assert (x.uncertainty.end_error[at_edge] == 0).all()


def test_with_one_recording_the_usual_values_are_used(recordings):
    chain = ActionDetector("tree", tracks=["hand"], soft=True, random_state=0)
    X = chain.fit(recordings[:1]).predict(recordings[1:2])
    assert {name.partition(": ")[0] for name in X.actions} == {"hand"}
    assert (X.uncertainty.end_error == 0).all()  # nothing was measured


def test_a_voting_learns_how_far_votes_can_be_trusted():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.resize([0, 1, 2], 60), 12)
    for wrong in (0.05, 0.4):
        answers = np.where(rng.random(len(truth)) < wrong, rng.integers(0, 3, len(truth)), truth)
        votes = np.eye(3)[answers]
        voting = learn_voting(HeldOut([votes], [truth]), null=2, step=0.1)
        chances = np.exp(voting.logits(votes)).max(axis=1)
        right = 1 - wrong * 2 / 3
        assert chances.mean() == pytest.approx(min(right, 1 - 2 * LEAST), abs=0.06)
        found = voting.stretches(votes, np.arange(len(votes) + 1.0), ["a", "b", None])
        sure = [stretch for stretch in found if stretch.confidence > 0.5]
        assert len(sure) == pytest.approx(40, abs=6)  # a few windows that err together


def test_an_end_that_is_missed_by_two_windows_has_that_error():
    truth = np.repeat([0, 1] * 10, 20)
    votes = np.eye(3)[np.roll(truth, 2)]
    voting = learn_voting(HeldOut([votes], [truth]), null=2, step=0.1)
    assert voting.error == pytest.approx(1.4826 * 0.2)


def test_alternatives_follow_the_votes():
    votes = np.array([[0.6, 0.3, 0.1]] * 10 + [[0.05, 0.05, 0.9]] * 10)
    voting = SoftVoting(1.0, 2.0, 1.0, 0.2)
    edges = np.arange(21) / 10
    first, *others = voting.stretches(votes, edges, ["pour", "stir", None])
    assert (first.start, first.end) == (0.0, 1.0)
    assert first.confidence == pytest.approx(0.9)
    assert first.alternatives == pytest.approx({"pour": 2 / 3, "stir": 1 / 3})
    assert (first.start_error, first.end_error) == (0.0, 0.2)
    assert [stretch.confidence for stretch in others] == pytest.approx([0.1])  # kept, but doubtful


def test_an_end_is_as_uncertain_as_the_frames_around_it():
    votes = np.array([[0.9, 0.1]] * 5 + [[0.5, 0.5]] * 4 + [[0.1, 0.9]] * 5)
    first, second = trace_states(votes, np.arange(15.0), ["straight", "bent"], 2.0)
    assert first.label == "straight"
    assert second.label == "bent"
    # nine in ten speak against a frame more or less: five places are about equally likely
    expected = np.sqrt(np.average((np.arange(5) - 2.0) ** 2))
    assert first.end_error == second.start_error == pytest.approx(expected, rel=0.1)
    sharp = np.array([[0.999, 0.001]] * 5 + [[0.001, 0.999]] * 5)
    assert trace_states(sharp, np.arange(11.0), ["straight", "bent"], 2.0)[0].end_error == 0


def bend(noise, number=0):
    rng = np.random.default_rng(number)
    time = np.arange(0, 6, 1 / 30)
    angle = np.where((time // 1.5).astype(int) % 2, 80.0, 10.0) + noise * rng.normal(size=len(time))
    angle[rng.random(len(time)) < 0.02] = np.nan
    return SensorRecording(time, angle[:, None], ["right index"], id=str(number))


def test_soft_fingers():
    clean = FingerDetector(soft=True).transform([bend(1.0)])
    assert clean.uncertainty is None  # nothing is in doubt
    assert clean.end.tolist() == FingerDetector().transform([bend(1.0)]).end.tolist()
    noisy = FingerDetector(soft=True).transform([bend(45.0)])
    hard = FingerDetector().transform([bend(45.0)])
    assert len(noisy.action) == 4 < len(hard.action)
    assert noisy.uncertainty.end_error[0] > 0
    for world in draw_worlds(noisy).X:  # states still follow each other without a gap
        np.testing.assert_array_equal(world.end[:-1], world.start[1:])


def test_a_long_gap_ends_a_soft_interval():
    recording = bend(5.0)
    angle = recording.channels.copy()
    angle[60:75] = np.nan
    lost = SensorRecording(recording.time, angle, recording.names, id="0")
    X = FingerDetector(soft=True).transform([lost])
    assert isinstance(X, IntervalSequences)
    assert 2.0 in X.end.tolist()
    assert 2.5 in X.start.tolist()
    nothing = SensorRecording(recording.time, np.full_like(angle, np.nan), recording.names, id="0")
    assert FingerDetector(soft=True).transform([nothing]).to_lists() == [[]]
