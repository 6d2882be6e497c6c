"""The page's server: addresses, and the answers of a desk as JSON."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ibgn.errors import DataError, OptionError
from ibgn.explore import portraits
from ibgn.explore.collection import Conflict
from ibgn.explore.desk import Desk, Plain
from ibgn.explore.guard import LARGEST, Guard
from ibgn.explore.learning import Learning
from ibgn.explore.saving import Place

__all__ = ["make_app"]

KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
PAGE = files("ibgn.explore") / "page"
WAITING = 1000  # messages that a page may be behind, before it has to ask again


@dataclass
class News:
    """Messages to all open pages."""

    loop: asyncio.AbstractEventLoop | None = None
    readers: set["asyncio.Queue[bytes]"] = field(default_factory=set)

    def tell(self, kind: str, news: Plain) -> None:
        """Send a message; may be called in any thread."""
        if self.loop is not None and not self.loop.is_closed():
            message = f"event: {kind}\ndata: {json.dumps(news)}\n\n".encode()
            self.loop.call_soon_threadsafe(self._send, message)

    def _send(self, message: bytes) -> None:
        for reader in self.readers:
            if reader.qsize() < WAITING:
                reader.put_nowait(message)

    async def stream(self) -> AsyncIterator[bytes]:
        """Messages as they come, as a browser's EventSource reads them."""
        self.loop = asyncio.get_running_loop()
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        self.readers.add(queue)
        try:
            yield b"retry: 1000\n\n"
            while True:
                try:
                    yield await asyncio.wait_for(queue.get(), 15)
                except TimeoutError:
                    yield b": still here\n\n"  # which fails where the page has gone
        finally:
            self.readers.discard(queue)


def make_app(
    desk: Desk, learning: Learning, place: Place | None, token: str, hosts: tuple[str, ...]
) -> Guard:
    """The server as an ASGI application, behind its guard."""
    news = News()
    desk.tell = news.tell

    def get(path: str, answer: Callable[[Request], Plain]) -> Route:
        async def respond(request: Request) -> Response:
            return await _answering(partial(answer, request))

        return Route(path, respond, methods=["GET"])

    def post(path: str, answer: Callable[[Request, Plain], Plain]) -> Route:
        async def respond(request: Request) -> Response:
            given = await _read_json(request)
            return await _answering(partial(answer, request, given))

        return Route(path, respond, methods=["POST"])

    def number(request: Request) -> int:
        return int(request.path_params["number"])

    def text(request: Request, name: str) -> str:
        value = request.query_params.get(name)
        if value is None:
            raise DataError(f"the address needs {name}=")
        return value

    def overview(_: Request) -> Plain:
        saving = None if place is None else {"name": place.propose(), "format": place.format}
        return desk.overview() | {"learning": learning.state(), "saving": saving}

    def what_if(request: Request, given: Plain) -> Plain:
        from ibgn.explore.desk import parse_intervals

        return desk.judge(parse_intervals(given.get("intervals")), given.get("against"))

    def save(_: Request, given: Plain) -> Plain:
        if place is None:
            raise DataError("the data are no file, so there is none to save")
        with desk.lock:
            return place.save(desk.collection, given)

    async def events(_: Request) -> Response:
        return StreamingResponse(news.stream(), media_type="text/event-stream")

    one = "/api/instances/{number:int}"
    routes = [
        Route("/api/events", events),
        get("/api/overview", overview),
        get("/api/instances", lambda _: desk.rows()),
        get(one, lambda r: desk.look(number(r), r.query_params.get("against"))),
        get(f"{one}/nearest", lambda r: desk.nearest(number(r))),
        post(f"{one}/counterfactual", lambda r, given: desk.counterfactual(number(r), given)),
        post(f"{one}/change", lambda r, given: desk.change(number(r), given)),
        post("/api/what-if", what_if),
        post("/api/undo", lambda _, given: desk.undo(str(given.get("page", ""))[:100])),
        post("/api/save", save),
        post("/api/learn", lambda *_: learning.begin()),
        get("/api/suggestions", lambda _: desk.suggestions()),
        get("/api/confusion", lambda _: desk.confusion()),
        get("/api/model", lambda _: portraits.describe_model(desk)),
        get("/api/activity", lambda r: portraits.describe_activity(desk, text(r, "name"))),
        get("/api/contrast", lambda r: portraits.contrast(desk, text(r, "first"), text(r, "second"))),
        get("/api/sample", lambda r: portraits.sample(desk, text(r, "name"), _seed(text(r, "seed")))),
        Route("/", _page),
        Route("/{name}", _page),
    ]
    return Guard(Starlette(routes=routes), token, hosts)


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
    except Conflict as error:
        return JSONResponse({"error": str(error)}, status_code=409)
    except (DataError, OptionError) as error:
        return JSONResponse({"error": str(error)}, status_code=400)
