"""Which documents are looked at."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.evaluation import sample as room
from mnemo_assets.evaluation.sample import Candidate, choose

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.database import Connection

kinds = st.lists(st.tuples(st.sampled_from(["pdf", "docx", "eml", "txt"]), st.integers(1, 30)), max_size=60)


def candidates(those: list[tuple[str, int]]) -> list[Candidate]:
    return [Candidate(number, ext, chunks) for number, (ext, chunks) in enumerate(those, start=1)]


@given(kinds, st.integers(1, 40), st.integers())
def test_the_same_seed_chooses_the_same(those: list[tuple[str, int]], wanted: int, seed: int) -> None:
    """As many as were wanted or as there are, in the candidates' order, the same ones each time."""
    given_ = candidates(those)
    found = choose(given_, wanted, seed)
    assert found == choose(given_, wanted, seed)
    assert len(found.chosen) == min(wanted, len(given_))
    assert list(found.chosen) == [one for one in given_ if one in set(found.chosen)]


@given(kinds, st.integers(1, 40))
def test_each_type_is_looked_at(those: list[tuple[str, int]], wanted: int) -> None:
    """One document of each type at least, where there is room for all types."""
    found = choose(candidates(those), wanted, 7)
    types = {ext for ext, _ in those}
    assert len(found.types) == min(len(types), wanted)


def test_types_and_sizes_are_as_in_the_archive() -> None:
    """Beside the one of each type, strata have their share; the rare type is there."""
    those = [("pdf", 1)] * 500 + [("pdf", 20)] * 250 + [("eml", 1)] * 249 + [("odt", 3)]
    found = choose(candidates(those), 29, 7)
    assert found.types == {"pdf": 21, "eml": 7, "odt": 1}
    assert found.sizes == {"one chunk": 21, "2 to 10 chunks": 1, "more": 7}
    assert (found.wanted, found.available, found.seed) == (29, 1000, 7)


def test_another_seed_chooses_others() -> None:
    """Of many documents of one kind, seven and eight choose different ones."""
    those = candidates([("pdf", 1)] * 500)
    assert choose(those, 29, 7).chosen != choose(those, 29, 8).chosen


def add(connection: Connection, name: str, ext: str | None, chunks: int, archive: int = 1) -> int:
    """A document with a file, or without one, and chunks."""
    sha256 = hashlib.sha256(name.encode()).hexdigest()
    row = connection.execute(
        "insert into documents (sha256, stage) values (%s, 'graphed') returning document_id", [sha256]
    ).fetchone()
    assert row is not None
    if ext is not None:
        connection.execute(
            "insert into files (archive_id, path, display_path, ext, sha256, outcome, rules_version)"
            " values (%s, %s, %s, %s, %s, 'admitted', 1)",
            [archive, f"in/{name}".encode(), name, ext, sha256],
        )
    for ordinal in range(chunks):
        connection.execute(
            "insert into chunks values (%s, %s, 0, 2, 1, 1, 'hm', 'x')", [row["document_id"], ordinal]
        )
    return int(row["document_id"])


def archive(connection: Connection, root: Path) -> None:
    connection.execute("insert into archives (name, root) values (%s, %s)", [root.name, bytes(root)])


def test_candidates(connection: Connection, tmp_path: Path) -> None:
    """Documents that have chunks, in the order of their sha256, each with the type of its file or part."""
    archive(connection, tmp_path)
    mail = add(connection, "a.eml", "eml", 2)
    add(connection, "empty.txt", "txt", 0)
    part = add(connection, "inside", None, 11)
    connection.execute(
        "insert into document_parts"
        " (parent_id, path, ordinal, name, ext, size_bytes, sha256, rules_version, child_id)"
        " select %s, '1', 0, 'x.pdf', 'pdf', 1, sha256, 1, document_id from documents where document_id = %s",
        [mail, part],
    )
    found = room.sample(connection)
    order = [
        row["document_id"] for row in connection.execute("select document_id from documents order by sha256")
    ]
    there = {mail: Candidate(mail, "eml", 2), part: Candidate(part, "pdf", 11)}
    assert list(found.chosen) == [there[number] for number in order if number in there]
    assert found.available == 2


def test_only_named_folders(connection: Connection, tmp_path: Path) -> None:
    """With folders, no document outside of them is looked at, nor one that also lies elsewhere."""
    archive(connection, tmp_path)
    inside = add(connection, "a.txt", "txt", 1)
    both = add(connection, "b.txt", "txt", 1)
    connection.execute(
        "insert into files (archive_id, path, display_path, ext, sha256, outcome, rules_version)"
        " select 1, 'out/b.txt', 'b', 'txt', sha256, 'admitted', 1 from documents where document_id = %s",
        [both],
    )
    named = room.sample(connection, folders=[bytes(tmp_path / "in") + b"/"])
    assert [one.document_id for one in named.chosen] == [inside]
    assert room.sample(connection, folders=[bytes(tmp_path / "i") + b"/"]).chosen == ()
    assert len(room.sample(connection).chosen) == 2
