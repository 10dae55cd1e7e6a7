"""The embedded server: `ensure`, `stop`, `is_running`, each safe for many processes at once.

The programs come from the pinned wheel; its Python code is never run. The server listens on a Unix socket in
a folder that only its owner can open, and asks the kernel who is calling: there is no password to keep.
It outlives the process that started it, until `stop`, or until nobody has used it for a while: see watch.py.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import socket as sockets
import time
from typing import TYPE_CHECKING

from mnemo_assets.errors import PostgresError
from mnemo_assets.postgres import account, cluster, places, process, watch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mnemo_assets.postgres.account import Account
    from mnemo_assets.postgres.places import Places

__all__ = ["ensure", "is_running", "stop", "stop_idle"]

#: For a start. Recovery after a crash of the machine replays at most max_wal_size (2 GB).
START_SECONDS = 120


def ensure(home: Path, *, thorough: bool = False) -> Path:
    """Start the server of a home unless it runs; make it if it is not there.

    Args:
        home: absolute path of the folder of all state.
        thorough: a connection failed, so do not trust the signs that it runs.

    Returns:
        The folder of its socket. While it runs this costs some system calls and no process.

    Raises:
        PostgresError: it cannot be made or started; the message says what to do.
    """
    where = places.of(home)
    if not thorough and (running := _ready(where)) is not None and watch.is_watched(where):
        return running
    with _clear_errors(home):
        home.parent.mkdir(parents=True, exist_ok=True)
        home.mkdir(mode=0o700, exist_ok=True)
        programs = cluster.binaries()
        with _locked(where):
            where, who = _settle(home)
            cluster.check(where, who, programs)
            if not (where.data / "PG_VERSION").exists():
                cluster.make(where, who, programs)
            socket = where.make_socket_folder()
            if who.uid is not None and who.gid is not None:
                os.chown(socket, who.uid, who.gid)
            # whoever started it may have been killed before it was watched
            if _start(where, who, programs, socket) or not watch.is_watched(where):
                watch.begin(home)
            return socket


def is_running(home: Path) -> bool:
    """Whether the server of a home takes connections. Costs what `ensure` costs while it runs."""
    return _ready(places.of(home)) is not None


def stop(home: Path) -> bool:
    """Stop the server of a home, ending its connections. Returns whether it ran.

    Raises:
        PostgresError: it did not stop.
    """
    where = places.of(home)
    with _clear_errors(home):
        if not where.data.exists():
            return False
        return _stop(where)


def stop_idle(home: Path) -> bool:
    """Stop the server of a home if it has no client. Returns whether it was stopped.

    Nobody is cut off: whoever comes meanwhile finds no socket, waits in `ensure`, and starts the server anew.

    Raises:
        PostgresError: it did not stop.
    """
    where = places.of(home)
    with _clear_errors(home):
        if not where.data.exists():
            return False
        with _locked(where):
            socket = where.socket_folder()
            if socket is None or process.of(where) is None:
                return False
            with watch.shut(where, socket) as is_used:
                return not is_used() and _stop_locked(where)


def _stop(where: Places) -> bool:
    with _locked(where):
        return _stop_locked(where)


def _stop_locked(where: Places) -> bool:
    running = process.of(where) is not None
    if running:
        who = account.choose(service=where.is_service)
        if not cluster.end(where, who, cluster.binaries(), seconds=60) and process.of(where) is not None:
            raise PostgresError("The server did not stop within a minute. Try again.")
    if (socket := where.socket_folder()) is not None and socket.parent == places.SHORT:
        shutil.rmtree(socket, ignore_errors=True)
        where.link.unlink(missing_ok=True)
    return running


def _settle(home: Path) -> tuple[Places, Account]:
    """Where the server stands and whose it is: decided when its cluster is made, kept from then on."""
    where = places.of(home)
    who = account.choose(service=where.is_service)
    if who.uid is None or who.gid is None or where.is_service:
        return where, who
    if where.data.exists():
        raise PostgresError(
            "The database was made by root in a user namespace, which this machine forbids now. Allow user "
            "namespaces, or set another MNEMO_HOME and sync again."
        )
    return places.service_of(home, who.uid, who.gid), who


def _start(where: Places, who: Account, programs: Path, socket: Path) -> bool:
    """Start the server unless it runs, and wait until it takes connections. Returns whether it started."""
    until = time.monotonic() + START_SECONDS
    started = False
    while process.of(where) is None or not cluster.takes_connections(socket, who, programs):
        if time.monotonic() > until:
            raise PostgresError(
                "The server does not answer. It may be recovering from a crash: try again soon."
            )
        if (
            process.of(where) is not None
            and process.is_ready(where)
            and not (socket / places.SOCKET).exists()
        ):
            cluster.end(where, who, programs, seconds=60)  # somebody tidied the socket away
        if process.of(where) is None:
            process.bury(where, socket)
            cluster.configure(where, who, socket)
            said = cluster.start(where, who, programs, seconds=60)
            started = True
            # right after kill -9 the orphans of the old server hold its memory for a moment
            if said and "still in use" not in said and process.of(where) is None:
                raise PostgresError(
                    f"The server did not start. {cluster.advice(said)} Its log is {where.log}."
                )
        time.sleep(0.05)
    return started


def _ready(where: Places) -> Path | None:
    """The folder of the socket if the server says it is ready and somebody listens; neither is enough."""
    socket = where.socket_folder()
    if socket is None or not process.is_ready(where):
        return None
    try:
        with sockets.socket(sockets.AF_UNIX) as probe:
            probe.settimeout(5)
            probe.connect(os.fspath(socket / places.SOCKET))
    except OSError:
        return None
    return socket


@contextlib.contextmanager
def _clear_errors(home: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise PostgresError(f"The database in {home} cannot be opened: {error.strerror}.") from None


@contextlib.contextmanager
def _locked(where: Places) -> Iterator[None]:
    """One process at a time starts or stops the server. The kernel releases the lock of a killed one."""
    places.make_private(where.root)
    lock = os.open(where.lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
