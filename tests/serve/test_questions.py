"""Whole answers on a graph of three letters."""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.errors import AmbiguousNameError, NotFoundError
from mnemo_assets.serve import documents, dossier, entities, related, status, timeline

if TYPE_CHECKING:
    from mnemo_assets.database import Connection
    from tests.invented_graph import InventedGraph

FIRST = "Ada Byron works for Quay Ltd. She lives in Split. Ada Byron writes to Tom."
SECOND = "Tom met Ada Byron in Split on 3 May 2019."
THIRD = "Nothing but Müller here."


class Letters:
    """Who is who in the three letters."""

    def __init__(self, graph: InventedGraph) -> None:
        self.first = graph.document(FIRST, date=dt.date(2020, 2, 1), title="To the quay")
        self.second = graph.document(SECOND, date=dt.date(2019, 5, 3), source="metadata")
        self.third = graph.document(THIRD, mtime_ns=1_500_000_000_000_000_000)
        self.ada = graph.entity("Person", "Ada Byron")
        self.tom = graph.owner("Tom", "Thomas Gray")
        self.quay = graph.entity("Org", "Quay Ltd")
        self.split = graph.entity("Place", "Split")
        self.day = graph.entity("Date", "2019-05-03")
        self.muller = graph.entity("Person", "Müller", key="müller")
        for document, entity, form in (
            (self.first, self.ada, "Ada Byron"),
            (self.first, self.quay, "Quay Ltd"),
            (self.first, self.split, "Split"),
            (self.first, self.tom, "Tom"),
            (self.second, self.ada, "Ada Byron"),
            (self.second, self.tom, "Tom"),
            (self.second, self.split, "Split"),
            (self.second, self.day, "3 May 2019"),
            (self.third, self.muller, "Müller"),
        ):
            graph.mention(document, entity, form)
        self.works = graph.relate(
            self.first,
            self.ada,
            "works for",
            self.quay,
            "Ada Byron works for Quay Ltd.",
            predicate="works_for",
        )


@pytest.fixture
def letters(graph: InventedGraph) -> Letters:
    return Letters(graph)


def test_status_of_an_empty_database_has_every_stage_and_outcome_at_zero(reader: Connection) -> None:
    """Before the first sync, everything is there and is nothing."""
    assert status.status(reader).model_dump() == {
        "documents": dict.fromkeys(("new", "extracted", "graphed", "failed", "skipped", "ocr_pending"), 0),
        "files": dict.fromkeys(
            ("admitted", "excluded", "empty", "unreadable", "changing", "special", "symlink", "missing"), 0
        ),
        "errors": {},
        "entities": 0,
        "mentions": 0,
        "relations": 0,
        "digest": hashlib.sha256(b"").hexdigest(),
        "archives": {"healthy": 0, "outage": 0, "unscanned": 0},
        "generation": None,
        "extractor": None,
        "extractor_version": None,
    }


@pytest.mark.usefixtures("letters")
def test_status_counts_files_apart_from_the_missing(graph: InventedGraph, reader: Connection) -> None:
    """A file that is gone counts as missing, whatever it was."""
    graph.file("gone.txt", missing_since="2024-02-02")
    graph.file("Passwords/a.txt", outcome="excluded", rule="password")
    found = status.status(reader)
    assert {name: n for name, n in found.files.items() if n} == {"admitted": 3, "excluded": 1, "missing": 1}
    assert (found.entities, found.mentions, found.relations) == (6, 10, 1)
    assert (found.generation, found.extractor, found.extractor_version) == (graph.generation, "patterns", 1)


@pytest.mark.usefixtures("letters")
def test_digest_is_that_of_the_sorted_contributions(reader: Connection, connection: Connection) -> None:
    """Equal graphs have equal digests: no id and no time is in it."""
    rows = connection.execute(b"select sha256, digest from contributions join documents using (document_id)")
    lines = sorted(f"{row['sha256']}:{row['digest']}" for row in rows)
    assert status.status(reader).digest == hashlib.sha256("\n".join(lines).encode()).hexdigest()


