"""Terms: counts add and subtract, what they say adds up at every level, and nothing is unknown."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from ibgn import IntervalSequences, Structure
from ibgn.classifiers import (
    METHODS,
    ActivityClassifier,
    DBNClassifier,
    IBGNClassifier,
    IHMMClassifier,
    ITBNClassifier,
)
from ibgn.classifiers.dbn import Steps
from ibgn.classifiers.ibgn import DEFAULT_TERMS
from ibgn.classifiers.ihmm import Chains
from ibgn.classifiers.temporal_network import Network
from ibgn.datasets import make_hand_signs
from ibgn.errors import OptionError
from ibgn.horizon import pair_offsets
from ibgn.model.activity import ActivityModel
from ibgn.recoding import recode
from ibgn.terms import (
    TERMS,
    Actions,
    Context,
    Counts,
    Durations,
    Gaps,
    Length,
    LogTerms,
    Occupancy,
    Occurrences,
    Order,
    Relations,
    Starts,
    Switches,
    Tables,
    Totals,
    smoothing,
)
from ibgn.terms.keyed import KeyedTerm
from ibgn.terms.stacked import StackedTerm
from ibgn.terms.tally import PlainTally, Sample, make_tally
from strategies import sequences

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SHORT = {"draws": 5, "budget": 30}
SETTINGS = [
    Actions(),
    Actions(2.0),
    Relations(),
    Relations("chain", smoothing="learned"),
    Relations("learned", "aic", unlinked="marginal"),
    Relations("shared", unlinked="ignore"),
    Relations(Structure({(0, 2), (1, 3)}, 5, "chain"), smoothing=0.3),
    Tables(**SHORT),
    Tables(**SHORT, node_likelihood="sequential", chains=2),
    Tables(**SHORT, node_likelihood="published", sampler="published"),
    Chains(),
    Chains("overlap", beam=16, smoothing=1.0),
    Chains(2, beam=None),
    Steps(),
    Steps(1),
    Steps(3, 0.5),
    Network(),
    Network("first", "links", "strict"),
    Network(comparison="per-link", smoothing=2.0),
    Length(),
    Durations(),
    Totals(),
    Starts(),
    Gaps(),
    Occurrences(),
    Order(),
    Occupancy(),
    Switches(),
]
AT_ONCE = [SETTINGS[2], *(term for term in SETTINGS if isinstance(term, StackedTerm | KeyedTerm))]
every_setting = pytest.mark.parametrize("term", SETTINGS, ids=str)


@pytest.fixture(autouse=True, scope="module")
def _few_steps():
    """A prior that is still on its way is as good for comparisons as one that has arrived."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(smoothing, "POLYA_STEPS", 20)
        yield


def fit(term, counts, X, seed=0):
    context = Context("it", X.actions, seed, np.random.default_rng(seed))
    return term.fit(counts, counts if term.pools else None, context)


def say_the_same(mine, its, X):
    """Both fitted terms say the same of all parts of X, to the last digits."""
    for level, one, other in zip(
        LogTerms._fields, mine.log_terms(X), its.log_terms(X), strict=True
    ):
        assert (one is None) == (other is None), level
        if one is not None:
            # sums of squares lose some digits when they are subtracted
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9, err_msg=level)


def test_every_term_of_the_library_is_tested():
    ours = {name for name, kind in TERMS.items() if kind.__module__.startswith("ibgn.")}
    assert ours == {term.name for term in SETTINGS}
    assert ours >= {"tables", "actions", "relations", "chains", "steps", "network"}


def test_no_term_takes_the_name_of_the_prior():
    with pytest.raises(OptionError, match="name='prior' is taken by the class prior"):
        type("Another", (Actions,), {"name": "prior"})
    assert "prior" not in TERMS


# counts


@every_setting
@settings(max_examples=15)
@given(data=st.data())
def test_counts_add_and_subtract(term, data):
    """count(A) + count(B) is count(A and B), and less count(B) it is count(A)."""
    X = data.draw(sequences(least=1, most=6))
    other = recode(data.draw(sequences()), X.actions)
    cut = data.draw(st.integers(0, len(X)))
    A, B = X[:cut], X[cut:]
    (special,) = term.specialise([X])
    first, second, whole = map(special.count, (A, B, X))
    together = fit(special, whole, X)
    say_the_same(fit(special, first + second, X), together, other)
    alone = fit(special, first, X)
    say_the_same(fit(special, (first + second) - second, X), alone, other)
    say_the_same(fit(special, whole - second, X), alone, other)
    empty = special.count(X[:0])
    say_the_same(fit(special, empty + whole - empty, X), together, other)


