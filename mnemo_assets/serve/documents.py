"""What the ledger says of a document, and (for the owner's eyes) of the files that did not come in whole."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from pydantic import Field, TypeAdapter

from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import REASONS, AmbiguousNameError, ErrorClass, NotFoundError
from mnemo_assets.serve import cursor as cursors
from mnemo_assets.serve import entities
from mnemo_assets.serve.answer import ROOM, Row, Value, clip, page, untrusted, warning
from mnemo_assets.serve.entities import EntityRef
from mnemo_assets.serve.mentions import DateSource
from mnemo_assets.serve.status import Outcome, Stage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Q = queries("serve")

#: Documents that are shown of those that hold one as a part, and files of each.
HOLDERS = 5
#: What a person reads beside a part that is kept out for where it is.
PART_REASONS: dict[str, str] = {
    "part:too-deep": "It lies more than five documents deep. Save it as a file of its own.",
    "part:cycle": "It is the same as a document that it is inside of.",
}
#: What a person reads beside a file that has no document.
FILE_REASONS: dict[str, str] = {
    "excluded": "An exclusion rule fired: the file was not read further.",
    "empty": "There is nothing in the file.",
    "unreadable": "The file could not be opened. Its permissions or the disk do not allow it.",
    "changing": "The file changed while it was being hashed. The next sync takes it.",
    "special": "It is a pipe, a socket or a device, not a file.",
    "symlink": "It is a symbolic link; links are not followed.",
}

_Place = tuple[cursors.Number, cursors.Number]
_PLACE: TypeAdapter[_Place] = TypeAdapter(_Place)


class DocumentEntity(EntityRef):
    """An entity in a document."""

    role: str = Field(description="mentioned, author or recipient.")
    count: int = Field(description="How often the document mentions it, in words of its own.")
    quoted: int | None = Field(
        default=None, description="How often more, in what it quotes from an earlier mail."
    )


class Holder(Value):
    """A document that holds another one, as a mail does its attachment."""

    document_id: int = Field(description="Id to ask on with.")
    name: str = untrusted("name", "The name of the part in it; may be empty.")


class Inner(Value):
    """A document inside of a document, such as an attachment."""

    document_id: int | None = Field(
        default=None, description="Id to ask on with; absent where it is kept out."
    )
    name: str = untrusted("name", "Its name there; may be empty.")
    extension: str = Field(description="Its extension.")
    stage: Stage | None = Field(default=None, description="How far it is.")
    error_class: str | None = Field(default=None, description="Why it is where it is.")
    rule: str | None = Field(default=None, description="What keeps it out.")


class Document(Value):
    """A document as the ledger has it, with a page of the entities in it."""

    warning: str = warning()
    document_id: int = Field(description="Id to ask on with.")
    sha256: str = Field(description="Of the document's bytes.")
    stage: Stage = Field(description="How far it is: graphed is the last; failed, skipped, ocr_pending wait.")
    error_class: str | None = Field(
        default=None, description="Why it is where it is, where something was wrong."
    )
    reason: str | None = Field(default=None, description="The same in a sentence, with what can be done.")
    attempts: int = Field(description="Tries that ended in an outcome since it was last well.")
    date: dt.date | None = Field(default=None, description="The day it is dated by.")
    date_source: DateSource | None = Field(
        default=None, description="What says so: its text, metadata, mtime, or what it is a part of."
    )
    size_bytes: int | None = Field(default=None, description="Size of the file; absent where it is gone.")
    mtime: dt.datetime | None = Field(
        default=None, description="Earliest modification time of its files, UTC."
    )
    files: int = Field(description="Files with this content that are there and admitted.")
    extensions: tuple[str, ...] = Field(default=(), description="Their extensions.")
    reader: str | None = Field(default=None, description="What read it.")
    pages: int | None = Field(default=None, description="Pages.")
    chars: int | None = Field(default=None, description="Code points of its text.")
    pages_awaiting_ocr: int = Field(description="Pages that are pictures: their text is not here.")
    ocr_pages: int = Field(
        default=0, description="Pages that are pictures whose words were recognised (OCR)."
    )
    ocr_doubtful: int = Field(
        default=0, description="Of them, those with so little confidence that words may be wrong."
    )
    ocr_failed: int = Field(
        default=0, description="Pages that could not be recognised, of those awaiting it."
    )
    ocr_confidence: float | None = Field(
        default=None, description="Mean confidence of the recognised words, of 100."
    )
    chunks: int = Field(description="Pieces its text was mined in.")
    chunks_failed: int = Field(description="Pieces that could not be mined.")
    title: str | None = untrusted("title", "The document's own title.", default=None)
    part_of: tuple[Holder, ...] = Field(
        default=(),
        description="Documents that hold it as a part, the first of them: a mail its attachment. "
        "On the first page.",
    )
    part_of_total: int = Field(default=0, description="Places in which it is a part.")
    parts: tuple[Inner, ...] = Field(
        default=(), description="The documents inside of it, the first of them. On the first page."
    )
    parts_total: int = Field(default=0, description="Documents inside of it.")
    entities_total: int = Field(description="Entities in it.")
    entities: tuple[DocumentEntity, ...] = Field(description="The entities in it, the most mentioned first.")
    truncated: bool = Field(description="Whether more entities follow; ask again with next_cursor.")
    next_cursor: str | None = Field(default=None, description="Opaque; absent on the last page.")


class Failure(Value):
    """A file, or a part of one, that did not come in whole. Its path is for the owner alone."""

    archive: str = Field(description="The archive's name.")
    path: str = Field(description="Path below the archive's root; what is not UTF-8 is escaped.")
    part_of: int | None = Field(default=None, description="Of a part: the document that holds it.")
    part: str | None = Field(default=None, description="Its name there; may be empty.")
    outcome: Outcome = Field(description="What the scan made of the file, or the reader of the part.")
    rule: str | None = Field(default=None, description="The exclusion that fired.")
    sha256: str | None = Field(default=None, description="The document, where there is one.")
    stage: Stage | None = Field(default=None, description="Where the document is.")
    error_class: str | None = Field(default=None, description="Why it is there.")
    reason: str = Field(description="The same in a sentence, with what can be done.")


def find_document(connection: Connection, prefix: str) -> int:
    """The id of the document whose sha256 begins like this.

    Raises:
        NotFoundError: none does.
        AmbiguousNameError: several do.
    """
    rows = connection.execute(
        Q["documents_by_hash"], {"prefix": entities.searchable(prefix).lower()}
    ).fetchall()
    if not rows:
        raise NotFoundError("There is no document with that sha256.")
    if len(rows) > 1:
        raise AmbiguousNameError("Several documents begin with that sha256: give more of it.")
    return int(rows[0]["document_id"])


def get_document(
    connection: Connection, document_id: int, *, limit: int = 50, cursor: str | None = None, room: int = ROOM
) -> Document:
    """A document's place in the ledger, and a page of the entities in it.

    Raises:
        NotFoundError: no such document.
        CursorError: the cursor was not given out for this document.
    """
    arguments = {"document_id": document_id}
    place = cursors.read(_PLACE, cursor, "get_document", arguments) if cursor else (None, None)
    row = connection.execute(Q["document"], {**arguments, "holders": HOLDERS}).fetchone()
    if row is None:
        raise NotFoundError("There is no such document.")
    around, inside = (row["held_by"] or (), row["parts"]) if cursor is None else ((), 0)
    holders = page(around, _holder, HOLDERS, room // 6)
    parts = connection.execute(Q["parts"], {**arguments, "limit": limit}).fetchall() if inside else []
    inner = page(parts, _inner, limit, room // 3)
    keys = {"after_count": place[0], "after_id": place[1], "limit": limit + 1}
    found = page(
        connection.execute(Q["document_entities"], {**arguments, **keys}).fetchall(),
        _document_entity,
        limit,
        room - holders.characters - inner.characters,
    )
    last = None if found.last is None else (found.last["count"], found.last["entity_id"])
    return Document(
        **_ledger(row),
        part_of=holders.items,
        parts=inner.items,
        entities=found.items,
        truncated=last is not None,
        next_cursor=None if last is None else cursors.write(_PLACE, last, "get_document", arguments),
    )


def places(connection: Connection, document_ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Where documents stand now, for the owner's eyes: no tool shows it.

    Each as "archive: path", or as "attachment NAME of document N (archive: path)".
    """
    found: defaultdict[int, list[str]] = defaultdict(list)
    for row in connection.execute(Q["places"], {"document_ids": list(document_ids), "ways": HOLDERS}):
        found[row["document_id"]].append(place(row["archive"], row["path"], row["name"], row["holder_id"]))
    return {document_id: tuple(paths) for document_id, paths in found.items()}