def test_dossier_is_whole(letters: Letters, reader: Connection) -> None:
    """Dated mentions by document, the newest first, with quotes; relations in and out."""
    assert dossier.get_dossier(reader, letters.ada).model_dump(exclude={"warning"}, exclude_none=True) == {
        "entity": {
            "entity_id": letters.ada,
            "type": "Person",
            "name": "Ada Byron",
            "is_owner": False,
            "mentions": 3,
            "documents": 2,
        },
        "aliases": (),
        "documents": (
            {
                "document_id": letters.first,
                "sha256": _sha256(reader, letters.first),
                "date": dt.date(2020, 2, 1),
                "date_source": "content",
                "role": "mentioned",
                "count": 2,
                "title": "To the quay",
                "mentions": (
                    _mention(0, "Ada Byron", 0, "Ada Byron works for Quay Ltd."),
                    _mention(50, "Ada Byron", 50, "Ada Byron writes to Tom."),
                ),
            },
            {
                "document_id": letters.second,
                "sha256": _sha256(reader, letters.second),
                "date": dt.date(2019, 5, 3),
                "date_source": "metadata",
                "role": "mentioned",
                "count": 1,
                "mentions": (_mention(8, "Ada Byron", 0, SECOND),),
            },
        ),
        "relations_out": (
            {
                "predicate": "works_for",
                "words": "works for",
                "entity": {
                    "entity_id": letters.quay,
                    "type": "Org",
                    "name": "Quay Ltd",
                    "is_owner": False,
                },
                "documents": 1,
                "confidence": 0.5,
                "inferred": False,
                "document_id": letters.first,
                "page": 1,
                "start": 0,
                "end": 29,
                "quote": "Ada Byron works for Quay Ltd.",
            },
        ),
        "relations_in": (),
        "truncated": False,
    }
    assert [found.entity.name for found in dossier.get_dossier(reader, letters.quay).relations_in] == [
        "Ada Byron"
    ]


def test_weight_of_a_relation_is_the_number_of_documents(
    letters: Letters, graph: InventedGraph, reader: Connection
) -> None:
    """Two sentences of one document weigh one; other words for one predicate weigh together."""
    sentence = "Ada Byron writes to Tom."
    graph.relate(letters.first, letters.ada, "is employed by", letters.quay, sentence, predicate="works_for")
    assert [found.documents for found in dossier.get_dossier(reader, letters.ada).relations_out] == [1]
    graph.relate(letters.second, letters.ada, "Employed By", letters.quay, SECOND, predicate="works_for")
    assert [found.documents for found in dossier.get_dossier(reader, letters.ada).relations_out] == [2]


def test_owner_is_found_and_named_by_an_alias(letters: Letters, reader: Connection) -> None:
    """A search for an alias finds the owner, whose dossier lists the names."""
    (found,) = entities.search_entities(reader, "thomas g").entities
    assert (found.entity_id, found.is_owner) == (letters.tom, True)
    assert [found.entity_id for found in entities.find_by_name(reader, "THOMAS GRAY")] == [letters.tom]
    assert dossier.get_dossier(reader, letters.tom).aliases == ("Tom", "Thomas Gray")


def test_search_puts_equal_before_beginning_before_containing(
    graph: InventedGraph, reader: Connection
) -> None:
    """Rank first, then mentions; accents and case do not matter."""
    text = "Ann. Annex. Annex. Hannover. Hannover. Hannover. Ánn"
    document = graph.document(text)
    for name in ("Ann", "Annex", "Hannover", "Ánn"):
        graph.mention(document, graph.entity("Person", name), name)
    assert [found.name for found in entities.search_entities(reader, "ÁNN").entities] == [
        "Ann",
        "Ánn",
        "Annex",
        "Hannover",
    ]
    assert [found.name for found in entities.search_entities(reader, "nn").entities] == []
    assert [found.name for found in entities.search_entities(reader, "a").entities] == ["Ann", "Annex", "Ánn"]
    assert entities.search_entities(reader, "ann", entity_type="Org").entities == ()


@pytest.mark.parametrize(
    "query", ["%", "_", "\\", "a%", "100%", "", "  ", "\0", "\ud83d", "'; drop table entities"]
)
@pytest.mark.usefixtures("letters")
def test_search_takes_wildcards_and_rubbish_literally(reader: Connection, query: str) -> None:
    """Nothing a caller types is a pattern, or breaks the query."""
    assert entities.search_entities(reader, query).entities == ()


def test_wildcards_are_found_as_themselves(graph: InventedGraph, reader: Connection) -> None:
    """A name with a percent sign is found by it."""
    document = graph.document("100% Design and 100x Design")
    for name in ("100% Design", "100x Design"):
        graph.mention(document, graph.entity("Org", name), name)
    assert [found.name for found in entities.search_entities(reader, "100%").entities] == ["100% Design"]


