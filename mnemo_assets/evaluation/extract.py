"""The sample's chunks, extracted by a recipe as production does it, and how long that takes.

A chunk's text is extracted once, whatever documents of the sample hold it. What a model was asked before is
not asked again, and what it took then is what it takes: the calls are kept with their milliseconds.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Final

from mnemo_assets.database import Connection, queries
from mnemo_assets.evaluation.findings import Extracted
from mnemo_assets.extractions import dropped, from_llm, replies
from mnemo_assets.extractions.extractor import Extraction
from mnemo_assets.pipeline.asking import NO_REPLY, Ask, Failed, Pump
from mnemo_assets.pipeline.workshop import Failure, Workshop

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mnemo_assets.evaluation.seats import Seat
    from mnemo_assets.extractions.from_llm import Resolved
    from mnemo_assets.extractions.parse import StoredReply
    from mnemo_assets.extractions.request import Request, Template
    from mnemo_assets.pipeline.progress import OnProgress

Q = queries("evaluation")

_NOTHING: Final = Extraction((), ())
#: Extracted before the clock runs: the first text pays for the recipe's models.
_WARMING: Final = {"": "Ann Miller works for Nordwind Ltd."}


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk of the sample."""

    document_id: int
    text: str
    content_sha256: str


def chunks(connection: Connection, document_ids: Sequence[int]) -> list[Chunk]:
    """The chunks of documents, in order."""
    rows = connection.execute(Q["sampled_chunks"], {"document_ids": list(document_ids)})
    return [Chunk(**row) for row in rows]


def by_rules(recipe: str, sampled: Sequence[Chunk], on_progress: OnProgress) -> dict[str, Extracted]:
    """What a recipe without a model finds, in this process, one text after the other: content -> extracted.

    Args:
        recipe: its name.
        sampled: the sample's chunks.
        on_progress: is told how many texts of how many are done.

    Raises:
        RecipeError: it is not installed.
    """
    texts = {chunk.content_sha256: chunk.text for chunk in sampled}
    found = {}
    with Workshop(recipe) as workshop:
        list(workshop.begin(_WARMING))
        began = perf_counter()
        for content, result in workshop.begin(texts):
            took = 1000 * (perf_counter() - began)
            extraction = _NOTHING if isinstance(result, Failure) else result
            failed = isinstance(result, Failure)
            found[content] = Extracted(texts[content], content, extraction, 0, failed, took)
            on_progress(f"extract {recipe}", len(found), len(texts))
            began = perf_counter()
    return found


@dataclass(slots=True)
class _Text:
    """A text on its way through a model: what was asked about it, and what came of that."""

    chunk: Chunk
    known: Mapping[str, StoredReply]
    answers: dict[str, StoredReply] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    resolved: Resolved | None = None

    def go_on(self, template: Template) -> list[Request]:
        """Make what can be made of the answers; what has to be asked for more."""
        new: list[Request] = []
        while True:
            self.resolved = from_llm.resolve(template, self.chunk.text, self.answers)
            missing = [one for one in self.resolved.missing if one.key not in self.asked]
            self.asked.update(one.key for one in missing)
            stored = {one.key: self.known[one.key] for one in missing if one.key in self.known}
            new += [one for one in missing if one.key not in stored]
            if not stored:
                return new
            self.answers |= stored

    def extracted(self, milliseconds: Mapping[str, int]) -> Extracted:
        """What came of it: of a text of which a part could not be done, what the others gave."""
        assert self.resolved is not None
        return Extracted(
            self.chunk.text,
            self.chunk.content_sha256,
            self.resolved.extraction,
            dropped.count(self.resolved.dropped, "ungrounded", "entity"),
            self.resolved.fault is not None,
            sum(milliseconds.get(key, 0) for key in self.asked),
        )


def by_model(
    connection: Connection, seat: Seat, recipe: str, sampled: Sequence[Chunk], on_progress: OnProgress
) -> dict[str, Extracted]:
    """What a model finds: content -> extracted.

    Args:
        connection: the owner's, in autocommit mode.
        seat: the model.
        recipe: its name, under which the calls are counted.
        sampled: the sample's chunks.
        on_progress: is told how many texts of how many are done.

    Raises:
        EndpointDownError, LeaseLostError: what was answered until then is kept.
    """
    first = {chunk.content_sha256: chunk for chunk in reversed(sampled)}
    known = replies.about(connection, first)
    texts = [_Text(chunk, known[content]) for content, chunk in reversed(first.items())]
    run = _Run(seat, recipe, on_progress, len(texts))
    for text in texts:
        run.go_on(text)
    if run.turns:
        run.ask(connection)
    keys = [key for text in texts for key in text.asked]
    rows = connection.execute(Q["latest_calls"], {"hashes": keys})
    milliseconds = {row["request_hash"]: row["milliseconds"] for row in rows}
    return {text.chunk.content_sha256: text.extracted(milliseconds) for text in texts}


@dataclass(slots=True)
class _Run:
    """Texts on their way, and requests that wait their turn: of a text that is under way first."""

    seat: Seat
    recipe: str
    on_progress: OnProgress
    total: int
    done: int = 0
    turns: deque[Ask] = field(default_factory=deque)
    waiting: defaultdict[str, list[_Text]] = field(default_factory=lambda: defaultdict(list))
    open: dict[int, int] = field(default_factory=dict)  # requests that a text waits for, by its identity

    def go_on(self, text: _Text, *, urgent: bool = False) -> None:
        """Have asked what a text still lacks."""
        new = text.go_on(self.seat.template)
        for request in new:
            if request.key not in self.waiting:
                ask = Ask(request, text.chunk.content_sha256, text.chunk.document_id)
                self.turns.insert(0 if urgent else len(self.turns), ask)
            self.waiting[request.key].append(text)
        left = self.open.get(id(text), 0) + len(new)
        self.open[id(text)] = left
        if not left:
            self.done += 1
            self.on_progress(f"extract {self.recipe}", self.done, self.total)

    def ask(self, connection: Connection) -> None:
        """Ask until no text lacks anything that can be had."""
        session = self.seat.session
        with Pump(connection, session.endpoint, self.recipe, session.way) as pump:
            while self.turns or pump.in_hand:
                while self.turns and pump.is_hungry:
                    pump.submit(self.turns.popleft())
                ask, answer = pump.next()
                for text in self.waiting.pop(ask.request.key):
                    self.open[id(text)] -= 1
                    text.answers[ask.request.key] = NO_REPLY if isinstance(answer, Failed) else answer
                    self.go_on(text, urgent=True)
