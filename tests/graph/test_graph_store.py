from __future__ import annotations

import hashlib
import random
import threading
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from mnemo_assets import database
from mnemo_assets.extractions.extractor import Entity, Extraction, Relation
from mnemo_assets.graph import store
from mnemo_assets.graph.merge import ChunkExtraction, Contribution, merge

if TYPE_CHECKING:
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings


def make_generation(connection: Connection, state: str = "active") -> int:
    connection.execute(b"insert into extractors (name, version) values ('given', 1) on conflict do nothing")
    row = connection.execute(
        b"""insert into generations (extractor_id, state) select extractor_id, %s from extractors
            returning generation""",
        [state],
    ).fetchone()
    assert row is not None
    return int(row["generation"])


def make_document(connection: Connection, name: str) -> int:
    row = connection.execute(
        b"insert into documents (sha256, stage) values (%s, 'extracted') returning document_id",
        [hashlib.sha256(name.encode()).hexdigest()],
    ).fetchone()
    assert row is not None
    return int(row["document_id"])


def contribution(text: str, *related: tuple[int, str, int]) -> Contribution:
    """Every word with a capital is a person; relations are proved by the whole text."""
    entities = []
    at = 0
    for word in text.split(" "):
        if word[:1].isupper():
            entities.append(Entity("Person", word, at, at + len(word)))
        at += len(word) + 1
    relations = tuple(Relation(*relation, 0, len(text)) for relation in related)
    return merge([ChunkExtraction(0, 0, text, Extraction(tuple(entities), relations))])


def put(connection: Connection, generation: int, document_id: int, value: Contribution) -> None:
    with connection.transaction():
        store.replace(connection, generation, document_id, value)


def remove(connection: Connection, document_id: int) -> None:
    with connection.transaction():
        store.forget(connection, [document_id])
        connection.execute(b"delete from documents where document_id = %s", [document_id])


def finish(connection: Connection, generation: int, limit: int = 500) -> None:
    while True:
        with connection.transaction():
            if not store.finish(connection, generation, limit):
                return


def rows(connection: Connection, generation: int) -> dict[str, list[tuple[Any, ...]]]:
    """The whole graph, without ids and times."""
    found = {}
    for table, query in {
        "entities": b"""select type, key, name, name_stale, is_owner from entities
            where generation = %s order by 1, 2""",
        "mentions": b"""select sha256, key, role, count from mentions m join entities using (entity_id)
            join documents using (document_id) where m.generation = %s order by 1, 2""",
        "spans": b"""select sha256, key, start_offset, end_offset, form, page, chunk_ordinal
            from mention_spans s join entities using (entity_id) join documents using (document_id)
            where s.generation = %s order by 1, 2, 3""",
        "relations": b"""select sha256, s.key as subject, predicate_raw, predicate, o.key as object,
            start_offset, end_offset, page, chunk_ordinal, confidence, inferred
            from relations r join documents using (document_id)
            join entities s on s.entity_id = subject_id join entities o on o.entity_id = object_id
            where r.generation = %s order by 1, 2, 3, 5""",
        "contributions": b"""select sha256, digest from contributions c join documents using (document_id)
            where c.generation = %s order by 1""",
    }.items():
        found[table] = [tuple(row.values()) for row in connection.execute(query, [generation])]
    return found


def test_the_rows_of_a_document(connection: Connection) -> None:
    """What merge made is what the tables hold."""
    generation = make_generation(connection)
    document = make_document(connection, "a")
    put(connection, generation, document, contribution("Ada works for BO and Bo", (0, "works for", 1)))
    sha256 = hashlib.sha256(b"a").hexdigest()
    found = rows(connection, generation)
    assert len(found["contributions"][0][1]) == 64
    assert {**found, "contributions": []} == {
        "entities": [("Person", "ada", "Ada", False, False), ("Person", "bo", "BO", False, False)],
        "mentions": [(sha256, "ada", "mentioned", 1), (sha256, "bo", "mentioned", 2)],
        "spans": [
            (sha256, "ada", 0, 3, "Ada", 1, 0),
            (sha256, "bo", 14, 16, "BO", 1, 0),
            (sha256, "bo", 21, 23, "Bo", 1, 0),
        ],
        "relations": [(sha256, "ada", "works for", "works_for", "bo", 0, 23, 1, 0, 1.0, False)],
        "contributions": [],
    }