def test_name_is_found_as_written_before_it_is_found_without_accents(
    letters: Letters, graph: InventedGraph, reader: Connection
) -> None:
    """`Muller` finds Müller only while no Muller is there."""
    assert [found.entity_id for found in entities.find_by_name(reader, "muller")] == [letters.muller]
    muller = graph.entity("Person", "Muller")
    assert [found.entity_id for found in entities.find_by_name(reader, "muller")] == [muller]
    assert [found.entity_id for found in entities.find_by_name(reader, "müller")] == [letters.muller]


def test_cross_document_entities_and_the_bridging_rate(letters: Letters, reader: Connection) -> None:
    """Entities in two documents over all entities, with Dates and the owner apart."""
    found = entities.cross_document_entities(reader, 2)
    assert [ref.entity_id for ref in found.entities] == [letters.ada, letters.tom, letters.split]
    assert found.bridging.model_dump() == {
        "all": {"entities": 6, "bridging": 3, "rate": 0.5},
        "dates": {"entities": 1, "bridging": 0, "rate": 0.0},
        "owner": {"entities": 1, "bridging": 1, "rate": 1.0},
        "others": {"entities": 4, "bridging": 2, "rate": 0.5},
    }


def test_timeline_goes_from_early_to_late_and_says_what_dates_it(
    letters: Letters, graph: InventedGraph, reader: Connection
) -> None:
    """The document's own date, else its metadata's, else its file's; the undated last, and not in a range."""
    modified = graph.document("Ada Byron again.")
    undated = graph.document("Ada Byron.", mtime_ns=None)
    for document in (modified, undated):
        graph.mention(document, letters.ada, "Ada Byron")
    found = timeline.entity_timeline(reader, letters.ada).documents
    assert [(row.document_id, row.date, row.date_source) for row in found] == [
        (letters.second, dt.date(2019, 5, 3), "metadata"),
        (letters.first, dt.date(2020, 2, 1), "content"),
        (modified, dt.date(2023, 11, 14), "mtime"),
        (undated, None, None),
    ]
    assert [len(row.mentions) for row in found] == [1, 1, 1, 1]
    between = timeline.entity_timeline(
        reader, letters.ada, after=dt.date(2020, 2, 1), before=dt.date(2023, 11, 13)
    )
    assert [row.document_id for row in between.documents] == [letters.first]


def test_related_entities_carry_what_is_said(letters: Letters, reader: Connection) -> None:
    """Ranked by shared documents over both degrees; the relation between the two stands beside it."""
    found = related.related_entities(reader, letters.ada)
    assert [(near.name, near.shared, near.score) for near in found.related] == [
        ("Tom", 2, 1.0),
        ("Split", 2, 1.0),
        ("Quay Ltd", 1, 0.7071),
        ("2019-05-03", 1, 0.7071),
    ]
    assert [said.model_dump() for said in found.related[2].relations] == [
        {"predicate": "works_for", "words": "works for", "forwards": True, "documents": 1}
    ]


def test_document_is_the_ledgers_row(letters: Letters, reader: Connection, connection: Connection) -> None:
    """Stage, size, mtime, date, class with its reason, and the entities; never a path."""
    connection.execute(
        b"update documents set error_class = 'Partial', chunks_failed = 1 where document_id = 1"
    )
    found = documents.get_document(reader, letters.first)
    assert found.model_dump(exclude={"warning", "sha256"}, exclude_none=True, exclude_defaults=True) == {
        "document_id": letters.first,
        "stage": "graphed",
        "error_class": "Partial",
        "reason": "Some parts of the text could not be mined. `mnemo retry` asks for those alone.",
        "attempts": 0,
        "date": dt.date(2020, 2, 1),
        "date_source": "content",
        "size_bytes": len(FIRST),
        "mtime": dt.datetime(2023, 11, 14, 22, 13, 20, tzinfo=dt.UTC),
        "files": 1,
        "extensions": ("txt",),
        "pages": 1,
        "chars": len(FIRST),
        "pages_awaiting_ocr": 0,
        "chunks": 1,
        "chunks_failed": 1,
        "title": "To the quay",
        "entities_total": 4,
        "entities": (
            {
                "entity_id": letters.ada,
                "type": "Person",
                "name": "Ada Byron",
                "role": "mentioned",
                "count": 2,
            },
            {
                "entity_id": letters.tom,
                "type": "Person",
                "name": "Tom",
                "is_owner": True,
                "role": "mentioned",
                "count": 1,
            },
            {"entity_id": letters.quay, "type": "Org", "name": "Quay Ltd", "role": "mentioned", "count": 1},
            {"entity_id": letters.split, "type": "Place", "name": "Split", "role": "mentioned", "count": 1},
        ),
        "truncated": False,
    }


