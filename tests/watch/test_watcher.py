from __future__ import annotations

import os
import shutil
import sys
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from mnemo_assets import database
from mnemo_assets.archive import disks, ledger
from mnemo_assets.errors import ArchiveUnreachableError
from mnemo_assets.pipeline import looks, scan, watch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mnemo_assets.archive.ledger import Archive
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

Q = database.queries("watch")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "archive"
    root.mkdir()
    (root / "a.txt").write_text("Anna wrote to Ben.")
    (root / "b.txt").write_text("Ben wrote to Anna.")
    return root


@pytest.fixture
def archive(connection: Connection, settings: Settings, root: Path) -> Archive:
    """Scanned."""
    archive = ledger.add_archive(connection, root)
    scan.scan(connection, settings, archive)
    return ledger.archives(connection)[0]


@pytest.fixture
def watcher(connection: Connection, settings: Settings) -> Iterator[watch.Watcher]:
    with closing(watch.Watcher(connection, settings)) as watcher:
        yield watcher
        watcher.looks.finish()


def is_due(connection: Connection) -> bool:
    row = connection.execute(Q["scan_due"]).fetchone()
    assert row is not None
    return bool(row["due"])


def age(connection: Connection, seconds: int) -> None:
    """Let the last scan have been so long ago."""
    connection.execute(
        """
        update archives set scan_started_at = scan_started_at - make_interval(secs => %(seconds)s),
            scan_ended_at = scan_ended_at - make_interval(secs => %(seconds)s),
            changed_at = changed_at - make_interval(secs => %(seconds)s)
        """,
        {"seconds": seconds},
    )


def test_an_archive_is_due_until_it_is_scanned(
    connection: Connection, settings: Settings, root: Path
) -> None:
    """One that was never scanned is due, one that was just scanned is not, and is again a minute later."""
    archive = ledger.add_archive(connection, root)
    assert is_due(connection)
    scan.scan(connection, settings, archive)
    assert not is_due(connection)
    age(connection, 61)
    assert is_due(connection)


@pytest.mark.usefixtures("archive")
def test_long_scans_are_rare(connection: Connection) -> None:
    """A scan that takes a minute is due after twenty."""
    connection.execute("update archives set scan_started_at = scan_ended_at - interval '60 seconds'")
    age(connection, 19 * 60 - 5)
    assert not is_due(connection)
    age(connection, 60)
    assert is_due(connection)


@pytest.mark.usefixtures("archive")
def test_a_killed_scan_is_due_at_once(connection: Connection) -> None:
    """A scan that began and did not end is taken up, unless somebody is at it."""
    connection.execute("update archives set scan_started_at = scan_ended_at + interval '1 second'")
    assert is_due(connection)
    connection.execute(database.queries("archive")["lock_archive"], {"archive_id": 1})
    assert not is_due(connection)


def test_whoever_begins_to_watch_asks_for_a_scan(
    connection: Connection, settings: Settings, archive: Archive, watcher: watch.Watcher
) -> None:
    """What changed while nobody watched is scanned; after that there is quiet."""
    assert not is_due(connection)
    watcher.round()
    age(connection, 5)
    assert is_due(connection)
    scan.scan(connection, settings, archive)
    watcher.round()
    age(connection, 5)
    assert not is_due(connection)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells of changes on Linux")
def test_a_change_is_due(
    connection: Connection, settings: Settings, archive: Archive, root: Path, watcher: watch.Watcher
) -> None:
    """A file that is written makes the archive due, and the scan ends that."""
    watcher.round()
    scan.scan(connection, settings, archive)
    age(connection, 30)
    assert not is_due(connection)
    (root / "c.txt").write_text("Carla wrote to nobody.")
    watcher.wait(30)
    age(connection, 5)
    assert is_due(connection)
    scan.scan(connection, settings, archive)
    assert not is_due(connection)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells of changes on Linux")
def test_a_disk_that_goes_and_comes_is_noticed(
    connection: Connection, settings: Settings, archive: Archive, root: Path, watcher: watch.Watcher
) -> None:
    """Both make the archive due; nothing is missing meanwhile, and it is watched when it is back."""
    watcher.round()
    root.rename(root.with_name("away"))
    scan_fails(connection, settings, archive)
    age(connection, 5)
    watcher.round()
    assert is_due(connection)
    scan_fails(connection, settings, archive)
    assert not is_due(connection)
    root.with_name("away").rename(root)
    watcher.round()
    age(connection, 5)
    scan.scan(connection, settings, archive)
    (root / "c.txt").write_text("Carla wrote to nobody.")
    watcher.wait(30)
    age(connection, 5)
    assert is_due(connection)


