"""Reasons in words: exact, strongest first, about what was seen and what activities expect."""

import re

import numpy as np
import pytest

from ibgn import DBNClassifier, IBGNClassifier, IHMMClassifier, ITBNClassifier
from ibgn.allen import Relation
from ibgn.classifiers.ibgn import DEFAULT_TERMS
from ibgn.datasets import make_hand_signs
from ibgn.errors import OptionError
from ibgn.intervals import IntervalSequences
from ibgn.networks import read_networks
from ibgn.terms.parts import Part, as_times, enumerated, listed, per_cent, short, usual
from ibgn.text import quote

pytestmark = pytest.mark.usefixtures("unquestioned")  # reasons name unknown actions too

QUICK_TERMS = ("actions", *DEFAULT_TERMS)
TEA = [("boil", 0, 4), ("pour", 4, 6), ("stir", 5, 9)]
COFFEE = [("grind", 0, 2), ("pour", 2, 3), ("grind", 4, 6), ("pour", 6, 8), ("wait", 6, 20)]
NEW = [("boil", 0, 1), ("pour", 1, 2), ("sing", 1, 9), ("pour", 3, 8), ("pour", 12, 14)]
EVERY = 10_000


def kitchen(*terms, n=20, **options):
    model = IBGNClassifier(terms=terms, weights="equal", copy_weight=0.0, **options)
    return model.fit([TEA, COFFEE] * n, ["tea", "coffee"] * n)


@pytest.fixture(scope="module")
def signs():
    X, y, _ = make_hand_signs(instances_per_style=4, random_state=0)
    chosen = np.isin(y, ["air", "bank", "ketchup", "bus"])
    return X[chosen], y[chosen]


def texts(term, instance=NEW, **options):
    """What a term says of tea, by what its reasons are about."""
    why = kitchen(term, **options).explain(instance, activity="tea", against="coffee")
    return {
        " ".join(filter(None, (reason.action, reason.relation, reason.other))): reason.text
        for reason in why.reasons(EVERY)
    }


# exact


@pytest.mark.parametrize("weights", ["learned", "equal"])
def test_reasons_of_all_terms_add_up_to_the_log_odds(signs, weights):
    """Every contribution is in one reason, also of unknown actions and without intervals."""
    X, y = signs
    prior = {"air": 0.4, "bank": 0.3, "bus": 0.2, "ketchup": 0.1}
    model = IBGNClassifier(terms=QUICK_TERMS, weights=weights, class_prior=prior, random_state=0)
    model.fit(X, y)
    for one in IntervalSequences.from_lists([*X[::9].to_lists(), NEW, []]):
        why = model.explain(one)
        reasons = why.reasons(EVERY)
        total = sum(reason.contribution for reason in reasons)
        assert total == pytest.approx(why.log_odds, rel=1e-9, abs=1e-9)
        joint = np.sort(model._joint_log_likelihood(one)[0])[::-1]
        assert total == pytest.approx(joint[0] - joint[1], rel=1e-9, abs=1e-8)
        for term, expected in why.by_term.items():
            said = sum(reason.contribution for reason in reasons if reason.term == term)
            assert said == pytest.approx(expected, rel=1e-9, abs=1e-9)
        sizes = [abs(reason.contribution) for reason in reasons]
        assert sizes == sorted(sizes, reverse=True)
        assert why.reasons(2) == reasons[:2]
        assert why.reasons() == reasons[:3]


def test_a_reason_is_all_that_a_term_says_of_its_kind():
    why = kitchen("durations", "relations").explain(NEW, activity="tea", against="coffee")
    frame = why.frame()
    durations = frame[(frame["term"] == "durations") & (frame["action"] == "pour")]
    (reason,) = [
        reason
        for reason in why.reasons(EVERY)
        if (reason.term, reason.action) == ("durations", "pour")
    ]
    assert len(durations) == 3
    assert reason.contribution == pytest.approx(durations["contribution"].sum())
    pairs = frame[frame["level"] == "pair"]
    for reason in (one for one in why.reasons(EVERY) if one.term == "relations"):
        of_kind = (pairs[["action", "relation", "other"]] == reason[3:]).all(axis=1)
        assert reason.contribution == pytest.approx(pairs["contribution"][of_kind].sum())


@pytest.mark.parametrize("n", [-1, 1.5, "all", True])
def test_the_number_of_reasons_is_whole(n):
    why = kitchen("length").explain(TEA)
    with pytest.raises(OptionError, match="n=.* must be a whole number from 0"):
        why.reasons(n)
    assert why.reasons(0) == []


# in words


def test_words_of_length():
    assert texts("length") == {
        "": "5 intervals; in 'tea' usually 3 to 4, in 'coffee' usually 4 to 6"
    }


def test_words_of_durations_and_totals():
    said = texts("durations")
    assert said["boil"].startswith("'boil' lasts 1; in 'tea' usually 3.")
    assert said["pour"].startswith("'pour' (3 intervals) lasts 1, 5 and 2; in 'tea' usually 1.")
    assert "sing" not in said  # it says nothing of what is unknown
    said = texts("totals")
    assert said["pour"].startswith("'pour' lasts 8 in all; in 'tea' usually 1.")


