from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.archive.compare import (
    File,
    Known,
    Pair,
    after_opening,
    head_only,
    merge,
    says_the_same,
    without_opening,
)
from mnemo_assets.archive.hashing import Finding
from mnemo_assets.archive.rules import RULES_VERSION
from mnemo_assets.archive.walk import Candidate, Unlisted

SHA = "a" * 64
OTHER = "b" * 64
PATH = st.lists(st.sampled_from([b"a", b"a-", b"a0", b"b"]), min_size=1, max_size=3).map(b"/".join)


def candidate(path: bytes = b"a.txt", **changes: object) -> Candidate:
    return Candidate(path, "txt", "regular", 10, 7, None)._replace(**changes)  # type: ignore[arg-type]


def known(path: bytes = b"a.txt", **changes: object) -> Known:
    row = Known(1, path, 10, 7, SHA, "admitted", None, RULES_VERSION, missing=False)
    return row._replace(**changes)  # type: ignore[arg-type]


@given(st.sets(PATH), st.sets(PATH), st.sets(PATH))
def test_merge(walked: set[bytes], rows: set[bytes], unlisted: set[bytes]) -> None:
    """Every path of either side comes once, and a row is held where its folder could not be listed."""
    seen = {path for path in walked if not any(path.startswith(one + b"/") for one in unlisted)}
    events: list[Candidate | Unlisted] = [candidate(path) for path in seen]
    events += [
        Unlisted(one + b"/")
        for one in unlisted
        if not any(one.startswith(above + b"/") for above in unlisted)
    ]
    events.sort(key=lambda event: event.prefix if isinstance(event, Unlisted) else event.path)
    held = {path for path in rows - seen if any(path.startswith(one + b"/") for one in unlisted)}
    assert list(merge(events, [known(path) for path in sorted(rows)])) == [
        Pair(
            candidate(path) if path in seen else None,
            known(path) if path in rows else None,
            held=path in held,
        )
        for path in sorted(seen | rows)
    ]


def test_what_is_told_without_opening() -> None:
    """A name rule, a link, a FIFO, an empty file, and what did not change need no opening; the rest does."""
    same = File(b"a.txt", "txt", 10, 7, SHA, "admitted", None)
    assert without_opening(candidate(), known()) == same
    assert without_opening(candidate(), known(missing=True)) == same
    assert without_opening(candidate(rule="name:secret"), known())[4:] == (None, "excluded", "name:secret")  # type: ignore[index]
    assert without_opening(candidate(size=0), known())[4:] == (None, "empty", None)  # type: ignore[index]
    assert without_opening(candidate(kind="symlink"), None)[2:] == (None, None, None, "symlink", None)  # type: ignore[index]
    assert without_opening(candidate(kind="unreadable"), known())[4:] == (SHA, "unreadable", None)  # type: ignore[index]
    kept = known(sha256=None, outcome="excluded", rule="content:keepass")
    assert without_opening(candidate(), kept)[4:] == (None, "excluded", "content:keepass")  # type: ignore[index]
    for row in [
        None,
        known(size=11),
        known(mtime_ns=8),
        known(rules_version=RULES_VERSION - 1),
        known(outcome="unreadable"),
        known(outcome="changing"),
        known(outcome="empty", sha256=None),
        known(outcome="symlink", sha256=None),
        known(outcome="excluded", rule="name:secret", sha256=None),
        kept._replace(rules_version=RULES_VERSION - 1),
    ]:
        assert without_opening(candidate(), row) is None


def test_a_changed_rule_asks_for_heads() -> None:
    """Where only the rules changed, the hash is not computed again."""
    older = known(rules_version=RULES_VERSION - 1)
    assert head_only(candidate(), older)
    assert after_opening(candidate(), older, Finding("admitted", None, None, 10, 7)).sha256 == SHA
    assert (
        after_opening(candidate(), older, Finding("excluded", "content:keepass", None, 10, 7)).sha256 is None
    )
    assert after_opening(candidate(), older, Finding("admitted", None, None, 11, 7)).outcome == "changing"
    assert not head_only(candidate(size=11), older)


def test_trouble_is_no_deletion() -> None:
    """A file that is unreadable or changing keeps the content it had; one that was replaced does not."""
    later = candidate(mtime_ns=8)
    assert after_opening(later, known(), Finding("unreadable")) == (
        b"a.txt",
        "txt",
        10,
        8,
        SHA,
        "unreadable",
        None,
    )
    assert after_opening(later, known(), Finding("changing", None, None, 10, 9))[3:6] == (9, SHA, "changing")
    assert after_opening(later, known(), Finding("admitted", None, OTHER, 10, 8))[4:6] == (OTHER, "admitted")
    assert after_opening(later, known(), Finding("symlink"))[2:6] == (None, None, None, "symlink")
    assert after_opening(later, None, Finding("unreadable"))[4] is None


def test_nothing_new_is_not_written() -> None:
    """A row is written if it says something else, was missing, or was judged by other rules."""
    same = File(b"a.txt", "txt", 10, 7, SHA, "admitted", None)
    assert says_the_same(known(), same)
    assert not says_the_same(None, same)
    assert not says_the_same(known(missing=True), same)
    assert not says_the_same(known(rules_version=RULES_VERSION - 1), same)
    assert not says_the_same(known(), same._replace(mtime_ns=8))
