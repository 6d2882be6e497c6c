"""A page of a report shows every name as it is written, loads nothing, and can be read by all."""

import dataclasses
import html
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from browsing import Watched
from ibgn import reproduction
from ibgn.classifiers import DBNClassifier
from ibgn.classifiers.ibgn import IBGNClassifier
from ibgn.errors import DataError
from ibgn.evaluation.conditions import NOISES
from ibgn.evaluation.courses import KINDS, Course
from ibgn.evaluation.early import EarlyEvaluation
from ibgn.evaluation.evaluate import evaluate
from ibgn.evaluation.folds import make_folds
from ibgn.intervals import IntervalSequences
from ibgn.plots import plot_structure, plot_term, plot_timeline
from ibgn.report import SECTIONS, Figure, Origin, find, make_report
from ibgn.report.html import PAGE, render
from ibgn.report.sections import reproduce
from ibgn.report.svg import draw_svg
from ibgn.report.words import (
    after_number,
    as_cell,
    as_count,
    as_name,
    as_number,
    as_p,
    as_percent,
    as_seconds,
    as_share,
    as_signed,
    as_text,
    judge_confidence,
    meaning_of_error,
    number_columns,
)
from ibgn.text import printable
from outlines import Outline

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{7*7}}{% raw %}",
    "$x_1$",
    "</style></title>",
    "&amp;",
    "a\ttab",
    "right \u202e to left",
    "emoji \N{GRINNING FACE}",
    "long " + "x" * 295,
    "fill: #404040; url(#p1)",
]
TEXT = "1 < 2 & <b>3</b> {{7*7}} </title><script>alert(1)</script>"


@pytest.fixture(scope="module")
def findings():
    """A small experiment whose every name is hostile."""
    rng = np.random.default_rng(0)
    lists, labels = [], []
    for number, label in enumerate(HOSTILE):
        for _ in range(4):
            times = np.sort(rng.random((4, 2)), axis=1) + np.array([0, 1])
            names = [HOSTILE[(number + step) % len(HOSTILE)] for step in (0, 0, 1, 2)]
            lists.append([(n, *map(float, t)) for n, t in zip(names, times, strict=True)])
            labels.append(label)
    ids = [f"{HOSTILE[k % len(HOSTILE)]} {k}" for k in range(len(lists))]
    X, y = IntervalSequences.from_lists(lists, ids=ids), np.array(labels, object)
    methods = {
        "<i>DBN</i>": lambda seed: DBNClassifier(),
        "IBGN & co": lambda seed: IBGNClassifier(draws=60, budget=600, random_state=seed),
    }
    folds = make_folds(X, y, n_splits=2)
    origin = Origin(f"Title {TEXT}", f"Question {TEXT}", f"ibgn {TEXT}\nsecond line", 1, "any")
    evaluation = evaluate(X, y, methods, folds, seed=1)
    curves = {"robustness": _robustness(methods), "learning": _learning(methods)}
    early = _early(evaluation, X)
    found = find(origin, X, y, evaluation, folds, methods, early=early, **curves)
    few = dict(list(found.activities.items())[:3])
    looked = dataclasses.replace(found.inspection, warnings=(f"Warning {TEXT}", "another"))
    return dataclasses.replace(found, activities=few, hardest=found.hardest[:2], inspection=looked)


def _robustness(methods):
    rows = [(name, "none", 0.0, 0.9, 0.02) for name in methods]
    rows += [(name, "<i>Loss</i>", rate, 0.8, np.nan) for name in methods for rate in (0.1, 0.2)]
    return pd.DataFrame(rows, columns=["method", "error", "rate", "accuracy", "accuracy_error"])


def _learning(methods):
    rows = [
        (name, size, number, *(0.8, 0.02, 0.5, 0.1))
        for name in methods
        for size, number in (("10%", 1.5), ("all", 12.0))
    ]
    scores = ["accuracy", "accuracy_error", "log_loss", "log_loss_error"]
    return pd.DataFrame(rows, columns=["method", "size", "per_activity", *scores])


