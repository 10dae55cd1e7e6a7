"""A link that breaks in the middle of the work, on a server of the owner's own and on the embedded one."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from pydantic import SecretStr

from mnemo_assets import database, postgres
from mnemo_assets.archive import ledger
from mnemo_assets.errors import LinkLostError, ServerUnreachableError
from mnemo_assets.pipeline import link, mine, read, scan
from mnemo_assets.postgres import places, process
from mnemo_assets.settings import Settings
from tests.second_server import Graph, Relay, SecondServer, graph

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mnemo_assets.database import Connection

NUMBER = 12


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pauses are as many as ever, and short."""
    monkeypatch.setattr(link, "PAUSES", (0.0,) * len(link.PAUSES))


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(NUMBER):
        (folder / f"{number}.txt").write_text(
            f"Eva Lind paid invoice {number} to Birch Tools Ltd in Leeds.\n"
        )
    return folder


class _Work:
    """Scan, read and mine; `breaks` is called once, in the middle of the step that is named."""

    def __init__(self, settings: Settings, papers: Path, step: str, breaks: Callable[[], None]) -> None:
        self.settings, self.papers, self.step, self.breaks = settings, papers, step, breaks
        self.begun = 0
        self.reading, self.mining = read.ReadCounts(), mine.MineCounts()

    def __call__(self, connection: Connection) -> None:
        self.begun += 1
        mine.active_generation(connection, self.settings)
        archive = ledger.add_archive(connection, self.papers, None)
        scan.scan(connection, self.settings, archive, self.on_progress)
        read.read(connection, self.settings, self.on_progress, counts=self.reading)
        mine.mine(connection, self.settings, self.on_progress, counts=self.mining)

    def on_progress(self, step: str, done: int, _total: int | None) -> None:
        """Break the link, once."""
        if step == self.step and done == 3 and self.begun == 1:
            self.breaks()


def whole(settings: Settings) -> tuple[Any, ...]:
    """The stages, the claims that are left, and the times a document was tried."""
    with closing(database.connect(settings)) as connection:
        row = connection.execute(
            "select count(*) filter (where stage = 'graphed') as graphed, count(claimed_by) as claimed,"
            " count(*) as documents, (select count(*) from mnemo.mentions) as mentions from documents"
        ).fetchone()
    assert row is not None
    return tuple(row.values())


@pytest.fixture
def expected(settings: Settings, papers: Path) -> tuple[Any, ...]:
    """What comes of it where nothing breaks."""
    unbroken = settings.model_copy(update={"extractor": "patterns"})
    link.reconnecting(unbroken, _Work(unbroken, papers, "", lambda: None))
    return whole(unbroken)


@pytest.mark.parametrize("step", ["read", "mine"])
def test_a_session_that_is_ended_is_followed_by_another(
    own: Graph, tmp_path: Path, papers: Path, expected: tuple[Any, ...], step: str
) -> None:
    """The worker's session is ended in mid-run: a new one goes on, and nothing is done twice."""

    def end() -> None:
        with own.chief() as chief:
            chief.execute(
                "select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = %s", [own.user]
            )

    settings = own.settings(tmp_path / "home", extractor="patterns")
    work = _Work(settings, papers, step, end)
    lost: list[str] = []
    link.reconnecting(settings, work, lambda: lost.append("lost"))
    assert (work.begun, lost) == (2, ["lost"])
    assert whole(settings) == expected
    assert work.reading.extracted == NUMBER
    assert work.mining.graphed == NUMBER


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_server_that_restarts_is_waited_for(
    second_server: SecondServer, tmp_path: Path, papers: Path, expected: tuple[Any, ...], mode: str
) -> None:
    """The server is stopped, or killed, in mid-run and comes back a while later."""
    theirs = graph(second_server)
    settings = theirs.settings(tmp_path / "home", extractor="patterns")
    work = _Work(settings, papers, "read", lambda: second_server.stop(mode))
    lost: list[str] = []

    def on_lost() -> None:
        lost.append("lost")
        if len(lost) == 3:
            second_server.start()

    link.reconnecting(settings, work, on_lost)
    assert (work.begun, len(lost)) == (2, 3)
    assert whole(settings) == expected


def test_a_server_that_stays_away_is_given_up(second_server: SecondServer, tmp_path: Path) -> None:
    """After some tries it is one clear error, whose words hold nothing of the client library's."""
    theirs = graph(second_server)
    settings = theirs.settings(tmp_path / "home")
    lost: list[str] = []

    def work(connection: Connection) -> None:
        second_server.stop("immediate")
        connection.execute("select 1")

    try:
        with pytest.raises(LinkLostError, match="again and again"):
            link.reconnecting(settings, work, lambda: lost.append("lost"))
        assert len(lost) == len(link.PAUSES)
        with pytest.raises(ServerUnreachableError):  # without a link to begin with, nothing is waited for
            link.reconnecting(settings, work, lambda: lost.append("lost"))
        assert len(lost) == len(link.PAUSES)
    finally:
        second_server.start()


def test_a_lost_session_that_lives_on_is_ended(own: Graph, tmp_path: Path) -> None:
    """Where the client lost the link and the server did not notice, what it had claimed is free."""
    relay = Relay(own.server.port)
    settings = own.settings(tmp_path / "home", dsn=SecretStr(own.dsn(port=relay.port)))
    sessions: list[int] = []

    def work(connection: Connection) -> object:
        sessions.append(connection.info.backend_pid)
        if len(sessions) == 1:
            connection.execute("select pg_advisory_lock(5)")
            relay.cut()
        return connection.execute("select pg_try_advisory_lock(5) as free").fetchone()

    try:
        assert link.reconnecting(settings, work) == {"free": True}
    finally:
        relay.close()
    assert len(set(sessions)) == 2


def test_what_the_link_is_not_to_blame_for_is_raised_at_once(own: Graph, tmp_path: Path) -> None:
    """An error of the server's on a link that is well is not tried again."""
    tries: list[int] = []

    def work(connection: Connection) -> None:
        tries.append(1)
        connection.execute("do $$ begin raise sqlstate '53100'; end $$")

    with pytest.raises(psycopg.errors.DiskFull):
        link.reconnecting(own.settings(tmp_path / "home"), work)
    assert tries == [1]


def test_a_server_that_is_stopped_on_purpose_stays_stopped(home: Path) -> None:
    """`mnemo down` in mid-run ends the work, and nothing starts the embedded server again."""
    settings = Settings(home=home)

    def work(connection: Connection) -> None:
        postgres.stop(home)
        connection.execute("select 1")

    with pytest.raises(LinkLostError, match="was stopped"):
        link.reconnecting(settings, work)
    assert not postgres.is_running(home)


def test_an_embedded_server_that_is_killed_comes_back(home: Path) -> None:
    """After kill -9 of the embedded server the work goes on with a new one."""
    tries: list[int] = []

    def work(connection: Connection) -> str:
        tries.append(1)
        if len(tries) == 1:
            pid = process.of(places.of(home))
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            connection.execute("select pg_sleep(30)")
        return "done"

    assert link.reconnecting(Settings(home=home), work) == "done"
    assert len(tries) == 2
