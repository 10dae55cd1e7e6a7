"""The entities that share documents with one: a level set of one or two hops, ranked and cut, never paths."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from mnemo_assets.database import Connection, queries
from mnemo_assets.serve import entities
from mnemo_assets.serve.answer import ROOM, Row, Value, clip, page, untrusted, warning
from mnemo_assets.serve.entities import EntityCounts, EntityRef

if TYPE_CHECKING:
    from collections.abc import Sequence

Q = queries("serve")

#: Documents of the start that are looked at, the latest first: half a second on 12,600 documents.
START_DOCUMENTS = 20_000
#: First-level entities that the second level goes through, best first.
VIA = 20
#: One that more documents mention is not gone through: it leads everywhere, and so says nothing.
HUB_DOCUMENTS = 500
#: Predicates shown between two entities, those of most documents first.
PREDICATES = 3


class Said(Value):
    """A relation between the two, besides their being mentioned together."""

    predicate: str | None = Field(default=None, description="The canonical predicate, where there is one.")
    words: str = untrusted("words", "The words that say it.")
    forwards: bool = Field(description="True: the nearer entity is the subject; false: it is the object.")
    documents: int = Field(description="Distinct documents that say it.")


class Related(EntityRef):
    """An entity near the one asked for."""

    hop: Literal[1, 2] = Field(description="1: mentioned together with it; 2: only with one of those.")
    via: int | None = Field(default=None, description="At hop 2: entity_id of the best one between.")
    shared: int = Field(description="Documents that mention both (at hop 2: it and the one between).")
    documents: int = Field(description="Documents that mention it at all.")
    score: float = Field(description="shared / sqrt(degree x degree): 1 where neither is without the other.")
    relations: tuple[Said, ...] = Field(default=(), description="What is said between the two.")


class Neighbourhood(Value):
    """The best of each level, first level first."""

    warning: str = warning()
    entity: EntityCounts = Field(description="The one asked for.")
    related: tuple[Related, ...] = Field(description="Ranked by score in each hop; single co-mentions last.")
    neighbours: int = Field(description="How many entities are mentioned together with it, shown or not.")
    hubs: tuple[int, ...] = Field(
        default=(), description="entity_ids too widespread to be gone through to hop 2."
    )
    truncated: bool = Field(description="Whether a level has more than are shown; a larger limit shows more.")


def related_entities(
    connection: Connection, entity_id: int, *, hops: int = 1, limit: int = 20, room: int = ROOM
) -> Neighbourhood:
    """The entities mentioned together with one, and (two hops) those that they alone lead to.

    Args:
        connection: a reading.
        entity_id: as another question gave it out.
        hops: 1 or 2.
        limit: entities of each level.
        room: characters that they may take together.

    Raises:
        NotFoundError: no such entity.
    """
    who = entities.entity(connection, entity_id)
    near = connection.execute(
        Q["neighbours"], {"entity_id": entity_id, "limit": limit + 1, "documents": START_DOCUMENTS}
    ).fetchall()
    through = [row for row in near[:VIA] if row["documents"] <= HUB_DOCUMENTS] if hops > 1 else []
    far = _far(connection, entity_id, [row["entity_id"] for row in through], limit + 1)
    rows = [{**row, "hop": 1, "via_id": None} for row in near[:limit]] + [
        {**row, "hop": 2} for row in far[:limit]
    ]
    said = _said(connection, [(row["via_id"] or entity_id, row["entity_id"]) for row in rows])
    found = page(
        rows, lambda row: _related(row, said[row["via_id"] or entity_id, row["entity_id"]]), len(rows), room
    )
    return Neighbourhood(
        entity=who,
        related=found.items,
        neighbours=near[0]["met"] if near else 0,
        hubs=tuple(row["entity_id"] for row in near[:VIA] if row["documents"] > HUB_DOCUMENTS)
        if hops > 1
        else (),
        truncated=len(near) > limit or len(far) > limit or found.last is not None,
    )


def _far(connection: Connection, entity_id: int, via: Sequence[int], limit: int) -> list[Row]:
    if not via:
        return []
    arguments = {"entity_id": entity_id, "via_ids": list(via), "limit": limit}
    return connection.execute(Q["neighbours_of_neighbours"], arguments).fetchall()


def _said(connection: Connection, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], list[Said]]:
    said: dict[tuple[int, int], list[Said]] = defaultdict(list)
    arguments = {"from_ids": [pair[0] for pair in pairs], "to_ids": [pair[1] for pair in pairs]}
    for row in connection.execute(Q["relations_between"], arguments):
        between = said[row["from_id"], row["to_id"]]
        if len(between) < PREDICATES:
            between.append(
                Said(
                    predicate=row["predicate"],
                    words=clip(row["predicate_raw"]),
                    forwards=row["forwards"],
                    documents=row["documents"],
                )
            )
    return said


def _related(row: Row, said: Sequence[Said]) -> Related:
    return Related(
        **dict(entities.reference(row)),
        hop=row["hop"],
        via=row["via_id"],
        shared=row["shared"],
        documents=row["documents"],
        score=round(row["score"], 4),
        relations=tuple(said),
    )