@every_setting
def test_counting_changes_nothing_that_was_counted(term, rng):
    X, _, _ = make_hand_signs(instances_per_style=1, random_state=int(rng.integers(100)))
    (special,) = term.specialise([X])
    first, second = special.count(X[:9]), special.count(X[9:])
    before = [np.array(getattr(first, field.name)).copy() for field in fields(first)]
    assert isinstance(first, Counts)
    _ = first + second, first - first
    for field, kept in zip(fields(first), before, strict=True):
        np.testing.assert_array_equal(getattr(first, field.name), kept)


@every_setting
def test_counts_matter(term):
    """Control: counts of other instances lead to something else."""
    X, y, _ = make_hand_signs(instances_per_style=5, random_state=0)
    air, bank = X[y == "air"], X[y == "bank"]
    special, _ = term.specialise([air, bank])
    first, second = special.count(air), special.count(bank)
    one, both = fit(special, first, X), fit(special, first + second, X)
    assert abs(one.log_likelihood(X) - both.log_likelihood(X)).max() > 0.01


def draw_sample(data):
    """Instances in two folds and three activities, some of them copies; cells may be empty."""
    X = data.draw(sequences(least=1, most=8))

    def draw(number):
        return np.array(
            data.draw(st.lists(st.integers(0, number - 1), min_size=len(X), max_size=len(X)))
        )

    return Sample(X, draw(3), draw(2), draw(2) > 0, 3, 2, copy_weight=0.15)


@pytest.mark.parametrize("term", AT_ONCE, ids=str)
@settings(max_examples=25)
@given(data=st.data())
def test_a_sample_at_once_is_one_by_one(term, data):
    sample = draw_sample(data)
    X = sample.X
    (special,) = term.specialise([X])
    contexts = [Context(c, X.actions, 0, np.random.default_rng(c)) for c in range(3)]
    at_once, plain = make_tally([special] * 3, sample), PlainTally([special] * 3, sample)
    assert type(at_once) is not PlainTally
    np.testing.assert_allclose(
        at_once.hold_out(contexts), plain.hold_out(contexts), rtol=1e-9, atol=1e-9
    )
    for mine, its in zip(at_once.learn(contexts), plain.learn(contexts), strict=True):
        assert type(mine) is type(its)
        say_the_same(mine, its, recode(X, X.actions))
        for field in fields(mine):
            assert np.shape(getattr(mine, field.name)) == np.shape(getattr(its, field.name))


