from __future__ import annotations

import hashlib
import json
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets import database
from mnemo_assets.archive import ledger
from mnemo_assets.errors import RecipeError, SettingsError
from mnemo_assets.extractions import recipes
from mnemo_assets.extractions.extractor import Entity, Extraction, Relation
from mnemo_assets.extractions.recipes import Recipe
from mnemo_assets.graph.merge import DERIVATION
from mnemo_assets.pipeline import activate as activate_room
from mnemo_assets.pipeline import contribute, generations, mine, read, retry, scan
from mnemo_assets.pipeline import gather as gather_room
from mnemo_assets.pipeline.mine import MineCounts
from mnemo_assets.serve import status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings


class Words:
    """A recipe that takes every word with a capital for a person who knows the next one."""

    name = "words"
    version = 1
    calls: list[str] = []  # noqa: RUF012 - the tests look at it

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """What the class says; a text with "fail" in it breaks it, and with "die", its process."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Extraction:
        self.calls.append(text)
        if "fail" in text:
            raise ValueError(text)
        if "die" in text:
            os._exit(9)
        entities = []
        at = 0
        for word in text.replace("\n", " ").split(" "):
            if word[:1].isupper():
                entities.append(Entity("Person", word, at, at + len(word)))
            at += len(word) + 1
        pairs = range(len(entities) - 1)
        relations = [Relation(n, "knows", n + 1, entities[n].start, entities[n + 1].end) for n in pairs]
        return Extraction(tuple(entities), tuple(relations))


class Loud(Words):
    """Another recipe: it takes only words of capitals."""

    name = "loud"

    def _one(self, text: str) -> Extraction:
        found = super()._one(text)
        return Extraction(tuple(entity for entity in found.entities if entity.name.isupper()), ())


@pytest.fixture(autouse=True)
def _recipes(monkeypatch: pytest.MonkeyPatch) -> None:
    Words.calls.clear()
    for recipe in (Words, Loud):
        monkeypatch.setitem(recipes.EXTRACTORS, recipe.name, Recipe(__name__, recipe.__name__, 1, ()))


@pytest.fixture
def chosen(settings: Settings) -> Settings:
    # one worker: children would not know the recipes that are made here
    return settings.model_copy(update={"extractor": "words", "workers": 1})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    return folder


def write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text)


def sync(connection: Connection, settings: Settings, folder: Path) -> MineCounts:
    archive = ledger.add_archive(connection, folder)
    scan.scan(connection, settings, archive)
    scan.sweep(connection, settings)
    read.read(connection, settings)
    return mine.mine(connection, settings)


def graph(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
    """The graph that is served, as rows without ids."""
    queries = {
        "entities": b"select type, key, name, is_owner from serve.entities order by 1, 2",
        "spans": b"""select sha256, key, start_offset, end_offset, form, page, chunk_ordinal
            from serve.mention_spans join serve.entities using (entity_id) join documents using (document_id)
            order by 1, 2, 3""",
        "relations": b"""select sha256, s.key as subject, predicate_raw, o.key as object, start_offset,
            end_offset from serve.relations r join documents using (document_id)
            join serve.entities s on s.entity_id = subject_id join serve.entities o on o.entity_id = object_id
            order by 1, 2, 4, 5""",
        "contributions": b"""select sha256, digest from serve.contributions join documents using (document_id)
            order by 1""",
    }
    return {
        name: [tuple(row.values()) for row in connection.execute(query)] for name, query in queries.items()
    }


def stages(connection: Connection) -> list[tuple[Any, ...]]:
    query = b"""select display_path, stage, error_class, chunks_failed
        from files join documents using (sha256) where missing_since is null order by 1"""
    return [tuple(row.values()) for row in connection.execute(query)]


def keys(connection: Connection) -> list[str]:
    return [row[1] for row in graph(connection)["entities"]]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def long(*words: str) -> str:
    """A text of as many chunks as words: each fills most of one."""
    return "\n\n".join(f"{word} " + "la " * 1900 for word in words)


def test_an_archive_becomes_a_graph(connection: Connection, chosen: Settings, folder: Path) -> None:
    """Whole rows: what stands in the files is what the graph holds, with offsets and sources."""
    write(folder, {"a.txt": "Ada met Bo", "b.txt": "ADA met ADA"})
    assert sync(connection, chosen, folder) == MineCounts(graphed=2)
    a, b = sha256("Ada met Bo"), sha256("ADA met ADA")
    found = graph(connection)
    assert [sha for sha, _ in found.pop("contributions")] == sorted([a, b])
    assert found == {
        "entities": [("Person", "ada", "ADA", False), ("Person", "bo", "Bo", False)],
        "spans": sorted(
            [
                (a, "ada", 0, 3, "Ada", 1, 0),
                (a, "bo", 8, 10, "Bo", 1, 0),
                (b, "ada", 0, 3, "ADA", 1, 0),
                (b, "ada", 8, 11, "ADA", 1, 0),
            ]
        ),
        "relations": [(a, "ada", "knows", "bo", 0, 10)],
    }
    assert stages(connection) == [("a.txt", "graphed", None, 0), ("b.txt", "graphed", None, 0)]


def test_a_second_run_does_nothing(connection: Connection, chosen: Settings, folder: Path) -> None:
    """What is mined is not mined again; not a row is written."""
    write(folder, {"a.txt": "Ada met Bo"})
    sync(connection, chosen, folder)
    tables = (b"documents", b"entities", b"mentions", b"mention_spans", b"relations", b"contributions")
    before = [connection.execute(b"select xmin, * from " + table).fetchall() for table in tables]
    Words.calls.clear()
    assert mine.mine(connection, chosen) == MineCounts()
    assert Words.calls == []
    assert [connection.execute(b"select xmin, * from " + table).fetchall() for table in tables] == before


def test_progress(connection: Connection, chosen: Settings, folder: Path) -> None:
    """Who listens hears each document once."""
    write(folder, {f"{n}.txt": f"Person{n}" for n in range(20)})
    archive = ledger.add_archive(connection, folder)
    scan.scan(connection, chosen, archive)
    read.read(connection, chosen)
    heard: list[tuple[str, int, int | None]] = []
    mine.mine(connection, chosen, lambda *progress: heard.append(progress))
    assert heard == [("mine", done, 20) for done in range(21)]


def test_a_text_is_extracted_once(connection: Connection, chosen: Settings, folder: Path) -> None:
    """However many documents hold a chunk, a recipe sees it once."""
    shared = long("Ada")
    write(folder, {f"{n}.txt": f"{shared}\n\nBo{n}" for n in range(40)})
    sync(connection, chosen, folder)
    assert len(Words.calls) == len(set(Words.calls))


def test_deletion_lowers_the_weight(connection: Connection, chosen: Settings, folder: Path) -> None:
    """A document that goes takes with it what it alone said, and its share of the rest."""
    write(folder, {"a.txt": "Ada met Bo", "b.txt": "Ada met Bo and Cy"})
    sync(connection, chosen, folder)
    weight = b"""select count(distinct document_id) as n from serve.relations
        where subject_id = (select entity_id from entities where key = 'ada')"""
    assert connection.execute(weight).fetchall() == [{"n": 2}]
    (folder / "b.txt").unlink()
    sync(connection, chosen, folder)
    assert connection.execute(weight).fetchall() == [{"n": 1}]
    assert keys(connection) == ["ada", "bo"]
    assert connection.execute(b"select count(*) as n from chunk_extractions").fetchall() == [{"n": 1}]


def test_a_chunk_that_fails_costs_itself(connection: Connection, chosen: Settings, folder: Path) -> None:
    """The rest of its document is in the graph, and says so; where all chunks fail, the document failed."""
    write(folder, {"a.txt": long("Ada", "fail", "Bo"), "b.txt": "fail"})
    assert sync(connection, chosen, folder) == MineCounts(graphed=1, partial=1, failed=1, failed_first=1)
    assert stages(connection) == [
        ("a.txt", "graphed", "Partial", 1),
        ("b.txt", "failed", "ExtractionFailed", 1),
    ]
    assert keys(connection) == ["ada", "bo"]
    found = connection.execute(b"select distinct error_class from chunk_extractions where outcome = 'failed'")
    assert found.fetchall() == [{"error_class": "ValueError"}]


def test_retry_asks_only_what_failed(
    connection: Connection, chosen: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second try sees the chunks that failed, and no others; nothing is tried again by itself."""
    write(folder, {"a.txt": long("Ada", "fail Cy", "Bo"), "b.txt": "fail"})
    sync(connection, chosen, folder)
    Words.calls.clear()
    assert sync(connection, chosen, folder) == MineCounts()
    assert retry.retry(connection) == 2
    assert mine.mine(connection, chosen) == MineCounts(graphed=1, partial=1, failed=1)
    assert len(Words.calls) == 2
    retry.retry(connection)
    monkeypatch.setattr(Words, "extract", lambda _self, texts: [Extraction((), ()) for _ in texts])
    assert mine.mine(connection, chosen) == MineCounts(graphed=2)
    assert stages(connection) == [("a.txt", "graphed", None, 0), ("b.txt", "graphed", None, 0)]


