"""Errors and warnings as data: what they say, how they are shown, and that they can be sent."""

import copy
import pickle
import warnings

import pytest

from ibgn.checks import check_choice, check_jobs, check_number, check_whole
from ibgn.errors import MISSING, DataError, DataWarning, Option, OptionError, message_of
from ibgn.text import quote, without_values

SPOKEN = [
    DataError("the file is empty"),
    DataError("interval 3 is empty; ", Option("zero_length", "drop"), " drops it"),
    OptionError("smoothing", -1, "must be positive"),
    OptionError("rate", MISSING, "is needed, as ", Option("rate", 25)),
    OptionError("tracks", "a", "must be a list", prefix="day.csv: "),
    DataWarning("dropped 3 rows; ", Option("duplicates", "keep"), " keeps them"),
]


def as_flag(option):
    return f"--{option.name}" if option.value is MISSING else f"--{option.name} {option.value}"


@pytest.mark.parametrize("spoken", SPOKEN, ids=str)
@pytest.mark.parametrize("sent", [lambda e: pickle.loads(pickle.dumps(e)), copy.deepcopy])
def test_all_parts_survive_the_way_to_another_process(spoken, sent):
    arrived = sent(spoken)
    assert type(arrived) is type(spoken)
    assert (str(arrived), arrived.parts) == (str(spoken), spoken.parts)
    assert vars(arrived) == vars(spoken)


def test_what_is_missing_is_one_thing():
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING
    assert repr(MISSING) == "MISSING"


PYTHON = [
    "the file is empty",
    "interval 3 is empty; zero_length='drop' drops it",
    "smoothing=-1 must be positive",
    "rate= is needed, as rate=25",
    "day.csv: tracks='a' must be a list",
    "dropped 3 rows; duplicates='keep' keeps them",
]
SHELL = [
    "the file is empty",
    "interval 3 is empty; --zero_length drop drops it",
    "--smoothing -1 must be positive",
    "--rate is needed, as --rate 25",
    "day.csv: --tracks a must be a list",
    "dropped 3 rows; --duplicates keep keeps them",
]


@pytest.mark.parametrize(
    ("spoken", "python", "shell"), list(zip(SPOKEN, PYTHON, SHELL, strict=True))
)
def test_an_option_is_shown_as_the_reader_would_write_it(spoken, python, shell):
    assert str(spoken) == message_of(spoken) == python
    assert message_of(spoken, as_flag) == shell


def test_text_that_looks_like_an_option_is_text():
    """What messages quote from data is never taken for an option."""
    error = DataError("column label='x' not found")
    assert message_of(error, as_flag) == "column label='x' not found"


def test_errors_of_others_are_shown_as_they_are():
    assert message_of(ValueError("closed='both'"), as_flag) == "closed='both'"


@pytest.mark.parametrize("error", [e for e in SPOKEN if isinstance(e, DataError)], ids=str)
def test_a_place_is_put_in_front(error):
    placed = error.within("b.csv: ").within("a.zip: ")
    assert type(placed) is type(error)
    assert str(placed) == f"a.zip: b.csv: {error}"
    assert message_of(placed, as_flag) == f"a.zip: b.csv: {message_of(error, as_flag)}"
    if isinstance(error, OptionError):
        assert (placed.option, placed.value) == (error.option, error.value)


def test_an_error_can_be_reworded():
    error = OptionError("closed", "up", "is not a choice")
    error.reword(as_flag)
    assert str(error) == message_of(error) == "--closed up is not a choice"
    assert (error.option, error.value) == ("closed", "up")


def test_wrong_use_is_a_data_error_and_both_are_value_errors():
    assert issubclass(OptionError, DataError)
    assert issubclass(DataError, ValueError)
    assert issubclass(DataWarning, UserWarning)


def test_a_warning_can_be_given_as_text_and_as_itself():
    with pytest.warns(DataWarning) as by_text:
        warnings.warn("few rows", DataWarning, stacklevel=1)
    with pytest.warns(DataWarning) as by_itself:
        warnings.warn(DataWarning("few rows"), stacklevel=1)
    assert by_text[0].message.parts == by_itself[0].message.parts == ("few rows",)


def test_a_value_is_shown_on_one_line_and_not_at_any_length():
    shown = str(Option("null", "\x1b[31m" + "a\n" * 1000))
    assert shown.isprintable()
    assert len(shown) < 300
    assert shown.endswith("…")


@pytest.mark.parametrize("name", ["plain", "it's", 'a "b"', "both ' and \"", "back\\", "\\'"])
def test_messages_of_one_kind_are_alike_without_their_values(name):
    assert without_values(f"in {quote(name)} 3 of 1e-05 s") == "in   of  s"


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: check_whole("n", 0, 1), "n=0 must be a whole number from 1 on"),
        (lambda: check_whole("n", True, 1), "n=True must be a whole number from 1 on"),
        (lambda: check_whole("n", 2.0, 1, 9_999), "n=2.0 must be a whole number from 1 to 9,999"),
        (lambda: check_number("x", -1, "positive", lambda x: x > 0), "x=-1 must be positive"),
        (
            lambda: check_number("x", float("inf"), "positive", lambda x: x > 0),
            "x=inf must be a finite number, positive",
        ),
        (
            lambda: check_number("x", "1", "positive", lambda x: x > 0),
            "x='1' must be a finite number, positive",
        ),
        (lambda: check_jobs("jobs", 0), "jobs=0 must be a whole number other than 0, where"),
        (lambda: check_jobs("jobs", 1.5), "jobs=1.5 must be a whole number other than 0, where"),
        (
            lambda: check_choice("closed", ["both"], ("left", "both")),
            "closed=['both'] is not a choice; choose among 'left', 'both'",
        ),
    ],
)
def test_an_option_is_refused_with_its_value_and_what_it_must_be(check, message):
    with pytest.raises(OptionError) as caught:
        check()
    assert str(caught.value).startswith(message)


def test_what_options_can_be_passes():
    check_whole("n", 1, 1)
    check_number("x", 0.5, "positive", lambda x: x > 0)
    check_choice("closed", "both", ("left", "both"))
    for jobs in (None, 1, -1):
        check_jobs("n_jobs", jobs)
