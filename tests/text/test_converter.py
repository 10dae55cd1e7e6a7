from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mnemo_assets.errors import ErrorClass, MnemoError, ReadingError
from mnemo_assets.text import converter, scratch
from tests.text import hostile_reader
from tests.text.fake_office import office
from tests.text.test_reader_walls import control
from tests.text.test_sandbox import ended, first_child

linux = pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")
#: Tries what stands in the document, a line each, and makes a result of how it ended.
ATTEMPTS = """\
import json
from tests.text.hostile_reader import attempt
tries = document.read_text().splitlines()
write(json.dumps([attempt(*line.partition(" ")[::2]) for line in tries]).encode())
"""
#: What the walls around a program let it do, unlike a reader.
WITHOUT_SECCOMP = (
    "import sys; sys.path.append(sys.argv[2]); import mnemo_assets.text.launch as launch; "
    "launch.raise_all = lambda launch: []; launch.main()"
)


def converted(folder: Path, lines: str, document: bytes = b"x", *, seconds: int = 20) -> bytes:
    """What a program of these lines makes of a document."""
    with office(folder, lines, seconds=seconds).converted(document, "doc") as result:
        return os.read(result, 1 << 20)


def refusal(folder: Path, lines: str, *, seconds: int = 20) -> tuple[ErrorClass, str]:
    found = how_it_ended(office(folder, lines, seconds=seconds))
    assert list((folder / "scratch").iterdir()) == []
    return found


def how_it_ended(program: converter.Converter) -> tuple[ErrorClass, str]:
    with pytest.raises(ReadingError) as refused, program.converted(b"x", "doc"):
        pass
    return refused.value.error_class, refused.value.detail


def tried(folder: Path, *attempts: str) -> list[str]:
    """How each attempt ended behind the walls."""
    found: list[str] = json.loads(converted(folder, ATTEMPTS, "\n".join(attempts).encode()))
    return found


def test_a_document_is_converted(tmp_path: Path) -> None:
    """The program gets a copy and leaves a result; of both nothing stays."""
    assert converted(tmp_path, "write(document.read_bytes().upper())", b"words") == b"WORDS"
    (tmp_path / "file").write_bytes(b"words of a file")
    with (
        (tmp_path / "file").open("rb") as file,
        office(tmp_path, "write(document.read_bytes().upper())").converted(file.fileno(), "doc") as result,
    ):
        assert os.read(result, 100) == b"WORDS OF A FILE"
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_program_may_ask_to_be_started_again(tmp_path: Path) -> None:
    """LibreOffice ends like that when it has made its profile; once more is enough."""
    lines = """
if pathlib.Path("made").exists():
    write(b"second")
else:
    pathlib.Path("made").touch()
    sys.exit(81)
"""
    assert converted(tmp_path, lines) == b"second"
    assert refusal(tmp_path, "sys.exit(81)") == (ErrorClass.READER_CRASHED, "converter: exit 81")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("", (ErrorClass.CORRUPT, "converter: no result")),
        ("sys.exit(1)", (ErrorClass.READER_CRASHED, "converter: exit 1")),
        ("os.abort()", (ErrorClass.READER_CRASHED, "converter: signal 6")),
        ("os.mkdir('document.docx')", (ErrorClass.READER_CRASHED, "converter: no file")),
    ],
)
def test_what_comes_to_nothing_has_a_class(
    tmp_path: Path, lines: str, expected: tuple[ErrorClass, str]
) -> None:
    """That the program ends well is no sign: its result is looked at."""
    assert refusal(tmp_path, lines) == expected


@pytest.mark.parametrize(
    "lines", ["os.symlink('/etc/passwd', 'document.docx')", "os.mkfifo('document.docx')"]
)
def test_a_result_that_is_no_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: str
) -> None:
    """Not made behind the walls, and not followed or waited for where there are none."""
    monkeypatch.setattr(converter, "_BOOT", WITHOUT_SECCOMP)
    assert refusal(tmp_path, lines) == (ErrorClass.READER_CRASHED, "converter: no file")


def test_a_program_that_hangs_is_ended(tmp_path: Path) -> None:
    """By the clock, and by the processor's."""
    assert refusal(tmp_path, "time.sleep(60)", seconds=1) == (ErrorClass.TIMED_OUT, "converter: clock")
    assert refusal(tmp_path, "signal.raise_signal(signal.SIGXCPU)") == (
        ErrorClass.TIMED_OUT,
        "converter: processor",
    )


