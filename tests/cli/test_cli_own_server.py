"""The command line, as programs, with a server of the owner's own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.second_server import Graph

MNEMO = [sys.executable, "-m", "mnemo_assets.cli"]


@pytest.fixture
def secret_file(own: Graph, tmp_path: Path) -> Path:
    """Holds the password, and says in a second file what was running when it was read."""
    (tmp_path / "secret").write_text(own.password + "\n")
    return tmp_path / "secret"


@pytest.fixture
def environment(own: Graph, tmp_path: Path, secret_file: Path) -> dict[str, str]:
    return {
        **os.environ,
        "MNEMO_HOME": str(tmp_path / "home"),
        "MNEMO_EXTRACTOR": "patterns",
        "MNEMO_WORKERS": "2",
        "MNEMO_DSN": own.dsn(password=False),
        "MNEMO_PASSWORD_COMMAND": shlex.join(["cat", str(secret_file)]),
    }


def run(environment: dict[str, str], *words: str) -> tuple[int, Any, str]:
    """The exit code, the object in the last line, and what was said beside it."""
    ended = subprocess.run(
        [*MNEMO, *words, "--json"], env=environment, capture_output=True, text=True, check=False
    )
    return ended.returncode, json.loads(ended.stdout.splitlines()[-1]), ended.stderr


def test_every_command_gets_the_password(
    environment: dict[str, str], papers: Path, own: Graph, secret_file: Path
) -> None:
    """sync, status and search work with MNEMO_PASSWORD_COMMAND; the password is written nowhere."""
    code, said, err = run(environment, "sync", str(papers))
    assert (code, said["documents"]["graphed"]) == (5, 2), err
    code, found, err = run(environment, "search", "Birch")
    assert (code, found["entities"][0]["name"]) == (0, "Birch Tools Ltd"), err
    home = Path(environment["MNEMO_HOME"])
    assert not (home / "postgres").exists()
    secret_file.write_text("no more\n")
    assert run(environment, "status")[0] == 0, "the reader has a password of its own"
    code, said, err = run(environment, "sync", str(papers))
    assert (code, said["error"]) == (1, "ServerRefusedError")
    for text in (err, json.dumps(said), *(path.read_text() for path in home.rglob("*") if path.is_file())):
        assert own.password not in text
        assert "no more" not in text
    assert own.password not in own.server.said()


def test_a_command_that_fails_says_so(environment: dict[str, str]) -> None:
    """The exit code of the password's command is said, and not what it printed."""
    environment["MNEMO_PASSWORD_COMMAND"] = "sh -c 'echo canary; echo canary >&2; exit 3'"  # noqa: S105 - the canary
    code, said, err = run(environment, "status")
    assert (code, said["error"]) == (1, "PasswordError")
    assert "exit code 3" in said["message"]
    assert "canary" not in err + json.dumps(said)


def test_a_sync_outlives_its_session(environment: dict[str, str], own: Graph, tmp_path: Path) -> None:
    """The server ends the session of a sync in its middle: the sync goes on, and says so."""
    papers = tmp_path / "many"
    papers.mkdir()
    for number in range(40):
        (papers / f"{number}.txt").write_text(f"Eva Lind paid invoice {number} to Birch Tools Ltd.\n")
    (papers / "broken.pdf").write_bytes(b"%PDF-1.7\n\x00\xff")
    with (
        own.chief() as chief,
        subprocess.Popen(
            [*MNEMO, "sync", str(papers), "--json"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as sync,
    ):
        while not _ended(chief, own):
            assert sync.poll() is None, sync.communicate()
        out, err = sync.communicate(timeout=120)
    assert sync.returncode == 5, err
    assert err.startswith("The connection to the database broke off. Connecting again.\n")
    said = json.loads(out.splitlines()[-1])
    assert {name: n for name, n in said["documents"].items() if n} == {"graphed": 40, "failed": 1}
    assert (said["did"]["read"], said["did"]["mined"]) == (41, 40)


def _ended(chief: Any, own: Graph) -> bool:
    """End the sync's session once some of its documents have their text."""
    with chief.transaction():
        if chief.execute("select to_regclass('mnemo.documents') is null").fetchone()[0]:
            return False
        waiting = "select count(*) filter (where stage <> 'new') between 3 and 30 from mnemo.documents"
        if not chief.execute(waiting).fetchone()[0]:
            return False
        query = "select pg_terminate_backend(pid) from pg_stat_activity where usename = %s and datname = %s"
        return bool(chief.execute(query, [own.user, own.name]).fetchall())
