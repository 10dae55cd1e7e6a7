"""Another graph, built in sets: its rows are those of a document at a time, whatever happens meanwhile."""

from __future__ import annotations

import gc
import hashlib
import json
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets import database
from mnemo_assets.archive import ledger
from mnemo_assets.errors import EndpointDownError, RecipeError
from mnemo_assets.extractions import request
from mnemo_assets.graph import bulk, store
from mnemo_assets.pipeline import activate, contribute, extractors, generations, mine, read, reports, scan
from mnemo_assets.pipeline import gather as gather_room
from mnemo_assets.serve import status

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

MODEL = "llm:tiny"
TEMPLATE = json.dumps(request.template("tiny", "tiny", 8192, "none").to_json())
HASH = "ab" * 32


@pytest.fixture
def chosen(settings: Settings) -> Settings:
    return settings.model_copy(update={"extractor": None})


@pytest.fixture
def papers(connection: Connection, chosen: Settings, tmp_path: Path) -> Path:
    """Sixty documents in the graph of `patterns`: shared and own names, several forms, a mail that quotes."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for n in range(60):
        who = ("Ann Miller", "ANN MILLER", "Bob Stone", "Clara Voss")[n % 4]
        (folder / f"{n}.txt").write_text(
            f"Dear {who},\n\n{who} works for Nordwind Ltd in Berlin. Bob Stone lives in Paris.\n"
            f"Peter Holm{n} was born on {n % 28 + 1} May 1970. Westwind GmbH was acquired by Nordwind Ltd.\n"
        )
    (folder / "long.txt").write_text(
        "\n\n".join(f"Ann Miller works for Eastwind{n} Ltd. " + "It rained. " * 400 for n in range(4))
    )
    (folder / "answer.eml").write_text(
        "From: Bob Stone <bob@example.org>\nTo: Ann Miller <ann@example.org>\nSubject: Berlin\n"
        "Date: Mon, 05 Oct 2020 10:00:00 +0000\n\nBob Stone lives in Oslo.\n\n"
        "On 4 October 2020, Ann Miller wrote:\n> Clara Voss works for Nordwind Ltd.\n> clara voss is here.\n"
    )
    archive = ledger.add_archive(connection, folder)
    scan.scan(connection, chosen, archive)
    read.read(connection, chosen)
    mine.mine(connection, chosen.model_copy(update={"extractor": "patterns"}))
    return folder


def rows(connection: Connection, generation: int) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of a generation, without ids and times."""
    names = b"""join documents d using (document_id) join entities s on s.entity_id = subject_id
        join entities o on o.entity_id = object_id where r.generation = %s order by 1, 2, 3, 4, 5, 6, 7"""
    queries = {
        "entities": b"""select type, key, name, is_owner, name_stale from entities
            where generation = %s order by 1, 2""",
        "mentions": b"""select sha256, key, type, role, count, m.quoted from mentions m
            join documents d using (document_id) join entities using (entity_id)
            where m.generation = %s order by 1, 2, 3""",
        "spans": b"""select sha256, key, type, start_offset, end_offset, form, page, chunk_ordinal, n.quoted
            from mention_spans n join documents d using (document_id) join entities using (entity_id)
            where n.generation = %s order by 1, 2, 3, 4""",
        "relations": b"""select sha256, s.key, o.key as object, predicate_raw, predicate, start_offset,
            end_offset, page, chunk_ordinal, r.quoted, confidence, inferred from relations r """
        + names,
        "refused": b"""select sha256, s.key, o.key as object, predicate_raw, predicate, start_offset,
            end_offset, page, chunk_ordinal from refused_relations r """
        + names,
        "contributions": b"""select sha256, digest from contributions join documents using (document_id)
            where generation = %s order by 1""",
    }
    return {
        name: [tuple(row.values()) for row in connection.execute(query, [generation])]
        for name, query in queries.items()
    }


