"""The page of `ibgn explore` in a browser: by keyboard and by mouse, and for everybody."""

import json
import re
import shutil
import threading

import numpy as np
import pytest

from browsing import FLAGS, PATIENCE, Watched
from exploring import served
from ibgn import IBGNClassifier, IntervalRidge
from ibgn.allen import Relation
from ibgn.datasets import make_relations, make_styles
from ibgn.explore import Collection, portraits
from ibgn.explore.desk import Desk
from ibgn.explore.following import Following
from ibgn.explore.history import History
from ibgn.explore.learning import Learning
from ibgn.explore.saving import Place
from ibgn.intervals import IntervalSequences
from ibgn.io import read, write
from ibgn.networks import read_networks

expect = pytest.importorskip("playwright.sync_api").expect
expect.set_options(timeout=PATIENCE)

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    '" onfocus="alert(3)" autofocus="',
    "javascript:alert(4)",
]


@pytest.fixture(scope="module")
def data():
    X, y = make_relations(instances_per_activity=6, random_state=0)
    return X, y.astype(object)


@pytest.fixture(scope="module")
def model(data):
    return IBGNClassifier(random_state=0).fit(*data)


@pytest.fixture
def place(tmp_path, data):
    source = tmp_path / "takes.csv"
    write(data[0], source, data[1])
    return Place(source, "csv")


@pytest.fixture
def desk(data, model):
    labels = data[1].copy()
    labels[[3, 9]] = None
    return Desk(Collection(data[0], labels), model, "takes.csv")


@pytest.fixture
def page(browser, desk, model, place):
    with served(desk, Learning(desk, model), place) as address:
        opened = Watched(browser, address)
        opened.page.locator(".posterior").wait_for()
        yield opened
        assert not opened.events
        opened.context.close()


def in_percent(share):
    if 0.995 <= share < 1:
        return ">99 %"
    return "<1 %" if 0 < share < 0.005 else f"{round(share * 100)} %"


def expect_posterior(page, model, intervals):
    """Wait until the page shows what the model says about some intervals."""
    proba = model.predict_proba([intervals])[0]
    best = model.classes_[proba.argmax()]
    expect(page.locator(".answer .posterior li").first).to_contain_text(str(best))
    for label, share in zip(model.classes_, proba, strict=True):
        item = page.locator(".answer .posterior li").filter(has_text=label)
        expect(item.locator(".share")).to_have_text(in_percent(share))


def draft(page):
    """Intervals of the timeline, by what is read out."""
    names = [bar.get_attribute("aria-label") for bar in page.locator("button.bar").all()]
    parts = [re.match(r"(.*), (\S+) to ([^\s,]+)", name).groups() for name in names]
    return sorted((name, float(start), float(end)) for name, start, end in parts)


def rounded(intervals):
    """Intervals as they are read out of the timeline."""
    return sorted((row.action, round(row.start, 2), round(row.end, 2)) for row in intervals)


def choose(view, name, value, by):
    """Choose an option of a field, by mouse or by keyboard."""
    field = view.locator(f"#choice-{name.lower().replace(' ', '-')}")
    if by == "mouse":
        field.select_option(value)
        return
    values = field.locator("option").evaluate_all("all => all.map(each => each.value)")
    field.focus()
    view.keyboard.press("Home")
    for _ in range(values.index(value)):
        view.keyboard.press("ArrowDown")
    expect(field).to_have_value(value)


def press(view, name, by):
    """Press a button, by mouse or by keyboard."""
    button = view.get_by_role("button", name=name, exact=True)
    if by == "mouse":
        button.click()
    else:
        button.focus()
        view.keyboard.press("Enter")


def open_row(view, number):
    """Open an instance by its number, and wait until it is drawn, also where it was open before."""
    view.get_by_role("combobox", name="Order").select_option("order")
    view.evaluate("document.querySelector('.head h2')?.setAttribute('data-before', '')")
    view.locator(f"#row-{number}").click()
    expect(view.locator(f"#row-{number}")).to_have_attribute("aria-selected", "true")
    name = view.locator(f"#row-{number} .item-id").inner_text()
    expect(view.locator(".head h2:not([data-before])")).to_have_text(name)


def let_draw(view):
    """Let the page work on what it was told, until a frame is drawn."""
    view.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")


def listed(view, number):
    """Numbers of the instances in the list, from top to bottom, once so many are drawn."""
    expect(view.locator(".item")).to_have_count(number)
    places = view.locator(".item").evaluate_all(
        "all => all.map(each => [Number(each.ariaPosInSet), Number(each.id.slice(4))])"
    )
    return [number for _, number in sorted(places)]


both = pytest.mark.parametrize("by", ["mouse", "keyboard"])


# -- looking ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def varied(data, model):
    """Instances of two people, of which one is there twice, with two labels; answers held out."""
    X, y = data
    rows = [*X.to_lists(), X.to_lists()[0]]
    groups = ["ann", "bob"] * 12 + ["cem"]
    X = IntervalSequences.from_lists(rows, [f"take {n}" for n in range(25)], groups)
    y = np.append(y, next(label for label in y if label != y[0]))
    y[4] = None
    return X, y, model


@both
def test_every_filter_shows_what_it_says(browser, varied, by):
    X, y, model = varied
    desk = Desk(Collection(X, y), model, "takes.csv")
    rows = desk.rows()
    right = [label == answer for label, answer in zip(y, rows["predicted"], strict=True)]
    some = str(y[0])
    expected = [
        ("Show", "wrong", [n for n in range(25) if y[n] is not None and not right[n]]),
        ("Show", "right", [n for n in range(25) if right[n]]),
        ("Show", "unsure", [n for n in range(25) if rows["probability"][n] < 0.6]),
        ("Show", "contradicts", [0, 24]),
        ("Show", "unlabelled", [4]),
        ("Label", some, [n for n in range(25) if y[n] == some]),
        ("Answer", some, [n for n in range(25) if rows["predicted"][n] == some]),
        ("Group", "bob", list(range(1, 24, 2))),
    ]
    assert len(expected[0][2]) > 0
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address)
        view = opened.page
        view.set_viewport_size({"width": 1280, "height": 2000})  # so that all rows are drawn
        view.locator(".posterior").wait_for()
        loss = [-1 if value is None else value for value in rows["loss"]]
        assert listed(view, 25) == sorted(range(25), key=lambda n: (-loss[n], n))
        for field, value, numbers in expected:
            choose(view, field, value, by)
            expect(view.locator(".count")).to_have_text(f"{len(numbers)} of 25 instances")
            assert sorted(listed(view, len(numbers))) == numbers
            press(view, "Clear filters", by)
            expect(view.locator(".count")).to_have_text("25 of 25 instances")
        choose(view, "Show", "contradicts", by)
        view.locator(".item").first.click()
        view.locator(".twins").get_by_text("The same intervals have another label").wait_for()
        view.locator(".twins button").click()
        expect(view.locator(".head h2")).to_have_text(re.compile("take (0|24)"))
        view.keyboard.press("/")
        view.keyboard.type("no such name")
        view.get_by_text("No instance is like that.").wait_for()
        assert not opened.events
        opened.context.close()


class Held:
    """Answers that come when they are released."""

    def __init__(self, view, path):
        self.view, self.path, self.routes = view, path, []
        view.route(path, lambda route: self.routes.append(route), times=1)

    def release(self):
        """Let the answer come, and the page take it."""
        while not self.routes:
            let_draw(self.view)
        with self.view.expect_response(self.path) as answer:
            self.routes.pop().continue_()
        answer.value.finished()
        let_draw(self.view)


def test_what_is_asked_for_last_is_shown(page):
    view = page.page
    open_row(view, 0)
    late = Held(view, "**/api/instances/1")
    view.get_by_role("listbox").focus()
    view.keyboard.press("ArrowDown")  # whose answer comes late
    view.keyboard.press("ArrowDown")
    expect(view.locator(".head h2")).to_have_text("2")
    late.release()
    expect(view.locator(".head h2")).to_have_text("2")
    expect(view.locator("#row-2")).to_have_attribute("aria-selected", "true")


