"""From a document's chunks to its rows of a generation: what the recipe found in them, merged and stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mnemo_assets.database import Connection, queries
from mnemo_assets.extractions import store as extractions
from mnemo_assets.graph import store
from mnemo_assets.graph.merge import ChunkExtraction, Contribution, merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mnemo_assets.extractions.extractor import Extraction
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
    values = {"document_ids": list(document_ids), "extractor_id": generation.extractor_id, "again": again}
    found = {row["content_sha256"]: row["text"] for row in connection.execute(Q["missing_contents"], values)}
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
    rows = connection.execute(Q["document_chunks"], {"document_id": document["document_id"]}).fetchall()
    hashes = extractions.known(
        connection, generation.extractor_id, sorted({row["content_sha256"] for row in rows})
    )
    done = [
        ChunkExtraction(
            row["ordinal"], row["start_offset"], row["text"], hashes[row["content_sha256"]].extraction
        )
        for row in rows
        if row["content_sha256"] in hashes
    ]
    whole = sum(row["content_sha256"] in hashes and hashes[row["content_sha256"]].is_whole for row in rows)
    quoted = list(zip(document["quoted"][::2], document["quoted"][1::2], strict=True))
    contribution = merge(done, document["page_starts"], generation.aliases, quoted)
    return Merged(contribution, len(rows), len(rows) - whole, len(rows) - len(done))


def finish(connection: Connection, generation: Generation) -> None:
    """Choose the names that may be others now, and remove entities that nobody mentions any more."""
    while True:
        with connection.transaction():
            if not store.finish(connection, generation.generation):
                return
