"""Random graphs: cursors walk everything once, quotes are verbatim, neighbours are those of brute force."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import random
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets.serve import documents, dossier, entities, related, timeline
from mnemo_assets.serve.answer import ANSWER, characters

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.database import Connection
    from tests.invented_graph import InventedGraph

SEEDS = (1, 2, 3)
SEPARATORS = (" ", ". ", "\n\n", "! ", ", ", " 🎉 ", "。")


class Invented:
    """A random graph, and the same as Python values."""

    def __init__(self, graph: InventedGraph, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = [f"{self.random.choice('ABCÄ')}nna{number:02}" for number in range(24)]
        self.ids = {
            name: graph.entity(self.random.choice(("Person", "Org", "Date")), name) for name in self.names
        }
        self.counts: dict[int, dict[int, int]] = {}
        self.graph = graph
        for _ in range(30):
            self._document()
        self.documents_of: dict[int, set[int]] = defaultdict(set)
        for document, counts in self.counts.items():
            for entity in counts:
                self.documents_of[entity].add(document)

    def _document(self) -> None:
        words = self.random.choices(self.names, k=self.random.randint(1, 40), weights=range(1, 25))
        text = "".join(word + self.random.choice(SEPARATORS) for word in words)
        date = self.random.choice([None, dt.date(2020, 1, self.random.randint(1, 5))])
        document = self.graph.document(text, date=date, mtime_ns=self.random.choice([None, 10**18]))
        self.counts[document] = {
            self.ids[word]: self.graph.mention(document, self.ids[word], word) for word in sorted(set(words))
        }
        for subject, object_ in itertools.pairwise(words):
            if subject != object_ and self.random.random() < 0.3:
                said = self.random.choice(("knows", "Knows", "pays"))
                predicate = "pays" if said == "pays" else None
                self.graph.relate(
                    document, self.ids[subject], said, self.ids[object_], subject, predicate=predicate
                )
                return


@pytest.fixture(params=SEEDS)
def invented(graph: InventedGraph, request: pytest.FixtureRequest) -> Invented:
    return Invented(graph, request.param)


def walk(ask: Callable[[str | None], Any]) -> list[Any]:
    """Every page, until there is no cursor; each is bounded, and says whether it is the last."""
    pages, cursor = [], None
    while True:
        answer = ask(cursor)
        assert characters(answer) <= ANSWER
        assert answer.truncated == (answer.next_cursor is not None)
        pages.append(answer)
        cursor = answer.next_cursor
        if cursor is None:
            return pages
        assert len(pages) < 500


@pytest.mark.parametrize(("limit", "room"), [(1, 10**6), (4, 10**6), (50, 10**6), (50, 300)])
def test_cursors_walk_everything_once(invented: Invented, reader: Connection, limit: int, room: int) -> None:
    """Whatever the page size, in characters or in items: every item, in order, exactly once."""
    bounds: dict[str, Any] = {"limit": limit, "room": room}
    found = [
        ref
        for answer in walk(lambda cursor: entities.search_entities(reader, "nna", cursor=cursor, **bounds))
        for ref in answer.entities
    ]
    degree = {entity: len(found) for entity, found in invented.documents_of.items()}
    mentions: dict[int, int] = defaultdict(int)
    for counts in invented.counts.values():
        for entity, count in counts.items():
            mentions[entity] += count
    assert [ref.entity_id for ref in found] == sorted(
        invented.ids.values(), key=lambda entity: (-mentions[entity], entity)
    )
    assert {ref.entity_id: (ref.mentions, ref.documents) for ref in found} == {
        entity: (mentions[entity], degree.get(entity, 0)) for entity in invented.ids.values()
    }
    crossing = [
        ref.entity_id
        for answer in walk(
            lambda cursor: entities.cross_document_entities(reader, 3, cursor=cursor, **bounds)
        )
        for ref in answer.entities
    ]
    assert crossing == sorted(
        (entity for entity, n in degree.items() if n >= 3),
        key=lambda entity: (-degree[entity], -mentions[entity], entity),
    )
    document = max(invented.counts, key=lambda document: len(invented.counts[document]))
    inside = [
        (ref.entity_id, ref.count)
        for answer in walk(lambda cursor: documents.get_document(reader, document, cursor=cursor, **bounds))
        for ref in answer.entities
    ]
    assert inside == sorted(invented.counts[document].items(), key=lambda item: (-item[1], item[0]))


@pytest.mark.parametrize(("limit", "room"), [(1, 10**6), (3, 10**6), (50, 10**6), (50, 900)])
def test_dossier_walks_every_document_and_relation_once(
    invented: Invented, reader: Connection, connection: Connection, limit: int, room: int
) -> None:
    """Side by side, each list comes whole: documents newest first and undated last, relations by weight."""
    entity = max(invented.documents_of, key=lambda entity: len(invented.documents_of[entity]))
    pages = walk(lambda cursor: dossier.get_dossier(reader, entity, cursor=cursor, limit=limit, room=room))
    seen = [found.document_id for answer in pages for found in answer.documents]
    dates = {
        row["document_id"]: row["date"] or dt.date.min
        for row in reader.execute(b"select document_id, date from document_dates")
    }
    assert seen == sorted(
        invented.documents_of[entity], key=lambda document: (-dates[document].toordinal(), document)
    )
    for side, name in (("subject_id", "relations_out"), ("object_id", "relations_in")):
        other = {"subject_id": "object_id", "object_id": "subject_id"}[side]
        weights: dict[Any, set[int]] = defaultdict(set)
        for row in connection.execute(b"select * from relations"):
            if row[side] == entity:
                said = row["predicate"] or row["predicate_raw"].lower()
                weights[row[other], said].add(row["document_id"])
        found = [relation for answer in pages for relation in getattr(answer, name)]
        assert {
            (relation.entity.entity_id, relation.predicate or relation.words.lower()): relation.documents
            for relation in found
        } == {key: len(where) for key, where in weights.items()}
        assert len(found) == len(weights)
        assert [relation.documents for relation in found] == sorted(
            (relation.documents for relation in found), reverse=True
        )


@pytest.mark.parametrize("limit", [1, 7, 50])
def test_every_mention_of_a_document_is_walked_and_verbatim(
    invented: Invented, reader: Connection, limit: int
) -> None:
    """With document_id every span comes once, in order; form and quote stand where they say."""
    for document, counts in invented.counts.items():
        text = invented.graph.texts[document]
        entity = max(counts, key=lambda entity: counts[entity])
        found = [
            mention
            for answer in walk(
                lambda cursor, entity=entity, document=document: dossier.get_dossier(  # type: ignore[misc]
                    reader, entity, document_id=document, cursor=cursor, limit=limit
                )
            )
            for mention in answer.documents[0].mentions
        ]
        assert len(found) == counts[entity]
        assert [mention.start for mention in found] == sorted({mention.start for mention in found})
        for mention in found:
            assert text[mention.start : mention.end] == mention.form
            assert text[mention.quote_start : mention.quote_end] == mention.quote
            assert mention.form in mention.quote


def test_timeline_walks_from_early_to_late(invented: Invented, reader: Connection) -> None:
    """Page by page the same as in one, each document once."""
    entity = max(invented.documents_of, key=lambda entity: len(invented.documents_of[entity]))
    pages = walk(lambda cursor: timeline.entity_timeline(reader, entity, cursor=cursor, limit=2))
    found = [row for answer in pages for row in answer.documents]
    assert {row.document_id for row in found} == invented.documents_of[entity]
    assert len(found) == len(invented.documents_of[entity])
    order = [((row.date or dt.date.max), row.document_id) for row in found]
    assert order == sorted(order)


def test_neighbours_are_those_of_brute_force(invented: Invented, reader: Connection) -> None:
    """Both levels, for every entity: shared, degrees, score, order, and what is out of reach."""
    for entity in invented.ids.values():
        if entity not in invented.documents_of:
            continue
        for limit in (3, 50):
            found = related.related_entities(reader, entity, hops=2, limit=limit, room=10**6).related
            assert [(near.hop, near.entity_id, near.via, near.shared, near.documents) for near in found] == (
                _brute(invented.documents_of, entity, limit)
            )


def _brute(where: dict[int, set[int]], start: int, limit: int) -> list[tuple[int, int, int | None, int, int]]:
    def near(center: int) -> list[tuple[bool, float, int, int]]:
        rows = []
        for other, documents_ in where.items():
            if other != center and (shared := len(where[center] & documents_)):
                score = shared / math.sqrt(len(documents_) * len(where[center]))
                rows.append((shared < 2, -score, other, shared))
        return sorted(rows)

    first = near(start)
    reached = {start, *(row[2] for row in first)}
    best: dict[int, tuple[bool, float, int, int]] = {}
    for _, _, via, _ in first[: min(limit + 1, related.VIA)]:
        for single, score, other, shared in near(via):
            if other not in reached:
                best[other] = min(best.get(other, (True, 1.0, 0, 0)), (single, score, via, shared))
    second = sorted(
        (single, score, other, via, shared) for other, (single, score, via, shared) in best.items()
    )
    return [(1, other, None, shared, len(where[other])) for _, _, other, shared in first[:limit]] + [
        (2, other, via, shared, len(where[other])) for _, _, other, via, shared in second[:limit]
    ]


def test_hub_is_named_and_not_gone_through(
    invented: Invented, reader: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above so many documents an entity leads everywhere: the second hop leaves it out, and says so."""
    monkeypatch.setattr(related, "HUB_DOCUMENTS", 0)
    entity = next(iter(invented.documents_of))
    found = related.related_entities(reader, entity, hops=2, limit=30)
    assert all(near.hop == 1 for near in found.related)
    assert set(found.hubs) == {near.entity_id for near in found.related[: related.VIA]}
    assert related.related_entities(reader, entity, hops=1).hubs == ()


