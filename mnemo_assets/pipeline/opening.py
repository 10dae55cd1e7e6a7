"""Opening a file of an archive: to read it alone, below the root, and only if it is the one hashed."""

from __future__ import annotations

import os
import stat

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


def open_below(root: bytes, path: bytes) -> int:
    """Open a file for reading, following no symbolic link below the root.

    Each folder is opened within the one before: one that became a link after the scan leads nowhere. A FIFO
    does not block.

    Args:
        root: an absolute path.
        path: relative to it.

    Returns:
        A file descriptor, the caller's to close.

    Raises:
        OSError: it cannot be opened, or a link is on the way.
    """
    *folders, name = path.split(b"/")
    if not all(part not in {b"", b".", b".."} for part in (*folders, name)):
        raise FileNotFoundError
    folder = os.open(root, _FOLDER & ~os.O_NOFOLLOW)
    try:
        for part in folders:
            below = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = below
        return os.open(name, _FILE, dir_fd=folder)
    finally:
        os.close(folder)


def is_still(fd: int, size_bytes: int, mtime_ns: int) -> bool:
    """Whether an open file is a regular one with the size and time it had when it was hashed."""
    now = os.fstat(fd)
    return stat.S_ISREG(now.st_mode) and (now.st_size, now.st_mtime_ns) == (size_bytes, mtime_ns)
