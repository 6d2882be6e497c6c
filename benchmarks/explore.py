"""The page of `ibgn explore` with many instances, measured in the browser that shows it.

Run with `python -m benchmarks.explore`. The first view is measured from the request of the page
until the list and the first instance are drawn; a what-if from the key or the movement of the mouse
until the frame in which the new posterior is drawn. Needs playwright, and chromium on the path.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

from ibgn import IBGNClassifier, write_csv
from ibgn.datasets import make_hand_signs

INSTANCES = 10_000
LEARNED = 1_000  # of which the model learns
OPENED = 10  # instances in which ends are moved
MOVES = 20  # of the end of an interval, in each instance; as many by keys as by the mouse

# Notes how long after an input the answer to it was drawn.
WATCH = """() => {
  let since = 0;
  window.waits = [];
  for (const kind of ["keydown", "pointermove"]) {
    window.addEventListener(kind, (event) => { since = event.timeStamp; }, true);
  }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntriesByName("what-if")) {
      const began = Math.min(since, entry.startTime);
      requestAnimationFrame(() => setTimeout(() => window.waits.push(performance.now() - began)));
    }
  }).observe({ entryTypes: ["measure"] });
}"""


def write_data(folder: Path, instances: int) -> None:
    """Signed words, and a model of some of them."""
    X, y, _ = make_hand_signs(instances_per_style=instances // 12, random_state=0)
    order = np.random.default_rng(0).permutation(len(X))[:instances]
    X, y = X[order], y[order]
    write_csv(X, folder / "signs.csv", y)
    IBGNClassifier(random_state=0).fit(X[:LEARNED], y[:LEARNED]).save(folder / "signs.ibgn")


@contextmanager
def explored(folder: Path) -> Iterator[str]:
    """The address of a page about the data."""
    command = [sys.executable, "-m", "ibgn", "explore", "signs.csv", "--model", "signs.ibgn"]
    with subprocess.Popen(
        [*command, "--no-browser"], cwd=folder, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        try:
            yield next(line for line in server.stderr if line.startswith("http")).strip()
        finally:
            server.terminate()


def first_view(page: Page, address: str) -> float:
    """Seconds until the list and an instance are drawn."""
    page.goto(address)
    _wait(page, "performance.getEntriesByName('first-view').length > 0")
    page.locator(".posterior").first.wait_for()
    return float(page.evaluate("performance.getEntriesByName('first-view')[0].startTime")) / 1000


def what_if(page: Page) -> list[float]:
    """Milliseconds until each change of a draft was answered and drawn."""
    page.evaluate(WATCH)
    page.get_by_role("listbox").focus()
    for number in range(OPENED):
        page.keyboard.press("Home" if number == 0 else "ArrowDown")
        row = page.locator(f".item[aria-posinset='{number + 1}'][aria-selected=true]")
        name = row.locator(".item-id").inner_text()
        page.locator(".head h2").get_by_text(name, exact=True).wait_for()
        page.locator("button.bar").first.focus()
        for move in range(MOVES):
            page.keyboard.press("Shift+ArrowRight" if move < MOVES // 2 else "Shift+ArrowLeft")
            _await_answers(page, number * 2 * MOVES + move + 1)
        _drag(page, number * 2 * MOVES + MOVES)
        page.keyboard.press("Escape")
        page.get_by_role("listbox").focus()
    return list(page.evaluate("window.waits"))


def _drag(page: Page, answered: int) -> None:
    box = page.locator("button.bar[aria-pressed=true]").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] - 2, box["y"] + 10
    page.mouse.move(x, y)
    page.mouse.down()
    for move in range(MOVES):
        page.mouse.move(x + 6 * (move + 1), y)
        _await_answers(page, answered + move + 1)
    page.mouse.up()


def _await_answers(page: Page, number: int) -> None:
    _wait(page, f"window.waits.length >= {number}")


def _wait(page: Page, condition: str) -> None:
    """Wait for something; the page itself may not evaluate text, which `wait_for_function` does."""
    limit = time.monotonic() + 30
    while not page.evaluate(condition):
        assert time.monotonic() < limit, f"{condition} did not come"
        page.wait_for_timeout(15)


def scroll(page: Page) -> float:
    """Milliseconds of the slowest frame while the list is scrolled from end to end."""
    return float(
        page.evaluate(
            """async () => {
              const list = document.querySelector(".list");
              const frame = () => new Promise(requestAnimationFrame);
              let worst = 0, last = await frame();
              for (let step = 0; step <= 120; step++) {
                list.scrollTop = ((list.scrollHeight - list.clientHeight) * step) / 120;
                const now = await frame();
                worst = Math.max(worst, now - last);
                last = now;
              }
              return worst;
            }"""
        )
    )


def measure(instances: int = INSTANCES, repeats: int = 3) -> dict[str, float]:
    """First view in seconds, the worst of some; all else in milliseconds."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as tool:
        folder = Path(name)
        write_data(folder, instances)
        browser = tool.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        with explored(folder) as address:
            views = []
            for _ in range(repeats):
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                views.append(first_view(page, address))
            slowest_frame = scroll(page)
            waits = what_if(page)
            shown = page.locator(".count").inner_text()
        browser.close()
    assert shown == f"{instances:,} of {instances:,} instances"
    return {
        "first view, seconds": max(views),
        "what-ifs": len(waits),
        "what-if, median": float(np.median(waits)),
        "what-if, 95th percentile": float(np.percentile(waits, 95)),
        "what-if, slowest": max(waits),
        "slowest frame while scrolling": slowest_frame,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=INSTANCES)
    print(json.dumps(measure(parser.parse_args().instances), indent=1))
