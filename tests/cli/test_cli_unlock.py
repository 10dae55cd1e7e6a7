from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.text.invented_documents import mupdf, pdf

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    from mnemo_assets.settings import Settings
    from tests.cli.conftest import Ended

    Run = Callable[..., Ended]

#: A password that is looked for where it must not be.
CANARY = "canary-7d21b9"


@pytest.fixture
def locked(papers: Path) -> Path:
    """The tiny archive with two documents behind passwords."""
    for name, password in (("report", CANARY), ("other", "nobody knows")):
        (papers / f"{name}.pdf").write_bytes(
            pdf(
                f"Eva Lind wrote the {name} for Birch Tools Ltd.",
                encryption=mupdf.PDF_ENCRYPT_AES_256,
                owner_pw="o",
                user_pw=password,
            )
        )
    return papers


@pytest.fixture
def passwords(tmp_path: Path) -> Path:
    path = tmp_path / "list.txt"
    path.write_text(f"wrong\n{CANARY}\n")
    path.chmod(0o600)
    return path


def test_unlock_opens_what_a_password_fits(run: Run, locked: Path, passwords: Path) -> None:
    """And mines it; the others stay locked, which is no new failure."""
    before = run("sync", locked, "--json").said
    assert before["errors"] == {"Corrupt": 1, "Encrypted": 2}
    ended = run("unlock", "--passwords", passwords, "--json")
    assert ended.code == 0
    assert ended.said["errors"] == {"Corrupt": 1, "Encrypted": 1}
    assert (ended.said["did"]["opened"], ended.said["did"]["locked"]) == (1, 1)
    assert ended.said["documents"]["graphed"] == before["documents"]["graphed"] + 1
    assert run("sync", "--json").said["did"]["read"] == 0


def test_unlock_takes_a_choice(run: Run, locked: Path, passwords: Path) -> None:
    """By the beginnings of sha256s; one that there is not is a wrong call."""
    run("sync", locked)
    sha = hashlib.sha256((locked / "other.pdf").read_bytes()).hexdigest()
    ended = run("unlock", "--passwords", passwords, sha[:12], "--json")
    assert (ended.said["did"]["opened"], ended.said["did"]["locked"]) == (0, 1)
    assert "0 documents opened, 1 stay locked." in run("unlock", "--passwords", passwords, sha).out
    assert run("unlock", "--passwords", passwords, "ffffffffffff").code == 2
    assert run("unlock", "--passwords", passwords, "?").code == 2


def test_unlock_refuses_what_others_can_read(run: Run, locked: Path, passwords: Path) -> None:
    """Before anything else, with what to type."""
    run("sync", locked)
    passwords.chmod(0o644)
    ended = run("unlock", "--passwords", passwords)
    assert ended.code == 2
    assert f"chmod 600 '{passwords}'" in ended.err
    assert CANARY not in ended.out + ended.err


def test_failures_name_the_command(run: Run, locked: Path) -> None:
    """Whoever sees that a document is locked sees what opens it."""
    run("sync", locked)
    assert "mnemo unlock" in run("failures").out


def test_a_password_stays_where_it_was(
    run: Run, locked: Path, passwords: Path, settings: Settings, admin: psycopg.Connection
) -> None:
    """Neither the output, nor mnemo's folder, nor the database's files hold it, whether it fits or not."""
    run("sync", locked)
    ended = run("unlock", "--passwords", passwords)
    assert CANARY not in ended.out + ended.err
    admin.execute("checkpoint")
    (database,) = (Path(row[0]) for row in admin.execute("show data_directory"))
    held = [path for folder in (settings.home, database) for path in folder.rglob("*") if path.is_file()]
    assert len(held) > 100
    assert [path for path in held if CANARY.encode() in path.read_bytes()] == []
