"""MNEMO_PASSWORD_COMMAND: run when a password is asked for, without a shell, within bounds."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pydantic import SecretStr

from mnemo_assets import database, secret
from mnemo_assets.database import password
from mnemo_assets.errors import PasswordError, ServerRefusedError, SettingsError
from tests.upped import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.settings import Settings
    from tests.second_server import Graph

CANARY = "Xanthippe"


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known from an earlier test."""
    monkeypatch.setattr(password, "_known", {})


def program(code: str, *words: str) -> SecretStr:
    return SecretStr(shlex.join([sys.executable, "-c", code, *words]))


@pytest.fixture
def counted(own: Graph, tmp_path: Path) -> tuple[Settings, Callable[[], int], Path]:
    """Settings whose command counts its runs and prints what stands in a file; the count; the file."""
    runs, secret = tmp_path / "runs", tmp_path / "secret"
    secret.write_text(own.password + "\n")
    runs.write_text("")
    code = "import sys; open(sys.argv[1], 'a').write('x'); print(open(sys.argv[2]).read(), end='')"
    settings = own.settings(
        tmp_path / "home",
        dsn=SecretStr(own.dsn(password=False)),
        password_command=program(code, str(runs), str(secret)),
    )
    return settings, lambda: len(runs.read_text()), secret


def test_it_is_run_once_and_only_when_asked_for(
    counted: tuple[Settings, Callable[[], int], Path], own: Graph
) -> None:
    """The first connection runs it, others of the process do not; the reader's, with its own, never do."""
    settings, runs, _ = counted
    for _ in range(3):
        database.connect(settings).close()
    assert runs() == 1
    password._known.clear()
    for _ in range(3):
        database.connect(settings, role="reader").close()
    assert runs() == 1
    database.connect(
        settings.model_copy(update={"dsn": SecretStr(own.dsn())})
    ).close()  # it holds the password
    assert runs() == 1


def test_a_new_password_is_asked_for(counted: tuple[Settings, Callable[[], int], Path], own: Graph) -> None:
    """When the server refuses what was good before, the command is asked again, and once."""
    settings, runs, secret = counted
    database.connect(settings).close()
    with own.chief() as chief:
        chief.execute(f"alter role {own.user} password 'an other one'".encode())
    with pytest.raises(ServerRefusedError, match="user or the password"):
        database.connect(settings)
    assert runs() == 2
    secret.write_text("an other one\r\n")
    database.connect(settings).close()
    assert runs() == 3


def test_dagsters_url_gets_it_by_a_file(
    counted: tuple[Settings, Callable[[], int], Path], own: Graph
) -> None:
    """The URL that children are given holds the name of a file, and no part of the password."""
    url = database.dagster_url(counted[0])
    assert own.password.split()[-1] not in url
    assert "dagster.pgpass" in url


@pytest.mark.parametrize(
    ("code", "match"),
    [
        (f"import sys; print('{CANARY}'); print('{CANARY}', file=sys.stderr); sys.exit(7)", "exit code 7"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "exit code -9"),
        ("", "printed nothing"),
        ("print()", "printed nothing"),
        (f"print('{CANARY}\\n{CANARY}')", "more than one line"),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", "not UTF-8"),
        ("while True: print('x' * 1000)", "more than 4096 bytes"),
        ("print(input())", "exit code 1"),
    ],
)
def test_a_command_that_fails_says_how(code: str, match: str) -> None:
    """Its exit code, or what is wrong with what it printed; nothing that it printed is shown."""
    with pytest.raises(PasswordError, match=match) as raised:
        password.ask(program(code))
    assert CANARY not in str(raised.value)


def test_it_ends_in_time_with_all_that_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that hangs is ended, and so is a child that holds its output open."""
    monkeypatch.setattr(secret, "SECONDS", 0.5)
    code = (
        "import subprocess, sys, time; child = subprocess.Popen(['sleep', '1000'])\n"
        "open(sys.argv[1], 'w').write(str(child.pid)); time.sleep(1000)"
    )
    pid = tmp_path / "pid"
    monkeypatch.setattr(secret, "SECONDS", 3.0)
    with pytest.raises(PasswordError, match="within 3 seconds"):
        password.ask(program(code, str(pid)))
    until(lambda: _has_ended(int(pid.read_text())), "the child has ended")


def _has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize("value", ["", "  ", "'canary", '"canary'])
def test_what_is_no_command_line_is_refused(value: str) -> None:
    """An open quote or nothing at all is a setting's fault, whose value is not repeated."""
    with pytest.raises(SettingsError) as raised:
        password.ask(SecretStr(value))
    assert "canary" not in str(raised.value)


def test_a_program_that_is_not_there_is_not_named() -> None:
    """The message says that it cannot be run, and why."""
    with pytest.raises(PasswordError, match="cannot be run: No such file or directory") as raised:
        password.ask(SecretStr(f"/nowhere/{CANARY}"))
    assert CANARY not in str(raised.value)


def test_no_shell_takes_part(tmp_path: Path) -> None:
    """What a shell would act on is an argument like any other."""
    code = "import sys; print(sys.argv[1])"
    word = f"$(touch {tmp_path}/made); `id` | cat > x && $HOME"
    assert password.ask(program(code, word)) == word
    assert list(tmp_path.iterdir()) == []