def test_two_runs_share_the_work(connection: Connection, chosen: Settings, folder: Path) -> None:
    """Two at once end in the graph of one, and mine each document once."""
    write(folder, {f"{n}.txt": f"Ada met Bo{n} and Cy" for n in range(60)})
    archive = ledger.add_archive(connection, folder)
    scan.scan(connection, chosen, archive)
    read.read(connection, chosen)
    counts: list[MineCounts] = []

    def run() -> None:
        with database.connect(chosen) as own:
            counts.append(mine.mine(own, chosen))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(each.graphed for each in counts) == 60
    assert len(graph(connection)["contributions"]) == 60
    assert len(keys(connection)) == 62


def test_two_first_runs_make_one_graph(connection: Connection, chosen: Settings) -> None:
    """The first generation is made once, whoever comes first."""
    found: list[int] = []

    def run() -> None:
        with database.connect(chosen) as own:
            found.append(mine.active_generation(own, chosen).generation)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert connection.execute(b"select count(*) as n from generations").fetchall() == [{"n": 1}]


def test_another_recipe_is_refused(connection: Connection, chosen: Settings) -> None:
    """The graph's recipe stays; the refusal names the command that switches."""
    mine.active_generation(connection, chosen)
    assert mine.active_generation(connection, chosen.model_copy(update={"extractor": None})).recipe == "words"
    with pytest.raises(RecipeError, match="mnemo extractor activate loud"):
        mine.mine(connection, chosen.model_copy(update={"extractor": "loud"}))
    with pytest.raises(RecipeError, match="no such recipe"):
        mine.mine(connection, chosen.model_copy(update={"extractor": "nonsense"}))


