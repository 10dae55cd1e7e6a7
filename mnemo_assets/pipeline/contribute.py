"""From a document's chunks to its rows of a generation: what the recipe found in them, merged and stored."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mnemo_assets.database import Connection, queries
from mnemo_assets.extractions import store as extractions
from mnemo_assets.graph import store
from mnemo_assets.pipeline import gather

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mnemo_assets.extractions.extractor import Extraction
    from mnemo_assets.graph.merge import Contribution
    from mnemo_assets.pipeline.generations import Generation
    from mnemo_assets.pipeline.workshop import Failure

Q = queries("mine")

#: Which documents to mine although they do not wait; with "merge" from what was extracted before, and with
#: "stored" only those that wait and can be.
Again: TypeAlias = Literal["failed", "merge", "stored", "all"]
#: Extractions that are committed at once: what a killed run loses at most of a slow recipe's work.
BATCH = 16


@dataclass(frozen=True, slots=True)
class Merged:
    """A document's rows, and how many of its chunks could not be mined, or not all of them.

    Of `chunks_empty` of them nothing could be.
    """

    contribution: Contribution
    chunks: int
    chunks_failed: int
    chunks_empty: int

    @property
    def is_failed(self) -> bool:
        """Whether nothing could be mined of a document that has text."""
        return 0 < self.chunks == self.chunks_empty


def missing(
    connection: Connection,
    generation: Generation,
    document_ids: Sequence[int],
    besides: Iterable[str] = (),
    again: Again | None = None,
) -> dict[str, str]:
    """The texts that a generation's recipe was not given yet: sha256 -> text.

    Args:
        connection: the owner's.
        generation: whose recipe.
        document_ids: whose chunks.
        besides: contents that are being extracted at this moment.
        again: with it also what failed, or all; or nothing.
    """
    each = missing_of_each(connection, generation, document_ids, again)
    found = {content: text for texts in each.values() for content, text in texts.items()}
    for content in besides:
        found.pop(content, None)
    return found


def missing_of_each(
    connection: Connection, generation: Generation, document_ids: Sequence[int], again: Again | None = None
) -> dict[int, dict[str, str]]:
    """As `missing`, for each document that lacks some: document_id -> sha256 -> text."""
    values = {"document_ids": list(document_ids), "extractor_id": generation.extractor_id, "again": again}
    found: dict[int, dict[str, str]] = {}
    for row in connection.execute(Q["missing_of_each"], values):
        found.setdefault(row["document_id"], {})[row["content_sha256"]] = row["text"]
    return found


def keep(
    connection: Connection,
    generation: Generation,
    results: Iterable[tuple[str, Extraction | Failure]],
    *,
    again: bool = False,
) -> None:
    """Store extractions as they come, some in a transaction; with `again` over those that are there."""
    some: dict[str, Extraction | Failure] = {}
    for content, result in results:
        some[content] = result
        if len(some) >= BATCH:
            extractions.store(connection, generation.extractor_id, some, again=again)
            some = {}
    extractions.store(connection, generation.extractor_id, some, again=again)


def merged(connection: Connection, generation: Generation, document: Mapping[str, Any]) -> Merged:
    """Merge what was found in a document's chunks, each of which the recipe was given.

    Args:
        connection: the owner's.
        generation: whose recipe.
        document: its document_id, page_starts and quoted.
    """
    values = {"document_ids": [document["document_id"]], "extractor_id": generation.extractor_id}
    chunks = connection.execute(Q["extracted_chunks"], values).fetchall()
    outcomes = Counter(chunk["outcome"] for chunk in chunks)
    whole, partly = outcomes["done"], outcomes["split"]
    contribution = gather.merged(document, chunks, generation.aliases)
    return Merged(contribution, len(chunks), len(chunks) - whole, len(chunks) - whole - partly)


def finish(connection: Connection, generation: Generation) -> None:
    """Choose the names that may be others now, and remove entities that nobody mentions any more."""
    while True:
        with connection.transaction():
            if not store.finish(connection, generation.generation):
                return
