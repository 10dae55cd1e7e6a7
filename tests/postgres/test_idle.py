from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import psycopg

from mnemo_assets import database, postgres
from mnemo_assets.postgres import places, process, watch
from mnemo_assets.settings import Settings
from tests.upped import until

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def watchers(home: Path) -> list[str]:
    """The processes that watch the server of a home."""
    said = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,args="], capture_output=True, text=True, check=True
    ).stdout
    return [line for line in said.splitlines() if "mnemo_assets.postgres.watch" in line and str(home) in line]


def test_a_server_that_nobody_uses_stops(home: Path) -> None:
    """It stops when its last client is gone for so long, and starts again for the next one."""
    postgres.ensure(home)
    watch.watch(home, idle=0.0, every=0.05)
    assert not postgres.is_running(home)
    database.connect(Settings(home=home)).close()
    assert postgres.is_running(home)


def test_a_client_holds_the_server(home: Path) -> None:
    """While somebody is connected, it goes on, and nobody notices that it was asked."""
    with closing(database.connect(Settings(home=home))) as connection:
        assert not postgres.stop_idle(home)
        assert connection.execute("select 1 as one").fetchone() == {"one": 1}
        assert postgres.is_running(home)
    assert postgres.stop_idle(home)
    assert not postgres.stop_idle(home)


def test_short_visits_hold_the_server(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that come and go between two looks are seen all the same."""
    socket = postgres.ensure(home)
    looks = 0

    def visit(pid: int, seconds: float) -> bool:
        nonlocal looks
        assert (pid, seconds) == (process.of(places.of(home)), 60.0)
        looks += 1
        database.connect(Settings(home=home)).close()
        return looks < 5

    monkeypatch.setattr(watch, "_outlives", visit)
    watch.watch(home, idle=0.0, every=60.0)
    assert looks == 5
    found = watch.use(socket)
    assert found is not None
    assert found.clients == 0


def test_nobody_is_cut_off_by_the_end(home: Path) -> None:
    """Clients that come while the server is being stopped wait, and get a new one, every time."""
    settings = Settings(home=home)
    database.connect(settings).close()
    errors: list[BaseException] = []
    answers: list[object] = []
    over = threading.Event()

    def come_and_go() -> None:
        try:
            while not over.is_set():
                with closing(database.connect(settings)) as connection:
                    answers.append(connection.execute("select pg_sleep(0.01)").fetchone())
        except BaseException as error:  # noqa: BLE001 - the test wants to see it
            errors.append(error)

    threads = [threading.Thread(target=come_and_go) for _ in range(2)]
    for thread in threads:
        thread.start()
    stopped = 0
    for _ in range(6):
        stopped += postgres.stop_idle(home)
    over.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(answers) >= stopped


def test_a_socket_left_aside_is_mended(home: Path) -> None:
    """Killed while it decided, the watcher leaves a server that the next client brings back."""
    socket = postgres.ensure(home)
    (socket / places.SOCKET).rename(socket / f".s.PGSQL.{watch.ASIDE}")
    with closing(database.connect(Settings(home=home))) as connection:
        assert connection.execute("select 1 as one").fetchone() == {"one": 1}


def test_the_watcher_ends_with_the_server(home: Path) -> None:
    """One process watches, whoever started the server is not waited for, and it is gone with the server."""
    postgres.ensure(home)
    (line,) = watchers(home)
    pid = int(line.split()[0])
    watched = os.pidfd_open(pid) if sys.platform == "linux" else None
    postgres.ensure(home, thorough=True)
    assert len(watchers(home)) == 1
    postgres.stop(home)
    if watched is not None:
        assert select.select([watched], [], [], 60)[0]
        os.close(watched)


def test_a_server_without_a_watcher_gets_one(home: Path) -> None:
    """Whoever started the server may have been killed before it was watched, and so may the watcher."""
    postgres.ensure(home)
    (line,) = watchers(home)
    pid = int(line.split()[0])
    os.kill(pid, signal.SIGKILL)
    until(lambda: watchers(home) == [], "the watcher is gone")
    assert postgres.is_running(home)
    postgres.ensure(home)
    (line,) = watchers(home)
    assert int(line.split()[0]) != pid
    watch.begin(home)
    assert watchers(home) == [line]


def test_it_asks_by_no_road_of_the_users(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that cannot be asked is not stopped."""
    socket = postgres.ensure(home)

    def refuse(**_words: object) -> psycopg.Connection:
        raise psycopg.OperationalError

    monkeypatch.setattr(psycopg, "connect", refuse)
    assert watch.use(socket) is None
    assert not postgres.stop_idle(home)
    assert postgres.is_running(home)
