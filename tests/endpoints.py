"""An endpoint on this machine that answers as a test says, and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


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
    """An endpoint: `answer` makes the answer to each request, `asked` are those that came.

    A GET of `api` is answered from there, as a server of the kind answers it: a test may change that.
    """

    url: str
    asked: list[Asked]
    answer: Callable[[Asked], Answer]
    api: dict[str, Answer] = field(default_factory=dict)

    @property
    def completions(self) -> list[Asked]:
        """The requests for a completion."""
        return [one for one in self.asked if one.path.endswith("/chat/completions")]


def said(text: object, reason: object = "stop", **more: object) -> Answer:
    """A completion."""
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": text, **more}}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return told({**whole, "usage": usage})


def told(what: object, status: int = 200) -> Answer:
    """An answer in JSON."""
    return Answer(status, json.dumps(what).encode())


def listing(*models: str) -> Answer:
    """The list of models."""
    data = [{"id": model, "object": "model", "created": 1, "owned_by": "x"} for model in models]
    return told({"object": "list", "data": data})


def props(slots: int = 2, context: int = 8192) -> Answer:
    """What llama-server says of itself at /props: one model, `slots` requests of `context` tokens at once."""
    return told(
        {
            "default_generation_settings": {"params": {"seed": 4294967295}, "n_ctx": context},
            "total_slots": slots,
            "model_alias": "seer.gguf",
            "model_path": "/models/seer.gguf",
            "modalities": {"vision": False, "audio": False},
            "build_info": "b1-7e4c0a9",
        }
    )


def _llama_server(*_models: str) -> dict[str, Answer]:
    return {"/props": props()}


def _router(*models: str) -> dict[str, Answer]:
    """Every model is loaded; `/models/load` and `/models/unload` are the test's to answer."""
    of_none = {"role": "router", "max_instances": 4, "models_autoload": True, "model_path": "none"}
    data = [
        {"id": each, "aliases": [], "object": "model", "status": {"value": "loaded", "args": []}}
        for each in models
    ]
    each_has = {f"/props?model={quote(each, safe='')}&autoload=false": props() for each in models}
    return {"/props": told(of_none), "/models": told({"data": data, "object": "list"}), **each_has}


def _llama_swap(*models: str) -> dict[str, Answer]:
    """Every model is running."""
    running = [
        {"model": each, "state": "ready", "cmd": "llama-server", "proxy": "http://localhost:5800", "ttl": 0}
        for each in models
    ]
    return {
        "/running": told({"running": running}),
        "/api/version": told({"version": "200", "commit": "abc", "build_date": "x"}),
        "/api/profiles": told({"active": None, "profiles": []}),
        **{f"/upstream/{each}/props": props() for each in models},
    }


def _ollama(*models: str) -> dict[str, Answer]:
    """Every model is on the disk, and loaded."""
    there = [{"name": each, "model": each, "size": 1, "digest": "0", "details": {}} for each in models]
    loaded = [{**each, "size_vram": 1, "context_length": 4096} for each in there]
    return {
        "/": Answer(body=b"Ollama is running", headers={"Content-Type": "text/plain"}),
        "/api/version": told({"version": "0.40.5"}),
        "/api/tags": told({"models": there}),
        "/api/ps": told({"models": loaded}),
    }


def _lm_studio(*models: str) -> dict[str, Answer]:
    """Every model is loaded, once. What it does not know it answers with status 200."""
    config = {"context_length": 4096, "parallel": 4, "flash_attention": True}
    found = [
        {"type": "llm", "key": each, "loaded_instances": [{"id": each, "config": config}], "format": "gguf"}
        for each in models
    ]
    return {"/api/v1/models": told({"models": found})}


#: What servers answer to GETs, as their own documentation and sources have it.
KINDS: Final[Mapping[str, Callable[..., dict[str, Answer]]]] = {
    "llama-server": _llama_server,
    "llama-server-router": _router,
    "llama-swap": _llama_swap,
    "ollama": _ollama,
    "lm-studio": _lm_studio,
    "unknown": lambda *_models: {},
}


@contextmanager
def serving(
    answer: Callable[[Asked], Answer], kind: str = "llama-server", models: tuple[str, ...] = ("seer",)
) -> Iterator[Stub]:
    """An endpoint of a kind that has these models: `answer` is for what is not a GET of that kind's API."""

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            asked = Asked(self.command, self.path, dict(self.headers), self.rfile.read(length))
            stub.asked.append(asked)
            try:
                made = _own(stub, asked) or stub.answer(asked)
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
        api = {"/v1/models": listing(*models), **KINDS[kind](*models)}
        stub = Stub(f"http://127.0.0.1:{server.server_port}/v1", [], answer, api)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield stub
        finally:
            server.shutdown()
            thread.join()


def _own(stub: Stub, asked: Asked) -> Answer | None:
    if asked.method != "GET":
        return None
    if asked.path in stub.api:
        return stub.api[asked.path]
    missing = {"error": {"message": "File Not Found", "type": "not_found_error", "code": 404}}
    return told(missing, 404)