def test_words_of_occurrences_also_of_what_is_absent():
    said = texts("occurrences")
    assert re.fullmatch(
        r"no 'grind'; in 'tea' \d% of the instances have it, in 'coffee' 9\d% of the instances "
        r"have it",
        said["grind"],
    )
    assert texts("occurrences", COFFEE)["pour"].startswith("'pour' occurs twice; in 'tea' ")
    assert said["boil"].startswith("'boil' occurs once; in 'tea' 9")
    many = [("boil", t, t + 1) for t in range(9)]
    model = IBGNClassifier(terms=("occurrences",), weights="equal", copy_weight=0.0)
    why = model.fit([many, COFFEE], ["much", "coffee"]).explain(many)
    assert "have it 5 times or more" in why.reasons()[0].text


def test_words_of_actions():
    said = texts("actions")
    assert said["pour"].startswith("3 of 5 intervals are 'pour'; in 'tea' 33% are, in 'coffee' 40%")
    assert said["boil"].startswith("1 of 5 intervals is 'boil'; in 'tea' 33% are")
    assert set(said) == {"boil", "pour"}


def test_words_of_order():
    said = texts("order")
    assert said["boil"].startswith("'boil' comes first; in 'tea' with probability 9")
    assert said["pour"].startswith(
        "'pour' comes after 'boil' and after 'pour'; in 'tea' on average with probability "
    )


def test_words_of_starts():
    said = texts("starts")
    assert said["boil"].startswith("'boil' starts at 0% to 10% of the instance; in 'tea' with")
    assert said["pour"].startswith(
        "'pour' (3 intervals) starts at 0% to 10%, 20% to 30% and 80% to 90% of the instance; in "
    )


def test_words_of_gaps():
    said = texts("gaps")
    assert said["pour"].startswith(
        "'pour' (3 intervals) starts 1, 2 and 9 after the start before; in 'tea' usually 3."
    )
    together = texts("gaps", [("grind", 0, 1), ("wait", 0, 2)])["wait"]
    assert together.startswith("'wait' starts together with the interval before; in 'tea' ")
    assert re.search(r"in 'coffee' \d\d% do$", together)


def test_words_of_occupancy_are_about_when_activities_differ():
    said = texts("occupancy", TEA)
    found = re.fullmatch(
        r"'wait' does not go on from (\d+)% to 100% of the instance; in 'tea' it goes on in \d% "
        r"of the instances, in 'coffee' it goes on in (\d+)% of the instances",
        said["wait"],
    )
    assert found
    assert 25 <= int(found[1]) <= 35  # coffee waits from 6 of 20 to its end
    assert int(found[2]) >= 90


def test_words_of_switches_are_about_the_step_that_says_most():
    said = texts("switches", TEA)
    assert re.fullmatch(
        r"'stir' begins at \d+% of the instance; in 'tea' with probability \d+%, in 'coffee' with "
        r"probability [\d.]+%",
        said["stir"],
    )
    assert said["grind"].startswith("'grind' does not go on at 0% of the instance; in 'tea' with ")


def test_words_of_relations():
    said = texts("relations", TEA)
    assert said["pour overlaps stir"].startswith(
        "'pour' overlaps the beginning of 'stir'; in 'tea' with probability 7"
    )
    several = [("boil", 0, 1), ("pour", 2, 3), ("boil", 4, 5), ("pour", 6, 7)]
    assert texts("relations", several)["boil before pour"].startswith(
        "'boil' is before 'pour' (2 pairs); in 'tea' on average with probability "
    )


def test_words_of_tables():
    with pytest.warns():
        said = texts("tables", TEA, draws=50, budget=100)
    assert re.match(r"'boil'; in 'tea' with probability \d+%, in 'coffee' with", said["boil"])


@pytest.mark.parametrize("kind", [DBNClassifier, IHMMClassifier, ITBNClassifier])
def test_other_models_give_reasons_too(kind):
    model = kind().fit([TEA, COFFEE] * 5, ["tea", "coffee"] * 5)
    for instance in (TEA, NEW, []):
        why = model.explain(instance)
        reasons = why.reasons(EVERY)
        total = sum(reason.contribution for reason in reasons)
        assert total == pytest.approx(why.log_odds, abs=1e-9)
        assert all(reason.text for reason in reasons)
    assert "boil" in model.explain(TEA).reasons()[0].text + model.explain(TEA).reasons()[1].text


def test_reasons_against_say_so():
    model = IBGNClassifier(terms=("length",), class_prior={"tea": 0.2, "coffee": 0.8})
    model.set_params(weights="equal", copy_weight=0.0).fit([TEA, COFFEE] * 9, ["tea", "coffee"] * 9)
    why = model.explain(TEA, activity="tea", against="coffee")
    for_it, against = sorted(why.reasons(), key=lambda reason: -reason.contribution)
    assert str(for_it).startswith("3 intervals; in 'tea' usually")
    assert str(for_it).endswith(f"(length, log odds {for_it.contribution:+.1f})")
    assert str(against) == (
        "Against: 'tea' is 0.25 times as frequent as 'coffee' (prior, log odds -1.4)"
    )


