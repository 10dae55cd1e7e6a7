"""Migrations: once, in order, whole, and never backwards."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.rows import dict_row

from mnemo_assets import database
from mnemo_assets.errors import DatabaseNewerError, PostgresError
from mnemo_assets.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIRST = "create schema serve;\ncreate table a (x int);\ncreate view serve.a as select x from a;\n"

MIGRATE = """if True:
    import pathlib, sys, psycopg
    from psycopg.rows import dict_row
    from mnemo_assets import database
    database.SQL = pathlib.Path(sys.argv[2])
    where = dict(user="mnemo_owner", options="-c search_path=mnemo,public", row_factory=dict_row)
    with psycopg.connect(host=sys.argv[1], dbname=sys.argv[3], autocommit=True, **where) as connection:
        database.migrate(connection)"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Migrations of the test's own, one to begin with."""
    monkeypatch.setattr(database, "SQL", tmp_path)
    database.migrations.cache_clear()
    (tmp_path / "migrations").mkdir()
    (tmp_path / "migrations" / "0001.first.sql").write_text(FIRST)
    yield tmp_path / "migrations"
    database.migrations.cache_clear()


@pytest.fixture
def empty(admin: psycopg.Connection) -> Iterator[str]:
    """The name of a database without anything."""
    admin.execute("create database test_empty owner mnemo_owner")
    yield "test_empty"
    admin.execute("drop database test_empty with (force)")


def open_as_owner(socket: Path, name: str) -> database.Connection:
    return psycopg.connect(
        host=str(socket),
        user="mnemo_owner",
        dbname=name,
        options="-c search_path=mnemo,public",
        autocommit=True,
        row_factory=dict_row,
    )


def applied(connection: database.Connection) -> list[tuple[int, str]]:
    rows = connection.execute("select number, name from mnemo.migrations order by applied_at")
    return [(row["number"], row["name"]) for row in rows]


def add(folder: Path, name: str, sql: str) -> None:
    (folder / name).write_text(sql)
    database.migrations.cache_clear()


