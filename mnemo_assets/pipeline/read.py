"""Reading: documents that wait become text and chunks, or say why not.

Threads open files and read them in the sandbox; this one claims documents and writes outcomes, a document a
transaction. A run that is killed loses no more than what it was reading, and a cached text is not read again.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from mnemo_assets.archive.rules import ADMITTED
from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import ErrorClass, MnemoError
from mnemo_assets.pipeline import claims, pages, parts, scan, settle
from mnemo_assets.pipeline.attempt import File, Job, Outcome, attempt
from mnemo_assets.pipeline.progress import OnProgress, Stop, never, silent
from mnemo_assets.text import cache, converter
from mnemo_assets.text.reading import READERS
from mnemo_assets.text.sandbox import Sandbox
from mnemo_assets.text.second import Second

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from mnemo_assets.settings import Settings

Q = queries("read")

#: From how many of the documents, and of the files, that hold it as a part, a document is tried to be read.
WAYS: Final = 3
#: Which documents to read although they do not wait.
Again: TypeAlias = Literal["failed", "cached", "all"]


@dataclass(slots=True)
class ReadCounts(settle.Counts):
    """What became of the documents of one run.

    Attributes:
        removed: were parts of documents that do not have them any more.
    """

    removed: int = 0


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
    """Read the documents that wait, once each, and what is found inside of them; by newer readers, again.

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
    parts.refresh(connection)
    chosen = {
        **formats_read(),
        "converts": list(converter.kinds()),
        "only": None if only is None else list(only),
        "again": again,
    }
    waiting = connection.execute(Q["count_waiting"], chosen).fetchone()
    total = 0 if waiting is None else int(waiting["n"])
    if not total:
        return counts
    lease = max(claims.LEASE, timedelta(seconds=8 * settings.reader_seconds + 4 * converter.SECONDS))
    on_progress("read", 0, total)
    with claims.claimant(connection, lease) as claimant:
        queue = Queue(claimant, Q["claim_reading"], chosen, 4 * settings.workers, stop)
        is_lost = False
        for done, (job, outcome) in enumerate(_attempts(queue, settings, passwords), start=1):
            settled = conclude(connection, settings.text_cache, job, outcome, counts)
            queue.is_empty &= not settled.found
            is_lost |= settled.lost
            on_progress("read", done, max(done, total))
    if is_lost:
        counts.removed += scan.sweep(connection, settings)
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


def formats_read() -> dict[str, list[Any]]:
    """The extensions that are admitted, with name and version of the reader: parameters of the queries."""
    exts = sorted(ADMITTED)
    return {
        "exts": exts,
        "readers": [READERS[ext].name for ext in exts],
        "versions": [READERS[ext].version for ext in exts],
    }


class Queue:
    """The documents to work on, ascending, as they are asked for; each comes once, whatever happens.

    Args:
        claimant: who works on them.
        claim: the query that claims some, in the order of their ids.
        chosen: its parameters, but for `after` and `limit`; `formats_read` and `again` among them.
        limit: how many are claimed at once.
        stop: is asked before more are claimed.

    Attributes:
        is_empty: whether there were no more when they were last asked for. Documents that come in while
            others are read have higher numbers: who knows of one says so here.
    """

    def __init__(
        self, claimant: claims.Claimant, claim: bytes, chosen: dict[str, Any], limit: int, stop: Stop
    ) -> None:
        self.is_empty = False
        self._claimant = claimant
        self._query = claim
        self._chosen = chosen
        self._limit = limit
        self._stop = stop
        self._after = 0
        self._claimed: deque[Job] = deque()

    def __iter__(self) -> Iterator[Job]:
        while (job := next(self.take(1), None)) is not None:
            yield job

    def take(self, most: int) -> Iterator[Job]:
        """The next documents, claimed: so many at most."""
        for _ in range(most):
            if not self._claimed and not self.is_empty:
                self._claim()
            if not self._claimed:
                return
            yield self._claimed.popleft()

    def _claim(self) -> None:
        values = {**self._chosen, "after": self._after, "limit": self._limit}
        rows = [] if self._stop() else self._claimant.take(self._query, values)
        if not rows:
            self.is_empty = True
            return
        self._after = rows[-1]["document_id"]
        values = {
            **self._chosen,
            "document_ids": [row["document_id"] for row in rows],
            "deepest": parts.DEEPEST,
            "ways": WAYS,
        }
        connection = self._claimant.connection
        known = pages.known(connection, values["document_ids"])
        found = connection.execute(Q["readable_files"], values)
        files = {key: list(group) for key, group in groupby(found, itemgetter("document_id"))}
        for row in rows:
            where = tuple(map(_file, files.get(row["document_id"], ())))
            anew = row.get("anew", False) or self._chosen["again"] == "all"
            recognised = known[row["document_id"]]
            self._claimed.append(Job(**{**row, "files": where, "anew": anew, "recognised": recognised}))


def _file(row: dict[str, Any]) -> File:
    inside = tuple((path, ext) for path, ext in row["parts"])
    return File(row["root"], row["path"], row["ext"], row["size_bytes"], row["mtime_ns"], inside)


def _attempts(queue: Queue, settings: Settings, passwords: Sequence[str]) -> Iterator[tuple[Job, Outcome]]:
    """Read documents, several at once, in the order in which they end."""
    running: dict[Future[Outcome], Job] = {}
    # the sandbox ends first: what is being read then fails at once, and the threads are not waited for
    with (
        ThreadPoolExecutor(settings.workers) as pool,
        Sandbox(settings) as sandbox,
        Second(settings, sandbox) as readers,
    ):
        try:
            while True:
                for job in queue.take(2 * settings.workers - len(running)):
                    running[pool.submit(attempt, job, readers, settings.text_cache, passwords)] = job
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


def conclude(
    connection: Connection, folder: Path, job: Job, outcome: Outcome, counts: settle.Counts
) -> settle.Settled:
    """Write an outcome and count it; an outcome of a lost claim is nobody's.

    Args:
        connection: as for `read`.
        folder: the text cache.
        job: the document.
        outcome: what became of it.
        counts: to add to.
    """
    try:
        settled = settle.settle(connection, job, outcome)
    except claims.LostError:
        if connection.execute(Q["document_of"], {"sha256": job.sha256}).fetchone() is None:
            cache.remove(folder, job.sha256)  # it was swept while it was being read
        return settle.Settled("unreachable")
    if outcome.error_class is ErrorClass.SECRET:
        cache.remove(folder, job.sha256)  # an older reader did not see it
    setattr(counts, settled.kind, getattr(counts, settled.kind) + 1)
    counts.kept += outcome.kept
    counts.failed_first += settled.kind == "failed" and settled.attempts == 1
    return settled
