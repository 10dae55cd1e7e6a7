"""What Postgres or the machine did to us while we worked, as errors that a person can act on."""

from __future__ import annotations

import errno
from typing import Final

import psycopg
from psycopg import errors

from mnemo_assets.errors import DiskError, LinkLostError, MnemoError, PostgresError, ServerUnfitError

#: Numbers of the system's errors -> what to do.
_OF_THE_SYSTEM: Final = {
    errno.ENOSPC: "A disk is full. Free some space, then type the same command again: it goes on.",
    errno.EDQUOT: "Your disk quota is used up. Free some space, then type the same command: it goes on.",
    errno.EROFS: "A disk takes no changes. Mount it for writing, or set another MNEMO_HOME.",
}

_LOST: Final = "The connection to the database broke off. What was done is kept: the same command goes on."
_SLOW: Final = (
    "A statement took longer than the server allows. Raise its statement_timeout, lock_timeout or "
    "transaction_timeout for this user; the same command goes on."
)
_DAMAGED: Final = (
    "The database's files are damaged or cannot be read. Look after the disk. The graph can be made anew: "
    "`mnemo down`, remove the folder postgres in MNEMO_HOME, then sync."
)

#: Classes of Postgres's errors, the first that fits -> the error, and what to do.
_OF_POSTGRES: Final[tuple[tuple[tuple[type[psycopg.Error], ...], type[MnemoError], str], ...]] = (
    (
        (errors.DiskFull,),
        DiskError,
        "The database's disk is full. Free some space, then type the same command again: it goes on.",
    ),
    (
        (errors.OutOfMemory,),
        PostgresError,
        "The database's memory is used up. End some programs, then type the same command again: it goes on.",
    ),
    (
        (errors.TooManyConnections, errors.ConfigurationLimitExceeded),
        PostgresError,
        "Too many programs use the database at once. End some, then try again.",
    ),
    (
        (
            errors.QueryCanceled,
            errors.LockNotAvailable,
            errors.TransactionTimeout,
            errors.IdleInTransactionSessionTimeout,
        ),
        PostgresError,
        _SLOW,
    ),
    (
        (errors.ReadOnlySqlTransaction,),
        ServerUnfitError,
        "The database takes no changes: the server is a standby, or was set to read-only.",
    ),
    (
        (errors.IoError, errors.UndefinedFile, errors.DataCorrupted, errors.IndexCorrupted),
        PostgresError,
        _DAMAGED,
    ),
    (
        (
            errors.AdminShutdown,
            errors.CrashShutdown,
            errors.CannotConnectNow,
            errors.DatabaseDropped,
            errors.IdleSessionTimeout,
            errors.ConnectionException,
            errors.ConnectionDoesNotExist,
            errors.ConnectionFailure,
            errors.ProtocolViolation,
        ),
        LinkLostError,
        _LOST,
    ),
)


def clear(error: BaseException) -> MnemoError | None:
    """The error to show instead, or None if this one is a fault of ours.

    It holds nothing of the other's text, which may be a value, a name or a path.
    """
    if isinstance(error, psycopg.Error):
        for kinds, kind, advice in _OF_POSTGRES:
            if isinstance(error, kinds):
                return kind(advice)
        # the client library's own: nobody answered
        is_link = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        return LinkLostError(_LOST) if is_link and error.sqlstate is None else None
    if isinstance(error, OSError) and error.errno in _OF_THE_SYSTEM:
        return DiskError(_OF_THE_SYSTEM[error.errno])
    return None
