"""Folders for one document at a time, private and bounded, removed whatever happens.

`<MNEMO_HOME>/scratch/<random>`, 0700, locked by the process that made it for as long as that lives. One that
nobody holds was left by a process that was killed, and goes with the next that is made.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mnemo_assets.errors import DiskError

if TYPE_CHECKING:
    from collections.abc import Iterator

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
#: Files and folders that one document may take; LibreOffice's profile has 60.
_MOST_ENTRIES = 5_000
_BLOCK = 512  # of st_blocks, whatever the disk's own
_PER_ENTRY = 4096


@dataclass(frozen=True, slots=True)
class Scratch:
    """A folder, and a descriptor of it: what is opened below it is below it, whoever changes names."""

    path: Path
    fd: int

    def is_over(self, size: int) -> bool:
        """Whether more bytes are used than so many, or more files and folders than a conversion makes."""
        used = entries = 0
        waiting = [os.fspath(self.path)]
        while waiting:
            try:
                with os.scandir(waiting.pop()) as found:
                    for entry in found:
                        entries += 1
                        used += _PER_ENTRY + _BLOCK * entry.stat(follow_symlinks=False).st_blocks
                        if used > size or entries > _MOST_ENTRIES:
                            return True
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
            except OSError:  # it went away, or is closed to us
                continue
        return False


@contextmanager
def scratch(parent: Path) -> Iterator[Scratch]:
    """A new folder; it is gone after the block, with all that is in it.

    Args:
        parent: of the folders; it is made if need be.

    Raises:
        DiskError: it cannot be written, or there is no room.
    """
    try:
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(parent):
            _sweep(parent)
            path = Path(tempfile.mkdtemp(dir=parent))
            descriptor = _hold(path)
    except OSError as error:
        raise disk_error(error) from None
    try:
        yield Scratch(path, descriptor)
    finally:
        remove(path)
        os.close(descriptor)


def remove(path: Path) -> None:
    """Remove a folder that a stranger may have made hard to remove: nested deep, or closed."""
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        pass
    except (OSError, RecursionError):
        for command in (("chmod", "-R", "u+rwX"), ("rm", "-rf")):
            subprocess.run([f"/bin/{command[0]}", *command[1:], "--", path], check=False, capture_output=True)


def disk_error(error: OSError) -> DiskError:
    """What to say of an error in writing to a scratch folder."""
    if error.errno in _FULL:
        return DiskError("The disk of MNEMO_HOME is full: no document can be converted. Free some space.")
    name = errno.errorcode.get(error.errno or 0, "OSError")
    return DiskError(f"The folder scratch in MNEMO_HOME cannot be written ({name}).")


@contextmanager
def _locked(parent: Path) -> Iterator[None]:
    """Nobody else makes or sweeps."""
    descriptor = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _hold(path: Path) -> int:
    """A descriptor of a folder, which is locked as long as it is open.

    Raises:
        BlockingIOError: another process holds it.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _sweep(parent: Path) -> None:
    """Remove what killed processes left."""
    for path in list(parent.iterdir()):
        try:
            descriptor = _hold(path)
        except OSError:  # held, or not a folder of ours
            continue
        try:
            remove(path)
        finally:
            os.close(descriptor)
