from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.archive import ledger
from mnemo_assets.pipeline import scan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings


def missing(connection: Connection) -> list[str]:
    query = "select display_path from files where missing_since is not null order by path"
    return [row["display_path"] for row in connection.execute(query)]


def mount(folder: Path) -> None:
    done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=False, capture_output=True)
    if done.returncode:
        pytest.skip("this user may not mount a disk")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with one document, mounted in an archive with another."""
    if not sys.platform.startswith("linux"):
        pytest.skip("mounts a tmpfs, which only Linux has")
    folder = tmp_path / "papers" / "usb"
    folder.mkdir(parents=True)
    (tmp_path / "papers" / "letter.txt").write_text("Dear Ann")
    mount(folder)
    (folder / "scan.txt").write_text("Dear Ben")
    yield folder
    if os.path.ismount(folder):
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("removed", [False, True], ids=["the folder stays", "the folder goes too"])
def test_a_disk_that_is_away(
    connection: Connection, settings: Settings, disk: Path, *, removed: bool
) -> None:
    """What was on a disk below the root is held while the disk is away, and found again when it is back."""
    archive = ledger.add_archive(connection, disk.parent)
    scan.scan(connection, settings, archive)
    subprocess.run(["umount", disk], check=True)
    if removed:
        disk.rmdir()
    for _ in range(2):  # a second scan must not forget that there was a disk
        assert scan.scan(connection, settings, archive).held == 1
    assert missing(connection) == []
    disk.mkdir(exist_ok=True)
    mount(disk)
    (disk / "scan.txt").write_text("Dear Ben")
    assert scan.scan(connection, settings, archive).held == 0
    assert missing(connection) == []


def test_deleted_from_a_disk_that_is_there(connection: Connection, settings: Settings, disk: Path) -> None:
    """A file that is deleted from a disk below the root is missing, even if it was the last one."""
    archive = ledger.add_archive(connection, disk.parent)
    scan.scan(connection, settings, archive)
    (disk / "scan.txt").unlink()
    scan.scan(connection, settings, archive)
    assert missing(connection) == ["usb/scan.txt"]


def test_a_folder_in_the_place_of_a_disk(connection: Connection, settings: Settings, disk: Path) -> None:
    """A folder with something in it is what it seems, although a disk was mounted there."""
    archive = ledger.add_archive(connection, disk.parent)
    scan.scan(connection, settings, archive)
    subprocess.run(["umount", disk], check=True)
    (disk / "new.txt").write_text("Dear Cas")
    scan.scan(connection, settings, archive)
    assert missing(connection) == ["usb/scan.txt"]