def test_four_at_once_apply_each_once(folder: Path, shared_socket: Path, empty: str) -> None:
    """Four connections that migrate at the same moment apply each migration once, in order."""
    add(folder, "0002.second.sql", "insert into a values (1);")
    add(folder, "0003.third.sql", "insert into a select x + 1 from a;")
    connections = [open_as_owner(shared_socket, empty) for _ in range(4)]
    together = threading.Barrier(4)
    failures: list[BaseException] = []

    def work(connection: database.Connection) -> None:
        together.wait()
        try:
            database.migrate(connection)
        except BaseException as error:  # noqa: BLE001 - a thread's failure has to reach the test
            failures.append(error)

    threads = [threading.Thread(target=work, args=[connection]) for connection in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert applied(connections[0]) == [(1, "0001.first.sql"), (2, "0002.second.sql"), (3, "0003.third.sql")]
    assert connections[0].execute("select x from a order by x").fetchall() == [{"x": 1}, {"x": 2}]
    for connection in connections:
        connection.close()


def test_classes_that_an_older_mnemo_wrote(
    shared_socket: Path, empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that were renamed are."""
    every = database.migrations()
    with open_as_owner(shared_socket, empty) as connection:
        with monkeypatch.context() as before:
            before.setattr(database, "migrations", lambda: every[:3])
            database.migrate(connection)
        query = "insert into documents (sha256, stage, error_class) values (repeat(%s, 64), %s, %s)"
        for row in (
            ("a", "failed", "NeedsPassword"),
            ("b", "failed", "ReaderTimeout"),
            ("c", "failed", "Corrupt"),
        ):
            connection.execute(query, row)
        database.migrate(connection)
        rows = connection.execute("select stage, error_class from documents order by sha256").fetchall()
        assert [tuple(row.values()) for row in rows] == [
            ("failed", "Encrypted"),
            ("failed", "TimedOut"),
            ("failed", "Corrupt"),
        ]


def test_four_processes_open_a_fresh_home_once(home: Path) -> None:
    """Four processes that connect to a home that is not there yet make one database, migrated once."""
    code = (
        "from mnemo_assets import database, settings as s; database.connect(s.load(), role='reader').close()"
    )
    children = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [child.wait() for child in children] == [0] * 4
    with database.connect(Settings(home=home)) as connection:
        numbers = connection.execute("select number from migrations order by number").fetchall()
        assert numbers == [{"number": migration.number} for migration in database.migrations()]


def test_kill_9_leaves_all_or_nothing(
    folder: Path, shared_socket: Path, empty: str, admin: psycopg.Connection
) -> None:
    """A process killed within a migration leaves nothing of it, and keeps nobody waiting."""
    add(folder, "0002.second.sql", "create table b (x int); select pg_sleep(600);")
    command = [sys.executable, "-c", MIGRATE, str(shared_socket), str(folder.parent), empty]
    sleeping = "select 1 from pg_stat_activity where datname = %s and wait_event = 'PgSleep'"
    with subprocess.Popen(command) as child:
        while not admin.execute(sleeping, [empty]).fetchone():
            assert child.poll() is None
        child.kill()
    with open_as_owner(shared_socket, empty) as connection:
        assert applied(connection) == [(1, "0001.first.sql")]
        assert connection.execute("select to_regclass('b') as b").fetchone() == {"b": None}
        add(folder, "0002.second.sql", "create table b (x int);")
        database.migrate(connection)
        assert applied(connection) == [(1, "0001.first.sql"), (2, "0002.second.sql")]


def test_a_failed_migration_leaves_nothing(folder: Path, shared_socket: Path, empty: str) -> None:
    """A migration with an error is rolled back whole; those before it stay."""
    add(folder, "0002.second.sql", "create table b (x int); select 1 / 0;")
    with open_as_owner(shared_socket, empty) as connection:
        with pytest.raises(psycopg.errors.DivisionByZero):
            database.migrate(connection)
        assert applied(connection) == [(1, "0001.first.sql")]
        assert connection.execute("select to_regclass('b') as b").fetchone() == {"b": None}


def test_new_views_are_shown_to_the_reader(folder: Path, shared_socket: Path, empty: str) -> None:
    """A view that a later migration makes is readable at once, a table is not."""
    add(folder, "0002.second.sql", "create view serve.b as select 2 as x; create table b (x int);")
    with open_as_owner(shared_socket, empty) as connection:
        database.migrate(connection)
    with psycopg.connect(
        host=str(shared_socket), user="mnemo_reader", dbname=empty, autocommit=True
    ) as reader:
        assert reader.execute("select x from serve.b").fetchone() == (2,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute("select x from mnemo.b")


def test_migrating_again_changes_nothing(connection: database.Connection) -> None:
    """Migrating a current database does nothing."""
    rows = "select number, name, sha256, applied_at from migrations order by number"
    before = connection.execute(rows).fetchall()
    database.migrate(connection)
    assert connection.execute(rows).fetchall() == before
    assert [row["sha256"] for row in before] == [migration.sha256 for migration in database.migrations()]


@pytest.mark.parametrize("role", ["owner", "reader"])
def test_a_newer_database_is_refused(
    connection: database.Connection, settings: Settings, role: database.Role
) -> None:
    """A database with a migration that this code does not know is not opened, and not changed."""
    connection.execute("insert into migrations (number, name, sha256) values (9999, 'later', 'x')")
    with pytest.raises(DatabaseNewerError, match="newer mnemo"):
        database.connect(settings, role=role)
    with pytest.raises(DatabaseNewerError):
        database.migrate(connection)


@pytest.mark.parametrize("role", ["owner", "reader"])
def test_a_changed_migration_is_refused(
    connection: database.Connection, settings: Settings, role: database.Role
) -> None:
    """An applied migration whose file was changed is named."""
    connection.execute("update migrations set sha256 = 'x' where number = 1")
    with pytest.raises(PostgresError, match="Migration 0001 was changed"):
        database.connect(settings, role=role)


def test_a_database_that_is_behind_is_brought_forward_by_the_reader(
    connection: database.Connection, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes first migrates, the reader role's programs too."""
    later = database.Migration(
        len(database.migrations()) + 1, "later.sql", b"create view serve.l as select 1 as x;", "s"
    )
    known = (*database.migrations(), later)
    monkeypatch.setattr(database, "migrations", lambda: known)
    with database.connect(settings, role="reader") as reader:
        assert reader.execute("select x from l").fetchone() == {"x": 1}
    assert applied(connection)[-1] == (later.number, "later.sql")


def test_numbers_have_no_gap(folder: Path) -> None:
    """A migration whose number does not follow is a mistake of ours, found before anything is applied."""
    add(folder, "0003.third.sql", "")
    with pytest.raises(ValueError, match=r"0003\.third\.sql is not number 2"):
        database.migrations()


def test_line_ends_do_not_count(folder: Path) -> None:
    """A checkout that writes CRLF has the same migrations."""
    before = database.migrations()
    (folder / "0001.first.sql").write_bytes(FIRST.replace("\n", "\r\n").encode())
    database.migrations.cache_clear()
    assert database.migrations() == before
