"""What inspect counts, and each mistake it looks for, with a control where it must keep quiet."""

import json

import numpy as np
import pytest

from ibgn import DataError, DataWarning, IntervalSequences, count_pairs, inspect
from ibgn.datasets import make_hand_signs
from ibgn.errors import Option

FINE = [
    [("reach", 0.0, 2.0), ("grasp", 2.0, 5.0), ("look", 1.0, 4.0)],
    [("reach", 0.0, 1.0), ("grasp", 1.0, 3.0)],
    [("reach", 0.0, 3.0), ("grasp", 3.0, 6.0)],
    [("reach", 0.0, 3.0), ("look", 4.0, 6.0)],
]
LABELS = ["take", "take", "wave", "wave"]


def warnings_of(instances, y=None):
    return " | ".join(map(str, inspect(instances, y).warnings))


def test_counts():
    found = inspect(FINE, LABELS)
    assert (found.instances, found.activities, found.actions, found.intervals) == (4, 2, 3, 9)
    assert found.groups is None
    assert found.relations == {"b": 1, "m": 3, "o": 2, "s": 0, "c": 0, "f": 0, "e": 0}
    assert found.intervals_per_instance == {"least": 2, "median": 2, "most": 3}
    assert found.duration == {"least": 1, "median": 3, "most": 3}
    assert found.instances_per_activity == {"take": 2, "wave": 2}
    assert found.intervals_per_action == {"grasp": 3, "look": 2, "reach": 4}
    assert json.loads(json.dumps(found.as_dict())) == found.as_dict()


def test_fine_data_give_no_warning():
    assert inspect(FINE, LABELS).warnings == ()


def test_nothing_at_all():
    found = inspect([])
    assert (found.instances, found.intervals, found.warnings) == (0, 0, ())


MISTAKES = {
    "all 2 intervals are in one instance": [[("a", 0, 1), ("b", 1, 2)]],
    "every instance has only one interval": [[("a", 0, 1)], [("b", 1, 2)]],
    "1 of 2 instances has no intervals": [[("a", 0, 1), ("b", 1, 2)], []],
    "ends look inclusive: 3 of 4 intervals end one tick before": [
        [("a", 0, 3), ("b", 4, 6), ("c", 7, 9), ("d", 10, 12)]
    ],
    "ends look one tick too late: 3 of 4 intervals": [
        [("a", 0, 4), ("b", 3, 7), ("c", 6, 10), ("d", 9, 12)]
    ],
    "1 interval overlaps another of the same action": [[("a", 0, 4), ("a", 3, 7)], []],
    "1 row repeats another exactly; duplicates='drop' leaves it out": [[("a", 0, 4), ("a", 0, 4)]],
    "1 instance lasts more than 50 times": [[("a", 0, 1), ("b", 1, 2)]] * 3 + [[("a", 0, 5000)]],
    "actions 'Grasp' and 'grasp ' differ": [[("Grasp", 0, 1), ("grasp ", 1, 2)]],
}


@pytest.mark.parametrize("warning", MISTAKES)
def test_mistakes(warning):
    assert warning in warnings_of(MISTAKES[warning])
    others = [name for name in MISTAKES if name != warning]
    assert sum(name in warnings_of(MISTAKES[warning]) for name in others) <= 2


def test_overlap_with_an_interval_that_is_not_the_neighbour():
    found = warnings_of([[("a", 0, 10), ("a", 1, 2), ("a", 3, 4)], []])
    assert "2 intervals overlap another of the same action" in found


def test_labels_that_look_wrong():
    found = warnings_of(FINE, ["take", "Take", "wave", "wave"])
    assert "activities 'take' and 'Take' differ only in case" in found
    assert "2 of 3 activities have a single instance" in found


def test_labels_of_other_instances():
    with pytest.raises(DataError, match="y has one value per instance"):
        inspect(FINE, ["take"])


@pytest.mark.parametrize(
    "instance", [[("a", 0, 1), ("b", 5, 6)], [("a", 0, 1), ("b", 0, 1), ("c", 5, 6)]]
)
def test_an_interval_of_one_tick_is_not_measured_by_itself(instance):
    assert "ends look" not in warnings_of([instance] * 3)


