"""Opens files that are new or changed: judges their first bytes, and hashes what may come in.

The archive is opened for reading only, each file below descriptors of its folders, so that a symbolic link
is not followed wherever it is put, and a FIFO makes nobody wait.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from mnemo_assets.archive.rules import HEAD_BYTES, judge_content
from mnemo_assets.archive.walk import LARGEST, mtime_ns

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator

#: Bytes read at once: as hashlib.file_digest does.
BLOCK: Final = 1 << 18

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_NOATIME: Final = getattr(os, "O_NOATIME", 0)  # Linux: reading leaves no trace on the owner's own files


class Job(NamedTuple):
    """A file to open."""

    path: bytes  # relative to the root
    head_only: bool  # its hash is known: only the content rules are to judge it again


class Finding(NamedTuple):
    """What a file is, now that it was opened. Size and mtime are those of the moment it was opened."""

    outcome: str  # of `files.outcome`, or "gone"
    rule: str | None = None
    sha256: str | None = None
    size: int | None = None
    mtime_ns: int | None = None


def examine(root: int, jobs: Iterable[Job], stop: threading.Event) -> list[Finding]:
    """Open files one after the other; the outcome of each, in the order of the jobs.

    Args:
        root: a descriptor of the archive's root.
        jobs: sorted by path, so that a folder is opened once for all files in it.
        stop: once it is set, what is left is "gone": nobody wants to know any more.
    """
    with _Folders(root) as folders:
        buffer = memoryview(bytearray(BLOCK))
        return [_examine(folders, job, buffer, stop) for job in jobs]


class _Folders:
    """The folder that a file is in, opened a component at a time; the last one is kept open."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._path = b""
        self._fd = root

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._leave()

    def of(self, path: bytes) -> tuple[int, bytes]:
        """A descriptor of the file's folder, good until the next call, and the file's name."""
        folder, _, name = path.rpartition(b"/")
        if folder != self._path:
            self._leave()
            self._path = folder
            try:
                for component in folder.split(b"/") if folder else ():
                    fd = os.open(component, _FOLDER, dir_fd=self._fd)
                    self._close()
                    self._fd = fd
            except OSError:
                self._leave()
                raise
        return self._fd, name

    def _leave(self) -> None:
        self._close()
        self._fd, self._path = self._root, b""

    def _close(self) -> None:
        if self._fd != self._root:
            os.close(self._fd)


def _open(name: bytes, folder: int) -> int:
    try:
        return os.open(name, _FILE | _NOATIME, dir_fd=folder)
    except PermissionError as error:
        if not _NOATIME or error.errno != errno.EPERM:
            raise
        return os.open(name, _FILE, dir_fd=folder)  # somebody else's file: reading it leaves a time


def _examine(folders: _Folders, job: Job, buffer: memoryview, stop: threading.Event) -> Finding:
    if stop.is_set():
        return Finding("gone")
    try:
        folder, name = folders.of(job.path)
        fd = _open(name, folder)
    except OSError as error:
        return Finding(_outcome_of(error))
    try:
        return _read(fd, job, buffer, stop)
    except OSError:
        return Finding("unreadable")
    finally:
        os.close(fd)


def _outcome_of(error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return "gone"
    return {errno.ELOOP: "symlink", errno.ENXIO: "special"}.get(error.errno or 0, "unreadable")


def _read(fd: int, job: Job, buffer: memoryview, stop: threading.Event) -> Finding:
    before = os.fstat(fd)
    size, modified = before.st_size, mtime_ns(before)
    if not stat.S_ISREG(before.st_mode) or size > LARGEST:
        return Finding("special")
    if size == 0:
        return Finding("empty", None, None, 0, modified)
    data = os.read(fd, HEAD_BYTES if job.head_only else min(size + 1, BLOCK))
    rule = judge_content(data)
    if rule is not None:
        return Finding("excluded", rule, None, size, modified)
    if job.head_only:
        return Finding("admitted", None, None, size, modified)
    digest = hashlib.sha256(data)
    total = len(data)
    for block in _blocks(fd, buffer) if total <= size else ():
        total += len(block)
        if total > size or stop.is_set():
            break
        digest.update(block)
    after = os.fstat(fd)
    if total != size or (after.st_size, mtime_ns(after)) != (size, modified):
        return Finding("changing", None, None, size, modified)
    return Finding("admitted", None, digest.hexdigest(), size, modified)


def _blocks(fd: int, buffer: memoryview) -> Iterator[memoryview]:
    """What is left of a file, a buffer at a time."""
    while count := os.readv(fd, (buffer,)):
        yield buffer[:count]
