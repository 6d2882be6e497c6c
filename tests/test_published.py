"""Data sets are fetched once, from a server on this machine with files of our own making."""

import gc
import hashlib
import http.server
import threading
import warnings
from functools import partial

import numpy as np
import pytest

import ibgn
from ibgn import IntervalSequences
from ibgn.datasets import published

pytest.importorskip("pooch", reason="fetching needs pooch: pip install 'ibgn[fetch]'")

FETCH = {
    "BLOCKS": ibgn.datasets.fetch_blocks,
    "AUSLAN2": ibgn.datasets.fetch_auslan2,
    "SKATING": ibgn.datasets.fetch_skating,
    "CONTEXT": ibgn.datasets.fetch_context,
}
CLASSES = b"7\r\n3\r\n"
DATA = b"0 12 1 3\r\n0 4 4 4\r\n1 12 2 9\r\n"


class Handler(http.server.SimpleHTTPRequestHandler):
    asked: list

    def do_GET(self):
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, *args):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Serves a folder on this machine as the origin of all files; `asked` are the requests."""
    root = tmp_path / "server"
    root.mkdir()
    handler = type("Recorder", (Handler,), {"asked": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=root)) as it:
        thread = threading.Thread(target=it.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setattr(published, "ORIGIN", f"http://127.0.0.1:{it.server_port}/")
        it.root, it.asked = root, handler.asked
        yield it
        it.shutdown()
        thread.join()
    # requests leave the socket of a download that fails to the garbage collector
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture
def serve(server, monkeypatch):
    """Put the two files of a data set on the server, as if they were the published ones."""

    def put(name, classes=CLASSES, data=DATA):
        (server.root / name).mkdir()
        for file, content in (("classes.txt", classes), ("data.txt", data)):
            (server.root / name / file).write_bytes(content)
            checksum = hashlib.sha256(content).hexdigest()
            monkeypatch.setitem(published.CHECKSUMS, f"{name}/{file}", checksum)

    return put


@pytest.mark.parametrize("name", FETCH)
def test_a_set_is_read_with_inclusive_ends(name, serve, tmp_path):
    serve(name)
    X, y = FETCH[name](folder=tmp_path / "cache")
    expected = [[("12", 1, 4), ("4", 4, 5)], [("12", 2, 10)]]
    assert X.to_lists() == expected
    assert X.ids.tolist() == ["0", "1"]
    assert y.tolist() == ["7", "3"]
    assert y.dtype == object


def test_a_set_is_downloaded_once_and_its_terms_are_printed_once(serve, server, tmp_path, capsys):
    serve("BLOCKS")
    first = ibgn.datasets.fetch_blocks(folder=tmp_path / "cache")
    assert server.asked == ["/BLOCKS/classes.txt", "/BLOCKS/data.txt"]
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("Moerchen") == 1
    assert str(tmp_path / "cache") in shown.err
    second = ibgn.datasets.fetch_blocks(folder=str(tmp_path / "cache"))
    assert len(server.asked) == 2
    assert capsys.readouterr().err == ""
    assert first[0] == second[0]


def test_a_damaged_copy_is_downloaded_again(serve, server, tmp_path):
    serve("BLOCKS")
    X, _ = ibgn.datasets.fetch_blocks(folder=tmp_path / "cache")
    (tmp_path / "cache" / "BLOCKS" / "data.txt").write_bytes(b"0 1 1 1\r\n")
    assert ibgn.datasets.fetch_blocks(folder=tmp_path / "cache")[0] == X
    assert len(server.asked) == 3


def test_a_file_with_another_checksum_is_refused_and_not_kept(serve, server, tmp_path):
    serve("BLOCKS")
    (server.root / "BLOCKS" / "data.txt").write_bytes(b"<html>Sign in to the hotel</html>")
    with pytest.raises(ibgn.DataError, match="BLOCKS is not the one that was published.*SHA-256"):
        ibgn.datasets.fetch_blocks(folder=tmp_path / "cache")
    assert not (tmp_path / "cache" / "BLOCKS" / "data.txt").exists()


def test_without_a_network_the_error_says_which_files_go_where(monkeypatch, tmp_path):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(published, "ORIGIN", "http://127.0.0.1:9/")  # nobody listens
    with pytest.raises(ibgn.DataError, match="could not be downloaded") as caught:
        ibgn.datasets.fetch_skating(folder=tmp_path)
    message = str(caught.value)
    assert "http://127.0.0.1:9/SKATING/classes.txt and http" in message
    assert str(tmp_path / "SKATING" / "data.txt") in message
    assert "make_hand_signs" in message


def test_files_that_were_copied_by_hand_need_no_network(serve, server, monkeypatch):
    serve("CONTEXT")
    monkeypatch.setattr(published, "ORIGIN", "http://127.0.0.1:9/")
    X, _ = ibgn.datasets.fetch_context(folder=server.root)
    assert len(X) == 2


def test_a_file_that_the_server_lacks_and_a_folder_that_is_a_file(serve, server, tmp_path):
    serve("BLOCKS")
    (server.root / "BLOCKS" / "data.txt").unlink()
    with pytest.raises(ibgn.DataError, match="could not be downloaded .404"):
        ibgn.datasets.fetch_blocks(folder=tmp_path / "cache")
    (tmp_path / "file").write_text("")
    with pytest.raises(ibgn.DataError, match="could not be saved.*name another folder.*folder="):
        ibgn.datasets.fetch_blocks(folder=tmp_path / "file")


def test_without_pooch_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)
    with pytest.raises(ibgn.DataError, match=r"pip install 'ibgn\[fetch\]'"):
        ibgn.datasets.fetch_blocks()


def test_by_default_files_are_kept_in_the_folder_for_caches(serve, monkeypatch, tmp_path):
    import pooch

    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / project)
    serve("BLOCKS")
    ibgn.datasets.fetch_blocks()
    assert (tmp_path / "ibgn" / "BLOCKS" / "data.txt").exists()


@pytest.mark.parametrize("name", FETCH)
def test_the_docstring_cites_states_terms_and_shows_the_result(name, read_shared):
    text = FETCH[name].__doc__
    assert "Moerchen and D. Fradkin" in text
    assert "No terms of use" in text
    assert repr(read_shared(name)[0]).splitlines()[0] in text


@pytest.mark.parametrize("name", FETCH)
def test_the_published_rows_are_those_that_were_used_so_far(name, serve, read_shared, tmp_path):
    """The labels have the published checksum; rows come in another order than in the table."""
    X, y = read_shared(name)
    classes = "".join(f"{label}\r\n" for label in y).encode()
    assert hashlib.sha256(classes).hexdigest() == published.CHECKSUMS[f"{name}/classes.txt"]
    frame = X.to_frame()
    columns = frame["instance"], frame["action"], frame["start"], frame["end"] - 1
    rows = [f"{i} {a} {s:.0f} {e:.0f}\r\n" for i, a, s, e in zip(*columns, strict=True)]
    serve(name, classes, "".join(rows[::-1]).encode())
    again, labels = FETCH[name](folder=tmp_path / "cache")
    assert again == X
    assert isinstance(again, IntervalSequences)
    assert np.array_equal(labels, y)
