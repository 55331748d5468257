"""A local HTTP server that answers as it is told, for tests of whatever talks to a model over the network.

Real sockets, real HTTP, the real SDK on the other side: what is tested is what runs. The server knows no protocol; a
protocol module (`wire_openai`) gives it handlers by path, and another can be added beside it. Nothing here waits for
time to pass: an answer that is slow is one that is held until the test lets it go.
"""

import http.server
import json
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

MAX_BODY: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client sent. Header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Held:
    """An answer that waits. The test sees the request arrive, does what it wants, and lets the answer go."""

    def __init__(self) -> None:
        self._arrived = threading.Event()
        self._released = threading.Event()

    def wait_for_request(self, *, timeout: float = 20.0) -> None:
        """Return when a client waits for this answer.

        Raises:
            TimeoutError: none came.
        """
        if not self._arrived.wait(timeout):
            raise TimeoutError("no request came for the answer that is held")

    @property
    def released(self) -> bool:
        """Whether the answer may go."""
        return self._released.is_set()

    def release(self) -> None:
        """Let the answer go."""
        self._released.set()

    def pause(self) -> None:
        """Wait, on the server's side, until the answer may go."""
        self._arrived.set()
        self._released.wait()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server does with one request: sends *body*, perhaps after it was *held*.

    With *disconnect* it closes the connection instead; with *cut* it announces the whole body and closes in the middle.
    With *pieces* it streams them instead of the body, each as soon as it may go; a `Held` among them is waited for.
    With *cut* the stream breaks off after the last piece, without its end.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    held: Held | None = None
    disconnect: bool = False
    cut: bool = False
    pieces: tuple["bytes | Held", ...] | None = None


Handler = Callable[[Request], Reply]


class Script:
    """Replies to be given in turn, one for each request. Safe to fill and to read from several threads."""

    def __init__(self) -> None:
        self._replies: deque[Reply] = deque()
        self._held: list[Held] = []

    @property
    def left(self) -> int:
        """How many replies wait to be given."""
        return len(self._replies)

    def add(self, reply: Reply) -> None:
        """Give *reply* after all that were added before."""
        self.let_go_at_end(reply)
        self._replies.append(reply)

    def let_go_at_end(self, reply: Reply) -> None:
        """Let what is held in *reply* go with the others, though it is none of this script's."""
        if reply.held is not None:
            self._held.append(reply.held)
        self._held += [piece for piece in reply.pieces or () if isinstance(piece, Held)]

    def take(self) -> Reply | None:
        """Return the next reply, None if there is none left."""
        try:
            return self._replies.popleft()
        except IndexError:
            return None

    def release(self) -> None:
        """Let every held answer go."""
        for held in self._held:
            held.release()


class WireServer:
    """Serves on a free port of this machine, from `with` to the end of it, on threads of its own.

    Attributes:
        requests: what came, in the order it came.
        given_up: those whose client closed the connection before it had the whole answer.
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.given_up: list[Request] = []
        self._handlers: dict[str, Handler] = {}
        self._scripts: list[Script] = []
        self._http = _Http(self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), name="sojourn-wire")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        for script in self._scripts:
            script.release()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def address(self) -> str:
        """Where it serves: `http://127.0.0.1:PORT`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def route(self, path: str, handler: Handler) -> None:
        """Let *handler* answer what is asked of *path*."""
        self._handlers[path] = handler

    def script(self) -> Script:
        """Return a new script, whose held answers are let go when the server closes."""
        script = Script()
        self._scripts.append(script)
        return script

    def reply_to(self, request: Request) -> Reply:
        """Note the request and return the answer to it."""
        self.requests.append(request)
        handler = self._handlers.get(request.path)
        if handler is None:
            return Reply(status=404, body=b'{"error": {"message": "nothing is served here"}}')
        return handler(request)


class _Http(http.server.ThreadingHTTPServer):
    daemon_threads = False  # so that closing the server waits for the answers that are being written
    allow_reuse_address = True

    def __init__(self, wire: WireServer) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.wire = wire


class _Connection(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    server: _Http

    def do_POST(self) -> None:  # the name that http.server looks for
        self._answer()

    def do_GET(self) -> None:  # same
        self._answer()

    def _answer(self) -> None:
        self.close_connection = True  # a connection kept open would hold up the closing of the server
        length = min(int(self.headers.get("Content-Length") or 0), MAX_BODY)
        body = self.rfile.read(length)
        if len(body) < length:
            return  # the client is gone before it said what it wants
        request = Request(
            method=self.command,
            path=self.path.partition("?")[0],
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
        )
        reply = self.server.wire.reply_to(request)
        if reply.held is not None:
            reply.held.pause()
        if not reply.disconnect and not self._send(reply):
            self.server.wire.given_up.append(request)

    def _send(self, reply: Reply) -> bool:
        """Send *reply* and tell whether the client was there to the end."""
        try:
            self.send_response(reply.status)
            headers = {"Content-Type": "application/json", "Connection": "close", **reply.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            if reply.pieces is not None:
                self._stream(reply.pieces, cut=reply.cut)
                return True
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body[: len(reply.body) // 2] if reply.cut else reply.body)
        except ConnectionError:
            return False  # which is what some tests are about
        return True

    def _stream(self, pieces: tuple[bytes | Held, ...], *, cut: bool) -> None:
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            if isinstance(piece, Held):
                piece.pause()
            else:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
        if not cut:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # as in the base class
        """Say nothing: the test has `requests`."""
