"""Two recipes side by side, over the texts that both could deal with: on what they agree, and on what not."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mnemo_assets.database import Connection, queries
from mnemo_assets.graph import predicates
from mnemo_assets.graph.merge import Identity
from mnemo_assets.pipeline import extractors, gather
from mnemo_assets.pipeline.generations import find
from mnemo_assets.pipeline.progress import OnProgress, silent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mnemo_assets.graph.merge import Contribution

Q = queries("extractors")

#: Documents whose extractions are in memory at once.
BATCH: Final = 100

#: An entity of a document; and subject, predicate (its words, where it is not canonical) and object.
Related: TypeAlias = tuple[Identity, str, Identity]


@dataclass(frozen=True, slots=True)
class Example:
    """What one recipe found in a document, or both did: an entity, or a relation. For the owner's eyes."""

    document_id: int
    subject: Identity
    predicate: str | None = None
    object: Identity | None = None


@dataclass(slots=True)
class Side:
    """How many, and the first of them."""

    count: int = 0
    examples: list[Example] = field(default_factory=list)

    def add(self, document_id: int, some: Iterable[Identity] | Iterable[Related], limit: int) -> None:
        """Count what was found in a document, each once."""
        for one in sorted(some):
            self.count += 1
            if len(self.examples) < limit:
                said = one if len(one) == 3 else (one, None, None)  # noqa: PLR2004 - see Related
                self.examples.append(Example(document_id, *said))


@dataclass(slots=True)
class Compared:
    """What two recipes made of the same texts. A document says each entity and each relation once.

    Relations are the same with the same canonical predicate, or the same words, between the same entities;
    those that both found, but with their ends the other way round, are `reversed`, and on no other side.
    """

    a: str
    b: str
    documents: int = 0
    chunks: int = 0
    entities_agreed: Side = field(default_factory=Side)
    entities_only_a: Side = field(default_factory=Side)
    entities_only_b: Side = field(default_factory=Side)
    relations_agreed: Side = field(default_factory=Side)
    relations_only_a: Side = field(default_factory=Side)
    relations_only_b: Side = field(default_factory=Side)
    relations_reversed: Side = field(default_factory=Side)


def compare(
    connection: Connection, a: str, b: str, limit: int = 0, on_progress: OnProgress = silent
) -> Compared:
    """Compare two recipes that are stored.

    Args:
        connection: the owner's.
        a: a recipe's name, or its label.
        b: another's.
        limit: examples of each kind.
        on_progress: is told how many documents are done, as step "compare".

    Raises:
        RecipeError: nothing of one of them is stored.
    """
    ids = {"a": extractors.find(connection, a).extractor_id, "b": extractors.find(connection, b).extractor_id}
    active = find(connection, "active")
    aliases = active.aliases if active is not None else {}
    found = Compared(a, b)
    for document, chunks in _documents(connection, ids):
        ours, theirs = (gather.merged(document, _side(chunks, side), aliases) for side in "ab")
        _count(found, document["document_id"], ours, theirs, limit)
        found.documents += 1
        found.chunks += len(chunks)
        on_progress("compare", found.documents, None)
    return found


def _documents(connection: Connection, ids: dict[str, int]) -> Iterator[tuple[gather.Row, list[gather.Row]]]:
    """Documents with the chunks that both recipes could deal with."""
    after = 0
    while True:
        values: dict[str, Any] = {**ids, "after": after, "limit": BATCH}
        rows = {row["document_id"]: row for row in connection.execute(Q["compared_documents"], values)}
        if not rows:
            return
        chunks = connection.execute(Q["compared_chunks"], {**ids, "document_ids": list(rows)})
        for document_id, some in groupby(chunks, lambda chunk: chunk["document_id"]):
            yield rows[document_id], list(some)
        after = max(rows)


def _side(chunks: list[gather.Row], side: str) -> list[gather.Row]:
    return [
        {
            **chunk,
            "outcome": "done",
            "entities": chunk[f"entities_{side}"],
            "relations": chunk[f"relations_{side}"],
        }
        for chunk in chunks
    ]


def _count(found: Compared, document_id: int, a: Contribution, b: Contribution, limit: int) -> None:
    ours, theirs = _entities(a), _entities(b)
    found.entities_agreed.add(document_id, ours & theirs, limit)
    found.entities_only_a.add(document_id, ours - theirs, limit)
    found.entities_only_b.add(document_id, theirs - ours, limit)
    said, heard = _relations(a), _relations(b)
    only_a, only_b = said - heard, heard - said
    turned = {one for one in only_a if one[::-1] in only_b}
    found.relations_agreed.add(document_id, said & heard, limit)
    found.relations_only_a.add(document_id, only_a - turned, limit)
    found.relations_only_b.add(document_id, only_b - {one[::-1] for one in turned}, limit)
    found.relations_reversed.add(document_id, turned, limit)


def _entities(found: Contribution) -> set[Identity]:
    return {(row.type, row.key) for row in found.entities}


def _relations(found: Contribution) -> set[Related]:
    """A document's relations; the ends of a predicate that is its own inverse are in order."""
    related = set()
    for row in found.relations:
        ends = [(found.entities[end].type, found.entities[end].key) for end in (row.subject, row.object)]
        if row.predicate is not None and predicates.RULES[row.predicate].inverse == row.predicate:
            ends.sort()
        said = row.predicate or row.predicate_raw.casefold().replace("_", " ")
        related.add((ends[0], said, ends[1]))
    return related
