from __future__ import annotations

import hashlib
import os
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets.archive.hashing import BLOCK, Finding, Job, examine
from mnemo_assets.archive.walk import Candidate, Unlisted, walk

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def opened(folder: Path) -> Iterator[int]:
    fd = os.open(folder, os.O_RDONLY)
    try:
        yield fd
    finally:
        os.close(fd)


def found(folder: Path, *paths: bytes, head_only: bool = False) -> list[Finding]:
    with opened(folder) as root:
        return examine(root, [Job(path, head_only) for path in paths], threading.Event())


@pytest.mark.parametrize("size", [1, 8191, 8192, 8193, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7])
def test_hash(tmp_path: Path, size: int) -> None:
    """A file's hash is that of all its bytes, whatever its size."""
    content = os.urandom(size)
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    mtime = path.stat().st_mtime_ns
    assert found(tmp_path, b"a.pdf") == [
        Finding("admitted", None, hashlib.sha256(content).hexdigest(), size, mtime)
    ]
    assert found(tmp_path, b"a.pdf", head_only=True) == [Finding("admitted", None, None, size, mtime)]


def test_outcomes(tmp_path: Path) -> None:
    """Whatever lies there now ends in an outcome; nothing waits for a FIFO, nothing follows a link."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "letter.txt").write_text("not in the archive")
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    os.mkfifo(root / "fifo.txt")
    (root / "folder.txt").mkdir()
    (root / "link.txt").symlink_to(outside / "letter.txt")
    (root / "way").symlink_to(outside, target_is_directory=True)
    (root / "empty.txt").touch()
    (root / "vault.docx").write_bytes(b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5")
    (root / "sub/a.txt").write_text("a")
    (root / "z.txt").write_text("z")
    jobs = [b"empty.txt", b"fifo.txt", b"folder.txt", b"gone.txt", b"link.txt", b"sub/a.txt", b"sub/no/a.txt"]
    outcomes = [one.outcome for one in found(root, *jobs, b"vault.docx", b"way/letter.txt", b"z.txt")]
    assert outcomes == [
        *("empty", "special", "special", "gone", "symlink", "admitted", "gone"),
        *("excluded", "unreadable", "admitted"),
    ]


def test_excluded_content_is_not_hashed(tmp_path: Path) -> None:
    """A file that a content rule excludes is read no further than its head."""
    (tmp_path / "vault.docx").write_bytes(b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5" + bytes(BLOCK * 2))
    (finding,) = found(tmp_path, b"vault.docx")
    assert (finding.outcome, finding.rule, finding.sha256) == ("excluded", "content:keepass", None)


@pytest.mark.parametrize("change", ["longer", "shorter", "touched", "endless"])
def test_changing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    """A file that changes while it is hashed has no hash; one that never ends does not keep the scan."""
    path = tmp_path / "log.txt"
    path.write_bytes(bytes(3 * BLOCK))
    readv = os.readv

    def meanwhile(fd: int, buffers: Any) -> int:
        if change in {"longer", "endless"}:
            with path.open("ab") as file:
                file.write(bytes(2 * BLOCK))
        elif change == "shorter":
            os.truncate(path, BLOCK + 1)
        else:
            os.utime(path, ns=(1, 1))
        return readv(fd, buffers)

    monkeypatch.setattr(os, "readv", meanwhile)
    (finding,) = found(tmp_path, b"log.txt")
    assert (finding.outcome, finding.sha256, finding.size) == ("changing", None, 3 * BLOCK)


def test_errors_while_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fails under a file makes it unreadable, and the next file is read."""
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(name)
    read = os.read
    failing = iter([True, False])

    def failing_read(fd: int, count: int) -> bytes:
        if next(failing):
            raise OSError(5, "Input/output error")
        return read(fd, count)

    monkeypatch.setattr(os, "read", failing_read)
    assert [one.outcome for one in found(tmp_path, b"a.txt", b"b.txt")] == ["unreadable", "admitted"]


def test_somebody_elses_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the access time may not be spared the file is read; where nothing may, it is unreadable."""
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "b.txt").write_text("b")
    os_open = os.open

    def refusing(path: Any, flags: int, *args: Any, **options: Any) -> int:
        if path == b"a.txt" and flags & os.O_NOATIME:
            raise PermissionError(1, "Operation not permitted")
        if path == b"b.txt":
            raise PermissionError(13, "Permission denied")
        return os_open(path, flags, *args, **options)

    monkeypatch.setattr(os, "open", refusing)
    assert [one.outcome for one in found(tmp_path, b"a.txt", b"b.txt")] == ["admitted", "unreadable"]


def test_stop(tmp_path: Path) -> None:
    """A scan that is stopped opens nothing more, and leaves no descriptor open."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.txt").write_text("a")
    before = len(list(Path("/dev/fd").iterdir()))
    stop = threading.Event()
    stop.set()
    with opened(tmp_path) as root:
        assert examine(root, [Job(b"sub/a.txt", head_only=False)], stop) == [Finding("gone")]
        assert examine(root, [Job(b"sub/a.txt", head_only=False)], threading.Event())[0].outcome == "admitted"
    assert len(list(Path("/dev/fd").iterdir())) == before


@contextmanager
def nobody() -> Iterator[None]:
    """Run as a user without rights, where the tests run as one who has them all."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_rights(tmp_path: Path) -> None:
    """A file or a folder without rights, or one that only tells names, is told from what may be read."""
    tmp_path.chmod(0o755)
    for name, rights in (("closed", 0o000), ("names", 0o444), ("open", 0o755)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("a")
        (tmp_path / name).chmod(rights)
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "mine.txt").chmod(0o000)
    with opened(tmp_path) as root, nobody():
        walked = list(walk(root))
        jobs = [Job(one.path, head_only=False) for one in walked if isinstance(one, Candidate)]
        outcomes = [one.outcome for one in examine(root, jobs, threading.Event())]
    for name in ("closed", "names"):
        (tmp_path / name).chmod(0o755)  # so that it can be removed
    assert [one.prefix if isinstance(one, Unlisted) else (one.path, one.kind) for one in walked] == [
        b"closed/",
        (b"mine.txt", "regular"),
        (b"names/a.txt", "unreadable"),
        (b"open/a.txt", "regular"),
    ]
    assert outcomes == ["unreadable", "unreadable", "admitted"]
