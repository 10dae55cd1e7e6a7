"""Connections to the embedded server, whose three roles the kernel tells apart: no password is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from mnemo_assets import postgres
from mnemo_assets.database.server import SEARCH_PATH, Connection, Role, forget_the_profile
from mnemo_assets.database.statements import Q
from mnemo_assets.errors import PostgresError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Embedded:
    """The server of a home.

    Attributes:
        home: absolute path of the folder of all state.
        database: the name of the graph's database.
        dagster: the name of Dagster's.
    """

    home: Path
    database: str
    dagster: str

    def open(self, role: Role) -> Connection:
        """A connection; the server is started unless it runs."""
        return _open(postgres.ensure(self.home), role, self.database)

    def prepare(self) -> None:
        """Start the server for certain; make roles and database, and close what is open to all."""
        socket = postgres.ensure(self.home, thorough=True)
        try:
            with _open(socket, "admin", "postgres") as admin:
                admin.execute(Q["lock_cluster"])
                admin.execute(Q["create_roles"])
                admin.execute(Q["limit_reader"])
                admin.execute(Q["close_cluster"])
                values = {"name": self.database, "owner": "mnemo_owner"}
                for row in admin.execute(Q["creation_of_database"], values).fetchall():
                    admin.execute(row["statement"].encode())
                with _open(socket, "admin", self.database) as inside:
                    inside.execute(Q["close_database"])
        except psycopg.OperationalError as error:
            raise self.refused(error) from None

    def refused(self, error: psycopg.OperationalError) -> PostgresError:
        """What to do; never the error's text, which goes into logs."""
        if "too many" in str(error) or "remaining connection slots" in str(error):
            return PostgresError(
                "The database cannot be reached. Too many programs use it at once. End some, then try again."
            )
        return PostgresError("The database cannot be reached. Run `mnemo down`, then try again.")

    def dagster_url(self) -> str:
        """Make Dagster's database, the owner's, unless it is there, and close it to the reader's role."""
        socket = postgres.ensure(self.home)
        values = {"name": self.dagster, "owner": "mnemo_owner", "reader": "mnemo_reader"}
        try:
            with _open(socket, "admin", "postgres") as admin:
                admin.execute(Q["lock_cluster"])
                for row in admin.execute(Q["creation_of_dagster"], values).fetchall():
                    admin.execute(row["statement"].encode())
        except psycopg.OperationalError as error:
            raise self.refused(error) from None
        return url("mnemo_owner", self.dagster, _where(socket))


def url(user: str, database: str, where: dict[str, str], session: Sequence[str] = ()) -> str:
    """Where Dagster keeps its events, for SQLAlchemy: the driver is named, the rest stands among the words.

    In their usual places it would take a colon in a folder's name for a port's, and not decode a database's.

    Args:
        user: the owner's role.
        database: Dagster's.
        where: libpq's words for the server.
        session: what its sessions are like, whatever the server's own settings are.
    """
    words = {
        **where,
        "dbname": database,
        "application_name": "mnemo-dagster",
        "options": " ".join(f"-c {option}" for option in ("search_path=public", *session)),
    }
    return f"postgresql+psycopg2://{quote(user, safe='')}@/?{urlencode(words, quote_via=quote)}"


def _open(socket: Path, role: Role | Literal["admin"], database: str) -> Connection:
    forget_the_profile()
    return psycopg.connect(
        make_conninfo(**_where(socket)),
        user=f"mnemo_{role}",
        dbname=database,
        options=f"-c search_path={SEARCH_PATH[role]}",
        application_name="mnemo",
        client_encoding="utf8",
        autocommit=True,
        row_factory=dict_row,
    )


def _where(socket: Path) -> dict[str, str]:
    """What libpq is told of the embedded server, so that it looks nowhere else."""
    return {
        "host": str(socket),
        "port": "5432",
        "passfile": str(socket / "none"),
        "sslmode": "disable",
        "gssencmode": "disable",
        "connect_timeout": "30",
    }