@pytest.mark.parametrize("term", AT_ONCE, ids=str)
def test_copies_and_folds_matter(term):
    """Control: copies that count, and folds that are held out, change what is learned."""
    X, y, _ = make_hand_signs(instances_per_style=2, random_state=0)
    codes = np.unique(y, return_inverse=True)[1] % 3
    (special,) = term.specialise([X])
    contexts = [Context(c, X.actions, 0, np.random.default_rng(c)) for c in range(3)]
    every = np.arange(len(X))
    one = Sample(X, codes, every % 2, every % 5 == 0, 3, 2, copy_weight=0.15)
    scores = [
        make_tally([special] * 3, sample).hold_out(contexts)
        for sample in (one, replace(one, copy_weight=0.5), replace(one, fold=every // 2 % 2))
    ]
    assert abs(scores[0] - scores[1]).max() > 0.01
    assert abs(scores[0] - scores[2]).max() > 0.01


def test_which_terms_are_counted_at_once():
    names = {term.name for term in AT_ONCE}
    assert names >= set(DEFAULT_TERMS)
    X, _, _ = make_hand_signs(instances_per_style=1, random_state=0)
    sample = Sample(X, np.zeros(len(X), int), np.zeros(len(X), int), np.zeros(len(X), bool), 1, 1)
    for term in SETTINGS:
        (special,) = term.specialise([X])
        # tables are counted one by one, but keep no more than they need
        assert (special.tally(sample) is not None) == (term in AT_ONCE or term.name == "tables")
    assert Tables(table_sample="all").tally(sample) is None  # the full run needs them all


# what terms say


@every_setting
@settings(max_examples=15)
@given(data=st.data())
def test_levels_add_up_to_the_log_likelihood(term, data):
    """Also of unknown actions, of instances without intervals, and of none at all."""
    X, other = data.draw(sequences(least=1)), data.draw(sequences(longest=14))
    (special,) = term.specialise([X])
    learned = fit(special, special.count(X), X)
    assert type(learned) is term.fitted
    for Z in (recode(X, X.actions), recode(other, X.actions), X[:0]):
        said = learned.log_terms(Z)
        n, k, pairs = len(Z), len(Z.action), pair_offsets(Z)[-1]
        shapes = {"instance": (n,), "interval": (k,), "pair": (pairs,)}
        shapes["action"] = (n, len(X.actions))
        spoken = {name: value for name, value in said._asdict().items() if value is not None}
        assert spoken
        for level, value in spoken.items():
            assert value.shape == shapes[level]
            assert np.isfinite(value).all()
        found = learned.log_likelihood(Z)
        assert found.shape == (n,)
        np.testing.assert_allclose(found, said.by_instance(Z), rtol=1e-9, atol=1e-9)
        for d in range(n):
            np.testing.assert_allclose(learned.log_likelihood(Z[d]), found[[d]], rtol=1e-12)


@every_setting
@settings(max_examples=15)
@given(data=st.data())
def test_scores_of_many_are_those_of_each(term, data):
    """Also of unknown actions, of instances without intervals, and of none at all."""
    X, other = data.draw(sequences(least=1, most=8)), data.draw(sequences(longest=14))
    specials = term.specialise([X[::2], X[1::2], X])
    learned = [
        fit(special, special.count(part), X)
        for special, part in zip(specials, (X[::2], X[1::2], X), strict=True)
    ]
    for Z in (recode(other, X.actions), X[:0]):
        found = term.fitted.log_likelihoods(learned, Z)
        assert found.shape == (len(Z), 3)
        expected = np.transpose([one.log_likelihood(Z) for one in learned])
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@every_setting
def test_terms_learn_from_nothing(term):
    """From no instances, from instances without intervals, and without any known action."""
    X = IntervalSequences.from_lists([[], [("a", 0, 2), ("b", 1, 3)], []])
    (special,) = term.specialise([X])
    for part in (X[:0], X[:1], X):
        learned = fit(special, special.count(part), X)
        assert np.isfinite(learned.log_likelihood(X)).all()
    nothing = X[[0, 2]]
    nothing = IntervalSequences.from_lists(nothing.to_lists())
    assert nothing.actions == ()
    (special,) = term.specialise([nothing])
    learned = fit(special, special.count(nothing), nothing)
    assert np.isfinite(learned.log_likelihood(recode(X, ()))).all()
    assert isinstance(learned.describe(), pd.DataFrame)
    assert isinstance(learned.brief(), str)


@every_setting
def test_an_unknown_action_is_as_likely_in_every_activity(term):
    """So a single interval of it speaks for none; an absent action may."""
    X, y, _ = make_hand_signs(instances_per_style=3, random_state=0)
    air, bank = term.specialise([X[y == "air"], X[y == "bank"]])
    learned = [fit(air, air.count(X[y == "air"]), X), fit(bank, bank.count(X[y == "bank"]), X)]
    new = recode(IntervalSequences.from_lists([[("never seen", 0, 1)], []]), X.actions)
    one, none = np.transpose([part.log_likelihood(new) for part in learned])
    # an interval more is an interval more, whatever its action
    published = isinstance(term, Tables) and term.node_likelihood == "published"
    if not (published or isinstance(term, Length)):
        assert one[0] - one[1] == pytest.approx(none[0] - none[1], abs=1e-9)


@every_setting
def test_descriptions(term):
    X, y, _ = make_hand_signs(instances_per_style=5, random_state=0)
    parts = [X[y == "air"], X[y == "bank"]]
    (special, _), X = term.specialise(parts), parts[0]
    learned = fit(special, special.count(X), X)
    frame = learned.describe()
    assert len(frame) > 0
    known = [*X.actions, ""]
    for column in {"action", "first", "second", "parent", "child", "before", "last"} & set(frame):
        assert frame[column].isin(known).all()
    if "probability" in frame:
        assert frame["probability"].between(0, 1).all()
    assert learned.brief()
    activity = ActivityModel("air", X.actions, {term.name: learned}, X.lengths, 1.0)
    assert f"; {term.name} ({learned.brief()})" in repr(activity)
    assert term.name in activity
    assert activity[term.name] is learned
    with pytest.raises(OptionError, match=f"term='unheard of' is not a term .* has '{term.name}'"):
        activity["unheard of"]


def test_differences_of_terms_are_level_by_level():
    mine = LogTerms(instance=np.array([3.0]), interval=np.array([1.0, 2.0]), horizon=7)
    its = LogTerms(instance=np.array([1.0]), interval=np.array([1.0, -2.0]), horizon=7)
    instance, interval, pair, action, horizon = mine - its
    assert (instance.tolist(), interval.tolist(), pair, action) == ([2], [0, 4], None, None)
    assert horizon == mine.scaled(2).horizon == 7


# estimators


@pytest.fixture(scope="module")
def signs():
    X, y, _ = make_hand_signs(instances_per_style=4, random_state=1)
    chosen = np.isin(y, ["bus", "lab", "leg", "quiz"])
    return X[chosen], y[chosen]


ESTIMATORS = [
    IBGNClassifier(**SHORT, random_state=0),
    IBGNClassifier("learned", node_likelihood="sequential", **SHORT, random_state=0),
    IBGNClassifier("chain", unlinked="ignore", tolerance=0.2, **SHORT, random_state=0),
    IBGNClassifier.published("full", **SHORT, random_state=0),
    IBGNClassifier(terms=["actions"]),
    IBGNClassifier(terms=[Relations("chain", smoothing=0.5), "actions"]),
    IBGNClassifier(terms=SETTINGS[6:8] + SETTINGS[11:12] + SETTINGS[15:17], random_state=0),
    IBGNClassifier(terms=tuple(TERMS), **SHORT, random_state=0),
    IHMMClassifier("overlap"),
    DBNClassifier(3),
    ITBNClassifier(),
    ITBNClassifier("first", comparison="links"),
    ITBNClassifier("first", comparison="per-link"),
]
NEW = [
    [],
    [("never seen", 0, 9)],
    [("never seen", 0, 9), ("right thumb bent", 1, 3), ("nor this", 2, 4)],
    [("right thumb bent", n, n + 2) for n in range(20)],
]


def with_prior(estimator):
    return clone(estimator).set_params(
        class_prior={"bus": 1.0, "lab": 2.0, "leg": 3.0, "quiz": 0.5}
    )


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=range(len(ESTIMATORS)))
def test_scores_and_prior_are_the_joint(estimator, signs):
    X, y = signs
    with pytest.raises(NotFittedError):
        estimator.scores(X)
    model = with_prior(estimator).fit(X, y)
    for new in (X, NEW, X[:0]):
        scores = model.scores(new)
        assert scores.shape == (len(new), len(model.terms_), 4)
        joint = model._joint_log_likelihood(new)
        weighted = model._weights @ scores + model.class_log_prior_
        np.testing.assert_allclose(weighted, joint, rtol=1e-12)
        coded = model._coded(
            model._prepare(IntervalSequences.from_lists(new) if new is NEW else new)
        )
        for c, activity in enumerate(model.activities_.values()):
            np.testing.assert_array_equal(activity.log_likelihood(coded), scores[..., c])
            for t, (name, said) in enumerate(activity.log_terms(coded).items()):
                assert name == model.terms_[t]
                np.testing.assert_allclose(said.by_instance(coded), scores[:, t, c], atol=1e-8)
    assert (model.scores(X).std(axis=2) > 0).any(axis=0).all()  # control: activities differ


@pytest.mark.usefixtures("unquestioned")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=range(len(ESTIMATORS)))
def test_explanations_add_up_at_every_level(estimator, signs):
    X, y = signs
    model = with_prior(estimator).fit(X, y)
    for one in [*X[::5], *IntervalSequences.from_lists(NEW)]:
        found = model.explain(one, activity="leg", against="bus")
        joint = dict(zip(model.classes_, model._joint_log_likelihood(one)[0], strict=True))
        assert found.log_odds == pytest.approx(joint["leg"] - joint["bus"], rel=1e-9, abs=1e-8)
        assert found.prior == pytest.approx(np.log(3))
        scores = model.scores(one)[0]
        leg, bus = model.classes_.tolist().index("leg"), model.classes_.tolist().index("bus")
        lead = model._weights * (scores[:, leg] - scores[:, bus])
        expected = dict(zip(model.terms_, lead, strict=True))
        assert found.sums == pytest.approx(expected, rel=1e-9, abs=1e-8)
        frame = found.frame()
        assert frame["contribution"].sum() == pytest.approx(found.log_odds, rel=1e-9, abs=1e-8)
        assert frame.query("term == 'prior'")["contribution"].tolist() == [found.prior]
        for name, said in found.terms.items():
            rows = frame[frame["term"] == name]
            for level, value in said._asdict().items():
                added = rows[rows["level"] == level]["contribution"]
                total = 0 if value is None else value.sum()
                assert added.sum() == pytest.approx(total, rel=1e-9, abs=1e-8)
                assert value is not None or added.empty
        of_intervals = frame[frame["level"] == "interval"]
        np.testing.assert_allclose(
            of_intervals.groupby("first")["contribution"].sum(),
            found.intervals[np.unique(of_intervals["first"]).astype(int)],
            atol=1e-8,
        )
        of_pairs = frame[frame["level"] == "pair"]["contribution"]
        assert of_pairs.sum() == pytest.approx(found.pairs.sum(), rel=1e-9, abs=1e-8)


