"""Try what `make dist` built: `python .ci/try_dist.py dist`.

The wheel is installed into an empty environment whose site-packages cannot be written to, once with
a home folder for caches and once without one, and does there what a newcomer would do first. The
source distribution must hold all that its tests need.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
# root may write anywhere, unless it gives that up
WITHOUT_PRIVILEGE = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []

NEWCOMER = """
import sys, warnings
from pathlib import Path
import ibgn
from numba.core import event

try:
    Path(ibgn.__file__).with_name("written").touch()
except OSError:
    pass
else:
    sys.exit("site-packages could be written to, so this trial shows nothing")


class Compilations(event.Listener):
    count = 0
    def on_start(self, event): Compilations.count += 1
    def on_end(self, event): pass


event.register("numba:compile", Compilations())
for name in ibgn.__all__:
    getattr(ibgn, name)
X, y = ibgn.read_csv("drinks.csv")
model = ibgn.IBGNClassifier(draws=100, budget=1000, random_state=0).fit(X, y)
assert (model.predict(X) == y).all()
model.explain(X[0])
model.save("drinks.ibgn")
assert (ibgn.load("drinks.ibgn").predict(X) == y).all()
assert len(model.sample(2, activity="tea", random_state=0)) > 0
print(Compilations.count)
"""


def main(folder: Path) -> None:
    """Try the only wheel and the only source distribution of a folder."""
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    check_wheel(wheel)
    with tempfile.TemporaryDirectory() as place:
        check_source(source, Path(place))
    with tempfile.TemporaryDirectory() as place:
        try_wheel(wheel, Path(place))
    print(f"{wheel.name} and {source.name} are fit to be released")


def check_wheel(wheel: Path) -> None:
    """Refuse a wheel that lacks something, or holds what is not the library's."""
    names = zipfile.ZipFile(wheel).namelist()
    files = [p for p in (ROOT / "src/ibgn").rglob("*") if p.is_file() and p.suffix != ".pyc"]
    in_source = {str(p.relative_to(ROOT / "src")) for p in files}
    in_wheel = {n for n in names if ".dist-info/" not in n}
    assert in_wheel == in_source, f"only in wheel or source: {sorted(in_wheel ^ in_source)}"
    assert any(n.endswith("/licenses/LICENSE") for n in names), "the wheel has no licence"


def check_source(source: Path, place: Path) -> None:
    """Collect all tests of the source distribution, with what they import, and run a few."""
    with tarfile.open(source) as archive:
        archive.extractall(place, filter="data")
    (root,) = place.iterdir()
    environment = os.environ | {"PYTHONPATH": str(root / "src")}
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    here = {"cwd": root, "env": environment, "check": True, "stdout": subprocess.DEVNULL}
    subprocess.run([*pytest, "--collect-only"], **here)
    subprocess.run([*pytest, "tests/test_project.py", "tests/test_allen.py"], **here)


def try_wheel(wheel: Path, place: Path) -> None:
    """Install into an empty environment, and use it as a newcomer without rights would."""
    environment = place / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    pip = [environment / "bin/python", "-m", "pip", "install", "--quiet"]
    pip += ["--disable-pip-version-check", "--constraint", ROOT / "constraints.txt"]
    subprocess.run([*pip, wheel], check=True)
    home, no_home, work = place / "home", place / "no-home", place / "work"
    for folder in (home, no_home, work):
        folder.mkdir()
    write_drinks(work / "drinks.csv")
    with read_only(environment), read_only(no_home):
        version = wheel.name.split("-")[1]
        assert run(environment, home, work, "ibgn", "--version") == version
        compiled = [int(run(environment, home, work, "python", "-c", NEWCOMER)) for _ in range(2)]
        assert compiled[0] > 0, "nothing was compiled"
        assert compiled[1] == 0, "kernels are not kept between runs"
        assert int(run(environment, no_home, work, "python", "-c", NEWCOMER)) > 0
        loading = "import ibgn; print(ibgn.load('drinks.ibgn'))"  # alone: nothing else is imported
        assert run(environment, home, work, "python", "-c", loading).startswith("IBGNClassifier")
        for each in (home, no_home):
            use_command(environment, each, work)


def use_command(environment: Path, home: Path, work: Path) -> None:
    """From a file to a model, a prediction and a report."""
    for line in (
        "--help",
        "inspect drinks.csv",
        "fit drinks.csv -o drinks.ibgn --draws 100 --budget 1000",
        "predict drinks.ibgn drinks.csv",
        "explain drinks.ibgn drinks.csv --instance t0 --figure why.png",
        "sample drinks.ibgn -n 2",
        "evaluate drinks.csv --folds 2 -m IHMM -m DBN --report report.html",
    ):
        assert run(environment, home, work, "ibgn", *line.split()), f"ibgn {line} printed nothing"
    assert "<svg" in (work / "report.html").read_text()
    for made in ("drinks.ibgn", "why.png", "report.html"):
        (work / made).unlink()


def run(environment: Path, home: Path, work: Path, program: str, *words: str) -> str:
    """Run a program of the environment without privileges -> what it printed."""
    command = [*WITHOUT_PRIVILEGE, environment / "bin" / program, *words]
    clean = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    done = subprocess.run(command, cwd=work, env=clean, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program} {' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def write_drinks(path: Path) -> None:
    """Two activities that differ in how their actions overlap, in 12 instances."""
    rows = ["instance,label,action,start,end"]
    for number in range(12):
        label, stir = ("tea", 4) if number % 2 else ("latte", 1)
        rows += [f"t{number},{label},pour,0,3", f"t{number},{label},stir,{stir},6"]
    path.write_text("\n".join(rows) + "\n")


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Take the right to write from a folder and all folders in it, for a while."""
    folders = [folder, *(p for p in folder.rglob("*") if p.is_dir() and not p.is_symlink())]
    for each in folders:
        each.chmod(0o555)
    try:
        yield
    finally:
        for each in folders:
            each.chmod(0o755)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
