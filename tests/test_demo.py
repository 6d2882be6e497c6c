"""The demo: the main job from start to end, and the report that it writes."""

import json
from operator import itemgetter
from types import SimpleNamespace

import pandas as pd
import pytest

from browsing import Watched
from ibgn import load, read
from ibgn.evaluation.robustness import measure_robustness

pytestmark = pytest.mark.slow


def run_small_demo(folder, monkeypatch):
    """The quick demo with few figures, in this process."""
    from typer.testing import CliRunner

    from ibgn.cli import app
    from ibgn.report.sections import model

    monkeypatch.setattr(model, "MOST_MODELS", 1)
    monkeypatch.chdir(folder)
    return lambda *options: CliRunner().invoke(app, ["demo", "--quick", *map(str, options)])


@pytest.fixture
def small_demo(tmp_path, monkeypatch):
    return run_small_demo(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def demo_once(tmp_path_factory):
    """What the small demo printed, and the folder that it wrote."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as monkeypatch:
        result = run_small_demo(folder, monkeypatch)("--json", "--jobs", 1)
    assert result.exit_code == 0, result.exception
    return result, folder / "ibgn-demo"


def numbers_of_demo(result):
    """What was printed, without what depends on the machine and the folder."""
    found = json.loads(result.stdout)
    del found["report"]
    for row in found["summary"]:
        del row["fit_seconds"], row["predict_seconds"]
    return found


def test_demo_compares_methods_and_writes_a_report(demo_once):
    result, folder = demo_once
    found = json.loads(result.stdout)
    assert found["report"] == "ibgn-demo/report.html"
    assert {path.name for path in folder.iterdir()} == {
        "hand-signs.csv",
        "hand-signs.ibgn",
        "pieces",
        "report.html",
    }
    X, y = read(folder / "hand-signs.csv")
    assert (len(X), len(set(y))) == (found["instances"], 19) == (72, 19)
    names = {row["method"] for row in found["summary"]}
    assert names >= {"IHMM", "DBN", "ITBN", "IBGN-C", "IBGN-F", "IBGN"}
    assert {row["method"] for row in found["comparison"]} < names
    assert {row["error"] for row in found["curves"]} == {"none", "misdetection", "duration"}
    saved = json.loads((folder / "pieces" / "summary.json").read_text())
    assert saved["comparison"]["rows"] == found["summary"]
    by_method = itemgetter("method")
    assert sorted(saved["robustness"], key=by_method) == sorted(found["curves"], key=by_method)
    assert saved["comparison"]["split"].endswith("tested on new groups.")
    page = (folder / "report.html").read_text()
    assert "<script" not in page
    assert ">Signed words</h1>" in page
    table = pd.read_csv(folder / "pieces" / "predictions.csv")
    assert len(table) == len(names) * len(X)
    model = load(folder / "hand-signs.ibgn")
    assert (model.predict(X) == y).mean() > 0.5  # of 19 words


def test_the_report_of_the_demo_is_short_and_can_be_read(browser, demo_once):
    opened = Watched(browser, demo_once[1] / "report.html", width=380)
    pages, alone = opened.printed()
    assert pages <= 12
    assert not alone
    opened.context.close()
    opened = Watched(browser, demo_once[1] / "report.html", width=380)
    opened.unfold()
    assert opened.small_letters() == []
    assert opened.sideways() == 0
    assert not opened.events
    opened.context.close()


def test_demo_gives_the_same_numbers_for_the_same_seed(small_demo, tmp_path, monkeypatch):
    """Whatever the jobs are; the report is left out here, as it takes the most time."""
    monkeypatch.setattr("ibgn.report.make_report", lambda _: SimpleNamespace(save=lambda *_: None))
    monkeypatch.setattr("ibgn.report.find", lambda *_, **__: None)
    seeds = []

    def measure(*given, seed, **options):
        seeds.append(seed)
        return measure_robustness(*given, seed=seed, **options)

    monkeypatch.setattr("ibgn.evaluation.robustness.measure_robustness", measure)
    first, again, other = (
        small_demo("--json", "--out", f"{seed}-{jobs}", "--seed", seed, "--jobs", jobs)
        for seed, jobs in ((4, 1), (4, 2), (5, 1))
    )
    assert [r.exit_code for r in (first, again, other)] == [0, 0, 0]
    assert seeds == [4, 4, 5]
    assert numbers_of_demo(first) == numbers_of_demo(again)
    assert numbers_of_demo(first)["curves"] != numbers_of_demo(other)["curves"]
    one, same, another = (tmp_path / folder for folder in ("4-1", "4-2", "5-1"))
    assert (one / "hand-signs.csv").read_bytes() == (same / "hand-signs.csv").read_bytes()
    assert (one / "hand-signs.csv").read_bytes() != (another / "hand-signs.csv").read_bytes()
    X, _ = read(one / "hand-signs.csv")
    models = [load(folder / "hand-signs.ibgn").predict_proba(X) for folder in (one, same)]
    assert (models[0] == models[1]).all()
