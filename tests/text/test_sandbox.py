from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from mnemo_assets.errors import ErrorClass, MnemoError, ReadingError
from mnemo_assets.text import sandbox as sandbox_module
from mnemo_assets.text.reading import READERS
from mnemo_assets.text.sandbox import Sandbox
from tests.text.conftest import SMALL_SETTINGS as SMALL
from tests.text.conftest import hostile, reading_of

Attack = Callable[[str], str]
linux = pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="processes are watched as Linux lets them be"
)


def refusal(attack: Attack, attempt: str) -> tuple[ErrorClass, str]:
    with pytest.raises(ReadingError) as refused:
        attack(attempt)
    return refused.value.error_class, refused.value.detail


def framed(text: bytes, starts: bytes = b"[0]") -> bytes:
    """An answer with a text, byte for byte."""
    header = b'{"page_starts":%s}' % starts
    return len(header).to_bytes(4, "big") + header + text


def children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def first_child(process: int) -> int:
    """The child of a process, once it has one."""
    while not (found := children(process)):
        os.sched_yield()
    return found[0]


def ended(*watched: int) -> bool:
    """Whether processes end within half a minute."""
    for descriptor in watched:
        ready, _, _ = select.select([descriptor], [], [], 30)
        os.close(descriptor)
        if not ready:
            return False
    return True


def zygote_of(sandbox: Sandbox) -> int:
    assert sandbox._zygote is not None
    return sandbox._zygote.pid


def test_an_endless_reading_ends(attack: Attack) -> None:
    """A loop is out of processor time after the seconds of the setting."""
    assert refusal(attack, "loop") == (ErrorClass.TIMED_OUT, "processor")


def test_a_reading_that_waits_ends(attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that does nothing takes no processor time; the clock ends it."""
    monkeypatch.setattr(sandbox_module, "_SLACK", 0)
    assert refusal(attack, "sleep") == (ErrorClass.TIMED_OUT, "clock")


def test_memory_is_bounded(attack: Attack) -> None:
    """A reader that fills memory is refused it, and that is what is said."""
    assert refusal(attack, "fill_memory")[0] is ErrorClass.READER_MEMORY


@pytest.mark.parametrize("attempt", ["crash", "abort", "end 3", "end 0"])
def test_a_crash_is_an_outcome(attack: Attack, attempt: str) -> None:
    """A reader that breaks takes its own document along, and no other."""
    assert refusal(attack, attempt)[0] is ErrorClass.READER_CRASHED
    assert attack("nothing") == "got through"


def test_an_error_without_a_class_tells_its_place_and_no_words(attack: Attack) -> None:
    """What a library says about a document may be the document's words."""
    error_class, detail = refusal(attack, "fail")
    assert error_class is ErrorClass.READER_CRASHED
    assert detail.startswith("KeyError at hostile_reader.py:")
    assert "secret" not in detail


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\xff\xff\xff\xff",
        b"\0\0\0\2[]",
        b"\0\0\0\2{}text",
        b'\0\0\0\x11{"error":"Nobody"}',
        framed(b"x", starts=b"[0,1,2]"),
    ],
)  # fmt: skip
def test_an_answer_is_checked(attack: Attack, answer: bytes) -> None:
    """What a reader in a stranger's hands writes is data: none of it is believed without a look."""
    assert refusal(attack, f"say {answer.hex()}")[0] is ErrorClass.READER_CRASHED


def test_only_normal_text_is_taken(attack: Attack) -> None:
    """A NUL that a reader sneaks past normalisation would stop the database."""
    assert attack(f"say {framed(b'words').hex()}") == "words"
    for text in (b"a\0b", b"a\r", b"\xed\xa0\x80", b"a\xff", b"a\fb", "a\u202eb".encode()):
        assert refusal(attack, f"say {framed(text).hex()}") == (ErrorClass.READER_CRASHED, "answer")


