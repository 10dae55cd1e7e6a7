"""Starting, finding again and stopping the embedded server."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from mnemo_assets import postgres
from mnemo_assets.postgres import cluster, places, process

ENSURE = """import sys, pathlib
from mnemo_assets import postgres
print(postgres.ensure(pathlib.Path(sys.argv[1])))"""


def postmaster(home: Path) -> int:
    pid = process.of(places.of(home))
    assert pid is not None
    return pid


def ended(pid: int) -> None:
    """Wait until a process is no more, or a zombie."""
    descriptor = os.pidfd_open(pid)
    try:
        assert select.select([descriptor], [], [], 60)[0]
    finally:
        os.close(descriptor)


def ensure_at_once(home: Path, callers: int) -> set[str]:
    children = [
        subprocess.Popen([sys.executable, "-c", ENSURE, str(home)], stdout=subprocess.PIPE, text=True)
        for _ in range(callers)
    ]
    said = [child.communicate(timeout=120)[0] for child in children]
    assert [child.returncode for child in children] == [0] * callers
    return {line.strip() for line in said}


def answers(socket: Path) -> bool:
    with psycopg.connect(host=str(socket), user=cluster.ADMIN, dbname="postgres") as connection:
        return connection.execute("select 1").fetchone() == (1,)


def test_starts_stays_and_stops(home: Path) -> None:
    """The first call makes and starts it, the next finds it, stop stops it, and its files stay."""
    assert not postgres.is_running(home)
    assert not postgres.stop(home)
    socket = postgres.ensure(home)
    pid = postmaster(home)
    assert answers(socket)
    assert postgres.ensure(home) == postgres.ensure(home, thorough=True) == socket
    assert postmaster(home) == pid
    assert postgres.is_running(home)
    assert postgres.stop(home)
    assert not postgres.is_running(home)
    assert not postgres.stop(home)
    assert answers(postgres.ensure(home))


def test_finding_it_again_starts_no_process(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it runs, `ensure` neither runs a program nor takes the lock."""
    socket = postgres.ensure(home)
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", None)
        patch.setattr(postgres, "_locked", None)
        assert postgres.ensure(home) == socket


def test_eight_processes_make_one_server(home: Path) -> None:
    """Eight processes at once on a fresh folder get the same server."""
    assert len(ensure_at_once(home, 8)) == 1
    assert answers(postgres.ensure(home))


def test_kill_9_is_survived_again_and_again(home: Path) -> None:
    """After kill -9 of the server, four callers at once get one that works; three times."""
    postgres.ensure(home)
    for _ in range(3):
        os.kill(postmaster(home), signal.SIGKILL)
        sockets = ensure_at_once(home, 4)
        assert len(sockets) == 1
        assert answers(Path(sockets.pop()))


@pytest.mark.parametrize("graceful", [True, False])
def test_a_reused_process_id_is_left_alone(home: Path, *, graceful: bool) -> None:
    """A dead server's id that another process has now neither stops a start nor is stopped."""
    socket = postgres.ensure(home)
    where = places.of(home)
    lines = where.pid_file.read_text().splitlines()
    pid = postmaster(home)
    if graceful:
        postgres.stop(home)
    else:
        os.kill(pid, signal.SIGKILL)
        ended(pid)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, cwd=home) as stranger:
        where.pid_file.write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
        (socket / f"{places.SOCKET}.lock").write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
        assert not postgres.is_running(home)
        assert not postgres.stop(home)
        assert answers(postgres.ensure(home))
        assert postgres.stop(home)
        assert stranger.poll() is None
        stranger.communicate(b"\n")
    assert stranger.returncode == 0


def test_a_deleted_home_is_made_anew(home: Path) -> None:
    """The server of a deleted home does not take its successor's socket with it when it ends."""
    postgres.ensure(home)
    old = postmaster(home)
    shutil.rmtree(home)
    socket = postgres.ensure(home)
    assert postmaster(home) != old
    os.kill(old, signal.SIGINT)
    ended(old)
    assert postgres.is_running(home)
    assert answers(socket)


def test_a_socket_that_was_tidied_away_comes_back(home: Path) -> None:
    """A server nobody can reach any more is started anew."""
    socket = postgres.ensure(home)
    (socket / places.SOCKET).unlink()
    assert not postgres.is_running(home)
    assert answers(postgres.ensure(home))


def test_keeps_nothing_of_its_caller_open(home: Path) -> None:
    """The server has none of the descriptors of the process that started it, and a session of its own."""
    reading, writing = os.pipe()
    command = [sys.executable, "-c", ENSURE, str(home)]
    subprocess.run(
        command, pass_fds=[writing], capture_output=True, check=True
    )  # or its output would not end
    os.close(writing)
    assert select.select([reading], [], [], 10)[0], "the server holds the other end"
    os.close(reading)
    assert os.getsid(postmaster(home)) != os.getsid(0)


def test_half_made_cluster_is_thrown_away(home: Path) -> None:
    """What a killed initdb left is removed, and never taken for a cluster."""
    leftover = home / "postgres" / "unfinished-x"
    leftover.mkdir(parents=True)
    (leftover / "PG_VERSION").write_text("18\n")
    assert answers(postgres.ensure(home))
    assert not leftover.exists()


@pytest.mark.parametrize("name", ["d" * 120, "a, b", 'it\'s $(touch here) "$HOME" \\ `x`', "Überraschung"])
def test_any_folder_is_a_home(home: Path, name: str) -> None:
    """A long or strange path is a home: its socket stands in a short folder that only its owner can open."""
    strange = home / name
    try:
        socket = postgres.ensure(strange)
        assert len(os.fsencode(socket / places.SOCKET)) <= places.LONGEST
        assert socket.stat().st_mode & 0o777 == 0o700
        assert answers(socket)
        assert postgres.ensure(strange) == socket
    finally:
        postgres.stop(strange)
    assert socket.parent != places.SHORT or not socket.exists()
    assert [path.name for path in home.iterdir()] == [name]


def test_a_copied_home_has_a_server_of_its_own(home: Path) -> None:
    """A link to the socket of the home it was copied from is not followed."""
    first, second = home / ("1" * 100), home / ("2" * 100)
    (second / "postgres").mkdir(parents=True)
    try:
        original = postgres.ensure(first)
        places.of(second).link.symlink_to(original)
        assert postgres.ensure(second) != original
        assert postmaster(first) != postmaster(second)
    finally:
        postgres.stop(first)
        postgres.stop(second)


def test_a_stranger_in_the_sockets_place_is_not_trusted(tmp_path: Path) -> None:
    """The folder of the socket is used only while it is a real folder, ours and closed."""
    where = places.of(tmp_path / ("d" * 120))
    where.root.mkdir(parents=True)
    folder = where.make_socket_folder()
    try:
        assert where.socket_folder() == folder
        folder.chmod(0o755)
        assert where.socket_folder() is None
        folder.rmdir()
        folder.symlink_to(tmp_path)
        assert where.socket_folder() is None
        folder.unlink()
        folder.mkdir(0o700)
        if os.geteuid() == 0:
            os.chown(folder, 1, 1)
            assert where.socket_folder() is None
    finally:
        folder.rmdir()


def test_the_log_does_not_grow_without_end(home: Path) -> None:
    """A log of over a megabyte is emptied at the next start."""
    postgres.ensure(home)
    postgres.stop(home)
    log = places.of(home).log
    log.write_bytes(b"x" * (cluster.LOG_BYTES + 1))
    postgres.ensure(home)
    assert log.stat().st_size < cluster.LOG_BYTES
