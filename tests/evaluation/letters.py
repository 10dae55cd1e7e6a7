"""A tiny archive of letters, and an endpoint with two models that extract and two that judge."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

from tests.endpoints import said, serving, told

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings
    from tests.endpoints import Answer, Asked, Stub

GOOD: Final = "qwen3:8b"
BAD: Final = "smollm2"
#: The first is strict; the second is of a family with GOOD, believes everything, and is silent on Leeds.
STRICT: Final = "gemma3:12b"
KIND: Final = "deepseek-r1-distill-qwen-7b"

#: File name -> text.
LETTERS: Final = {
    "a.txt": "Eva Lind works for Birch Tools Ltd.",
    "b.txt": "Birch Tools Ltd is based in Leeds.",
    "c.eml": "Carl Gauss wrote to Eva Lind.",
    "d.eml": "Nothing is said here.",
}
_RELATIONS: Final[dict[str, tuple[str, str, str, str, str]]] = {
    "Eva Lind works": ("Eva Lind", "Person", "works for", "Birch Tools Ltd", "Org"),
    "Birch Tools Ltd is": ("Birch Tools Ltd", "Org", "is based in", "Leeds", "Place"),
    "Carl Gauss": ("Carl Gauss", "Person", "wrote to", "Eva Lind", "Person"),
}


def letters(connection: Connection, root: Path, texts: dict[str, str] | None = None) -> None:
    """An archive of letters that are in the graph's ledger, each of one chunk."""
    row = connection.execute(
        "insert into archives (name, root) values ('letters', %s) returning archive_id", [bytes(root)]
    ).fetchone()
    assert row is not None
    for name, text in (LETTERS if texts is None else texts).items():
        sha256 = hashlib.sha256(name.encode()).hexdigest()
        connection.execute(
            "insert into files (archive_id, path, display_path, ext, sha256, outcome, rules_version)"
            " values (%s, %s, %s, %s, %s, 'admitted', 1)",
            [row["archive_id"], name.encode(), name, name.rpartition(".")[2], sha256],
        )
        content = hashlib.sha256(text.encode()).hexdigest()
        connection.execute(
            "with d as (insert into documents (sha256, stage) values (%s, 'graphed') returning document_id)"
            " insert into chunks (document_id, ordinal, start_offset, end_offset, first_page, last_page,"
            " text, content_sha256) select document_id, 0, 0, %s, 1, 1, %s, %s from d",
            [sha256, len(text), text, content],
        )


def endpoint(kind: str = "llama-server-router") -> AbstractContextManager[Stub]:
    """The endpoint, of a kind."""
    return serving(_answer, kind, (GOOD, BAD, STRICT, KIND))


def at(settings: Settings, stub: Stub, **more: object) -> Settings:
    """Settings of that endpoint, one request at a time."""
    asking = {"llm_url": stub.url, "llm_slots": 1}
    return settings.model_copy(update={**asking, "llm_response_format": "json_schema", **more})


def models(stub: Stub) -> list[str]:
    """The models that were asked, each time another one than before."""
    asked = [one.said["model"] for one in stub.completions]
    return [name for place, name in enumerate(asked) if not place or asked[place - 1] != name]


def _answer(asked: Asked) -> Answer:
    if not asked.path.endswith("/chat/completions"):
        return told({"success": True})
    question = asked.said
    text = question["messages"][-1]["content"]
    extracting = {GOOD: _good, BAD: _bad}.get(question["model"])
    return said(
        json.dumps(extracting(text) if extracting else {"verdict": _verdict(question["model"], text)})
    )


def _good(text: str) -> dict[str, Any]:
    for words, (subject, one, predicate, object_, other) in _RELATIONS.items():
        if words in text:
            return _found(text, (subject, one), predicate, (object_, other))
    return {"entities": [], "relations": []}


def _bad(text: str) -> dict[str, Any]:
    """Turns relations round, and names somebody who is not there."""
    for words, (subject, one, predicate, object_, other) in _RELATIONS.items():
        if words in text:
            found = _found(text, (object_, other), predicate, (subject, one))
            return {**found, "entities": [*found["entities"], {"name": "Zacharias Quist", "type": "Person"}]}
    return {"entities": [], "relations": []}


def _found(text: str, subject: tuple[str, str], predicate: str, object_: tuple[str, str]) -> dict[str, Any]:
    quote = next(letter for letter in LETTERS.values() if letter in text)
    ends = [{"name": name, "type": type_} for name, type_ in (subject, object_)]
    relation = {"subject": subject[0], "predicate": predicate, "object": object_[0], "quote": quote}
    return {"entities": ends, "relations": [relation]}


def _verdict(judge: str, text: str) -> str:
    data = json.loads(text.split("\n")[1])
    if judge == KIND:
        return "I do not know" if data["object"] == "Leeds" else "correct"
    right = (data["subject"], data["object"]) in {(each[0], each[3]) for each in _RELATIONS.values()}
    return "correct" if right else "reversed"