def test_the_owner_is_seeded_once(connection: Connection, chosen: Settings, folder: Path) -> None:
    """All names of the owner are one entity, which is there from the start; another owner is refused."""
    owned = chosen.model_copy(update={"owner": ("Ada Lovelace", "Ada", "ADA")})
    mine.active_generation(connection, owned)
    assert graph(connection)["entities"] == [("Person", "ada lovelace", "Ada Lovelace", True)]
    write(folder, {"a.txt": "Ada met Bo"})
    sync(connection, owned, folder)
    found = graph(connection)
    assert found["entities"] == [
        ("Person", "ada lovelace", "Ada Lovelace", True),
        ("Person", "bo", "Bo", False),
    ]
    assert found["spans"][0][1:5] == ("ada lovelace", 0, 3, "Ada")
    assert mine.mine(connection, chosen) == MineCounts()
    with pytest.raises(SettingsError, match="mnemo extractor activate words"):
        mine.mine(connection, chosen.model_copy(update={"owner": ("Bo",)}))


def test_activation_switches(connection: Connection, chosen: Settings, folder: Path) -> None:
    """Another recipe's graph takes the place of the old one, whole, of which nothing is left."""
    write(folder, {"a.txt": "ADA met Bo", "b.txt": "Cy met ADA"})
    sync(connection, chosen, folder)
    mine.activate(connection, chosen, "loud")
    assert keys(connection) == ["ada"]
    assert len(graph(connection)["contributions"]) == 2
    assert connection.execute(b"select count(*) as n from entities").fetchall() == [{"n": 1}]
    assert connection.execute(b"select state from generations").fetchall() == [{"state": "active"}]
    anew = chosen.model_copy(update={"extractor": "loud"})
    assert mine.mine(connection, anew) == MineCounts()


