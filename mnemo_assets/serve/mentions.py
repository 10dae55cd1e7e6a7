"""The places where texts mention an entity, each with the words around it."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from mnemo_assets.database import Connection, queries
from mnemo_assets.serve import marks, quotes
from mnemo_assets.serve.answer import SHOWN, Row, Value, clip, untrusted

if TYPE_CHECKING:
    from collections.abc import Sequence

Q = queries("serve")

DateSource = Literal["content", "metadata", "mtime", "parent"]


class Mention(Value):
    """One place where a text mentions the entity. Offsets are code points of the document's text."""

    page: int = Field(description="Page, from 1.")
    start: int = Field(description="text[start:end] is untrusted_form.")
    end: int = Field(description="Where the form ends.")
    form: str = untrusted(
        "form", "The words that mention it, verbatim; long ones are cut, and end with them."
    )
    quote_start: int = Field(description="text[quote_start:quote_end] is untrusted_quote.")
    quote_end: int = Field(description="Where the quote ends.")
    quote: str = untrusted("quote", "The sentence around it, verbatim.")
    quoted: bool | None = Field(
        default=None, description="True where the document quotes it from an earlier mail."
    )
    ocr: bool | None = marks.recognised()
    ocr_doubtful: bool | None = marks.doubtful()


class DocumentMentions(Value):
    """A document that mentions the entity, with the first places."""

    document_id: int = Field(description="Id to ask on with.")
    sha256: str = Field(description="Of the document's bytes.")
    date: dt.date | None = Field(default=None, description="The day it is dated by.")
    date_source: DateSource | None = Field(
        default=None, description="What says so: its text, metadata, mtime, or what it is a part of."
    )
    role: str = Field(description="mentioned, author or recipient.")
    count: int = Field(description="How often it mentions the entity, in words of its own.")
    quoted: int | None = Field(default=None, description="How often more, in what it quotes.")
    title: str | None = untrusted("title", "The document's own title.", default=None)
    mentions: tuple[Mention, ...] = Field(description="The first places; ask with document_id for all.")


def spans(
    connection: Connection,
    entity_id: int,
    document_ids: Sequence[int],
    each: int,
    after: tuple[int, int, int] = (0, -1, -1),
) -> dict[int, list[Row]]:
    """The first `each` spans of an entity, per document, with the text around them; quoted ones are last.

    Args:
        connection: a reading.
        entity_id: the entity.
        document_ids: the documents.
        each: spans of each.
        after: 1 if the last one that is known is quoted, where it starts, and where it ends.
    """
    found: dict[int, list[Row]] = defaultdict(list)
    arguments = {
        "entity_id": entity_id,
        "document_ids": list(document_ids),
        "spans": each,
        "around": quotes.AROUND,
        "after_quoted": after[0],
        "after_start": after[1],
        "after_end": after[2],
    }
    for row in connection.execute(Q["entity_spans"], arguments):
        found[row["document_id"]].append(row)
    return found


def mention(row: Row) -> Mention:
    """A span as a value; one whose chunk is not there quotes itself."""
    start, end, form = row["start_offset"], row["end_offset"], row["form"]
    quote = quotes.Quote(start, min(end, start + quotes.QUOTE), form[: quotes.QUOTE])
    if row["window_text"] is not None:
        quote = quotes.cut(row["window_text"], row["window_start"], start, end)
    before, behind = quote.text[: max(0, start - quote.start)], quote.text[max(0, start - quote.start) :]
    return Mention(
        page=row["page"],
        start=start,
        end=min(end, start + SHOWN),
        form=form[:SHOWN],
        quote_start=quote.start,
        quote_end=quote.end,
        quote=quote.text,
        quoted=row["quoted"] or None,
        **marks.of(row, row["page"] - before.count("\f"), row["page"] + behind.count("\f")),
    )


def document_mentions(row: Row, mentions: Sequence[Mention]) -> DocumentMentions:
    """A document's row and the mentions to show of it."""
    return DocumentMentions(
        document_id=row["document_id"],
        sha256=row["sha256"],
        date=row["date"],
        date_source=row["date_source"],
        role=row["role"],
        count=row["count"],
        quoted=row["quoted"] or None,
        title=row["title"] and clip(row["title"]),
        mentions=tuple(mentions),
    )
