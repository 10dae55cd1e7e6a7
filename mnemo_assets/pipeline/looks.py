"""Looks by the clock: each in a thread of its own, since a share that hangs would keep all others waiting."""

from __future__ import annotations

import contextlib
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import psycopg

from mnemo_assets import database
from mnemo_assets.errors import ArchiveUnreachableError, PostgresError
from mnemo_assets.pipeline.scan import look

if TYPE_CHECKING:
    from mnemo_assets.archive.ledger import Archive
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

Q = database.queries("watch")


class Looks:
    """The looks of one process, at most one at an archive."""

    def __init__(self, settings: Settings) -> None:
        """No look is under way."""
        self._settings = settings
        self._running: dict[int, threading.Thread] = {}
        self._error: str | None = None

    def begin(self, archive: Archive, outage: str | None) -> None:
        """Look at an archive, and note it as changed if there is something to scan. Does not wait.

        Args:
            archive: as `ledger.archives` gave it.
            outage: the one that is known.

        Raises:
            RuntimeError: an earlier look broke; the message is the class of what broke it.
        """
        if self._error is not None:
            raise RuntimeError(self._error)
        before = self._running.get(archive.archive_id)
        if before is None or not before.is_alive():
            thread = threading.Thread(target=self._look, args=(archive, outage), daemon=True)
            self._running[archive.archive_id] = thread
            thread.start()

    def finish(self) -> None:
        """Wait for the looks that are under way."""
        for thread in self._running.values():
            thread.join()

    def _look(self, archive: Archive, outage: str | None) -> None:
        try:
            with closing(database.connect(self._settings)) as connection:
                if finds(connection, self._settings, archive, outage):
                    connection.execute(Q["mark_changed"], {"archive_ids": [archive.archive_id]})
        except (psycopg.OperationalError, PostgresError):
            pass  # the next look is soon
        except Exception as error:  # noqa: BLE001 - its text may hold anything
            self._error = type(error).__name__


def finds(connection: Connection, settings: Settings, archive: Archive, outage: str | None) -> bool:
    """Whether a look finds something to scan; one that does not stands for a scan.

    A look while the archive is scanned finds nothing, and an outage that is known is no news.

    Args:
        connection: the owner's, in autocommit mode, outside a transaction.
        settings: as for `scan.look`.
        archive: as `ledger.archives` gave it.
        outage: the one that is known.
    """
    key = {"archive_id": archive.archive_id}
    locked = connection.execute(Q["try_lock_archive"], key).fetchone()
    if locked is None or not locked["taken"]:
        return False
    try:
        try:
            if look(connection, settings, archive) or outage is not None:
                return True
        except ArchiveUnreachableError:
            if outage is None:
                return True
        connection.execute(Q["record_look"], {**key, "at": locked["at"]})
        return False
    finally:
        with contextlib.suppress(psycopg.OperationalError):
            connection.execute(Q["unlock_archive"], key)
