"""Who may talk to the page's server: only the page itself, on this machine."""

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

__all__ = ["HEADERS", "Guard", "make_token"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    # nothing is loaded from elsewhere, no script or style stands in the page itself
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",  # the address has the token
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}
SAFE = ("GET", "HEAD")
LARGEST = 16 * 2**20  # bytes of a request


def make_token() -> str:
    """A secret for one run."""
    return secrets.token_urlsafe(24)


class Guard:
    """Lets a request pass if it has the token, and comes from the page and to its own address.

    The token is the first part of the path. So the page finds everything by relative addresses, and
    no cookie is needed, which other servers on the machine would get as well. A Host header
    other than the own address means that a foreign name was made to point to this machine, and an
    Origin other than the own address that the request is of another page.

    Parameters
    ----------
    app : what answers, at paths without the token
    token : the secret
    hosts : what the Host header may be
    """

    def __init__(self, app: App, token: str, hosts: tuple[str, ...]) -> None:
        self.app, self.token, self.hosts = app, token, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # which ends a connection that is no request
        refusal = self._refuse(scope)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        inner = dict(scope, path=scope["path"][len(self.token) + 1 :], raw_path=None)
        await self.app(inner, receive, _with_headers(send))

    def _refuse(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request may not pass: status and reason."""
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        if len(headers.get("host", ())) != 1 or headers["host"][0] not in self.hosts:
            return 421, "this server answers only by its own address"
        own = [f"http://{host}" for host in self.hosts]
        origins = headers.get("origin", [])
        if any(origin not in own for origin in origins):
            return 403, "requests of other pages are refused"
        if headers.get("sec-fetch-site", ["same-origin"])[0] not in ("same-origin", "none"):
            return 403, "requests of other pages are refused"
        if scope["method"] not in SAFE and not origins:
            return 403, "a request that changes something must say where it comes from"
        given = scope["path"].split("/")[1:2]
        if not given or not secrets.compare_digest(given[0].encode(), self.token.encode()):
            return 403, "the address needs the token that `ibgn explore` printed"
        length = headers.get("content-length", ["0"])[0]
        if not length.isdecimal() or int(length) > LARGEST:
            return 413, "the request is too large"
        return None


def _with_headers(send: Send) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *_encoded()]
        await send(message)

    return wrapped


async def _answer(send: Send, status: int, reason: str) -> None:
    body = f"{reason}\n".encode()
    own = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": [*own, *_encoded()]})
    await send({"type": "http.response.body", "body": body})


def _encoded() -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in HEADERS.items()]
