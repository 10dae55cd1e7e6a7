"""Reading: documents that wait become text and chunks, or say why not.

Threads open files and read them in the sandbox; this one claims documents and writes outcomes, a document a
transaction. A run that is killed loses no more than what it was reading, and a cached text is not read again.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mnemo_assets.archive.rules import ADMITTED
from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import ErrorClass, MnemoError
from mnemo_assets.pipeline import claims, settle
from mnemo_assets.pipeline.attempt import File, Job, Outcome, attempt
from mnemo_assets.pipeline.progress import OnProgress, Stop, never, silent
from mnemo_assets.text import cache
from mnemo_assets.text.reading import reader_for
from mnemo_assets.text.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mnemo_assets.settings import Settings

Q = queries("read")

#: Which documents to read although they do not wait.
Again: TypeAlias = Literal["failed", "cached", "all"]


@dataclass(slots=True)
class ReadCounts:
    """What became of the documents of one run.

    Attributes:
        extracted: have their text now.
        unchanged: were read again by a newer reader, which found the same text.
        skipped: a gate keeps them out.
        ocr_pending: wait for text recognition.
        failed: could not be read; `failed_first` of them for the first time.
        unreachable: could not be opened, or changed since the scan; they stay as they were.
        kept: of those that are well, asked for a password and kept the text that one had opened before.
    """

    extracted: int = 0
    unchanged: int = 0
    skipped: int = 0
    ocr_pending: int = 0
    failed: int = 0
    failed_first: int = 0
    unreachable: int = 0
    kept: int = 0


def read(
    connection: Connection,
    settings: Settings,
    on_progress: OnProgress = silent,
    *,
    only: Collection[str] | None = None,
    again: Again | None = None,
    passwords: Sequence[str] = (),
    stop: Stop = never,
    counts: ReadCounts | None = None,
) -> ReadCounts:
    """Read the documents that wait, once each; those whose reader has a newer version, again.

    Any number of processes may do this at once. Nothing waits: nothing is started.

    Args:
        connection: the owner's, in autocommit mode.
        settings: how many at once, and the bounds of a reading.
        on_progress: is told how many documents of how many are done, as step "read".
        only: these sha256s alone.
        again: beside those that wait, also those that failed; or those that have a text, from the cache; or
            all, from the files: whatever their stage, and past no gate.
        passwords: to try where one is needed.
        stop: is asked before more documents are claimed.
        counts: to add to, for a caller who wants to know them even if the link is lost.

    Raises:
        MnemoError: the text cache cannot be written; the document stays as it was.
    """
    counts = ReadCounts() if counts is None else counts
    formats = _formats()
    connection.execute(Q["mark_reader_to_come"], formats)
    chosen = {**formats, "only": None if only is None else list(only), "again": again}
    waiting = connection.execute(Q["count_waiting"], chosen).fetchone()
    total = 0 if waiting is None else int(waiting["n"])
    if not total:
        return counts
    lease = max(claims.LEASE, timedelta(seconds=8 * settings.reader_seconds))
    on_progress("read", 0, total)
    with claims.claimant(connection, lease) as claimant:
        jobs = _jobs(claimant, chosen, 4 * settings.workers, stop)
        for done, (job, outcome) in enumerate(_attempts(jobs, settings, passwords), start=1):
            _settle(connection, settings, job, outcome, counts)
            on_progress("read", done, max(done, total))
    return counts


def rechunk(
    connection: Connection, settings: Settings, only: Collection[str], on_progress: OnProgress = silent
) -> ReadCounts:
    """Cut texts again, from the cache; one that is cut otherwise now waits to be mined.

    Args:
        connection: the owner's, in autocommit mode.
        settings: as for `read`.
        only: sha256s; those that have no text are left alone, unless they wait to be read.
        on_progress: as for `read`.

    Raises:
        MnemoError: as `read` does.
    """
    return read(connection, settings, on_progress, only=only, again="cached")


def _formats() -> dict[str, list[Any]]:
    """The extensions that have a reader, with its name and version: parameters of the queries."""
    found = [(ext, reader) for ext in sorted(ADMITTED) if (reader := reader_for(ext)) is not None]
    return {
        "exts": [ext for ext, _ in found],
        "readers": [reader.name for _, reader in found],
        "versions": [reader.version for _, reader in found],
    }


def _jobs(claimant: claims.Claimant, chosen: dict[str, Any], limit: int, stop: Stop) -> Iterator[Job]:
    """Claim documents, ascending, as they are asked for; each comes once, whatever becomes of it."""
    after = 0
    while not stop() and (
        rows := claimant.take(Q["claim_reading"], {**chosen, "after": after, "limit": limit})
    ):
        after = rows[-1]["document_id"]
        values = {**chosen, "document_ids": [row["document_id"] for row in rows]}
        found = claimant.connection.execute(Q["readable_files"], values)
        files = {key: list(group) for key, group in groupby(found, itemgetter("document_id"))}
        for row in rows:
            yield Job(
                **row,
                files=tuple(map(_file, files.get(row["document_id"], ()))),
                anew=chosen["again"] == "all",
            )


def _file(row: dict[str, Any]) -> File:
    return File(row["root"], row["path"], row["ext"], row["size_bytes"], row["mtime_ns"])


def _attempts(
    jobs: Iterator[Job], settings: Settings, passwords: Sequence[str]
) -> Iterator[tuple[Job, Outcome]]:
    """Read documents, several at once, in the order in which they end."""
    running: dict[Future[Outcome], Job] = {}
    # the sandbox ends first: what is being read then fails at once, and the threads are not waited for
    with ThreadPoolExecutor(settings.workers) as pool, Sandbox(settings) as sandbox:
        try:
            while True:
                for job in islice(jobs, 2 * settings.workers - len(running)):
                    running[pool.submit(attempt, job, sandbox, settings.text_cache, passwords)] = job
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(future), _result(future)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _result(future: Future[Outcome]) -> Outcome:
    """What a thread came to: a document that breaks mnemo itself must not stop those behind it.

    Raises:
        MnemoError: the cache cannot be written, or there is no sandbox: it is not this document's doing.
    """
    try:
        return future.result()
    except MnemoError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, it is this document's outcome
        return Outcome("failed", ErrorClass.READER_CRASHED, type(error).__name__)


def _settle(
    connection: Connection, settings: Settings, job: Job, outcome: Outcome, counts: ReadCounts
) -> None:
    """Write an outcome and count it; an outcome of a lost claim is nobody's."""
    try:
        kind, attempts = settle.settle(connection, job, outcome)
    except claims.LostError:
        if connection.execute(Q["document_of"], {"sha256": job.sha256}).fetchone() is None:
            cache.remove(settings.text_cache, job.sha256)  # it was swept while it was being read
        return
    if outcome.error_class is ErrorClass.SECRET:
        cache.remove(settings.text_cache, job.sha256)  # an older reader did not see it
    setattr(counts, kind, getattr(counts, kind) + 1)
    counts.kept += outcome.kept
    counts.failed_first += kind == "failed" and attempts == 1
