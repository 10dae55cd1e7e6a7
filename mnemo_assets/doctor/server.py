"""Postgres: the embedded server, or the owner's own; and the two roles in its database."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from mnemo_assets import database, postgres
from mnemo_assets.doctor.finding import Finding, lacking, well

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

Q = database.queries("doctor")
AREA = "postgres"


def server(settings: Settings) -> Iterator[Finding]:
    """Start the embedded server, or connect to the owner's, as both roles.

    Raises:
        PostgresError: it does not work; the message says what to do.
        SettingsError: what is set about it is malformed.
    """
    ran = settings.dsn is not None or postgres.is_running(settings.home)
    with closing(database.connect(settings)) as owner:
        number = owner.info.server_version
        version = f"Postgres {number // 10_000}.{number % 10_000}"
        if settings.dsn is None:
            yield well(AREA, "the server", f"{version}, embedded, {'running' if ran else 'started just now'}")
        else:
            yield well(AREA, "the server", f"{version}, your own, {_way(owner)}")
    with closing(database.connect(settings, role="reader")) as reader:
        bounds = reader.execute(Q["reader_bounds"]).fetchone()
    assert bounds is not None
    lacks = [
        what
        for name, what in (
            ("in_time", "the time of a statement"),
            ("in_files", "temporary files"),
            ("in_locks", "locks that writers wait for"),
        )
        if not bounds[name]
    ]
    if lacks:
        said = f"asks and cannot write; not bounded in {' and '.join(lacks)}"
        mend = "Only a superuser can bound that: docs/settings.md has the statements."
        yield lacking(AREA, "the reader's role", said, mend)
    else:
        yield well(AREA, "the reader's role", "asks, and cannot write")


def database_of(connection: Connection, _settings: Settings) -> Iterator[Finding]:
    """The migrations and the extensions of the database."""
    applied = len(connection.execute(database.Q["applied_migrations"]).fetchall())
    yield well(AREA, "the schema", f"{applied} of {len(database.migrations())} migrations are applied")
    there = connection.execute(Q["extensions_there"]).fetchall()
    yield well(AREA, "extensions", ", ".join(f"{row['name']} {row['version']}" for row in there))


def _way(connection: Connection) -> str:
    if connection.pgconn.ssl_in_use:
        return "by TLS"
    return "on this machine" if connection.info.hostaddr else "by a Unix socket"
