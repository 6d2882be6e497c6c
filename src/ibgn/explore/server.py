"""The page's server: addresses, and the answers of a desk as JSON."""

import asyncio
import json
import os
import socket
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ibgn.errors import DataError, OptionError
from ibgn.explore import portraits
from ibgn.explore.collection import ConflictError
from ibgn.explore.desk import Desk, Plain, parse_intervals
from ibgn.explore.following import Following
from ibgn.explore.guard import LARGEST, Guard
from ibgn.explore.learning import Learning
from ibgn.explore.saving import Place

__all__ = ["Answers", "News", "Server", "make_app"]

KINDS = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
PAGE = files("ibgn.explore") / "page"
WAITING = 1000  # messages that a page may be behind, before it has to ask again
PATIENCE = 2  # seconds that answers which are on their way may take when the server ends


@dataclass
class News:
    """Messages to all open pages."""

    loop: asyncio.AbstractEventLoop | None = None
    readers: set["asyncio.Queue[bytes | None]"] = field(default_factory=set)

    def tell(self, kind: str, news: Plain) -> None:
        """Send a message; may be called in any thread."""
        if self.loop is not None and not self.loop.is_closed():
            message = f"event: {kind}\ndata: {json.dumps(news)}\n\n".encode()
            self.loop.call_soon_threadsafe(self._send, message)

    def _send(self, message: bytes) -> None:
        for reader in self.readers:
            if reader.qsize() < WAITING:
                reader.put_nowait(message)

    def close(self) -> None:
        """End all streams, for which a server that ends would wait; called in its own thread."""
        for reader in self.readers:
            reader.put_nowait(None)

    async def stream(self) -> AsyncIterator[bytes]:
        """Messages as they come, as a browser's EventSource reads them."""
        self.loop = asyncio.get_running_loop()
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.readers.add(queue)
        try:
            yield b"retry: 1000\n\n"
            while True:
                try:
                    message = await asyncio.wait_for(queue.get(), 15)
                except TimeoutError:
                    message = b": still here\n\n"  # which fails where the page has gone
                if message is None:
                    return
                yield message
        finally:
            self.readers.discard(queue)


@dataclass
class Answers:
    """What is answered at which address.

    Parameters
    ----------
    desk : answers about instances and the model
    learning : fits models
    place : where copies are saved, or None
    following : reads what a listener writes, or None
    """

    desk: Desk
    learning: Learning
    place: Place | None
    following: Following | None = None

    def asked(self) -> dict[str, Callable[[Request], Plain]]:
        """What can be asked, by address."""
        one = "/api/instances/{number:int}"
        return {
            "/api/overview": self._overview,
            "/api/instances": lambda _: self.desk.rows(),
            one: lambda r: self.desk.look(_number(r), r.query_params.get("against")),
            f"{one}/nearest": lambda r: self.desk.nearest(_number(r)),
            "/api/live": lambda _: self._live(),
            "/api/suggestions": lambda _: self.desk.suggestions(),
            "/api/confusion": lambda _: self.desk.confusion(),
            "/api/model": lambda _: portraits.describe_model(self.desk),
            "/api/activity": lambda r: portraits.describe_activity(self.desk, _text(r, "name")),
            "/api/contrast": lambda r: portraits.contrast(
                self.desk, _text(r, "first"), _text(r, "second")
            ),
            "/api/sample": lambda r: portraits.sample(
                self.desk, _text(r, "name"), _seed(_text(r, "seed"))
            ),
        }

    def done(self) -> dict[str, Callable[[Request, Plain], Plain]]:
        """What can be done, by address; also questions that need more than an address can hold."""
        one = "/api/instances/{number:int}"
        return {
            f"{one}/change": lambda r, given: self.desk.change(_number(r), given),
            f"{one}/counterfactual": lambda r, given: self.desk.counterfactual(_number(r), given),
            "/api/what-if": lambda _, given: self.desk.judge(
                parse_intervals(given.get("intervals")), given.get("against")
            ),
            "/api/undo": lambda _, given: self.desk.undo(str(given.get("page", ""))[:100]),
            "/api/redo": lambda _, given: self.desk.redo(str(given.get("page", ""))[:100]),
            "/api/learn": lambda *_: self.learning.begin(),
            "/api/save": lambda _, given: self._save(given),
        }

    def _overview(self, _: Request) -> Plain:
        place = self.place
        saving = (
            None
            if place is None
            else {
                "name": place.propose(),
                "format": place.copied_as,
                "read": place.format,
                "journal": place.journal.name,
            }
        )
        going_on = {"learning": self.learning.state(), "live": self.following is not None}
        return self.desk.overview() | going_on | {"saving": saving}

    def _live(self) -> Plain:
        nothing = {"file": "", "problem": "", "streams": {}}
        return nothing if self.following is None else self.following.state()

    def _save(self, given: Plain) -> Plain:
        if self.place is None:
            raise DataError("the data do not come from a file, so they cannot be saved")
        with self.desk.lock:
            return self.place.save(self.desk.collection, given)


