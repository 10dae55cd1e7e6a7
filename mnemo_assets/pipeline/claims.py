"""Who works on which document: claimed in Postgres, so that any number of processes share the work.

A claim is committed before the work begins. It ends with the outcome of the work, which is written only while
the claim stands. A worker that is killed loses its session and with it its claims, at once.
"""

from __future__ import annotations

import secrets
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import psycopg

from mnemo_assets.database import Connection, queries

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

Q = queries("claims")

#: A worker that is there but has not ended a document for so long is taken to hang: another may claim it.
LEASE = timedelta(minutes=30)


class LostError(Exception):
    """The claim was lost, or the document is gone: the transaction writes nothing."""


@dataclass(slots=True)
class Claimant:
    """One session's right to claim documents, as long as its connection lives."""

    connection: Connection
    number: int
    lease: timedelta

    def take(self, query: bytes, values: Mapping[str, object]) -> list[dict[str, Any]]:
        """Claim documents, each free one at most once over all processes.

        Args:
            query: claims documents that nobody has claimed and returns a row for each, with its document_id
                and claim_token; it takes `claimant`, `lease` and `claim_token` beside `values`.
            values: its other parameters.

        Returns:
            The rows, by document_id, ascending.
        """
        claim = {"claimant": self.number, "lease": self.lease, "claim_token": uuid.uuid4()}
        self.connection.execute(Q["free_lost_claims"])
        rows = self.connection.execute(query, {**values, **claim}).fetchall()
        return sorted(rows, key=lambda row: int(row["document_id"]))

    def renew(self) -> None:
        """Let what is claimed stand from now on as long as a new claim: the work is slow, and goes on."""
        self.connection.execute(Q["renew"], {"claimant": self.number, "lease": self.lease})


@contextmanager
def claimant(connection: Connection, lease: timedelta = LEASE) -> Iterator[Claimant]:
    """Become a claimant; what is claimed and has no outcome at the end is free again.

    Args:
        connection: in autocommit mode, so that a claim is committed when it is taken.
        lease: how long a claim stands.
    """
    number = _number(connection)
    try:
        yield Claimant(connection, number, lease)
    finally:
        if not connection.closed and not connection.broken:
            try:
                connection.execute(Q["release"], {"claimant": number})
                connection.execute(Q["end_claimant"], {"claimant": number})
            except psycopg.OperationalError:
                pass  # the session is over, and with it its claims


def _number(connection: Connection) -> int:
    """A number that no other session has, held by an advisory lock."""
    while True:
        number = secrets.randbelow(2**31 - 1) + 1
        row = connection.execute(Q["try_claimant"], {"claimant": number}).fetchone()
        if row is not None and row["taken"]:
            return number


def busy(connection: Connection, only: Collection[str]) -> set[str]:
    """Which of these sha256s somebody works on who is there."""
    connection.execute(Q["free_lost_claims"])
    return {row["sha256"] for row in connection.execute(Q["busy"], {"only": list(only)})}


def commit_lazily(connection: Connection) -> None:
    """Do not wait for the disk at the end of this transaction: if the machine fails, its work is done again.

    For what can be done again: the ledger and what it speaks of go back together.
    """
    connection.execute(Q["commit_lazily"])


def hold(connection: Connection, document_id: int, claim_token: uuid.UUID) -> None:
    """Lock a claimed document for its outcome, in this transaction.

    Raises:
        LostError: the claim does not stand any more.
    """
    values = {"document_id": document_id, "claim_token": claim_token}
    if connection.execute(Q["hold"], values).fetchone() is None:
        raise LostError
