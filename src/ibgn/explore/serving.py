"""Running the page until it is interrupted."""

import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ibgn.errors import DataError
from ibgn.explore.collection import Collection
from ibgn.explore.desk import Desk
from ibgn.explore.guard import make_token
from ibgn.explore.history import History
from ibgn.explore.learning import Learning
from ibgn.explore.saving import Place
from ibgn.intervals import IntervalSequences
from ibgn.text import count

__all__ = ["serve"]

HOST = "127.0.0.1"


def serve(
    X: IntervalSequences,
    y: Any,
    model: Any,
    source: Path,
    format: str,
    port: int,
    browser: bool,
    say: Callable[[str], None],
) -> None:
    """Serve the page until Ctrl-C.

    Parameters
    ----------
    X, y : instances and labels
    model : fitted classifier, or None: one learns from the labels
    source, format : where they were read
    port : 0 for a free one
    browser : whether the page is opened
    say : how the address is told
    """
    try:
        import uvicorn

        from ibgn.explore.server import Answers, make_app
    except ImportError as error:
        raise DataError("the page needs more packages: pip install 'ibgn[explore]'") from error
    from ibgn.classifiers import IBGNClassifier

    collection = Collection(X, y)
    history = History(source.with_name(f"{source.name}.changes"), collection)
    if history.resumed:
        say(f"{count(history.resumed, 'change')} from before, of {history.path}")
    desk = Desk(collection, model, source.name)
    learning = Learning(desk, IBGNClassifier(random_state=0) if model is None else model)
    with socket.create_server((HOST, port)) as listening:
        port = listening.getsockname()[1]
        token = make_token()
        hosts = (f"{HOST}:{port}", f"localhost:{port}")
        app = make_app(Answers(desk, learning, Place(source, format)), token, hosts)
        if model is None and y is not None:
            learning.begin()
        address = f"http://{HOST}:{port}/{token}/"
        say(address)
        say("Ctrl-C ends it")
        if browser:
            webbrowser.open(address)
        config = uvicorn.Config(app, log_level="error", access_log=False, lifespan="off")
        uvicorn.Server(config).run([listening])