def _early(evaluation, X):
    """Results on instances that go on, as if there were some."""
    keys = ["method", "repeat", "fold"]
    looks = [
        [frame.assign(seen=seen, draw=0) for seen in (0.5, 1.0)]
        for frame in (evaluation.scores, evaluation.predictions)
    ]
    trials = evaluation.scores[[*keys, "test"]]
    records = trials[keys].assign(number=0, seen=0.4, odds=2.0, right=True)
    thresholds = trials.assign(error=0.2, threshold=1.0)
    rising = np.linspace(0.06, 0.9, 4)
    shares = np.outer(1 - rising, np.full(len(HOSTILE) - 1, 1 / (len(HOSTILE) - 1)))
    times = pd.Index([0.0, 0.6, 1.2, 2.0], name="time")
    names = [*HOSTILE[:-1], "time"]
    posterior = pd.DataFrame(np.column_stack([rising, shares]), times, names)
    labels = dict(zip(KINDS, (HOSTILE[0], HOSTILE[0], HOSTILE[1]), strict=True))
    courses = [
        Course(kind, name, HOSTILE[1], label, 0.4, posterior, 9, X[0].to_lists()[0])
        for name in ("<i>DBN</i>", "IBGN & co")
        for kind, label in labels.items()
    ]
    tried = [pd.concat(frames, ignore_index=True) for frames in looks]
    return EarlyEvaluation(evaluation, *tried, records, thresholds, courses)


@pytest.fixture(scope="module")
def report(findings):
    return make_report(findings)


@pytest.fixture(scope="module")
def page(report):
    return report.html()


@pytest.fixture
def untouched():
    """Nothing that matplotlib shares may be changed by a test."""
    before, numbers, backend = dict(mpl.rcParams), plt.get_fignums(), mpl.get_backend()
    yield
    assert dict(mpl.rcParams) == before
    assert (plt.get_fignums(), mpl.get_backend()) == (numbers, backend)


@pytest.fixture(scope="module")
def outline(page):
    return Outline(page)


def test_tags_are_balanced(outline):
    assert not outline.wrong
    assert not outline.open
    assert Outline("<p><b>x</p>").wrong  # the check can fail


def test_nothing_is_run_or_loaded(page, outline):
    assert "http:" not in page.lower()
    assert "https:" not in page.lower()
    assert not list(outline.active())
    (policy,) = [a["content"] for t, a in outline.tags if a.get("http-equiv")]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_names_are_text(page, outline):
    words = "".join(outline.words)
    for name in HOSTILE:
        assert printable(name, 80) in words
    for start in ("Title", "Question", "Warning", "ibgn"):
        assert f"{start} {TEXT}" in words
    assert "49" not in "".join(re.findall(r"<title>.*</title>", page))


def test_ids_are_unique_and_found(outline):
    ids = Counter(attributes["id"] for _, attributes in outline.tags if "id" in attributes)
    assert max(ids.values()) == 1
    for _, attributes in outline.tags:
        links = re.findall(r"^#(.+)|url\(#(.+)\)", attributes.get("href") or "")
        links += re.findall(r"^#(.+)|url\(#(.+)\)", attributes.get("clip-path") or "")
        named = {attributes.get("aria-labelledby"), attributes.get("for")} - {None}
        assert {"".join(link) for link in links} | named <= set(ids)


def test_drawings_have_names_and_tables_have_heads(report, outline):
    pictures = [attributes for tag, attributes in outline.tags if tag in ("svg", "img")]
    left_out = {"comparison"}  # the page has it as a column of a table
    assert len(pictures) == len(set(report.figures) - left_out)
    assert all(one["role"] == "img" and one["aria-label"].strip() for one in pictures)
    names = Counter(tag for tag, _ in outline.tags)
    assert names["table"] == names["caption"] > 5
    regions = [a["aria-label"] for _, a in outline.tags if a.get("role") == "region"]
    assert len(regions) == names["table"]
    assert set(regions) <= set(outline.words)
    assert all(a.get("scope") in ("row", "col") for tag, a in outline.tags if tag == "th")


def test_headings_descend_in_order(outline):
    levels = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_same_findings_give_the_same_page(findings, page):
    assert make_report(findings).html() == page


def test_a_page_does_not_depend_on_settings(report, untouched):
    name = "explanation-0"
    plain = draw_svg(report.figures[name], "a-")
    odd = {"svg.fonttype": "path", "font.size": 20, "axes.grid": True, "lines.linewidth": 9}
    with plt.style.context("dark_background"), plt.rc_context(odd):
        assert draw_svg(report.figures[name], "a-") == plain


