"""Opaque cursors: where a page ended, bound to the question and the arguments it was given out for."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import Field, TypeAdapter

from mnemo_assets.errors import CursorError

if TYPE_CHECKING:
    from collections.abc import Mapping

#: An id, a count or an offset in a cursor: what Postgres holds, and what can be negated.
Number = Annotated[int, Field(ge=0, lt=2**63)]

T = TypeVar("T")
_BINDING = 12  # characters of the hash: a mix-up is noticed, nothing is kept secret
_LONGEST = 500


def _binding(question: str, arguments: Mapping[str, Any]) -> str:
    said = json.dumps([question, dict(arguments)], sort_keys=True, default=str)
    return hashlib.sha256(said.encode()).hexdigest()[:_BINDING]


def write(shape: TypeAdapter[T], place: T, question: str, arguments: Mapping[str, Any]) -> str:
    """A cursor for the place after which the next page of this question begins."""
    body = base64.urlsafe_b64encode(shape.dump_json(place)).decode().rstrip("=")
    return _binding(question, arguments) + body


def read(shape: TypeAdapter[T], cursor: str, question: str, arguments: Mapping[str, Any]) -> T:
    """The place a cursor stands for.

    Raises:
        CursorError: it is malformed, or was given out for other arguments.
    """
    refused = CursorError("The cursor is not one that this question gave out. Ask again without it.")
    if len(cursor) > _LONGEST or cursor[:_BINDING] != _binding(question, arguments):
        raise refused
    try:
        body = cursor[_BINDING:].encode("ascii")
        return shape.validate_json(
            base64.b64decode(body + b"=" * (-len(body) % 4), b"-_", validate=True), strict=True
        )
    except ValueError:  # of the alphabet, the encoding or the shape
        raise refused from None
