"""Extractions in the database: one row a (text, recipe), whatever documents hold the text."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from psycopg.types.json import Jsonb

from mnemo_assets.database import Connection, queries
from mnemo_assets.extractions.extractor import Entity, Extraction, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mnemo_assets.extractions.from_llm import Resolved

Q = queries("extractions")


class Failure(Protocol):
    """Why a text has no extraction."""

    @property
    def error_class(self) -> str:
        """The class of what went wrong; never its words."""


def extraction(entities: Iterable[Mapping[str, Any]], relations: Iterable[Mapping[str, Any]]) -> Extraction:
    """An extraction as it was stored."""
    return Extraction(
        tuple([Entity(**entity) for entity in entities]),
        tuple([Relation(**relation) for relation in relations]),
    )


def store(
    connection: Connection,
    extractor_id: int,
    results: Mapping[str, Extraction | Failure],
    *,
    again: bool = False,
) -> None:
    """Write what became of texts. A later result replaces a failure, a failure never replaces an extraction.

    Args:
        connection: the caller's transaction, or one in autocommit mode: it is one statement.
        extractor_id: the recipe, at its version.
        results: sha256 of a text -> what was found in it, or why nothing could be.
        again: a later extraction replaces an earlier one.
    """
    if not results:
        return
    ordered = sorted(results.items())
    done = [(result if isinstance(result, Extraction) else Extraction((), ())) for _, result in ordered]
    errors = [None if isinstance(result, Extraction) else result.error_class for _, result in ordered]
    connection.execute(
        Q["store_extractions"],
        {
            "extractor_id": extractor_id,
            "again": again,
            "hashes": [sha256 for sha256, _ in ordered],
            "outcomes": ["done" if error is None else "failed" for error in errors],
            "error_classes": errors,
            "entities": [Jsonb([asdict(entity) for entity in extraction.entities]) for extraction in done],
            "relations": [
                Jsonb([asdict(relation) for relation in extraction.relations]) for extraction in done
            ],
        },
    )


def store_resolved(
    connection: Connection, extractor_id: int, content_sha256: str, resolved: Resolved, *, again: bool = False
) -> None:
    """Write what a model said of a text. What is done stays, unless it was asked for again and done again.

    Args:
        connection: the caller's transaction, or one in autocommit mode: it is one statement.
        extractor_id: the recipe, at its version.
        content_sha256: of the text.
        resolved: of which nothing is missing.
        again: a later extraction replaces an earlier one.
    """
    extraction = resolved.extraction
    partly = "split" if extraction.entities or resolved.failed < resolved.pieces else "failed"
    connection.execute(
        Q["store_resolved"],
        {
            "content_sha256": content_sha256,
            "extractor_id": extractor_id,
            "again": again,
            "outcome": "done" if resolved.fault is None else partly,
            "error_class": resolved.fault,
            "entities": Jsonb([asdict(entity) for entity in extraction.entities]),
            "relations": Jsonb([asdict(relation) for relation in extraction.relations]),
            "pieces": resolved.pieces,
            "dropped": Jsonb(list(resolved.dropped)),
            "ungrounded": resolved.ungrounded,
            "malformed": resolved.malformed,
            "faulty": list(resolved.faulty),
        },
    )
