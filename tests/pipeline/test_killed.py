"""kill -9 at any moment: the next run ends in the same graph."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mnemo_assets import postgres

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Does what `mnemo sync` does; dies by kill -9 before or after its n-th statement, where n is not 0.
SYNC = """
import os, signal, sys
from pathlib import Path
import psycopg
from mnemo_assets import database, settings
from mnemo_assets.archive import ledger
from mnemo_assets.pipeline import mine, read, scan
from mnemo_assets.serve import status

deadly, after = int(sys.argv[2]), sys.argv[3] == "after"
statements = 0
execute = psycopg.Connection.execute

def counting(self, *values, **options):
    global statements
    statements += 1
    if statements == deadly and not after:
        os.kill(os.getpid(), signal.SIGKILL)
    done = execute(self, *values, **options)
    if statements == deadly:
        os.kill(os.getpid(), signal.SIGKILL)
    return done

chosen = settings.load(dotenv=None)
with database.connect(chosen) as connection:
    psycopg.Connection.execute = counting
    archive = ledger.add_archive(connection, Path(sys.argv[1]))
    scan.scan(connection, chosen, archive)
    scan.sweep(connection, chosen)
    read.read(connection, chosen)
    mine.mine(connection, chosen)
    psycopg.Connection.execute = execute
with database.connect(chosen, role="reader") as connection:
    found = status.status(connection)
counts = (found.entities, found.mentions, found.relations)
print(statements, found.documents, found.errors, counts, found.digest)
"""


def sync(folder: Path, deadly: int = 0, when: str = "before") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SYNC, str(folder), str(deadly), when],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.txt").write_text(
            f"Dear Ada Lovelace,\n\non {number + 1} October 2020 Acme Ltd paid invoice {number}. Bo Diddley "
            f"works for Acme Ltd.\n\nYours sincerely,\nCharles Babbage\n"
        )
    (folder / "blank.txt").write_text("   ")
    (folder / "long.md").write_text(
        "\n\n".join(f"On {n % 28 + 1} May 1990 Zeta GmbH rose. " * 9 for n in range(60))
    )
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    return folder


@pytest.fixture
def other_home(home: Path) -> Iterator[Path]:
    """A second home; its server is stopped, too."""
    folder = home.with_name(f"{home.name}-b")
    try:
        yield folder
    finally:
        postgres.stop(folder)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.usefixtures("home")
def test_kill_9_at_any_moment(other_home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sync that is killed again and again, at any statement, ends in the graph of one that is not."""
    monkeypatch.setenv("MNEMO_EXTRACTOR", "patterns")
    monkeypatch.setenv("MNEMO_WORKERS", "2")
    whole = sync(folder)
    assert whole.returncode == 0, whole.stderr
    statements, _, expected = whole.stdout.partition(" ")
    assert "'graphed': 13" in expected
    monkeypatch.setenv("MNEMO_HOME", str(other_home))
    chance = random.Random(16)
    deaths = 0
    for when in ["before", "after"] * 4:
        killed = sync(folder, chance.randrange(5, int(statements) // 4), when)
        assert killed.returncode in {-signal.SIGKILL, 0}, killed.stderr
        deaths += killed.returncode == -signal.SIGKILL
    assert deaths >= 4
    ended = sync(folder)
    assert ended.stdout.partition(" ")[2] == expected, ended.stderr
