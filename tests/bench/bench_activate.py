"""Activating a stored recipe, beside the bare SQL for the same rows: `python tests/bench/bench_activate.py [DOCUMENTS]`.

A recipe's extractions of a made-up archive are stored, and its graph is built from them, as `mnemo extractor
activate` does. Then the very same rows are put into the very same tables, indexes and all, by one `insert into …
select` a table. Rounds take turns, each on empty tables of the graph, since the machine has other work; the
best of each counts. The ratio is the bare SQL's time to ours.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final

from mnemo_assets import database
from mnemo_assets.pipeline import mine
from mnemo_assets.serve import status
from tests.bench import ledgers

if TYPE_CHECKING:
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

DOCUMENTS: Final = 3_000
ROUNDS: Final = 3
#: What is promised: so much of the speed of the bare SQL.
PROMISED: Final = 0.8

#: Fifteen sentences a chunk, each with one of 6,000 names; every chunk fills some 6,000 characters and says six
#: relations, of which one is refused and one has words that no predicate knows.
STORED: Final = """
create function pg_temp.name(n integer) returns text language sql immutable as
$$ select initcap(translate(to_char(n / 5, 'FM0000'), '0123456789', 'abdefgiklo')) || ' '
    || (array['Miller', 'Holdings', 'Upon Thames', 'Project', 'Brandt'])[1 + n % 5] $$;
create temporary table said as
select d, c, e, (d * 31 + c * 97 + e * 613 + (d % 7) * e) % 6000 as n, 400 * e as start
from generate_series(1, %(documents)s) as d, generate_series(0, 2) as c, generate_series(0, 14) as e;
insert into documents (sha256, stage, extracted_at, graphed_at, chars)
select encode(sha256(('document ' || d)::bytea), 'hex'), 'graphed', now(), now(), 16800
from generate_series(1, %(documents)s) as d order by d;
insert into chunks (document_id, ordinal, start_offset, end_offset, first_page, last_page, text, content_sha256)
select d, c, 5400 * c, 5400 * c + length(text), 1, 1, text, encode(sha256((d || '.' || c)::bytea), 'hex')
from (
    select d, c, string_agg(rpad(pg_temp.name(n) || ' is in the letter of that day', 400, ' of which more is said'), ''
        order by e) as text
    from said group by d, c
) as texts order by d, c;
insert into chunk_extractions (content_sha256, extractor_id, outcome, entities, relations)
select encode(sha256((d || '.' || c)::bytea), 'hex'), %(extractor_id)s, 'done',
    jsonb_agg(jsonb_build_object('type', (array['Person', 'Org', 'Place', 'Thing', 'Person'])[1 + n % 5],
        'name', pg_temp.name(n), 'start', start, 'end', start + length(pg_temp.name(n)), 'role', 'mentioned') order by e),
    (select jsonb_agg(jsonb_build_object('subject', r, 'predicate',
        (array['depends on', 'part of', 'wrote to', 'is said beside', 'depends_on', 'required_by'])[1 + r],
        'object', r + 5, 'start', 400 * r, 'end', 400 * r + 420)) from generate_series(0, 5) as r)
from said group by d, c;
"""
#: The rows of the graph that was built, under other ids; the tables of the graph are emptied afterwards.
KEPT: Final = """
create table kept_entities as select entity_id + 1000000000 as entity_id, type, key, name, is_owner from entities
    where generation = %(generation)s order by entity_id;
create table kept_mentions as select document_id, entity_id + 1000000000 as entity_id, role, count, quoted
    from mentions where generation = %(generation)s order by document_id, entity_id;
create table kept_spans as select document_id, entity_id + 1000000000 as entity_id, start_offset, end_offset, form,
    page, chunk_ordinal, quoted from mention_spans where generation = %(generation)s order by document_id, entity_id, start_offset;
create table kept_relations as select document_id, subject_id + 1000000000 as subject_id, predicate_raw, predicate,
    object_id + 1000000000 as object_id, chunk_ordinal, page, start_offset, end_offset, confidence, quoted
    from relations where generation = %(generation)s order by document_id, relation_id;
create table kept_refused as select document_id, subject_id + 1000000000 as subject_id, predicate_raw, predicate,
    object_id + 1000000000 as object_id, chunk_ordinal, page, start_offset, end_offset
    from refused_relations where generation = %(generation)s order by document_id, refused_id;
create table kept_contributions as select document_id, digest from contributions
    where generation = %(generation)s order by document_id;
"""
BARE: Final = """
insert into entities (generation, entity_id, type, key, name, is_owner) overriding system value
    select %(generation)s, * from kept_entities;
insert into mentions (generation, document_id, entity_id, role, count, quoted)
    select %(generation)s, * from kept_mentions;
insert into mention_spans (generation, document_id, entity_id, start_offset, end_offset, form, page, chunk_ordinal, quoted)
    select %(generation)s, * from kept_spans;
insert into relations (generation, document_id, subject_id, predicate_raw, predicate, object_id, chunk_ordinal, page,
    start_offset, end_offset, confidence, quoted) select %(generation)s, * from kept_relations;
insert into refused_relations (generation, document_id, subject_id, predicate_raw, predicate, object_id, chunk_ordinal,
    page, start_offset, end_offset) select %(generation)s, * from kept_refused;
insert into contributions (generation, document_id, digest) select %(generation)s, * from kept_contributions;
"""
#: The same generation again, served by nobody, and nothing in it.
EMPTY: Final = """
truncate generations cascade;
insert into generations (extractor_id, state) overriding system value values (%(extractor_id)s, 'active');
"""


def main(documents: int) -> int:
    """Print what both take, and the ratio."""
    with ledgers.home() as settings, database.connect(settings) as connection:
        other = mine.active_generation(connection, settings)
        extractor_id = store(connection, documents)
        built = mine.activate(connection, settings, "ner")
        digest = status.status(connection).digest
        script(connection, KEPT, generation=built.generation)
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
    script(connection, STORED, documents=documents, extractor_id=row["extractor_id"])
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
    script(connection, BARE, **(row or {}))
    taken = time.perf_counter() - begin
    assert count(connection, "mention_spans") == count(connection, "kept_spans")
    return taken


def ready(connection: Connection, extractor_id: int) -> None:
    """An empty graph, and nothing that the server still has to do of before."""
    script(connection, EMPTY, extractor_id=extractor_id)
    connection.execute(b"vacuum analyze documents, chunks, chunk_extractions")


def script(connection: Connection, statements: str, **values: int) -> None:
    """Some statements, one after the other in a transaction; values are numbers of ours."""
    with connection.transaction():
        connection.execute(fill(statements, values))


def fill(statements: str, values: dict[str, int]) -> bytes:
    """Statements with numbers in them: several at once take no parameters."""
    for name, value in values.items():
        statements = statements.replace(f"%({name})s", str(int(value)))
    return statements.encode()


def count(connection: Connection, table: str) -> int:
    """How many rows a table has."""
    row = connection.execute(f"select count(*) as n from {table}".encode()).fetchone()  # noqa: S608 - our own names
    assert row is not None
    return int(row["n"])


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else DOCUMENTS))
