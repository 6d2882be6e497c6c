"""The page of `ibgn explore` in a browser: by keyboard and by mouse, and for everybody."""

import json
import re

import numpy as np
import pytest

from browsing import Watched
from exploring import served
from ibgn import IBGNClassifier
from ibgn.datasets import make_relations
from ibgn.explore import Collection
from ibgn.explore.desk import Desk
from ibgn.explore.following import Following
from ibgn.explore.learning import Learning
from ibgn.explore.saving import Place
from ibgn.intervals import IntervalSequences
from ibgn.io import read, write

expect = pytest.importorskip("playwright.sync_api").expect
expect.set_options(timeout=20_000)

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
    if 0.995 < share < 1:
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


# -- looking ---------------------------------------------------------------------------------------


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


def test_similar_instances_and_the_smallest_change(page, model):
    view = page.page
    view.get_by_role("button", name="Most similar").click()
    cards = view.locator(".cards .card")
    cards.first.wait_for()
    expect(cards).to_have_count(6)
    wish = view.get_by_label("What would make it")
    wish.select_option(index=1)
    label = wish.input_value()
    view.get_by_role("button", name="Try it").or_(view.get_by_text("No change of up to")).wait_for(
        timeout=60_000
    )
    if view.get_by_role("button", name="Try it").count():
        view.get_by_role("button", name="Try it").click()
        view.locator(".answer .posterior li").first.get_by_text(label).wait_for()


def test_the_model_is_described_and_generates(page, model):
    view = page.page
    view.keyboard.press("3")
    view.get_by_role("heading", name="How much each term counts").wait_for()
    view.get_by_role("heading", name="Generated instances").wait_for()
    expect(view.locator(".miniature")).to_have_count(6)
    expect(view.locator("details")).to_have_count(len(model.terms_))
    view.get_by_role("combobox", name="Activity").select_option(str(model.classes_[-1]))
    view.get_by_role("heading", name=f"What separates {model.classes_[-1]}").wait_for()


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


def test_two_tabs_do_not_overwrite_each_other(page, browser, desk):
    view = page.page
    other = Watched(browser, page.address)
    for each in (view, other.page):
        each.get_by_label("Order").select_option("order")
        each.locator("#row-5").click()
        each.locator("#row-5[aria-selected=true]").wait_for()
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
        view.locator(".posterior").wait_for(timeout=60_000)
        view.locator("#view-next").click()
        view.get_by_text("22 instances have no label").wait_for()
        expect(view.locator(".cards .card")).to_have_count(10)
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


@pytest.mark.parametrize(
    ("theme", "width"), [("light", 1280), ("dark", 1280), ("light", 380), ("dark", 380)]
)
def test_everybody_can_read_and_reach_it(browser, desk, model, theme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with served(desk, Learning(desk, model)) as address:
        opened = Watched(browser, address, theme, width)
        view = opened.page
        view.locator(".posterior").wait_for()
        view.locator("button.bar").first.focus()
        for name in ("instances", "confusion", "model", "next"):
            view.locator(f"#view-{name}").click()
            view.locator(".view h2").wait_for()
            if name == "model":
                view.get_by_role("heading", name="Generated instances").wait_for()
            found = axe.run(view).response["violations"]
            serious = [
                (each["id"], each["nodes"][0]["html"][:120])
                for each in found
                if each["impact"] in ("serious", "critical")
            ]
            assert not serious, name
            assert opened.sideways() == 0, name
        assert not opened.events
        opened.context.close()


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
