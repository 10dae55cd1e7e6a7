"""A connection to ask with: the reader's role, one READ ONLY snapshot, a time limit, and a way to stop."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg

from mnemo_assets import database
from mnemo_assets.database import failures
from mnemo_assets.errors import PostgresError, QuestionTimeoutError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.settings import Settings

Q = database.queries("serve")

#: What the questions of this room take: a connection of the reader's role in a read-only snapshot.
Reading = database.Connection
#: Time that one statement may take. Every question of this room answers in a tenth of it on 12,600 documents.
STATEMENT_MS = 10_000
#: Cancellations sent to one reading, 50 ms apart, before it is left to its statement's time limit.
ATTEMPTS = 40


class Stop:
    """Lets another thread end a reading. Before it has a connection, it will get none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: database.Connection | None = None
        self._asked = False
        self._ended = threading.Event()

    def ask(self) -> None:
        """End the reading's queries. Waits for the server's answers, so not for an event loop."""
        for _ in range(ATTEMPTS):  # a query may begin between a cancellation and its effect
            with self._lock:
                self._asked = True
                if self._connection is None:
                    return
                self._connection.cancel_safe(timeout=2)
            if self._ended.wait(0.05):
                return

    def hold(self, connection: database.Connection) -> None:
        """The reading has begun: from now on `ask` cancels this connection's queries."""
        with self._lock:
            if self._asked:
                raise QuestionTimeoutError("The question was given up.")
            self._connection = connection

    def release(self) -> None:
        """The reading is over: nothing is cancelled any more."""
        with self._lock:
            self._connection = None
        self._ended.set()


@contextmanager
def reading(settings: Settings, stop: Stop | None = None) -> Iterator[Reading]:
    """Open a connection of the reader's role in one READ ONLY, repeatable snapshot.

    Raises:
        QuestionTimeoutError: a statement took longer than STATEMENT_MS, or `stop` was asked for.
        PostgresError: the database could not be reached, or did not answer. The message holds no data.
        DiskError: the database's disk is full.
    """
    stop = stop or Stop()
    try:
        with database.connect(settings, role="reader") as connection:
            connection.read_only = True
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            stop.hold(connection)
            try:
                with connection.transaction():
                    connection.execute(Q["limit_statement"], {"milliseconds": str(STATEMENT_MS)})
                    yield connection
            finally:
                stop.release()
    except psycopg.errors.QueryCanceled:
        raise QuestionTimeoutError("The question took too long.") from None
    except psycopg.Error as error:
        known = failures.clear(error)
        raise known or PostgresError(f"The database did not answer ({type(error).__name__}).") from None
