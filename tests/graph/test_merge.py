from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.extractions.extractor import Entity, Extraction, Relation
from mnemo_assets.graph.merge import (
    ChunkExtraction,
    Contribution,
    EntityRow,
    MentionRow,
    RelationRow,
    SpanRow,
    merge,
)

if TYPE_CHECKING:
    import random
    from pathlib import Path

SENTENCE = "Ada Lovelace works for Acme Ltd."


def chunk(
    text: str, *names: tuple[str, str], start: int = 0, ordinal: int = 0, **more: object
) -> ChunkExtraction:
    """A chunk in which each (type, name) was found where it first stands."""
    entities = tuple(
        Entity(type_, name, text.index(name), text.index(name) + len(name)) for type_, name in names
    )
    return ChunkExtraction(ordinal, start, text, Extraction(entities, more.get("relations", ())))  # type: ignore[arg-type]


def pieces(text: str, *bounds: tuple[int, int]) -> list[tuple[int, str]]:
    return [(start, text[start:end]) for start, end in bounds]


def spans(contribution: Contribution) -> list[tuple[str, str, int, int]]:
    return [
        (contribution.entities[row.entity].type, row.form, row.start, row.end) for row in contribution.spans
    ]


def test_rows_of_a_document() -> None:
    """Mentions carry offsets of the document and their page; the relation its direction and its sentence."""
    text = f"{SENTENCE}\nADA LOVELACE wrote to Bo."
    entities = (
        Entity("Person", "Ada Lovelace", 0, 12, "author"),
        Entity("Org", "Acme Ltd", 23, 31),
        Entity("Person", "ADA LOVELACE", 33, 45),
        Entity("Person", "Bo", 55, 57, "recipient"),
    )
    relations = (Relation(0, "works for", 1, 0, 32), Relation(2, "wrote fondly to", 3, 33, 58))
    found = merge([ChunkExtraction(0, 0, text, Extraction(entities, relations))], (0, 33))
    assert found.entities == (
        EntityRow("Org", "acme ltd", "Acme Ltd"),
        EntityRow("Person", "ada lovelace", "ADA LOVELACE"),
        EntityRow("Person", "bo", "Bo"),
    )
    assert found.mentions == (
        MentionRow(0, "mentioned", 1),
        MentionRow(1, "author", 2),
        MentionRow(2, "recipient", 1),
    )
    assert found.spans == (
        SpanRow(0, 23, 31, "Acme Ltd", 1, 0),
        SpanRow(1, 0, 12, "Ada Lovelace", 1, 0),
        SpanRow(1, 33, 45, "ADA LOVELACE", 2, 0),
        SpanRow(2, 55, 57, "Bo", 2, 0),
    )
    assert found.relations == (
        RelationRow(1, "works for", "works_for", 0, 0, 32, 1, 0),
        RelationRow(1, "wrote fondly to", None, 2, 33, 58, 2, 0),
    )


def test_a_passive_sentence_is_turned_round() -> None:
    """Who leads is the subject, whichever way round the sentence says it."""
    text = "Acme is led by Ada."
    relation = Relation(0, "is led by", 1, 0, 19)
    found = merge([chunk(text, ("Org", "Acme"), ("Person", "Ada"), relations=(relation,))])
    (row,) = found.relations
    assert (found.entities[row.subject].name, row.predicate, found.entities[row.object].name) == (
        "Ada",
        "leads",
        "Acme",
    )


def test_the_text_is_the_truth() -> None:
    """A name that does not stand at its span, is no name, or is a sentence, is dropped with its relations."""
    text = "Ada knows Bo. " + "x" * 300
    entities = (
        Entity("Person", "Ada", 0, 3),
        Entity("Person", "Bob", 10, 13),
        Entity("Person", "Bo", -4, -2),
        Entity("Person", " ", 3, 4),
        Entity("Person", "Bo", 10, 999),
        Entity("Thing", "x" * 300, 14, 314),
        Entity("\0", "Bo", 10, 12),
    )
    relations = tuple(Relation(0, "knows", other, 0, 13) for other in (1, 2, 3, 4, 5, 6, 7, -1))
    found = merge([ChunkExtraction(0, 0, text, Extraction(entities, relations))])
    assert spans(found) == [("Person", "Ada", 0, 3)]
    assert found.relations == ()


