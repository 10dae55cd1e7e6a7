from __future__ import annotations

import os
import select
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.archive import disks
from mnemo_assets.archive.changes import Changes, UnwatchableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells of changes on Linux")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "archive"
    (root / "letters" / "2020").mkdir(parents=True)
    (root / "node_modules" / "left").mkdir(parents=True)
    (root / "own" / "state").mkdir(parents=True)
    (root / "letters" / "old.txt").write_text("old")
    return root


@pytest.fixture
def changes(root: Path) -> Iterator[Changes]:
    changes = Changes(root, frozenset({b"own/"}))
    yield changes
    changes.close()


def write(root: Path) -> None:
    (root / "letters" / "2020" / "new.txt").write_text("new")


def edit(root: Path) -> None:
    with (root / "letters" / "old.txt").open("r+") as file:
        file.write("o")


def touch(root: Path) -> None:
    os.utime(root / "letters" / "old.txt", (1, 1))


def rename(root: Path) -> None:
    (root / "letters" / "old.txt").rename(root / "old.txt")


def link(root: Path) -> None:
    (root / "second.txt").hardlink_to(root / "letters" / "old.txt")


def delete(root: Path) -> None:
    (root / "letters" / "old.txt").unlink()


def delete_folder(root: Path) -> None:
    shutil.rmtree(root / "letters")


def move_folder_in(root: Path) -> None:
    folder = root.parent / "elsewhere"
    folder.mkdir()
    (folder / "new.txt").write_text("new")
    folder.rename(root / "moved")


def move_folder_out(root: Path) -> None:
    (root / "letters").rename(root.parent / "letters")


@pytest.mark.parametrize(
    "change",
    [write, edit, touch, rename, link, delete, delete_folder, move_folder_in, move_folder_out],
    ids=lambda change: change.__name__,
)
def test_a_change_is_heard_of(root: Path, changes: Changes, change: Callable[[Path], None]) -> None:
    """Whatever becomes of a document's file is heard of, once."""
    change(root)
    assert select.select([changes.fd], [], [], 30)[0]
    assert changes.take()
    assert not changes.take()


def nothing(_root: Path) -> None:
    pass


def read(root: Path) -> None:
    (root / "letters" / "old.txt").read_text()
    assert list(root.iterdir())


def other_extension(root: Path) -> None:
    (root / "letters" / "song.mp3").write_text("la")


def pruned(root: Path) -> None:
    (root / "node_modules" / "left" / "pad.md").write_text("pad")
    (root / "node_modules" / "right").mkdir()


def own_state(root: Path) -> None:
    (root / "own" / "state" / "text.txt").write_text("text")


def half_written(root: Path) -> None:
    os.close(os.open(root / "letters" / "half.txt", os.O_CREAT | os.O_RDONLY))


@pytest.mark.parametrize(
    "change",
    [nothing, read, other_extension, pruned, own_state, half_written],
    ids=lambda change: change.__name__,
)
def test_what_no_scan_would_see_is_silence(
    root: Path, changes: Changes, change: Callable[[Path], None]
) -> None:
    """Reading, other files, pruned folders, mnemo's own state and a file not written yet say nothing."""
    change(root)
    assert not changes.take()


def test_new_folders_are_watched(root: Path, changes: Changes) -> None:
    """What is written deep in a folder made since is heard of, and in one that was renamed."""
    (root / "a" / "b").mkdir(parents=True)
    assert changes.take()
    (root / "a").rename(root / "c")
    assert changes.take()
    (root / "c" / "b" / "d").mkdir()
    assert changes.take()
    (root / "c" / "b" / "d" / "new.txt").write_text("new")
    assert changes.take()


def test_links_do_not_lead_out(root: Path, tmp_path: Path, changes: Changes) -> None:
    """A link to a folder elsewhere does not have that folder watched."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "link").symlink_to(outside)
    changes.take()
    (outside / "new.txt").write_text("new")
    assert not changes.take()


def test_a_root_that_is_gone_cannot_be_watched(tmp_path: Path) -> None:
    """It is an error of its own, so that the clock takes over."""
    with pytest.raises(UnwatchableError):
        Changes(tmp_path / "gone")


def test_the_mount_of_a_folder(tmp_path: Path) -> None:
    """The deepest mount above a folder counts, of two at one place the later; half a name is none."""
    ext4, nfs, tmpfs = disks.Mount(1, "ext4"), disks.Mount(2, "nfs4"), disks.Mount(3, "tmpfs")
    mounts = [(b"/", ext4), (b"/media/nas", nfs), (b"/media/both", nfs), (b"/media/both", tmpfs)]
    root = tmp_path.root
    held = {
        name: disks.mount_of(type(tmp_path)(root, name), mounts)
        for name in ("home", "media/nas", "media/nas/papers", "media/nas2", "media/both/x")
    }
    assert held == {
        "home": ext4,
        "media/nas": nfs,
        "media/nas/papers": nfs,
        "media/nas2": ext4,
        "media/both/x": tmpfs,
    }
    assert [mount.is_local for mount in (ext4, nfs, tmpfs)] == [True, False, True]
    assert disks.mount_of(tmp_path, disks.mounts()) is not None