def test_huge_instances_are_not_paired():
    """Pairs of a million intervals would take for ever; all else is still said."""
    many = 1_000_000
    start = np.arange(many) * 2.0
    X = IntervalSequences(
        [0, many, many + 2],
        np.zeros(many + 2, int),
        [*start, 0, 5],
        [*(start + 1), 4, 9],
        ["a"],
    )
    found = inspect(X)
    assert found.relations["b"] == 1
    assert found.intervals == many + 2
    assert "1 instance of more than 30,000 intervals left out" in " ".join(map(str, found.warnings))
    assert "all 1000000 intervals are in one instance" in warnings_of(X[:1])


def test_near_end_points(rng):
    """Jitter of a hundredth of a second among actions of seconds, and a tolerance that mends it."""
    jitter = rng.uniform(0.001, 0.01, (30, 3))
    noisy = [[("a", 0, 1), ("b", 1 + e, 2.5), ("c", 2.5 + f, 4 + g)] for e, f, g in jitter]
    found = warnings_of(noisy)
    tolerance = float(found.split("tolerance=")[1].split()[0])
    assert 0.01 < tolerance < 1
    assert "tolerance" not in warnings_of([[("a", 0, 1), ("b", 1, 2.5), ("c", 2.5, 4)]] * 30)
    assert "empties" not in found
    merged = IntervalSequences.from_lists(noisy, tolerance=tolerance)
    assert count_pairs(merged).relations["m"] == 60
    assert "tolerance" not in warnings_of(merged)


def test_a_tolerance_that_would_empty_intervals_is_proposed_with_their_number(rng):
    """Clicks of a hundredth of a second are shorter than what separates instants."""
    jitter = rng.uniform(0.001, 0.01, (30, 2))
    noisy = [[("a", 0, 1), ("click", 0.5, 0.508), ("b", 1 + e, 2.5 + f)] for e, f in jitter]
    found = warnings_of(noisy)
    assert "which empties 30 of 90 intervals, and zero_length='drop'" in found
    tolerance = float(found.split("tolerance=")[1].split(",")[0])
    with pytest.warns(DataWarning, match="dropped 30 intervals of zero length, 30 of them emptied"):
        IntervalSequences.from_lists(noisy, tolerance=tolerance, zero_length="drop")


def test_what_to_do_is_an_option_that_the_command_line_can_write():
    (suspected,) = inspect([[("a", 0, 4), ("a", 0, 4)]]).warnings[-1:]
    assert Option("duplicates", "drop") in suspected.parts


def test_a_name_in_a_warning_is_made_harmless():
    found = warnings_of([[("\x1b[31mred", 0, 4), ("\x1b[31mred", 3, 7)]])
    assert "\x1b" not in found


def test_simulated_signs_look_as_they_should():
    X, y, _ = make_hand_signs(instances_per_style=5, random_state=0)
    found = inspect(X, y)
    assert (found.activities, found.actions, found.groups) == (19, 20, 16)
    assert found.warnings == ()


@pytest.mark.parametrize("name", ["BLOCKS", "AUSLAN2", "SKATING", "CONTEXT", "BIMACS", "CAD120"])
def test_real_recordings(shared, read_shared, name):
    """Read as described beside the data no end looks wrong; read the other way all do."""
    from ibgn import read_csv

    X, y = read_shared(name)
    assert "ends look" not in warnings_of(X, y)
    inclusive = name in ("AUSLAN2", "BLOCKS", "CONTEXT", "SKATING")
    path = shared / "data" / f"{name}.csv"
    if inclusive:
        with pytest.warns(UserWarning, match="of zero length"):
            X, y = read_csv(path, zero_length="drop")
    else:
        X, y = read_csv(path, closed="both")
    assert "ends look" in warnings_of(X, y)
    assert np.isfinite(X.start).all()


