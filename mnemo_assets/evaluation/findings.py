"""Pure: what a recipe found in a document, counted so that recipes can be compared.

A recipe that names a person at every mention and one that names them once a chunk found the same: entities
and relations of a document are counted once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemo_assets.graph.names import canonical_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mnemo_assets.extractions.extractor import Entity, Extraction


@dataclass(frozen=True, slots=True)
class Claim:
    """A relation as a judge is shown it: names, their types, and the words that are said to prove it.

    `content_sha256` is of the chunk that the words stand in.
    """

    subject: str
    subject_type: str
    predicate: str
    object: str
    object_type: str
    quote: str
    content_sha256: str


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a recipe made of a chunk.

    Attributes:
        text: the chunk's.
        content_sha256: of it.
        extraction: what was found; nothing where it failed.
        ungrounded: names that it said and that stand nowhere in the text.
        failed: some of it could not be done.
        milliseconds: of work.
    """

    text: str
    content_sha256: str
    extraction: Extraction
    ungrounded: int
    failed: bool
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Found:
    """What a recipe found in a document.

    Attributes:
        entities: different ones.
        claims: different relations.
        names: that it said, in each chunk once, and `grounded` of them stand in it.
        chunks: of the document, and `failed` of them could not be done, or not wholly.
        milliseconds: of work.
    """

    entities: int
    claims: tuple[Claim, ...]
    names: int
    grounded: int
    chunks: int
    failed: int
    milliseconds: float


def of_document(chunks: Iterable[Extracted]) -> Found:
    """Count what was found in a document's chunks."""
    entities: set[tuple[str, str]] = set()
    claims: dict[tuple[object, ...], Claim] = {}
    names = grounded = number = failed = 0
    milliseconds = 0.0
    for chunk in chunks:
        number += 1
        failed += chunk.failed
        milliseconds += chunk.milliseconds
        standing = {_key(entity) for entity in chunk.extraction.entities}
        grounded += len(standing)
        names += len(standing) + chunk.ungrounded
        entities |= standing
        for key, claim in _claims(chunk):
            claims.setdefault(key, claim)
    return Found(len(entities), tuple(claims.values()), names, grounded, number, failed, milliseconds)


def _claims(chunk: Extracted) -> Iterable[tuple[tuple[object, ...], Claim]]:
    """Its relations. Chunks overlap: what stands in the overlap has the same key in both."""
    for relation in chunk.extraction.relations:
        subject, object_ = (chunk.extraction.entities[end] for end in (relation.subject, relation.object))
        quote = chunk.text[relation.start : relation.end]
        key = (_key(subject), relation.predicate.casefold(), _key(object_), quote)
        yield (
            key,
            Claim(
                subject.name,
                subject.type,
                relation.predicate,
                object_.name,
                object_.type,
                quote,
                chunk.content_sha256,
            ),
        )


def _key(entity: Entity) -> tuple[str, str]:
    return entity.type, canonical_key(entity.type, entity.name)
