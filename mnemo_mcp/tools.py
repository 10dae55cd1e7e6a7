"""The tools: for each its name, its description, its arguments, and one call into mnemo_assets.serve."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mnemo_assets.serve import documents, dossier, entities, related, status, timeline

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.serve.answer import Value
    from mnemo_assets.serve.session import Reading

EntityId = Annotated[int, Field(ge=1, lt=2**63, description="entity_id from another answer of this server.")]
EntityType = Annotated[
    str | None,
    Field(
        pattern=r"^[A-Za-z][A-Za-z0-9_]{0,39}$", description="Only this type: Person, Org, Place, Date, ..."
    ),
]
Cursor = Annotated[
    str | None,
    Field(max_length=500, description="next_cursor of the page before; the other arguments as before."),
]


class Arguments(BaseModel):
    """The arguments of a tool: unknown and malformed ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class StatusArguments(Arguments):
    """None."""


class SearchArguments(Arguments):
    """Of search_entities."""

    query: str = Field(
        min_length=1,
        max_length=entities.LONGEST_QUERY,
        description="A name or a part of one; case and accents do not matter. Under three characters, only"
        " the beginning of a name is compared.",
    )
    type: EntityType = None
    limit: int = Field(default=20, ge=1, le=100, description="Entities on a page.")
    cursor: Cursor = None


class DossierArguments(Arguments):
    """Of get_dossier."""

    entity_id: EntityId
    document_id: int | None = Field(
        default=None, ge=1, lt=2**63, description="Only this document, and every mention in it."
    )
    limit: int = Field(
        default=10, ge=1, le=50, description="Documents (with document_id: mentions), and relations each way."
    )
    cursor: Cursor = None


class RelatedArguments(Arguments):
    """Of related_entities."""

    entity_id: EntityId
    hops: Literal[1, 2] = Field(default=1, description="2 adds entities that only a neighbour leads to.")
    limit: int = Field(default=20, ge=1, le=50, description="Entities of each level.")


class TimelineArguments(Arguments):
    """Of entity_timeline."""

    entity_id: EntityId
    after: dt.date | None = Field(default=None, description="First day, YYYY-MM-DD. Leaves out the undated.")
    before: dt.date | None = Field(default=None, description="Last day, YYYY-MM-DD. Leaves out the undated.")
    limit: int = Field(default=20, ge=1, le=50, description="Documents on a page.")
    cursor: Cursor = None


class CrossDocumentArguments(Arguments):
    """Of cross_document_entities."""

    min_documents: int = Field(default=2, ge=1, le=1_000_000, description="In at least so many documents.")
    type: EntityType = None
    limit: int = Field(default=20, ge=1, le=100, description="Entities on a page.")
    cursor: Cursor = None


class DocumentArguments(Arguments):
    """Of get_document: exactly one of document_id and sha256."""

    document_id: int | None = Field(
        default=None, ge=1, lt=2**63, description="document_id from another answer of this server."
    )
    sha256: str | None = Field(
        default=None,
        pattern="^[0-9a-f]{8,64}$",
        description="Instead of document_id: the document's sha256, or eight or more characters it begins"
        " with.",
    )
    limit: int = Field(default=50, ge=1, le=200, description="Entities on a page.")
    cursor: Cursor = None

    @model_validator(mode="after")
    def _one_of_both(self) -> DocumentArguments:
        if (self.document_id is None) == (self.sha256 is None):
            raise ValueError("exactly one of document_id and sha256")
        return self


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `ask` takes a reading and validated arguments; it alone touches the database."""

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    answer: type[Value]
    ask: Callable[[Reading, Any], Value]


def _document(reading: Reading, wanted: DocumentArguments) -> Value:
    document_id = wanted.document_id or documents.find_document(reading, wanted.sha256 or "")
    return documents.get_document(reading, document_id, limit=wanted.limit, cursor=wanted.cursor)


_ALL = (
    Tool(
        name="status",
        title="Status of the graph",
        description="Status: how many documents, files, entities, mentions and relations there are, by stage"
        " and error class, and which recipe made the graph. Counts only. Use it to see whether the"
        " graph is complete.",
        arguments=StatusArguments,
        answer=status.Status,
        ask=lambda reading, _: status.status(reading),
    ),
    Tool(
        name="search_entities",
        title="Search entities by name",
        description="Search people, organisations, places and dates by name or part of a name, with how often"
        " and in how many documents each is mentioned. Start here: the other tools take the"
        " entity_id.",
        arguments=SearchArguments,
        answer=entities.EntityPage,
        ask=lambda reading, wanted: entities.search_entities(
            reading, wanted.query, entity_type=wanted.type, limit=wanted.limit, cursor=wanted.cursor
        ),
    ),
    Tool(
        name="get_dossier",
        title="Dossier of an entity",
        description="Dossier of one entity: every document that mentions it, dated, with page and verbatim"
        " quotes, and its relations in and out, each with the sentence that proves it. With"
        " document_id: all mentions there.",
        arguments=DossierArguments,
        answer=dossier.Dossier,
        ask=lambda reading, wanted: dossier.get_dossier(
            reading,
            wanted.entity_id,
            document_id=wanted.document_id,
            limit=wanted.limit,
            cursor=wanted.cursor,
        ),
    ),
    Tool(
        name="related_entities",
        title="Entities related to one",
        description="Related entities: who and what is mentioned together with one entity, ranked by how much"
        " of their documents they share, with the relations said between them. hops=2 adds what"
        " only a neighbour leads to.",
        arguments=RelatedArguments,
        answer=related.Neighbourhood,
        ask=lambda reading, wanted: related.related_entities(
            reading, wanted.entity_id, hops=wanted.hops, limit=wanted.limit
        ),
    ),
    Tool(
        name="entity_timeline",
        title="Timeline of an entity",
        description="Timeline: the documents that mention one entity from the earliest to the latest, between"
        " two days where given, each with a quote and with what it is dated by (its text, its"
        " metadata or its file).",
        arguments=TimelineArguments,
        answer=timeline.Timeline,
        ask=lambda reading, wanted: timeline.entity_timeline(
            reading,
            wanted.entity_id,
            after=wanted.after,
            before=wanted.before,
            limit=wanted.limit,
            cursor=wanted.cursor,
        ),
    ),
    Tool(
        name="cross_document_entities",
        title="Entities across documents",
        description="Cross-document entities: those that at least min_documents documents mention, the most"
        " widespread first, and the bridging rate: what part of all entities they are, Dates and"
        " the owner apart.",
        arguments=CrossDocumentArguments,
        answer=entities.CrossDocumentPage,
        ask=lambda reading, wanted: entities.cross_document_entities(
            reading, wanted.min_documents, entity_type=wanted.type, limit=wanted.limit, cursor=wanted.cursor
        ),
    ),
    Tool(
        name="get_document",
        title="A document of the archive",
        description="Document: how far one document is (stage, and the error class with what can be done),"
        " its size, modification time, date and pages, and the entities in it with counts. Never"
        " its path or text.",
        arguments=DocumentArguments,
        answer=documents.Document,
        ask=_document,
    ),
)

#: Every tool, by name. A profile registers some of them.
TOOLS: dict[str, Tool] = {tool.name: tool for tool in _ALL}
