"""The page of `ibgn explore`, served within this process."""

import threading
import time
from contextlib import contextmanager
from socket import create_server

from ibgn.explore.server import Answers, Server

PATIENCE = 120  # seconds, also where other programs keep the machine busy


@contextmanager
def served(desk, learning, place=None, following=None):
    """The address of a page; the server ends with the block."""
    with create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        server = Server(Answers(desk, learning, place, following), "token", hosts)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{port}/token/"
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive(), "the server does not end"
