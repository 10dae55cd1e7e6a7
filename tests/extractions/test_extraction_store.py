from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.extractions import store
from mnemo_assets.extractions.extractor import Entity, Extraction, Relation
from mnemo_assets.extractions.store import Known

if TYPE_CHECKING:
    from mnemo_assets.database import Connection

ONE, TWO, THREE = ("1" * 64, "2" * 64, "3" * 64)
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


def test_round_trip(connection: Connection, extractor_id: int) -> None:
    """What was stored is known again; what was not, is not."""
    store.store(connection, extractor_id, {TWO: FOUND, ONE: Extraction((), ())})
    assert store.known(connection, extractor_id, [ONE, TWO, THREE]) == {
        ONE: Known(Extraction((), ()), is_whole=True),
        TWO: Known(FOUND, is_whole=True),
    }
    assert store.known(connection, extractor_id + 1, [ONE, TWO]) == {}
    assert store.known(connection, extractor_id, []) == {}


def test_failure(connection: Connection, extractor_id: int) -> None:
    """A failure is not known, and a later extraction replaces it."""
    store.store(connection, extractor_id, {ONE: Failure("MemoryError")})
    assert store.known(connection, extractor_id, [ONE]) == {}
    row = connection.execute(b"select outcome, error_class from chunk_extractions").fetchone()
    assert row == {"outcome": "failed", "error_class": "MemoryError"}
    store.store(connection, extractor_id, {ONE: FOUND})
    assert store.known(connection, extractor_id, [ONE]) == {ONE: Known(FOUND, is_whole=True)}
    row = connection.execute(b"select outcome, error_class from chunk_extractions").fetchone()
    assert row == {"outcome": "done", "error_class": None}


def test_done_stays(connection: Connection, extractor_id: int) -> None:
    """Neither a failure nor another extraction replaces one that is done."""
    store.store(connection, extractor_id, {ONE: FOUND})
    store.store(connection, extractor_id, {ONE: Failure("MemoryError"), TWO: OTHER})
    store.store(connection, extractor_id, {ONE: OTHER})
    assert store.known(connection, extractor_id, [ONE, TWO]) == {
        ONE: Known(FOUND, is_whole=True),
        TWO: Known(OTHER, is_whole=True),
    }


def test_what_was_done_in_part_is_known(connection: Connection, extractor_id: int) -> None:
    """What the parts of a text gave that could be done is there, and is not the whole."""
    store.store(connection, extractor_id, {ONE: FOUND})
    connection.execute(b"update chunk_extractions set outcome = 'split', error_class = 'CutOff'")
    assert store.known(connection, extractor_id, [ONE]) == {ONE: Known(FOUND, is_whole=False)}


def test_nothing(connection: Connection, extractor_id: int) -> None:
    """Nothing to store is nothing."""
    store.store(connection, extractor_id, {})
    assert connection.execute(b"select from chunk_extractions").rowcount == 0
