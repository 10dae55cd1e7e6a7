"""Two recipes side by side, on texts that are written row by row."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from psycopg.types.json import Jsonb

from mnemo_assets.errors import RecipeError
from mnemo_assets.pipeline import compare, tally
from mnemo_assets.pipeline.compare import Example

if TYPE_CHECKING:
    from mnemo_assets.database import Connection

ANN, BOB, ACME = ("Person", "ann"), ("Person", "bob"), ("Org", "acme")
TYPES = {"Ann": "Person", "Bob": "Person", "Acme": "Org"}

#: (subject, predicate, object)
Said = tuple[str, str, str]


def document(connection: Connection, text: str) -> str:
    """A document of one text in the graph; the hash that its text goes by."""
    content = hashlib.sha256(text.encode()).hexdigest()
    row = connection.execute(
        b"insert into documents (sha256, stage) values (%s, 'graphed') returning document_id", [content]
    ).fetchone()
    assert row is not None
    connection.execute(
        b"""insert into chunks (document_id, ordinal, start_offset, end_offset, first_page, last_page, text,
            content_sha256) values (%s, 0, 0, %s, 1, 1, %s, %s)""",
        [row["document_id"], len(text), text, content],
    )
    return content


def recipe(connection: Connection, name: str) -> int:
    query = b"insert into extractors (name, version) values (%s, 1) returning extractor_id"
    row = connection.execute(query, [name]).fetchone()
    assert row is not None
    return int(row["extractor_id"])


def found(
    connection: Connection,
    extractor: int,
    content: str,
    text: str,
    names: list[str],
    *said: Said,
    outcome: str = "done",
) -> None:
    """That a recipe found names in a text, and relations between them, proved by all of it."""
    entities = [
        {
            "type": TYPES[name],
            "name": name,
            "start": text.index(name),
            "end": text.index(name) + len(name),
            "role": "mentioned",
        }
        for name in names
    ]
    relations = [
        {
            "subject": names.index(subject),
            "predicate": words,
            "object": names.index(object_),
            "start": 0,
            "end": len(text),
        }
        for subject, words, object_ in said
    ]
    connection.execute(
        b"""insert into chunk_extractions (content_sha256, extractor_id, outcome, entities, relations)
            values (%s, %s, %s, %s, %s)""",
        [content, extractor, outcome, Jsonb(entities), Jsonb(relations)],
    )


TEXT = "Ann and Bob are at Acme."


def test_what_two_recipes_agree_on(connection: Connection) -> None:
    """Entities by name, relations by what they say: agreed, on one side alone, or turned round."""
    one, other = recipe(connection, "ner"), recipe(connection, "patterns")
    first = document(connection, TEXT)
    found(
        connection, one, first, TEXT, ["Ann", "Bob", "Acme"],
        ("Ann", "works for", "Acme"), ("Ann", "parent of", "Bob"),
        ("Ann", "married to", "Bob"), ("Bob", "likes", "Ann"),
    )  # fmt: skip
    found(
        connection, other, first, TEXT, ["Ann", "Bob", "Acme"],
        ("Acme", "employs", "Ann"), ("Bob", "father of", "Ann"),
        ("Bob", "spouse_of", "Ann"), ("Bob", "sees", "Ann"),
    )  # fmt: skip
    second = document(connection, "Ann waits.")
    found(connection, one, second, "Ann waits.", ["Ann"])
    found(connection, other, second, "Ann waits.", [], outcome="split")
    got = compare.compare(connection, "ner", "patterns", limit=5)
    assert (got.documents, got.chunks) == (2, 2)
    assert got.entities_agreed.count == 3
    assert got.entities_only_a.examples == [Example(2, ANN)]
    assert got.entities_only_b.count == 0
    assert got.relations_agreed.examples == [
        Example(1, ANN, "married_to", BOB),
        Example(1, ANN, "works_for", ACME),
    ]
    assert got.relations_reversed.examples == [Example(1, ANN, "parent_of", BOB)]
    assert got.relations_only_a.examples == [Example(1, BOB, "likes", ANN)]
    assert got.relations_only_b.examples == [Example(1, BOB, "sees", ANN)]


def test_only_texts_that_both_could_deal_with(connection: Connection) -> None:
    """What one was not given, or could do nothing with, counts for nobody; examples are as many as asked."""
    one, other = recipe(connection, "ner"), recipe(connection, "patterns")
    texts = [f"Ann is number {n}." for n in range(4)]
    for n, text in enumerate(texts):
        content = document(connection, text)
        found(connection, one, content, text, ["Ann"], outcome="failed" if n == 2 else "done")
        if n != 3:
            found(connection, other, content, text, ["Ann"])
    got = compare.compare(connection, "patterns", "ner", limit=1)
    assert (got.documents, got.entities_agreed.count) == (2, 2)
    assert got.entities_agreed.examples == [Example(1, ANN)]


def test_a_recipe_that_is_not_stored(connection: Connection) -> None:
    """It cannot be compared, and the refusal names those that can."""
    recipe(connection, "ner")
    with pytest.raises(RecipeError, match="ner"):
        compare.compare(connection, "ner", "patterns")


def test_what_recipes_did_and_cost(connection: Connection) -> None:
    """Texts by outcome, whole documents, dropped items; tokens and time of all calls, or day by day."""
    one = recipe(connection, "patterns")
    row = connection.execute(
        b"""insert into extractors (name, version, kind, model, request, request_hash)
            values ('llm:tiny', 1, 'model', 'tiny', '{}', 'abc') returning extractor_id"""
    ).fetchone()
    assert row is not None
    contents = [document(connection, text) for text in ("Ann.", "Bob.", "Acme.")]
    for content, outcome in zip(contents, ("done", "failed", "split"), strict=True):
        found(connection, row["extractor_id"], content, "", [], outcome=outcome)
    found(connection, one, contents[0], "Ann.", ["Ann"])
    connection.execute(
        b"""update chunk_extractions set dropped = '[{}, {}]', ungrounded = 1, malformed = 1
            where outcome = 'split'"""
    )
    connection.execute(
        b"""insert into model_calls (recipe, document_id, request_hash, outcome, prompt_tokens,
            completion_tokens, milliseconds, attempts, called_at)
            values ('llm:tiny', 1, 'x', 'reply', 10, 5, 1500, 1, '2026-01-01 12:00Z'),
            ('llm:tiny', 1, 'y', 'reply', 20, 5, 500, 2, '2026-01-02 12:00Z'),
            ('llm:tiny', 2, 'z', 'status 500', null, null, 100, 4, '2026-01-02 12:00Z')"""
    )
    connection.execute(
        b"insert into bakeoffs (recipes, report, markdown) values ('{llm:tiny@abc}', '{}', '')"
    )
    model, rules = (each for each in tally.tallies(connection) if each.documents)
    counts = (model.documents, model.chunks_done, model.chunks_failed, model.chunks_split)
    assert (model.name, model.kind, model.is_measured, counts) == ("llm:tiny", "model", True, (3, 1, 1, 1))
    assert (model.dropped, model.ungrounded, model.malformed) == (2, 1, 1)
    assert model.costs == (tally.Cost(None, 3, 7, 30, 10, 2100),)
    assert (rules.name, rules.kind, rules.documents, rules.costs) == ("patterns", "rules", 1, ())
    by_day = next(each for each in tally.tallies(connection, by_day=True) if each.kind == "model")
    assert [(str(cost.day), cost.calls, cost.milliseconds) for cost in by_day.costs] == [
        ("2026-01-01", 1, 1500),
        ("2026-01-02", 2, 600),
    ]