@pytest.mark.parametrize(
    "relation", [(0, "knows", 1, 0, 99), (0, "knows", 1, 5, 5), (0, " ", 1, 0, 10), (0, "a\0", 1, 0, 10)]
)
def test_an_unproved_relation_is_dropped(relation: tuple[int, str, int, int, int]) -> None:
    """A relation has words and a sentence of the text, or it is none."""
    assert (
        merge(
            [chunk("Ada and Bo", ("Person", "Ada"), ("Person", "Bo"), relations=(Relation(*relation),))]
        ).relations
        == ()
    )


def test_nobody_is_related_to_themselves() -> None:
    """Two spellings of one person are no relation."""
    found = merge(
        [chunk("Ada, ADA", ("Person", "Ada"), ("Person", "ADA"), relations=(Relation(0, "knows", 1, 0, 8),))]
    )
    assert found.relations == ()


def test_the_owners_other_names_are_the_owner() -> None:
    """An alias is a mention of the owner, in its own form; nobody else of another type is."""
    found = merge(
        [
            chunk(
                "Ada met Countess in Countess Ltd",
                ("Person", "Countess"),
                ("Person", "Ada"),
                ("Org", "Countess Ltd"),
            )
        ],
        aliases={("Person", "countess"): "ada"},
    )
    assert [(row.type, row.key) for row in found.entities] == [("Org", "countess ltd"), ("Person", "ada")]
    assert [row.count for row in found.mentions] == [1, 2]


def test_one_mention_in_two_chunks_is_one() -> None:
    """What stands in the overlap and is found twice is one mention; so is its relation."""
    text = f"{'a' * 20} {SENTENCE} {'b' * 20}"
    sentence = (21, 53)
    chunks = []
    for ordinal, (start, piece) in enumerate(pieces(text, (0, 60), (10, len(text)))):
        relation = Relation(0, "works for", 1, sentence[0] - start, sentence[1] - start)
        names = ("Person", "Ada Lovelace"), ("Org", "Acme Ltd")
        chunks.append(chunk(piece, *names, start=start, ordinal=ordinal, relations=(relation,)))
    found = merge(chunks)
    assert spans(found) == [("Org", "Acme Ltd", 44, 52), ("Person", "Ada Lovelace", 21, 33)]
    assert [(row.start, row.end, row.chunk) for row in found.relations] == [(*sentence, 0)]


def test_a_name_that_an_edge_cuts_is_taken_from_the_chunk_that_has_it_whole() -> None:
    """Half a name at the edge of a chunk is no mention, if the next chunk shows what it is half of."""
    text = "we met with Ada Lovelace yesterday"
    (_, left), (start, right) = pieces(text, (0, 15), (3, 34))
    found = merge(
        [chunk(left, ("Person", "Ada")), chunk(right, ("Person", "Ada Lovelace"), start=start, ordinal=1)]
    )
    assert spans(found) == [("Person", "Ada Lovelace", 12, 24)]


def test_the_documents_own_edges_cut_nothing() -> None:
    """A name that begins or ends the document is a mention."""
    text = "Ada saw Bo"
    assert len(merge([chunk(text, ("Person", "Ada"), ("Person", "Bo"))]).spans) == 2


def test_chunks_that_contradict_each_other() -> None:
    """Of two readings of the same words, the one with more text around it stays, whichever chunk it is in."""
    text = f"{'a' * 20} Lovelace {'b' * 40}"
    (_, left), (start, right) = pieces(text, (0, 32), (5, len(text)))
    found = merge(
        [chunk(left, ("Place", "Lovelace")), chunk(right, ("Person", "Lovelace"), start=start, ordinal=1)]
    )
    assert spans(found) == [("Person", "Lovelace", 21, 29)]


