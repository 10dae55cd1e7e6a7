from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from mnemo_assets.pipeline import mine
from mnemo_assets.serve import entities, status

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.settings import Settings
    from tests.cli.conftest import Ended

    Run = Callable[..., Ended]

SAMPLE = Path(__file__).parents[1] / "archive"
MNEMO = [sys.executable, "-m", "mnemo_assets.cli"]


def test_a_wrong_call_is_one_line(run: Run) -> None:
    """An unknown command or option ends with code 2, in words and as an object."""
    for wrong in (["fetch"], ["status", "--loud"], ["search"], ["search", "x", "--limit", "0"]):
        ended = run(*wrong, "--json")
        assert ended.code == 2
        assert ended.said["error"] == "UsageError"
        assert ended.err.count("\n") == 1


def test_a_wrong_setting_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistyped or malformed setting is refused by its name, and its value is not repeated."""
    monkeypatch.setenv("MNEMO_WORKRES", "hidden")
    assert (run("status").code, run("status", "--json").said["error"]) == (2, "SettingsError")
    monkeypatch.delenv("MNEMO_WORKRES")
    monkeypatch.setenv("MNEMO_WORKERS", "hidden")
    ended = run("status")
    assert ended.code == 2
    assert ended.err.startswith("SettingsError: Malformed setting MNEMO_WORKERS.")
    assert "hidden" not in ended.err


def test_a_fault_does_not_tell_what_documents_say(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected exception is its class and the project's own lines; its words stay inside."""

    def fail(*_arguments: object) -> None:
        raise ValueError("Eva Lind owes 500 pounds")

    monkeypatch.setattr(status, "status", fail)
    ended = run("status", "--json")
    assert ended.code == 1
    assert ended.said["error"] == "ValueError"
    assert "mnemo_assets/cli/ask.py:" in ended.err
    assert "Lind" not in ended.err + ended.out


def test_an_interruption_is_code_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends with the shell's code and without a traceback."""

    def interrupt(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(entities, "search_entities", interrupt)
    ended = run("search", "anybody", "--json")
    assert ended.code == 130
    assert ended.said["error"] == "Interrupted"
    assert ended.err.count("\n") == 1


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    """`mnemo text | head` ends quietly."""
    (tmp_path / "long.txt").write_text("one line of many\n" * 200_000)
    command = subprocess.Popen(
        [*MNEMO, "text", tmp_path / "long.txt"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout is not None
    assert command.stderr is not None
    with command:
        assert command.stdout.read(4) == b"one "
        command.stdout.close()
        assert command.stderr.read() == b""
    assert command.returncode == 141


def test_output_is_utf8_whatever_the_locale_says() -> None:
    """An ASCII locale neither fails nor loses a letter."""
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [*MNEMO, "text", str(SAMPLE / "letters" / "lettre de Lyon.txt")]
    done = subprocess.run(command, capture_output=True, check=True, env=environment)
    assert "Chère Clara,\n\nmerci" in done.stdout.decode()


def test_what_is_made_is_for_the_owner_alone(run: Run, papers: Path, settings: Settings) -> None:
    """No file or folder of the home gives a right to anybody else, whatever the umask was."""
    os.umask(0)
    run("sync", papers)
    made = [settings.home, *settings.home.rglob("*")]
    assert any(path.is_file() for path in made)
    assert [path for path in made if stat.S_IMODE(path.lstat().st_mode) & 0o077] == []


def test_help_teaches(run: Run) -> None:
    """`mnemo`, `--help`, `-h` and each command's help end well, and show what to type."""
    assert run().out == run("--help").out == run("-h").out
    assert "mnemo sync ~/Documents" in run().out
    assert "mnemo dossier 'Ann Miller'" in run("dossier", "--help").out


def loaded(*arguments: str) -> set[str]:
    """The modules a command has loaded when it has ended."""
    code = "import sys, json; from mnemo_assets.cli import mnemo, outcome; outcome.run(mnemo, sys.argv[1:]);"
    code += "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


HEAVY = {"pymupdf", "spacy", "mcp", "lxml", "selectolax", "numpy", "tqdm"}


def test_help_loads_next_to_nothing() -> None:
    """`mnemo --help` needs neither the database nor pydantic."""
    assert loaded("--help") & (HEAVY | {"psycopg", "pydantic"}) == set()


def test_status_loads_no_reader_and_no_model(home: Path) -> None:
    """`mnemo status` answers in the time of its query: nothing that reads or mines is loaded."""
    modules = loaded("status")
    assert home.is_dir()
    assert "psycopg" in modules
    assert modules & HEAVY == set()


def test_down_stops_the_server(home: Path) -> None:
    """What a command started, `down` stops, and a second one finds nothing to stop."""
    subprocess.run([*MNEMO, "status", "--json"], check=True, capture_output=True)
    assert home.is_dir()
    stopped = [subprocess.run([*MNEMO, "down", "--json"], check=True, capture_output=True) for _ in range(2)]
    assert [json.loads(done.stdout) for done in stopped] == [{"stopped": True}, {"stopped": False}]


def test_a_disk_that_is_full_is_no_fault_of_ours(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk, ours or the database's, ends in one line that says what to do, and not in a fault."""

    def fail(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "Eva Lind", "Eva Lind")

    monkeypatch.setattr(status, "status", fail)
    ended = run("status", "--json")
    assert (ended.code, ended.said["error"]) == (1, "DiskError")
    assert "A disk is full." in ended.err
    assert "fault" not in ended.err
    assert "Lind" not in ended.err + ended.out


def test_a_database_that_fails_is_no_fault_of_ours(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database's own failures are errors of ours, in a question as in a sync."""

    def fail(*_arguments: object, **_options: object) -> None:
        raise psycopg.errors.DiskFull("Eva Lind")

    monkeypatch.setattr(entities, "search_entities", fail)
    ended = run("search", "anybody", "--json")
    assert (ended.code, ended.said["error"]) == (1, "DiskError")
    monkeypatch.setattr(mine, "activate", fail)
    ended = run("extractor", "activate", "patterns", "--json")
    assert (ended.code, ended.said["error"]) == (1, "DiskError")
    assert "Lind" not in ended.err + ended.out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_output_to_a_full_disk_is_no_fault_of_ours(tmp_path: Path) -> None:
    """A redirection to a disk that is full ends in one line, however much was printed."""
    for size in (10, 200_000):
        (tmp_path / "long.txt").write_text("one line of many\n" * size)
        with Path("/dev/full").open("wb") as full:
            ended = subprocess.run(
                [*MNEMO, "text", tmp_path / "long.txt"], stdout=full, stderr=subprocess.PIPE, check=False
            )
        assert ended.returncode == 1
        assert ended.stderr.startswith(b"DiskError: A disk is full.")
        assert ended.stderr.count(b"\n") == 1
