"""A home for a bench: its database filled with invented documents, Dagster's programs beside it.

Everything is in a temporary folder and listens on 127.0.0.1 alone; all of it is ended and removed.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mnemo_assets import database, postgres
from mnemo_assets.archive.rules import RULES_VERSION
from mnemo_assets.pipeline import mine
from mnemo_assets.settings import Settings
from mnemo_assets.text.reading import READERS
from mnemo_assets.up import instance

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
WORKSPACE = HERE.parents[1] / "workspace.yaml"
#: Seconds in which a program must have started.
START = 120.0


@contextlib.contextmanager
def home() -> Iterator[Settings]:
    """Settings of a home that is removed at the end, with its server."""
    folder = Path(tempfile.mkdtemp(prefix="mnemo-bench-", dir="/tmp"))
    for name in [name for name in os.environ if name.startswith("MNEMO_")]:
        del os.environ[name]
    os.environ |= {"MNEMO_HOME": str(folder / "home"), "MNEMO_EXTRACTOR": "patterns"}
    settings = Settings(home=folder / "home", extractor="patterns")
    try:
        yield settings
    finally:
        postgres.stop(settings.home)
        shutil.rmtree(folder, ignore_errors=True)


def generate(connection: database.Connection, settings: Settings, what: str, documents: int) -> None:
    """Run generate_documents.sql or generate_graph.sql.

    Args:
        connection: the owner's; the same for both.
        settings: of its home.
        what: "documents" or "graph".
        documents: how many.
    """
    mine.active_generation(connection, settings)
    reader = READERS["txt"]
    chosen = {
        "documents": documents,
        "rules_version": RULES_VERSION,
        "reader": reader.name,
        "reader_version": reader.version,
    }
    for name, value in chosen.items():
        connection.execute("select set_config(%s, %s, false)", (f"bench.{name}", str(value)))
    connection.execute((HERE / f"generate_{what}.sql").read_bytes())
    connection.execute("vacuum analyze")


def environment(settings: Settings) -> dict[str, str]:
    """The environment of Dagster's programs; its storage is made ready."""
    instance.lay_out(settings)
    variables = instance.environment(settings)
    run("mnemo_assets.defs.prepare", variables)
    return variables


def run(module: str, variables: dict[str, str], *words: str) -> float:
    """Run a module in a process of its own; seconds that it took, its start included."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", module, *words], env=variables, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - start


@contextlib.contextmanager
def program(variables: dict[str, str], *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program beside this one, ended with all that it started."""
    folder = Path(variables["DAGSTER_HOME"])
    with (folder / "bench.log").open("ab") as log:
        process = subprocess.Popen(
            words, env=variables, cwd=folder, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield process
    finally:
        for number, patience in ((signal.SIGTERM, 20), (signal.SIGKILL, 5)):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(patience)


@contextlib.contextmanager
def daemon(variables: dict[str, str]) -> Iterator[None]:
    """Dagster's daemon, with a code server of its own."""
    beside = Path(sys.executable).parent
    with program(variables, str(beside / "dagster-daemon"), "run", "-w", str(WORKSPACE)):
        yield


class Page:
    """Dagster's web server, asked as its page asks it."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open

    def is_there(self) -> bool:
        """Whether it answers."""
        try:
            with self._open(f"{self.url}/server_info", timeout=5):
                return True
        except OSError:
            return False

    def ask(self, query: str, **variables: Any) -> Any:
        """The data of a GraphQL answer."""
        request = urllib.request.Request(  # noqa: S310 - our own server
            f"{self.url}/graphql",
            json.dumps({"query": query, "variables": variables}).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with self._open(request, timeout=600) as answer:
                told = json.load(answer)
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode(errors="replace")[:2000]) from None
        if "errors" in told:
            raise RuntimeError(json.dumps(told["errors"])[:2000])
        return told["data"]


@contextlib.contextmanager
def page(variables: dict[str, str]) -> Iterator[Page]:
    """Dagster's web server, on a free port of this machine alone."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    beside = Path(sys.executable).parent
    words = ["-h", "127.0.0.1", "-p", str(port), "-w", str(WORKSPACE)]
    with program(variables, str(beside / "dagster-webserver"), *words) as process:
        asked, until = Page(port), time.monotonic() + START
        while not asked.is_there():
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("Dagster's web server does not start.")
            time.sleep(0.2)
        yield asked
