"""What the ledger has and the orchestrator was not told yet: to be told, then noted here."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemo_assets.database import Connection, queries
from mnemo_assets.pipeline import versions

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Collection, Iterator, Sequence

Q = queries("reports")


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a document is, in counts, classes and versions, and what is new of it since it was last told.

    Attributes:
        changed_at: when its stage last changed; what is told of it is told as of then.
        is_moved: whether it came to its stage, or to its class, since it was last told.
        was_read: whether it had a text at some time.
        is_new, is_read, is_mined: whether it went through that since; `is_read` and `is_mined` tell nothing
            of whether it still is.
        ocr_pages: how many pages were recognised; `ocr_failed` could not be.
        files: admitted paths that hold it, and places in which it is a part of another document.
        chunks_digest, graph_digest: of its chunks, and of its rows of the graph if it is in it.
        recipe, recipe_version, derivation: of the graph that is served; None where there is none yet.
    """

    document_id: int
    sha256: str
    stage: str
    error_class: str | None
    attempts: int
    reader: str | None
    reader_version: int | None
    chunks_version: int
    pages: int | None
    chars: int | None
    characters_removed: int | None
    pages_awaiting_ocr: int
    ocr_pages: int
    ocr_failed: int
    ocr_confidence: float | None
    chunks_failed: int
    reported_version: str | None
    changed_at: dt.datetime
    is_moved: bool
    was_read: bool
    is_new: bool
    is_read: bool
    is_mined: bool
    files: int
    rules_version: int
    chunks: int
    chunks_digest: str
    entities: int
    mentions: int
    relations: int
    graph_digest: str | None
    recipe: str | None
    recipe_version: int | None
    derivation: int | None


def is_due(connection: Connection) -> bool:
    """Whether there is something to tell; takes a few index look-ups, however many documents there are."""
    row = connection.execute(Q["any_unreported"], {"version": versions.line(connection)}).fetchone()
    return row is not None and bool(row["found"])


@contextmanager
def alone(connection: Connection, *, wait: bool = True) -> Iterator[bool]:
    """One session at a time reports; the lock goes with the session.

    Yields:
        Whether it is this one's turn; without `wait` it may not be.
    """
    taken = True
    if wait:
        connection.execute(Q["lock_report"])
    else:
        row = connection.execute(Q["try_lock_report"]).fetchone()
        taken = row is not None and bool(row["taken"])
    try:
        yield taken
    finally:
        if taken and not connection.closed and not connection.broken:
            connection.execute(Q["unlock_report"])


def unreported(connection: Connection, version: str, after: int, limit: int) -> list[Standing]:
    """The next documents of which something is to be told, by document_id, ascending.

    Args:
        connection: the owner's.
        version: `versions.line`.
        after: a document_id.
        limit: how many at most.
    """
    values = {"version": version, "after": after, "limit": limit}
    return [Standing(**row) for row in connection.execute(Q["unreported"], values)]


def standing(connection: Connection, only: Collection[str]) -> list[Standing]:
    """Where these documents are, by their sha256; one that is gone is left out."""
    return [Standing(**row) for row in connection.execute(Q["standing"], {"only": list(only)})]


def chosen(connection: Connection, only: Collection[str], stages: Collection[str]) -> list[str]:
    """The sha256s of the documents with one of these, or in one of these stages, the oldest first."""
    values = {"only": list(only), "stages": list(stages)}
    return [row["sha256"] for row in connection.execute(Q["chosen"], values)]


def mark(connection: Connection, told: Sequence[Standing], version: str) -> None:
    """Note what was told."""
    values = {
        "document_ids": [one.document_id for one in told],
        "stages": [one.stage for one in told],
        "error_classes": [one.error_class for one in told],
        "changed_at": [one.changed_at for one in told],
        "version": version,
    }
    connection.execute(Q["mark_reported"], values)


def forget(connection: Connection, only: Collection[str] | None = None) -> None:
    """Have all told again, or what there is of these documents."""
    connection.execute(Q["forget_reports"], {"only": None if only is None else list(only)})


def keys(connection: Connection) -> list[str]:
    """The sha256 of every document, the oldest first."""
    return [row["sha256"] for row in connection.execute(Q["keys"])]
