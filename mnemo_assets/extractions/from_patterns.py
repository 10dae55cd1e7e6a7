"""The recipe `patterns`: no model, a dozen patterns and three short lists. Precision comes first.

1 dates, 2 mail headers and "Name <address>", 3 salutations, 4 sign-offs, 5 labels such as "Attn:",
6 titles, 7 middle initials, 8 speakers, 9 first names, 10 companies by legal form, 11 institutions by kind,
12 postal addresses and the name above them, 13 listed places and organisations, 14 the sentences of
`relations`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_assets import dates
from mnemo_assets.extractions import companies, filters, headers, letters, people, places, recipes, relations
from mnemo_assets.extractions.candidates import GUESSED, STATED, Candidate, choose
from mnemo_assets.extractions.extractor import Extraction
from mnemo_assets.extractions.spelling import RUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Patterns:
    """An extractor that needs nothing but its rules."""

    name = "patterns"
    version = recipes.version("patterns")

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """One extraction a text, in order."""
        return [combine(text, propose(text)) for text in texts]


def propose(text: str) -> Iterator[Candidate]:
    """What the patterns find, unfiltered and overlapping."""
    for found in (headers.find, letters.find, people.find, companies.find, places.find):
        yield from found(text)
    for run in RUN.finditer(text):
        tokens = places.tokens_of(run)
        company = companies.by_last_word(text, tokens)
        if company:
            yield company
        yield from places.by_list(text, tokens)
        yield from people.by_first_name(text, tokens)


def combine(text: str, proposals: Iterable[Candidate]) -> Extraction:
    """Add dates and the sentences' own proposals, filter, choose, and relate what is chosen."""
    statements = relations.find(text)
    told: dict[tuple[int, int], tuple[str, ...]] = {}
    found = [Candidate("Date", date.start, date.end, STATED + 1) for date in dates.find(text)]
    for proposal, types in relations.propose(text, statements):
        for kept in _filtered(text, proposal):
            told[kept.start, kept.end] = types
            found.append(kept)
    for proposal in proposals:
        found += (
            kept
            for kept in _filtered(text, proposal)
            # what the sentence says is surer than the model: "Meridian" of "CEO of Meridian" is no place
            if kept.sure > GUESSED or kept.type in told.get((kept.start, kept.end), (kept.type,))
        )
    entities = choose(text, found)
    return Extraction(entities, relations.relate(text, statements, entities))


def _filtered(text: str, proposal: Candidate) -> Iterator[Candidate]:
    trimmed = filters.trim(text, proposal.start, proposal.end)
    if trimmed and filters.is_name(text, *trimmed, proposal.type):
        yield Candidate(proposal.type, *trimmed, proposal.sure, proposal.role)
