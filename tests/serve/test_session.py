"""A reading: what it cannot do, how it ends, and that nothing is left of it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets import database
from mnemo_assets.errors import PostgresError, QuestionTimeoutError
from mnemo_assets.serve import session, status

if TYPE_CHECKING:
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings


def read(
    settings: Settings,
    statement: bytes,
    stop: session.Stop | None = None,
    begun: threading.Event | None = None,
) -> None:
    """One statement in a reading; says when it has begun."""
    with session.reading(settings, stop) as reading:
        if begun is not None:
            begun.set()
        reading.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        b"insert into mnemo.archives (name, root) values ('x', '/x')",
        b"delete from serve.documents",
        b"begin read write",
        b"set session characteristics as transaction read write; insert into mnemo.archives default values",
        b"set default_transaction_read_only = off; create table serve.t (n integer)",
        b"create temporary table t (n integer)",
        b"copy (select 1) to program 'true'",
        b"select pg_read_file('/etc/hostname')",
        b"select lo_create(0)",
        b"select error from mnemo.documents",
        b"set role mnemo_owner",
    ],
)
def test_reading_cannot_write_or_look_past_the_views(
    settings: Settings, connection: Connection, statement: bytes
) -> None:
    """Every way round the read-only flag is closed by the role; the error says a class and no data."""
    before = status.status(connection)
    said = r"did not answer \(\w+\)\.|takes no changes: the server is a standby, or was set to read-only\."
    with pytest.raises(PostgresError, match=rf"^The database ({said})$") as refused:
        read(settings, statement)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__
    assert status.status(connection) == before


def test_reading_sees_one_moment(settings: Settings, connection: Connection) -> None:
    """What is committed in the middle of a reading shows in the next one."""
    with session.reading(settings) as reading:
        before = status.status(reading)
        connection.execute(b"insert into archives (name, root) values ('x', '/x')")
        assert status.status(reading) == before
    with session.reading(settings) as reading:
        assert status.status(reading).archives.unscanned == 1


def test_statement_that_takes_too_long_is_ended(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit is the database's, and its error is a class of ours."""
    monkeypatch.setattr(session, "STATEMENT_MS", 1)
    with pytest.raises(QuestionTimeoutError):
        read(settings, b"select pg_sleep(600)")


def test_reading_can_be_stopped_from_another_thread(settings: Settings) -> None:
    """A running query is ended by whoever holds the stop."""
    stop, begun = session.Stop(), threading.Event()

    def end() -> None:
        begun.wait()
        stop.ask()

    thread = threading.Thread(target=end)
    thread.start()
    with pytest.raises(QuestionTimeoutError):
        read(settings, b"select pg_sleep(600)", stop, begun)
    thread.join()


def test_reading_stopped_before_it_begins_asks_nothing(settings: Settings) -> None:
    """A stop that comes early is not lost; one that comes late does nothing."""
    stop, begun = session.Stop(), threading.Event()
    stop.ask()
    with pytest.raises(QuestionTimeoutError):
        read(settings, b"select 1", stop, begun)
    assert not begun.is_set()
    late = session.Stop()
    read(settings, b"select 1", late)
    late.ask()


def test_connection_is_closed_afterwards(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing stays open, whether it went well or not."""
    held: list[Connection] = []
    connect = database.connect

    def keep(*arguments: Any, **options: Any) -> Connection:
        held.append(connect(*arguments, **options))
        return held[-1]

    monkeypatch.setattr(database, "connect", keep)
    read(settings, b"select 1")
    with pytest.raises(PostgresError):
        read(settings, b"select 1 / 0")
    assert [connection.closed for connection in held] == [True, True]