def scan_fails(connection: Connection, settings: Settings, archive: Archive) -> None:
    with pytest.raises(ArchiveUnreachableError):
        scan.scan(connection, settings, archive)
    row = connection.execute("select count(*) as n from files where missing_since is not null").fetchone()
    assert row == {"n": 0}


def test_a_look_by_the_clock_stands_for_a_scan(
    connection: Connection,
    archive: Archive,
    root: Path,
    watcher: watch.Watcher,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the kernel does not tell, a look puts off the scan, or asks for it if it finds something."""
    assert archive.healthy_at is not None
    monkeypatch.setattr(disks, "LOCAL", frozenset())
    watcher.round()
    age(connection, 55)
    watcher.round()
    watcher.looks.finish()
    age(connection, 30)
    assert not is_due(connection)
    (root / "b.txt").unlink()
    age(connection, 28)
    watcher.round()
    watcher.looks.finish()
    age(connection, 1)
    assert is_due(connection)


def test_an_outage_that_is_known_is_no_news(
    connection: Connection, settings: Settings, archive: Archive, root: Path, watcher: watch.Watcher
) -> None:
    """A disk that stays away does not ask for a scan a minute."""
    shutil.move(root, root.with_name("away"))
    scan_fails(connection, settings, archive)
    watcher.round()
    age(connection, 55)
    scan_fails(connection, settings, archive)
    age(connection, 55)
    watcher.round()
    watcher.looks.finish()
    age(connection, 30)
    assert not is_due(connection)


def look(connection: Connection, settings: Settings) -> bool:
    return scan.look(connection, settings, ledger.archives(connection)[0])


@pytest.mark.usefixtures("archive")
def test_a_look_sees_what_a_scan_would(connection: Connection, settings: Settings, root: Path) -> None:
    """New, changed and missing files are something to do; after the scan they are not."""
    assert not look(connection, settings)
    for change in ("new", "edited", "gone"):
        if change == "new":
            (root / "c.md").write_text("Carla.")
        elif change == "edited":
            (root / "c.md").write_text("Carla, edited.")
        else:
            (root / "c.md").unlink()
        assert look(connection, settings), change
        scan.scan(connection, settings, ledger.archives(connection)[0])
        assert not look(connection, settings), change


@pytest.mark.usefixtures("archive")
def test_a_look_is_not_led_on_by_what_cannot_be_opened(
    connection: Connection, settings: Settings, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that could not be read, and still cannot, is nothing to do; once it can, it is."""
    connection.execute("update files set outcome = 'unreadable' where path = 'a.txt'")
    assert look(connection, settings)

    def refuse(_root: bytes, _path: bytes) -> int:
        raise PermissionError

    monkeypatch.setattr(scan, "open_below", refuse)
    assert not look(connection, settings)
    os.utime(root / "a.txt", (1, 1))
    assert look(connection, settings)


@pytest.mark.usefixtures("archive")
def test_a_look_at_nothing_is_an_outage(connection: Connection, settings: Settings, root: Path) -> None:
    """It concludes nothing, and writes nothing."""
    shutil.rmtree(root)
    with pytest.raises(ArchiveUnreachableError):
        look(connection, settings)
    assert connection.execute("select outage from archives").fetchone() == {"outage": None}


def test_a_share_that_hangs_keeps_nobody_waiting(
    connection: Connection, archive: Archive, watcher: watch.Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watcher goes on while a look hangs, and does not begin another one at that archive."""
    begun: list[int] = []
    go_on = threading.Event()

    def hang(_connection: Connection, _settings: Settings, archive: Archive) -> bool:
        begun.append(archive.archive_id)
        go_on.wait()
        return False

    monkeypatch.setattr(looks, "look", hang)
    watcher.round()
    age(connection, 55)
    for _ in range(3):
        watcher.round()
    go_on.set()
    watcher.looks.finish()
    assert begun == [archive.archive_id]


def test_a_broken_look_is_not_silent(
    connection: Connection, archive: Archive, watcher: watch.Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watcher ends, and says no more than the class of what broke it."""
    assert archive.healthy_at is not None

    def break_down(*_words: object) -> bool:
        raise ValueError("/a/path")

    monkeypatch.setattr(looks, "look", break_down)
    watcher.round()
    age(connection, 55)
    watcher.round()
    watcher.looks.finish()
    with pytest.raises(RuntimeError, match=r"^ValueError$"):
        watcher.round()
