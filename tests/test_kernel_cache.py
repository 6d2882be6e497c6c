"""A damaged, foreign, read-only or full cache of compiled kernels stops nobody."""

import importlib.util
from pathlib import Path
from typing import Any

import numba
import pytest

from ibgn._kernels.cache import ForgivingCache

SOURCE = "from ibgn._kernels import kernel\n\n@kernel\ndef double(x):\n    return 2 * x\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for compiled kernels, and one of which they are compiled."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(ForgivingCache, "said", False)
    (tmp_path / "small.py").write_text(SOURCE)
    return tmp_path


def run(folder: Path) -> Any:
    """Import the kernel as a new process would, call it, and return it."""
    spec = importlib.util.spec_from_file_location("small", folder / "small.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.double(21) == 42
    return module.double


def was_loaded(kernel: Any) -> bool:
    return sum(kernel.stats.cache_hits.values()) == 1


def damage(folder: Path, suffix: str, content: bytes | None) -> None:
    for path in (folder / "cache").rglob(f"*{suffix}"):
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2] if content is None else content)


def test_the_second_run_loads_what_the_first_compiled(folder, capfd):
    assert not was_loaded(run(folder))
    assert was_loaded(run(folder))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("content", [None, b"", b"not a cache\n", b"\x80\x05N."])
def test_a_damaged_cache_is_compiled_again_and_repaired(folder, capfd, suffix, content):
    run(folder)
    damage(folder, suffix, content)
    assert not was_loaded(run(folder))
    said = capfd.readouterr().err
    assert said.count("cannot be read") <= 1
    assert "Traceback" not in said
    assert was_loaded(run(folder))


def test_what_cannot_be_saved_is_said_once(folder, capfd, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ForgivingCache, "_save_overload", full)
    for _ in range(2):
        assert not was_loaded(run(folder))
    said = capfd.readouterr().err
    assert said.count("cannot be written (OSError: [Errno 28] No space left on device)") == 1
    assert "NUMBA_CACHE_DIR" in said


def test_no_folder_to_cache_in(folder, monkeypatch):
    def refuse(*_: object) -> None:
        raise RuntimeError("no locator available")

    monkeypatch.setattr(ForgivingCache, "__init__", refuse)
    assert not was_loaded(run(folder))
