"""Requests to a model: as many in flight as it has slots, each reply kept before anything is made of it.

A request that fails is sent again after a while, and others take its slot meanwhile. If it failed for the
last time, one of a single token tells whether the endpoint is there: if so the request is the one that
failed, if not the run stops, and nothing has failed.
"""

from __future__ import annotations

import heapq
import itertools
import queue
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, Self, TypeAlias

import psycopg

from mnemo_assets.errors import EndpointDownError, NoReplyError
from mnemo_assets.extractions import replies
from mnemo_assets.extractions.parse import StoredReply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Any

    from mnemo_assets.database import Connection
    from mnemo_assets.extractions.request import Request

#: In memory alone: what stands for the reply that a request did not get.
NO_REPLY: Final = StoredReply("", "", "failed", None, None)
#: Seconds before the second, third and fourth attempt: a server that loads its model, or starts again, is
#: there.
PAUSES: Final = (5.0, 15.0, 45.0)
#: Seconds that the request of one token may take: a busy server has a long prompt of somebody's before it.
PROBING: Final = 60.0
#: Seconds of waiting after which it is looked whether there is somebody to wait for.
LOOKING: Final = 10.0
#: Requests that wait for their next attempt, a slot: with more the endpoint is as good as down.
PAUSED: Final = 4
#: Requests that wait their turn, a slot: none idles while the next document is looked up.
AHEAD: Final = 2
#: Seconds that a slot may take to end: what it has in flight fails when the endpoint is closed.
ENDING: Final = 10.0
#: How often a request may find its model gone, and have it loaded again, before that counts as an attempt.
EVICTIONS: Final = 5


class Asked(Protocol):
    """What the pump needs of an endpoint: see `llm.Endpoint`."""

    @property
    def model(self) -> str:
        """What the endpoint calls it."""

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        max_tokens: int,
        seconds: float,
        *,
        response_format: Mapping[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401 - llm.Reply
        """Ask once."""

    def is_answering(self, seconds: float) -> bool:
        """Whether it answers a request of one token."""

    def cut_if_gone(self) -> bool:
        """End what is in flight if nobody takes connections any more."""

    def close(self) -> None:
        """End it; requests in flight fail at once."""


class Held(Protocol):
    """A lease: see `gpu.Lease`."""

    def check(self) -> None:
        """Raise LeaseLostError if it is not ours any more."""

    def restore(self) -> bool:
        """Load the model again if it is gone; returns whether that was so."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request, about which content, for the sake of which document."""

    request: Request
    content_sha256: str
    document_id: int | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """A request that no reply came of, although the endpoint answers others: the class of what went wrong."""

    error_class: str


Answer: TypeAlias = "tuple[Ask, StoredReply | Failed]"


@dataclass(slots=True)
class _Attempt:
    ask: Ask
    attempts: int = 0
    evictions: int = 0
    seconds: float = 0.0
    failure: str = ""


@dataclass(frozen=True, slots=True)
class _Ended:
    """What became of an attempt: a reply, a failure for good, or something that ends the run."""

    attempt: _Attempt
    reply: StoredReply | None = None
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """How requests are sent.

    Attributes:
        slots: requests in flight at once.
        seconds: that one may take.
        lease: is checked before each request, and has the model loaded again where it is gone.
        pauses: seconds before each further attempt.
    """

    slots: int
    seconds: float
    lease: Held | None = None
    pauses: tuple[float, ...] = PAUSES


class Pump:
    """A context in which requests are in flight; used from one thread, which owns the connection.

    Args:
        connection: in autocommit mode; it has no transaction open while a request is awaited.
        endpoint: is closed at the end.
        recipe: under which the calls are counted.
        way: how they are sent.

    Attributes:
        in_hand: requests that have not ended.
        on_wait: is called now and then while one is awaited: it may use the connection.
    """

    def __init__(self, connection: Connection, endpoint: Asked, recipe: str, way: Way) -> None:
        self._connection = connection
        self._endpoint = endpoint
        self._recipe = recipe
        self._way = way
        self._turns = _Turns()
        self._ended: queue.SimpleQueue[_Ended] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, name=f"slot-{n}", daemon=True) for n in range(way.slots)
        ]
        self.in_hand = 0
        self.on_wait: Callable[[], None] = lambda: None

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._turns.close()
        self._endpoint.close()
        until = time.monotonic() + ENDING
        for thread in self._threads:  # one that loads a model is not waited for: it asks nothing any more
            thread.join(max(0.0, until - time.monotonic()))
        self._keep_rest()

    def _keep_rest(self) -> None:
        """Keep what was answered and nobody has heard: whoever goes on need not ask for it."""
        with suppress(queue.Empty, psycopg.Error):
            while not self._connection.closed:
                ended = self._ended.get_nowait()
                if ended.reply is not None:
                    self._keep(ended.attempt, ended.reply)

    def _keep(self, attempt: _Attempt, reply: StoredReply) -> None:
        ask = attempt.ask
        call = self._call(attempt)
        replies.keep(self._connection, call, self._endpoint.model, ask.content_sha256, reply)

    def _call(self, attempt: _Attempt) -> replies.Call:
        """What an attempt that has ended cost."""
        return replies.Call(
            attempt.ask.request.key,
            self._recipe,
            attempt.ask.document_id,
            round(1000 * attempt.seconds),
            attempt.attempts,
        )

    @property
    def is_hungry(self) -> bool:
        """Whether more requests would keep a slot from idling."""
        waiting, paused = self._turns.sizes()
        return waiting < AHEAD * self._way.slots and paused < PAUSED * self._way.slots

    def submit(self, ask: Ask) -> None:
        """Have a request sent when a slot is free."""
        self.in_hand += 1
        self._turns.put(_Attempt(ask))

    def next(self) -> Answer:
        """Wait for a request that was submitted to end; its reply is kept by then.

        Raises:
            EndpointDownError: the endpoint does not answer any more.
            LeaseLostError: the lease is another's.
        """
        while True:
            try:
                ended = self._ended.get(timeout=LOOKING)
                break
            except queue.Empty:
                self._endpoint.cut_if_gone()
                self.on_wait()
        if ended.error is not None:
            raise ended.error
        self.in_hand -= 1
        attempt = ended.attempt
        if ended.reply is None:
            replies.count_failure(self._connection, self._call(attempt), attempt.failure)
            return attempt.ask, Failed(attempt.failure)
        self._keep(attempt, ended.reply)
        return attempt.ask, ended.reply

    def _work(self) -> None:
        """One slot: one attempt after the other."""
        while (attempt := self._turns.get()) is not None:
            try:
                ended = self._try(attempt)
            except BaseException as error:  # noqa: BLE001 - whoever waits for it is told, whatever it is
                ended = _Ended(attempt, error=error)
            if ended is not None:
                self._ended.put(ended)

    def _try(self, attempt: _Attempt) -> _Ended | None:
        """Send a request; None if it is to be sent again later."""
        if self._way.lease is not None:
            self._way.lease.check()
        attempt.attempts += 1
        began = time.monotonic()
        request = attempt.ask.request
        try:
            reply = self._endpoint.complete(
                request.messages,
                request.max_tokens,
                self._way.seconds,
                response_format=request.response_format,
            )
        except NoReplyError as error:
            attempt.failure = error.detail
        except EndpointDownError as error:
            if error.is_final:
                raise
            attempt.failure = "down"
        else:
            attempt.seconds += time.monotonic() - began
            finish = "content_filter" if reply.refused else reply.finish_reason
            return _Ended(
                attempt, StoredReply(reply.text, reply.reasoning, finish, reply.prompt_tokens, reply.tokens)
            )
        attempt.seconds += time.monotonic() - began
        return self._failed(attempt)

    def _failed(self, attempt: _Attempt) -> _Ended | None:
        if self._turns.is_closed:  # it was ended with the run
            return None
        if self._was_evicted(attempt):
            self._turns.put(attempt)
            return None
        if attempt.attempts <= len(self._way.pauses):
            self._turns.put(attempt, self._way.pauses[attempt.attempts - 1])
            return None
        if not self._endpoint.is_answering(PROBING):
            raise EndpointDownError(
                "The endpoint of MNEMO_LLM_URL does not answer any more. What was done is kept: start it, "
                "and the same command goes on."
            )
        return _Ended(attempt)

    def _was_evicted(self, attempt: _Attempt) -> bool:
        """Whether the model was gone, and is there again: that was no fault of the request's."""
        if self._way.lease is None or attempt.evictions >= EVICTIONS:
            return False
        try:
            if not self._way.lease.restore():
                return False
        except (EndpointDownError, NoReplyError):
            return False
        attempt.evictions += 1
        attempt.attempts -= 1
        return True


