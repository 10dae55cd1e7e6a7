"""Work on several connections at once: while one waits for the database, another one's rows are made."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, Generic, Self, TypeVar

from mnemo_assets import database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from types import TracebackType

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

Job = TypeVar("Job")
Result = TypeVar("Result")

#: More only wait for each other: Python makes rows one at a time, and the server slows down where several
#: transactions refer to the same entities. Measured by tests/bench/bench_activate.py.
MOST: Final = 2


class Lanes(Generic[Job, Result]):
    """A context in which jobs are done, each on a connection of its own; results come back in order.

    Args:
        work: does a job with a connection that nobody else uses meanwhile, in autocommit mode.
        connection: is used by itself where one lane is enough.
        settings: of the same database.
        number: how many lanes there are.
    """

    def __init__(
        self,
        work: Callable[[Connection, Job], Result],
        connection: Connection,
        settings: Settings,
        number: int,
    ) -> None:
        self._work = work
        self._connection = connection
        self._settings = settings
        self._number = min(number, MOST)
        self._free: SimpleQueue[Connection] = SimpleQueue()
        self._running: deque[Future[Result]] = deque()
        self._open = ExitStack()
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        if self._number > 1:
            for _ in range(self._number):
                self._free.put(self._open.enter_context(closing(database.connect(self._settings))))
            self._pool = ThreadPoolExecutor(self._number, "mnemo-lane")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._open.close()

    def begin(self, job: Job) -> Iterator[Result]:
        """Have a job done; the results of those before it that there have to be by now."""
        if self._pool is None:
            yield self._work(self._connection, job)
            return
        self._running.append(self._pool.submit(self._do, job))
        while len(self._running) > self._number:  # one more than can be done: no lane waits for its next job
            yield self._take()

    def end(self) -> Iterator[Result]:
        """The results of all jobs that are under way."""
        while self._running:
            yield self._take()

    def _take(self) -> Result:
        return self._running.popleft().result()

    def _do(self, job: Job) -> Result:
        connection = self._free.get()
        try:
            return self._work(connection, job)
        finally:
            self._free.put(connection)
