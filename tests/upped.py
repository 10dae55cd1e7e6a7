"""`mnemo up` for tests: started as a user would, asked and killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from mnemo_assets import postgres
from mnemo_assets.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: Seconds after which a test gives up waiting: far beyond what a busy machine takes.
PATIENCE = 180.0
#: What tells a process apart -> its name in `mnemo up`.
PROGRAMS = {
    "dagster api grpc": "code server",
    "dagster._daemon": "daemon",
    "dagster_webserver": "page",
    "pipeline.watch": "watcher",
    "keeper.py": "keeper",
}
T = TypeVar("T")
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def until(condition: Callable[[], T], what: str, story: Callable[[], object] = lambda: "") -> T:
    """Ask again and again, until the answer is true; returns it. The story is told if it never is."""
    end = time.monotonic() + PATIENCE
    while not (answer := condition()):
        if time.monotonic() > end:
            pytest.fail(f"waited in vain until {what}: {story()}")
        time.sleep(0.1)
    return answer


class Up:
    """One home's `mnemo up`, on a port that was free."""

    def __init__(self, home: Path, archive: Path) -> None:
        self.home, self.archive = home, archive
        self.settings = Settings(home=home, extractor="patterns", workers=2)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.lines: list[str] = []
        self.process: subprocess.Popen[str] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Such as a user has it, with what must not reach the programs."""
        return {
            **os.environ,
            "MNEMO_HOME": str(self.home),
            "MNEMO_EXTRACTOR": "patterns",
            "MNEMO_WORKERS": "2",
            "http_proxy": "http://127.0.0.1:9/",
            "PGHOST": "192.0.2.1",
            "DAGSTER_TELEMETRY_URL": "http://192.0.2.1/",
        }

    def start(self) -> None:
        """Start it, and wait until everything is ready."""
        self.lines.clear()
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "mnemo_assets.cli",
                "up",
                "--archive",
                str(self.archive),
                "--port",
                str(self.port),
            ],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._listen, args=(self.process,), daemon=True).start()
        until(
            lambda: self.said("Open http") or self.process is None or self.process.poll() is not None,
            "it is up",
        )
        logs = {path.name: path.read_text()[-2000:] for path in (self.home / "dagster" / "log").glob("*.log")}
        assert self.said("Open http"), (self.lines, logs)

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                self.lines.append(line.rstrip("\n"))

    def said(self, words: str) -> bool:
        """Whether a line begins so."""
        return any(line.startswith(words) for line in self.lines)

    def end(self, number: int = signal.SIGINT) -> int:
        """Signal it, and wait for its end; returns its exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(timeout=PATIENCE)

    def programs(self) -> dict[str, int]:
        """The programs that run for this home: name -> process id."""
        found = {}
        for pid, parent, words in _processes():
            name = next((name for sign, name in PROGRAMS.items() if sign in words), None)
            if name is not None and self.process is not None and parent == self.process.pid:
                found[name] = pid
        return found

    def workers(self) -> list[int]:
        """The processes of runs."""
        server = self.programs().get("code server")
        return [pid for pid, parent, words in _processes() if parent == server and "spawn_main" in words]

    def everything(self) -> list[int]:
        """All processes that come from it, whoever their parents are; without the database's."""
        mark = f"MNEMO_HOME={self.home}\0".encode()
        found = []
        for pid, _, words in _processes():
            try:
                is_ours = mark in Path(f"/proc/{pid}/environ").read_bytes() + b"\0"
            except OSError:
                continue
            if is_ours and pid != os.getpid() and "postgres" not in words:
                found.append(pid)
        return found

    def ask(self, query: str, **variables: Any) -> Any:
        """Ask the page's GraphQL."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        url = f"http://127.0.0.1:{self.port}/graphql"
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
        with _OPENER.open(request, timeout=60) as answer:
            return json.load(answer)["data"]

    def partitions(self, asset: str) -> list[str]:
        """The keys of an asset's partitions, as the page has them."""
        query = "query ($keys: [AssetKeyInput!]) { assetNodes(assetKeys: $keys) { partitionKeys } }"
        found: list[str] = self.ask(query, keys=[{"path": [asset]}])["assetNodes"][0]["partitionKeys"]
        return found

    def runs(self, *statuses: str) -> list[str]:
        """The runs in these states: ids."""
        query = "query ($f: RunsFilter!) { runsOrError(filter: $f) { ... on Runs { results { id } } } }"
        found = self.ask(query, f={"statuses": list(statuses)})
        return [run["id"] for run in found["runsOrError"]["results"]]


@contextmanager
def running(letters: Mapping[str, str]) -> Iterator[Up]:
    """`mnemo up` over an archive of these files, name -> text; nothing is left of it."""
    folder = Path(tempfile.mkdtemp(prefix="mnemo-u-", dir="/tmp"))
    archive = folder / "papers"
    archive.mkdir()
    for name, text in letters.items():
        (archive / name).write_text(text)
    up = Up(folder / "home", archive)
    try:
        up.start()
        yield up
    finally:
        if up.process is not None and up.process.poll() is None:
            up.end()
        postgres.stop(up.home)
        shutil.rmtree(folder, ignore_errors=True)


def _processes() -> list[tuple[int, int, str]]:
    """Process id, parent's, words; without zombies."""
    said = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 3) for line in said.splitlines()]
    return [(int(row[0]), int(row[1]), row[3]) for row in rows if len(row) == 4 and "Z" not in row[2]]
