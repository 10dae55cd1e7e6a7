"""Servers of models that load nothing, and say so in the words of those that do.

Their answers are what llama-server's router (build 7e4c0a9), llama-swap (0bdb3720) and the documents of
Ollama's and LM Studio's APIs have.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote

from mnemo_assets.llm import Endpoint

if TYPE_CHECKING:
    from collections.abc import Iterator


class Server(Protocol):
    """Answers as one of them does."""

    def answer(self, method: str, path: str, body: Any) -> tuple[int, object]:
        """A status, and a JSON or a plain text."""
        ...


@dataclass
class Router:
    """llama-server's router: `looks` until a model is loaded; one that is in `bad` fails."""

    models: dict[str, str]
    looks: int = 2
    bad: set[str] = field(default_factory=set)
    busy: int = 0
    """Loads that are turned away first."""
    left: int = 0

    def answer(self, method: str, path: str, body: Any) -> tuple[int, object]:
        """As it does."""
        if (method, path) == ("GET", "/models"):
            return 200, {"data": [self._model(name) for name in self.models], "object": "list"}
        name, loads = body["model"], path == "/models/load"
        if name not in self.models:
            return 404, {"error": {"message": "File Not Found", "type": "not_found_error", "code": 404}}
        if loads and self.busy:
            self.busy -= 1
            return 500, "model limit reached, try again later"
        if (self.models[name] not in {"unloaded", "failed"}) == loads:
            said = "model is already running" if loads else "model is not running"
            return 400, {"error": {"code": 400, "message": said, "type": "invalid_request_error"}}
        assert loads or path == "/models/unload"
        self.models[name], self.left = "loading" if loads else "unloaded", self.looks
        return 200, {"success": True}

    def _model(self, name: str) -> dict[str, Any]:
        if self.models[name] == "loading":
            self.left -= 1
            if self.left < 0:
                self.models[name] = "failed" if name in self.bad else "loaded"
        value = self.models[name]
        status: dict[str, Any] = {"value": value, "args": []}
        if value == "failed":
            status = {"value": "unloaded", "exit_code": 1, "failed": True, "args": []}
        return {"id": name, "aliases": [f"alias-of-{name}"], "status": status}


@dataclass
class Swap:
    """llama-swap: one model at a time; `aliases` lead to models."""

    models: set[str]
    aliases: dict[str, str] = field(default_factory=dict)
    running: dict[str, str] = field(default_factory=dict)
    health: tuple[int, object] = (200, {"status": "ok"})

    def answer(self, method: str, path: str, body: Any) -> tuple[int, object]:
        """As it does."""
        assert body is None
        if (method, path) == ("GET", "/running"):
            listed = [{"model": name, "state": state, "ttl": 0} for name, state in self.running.items()]
            return 200, {"running": listed}
        path = unquote(path)
        loads = method == "GET" and path.startswith("/upstream/") and path.endswith("/health")
        name = path.removeprefix("/upstream/").removesuffix("/health")
        if not loads:
            assert method == "POST"
            name = path.removeprefix("/api/models/unload/")
        name = self.aliases.get(name, name)
        if name not in self.models:
            return 404, {"error": {"message": "model not found"}}
        if loads:
            self.running = {name: "ready"}
            return self.health
        self.running.pop(name, None)
        return 200, "OK"


@dataclass
class OllamaServer:
    """Ollama: models that are loaded, each with the time that it was last given."""

    models: set[str]
    loaded: dict[str, object] = field(default_factory=dict)

    def answer(self, method: str, path: str, body: Any) -> tuple[int, object]:
        """As it does."""
        if (method, path) == ("GET", "/api/ps"):
            return 200, {"models": [{"name": name, "model": name, "size": 1} for name in self.loaded]}
        assert (method, path) == ("POST", "/api/generate")
        assert body.keys() <= {"model", "stream", "keep_alive"}
        assert body["stream"] is False
        name = body["model"] if ":" in body["model"] else f"{body['model']}:latest"
        if name not in self.models:
            return 404, {"error": f"model '{name}' not found"}
        reason = "load"
        if body.get("keep_alive") == 0:
            self.loaded.pop(name, None)
            reason = "unload"
        else:
            self.loaded[name] = body.get("keep_alive", "as the server says")
        return 200, {"model": name, "response": "", "done": True, "done_reason": reason}


@dataclass
class LmStudioServer:
    """LM Studio: models, and the names of their instances; loading one that is there loads another."""

    models: dict[str, list[str]]
    names: str = "instance_id"

    def answer(self, method: str, path: str, body: Any) -> tuple[int, object]:
        """As it does."""
        if (method, path) == ("GET", "/api/v1/models"):
            models = {key: [{"id": one, "config": {}} for one in ids] for key, ids in self.models.items()}
            return 200, {"models": [{"key": key, "loaded_instances": ids} for key, ids in models.items()]}
        assert method == "POST"
        if path == "/api/v1/models/load":
            if (key := body["model"]) not in self.models:
                return 404, {"error": {"type": "model_not_found"}}
            name = key if not self.models[key] else f"{key}:{len(self.models[key]) + 1}"
            self.models[key].append(name)
            return 200, {"type": "llm", self.names: name, "load_time_seconds": 1, "status": "loaded"}
        assert path == "/api/v1/models/unload"
        for ids in self.models.values():
            if body["instance_id"] in ids:
                ids.remove(body["instance_id"])
                return 200, {"instance_id": body["instance_id"]}
        return 404, {"error": {"type": "model_not_found"}}


@dataclass
class Proxy:
    """A home-made proxy: answers with `status`."""

    status: int = 200

    def answer(self, _method: str, _path: str, _body: Any) -> tuple[int, object]:
        """As it does."""
        return self.status, "done"


@dataclass
class Serving:
    """A server at work: its root, and what it was asked, each as `METHOD path`."""

    root: str
    asked: list[str]

    def endpoint(self) -> Endpoint:
        """It, as the driver of a preset has it."""
        return Endpoint(f"{self.root}/v1", "small")

    @property
    def changes(self) -> list[str]:
        """What it was asked to do."""
        return [one for one in self.asked if not one.startswith("GET ") or "/upstream/" in one]


@contextmanager
def serving(server: Server) -> Iterator[Serving]:
    """A server on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            found.asked.append(f"{self.command} {self.path}")
            status, said = server.answer(self.command, self.path, json.loads(body) if body else None)
            text = said if isinstance(said, str) else json.dumps(said)
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        do_GET = do_POST = _do  # noqa: N815 - the server's names

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        found = Serving(f"http://127.0.0.1:{listening.server_port}", [])
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield found
        finally:
            listening.shutdown()
            thread.join()
