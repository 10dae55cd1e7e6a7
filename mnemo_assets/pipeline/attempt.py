"""One document's reading, in a thread: its files are tried until one gives a text, and the gates judge it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mnemo_assets import chunks
from mnemo_assets.archive import rules
from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.pipeline.opening import is_still, open_below
from mnemo_assets.text import cache
from mnemo_assets.text.reading import reader_for

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from uuid import UUID

    from mnemo_assets.chunks import Chunk
    from mnemo_assets.text.reading import Reader, Text
    from mnemo_assets.text.sandbox import Sandbox


#: Passwords that one reading tries: Office documents take a tenth of a second of a processor for each.
TRIED_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class File:
    """Where a content can be found, and what the file was like when it was hashed."""

    root: bytes
    path: bytes
    ext: str
    size_bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed document, and the files with a reader that it can be read from, in the order to try them.

    With `anew` they are read even if its text is cached.
    """

    document_id: int
    claim_token: UUID
    sha256: str
    stage: str
    forced: bool
    files: tuple[File, ...]
    anew: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a document. Stage "new" means: not now, for the reason of `error_class`.

    `chunks` comes with their contents' sha256; they are there if the stage is "extracted". With `kept`
    the text is the one that a password had opened before.
    """

    stage: str
    error_class: ErrorClass | None = None
    detail: str | None = None
    reader: str | None = None
    reader_version: int | None = None
    text: Text | None = None
    chunks: tuple[tuple[Chunk, str], ...] = ()
    kept: bool = False


def attempt(job: Job, sandbox: Sandbox, folder: Path, passwords: Sequence[str] = ()) -> Outcome:
    """Read a document from the first of its files that is there and unchanged; cache its text.

    A document that asks for a password, and was opened with one before, keeps the text that it had: no reader
    can read it anew without the password, and that is not stored.

    Args:
        job: the document.
        sandbox: reads files.
        folder: the text cache.
        passwords: to try where one is needed.

    Raises:
        MnemoError: the cache cannot be written.
    """
    missed = ErrorClass.FILE_UNREACHABLE
    for file in job.files:
        reader = reader_for(file.ext)
        if reader is None:
            continue
        text = None if job.anew else cache.load(folder, job.sha256, reader.name, reader.version)
        cached, kept = text is not None, False
        try:
            text = text or _read(file, sandbox, passwords)
        except ReadingError as error:
            if error.error_class in {ErrorClass.FILE_CHANGED, ErrorClass.FILE_UNREACHABLE}:
                missed = error.error_class
                continue
            text = _opened_before(error, folder, job.sha256, reader)
            if text is None:
                return Outcome("failed", error.error_class, error.detail, reader.name, reader.version)
            kept = True
        outcome = replace(_judge(text, forced=job.forced), kept=kept)
        if outcome.stage == "extracted" and not cached:
            cache.remove(folder, job.sha256)  # what older readers left
            cache.store(folder, job.sha256, text)
        return outcome
    return Outcome("new", missed)


def _opened_before(error: ReadingError, folder: Path, sha256: str, reader: Reader) -> Text | None:
    """The text that an older reader got out of a document that is encrypted, as if it were this reader's."""
    older = cache.latest(folder, sha256) if error.error_class is ErrorClass.ENCRYPTED else None
    return None if older is None else replace(older, reader=reader.name, reader_version=reader.version)


def _read(file: File, sandbox: Sandbox, passwords: Sequence[str]) -> Text:
    """Read a file that is the one that was hashed, before and after.

    Raises:
        ReadingError: FILE_UNREACHABLE, FILE_CHANGED, or what the reader says.
    """
    try:
        fd = open_below(file.root, file.path)
    except OSError:
        raise ReadingError(ErrorClass.FILE_UNREACHABLE) from None
    try:
        if not is_still(fd, file.size_bytes, file.mtime_ns):
            raise ReadingError(ErrorClass.FILE_CHANGED)
        try:
            return unlocked(sandbox, fd, file.ext, passwords)
        finally:
            if not is_still(fd, file.size_bytes, file.mtime_ns):
                raise ReadingError(ErrorClass.FILE_CHANGED)
    finally:
        os.close(fd)


def unlocked(sandbox: Sandbox, fd: int, ext: str, passwords: Sequence[str]) -> Text:
    """Read a document, with some of the passwords at a time.

    Raises:
        ReadingError: ENCRYPTED, none of them fits; or another.
    """
    for start in range(0, max(len(passwords), 1), TRIED_AT_ONCE):
        try:
            return sandbox.read(fd, ext, passwords=passwords[start : start + TRIED_AT_ONCE])
        except ReadingError as error:
            if error.error_class is not ErrorClass.ENCRYPTED:
                raise
    raise ReadingError(ErrorClass.ENCRYPTED)


def _judge(text: Text, *, forced: bool) -> Outcome:
    """What becomes of a text."""
    stage, error_class = _gate(text, forced=forced)
    pieces = chunks.split(text.text, text.page_starts) if stage == "extracted" else []
    return Outcome(
        stage,
        error_class,
        reader=text.reader,
        reader_version=text.reader_version,
        text=text,
        chunks=tuple((piece, hashlib.sha256(piece.text.encode()).hexdigest()) for piece in pieces),
    )


def _gate(text: Text, *, forced: bool) -> tuple[str, ErrorClass | None]:
    if text.blank:
        return "skipped", ErrorClass.EMPTY
    if text.scanned:
        return "ocr_pending", ErrorClass.SCANNED
    if not forced and any(map(rules.judge_text, (text.text, text.metadata.title or ""))):
        return "skipped", ErrorClass.SECRET
    if not forced and chunks.is_tabular(text.text):
        return "skipped", ErrorClass.TABULAR
    return "extracted", None
