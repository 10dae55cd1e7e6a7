from __future__ import annotations

import hashlib
import os
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets import database
from mnemo_assets.archive import compare, hashing, ledger, rules
from mnemo_assets.pipeline import batches
from mnemo_assets.pipeline.scan import ScanCounts, scan

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.archive.ledger import Archive
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

KEEPASS = b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5" + bytes(64)
LETTER = "Ann Miller lives in Bristol."
LETTER_SHA = hashlib.sha256(LETTER.encode()).hexdigest()


def rows(connection: Connection, columns: str = "display_path, outcome, rule") -> list[tuple[Any, ...]]:
    """The rows of files, by path."""
    query = f"select {columns} from files order by archive_id, path"  # noqa: S608 - this file's own columns
    return [tuple(row.values()) for row in connection.execute(query.encode())]


def documents(connection: Connection) -> list[tuple[str, str]]:
    """Contents and their stages."""
    query = "select sha256, stage from documents order by document_id"
    return [(row["sha256"], row["stage"]) for row in connection.execute(query)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    (folder / "letters").mkdir(parents=True)
    (folder / "letters/to Ann.txt").write_text(LETTER)
    return folder


@pytest.fixture
def archive(connection: Connection, root: Path) -> Archive:
    return ledger.add_archive(connection, root)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The names of the files that are opened from here on."""
    names: list[bytes] = []
    really = hashing._open

    def counting(name: bytes, folder: int) -> int:
        names.append(name)
        return really(name, folder)

    monkeypatch.setattr(hashing, "_open", counting)
    return names


def test_traps(
    *,
    connection: Connection,
    settings: Settings,
    root: Path,
    archive: Archive,
    opened: list[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each kind of file ends in its outcome; what is not admitted has no row."""
    (root / "Passwords").mkdir()
    (root / "Passwords/tax.pdf").write_bytes(b"%PDF-1.7")
    (root / "vault.docx").write_bytes(KEEPASS)
    (root / "vault.kdbx").write_bytes(KEEPASS)
    (root / "picture.png").write_bytes(b"no document")
    (root / "empty.md").touch()
    (root / "COPY.TXT").write_text(LETTER)
    (root / "node_modules").mkdir()
    (root / "node_modules/readme.md").write_text("a package")
    (root / "link.txt").symlink_to("/etc/hostname")
    (root / "loop.html").symlink_to("loop.html")
    (root / "round").symlink_to(".")
    os.mkfifo(root / "pipe.csv")
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(root)  # the path of a socket is short
        listener.bind("socket.rtf")
    (root / os.fsdecode(b"caf\xe9.txt")).write_text("not UTF-8")
    (root / "esc\x1b[2J.txt").write_text("a terminal's trap")

    counts = scan(connection, settings, archive)

    assert rows(connection) == [
        ("COPY.TXT", "admitted", None),
        ("Passwords/tax.pdf", "excluded", "name:password"),
        ("caf\\xe9.txt", "admitted", None),
        ("empty.md", "empty", None),
        ("esc\\x1b[2J.txt", "admitted", None),
        ("letters/to Ann.txt", "admitted", None),
        ("link.txt", "symlink", None),
        ("loop.html", "symlink", None),
        ("pipe.csv", "special", None),
        ("socket.rtf", "special", None),
        ("vault.docx", "excluded", "content:keepass"),
    ]
    assert counts == ScanCounts(seen=11, opened=5, hashed=4, added=11, moved=1, documents=3)
    assert sorted(opened) == [b"COPY.TXT", b"caf\xe9.txt", b"esc\x1b[2J.txt", b"to Ann.txt", b"vault.docx"]


def test_whole_row(connection: Connection, settings: Settings, root: Path, archive: Archive) -> None:
    """A row says what the file is, and when it was first and last seen."""
    os.utime(root / "letters/to Ann.txt", ns=(0, 1_600_000_000_123_456_789))
    scan(connection, settings, archive)
    columns = (
        "path, display_path, ext, size_bytes, mtime_ns, sha256, outcome, rule, rules_version, missing_since"
    )
    assert rows(connection, columns) == [
        (
            *(b"letters/to Ann.txt", "letters/to Ann.txt", "txt", 28, 1_600_000_000_123_456_789),
            *(LETTER_SHA, "admitted", None, rules.RULES_VERSION, None),
        )
    ]
    assert documents(connection) == [(LETTER_SHA, "new")]
    (health,) = connection.execute("select outage, healthy_at, device, inode from archives").fetchall()
    assert (health["outage"], int(health["inode"])) == (None, root.stat().st_ino)
    assert health["healthy_at"] is not None


def test_unchanged(
    connection: Connection, settings: Settings, root: Path, archive: Archive, opened: list[bytes]
) -> None:
    """A second scan opens nothing and writes no row."""
    (root / "empty.md").touch()
    (root / "my passwords.txt").write_text("x")
    (root / "vault.docx").write_bytes(KEEPASS)
    (root / "link.txt").symlink_to("nowhere")
    scan(connection, settings, archive)
    before = rows(connection, "ctid::text, xmin::text, files.*")
    opened.clear()
    counts = scan(connection, settings, archive)
    assert counts == ScanCounts(seen=5)
    assert counts.quiet
    assert opened == []
    assert rows(connection, "ctid::text, xmin::text, files.*") == before


def test_changes(connection: Connection, settings: Settings, root: Path, archive: Archive) -> None:
    """An edit, a touch, a copy, a move and a deletion are what they are."""
    for name in ("edited", "touched", "moved", "deleted"):
        (root / f"{name}.txt").write_text(f"The {name} letter.")
    scan(connection, settings, archive)
    (root / "edited.txt").write_text("The EDITED letter.")
    os.utime(root / "edited.txt", ns=(5, 5))
    os.utime(root / "touched.txt", ns=(5, 5))
    (root / "copy.txt").write_text(LETTER)
    (root / "moved.txt").rename(root / "letters/moved.txt")
    (root / "deleted.txt").unlink()
    counts = scan(connection, settings, archive)
    assert counts == ScanCounts(
        seen=5, opened=4, hashed=4, added=2, changed=2, moved=2, missing=2, documents=1
    )
    assert rows(connection, "display_path, outcome, missing_since is not null") == [
        ("copy.txt", "admitted", False),
        ("deleted.txt", "admitted", True),
        ("edited.txt", "admitted", False),
        ("letters/moved.txt", "admitted", False),
        ("letters/to Ann.txt", "admitted", False),
        ("moved.txt", "admitted", True),
        ("touched.txt", "admitted", False),
    ]
    assert scan(connection, settings, archive) == ScanCounts(seen=5)


def test_return(
    connection: Connection, settings: Settings, root: Path, archive: Archive, opened: list[bytes]
) -> None:
    """A file that comes back as it was is known again without being opened."""
    scan(connection, settings, archive)
    kept = root.parent / "kept.txt"
    (root / "other.txt").write_text("something else")
    (root / "letters/to Ann.txt").rename(kept)
    assert scan(connection, settings, archive).missing == 1
    (first,) = rows(connection, "first_seen_at, last_seen_at = first_seen_at")[:1]
    kept.rename(root / "letters/to Ann.txt")
    opened.clear()
    assert scan(connection, settings, archive) == ScanCounts(seen=2, revived=1)
    assert opened == []
    assert rows(connection, "missing_since, first_seen_at")[0] == (None, first[0])


def test_last_seen(connection: Connection, settings: Settings, root: Path, archive: Archive) -> None:
    """A missing file was last seen when its archive was last healthy before."""
    (root / "other.txt").write_text("something else")
    scan(connection, settings, archive)
    scan(connection, settings, archive)
    (healthy,) = connection.execute("select healthy_at from archives").fetchall()
    (root / "other.txt").unlink()
    scan(connection, settings, archive)
    assert rows(connection, "last_seen_at")[1] == (healthy["healthy_at"],)


def test_renamed_out_of_a_rule(
    connection: Connection, settings: Settings, root: Path, archive: Archive
) -> None:
    """A file that is renamed comes in, or goes out, as its new name says."""
    (root / "Passwords").mkdir()
    (root / "Passwords/tax.txt").write_text("The tax of 2019.")
    scan(connection, settings, archive)
    (root / "Passwords").rename(root / "papers")
    (root / "letters").rename(root / "secret letters")
    scan(connection, settings, archive)
    assert rows(
        connection, "display_path, outcome, sha256 is not null as hashed, missing_since is not null"
    ) == [
        ("Passwords/tax.txt", "excluded", False, True),
        ("letters/to Ann.txt", "admitted", True, True),
        ("papers/tax.txt", "admitted", True, False),
        ("secret letters/to Ann.txt", "excluded", False, False),
    ]


def test_a_name_rule_that_changed(
    connection: Connection, settings: Settings, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Name rules are asked at every scan, also of files that did not change."""
    scan(connection, settings, archive)
    monkeypatch.setattr("mnemo_assets.archive.walk.judge_file_name", lambda _name: "name:new")
    assert scan(connection, settings, archive).changed == 1
    assert rows(connection, "outcome, rule, sha256") == [("excluded", "name:new", None)]
    monkeypatch.undo()
    assert scan(connection, settings, archive).hashed == 1
    assert rows(connection, "outcome, rule, sha256") == [("admitted", None, LETTER_SHA)]


def test_a_content_rule_that_changed(
    connection: Connection, settings: Settings, root: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed content rule is asked of every head again; what stays is not hashed again."""
    (root / "vault.docx").write_bytes(KEEPASS)
    (root / "note.txt").write_text("TOP NOTE")
    scan(connection, settings, archive)

    def new_rule(head: bytes) -> str | None:
        return "content:new" if head.startswith(b"TOP") else None

    monkeypatch.setattr(hashing, "judge_content", new_rule)
    assert scan(connection, settings, archive) == ScanCounts(seen=3)
    for module in (compare, ledger):
        monkeypatch.setattr(module, "RULES_VERSION", rules.RULES_VERSION + 1)
    assert scan(connection, settings, archive) == ScanCounts(
        seen=3, opened=3, hashed=1, changed=3, documents=1
    )
    assert rows(connection) == [
        ("letters/to Ann.txt", "admitted", None),
        ("note.txt", "excluded", "content:new"),
        ("vault.docx", "admitted", None),
    ]


def test_a_content_is_excluded_at_all_its_paths(
    connection: Connection, settings: Settings, root: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A content that a rule excludes is excluded in other archives too, also in one that is away."""
    other = root.parent / "other"
    other.mkdir()
    (other / "copy.txt").write_text(LETTER)
    away = ledger.add_archive(connection, other)
    scan(connection, settings, archive)
    scan(connection, settings, away)
    other.rename(root.parent / "unplugged")
    monkeypatch.setattr(hashing, "judge_content", lambda _head: "content:new")
    for module in (compare, ledger):
        monkeypatch.setattr(module, "RULES_VERSION", rules.RULES_VERSION + 1)
    scan(connection, settings, archive)
    assert rows(connection, "outcome, rule, sha256") == [("excluded", "content:new", None)] * 2


def test_trouble(
    connection: Connection, settings: Settings, root: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be read, or changes meanwhile, keeps what it held, and is tried at every scan."""
    scan(connection, settings, archive)
    os.utime(root / "letters/to Ann.txt", ns=(5, 5))
    really = hashing.examine
    for outcome in ("unreadable", "changing"):
        finding = hashing.Finding(outcome, None, None, 28, 5)

        def troubled(*_where: object, one: hashing.Finding = finding) -> list[hashing.Finding]:
            return [one]

        monkeypatch.setattr(batches, "examine", troubled)
        assert scan(connection, settings, archive).changed == 1
        assert scan(connection, settings, archive) == ScanCounts(seen=1, opened=1)
        assert rows(connection, "outcome, sha256, missing_since") == [(outcome, LETTER_SHA, None)]
    monkeypatch.setattr(batches, "examine", really)
    assert scan(connection, settings, archive).hashed == 1
    assert rows(connection, "outcome, sha256, mtime_ns") == [("admitted", LETTER_SHA, 5)]


def test_vanished_meanwhile(
    connection: Connection, settings: Settings, root: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that goes away between the walk and its opening leaves no trace."""
    really = hashing.examine

    def late(at: int, jobs: list[hashing.Job], stop: threading.Event) -> list[hashing.Finding]:
        (root / "letters/to Ann.txt").unlink()
        return really(at, jobs, stop)

    monkeypatch.setattr(batches, "examine", late)
    assert scan(connection, settings, archive) == ScanCounts(seen=1, opened=1)
    assert rows(connection) == []


def test_an_empty_file(connection: Connection, settings: Settings, root: Path, archive: Archive) -> None:
    """An empty file has a row and no document; with its first word it has one."""
    (root / "letters/to Ann.txt").write_text("")
    scan(connection, settings, archive)
    assert (rows(connection), documents(connection)) == ([("letters/to Ann.txt", "empty", None)], [])
    (root / "letters/to Ann.txt").write_text(LETTER)
    scan(connection, settings, archive)
    assert documents(connection) == [(LETTER_SHA, "new")]


def test_two_copies(connection: Connection, settings: Settings, bugcases: Path, root: Path) -> None:
    """Two identical files are one document with two paths, and no error."""
    for source in sorted((bugcases / "09-failed-first-try-then-duplicate").glob("copy-*.txt")):
        (root / source.name).write_bytes(source.read_bytes())
    counts = scan(connection, settings, ledger.add_archive(connection, root))
    assert (counts.documents, counts.moved) == (2, 1)
    assert len({sha for (sha,) in rows(connection, "sha256")[:2]}) == 1


def test_two_scanners(settings: Settings, connection: Connection, root: Path) -> None:
    """Scans of one archive, and of archives with the same contents, do not hurt one another."""
    for n in range(300):
        (root / f"letter {n}.txt").write_text(f"Letter {n}")
    other = root.parent / "other"
    other.mkdir()
    for n in range(299, -1, -1):
        (other / f"{300 - n}.txt").write_text(f"Letter {n}")
    archives = [ledger.add_archive(connection, folder) for folder in (root, root, other, other)]
    done: list[ScanCounts] = []

    def run(archive: Archive) -> None:
        with database.connect(settings) as own:
            done.append(scan(own, settings, archive))

    threads = [threading.Thread(target=run, args=(archive,)) for archive in archives]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(counts.added for counts in done) == [0, 0, 300, 301]
    assert sum(counts.documents for counts in done) == 301
    assert len(documents(connection)) == 301


def test_batches(
    connection: Connection, settings: Settings, root: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches, tasks and pages of any size come to the same ledger, quick disk or slow."""
    for n in range(150):
        (root / f"letter {n}.txt").write_text(f"Letter {n // 2}")
    seen = []
    for size, quick in ((1, 0.0), (7, 1000.0), (1000, 0.0)):
        monkeypatch.setattr(batches, "BATCH_FILES", size)
        monkeypatch.setattr(batches, "TASK_FILES", size)
        monkeypatch.setattr(ledger, "PAGE", size)
        monkeypatch.setattr(batches, "QUICK_SECONDS", quick)
        connection.execute("delete from files")
        connection.execute("delete from documents")
        counts = scan(connection, settings, archive)
        assert counts == ScanCounts(seen=151, opened=151, hashed=151, added=151, moved=75, documents=76)
        assert scan(connection, settings, archive) == ScanCounts(seen=151)
        seen.append(rows(connection, "display_path, sha256, outcome"))
    assert seen[0] == seen[1] == seen[2]


def test_stopped(connection: Connection, settings: Settings, root: Path, archive: Archive) -> None:
    """A scan that is stopped keeps what it found, concludes nothing, and lets the next one in."""
    scan(connection, settings, archive)
    (root / "letters/to Ann.txt").unlink()
    for n in range(500):
        (root / f"letter {n}.txt").write_text(f"Letter {n}")

    def stop(step: str, done: int, _total: int | None) -> None:
        if step == "hash" and done >= 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan(connection, settings, archive, stop)
    assert 100 <= len(documents(connection)) < 501
    assert rows(connection, "missing_since")[0] == (None,)
    with database.connect(settings) as another:
        assert scan(another, settings, archive).missing == 1
    assert len(documents(connection)) == 501


def test_progress(connection: Connection, settings: Settings, root: Path, archive: Archive) -> None:
    """Progress is told in order, and ends with the whole."""
    for n in range(200):
        (root / f"letter {n}.txt").write_text(f"Letter {n}")
    told: list[tuple[str, int, int | None]] = []
    scan(connection, settings, archive, lambda *step: told.append(step))
    hashed = [done for step, done, _ in told if step == "hash"]
    assert hashed == sorted(hashed)
    assert hashed[-1] == 201
    assert told[-1] == ("scan", 201, 201)
