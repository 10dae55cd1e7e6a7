"""Why a call got no answer: the classes that an agent can see, and what it can do. Never a value it sent."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING

from mnemo_assets import errors

if TYPE_CHECKING:
    from collections.abc import Mapping


class Failure(StrEnum):
    """The error class in a tool result with `isError`."""

    UNKNOWN_TOOL = "UnknownTool"
    INVALID_ARGUMENTS = "InvalidArguments"
    INVALID_CURSOR = "InvalidCursor"
    NOT_FOUND = "NotFound"
    AMBIGUOUS = "Ambiguous"
    TIMEOUT = "Timeout"
    DATABASE_UNAVAILABLE = "DatabaseUnavailable"
    DATABASE_NEWER = "DatabaseNewer"
    INVALID_SETTINGS = "InvalidSettings"
    INTERNAL = "InternalError"


#: What to do about each.
HINTS: dict[Failure, str] = {
    Failure.UNKNOWN_TOOL: "This server has no such tool; see tools/list.",
    Failure.INVALID_ARGUMENTS: "An argument is unknown, missing or malformed; see the tool's input schema.",
    Failure.INVALID_CURSOR: "Use next_cursor of the page before, with the same arguments, or ask without it.",
    Failure.NOT_FOUND: "Nothing has that id. Ids change when the graph is rebuilt: search again.",
    Failure.AMBIGUOUS: "Several documents begin with that sha256: give more of it.",
    Failure.TIMEOUT: "The question took too long. Ask for less: a smaller limit, one hop.",
    Failure.DATABASE_UNAVAILABLE: "The database did not answer. The owner can look with `mnemo status`.",
    Failure.DATABASE_NEWER: "A newer mnemo made the database: the owner has to update this one.",
    Failure.INVALID_SETTINGS: "A MNEMO_ setting is unknown or malformed: `mnemo status` says which.",
    Failure.INTERNAL: "Something went wrong here. The same call will most likely fail again.",
}

_CLASSES: tuple[tuple[type[errors.MnemoError], Failure], ...] = (
    (errors.CursorError, Failure.INVALID_CURSOR),
    (errors.SettingsError, Failure.INVALID_SETTINGS),
    (errors.AmbiguousNameError, Failure.AMBIGUOUS),
    (errors.NotFoundError, Failure.NOT_FOUND),
    (errors.QuestionTimeoutError, Failure.TIMEOUT),
    (errors.DatabaseNewerError, Failure.DATABASE_NEWER),
    (errors.PostgresError, Failure.DATABASE_UNAVAILABLE),
)


def classify(error: BaseException) -> Failure:
    """The class that stands for an exception."""
    if isinstance(error, TimeoutError):  # our own deadline
        return Failure.TIMEOUT
    for known, failure in _CLASSES:
        if isinstance(error, known):
            return failure
    return Failure.INTERNAL


def message(failure: Failure, arguments: Mapping[str, str] | None = None) -> str:
    """Compact JSON for an agent: the class, a hint, and the arguments at fault with the kind of fault."""
    said: dict[str, object] = {"error": failure.value, "hint": HINTS[failure]}
    if arguments:
        said["arguments"] = dict(arguments)
    return json.dumps(said, separators=(",", ":"))
