"""Sessions on the server, told apart: one that lost its client is ended by its successor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg import errors

from mnemo_assets import postgres
from mnemo_assets.database.statements import Q

if TYPE_CHECKING:
    from datetime import datetime

    import psycopg

    from mnemo_assets.database.server import Connection
    from mnemo_assets.settings import Settings


@dataclass(frozen=True, slots=True)
class Session:
    """What no other session of a server has.

    Attributes:
        pid: of the server's process; after a restart another session's.
        backend_start: the moment in which it began.
    """

    pid: int
    backend_start: datetime


def this(connection: Connection) -> Session:
    """The session of a connection."""
    row = connection.execute(Q["this_session"]).fetchone()
    assert row is not None
    return Session(**row)


def end(connection: Connection, session: Session) -> None:
    """End another session of the same role, and with it its locks and claims; nothing if it is over."""
    connection.execute(Q["end_session"], {"pid": session.pid, "backend_start": session.backend_start})


def was_stopped(settings: Settings, error: psycopg.Error) -> bool:
    """Whether a session ended because somebody stops the embedded server, as `mnemo down` does.

    A session whose server was killed says that it was shut down, too. Only the words tell the two apart; the
    embedded server's are English whatever the user's language.
    """
    return (
        settings.dsn is None
        and isinstance(error, errors.AdminShutdown)
        and "administrator" in (error.diag.message_primary or "")
        and not postgres.is_running(settings.home)
    )
