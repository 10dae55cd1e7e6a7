"""The scan: brings the ledger up to date with an archive, opening only what is new or changed.

Two scans of one archive do not run at once: the second waits, and then finds nothing to do. A scan may be
killed at any moment; what it wrote is right, and the next one goes on.
"""

from __future__ import annotations

import os
from array import array
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mnemo_assets import database
from mnemo_assets.archive import compare, ledger
from mnemo_assets.archive.roots import Outage, holds_any, identity, open_root, still_there, unmounted
from mnemo_assets.archive.walk import Unlisted, walk
from mnemo_assets.errors import ArchiveUnreachableError, UsageError
from mnemo_assets.graph import store
from mnemo_assets.pipeline.batches import BATCH_FILES, Openers, Tally, Writer
from mnemo_assets.pipeline.opening import open_below
from mnemo_assets.pipeline.parts import DEEPEST
from mnemo_assets.pipeline.progress import silent
from mnemo_assets.text import cache

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.archive.compare import Known
    from mnemo_assets.archive.ledger import Archive
    from mnemo_assets.archive.walk import Candidate
    from mnemo_assets.database import Connection
    from mnemo_assets.pipeline.progress import OnProgress
    from mnemo_assets.settings import Settings

Q = database.queries("archive")

#: Paths between two reports of progress.
STRIDE: Final = 1000
#: Documents removed in one transaction: whoever writes files waits meanwhile.
SWEEP: Final = 200


@dataclass(frozen=True, slots=True)
class ScanCounts:
    """What a scan did, in files unless it says otherwise."""

    seen: int = 0  # paths with an admitted extension
    opened: int = 0
    hashed: int = 0
    added: int = 0  # rows
    changed: int = 0  # rows that say something else now
    moved: int = 0  # of the added: the content was known, so that nothing is read again
    revived: int = 0  # were missing and are back
    missing: int = 0  # are not found any more
    held: int = (
        0  # not found, but their folder could not be listed, or their disk is away: nothing is concluded
    )
    unlisted: int = 0  # folders that could not be listed
    documents: int = 0  # contents that are new

    @property
    def quiet(self) -> bool:
        """Whether there was nothing to do."""
        return not (self.added or self.changed or self.revived or self.missing)


def scan(
    connection: Connection, settings: Settings, archive: Archive, on_progress: OnProgress = silent
) -> ScanCounts:
    """Compare an archive with the ledger, hash what is new or changed, and mark what is gone.

    Args:
        connection: the owner's, in autocommit mode, outside a transaction.
        settings: `workers` files are hashed at once; `home` is not walked where it lies in the archive.
        archive: as `ledger.add_archive` or `ledger.archives` gave it.
        on_progress: hears of the steps "scan" (paths) and "hash" (files opened).

    Raises:
        ArchiveUnreachableError: the root is not there, or not whole; archives.outage says why, and nothing is
            marked missing.
        UsageError: the archive lies in mnemo's own folder.
    """
    with _alone(connection, archive):
        try:
            current = next(
                (a for a in ledger.archives(connection) if a.archive_id == archive.archive_id), archive
            )
            root = open_root(current.root)
            try:
                return _scan(connection, settings, current, root, on_progress)
            finally:
                os.close(root)
        except Outage as outage:
            ledger.record_outage(connection, archive, outage.reason)
            raise ArchiveUnreachableError(outage.advice) from None


def sweep(connection: Connection, settings: Settings) -> int:
    """Remove the documents that no file holds any more, nor a part of one that lives, from every store.

    The cached text goes first: killed between, the next sweep finds the document again and ends the work. Who
    works on such a document finds its row gone when it comes to write.

    Args:
        connection: the owner's, in autocommit mode, outside a transaction.
        settings: whose text cache.

    Returns:
        How many documents were removed.
    """
    removed = 0
    while True:
        with connection.transaction():
            connection.execute(Q["own_ledger"])
            values = {"limit": SWEEP, "deepest": DEEPEST}
            rows = connection.execute(Q["unheld_documents"], values).fetchall()
            ids = [row["document_id"] for row in rows]
            for row in rows:
                cache.remove(settings.text_cache, row["sha256"])
            if ids:
                store.forget(connection, ids)
                connection.execute(Q["let_parts_go"], {"document_ids": ids})
                connection.execute(Q["delete_documents"], {"document_ids": ids})
        removed += len(ids)
        if len(ids) < SWEEP:
            return removed


def look(connection: Connection, settings: Settings, archive: Archive) -> bool:
    """Whether a scan would find something to do. Opens no file but those that could not be opened before.

    A whole look that finds nothing is as good as a scan; the archive's health says so.

    Args:
        connection: the owner's, in autocommit mode, outside a transaction.
        settings: `home` is not walked where it lies in the archive.
        archive: as `ledger.archives` gave it.

    Raises:
        ArchiveUnreachableError: the root is not there, or not whole. Nothing is written.
    """
    try:
        root = open_root(archive.root)
        try:
            opened = identity(root)
            if opened != (archive.device, archive.inode):
                return True
            away = unmounted(root, archive.mounts)
            mounts = set(away)
            walked = _walked(root, own_folder(settings, archive.root), mounts, Tally())
            for pair in compare.merge(walked, ledger.files(connection, archive.archive_id)):
                if not _is_on(tuple(away), pair.known) and _differs(archive, *pair):
                    return True
        finally:
            os.close(root)
    except Outage as outage:
        raise ArchiveUnreachableError(outage.advice) from None
    if still_there(archive.root, opened):
        ledger.record_health(connection, archive, *opened, frozenset(mounts))
        return False
    return True


