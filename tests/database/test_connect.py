"""Connections."""

from __future__ import annotations

import os
import signal
import stat
from typing import TYPE_CHECKING

import psycopg
import pytest

from mnemo_assets import database, postgres
from mnemo_assets.errors import PostgresError
from mnemo_assets.postgres import places, process
from mnemo_assets.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

CANARY = "Xanthippe Quillfeather"


def test_owner_writes_and_reader_reads(connection: database.Connection, reader: database.Connection) -> None:
    """What the owner commits, the reader sees through the views."""
    connection.execute("insert into documents (sha256) values (repeat('a', 64))")
    rows = reader.execute("select sha256, stage from documents").fetchall()
    assert rows == [{"sha256": "a" * 64, "stage": "new"}]


@pytest.mark.parametrize(("role", "path"), [("owner", "mnemo,public"), ("reader", "serve,public")])
def test_the_profiles_variables_lead_nowhere(
    settings: Settings, role: database.Role, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No variable that libpq reads changes where we connect, as whom, or with what."""
    hostile = {
        "PGHOST": "192.0.2.1",
        "PGHOSTADDR": "192.0.2.1",
        "PGPORT": "1",
        "PGUSER": "mnemo_admin",
        "PGDATABASE": "postgres",
        "PGPASSWORD": "x",
        "PGPASSFILE": "/nowhere",
        "PGSERVICE": "elsewhere",
        "PGSERVICEFILE": "/nowhere",
        "PGOPTIONS": "-c search_path=pg_temp -c work_mem=64kB",
        "PGAPPNAME": "x",
        "PGSSLMODE": "verify-full",
        "PGSSLROOTCERT": "system",
        "PGREQUIREAUTH": "scram-sha-256",
        "PGREQUIREPEER": "somebody",
        "PGCHANNELBINDING": "require",
        "PGGSSENCMODE": "require",
        "PGCLIENTENCODING": "latin1",
        "PGTARGETSESSIONATTRS": "standby",
        "PGTZ": "Asia/Tokyo",
        "PGDATESTYLE": "German",
    }
    for name, value in hostile.items():
        monkeypatch.setenv(name, value)
    with database.connect(settings, role=role) as connection:
        row = connection.execute(
            "select current_user as user, current_database() as database, name, setting"
            " from pg_settings where name = any(%s)",
            [["application_name", "client_encoding", "DateStyle", "search_path", "TimeZone", "work_mem"]],
        ).fetchall()
        assert {item["name"]: item["setting"] for item in row} == {
            "application_name": "mnemo",
            "client_encoding": "UTF8",
            "DateStyle": "ISO, MDY",
            "search_path": path,
            "TimeZone": "UTC",
            "work_mem": "16384",
        }
        assert {(item["user"], item["database"]) for item in row} == {(f"mnemo_{role}", database.DATABASE)}
        assert connection.autocommit


def test_a_connection_comes_back_after_a_crash(home: Path) -> None:
    """After kill -9 of the server the next connection finds everything that was committed."""
    settings = Settings(home=home)
    with database.connect(settings) as connection:
        connection.execute("insert into documents (sha256) values (repeat('a', 64))")
    pid = process.of(places.of(home))
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    with database.connect(settings, role="reader") as reader:
        assert reader.execute("select count(*) from documents").fetchone() == {"count": 1}


def test_an_unreachable_server_is_one_clear_error(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If nobody answers, the error is ours, says what to do, and carries nothing of the client library's."""
    monkeypatch.setattr(postgres, "ensure", lambda home, **_options: home / CANARY)
    with pytest.raises(PostgresError, match="mnemo down") as raised:
        database.connect(settings)
    assert CANARY not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


def test_too_many_clients_are_told_so(settings: Settings) -> None:
    """When all of the reader's connections are taken, the message says so, and nothing else suffers."""
    taken = [database.connect(settings, role="reader") for _ in range(20)]
    with pytest.raises(PostgresError, match="Too many programs"):
        database.connect(settings, role="reader")
    database.connect(settings).close()
    for connection in taken:
        connection.close()


def test_all_files_are_the_owners_alone(home: Path) -> None:
    """Every folder of a home is 0700, every file 0600, every socket closed to others, whatever the umask."""
    before = os.umask(0)
    try:
        database.connect(Settings(home=home)).close()
    finally:
        os.umask(before)
    modes = {
        (stat.S_IFMT(found.st_mode), stat.S_IMODE(found.st_mode))
        for found in (path.lstat() for path in (home, *home.rglob("*")))
        if not stat.S_ISLNK(found.st_mode)
    }
    assert modes == {(stat.S_IFDIR, 0o700), (stat.S_IFREG, 0o600), (stat.S_IFSOCK, 0o700)}


def test_logs_hold_no_text(home: Path) -> None:
    """Whatever fails, and even when a backend is killed, no log holds a value or a statement."""
    settings = Settings(home=home)
    with database.connect(settings) as owner, database.connect(settings) as other:
        for statement in (
            b"insert into archives (name, root) values (%(c)s, 'x'), (%(c)s, 'y')",
            b"insert into documents (sha256) values (%(c)s)",
            b"select cast(%(c)s as integer)",
            b"select %(c)s from nowhere",
            b"do $$ begin raise warning 'Xanthippe'; raise exception 'Xanthippe'; end $$",
        ):
            with pytest.raises(psycopg.Error):
                owner.execute(statement, {"c": CANARY} if b"%" in statement else None)
        pid = other.info.backend_pid
        other.execute("begin")
        other.execute("select %s::text, 'Xanthippe'", [CANARY])
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            other.execute("select 'Xanthippe', pg_sleep(60)")
    postgres.ensure(home, thorough=True)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(host=str(postgres.ensure(home)), user="mnemo_owner", dbname="nowhere")
    logs = [path for path in home.rglob("*log*") if path.is_file()]
    said = b"".join(path.read_bytes() for path in logs)
    assert b"FATAL" in said, "the log is elsewhere"
    assert CANARY.split(maxsplit=1)[0].encode() not in said
