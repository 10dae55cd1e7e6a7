"""When documents mention an entity, by the day each document is dated by."""

from __future__ import annotations

import datetime as dt

from pydantic import Field, TypeAdapter

from mnemo_assets.database import Connection, queries
from mnemo_assets.serve import cursor as cursors
from mnemo_assets.serve import entities, mentions
from mnemo_assets.serve.answer import ROOM, Row, Value, page, warning
from mnemo_assets.serve.entities import EntityCounts

Q = queries("serve")

_Place = tuple[dt.date | None, cursors.Number]
_PLACE: TypeAdapter[_Place] = TypeAdapter(_Place)


class Timeline(Value):
    """A page of the documents that mention an entity, the earliest first."""

    warning: str = warning()
    entity: EntityCounts = Field(description="Who or what it is.")
    documents: tuple[mentions.DocumentMentions, ...] = Field(
        description="Each with its first mention; date_source says what dates it. The undated come last."
    )
    truncated: bool = Field(description="Whether more follow; ask again with next_cursor.")
    next_cursor: str | None = Field(default=None, description="Opaque; absent on the last page.")


def entity_timeline(
    connection: Connection,
    entity_id: int,
    *,
    after: dt.date | None = None,
    before: dt.date | None = None,
    limit: int = 20,
    cursor: str | None = None,
    room: int = ROOM,
) -> Timeline:
    """The documents that mention an entity, by date: of their own text, else their metadata, else the file.

    Args:
        connection: a reading.
        entity_id: as another question gave it out.
        after: the first day to show. With it or `before`, undated documents are left out.
        before: the last day to show.
        limit: documents on a page.
        cursor: `next_cursor` of the page before.
        room: characters that they may take together.

    Raises:
        NotFoundError: no such entity.
        CursorError: the cursor was not given out for these arguments.
    """
    who = entities.entity(connection, entity_id)
    arguments = {"entity_id": entity_id, "after": after, "before": before}
    place = cursors.read(_PLACE, cursor, "entity_timeline", arguments) if cursor else (None, None)
    keys = {"after_date": place[0], "after_id": place[1], "limit": limit + 1}
    rows = connection.execute(Q["timeline"], {**arguments, **keys}).fetchall()
    spans = mentions.spans(connection, entity_id, [row["document_id"] for row in rows], 1)

    def make(row: Row) -> mentions.DocumentMentions:
        return mentions.document_mentions(row, [mentions.mention(span) for span in spans[row["document_id"]]])

    found = page(rows, make, limit, room)
    last = None if found.last is None else (found.last["date"], found.last["document_id"])
    return Timeline(
        entity=who,
        documents=found.items,
        truncated=last is not None,
        next_cursor=None if last is None else cursors.write(_PLACE, last, "entity_timeline", arguments),
    )
