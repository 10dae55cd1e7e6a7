from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets.archive import ledger
from mnemo_assets.archive.walk import walk
from mnemo_assets.errors import ArchiveUnreachableError, UsageError
from mnemo_assets.pipeline import scan as room
from mnemo_assets.pipeline.scan import ScanCounts, scan, sweep
from mnemo_assets.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mnemo_assets.archive.ledger import Archive
    from mnemo_assets.database import Connection


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    (folder / "letters").mkdir(parents=True)
    (folder / "letters/a.txt").write_text("Letter a")
    (folder / "tax.txt").write_text("The tax of 2019")
    return folder


@pytest.fixture
def archive(connection: Connection, settings: Settings, root: Path) -> Archive:
    added = ledger.add_archive(connection, root)
    scan(connection, settings, added)
    return added


def outage(connection: Connection) -> str | None:
    (row,) = connection.execute("select outage from archives").fetchall()
    return row["outage"]  # type: ignore[no-any-return]


def missing(connection: Connection) -> list[str]:
    query = "select display_path from files where missing_since is not null order by path"
    return [row["display_path"] for row in connection.execute(query)]


def gone(root: Path) -> None:
    root.rename(root.with_name("unplugged"))


def a_file(root: Path) -> None:
    gone(root)
    root.write_text("no folder")


def empty(root: Path) -> None:
    gone(root)
    root.mkdir()


def mount_point(root: Path) -> None:
    empty(root)
    (root / ".keep").touch()
    (root / "lost+found").mkdir()


def another_disk(root: Path) -> None:
    empty(root)
    (root / "holiday.txt").write_text("Another disk's letter")


@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (gone, "Missing"),
        (a_file, "NotAFolder"),
        (empty, "Empty"),
        (mount_point, "Empty"),
        (another_disk, "AnotherDisk"),
    ],
)
def test_outages(
    *,
    connection: Connection,
    settings: Settings,
    root: Path,
    archive: Archive,
    happens: Callable[[Path], None],
    reason: str,
) -> None:
    """A root that is gone, empty or another disk's is an outage: nothing is concluded from it."""
    happens(root)
    for _ in range(2):
        with pytest.raises(ArchiveUnreachableError) as caught:
            scan(connection, settings, archive)
        assert "papers" not in str(caught.value)
        assert outage(connection) == reason
    assert missing(connection) == []
    assert sweep(connection, settings) == 0
    assert connection.execute("select count(*) as n from documents").fetchall() == [{"n": 2}]


def test_recovery(connection: Connection, settings: Settings, root: Path, archive: Archive) -> None:
    """After an outage the archive is as it was, and costs nothing."""
    gone(root)
    with pytest.raises(ArchiveUnreachableError):
        scan(connection, settings, archive)
    root.with_name("unplugged").rename(root)
    assert scan(connection, settings, archive) == ScanCounts(seen=2)
    assert outage(connection) is None


def test_another_disk_with_the_files(
    connection: Connection, settings: Settings, root: Path, archive: Archive
) -> None:
    """A copy of the archive on a new disk is the archive: what it lacks is missing."""
    another_disk(root)
    (root / "tax.txt").write_text("The tax of 2019")
    counts = scan(connection, settings, archive)
    assert (counts.missing, counts.added) == (1, 1)
    assert missing(connection) == ["letters/a.txt"]


def test_all_but_one_deleted(
    connection: Connection, settings: Settings, root: Path, archive: Archive
) -> None:
    """On the same disk, files that are gone are missing, were it all of them."""
    (root / "letters/a.txt").unlink()
    (root / "tax.txt").unlink()
    (root / "picture.png").touch()
    assert scan(connection, settings, archive) == ScanCounts(missing=2)
    assert sweep(connection, settings) == 2


