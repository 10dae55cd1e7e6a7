"""The supervisor: prepares what there must be, starts the programs, and sees to them until told to end."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import socket as sockets
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Final

import psycopg

from mnemo_assets import database, postgres
from mnemo_assets.errors import PostgresError, UpError, UsageError
from mnemo_assets.up import instance
from mnemo_assets.up.child import Child, GivenUpError, ending, shorten, spawn
from mnemo_assets.up.ward import Ward

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

#: Nobody but this machine's own users may connect.
HOST: Final = "127.0.0.1"
#: Seconds between two looks at the programs.
TICK: Final = 0.25
#: Seconds between two looks at the database and the logs.
ROUND: Final = 5.0
#: Seconds to wait for the programs of an `up` that was killed just now.
PATIENCE: Final = 15.0
#: Seconds in which Dagster's storage is made ready.
PREPARE: Final = 300.0


class Supervisor:
    """Runs the programs of one home. `run` returns when it is told to end."""

    def __init__(self, chosen: Settings, port: int, say: Callable[[str], None]) -> None:
        """Nothing is started yet.

        Args:
            chosen: whose home.
            port: of the page, on this machine alone.
            say: takes a line for people: which program is ready, ended, started again.
        """
        self._chosen, self._port, self._say = chosen, port, say
        self._is_told_to_end = False

    def run(self, connection: Connection) -> None:
        """Start all, and see to it.

        Args:
            connection: the owner's; as long as it is open, the embedded server does not stop.

        Raises:
            UsageError: the port is taken, or another `mnemo up` has this home.
            UpError: a program cannot be started, or ends again and again.
            PostgresError: the database cannot be reached.
        """
        refuse_taken(self._port)
        home = instance.lay_out(self._chosen)
        environment = instance.environment(self._chosen)
        with _sole(home) as lock, _ended_by(self.end), contextlib.ExitStack() as stack:
            ward = Ward(lock)
            stack.callback(ward.close)
            sockets_folder = instance.socket_folder(home)
            stack.callback(shutil.rmtree, sockets_folder, ignore_errors=True)
            run = _Run(
                self._say,
                home=home,
                environment=environment,
                ward=ward,
                connection=connection,
                chosen=self._chosen,
            )
            stack.callback(run.close)
            run.prepare()
            children = _children(home, sockets_folder / "code", self._port, run)
            run.start(children[0])  # the others ask it for what they show and do
            run.report()
            self._see_to(run, children)

    def end(self) -> None:
        """Have `run` end; safe in a signal handler."""
        self._is_told_to_end = True

    def _see_to(self, run: _Run, children: list[Child]) -> None:
        rounds = time.monotonic()
        greeted = False
        while not self._is_told_to_end:
            try:
                for child in children:
                    if child.state == "ended" and children[0].state == "ready":
                        run.start(child)
                    run.look(child)
            except GivenUpError as error:
                raise UpError(f"{error} What it said is in {run.home / 'log'}.") from None
            if not greeted and all(child.state == "ready" for child in children):
                greeted = True
                self._say(f"Open http://{HOST}:{self._port} - Ctrl-C ends it all.")
            if time.monotonic() >= rounds + ROUND:
                rounds = time.monotonic()
                run.round(children)
            time.sleep(TICK)
        self._say("Ending.")


class _Run:
    """What the programs of one run share."""

    def __init__(
        self,
        say: Callable[[str], None],
        *,
        home: Path,
        environment: dict[str, str],
        ward: Ward,
        connection: Connection,
        chosen: Settings,
    ) -> None:
        self.home, self.environment, self.ward = home, environment, ward
        self._say, self._connection, self._chosen = say, connection, chosen
        self._reports: list[subprocess.Popen[bytes]] = []

    def prepare(self) -> None:
        """Make Dagster's storage ready, and end the runs whose process is gone. No code server may run."""
        words = (sys.executable, "-m", "mnemo_assets.defs.prepare")
        log = self.home / "log" / "prepare.log"
        process = spawn(words, log, self.home, self.environment, said=subprocess.PIPE)
        self.ward.add(process.pid)
        try:
            said, _ = process.communicate(timeout=PREPARE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            said = b""
        finally:
            self.ward.discard(process.pid)
        if process.returncode != 0:
            raise UpError(
                f"Dagster's storage could not be made ready: it ended {ending(process.returncode)}. "
                f"What it said is in {log}."
            )
        if ended := int(said or 0):
            self._say(f"runs without a process: {ended} ended as failed")

    def report(self) -> None:
        """Bring what Dagster shows up to date with the ledger; nobody waits for it."""
        words = (sys.executable, "-m", "mnemo_assets.defs.report")
        process = spawn(words, self.home / "log" / "report.log", self.home, self.environment)
        self.ward.add(process.pid)
        self._reports.append(process)

    def start(self, child: Child) -> None:
        """Start a program."""
        child.start(self.home, self.environment, self.ward)

    def look(self, child: Child) -> None:
        """See to a program, and tell of what changed."""
        if child.look(self.ward):
            self._say(
                f"{child.name}: {child.state}"
                if child.state == "ready"
                else f"{child.name}: ended {child.reason}"
            )
        if child.is_due():
            try:
                child.before()
            except UpError:
                child.postpone()
                return
            self.start(child)
            self._say(f"{child.name}: started again")

    def round(self, children: list[Child]) -> None:
        """See to the keeper, the database and the logs."""
        self.ward.look()
        self.database()
        for child in children:
            shorten(child.log(self.home))
        for process in [one for one in self._reports if one.poll() is not None]:
            self.ward.discard(process.pid)
            self._reports.remove(process)

    def database(self) -> None:
        """Bring the database back, if it is gone."""
        try:
            self._connection.execute("select")
        except psycopg.OperationalError:
            self._say("database: ended")
            with contextlib.suppress(PostgresError):
                self._connection = database.connect(self._chosen)
                self._say("database: started again")

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()


def _children(home: Path, code: Path, port: int, run: _Run) -> list[Child]:
    python = sys.executable
    workspace = str(instance.write_workspace(home, code))
    module = ("-m", "mnemo_assets.definitions", "--location-name", "mnemo", "--log-level", "warning")
    quiet = ("-w", workspace, "--log-level", "warning")
    page = ("-m", "dagster_webserver", "--host", HOST, "--port", str(port), *quiet)

    def before() -> None:
        code.unlink(missing_ok=True)
        run.database()
        run.prepare()

    return [
        Child(
            "code server",
            (python, "-m", "dagster", "api", "grpc", "--socket", str(code), *module),
            lambda: _answers(sockets.AF_UNIX, str(code)),
            before,
        ),
        Child("daemon", (python, "-m", "dagster._daemon", "run", *quiet), lambda: True),
        Child("page", (python, *page), lambda: _answers(sockets.AF_INET, (HOST, port))),
        Child("watcher", (python, "-m", "mnemo_assets.pipeline.watch"), lambda: True),
    ]


def _answers(family: sockets.AddressFamily, address: str | tuple[str, int]) -> bool:
    try:
        with sockets.socket(family) as probe:
            probe.settimeout(1)
            probe.connect(address)
    except OSError:
        return False
    return True


def refuse_taken(port: int) -> None:
    """Refuse a port that somebody listens on, or that is not for us.

    Raises:
        UsageError: with what to do.
    """
    with sockets.socket() as probe:
        probe.setsockopt(
            sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1
        )  # connections of the last run may linger
        try:
            probe.bind((HOST, port))
            probe.listen(1)
        except OSError:
            raise UsageError(f"Port {port} is taken, or not yours. Choose another one with --port.") from None


@contextlib.contextmanager
def _sole(home: Path) -> Iterator[int]:
    """One `mnemo up` a home; one that was killed still has it until its programs have ended."""
    lock = os.open(home / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if _is_there(os.pread(lock, 32, 0)) or time.monotonic() > until:
                    raise UsageError("`mnemo up` runs already for this MNEMO_HOME.") from None
                time.sleep(TICK)
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        yield lock
    finally:
        os.close(lock)


def _is_there(pid: bytes) -> bool:
    """Whether the process is alive that wrote its id; if not, its keeper has the lock, and will let go."""
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        pass
    return True


@contextlib.contextmanager
def _ended_by(end: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C, a closed terminal and systemd all mean the same."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        end()

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def stop_server(chosen: Settings) -> bool:
    """Stop the embedded server, unless somebody else uses it; returns whether there is none now."""
    return postgres.stop_idle(chosen.home) or not postgres.is_running(chosen.home)
