"""Documents mined by a model: requests in flight across documents, so that no slot idles while work waits.

One connection, and no transaction open while a request is awaited. What a model answered is kept as it
comes, what it says of a text when all parts of the text have ended, a document when all its texts have. A
stop at any instant loses the requests that were in flight.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mnemo_assets.extractions import from_llm, replies, store
from mnemo_assets.graph import store as graph
from mnemo_assets.pipeline import asking, contribute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mnemo_assets.database import Connection
    from mnemo_assets.extractions.from_llm import Resolved
    from mnemo_assets.extractions.parse import StoredReply
    from mnemo_assets.extractions.request import Template
    from mnemo_assets.pipeline.claims import Claimant
    from mnemo_assets.pipeline.generations import Generation

#: Documents claimed at once: enough to look ahead, few enough to leave others some.
BATCH: Final = 8
#: Seconds between renewals of the claims: a long document outlives a claim.
RENEWING: Final = 300.0

#: A claimed document.
Row: TypeAlias = "dict[str, Any]"


@dataclass(slots=True)
class _Text:
    """A text that is being asked about, whole or in parts."""

    content: str
    text: str
    replies: dict[str, StoredReply]
    documents: set[int] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)  # requests that have not ended
    failure: str | None = None  # of a request that no reply came of


@dataclass(slots=True)
class Drain:
    """One process's share of the documents that wait, for one generation.

    Attributes:
        connection: the owner's, in autocommit mode.
        generation: whose recipe asks a model.
        claimant: of the documents.
        take: claims the next documents after one, and returns their rows; none when there are no more.
        standing: those of the rows whose documents are still ours, and may still be seen by the model.
        pump: opens the way to the model when the first request has to be sent.
        on_reply: is called whenever a request has ended.
        again: as `mine.mine` has it.
    """

    connection: Connection
    generation: Generation
    claimant: Claimant
    take: Callable[[int], list[Row]]
    standing: Callable[[list[Row]], set[int]]
    pump: Callable[[], asking.Pump]
    on_reply: Callable[[], None]
    again: contribute.Again | None
    _template: Template = field(init=False)
    _open: asking.Pump | None = None
    _texts: dict[str, _Text] = field(default_factory=dict)
    _rows: dict[int, Row] = field(default_factory=dict)
    _waiting: dict[int, set[str]] = field(default_factory=dict)
    _asks: deque[asking.Ask] = field(default_factory=deque)  # not handed on yet
    _asked_again: set[str] = field(default_factory=set)  # contents, with `again`
    _after: int = 0
    _is_over: bool = False
    _renewed: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._template = self.generation.template

    def documents(self) -> Iterator[Row]:
        """The documents of which every text has ended, in the order in which that comes to be.

        Raises:
            EndpointDownError, LeaseHeldError, LeaseLostError: the model cannot be asked; nothing is lost.
        """
        while True:
            while self._open is None or self._open.is_hungry:
                if self._asks:
                    self._hand_on()
                elif self._is_over:
                    break
                else:
                    yield from self._claim()
            if self._open is None or not self._open.in_hand:
                return
            yield from self._hear(*self._open.next())
            self.on_reply()
            self._renew()

    def _claim(self) -> Iterator[Row]:
        """Claim some documents, and ask about their texts; those that wait for nothing have ended."""
        rows = self.take(self._after)
        self._is_over = not rows
        if not rows:
            return
        ids = [row["document_id"] for row in rows]
        self._after = ids[-1]
        texts = contribute.missing_of_each(self.connection, self.generation, ids, self.again)
        new = {content: text for each in texts.values() for content, text in each.items()}
        known = replies.about(self.connection, new.keys() - self._texts.keys()) if new else {}
        for row in rows:
            contents = {
                content: text
                for content, text in texts.get(row["document_id"], {}).items()
                if content not in self._asked_again  # for an earlier document
            }
            self._rows[row["document_id"]] = row
            self._waiting[row["document_id"]] = set(contents)
            for content, text in contents.items():
                self._begin(content, text, known, row["document_id"])
            yield from self._ended(row["document_id"])

    def _begin(
        self, content: str, text: str, known: Mapping[str, dict[str, StoredReply]], document_id: int
    ) -> None:
        """Ask about a text, unless that is being done for another document."""
        if content not in self._texts:
            answered = {} if self.again == "all" else dict(known.get(content, {}))
            self._texts[content] = _Text(content, text, answered)
            if self.again == "failed":
                self._forget_faults(self._texts[content])
            self._texts[content].documents.add(document_id)
            self._go_on(self._texts[content])
        else:
            self._texts[content].documents.add(document_id)

    def _forget_faults(self, one: _Text) -> None:
        """Ask once more what was answered and could not be used."""
        for key in from_llm.resolve(self._template, one.text, one.replies).faulty:
            one.replies.pop(key, None)

    def _go_on(self, one: _Text) -> None:
        """Ask what is still to be asked about a text; if that is nothing, keep what the model says of it."""
        resolved = from_llm.resolve(self._template, one.text, one.replies)
        if not resolved.missing:
            self._keep(one, resolved)
            return
        document_id = min(one.documents)
        for request in resolved.missing:
            one.asked.add(request.key)
            self._asks.append(asking.Ask(request, one.content, document_id))

    def _hand_on(self) -> None:
        """Have the next request sent, unless no document is left for whose sake it may be."""
        pump = self._opened()  # that may have taken its time
        ask = self._asks.popleft()
        one = self._texts[ask.content_sha256]
        self._let_go(one)
        if one.documents:
            pump.submit(ask)
        else:
            one.asked.discard(ask.request.key)
            self._forget(one)

    def _let_go(self, one: _Text) -> None:
        """Let go of a text's documents that went, changed, or moved to where the model may not look."""
        standing = self.standing([self._rows[document_id] for document_id in one.documents])
        for document_id in one.documents - standing:
            del self._rows[document_id]
            for content in self._waiting.pop(document_id):
                self._texts[content].documents.discard(document_id)

    def _forget(self, one: _Text) -> None:
        """Forget a text that no document is left of, once nothing is asked about it any more."""
        if not one.asked:
            del self._texts[one.content]
            graph.forget_unused(self.connection, [one.content])

    def _hear(self, ask: asking.Ask, answer: StoredReply | asking.Failed) -> Iterator[Row]:
        """Take what a request came to; returns documents that have ended by it."""
        one = self._texts[ask.content_sha256]
        one.asked.discard(ask.request.key)
        if isinstance(answer, asking.Failed):
            one.failure = answer.error_class
            answer = asking.NO_REPLY
        one.replies[ask.request.key] = answer
        if one.asked:
            return
        if not one.documents:
            self._forget(one)
            return
        documents = sorted(one.documents)
        self._go_on(one)
        if ask.content_sha256 not in self._texts:
            for document_id in documents:
                yield from self._ended(document_id)

    def _keep(self, one: _Text, resolved: Resolved) -> None:
        """Keep what the model says of a text; its documents wait for it no more."""
        if one.failure is not None:
            resolved = replace(resolved, fault=one.failure)
        store.store_resolved(
            self.connection, self.generation.extractor_id, one.content, resolved, again=self.again == "all"
        )
        graph.forget_unused(self.connection, [one.content])  # its documents may have gone meanwhile
        if self.again is not None:
            self._asked_again.add(one.content)
        for document_id in one.documents:
            self._waiting[document_id].discard(one.content)
        del self._texts[one.content]

    def _ended(self, document_id: int) -> Iterator[Row]:
        if document_id in self._waiting and not self._waiting[document_id]:
            del self._waiting[document_id]
            yield self._rows.pop(document_id)

    def _opened(self) -> asking.Pump:
        if self._open is None:
            self._open = self.pump()
            self._open.on_wait = self._wait
        return self._open

    def _wait(self) -> None:
        """While a slow request is awaited the claims stand, and whoever watches sees the clock."""
        self._renew()
        self.on_reply()

    def _renew(self) -> None:
        if time.monotonic() - self._renewed >= RENEWING:
            self.claimant.renew()
            self._renewed = time.monotonic()
