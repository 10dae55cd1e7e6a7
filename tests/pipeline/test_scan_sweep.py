from __future__ import annotations

import hashlib
import threading
from typing import TYPE_CHECKING

import pytest

from mnemo_assets import database
from mnemo_assets.archive import ledger
from mnemo_assets.graph import store
from mnemo_assets.pipeline import scan as room
from mnemo_assets.pipeline.scan import scan, sweep
from mnemo_assets.text import cache
from mnemo_assets.text.reading import Text

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.archive.ledger import Archive
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

SHARED = "Yours sincerely"  # a chunk that both letters have


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.txt").write_text("Letter a")
    (folder / "b.txt").write_text("Letter b")
    return folder


@pytest.fixture
def archive(connection: Connection, settings: Settings, root: Path) -> Archive:
    """An archive of two letters, read and mined: each has two chunks and names Ann, and one of them Bob."""
    added = ledger.add_archive(connection, root)
    scan(connection, settings, added)
    connection.execute("insert into extractors (name, version) values ('test', 1)")
    connection.execute("insert into generations (extractor_id, state) values (1, 'active')")
    for name in ("Ann", "Bob"):
        connection.execute(
            "insert into entities (generation, type, key, name) values (1, 'Person', lower(%s), %s)",
            (name, name),
        )
    for letter, entities in [("Letter a", [1, 2]), ("Letter b", [1])]:
        ids = connection.execute("select document_id from documents where sha256 = %s", (sha(letter),))
        document = ids.fetchall()[0]["document_id"]
        cache.store(settings.text_cache, sha(letter), read(letter))
        for ordinal, text in enumerate([letter, SHARED]):
            connection.execute(
                "insert into chunks values (%s, %s, 0, length(%s::text), 1, 1, %s, %s)",
                (document, ordinal, text, text, sha(text)),
            )
            connection.execute(
                "insert into chunk_extractions (content_sha256, extractor_id, outcome) values (%s, 1, 'done')"
                " on conflict do nothing",
                (sha(text),),
            )
        for entity in entities:
            connection.execute("insert into mentions values (1, %s, %s, 'mentioned', 1)", (document, entity))
    return added


def read(text: str) -> Text:
    return Text(text, (0,), "plain", 1)


def stores(connection: Connection, settings: Settings) -> dict[str, object]:
    """What every store holds."""

    def all_of(query: bytes) -> list[object]:
        return [value for row in connection.execute(query) for value in row.values()]

    known = {sha(text): text for text in ("Letter a", "Letter b", SHARED)}
    return {
        "documents": sorted(known[str(one)] for one in all_of(b"select sha256 from documents")),
        "chunks": sorted(str(one) for one in all_of(b"select text from chunks")),
        "extractions": sorted(known[str(one)] for one in all_of(FOUND)),
        "mentions": all_of(
            b"select name from documents join mentions using (document_id) join entities using (entity_id)"
            b" order by sha256, name"
        ),
        "stale": all_of(b"select name from entities where name_stale order by 1"),
        "texts": sorted(
            letter
            for letter in known.values()
            if cache.load(settings.text_cache, sha(letter), "plain", 1) is not None
        ),
    }


FOUND = b"select content_sha256 from chunk_extractions"
LEFT = {
    "documents": ["Letter b"],
    "chunks": ["Letter b", SHARED],
    "extractions": ["Letter b", SHARED],
    "mentions": ["Ann"],
    "stale": ["Ann", "Bob"],
    "texts": ["Letter b"],
}