def test_open_figures_stay_and_others_are_closed(untouched):
    def fail():
        plt.figure()
        raise RuntimeError("no drawing")

    mine = plt.figure()
    draw_svg(Figure(lambda: plot_timeline([("reach", 0, 2)]), "one reach"), "a-")
    with pytest.raises(RuntimeError, match="no drawing"):
        draw_svg(Figure(fail, "nothing"), "a-")
    assert plt.gcf() is mine
    plt.close(mine)


def test_figures_follow_the_theme_and_names_stay_as_they_are(untouched):
    name = "fill: #404040; <b>"
    drawn = draw_svg(Figure(lambda: plot_timeline([(name, 0, 2)]), "<i>&\ud800"), "a-")
    outline = Outline(drawn)
    assert not outline.wrong
    assert name in outline.words
    assert outline.tags[0][1]["aria-label"] == "<i>&\\ud800"
    styles = " ".join(attributes.get("style", "") for _, attributes in outline.tags)
    assert "var(--figure-ink)" in styles
    assert "var(--figure-line)" in styles
    assert "#404040" not in styles
    assert not re.findall(r"\d\.\d{4}", drawn)


@pytest.mark.parametrize(
    "plot",
    [
        lambda model: plot_structure(model.activities_["tea"]),
        lambda model: plot_term(model, "relations", "tea"),
    ],
)
def test_areas_that_are_black_or_empty_follow_the_theme(plot, untouched):
    X = IntervalSequences.from_lists([[("a", 0, 1), ("b", 2, 3), ("c", 4, 5)]] * 3)
    model = IBGNClassifier("chain", terms=["relations"]).fit(X, ["tea"] * 3)
    tags = Outline(draw_svg(Figure(lambda: plot(model), "areas"), "a-")).tags
    styles = " ".join(attributes.get("style", "") for _, attributes in tags)
    assert not re.findall("fill: #(?:202020|ececec)", styles)


def test_no_caption_is_repeated(page):
    captions = re.findall(r"(?s)<figcaption>(.*?)</figcaption>", page)
    assert captions
    assert len(captions) == len(set(captions))


@pytest.mark.parametrize("name", ["model", "hardest"])
def test_a_section_about_one_method_names_it(name, page):
    section = re.search(rf'(?s)<section id="{name}".*?</section>', page)[0]
    assert "IBGN &amp; co" in re.sub("(?s)<svg.*?</svg>", "", section)


NAMES = [section.name for section in SECTIONS]


@pytest.mark.parametrize("name", NAMES)
def test_what_there_is_nothing_of_is_left_out(name, report):
    def places(summary):
        figures = {name: Figure(lambda: plot_timeline([]), name) for name in report.figures}
        tags = Outline(render(PAGE, summary, figures, SECTIONS)).tags
        return {a.get("id") for _, a in tags}, {a.get("href") for _, a in tags}

    nothing = dict.fromkeys(NAMES)
    ids, links = places(report.summary | nothing)
    assert not set(NAMES) & ids
    assert not {link for link in links if link} - {"#main"}
    if name not in ("model", "hardest", "robustness"):  # these are drawn often enough
        ids, links = places(report.summary | nothing | {name: report.summary[name]})
        assert name in ids
        assert f"#{name}" in links


def test_numbers_that_are_not_known_are_dashes(report):
    def forget(value):
        if isinstance(value, dict):
            return {key: forget(one) for key, one in value.items()}
        if isinstance(value, list):
            return [forget(one) for one in value]
        return None if isinstance(value, float) else value

    kept = ("title", "question", "headline", "comparison", "activities", "data", "model")
    told = dict.fromkeys(report.summary) | {name: forget(report.summary[name]) for name in kept}
    told["data"] |= {"relations": {}, "intervals_per_action": {}, "groups": None, "warnings": []}
    page = render(PAGE, told, report.figures, SECTIONS)
    assert page.count('title="not known"') > 20
    assert "None" not in "".join(Outline(page).words)
    assert "Nothing in the data looks like a mistake." in page