# where they are shown


def test_text_and_html_begin_with_the_reasons():
    why = kitchen("occurrences", "durations").explain(TEA)
    lines = repr(why).splitlines()
    assert lines[0] == f"Explanation of {why.headline}"
    assert lines[1:4] == [f"{n}. {reason}" for n, reason in enumerate(why.reasons(), 1)]
    rest = why.log_odds - sum(reason.contribution for reason in why.reasons())
    assert lines[4] == f"All other reasons add {rest:+.2f}"
    assert lines[5].startswith("By term: ")
    page = why._repr_html_()
    assert page.count("<li>") == 3
    assert page.index("<li>") < page.index("log odds by term")


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        (0.5, "log odds +0.00, about equally likely"),
        (0.9, "log odds +2.20, 9.0 times as likely"),
        (1 - 1e-9, "log odds +20.72, over a million times as likely"),
        (0.04, "log odds -3.18, 24 times less likely"),
    ],
)
def test_headlines_say_how_much_likelier(prior, words):
    priors = {"a": prior, "b": 1 - prior}
    model = IBGNClassifier(terms=("actions",), class_prior=priors, copy_weight=0.0)
    model.fit([TEA, TEA], ["a", "b"])
    why = model.explain(TEA, activity="a", against="b")
    assert why.headline == f"'a' against 'b': {words}"


def test_names_are_data():
    """Nothing of a name gets into a terminal or a page as it is."""
    bad, worse = "<script>\x1b[31m", "two\nlines'\""
    rows = [(bad, 0, 2), (worse, 1, 3), (bad, 4, 5)]
    model = IBGNClassifier(terms=QUICK_TERMS, weights="equal", copy_weight=0.0)
    model.fit([rows, TEA] * 3, [bad, worse] * 3)
    why = model.explain([*rows, ("never\nseen", 6, 7)])
    for reason in why.reasons(EVERY):
        assert reason.text.isprintable()
    assert all(line.isprintable() for line in repr(why).split("\n"))
    page = why._repr_html_()
    assert "<script" not in page
    assert "&lt;script" in page
    long = IBGNClassifier(terms=("actions",), weights="equal").fit(
        [[("x" * 900, 0, 1)], TEA], ["y" * 900, "tea"]
    )
    assert all(len(line) < 500 for line in repr(long.explain(TEA)).split("\n"))


@pytest.mark.parametrize(
    ("function", "value", "words"),
    [
        (per_cent, 0.004, "0.4%"),
        (per_cent, 0.00009, "<0.01%"),
        (per_cent, 0.996, ">99%"),
        (per_cent, 1.0, "100%"),
        (short, 99.6, "100"),
        (short, 1234.5, "1,234"),
        (short, 0.0, "0"),
        (as_times, 0, "not at all"),
        (as_times, 2, "twice"),
        (as_times, 7, "7 times"),
        (listed, np.array([2.0, 2.0]), "2"),
        (listed, np.array([1.0, 2.5, 3.0]), "1, 2.5 and 3"),
        (listed, np.array([4.0, 2.0, 9.0, 3.0]), "2 to 9"),
        (enumerated, ["a"], "a"),
    ],
)
def test_numbers_in_words(function, value, words):
    assert function(value) == words


@pytest.mark.parametrize("relation", Relation)
def test_every_relation_has_a_sentence(relation):
    """Which is true of two intervals that have it, and names them in order."""
    first, second = {
        "before": ((0, 1), (2, 3)),
        "meets": ((0, 1), (1, 2)),
        "overlaps": ((0, 2), (1, 3)),
        "starts": ((0, 1), (0, 2)),
        "contains": ((0, 3), (1, 2)),
        "finished-by": ((0, 2), (1, 2)),
        "equals": ((0, 1), (0, 1)),
    }[relation.label]
    held = read_networks([[("a{}", *first), ("b", *second)]])[0].relations[0, 1]
    assert held == relation
    said = Part("pair", np.arange(1), "a{}", 0, relation.label, "b").subject
    assert said.startswith("'a{}' ")
    assert "'b'" in said
    assert ("ends with" in said) == (first[1] == second[1])
    assert ("begins with" in said or "begins and" in said) == (first[0] == second[0])


def test_ranges_and_parts_in_words():
    assert usual(2.0, 2.01) == "usually 2"
    assert usual(0.5, 12.3) == "usually 0.5 to 12"
    where = np.arange(3)
    assert Part("pair", where, "a", 0, "finished-by", "b").subject == (
        "'a' begins before 'b' and ends with it (3 pairs)"
    )
    assert Part("instance", where[:0]).subject == "the instance as a whole"
    assert Part("action", where, "it's").subject == quote("it's")
