"""Pure: the recipes `llm:MODEL`: from what a model answered about a text and its parts, its extraction.

A text is asked about whole. Where the reply was cut off or ran away, or the text is too long for the context,
its halves are asked about instead, and their halves. What all parts say is then looked for in the whole text:
so what two parts both say is said once, and a name that the cut went through is found whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mnemo_assets.extractions import recipes
from mnemo_assets.extractions.dropped import bounded, count
from mnemo_assets.extractions.extractor import Extraction
from mnemo_assets.extractions.ground import ground
from mnemo_assets.extractions.parse import CUT_OFF, RUNAWAY, TOO_LONG, Parsed, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mnemo_assets.extractions.dropped import Dropped
    from mnemo_assets.extractions.parse import StoredReply
    from mnemo_assets.extractions.request import Request, Template

#: Rises when the same replies may give another extraction; the graph is then made anew, without a request.
VERSION: Final = recipes.MODEL_VERSION

#: Halves of halves: a part of 6,000 characters is then 400 long, and is divided no more.
_DEEPEST: Final = 4
#: Faults that a shorter text may not have, and how often a text is divided for them. A model that runs away
#: on a half as well does so at great length, and would on all.
_MENDED: Final = {CUT_OFF: _DEEPEST, TOO_LONG: _DEEPEST, RUNAWAY: 1}
#: An answer whose list is full of a few items said again and again ran away within its bounds.
_REPEATED: Final = 3


@dataclass(frozen=True, slots=True)
class Resolved:
    """What is known of a text.

    Attributes:
        extraction: of all parts that could be done; offsets are the text's. Empty while something is missing.
        fault: of the first part that could not be done, one of `parse.FAULTS`; None if all could.
        dropped: what the model said and is not believed.
        pieces: parts that the text was asked about in, which count: 1 if it was not divided.
        missing: what is to be asked, in the order of the text.
        failed: parts that could not be done.
        faulty: keys of the replies about them, to be asked for again if anything is.
    """

    extraction: Extraction
    fault: str | None = None
    dropped: tuple[Dropped, ...] = ()
    pieces: int = 1
    missing: tuple[Request, ...] = ()
    failed: int = 0
    faulty: tuple[str, ...] = ()

    @property
    def ungrounded(self) -> int:
        """Names that stand nowhere in the text."""
        return count(self.dropped, "ungrounded", "entity")

    @property
    def malformed(self) -> int:
        """Items that are no entity and no relation."""
        return count(self.dropped, "malformed")


@dataclass(slots=True)
class _Reading:
    """A text, while its replies are read."""

    template: Template
    replies: Mapping[str, StoredReply]
    parts: list[Parsed] = field(default_factory=list)
    missing: dict[str, Request] = field(default_factory=dict)
    faulty: list[str] = field(default_factory=list)

    def read(self, text: str, depth: int = 0, runaways: int = 0) -> None:
        """Read the reply about a part of the text; or about its halves, if that one is of no use."""
        parsed = self._parsed(text)
        if parsed is None:
            return
        divided = runaways if parsed.fault == RUNAWAY else depth
        if parsed.fault in _MENDED and divided < _MENDED[parsed.fault] and depth < _DEEPEST:
            halves = self.template.halves(text)
            if halves is not None:
                for start, end in halves:
                    self.read(text[start:end], depth + 1, runaways + (parsed.fault == RUNAWAY))
                return
        self.parts.append(parsed)
        if parsed.fault is not None and (key := self.template.request(text).key) in self.replies:
            self.faulty.append(key)

    def _parsed(self, text: str) -> Parsed | None:
        """What the reply says, if there is one; what cannot be asked is too long."""
        if not self.template.fits(text):
            return Parsed(fault=TOO_LONG)
        request = self.template.request(text)
        reply = self.replies.get(request.key)
        if reply is None:
            self.missing[request.key] = request
            return None
        if self.template.is_cut(text, reply.prompt_tokens):
            return Parsed(fault=TOO_LONG)
        parsed = parse(reply)
        fault = parsed.fault or self._fault_of_full(parsed)
        return Parsed(parsed.entities, parsed.relations, parsed.dropped, fault, parsed.listed)

    def _fault_of_full(self, parsed: Parsed) -> str | None:
        """A list as long as the server lets it be ends there, whatever else there was to say."""
        if self.template.answer_format == "none":
            return None
        kept = (len(parsed.entities), len(parsed.relations))
        for said, most, different in zip(parsed.listed, self.template.most, kept, strict=True):
            if said >= most:
                return RUNAWAY if different * _REPEATED <= said else CUT_OFF
        return None


def resolve(template: Template, text: str, replies: Mapping[str, StoredReply]) -> Resolved:
    """What the replies that there are say about a text, and which requests are still to be made.

    Ask what is missing, keep the replies, and resolve again: at most five times. The same replies give the
    same result, whatever else there is among them.

    Args:
        template: what is sent with each text.
        text: a chunk.
        replies: key of a request -> the reply to it.
    """
    reading = _Reading(template, replies)
    reading.read(text)
    if reading.missing:
        return Resolved(Extraction((), ()), missing=tuple(reading.missing.values()))
    parts = reading.parts
    said = Parsed(
        tuple(dict.fromkeys(named for part in parts for named in part.entities)),
        tuple(dict.fromkeys(stated for part in parts for stated in part.relations)),
        bounded(item for part in parts for item in part.dropped),
    )
    grounded = ground(text, said)
    faults = [part.fault for part in parts if part.fault is not None]
    return Resolved(
        grounded.extraction,
        next(iter(faults), None),
        grounded.dropped,
        pieces=len(parts),
        failed=len(faults),
        faulty=tuple(dict.fromkeys(reading.faulty)),
    )
