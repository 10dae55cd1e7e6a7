"""Text recognition: documents with pages that are pictures get the words on them, a page at a time.

Threads draw pages in the sandbox and have them read; this one claims documents, keeps each page as it comes,
and writes a document's outcome after its last one, as reading does. A run that is killed loses the pages that
were being read: the next one goes on with those that are not there yet.
"""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.pipeline import attempt, claims, pages, read, settle
from mnemo_assets.pipeline.progress import OnProgress, Stop, never, silent
from mnemo_assets.text import blend, engines
from mnemo_assets.text.blend import Recognitions
from mnemo_assets.text.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mnemo_assets.pipeline.attempt import File, Job, Outcome
    from mnemo_assets.pipeline.pages import Page
    from mnemo_assets.settings import Settings
    from mnemo_assets.text.ocr import Recognised, Recogniser
    from mnemo_assets.text.pictures import Picture
    from mnemo_assets.text.reading import Text

Q = queries("ocr")


@dataclass(slots=True)
class OcrCounts(settle.Counts):
    """What became of the pages and documents of one run; of a document all of whose pages are done.

    Attributes:
        pages: were recognised; `pages_failed` could not be.
    """

    pages: int = 0
    pages_failed: int = 0


def recognise(
    connection: Connection,
    settings: Settings,
    on_progress: OnProgress = silent,
    *,
    only: Collection[str] | None = None,
    again: bool = False,
    stop: Stop = never,
    counts: OcrCounts | None = None,
    engine: Recogniser | None = None,
    passwords: Sequence[str] = (),
) -> OcrCounts:
    """Recognise the pages that wait, once each.

    Any number of processes may do this at once. Nothing waits: no engine is needed, and nothing is started.

    Args:
        connection: the owner's, in autocommit mode.
        settings: how many pages at once, and the bounds of one.
        on_progress: is told how many pages of how many are done, as step "ocr".
        only: these sha256s alone.
        again: pages that were recognised, too; what was found before is kept.
        stop: is asked before each page; what was recognised of a document is kept.
        counts: to add to, for a caller who wants to know them even if the link is lost.
        engine: to use instead of the one that is installed.
        passwords: to try where one is needed: to draw a page takes it as much as to read it.

    Raises:
        RecognitionError: pages wait, and there is no engine for them.
        MnemoError: the text cache cannot be written.
    """
    counts = OcrCounts() if counts is None else counts
    chosen = {**read.formats_read(), "only": None if only is None else list(only), "again": again}
    waiting = connection.execute(Q["count_waiting"], chosen).fetchone()
    if waiting is None or not waiting["documents"]:
        return counts
    engine = engine or engines.engine(settings)
    lease = max(claims.LEASE, timedelta(seconds=8 * (settings.reader_seconds + settings.ocr_seconds)))
    # the engine and the sandbox end first: what is being read then fails at once, and no thread is waited for
    with (
        claims.claimant(connection, lease) as claimant,
        ThreadPoolExecutor(settings.workers) as pool,
        Sandbox(settings) as sandbox,
    ):
        total = waiting["pages"]
        run = _Run(connection, settings, on_progress, counts, engine, sandbox, lease, total, stop, passwords)
        queue = read.Queue(claimant, Q["claim_recognition"], chosen, 1, stop)
        try:
            run.all_of(iter(queue), pool, again=again)
        finally:
            engine.close()
            pool.shutdown(wait=False, cancel_futures=True)
    return counts


def send_back(connection: Connection, only: Collection[str] | None = None) -> int:
    """Have the pages wait again that failed; how many documents have some.

    Args:
        connection: in autocommit mode.
        only: of documents with these sha256s.
    """
    with connection.transaction():
        rows = connection.execute(Q["send_back"], {"only": None if only is None else list(only)}).fetchall()
        sent = [row["document_id"] for row in rows]
        connection.execute(Q["forget_failures"], {"document_ids": sent})
    return len(sent)


@dataclass(slots=True)
class _Document:
    """A document whose pages are being recognised; `left` of them are not there yet, `found` is what is."""

    job: Job
    text: Text
    cached: bool
    left: int
    known: Recognitions = field(default_factory=Recognitions)
    found: dict[int, Recognised] = field(default_factory=dict)
    missed: ErrorClass | None = None
    is_lost: bool = False

    @property
    def is_over(self) -> bool:
        """Whether its other pages need not be recognised."""
        return self.missed is not None or self.is_lost