def test_what_is_quoted(connection: Connection) -> None:
    """Its rows are marked; it chooses no name, and the views that count leave it out."""
    generation = make_generation(connection)
    document = make_document(connection, "a")
    text = "Ada met BO and Bo and Bo"
    words = (
        Entity("Person", "Ada", 0, 3),
        *(Entity("Person", text[n : n + 2], n, n + 2) for n in (8, 15, 22)),
    )
    extraction = Extraction(words, (Relation(0, "met", 1, 0, 10), Relation(0, "met", 2, 0, 17)))
    for quoted in ([(0, 24)], [(11, 24)], []):
        found = merge([ChunkExtraction(0, 0, text, extraction)], quoted=quoted)
        put(connection, generation, document, found)
        finish(connection, generation)
        spans = connection.execute(b"select form, quoted from mention_spans order by start_offset").fetchall()
        marks = [any(start <= word.start and word.end <= end for start, end in quoted) for word in words]
        assert [(row["form"], row["quoted"]) for row in spans] == [
            (word.name, mark) for word, mark in zip(words, marks, strict=True)
        ]
        name = connection.execute(b"select name from entities where key = 'bo'").fetchone()
        assert name == {"name": "BO" if quoted else "Bo"}
        counted = connection.execute(b"select entity_id, count from serve.mentions order by 1").fetchall()
        assert [row["count"] for row in counted] == (
            [] if quoted == [(0, 24)] else [1, 1] if quoted else [1, 3]
        )
        relations = connection.execute(b"select quoted from relations order by end_offset").fetchall()
        assert [row["quoted"] for row in relations] == [quoted == [(0, 24)]] * 2


def test_replacing_leaves_nothing_behind(connection: Connection) -> None:
    """A document that says something else now, says nothing that it said before."""
    generation = make_generation(connection)
    document = make_document(connection, "a")
    put(connection, generation, document, contribution("Ada knows Bo", (0, "knows", 1)))
    put(connection, generation, document, contribution("Cy hums"))
    finish(connection, generation)
    found = rows(connection, generation)
    assert [row[1] for row in found["entities"]] == ["cy"]
    assert [row[1:4] for row in found["spans"]] == [("cy", 0, 2)]
    assert found["relations"] == []


def test_storing_the_same_again_changes_nothing(connection: Connection) -> None:
    """A repeated document has the same rows, with the same ids."""
    generation = make_generation(connection)
    document = make_document(connection, "a")
    value = contribution("Ada knows Bo", (0, "knows", 1))
    put(connection, generation, document, value)
    before = (
        rows(connection, generation),
        connection.execute(b"select entity_id from entities order by 1").fetchall(),
    )
    put(connection, generation, document, value)
    finish(connection, generation)
    after = (
        rows(connection, generation),
        connection.execute(b"select entity_id from entities order by 1").fetchall(),
    )
    assert after == before


def test_deletion_lowers_the_weight(connection: Connection) -> None:
    """The weight of an edge is its distinct documents: with one gone, it is one less; with all, no edge."""
    generation = make_generation(connection)
    documents = [make_document(connection, name) for name in "ab"]
    for document in documents:
        put(connection, generation, document, contribution("Ada knows Bo", (0, "knows", 1)))
    weight = b"select count(distinct document_id) as n from relations"
    counts = [connection.execute(weight).fetchall()]
    for document in documents:
        remove(connection, document)
        finish(connection, generation)
        counts.append(connection.execute(weight).fetchall())
    assert counts == [[{"n": 2}], [{"n": 1}], [{"n": 0}]]
    assert all(not found for found in rows(connection, generation).values())


def test_the_name_is_the_most_frequent_form_of_all_documents(connection: Connection) -> None:
    """Names follow the documents that come and go."""
    generation = make_generation(connection)
    shown = []
    documents = []
    for name, text in {"a": "Bo", "b": "BO", "c": "BO"}.items():
        documents.append(make_document(connection, name))
        put(connection, generation, documents[-1], contribution(text))
        finish(connection, generation)
        shown.append(rows(connection, generation)["entities"][0][2])
    for document in documents[1:]:
        remove(connection, document)
        finish(connection, generation)
        shown.append(rows(connection, generation)["entities"][0][2])
    assert shown == ["Bo", "BO", "BO", "BO", "Bo"]


def test_the_owner_stays(connection: Connection) -> None:
    """The owner is in the graph without a mention, under the name that was given."""
    generation = make_generation(connection)
    connection.execute(
        b"""insert into entities (generation, type, key, name, is_owner)
            values (%s, 'Person', 'ada', 'Ada L.', true)""",
        [generation],
    )
    document = make_document(connection, "a")
    put(connection, generation, document, contribution("ADA hums"))
    remove(connection, document)
    finish(connection, generation)
    assert rows(connection, generation)["entities"] == [("Person", "ada", "Ada L.", False, True)]


def test_generations_do_not_touch_each_other(connection: Connection) -> None:
    """What is built beside the graph is not in it; forgetting takes a document out of both."""
    active, building = make_generation(connection), make_generation(connection, "building")
    document, other = make_document(connection, "a"), make_document(connection, "b")
    put(connection, active, document, contribution("Ada"))
    put(connection, building, document, contribution("Bo"))
    put(connection, building, other, contribution("Cy"))
    assert [row[1] for row in rows(connection, active)["entities"]] == ["ada"]
    remove(connection, document)
    for generation in (active, building):
        finish(connection, generation)
    assert [row[1] for row in rows(connection, building)["entities"]] == ["cy"]
    assert rows(connection, active)["entities"] == []


