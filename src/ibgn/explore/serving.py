"""Running the page until it is interrupted."""

import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ibgn.errors import DataError
from ibgn.explore.collection import Collection
from ibgn.explore.desk import Desk
from ibgn.explore.following import Following
from ibgn.explore.guard import make_token
from ibgn.explore.history import History
from ibgn.explore.learning import Learning
from ibgn.explore.saving import Place
from ibgn.text import count

__all__ = ["open_collection", "serve"]

HOST = "127.0.0.1"


def open_collection(X: Any, y: Any, place: Place | None, say: Callable[[str], None]) -> Collection:
    """Instances, with the changes of an earlier run."""
    collection = Collection(X, y)
    if place is not None:
        history = History(place.journal, collection)
        if history.resumed:
            say(f"{count(history.resumed, 'change')} from before, of {history.path}")
    return collection


def serve(
    collection: Collection,
    model: Any,
    place: Place | None,
    live: Path | None,
    port: int,
    browser: bool,
    say: Callable[[str], None],
) -> None:
    """Serve the page until Ctrl-C.

    Parameters
    ----------
    collection : instances and labels
    model : fitted classifier, or None: one learns from the labels
    place : where the data are, or None
    live : what a listener writes, or None
    port : 0 for a free one
    browser : whether the page is opened
    say : how the address is told
    """
    try:
        from ibgn.explore.server import Answers, Server
    except ImportError as error:
        raise DataError("the page needs more packages: pip install 'ibgn[explore]'") from error
    from ibgn.classifiers import IBGNClassifier

    desk = Desk(collection, model, "ibgn" if place is None else place.source.name)
    learning = Learning(desk, IBGNClassifier(random_state=0) if model is None else model)
    try:
        listening = socket.create_server((HOST, port))
    except OSError as error:
        reason = f"port {port} of {HOST} cannot be used ({error.strerror}); "
        raise DataError(f"{reason}name another, or 0 for a free one") from error
    with listening:
        address = f"{HOST}:{listening.getsockname()[1]}"
        hosts = (address, address.replace(HOST, "localhost"))
        token = make_token()
        following = None if live is None else Following(live, lambda *news: desk.tell(*news))
        server = Server(Answers(desk, learning, place, following), token, hosts)
        if model is None and learning.is_possible:
            learning.begin()
        if following is not None:
            following.begin()
        say(f"http://{address}/{token}/")
        say("Ctrl-C ends it")
        if browser:
            webbrowser.open(f"http://{address}/{token}/")
        try:
            server.run([listening])
        finally:
            if following is not None:
                following.stop()
