from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.archive import ledger
from mnemo_assets.archive.compare import File
from mnemo_assets.errors import ArchiveNameError, ArchiveUnreachableError

if TYPE_CHECKING:
    from mnemo_assets.database import Connection

LETTER = File(b"letter.txt", "txt", 8, 7, "a" * 64, "admitted", None)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "disk/papers"
    folder.mkdir(parents=True)
    (folder / "letter.txt").write_text("Dear Ann")
    return folder


def known(connection: Connection) -> list[tuple[str, Path]]:
    return [(archive.name, archive.root) for archive in ledger.archives(connection)]


def test_a_name(connection: Connection, root: Path) -> None:
    """An archive is called as its folder is, or as its owner says; a second time it is the same one."""
    archive = ledger.add_archive(connection, root)
    assert (archive.name, archive.root, archive.healthy_at) == ("papers", root, None)
    assert ledger.add_archive(connection, root / "..") != archive
    assert ledger.add_archive(connection, root) == archive
    assert ledger.add_archive(connection, root, "papers") == archive
    with pytest.raises(ArchiveNameError, match="papers already"):
        ledger.add_archive(connection, root, "other")
    assert known(connection) == [("papers", root), ("disk", root.parent)]


def test_a_link_to_the_root(connection: Connection, tmp_path: Path, root: Path) -> None:
    """A root is known by where it is, whatever link leads there."""
    (tmp_path / "link").symlink_to(root, target_is_directory=True)
    assert ledger.add_archive(connection, tmp_path / "link") == ledger.add_archive(connection, root)


@pytest.mark.parametrize("kind", ["missing", "file", "empty", "hidden", "loop"])
def test_no_root(connection: Connection, tmp_path: Path, kind: str) -> None:
    """A root that is not there, or holds nothing, is an outage, and leaves no row."""
    path = tmp_path / "no"
    if kind == "file":
        path.write_text("no folder")
    elif kind == "loop":
        path.symlink_to(path)
    elif kind != "missing":
        path.mkdir()
    if kind == "hidden":
        (path / ".keep").touch()
        (path / "lost+found").mkdir()
    with pytest.raises(ArchiveUnreachableError):
        ledger.add_archive(connection, path)
    assert known(connection) == []


def test_a_known_root_that_is_gone(connection: Connection, root: Path) -> None:
    """A known archive is still known while its root is gone."""
    archive = ledger.add_archive(connection, root)
    root.rename(root.with_name("elsewhere"))
    assert ledger.add_archive(connection, root) == archive


def test_a_taken_name(connection: Connection, tmp_path: Path, root: Path) -> None:
    """Another folder of the same name needs a name of its own while the first is there."""
    ledger.add_archive(connection, root)
    other = tmp_path / "other/papers"
    other.mkdir(parents=True)
    (other / "letter.txt").touch()
    with pytest.raises(ArchiveNameError, match="--name"):
        ledger.add_archive(connection, other)
    assert ledger.add_archive(connection, other, "other papers").root == other


def test_a_move(connection: Connection, tmp_path: Path, root: Path) -> None:
    """A known name at a new root is a move, if the old root is gone and the files are at the new one."""
    archive = ledger.add_archive(connection, root)
    ledger.write_files(connection, archive.archive_id, [LETTER])
    ids = [file.file_id for file in ledger.files(connection, archive.archive_id)]
    moved = tmp_path / "new disk/papers"
    moved.parent.mkdir()
    root.rename(moved)
    root.mkdir()  # the empty mount point stays
    assert ledger.add_archive(connection, moved) == ledger.Archive(archive.archive_id, "papers", moved)
    assert [file.file_id for file in ledger.files(connection, archive.archive_id)] == ids


def test_no_move(connection: Connection, tmp_path: Path, root: Path) -> None:
    """A folder of the same name is not the archive whose disk is away: none of its files are in it."""
    archive = ledger.add_archive(connection, root)
    ledger.write_files(connection, archive.archive_id, [LETTER])
    root.rename(root.with_name("unplugged"))
    other = tmp_path / "papers"
    other.mkdir()
    (other / "another.txt").touch()
    with pytest.raises(ArchiveNameError, match="did not move here"):
        ledger.add_archive(connection, other)
    assert known(connection) == [("papers", root)]


def test_a_name_that_is_not_text(connection: Connection, root: Path) -> None:
    """A folder whose name is not UTF-8, or a trap for terminals, gets a name that can be shown."""
    odd = Path(str(root) + "\udce9\x1b")
    root.rename(odd)
    archive = ledger.add_archive(connection, odd)
    assert (archive.name, archive.root) == ("papers\\xe9\\x1b", odd)


def test_the_root_of_all(connection: Connection) -> None:
    """The root of the file system has no name, and needs one."""
    with pytest.raises(ArchiveNameError, match="--name"):
        ledger.add_archive(connection, Path("/"))


def test_pages(connection: Connection, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows come in the byte order of their paths, over pages of any size."""
    archive = ledger.add_archive(connection, root)
    paths = [b"B.txt", b"a-.txt", b"a.txt", b"a/b.txt", b"\xc3\xa9.txt", b"\xff.txt", b"z.txt"]
    ledger.write_files(connection, archive.archive_id, [LETTER._replace(path=path) for path in paths])
    for page in (1, 2, 7, 100):
        monkeypatch.setattr(ledger, "PAGE", page)
        assert [file.path for file in ledger.files(connection, archive.archive_id)] == sorted(paths)
