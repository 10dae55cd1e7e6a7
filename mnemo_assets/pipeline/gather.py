"""What a recipe found in many documents at once, merged: for who builds a graph, or compares two recipes."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from mnemo_assets.database import Connection, queries
from mnemo_assets.extractions import store
from mnemo_assets.graph.merge import ChunkExtraction, Contribution, Identity, merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Q = queries("mine")

#: A document's document_id, page_starts and quoted; and a row of a query.
Row = dict[str, Any]


def gather(
    connection: Connection, extractor_id: int, documents: Sequence[Row], aliases: Mapping[Identity, str]
) -> Iterator[tuple[Row, Contribution]]:
    """The rows that documents would have in a graph of a recipe.

    A document of which a text was never given to the recipe is left out.

    Args:
        connection: the owner's.
        extractor_id: the recipe, at a version.
        documents: each with its document_id, page_starts and quoted.
        aliases: as for `merge`.
    """
    by_id = {row["document_id"]: row for row in documents}
    values = {"document_ids": list(by_id), "extractor_id": extractor_id}
    chunks = connection.execute(Q["extracted_chunks"], values).fetchall()
    found = {document_id: list(some) for document_id, some in groupby(chunks, lambda row: row["document_id"])}
    for document_id, row in by_id.items():
        some = found.get(document_id, [])
        if all(chunk["outcome"] is not None for chunk in some):
            yield row, merged(row, some, aliases)


def merged(
    document: Mapping[str, Any], chunks: Iterable[Row], aliases: Mapping[Identity, str]
) -> Contribution:
    """Merge a document's chunks, but for those that the recipe was not given, or could make nothing of."""
    done = [
        ChunkExtraction(
            chunk["ordinal"],
            chunk["start_offset"],
            chunk["text"],
            store.extraction(chunk["entities"], chunk["relations"]),
        )
        for chunk in chunks
        if chunk["outcome"] not in {None, "failed"}
    ]
    quoted = list(zip(document["quoted"][::2], document["quoted"][1::2], strict=True))
    return merge(done, document["page_starts"], aliases, quoted)
