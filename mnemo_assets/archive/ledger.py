"""Archives, files and documents as rows. Nothing here commits: the caller owns the transaction."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mnemo_assets import database
from mnemo_assets.archive.compare import File, Known
from mnemo_assets.archive.roots import Outage, holds_any, open_root
from mnemo_assets.archive.rules import RULES_VERSION
from mnemo_assets.archive.walk import display
from mnemo_assets.errors import ArchiveNameError, ArchiveUnreachableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from mnemo_assets.database import Connection

Q = database.queries("archive")

#: Rows read from the ledger at once.
PAGE: Final = 2000


@dataclass(frozen=True, slots=True)
class Archive:
    """A root that is scanned."""

    archive_id: int
    name: str
    root: Path
    device: int | None = None  # of the root, at the last healthy scan; as is the next
    inode: int | None = None
    mounts: frozenset[bytes] = frozenset()  # other disks that were mounted below it: each path and a slash
    healthy_at: datetime | None = None


def archives(connection: Connection) -> list[Archive]:
    """All archives, in the order in which they were added."""
    return [_archive(row) for row in connection.execute(Q["archives"])]


def add_archive(connection: Connection, root: Path, name: str | None = None) -> Archive:
    """The archive at a root: the known one, a known one that has moved there, or a new one.

    Args:
        connection: the owner's.
        root: a folder; symbolic links in its path are resolved now.
        name: what to call it; by default what it is called already, else the name of the folder.

    Raises:
        ArchiveUnreachableError: the root is not known, and no folder with something in it. No row is left.
        ArchiveNameError: the name is another folder's that is still there, or whose files are not here; or
            this folder has another name. The message says what to do.
    """
    resolved = Path(os.path.realpath(root))
    known = {archive.root: archive for archive in archives(connection)}
    if resolved in known:
        there = known[resolved]
        if name is not None and _shown(name) != there.name:
            raise ArchiveNameError(f"This folder is the archive {there.name} already. Leave out --name.")
        return there
    try:
        os.close(open_root(resolved))
    except Outage as outage:
        raise ArchiveUnreachableError(outage.advice) from None
    wanted = _shown(name if name is not None else resolved.name)
    if not wanted.strip():
        raise ArchiveNameError("An archive needs a name. Give it one with --name.")
    named = {archive.name: archive for archive in known.values()}
    if wanted not in named:
        row = {"name": wanted, "root": os.fsencode(resolved)}
        if connection.execute(Q["insert_archive"], row).fetchone() is None:
            return add_archive(connection, root, name)  # somebody else added one of that name just now
        return add_archive(connection, root, name)
    return _move(connection, named[wanted], resolved)


def _move(connection: Connection, archive: Archive, root: Path) -> Archive:
    """Give an archive another root: its rows are relative to the root, so that this costs nothing."""
    advice = f"The name {archive.name} is another folder's. Choose one with --name."
    try:
        os.close(open_root(archive.root))
    except Outage:
        pass
    else:
        raise ArchiveNameError(advice)
    if not holds_any(
        root, (known.path for known in files(connection, archive.archive_id) if not known.missing)
    ):
        raise ArchiveNameError(
            f"{advice} None of the files of {archive.name} are in this one, so it did not move here."
        )
    row = {"root": os.fsencode(root), "archive_id": archive.archive_id}
    connection.execute(Q["move_archive"], row)
    return next(a for a in archives(connection) if a.archive_id == archive.archive_id)


def _archive(row: dict[str, Any]) -> Archive:
    return Archive(
        archive_id=row["archive_id"],
        name=row["name"],
        root=Path(os.fsdecode(row["root"])),
        device=None if row["device"] is None else int(row["device"]),
        inode=None if row["inode"] is None else int(row["inode"]),
        mounts=frozenset(row["mounts"]),
        healthy_at=row["healthy_at"],
    )


def _shown(name: str) -> str:
    return display(os.fsencode(name))


def files(connection: Connection, archive_id: int) -> Iterator[Known]:
    """An archive's rows in the byte order of their paths, a page at a time."""
    after = b""
    while True:
        page = {"archive_id": archive_id, "after": after, "limit": PAGE}
        rows = connection.execute(Q["files_after"], page).fetchall()
        for row in rows:
            yield Known(*row.values())
        if len(rows) < PAGE:
            return
        after = rows[-1]["path"]


def write_files(connection: Connection, archive_id: int, written: Sequence[File]) -> set[str]:
    """Add or change rows of files, and add the documents they hold.

    To be called at the beginning of a transaction.

    Returns:
        The contents (sha256) that are new.
    """
    connection.execute(Q["share_ledger"])
    hashes = [file.sha256 for file in written if file.sha256 is not None]
    added = connection.execute(Q["insert_documents"], {"hashes": hashes}).fetchall() if hashes else []
    values = {
        "archive_id": archive_id,
        "rules_version": RULES_VERSION,
        "paths": [file.path for file in written],
        "display_paths": [display(file.path) for file in written],
        "exts": [file.ext for file in written],
        "sizes": [file.size for file in written],
        "mtimes": [file.mtime_ns for file in written],
        "hashes": [file.sha256 for file in written],
        "outcomes": [file.outcome for file in written],
        "rules": [file.rule for file in written],
    }
    connection.execute(Q["write_files"], values)
    return {row["sha256"] for row in added}


def exclude_copies(connection: Connection, banned: dict[str, str]) -> None:
    """Exclude contents (sha256 -> content rule) at all their paths, in whatever archive or document."""
    connection.execute(Q["share_ledger"])
    values = {"hashes": list(banned), "rules": list(banned.values()), "rules_version": RULES_VERSION}
    connection.execute(Q["exclude_copies"], values)
    connection.execute(Q["exclude_parts"], values)


def mark_missing(connection: Connection, archive: Archive, file_ids: Sequence[int]) -> None:
    """Say that files were not found in an archive that was seen whole."""
    connection.execute(Q["share_ledger"])
    connection.execute(Q["mark_missing"], {"file_ids": list(file_ids), "healthy_at": archive.healthy_at})


def record_outage(connection: Connection, archive: Archive, outage: str) -> None:
    """Say why an archive could not be scanned: a word, without names or paths."""
    connection.execute(Q["record_outage"], {"archive_id": archive.archive_id, "outage": outage})


def record_health(
    connection: Connection, archive: Archive, device: int, inode: int, mounts: frozenset[bytes]
) -> None:
    """Say that an archive was seen whole, on which disk, and which others are mounted below it."""
    values = {
        "archive_id": archive.archive_id,
        "device": device,
        "inode": inode,
        "mounts": sorted(mounts),
    }
    connection.execute(Q["record_health"], values)