def test_every_estimator_of_the_library_is_tested():
    ours = {
        kind
        for kind in METHODS.values()
        if kind.__module__.startswith("ibgn.") and issubclass(kind, ActivityClassifier)
    }
    assert ours == {type(estimator) for estimator in ESTIMATORS}


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        (["unheard of"], "has no term 'unheard of'; choose among 'actions', "),
        (["tables", 3], "has no term 3; choose among "),
        ([["tables"]], r"has no term \['tables'\]; choose among "),
        ([Actions], "has no term <class .*Actions'>; choose among "),
        (["tables", "relations", "tables"], "names 'tables' twice"),
        (["actions", Actions(2.0)], "names 'actions' twice"),
        ("tables", "must be a list of terms or their names"),
        ([], "must be a list of terms or their names"),
        ((), "must be a list of terms or their names"),
        (None, "must be a list of terms or their names"),
        (iter(["tables"]), "must be a list of terms or their names"),
        ({"tables"}, "must be a list of terms or their names"),
        (Actions(), "must be a list of terms or their names"),
    ],
    ids=lambda value: type(value).__name__,  # an iterator shows where it lies in memory
)
def test_terms_that_are_none(terms, reason, signs):
    with pytest.raises(OptionError, match=f"terms=.* {reason}"):
        IBGNClassifier(terms=terms).fit(*signs)


