"""Activating a stored recipe, beside the bare SQL for the same rows: `python tests/bench/bench_activate.py`.

A recipe's extractions of a made-up archive are stored, and its graph is built from them, as `mnemo extractor
activate` does. Then the very same rows are put into the very same tables, indexes and all, by one statement a
table, `insert into … select`. Rounds take turns, each on empty tables of the graph, as the machine has other
work; the best of each counts. The ratio is the bare SQL's time to ours. The number of documents can be given.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mnemo_assets import database
from mnemo_assets.pipeline import mine
from mnemo_assets.serve import status
from tests.bench import ledgers

if TYPE_CHECKING:
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

HERE: Final = Path(__file__).parent
DOCUMENTS: Final = 3_000
ROUNDS: Final = 3
#: What is promised: so much of the speed of the bare SQL.
PROMISED: Final = 0.8

#: A generation of another recipe, and nothing in it.
EMPTY: Final = b"""
truncate generations cascade;
insert into generations (extractor_id, state) values (%(extractor_id)s, 'active');
"""


def main(documents: int) -> int:
    """Print what both take, and the ratio."""
    with ledgers.home() as settings, database.connect(settings) as connection:
        other = mine.active_generation(connection, settings)
        extractor_id = store(connection, documents)
        built = mine.activate(connection, settings, "ner")
        digest = status.status(connection).digest
        script(connection, (HERE / "keep_graph.sql").read_bytes(), generation=built.generation)
        sizes = " ".join(
            f"{count(connection, name):,} {name}"
            for name in ("entities", "mention_spans", "relations", "refused_relations")
        )
        print(f"{documents:,} documents: {sizes}", flush=True)
        ours, bare = [], []
        for _ in range(ROUNDS):
            bare.append(insert(connection, other.extractor_id))
            ours.append(activate(connection, settings, other.extractor_id, digest))
        assert extractor_id == built.extractor_id
    ratio = min(bare) / min(ours)
    for name, taken in (("bare SQL", bare), ("activation", ours)):
        print(f"{name}: {' '.join(f'{seconds:.2f}' for seconds in taken)} s")
    print(f"activation / bare SQL, speed: {ratio:.2f} (at least {PROMISED})")
    return int(ratio < PROMISED)


def store(connection: Connection, documents: int) -> int:
    """Make documents of the graph, and what a recipe has found in them."""
    row = connection.execute(
        b"insert into extractors (name, version) values ('ner', 1) returning extractor_id"
    ).fetchone()
    assert row is not None
    statements = (HERE / "generate_recipe.sql").read_bytes()
    script(connection, statements, documents=documents, extractor_id=row["extractor_id"])
    connection.execute(b"drop table said")
    return int(row["extractor_id"])


def activate(connection: Connection, settings: Settings, extractor_id: int, digest: str) -> float:
    """Seconds that an activation takes, switch and all."""
    ready(connection, extractor_id)
    begin = time.perf_counter()
    mine.activate(connection, settings, "ner")
    taken = time.perf_counter() - begin
    assert status.status(connection).digest == digest
    return taken


def insert(connection: Connection, extractor_id: int) -> float:
    """Seconds that the bare statements take."""
    ready(connection, extractor_id)
    row = connection.execute(b"select generation from generations").fetchone()
    begin = time.perf_counter()
    script(connection, (HERE / "insert_graph.sql").read_bytes(), **(row or {}))
    taken = time.perf_counter() - begin
    assert count(connection, "mention_spans") == count(connection, "kept_spans")
    return taken


def ready(connection: Connection, extractor_id: int) -> None:
    """An empty graph, and nothing that the server still has to do of before."""
    script(connection, EMPTY, extractor_id=extractor_id)
    connection.execute(b"vacuum analyze documents, chunks, chunk_extractions")


def script(connection: Connection, statements: bytes, **values: int) -> None:
    """Some statements, in one transaction. Several at once take no parameters: numbers are put in here."""
    for name, value in values.items():
        statements = statements.replace(f"%({name})s".encode(), str(int(value)).encode())
    with connection.transaction():
        connection.execute(statements)


def count(connection: Connection, table: str) -> int:
    """How many rows a table has."""
    row = connection.execute(f"select count(*) as n from {table}".encode()).fetchone()  # noqa: S608 - our own names
    assert row is not None
    return int(row["n"])


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else DOCUMENTS))
