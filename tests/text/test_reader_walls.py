from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mnemo_assets.settings import Settings
from mnemo_assets.text import sandbox, warmth
from tests.text import hostile_reader
from tests.text.conftest import reading_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")

Attack = Callable[[str], str]
OPEN = hostile_reader.OPEN


@pytest.fixture
def listening() -> Iterator[dict[str, str]]:
    """Attempts that succeed without walls, against sockets that listen."""
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        udp.bind(("127.0.0.1", 0))
        name = f"mnemo-test-{os.getpid()}"
        abstract.bind(f"\0{name}")
        abstract.listen()
        yield {
            "tcp": f"tcp {tcp.getsockname()[1]}",
            "udp": f"udp {udp.getsockname()[1]}",
            "abstract": f"unix @{name}",
        }


def control(attempt: str) -> str:
    """How an attempt ends without walls."""
    name, _, value = attempt.partition(" ")
    return hostile_reader.attempt(name, value)


def elsewhere(module: str) -> sandbox.Sandbox:
    """A sandbox on a system that lacks walls."""
    return sandbox.Sandbox(Settings(home=Path("/nowhere")), module=module, code=(Path(__file__).parent,))


def test_no_network_is_reached(attack: Attack, listening: dict[str, str]) -> None:
    """Neither TCP nor UDP nor an abstract socket, though all of them listen on this machine."""
    assert {kind: control(attempt) for kind, attempt in listening.items()} == dict.fromkeys(listening, OPEN)
    assert {kind: attack(attempt) for kind, attempt in listening.items()} == dict.fromkeys(
        listening, "PermissionError"
    )


def test_the_database_is_not_reached(attack: Attack, shared_socket: Path) -> None:
    """A network namespace alone still reaches Postgres by the path of its socket, as its owner."""
    attempt = f"unix {shared_socket / '.s.PGSQL.5432'}"
    assert control(attempt) == OPEN
    assert attack(attempt) == "PermissionError"


@pytest.mark.parametrize("attempt", ["pair", "listen", "ring"])
def test_no_socket_of_any_kind_is_made(attack: Attack, attempt: str) -> None:
    """Not even one that goes nowhere, nor a ring of calls that would go around the filter."""
    assert attack(attempt) in {"PermissionError", "OSError"}


def test_no_name_is_asked_for(attack: Attack) -> None:
    """A question to a name server would carry text out of the machine."""
    assert attack("names") == "gaierror"


@pytest.mark.parametrize("attempt", ["fork", "thread", "program", "namespace", "shared_memory", "outlive"])
def test_nothing_is_started_or_escaped(attack: Attack, attempt: str) -> None:
    """No process, no thread, no program, no namespace, no memory that others see, no life after mnemo."""
    assert attack(attempt) in {"PermissionError", "RuntimeError"}


def test_no_other_process_is_touched(attack: Attack) -> None:
    """Not its parent, nor any other: no signal, no trace, no limits, no signals by way of a descriptor."""
    for attempt in ("signal", "trace", "limits_of", "own_signals"):
        assert attack(f"{attempt} {os.getpid()}") == "PermissionError"
    assert attack("own_limits") == "ValueError"  # what Python makes of EPERM here


def test_no_file_is_read_but_its_own(attack: Attack, tmp_path: Path) -> None:
    """Neither MNEMO_HOME, nor the archive, nor the system's: what a reader needs is open already."""
    secret = tmp_path / "home" / "text"
    secret.parent.mkdir()
    secret.write_text("words")
    for attempt in (
        f"read {secret}",
        "read /etc/passwd",
        f"list {tmp_path}",
        "list /",
        "read /proc/self/environ",
    ):
        assert control(attempt) == OPEN
        assert attack(attempt) == "PermissionError"


def test_code_can_still_be_read(attack: Attack) -> None:
    """Modules that are imported late are not kept out."""
    assert attack(f"read {os.__file__}") == OPEN


def test_nothing_is_written(attack: Attack, tmp_path: Path) -> None:
    """No file is made, changed or removed, and the document keeps its mode and times."""
    kept = tmp_path / "kept"
    kept.write_text("words")
    for attempt in (
        f"write {kept}",
        f"write {tmp_path / 'new'}",
        f"remove {kept}",
        "change_mode",
        "change_times",
        "lock",
    ):
        assert attack(attempt) == "PermissionError"
    assert kept.read_text() == "words"


def test_nothing_is_inherited(attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither mnemo's environment nor its open files are there."""
    monkeypatch.setenv("MNEMO_SECRET", "x")
    assert attack("environment") == "OSError"
    assert attack("descriptors") == "OSError"


def test_the_walls_in_force_are_known() -> None:
    """Each wall says whether it stands here, and why not; on this system at least those of the kernel do."""
    walls = {wall.name: wall for wall in sandbox.walls()}
    assert len(walls) == 7
    assert walls["sockets, processes and other system calls"].in_force
    assert all(wall.in_force == (wall.why_not is None) for wall in walls.values())


def test_a_kernel_without_a_wall_around_files_opens_none(tmp_path: Path) -> None:
    """Where nothing says which files are code, no file can be opened at all, and every kind is still read."""
    with elsewhere("reader_on_old_linux") as sandbox:
        read = reading_of(sandbox, tmp_path)
        lacking = [wall.name for wall in sandbox.walls() if not wall.in_force]
        assert read(f"read {os.__file__}".encode(), "txt").text == "PermissionError"
        texts = [read(data, ext).text for ext, data in warmth.samples()]
    assert lacking == ["files other than its own"]
    assert all(texts)


def test_a_system_without_these_walls_says_so_and_reads(tmp_path: Path) -> None:
    """Where the kernel is another one, each wall that is lacking is named with its reason."""
    with elsewhere("reader_elsewhere") as sandbox:
        read = reading_of(sandbox, tmp_path)
        lacking = {wall.name: wall.why_not for wall in sandbox.walls() if not wall.in_force}
        texts = [read(data, ext).text for ext, data in warmth.samples()]
    assert len(lacking) >= 5
    assert set(lacking.values()) <= {"ENOSYS", "ENOTSUP", "EOPNOTSUPP"}
    assert all(texts)