@dataclass(slots=True)
class _Run:
    connection: Connection
    settings: Settings
    on_progress: OnProgress
    counts: OcrCounts
    engine: Recogniser
    sandbox: Sandbox
    lease: timedelta
    total: int
    stop: Stop
    passwords: Sequence[str] = field(repr=False)
    done: int = 0

    def all_of(self, jobs: Iterator[Job], pool: ThreadPoolExecutor, *, again: bool) -> None:
        """Recognise documents, several pages at once; each page is kept as it comes."""
        self.on_progress("ocr", 0, self.total)
        running: dict[Future[Page], tuple[_Document, Iterator[int]]] = {}

        def submit(document: _Document, numbers: Iterator[int]) -> None:
            number = None if self.stop() or document.is_over else next(numbers, None)
            if number is not None:
                before = blend.before(document.text, document.found, number) if self.engine.in_order else ""
                running[pool.submit(self._page, document, number, before)] = document, numbers

        # an engine that reads in order reads one at a time: while it does, the next page is drawn
        most = 2 if self.engine.in_order else 2 * self.settings.workers
        upcoming = self._stretches(jobs, again=again)
        while True:
            for document, numbers in islice(upcoming, most - len(running)):
                submit(document, iter(numbers))
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                document, left = running.pop(future)
                self._keep(document, future)
                submit(document, left)

    def _stretches(self, jobs: Iterator[Job], *, again: bool) -> Iterator[tuple[_Document, list[int]]]:
        """The pages to recognise, of one document after the other; those of a stretch go one by one."""
        for job in jobs:
            document = self._begun(job)
            if document is None:
                continue
            there = set() if again else job.recognised.pages.keys() | job.recognised.failed
            numbers = [number for number in document.text.waiting if number not in there]
            document.left = len(numbers)
            if not numbers:
                self._end(document)
            for stretch in [numbers] if self.engine.in_order and numbers else [[one] for one in numbers]:
                if self.stop():
                    return
                if not document.is_over:
                    yield document, stretch

    def _begun(self, job: Job) -> _Document | None:
        """A document with its reader's text; None if that cannot be had, which is its outcome."""
        found = attempt.found(job, self.sandbox, self.settings.text_cache, self.passwords)
        if isinstance(found, attempt.Outcome):
            self._settle(job, found)
            return None
        return _Document(job, found.text, found.cached, 0, job.recognised, dict(job.recognised.pages))

    def _page(self, document: _Document, number: int, before: str) -> Page:
        """Draw a page and have it read, in a thread; `before` is the text of the page before it.

        Raises:
            ReadingError: FILE_UNREACHABLE, FILE_CHANGED: it says nothing of the page.
            RecognitionError: the engine does not work.
        """
        began = time.monotonic()
        recognised, failed = None, None
        try:
            picture = self._picture(document.job, number)
            recognised = self.engine.recognise(picture, document.text.language, before)
        except ReadingError as error:
            if error.error_class in attempt.MISSED:
                raise
            failed = f"{error.error_class} {error.detail}".strip()
        took = round(1000 * (time.monotonic() - began))
        return pages.Page(number, self.engine.name, self.engine.version, took, recognised, failed)

    def _picture(self, job: Job, number: int) -> Picture:
        missed = ReadingError(ErrorClass.FILE_UNREACHABLE)
        for file in job.files:
            try:
                return self._drawn(job, file, number)
            except ReadingError as error:
                if error.error_class not in attempt.MISSED:
                    raise
                missed = error
        raise missed

    def _drawn(self, job: Job, file: File, number: int) -> Picture:
        def draw(fd: int, some: Sequence[str]) -> Picture:
            return self.sandbox.picture(
                fd, file.ext, number, parts=file.parts, sha256=job.sha256, passwords=some
            )

        return attempt.opened(file, lambda fd: attempt.unlocked(self.passwords, lambda some: draw(fd, some)))

    def _keep(self, document: _Document, future: Future[Page]) -> None:
        """Keep what came of a page; end its document if it was the last."""
        try:
            page = future.result()
        except ReadingError as error:
            if document.missed is None:
                document.missed = error.error_class
                self._settle(document.job, attempt.Outcome("new", error.error_class))
            return
        if document.is_over:
            return
        try:
            pages.keep(self.connection, document.job, page, self.lease)
        except claims.LostError:
            document.is_lost = True
            return
        if page.recognised is None:
            document.found.pop(page.number, None)
        else:
            document.found[page.number] = page.recognised
        document.left -= 1
        self.done += 1
        self.counts.pages += page.recognised is not None
        self.counts.pages_failed += page.recognised is None
        self.on_progress("ocr", self.done, max(self.done, self.total))
        if not document.left:
            document_id = document.job.document_id
            document.known = pages.known(self.connection, [document_id])[document_id]
            self._end(document)

    def _end(self, document: _Document) -> None:
        """Write the outcome of a document all of whose pages are there."""
        folder = self.settings.text_cache
        outcome = attempt.ended(document.job, document.text, document.known, folder, cached=document.cached)
        self._settle(document.job, outcome)

    def _settle(self, job: Job, outcome: Outcome) -> None:
        """Write an outcome and count it; an outcome of a lost claim is nobody's."""
        read.conclude(self.connection, self.settings.text_cache, job, outcome, self.counts)
