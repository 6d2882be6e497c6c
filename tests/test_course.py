"""The course of probabilities of an instance: as a frame, as lines and as a moving picture."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from ibgn import DataError, DBNClassifier, animate_posterior, plot_posterior, trace_posterior
from ibgn.datasets import make_relations

UGLY = "$\\frac{1}{0}$ <b>&\x1b[31m"


@pytest.fixture(scope="module")
def taught():
    X, y = make_relations(instances_per_activity=4, random_state=0)
    return DBNClassifier().fit(X, y), X


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def make_course(**columns):
    return pd.DataFrame(columns, index=np.arange(len(next(iter(columns.values()))), dtype=float))


def test_a_course_ends_with_what_is_said_of_the_whole(taught):
    model, X = taught
    course = trace_posterior(model, X[0])
    assert course.index.is_monotonic_increasing
    assert course.index.name == "time"
    assert course.columns.tolist() == model.classes_.tolist()
    np.testing.assert_allclose(course.sum(axis=1), 1, atol=1e-9)
    np.testing.assert_allclose(course.iloc[-1], model.predict_proba(X[0])[0], atol=1e-9)


def test_what_happens_at_one_time_is_one_moment(taught):
    model, _ = taught
    course = trace_posterior(model, [("hold", 0, 2), ("hold", 2, 3), ("hold", 2, 5)])
    assert course.index.tolist() == [0, 2, 3, 5]


def test_a_course_is_that_of_one_instance(taught):
    model, X = taught
    with pytest.raises(ValueError, match="got 2; choose one"):
        trace_posterior(model, X[:2])


def test_lines_are_those_of_likely_activities_in_their_order():
    course = make_course(tea=[0.5, 0.9], soup=[0.01, 0.02], coffee=[0.49, 0.08])
    ax = plot_posterior(course)
    assert [line.get_ydata().tolist() for line in ax.lines] == [[0.5, 0.9], [0.49, 0.08]]
    assert "1 less likely not drawn" in ax.get_xlabel()
    many = make_course(**{f"activity {n}": [0.05 + n / 100] * 2 for n in range(12)})
    assert len(plot_posterior(many).lines) == 8


def test_names_are_written_as_they_are():
    for text in plot_posterior(make_course(**{UGLY: [0.5, 0.9]})).figure.findobj(plt.Text):
        assert not (text.get_text() and "frac" in text.get_text() and text.get_parse_math())


@pytest.mark.parametrize(
    ("course", "said"),
    [
        (pd.DataFrame(index=[0.0]), "a column per activity"),
        (make_course(tea=["a", "b"]), "are numbers"),
        (make_course(tea=[0.5, 1.5]), "from 0 to 1"),
        (pd.DataFrame({"tea": [0.5]}, index=[np.inf]), "are finite"),
    ],
)
def test_what_is_no_course_is_refused(course, said):
    with pytest.raises(DataError, match=said):
        plot_posterior(course)


def test_a_moving_picture_uncovers_what_has_happened(tmp_path):
    course = make_course(tea=[0.5, 0.9, 1.0], coffee=[0.5, 0.1, 0.0])
    film = animate_posterior(course, [("boil", 0, 1), ("pour", 1, 2)], seconds=0.5)
    film.save(tmp_path / "course.gif", writer="pillow")
    assert (tmp_path / "course.gif").read_bytes().startswith(b"GIF8")
    above, below = film._fig.axes
    right = below.get_xlim()[1]
    for ax in (above, below):  # after the last picture nothing is covered
        assert ax.patches[-1].get_x() == pytest.approx(right)


def test_nothing_cannot_be_animated():
    with pytest.raises(DataError, match="nothing to animate"):
        animate_posterior(make_course(tea=[0.5]), [])