class Server(uvicorn.Server):
    """Serves the page until it is told to end, which does not wait for pages that are open.

    Whatever goes wrong is an answer to the page that asked, so nothing is left for uvicorn to log
    but what it cut off at the end, as long questions; for a user that is no news.

    Parameters
    ----------
    answers : what is answered
    token, hosts : as those of the guard
    """

    def __init__(self, answers: Answers, token: str, hosts: tuple[str, ...]) -> None:
        self.news = News()
        app = make_app(answers, token, hosts, self.news)
        super().__init__(
            uvicorn.Config(
                app,
                log_level="critical",
                access_log=False,
                lifespan="off",
                timeout_graceful_shutdown=PATIENCE,
            )
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End; news never end by themselves."""
        self.news.close()
        await super().shutdown(sockets)


def make_app(
    answers: Answers, token: str, hosts: tuple[str, ...], news: News | None = None
) -> Guard:
    """The server as an ASGI application, behind its guard."""
    news = news or News()
    answers.desk.tell = news.tell

    async def events(_: Request) -> Response:
        return StreamingResponse(news.stream(), media_type="text/event-stream")

    routes = [
        Route("/api/events", events),
        *(Route(path, _asked(answer)) for path, answer in answers.asked().items()),
        *(Route(path, _done(act), methods=["POST"]) for path, act in answers.done().items()),
        Route("/", _page),
        Route("/{name}", _page),
    ]
    return Guard(Starlette(routes=routes), token, hosts)


def _asked(answer: Callable[[Request], Plain]) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        return await _answering(partial(answer, request))

    return respond


def _done(act: Callable[[Request, Plain], Plain]) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        return await _answering(partial(act, request, await _read_json(request)))

    return respond


def _number(request: Request) -> int:
    return int(request.path_params["number"])


def _text(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if value is None:
        raise DataError(f"the address needs {name}=")
    return value


def _seed(given: str) -> int:
    if not given.isdecimal() or len(given) > 9:
        raise DataError("seed must be a whole number of at most nine digits")
    return int(given)


async def _page(request: Request) -> Response:
    """A file of the page; only those that are there, by their names."""
    name = request.path_params.get("name") or "index.html"
    known = {each.name: each for each in PAGE.iterdir()}
    kind = KINDS.get(name[name.rfind(".") :])
    if name not in known or kind is None:
        raise HTTPException(404, "there is no such file")
    return Response(known[name].read_bytes(), media_type=kind)


async def _read_json(request: Request) -> Plain:
    """The JSON object of a request."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST:
            raise HTTPException(413, "the request is too large")
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise HTTPException(415, "send JSON")
    try:
        given = json.loads(bytes(body) or b"{}")
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, "this is no JSON") from error
    if not isinstance(given, dict):
        raise HTTPException(400, "send a JSON object")
    return given


async def _answering(answer: Callable[[], Plain]) -> Response:
    """What a desk answers, or why it does not."""
    call: Callable[[], Awaitable[Plain]] = partial(run_in_threadpool, answer)
    try:
        return JSONResponse(await call())
    except ConflictError as error:
        return JSONResponse({"error": str(error)}, status_code=409)
    except (DataError, OptionError) as error:
        return JSONResponse({"error": str(error)}, status_code=400)
    except Exception as error:
        if os.environ.get("IBGN_DEBUG"):
            traceback.print_exception(error)
        where = "start `ibgn explore` with IBGN_DEBUG=1 to see where"
        return JSONResponse({"error": f"{type(error).__name__}: {error}; {where}"}, 500)
