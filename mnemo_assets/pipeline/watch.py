"""Watches the archives, so that a change is scanned at once: `python -m mnemo_assets.pipeline.watch`.

On this machine's own disks the kernel tells of changes. Everywhere a look by the clock, which opens no file,
finds what the kernel did not tell. What is seen is noted in `archives.changed_at`; to scan is another's work.
Killed at any moment, nothing is lost: whoever begins to watch takes it that something changed before.
"""

from __future__ import annotations

import contextlib
import select
import sys
import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import psycopg

from mnemo_assets import database
from mnemo_assets import settings as configuration
from mnemo_assets.archive import disks, ledger
from mnemo_assets.archive.changes import Changes, UnwatchableError
from mnemo_assets.errors import PostgresError
from mnemo_assets.pipeline.looks import Looks
from mnemo_assets.pipeline.scan import own_folder

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.archive.disks import Mount
    from mnemo_assets.archive.ledger import Archive
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

Q = database.queries("watch")

#: Seconds between two rounds: an archive that was added, or whose disk is back, is noticed that soon.
ROUND: Final = 2.0
#: Seconds from the first sign of a change: what is written together is scanned together.
SETTLE: Final = 0.2
#: Seconds after which a database that went away is tried again.
PAUSE: Final = 2.0


@dataclass(slots=True)
class Watched:
    """One archive as the watcher last saw it."""

    place: tuple[Path, Mount | None, tuple[int, int] | None]
    """The root, what is mounted there, and device and inode of its root: another one is watched anew."""
    changes: Changes | None
    """None where the kernel does not tell."""


@dataclass(slots=True)
class Watcher:
    """Notes changes of all archives."""

    connection: Connection
    settings: Settings
    watched: dict[int, Watched] = field(default_factory=dict)
    looks: Looks = field(init=False)

    def __post_init__(self) -> None:
        """No look is under way."""
        self.looks = Looks(self.settings)

    def round(self) -> None:
        """See to the archives there are now, and to the looks that are due."""
        rows = {row["archive_id"]: row for row in self.connection.execute(Q["watched"])}
        archives = {archive.archive_id: archive for archive in ledger.archives(self.connection)}
        mounts = disks.mounts()
        for gone in self.watched.keys() - archives.keys():
            self._end(gone)
        changed = [number for number, one in archives.items() if self._begin(one, mounts)]
        for number, archive in archives.items():
            if number not in changed and rows[number]["look_due"]:
                self.looks.begin(archive, rows[number]["outage"])
        self._note(changed)

    def wait(self, seconds: float) -> None:
        """Wait for changes for so long, and note what was heard of."""
        poll = select.poll()
        for one in self.watched.values():
            if one.changes is not None:
                poll.register(one.changes.fd, select.POLLIN)
        if poll.poll(1000 * seconds):
            time.sleep(SETTLE)
            self._note([number for number in list(self.watched) if self._take(number)])

    def close(self) -> None:
        """Stop watching."""
        for number in list(self.watched):
            self._end(number)

    def _begin(self, archive: Archive, mounts: list[tuple[bytes, Mount]]) -> bool:
        """Watch an archive that is not watched as it is now; returns whether that is so."""
        mount = disks.mount_of(archive.root, mounts)
        is_local = mount is not None and mount.is_local
        place = (archive.root, mount, _identity(archive) if is_local else None)
        before = self.watched.get(archive.archive_id)
        if before is not None and before.place == place:
            return False
        self._end(archive.archive_id)
        changes = None
        if is_local and place[2] is not None:
            with contextlib.suppress(UnwatchableError, OSError):  # the clock has to do
                changes = Changes(archive.root, own_folder(self.settings, archive.root))
        self.watched[archive.archive_id] = Watched(place, changes)
        return True

    def _end(self, number: int) -> None:
        one = self.watched.pop(number, None)
        if one is not None and one.changes is not None:
            one.changes.close()

    def _take(self, number: int) -> bool:
        one = self.watched[number]
        if one.changes is None:
            return False
        try:
            return one.changes.take()
        except UnwatchableError:
            one.changes.close()
            one.changes = None
            return True

    def _note(self, changed: list[int]) -> None:
        if changed:
            self.connection.execute(Q["mark_changed"], {"archive_ids": changed})


def _identity(archive: Archive) -> tuple[int, int] | None:
    try:
        found = archive.root.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def watch(settings: Settings) -> None:
    """Watch until the process ends; a database that goes away is waited for."""
    while True:
        try:
            with (
                closing(database.connect(settings)) as connection,
                closing(Watcher(connection, settings)) as all_,
            ):
                while True:
                    all_.round()
                    until = time.monotonic() + ROUND
                    while (left := until - time.monotonic()) > 0:
                        all_.wait(left)
        except (psycopg.OperationalError, PostgresError):
            time.sleep(PAUSE)


def main() -> int:
    """Watch the archives of MNEMO_HOME; says nothing but the class of what went wrong."""
    try:
        watch(configuration.load(dotenv=None))
    except KeyboardInterrupt:
        return 0
    except Exception as error:  # noqa: BLE001 - its text may hold anything
        sys.stderr.write(f"{type(error).__name__}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
