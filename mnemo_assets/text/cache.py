"""Texts that were read, by content and reader: one file each, whole or not there.

`<folder>/<first two digits>/<sha256>.<reader>-<version>.json`, 0600 in folders of 0700. A text is written
beside its name, forced to disk and renamed, so that a crash leaves the old one or none; what it leaves
behind has a name of its own, and goes with the next write beside it.
"""

from __future__ import annotations

import errno
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from mnemo_assets.errors import MnemoError
from mnemo_assets.text.reply import adapter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.text.reading import Text

_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"([0-9a-f]{64})\.([a-z_]+)-([0-9]+)\.json")
_LEFTOVER = ".partial"
#: Seconds after which nobody writes that file any more: writing takes milliseconds.
_STALE = 600
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def load(folder: Path, sha256: str, reader: str, version: int) -> Text | None:
    """The text of a content as a reader at a version made it; None if it is not there, or damaged."""
    try:
        data = _path(folder, sha256, reader, version).read_bytes()
        found = adapter().validate_json(data, strict=True)
    except (OSError, ValueError):
        return None
    whole = bool(found.page_starts) and (found.reader, found.reader_version) == (reader, version)
    return found if whole else None


def latest(folder: Path, sha256: str) -> Text | None:
    """The text of a content that was stored last, by whichever reader; None if none is whole."""
    paths = _path(folder, sha256, "any", 0).parent.glob(f"{sha256}.*.json")
    for path in sorted(paths, key=_stored, reverse=True):
        named = _NAME.fullmatch(path.name)
        if named and (found := load(folder, sha256, named[2], int(named[3]))) is not None:
            return found
    return None


def _stored(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_mtime_ns
    return 0


def store(folder: Path, sha256: str, text: Text) -> None:
    """Keep the text of a content.

    Raises:
        MnemoError: the disk is full, or the folder cannot be written; nothing is left of the attempt.
    """
    path = _path(folder, sha256, text.reader, text.reader_version)
    data = adapter().dump_json(text)
    try:
        _make(folder, path.parent)
        for leftover in _leftovers(path.parent, sha256):
            leftover.unlink(missing_ok=True)
        _write(path, data)
    except OSError as error:
        raise MnemoError(
            "The disk is full: the text of a document could not be stored. Free some space, then sync again."
            if error.errno in _FULL
            else f"The text cache cannot be written ({errno.errorcode.get(error.errno or 0, 'OSError')})."
        ) from None


def remove(folder: Path, sha256: str) -> None:
    """Remove all that is kept of a content: every reader, every version, and what crashes left.

    Raises:
        MnemoError: something is there and cannot be removed.
    """
    parent = _path(folder, sha256, "any", 0).parent
    try:
        with suppress(FileNotFoundError):
            for entry in list(parent.iterdir()):
                if entry.name.startswith(f"{sha256}."):
                    entry.unlink(missing_ok=True)
            _sync(parent)
    except OSError as error:
        raise MnemoError(
            f"A cached text cannot be removed ({errno.errorcode.get(error.errno or 0, 'OSError')})."
        ) from None


def held(folder: Path) -> Iterator[tuple[str, str, int]]:
    """What is kept: sha256, reader and version of each text; nothing is opened."""
    for path in folder.glob("[0-9a-f][0-9a-f]/*.json"):
        if (named := _NAME.fullmatch(path.name)) is not None:
            yield named[1], named[2], int(named[3])


def _path(folder: Path, sha256: str, reader: str, version: int) -> Path:
    if not _SHA256.fullmatch(sha256):
        raise ValueError("not a sha256")
    return folder / sha256[:2] / f"{sha256}.{reader}-{version}.json"


def _make(folder: Path, parent: Path) -> None:
    for path in (folder, parent):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


def _leftovers(parent: Path, sha256: str) -> Iterator[Path]:
    """What a crash left of writing this content; what is younger may be being written by another process."""
    for path in parent.glob(f"{sha256}.*{_LEFTOVER}"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _STALE:
                yield path


def _write(path: Path, data: bytes) -> None:
    """Write beside the name, force to disk, rename; the temporary file is 0600 from its beginning."""
    prefix = path.name.removesuffix("json")
    with NamedTemporaryFile(dir=path.parent, prefix=prefix, suffix=_LEFTOVER, delete=False) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    _sync(path.parent)


def _sync(folder: Path) -> None:
    """Force a folder's names to disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
