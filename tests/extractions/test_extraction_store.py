from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.extractions import store
from mnemo_assets.extractions.extractor import Entity, Extraction, Relation

if TYPE_CHECKING:
    from mnemo_assets.database import Connection

ONE, TWO = ("1" * 64, "2" * 64)
FOUND = Extraction(
    (Entity("Person", "Zoë \U0001f642 “Müller”", 0, 14, "author"), Entity("Org", "Nordwind Ltd", 20, 32)),
    (Relation(0, "works for", 1, 0, 33),),
)
OTHER = Extraction((Entity("Place", "Berlin", 0, 6),), ())


@dataclass
class Failure:
    """As the pipeline's."""

    error_class: str


@pytest.fixture
def extractor_id(connection: Connection) -> int:
    query = b"insert into extractors (name, version) values ('patterns', 1) returning extractor_id"
    row = connection.execute(query).fetchone()
    assert row is not None
    number: int = row["extractor_id"]
    return number


def stored(connection: Connection) -> dict[tuple[int, str], Extraction]:
    """What is there of texts that were done."""
    rows = connection.execute(b"select * from chunk_extractions where outcome <> 'failed'")
    return {
        (row["extractor_id"], row["content_sha256"]): store.extraction(row["entities"], row["relations"])
        for row in rows
    }


def test_round_trip(connection: Connection, extractor_id: int) -> None:
    """What was stored is there again, for the recipe that found it."""
    store.store(connection, extractor_id, {TWO: FOUND, ONE: Extraction((), ())})
    assert stored(connection) == {(extractor_id, ONE): Extraction((), ()), (extractor_id, TWO): FOUND}


def test_failure(connection: Connection, extractor_id: int) -> None:
    """A failure is not known, and a later extraction replaces it."""
    store.store(connection, extractor_id, {ONE: Failure("MemoryError")})
    assert stored(connection) == {}
    row = connection.execute(b"select outcome, error_class from chunk_extractions").fetchone()
    assert row == {"outcome": "failed", "error_class": "MemoryError"}
    store.store(connection, extractor_id, {ONE: FOUND})
    assert stored(connection) == {(extractor_id, ONE): FOUND}
    row = connection.execute(b"select outcome, error_class from chunk_extractions").fetchone()
    assert row == {"outcome": "done", "error_class": None}


def test_done_stays(connection: Connection, extractor_id: int) -> None:
    """Neither a failure nor another extraction replaces one that is done."""
    store.store(connection, extractor_id, {ONE: FOUND})
    store.store(connection, extractor_id, {ONE: Failure("MemoryError"), TWO: OTHER})
    store.store(connection, extractor_id, {ONE: OTHER})
    assert stored(connection) == {(extractor_id, ONE): FOUND, (extractor_id, TWO): OTHER}


def test_nothing(connection: Connection, extractor_id: int) -> None:
    """Nothing to store is nothing."""
    store.store(connection, extractor_id, {})
    assert connection.execute(b"select from chunk_extractions").rowcount == 0
