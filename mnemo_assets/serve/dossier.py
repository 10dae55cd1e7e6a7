"""All that the documents say of one entity: where, in which words, and what it is related to."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from pydantic import Field, TypeAdapter

from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import NotFoundError
from mnemo_assets.serve import cursor as cursors
from mnemo_assets.serve import entities, marks, mentions, quotes
from mnemo_assets.serve.answer import ROOM, Page, Row, Value, clip, page, untrusted, warning
from mnemo_assets.serve.entities import EntityCounts, EntityRef

Q = queries("serve")

#: Mentions shown of each document in a dossier; asked for one document, it goes through all of them.
MENTIONS_SHOWN = 3


class Relation(Value):
    """A relation to another entity, its weight, and one sentence that proves it."""

    predicate: str | None = Field(default=None, description="The canonical predicate, where there is one.")
    words: str = untrusted("words", "The words that say it in that sentence.")
    entity: EntityRef = Field(description="The entity at the other end.")
    documents: int = Field(description="Weight: distinct documents that say it in words of their own.")
    quoted: bool | None = Field(default=None, description="True where all that say it quote an earlier mail.")
    confidence: float = Field(description="Of the best proof, 0 to 1.")
    inferred: bool = Field(default=False, description="Whether no document says it in so many words.")
    document_id: int = Field(description="The document of the quote.")
    page: int = Field(description="Page of the quote, from 1.")
    start: int = Field(description="text[start:end] is untrusted_quote.")
    end: int = Field(description="Where the quote ends.")
    quote: str = untrusted("quote", "The sentence that proves it, verbatim.")
    ocr: bool | None = marks.recognised()
    ocr_doubtful: bool | None = marks.doubtful()


class Dossier(Value):
    """An entity, a page of the documents that mention it, and of its relations."""

    warning: str = warning()
    entity: EntityCounts = Field(description="Who or what it is.")
    aliases: tuple[str, ...] = untrusted("aliases", "The owner's further names.", default=())
    documents: tuple[mentions.DocumentMentions, ...] = Field(
        description="Where it is mentioned, the newest first."
    )
    relations_out: tuple[Relation, ...] = Field(description="What it does: it is the subject.")
    relations_in: tuple[Relation, ...] = Field(description="What is said of it: it is the object.")
    truncated: bool = Field(description="Whether more follows; ask again with next_cursor.")
    next_cursor: str | None = Field(default=None, description="Opaque; absent on the last page.")


# Where each list goes on. None: it has not begun; "end": it is at its end.
_After = tuple[cursors.Number, dt.date | None, cursors.Number] | Literal["end"] | None
_AfterRelation = tuple[cursors.Number, cursors.Number] | Literal["end"] | None
_Place = tuple[_After, _AfterRelation, _AfterRelation]
_PLACE: TypeAdapter[_Place] = TypeAdapter(_Place)
_IN_DOCUMENT = TypeAdapter(tuple[cursors.Number, cursors.Number, cursors.Number])


def get_dossier(
    connection: Connection,
    entity_id: int,
    *,
    document_id: int | None = None,
    limit: int = 10,
    cursor: str | None = None,
    room: int = ROOM,
) -> Dossier:
    """An entity's mentions by document with quotes and pages, and its relations in and out.

    Args:
        connection: a reading.
        entity_id: as another question gave it out.
        document_id: only this document, and then every mention in it.
        limit: documents (with `document_id`: mentions), and relations each way, on one page.
        cursor: `next_cursor` of the page before. Each list is walked once, side by side.
        room: characters that the lists may take together.

    Raises:
        NotFoundError: no such entity.
        CursorError: the cursor was not given out for these arguments.
    """
    who = entities.entity(connection, entity_id)
    if document_id is not None:
        return _in_document(connection, who, document_id, limit=limit, cursor=cursor, room=room)
    arguments = {"entity_id": entity_id}
    after = cursors.read(_PLACE, cursor, "get_dossier", arguments) if cursor else (None, None, None)
    documents = _documents(connection, entity_id, after[0], limit, room // 2)
    left = room - documents.characters
    out = _relations(connection, "relations_from", entity_id, after[1], limit=limit, room=left // 2)
    left -= out.characters
    back = _relations(connection, "relations_to", entity_id, after[2], limit=limit, room=left)
    following: _Place = (_document_key(documents), _relation_key(out), _relation_key(back))
    more = following != ("end", "end", "end")
    return Dossier(
        entity=who,
        aliases=_aliases(connection) if who.is_owner else (),
        documents=documents.items,
        relations_out=out.items,
        relations_in=back.items,
        truncated=more,
        next_cursor=cursors.write(_PLACE, following, "get_dossier", arguments) if more else None,
    )


def _documents(
    connection: Connection, entity_id: int, after: _After, limit: int, room: int
) -> Page[mentions.DocumentMentions]:
    if after == "end":
        return Page((), None, 0)
    rank, date, last = after or (None, None, None)
    place = {"after_rank": rank, "after_date": date, "after_id": last}
    arguments = {"entity_id": entity_id, "document_id": None, "limit": limit + 1}
    rows = connection.execute(Q["entity_documents"], {**arguments, **place}).fetchall()
    spans = mentions.spans(connection, entity_id, [row["document_id"] for row in rows], MENTIONS_SHOWN)

    def make(row: Row) -> mentions.DocumentMentions:
        return mentions.document_mentions(row, [mentions.mention(span) for span in spans[row["document_id"]]])

    return page(rows, make, limit, room)


def _in_document(
    connection: Connection, who: EntityCounts, document_id: int, *, limit: int, cursor: str | None, room: int
) -> Dossier:
    """Every mention in one document; relations belong to the other walk."""
    arguments = {"entity_id": who.entity_id, "document_id": document_id}
    after = cursors.read(_IN_DOCUMENT, cursor, "get_dossier", arguments) if cursor else (0, -1, -1)
    keys = {"after_rank": None, "after_date": None, "after_id": None, "limit": 1}
    row = connection.execute(Q["entity_documents"], {**arguments, **keys}).fetchone()
    if row is None:
        raise NotFoundError("That document does not mention this entity.")
    spans = mentions.spans(connection, who.entity_id, [document_id], limit + 1, after)
    found = page(spans[document_id], mentions.mention, limit, room)
    last = None if found.last is None else _mention_key(found.last)
    return Dossier(
        entity=who,
        documents=(mentions.document_mentions(row, found.items),),
        relations_out=(),
        relations_in=(),
        truncated=last is not None,
        next_cursor=None if last is None else cursors.write(_IN_DOCUMENT, last, "get_dossier", arguments),
    )


def _relations(
    connection: Connection, query: str, entity_id: int, after: _AfterRelation, *, limit: int, room: int
) -> Page[Relation]:
    if after == "end":
        return Page((), None, 0)
    documents, last = after or (None, None)
    arguments = {
        "entity_id": entity_id,
        "after_documents": documents,
        "after_id": last,
        "quote": quotes.QUOTE,
    }
    rows = connection.execute(Q[query], {**arguments, "limit": limit + 1}).fetchall()
    return page(rows, _relation, limit, room)


def _relation(row: Row) -> Relation:
    quote = row["quote"] or ""
    return Relation(
        predicate=row["predicate"],
        words=clip(row["predicate_raw"]),
        entity=entities.reference({**row, "entity_id": row["other_id"]}),
        documents=row["documents"],
        quoted=row["quoted"] or None,
        confidence=round(row["confidence"], 3),
        inferred=row["inferred"],
        document_id=row["document_id"],
        page=row["page"],
        start=row["start_offset"],
        end=row["start_offset"] + len(quote),
        quote=quote,
        **marks.of(row, row["page"], row["page"] + quote.count("\f")),
    )


def _document_key(found: Page[mentions.DocumentMentions]) -> _After:
    last = found.last
    return (last["rank"], last["date"], last["document_id"]) if last else "end"


def _mention_key(last: Row) -> tuple[int, int, int]:
    return int(last["quoted"]), last["start_offset"], last["end_offset"]


def _relation_key(found: Page[Relation]) -> _AfterRelation:
    return (found.last["documents"], found.last["proof_id"]) if found.last else "end"


def _aliases(connection: Connection) -> tuple[str, ...]:
    return tuple(clip(row["name"]) for row in connection.execute(Q["owner_aliases"]))
