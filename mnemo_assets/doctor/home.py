"""MNEMO_HOME: there, ours, closed to others, with room to write."""

from __future__ import annotations

import os
import shutil
import stat
from typing import TYPE_CHECKING, Final

from mnemo_assets.doctor.finding import Finding, broken, lacking, well

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mnemo_assets.settings import Settings

#: Bytes below which the next sync will most likely meet a full disk, and below which it may.
TOO_LITTLE: Final = 200 << 20
LITTLE: Final = 2 << 30
#: Entries of the home that are looked at.
MOST: Final = 200_000


def home(settings: Settings) -> Iterator[Finding]:
    """The folder, its permissions and the disk that it is on."""
    folder = settings.home
    if not os.path.lexists(folder):
        yield Finding(
            "home", "the folder", "missing", "not made yet", "The first sync makes it.", needed=False
        )
    elif not folder.is_dir():
        mend = "Move what stands in its place away, or set another MNEMO_HOME."
        yield broken("home", "the folder", "not a folder", mend)
        return
    else:
        yield from _permissions(folder)
    yield from _disk(folder)


def _permissions(folder: Path) -> Iterator[Finding]:
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        mend = "Give it to your user, or set another MNEMO_HOME."
        yield broken("home", "the folder", "not yours to write in", mend)
        return
    seen = _open_to_others(folder)
    if seen:
        mend = "Type: chmod -R go= on the folder of MNEMO_HOME."
        yield broken("home", "permissions", f"{seen:,} files or folders are open to other users", mend)
    else:
        yield well("home", "permissions", "only you can open it")


def _open_to_others(folder: Path) -> int:
    """How many files and folders, the top among them, other users can open; links do not count."""
    seen = looked = 0
    waiting = [os.fspath(folder)]
    if _is_open(folder.stat()):
        seen += 1
    while waiting and looked < MOST:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    looked += 1
                    found = entry.stat(follow_symlinks=False)
                    if stat.S_ISLNK(found.st_mode):
                        continue
                    seen += _is_open(found)
                    if stat.S_ISDIR(found.st_mode):
                        waiting.append(entry.path)
        except OSError:  # it went away, or is the service account's own
            continue
    return seen


def _is_open(found: os.stat_result) -> bool:
    return bool(stat.S_IMODE(found.st_mode) & 0o077)


def _disk(folder: Path) -> Iterator[Finding]:
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(there).free
    said = f"{free / (1 << 30):,.1f} GB free"
    if os.statvfs(there).f_flag & os.ST_RDONLY:
        yield broken(
            "home", "the disk", "takes no changes", "Mount it for writing, or set another MNEMO_HOME."
        )
    elif free < TOO_LITTLE:
        yield broken(
            "home", "the disk", said, "Free some space: the graph of a large archive takes gigabytes."
        )
    elif free < LITTLE:
        yield lacking("home", "the disk", said, "Free some space before a large archive is taken in.")
    else:
        yield well("home", "the disk", said)
