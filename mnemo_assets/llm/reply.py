"""What a model answered, and what its server says where it could not."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from mnemo_assets.errors import EndpointDownError, NoReplyError

#: Statuses that say that no request will fare better now: another URL, no access, no such model. Of these one
#: may pass by itself.
_TURNED_AWAY: Final = {401, 403, 404, 405, 407, 501, 503}
_PASSING: Final = {503}
_REDIRECTS: Final = range(300, 400)
#: Of one that waits for its turn, which is of no request's doing: a rate that is reached.
_TOO_MANY: Final = 429
#: How servers say that a prompt does not fit. llama-server: type `exceed_context_size_error`, "exceeds the
#: available context size". Ollama: "the prompt is longer than the context length currently available". LM
#: Studio: "greater than the context length", "when context the overflows", "Context size has been exceeded",
#: also with status 200. OpenAI's: code `context_length_exceeded`.
_TOO_LONG: Final = re.compile(r"context[ _](?:length|size|window)|context the overflows", re.IGNORECASE)
_TOO_LONG_STATUSES: Final = {200, 400, 413, 422, 500}
#: llama-server, 503: "Loading model"; its router, 500: "proxy error: ..."; llama-swap, 503: "process is not
#: ready".
_LOADING: Final = re.compile(r"loading model|proxy error|not ready", re.IGNORECASE)
#: llama-server's router, 500: "model limit reached, try again later"; Ollama, 503: "server busy, please try
#: again".
_BUSY: Final = re.compile(r"model limit reached|server busy", re.IGNORECASE)
#: Of an error, only so much is looked at: it may hold what was sent.
_LOOKED_AT: Final = 1_000


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Attributes:
        text: as it came; it is a stranger's.
        finish_reason: `stop`, `length` if it was cut off, or `context` if the prompt is too long for the
            model, and there is no text; None where the server does not say.
        tokens: of the reply; None where the server does not say.
        refused: the model says that it does not want to.
        reasoning: its train of thought, where the server keeps that apart.
        prompt_tokens: of the request; None where the server does not say.
    """

    text: str
    finish_reason: str | None
    tokens: int | None
    refused: bool = False
    reasoning: str = ""
    prompt_tokens: int | None = None


#: A prompt that does not fit.
TOO_LONG: Final = Reply("", "context", None)


def of_json(content: bytes, context: int | None = None) -> Reply:
    """The reply in a server's answer.

    Args:
        content: of an answer with status 200.
        context: tokens that a request and its reply may have, where that is known.

    Raises:
        ValueError, LookupError, TypeError, AttributeError, RecursionError: it is no such answer.
    """
    answer = parsed(content)
    if "choices" not in answer and is_too_long(200, content):
        return TOO_LONG
    choice = answer["choices"][0]
    message, reason = choice["message"], choice.get("finish_reason")
    usage = answer.get("usage") or {}
    asked = _count(usage.get("prompt_tokens"))
    found = Reply(
        _text(message.get("content")),
        reason if isinstance(reason, str) else None,
        _count(usage.get("completion_tokens")),
        refused=bool(message.get("refusal")) or reason == "content_filter",
        reasoning=_text(message.get("reasoning_content") or message.get("reasoning")),
        prompt_tokens=asked,
    )
    # LM Studio answers a prompt that does not fit with nothing, and says that all is well
    if not found.text and not found.reasoning and context and asked and asked >= context:
        return TOO_LONG
    return found


def _text(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError
    return value


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


def parsed(content: bytes) -> Any:  # noqa: ANN401 - whatever JSON a server sends
    """JSON, as the standard has it.

    Raises:
        ValueError, RecursionError: it is none.
    """
    return json.loads(content, parse_constant=_refuse)


def _refuse(_word: str) -> NoReturn:
    raise ValueError


def is_too_long(status: int, content: bytes) -> bool:
    """Whether a server says that the prompt does not fit into the model's context."""
    return status in _TOO_LONG_STATUSES and bool(_TOO_LONG.search(_error(content)))


def of_status(status: int, content: bytes = b"") -> EndpointDownError | NoReplyError:
    """The class of an answer that is no reply."""
    if status in _REDIRECTS:
        return EndpointDownError(
            "The endpoint of MNEMO_LLM_URL points elsewhere, where nothing is sent.", is_final=True
        )
    said = content[:_LOOKED_AT].decode("utf-8", "replace")
    if status in {500, 502, 503} and _LOADING.search(said):
        return NoReplyError("loading")
    if status == _TOO_MANY or (status in {500, 503} and _BUSY.search(said)):
        return NoReplyError("busy")
    if status in _TURNED_AWAY:
        return EndpointDownError(
            f"The endpoint of MNEMO_LLM_URL turns requests away, with status {status}. Is its model there?",
            is_final=status not in _PASSING,
        )
    return NoReplyError(f"status {status}")


def _error(content: bytes) -> str:
    """What an answer says of an error, in whatever shape."""
    try:
        error = parsed(content)["error"]
        words = (
            error if isinstance(error, str) else f"{error.get('type')} {error.get('code')} {error['message']}"
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""
    return words[:_LOOKED_AT]
