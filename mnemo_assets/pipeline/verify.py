"""What must be so: words stand where they are said to, nothing hangs from nothing, stores agree."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mnemo_assets.database import Connection, queries
from mnemo_assets.errors import ErrorClass
from mnemo_assets.text import cache

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mnemo_assets.settings import Settings

Q = queries("checks")

#: The share of all documents that may have a class before it is worth a look. What crashes, or cannot be
#: mined is a fault of ours; what is locked or damaged is so in the archive, and common in an old one.
#: A class that is not here may be as frequent as it likes.
BOUNDS: Final[Mapping[ErrorClass, float]] = {
    ErrorClass.READER_CRASHED: 0.002,
    ErrorClass.TIMED_OUT: 0.005,
    ErrorClass.READER_MEMORY: 0.005,
    ErrorClass.EXTRACTION_FAILED: 0.002,
    ErrorClass.PARTIAL: 0.01,
    ErrorClass.FILE_CHANGED: 0.01,
    ErrorClass.FILE_UNREACHABLE: 0.01,
    ErrorClass.ENCRYPTED: 0.1,
    ErrorClass.CORRUPT: 0.05,
    ErrorClass.UNSUPPORTED: 0.05,
    ErrorClass.NO_TEXT: 0.1,
    ErrorClass.OCR_FAILED: 0.05,
    ErrorClass.TOO_LARGE: 0.01,
}


def quotes(connection: Connection, only: Collection[str] | None = None) -> dict[str, int]:
    """How many mentions and relations there are, and of how many the words do not stand in the text.

    Args:
        connection: the owner's.
        only: of documents with these sha256s.
    """
    row = connection.execute(Q["quotes"], {"only": None if only is None else list(only)}).fetchone()
    assert row is not None
    return {name: int(n) for name, n in row.items()}


def orphans(connection: Connection) -> dict[str, int]:
    """How many rows hang from nothing, by what they are."""
    row = connection.execute(Q["orphans"]).fetchone()
    assert row is not None
    return {name: int(n) for name, n in row.items()}


def disagreements(connection: Connection, settings: Settings) -> dict[str, list[str]]:
    """The sha256s about which ledger, text cache and graph say different things, by what it is.

    What is said differently only for a moment, while somebody works on the document, is looked at twice.
    """
    first, second = _disagreements(connection, settings), _disagreements(connection, settings)
    found = {what: sorted(first[what] & second[what]) for what in first.keys() & second.keys()}
    return {what: keys for what, keys in sorted(found.items()) if keys}


def _disagreements(connection: Connection, settings: Settings) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in connection.execute(Q["disagreements"]):
        found.setdefault(row["what"], set()).add(row["sha256"])
    texts = {row["sha256"]: (row["reader"], row["reader_version"]) for row in connection.execute(Q["texts"])}
    held = set(cache.held(settings.text_cache))
    found["text_not_cached"] = {
        sha256
        for sha256, (reader, version) in texts.items()
        if reader is not None and (sha256, reader, version) not in held
    }
    found["cached_of_no_document"] = {sha256 for sha256, _, _ in held if sha256 not in texts}
    return found


def classes(connection: Connection) -> tuple[dict[str, int], int]:
    """How many documents have each error class, and how many there are."""
    counts = Counter({row["error_class"]: row["n"] for row in connection.execute(Q["classes"])})
    total = counts.pop(None, 0)
    return dict(sorted(counts.items())), total


#: The share of texts in which a model may find nothing; of fewer texts than these nothing is concluded. Of
#: private papers a tenth to a third name nobody: forms, tables, blank reverses.
EMPTY_SHARE: Final = 0.5
EMPTY_FROM: Final = 20


def empties(connection: Connection) -> dict[str, int]:
    """Of the texts that the active recipe was given, if it asks a model: how many, and how many gave nothing.

    Also how much of what the model said is not believed: names that stand nowhere, items that are none.
    """
    row = connection.execute(Q["empty_extractions"]).fetchone()
    assert row is not None
    return {name: int(n) for name, n in row.items()}


def beyond(counts: Mapping[str, int], total: int) -> list[str]:
    """The classes that are more frequent than BOUNDS allows; one document alone is not frequent."""
    return [
        str(error_class)
        for error_class, share in BOUNDS.items()
        if counts.get(str(error_class), 0) > max(1, share * total)
    ]