def place(archive: str, path: str, part: str | None = None, part_of: int | None = None) -> str:
    """A file, or a part of a document that is in a file, in words."""
    file = f"{archive}: {path}"
    if part_of is None:
        return file
    return f"{' '.join(filter(None, ('attachment', part)))} of document {part_of} ({file})"


def failures(connection: Connection) -> Iterator[Failure]:
    """Every file, and every part of one, that did not come in whole, one after the other."""
    with connection.cursor() as rows:
        for row in rows.stream(Q["failures"]):
            yield Failure(**row, reason=_reason(row))


def _reason(row: Row) -> str:
    said = reason(row["error_class"]) or PART_REASONS.get(row["rule"])
    if said is None and row["part_of"] is not None and row["outcome"] == "excluded":
        return "An exclusion rule fired: it was not read further."
    return said or FILE_REASONS.get(row["outcome"], "")


def reason(error_class: str | None) -> str | None:
    """The sentence beside an error class."""
    return REASONS[ErrorClass(error_class)] if error_class in set(ErrorClass) else None


def _ledger(row: Row) -> dict[str, Any]:
    mtime = row["mtime_ns"]
    same = (
        "document_id",
        "sha256",
        "stage",
        "error_class",
        "attempts",
        "date",
        "date_source",
        "size_bytes",
        "files",
    )
    more = ("reader", "pages", "chars", "pages_awaiting_ocr", "chunks", "chunks_failed")
    ocr = ("ocr_pages", "ocr_doubtful", "ocr_failed")
    return {
        **{name: row[name] for name in (*same, *more, *ocr)},
        "ocr_confidence": row["ocr_confidence"] and round(row["ocr_confidence"], 1),
        "reason": reason(row["error_class"]),
        "mtime": mtime and dt.datetime.fromtimestamp(mtime // 10**9, dt.UTC),
        "extensions": tuple(row["exts"] or ()),
        "title": row["title"] and clip(row["title"]),
        "part_of_total": row["holders"],
        "parts_total": row["parts"],
        "entities_total": row["entities"],
    }


def _document_entity(row: Row) -> DocumentEntity:
    counts = {"count": row["count"], "quoted": row["quoted"] or None}
    return DocumentEntity(**dict(entities.reference(row)), role=row["role"], **counts)


def _holder(row: Row) -> Holder:
    return Holder(document_id=row["document_id"], name=clip(row["name"]))


def _inner(row: Row) -> Inner:
    return Inner(
        document_id=row["document_id"],
        name=clip(row["name"]),
        extension=row["ext"],
        stage=row["stage"],
        error_class=row["error_class"],
        rule=row["rule"],
    )