def test_named_terms_take_the_options_of_the_estimator(signs):
    """And those with options of their own keep them."""
    model = IBGNClassifier(
        "chain",
        terms=["relations", Actions(7.0)],
        smoothing=0.25,
        unlinked="marginal",
        random_state=0,
    ).fit(*signs)
    related, actions = model._make_terms()
    assert related == Relations("chain", smoothing=0.25, unlinked="marginal")
    assert actions == Actions(7.0)
    own = IBGNClassifier(terms=[related, Actions(7.0)], smoothing=9.0, random_state=0).fit(*signs)
    np.testing.assert_array_equal(own.scores(signs[0]), model.scores(signs[0]))
    other = IBGNClassifier(
        "chain", terms=["relations", "actions"], smoothing=9.0, random_state=0
    ).fit(*signs)
    assert (other.scores(signs[0]) != model.scores(signs[0])).any(axis=(0, 2)).all()


def test_terms_do_not_depend_on_each_other(signs):
    """Each is learned as if it were alone, whatever the order of all."""
    X, y = signs
    both = IBGNClassifier(terms=["relations", "actions"], random_state=0).fit(X, y).scores(X)
    swapped = IBGNClassifier(terms=["actions", "relations"], random_state=0).fit(X, y).scores(X)
    np.testing.assert_array_equal(both, swapped[:, ::-1])
    alone = IBGNClassifier(terms=["actions"], random_state=0).fit(X, y).scores(X)
    # folds of several terms are added up, one term has no folds: only rounding differs
    np.testing.assert_allclose(both[:, [1]], alone, rtol=1e-12)