def test_an_unreadable_root(
    connection: Connection, settings: Settings, archive: Archive, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A root that may not be read, or whose disk fails, is an outage."""
    os_open = os.open

    def refusing(path: Any, *args: Any, **options: Any) -> int:
        if path == root:
            raise PermissionError(errno.EACCES, "Permission denied")
        return os_open(path, *args, **options)

    monkeypatch.setattr(os, "open", refusing)
    with pytest.raises(ArchiveUnreachableError):
        scan(connection, settings, archive)
    assert outage(connection) == "Unreadable"
    assert missing(connection) == []


@pytest.mark.parametrize("how", ["unmounted", "failing", "replaced"])
def test_in_the_middle(
    *,
    connection: Connection,
    settings: Settings,
    root: Path,
    archive: Archive,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
) -> None:
    """A root that goes away during the walk is an outage: what was not seen is not missing."""
    (root / "tax.txt").unlink()
    really = walk

    def interrupted(*arguments: Any) -> Any:
        yield from list(really(*arguments))[:1]
        if how == "failing":
            raise OSError(errno.EIO, "Input/output error")
        gone(root)
        if how == "replaced":
            root.mkdir()
            (root / "holiday.txt").touch()

    monkeypatch.setattr(room, "walk", interrupted)
    with pytest.raises(ArchiveUnreachableError):
        scan(connection, settings, archive)
    assert outage(connection) == "Interrupted"
    assert missing(connection) == []


def test_a_folder_that_cannot_be_listed(
    connection: Connection, settings: Settings, root: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files below a folder that cannot be listed are held; the rest of the archive goes on."""
    (root / "letters/deep").mkdir()
    (root / "letters/deep/b.txt").write_text("Letter b")
    scan(connection, settings, archive)
    (root / "tax.txt").unlink()
    (root / "new.txt").write_text("new")
    os_open = os.open

    def refusing(path: Any, *args: Any, **options: Any) -> int:
        if path == b"letters":
            raise PermissionError(errno.EACCES, "Permission denied")
        return os_open(path, *args, **options)

    monkeypatch.setattr(os, "open", refusing)
    counts = scan(connection, settings, archive)
    assert counts == ScanCounts(
        seen=1, opened=1, hashed=1, added=1, missing=1, held=2, unlisted=1, documents=1
    )
    assert missing(connection) == ["tax.txt"]


def test_as_nobody(connection: Connection, settings: Settings, root: Path, archive: Archive) -> None:
    """A folder without rights is held, a file without rights is unreadable; for root, both are open."""
    (root / "locked.txt").write_text("locked")
    (root / "locked.txt").chmod(0)
    (root / "letters").chmod(0)
    try:
        counts = scan(connection, settings, archive)
    finally:
        (root / "letters").chmod(0o700)
    bites = os.geteuid() != 0
    assert (counts.held, counts.hashed) == ((1, 0) if bites else (0, 1))
    (row,) = connection.execute("select outcome from files where display_path = 'locked.txt'").fetchall()
    assert row["outcome"] == ("unreadable" if bites else "admitted")


def test_a_moved_archive(
    connection: Connection, settings: Settings, root: Path, archive: Archive, tmp_path: Path
) -> None:
    """An archive that moves costs no opening, no reading and no row."""
    ids = connection.execute("select document_id from documents order by 1").fetchall()
    moved = tmp_path / "elsewhere" / "papers"
    moved.parent.mkdir()
    root.rename(moved)
    again = ledger.add_archive(connection, moved)
    assert again.archive_id == archive.archive_id
    assert scan(connection, settings, again) == ScanCounts(seen=2)
    assert connection.execute("select document_id from documents order by 1").fetchall() == ids


def test_mnemos_own_folder(connection: Connection, root: Path, archive: Archive) -> None:
    """Mnemo's folder within an archive is not walked; an archive within mnemo's folder is refused."""
    home = root / "state"
    (home / "text").mkdir(parents=True)
    (home / "text/cached.txt").write_text("a cached text")
    within = Settings(home=home, workers=1)
    assert scan(connection, within, archive) == ScanCounts(seen=2)
    inner = ledger.add_archive(connection, home / "text")
    with pytest.raises(UsageError, match="MNEMO_HOME"):
        scan(connection, within, inner)
    assert [one.name for one in ledger.archives(connection)] == ["papers"]


def test_an_archive_in_another(
    connection: Connection, settings: Settings, root: Path, archive: Archive
) -> None:
    """An archive may lie in another: its documents have two paths, and live while one is there."""
    inner = ledger.add_archive(connection, root / "letters")
    counts = scan(connection, settings, inner)
    assert (counts.moved, counts.documents) == (1, 0)
    gone(root)
    for one in (archive, inner):
        with pytest.raises(ArchiveUnreachableError):
            scan(connection, settings, one)
    assert sweep(connection, settings) == 0
