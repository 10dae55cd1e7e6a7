"""One document's reading, in a thread: its files are tried until one gives a text, and the gates judge it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemo_assets import chunks
from mnemo_assets.archive import rules
from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.pipeline.opening import is_still, open_below
from mnemo_assets.text import cache
from mnemo_assets.text.reading import reader_for

if TYPE_CHECKING:
    from pathlib import Path
    from uuid import UUID

    from mnemo_assets.chunks import Chunk
    from mnemo_assets.text.reading import Text
    from mnemo_assets.text.second import Reads


@dataclass(frozen=True, slots=True)
class File:
    """Where a content can be found, and what the file was like when it was hashed.

    With `parts` it is inside of the file: path and extension of each part on the way, from the outermost.
    """

    root: bytes
    path: bytes
    ext: str
    size_bytes: int
    mtime_ns: int
    parts: tuple[tuple[str, str], ...] = ()

    @property
    def kind(self) -> str:
        """The extension of the content itself."""
        return self.parts[-1][1] if self.parts else self.ext


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

    `chunks` comes with their contents' sha256; they are there if the stage is "extracted".
    """

    stage: str
    error_class: ErrorClass | None = None
    detail: str | None = None
    reader: str | None = None
    reader_version: int | None = None
    text: Text | None = None
    chunks: tuple[tuple[Chunk, str], ...] = ()


def attempt(job: Job, sandbox: Reads, folder: Path) -> Outcome:
    """Read a document from the first of its files that is there and unchanged; cache its text.

    Args:
        job: the document.
        sandbox: reads files.
        folder: the text cache.

    Raises:
        MnemoError: the cache cannot be written.
    """
    missed = ErrorClass.FILE_UNREACHABLE
    for file in job.files:
        reader = reader_for(file.kind)
        if reader is None:
            continue
        text = None if job.anew else cache.load(folder, job.sha256, reader.name, reader.version)
        cached = text is not None
        try:
            text = text or _read(file, job.sha256, sandbox)
        except ReadingError as error:
            if error.error_class in {ErrorClass.FILE_CHANGED, ErrorClass.FILE_UNREACHABLE}:
                missed = error.error_class
                continue
            if error.error_class is ErrorClass.CONVERTER_MISSING:
                return Outcome("new", error.error_class, error.detail)
            return Outcome("failed", error.error_class, error.detail, reader.name, reader.version)
        outcome = _judge(text, forced=job.forced)
        if outcome.stage == "extracted" and not cached:
            cache.remove(folder, job.sha256)  # what older readers left
            cache.store(folder, job.sha256, text)
        return outcome
    return Outcome("new", missed)


def _read(file: File, sha256: str, sandbox: Reads) -> Text:
    """Read a file that is the one that was hashed, before and after; of a part the content is compared.

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
            if file.parts:
                return sandbox.read(fd, file.ext, parts=file.parts, sha256=sha256)
            return sandbox.read(fd, file.ext)
        finally:
            if not is_still(fd, file.size_bytes, file.mtime_ns):
                raise ReadingError(ErrorClass.FILE_CHANGED)
    finally:
        os.close(fd)


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