def test_several_documents_are_read_at_once(tmp_path: Path) -> None:
    """Threads share a sandbox; each gets its own answer, and a zygote is started once."""
    texts: dict[int, str] = {}
    with Sandbox(SMALL) as sandbox:

        def work(number: int) -> None:
            folder = tmp_path / str(number)
            folder.mkdir()
            texts[number] = reading_of(sandbox, folder)(f"text {number}".encode(), "txt").text

        threads = [threading.Thread(target=work, args=(number,)) for number in range(24)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert texts == {number: f"text {number}" for number in range(24)}


def test_no_process_is_started_before_the_first_document(tmp_path: Path) -> None:
    """A run that finds nothing to read starts nothing."""
    with Sandbox(SMALL) as sandbox:
        assert sandbox._zygote is None
        with pytest.raises(ReadingError) as refused:
            sandbox.read(0, "png")
        assert refused.value.error_class is ErrorClass.UNSUPPORTED
        assert sandbox._zygote is None
        reading_of(sandbox, tmp_path)(b"x", "txt")
        assert sandbox._zygote is not None


def test_a_closed_sandbox_reads_nothing(tmp_path: Path) -> None:
    """Closing is for good."""
    with Sandbox(SMALL) as sandbox:
        pass
    with pytest.raises(MnemoError, match="closed"):
        reading_of(sandbox, tmp_path)(b"x", "txt")


def test_a_descriptor_that_is_not_open_is_unreachable() -> None:
    """The file may have gone: a class of its own, which the next sync tries again."""
    with Sandbox(SMALL) as sandbox:
        sandbox.walls()
        with pytest.raises(ReadingError) as refused:
            sandbox.read(987, "txt")
    assert refused.value.error_class is ErrorClass.FILE_UNREACHABLE


@linux
def test_a_zygote_that_is_killed_is_started_again(tmp_path: Path) -> None:
    """Between two documents, and while one is read: neither is lost."""
    document = tmp_path / "slow"
    document.write_text("sleep")
    texts: list[str] = []
    with hostile(SMALL) as sandbox:
        read = reading_of(sandbox, tmp_path)
        assert read(b"nothing", "txt").text == "got through"
        os.kill(zygote_of(sandbox), signal.SIGKILL)
        assert read(b"nothing", "txt").text == "got through"

        def work() -> None:
            with document.open("rb") as file:
                texts.append(sandbox.read(file.fileno(), "txt").text)

        thread = threading.Thread(target=work)
        thread.start()
        zygote = zygote_of(sandbox)
        child = os.pidfd_open(first_child(zygote))
        document.write_text("nothing")
        os.kill(zygote, signal.SIGKILL)
        thread.join()
        assert ended(child)
    assert texts == ["got through"]


@linux
def test_a_reader_that_is_killed_tries_once_more(tmp_path: Path) -> None:
    """Killed from outside, and within its bounds, it was not its document's fault; twice, it may be."""
    document = tmp_path / "slow"
    ends: list[str] = []
    with hostile(SMALL) as sandbox:
        sandbox.walls()

        def work() -> None:
            with document.open("rb") as file:
                try:
                    ends.append(sandbox.read(file.fileno(), "txt").text)
                except ReadingError as error:
                    ends.append(f"{error.error_class} {error.detail}")

        def killed(*, times: int) -> None:
            document.write_text("sleep")
            thread = threading.Thread(target=work)
            thread.start()
            last = 0
            for left in range(times, 0, -1):
                while (child := first_child(zygote_of(sandbox))) == last:
                    os.sched_yield()
                if left == 1 and times == 1:
                    document.write_text("nothing")
                os.kill(child, signal.SIGKILL)
                last = child
            thread.join()

        killed(times=1)
        killed(times=2)
    assert ends == ["got through", "ReaderCrashed killed twice"]


#: A password that is looked for where it must not be.
CANARY = "canary-c1f6e0"


@linux
def test_passwords_stand_in_no_process(tmp_path: Path) -> None:
    """Neither in the arguments nor in the environment of mnemo, of the zygote, of the reader at work."""
    document = tmp_path / "slow"
    document.write_text("sleep")
    looked_at = 0
    with hostile(SMALL) as sandbox, document.open("rb") as file:
        sandbox.walls()
        failed: list[type[Exception]] = []

        def work() -> None:
            try:
                sandbox.read(file.fileno(), "txt", passwords=[CANARY])
            except MnemoError as error:
                failed.append(type(error))

        thread = threading.Thread(target=work)
        thread.start()
        zygote = zygote_of(sandbox)
        for process in (os.getpid(), zygote, first_child(zygote)):
            for place in ("cmdline", "environ"):
                with suppress(PermissionError):  # a reader is not to be looked into
                    assert CANARY.encode() not in Path(f"/proc/{process}/{place}").read_bytes()
                    looked_at += 1
        sandbox.close()
        thread.join()
    assert looked_at >= 4
    assert failed


@pytest.mark.parametrize("attempt", ["fail", "crash", "end 3", "fill_memory"])
def test_passwords_stand_in_no_error(tmp_path: Path, attempt: str) -> None:
    """Whatever a reader ends with."""
    document = tmp_path / "document"
    document.write_text(attempt)
    with hostile(SMALL) as sandbox, document.open("rb") as file, pytest.raises(ReadingError) as refused:
        sandbox.read(file.fileno(), "txt", passwords=[CANARY])
    assert CANARY not in f"{refused.value!r} {refused.value.detail}"


@linux
def test_closing_leaves_no_process_behind(tmp_path: Path) -> None:
    """Neither the zygote nor a reader that was at work; the read that was under way fails."""
    failed: list[str] = []
    sandbox = hostile(SMALL)
    read = reading_of(sandbox, tmp_path)

    def work() -> None:
        try:
            read(b"sleep", "txt")
        except MnemoError as error:
            failed.append(type(error).__name__)

    sandbox.walls()
    thread = threading.Thread(target=work)
    thread.start()
    zygote = zygote_of(sandbox)
    watched = [os.pidfd_open(first_child(zygote)), os.pidfd_open(zygote)]
    sandbox.close()
    thread.join()
    assert ended(*watched)
    assert failed == ["MnemoError"]


@linux
def test_killing_mnemo_leaves_no_process_behind(tmp_path: Path) -> None:
    """Kill -9 of the process that reads ends the zygote and the reader at work with it."""
    document = tmp_path / "document"
    document.write_text("sleep")
    program = (
        "import os, sys, threading\n"
        "from pathlib import Path\n"
        "from tests.text.conftest import SMALL_SETTINGS, hostile\n"
        "sandbox = hostile(SMALL_SETTINGS)\n"
        "sandbox.walls()\n"
        "print(sandbox._zygote.pid, flush=True)\n"
        "sandbox.read(os.open(sys.argv[1], os.O_RDONLY), 'txt')\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, document], stdout=subprocess.PIPE) as mnemo:
        assert mnemo.stdout is not None
        zygote = int(mnemo.stdout.readline())
        watched = [os.pidfd_open(first_child(zygote)), os.pidfd_open(zygote)]
        mnemo.kill()
    assert ended(*watched)


def test_the_parent_does_not_load_the_readers() -> None:
    """The process with the database in it never imports a library that parses strangers' files."""
    program = "import sys, mnemo_assets.text.sandbox; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    ).stdout.split()
    assert not {"pymupdf", "lxml", "selectolax", "charset_normalizer", "spacy"} & set(loaded)
    assert READERS