@pytest.mark.parametrize("how", ["deleted", "name rule", "content rule", "emptied", "replaced by a link"])
def test_every_store(
    connection: Connection, settings: Settings, root: Path, archive: Archive, how: str
) -> None:
    """A document that loses its last path leaves every store in the same run; the other one stays whole."""
    if how == "deleted":
        (root / "a.txt").unlink()
    elif how == "name rule":
        (root / "a.txt").rename(root / "a secret.txt")
    elif how == "content rule":
        (root / "a.txt").write_bytes(b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5")
    elif how == "emptied":
        (root / "a.txt").write_text("")
    else:
        (root / "a.txt").unlink()
        (root / "a.txt").symlink_to("b.txt")
    scan(connection, settings, archive)
    assert sweep(connection, settings) == 1
    assert stores(connection, settings) == LEFT
    assert sweep(connection, settings) == 0


def test_nothing_to_remove(connection: Connection, settings: Settings, root: Path, archive: Archive) -> None:
    """A move, a second path, trouble and an outage take nothing away."""
    whole = stores(connection, settings)
    (root / "a.txt").rename(root / "moved.txt")
    scan(connection, settings, archive)
    assert sweep(connection, settings) == 0
    (root / "copy.txt").write_text("Letter a")
    scan(connection, settings, archive)
    (root / "moved.txt").unlink()
    scan(connection, settings, archive)
    assert sweep(connection, settings) == 0
    connection.execute("update files set outcome = 'unreadable' where display_path = 'copy.txt'")
    assert sweep(connection, settings) == 0
    assert stores(connection, settings) == whole


def test_batches(
    connection: Connection, settings: Settings, root: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many documents go in batches, and all go."""
    monkeypatch.setattr(room, "SWEEP", 2)
    for n in range(5):
        (root / f"{n}.txt").write_text(f"Letter {n}")
    scan(connection, settings, archive)
    for n in range(5):
        (root / f"{n}.txt").unlink()
    scan(connection, settings, archive)
    assert sweep(connection, settings) == 5


def test_killed_between(
    connection: Connection, settings: Settings, root: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep that ends between the stores is ended by the next one."""
    (root / "a.txt").unlink()
    scan(connection, settings, archive)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(store, "forget", killed)
        with pytest.raises(KeyboardInterrupt):
            sweep(connection, settings)
    assert len(connection.execute("select from documents").fetchall()) == 2
    assert sweep(connection, settings) == 1
    assert stores(connection, settings) == LEFT


def test_return(connection: Connection, settings: Settings, root: Path, archive: Archive) -> None:
    """A file that comes back after its document was removed has a document again, as new."""
    (root / "a.txt").rename(root.parent / "kept.txt")
    scan(connection, settings, archive)
    sweep(connection, settings)
    (root.parent / "kept.txt").rename(root / "a.txt")
    counts = scan(connection, settings, archive)
    assert (counts.revived, counts.documents, counts.opened) == (1, 1, 0)
    query = "select stage from documents order by document_id"
    assert [row["stage"] for row in connection.execute(query)] == ["new", "new"]


def test_while_others_scan(settings: Settings, connection: Connection, root: Path, archive: Archive) -> None:
    """A content that comes back while it is swept has a document in the end: every admitted file has one."""
    other = root.parent / "other"
    other.mkdir()
    (other / "keep.txt").write_text("Keep this")
    second = ledger.add_archive(connection, other)
    done = threading.Event()

    def sweeping() -> None:
        with database.connect(settings) as own:
            while not done.is_set():
                sweep(own, settings)

    thread = threading.Thread(target=sweeping)
    thread.start()
    try:
        for _ in range(25):
            (root / "a.txt").rename(other / "a.txt")
            scan(connection, settings, archive)
            scan(connection, settings, second)
            (other / "a.txt").rename(root / "a.txt")
            scan(connection, settings, second)
            scan(connection, settings, archive)
    finally:
        done.set()
        thread.join()
    lost = (
        "select from files left join documents using (sha256)"
        " where sha256 is not null and missing_since is null and document_id is null"
    )
    assert connection.execute(lost).fetchall() == []


def test_a_claimed_document(connection: Connection, settings: Settings, root: Path, archive: Archive) -> None:
    """A document that somebody works on goes as well: its worker finds its row gone."""
    connection.execute(
        "update documents set claimed_by = 7, claimed_until = now() + interval '1 hour',"
        " claim_token = gen_random_uuid()"
    )
    (root / "a.txt").unlink()
    scan(connection, settings, archive)
    assert sweep(connection, settings) == 1
