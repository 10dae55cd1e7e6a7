"""Connections, named queries and migrations: the one door to the database."""

from __future__ import annotations

import functools
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import psycopg
from psycopg.rows import dict_row

from mnemo_assets import postgres
from mnemo_assets.errors import DatabaseNewerError, PostgresError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mnemo_assets.settings import Settings

Connection = psycopg.Connection[dict[str, Any]]
Role = Literal["owner", "reader"]

#: The name of the database.
DATABASE = "mnemo"
#: All SQL of the project: inside the package in a wheel, at the top level of a checkout.
SQL = Path(__file__).parent / "sql"
if not SQL.is_dir():
    SQL = Path(__file__).parents[1] / "sql"
_SEARCH_PATH: dict[str, str] = {"owner": "mnemo,public", "reader": "serve,public", "admin": "pg_catalog"}
_NAME = re.compile(r"^-- name: *([a-z][a-z0-9_]*) *$")


@functools.cache
def queries(room: str) -> Mapping[str, bytes]:
    """The named queries of `sql/queries/<room>.sql`: name -> SQL with named parameters.

    Raises:
        ValueError: a name stands twice.
    """
    blocks: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (SQL / "queries" / f"{room}.sql").read_text(encoding="utf-8").splitlines():
        if named := _NAME.match(line):
            if named[1] in blocks:
                raise ValueError(f"Query {named[1]} stands twice in {room}.sql.")
            lines = blocks[named[1]] = []
        elif not line.lstrip().startswith("--"):  # a percent sign in a comment would be a parameter
            lines.append(line)
    return MappingProxyType({name: "\n".join(block).strip().encode() for name, block in blocks.items()})


Q = queries("database")


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


def connect(settings: Settings, *, role: Role = "owner", database: str | None = None) -> Connection:
    """Connect, in autocommit mode; start the server, make the database and migrate it where need be.

    Args:
        settings: whose home's server.
        role: `owner` may do everything in the database, `reader` sees the views of schema serve.
        database: its name, by default DATABASE.

    Returns:
        A connection whose rows are dicts and whose search path is the role's schema, then public.

    Raises:
        DatabaseNewerError: a newer mnemo made the database.
        PostgresError: the server cannot be reached; the message says what to do.
    """
    name = database or DATABASE
    connection = _try_to_open(postgres.ensure(settings.home), role, name)
    if connection is None:
        # it was just starting or stopping, or this is the first time
        socket = postgres.ensure(settings.home, thorough=True)
        try:
            _prepare(socket, name)
            connection = _open(socket, role, name)
        except psycopg.OperationalError as error:
            raise PostgresError(f"The database cannot be reached. {_advice(error)}") from None
    return connection


def _try_to_open(socket: Path, role: Role, name: str) -> Connection | None:
    """A connection, or None if there is none, or one to a database that lacks migrations."""
    try:
        connection = _open(socket, role, name)
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


def _advice(error: psycopg.Error) -> str:
    """What to do; never the error's text, which goes into logs."""
    if isinstance(error, psycopg.errors.DiskFull):
        return "The disk is full. Free some space, then try again."
    if "too many" in str(error) or "remaining connection slots" in str(error):
        return "Too many programs use it at once. End some, then try again."
    return "Run `mnemo down`, then try again."


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


def _prepare(socket: Path, name: str) -> None:
    """Make roles and database, close what is open to all, and migrate. Harmless where all is there."""
    with _open(socket, "admin", "postgres") as admin:
        admin.execute(Q["lock_cluster"])
        admin.execute(Q["create_roles"])
        for row in admin.execute(Q["creation_of_database"], {"name": name}).fetchall():
            admin.execute(row["statement"].encode())
        with _open(socket, "admin", name) as inside:
            inside.execute(Q["close_database"])
    with _open(socket, "owner", name) as owner:
        migrate(owner)


def _open(socket: Path, role: Role | Literal["admin"], database: str) -> Connection:
    # libpq reads some forty variables; a service or an option in somebody's profile must not lead elsewhere
    for variable in [variable for variable in os.environ if variable.startswith("PG")]:
        del os.environ[variable]
    return psycopg.connect(
        host=str(socket),
        port=5432,
        user=f"mnemo_{role}",
        dbname=database,
        passfile=str(socket / "none"),
        sslmode="disable",
        gssencmode="disable",
        options=f"-c search_path={_SEARCH_PATH[role]}",
        application_name="mnemo",
        client_encoding="utf8",
        connect_timeout=30,
        autocommit=True,
        row_factory=dict_row,
    )
