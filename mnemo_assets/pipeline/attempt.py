"""One document's reading, in a thread: its files are tried until one gives a text, and the gates judge it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from mnemo_assets import chunks
from mnemo_assets.archive import rules
from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.pipeline.opening import is_still, open_below
from mnemo_assets.text import cache
from mnemo_assets.text.blend import Blend, Recognitions, blend
from mnemo_assets.text.reading import READERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from uuid import UUID

    from mnemo_assets.chunks import Chunk
    from mnemo_assets.text.reading import Reader, Text
    from mnemo_assets.text.second import Reads

_T = TypeVar("_T")
#: What a file may be when it is looked at: the next one of the same content is tried.
MISSED = frozenset({ErrorClass.FILE_CHANGED, ErrorClass.FILE_UNREACHABLE})


#: Passwords that one reading tries: Office documents take a tenth of a second of a processor for each.
TRIED_AT_ONCE = 50


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
    """A claimed document, and the files that it can be read from, in the order to try them.

    With `anew` they are read even if its text is cached. `recognised` is what is known of its pages that are
    pictures.
    """

    document_id: int
    claim_token: UUID
    sha256: str
    stage: str
    forced: bool
    files: tuple[File, ...]
    anew: bool = False
    recognised: Recognitions = field(default_factory=Recognitions)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a document. Stage "new" means: not now, for the reason of `error_class`.

    `chunks` comes with their contents' sha256; they are there if the stage is "extracted". `text` holds what
    was recognised, too; `blend` says on which pages. With `kept` the text is the one that a password had
    opened before.
    """

    stage: str
    error_class: ErrorClass | None = None
    detail: str | None = None
    reader: str | None = None
    reader_version: int | None = None
    text: Text | None = None
    blend: Blend | None = None
    chunks: tuple[tuple[Chunk, str], ...] = ()
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A reader's text. It may be cached already; with `kept` it is one that a password had opened before."""

    text: Text
    cached: bool
    kept: bool


def attempt(job: Job, sandbox: Reads, folder: Path, passwords: Sequence[str] = ()) -> Outcome:
    """Read a document, and judge its text; cache it. Arguments and errors as for `found` and `ended`."""
    got = found(job, sandbox, folder, passwords)
    if isinstance(got, Outcome):
        return got
    return replace(ended(job, got.text, job.recognised, folder, cached=got.cached), kept=got.kept)


def found(job: Job, sandbox: Reads, folder: Path, passwords: Sequence[str] = ()) -> Found | Outcome:
    """A document's text, from the first of its files that is there and unchanged; or why it has none.

    A document that asks for a password, and was opened with one before, keeps the text that it had: no reader
    can read it anew without the password, and that is not stored.

    Args:
        job: the document.
        sandbox: reads files.
        folder: the text cache.
        passwords: to try where one is needed.
    """
    missed = ErrorClass.FILE_UNREACHABLE
    for file in job.files:
        reader = READERS[file.kind]
        text = None if job.anew else cache.load(folder, job.sha256, reader.name, reader.version)
        cached, kept = text is not None, False
        try:
            text = text or read_file(file, job.sha256, sandbox, passwords)
        except ReadingError as error:
            if error.error_class in MISSED:
                missed = error.error_class
                continue
            if error.error_class is ErrorClass.CONVERTER_MISSING:
                return Outcome("new", error.error_class, error.detail)
            text = _opened_before(error, folder, job.sha256, reader)
            if text is None:
                return Outcome("failed", error.error_class, error.detail, reader.name, reader.version)
            kept = True
        return Found(text, cached, kept)
    return Outcome("new", missed)


def _opened_before(error: ReadingError, folder: Path, sha256: str, reader: Reader) -> Text | None:
    """The text that an older reader got out of a document that is encrypted, as if it were this reader's."""
    older = cache.latest(folder, sha256) if error.error_class is ErrorClass.ENCRYPTED else None
    return None if older is None else replace(older, reader=reader.name, reader_version=reader.version)