def test_what_was_found_in_its_chunks_alone_is_forgotten(connection: Connection) -> None:
    """The extraction of a chunk goes with its last document, and not before."""
    make_generation(connection)
    documents = [make_document(connection, name) for name in "ab"]
    for document, texts in zip(documents, (("x", "y"), ("y",)), strict=True):
        for ordinal, text in enumerate(texts):
            connection.execute(
                b"""insert into chunks (document_id, ordinal, start_offset, end_offset, first_page, last_page,
                    text, content_sha256) values (%s, %s, 0, 1, 1, 1, %s, %s)""",
                [document, ordinal, text, text],
            )
    connection.execute(
        b"""insert into chunk_extractions (content_sha256, extractor_id, outcome)
            select c, extractor_id, 'done' from extractors, (values ('x'), ('y')) as v (c)"""
    )
    left = []
    for document in documents:
        remove(connection, document)
        found = connection.execute(b"select content_sha256 from chunk_extractions").fetchall()
        left.append([row["content_sha256"] for row in found])
    assert left == [["y"], []]


WORDS = ["Ada", "ADA", "Bo", "Cy", "cy", "BO", "Di", "hums"]
STEPS = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.none() | st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
        st.integers(0, 3),
    ),
    max_size=12,
)


def value_of(words: list[str]) -> Contribution:
    people = sum(word[0].isupper() for word in words)
    return contribution(" ".join(words), *([(0, "knows", people - 1)] if people else []))


@given(STEPS)
@hypothesis_settings(max_examples=60)
def test_any_history_ends_in_the_graph_that_is_built_from_nothing(connection: Connection, steps: Any) -> None:
    """Whatever came, changed and went in between: the rows are those of the documents that are there."""
    connection.execute(b"truncate documents, extractors, generations restart identity cascade")
    lived, fresh = make_generation(connection), make_generation(connection, "building")
    there: dict[str, tuple[int, list[str]]] = {}
    for name, words, finishes in steps:
        if words is None:
            if name in there:
                remove(connection, there.pop(name)[0])
        else:
            document = there[name][0] if name in there else make_document(connection, name)
            put(connection, lived, document, value_of(words))
            there[name] = (document, words)
        if not finishes:
            finish(connection, lived, limit=2)
    finish(connection, lived, limit=2)
    for document, words in sorted(there.values()):
        put(connection, fresh, document, value_of(words))
    finish(connection, fresh)
    assert rows(connection, lived) == rows(connection, fresh)


def test_writers_of_the_same_entities_never_deadlock(connection: Connection, settings: Settings) -> None:
    """Three writers put, replace and remove documents that share their entities, each in another order."""
    generation = make_generation(connection)
    names = [f"N{number}" for number in range(120)]
    errors: list[BaseException] = []

    def write(seed: int) -> None:
        chance = random.Random(seed)
        try:
            with database.connect(settings) as own:
                for turn in range(25):
                    some = chance.sample(names, 60)
                    document = make_document(own, f"{seed}-{turn}")
                    put(own, generation, document, contribution(" ".join(some)))
                    put(own, generation, document, contribution(" ".join(chance.sample(some, 40))))
                    if turn % 5 == 0:
                        remove(own, document)
                    if turn % 7 == 0:
                        finish(own, generation)
        except psycopg.Error as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    finish(connection, generation)
    found = rows(connection, generation)
    assert len(found["contributions"]) == 60
    assert len(found["mentions"]) == 60 * 40
    assert [row for row in found["entities"] if row[2] != row[1].upper() or row[3]] == []


def test_a_document_that_is_gone_gets_no_rows(connection: Connection) -> None:
    """Storing what was mined of a document that was removed meanwhile fails, and leaves nothing."""
    generation = make_generation(connection)
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        put(connection, generation, 12345, contribution("Ada"))
    assert all(not found for found in rows(connection, generation).values())


def test_refused_relations_come_and_go_with_their_document(connection: Connection) -> None:
    """They are apart from the relations, and replaced and removed as they are."""
    generation = make_generation(connection)
    document = make_document(connection, "a")
    refused = contribution("Ada knows Bo", (0, "was born on", 1), (0, "knows", 1))
    query = b"""select predicate_raw, predicate, start_offset, end_offset, page, chunk_ordinal
        from refused_relations"""
    counts = []
    for value in (refused, refused, contribution("Cy hums"), refused):
        put(connection, generation, document, value)
        counts.append((connection.execute(query).fetchall(), len(rows(connection, generation)["relations"])))
    one = {
        "predicate_raw": "was born on",
        "predicate": "born_on",
        "start_offset": 0,
        "end_offset": 12,
        "page": 1,
    }
    one |= {"chunk_ordinal": 0}
    assert counts == [([one], 1), ([one], 1), ([], 0), ([one], 1)]
    remove(connection, document)
    finish(connection, generation)
    assert connection.execute(query).fetchall() == []
