"""An endpoint on this machine that answers as a test says, and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass
class Answer:
    """A status, a body and headers, for one request."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Asked:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def said(self) -> Any:
        """The object in its body."""
        return json.loads(self.body)


@dataclass
class Stub:
    """An endpoint: `answer` makes the answer to each request, `asked` are those that came."""

    url: str
    asked: list[Asked]
    answer: Callable[[Asked], Answer]

    @property
    def completions(self) -> list[Asked]:
        """The requests for a completion."""
        return [one for one in self.asked if one.path.endswith("/chat/completions")]


def said(text: object, reason: object = "stop", **more: object) -> Answer:
    """A completion."""
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": text, **more}}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return Answer(body=json.dumps({**whole, "usage": usage}).encode())


def listing(*models: str) -> Answer:
    """The list of models."""
    data = [{"id": model, "object": "model", "created": 1, "owned_by": "x"} for model in models]
    return Answer(body=json.dumps({"object": "list", "data": data}).encode())


@contextmanager
def serving(answer: Callable[[Asked], Answer]) -> Iterator[Stub]:
    """An endpoint that answers so; `/models` lists `seer`."""

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            asked = Asked(self.command, self.path, dict(self.headers), self.rfile.read(length))
            stub.asked.append(asked)
            listed = asked.method == "GET" and asked.path.endswith("/models")
            try:
                made = listing("seer") if listed else stub.answer(asked)
            except ConnectionAbortedError:
                return
            self.send_response(made.status)
            headers = {"Content-Type": "application/json", **made.headers}
            headers.setdefault("Content-Length", str(len(made.body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(made.body)

        do_GET = do_POST = do_CONNECT = _do  # noqa: N815 - the server's names

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            """A client that went away is a test's intention."""

    with Server(("127.0.0.1", 0), Handler) as server:
        stub = Stub(f"http://127.0.0.1:{server.server_port}/v1", [], answer)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield stub
        finally:
            server.shutdown()
            thread.join()