@dataclass(slots=True)
class _Turns:
    """Attempts in the order in which they are due."""

    _due: list[tuple[float, int, _Attempt]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    is_closed: bool = False

    def put(self, attempt: _Attempt, pause: float = 0.0) -> None:
        with self._changed:
            heapq.heappush(self._due, (time.monotonic() + pause, next(self._numbers), attempt))
            self._changed.notify()

    def get(self) -> _Attempt | None:
        """Wait for the next attempt that is due; None if there will be none."""
        with self._changed:
            while not self.is_closed:
                wait = self._due[0][0] - time.monotonic() if self._due else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._due)[2]
                self._changed.wait(wait)
        return None

    def sizes(self) -> tuple[int, int]:
        """How many attempts are due, and how many will be later."""
        now = time.monotonic()
        with self._changed:
            paused = sum(due > now for due, _, _ in self._due)
            return len(self._due) - paused, paused

    def close(self) -> None:
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()


def ask(
    connection: Connection, endpoint: Asked, asks: Iterable[Ask], recipe: str, way: Way
) -> Iterator[Answer]:
    """Ask a model; what was asked before is answered from what is kept.

    Args:
        connection: in autocommit mode.
        endpoint: is closed at the end.
        asks: the requests; the same one twice is sent once.
        recipe: under which the calls are counted.
        way: how they are sent.

    Yields:
        Each request with its reply, or why there is none, in any order.

    Raises:
        EndpointDownError, LeaseLostError: as `Pump.next`.
    """
    left = {each.request.key: each for each in asks}
    known = replies.to_requests(connection, left)
    for key, reply in known.items():
        yield left.pop(key), reply
    if not left:
        return
    waiting = list(left.values())[::-1]
    with Pump(connection, endpoint, recipe, way) as pump:
        while waiting or pump.in_hand:
            while waiting and pump.is_hungry:
                pump.submit(waiting.pop())
            yield pump.next()
