"""The outcome of a reading becomes rows: the document's stage, its text's shape and its chunks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING

import psycopg
from psycopg.types.json import Jsonb

from mnemo_assets import chunks
from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import ErrorClass
from mnemo_assets.graph import store
from mnemo_assets.pipeline import claims, parts
from mnemo_assets.pipeline.attempt import Job, Outcome
from mnemo_assets.text.blend import Blend
from mnemo_assets.text.reading import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemo_assets.chunks import Chunk
    from mnemo_assets.text.pages import Part

Q = queries("read")
PAGES = queries("ocr")

#: Of an error's detail, in characters.
DETAIL_LIMIT = 500


@dataclass(slots=True)
class Counts:
    """What became of the documents of one run.

    Attributes:
        extracted: have their text now.
        unchanged: were read again, and have the same text.
        skipped: a gate keeps them out.
        ocr_pending: wait for text recognition.
        failed: have no text; `failed_first` of them for the first time.
        converter_missing: wait for a program that converts them.
        unreachable: could not be opened, or changed since the scan; they stay as they were.
        kept: of those that are well, asked for a password and kept the text that one had opened before.
    """

    extracted: int = 0
    unchanged: int = 0
    skipped: int = 0
    ocr_pending: int = 0
    failed: int = 0
    failed_first: int = 0
    converter_missing: int = 0
    unreachable: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a document.

    Attributes:
        kind: a field of Counts.
        attempts: how many tries it has behind it.
        found: whether documents have come in that are parts of it.
        lost: whether documents may have lost what held them, since they are not parts of it any more.
    """

    kind: str
    attempts: int = 0
    found: bool = False
    lost: bool = False


def settle(connection: Connection, job: Job, outcome: Outcome) -> Settled:
    """Write an outcome and end its claim, in a transaction.

    Another text than before takes the document out of the graph until it is mined again: what the graph
    says about a document is true of the text that is there. The documents that it holds come in with it.

    Raises:
        claims.LostError: the claim does not stand any more, and nothing was written.
    """
    try:
        with connection.transaction():
            claims.commit_lazily(connection)
            return _settle(connection, job, outcome)
    except (psycopg.DataError, UnicodeError) as error:
        # a character that the database does not take, in a title or a text: this document's fault alone
        reason = type(error).__name__
    with connection.transaction():
        return _settle(connection, job, Outcome("failed", ErrorClass.READER_CRASHED, reason))


def _settle(connection: Connection, job: Job, outcome: Outcome) -> Settled:
    if outcome.stage == "new":
        claims.hold(connection, job.document_id, job.claim_token)
        values = {
            "document_id": job.document_id,
            "error_class": outcome.error_class,
            "error": outcome.detail,
        }
        connection.execute(Q["settle_unread"], values)
        waits = outcome.error_class is ErrorClass.CONVERTER_MISSING
        return Settled("converter_missing" if waits else "unreachable")
    held = _parts(outcome)
    if held:
        parts.share_ledger(connection)
    before = connection.execute(Q["text_shape"], {"document_id": job.document_id}).fetchall()
    same = bool(before) and outcome.stage == "extracted" and before == _shape(outcome)
    if before and not same:
        store.forget(connection, [job.document_id], keep=[hash_ for _, hash_ in outcome.chunks])
    claims.hold(connection, job.document_id, job.claim_token)
    found, lost = parts.put(connection, job.document_id, held)
    if outcome.error_class is ErrorClass.SECRET:
        connection.execute(PAGES["forget_pages"], {"document_ids": [job.document_id]})
    if same and job.stage in {"extracted", "graphed"}:
        connection.execute(Q["settle_same_text"], _values(job, outcome))
        return Settled("unchanged", 0, found, lost)
    if not same:
        _insert_chunks(connection, job.document_id, outcome.chunks)
    row = connection.execute(Q["settle_reading"], _values(job, outcome)).fetchone()
    return Settled(outcome.stage, 0 if row is None else int(row["attempts"]), found, lost)


def _parts(outcome: Outcome) -> Sequence[Part]:
    """The documents inside of a document: what holds a secret keeps all that is in it out."""
    is_secret = outcome.error_class is ErrorClass.SECRET
    return () if outcome.text is None or is_secret else outcome.text.parts


def _shape(outcome: Outcome) -> list[dict[str, object]]:
    """What `text_shape` would return of this outcome."""
    page_starts = [] if outcome.text is None else list(outcome.text.page_starts)
    quoted = _quoted(outcome)
    return [
        {
            "ordinal": chunk.ordinal,
            "start_offset": chunk.start,
            "end_offset": chunk.end,
            "first_page": chunk.first_page,
            "last_page": chunk.last_page,
            "content_sha256": hash_,
            "page_starts": page_starts,
            "quoted": quoted,
        }
        for chunk, hash_ in outcome.chunks
    ]


def _quoted(outcome: Outcome) -> list[int]:
    """Starts and ends, in turn."""
    return [] if outcome.text is None else list(chain.from_iterable(outcome.text.quoted))


def _insert_chunks(connection: Connection, document_id: int, pieces: tuple[tuple[Chunk, str], ...]) -> None:
    values = {
        "document_id": document_id,
        "ordinals": [chunk.ordinal for chunk, _ in pieces],
        "starts": [chunk.start for chunk, _ in pieces],
        "ends": [chunk.end for chunk, _ in pieces],
        "first_pages": [chunk.first_page for chunk, _ in pieces],
        "last_pages": [chunk.last_page for chunk, _ in pieces],
        "texts": [chunk.text for chunk, _ in pieces],
        "hashes": [hash_ for _, hash_ in pieces],
    }
    connection.execute(Q["insert_chunks"], values)


def _values(job: Job, outcome: Outcome) -> dict[str, object]:
    text, blend = outcome.text, outcome.blend or Blend(Text("", (0,), "", 0))
    is_secret = outcome.error_class is ErrorClass.SECRET  # then its title may be one, too
    detail = None if outcome.detail is None else outcome.detail.replace("\0", "")[:DETAIL_LIMIT]
    return {
        "document_id": job.document_id,
        "stage": outcome.stage,
        "error_class": outcome.error_class,
        "error": None if detail is None else detail.encode(errors="replace").decode(),
        "reader": outcome.reader,
        "reader_version": outcome.reader_version,
        "chunks_version": chunks.VERSION,
        "title": text and (None if is_secret else text.metadata.title),
        "metadata": _metadata(None if is_secret else text),
        "language": text and text.language,
        "document_date": text and text.document_date,
        "document_date_source": text and text.document_date_source,
        "pages": text and len(text.page_starts),
        "page_starts": list(text.page_starts) if text else [0],
        "quoted": _quoted(outcome),
        "chars": text and len(text.text),
        "characters_removed": text and text.characters_removed,
        "pages_awaiting_ocr": blend.waiting + blend.failed,
        "ocr_failed": blend.failed,
        "ocr_pages": list(blend.pages),
        "ocr_doubtful": list(blend.doubtful),
        "ocr_confidence": blend.confidence,
    }


def _metadata(text: Text | None) -> Jsonb:
    """What a file says about itself, but for what it does not say, and the title, which has a column.

    And who read it, where that was the second reader.
    """
    found = {} if text is None else asdict(text.metadata) | {"second_reader": text.second_reader}
    said = {name: str(value) for name, value in found.items() if value is not None and name != "title"}
    return Jsonb(said)