def test_names_inside_of_names_stay() -> None:
    """What one chunk nests is no contradiction, also where the next chunk says the same."""
    text = f"{'a' * 20} Bank of England {'b' * 20}"
    found = merge(
        [
            chunk(piece, ("Org", "Bank of England"), ("Place", "England"), start=start, ordinal=ordinal)
            for ordinal, (start, piece) in enumerate(pieces(text, (0, 50), (10, len(text))))
        ]
    )
    assert spans(found) == [("Org", "Bank of England", 21, 36), ("Place", "England", 29, 36)]


def test_case_variants(bugcases: Path) -> None:
    """Bug case 16: one node for three spellings, with all its sources; what is another thing stays apart."""
    folder = bugcases / "16-case-variants-split-or-overmerged"
    given_ = {
        "a.txt": (("Thing", "Electrons"), ("Person", "Jon Doe"), ("Place", "US")),
        "b.txt": (
            ("Thing", "ELECTRONS"),
            ("Thing", "electrons"),
            ("Person", "Jon T. Doe"),
            ("Pronoun", "us"),
        ),
        "c.txt": (("Language", "Polish"), ("Product", "polish")),
    }
    found = {
        name: merge([chunk((folder / name).read_text(), *names)]).entities for name, names in given_.items()
    }
    identities = [(row.type, row.key) for rows in found.values() for row in rows]
    assert identities.count(("Thing", "electrons")) == 2  # documents; b.txt's two spellings are one
    assert set(identities) == {
        ("Thing", "electrons"),
        ("Person", "jon doe"),
        ("Person", "jon t. doe"),
        ("Place", "us"),
        ("Pronoun", "us"),
        ("Language", "polish"),
        ("Product", "polish"),
    }


@st.composite
def chunked(draw: st.DrawFn) -> list[ChunkExtraction]:
    """A text in overlapping chunks, with anything that an extractor might say about them."""
    text = draw(st.text("Aab .\n", min_size=10, max_size=80))
    chunks: list[ChunkExtraction] = []
    start = 0
    while start < len(text):
        end = min(len(text), start + draw(st.integers(8, 30)))
        where = st.integers(-2, end - start + 2)
        entities = []
        for _ in range(draw(st.integers(0, 6))):
            first, last = draw(where), draw(where)
            name = text[start:end][first:last] if draw(st.booleans()) else draw(st.text("Aa", max_size=3))
            entities.append(Entity(draw(st.sampled_from(["Person", "Org"])), name, first, last))
        relation = st.builds(
            Relation,
            st.integers(-1, 7),
            st.sampled_from(["knows", "is led by"]),
            st.integers(-1, 7),
            where,
            where,
        )
        chunks.append(
            ChunkExtraction(
                len(chunks),
                start,
                text[start:end],
                Extraction(tuple(entities), tuple(draw(st.lists(relation, max_size=4)))),
            )
        )
        if end == len(text):
            break
        start = max(start + 1, end - draw(st.integers(0, 10)))
    return chunks


@given(chunked(), st.randoms(use_true_random=False))
def test_whatever_is_said_the_rows_are_true(chunks: list[ChunkExtraction], shuffle: random.Random) -> None:
    """A mention is the text at its span, a relation joins two mentioned entities; order changes nothing."""
    text: dict[int, str] = {}
    for piece in chunks:
        text.update(enumerate(piece.text, start=piece.start))
    found = merge(chunks)
    assert all("".join(text[n] for n in range(row.start, row.end)) == row.form for row in found.spans)
    counted = [sum(span.entity == n for span in found.spans) for n in range(len(found.entities))]
    assert counted == [row.count for row in found.mentions]
    assert 0 not in counted
    assert all(row.subject != row.object and row.end in (*text, len(text)) for row in found.relations)
    assert list(found.entities) == sorted(found.entities, key=lambda row: (row.type, row.key))
    shuffled = list(chunks)
    shuffle.shuffle(shuffled)
    assert merge(shuffled) == found