def test_two_pairs_one_tick_apart_are_no_habit():
    pairs = [[("a", 0, 4), ("b", 5, 9)], [("a", 0, 3), ("b", 4, 8)]]
    assert not inspect(pairs).warnings
    assert "ends look inclusive: 3 of 6" in str(
        inspect([*pairs, [("a", 0, 2), ("b", 3, 9)]]).warnings[0]
    )


NAMES = "Fixing a light|Washing a window|Sitting on sofa|Taking a picture|Walking through a doorway"
SAID = [  # transcripts, and what makes them so
    "I did .|and so did she .|did you ?",  # ends of sentences
    "she takes the bread out of the oven|then she cuts it with a long knife|it is all eaten up now",
    "so|and then we went there again|yes that is it|no not that one at all|well|oh|where|it was "
    "nice|we did not see any of them there|hm|then I said so|do you|he just left without a word",
]


@pytest.mark.parametrize("said", SAID)
def test_sentences_are_not_taken_for_actions(said):
    found = warnings_of([[(text, n, n + 1.5) for n, text in enumerate(said.split("|"))]] * 2)
    assert "actions look like sentences" in found


@pytest.mark.parametrize("number", [3, 4, 5])
def test_names_of_a_few_words_are_no_sentences(number):
    names = NAMES.split("|")[:number]
    assert "sentences" not in warnings_of([[(text, n, n + 1.5) for n, text in enumerate(names)]])


def test_many_names_of_a_few_words_are_no_sentences():
    names = [
        f"{verb} {rest}"
        for verb in ("Fixing", "Washing")
        for rest in ("a light", "a window", "the floor", "hair", "a cup", "the old car", "dishes")
    ]
    assert "sentences" not in warnings_of([[(text, n, n + 1.5) for n, text in enumerate(names)]])


def test_few_gaps_must_be_far_below_the_others():
    def near(gap, number):
        ends = np.cumsum([1.0, 1.9, 1.2, 2.3, 1.6, 1.4][:number])
        starts = [0, *(ends[:-1] + gap * np.linspace(0.8, 1, number - 1))]
        return [[("abcdef"[n], *pair) for n, pair in enumerate(zip(starts, ends, strict=True))]]

    assert "tolerance" not in warnings_of(near(0.1, 4))  # 3 gaps, ten times smaller: chance
    assert "3 of 7 gaps" in warnings_of(near(0.02, 4))  # 50 times smaller
    assert "5 of 11 gaps" in warnings_of(near(0.1, 6))  # 5 of them, ten times smaller


@pytest.mark.parametrize("intervals", [4, 20, 200])
def test_random_instants_need_no_tolerance(rng, intervals):
    trials = 400
    start = rng.uniform(0, intervals, (trials, intervals))
    end = start + rng.exponential(1.0, (trials, intervals))
    names = "abcdefgh" * 25
    proposed = sum(
        "tolerance" in warnings_of([list(zip(names[:intervals], *pair, strict=True))])
        for pair in zip(start, end, strict=True)
    )
    assert proposed <= 4  # of 400; a jump among three gaps alone would be some 10


@pytest.mark.parametrize("in_minutes", [1, 3, 6])
def test_a_part_in_another_unit_is_seen_by_the_same_actions(rng, in_minutes):
    """Half of the instances in minutes, which no median of all would tell."""
    scale = np.where(np.arange(8) < in_minutes, 60, 1)
    lasts = rng.lognormal(0, 0.5, (8, 3))
    takes = [
        [("boil", 0, a), ("pour", a, a + 2 * b), ("stir", 2 * a, 2 * a + 9 * c)]
        for a, b, c in lasts / scale[:, None]
    ]
    found = warnings_of(takes)
    few = min(in_minutes, 8 - in_minutes)
    assert f"in {few} of 8 instances" in found
    assert "same unit" in found
    assert "same unit" not in warnings_of(
        [
            [(name, start * n, end * n) for name, start, end in take]
            for n, take in zip(scale, takes, strict=True)
        ]
    )


def test_other_actions_may_last_longer():
    tea, soup = [("boil", 0, 2), ("pour", 2, 3)], [("cut", 0, 90), ("stir", 95, 300)]
    assert "same unit" not in warnings_of([tea, tea, tea, soup, soup, soup])
