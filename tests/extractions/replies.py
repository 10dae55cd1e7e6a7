"""Replies of a model that was never asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mnemo_assets.extractions.from_llm import Resolved, resolve
from mnemo_assets.extractions.parse import StoredReply
from mnemo_assets.extractions.request import Template, template

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TEMPLATE = template("seer", "seer-8k", 8192, "json_schema")


def said(
    entities: Iterable[tuple[str, str]] = (), relations: Iterable[tuple[str, str, str, str]] = ()
) -> str:
    """An answer: (type, name) of each entity; (subject, predicate, object, quote) of each relation."""
    keys = ("subject", "predicate", "object", "quote")
    return json.dumps(
        {
            "entities": [{"name": name, "type": type_} for type_, name in entities],
            "relations": [dict(zip(keys, relation, strict=True)) for relation in relations],
        },
        ensure_ascii=False,
    )


def answered(text: str, answer: str | StoredReply, of: Template = TEMPLATE) -> dict[str, StoredReply]:
    """The reply to the question about a text."""
    reply = answer if isinstance(answer, StoredReply) else StoredReply(answer, finish_reason="stop")
    return {of.request(text).key: reply}


def resolved(text: str, answer: str | StoredReply, of: Template = TEMPLATE) -> Resolved:
    """What one reply about a whole text comes to."""
    return resolve(of, text, answered(text, answer, of))


def names(found: Resolved) -> list[tuple[str, str]]:
    """Type and name of each entity, in the order of the text."""
    return [(entity.type, entity.name) for entity in found.extraction.entities]


def edges(found: Resolved, text: str) -> list[tuple[str, str, str, str]]:
    """Each relation with the names of its ends and its words."""
    entities = found.extraction.entities
    return [
        (
            entities[relation.subject].name,
            relation.predicate,
            entities[relation.object].name,
            text[relation.start : relation.end],
        )
        for relation in found.extraction.relations
    ]


def drained(text: str, answers: Mapping[str, StoredReply] | StoredReply, of: Template = TEMPLATE) -> Resolved:
    """Resolve a text as the drain does: ask what is missing, until nothing is.

    Args:
        text: a chunk.
        answers: a piece's text -> the reply about it; or the reply about every piece.
        of: what is sent.
    """
    known: dict[str, StoredReply] = {}
    found = resolve(of, text, known)
    rounds = 0
    while found.missing:
        rounds += 1
        assert rounds <= 5
        for request in found.missing:
            if isinstance(answers, StoredReply):
                known[request.key] = answers
            else:
                asked = request.messages[1]["content"]
                known[request.key] = next(
                    reply
                    for piece, reply in answers.items()
                    if of.request(piece).messages[1]["content"] == asked
                )
        found = resolve(of, text, known)
    return found