def _is_on(disks: tuple[bytes, ...], known: Known | None) -> bool:
    """Whether a row's file was on one of these disks: paths below the root, each with a slash."""
    return known is not None and known.path.startswith(disks)


def _differs(
    archive: Archive,
    candidate: Candidate | None,
    known: Known | None,
    held: bool = False,  # noqa: FBT001, FBT002 - a Pair
) -> bool:
    if candidate is None:
        return known is not None and not known.missing and not held
    file = compare.without_opening(candidate, known)
    if file is not None:
        return not compare.says_the_same(known, file)
    if known is None or known.outcome != "unreadable" or not compare.unchanged(candidate, known):
        return True
    try:
        os.close(open_below(os.fsencode(archive.root), candidate.path))
    except OSError:
        return False  # it still cannot be opened
    return True


@contextmanager
def _alone(connection: Connection, archive: Archive) -> Iterator[None]:
    """Keep other scans of the archive waiting; a killed session keeps nobody."""
    connection.execute(Q["lock_archive"], {"archive_id": archive.archive_id})
    try:
        connection.execute(Q["record_start"], {"archive_id": archive.archive_id})
        yield
    finally:
        if not connection.closed:
            connection.execute(Q["record_end"], {"archive_id": archive.archive_id})
            connection.execute(Q["unlock_archive"], {"archive_id": archive.archive_id})


def _scan(
    connection: Connection, settings: Settings, archive: Archive, root: int, on_progress: OnProgress
) -> ScanCounts:
    skipped = _own_folder(connection, settings, archive)
    opened = identity(root)
    if opened != (archive.device, archive.inode) and not holds_any(
        archive.root, _known_paths(connection, archive)
    ):
        raise Outage("AnotherDisk")
    tally = Tally()
    away = unmounted(root, archive.mounts)
    mounts = set(away)
    writer = Writer(connection, archive, tally)
    try:
        with Openers(root, settings.workers, writer, on_progress) as openers:
            walked = _walked(root, skipped, mounts, tally)
            unseen = _compare(connection, archive, walked, openers, on_progress, away=tuple(away))
    finally:
        if not connection.closed:
            writer.flush()  # also when the scan ends early: what was found is right
    if not still_there(archive.root, opened):
        raise Outage("Interrupted")
    for start in range(0, len(unseen), BATCH_FILES):
        with connection.transaction():
            ledger.mark_missing(connection, archive, unseen[start : start + BATCH_FILES])
    tally.missing = len(unseen)
    ledger.record_health(connection, archive, *opened, frozenset(mounts))
    on_progress("scan", tally.seen, tally.seen)
    return ScanCounts(**asdict(tally))


def _own_folder(connection: Connection, settings: Settings, archive: Archive) -> frozenset[bytes]:
    """Where mnemo's own folder lies in the archive: the texts it keeps are not documents."""
    root, home = Path(os.path.realpath(archive.root)), Path(os.path.realpath(settings.home))
    if root.is_relative_to(home):
        connection.execute(Q["drop_unscanned"], {"archive_id": archive.archive_id})
        raise UsageError("This is mnemo's own folder (MNEMO_HOME), or in it. It cannot be an archive.")
    return own_folder(settings, root)


def own_folder(settings: Settings, root: Path) -> frozenset[bytes]:
    """MNEMO_HOME where it lies below a root: as path relative to it, with a slash; else nothing."""
    root, home = Path(os.path.realpath(root)), Path(os.path.realpath(settings.home))
    if home.is_relative_to(root):
        return frozenset({os.fsencode(home.relative_to(root)) + b"/"})
    return frozenset()


def _known_paths(connection: Connection, archive: Archive) -> Iterator[bytes]:
    return (known.path for known in ledger.files(connection, archive.archive_id) if not known.missing)


def _walked(
    root: int, skipped: frozenset[bytes], mounts: set[bytes], tally: Tally
) -> Iterator[Candidate | Unlisted]:
    """The walk, counted; the root that goes away under it is an outage."""
    try:
        for found in walk(root, skipped, mounts):
            if isinstance(found, Unlisted):
                tally.unlisted += 1
            else:
                tally.seen += 1
            yield found
    except OSError:
        raise Outage("Interrupted") from None


def _compare(
    connection: Connection,
    archive: Archive,
    walked: Iterator[Candidate | Unlisted],
    openers: Openers,
    on_progress: OnProgress,
    *,
    away: tuple[bytes, ...],
) -> array[int]:
    """Write what can be told without opening a file, have the rest opened; the ids of what was not found.

    What was on a disk that is away is held, as is what was in a folder that could not be listed.
    """
    unseen = array("q")  # 8 bytes a row, for the day on which half a million files are gone
    writer, tally = openers.writer, openers.writer.tally
    for candidate, known, held in compare.merge(walked, ledger.files(connection, archive.archive_id)):
        if candidate is not None:
            file = compare.without_opening(candidate, known)
            if file is None:
                openers.add(candidate, known)
            else:
                writer.add(file, known)
            if tally.seen % STRIDE == 0:
                on_progress("scan", tally.seen, None)
        elif known is not None and not known.missing:
            if held or _is_on(away, known):
                tally.held += 1
            else:
                unseen.append(known.file_id)
    return unseen
