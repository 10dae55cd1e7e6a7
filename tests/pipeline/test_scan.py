"""The scan as a whole: what the ledger says after it."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets.archive import ledger
from mnemo_assets.pipeline.scan import ScanCounts, scan, sweep

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.archive.ledger import Archive
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

KEEPASS = b"\x03\xd9\xa2\x9a\x67\xfb\x4b\xb5" + bytes(64)
ANN = "9dc29add8fcd22a05ab4d3a7b3c1f9a0"


def rows(connection: Connection, columns: str = "display_path, outcome, rule") -> list[tuple[Any, ...]]:
    """The rows of files, by path."""
    found = connection.execute(f"select {columns} from files order by path".encode())  # noqa: S608 - this file's own
    return [tuple(row.values()) for row in found]


def stages(connection: Connection) -> list[str]:
    return [row["stage"] for row in connection.execute("select stage from documents order by document_id")]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "letter.txt").write_text("Ann Miller lives in Bristol.")
    return folder


@pytest.fixture
def archive(connection: Connection, root: Path) -> Archive:
    return ledger.add_archive(connection, root)


def test_traps(
    connection: Connection, settings: Settings, root: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each kind of file ends in its outcome, and what is not admitted has no row."""
    (root / "Passwords").mkdir()
    (root / "Passwords/tax.pdf").write_bytes(b"%PDF-1.7")
    (root / "vault.docx").write_bytes(KEEPASS)
    (root / "vault.kdbx").write_bytes(KEEPASS)
    (root / "picture.png").write_bytes(b"no document")
    (root / "empty.md").touch()
    (root / "COPY.TXT").write_text("Ann Miller lives in Bristol.")
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
        ("letter.txt", "admitted", None),
        ("link.txt", "symlink", None),
        ("loop.html", "symlink", None),
        ("pipe.csv", "special", None),
        ("socket.rtf", "special", None),
        ("vault.docx", "excluded", "content:keepass"),
    ]
    assert counts == ScanCounts(seen=11, opened=5, hashed=4, added=11, moved=1, documents=3)
    assert stages(connection) == ["new", "new", "new"]
    assert scan(connection, settings, archive) == ScanCounts(seen=11)
    assert sweep(connection, settings) == 0
