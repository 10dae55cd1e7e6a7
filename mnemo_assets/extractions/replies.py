"""What models answered, kept as it came: a crash, a new parser or a new rule never asks again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mnemo_assets.database import Connection, queries
from mnemo_assets.extractions.parse import StoredReply

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

Q = queries("replies")


@dataclass(frozen=True, slots=True)
class Call:
    """One request, and what it cost.

    Attributes:
        request_hash: sha256 of the exact request.
        recipe: whose request it is, or which judge's.
        document_id: for whose sake it was made; None for a document of none.
        milliseconds: of all attempts, without the pauses between them.
        attempts: how often it was sent.
    """

    request_hash: str
    recipe: str
    document_id: int | None
    milliseconds: int
    attempts: int


def to_requests(connection: Connection, hashes: Collection[str]) -> dict[str, StoredReply]:
    """The replies to those of the requests that were answered, by request hash."""
    rows = connection.execute(Q["replies_to"], {"hashes": list(hashes)})
    return {row["request_hash"]: _reply(row) for row in rows}


def about(connection: Connection, contents: Collection[str]) -> dict[str, dict[str, StoredReply]]:
    """All replies about contents: sha256 of a content -> request hash -> reply."""
    found: dict[str, dict[str, StoredReply]] = {content: {} for content in contents}
    for row in connection.execute(Q["replies_about"], {"contents": list(contents)}):
        found[row["content_sha256"]][row["request_hash"]] = _reply(row)
    return found


def keep(connection: Connection, call: Call, model: str, content_sha256: str, reply: StoredReply) -> None:
    """Keep a reply, and count its call, in one transaction: the caller's, or one of its own."""
    cost = _cost(call, reply)
    values = {
        **cost,
        "content_sha256": content_sha256,
        "model": model,
        "reply": _bytes(reply.text),
        "reasoning": _bytes(reply.reasoning) if reply.reasoning else None,
        "finish_reason": reply.finish_reason,
    }
    with connection.transaction():
        connection.execute(Q["keep_reply"], values)
        connection.execute(Q["count_call"], {**cost, "outcome": "reply"})


def count_failure(connection: Connection, call: Call, error_class: str) -> None:
    """Count a call that no reply came of."""
    connection.execute(Q["count_call"], {**_cost(call, None), "outcome": error_class})


def _cost(call: Call, reply: StoredReply | None) -> dict[str, Any]:
    return {
        "request_hash": call.request_hash,
        "recipe": call.recipe,
        "document_id": call.document_id,
        "milliseconds": call.milliseconds,
        "attempts": call.attempts,
        "prompt_tokens": None if reply is None else reply.prompt_tokens,
        "completion_tokens": None if reply is None else reply.tokens,
    }


def _reply(row: Mapping[str, Any]) -> StoredReply:
    return StoredReply(
        text=_text(row["reply"]),
        reasoning=_text(row["reasoning"] or b""),
        finish_reason=row["finish_reason"],
        prompt_tokens=row["prompt_tokens"],
        tokens=row["completion_tokens"],
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(stored: bytes) -> str:
    return bytes(stored).decode("utf-8", "surrogatepass")