def test_what_is_asked_for_is_shown_though_a_model_comes_before_its_answer(page, desk, model):
    view = page.page
    open_row(view, 0)
    late = Held(view, "**/api/instances/1")
    view.locator("#row-1").click()
    with view.expect_response("**/api/instances"):  # all is read again
        desk.take_model(model)
    late.release()
    expect(view.locator(".head h2")).to_have_text("1")
    expect(view.locator("#row-1")).to_have_attribute("aria-selected", "true")


def test_an_answer_that_is_overtaken_changes_nothing(page, desk):
    view = page.page
    open_row(view, 0)
    overtaken = []
    keep = lambda route: overtaken.append((route, route.fetch()))  # noqa: E731
    view.route("**/api/instances", keep, times=1)
    desk.change(1, {"version": 0, "page": "another", "label": "first"})
    while not overtaken:
        let_draw(view)
    desk.change(1, {"version": 1, "page": "another", "label": "second"})
    label = view.locator("#row-1 .item-label")
    expect(label).to_contain_text("second")
    ((route, answer),) = overtaken
    route.fulfill(response=answer)
    let_draw(view)
    expect(label).to_contain_text("second")


def show(view, *, is_shown):
    """Put a page out of sight, as browsers do with tabs that are not selected, or back."""
    view.evaluate(
        """shown => {
          Object.defineProperty(document, "hidden", { value: !shown, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        is_shown,
    )


def test_pages_out_of_sight_leave_connections_to_others(page, desk):
    tabs = [page.page]
    for _ in range(8):  # browsers have six connections to a server
        show(tabs[-1], is_shown=False)
        tabs.append(page.context.new_page())
        tabs[-1].goto(page.address)
        tabs[-1].locator(".posterior").wait_for()
    open_row(tabs[0], 1)
    desk.change(1, {"version": 0, "page": "another", "label": "while nobody looked"})
    show(tabs[0], is_shown=True)
    expect(tabs[0].locator("#label")).to_have_value("while nobody looked")
    assert set(page.events) == {f"failed {page.address}api/events"}  # which it ended itself
    page.events.clear()


@both
def test_the_timeline_is_zoomed_and_has_a_cursor(page, desk, by):
    view = page.page
    open_row(view, 0)
    bar = view.locator("button.bar").first
    wide = bar.bounding_box()["width"]
    if by == "mouse":
        press(view, "Zoom in", by)
    else:
        view.keyboard.press("+")
    zoomed = bar.bounding_box()["width"]
    assert zoomed == pytest.approx(wide / 0.6, rel=0.05)
    if by == "mouse":
        plot = view.locator(".axis").bounding_box()
        view.mouse.move(plot["x"] + plot["width"] / 2, plot["y"] - 10)
        view.keyboard.down("Control")
        view.mouse.wheel(0, 120)
        width = "document.querySelector('button.bar').getBoundingClientRect().width"
        view.wait_for_function(f"before => Math.abs({width} - before) > 1", arg=zoomed)
        view.keyboard.up("Control")
        press(view, "All", by)
        view.mouse.move(plot["x"] + plot["width"] / 3, plot["y"] - 10)
    else:
        view.keyboard.press("0")
        for _ in range(12):
            view.keyboard.press(".")
        view.keyboard.press(",")
    assert bar.bounding_box()["width"] == pytest.approx(wide, abs=1)
    said = view.locator("output.time").inner_text()
    time, names = said.split(": ")
    rows = desk.collection[0].intervals
    going = {row.action for row in rows if row.start <= float(time) < row.end} or {"nothing"}
    assert set(names.split(", ")) == going
    expect(view.locator(".over .at")).to_have_text(time)


@both
def test_the_view_goes_to_what_is_selected(page, by):
    view = page.page
    open_row(view, 0)
    bar = view.locator("button.bar").nth(1)
    bar.focus()
    if by == "mouse":
        press(view, "Zoom to the selected interval", by)
    else:
        view.keyboard.press("z")
    shown = view.locator(".axis").bounding_box()
    box = view.locator("button.bar[aria-pressed=true]").bounding_box()
    assert box["width"] == pytest.approx(shown["width"] / 1.4, rel=0.01)
    middles = [each["x"] + each["width"] / 2 for each in (box, shown)]
    assert middles[0] == pytest.approx(middles[1], abs=2)


@both
def test_relations_of_what_is_selected(page, desk, by):
    view = page.page
    open_row(view, 0)
    if by == "mouse":
        view.locator("button.bar[data-place='1']").click()
    else:
        view.locator("button.bar").first.focus()
        view.keyboard.press("ArrowRight")
    one = desk.collection.take([0])
    relations = read_networks(one)[0].relations
    names = [row[0] for row in one.to_lists()[0]]
    pairs = [tuple(sorted((1, other))) for other in range(len(names)) if other != 1]
    expected = [f"{names[i]} {Relation(int(relations[i, j])).label} {names[j]}" for i, j in pairs]
    expect(view.locator(".relations li")).to_have_count(len(expected))
    assert sorted(view.locator(".relations li").all_inner_texts()) == sorted(expected)
    expect(view.locator(".over .guide")).to_have_count(2)
    view.locator(".relations button").first.click()
    expect(view.locator("button.bar[aria-pressed=true]")).to_have_attribute("data-place", "0")


def test_relations_of_what_is_selected_are_those_of_allen(browser, model):
    spans = [(0, 4), (0, 4), (0, 2), (2, 4), (2, 3), (4, 6), (3, 5), (7, 9), (8, 9)]
    rows = [(f"act {n}", *span) for n, span in enumerate(spans)]
    X = IntervalSequences.from_lists([rows])
    relations = read_networks(X)[0].relations
    names = [row[0] for row in X.to_lists()[0]]
    pairs = [(i, j) for j in range(len(names)) for i in range(j)]
    words = {pair: Relation(int(relations[pair])).label for pair in pairs}
    assert set(words.values()) == {each.label for each in Relation}
    desk = Desk(Collection(X, [None]), model, "takes.csv")
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address)
        view = opened.page
        open_row(view, 0)
        for place in range(len(names)):
            view.locator(f"button.bar[data-place='{place}']").focus()
            own = [f"{names[i]} {words[i, j]} {names[j]}" for i, j in pairs if place in (i, j)]
            expect(view.locator(".relations li")).to_have_text(own)
        opened.context.close()


def test_of_many_intervals_relations_to_the_nearest_are_listed(browser, model):
    X = IntervalSequences.from_lists([[(f"act {n}", n, n + 2) for n in range(400)]])
    desk = Desk(Collection(X, [None]), model, "takes.csv")
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address)
        view = opened.page
        open_row(view, 0)
        view.locator("button.bar[data-place='200']").focus()
        listed = view.locator(".relations li")
        expect(listed).to_have_count(80)
        expect(listed.first).to_have_text("act 160 before act 200")
        expect(listed.nth(39)).to_have_text("act 199 overlaps act 200")
        view.get_by_text("and 319 more relations").wait_for()
        assert not opened.events
        opened.context.close()


def test_instances_are_found_and_opened_by_mouse_and_by_keyboard(page, desk):
    view = page.page
    expect(view.locator(".count")).to_have_text("24 of 24 instances")
    view.get_by_label("Show").select_option("unlabelled")
    expect(view.locator(".count")).to_have_text("2 of 24 instances")
    view.locator(".item").first.click()
    expect(view.locator("#label")).to_have_value("")
    view.get_by_label("Show").select_option("all")
    view.get_by_label("Order").select_option("order")
    view.get_by_role("listbox").focus()
    view.keyboard.press("Home")
    view.keyboard.press("ArrowDown")
    expect(view.locator(".item[aria-selected=true]")).to_have_id("row-1")
    expect(view.get_by_role("listbox")).to_have_attribute("aria-activedescendant", "row-1")
    expect(view.locator("#label")).to_have_value(desk.collection.labels[1])
    view.keyboard.press("/")
    view.keyboard.type("no such name")
    expect(view.locator(".count")).to_have_text("0 of 24 instances")


def test_a_place_in_the_matrix_opens_its_instances(page, desk):
    view = page.page
    view.locator("#view-confusion").click()
    cell = view.locator("button.cell").first
    number = int(cell.inner_text())
    cell.focus()
    view.keyboard.press("Enter")
    expect(view.locator(".count")).to_have_text(f"{number} of 24 instances")


def test_the_matrix_of_many_activities_is_seen_as_a_whole(browser):
    labels = [f"an_activity_called_{n}" for n in range(10)] * 2
    X = IntervalSequences.from_lists([[("act", 0, 1 + n % 10), ("end", 3, 20)] for n in range(20)])
    model = IntervalRidge().fit(X, labels)
    desk = Desk(Collection(X, labels), model, "takes.csv")
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address)
        open_row(opened.page, 0)
        opened.page.locator("#view-confusion").click()
        expect(opened.page.locator(".confusion thead th")).to_have_count(12)
        beyond = "box => box.scrollWidth - box.clientWidth"
        assert opened.page.locator(".matrix .scrolls").evaluate(beyond) == 0
        assert not opened.events
        opened.context.close()


# -- asking ----------------------------------------------------------------------------------------


def test_what_if_by_keyboard(page, desk, model):
    view = page.page
    view.locator("button.bar").first.focus()
    before = draft(view)
    view.keyboard.press("Shift+ArrowRight")
    view.locator(".draft").wait_for()
    after = draft(view)
    (old,), (new,) = set(before) - set(after), set(after) - set(before)
    assert new[:2] == old[:2]
    assert new[2] > old[2]
    expect_posterior(view, model, after)
    view.keyboard.press("Delete")
    assert len(draft(view)) == len(before) - 1
    view.keyboard.press("Control+z")
    assert draft(view) == after
    view.keyboard.press("Escape")
    assert draft(view) == before
    expect(view.locator(".draft")).to_have_count(0)


def test_marks_of_other_intervals_stay_until_new_ones_are_known(page):
    view = page.page
    open_row(view, 0)
    view.locator("button.bar").first.focus()
    speaks = "all => all.map(each => each.dataset.speaks)"
    before = view.locator("button.bar").evaluate_all(speaks)
    assert "for" in before[1:]
    late = Held(view, "**/api/what-if")
    view.keyboard.press("Shift+ArrowRight")
    assert view.locator("button.bar").evaluate_all(speaks) == ["", *before[1:]]
    late.release()
    first = view.locator("button.bar").first
    expect(first).to_have_attribute("data-speaks", re.compile("for|against"))
    view.locator("#title").click()
    view.keyboard.press("Escape")
    assert view.locator("button.bar").evaluate_all(speaks) == before


def test_what_if_by_mouse(page, model):
    view = page.page
    before = draft(view)
    bar = view.locator("button.bar").first
    box = bar.bounding_box()
    view.mouse.move(box["x"] + box["width"] - 2, box["y"] + 10)
    view.mouse.down()
    view.mouse.move(box["x"] + box["width"] + 60, box["y"] + 10, steps=4)
    view.mouse.up()
    view.locator(".draft").wait_for()
    after = draft(view)
    assert len(set(before) - set(after)) == 1
    view.get_by_role("button", name="Discard").click()
    assert draft(view) == before
    lanes = view.locator(".plot").bounding_box()
    view.mouse.dblclick(lanes["x"] + lanes["width"] - 15, lanes["y"] + 4)
    assert len(draft(view)) == len(before) + 1
    view.get_by_role("button", name="Delete").click()
    assert draft(view) == before


def test_an_interval_that_is_dragged_past_others_leaves_them_alone(page):
    view = page.page
    open_row(view, 0)
    before = draft(view)
    first = view.locator("button.bar[data-place='0']").bounding_box()
    last = view.locator("button.bar").last.bounding_box()
    x, y = first["x"] + first["width"] / 2, first["y"] + 10
    view.mouse.move(x, y)
    view.mouse.down()
    view.mouse.move(x + last["x"] + last["width"] - first["x"], y, steps=15)
    view.mouse.up()
    after = draft(view)
    (old,), (new,) = set(before) - set(after), set(after) - set(before)
    assert new[0] == old[0]
    assert new[1] > max(start for _, start, _ in before)
    assert new[2] - new[1] == pytest.approx(old[2] - old[1], abs=0.02)


def test_nothing_moves_under_the_pointer(browser):
    names = [f"an action with a rather long name, number {n}" for n in range(8)]
    rows = [(name, 0, 10 + n) for n, name in enumerate(names)]
    X, y = IntervalSequences.from_lists([rows, rows[:2]]), np.array(["all", "some"], object)
    model = IBGNClassifier(random_state=0).fit(X, y)
    desk = Desk(Collection(X, y), model, "takes.csv")
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address)
        view = opened.page
        open_row(view, 0)
        let_draw(view)
        bar = view.locator("button.bar").first
        bar.wait_for()
        before = bar.bounding_box()
        x, y = before["x"] + before["width"] - 2, before["y"] + 10
        view.mouse.move(x, y)
        expect(view.locator("output.time")).to_contain_text("and 2 more")
        assert bar.bounding_box() == before  # naming what goes on takes no room
        view.mouse.down()
        view.mouse.move(x + 150, y, steps=6)  # past the ends of others, so it comes after them
        view.mouse.up()
        expect(view.locator("button.bar[aria-pressed=true]")).to_have_attribute("data-place", "3")
        expect(view.locator(".lane-name").first).to_have_attribute("title", names[0])
        assert not opened.events
        opened.context.close()


@both
def test_intervals_are_added_renamed_and_deleted(page, model, by):
    view = page.page
    open_row(view, 1)
    before = draft(view)
    if by == "mouse":
        press(view, "Add an interval", by)
    else:
        view.keyboard.press("n")
    ((_, start, end),) = set(draft(view)) - set(before)
    expect(view.locator("#edit-start")).not_to_have_value("")
    name = view.locator("#edit-action")
    name.click() if by == "mouse" else name.focus()
    name.fill("hold")
    view.keyboard.press("Enter")
    assert ("hold", start, end) in draft(view)
    expect_posterior(view, model, draft(view))
    if by == "mouse":
        press(view, "Delete", by)
    else:
        view.locator("button.bar[aria-pressed=true]").focus()
        view.keyboard.press("Delete")
        expect(view.locator("button.bar[aria-pressed=true]")).to_be_focused()  # a neighbour
    assert draft(view) == before
    press(view, "Discard", by)
    expect(view.locator(".draft")).to_have_count(0)


def test_a_label_can_be_typed_while_intervals_are_tried(page, desk):
    view = page.page
    open_row(view, 1)
    view.locator("button.bar").first.focus()
    view.keyboard.press("Shift+ArrowRight")
    tried = draft(view)
    view.locator("#label").fill("another")
    view.keyboard.press("Enter")
    view.locator("#message").get_by_text("kept").wait_for()
    assert desk.collection.labels[1] == "another"
    assert draft(view) == tried
    view.locator("#title").click()
    view.keyboard.press("Control+s")
    expect(view.locator(".draft")).to_have_count(0)
    assert draft(view) == tried
    assert len(desk.collection.changed) == 1


def test_half_a_word_is_not_sent_when_something_happens_elsewhere(page, desk, model):
    view = page.page
    open_row(view, 5)
    sent = []
    view.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    view.locator("#label").fill("half")
    desk.change(1, {"version": 0, "page": "another", "label": "theirs"})
    expect(view.locator("#list")).to_contain_text("theirs")
    with view.expect_response("**/api/instances/5"):
        desk.take_model(model)
    let_draw(view)
    assert sent == []
    expect(view.locator("#label")).to_be_focused()
    view.keyboard.type("way")
    view.keyboard.press("Enter")
    view.locator("#message").get_by_text("kept").wait_for()
    assert desk.collection[5].label == "halfway"
    view.locator("button.bar").first.click()
    start = view.locator("#edit-start")
    start.fill("0.")
    start.press_sequentially("0")
    with view.expect_response("**/api/instances/5"):
        desk.take_model(model)
    let_draw(view)
    expect(view.locator(".draft")).to_have_count(0)
    view.keyboard.type("1")
    view.keyboard.press("Enter")
    assert 0.01 in {start for _, start, _ in draft(view)}


def test_what_is_typed_is_said_of_the_instance_that_is_shown(page, desk):
    view = page.page
    open_row(view, 0)
    late = Held(view, "**/api/instances/1")
    view.locator("#row-1").click()
    view.locator("#label").fill("typed")
    late.release()
    expect(view.locator(".head h2")).to_have_text("0")
    expect(view.locator("#row-0")).to_have_attribute("aria-selected", "true")
    view.keyboard.press("Enter")
    view.locator("#message").get_by_text("kept").wait_for()
    assert desk.collection[0].label == "typed"
    assert desk.collection[1].label != "typed"


def test_what_is_typed_is_kept_with_the_draft(page, desk):
    view = page.page
    open_row(view, 1)
    view.locator("button.bar").first.focus()
    view.keyboard.press("Shift+ArrowRight")
    view.locator("#edit-action").fill("renamed")
    view.keyboard.press("Control+s")
    expect(view.locator(".draft")).to_have_count(0)
    assert desk.collection[1].intervals[0].action == "renamed"
    view.locator("button.bar").first.focus()
    view.keyboard.press("Shift+ArrowRight")
    view.locator("#label").fill("typed")
    view.keyboard.press("Control+s")
    expect(view.locator(".draft")).to_have_count(0)
    expect(view.locator("#label")).to_have_value("typed")
    assert desk.collection[1].label == "typed"
    assert rounded(desk.collection[1].intervals) == draft(view)


def test_escape_takes_back_what_is_typed(page, desk):
    view = page.page
    open_row(view, 1)
    label = desk.collection[1].label
    view.locator("#label").fill("typed by mistake")
    view.keyboard.press("Escape")
    expect(view.locator("#label")).to_have_value(label)
    expect(view.locator("#label")).to_be_focused()
    view.locator("#title").click()
    let_draw(view)
    assert desk.collection.changed == {}


def test_escape_ends_a_drag(page):
    view = page.page
    open_row(view, 1)
    view.locator("button.bar").first.focus()
    view.keyboard.press("Shift+ArrowRight")
    before = draft(view)
    box = view.locator("button.bar[data-place='1']").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 10
    view.mouse.move(x, y)
    view.mouse.down()
    view.mouse.move(x + 60, y, steps=3)
    assert draft(view) != before
    view.keyboard.press("Escape")
    assert draft(view) == before
    view.mouse.move(x + 90, y, steps=3)
    view.mouse.up()
    assert draft(view) == before


def test_an_answer_to_a_change_does_not_lead_back(page, desk):
    view = page.page
    open_row(view, 1)
    late = Held(view, "**/api/instances/1/change")
    view.locator("#label").fill("typed")
    view.locator("#row-2").click()
    expect(view.locator(".head h2")).to_have_text("2")
    late.release()
    view.locator("#message").get_by_text("kept").wait_for()
    assert desk.collection[1].label == "typed"
    expect(view.locator(".head h2")).to_have_text("2")


def test_a_label_that_is_typed_does_not_overwrite_that_of_another_page(page, desk):
    view = page.page
    open_row(view, 5)
    view.locator("#label").fill("mine")
    desk.change(5, {"version": 0, "page": "another", "label": "theirs"})
    view.get_by_role("heading", name="Changed in another page").wait_for()
    expect(view.locator("#label")).to_have_value("mine")
    view.keyboard.press("Enter")
    view.locator("#message").get_by_text("changed elsewhere").wait_for()
    assert desk.collection[5].label == "theirs"
    view.get_by_role("button", name="Show theirs").click()
    expect(view.locator("#label")).to_have_value("theirs")
    page.events[:] = [event for event in page.events if "409" not in event]  # which was refused


def test_a_draft_is_judged_by_the_model_there_is(page, desk, model, data):
    view = page.page
    open_row(view, 0)
    view.locator("button.bar").first.focus()
    view.keyboard.press("Shift+ArrowRight")
    mine = draft(view)
    expect_posterior(view, model, mine)
    view.locator("#row-0").click()  # which is open already
    assert draft(view) == mine
    other = IBGNClassifier(random_state=0).fit(data[0][::2], data[1][::2])
    assert abs(other.predict_proba([mine]) - model.predict_proba([mine])).max() > 0.01
    desk.take_model(other)
    expect_posterior(view, other, mine)
    assert draft(view) == mine


def test_intervals_are_edited_in_the_form(page, model):
    view = page.page
    view.locator("button.bar").first.click()
    view.locator("#edit-action").fill("something new")
    view.keyboard.press("Enter")
    view.locator(".warning").get_by_text("something new").wait_for()
    assert "something new" in {name for name, *_ in draft(view)}
    view.locator("#edit-start").fill("99999")
    view.keyboard.press("Enter")
    view.locator("#message").get_by_text("must end after it starts").wait_for()
    expect(view.locator("#edit-start")).not_to_have_value("99999")


def test_reasons_point_at_intervals_and_others_can_be_compared(page, model):
    view = page.page
    reasons = view.locator("button.reason")
    assert reasons.count() > 2
    other = view.get_by_role("combobox", name="Against").locator("option").last.inner_text()
    view.get_by_role("combobox", name="Against").select_option(other)
    view.locator(".answer .soft").get_by_text(f"against '{other}'").wait_for()
    view.locator("button.bar").first.focus()
    relations = view.locator(".relations li")
    expect(relations).to_have_count(view.locator("button.bar").count() - 1)


@both
def test_similar_instances_are_shown_and_opened(page, desk, by):
    view = page.page
    open_row(view, 2)
    press(view, "Most similar instances", by)
    cards = view.locator(".cards .card")
    names = [each["id"] for each in desk.nearest(2)["instances"]]
    expect(cards.locator(".name")).to_have_text(names)
    cards.first.focus()
    view.keyboard.press("Enter")
    expect(view.locator(".head h2")).to_have_text(names[0])


@both
def test_the_smallest_change_is_found_and_tried(page, desk, by):
    view = page.page
    found = None
    for number in range(24):
        others = [str(label) for label in desk.model.classes_]
        others.remove(desk.look(number)["posterior"][0]["label"])
        for label in others:
            found = desk.counterfactual(number, {"activity": label})
            if found["found"]:
                break
        if found["found"]:
            break
    open_row(view, number)
    choose(view, "What would make it", label, by)
    expect(view.locator(".edits li")).to_have_text(found["edits"])
    press(view, "Try it", by)
    view.locator(".draft").wait_for()
    expect(view.locator(".answer .posterior li").first).to_contain_text(label)


@both
def test_the_model_is_described_and_generates(page, desk, model, by):
    view = page.page
    if by == "mouse":
        view.locator("#view-model").click()
    else:
        view.keyboard.press("3")
    weights = view.get_by_role("region", name="Weights")
    for term, weight in portraits.describe_model(desk)["weights"].items():
        item = weights.locator("li").filter(has_text=term)
        expect(item.locator(".share")).to_have_text(f"{weight:.2f}")
    first, second = str(model.classes_[-1]), str(model.classes_[0])
    choose(view, "Activity", first, by)
    choose(view, "Compare with", second, by)
    separation = view.get_by_role("region", name="What separates two activities")
    separation.get_by_role("heading", name=f"What separates {first} from {second}").wait_for()
    for side in portraits.contrast(desk, first, second)["sides"]:
        part = separation.locator(".side").filter(has_text=f"of {side['activity']}")
        expect(part.locator("li")).to_have_count(len(side["rows"]))
    terms = portraits.describe_activity(desk, first)["terms"]
    expect(view.locator("details.term")).to_have_count(len(terms))
    for term in terms:
        part = view.locator("details.term").filter(
            has=view.locator("strong", has_text=term["name"])
        )
        expect(part.first.locator("summary")).to_contain_text(term["brief"])
        expect(part.first.locator("tbody tr")).to_have_count(len(term["rows"]))
    drawn = view.get_by_role("region", name="Generated instances").locator(".mini-bar")
    made = portraits.sample(desk, first, 1)["instances"]
    expect(drawn).to_have_count(sum(len(each["intervals"]) for each in made))
    press(view, "Others", by)
    made = portraits.sample(desk, first, 2)["instances"]
    expect(drawn).to_have_count(sum(len(each["intervals"]) for each in made))
    expect(view.locator("#other-samples")).to_be_focused()


def test_styles_of_an_activity_are_named(browser):
    X, y, _ = make_styles(random_state=0)
    model = IBGNClassifier(styles="learned", random_state=0).fit(X, y)
    desk = Desk(Collection(X, y), model, "takes.csv")
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address)
        opened.page.locator("#view-model").click()
        label = next(str(each) for each in model.classes_ if model.activities_[each].styles)
        choose(opened.page, "Activity", label, "mouse")
        shares = portraits.describe_activity(desk, label)["styles"]
        opened.page.get_by_text(f"{len(shares)} styles: ").wait_for()
        assert not opened.events
        opened.context.close()


def test_answers_in_the_list_are_held_out_and_the_page_says_so(browser, data, model):
    desk = Desk(Collection(*data), None, "takes.csv")
    learning = Learning(desk, model)
    learning.begin()
    learning.wait()
    rows = desk.rows()
    with served(desk, learning) as address:
        opened = Watched(browser, address)
        view = opened.page
        open_row(view, 5)
        said = f"Before that, it said {rows['predicted'][5]}, {in_percent(rows['probability'][5])}"
        expect(view.locator(".held-out")).to_contain_text(said)
        assert not opened.events
        opened.context.close()


# -- correcting ------------------------------------------------------------------------------------


def test_labels_are_corrected_taken_back_and_saved(page, desk, place):
    view = page.page
    view.get_by_label("Order").select_option("order")
    view.locator("#row-3").click()
    expect(view.locator(".head h2")).to_have_text("3")
    view.keyboard.press("l")
    view.keyboard.type("dance")
    view.keyboard.press("Enter")
    view.locator("#message").get_by_text("kept").wait_for()
    assert desk.collection.labels[3] == "dance"
    view.locator("#title").click()
    view.keyboard.press("Control+z")
    view.locator("#message").get_by_text("taken back").wait_for()
    assert desk.collection.labels[3] is None
    view.locator("button.bar").first.focus()
    view.keyboard.press("Delete")
    view.keyboard.press("Control+s")
    view.locator("#message").get_by_text("kept").wait_for()
    view.get_by_role("button", name="Save a copy").focus()
    view.keyboard.press("Enter")
    view.locator("#save-name").focus()
    view.keyboard.press("Enter")
    view.locator("#message").get_by_text("wrote").wait_for()
    X, _ = read(place.folder / "takes-corrected.csv", unlabelled="keep")
    original, _ = read(place.source)
    assert X.lengths[3] == original.lengths[3] - 1
    view.get_by_role("button", name="Save a copy").click()
    view.locator("#save-name").fill("takes.csv")
    view.get_by_label("replace a file").check()
    view.get_by_role("button", name="Save", exact=True).click()
    view.locator("dialog [role=alert]").get_by_text("never overwritten").wait_for()
    page.events[:] = [event for event in page.events if "400" not in event]  # which was refused


@both
@pytest.mark.parametrize("format", ["csv", "elan", "textgrid"])
def test_corrections_are_saved_in_the_format_of_the_data(
    browser, tmp_path, data, model, format, by
):
    suffix = {"csv": ".csv", "elan": ".eaf", "textgrid": ".TextGrid"}[format]
    source = tmp_path / f"takes{suffix}"
    number = 4 if format == "csv" else 1  # the other formats have one instance per file
    write(data[0][:number], source, data[1][:number], format=format)
    original = source.read_bytes()
    X, y = read(source)
    desk = Desk(Collection(X, y), model, source.name)
    with served(desk, Learning(desk, model), Place(source, format)) as address:
        opened = Watched(browser, address)
        view = opened.page
        open_row(view, 0)
        field = view.locator("#label")
        field.click() if by == "mouse" else view.keyboard.press("l")
        field.fill("corrected")
        view.keyboard.press("Enter")
        view.locator("#message").get_by_text("kept").wait_for()
        press(view, "Save a copy…", by)
        view.locator("dialog").get_by_text("1 instance changed").wait_for()
        view.locator("dialog").get_by_text(f"in {source.name}.changes").wait_for()
        press(view, "Save", by)
        view.locator("#message").get_by_text("wrote").wait_for()
        press(view, "Save a copy…", by)
        view.locator("#save-kind").select_option("changes")
        press(view, "Save", by)
        view.locator("#message").get_by_text(".json").wait_for()
        assert not opened.events
        opened.context.close()
    again, labels = read(tmp_path / f"takes-corrected{suffix}")
    assert labels[0] == "corrected"
    assert again.to_lists() == X.to_lists()
    (patch,) = tmp_path.glob("*.json")
    (change,) = json.loads(patch.read_text())
    assert change["label"] == {"before": str(y[0]), "after": "corrected"}
    assert source.read_bytes() == original


def test_what_was_kept_is_there_after_a_crash(browser, data, model, place):
    def begin():
        collection = Collection(*data)
        History(place.source.with_name("takes.csv.changes"), collection)
        return Desk(collection, model, "takes.csv")

    desk = begin()
    with served(desk, Learning(desk, model), place) as address:
        opened = Watched(browser, address)
        open_row(opened.page, 2)
        opened.page.locator("#label").fill("from before")
        opened.page.keyboard.press("Enter")
        opened.page.locator("#message").get_by_text("kept").wait_for()
        opened.context.close()
    desk = begin()  # as nothing was saved, only the journal has it
    with served(desk, Learning(desk, model), place) as address:
        opened = Watched(browser, address)
        open_row(opened.page, 2)
        expect(opened.page.locator("#label")).to_have_value("from before")
        expect(opened.page.locator(".head .changed")).to_contain_text(f"was {data[1][2]}")
        assert not opened.events
        opened.context.close()


def test_the_page_says_if_changes_are_in_no_file(browser, data, model):
    desk = Desk(Collection(*data), model, "ibgn")
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address)
        view = opened.page
        open_row(view, 2)
        view.locator("#label").fill("another")
        view.keyboard.press("Enter")
        view.locator("#message").get_by_text("kept until `ibgn explore` ends").wait_for()
        expect(view.locator("#save")).to_be_disabled()
        assert not opened.events
        opened.context.close()


@both
def test_what_is_labelled_next_is_proposed(page, desk, by):
    view = page.page
    if by == "mouse":
        view.locator("#view-next").click()
    else:
        view.keyboard.press("4")
    names = [each["id"] for each in desk.suggestions()["instances"]]
    cards = view.locator(".cards .card")
    expect(cards.locator(".name")).to_have_text(names)
    if by == "mouse":
        cards.first.click()
    else:
        cards.first.focus()
        view.keyboard.press("Enter")
    expect(view.locator("#label")).to_be_focused()
    view.keyboard.type("dance")
    view.keyboard.press("Enter")
    view.locator("#message").get_by_text("kept").wait_for()
    assert desk.collection.labels[int(names[0])] == "dance"
    view.locator("#view-next").click()
    view.get_by_text("1 instance has no label").wait_for()


@both
def test_undo_takes_back_what_was_kept(page, desk, by):
    view = page.page
    open_row(view, 1)
    before = desk.collection[1]
    view.locator("button.bar").first.focus()
    view.keyboard.press("Delete")
    press(view, "Keep", by)
    view.locator("#message").get_by_text("kept").wait_for()
    assert len(desk.collection[1].intervals) == len(before.intervals) - 1
    view.locator("#view-model").click()
    if by == "mouse":
        press(view, "Undo", by)
    else:
        view.keyboard.press("Control+z")
    view.locator("#message").get_by_text("taken back").wait_for()
    assert desk.collection[1].intervals == before.intervals
    expect(view.locator(".head h2")).to_have_text("1")  # where it was
    assert desk.collection.differing == []


@both
def test_redo_does_again_what_was_taken_back(page, desk, by):
    view = page.page
    open_row(view, 1)
    bar = view.locator("button.bar").first
    before = draft(view)
    bar.focus()
    view.keyboard.press("Shift+ArrowRight")
    once = draft(view)
    view.keyboard.press("Shift+ArrowRight")
    twice = draft(view)

    def step(name, key):
        if by == "mouse":
            press(view, name, by)
        else:
            view.keyboard.press(key)

    undo, redo = ("Undo", "Control+z"), ("Redo", "Control+Shift+Z")
    for named, expected in [(undo, once), (undo, before), (redo, once), (redo, twice)]:
        step(*named)
        assert draft(view) == expected
    step("Discard", "Escape")
    assert draft(view) == before
    step(*redo)  # also a draft that was discarded
    assert draft(view) == twice
    step("Keep", "Control+s")
    expect(view.locator(".draft")).to_have_count(0)
    for named, said, expected in [(undo, "taken back", before), (redo, "done again", twice)]:
        step(*named)
        view.locator("#message").get_by_text(said).wait_for()
        assert draft(view) == expected
    assert rounded(desk.collection[1].intervals) == twice


@both
def test_labels_are_given_one_after_the_other(page, desk, by):
    view = page.page
    desk.change(5, {"version": 0, "page": "another", "label": None})
    expect(view.locator("#list")).to_contain_text("changed")
    choose(view, "Order", "order", by)
    choose(view, "Show", "unlabelled", by)  # instances 3, 5 and 9
    view.locator("#row-5").click()
    expect(view.locator(".head h2")).to_have_text("5")
    field = view.locator("#label")
    field.fill("dance")
    view.keyboard.press("Enter")
    expect(view.locator(".count")).to_have_text("2 of 24 instances")
    view.get_by_role("listbox").focus()
    view.keyboard.press("ArrowDown")
    expect(view.locator(".head h2")).to_have_text("9")
    view.keyboard.press("ArrowUp")
    expect(view.locator(".head h2")).to_have_text("3")


def test_an_instance_that_is_corrected_stays_in_its_place(page, model):
    view = page.page
    view.get_by_role("listbox").focus()
    for _ in range(20):  # to one that the model has learned well
        view.keyboard.press("ArrowDown")
    row = view.locator(".item[aria-selected=true]")
    place = row.get_attribute("aria-posinset")
    name = row.locator(".item-id").inner_text()
    expect(view.locator(".head h2")).to_have_text(name)
    right = view.locator("#label").input_value()
    view.locator("#label").fill(next(str(each) for each in model.classes_ if each != right))
    view.keyboard.press("Enter")
    expect(row).to_contain_text("changed")
    expect(row).to_have_attribute("aria-posinset", place)
    show(view, is_shown=False)
    with view.expect_response("**/api/instances"):  # all is read again
        show(view, is_shown=True)
    let_draw(view)
    expect(row).to_have_attribute("aria-posinset", place)
    page.events.clear()  # of the connection that it ended itself
    choose(view, "Order", "order", "mouse")
    choose(view, "Order", "loss", "mouse")
    first = view.locator(".item[aria-posinset='1'] .item-id")
    expect(first).to_have_text(name)  # as its label surprises the model most


def test_a_method_without_reasons_is_looked_at_too(browser, data):
    ridge = IntervalRidge().fit(*data)
    desk = Desk(Collection(*data), ridge, "takes.csv")
    with served(desk, Learning(desk, ridge)) as address:
        opened = Watched(browser, address)
        view = opened.page
        view.locator(".posterior").wait_for()
        view.locator("button.bar").first.focus()
        view.keyboard.press("Shift+ArrowRight")
        draft(view)
        expect(view.locator(".posterior li").first).to_be_visible()
        view.keyboard.press("Escape")
        view.locator("#view-model").click()
        for text in ("gives no reasons", "does not generate", "no model of single activities"):
            view.get_by_text(text).wait_for()
        view.locator("#view-confusion").click()
        view.get_by_role("heading", name="Confusion").wait_for()
        assert not opened.events
        opened.context.close()


def test_two_tabs_do_not_overwrite_each_other(page, browser, desk):
    view = page.page
    other = Watched(browser, page.address)
    for each in (view, other.page):
        open_row(each, 5)
    view.locator("button.bar").first.focus()
    view.keyboard.press("Shift+ArrowRight")  # a draft that the other does not know
    mine = draft(view)
    other.page.locator("#label").fill("theirs")
    other.page.locator("#label").blur()
    view.get_by_role("heading", name="Changed in another page").wait_for()
    assert draft(view) == mine
    view.keyboard.press("Control+s")
    view.locator("#message").get_by_text("changed elsewhere").wait_for()
    assert desk.collection[5].label == "theirs"
    view.get_by_role("button", name="Show theirs").click()
    expect(view.locator("#label")).to_have_value("theirs")
    page.events[:] = [event for event in page.events if "409" not in event]  # which was refused
    assert not other.events
    other.context.close()


def test_a_change_while_there_was_no_news_is_seen_when_news_come_again(page, desk):
    view = page.page
    view.route("**/api/events", lambda route: route.abort("connectionrefused"))
    view.reload()
    open_row(view, 5)
    view.locator("button.bar").first.focus()
    view.keyboard.press("Shift+ArrowRight")
    mine = draft(view)
    desk.collection.change(5, 0, "another", label="theirs")
    view.unroute("**/api/events")
    view.get_by_role("heading", name="Changed in another page").wait_for()
    assert draft(view) == mine
    page.events.clear()  # of the connections that were refused


def test_it_learns_from_labels_while_the_page_goes_on(browser, data, model):
    labels = [None] * len(data[1])
    desk = Desk(Collection(data[0], labels), None, "takes.csv")
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address)
        view = opened.page
        view.get_by_text("No model yet").wait_for()
        desk.collection.change(0, 0, "x", label="a")
        desk.collection.change(1, 0, "x", label="b")
        view.get_by_role("button", name="Learn again").click()
        view.locator(".posterior").wait_for()
        view.locator("#view-next").click()
        view.get_by_text("22 instances have no label").wait_for()
        expect(view.locator(".cards .card")).to_have_count(10)
        assert not opened.events
        opened.context.close()


def test_what_is_open_stays_in_view_when_a_model_orders_the_list(browser, model):
    X, y = make_relations(instances_per_activity=30, random_state=1)
    desk = Desk(Collection(X, y.astype(object)), None, "takes.csv")
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address)
        view = opened.page
        open_row(view, 0)
        view.get_by_role("combobox", name="Order").select_option("loss")
        desk.take_model(model)
        loss = desk.rows()["loss"]
        place = sorted(range(len(loss)), key=lambda n: (-loss[n], n)).index(0)
        expect(view.locator("#row-0")).to_have_attribute("aria-posinset", str(place + 1))
        expect(view.locator("#row-0")).to_be_in_viewport()
        assert not opened.events
        opened.context.close()


def test_the_first_model_leads_to_what_surprises_it_most(browser, data, model):
    desk = Desk(Collection(*data), None, "takes.csv")
    with served(desk, Learning(desk, model)) as address:
        tabs = [Watched(browser, address) for _ in range(2)]
        for tab in tabs:
            tab.page.get_by_text("No model yet").wait_for()
        tabs[1].page.locator("button.bar").first.focus()  # who is busy stays there
        desk.take_model(model)
        loss = desk.rows()["loss"]
        first = max(range(len(loss)), key=lambda n: (loss[n], -n))
        assert first > 0
        for tab, number in zip(tabs, (first, 0), strict=True):
            tab.page.locator(".posterior").wait_for()
            expect(tab.page.locator(".item[aria-selected=true]")).to_have_id(f"row-{number}")
            expect(tab.page.locator(".head h2")).to_have_text(str(number))
            assert not tab.events
            tab.context.close()


class Slow(IBGNClassifier):
    """Learns when it is allowed to."""

    allowed = threading.Event()

    def fit_held_out(self, *args, **kwargs):
        assert self.allowed.wait(PATIENCE / 1000)
        return super().fit_held_out(*args, **kwargs)


def test_learning_shows_how_far_it_is_and_stops_nobody(browser, data, model, place):
    desk = Desk(Collection(*data), model, "takes.csv")
    learning = Learning(desk, Slow(random_state=0))
    Slow.allowed.clear()
    with served(desk, learning, place) as address:
        opened = Watched(browser, address)
        view = opened.page
        open_row(view, 0)
        expect(view.get_by_role("progressbar")).to_have_count(0)
        press(view, "Learn again", "keyboard")
        expect(view.get_by_role("progressbar")).to_be_visible()
        expect(view.locator("#model-state")).to_have_text("learning from 24 instances…")
        expect(view.locator("#learn")).to_be_disabled()
        view.locator("button.bar").first.focus()
        view.keyboard.press("Shift+ArrowRight")
        expect_posterior(view, model, draft(view))
        view.keyboard.press("Escape")
        Slow.allowed.set()
        expect(view.locator("#model-state")).to_have_text("Slow, answers held out")
        expect(view.get_by_role("progressbar")).to_have_count(0)
        view.locator(".held-out").wait_for()
        assert learning.state()["expected"] > 0
        Slow.allowed.clear()
        press(view, "Learn again", "mouse")
        expect(view.get_by_role("progressbar")).to_be_visible()

        def late(route):
            answer = route.fetch()  # from while it learns
            Slow.allowed.set()
            expect(view.locator("#model-state")).to_have_text("Slow, answers held out")
            route.fulfill(response=answer)

        view.route("**/api/overview", late, times=1)
        press(view, "Save a copy…", "mouse")  # which asks for it, and opens when it has it
        view.get_by_role("dialog").wait_for()
        expect(view.locator("#model-state")).to_have_text("Slow, answers held out")
        expect(view.locator("#learn")).to_be_enabled()
        view.unroute_all(behavior="wait")
        assert not opened.events
        opened.context.close()


# -- live ------------------------------------------------------------------------------------------


def test_the_posterior_is_drawn_as_it_happens(browser, tmp_path, model):
    path = tmp_path / "live.jsonl"
    path.write_text("damaged\n")
    desk = Desk(Collection(IntervalSequences.from_lists([])), model, "live")
    following = Following(path, lambda *news: desk.tell(*news))
    following.begin()
    with served(desk, Learning(desk, model), None, following) as address:
        opened = Watched(browser, address)
        view = opened.page
        view.keyboard.press("5")
        expect(view.locator(".now")).to_have_text("Nothing yet.")
        with path.open("a") as file:
            for time, share, kind in ((0, 0.5, "event"), (2.5, 0.9, "event"), (4, 0.97, "end")):
                posterior = {HOSTILE[0]: share, "tea": 1 - share}
                record = {"instance": 1, "kind": kind, "time": time, "posterior": posterior}
                file.write(json.dumps(record) + "\n")
                file.flush()
                expect(view.locator(".now")).to_contain_text(in_percent(share))
        expect(view.locator(".now")).to_contain_text(f"{HOSTILE[0]}, 97 %; it is over")
        expect(view.locator(".band")).to_have_count(2)
        assert not opened.events
        opened.context.close()
    following.stop()


def test_activities_without_a_band_are_named_together(browser, tmp_path, model):
    path = tmp_path / "live.jsonl"
    labels = [f"activity {n}" for n in range(10)]
    posterior = dict.fromkeys(labels, 0.05) | {labels[0]: 0.55}
    record = {"instance": 1, "kind": "event", "time": 0, "posterior": posterior}
    path.write_text(json.dumps(record) + "\n")
    desk = Desk(Collection(IntervalSequences.from_lists([])), model, "live")
    following = Following(path, lambda *news: desk.tell(*news))
    following.begin()
    with served(desk, Learning(desk, model), None, following) as address:
        opened = Watched(browser, address)
        opened.page.keyboard.press("5")
        expect(opened.page.locator(".legend li")).to_have_count(9)
        expect(opened.page.locator(".legend li").last).to_have_text("2 others 10 %")
        assert not opened.events
        opened.context.close()
    following.stop()


def test_without_instances_there_is_no_empty_list(browser, model):
    desk = Desk(Collection(IntervalSequences.from_lists([])), model, "ibgn")
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address)
        view = opened.page
        view.get_by_role("heading", name="Model").first.wait_for()
        expect(view.locator("#list")).to_be_hidden()
        expect(view.locator("#learn")).to_be_disabled()
        view.keyboard.press("1")
        view.get_by_text("There are no instances").and_(view.locator("main .empty")).wait_for()
        for key in "245":
            view.keyboard.press(key)
            view.locator(".view h2").wait_for()
        assert not opened.events
        opened.context.close()


def test_no_record_is_lost_while_the_page_asks_for_those_before(browser, tmp_path, model):
    path = tmp_path / "live.jsonl"
    path.write_text("")
    desk = Desk(Collection(IntervalSequences.from_lists([])), model, "live")
    following = Following(path, lambda *news: desk.tell(*news))
    following.begin()
    with served(desk, Learning(desk, model), None, following) as address:
        opened = Watched(browser, address)
        view = opened.page
        expect(view.locator(".now")).to_have_text("Nothing yet.")

        def late(route):
            answer = route.fetch()  # from before the records
            write_posteriors(path, model.classes_)
            expect(view.locator(".now")).to_contain_text("at 5")
            route.fulfill(response=answer)

        view.route("**/api/live", late)
        view.keyboard.press("5")
        expect(view.locator(".now")).to_contain_text("at 5")
        expect(view.locator(".band")).to_have_count(len(model.classes_))
        view.unroute_all(behavior="wait")
        assert not opened.events
        opened.context.close()
    following.stop()


# -- for everybody ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile():
    X = IntervalSequences.from_lists(
        [[(HOSTILE[n % 2], 0, 4), (HOSTILE[2], 3, 6 + n)] for n in range(6)],
        [f"{HOSTILE[0]} {n}" for n in range(6)],
        [HOSTILE[1]] * 3 + [HOSTILE[3]] * 3,
    )
    y = np.array([HOSTILE[0], HOSTILE[3]] * 3, object)
    return X, y, IBGNClassifier(random_state=0).fit(X, y)


def test_names_are_never_markup(browser, hostile):
    X, y, model = hostile
    desk = Desk(Collection(X, y), model, HOSTILE[0])
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address)
        view = opened.page
        view.locator(".posterior").wait_for()
        assert view.locator("h1").inner_text() == HOSTILE[0]
        for name in ("confusion", "model", "next", "instances"):
            view.locator(f"#view-{name}").click()
            view.locator(".view h2").wait_for()
        view.get_by_role("button", name="Most similar").click()
        view.locator(".card").first.wait_for()
        expect(view.locator("main img, main script, header img")).to_have_count(0)
        assert HOSTILE[0] in view.locator(".answer").inner_text()
        assert not opened.events
        opened.context.close()


LONG = ["a name that goes on and on " * 12, "x" * 300, "שם ארוך " * 30]


@pytest.mark.parametrize("width", [1280, 380])
def test_long_names_stay_in_their_places(browser, width):
    X = IntervalSequences.from_lists(
        [[(LONG[n % 3], 0, 4), (LONG[(n + 1) % 3], 3, 6 + n)] for n in range(6)],
        [f"{LONG[n % 3]} {n}" for n in range(6)],
    )
    y = np.array(LONG * 2, object)
    model = IBGNClassifier(random_state=0).fit(X, y)
    y[4:] = None
    desk = Desk(Collection(X, y), model, "takes.csv")
    beyond = """() => [...document.querySelectorAll("main .panel, main .head, main .timeline")]
      .filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.ariaLabel)"""
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address, width=width)
        view = opened.page
        view.locator(".posterior").wait_for()
        view.locator("button.bar").first.focus()
        for state in walk_views(view):
            assert opened.sideways() == 0, state
            assert view.evaluate(beyond) == [], state
        assert not opened.events
        opened.context.close()


def walk_views(view):
    """Open every view; yields the name of each."""
    for name in ("instances", "confusion", "model", "next"):
        view.locator(f"#view-{name}").click()
        view.locator(".view h2").wait_for()
        if name == "model":
            view.get_by_role("heading", name="Generated instances").wait_for()
        yield name


def test_names_that_are_read_from_the_right_stay_apart(browser, data, model):
    desk = Desk(Collection(data[0], ["שלום"] * len(data[1])), model, "takes.csv")
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address)
        view = opened.page
        open_row(view, 0)
        apart = """box => [...box.children].map(
          each => [each.textContent, getComputedStyle(each).unicodeBidi])"""
        answer = desk.rows()["predicted"][0]
        assert view.locator("#row-0 .item-label").evaluate(apart) == [
            ["שלום", "isolate"],
            [answer, "isolate"],
        ]
        direction = "field => getComputedStyle(field).direction"
        assert view.locator("#label").evaluate(direction) == "rtl"
        opened.context.close()


def test_many_short_intervals_are_drawn_as_long_as_they_are(browser, model):
    rows = [(f"act {n % 5}", n, n + 0.2 + n % 3) for n in range(500)]
    X = IntervalSequences.from_lists([rows])
    desk = Desk(Collection(X, [None]), model, "takes.csv")
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address)
        open_row(opened.page, 0)
        bars = opened.page.locator("button.bar")
        expect(bars).to_have_count(500)
        widths = bars.evaluate_all("all => all.map(each => each.getBoundingClientRect().width)")
        pixels = opened.page.locator(".axis").bounding_box()["width"] / (rows[-1][2] * 1.06)
        for width, (_, start, end) in zip(widths, rows, strict=True):
            assert width == pytest.approx(max((end - start) * pixels, 3), abs=0.5)
        assert not opened.events
        opened.context.close()


def walk(view):
    """Bring the page into every state that a reader meets; yields the name of each."""
    yield "instances"
    view.locator("button.bar").first.focus()
    yield "relations of an interval"
    view.keyboard.press("Shift+ArrowRight")
    view.get_by_role("heading", name="What if").wait_for()
    yield "a draft"
    view.keyboard.press("Escape")
    view.get_by_role("button", name="Most similar").click()
    view.locator(".card").first.wait_for()
    yield "similar instances"
    view.locator("#edit-start").fill("99999")
    view.keyboard.press("Enter")
    view.locator("#message.error").wait_for()
    yield "an error"
    view.get_by_role("button", name="Close the message").click()
    view.locator("#title").click()
    view.keyboard.press("/")
    view.keyboard.type("no such name")
    view.get_by_text("No instance is like that.").wait_for()
    yield "an empty list"
    view.get_by_role("button", name="Clear filters").click()
    for button in ("Keys", "Save a copy…"):
        view.get_by_role("button", name=button).click()
        view.get_by_role("dialog").wait_for()
        yield f"the dialog of {button}"
        view.keyboard.press("Escape")
        expect(view.get_by_role("dialog")).to_have_count(0)
    for name in ("confusion", "model", "next", "live"):
        view.locator(f"#view-{name}").click()
        view.locator(".view h2").wait_for()
        if name == "model":
            view.get_by_role("heading", name="Generated instances").wait_for()
        if name == "live":
            view.locator(".band").first.wait_for()
        yield name


def write_posteriors(path, labels):
    """What `ibgn listen` would write of an instance."""
    with path.open("w") as file:
        for time in range(6):
            shares = np.linspace(1, 2 + time, len(labels))
            posterior = dict(zip(map(str, labels), shares / shares.sum(), strict=True))
            record = {"instance": 1, "kind": "event", "time": time, "posterior": posterior}
            file.write(json.dumps(record) + "\n")


@pytest.mark.parametrize(
    ("theme", "width"), [("light", 1280), ("dark", 1280), ("light", 380), ("dark", 380)]
)
def test_everybody_can_read_and_reach_it(browser, desk, model, place, theme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    write_posteriors(place.folder / "live.jsonl", model.classes_)
    following = Following(place.folder / "live.jsonl", lambda *news: desk.tell(*news))
    following.begin()
    with served(desk, Learning(desk, model), place, following) as address:
        opened = Watched(browser, address, theme, width)
        view = opened.page
        view.locator(".posterior").wait_for()
        for state in walk(view):
            found = axe.run(view).response["violations"]
            serious = [
                (each["id"], each["nodes"][0]["html"][:120])
                for each in found
                if each["impact"] in ("serious", "critical")
            ]
            assert not serious, state
            assert opened.sideways() == 0, state
            assert "[object" not in view.locator("body").inner_text(), state
        assert not opened.events
        opened.context.close()
    following.stop()


def test_the_focus_goes_through_the_page_in_its_order(page):
    view = page.page
    view.evaluate("document.activeElement.blur()")
    seen = []
    for _ in range(60):
        view.keyboard.press("Tab")
        name = view.evaluate(
            "() => { const e = document.activeElement; return e === document.body ? '' :"
            " e.id || e.className || e.tagName; }"
        )
        if not name or name in seen[:1]:
            break
        seen.append(name)
    order = [
        *("skip", "view-instances", "view-live", "undo", "save", "help", "search", "choice-show"),
        *("choice-order", "list", "label", "bar", "choice-against", "reason", "ask-nearest"),
    ]
    assert [seen.index(name) for name in order] == sorted(seen.index(name) for name in order)
    assert seen.count("bar") == 1  # one stop; arrows go on from there
    assert seen.count("list") == 1


def test_what_a_page_must_not_do_is_found_out(page, browser):
    page.page.evaluate("fetch('http://127.0.0.1:9/x').catch(() => 0)")
    assert any("127.0.0.1:9" in event for event in page.events)
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page.page.evaluate("document.body.append(document.createElement('button'))")
    found = axe.run(page.page).response["violations"]
    assert "button-name" in {each["id"] for each in found}
    page.events.clear()


def test_another_page_cannot_read_or_change_anything(page, browser, desk, tmp_path):
    own = tmp_path / "foreign.html"
    own.write_text("<p>another page</p>")
    foreign = browser.new_page()
    foreign.goto(own.as_uri())
    address = json.dumps(f"{page.address}api/")
    read_it = f"fetch({address} + 'overview').then(a => a.text()).catch(() => 'refused')"
    assert foreign.evaluate(read_it) == "refused"
    change = (
        f"fetch({address} + 'learn', {{method: 'POST', mode: 'no-cors', body: '{{}}'}})"
        ".then(a => a.type).catch(() => 'refused')"
    )
    foreign.evaluate(change)
    assert desk.collection.changed == {}
    foreign.close()
    assert page.page.evaluate("fetch('api/overview').then(a => a.status)") == 200  # the control


def test_without_the_token_or_by_another_name_nothing_is_shown(page, browser):
    bare = browser.new_page()
    root = page.address.removesuffix("token/")
    for path in ("", "api/overview", "wrong/"):
        assert bare.goto(root + path).status == 403
        expect(bare.locator("body")).to_contain_text("the address needs the token")
    bare.close()
    rule = "--host-resolver-rules=MAP rebound.example 127.0.0.1"
    rebound = browser.browser_type.launch(
        executable_path=shutil.which("chromium"), args=[*FLAGS.split(), rule]
    )
    view = rebound.new_page()
    answer = view.goto(page.address.replace("127.0.0.1", "rebound.example"))
    assert answer.status == 421  # it reached the server, which refused
    assert view.goto(page.address).status == 200  # the control
    rebound.close()


def test_shares_never_round_to_certainty(page):
    told = page.page.evaluate(
        """async () => {
          const { percent } = await import("./dom.js");
          return [0, 0.0004, 0.005, 0.994, 0.995, 0.99996, 1].map(percent);
        }"""
    )
    said = [each.replace("\u00a0", " ") for each in told]
    assert said == ["0 %", "<1 %", "1 %", "99 %", ">99 %", ">99 %", "100 %"]


def test_only_shares_have_bars_behind_them(page):
    drawn = page.page.evaluate(
        """async () => {
          const { table } = await import("./dom.js");
          const rows = [["stir", 0.9, 0.2], ["cut", 0.1, 0.4]];
          const made = table(["action", "probability", "from"], rows, "a table");
          return [...made.querySelectorAll("tbody tr")].map(
            row => [...row.cells].map(cell => cell.style.getPropertyValue("--share")));
        }"""
    )
    assert drawn == [["", "90%", ""], ["", "10%", ""]]


def test_choosing_a_view_moves_nothing(page):
    view = page.page
    places = "all => all.map(each => each.getBoundingClientRect().x)"
    before = view.locator("#views button").evaluate_all(places)
    for number in range(1, 6):
        view.keyboard.press(str(number))
        expect(view.locator(f"#views button:nth-child({number})[aria-current]")).to_be_visible()
        assert view.locator("#views button").evaluate_all(places) == before