def one_by_one(connection: Connection, recipe: str, owner: tuple[str, ...] = ()) -> int:
    """A graph of a recipe, a document at a time, as `mine` puts them in; beside all others, and retired."""
    with connection.transaction():
        made = generations.create(connection, recipe, owner, "building")
    documents = connection.execute(
        b"select document_id, page_starts, quoted from documents where stage = 'graphed' order by document_id"
    ).fetchall()
    for row in documents:
        merged = contribute.merged(connection, made, row)
        with connection.transaction():
            store.replace(connection, made.generation, row["document_id"], merged.contribution)
    contribute.finish(connection, made)
    connection.execute(b"update generations set state = 'retired' where generation = %s", [made.generation])
    return made.generation


def refuse_some(connection: Connection) -> None:
    """Have the stored recipes say of some documents what no predicate allows, and what none knows."""
    connection.execute(
        b"""update chunk_extractions set relations = relations || jsonb_build_array(
                jsonb_build_object('subject', 2, 'predicate', 'was born on', 'object', 0) || whole,
                jsonb_build_object('subject', 0, 'predicate', E'hums\t\\\\ at', 'object', 2) || whole)
            from (select jsonb_build_object('start', 0, 'end', 9) as whole) as sentence
            where jsonb_array_length(entities) > 2"""
    )


def sets(monkeypatch: pytest.MonkeyPatch, size: int = 7) -> None:
    """Batches so small that there are many, and several connections at once."""
    monkeypatch.setattr(activate, "BATCH", size)
    monkeypatch.setattr(activate, "_PER_LANE", size)
    monkeypatch.setattr(bulk, "MOST_IDS", 10)
    monkeypatch.setattr(bulk, "RANGE", size)


def digest(connection: Connection) -> str:
    return status.status(connection).digest


@pytest.mark.parametrize("owner", [(), ("Clara Voss", "Bob Stone")])
@pytest.mark.usefixtures("papers")
def test_both_ways_give_the_same_rows(
    connection: Connection, chosen: Settings, monkeypatch: pytest.MonkeyPatch, owner: tuple[str, ...]
) -> None:
    """In sets, on several connections, as a document at a time: names, spans, marks, refusals, digests."""
    refuse_some(connection)
    sets(monkeypatch)
    owned = chosen.model_copy(update={"owner": owner or ("Nobody Else",)})
    monkeypatch.setattr(activate, "remove_retired", lambda _connection: None)
    slow = one_by_one(connection, "patterns", owned.owner)
    built = activate.activate(connection, owned, "patterns")
    fast_rows, slow_rows = rows(connection, built.generation), rows(connection, slow)
    assert fast_rows == slow_rows
    assert min(len(some) for some in fast_rows.values()) > 20
    assert {row[2] for row in fast_rows["entities"]} >= {"Nordwind Ltd", "Berlin"}
    assert any(row[-1] for row in fast_rows["spans"])  # quoted
    lines = "\n".join(f"{sha}:{found}" for sha, found in slow_rows["contributions"])
    assert digest(connection) == hashlib.sha256(lines.encode()).hexdigest()


@dataclass
class Dying:
    """Lets a function be called some times, and then dies in its place."""

    of: Any
    left: int

    def __call__(self, *values: Any) -> Any:
        """Go on, or die."""
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return self.of(*values)


