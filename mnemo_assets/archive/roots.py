"""Whether an archive's root is there: unmounted, it looks like one whose files were all deleted."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Final

from mnemo_assets.archive.rules import is_pruned

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

#: Reason -> what a person reads.
ADVICE: Final[dict[str, str]] = {
    "Missing": "The archive's folder is not there. Is the disk connected?",
    "NotAFolder": "The archive's root is not a folder.",
    "Unreadable": "The archive's folder cannot be read.",
    "Empty": "The archive's folder is empty. Is the disk connected?",
    "AnotherDisk": "The archive's folder is on another disk than before, and holds none of its files.",
    "Interrupted": "The archive's folder went away during the scan. What was found until then is kept.",
}

_REASONS: Final = {errno.ENOENT: "Missing", errno.ENOTDIR: "NotAFolder"}


class Outage(Exception):  # noqa: N818 - a state of the archive; it becomes an ArchiveUnreachableError
    """A root is not there, or not what it was: nothing is concluded from what is, or is not, below it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.advice = f"{ADVICE[reason]} Nothing was changed in what mnemo knows."


def open_root(root: Path) -> int:
    """A descriptor of a root that is there; the caller closes it.

    Raises:
        Outage: it is missing, no folder, unreadable, or empty. Hidden files and what is pruned do not
            count: a mount point may hold them while its disk is away.
    """
    try:
        fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise Outage(_REASONS.get(error.errno or 0, "Unreadable")) from None
    try:
        with os.scandir(fd) as entries:
            if any(not entry.name.startswith(".") and not is_pruned(entry.name) for entry in entries):
                return fd
        reason = "Empty"
    except OSError:
        reason = "Unreadable"
    os.close(fd)
    raise Outage(reason)


def identity(root: int) -> tuple[int, int]:
    """Device and inode of a root that was opened."""
    found = os.fstat(root)
    return found.st_dev, found.st_ino


def unmounted(root: int, mounts: Iterable[bytes]) -> frozenset[bytes]:
    """Which of the disks that were mounted below a root are not there: of what is on them nothing is known.

    Args:
        root: a descriptor of the root.
        mounts: paths below it, each with a slash at its end.

    Returns:
        Those that are missing or unreadable, or empty folders of the disk above them. A folder with something
        in it is what it seems.
    """
    return frozenset(mount for mount in mounts if not _is_mounted(root, mount))


def _is_mounted(root: int, mount: bytes) -> bool:
    try:
        fd = os.open(mount, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=root)
    except OSError:
        return False
    try:
        with os.scandir(fd) as entries:
            return any(True for _ in entries) or os.fstat(fd).st_dev != os.fstat(root).st_dev
    except OSError:
        return False
    finally:
        os.close(fd)


def still_there(path: Path, opened: tuple[int, int]) -> bool:
    """Whether the root at a path is still the one that was opened, and not empty."""
    try:
        fd = open_root(path)
    except Outage:
        return False
    try:
        return identity(fd) == opened
    finally:
        os.close(fd)


def holds_any(root: Path, paths: Iterable[bytes]) -> bool:
    """Whether at least one of the paths, relative to the root, is there, or there are none."""
    path = None
    for path in paths:
        if os.path.lexists(root / os.fsdecode(path)):
            return True
    return path is None
