"""What the walk found beside what the ledger knows: what stays, what changes, what is opened. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mnemo_assets.archive.rules import RULES_VERSION
from mnemo_assets.archive.walk import Unlisted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mnemo_assets.archive.hashing import Finding
    from mnemo_assets.archive.walk import Candidate


class Known(NamedTuple):
    """A row of `files`."""

    file_id: int
    path: bytes
    size: int | None
    mtime_ns: int | None
    sha256: str | None
    outcome: str
    rule: str | None
    rules_version: int
    missing: bool


class File(NamedTuple):
    """What a row of `files` is to say."""

    path: bytes
    ext: str
    size: int | None
    mtime_ns: int | None
    sha256: str | None
    outcome: str
    rule: str | None


class Pair(NamedTuple):
    """A path on either side; `held` says that the folder of a path that was not found could not be listed."""

    candidate: Candidate | None
    known: Known | None
    held: bool = False


def merge(walked: Iterable[Candidate | Unlisted], rows: Iterable[Known]) -> Iterator[Pair]:
    """Pair two streams that are sorted by path; both are read once, a row ahead."""
    remaining = iter(rows)
    known = next(remaining, None)
    unlisted = b"/"  # no relative path begins with a slash
    for found in walked:
        bound = found.prefix if isinstance(found, Unlisted) else found.path
        while known is not None and known.path < bound:
            yield Pair(None, known, held=known.path.startswith(unlisted))
            known = next(remaining, None)
        if isinstance(found, Unlisted):
            unlisted = found.prefix
        elif known is not None and known.path == found.path:
            yield Pair(found, known)
            known = next(remaining, None)
        else:
            yield Pair(found, None)
    while known is not None:
        yield Pair(None, known, held=known.path.startswith(unlisted))
        known = next(remaining, None)


def without_opening(candidate: Candidate, known: Known | None) -> File | None:
    """What the row of a path is to say, if that can be told without opening the file; else None.

    A name rule comes before everything: an excluded file is not even looked at. A file whose size and mtime
    are what they were is not opened again, unless it could not be read, or was judged by other rules.
    """
    path, ext, kind, size, modified, rule = candidate
    if rule is not None:
        return File(path, ext, size, modified, None, "excluded", rule)
    if kind != "regular":
        sha256 = _content(known) if kind == "unreadable" else None
        return File(path, ext, None, None, sha256, kind, None)
    if size == 0:
        return File(path, ext, 0, modified, None, "empty", None)
    if known is None or not _judged(known) or not unchanged(candidate, known):
        return None
    return File(path, ext, size, modified, known.sha256, known.outcome, known.rule)


def unchanged(candidate: Candidate, known: Known) -> bool:
    """Whether a file has the size and the mtime that its row says."""
    return (candidate.size, candidate.mtime_ns) == (known.size, known.mtime_ns)


def same_file(file: File, known: Known) -> bool:
    """Whether a new judgement is on the content that the row had."""
    return (file.size, file.mtime_ns) == (known.size, known.mtime_ns)


def head_only(candidate: Candidate, known: Known | None) -> bool:
    """Whether the hash of a file that is to be opened is known already."""
    return known is not None and known.outcome == "admitted" and unchanged(candidate, known)


def after_opening(candidate: Candidate, known: Known | None, finding: Finding) -> File:
    """What the row of a path is to say, now that its file was opened.

    A file that cannot be read now, or changes while it is, keeps the content it was known to have: trouble is
    not a deletion.
    """
    path, ext, _, size, modified, _ = candidate
    outcome, rule, sha256, size_then, modified_then = finding
    if outcome == "admitted" and sha256 is None and (size, modified) != (size_then, modified_then):
        outcome = "changing"  # since the walk: the hash that is known may not be its own
    if outcome in {"admitted", "changing", "unreadable"}:
        sha256 = sha256 or _content(known)
    if outcome in {"special", "symlink"}:
        size = modified = None
    elif outcome != "unreadable":
        size, modified = size_then, modified_then
    return File(path, ext, size, modified, sha256, outcome, rule)


def says_the_same(known: Known | None, file: File) -> bool:
    """Whether a row is already what it is to be."""
    return (
        known is not None
        and not known.missing
        and known.rules_version == RULES_VERSION
        and known[2:7] == file[2:7]
    )


def _judged(known: Known) -> bool:
    """Whether the row is a judgement by these rules, and one that lasts as long as the file's content."""
    if known.rules_version != RULES_VERSION:
        return False
    return known.outcome == "admitted" or (
        known.outcome == "excluded" and (known.rule or "").startswith("content:")
    )


def _content(known: Known | None) -> str | None:
    return None if known is None else known.sha256