PAPER = {
    "title": f"Paper {TEXT}",
    "question": f"Question {TEXT}",
    "headline": f"Headline {TEXT}",
    "sections": [
        {
            "title": f"Section {TEXT}",
            "lead": [f"First {TEXT}", "second"],
            "figures": ["one", "two"],
            "tables": [
                {
                    "caption": f"Table {TEXT}",
                    "columns": [f"name {TEXT}", "share", "note"],
                    "rows": [[f"row {TEXT}", 0.9017, None], ["b", "0.8 ± 0.1", "x"]],
                    "note": f"Note {TEXT}",
                },
                {"caption": "empty", "columns": ["a"], "rows": [], "note": None},
            ],
            "verdicts": [
                {"agrees": True, "text": f"Yes {TEXT}"},
                {"agrees": False, "text": "no"},
                {"agrees": None, "text": "perhaps"},
            ],
        }
    ],
    "reproduce": {"command": "ibgn paper", "seed": 0, "versions": {"ibgn": "1"}},
}


TEMPLATE = (Path(reproduction.__file__).parent / "templates" / "paper.html").read_text("utf-8")


@pytest.fixture(scope="module")
def paper():
    figures = {
        name: Figure(lambda name=name: plot_timeline([(name, 0, 1)]), f"alt {name} {TEXT}")
        for name in ("one", "two")
    }
    return render(TEMPLATE, PAPER, figures, [reproduce.SECTION])


def test_a_paper_has_sections_tables_and_verdicts(paper):
    outline = Outline(paper)
    assert not outline.wrong
    words = "".join(outline.words)
    for start in ("Paper", "Question", "Headline", "Section", "First", "Table", "row", "Note"):
        assert f"{start} {TEXT}" in words
    for word in ("✓ agrees", "✗ differs", "? cannot tell", "0.902"):
        assert word in words
    ids = Counter(attributes["id"] for _, attributes in outline.tags if "id" in attributes)
    assert max(ids.values()) == 1
    assert [a["aria-label"] for t, a in outline.tags if t == "svg"][1] == f"alt two {TEXT}"


def test_what_cannot_be_encoded_is_written_out():
    said = PAPER | {"title": "a \ud800 b\0c", "sections": []}
    page = render(TEMPLATE, said, {}, [reproduce.SECTION])
    assert '<h1 id="title">a \\ud800 b\\x00c</h1>' in page
    page.encode()


def test_a_figure_that_does_not_exist_is_named():
    with pytest.raises(DataError, match="shows a figure 'one' that does not exist"):
        render(TEMPLATE, PAPER, {}, [reproduce.SECTION])


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (as_share(0.9017), ".902"),
        (as_share(0.99999), "1.000"),
        (as_share(-0.05), "−.050"),
        (as_share(10.5), "10.500"),
        (as_share(0.904, 1), ".9"),
        (as_number(-0.0001, 2), "0.00"),
        (as_number(1234.5, 1), "1,234.5"),
        (as_signed(0.0), "+0.00"),
        (as_signed(-1.234), "−1.23"),
        (as_count(12345), "12,345"),
        (as_count(3.14159), "3.14"),
        (as_percent(0.256), "26%"),
        (as_p(0.0312), "0.031"),
        (as_p(0), "< 0.001"),
        (as_seconds(0.0001), "0.1 ms"),
        (as_seconds(0.25), "250 ms"),
        (as_seconds(59.49), "59.5 s"),
        (as_seconds(119.7), "2 min 0 s"),
        (as_seconds(86400), "24 h 0 min"),
        (as_cell("x"), "x"),
        (as_cell(1234), "1,234"),
        (as_cell(True), "True"),
    ],
)
def test_numbers_are_written_for_reading(written, shown):
    assert written == shown


@pytest.mark.parametrize("missing", [None, float("nan"), float("inf")])
def test_what_is_not_a_number_is_a_dash(missing):
    for write in (as_share, as_number, as_signed, as_count, as_percent, as_p, as_seconds, as_cell):
        assert write(missing) == '<span class="unknown" title="not known">–</span>'


def test_columns_of_numbers_are_told_from_words():
    rows = [["a", 1, "0.9 ± 0.1", None, True], ["b", None, "< 0.001", None, False]]
    assert number_columns(rows) == [False, True, True, True, False]


def test_errors_in_the_data_are_named_and_those_of_the_library_explained():
    assert meaning_of_error("<b>") == '<b class="capital">&lt;b&gt; errors</b>'
    for error in NOISES:
        assert meaning_of_error(error).startswith(f'<b class="capital">{error} errors</b>: ')
    assert (after_number(""), after_number("s")) == ("", "\N{NO-BREAK SPACE}s")