def ended(job: Job, text: Text, known: Recognitions, folder: Path, *, cached: bool) -> Outcome:
    """What becomes of a document whose text is there; the text is cached if it is to be used.

    Args:
        job: the document.
        text: its reader's.
        known: what was recognised on its pages that are pictures.
        folder: the text cache.
        cached: whether the text is there already.

    Raises:
        MnemoError: the cache cannot be written.
    """
    try:
        outcome = _judge(blend(text, known), forced=job.forced)
    except ReadingError as error:
        return Outcome("failed", error.error_class, error.detail, text.reader, text.reader_version)
    if outcome.stage == "extracted" and not cached:
        cache.remove(folder, job.sha256)  # what older readers left
        cache.store(folder, job.sha256, text)
    return outcome


def read_file(file: File, sha256: str, sandbox: Reads, passwords: Sequence[str] = ()) -> Text:
    """Read a file, or the part of it that is meant, whose content has this sha256; errors as `opened`."""
    inside = sha256 if file.parts else None

    def read(fd: int, some: Sequence[str]) -> Text:
        return sandbox.read(fd, file.ext, parts=file.parts, sha256=inside, passwords=some)

    return opened(file, lambda fd: unlocked(passwords, lambda some: read(fd, some)))


def opened(file: File, work: Callable[[int], _T]) -> _T:
    """Do something with a file that is the one that was hashed, before and after.

    Args:
        file: where it is.
        work: is given a descriptor that is open for reading.

    Raises:
        ReadingError: FILE_UNREACHABLE, FILE_CHANGED, or what the work says.
    """
    try:
        fd = open_below(file.root, file.path)
    except OSError:
        raise ReadingError(ErrorClass.FILE_UNREACHABLE) from None
    try:
        if not is_still(fd, file.size_bytes, file.mtime_ns):
            raise ReadingError(ErrorClass.FILE_CHANGED)
        try:
            return work(fd)
        finally:
            if not is_still(fd, file.size_bytes, file.mtime_ns):
                raise ReadingError(ErrorClass.FILE_CHANGED)
    finally:
        os.close(fd)


def unlocked(passwords: Sequence[str], work: Callable[[Sequence[str]], _T]) -> _T:
    """Do something with a document, with some of the passwords at a time.

    Raises:
        ReadingError: ENCRYPTED, none of them fits; or another.
    """
    for start in range(0, max(len(passwords), 1), TRIED_AT_ONCE):
        try:
            return work(passwords[start : start + TRIED_AT_ONCE])
        except ReadingError as error:
            if error.error_class is not ErrorClass.ENCRYPTED:
                raise
    raise ReadingError(ErrorClass.ENCRYPTED)


def _judge(found: Blend, *, forced: bool) -> Outcome:
    """What becomes of a text."""
    text = found.text
    stage, error_class = _gate(found, forced=forced)
    pieces = chunks.split(text.text, text.page_starts) if stage == "extracted" else []
    return Outcome(
        stage,
        error_class,
        reader=text.reader,
        reader_version=text.reader_version,
        text=text,
        blend=found,
        chunks=tuple((piece, hashlib.sha256(piece.text.encode()).hexdigest()) for piece in pieces),
    )


def _gate(found: Blend, *, forced: bool) -> tuple[str, ErrorClass | None]:
    text = found.text
    if text.blank:
        return "skipped", ErrorClass.EMPTY
    if text.scanned and found.waiting:
        return "ocr_pending", ErrorClass.SCANNED
    if text.scanned and not (found.pages and text.text.strip()):
        return "failed", ErrorClass.OCR_FAILED
    if not forced and any(map(rules.judge_text, (text.text, text.metadata.title or ""))):
        return "skipped", ErrorClass.SECRET
    if not forced and chunks.is_tabular(text.text):
        return "skipped", ErrorClass.TABULAR
    return "extracted", ErrorClass.OCR_FAILED if found.failed else None