def test_document_is_found_by_the_beginning_of_its_hash(letters: Letters, reader: Connection) -> None:
    """A beginning that fits one document finds it; none or several are said."""
    sha256 = _sha256(reader, letters.second)
    assert documents.find_document(reader, sha256[:12].upper()) == letters.second
    assert documents.find_document(reader, sha256) == letters.second
    with pytest.raises(NotFoundError):
        documents.find_document(reader, "0" * 64)
    with pytest.raises(AmbiguousNameError):
        documents.find_document(reader, "")


def test_failures_name_path_and_reason(graph: InventedGraph, reader: Connection) -> None:
    """Files that were kept out and documents that did not come in whole; what is gone is left out."""
    graph.document("well")
    locked = graph.document("", stage="failed", error_class="Encrypted")
    graph.file("Passwords/a.txt", outcome="excluded", rule="password")
    graph.file("gone.txt", outcome="unreadable", missing_since="2024-02-02")
    assert [(row.path, row.outcome, row.error_class, row.reason) for row in documents.failures(reader)] == [
        (
            f"{locked}.txt",
            "admitted",
            "Encrypted",
            "Needs a password: `mnemo unlock` (pdf, docx, xlsx, pptx), or a copy without one.",
        ),
        (
            "Passwords/a.txt",
            "excluded",
            None,
            "An exclusion rule fired: the file was not read further.",
        ),
    ]


def test_what_is_not_there_is_said(reader: Connection) -> None:
    """An id that the graph does not have is NotFound, for every question that takes one."""
    for ask in (
        dossier.get_dossier,
        related.related_entities,
        timeline.entity_timeline,
        documents.get_document,
    ):
        with pytest.raises(NotFoundError):
            ask(reader, 2**63 - 1)


def test_another_generation_is_not_served(letters: Letters, graph: InventedGraph, reader: Connection) -> None:
    """What is being built beside the graph shows in no answer."""
    before = status.status(reader)
    graph.connection.execute(b"insert into extractors (name, version) values ('ner', 1)")
    graph.connection.execute(
        b"insert into generations (extractor_id, state)"
        b" select extractor_id, 'building' from extractors where name = 'ner'"
    )
    graph.generation += 1
    other = graph.entity("Person", "Ada Byron")
    graph.mention(letters.third, other, "Müller")
    assert status.status(reader) == before
    assert [found.entity_id for found in entities.search_entities(reader, "Ada").entities] == [letters.ada]


def _sha256(reader: Connection, document_id: int) -> str:
    return documents.get_document(reader, document_id).sha256


def _mention(start: int, form: str, quote_start: int, quote: str) -> dict[str, object]:
    return {
        "page": 1,
        "start": start,
        "end": start + len(form),
        "form": form,
        "quote_start": quote_start,
        "quote_end": quote_start + len(quote),
        "quote": quote,
    }


def test_recognised_words_are_marked(graph: InventedGraph, reader: Connection) -> None:
    """A quote that stands on a recognised page, or runs into one, says so; others do not."""
    text = "Ada Byron writes to\fTom. Ada Byron waits.\n\n\fAda Byron is here."
    document_id = graph.document(text, ocr_pages=[2, 9], ocr_doubtful=[9], ocr_confidence=71.25, ocr_failed=1)
    ada, tom = graph.entity("Person", "Ada Byron"), graph.entity("Person", "Tom")
    graph.mention(document_id, ada, "Ada Byron")
    graph.mention(document_id, tom, "Tom")
    graph.connection.execute("update mention_spans set page = 2 where start_offset between 20 and 42")
    graph.connection.execute("update mention_spans set page = 3 where start_offset > 42")
    graph.relate(document_id, ada, "writes to", tom, "Ada Byron writes to\fTom.")
    found = dossier.get_dossier(reader, ada)
    marks = [(one.quote, one.ocr, one.ocr_doubtful) for one in found.documents[0].mentions]
    assert marks == [
        ("Ada Byron writes to\fTom.", True, None),
        ("Ada Byron waits.", True, None),
        ("Ada Byron is here.", None, None),
    ]
    assert [(one.ocr, one.ocr_doubtful) for one in found.relations_out] == [(True, None)]
    graph.connection.execute("update documents set ocr_doubtful = '{2}'")
    assert timeline.entity_timeline(reader, ada).documents[0].mentions[0].ocr_doubtful is True
    shown = documents.get_document(reader, document_id)
    assert (shown.ocr_pages, shown.ocr_doubtful, shown.ocr_failed, shown.ocr_confidence) == (2, 1, 1, 71.2)
