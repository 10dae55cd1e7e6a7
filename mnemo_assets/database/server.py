"""What a server is to the rest of this room: something that opens connections and can be made ready."""

from __future__ import annotations

import os
from typing import Any, Literal, Protocol

import psycopg

Connection = psycopg.Connection[dict[str, Any]]
Role = Literal["owner", "reader"]

#: The schemas in which a role finds what it names.
SEARCH_PATH: dict[str, str] = {"owner": "mnemo,public", "reader": "serve,public", "admin": "pg_catalog"}


class Server(Protocol):
    """The embedded server, or the owner's own."""

    def open(self, role: Role) -> Connection:
        """A connection in autocommit mode whose rows are dicts.

        Raises:
            psycopg.OperationalError: it is not there yet, or not ready; `prepare` may help.
            PostgresError: it is not fit for us, and will not become so by itself.
        """
        ...

    def prepare(self) -> None:
        """Start what has to be started, make roles and database, close what is open to all.

        Harmless where all is there.

        Raises:
            PostgresError: it cannot be made ready; the message says what to do.
        """
        ...

    def refused(self, error: psycopg.OperationalError) -> Exception:
        """The error to raise when a prepared server still has no connection for us."""
        ...

    def dagster_url(self) -> str:
        """Make Dagster's database unless it is there. Returns a URL without a password."""
        ...

    @property
    def dagster(self) -> str:
        """The name of Dagster's database."""
        ...


def forget_the_profile() -> None:
    """Take away what libpq reads: a service or an option in somebody's profile must not lead elsewhere."""
    for variable in [variable for variable in os.environ if variable.startswith("PG")]:
        del os.environ[variable]