def test_activation_seeds_the_owner_anew(connection: Connection, chosen: Settings, folder: Path) -> None:
    """The owner that is set is the new graph's; where none is set, the old one stays."""
    write(folder, {"a.txt": "Ada met Bo"})
    sync(connection, chosen, folder)
    mine.activate(connection, chosen.model_copy(update={"owner": ("Bo",)}), "words")
    assert graph(connection)["entities"] == [("Person", "ada", "Ada", False), ("Person", "bo", "Bo", True)]
    mine.activate(connection, chosen, "loud")
    assert graph(connection)["entities"] == [("Person", "bo", "Bo", True)]


def test_until_it_is_whole_the_old_graph_is_served(
    connection: Connection, chosen: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that dies half way changes nothing that is served; the next one goes on where it was."""
    write(folder, {f"{n}.txt": f"ADA met Bo{n}" for n in range(40)})
    sync(connection, chosen, folder)
    before = graph(connection)
    monkeypatch.setattr(activate_room, "BATCH", 10)
    stored: list[int] = []
    gather = gather_room.gather

    def dying(own: Connection, recipe: int, documents: Any, aliases: Any) -> Any:
        if len(stored) == 20:
            raise KeyboardInterrupt
        stored.extend(document["document_id"] for document in documents)
        return gather(own, recipe, documents, aliases)

    with monkeypatch.context() as patch:
        patch.setattr(gather_room, "gather", dying)
        with pytest.raises(KeyboardInterrupt):
            mine.activate(connection, chosen, "loud")
    assert graph(connection) == before
    write(folder, {"new.txt": "DI met Bo1"})
    sync(connection, chosen, folder)
    assert "di" in keys(connection)
    again: list[int] = []

    def watching(own: Connection, recipe: int, documents: Any, aliases: Any) -> Any:
        again.extend(document["document_id"] for document in documents)
        return gather(own, recipe, documents, aliases)

    with monkeypatch.context() as patch:
        patch.setattr(gather_room, "gather", watching)
        mine.activate(connection, chosen, "loud")
    assert len(again) == 21
    assert set(again).isdisjoint(stored)
    assert keys(connection) == ["ada", "di"]
    assert len(graph(connection)["contributions"]) == 41


def test_a_build_for_another_recipe_is_dropped(
    connection: Connection, chosen: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that nobody goes on with leaves nothing."""
    write(folder, {"a.txt": "ADA met Bo"})
    sync(connection, chosen, folder)

    def dying(*_: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(activate_room, "_switch", dying)
        with pytest.raises(KeyboardInterrupt):
            mine.activate(connection, chosen, "loud")
    assert connection.execute(b"select count(*) as n from generations").fetchall() == [{"n": 2}]
    mine.activate(connection, chosen.model_copy(update={"owner": ("Bo",)}), "words")
    assert connection.execute(b"select state from generations").fetchall() == [{"state": "active"}]
    assert connection.execute(b"select count(*) as n from entities").fetchall() == [{"n": 2}]


def test_a_newer_recipe_makes_the_graph_anew(
    connection: Connection, chosen: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code with a newer version of the recipe rebuilds by itself; older code refuses."""
    write(folder, {"a.txt": "ADA met Bo"})
    sync(connection, chosen, folder)
    with monkeypatch.context() as patch:
        patch.setitem(recipes.EXTRACTORS, "words", Recipe(__name__, "Loud", 2, ()))
        mine.mine(connection, chosen)
        assert keys(connection) == ["ada"]
        assert connection.execute(b"select version from extractors").fetchall() == [{"version": 2}]
    with pytest.raises(RecipeError, match="newer"):
        mine.mine(connection, chosen)


def test_newer_merging_makes_the_graph_anew_without_extracting(
    connection: Connection, chosen: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where only the code that merges is newer, what was found in the texts is used again."""
    write(folder, {"a.txt": "Ada met Bo"})
    sync(connection, chosen, folder)
    before = graph(connection)
    Words.calls.clear()
    for room in (generations, mine):
        monkeypatch.setattr(room, "DERIVATION", DERIVATION + 1)
    mine.mine(connection, chosen)
    assert Words.calls == []
    assert graph(connection) == before
    assert connection.execute(b"select derivation from generations").fetchall() == [
        {"derivation": DERIVATION + 1}
    ]


def test_failures_of_another_recipe_are_tried_by_the_new_one(
    connection: Connection, chosen: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one recipe could not do is asked of the next; what the next cannot do is said."""
    write(folder, {"a.txt": "fail Ada", "b.txt": "Ada met BO", "c.txt": long("fail", "Cy")})
    sync(connection, chosen, folder)
    monkeypatch.setattr(
        Loud,
        "_one",
        lambda _self, text: 1 / 0 if text.startswith("Ada") else Extraction((), ()),
    )
    anew = chosen.model_copy(update={"extractor": "loud"})
    mine.activate(connection, anew, "loud")
    mine.mine(connection, anew)
    assert stages(connection) == [
        ("a.txt", "graphed", None, 0),
        ("b.txt", "failed", "ExtractionFailed", 1),
        ("c.txt", "graphed", None, 0),
    ]
    assert [len(rows) for rows in graph(connection).values()] == [0, 0, 0, 2]


def test_a_switch_during_a_run(
    connection: Connection, chosen: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that finds another generation served goes on into that one: nothing is lost, nothing is left."""
    write(folder, {f"{n}.txt": f"ADA met Bo{n}" for n in range(5)})
    archive = ledger.add_archive(connection, folder)
    anyone = chosen.model_copy(update={"extractor": None})
    mine.active_generation(connection, chosen)
    scan.scan(connection, anyone, archive)
    read.read(connection, anyone)
    merged = contribute.merged
    switched: list[bool] = []

    def switching(*values: Any) -> Any:
        if not switched:
            switched.append(True)
            with database.connect(anyone) as other:
                mine.activate(other, anyone, "loud")
        return merged(*values)

    monkeypatch.setattr(contribute, "merged", switching)
    assert mine.mine(connection, anyone) == MineCounts(graphed=5)
    assert keys(connection) == ["ada"]
    assert len(graph(connection)["contributions"]) == 5
    assert connection.execute(b"select count(*) as n from entities").fetchall() == [{"n": 1}]


def test_the_digest_can_be_recomputed_from_the_rows(
    connection: Connection, chosen: Settings, folder: Path
) -> None:
    """What is stored beside a document is the digest of the rows that are there, as decisions 2 and 8 say."""
    write(folder, {"a.txt": "Ada met Bo and Cy", "b.txt": "ADA met ADA", "c.txt": "nobody"})
    sync(connection, chosen, folder)
    quoted = sha256("Ada met Bo and Cy")
    connection.execute(b"update documents set quoted = '{8,17}' where sha256 = %s", [quoted])
    mine.remerge(connection, chosen, [quoted])
    lines: dict[str, list[str]] = {
        sha256(text): [] for text in ("Ada met Bo and Cy", "ADA met ADA", "nobody")
    }
    spans = b"""select sha256, s.quoted, type, key, start_offset, end_offset from serve.mention_spans s
        join serve.entities using (entity_id) join documents using (document_id)"""
    for row in connection.execute(spans):
        document, mark = row.pop("sha256"), ["quoted"] * row.pop("quoted")
        lines[document].append(json.dumps(["mention", *row.values(), *mark]))
    relations = b"""select sha256, r.quoted, s.type as a, s.key as b, predicate_raw, predicate, o.type as c,
        o.key as d, start_offset, end_offset from serve.relations r join documents using (document_id)
        join serve.entities s on s.entity_id = subject_id join serve.entities o on o.entity_id = object_id"""
    for row in connection.execute(relations):
        document, mark = row.pop("sha256"), ["quoted"] * row.pop("quoted")
        lines[document].append(json.dumps(["relation", *row.values(), *mark]))
    assert sum('"quoted"' in line for line in lines[sha256("Ada met Bo and Cy")]) == 3
    digests = {document: sha256("\n".join(sorted(some))) for document, some in lines.items()}
    assert dict(graph(connection)["contributions"]) == digests
    whole = sha256("\n".join(f"{document}:{digest}" for document, digest in sorted(digests.items())))
    assert status.status(connection).digest == whole
