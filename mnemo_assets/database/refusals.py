"""Why a server of the owner's has no connection for us: libpq's words, which reach no log, as advice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_assets.errors import (
    PasswordError,
    PostgresError,
    ServerRefusedError,
    ServerTooOldError,
    ServerUnfitError,
    ServerUnreachableError,
    ServerUnverifiedError,
)

if TYPE_CHECKING:
    import psycopg

#: The statement that makes a database as mnemo needs it.
CREATION = (
    "create database NAME owner USER template template0 encoding 'UTF8' locale_provider builtin "
    "builtin_locale 'C.UTF-8';"
)
#: transaction_timeout, which bounds an agent's questions, came with it.
OLDEST = 17
TOO_OLD = (
    f"The server is older than Postgres {OLDEST}, which mnemo needs. Upgrade it, or leave MNEMO_DSN out: "
    "mnemo brings a server of its own."
)
_TOO_MANY = "Too many programs use it at once. End some, then try again."

#: What libpq or the server says, the first that fits -> what to do.
_SIGNS: tuple[tuple[type[PostgresError], dict[str, str]], ...] = (
    # a parameter of each session of ours, in whichever language it is refused
    (ServerTooOldError, {'"transaction_timeout"': TOO_OLD, '"client_connection_check_interval"': TOO_OLD}),
    (
        ServerUnverifiedError,
        {
            "server does not support SSL": "The server offers no TLS, without which another machine cannot "
            "be verified. Switch it on there: ssl = on.",
            "root certificate file": "The file that sslrootcert names cannot be read.",
            "certificate": "The server's certificate does not prove that it is that host. Name the authority "
            "that signed it: sslrootcert=/path/to/ca.crt.",
            "SSL": "No verified TLS connection came about.",
        },
    ),
    (
        ServerRefusedError,
        {
            "authentication method requirement": "The server asks for the password in the clear. Let it use "
            "scram-sha-256 in pg_hba.conf.",
            "password authentication failed": "The server refuses the user or the password.",
            "no pg_hba.conf entry": "The server lets nobody in from here for that user and database. Add a "
            "line to its pg_hba.conf.",
            "does not exist": f"The server has no such database or user. Make it: {CREATION}",
            "permission denied for database": "The user may not connect to that database.",
            "is not permitted to log in": "The user may not log in.",
            "authentication failed": "The server does not take that user from here.",
        },
    ),
    (
        ServerUnfitError,
        {
            "session is read-only": "The server takes no changes: it is a standby, or "
            "default_transaction_read_only is on. Name the primary.",
        },
    ),
    (PostgresError, {"too many": _TOO_MANY, "connection slots": _TOO_MANY}),
    (
        ServerUnreachableError,
        {
            "starting up": "The server is just starting. Try again soon.",
            "shutting down": "The server is just stopping. Start it, then try again.",
            "timeout expired": "The server did not answer in time. Is the network up?",
            "refused": "Nothing listens there. Is the server running?",
            "No such file": "No server has a socket in that folder. Is it running?",
        },
    ),
)


def why(error: psycopg.OperationalError, setting: str) -> PostgresError:
    """The error that a person can act on; it holds nothing of the client library's.

    Args:
        error: of a connection that did not come about.
        setting: the one that led there.
    """
    said, link = str(error), error.pgconn
    if link is not None and link.needs_password:
        if setting == "MNEMO_READER_DSN":
            return PasswordError(
                "The server asks for the reader's password. MNEMO_READER_DSN has to hold it."
            )
        return PasswordError(
            "The server asks for a password. Set MNEMO_PASSWORD_COMMAND to a command that prints it."
        )
    for kind, advice in _SIGNS:
        for sign, what in advice.items():
            if sign in said:
                return kind(f"{what} The setting is {setting}.")
    if link is not None and link.used_password:  # it speaks another language
        return ServerRefusedError(
            f"The server refuses the user, the password or the database. The setting is {setting}."
        )
    return ServerUnreachableError(f"The server cannot be reached. Is it running? The setting is {setting}.")