@pytest.mark.parametrize("step", ["gather", "add"])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.usefixtures("papers")
def test_a_killed_build_goes_on(
    connection: Connection, chosen: Settings, monkeypatch: pytest.MonkeyPatch, step: str, workers: int
) -> None:
    """Wherever it is killed, what was committed is whole, and the next build ends in the same graph."""
    before = digest(connection)
    sets(monkeypatch)
    some = chosen.model_copy(update={"owner": ("Bob Stone",), "workers": workers})
    room: Any = gather_room if step == "gather" else bulk
    for left in (0, 1, 4):
        with monkeypatch.context() as patch:
            patch.setattr(room, step, Dying(getattr(room, step), left))
            with pytest.raises(KeyboardInterrupt):
                activate.activate(connection, some, "patterns")
        assert digest(connection) == before
        assert gc.isenabled()
    built = connection.execute(
        b"""select count(*) as n from contributions join generations using (generation)
            where state = 'building'"""
    ).fetchone()
    assert built is not None
    assert built["n"] >= 7
    monkeypatch.setattr(activate, "remove_retired", lambda _connection: None)
    made = activate.activate(connection, some, "patterns")
    assert rows(connection, made.generation) == rows(
        connection, one_by_one(connection, "patterns", some.owner)
    )


@pytest.mark.usefixtures("papers")
def test_documents_that_change_and_go_meanwhile(
    connection: Connection, chosen: Settings, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writers to the served graph are not stopped, and what they did is in the new one: no more, no less."""
    sets(monkeypatch)
    gather = gather_room.gather
    synced: list[bool] = []

    def interfering(*values: Any) -> Any:
        found = list(gather(*values))
        if not synced:
            synced.append(True)
            (papers / "0.txt").unlink()
            (papers / "1.txt").write_text("Dear Eva Lind,\n\nEva Lind lives in Rome.\n")
            (papers / "new.txt").write_text("Dear Jon Falk,\n\nJon Falk lives in Kiel.\n")
            with database.connect(chosen) as other:
                archive = ledger.add_archive(other, papers)
                scan.scan(other, chosen, archive)
                scan.sweep(other, chosen)
                read.read(other, chosen)
                mine.mine(other, chosen)
        return iter(found)

    monkeypatch.setattr(gather_room, "gather", interfering)
    monkeypatch.setattr(activate, "remove_retired", lambda _connection: None)
    made = activate.activate(connection, chosen.model_copy(update={"owner": ("Bob Stone",)}), "patterns")
    found = rows(connection, made.generation)
    monkeypatch.setattr(gather_room, "gather", gather)
    slow = one_by_one(connection, "patterns", ("Bob Stone",))
    assert found == rows(connection, slow)
    keys = {row[1] for row in found["entities"]}
    assert {"eva lind", "jon falk"} <= keys
    assert "peter holm0" not in keys
    assert "peter holm1" not in keys


@pytest.mark.usefixtures("papers")
def test_two_builds_at_once(
    connection: Connection, chosen: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One builds, the other finds it done: the graph is made once."""
    sets(monkeypatch)
    some = chosen.model_copy(update={"owner": ("Bob Stone",)})
    made: list[int] = []

    def run() -> None:
        with database.connect(some) as own:
            made.append(activate.activate(own, some, "patterns").generation)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 1
    assert connection.execute(b"select state from generations").fetchall() == [{"state": "active"}]


def test_progress_counts_documents(
    connection: Connection, chosen: Settings, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who listens hears how far it is, up to all."""
    sets(monkeypatch)
    heard: list[tuple[str, int, int | None]] = []
    activate.activate(
        connection,
        chosen.model_copy(update={"owner": ("Bob Stone",)}),
        "patterns",
        lambda *said: heard.append(said),
    )
    assert [done for _, done, _ in heard] == [*range(7, 62, 7), 62]
    assert {(step, total) for step, _, total in heard} == {("mine", len(list(papers.iterdir())))}


# recipes that ask a model


def store_model(
    connection: Connection, version: int = 1, request_hash: str = HASH, skip: int = 0, outcome: str = "done"
) -> int:
    """A model's recipe to which all texts were given but the last `skip`: it found what `patterns` did."""
    row = connection.execute(
        b"""insert into extractors (name, version, kind, model, request, request_hash)
            values (%s, %s, 'model', 'tiny', %s, %s) returning extractor_id""",
        [MODEL, version, TEMPLATE, request_hash],
    ).fetchone()
    assert row is not None
    connection.execute(
        b"""insert into chunk_extractions
            (content_sha256, extractor_id, outcome, error_class, entities, relations)
            select content_sha256, %s, %s, case when %s <> 'done' then 'CutOff' end, entities, relations
            from chunk_extractions x join extractors p using (extractor_id)
            where p.name = 'patterns' and content_sha256 not in (
                select content_sha256 from chunks order by document_id desc, ordinal desc limit %s)""",
        [row["extractor_id"], outcome, outcome, skip],
    )
    return int(row["extractor_id"])


def waiting(connection: Connection) -> list[str]:
    found = connection.execute(b"select sha256 from documents where stage = 'extracted' order by document_id")
    return [row["sha256"] for row in found]


@pytest.mark.usefixtures("papers")
def test_a_model_is_activated_from_what_is_stored(connection: Connection, chosen: Settings) -> None:
    """No recipe is opened, and the graph is the one that the stored items make."""
    before = digest(connection)
    extractor_id = store_model(connection)
    made = activate.activate(connection, chosen, MODEL)
    assert (made.recipe, made.extractor_id, made.request_hash) == (MODEL, extractor_id, HASH)
    assert made.asks_a_model
    assert digest(connection) == before
    assert waiting(connection) == []
    again = activate.activate(connection, chosen, MODEL)
    assert again.generation == made.generation


def test_documents_without_replies_wait_for_the_model(
    connection: Connection, chosen: Settings, papers: Path
) -> None:
    """Whoever lacks a text goes back, in the same moment, is told of, and comes in once the text is done."""
    before = digest(connection)
    newest = connection.execute(b"select max(document_id) as id from documents").fetchone()
    assert newest is not None
    connection.execute(
        b"update documents set error_class = 'Partial', chunks_failed = 1 where document_id = %(id)s", newest
    )
    extractor_id = store_model(connection, skip=3)
    told = [one.sha256 for one in reports.unreported(connection, "v", 0, 1000)]
    reports.mark(connection, reports.standing(connection, told), "v")
    assert reports.unreported(connection, "v", 0, 1000) == []
    activate.activate(connection, chosen, MODEL)
    gone = waiting(connection)
    assert 0 < len(gone) <= 3
    found = connection.execute(b"select count(*) as n from serve.contributions").fetchone()
    assert found == {"n": len(list(papers.iterdir())) - len(gone)}
    assert sorted(one.sha256 for one in reports.unreported(connection, "v", 0, 1000)) == sorted(gone)
    unclean = connection.execute(
        b"""select count(*) as n from documents
            where stage = 'extracted' and (error_class is not null or chunks_failed <> 0)"""
    ).fetchone()
    assert unclean == {"n": 0}
    connection.execute(
        b"""insert into chunk_extractions (content_sha256, extractor_id, outcome, entities, relations)
            select content_sha256, %s, 'done', entities, relations from chunk_extractions x
            join extractors p using (extractor_id) where p.name = 'patterns' on conflict do nothing""",
        [extractor_id],
    )
    mine.mine(connection, chosen)
    assert waiting(connection) == []
    assert digest(connection) == before


@pytest.mark.usefixtures("papers")
def test_what_a_model_could_not_do_is_said(connection: Connection, chosen: Settings) -> None:
    """A text that is done in part makes its document Partial, with what the parts gave."""
    before = digest(connection)
    store_model(connection, outcome="split")
    activate.activate(connection, chosen, MODEL)
    assert digest(connection) == before
    found = connection.execute(
        b"select stage, error_class, count(*) as n from documents group by 1, 2"
    ).fetchall()
    assert [(row["stage"], row["error_class"]) for row in found] == [("graphed", "Partial")]
    connection.execute(b"update chunk_extractions set outcome = 'failed' where outcome = 'split'")
    activate.activate(connection, chosen, "patterns")
    activate.activate(connection, chosen, MODEL)
    found = connection.execute(b"select distinct stage from documents").fetchall()
    assert [row["stage"] for row in found] == ["extracted"]  # once more, by the recipe that is served now
    assert status.status(connection).entities == 0


@pytest.mark.usefixtures("papers")
def test_a_newer_derivation_makes_a_models_graph_anew(
    connection: Connection, chosen: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is made of replies is made again of the stored ones; no text is lost, and the old version goes."""
    old = store_model(connection)
    activate.activate(connection, chosen, MODEL)
    before = digest(connection)
    asked: list[str] = []

    def rederive(own: Connection, extractor_id: int, contents: dict[str, str]) -> None:
        asked.extend(contents)
        own.execute(
            b"""insert into chunk_extractions (content_sha256, extractor_id, outcome, entities, relations)
                select content_sha256, %s, 'done', entities, relations from chunk_extractions
                where extractor_id = %s and content_sha256 = any(%s)""",
            [extractor_id, old, list(contents)],
        )

    monkeypatch.setattr(activate, "rederive", rederive)
    monkeypatch.setattr("mnemo_assets.extractions.recipes.MODEL_VERSION", 2)
    assert mine.mine(connection, chosen) == mine.MineCounts()
    texts = connection.execute(b"select distinct content_sha256 from chunks").fetchall()
    assert sorted(asked) == sorted(row["content_sha256"] for row in texts)
    assert digest(connection) == before
    kept = connection.execute(
        b"select version, request_hash, request from extractors where name = %s", [MODEL]
    )
    assert kept.fetchall() == [{"version": 2, "request_hash": HASH, "request": json.loads(TEMPLATE)}]


@pytest.mark.usefixtures("papers")
def test_another_request_is_another_recipe(connection: Connection, chosen: Settings) -> None:
    """Two requests of a model are told apart by name, and neither takes the other's place by itself."""
    first = store_model(connection)
    made = activate.activate(connection, chosen, MODEL)
    second = store_model(connection, request_hash="cd" * 32)
    assert mine.mine(connection, chosen) == mine.MineCounts()
    now = generations.find(connection, "active")
    assert now is not None
    assert (now.generation, now.extractor_id) == (made.generation, first)
    labels = [one.label for one in extractors.stored(connection)]
    assert labels == ["llm:tiny@abababab", "llm:tiny@cdcdcdcd", "patterns"]
    with pytest.raises(RecipeError, match="llm:tiny@abababab, llm:tiny@cdcdcdcd"):
        activate.activate(connection, chosen, MODEL)
    assert activate.activate(connection, chosen, "llm:tiny@cdcdcdcd").extractor_id == second
    left = connection.execute(b"select count(*) as n from extractors where kind = 'model'").fetchone()
    assert left == {"n": 2}
    assert not now.is_made_by(MODEL, now.owner, "cd" * 32)
    assert now.is_made_by(MODEL, now.owner, HASH)
    assert now.is_made_by(MODEL, now.owner)


@pytest.mark.parametrize("name", ["llm:", "nonsense"])
@pytest.mark.usefixtures("papers")
def test_a_recipe_that_nothing_is_stored_of_is_refused(
    connection: Connection, chosen: Settings, name: str
) -> None:
    """There is nothing to build from, and nothing is built."""
    with pytest.raises(RecipeError):
        activate.activate(connection, chosen, name)
    assert connection.execute(b"select count(*) as n from generations").fetchone() == {"n": 1}


@pytest.mark.usefixtures("papers")
def test_a_model_that_was_never_asked_has_to_be_there(connection: Connection, chosen: Settings) -> None:
    """Its request is made of what its endpoint says; where nobody answers the graph stays as it is."""
    nobody = chosen.model_copy(update={"llm_url": "http://127.0.0.1:9/v1"})
    with pytest.raises(EndpointDownError):
        activate.activate(connection, nobody, "llm:other")
    assert connection.execute(b"select count(*) as n from generations").fetchone() == {"n": 1}
