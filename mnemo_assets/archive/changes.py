"""Hears from the kernel that something in an archive changed (inotify, Linux): what, the scan finds out.

Folders are watched each for itself, but for those the walk never enters; new ones as they appear. An edit in
place is heard of when the writer closes the file.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from typing import TYPE_CHECKING, Final

from mnemo_assets.archive.rules import extension, is_pruned
from mnemo_assets.archive.walk import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# of <sys/inotify.h>
_ATTRIB: Final = 0x4
_CLOSE_WRITE: Final = 0x8
_MOVED_FROM: Final = 0x40
_MOVED_TO: Final = 0x80
_CREATE: Final = 0x100
_DELETE: Final = 0x200
_DELETE_SELF: Final = 0x400
_MOVE_SELF: Final = 0x800
_UNMOUNT: Final = 0x2000
_OVERFLOW: Final = 0x4000
_IGNORED: Final = 0x8000
_ONLYDIR: Final = 0x1000000
_DONT_FOLLOW: Final = 0x2000000
_EXCL_UNLINK: Final = 0x4000000
_ISDIR: Final = 0x40000000
_WANTED: Final = (
    _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
)
_EVENT: Final = struct.Struct("iIII")
_BUFFER: Final = 1 << 16


class UnwatchableError(Exception):
    """The kernel watches no more, or not here: the archive is looked at by the clock alone."""


class Changes:
    """The changes below one root. A context manager."""

    def __init__(self, root: Path, skipped: frozenset[bytes] = frozenset()) -> None:
        """Watch a root.

        Args:
            root: absolute path, on a local disk.
            skipped: folders below it, relative and with a slash at their end, whose changes are nobody's.

        Raises:
            UnwatchableError: the root is gone, or the kernel's limit of watches is reached.
        """
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._root = os.fsencode(root)
        self._skipped = {self._root + b"/" + path.rstrip(b"/") for path in skipped}
        self._folders: dict[int, bytes] = {}
        self.fd = int(self._libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK))
        if self.fd < 0:
            raise UnwatchableError
        try:
            self._add(self._root)
        except BaseException:
            self.close()
            raise
        if not self._folders:
            self.close()
            raise UnwatchableError

    def close(self) -> None:
        """Stop watching."""
        os.close(self.fd)

    def take(self) -> bool:
        """Whether something that may matter changed since this was asked last. Does not wait.

        Raises:
            UnwatchableError: the kernel's limit of watches is reached.
        """
        changed = False
        while events := self._read():
            for number, mask, name in events:
                changed |= self._hear(number, mask, name)
        return changed

    def _read(self) -> list[tuple[int, int, bytes]]:
        try:
            data = os.read(self.fd, _BUFFER)
        except BlockingIOError:
            return []
        found, at = [], 0
        while at < len(data):
            number, mask, _, length = _EVENT.unpack_from(data, at)
            at += _EVENT.size + length
            found.append((number, mask, data[at - length : at].rstrip(b"\0")))
        return found

    def _hear(self, number: int, mask: int, name: bytes) -> bool:
        if mask & _OVERFLOW:  # what was lost may have been a new folder
            self._add(self._root)
            return True
        folder = self._folders.pop(number, None) if mask & _IGNORED else self._folders.get(number)
        if folder is None or mask & _IGNORED:
            return False
        if mask & (_DELETE_SELF | _MOVE_SELF | _UNMOUNT) or not name:
            return folder == self._root  # its parent tells of any other
        path = folder + b"/" + name
        if not mask & _ISDIR:
            matters = extension(os.fsdecode(name)) is not None
            return matters and (mask != _CREATE or _is_whole(path))
        matters = not is_pruned(os.fsdecode(name)) and path not in self._skipped
        if matters and mask & (_CREATE | _MOVED_TO):
            self._add(path)
        return matters

    def _add(self, folder: bytes) -> None:
        """Watch a folder and those below it; a folder that is watched is known by its new path then."""
        for path in self._tree(folder):
            number = self._libc.inotify_add_watch(
                self.fd, path, _WANTED | _ONLYDIR | _DONT_FOLLOW * (path != self._root) | _EXCL_UNLINK
            )
            if number >= 0:
                self._folders[number] = path
            elif ctypes.get_errno() in {errno.ENOSPC, errno.ENOMEM}:
                raise UnwatchableError

    def _tree(self, folder: bytes) -> Iterator[bytes]:
        """A folder, then those below it: one is watched before it is listed, so that nothing is missed."""
        waiting = [(folder, 0)]
        while waiting:
            path, depth = waiting.pop()
            yield path
            if depth >= MAX_DEPTH:
                continue
            try:
                with os.scandir(path) as entries:
                    for entry in entries:
                        is_folder = entry.is_dir(follow_symlinks=False)
                        if is_folder and not (
                            is_pruned(os.fsdecode(entry.name)) or entry.path in self._skipped
                        ):
                            waiting.append((entry.path, depth + 1))
            except OSError:
                continue


def _is_whole(path: bytes) -> bool:
    """Whether a name that was just made is more than a file to be written: another name of one, or a link."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return found.st_nlink > 1 or not stat.S_ISREG(found.st_mode)
