"""Walks an archive: the files with an admitted extension, in the byte order of their paths.

The order is what makes the scan a merge with the ledger, in memory that does not grow with the archive: a
directory sorts as its name and a slash, so that what comes out is sorted as whole paths are. Every directory
is opened from its parent's descriptor and never through a symbolic link, so that nothing that is swapped
during the walk leads out of the archive. Only files with an admitted extension are stat'ed; none is opened.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from mnemo_assets.archive.rules import extension, is_pruned, judge_file_name, judge_name

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Directories within one another that are entered: one descriptor each, and macOS gives a process 256.
MAX_DEPTH: Final = 100
#: Bytes of a regular file. More is a sparse file or a disk image, whatever its extension: reading the hole in
#: one of 8 EiB takes longer than its owner lives.
LARGEST: Final = 1 << 36

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
_KEPT_MARKS: Final = "\u200c\u200d"  # joiners: names in Persian, Hindi and emoji need them
_MOST_NS: Final = (1 << 63) - 1  # a time stamp past 2262 is stored, and compared, as that


class Candidate(NamedTuple):
    """A path with an admitted extension."""

    path: bytes  # relative to the root
    ext: str
    kind: Literal[
        "regular", "symlink", "special", "unreadable"
    ]  # unreadable: not even its size could be seen
    size: int | None  # bytes; None but for regular files, as is the next
    mtime_ns: int | None
    rule: str | None  # the name rule that excludes it


class Unlisted(NamedTuple):
    """A directory that is there and could not be listed: of what is below it nothing is known."""

    prefix: bytes  # its path and a slash


@dataclass(slots=True)
class _Folder:
    """A directory that is being walked."""

    fd: int
    prefix: bytes  # its path and a slash; empty for the root
    parent: _Folder | None
    entries: Iterator[tuple[bytes, str | None]]  # name and extension; a directory's name ends in a slash
    device: int
    judged: bool = False
    verdict: str | None = None

    def rule(self) -> str | None:
        """The name rule that fires for this directory or one above it; judged when the first file asks."""
        if not self.judged and self.parent is not None:
            name = self.prefix[len(self.parent.prefix) : -1]
            self.verdict = self.parent.rule() or judge_name(name)
        self.judged = True
        return self.verdict


def walk(
    root: int, skipped: frozenset[bytes] = frozenset(), mounts: set[bytes] | None = None
) -> Iterator[Candidate | Unlisted]:
    """Yield the candidates below a root, and the directories that could not be listed, sorted by path.

    Args:
        root: a descriptor of the root directory; it stays open.
        skipped: paths of directories that are not entered, each with a slash at its end.
        mounts: the paths, alike, of the directories that are on another disk than the one above them are
            added to it.

    Raises:
        OSError: the root itself could not be listed.
    """
    folders = [_Folder(os.dup(root), b"", None, _listed(root), os.fstat(root).st_dev)]
    try:
        while folders:
            folder = folders[-1]
            for name, ext in folder.entries:
                if ext is not None:
                    candidate = _candidate(folder, name, ext)
                    if candidate is not None:
                        yield candidate
                    continue
                prefix = folder.prefix + name
                if prefix in skipped:
                    continue
                entered = _enter(folder, name[:-1], prefix) if len(folders) <= MAX_DEPTH else Unlisted(prefix)
                if isinstance(entered, _Folder):
                    folders.append(entered)
                    if mounts is not None and entered.device != folder.device:
                        mounts.add(prefix)
                    break
                if entered is not None:
                    yield entered
            else:
                os.close(folders.pop().fd)
    finally:
        for folder in folders:
            os.close(folder.fd)


def _listed(fd: int) -> Iterator[tuple[bytes, str | None]]:
    """What is of interest in a directory, sorted: (name, extension) and (name with a slash, None)."""
    found: list[tuple[bytes, str | None]] = []
    with os.scandir(fd) as entries:
        for entry in entries:
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                if not is_pruned(name):
                    found.append((os.fsencode(name) + b"/", None))
            elif (ext := extension(name)) is not None:
                found.append((os.fsencode(name), ext))
    found.sort()
    return iter(found)


def _enter(parent: _Folder, name: bytes, prefix: bytes) -> _Folder | Unlisted | None:
    """Open and list a directory; None if it is no longer there, or no longer one."""
    try:
        fd = os.open(name, _FOLDER, dir_fd=parent.fd)
    except OSError as error:
        return None if error.errno in _GONE else Unlisted(prefix)
    try:
        return _Folder(fd, prefix, parent, _listed(fd), os.fstat(fd).st_dev)
    except OSError:
        os.close(fd)
        return Unlisted(prefix)


def _candidate(folder: _Folder, name: bytes, ext: str) -> Candidate | None:
    """Look at a file without opening it; None if it is no longer there."""
    path = folder.prefix + name
    rule = folder.rule() or judge_file_name(name)
    try:
        found = os.stat(name, dir_fd=folder.fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError:
        return Candidate(path, ext, "unreadable", None, None, rule)
    if stat.S_ISREG(found.st_mode) and found.st_size <= LARGEST:
        return Candidate(path, ext, "regular", found.st_size, mtime_ns(found), rule)
    return Candidate(path, ext, "symlink" if stat.S_ISLNK(found.st_mode) else "special", None, None, rule)


def mtime_ns(found: os.stat_result) -> int:
    """When a file was modified, as the ledger can store it."""
    return max(-_MOST_NS, min(_MOST_NS, found.st_mtime_ns))


def display(path: bytes) -> str:
    r"""A path for people: what is not UTF-8, or would move a terminal's cursor, as \x1b or \u202e."""
    text = path.decode("utf-8", "backslashreplace")
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    if unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} or character in _KEPT_MARKS:
        return character
    return character.encode("unicode_escape").decode("ascii")
