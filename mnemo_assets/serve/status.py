"""How much there is, in counts, ids and classes: never a path, a file name or an entity's name."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from mnemo_assets.database import Connection, queries
from mnemo_assets.serve.answer import Value

Q = queries("serve")

Stage = Literal["new", "extracted", "graphed", "failed", "skipped", "ocr_pending"]
Outcome = Literal["admitted", "excluded", "empty", "unreadable", "changing", "special", "symlink", "missing"]


class ArchiveHealth(Value):
    """Archives by what their last scan saw."""

    healthy: int = Field(description="Archives whose last scan saw them whole.")
    outage: int = Field(
        description="Archives whose root is gone, empty or another one: nothing was concluded."
    )
    unscanned: int = Field(description="Archives that no scan has seen whole yet.")


class Status(Value):
    """The state of the ledger and of the graph that is served."""

    documents: dict[str, int] = Field(description="Documents (distinct contents) by stage.")
    files: dict[str, int] = Field(description="Files by outcome; those no longer there are `missing` alone.")
    errors: dict[str, int] = Field(description="Documents by error class.")
    entities: int = Field(description="Entities in the graph.")
    mentions: int = Field(description="Places in texts where an entity is mentioned.")
    relations: int = Field(description="Relations, one for each sentence that proves one.")
    digest: str = Field(description="sha256 of the graph's content: equal graphs have equal digests.")
    archives: ArchiveHealth = Field(description="Archives by health.")
    generation: int | None = Field(
        default=None, description="The generation that is served; none before a sync."
    )
    extractor: str | None = Field(default=None, description="The recipe the graph was made with.")
    extractor_version: int | None = Field(default=None, description="The version of that recipe.")


def status(connection: Connection) -> Status:
    """Count what there is."""
    generation = connection.execute(Q["active_generation"]).fetchone() or {}
    return Status(
        documents=stages(connection),
        files={**dict.fromkeys(get_args(Outcome), 0), **_counts(connection, "file_outcomes")},
        errors=_counts(connection, "error_classes"),
        **(connection.execute(Q["graph_size"]).fetchone() or {}),
        **(connection.execute(Q["graph_digest"]).fetchone() or {}),
        archives=ArchiveHealth(**(connection.execute(Q["archive_health"]).fetchone() or {})),
        generation=generation.get("generation"),
        extractor=generation.get("extractor"),
        extractor_version=generation.get("extractor_version"),
    )


def stages(connection: Connection) -> dict[str, int]:
    """Documents by stage."""
    return {**dict.fromkeys(get_args(Stage), 0), **_counts(connection, "document_stages")}


class UnknownPredicate(Value):
    """Words that say relations of several documents, and that no predicate of the table says."""

    words: str = Field(description="As they stand there, in lower case.")
    relations: int = Field(description="Relations that they say.")
    documents: int = Field(description="Documents that say them.")


class Predicates(Value):
    """How well the table of predicates fits what is said. For the owner's eyes: the words are documents'."""

    unknown: tuple[UnknownPredicate, ...] = Field(description="The most frequent words first.")
    refused: int = Field(description="Relations that the predicate's types do not allow: kept apart.")


def predicates(connection: Connection, limit: int = 20) -> Predicates:
    """The words without a canonical predicate that several documents say, and how much was refused.

    Never asked for an agent: a document's words may be anything. What one document alone says is left out.
    """
    row = connection.execute(Q["refused_relations"]).fetchone()
    unknown = connection.execute(Q["unknown_predicates"], {"limit": limit})
    return Predicates(
        unknown=tuple(UnknownPredicate(**found) for found in unknown), refused=0 if row is None else row["n"]
    )


def _counts(connection: Connection, query: str) -> dict[str, int]:
    return {
        row["name"]: row["n"] for row in sorted(connection.execute(Q[query]), key=lambda row: row["name"])
    }
