"""What a scan has under way: files being opened by threads, rows waiting to be written."""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from mnemo_assets.archive import compare, ledger
from mnemo_assets.archive.hashing import Job, examine

if TYPE_CHECKING:
    from mnemo_assets.archive.compare import File, Known
    from mnemo_assets.archive.hashing import Finding
    from mnemo_assets.archive.ledger import Archive
    from mnemo_assets.archive.walk import Candidate
    from mnemo_assets.database import Connection
    from mnemo_assets.pipeline.progress import OnProgress

#: Files that one task opens, and bytes after which no more are added to it: a task for each small file costs
#: more than hashing it.
TASK_FILES: Final = 64
TASK_BYTES: Final = 1 << 24
#: Seconds and bytes a file, below which a task is done at once by the thread that walks: where a disk is so
#: quick, threads wait for one another longer than for it. On a slow one (a share, a cold cache, a spinning
#: disk) all tasks are the threads'.
QUICK_SECONDS: Final = 0.0003
QUICK_BYTES: Final = 1 << 16
#: Rows written in one transaction, and bytes hashed after which what there is is written.
BATCH_FILES: Final = 1000
BATCH_BYTES: Final = 1 << 28


@dataclass(slots=True)
class Tally:
    """The counts of a scan that is under way; `ScanCounts` says what each is."""

    seen: int = 0
    opened: int = 0
    hashed: int = 0
    added: int = 0
    changed: int = 0
    moved: int = 0
    revived: int = 0
    missing: int = 0
    held: int = 0
    unlisted: int = 0
    documents: int = 0


class Writer:
    """Writes the rows that say something new, in batches."""

    def __init__(self, connection: Connection, archive: Archive, tally: Tally) -> None:
        self.tally = tally
        self._connection = connection
        self._archive = archive
        self._pending: list[tuple[File, Known | None]] = []
        self._bytes = 0

    def add(self, file: File, known: Known | None) -> None:
        """Take a row; it is written now or later, if it says anything new."""
        if compare.says_the_same(known, file):
            return
        self._pending.append((file, known))
        self._bytes += file.size or 0
        if len(self._pending) >= BATCH_FILES or self._bytes >= BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what there is, in one transaction."""
        pending, self._pending, self._bytes = self._pending, [], 0
        if not pending:
            return
        banned = {
            known.sha256: file.rule
            for file, known in pending
            if file.rule is not None and known is not None and known.sha256 is not None
            if file.rule.startswith("content:") and compare.same_file(file, known)
        }
        with self._connection.transaction():
            new = ledger.write_files(
                self._connection, self._archive.archive_id, [file for file, _ in pending]
            )
            if banned:
                ledger.exclude_copies(self._connection, banned)
        self._count(pending, new)

    def _count(self, written: list[tuple[File, Known | None]], new: set[str]) -> None:
        added = [file.sha256 for file, known in written if known is None and file.sha256 is not None]
        self.tally.added += sum(known is None for _, known in written)
        self.tally.revived += sum(known is not None and known.missing for _, known in written)
        self.tally.changed += sum(known is not None and not known.missing for _, known in written)
        self.tally.moved += len(added) - len(new.intersection(added))
        self.tally.documents += len(new)


class Openers:
    """Has files opened by threads, in tasks of neighbouring files; the findings come back in order."""

    def __init__(self, root: int, workers: int, writer: Writer, on_progress: OnProgress) -> None:
        self.writer = writer
        self._root = root
        self._on_progress = on_progress
        self._stop = threading.Event()
        self._most = 8 * workers  # tasks under way: enough that no thread waits while rows are written
        self._pool = ThreadPoolExecutor(workers, "mnemo-hash")
        self._task: list[tuple[Candidate, Known | None]] = []
        self._bytes = 0
        self._running: deque[
            tuple[list[tuple[Candidate, Known | None]], Future[tuple[list[Finding], float]]]
        ] = deque()
        self._quick = False  # what the last task of small files was

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_rest: object) -> None:
        try:
            if error is None:
                self._submit()
                while self._running:
                    self._take()
        finally:
            self._stop.set()
            self._pool.shutdown(cancel_futures=True)

    def add(self, candidate: Candidate, known: Known | None) -> None:
        """Have a file opened; what it is reaches the writer later."""
        self._task.append((candidate, known))
        self._bytes += candidate.size or 0
        if len(self._task) >= TASK_FILES or self._bytes >= TASK_BYTES:
            self._submit()
            while len(self._running) > self._most:
                self._take()

    def _submit(self) -> None:
        task, size, self._task, self._bytes = self._task, self._bytes, [], 0
        if not task:
            return
        small = size < QUICK_BYTES * len(task)
        jobs = [Job(candidate.path, compare.head_only(candidate, known)) for candidate, known in task]
        done: Future[tuple[list[Finding], float]]
        if small and self._quick:
            done = Future()
            done.set_result(_examine(self._root, jobs, self._stop))
        else:
            done = self._pool.submit(_examine, self._root, jobs, self._stop)
        self._running.append((task, done))

    def _take(self) -> None:
        task, done = self._running.popleft()
        findings, seconds = done.result()
        tally = self.writer.tally
        for (candidate, known), finding in zip(task, findings, strict=True):
            if finding.outcome == "gone":
                continue  # since the walk: the next scan finds it missing
            tally.hashed += finding.sha256 is not None
            self.writer.add(compare.after_opening(candidate, known, finding), known)
        if sum(candidate.size or 0 for candidate, _ in task) < QUICK_BYTES * len(task):
            self._quick = seconds < QUICK_SECONDS * len(task)
        tally.opened += len(task)
        self._on_progress("hash", tally.opened, None)


def _examine(root: int, jobs: list[Job], stop: threading.Event) -> tuple[list[Finding], float]:
    """Open files; and the seconds it took."""
    began = time.perf_counter()
    return examine(root, jobs, stop), time.perf_counter() - began