def test_answers_are_bounded_whatever_the_documents_hold(graph: InventedGraph, reader: Connection) -> None:
    """Names, titles, forms and quotes of any length and character: under the limit, and walked whole."""
    worst = "\x01" * 3000
    names = [f"{number:03}{worst}" for number in range(20)]
    text = " ".join(names)
    made = [graph.document(text + str(number), title=worst) for number in range(4)]
    ids = [graph.entity("Person", name, key=name[:50]) for name in names]
    for document in made:
        for name, entity in zip(names, ids, strict=True):
            graph.mention(document, entity, name)
        graph.relate(document, ids[0], worst, ids[1], text)
        graph.relate(document, ids[2], worst, ids[0], text)
    seen = [
        row.document_id
        for answer in walk(lambda cursor: dossier.get_dossier(reader, ids[0], cursor=cursor, limit=50))
        for row in answer.documents
    ]
    assert seen == made
    for number, document in enumerate(made[1:] * 20):
        graph.part(made[0], document, worst, path=str(number))
        graph.part(document, made[0], worst, path=str(number))
    answers = walk(lambda cursor: documents.get_document(reader, made[0], cursor=cursor))
    assert len(answers) > 1
    shown = [(bool(answer.part_of), bool(answer.parts)) for answer in answers]
    assert shown == [(True, True)] + [(False, False)] * (len(answers) - 1)
    assert {(answer.parts_total, answer.part_of_total) for answer in answers} == {(60, 60)}
    assert len(walk(lambda cursor: entities.search_entities(reader, "0", cursor=cursor, limit=100))) > 1
    walk(lambda cursor: timeline.entity_timeline(reader, ids[0], cursor=cursor, limit=50))
    near = related.related_entities(reader, ids[0], limit=50)
    assert characters(near) <= ANSWER
    assert near.truncated
