"""Work that outlives its connection: the link breaks, a new one is made, and the work is taken up again."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Final, TypeVar

import psycopg

from mnemo_assets import database
from mnemo_assets.database import sessions
from mnemo_assets.errors import LinkLostError, ServerUnreachableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.database import Connection
    from mnemo_assets.database.sessions import Session
    from mnemo_assets.settings import Settings

Result = TypeVar("Result")

#: Seconds before each new connection: a server that starts again, or a cable put back, is there by then.
PAUSES: Final = (0.2, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0)
#: Seconds that a connection has to hold for those before it to be forgotten.
SETTLED: Final = 60.0


def reconnecting(
    settings: Settings,
    work: Callable[[Connection], Result],
    on_lost: Callable[[], None] = lambda: None,
) -> Result:
    """Do work with the owner's connection; where the link is lost, connect again and do what is left.

    The lost session is ended on the server, if it is still there, so that what it had claimed is free. Where
    the embedded server was stopped on purpose, it is not started again.

    Args:
        settings: whose database.
        work: begins where the ledger stands, each time it is called.
        on_lost: is called before each pause.

    Raises:
        LinkLostError: the link was lost too often, or the server was stopped.
        PostgresError: there is no connection to begin with, or the server is not what it was.
    """
    lost: Session | None = None
    tries = 0
    while True:
        began = time.monotonic()
        try:
            connection, session = _connect(settings, lost)
        except (ServerUnreachableError, psycopg.OperationalError):
            if lost is None:
                raise
        else:
            lost = session
            with closing(connection):
                try:
                    return work(connection)
                except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                    if not connection.closed:  # the link is well: it is something else
                        raise
                    if sessions.was_stopped(settings, error):
                        raise LinkLostError(
                            "The database was stopped. What was done is kept: the same command goes on."
                        ) from None
        if time.monotonic() - began > SETTLED:
            tries = 0
        if tries == len(PAUSES):
            raise LinkLostError(
                "The connection to the database broke off again and again. What was done is kept: the same "
                "command goes on."
            )
        on_lost()
        time.sleep(PAUSES[tries])
        tries += 1


def _connect(settings: Settings, lost: Session | None) -> tuple[Connection, Session]:
    connection = database.connect(settings)
    try:
        if lost is not None:
            sessions.end(connection, lost)
        return connection, sessions.this(connection)
    except BaseException:
        connection.close()
        raise