def test_memory_is_bounded(tmp_path: Path) -> None:
    """It gets no more than it may have."""
    lines = "try: bytearray(3 << 30)\nexcept MemoryError: write(b'refused')"
    assert converted(tmp_path, lines) == b"refused"


@linux
def test_the_memory_of_mnemo_is_not_that_of_the_program(tmp_path: Path) -> None:
    """The kernel counts what whoever starts a program has had: that does not make its end one of memory."""
    bytearray(400 << 20)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0.8 * 1024 * 400
    greedy = "held = bytearray(350 << 20); time.sleep(0.5); sys.exit(1)"
    ends = [how_it_ended(office(tmp_path, lines, memory_mb=400)) for lines in ("sys.exit(1)", greedy)]
    assert ends == [
        (ErrorClass.READER_CRASHED, "converter: exit 1"),
        (ErrorClass.READER_MEMORY, "converter"),
    ]


def test_a_bomb_of_output_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many bytes, many files, folders without end, one large file: none fills the disk."""
    monkeypatch.setattr(converter, "_SCRATCH_BYTES", 2 << 20)
    endless = "while True: open('more', 'ab').write(bytes(1 << 16)); time.sleep(0.005)"
    assert refusal(tmp_path, endless) == (ErrorClass.TOO_LARGE, "converter: scratch")
    nested = "while True:\n  os.mkdir('d'); os.chdir('d')\n  time.sleep(0.0001)"
    assert refusal(tmp_path, nested) == (ErrorClass.TOO_LARGE, "converter: scratch")
    monkeypatch.setattr(converter, "FILE_MB", 1)
    whole = "signal.signal(signal.SIGXFSZ, signal.SIG_DFL); write(bytes(5 << 20))"
    assert refusal(tmp_path, whole)[0] is ErrorClass.TOO_LARGE


def test_a_document_that_is_too_large_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy is bounded, too."""
    monkeypatch.setattr(converter, "FILE_MB", 0)
    assert refusal(tmp_path, "write(b'x')") == (ErrorClass.TOO_LARGE, "converter: document")


@linux
def test_nothing_is_left_of_what_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the walls it starts no process; where they are lacking, the whole group is ended with it."""
    assert tried(tmp_path, "fork", "thread") == ["PermissionError", hostile_reader.OPEN]
    monkeypatch.setattr(converter, "_BOOT", WITHOUT_SECCOMP)
    lines = "child = os.fork()\nif child == 0: time.sleep(600)\nwrite(str(child).encode())"
    grandchild = int(converted(tmp_path, lines))
    assert (
        not Path(f"/proc/{grandchild}/cmdline").exists()
        or not Path(f"/proc/{grandchild}/cmdline").read_bytes()
    )


@linux
def test_no_socket_reaches_anything(tmp_path: Path, shared_socket: Path) -> None:
    """Neither the network, nor an abstract socket, nor the live database by its path."""
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        udp.bind(("127.0.0.1", 0))
        name = f"mnemo-test-converter-{os.getpid()}"
        abstract.bind(f"\0{name}")
        abstract.listen()
        attempts = [
            f"tcp {tcp.getsockname()[1]}",
            f"udp {udp.getsockname()[1]}",
            f"unix @{name}",
            f"unix {shared_socket / '.s.PGSQL.5432'}",
        ]
        assert [control(attempt) for attempt in attempts] == [hostile_reader.OPEN] * 4
        assert tried(tmp_path, *attempts, "listen", "names", "ring") == [
            *["PermissionError"] * 5,
            "gaierror",
            "PermissionError",
        ]


@linux
def test_no_other_file_is_read_or_changed(tmp_path: Path) -> None:
    """MNEMO_HOME, the archive, the system's files: not opened, listed, changed, nor are their times."""
    secret = tmp_path / "home" / "text"
    secret.parent.mkdir()
    secret.write_text("words")
    attempts = [
        f"read {secret}",
        "read /etc/passwd",
        f"list {tmp_path}",
        "list /",
        "read /proc/self/environ",
        f"write {secret}",
        f"write {tmp_path / 'new'}",
        f"remove {secret}",
        "change_mode",
        "change_times",
    ]
    assert tried(tmp_path, *attempts) == ["PermissionError"] * len(attempts)
    assert secret.read_text() == "words"