def test_the_digest_is_of_what_is_there() -> None:
    """Another span, type or relation is another digest; the chunk that found it is none of it."""
    one = merge([chunk("Ada and Bo", ("Person", "Ada"), ("Person", "Bo"))])
    same = merge([chunk("Ada and Bo", ("Person", "Bo"), ("Person", "Ada"), ordinal=7)])
    typed = merge([chunk("Ada and Bo", ("Person", "Ada"), ("Org", "Bo"))])
    related = merge(
        [
            chunk(
                "Ada and Bo", ("Person", "Ada"), ("Person", "Bo"), relations=(Relation(0, "knows", 1, 0, 10),)
            )
        ]
    )
    assert one.digest == same.digest
    assert len({one.digest, typed.digest, related.digest, merge([]).digest}) == 4


def test_what_is_quoted_is_marked_and_counts_for_nothing() -> None:
    """A mention that lies whole in a quotation is kept, marked and not counted; a relation is marked."""
    text = f"ADA LOVELACE agrees.\n> {SENTENCE}\n> Ada Lovelace"
    entities = (
        Entity("Person", "ADA LOVELACE", 0, 12),
        Entity("Person", "Ada Lovelace", 23, 35, "author"),
        Entity("Org", "Acme Ltd", 46, 54),
        Entity("Person", "Ada Lovelace", 58, 70),
    )
    extraction = Extraction(
        entities, (Relation(1, "works for", 2, 23, 54), Relation(0, "agrees with", 2, 0, 54))
    )
    found = merge([ChunkExtraction(0, 0, text, extraction)], quoted=[(40, 70), (21, 41)])
    assert found.entities == (
        EntityRow("Org", "acme ltd", "Acme Ltd"),
        EntityRow("Person", "ada lovelace", "ADA LOVELACE"),
    )
    assert found.mentions == (MentionRow(0, "mentioned", 0, 1), MentionRow(1, "mentioned", 1, 2))
    assert [(span.form, span.quoted) for span in found.spans] == [
        ("Acme Ltd", True),
        ("ADA LOVELACE", False),
        ("Ada Lovelace", True),
        ("Ada Lovelace", True),
    ]
    assert [(row.predicate_raw, row.quoted) for row in found.relations] == [
        ("agrees with", False),
        ("works for", True),
    ]
    plain = merge([ChunkExtraction(0, 0, text, extraction)])
    assert plain.digest != found.digest
    assert merge([ChunkExtraction(0, 0, text, extraction)], quoted=[(0, 5)]) == plain  # a part of a name


def test_what_a_predicate_does_not_allow_is_kept_apart() -> None:
    """A place that works for a date is no relation; it is kept, turned round and placed as one would be."""
    text = "Berlin works for 2020. Acme employs Berlin. Berlin hums to 2020. Ada works for Acme."
    names = (("Place", "Berlin"), ("Date", "2020"), ("Org", "Acme"), ("Person", "Ada"))
    relations = (
        Relation(0, "works for", 1, 0, 22),
        Relation(2, "employs", 0, 23, 43),
        Relation(0, "hums to", 1, 44, 64),
        Relation(3, "works for", 2, 65, 84),
    )
    found = merge([chunk(text, *names, relations=relations)])
    keys = [row.key for row in found.entities]
    said = [(keys[row.subject], row.predicate, keys[row.object]) for row in found.relations]
    assert said == [("ada", "works_for", "acme"), ("berlin", None, "2020")]
    assert [
        (keys[row.subject], row.predicate_raw, row.predicate, keys[row.object], row.start, row.end)
        for row in found.refused
    ] == [
        ("berlin", "employs", "works_for", "acme", 23, 43),
        ("berlin", "works for", "works_for", "2020", 0, 22),
    ]
    without = merge([chunk(text, *names, relations=relations[2:])])
    assert (without.refused, without.digest) == ((), found.digest)
