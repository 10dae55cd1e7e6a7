"""Stops a server that nobody uses: `python -m mnemo_assets.postgres.watch HOME`, in the background.

It is started with the server and ends with it. Whoever holds a connection holds the server,
as `mnemo up` does.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from mnemo_assets.errors import PostgresError
from mnemo_assets.postgres import places, process
from mnemo_assets.postgres.cluster import ADMIN
from mnemo_assets.postgres.places import SOCKET

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mnemo_assets.postgres.places import Places

#: As places.SOCKET says.
PORT: Final = 5432
#: Seconds without a client after which the server is stopped.
IDLE: Final = 600.0
#: Seconds between two looks.
EVERY: Final = 60.0
#: Seconds in which the watcher of a server that has just ended is gone.
TAKE: Final = 5.0
#: Seconds that a client which just connected has to be counted.
ARRIVAL: Final = 0.3
#: The port of the socket while it is decided whether to stop; nobody knows it.
ASIDE: Final = 5433
_USE: Final = """
    select
        (
            select count(*) from pg_catalog.pg_stat_activity
            where backend_type = 'client backend' and pid <> pg_catalog.pg_backend_pid()
        ) as clients,
        (select sum(sessions) from pg_catalog.pg_stat_database where datname <> 'postgres') as sessions
"""


class Use(NamedTuple):
    """How a server is used: sessions there are now, and that there were since its statistics began."""

    clients: int
    sessions: int


def is_watched(where: Places) -> bool:
    """Whether a server is watched, or was so a moment ago. Nothing is written: the disk may be read-only."""
    with contextlib.suppress(OSError), _opened(where, os.O_RDONLY) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@contextlib.contextmanager
def _opened(where: Places, flags: int = os.O_RDWR | os.O_CREAT) -> Iterator[int]:
    """What the watcher of a server has locked for itself."""
    lock = os.open(where.watched, flags | os.O_CLOEXEC, 0o600)
    try:
        yield lock
    finally:
        os.close(lock)


def _take(lock: int) -> bool:
    """Lock it; False if another watcher has it, and does not end with the server before."""
    until = time.monotonic() + TAKE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # or somebody looks whether there is one
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        else:
            return True


def begin(home: Path, *words: str) -> None:
    """Watch the server of a home, from a process of its own that this one need not wait for.

    Args:
        home: absolute path.
        words: further arguments of `main`.
    """
    subprocess.run(
        [sys.executable, "-m", __name__, os.fspath(home), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.defpath, "LC_ALL": "C", "PYTHONPATH": os.fspath(Path(__file__).parents[2])},
        cwd="/",
        check=False,
    )


def use(folder: Path, port: int = PORT) -> Use | None:
    """How a server is used, this session aside; None if it cannot be asked.

    Args:
        folder: of its socket.
        port: the socket's.
    """
    import psycopg  # noqa: PLC0415 - whoever only makes sure that the server runs does without

    try:
        with psycopg.connect(
            host=os.fspath(folder),
            port=port,
            user=ADMIN,
            dbname="postgres",
            passfile=os.fspath(folder / "none"),
            sslmode="disable",
            gssencmode="disable",
            application_name="mnemo-watch",
            connect_timeout=10,
            autocommit=True,
        ) as connection:
            row = connection.execute(_USE).fetchone()
    except psycopg.Error:
        return None
    return None if row is None else Use(int(row[0]), int(row[1] or 0))


@contextlib.contextmanager
def shut(where: Places, folder: Path) -> Iterator[Callable[[], bool]]:
    """Let nobody new in while it is decided whether to stop. Only with the lock.

    Killed meanwhile, it leaves the socket aside: `ensure` takes it for gone, and starts the server anew.

    Args:
        where: of the server.
        folder: of its socket.

    Yields:
        Tells whether somebody is in, or may be.
    """
    socket = folder / SOCKET
    aside = socket.with_suffix(f".{ASIDE}")
    socket.rename(aside)

    def is_used() -> bool:
        time.sleep(ARRIVAL)
        found = use(folder, ASIDE)
        return found is None or found.clients > 0

    try:
        yield is_used
    finally:
        if process.of(where) is None:
            aside.unlink(missing_ok=True)
        else:
            aside.rename(socket)


def watch(home: Path, idle: float, every: float) -> None:
    """Stop the server of a home once it has had no client for a while. Returns when the server has ended.

    Args:
        home: absolute path.
        idle: seconds without a client.
        every: seconds between two looks.
    """
    from mnemo_assets import postgres  # noqa: PLC0415 - it imports this module

    where = places.of(home)
    if (pid := process.of(where)) is None:
        return
    used, before = time.monotonic(), None
    while _outlives(pid, every) and process.of(where) == pid:
        folder = where.socket_folder()
        found = None if folder is None else use(folder)
        if found is None or found.clients or found != before:
            used, before = time.monotonic(), found
        elif time.monotonic() >= used + idle:
            with contextlib.suppress(PostgresError):
                postgres.stop_idle(home)
            used = time.monotonic()


def _outlives(pid: int, seconds: float) -> bool:
    """Wait for so long, or until a process has ended; returns whether it has not."""
    if hasattr(os, "pidfd_open"):
        try:
            watched = os.pidfd_open(pid)
        except OSError:
            return False
        try:
            poll = select.poll()
            poll.register(watched, select.POLLIN)
            return not poll.poll(1000 * seconds)
        finally:
            os.close(watched)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        time.sleep(min(2.0, seconds))
    return True


def main() -> int:
    """HOME [IDLE EVERY]: go into the background, and watch; `is_watched` knows of it before this returns."""
    home, *seconds = sys.argv[1:]
    with _opened(places.of(Path(home))) as lock:
        if not _take(lock) or os.fork():
            return 0
        os.setsid()
        watch(Path(home), *(map(float, seconds) if seconds else (IDLE, EVERY)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