def test_confidence_is_judged_by_what_chance_explains():
    row = {"confidence": 0.9, "accuracy": 0.5, "always_sure": False}
    row |= {"calibration_error": 0.4, "calibration_limit": 0.1}
    assert judge_confidence(row) == "It is too sure of itself."
    assert "the difference may be chance" in judge_confidence(row | {"calibration_limit": 0.4})
    assert judge_confidence(row | {"confidence": 0.2}) == "It is not sure enough of itself."
    mixed = judge_confidence(row | {"confidence": 0.51})
    assert mixed == "It is too sure of some predictions and not sure enough of others."
    assert "states no probabilities" in judge_confidence(row | {"always_sure": True})


@given(st.text(st.characters(codec=None)))
def test_any_text_is_shown_and_nothing_of_it_is_markup(text):
    inside = str(as_name(text)).removeprefix("<bdi>").removesuffix("</bdi>")
    assert not set(inside) & set("<>\"'")
    assert html.unescape(inside) == printable(text, 80)
    as_text(text).encode()


# in a browser

SLOW_FIXTURES = ("browser",)


@pytest.fixture(scope="module")
def saved(page, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report & more.html"
    path.write_text(page, encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=["light-1280", "dark-1280", "light-380", "dark-380"])
def watched(request, browser, saved):
    theme, width = request.param.split("-")
    opened = Watched(browser, saved, theme, int(width))
    yield opened
    opened.context.close()


def test_a_browser_has_nothing_to_complain_about(watched):
    assert not watched.events


def test_text_stands_out_and_nothing_is_cut_off_at_the_side(watched):
    assert watched.faint() == []
    assert watched.sideways() == 0


def test_hostile_names_are_read_in_the_browser(watched):
    watched.unfold()
    words = " ".join(watched.page.inner_text("body").split())
    for name in HOSTILE:
        assert " ".join(printable(name, 80).split()) in words
    assert " ".join(f"Title {TEXT}".split()) in words


def test_the_page_is_no_blank(watched):
    assert len(watched.picture().getcolors(1 << 24)) > 20


def test_a_page_that_does_what_it_must_not_is_found_out(browser, tmp_path):
    path = tmp_path / "bad.html"
    path.write_text(
        "<p style='color: #999; background: #aaa'>grey</p><p style='width: 3000px'>wide</p>"
        "<img src='http://127.0.0.1:9/x.png'><script>console.warn('told'); alert('asked')</script>"
    )
    bad = Watched(browser, path)
    assert {"told", "dialog asked", "request http://127.0.0.1:9/x.png"} <= set(bad.events)
    assert [text for text, _ in bad.faint()] == ["grey"]
    assert bad.sideways() > 0
    bad.context.close()


def test_the_theme_can_be_chosen_without_script(browser, saved):
    opened = Watched(browser, saved)
    light = np.asarray(opened.picture(), float).mean()
    opened.page.click("label[for=theme-dark]")
    assert np.asarray(opened.picture(), float).mean() < light / 2
    assert opened.faint() == []
    opened.page.click("label[for=theme-auto]")
    assert np.asarray(opened.picture(), float).mean() > light - 5
    opened.context.close()


def test_the_first_key_leads_past_the_contents(browser, saved):
    opened = Watched(browser, saved)
    opened.page.keyboard.press("Tab")
    assert opened.page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    opened.page.keyboard.press("Enter")
    assert opened.page.evaluate("document.activeElement.id") == "main"
    opened.context.close()


def test_print_is_light_and_leaves_out_what_is_folded(browser, saved):
    opened = Watched(browser, saved, "dark", 700)
    opened.page.emulate_media(media="print")
    assert opened.faint() == []
    assert opened.sideways() == 0
    assert np.asarray(opened.picture(), float).mean() > 200
    assert not opened.page.locator(".theme").is_visible()
    assert not opened.page.locator("summary").filter(visible=True).count()
    pages, alone = opened.printed()
    assert 3 < pages <= 12
    assert not alone
    opened.context.close()
    opened = Watched(browser, saved)
    opened.unfold()
    more, alone = opened.printed()
    assert more > pages  # what the reader opened is printed
    assert not alone
    opened.context.close()


def test_a_heading_alone_and_small_letters_are_found_out(browser, tmp_path):
    path = tmp_path / "bad.html"
    figure = "<svg viewBox='0 0 100 50' width='{}'><text style='font-size: 10px'>x</text></svg>"
    path.write_text(
        f"<main><figure class='drawing'>{figure.format(89)}{figure.format(100)}</figure>"
        "<div style='height: 20cm'></div><h2>alone</h2>"
        "<figure style='height: 15cm; break-inside: avoid'></figure></main>"
    )
    bad = Watched(browser, path)
    assert bad.small_letters() == [("x", pytest.approx(8.9))]
    assert bad.printed() == (2, ["alone"])
    bad.context.close()


def test_courses_are_put_into_words(report):
    first, _, mistaken = report.summary["early"]["courses"]
    assert first["when"] == "from 30% of the duration on"
    assert (mistaken["when"], mistaken["likeliest"]) == (None, HOSTILE[0])
    assert mistaken["alt"].endswith(f"is taken for {HOSTILE[0]}, not {HOSTILE[1]}.")
    frame = report.frames["early-courses"]
    assert len(frame) == 2 * 3 * 4 * len(HOSTILE)
    assert frame.groupby(["method", "kind", "time"])["probability"].sum().round(9).eq(1).all()


SEEK = """time => document.getAnimations().forEach(one => {
  one.pause();
  one.currentTime = time;
})"""
LEVELS = """() => [...document.querySelectorAll("#early-course-0-lines")]
  .flatMap(one => [...one.closest("figure").querySelectorAll(".level")])
  .map(level => getComputedStyle(level).getPropertyValue("--level"))"""


def test_a_film_is_played_without_script_when_the_reader_asks_for_it(browser, saved):
    for theme, width in (("light", 1280), ("dark", 380)):
        opened = Watched(browser, saved, theme, width)
        figure = opened.page.locator("figure.course").first
        film, lines = figure.locator(".film"), figure.locator(".drawing")
        assert (film.is_visible(), lines.is_visible()) == (False, True)
        assert opened.page.evaluate("document.getAnimations().length") == 0
        opened.page.click("label[for=early-course-0-play]")
        assert (film.is_visible(), lines.is_visible()) == (True, False)
        pictures, levels = [], []
        for seconds in (0, 3, 6, 10):
            opened.page.evaluate(SEEK, 1000 * seconds)
            pictures.append(film.screenshot())
            levels.append([int(level) for level in opened.page.evaluate(LEVELS)])
        assert [level[0] for level in levels] == [6, 34, 62, 90]
        assert len(set(pictures)) == 4
        assert opened.faint() == []
        assert opened.sideways() == 0
        assert film.get_attribute("aria-label") == lines.locator("svg").get_attribute("aria-label")
        assert not opened.events
        opened.context.close()


def test_a_film_can_be_paused_and_starts_over(browser, saved):
    opened = Watched(browser, saved)
    states = "document.getAnimations().map(one => one.playState)"
    opened.page.click("label[for=early-course-0-play]")
    assert set(opened.page.evaluate(states)) == {"running"}
    opened.page.keyboard.press("ArrowRight")  # as by a click on "pause"
    assert set(opened.page.evaluate(states)) == {"paused"}
    opened.page.click("label[for=early-course-0-lines]")
    assert opened.page.evaluate(states) == []
    opened.page.emulate_media(media="print")
    opened.page.evaluate("document.querySelector('#early-course-0-play').checked = true")
    assert not opened.page.locator(".film").filter(visible=True).count()
    opened.context.close()


def test_readers_who_prefer_less_motion_see_lines(browser, saved):
    opened = Watched(browser, saved)
    opened.page.click("label[for=early-course-0-play]")
    opened.page.emulate_media(reduced_motion="reduce")
    assert not opened.page.locator(".film, .course .choice, .played").filter(visible=True).count()
    assert opened.page.locator(".course .drawing").filter(visible=True).count() == 3
    assert opened.page.evaluate("document.getAnimations().length") == 0
    opened.context.close()


@pytest.mark.parametrize("width", [320, 380, 1280])
def test_letters_of_figures_can_be_read(browser, saved, width):
    opened = Watched(browser, saved, width=width)
    opened.unfold()
    assert opened.small_letters() == []
    assert opened.sideways() == 0
    opened.context.close()


def test_a_paper_is_read_in_the_browser(browser, paper, tmp_path):
    path = tmp_path / "paper.html"
    path.write_text(paper, encoding="utf-8")
    for theme, width in (("light", 1280), ("dark", 360)):
        opened = Watched(browser, path, theme, width)
        assert not opened.events
        assert opened.faint() == []
        assert opened.sideways() == 0
        opened.context.close()
