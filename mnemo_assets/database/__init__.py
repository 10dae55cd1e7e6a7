"""Connections, named queries and migrations: the one door to the database."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg

from mnemo_assets.database.embedded import Embedded
from mnemo_assets.database.own import Own
from mnemo_assets.database.server import Connection, Role, Server
from mnemo_assets.database.statements import SQL, Q, queries
from mnemo_assets.errors import DatabaseNewerError, PostgresError

if TYPE_CHECKING:
    from mnemo_assets.settings import Settings

__all__ = [
    "DAGSTER",
    "DATABASE",
    "SQL",
    "Connection",
    "Migration",
    "Q",
    "Role",
    "connect",
    "dagster_exists",
    "dagster_url",
    "migrate",
    "migrations",
    "queries",
    "server",
]

#: The name of the database in the embedded server.
DATABASE = "mnemo"
#: The name of the database beside it that holds what Dagster keeps.
DAGSTER = "dagster"


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of `sql/migrations`, `NNNN.what.sql`."""

    number: int
    name: str
    sql: bytes
    sha256: str


@functools.cache
def migrations() -> tuple[Migration, ...]:
    """The migrations that this code knows, in order, numbered from 1 without a gap."""
    found = []
    for number, path in enumerate(sorted((SQL / "migrations").glob("*.sql")), start=1):
        sql = path.read_bytes().replace(b"\r\n", b"\n")  # a checkout may change line ends
        if int(path.name.partition(".")[0]) != number:
            raise ValueError(f"Migration {path.name} is not number {number}.")
        found.append(Migration(number, path.name, sql, hashlib.sha256(sql).hexdigest()))
    return tuple(found)


def server(settings: Settings) -> Server:
    """The server that the settings name: the owner's own, or the embedded one of the home."""
    if settings.dsn is not None:
        return Own(settings)
    return Embedded(settings.home, DATABASE, DAGSTER)


def connect(settings: Settings, *, role: Role = "owner") -> Connection:
    """Connect, in autocommit mode; start the server, make the database and migrate it where need be.

    Args:
        settings: whose home's server, or which other one.
        role: `owner` may do everything in the database, `reader` sees the views of schema serve.

    Returns:
        A connection whose rows are dicts and whose search path is the role's schema, then public.

    Raises:
        DatabaseNewerError: a newer mnemo made the database.
        PostgresError: the server cannot be reached, or lacks something; the message says what to do.
        SettingsError: a setting about the server is malformed.
    """
    chosen = server(settings)
    connection = _try_to_open(chosen, role)
    if connection is not None:
        return connection
    # it was just starting or stopping, or this is the first time
    chosen.prepare()
    try:
        with chosen.open("owner") as owner:
            migrate(owner)
        connection = chosen.open(role)
    except psycopg.OperationalError as error:
        raise chosen.refused(error) from None
    if role == "reader" and _pending(connection, "visible_migrations"):
        connection.close()
        raise PostgresError(
            "The reader's role came to another database: MNEMO_READER_DSN has to name the same."
        )
    return connection


def dagster_url(settings: Settings) -> str:
    """Where Dagster keeps its events: an empty database of the owner's at first, closed to all others.

    Returns:
        A URL for SQLAlchemy that names its driver, and holds no password.

    Raises:
        PostgresError: as `connect`; or the user may not make a database.
    """
    connect(settings).close()  # the roles and the server's other databases are as they should be
    return server(settings).dagster_url()


def dagster_exists(settings: Settings) -> bool:
    """Whether Dagster has a database on the server. Costs one connection."""
    with connect(settings) as connection:
        row = connection.execute(Q["database_exists"], {"name": server(settings).dagster}).fetchone()
    return row is not None


def _try_to_open(chosen: Server, role: Role) -> Connection | None:
    """A connection, or None if there is none, or one to a database that lacks migrations."""
    try:
        connection = chosen.open(role)
    except psycopg.OperationalError:
        return None
    try:
        if not _pending(connection, "visible_migrations"):
            return connection
    except psycopg.OperationalError:  # it ended in between
        pass
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


def migrate(connection: Connection) -> None:
    """Apply the migrations that the database lacks, in order, each with its row in one transaction.

    Any number of processes may do this at once; a killed one leaves whole migrations.

    Args:
        connection: the owner's, in autocommit mode.

    Raises:
        DatabaseNewerError: a newer mnemo made the database.
        PostgresError: an applied migration is not the file of that number.
    """
    with connection.transaction():
        connection.execute(Q["lock_migrations"])
        connection.execute(Q["create_migrations"])
    for migration in migrations():
        with connection.transaction():
            connection.execute(Q["lock_migrations"])
            if migration not in _pending(connection, "applied_migrations"):
                continue
            connection.execute(migration.sql)
            row = {"number": migration.number, "name": migration.name, "sha256": migration.sha256}
            connection.execute(Q["insert_migration"], row)
            connection.execute(Q["open_serve"])
    _pending(connection, "applied_migrations")


def _pending(connection: Connection, query: str) -> tuple[Migration, ...]:
    """The migrations that the database lacks; raises as `migrate` does."""
    try:
        applied = {row["number"]: row["sha256"] for row in connection.execute(Q[query])}
    except (
        psycopg.errors.UndefinedTable,
        psycopg.errors.InvalidSchemaName,
        psycopg.errors.InsufficientPrivilege,
    ):
        return migrations()
    known = {migration.number: migration.sha256 for migration in migrations()}
    if applied.keys() - known.keys():
        raise DatabaseNewerError(
            "A newer mnemo made this database. Install that version, or set another MNEMO_HOME."
        )
    for number, sha256 in applied.items():
        if known[number] != sha256:
            raise PostgresError(
                f"Migration {number:04} was changed after it was applied. Restore the file of this release."
            )
    return tuple(migration for migration in migrations() if migration.number not in applied)
