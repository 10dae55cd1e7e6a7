"""Who and what is in the graph: search by name, and the entities that tie documents together."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from pydantic import Field, TypeAdapter

from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import NotFoundError
from mnemo_assets.serve import cursor as cursors
from mnemo_assets.serve.answer import ROOM, Page, Row, Value, clip, page, untrusted, warning

if TYPE_CHECKING:
    from collections.abc import Mapping

Q = queries("serve")

#: A query is cut here: no name that can be shown is longer.
LONGEST_QUERY = 200

_PLACE = TypeAdapter(tuple[cursors.Number, cursors.Number, cursors.Number])


class EntityRef(Value):
    """An entity, as far as other answers name it."""

    entity_id: int = Field(description="Id to ask on with, while this graph is served.")
    type: str = Field(description="Person, Org, Place, Date, ...")
    name: str = untrusted("name", "The most frequent form of its name in the documents.")
    is_owner: bool = Field(default=False, description="Whether it is the archive's owner.")


class EntityCounts(EntityRef):
    """An entity and how often it is mentioned."""

    mentions: int = Field(description="Places in texts where it is mentioned.")
    documents: int = Field(description="Distinct documents that mention it.")


class EntityPage(Value):
    """A page of entities, best first."""

    warning: str = warning()
    entities: tuple[EntityCounts, ...] = Field(description="The entities.")
    truncated: bool = Field(description="Whether more follow; ask again with next_cursor.")
    next_cursor: str | None = Field(default=None, description="Opaque; absent on the last page.")


class Share(Value):
    """Entities of one group, and the part of them that ties documents together."""

    entities: int = Field(description="Entities in the group.")
    bridging: int = Field(description="Those that at least min_documents documents mention.")
    rate: float = Field(description="bridging / entities, 0 where there are none.")


class Bridging(Value):
    """How much of the graph ties documents together: of all, and with Dates and the owner apart."""

    all: Share = Field(description="All entities (of the type, where one was asked for).")
    dates: Share = Field(description="Entities of type Date: two documents share one by chance.")
    owner: Share = Field(description="The archive's owner, who is in nearly every document.")
    others: Share = Field(description="Everything else: the rate that says something.")


class CrossDocumentPage(EntityPage):
    """A page of entities in several documents, with the bridging rate of the whole graph."""

    bridging: Bridging = Field(description="The bridging rate.")


def search_entities(
    connection: Connection,
    query: str,
    *,
    entity_type: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
    room: int = ROOM,
) -> EntityPage:
    """Find entities whose name, key or (the owner's) alias fits a query, whatever its case and accents.

    Equal ones come first, then those that begin with it, then those that contain it (queries of three
    characters and more); among equals the most mentioned one.

    Raises:
        CursorError: the cursor was not given out for this query and type.
    """
    wanted = searchable(query)
    arguments = {"query": wanted, "type": entity_type}
    after = cursors.read(_PLACE, cursor, "search_entities", arguments) if cursor else (None, None, None)
    keys = dict(zip(("after_rank", "after_mentions", "after_id"), after, strict=True))
    rows = (
        connection.execute(Q["search_entities"], {**arguments, **keys, "limit": limit + 1}).fetchall()
        if wanted
        else []
    )
    found = page(rows, counts, limit, room)
    last = _key(found, "rank")
    return EntityPage(
        entities=found.items,
        truncated=last is not None,
        next_cursor=None if last is None else cursors.write(_PLACE, last, "search_entities", arguments),
    )


def find_by_name(connection: Connection, name: str, *, limit: int = 50) -> tuple[EntityCounts, ...]:
    """The entities that go by exactly this name: as written, else without regard to case and accents."""
    wanted = searchable(name)
    if not wanted:
        return ()
    arguments = {"name": wanted, "key": wanted.casefold(), "limit": limit}
    return tuple(counts(row) for row in connection.execute(Q["entities_by_name"], arguments))


def cross_document_entities(
    connection: Connection,
    min_documents: int = 2,
    *,
    entity_type: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
    room: int = ROOM,
) -> CrossDocumentPage:
    """The entities that at least `min_documents` documents mention, and what part of all they are.

    Raises:
        CursorError: the cursor was not given out for this number and type.
    """
    arguments = {"min_documents": min_documents, "type": entity_type}
    after = (
        cursors.read(_PLACE, cursor, "cross_document_entities", arguments) if cursor else (None, None, None)
    )
    keys = dict(zip(("after_documents", "after_mentions", "after_id"), after, strict=True))
    rows = connection.execute(
        Q["cross_document_entities"], {**arguments, **keys, "limit": limit + 1}
    ).fetchall()
    found = page(rows, counts, limit, room)
    last = _key(found, "documents")
    return CrossDocumentPage(
        bridging=_bridging(connection, arguments),
        entities=found.items,
        truncated=last is not None,
        next_cursor=None
        if last is None
        else cursors.write(_PLACE, last, "cross_document_entities", arguments),
    )


def entity(connection: Connection, entity_id: int) -> EntityCounts:
    """One entity with its counts.

    Raises:
        NotFoundError: the graph that is served has no such entity.
    """
    row = connection.execute(Q["entity"], {"entity_id": entity_id}).fetchone()
    if row is None:
        raise NotFoundError("There is no such entity in the graph that is served.")
    return counts(row)


def reference(row: Row) -> EntityRef:
    """A row with entity_id, type, name and is_owner as a value."""
    return EntityRef(
        entity_id=row["entity_id"], type=row["type"], name=clip(row["name"]), is_owner=row["is_owner"]
    )


def counts(row: Row) -> EntityCounts:
    """The same with mentions and documents."""
    return EntityCounts(**dict(reference(row)), mentions=row["mentions"], documents=row["documents"])


def searchable(query: str) -> str:
    """NFKC, one space between words, nothing that Postgres cannot hold."""
    clean = query[:LONGEST_QUERY].encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    return " ".join(unicodedata.normalize("NFKC", clean).split())


def _key(found: Page[EntityCounts], first: str) -> tuple[int, int, int] | None:
    last = found.last
    return None if last is None else (last[first], last["mentions"], last["entity_id"])


def _bridging(connection: Connection, arguments: Mapping[str, Any]) -> Bridging:
    rows = {row["name"]: row for row in connection.execute(Q["bridging"], arguments)}
    groups = {
        name: (rows[name]["entities"], rows[name]["bridging"]) if name in rows else (0, 0)
        for name in ("dates", "owner", "others")
    }
    groups["all"] = (sum(n for n, _ in groups.values()), sum(n for _, n in groups.values()))
    return Bridging(**{name: _share(*numbers) for name, numbers in groups.items()})


def _share(entities: int, bridging: int) -> Share:
    return Share(
        entities=entities, bridging=bridging, rate=round(bridging / entities, 4) if entities else 0.0
    )
