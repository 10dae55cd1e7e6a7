"""`mnemo up` with a server of the owner's own: it works, and the password is told to nobody."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import SecretStr

from tests.upped import Up, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.second_server import Graph

pytestmark = [
    pytest.mark.xdist_group("up"),
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at in /proc"),
]


class _OwnUp(Up):
    """`mnemo up` on a graph of the second server, whose password a command prints."""

    def __init__(self, folder: Path, own: Graph) -> None:
        super().__init__(folder / "home", folder / "papers")
        self.archive.mkdir()
        self.own, self._secret = own, folder / "secret"
        self._secret.write_text(own.password + "\n")
        # the part of the password that stands the same in a URL and in a password file
        self.canary = own.password.split()[-1]
        self.settings = own.settings(self.home, extractor="patterns", dsn=SecretStr(own.dsn()))

    @property
    def environment(self) -> dict[str, str]:
        """As for the embedded server, and where the owner's own is."""
        return {
            **super().environment,
            "MNEMO_DSN": self.own.dsn(password=False),
            "MNEMO_PASSWORD_COMMAND": shlex.join(["cat", str(self._secret)]),
        }

    def told(self) -> tuple[Any, ...]:
        """Documents that are in the graph, and that Dagster was told of."""
        query = (
            "select count(*) filter (where stage = 'graphed'),"
            " count(*) filter (where reported_stage = 'graphed') from mnemo.documents"
        )
        with self.own.chief() as chief:
            return tuple(chief.execute(query).fetchone() or ())

    def story(self) -> object:
        """What a vain wait was like: the runs, what sensors last did, what was said."""
        with self.own.server.chief(f"{self.own.name}_dagster") as chief:
            runs = chief.execute("select pipeline_name, status, update_timestamp from runs").fetchall()
            ticks = chief.execute(
                "select status, timestamp, tick_body from job_ticks order by id desc limit 8"
            ).fetchall()
        logs = {path.name: path.read_text()[-2000:] for path in (self.home / "dagster" / "log").glob("*.log")}
        return self.told(), runs, ticks, self.programs(), self.workers(), logs, self.lines


@pytest.fixture
def own_up(own: Graph) -> Iterator[_OwnUp]:
    folder = Path(tempfile.mkdtemp(prefix="mnemo-o-", dir="/tmp"))
    up = _OwnUp(folder, own)
    try:
        yield up
    finally:
        if up.process is not None and up.process.poll() is None:
            up.end()
        shutil.rmtree(folder, ignore_errors=True)


def test_a_graph_on_a_server_of_ones_own(own_up: _OwnUp) -> None:
    """A file reaches the graph and the page, also after all sessions ended; no process holds the password."""
    up = own_up
    (up.archive / "one.txt").write_text("Ada Byron works for Nordwind Ltd.\n")
    up.start()
    until(lambda: up.told() == (1, 1), "the first file is in the graph", up.story)
    processes = up.everything()
    assert len(processes) >= 5
    for pid in processes:
        for name in ("cmdline", "environ"):
            path = Path(f"/proc/{pid}/{name}")
            try:
                assert up.canary.encode() not in path.read_bytes()
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended
    with up.own.chief() as chief:
        chief.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where usename = %s", [up.own.user]
        )
    (up.archive / "two.txt").write_text("Ada Byron wrote to Eva Lind.\n")
    until(lambda: up.told() == (2, 2), "the second file is in the graph", up.story)
    assert up.end() == 0
    holders = {
        str(path.relative_to(up.home))
        for path in up.home.rglob("*")
        if path.is_file() and up.canary.encode() in path.read_bytes()
    }
    assert holders == {"own-server/dagster.pgpass"}
    assert not any(up.canary in line for line in up.lines)
    assert not (up.home / "postgres").exists()
    _search(up)


def _search(up: _OwnUp) -> None:
    """No row of Dagster's holds the password."""
    with up.own.server.chief(f"{up.own.name}_dagster") as chief:
        tables = chief.execute(
            "select format('%I', relname) from pg_class where relkind = 'r' and relnamespace ="
            " 'public'::regnamespace"
        ).fetchall()
        assert tables
        for (table,) in tables:
            query = f"select count(*) from {table} t where t::text like %s"  # noqa: S608 - Dagster's own names
            assert chief.execute(query.encode(), [f"%{up.canary}%"]).fetchone() == (0,), table
