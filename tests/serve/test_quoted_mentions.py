"""What documents quote from earlier mails: shown last and marked, counted nowhere."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.serve import documents, dossier, entities, related, status, timeline

if TYPE_CHECKING:
    from mnemo_assets.database import Connection
    from tests.invented_graph import InventedGraph

FIRST = "Ada Byron works for Quay Ltd."
REPLY = "Tom thanks Ada Byron.\n> Ada Byron works for Quay Ltd."
LATEST = "Tom agrees.\n> Ada Byron works for Quay Ltd. Eve Moss works for Quay Ltd."


class Thread:
    """A mail, a reply that quotes it, and a third one that does no more than quote."""

    def __init__(self, graph: InventedGraph) -> None:
        self.first = graph.document(FIRST, date=dt.date(2020, 1, 1))
        self.reply = graph.document(REPLY, date=dt.date(2020, 1, 2))
        self.latest = graph.document(LATEST, date=dt.date(2020, 1, 3))
        self.ada = graph.entity("Person", "Ada Byron")
        self.quay = graph.entity("Org", "Quay Ltd")
        self.tom = graph.entity("Person", "Tom")
        self.eve = graph.entity("Person", "Eve Moss")
        for document, entity, form, quoted_from in (
            (self.first, self.ada, "Ada Byron", None),
            (self.first, self.quay, "Quay Ltd", None),
            (self.reply, self.tom, "Tom", None),
            (self.reply, self.ada, "Ada Byron", 22),
            (self.reply, self.quay, "Quay Ltd", 22),
            (self.latest, self.tom, "Tom", None),
            (self.latest, self.ada, "Ada Byron", 12),
            (self.latest, self.quay, "Quay Ltd", 12),
            (self.latest, self.eve, "Eve Moss", 12),
        ):
            graph.mention(document, entity, form, quoted_from=quoted_from)
        says = {"predicate": "works_for"}
        for document in (self.latest, self.reply):
            graph.relate(document, self.ada, "works for", self.quay, FIRST, quoted=True, **says)
        graph.relate(
            self.latest, self.eve, "works for", self.quay, "Eve Moss works for Quay Ltd.", quoted=True, **says
        )
        graph.relate(self.first, self.ada, "works for", self.quay, FIRST, **says)


@pytest.fixture
def thread(graph: InventedGraph) -> Thread:
    return Thread(graph)


def test_counts_are_of_what_documents_say_themselves(thread: Thread, reader: Connection) -> None:
    """A thread of three mails counts a fact once; who is only quoted is found, and counts for nothing."""
    found = {name: entities.search_entities(reader, name).entities[0] for name in ("Ada", "Quay", "Eve")}
    counts = {name: (one.mentions, one.documents) for name, one in found.items()}
    assert counts == {"Ada": (2, 2), "Quay": (1, 1), "Eve": (0, 0)}
    assert status.status(reader).mentions == 5
    assert [one.entity_id for one in entities.cross_document_entities(reader, 2).entities] == [
        thread.ada,
        thread.tom,
    ]
    near = related.related_entities(reader, thread.quay)
    assert [(one.entity_id, one.shared) for one in near.related] == [(thread.ada, 1)]
    [said] = near.related[0].relations
    assert (said.predicate, said.documents) == ("works_for", 1)


def test_a_dossier_shows_quotations_last_and_marked(thread: Thread, reader: Connection) -> None:
    """Documents that only quote come behind the others, as do the places within one; so do pages."""
    seen = []
    cursor = None
    while True:
        page = dossier.get_dossier(reader, thread.ada, limit=1, cursor=cursor)
        seen += [
            (one.document_id, one.count, one.quoted, [(each.start, each.quoted) for each in one.mentions])
            for one in page.documents
        ]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == [
        (thread.reply, 1, 1, [(11, None), (24, True)]),
        (thread.first, 1, None, [(0, None)]),
        (thread.latest, 0, 1, [(14, True)]),
    ]
    within = dossier.get_dossier(reader, thread.ada, document_id=thread.reply, limit=1)
    assert [each.start for each in within.documents[0].mentions] == [11]
    more = dossier.get_dossier(
        reader, thread.ada, document_id=thread.reply, limit=1, cursor=within.next_cursor
    )
    assert [each.start for each in more.documents[0].mentions] == [24]
    assert more.next_cursor is None


def test_a_relation_is_proved_by_who_says_it(thread: Thread, reader: Connection) -> None:
    """The proof is in a document's own words where there are any; what is only quoted is last, marked."""
    found = dossier.get_dossier(reader, thread.quay).relations_in
    assert [(one.entity.name, one.documents, one.document_id, one.quoted) for one in found] == [
        ("Ada Byron", 1, thread.first, None),
        ("Eve Moss", 0, thread.latest, True),
    ]


def test_a_timeline_leaves_quotations_out(thread: Thread, reader: Connection) -> None:
    """What is quoted was said on another day."""
    found = timeline.entity_timeline(reader, thread.quay).documents
    assert [one.document_id for one in found] == [thread.first]
    found = timeline.entity_timeline(reader, thread.ada).documents
    assert [(one.document_id, one.mentions[0].start) for one in found] == [
        (thread.first, 0),
        (thread.reply, 11),
    ]


def test_the_entities_of_a_document_that_are_only_quoted_are_last(thread: Thread, reader: Connection) -> None:
    """Each says how often it is in words of the document's own, and how often in what it quotes."""
    found = documents.get_document(reader, thread.latest).entities
    assert [(one.name, one.count, one.quoted) for one in found] == [
        ("Tom", 1, None),
        ("Ada Byron", 0, 1),
        ("Quay Ltd", 0, 2),
        ("Eve Moss", 0, 1),
    ]