@linux
def test_no_other_process_is_touched(tmp_path: Path) -> None:
    """No signal, no trace, no limits, no namespace, no memory that others see, no life after mnemo."""
    attempts = [
        *(f"{name} {os.getpid()}" for name in ("signal", "trace", "limits_of")),
        *("namespace", "shared_memory", "outlive", "program"),
    ]
    assert tried(tmp_path, *attempts) == ["PermissionError"] * len(attempts)


@linux
def test_nothing_is_inherited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of mnemo's environment and open files it has none."""
    monkeypatch.setenv("MNEMO_SECRET", "x")
    lines = "write(f'{sorted(os.environ)} {os.listdir(chr(46))}'.encode())"
    assert converted(tmp_path, lines).startswith(b"['HOME', 'LC_ALL', 'TMPDIR']")
    lines = """
found = []
for descriptor in range(3, 64):
    try:
        os.fstat(descriptor)
        found.append(descriptor)
    except OSError:
        pass
write(repr(found).encode())
"""
    assert converted(tmp_path, lines) == b"[]"


def test_two_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Each has a folder of its own; what one leaves is not the other's."""
    lines = """
time.sleep(0.2)
pathlib.Path("left").touch()
write(document.read_bytes() + str(len(os.listdir("."))).encode())
"""
    both = office(tmp_path, lines)
    results: list[bytes] = []

    def work(content: bytes) -> None:
        with both.converted(content, "doc") as result:
            results.append(os.read(result, 100))

    threads = [threading.Thread(target=work, args=(content,)) for content in (b"a", b"b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [b"a4", b"b4"]  # document, profile, what it said, what it left


@linux
def test_closing_ends_what_is_under_way(tmp_path: Path) -> None:
    """A run that is interrupted does not wait two minutes."""
    slow = office(tmp_path, "time.sleep(600)", seconds=600)
    failed: list[str] = []

    def work() -> None:
        try:
            with slow.converted(b"x", "doc"):
                pass
        except MnemoError as error:
            failed.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    slow.close()
    thread.join()
    assert failed == ["The sandbox is closed."]
    assert list((tmp_path / "scratch").iterdir()) == []


@linux
def test_killing_mnemo_ends_the_program_and_the_next_run_sweeps(tmp_path: Path) -> None:
    """Kill -9 leaves a folder behind, which goes with the next one, and no process."""
    office(tmp_path, "time.sleep(600)")
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from tests.text.fake_office import office\n"
        "with office(Path(sys.argv[1]), 'time.sleep(600)', seconds=600).converted(b'x', 'doc'): pass\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, tmp_path]) as mnemo:
        watched = os.pidfd_open(first_child(mnemo.pid))
        while not list(tmp_path.glob("scratch/*/profile")):
            os.sched_yield()
        mnemo.kill()
    assert ended(watched)
    assert len(list((tmp_path / "scratch").iterdir())) == 1
    with scratch.scratch(tmp_path / "scratch") as held:
        assert list((tmp_path / "scratch").iterdir()) == [held.path]
        with scratch.scratch(tmp_path / "scratch"):
            assert held.path.exists()  # it is in use
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_folder_that_is_hard_to_remove_is_removed(tmp_path: Path) -> None:
    """Nested deeper than Python recurses, or closed by who made it."""
    with scratch.scratch(tmp_path / "scratch") as own:
        deep = os.open(own.path, os.O_RDONLY)
        for _ in range(3000):
            os.mkdir("d", dir_fd=deep)
            deeper = os.open("d", os.O_RDONLY, dir_fd=deep)
            os.close(deep)
            deep = deeper
        os.close(deep)
        closed = own.path / "closed"
        closed.mkdir()
        (closed / "file").touch()
        closed.chmod(0)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_without_a_converter_the_document_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no program on the search path: the kind is named that it is missing for."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(converter, "_MACOS", tmp_path / "soffice")
    assert converter.find() is None
    assert converter.kinds() == frozenset()
    with pytest.raises(ReadingError) as refused, converter.Converter(tmp_path).converted(b"x", "doc"):
        pass
    assert (refused.value.error_class, refused.value.detail) == (ErrorClass.CONVERTER_MISSING, "doc")


def test_the_program_behind_the_script_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link on the search path leads to a script, beside which the program and its parts are."""
    folder = tmp_path / "opt" / "program"
    folder.mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    for name in ("soffice", "soffice.bin", "libswlo.so"):
        (folder / name).touch(mode=0o755)
    (tmp_path / "bin" / "soffice").symlink_to(folder / "soffice")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    found = converter.find()
    assert found == converter.Program(folder / "soffice.bin", tmp_path / "opt", frozenset({"doc"}))
