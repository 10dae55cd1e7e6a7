from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

from mnemo_assets import database, settings
from mnemo_assets.extractions import request

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from tests.cli.conftest import Ended

    Run = Callable[..., Ended]


def owner(statement: bytes) -> None:
    with closing(database.connect(settings.load(dotenv=None))) as connection:
        connection.execute(statement)


#: A model's recipe that was given all texts but one, and found what `patterns` did.
REQUEST = json.dumps(request.template("tiny", "tiny", 8192, "none").to_json()).encode()
STORE = (
    b"""
with made as (
    insert into extractors (name, version, kind, model, request, request_hash)
    values ('llm:tiny', 1, 'model', 'tiny', $request$%b$request$, 'abcdef0123') returning extractor_id
)
insert into chunk_extractions (content_sha256, extractor_id, outcome, entities, relations)
select x.content_sha256, made.extractor_id, 'done', x.entities, '[]'
from chunk_extractions x, made order by 1 offset 1
"""
    % REQUEST
)
CALL = b"""insert into model_calls (recipe, document_id, request_hash, outcome, prompt_tokens,
    completion_tokens, milliseconds, attempts)
    select 'llm:tiny', min(document_id), 'x', 'reply', 1200, 80, 2500, 1 from documents
    where stage = 'graphed'"""


def test_the_recipes_are_listed(run: Run, papers: Path) -> None:
    """Each with what it did and cost; a star marks the one of the graph."""
    run("sync", papers)
    owner(STORE)
    owner(CALL)
    said = {one["name"]: one for one in run("extractor", "list", "--json").said["extractors"]}
    assert said["patterns"]["is_active"]
    assert said["patterns"]["documents"] == 2
    assert (said["llm:tiny"]["kind"], said["llm:tiny"]["documents"]) == ("model", 1)
    assert said["llm:tiny"]["costs"][0]["completion_tokens"] == 80
    shown = run("extractor", "list").out
    assert "* " in next(line for line in shown.splitlines() if " patterns " in line)
    assert "1,200" in shown
    assert "day" not in shown
    assert "day" in run("extractor", "list", "--days").out


def test_two_recipes_are_compared(run: Run, papers: Path) -> None:
    """Counts of what both have and what one has; names only where examples are asked for."""
    run("sync", papers)
    owner(STORE)
    said = run("extractor", "compare", "patterns", "llm:tiny", "--json").said
    assert said["documents"] == 1
    assert said["entities"]["agreed"] > 0
    assert (said["entities"]["only_a"], said["relations"]["agreed"]) == (0, 0)
    assert "entities_examples" not in said
    plain = run("extractor", "compare", "patterns", "llm:tiny").out
    shown = run("extractor", "compare", "patterns", "llm:tiny", "--limit", "3")
    assert "(Org)" in shown.out
    assert "(Org)" not in plain
    limited = run("extractor", "compare", "patterns", "llm:tiny", "--limit", "1", "--json").said
    assert len(limited["entities_examples"]["agreed"]) == 1


def test_a_model_that_was_asked_before_is_activated(run: Run, papers: Path) -> None:
    """Without an endpoint: what it was not given waits, and the list of recipes says so."""
    first = run("sync", papers, "--json").said
    owner(STORE)
    ended = run("extractor", "activate", "llm:tiny", "--json")
    assert ended.code == 0
    assert (ended.said["extractor"], ended.said["documents"]["extracted"]) == ("llm:tiny", 1)
    assert run("extractor", "activate", "patterns", "--json").said["digest"] == first["digest"]


def test_a_recipe_that_is_not_there(run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused with its own exit code, and so is the command that there was before."""
    monkeypatch.setenv("MNEMO_LLM_URL", "http://127.0.0.1:9/v1")
    run("sync", papers)
    for words in (
        ("activate", "nonsense"),
        ("compare", "patterns", "ner@1"),
        ("compare", "ner", "llm:other"),
    ):
        ended = run("extractor", *words, "--json")
        assert (ended.code, ended.said["error"]) == (2, "RecipeError")
    for given, said in (
        ("ner", "No text was ever given to the recipe ner: `mnemo extractor activate ner` does so. "),
        ("llm:other", "`mnemo extractor activate llm:other` and then `mnemo sync` do so. "),
        ("nonsense", "There is no recipe nonsense. Those that have extracted something: patterns."),
        ("llm:other@01234567", "There is no recipe llm:other@01234567. "),
    ):
        assert said in run("extractor", "compare", "patterns", given).err
    ended = run("extractor", "activate", "llm:other", "--json")  # was never asked, and nobody is there to ask
    assert (ended.code, ended.said["error"]) == (3, "EndpointDownError")
    assert run("activate", "patterns").code == 2


def test_a_document_says_what_it_cost(run: Run, papers: Path) -> None:
    """Requests, tokens and time, where a model was asked; nothing where none was."""
    run("sync", papers)
    first = run("dossier", "Eva Lind", "--json").said["documents"][0]["document_id"]
    assert "costs" not in run("document", first, "--json").said
    owner(CALL.replace(b"min(document_id)", b"%d" % first).partition(b" from documents")[0])
    (cost,) = run("document", first, "--json").said["costs"]
    assert (cost["recipe"], cost["prompt_tokens"], cost["milliseconds"]) == ("llm:tiny", 1200, 2500)
    assert "1 request, 1,200 tokens read, 80 written, 2.5 s" in run("document", first).out


def test_status_lists_words_without_a_predicate(run: Run, papers: Path) -> None:
    """Those that two documents say, the most frequent first, and how many relations were refused."""
    for name in ("Jon Falk", "Ann Rook", "Tom Stone"):
        (papers / f"{name}.txt").write_text(f"Dear {name},\n\n{name} works for Acme Ltd.\n")
    run("sync", papers)
    owner(b"""update relations set predicate = null,
        predicate_raw = case when relation_id % 2 = 0 then 'Toils_for' else 'toils for' end
        where object_id = (select entity_id from entities where key = 'acme ltd')""")
    owner(b"""insert into refused_relations (generation, document_id, subject_id, predicate_raw, predicate,
        object_id, chunk_ordinal, page, start_offset, end_offset)
        select generation, document_id, object_id, 'works for', 'works_for', subject_id, 0, 1, 0, 9
        from relations limit 1""")
    said = run("status", "--json").said["predicates"]
    assert said == {"unknown": [{"words": "toils for", "relations": 3, "documents": 3}], "refused": 1}
    shown = run("status").out
    assert "toils for" in shown
    assert "1 relations" in shown
