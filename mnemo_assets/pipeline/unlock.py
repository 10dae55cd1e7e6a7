"""Unlocking: documents that ask for a password are read with those of a file, which is the owner's alone.

No password is kept, logged or shown, whether it fits or not: it goes from the file to this process, and from
here to a reader through a pipe. Of what is opened the same is kept as of any other document: its text, and
what derives from it.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import NotFoundError, UsageError
from mnemo_assets.pipeline import read, recognise
from mnemo_assets.pipeline.progress import OnProgress, silent

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from mnemo_assets.settings import Settings

Q = queries("unlock")

#: Passwords in a file: at a tenth of a second each, an Office document takes two minutes for all of them.
MOST_PASSWORDS: Final = 1_000
#: Bytes of the file.
MOST_BYTES: Final = 60_000
#: Characters of a password: Office takes no longer ones, and PDF half of it.
LONGEST: Final = 255
#: Anything that the group, or others, may do with the file.
_OTHERS: Final = 0o077


@dataclass(slots=True)
class UnlockCounts:
    """What became of the documents that were tried.

    Attributes:
        opened: a password fits, or none is needed.
        locked: none fits.
        other: could not be read for another reason.
    """

    opened: int = 0
    locked: int = 0
    other: int = 0

    def add(self, more: UnlockCounts) -> None:
        """Count those that were tried after a connection broke off; what stayed locked was tried again."""
        self.opened += more.opened
        self.locked, self.other = more.locked, more.other


def passwords_in(path: Path) -> tuple[str, ...]:
    """The passwords in a file, one a line, each once, in order; blanks are part of a password.

    Raises:
        NotFoundError: there is no such file.
        UsageError: others than its owner may read it, or it is no list of passwords; says what to do.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NotFoundError("There is no such file of passwords.") from None
    except OSError:
        raise UsageError("The file of passwords could not be opened.") from None
    try:
        _check(os.fstat(descriptor), path)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return _lines(file.read(MOST_BYTES + 1))
    finally:
        os.close(descriptor)


def _check(status: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise UsageError("The passwords are to stand in a regular file, one a line.")
    if status.st_mode & _OTHERS or status.st_uid not in {os.geteuid(), 0}:
        raise UsageError(f"Others than you may read the passwords. Type: chmod 600 '{path}'")


def _lines(data: bytes) -> tuple[str, ...]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("The file of passwords is not in UTF-8.") from None
    found = tuple(dict.fromkeys(filter(None, (line.rstrip("\r") for line in text.split("\n")))))
    if not found:
        raise UsageError("The file of passwords is empty: write one a line.")
    if len(data) > MOST_BYTES or len(found) > MOST_PASSWORDS or max(map(len, found)) > LONGEST:
        raise UsageError(
            f"The file of passwords is too long: at most {MOST_PASSWORDS:,} lines of {LONGEST} characters, "
            f"and {MOST_BYTES:,} bytes in all."
        )
    return found


def unlock(
    connection: Connection,
    settings: Settings,
    passwords: Sequence[str],
    on_progress: OnProgress = silent,
    *,
    only: Collection[str] | None = None,
    counts: read.ReadCounts | None = None,
) -> UnlockCounts:
    """Read documents that ask for a password; those of their pages that are pictures wait to be recognised.

    Args:
        connection: the owner's, in autocommit mode.
        settings: as for `read.read`.
        passwords: to try, in this order.
        on_progress: as for `read.read`.
        only: these sha256s; they are read anew even if they are well. None: all that are locked.
        counts: as for `read.read`.

    Raises:
        MnemoError: as `read.read` does.
    """
    counts = read.ReadCounts() if counts is None else counts
    chosen = _locked(connection, None) if only is None else set(only)
    before = counts.failed + counts.unreachable, counts.kept
    read.read(
        connection,
        settings,
        on_progress,
        only=chosen,
        again="failed" if only is None else "all",
        passwords=passwords,
        counts=counts,
    )
    recognise.send_back(connection, chosen)  # pages that could not be drawn without a password
    failed, kept = counts.failed + counts.unreachable - before[0], counts.kept - before[1]
    locked = len(_locked(connection, chosen))
    return UnlockCounts(len(chosen) - failed - kept, locked + kept, max(failed - locked, 0))


def _locked(connection: Connection, only: Collection[str] | None) -> set[str]:
    values = {"only": None if only is None else list(only)}
    return {row["sha256"] for row in connection.execute(Q["locked"], values)}
