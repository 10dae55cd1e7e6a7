"""Read documents in processes that can do nothing else: the side of mnemo itself.

with Sandbox(settings) as sandbox:
    text = sandbox.read(descriptor, "pdf")
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

import mnemo_assets
from mnemo_assets.errors import ErrorClass, MnemoError, ReadingError
from mnemo_assets.settings import Settings
from mnemo_assets.text import reply
from mnemo_assets.text.reading import READERS, Reader, Text
from mnemo_assets.text.walls import Wall
from mnemo_assets.text.zygote import ASK, GREETING, STATUS, WISH_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

#: By the clock a document may take twice its processor time, as others are read beside it, and this much
#: more.
_SLACK = 5.0
#: A fresh interpreter needs a second or two to import the readers' libraries; a cold disk, or a busy
#: machine, more.
_START_SECONDS = 120.0
#: Of its memory a process must have had this much in use when it crashed, for memory to be the reason.
_NEARLY_ALL = 0.8
_AT_ONCE = 1 << 20
#: What an interpreter may need to start at all; nothing else of the environment is passed on.
_LOADER = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_BOOT = (
    "import sys; sys.path += [path for path in sys.argv[2:] if path not in sys.path]; "
    "from mnemo_assets.text.zygote import main; main()"
)


class _KilledError(Exception):
    """A reader or the zygote was killed from outside: not the document's fault, as far as one can tell."""


class Sandbox:
    """Reads documents, each in a process of its own; safe to use from several threads at once.

    The zygote starts with the first read. `close`, or the death of this process, ends it and all readers.

    Args:
        settings: `reader_seconds` of processor time and `reader_memory_mb` for one document.
        module: whose `read(file, ext) -> Text` the processes run; another one is for tests of the walls.
        code: folders of code beside the installed one.
    """

    def __init__(
        self, settings: Settings, *, module: str = "mnemo_assets.text.reading", code: tuple[Path, ...] = ()
    ) -> None:
        self._seconds = settings.reader_seconds
        self._memory_mb = settings.reader_memory_mb
        self._module = module
        self._code = tuple(str(path) for path in code)
        self._lock = threading.Lock()
        self._zygote: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._walls: list[Wall] = []
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(
        self, fd: int, ext: str, *, parts: Sequence[tuple[str, str]] = (), passwords: Sequence[str] = ()
    ) -> Text:
        """Read the document behind a descriptor that is open for reading; its position changes.

        Args:
            fd: of the file.
            ext: of the file.
            parts: to read a document inside of it, or inside of that: path and extension of each, from the
                outermost.
            passwords: to try where one is needed.

        Raises:
            ReadingError: why it cannot be read.
            MnemoError: no reader can be started on this machine, or the sandbox is closed.
        """
        last = parts[-1][1] if parts else ext
        if last not in READERS:
            raise ReadingError(ErrorClass.READER_TO_COME)
        wish = json.dumps({"ext": ext, "parts": list(parts), "passwords": list(passwords)}).encode()
        if len(wish) > WISH_LIMIT:
            raise ReadingError(ErrorClass.TOO_LARGE, "wish")
        for _ in range(2):  # once more, as a machine that is short of memory ends readers first
            with suppress(_KilledError):
                return self._read(fd, wish, READERS[last])
        raise ReadingError(ErrorClass.READER_CRASHED, "killed twice")

    def walls(self) -> list[Wall]:
        """The walls around the readers, as a process that raised them found them."""
        with self._lock:
            self._running()
            return list(self._walls)

    def close(self) -> None:
        """End the zygote and every reader. Reads that are under way fail."""
        with self._lock:
            self._closed = True
            self._end()

    def _read(self, fd: int, wish: bytes, reader: Reader) -> Text:
        with ExitStack() as held:
            receive, send = os.pipe()
            held.callback(os.close, receive)
            life, other = socket.socketpair()
            held.callback(life.close)
            try:
                control = self._request(wish, [fd, send, other.fileno()])
            finally:
                os.close(send)
                other.close()
            try:
                answer, status = self._await(receive, life)
            except _KilledError:
                self._give_up(control)
                raise
        return self._judged(answer, status, reader)

    def _request(self, wish: bytes, descriptors: list[int]) -> socket.socket:
        """Ask for a reading; the control socket that it was asked on."""
        receive, send = os.pipe()
        with os.fdopen(receive):
            with os.fdopen(send, "wb") as writing:
                writing.write(wish)  # the pipe holds it
            return self._asked([*descriptors, receive])

    def _asked(self, descriptors: list[int]) -> socket.socket:
        with self._lock:
            control = self._running()
            try:
                socket.send_fds(control, [ASK], descriptors)
            except ConnectionError:
                self._end()
                raise _KilledError from None
            except OSError as error:
                raise ReadingError(ErrorClass.FILE_UNREACHABLE, type(error).__name__) from None
            return control

    def _give_up(self, control: socket.socket) -> None:
        """End the zygote of a control socket, unless another one has taken its place."""
        with self._lock:
            if self._control is control:
                self._end()

    def _await(self, receive: int, life: socket.socket) -> tuple[bytes, bytes]:
        """The answer, and how the process ended.

        Raises:
            ReadingError: TIMED_OUT; TOO_LARGE, more is answered than any document may have.
            _KilledError: nobody said how it ended.
        """
        deadline = time.monotonic() + 2 * self._seconds + _SLACK
        os.set_blocking(receive, False)
        poll = select.poll()
        poll.register(receive, select.POLLIN)
        poll.register(life, select.POLLIN)
        pieces: list[bytes] = []
        size, status, waiting = 0, b"", 2
        while waiting:
            ready = poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
            if not ready:
                raise ReadingError(ErrorClass.TIMED_OUT, "clock")
            for descriptor, _ in ready:
                piece = os.read(receive, _AT_ONCE) if descriptor == receive else _received(life)
                if descriptor != receive:
                    status += piece
                elif piece:
                    pieces.append(piece)
                    size += len(piece)
                if not piece:
                    poll.unregister(descriptor)
                    waiting -= 1
            if size > reply.LIMIT:
                raise ReadingError(ErrorClass.TOO_LARGE, "answer")
        if len(status) != STATUS.size:
            raise _KilledError
        return b"".join(pieces), status

    def _judged(self, answer: bytes, status: bytes, reader: Reader) -> Text:
        """The text in the answer of a process that ended well; what to call the end of one that did not.

        Raises:
            ReadingError: what the process said; TIMED_OUT, READER_MEMORY, READER_CRASHED.
            _KilledError: it was killed, and not for a bound of ours.
        """
        code, number, milliseconds, peak_kb = STATUS.unpack(status)
        if code == 0 and number == 0:
            return reply.unpack(answer, reader)
        overdue = milliseconds >= 1000 * self._seconds
        if number == signal.SIGXCPU or (number == signal.SIGKILL and overdue):
            raise ReadingError(ErrorClass.TIMED_OUT, "processor")
        if peak_kb >= _NEARLY_ALL * 1024 * self._memory_mb:
            raise ReadingError(ErrorClass.READER_MEMORY, f"signal {number}")
        if number == signal.SIGKILL:
            raise _KilledError
        raise ReadingError(ErrorClass.READER_CRASHED, f"signal {number}" if number else f"exit {code}")

    def _running(self) -> socket.socket:
        """The control socket of a zygote that lives; the lock is held."""
        if self._closed:
            raise MnemoError("The sandbox is closed.")
        if self._zygote is None or self._control is None or self._zygote.poll() is not None:
            self._end()
            self._start()
        assert self._control is not None
        return self._control

    def _start(self) -> None:
        """Execute a fresh interpreter: neither descriptors nor environment of this process are in it."""
        ours, theirs = socket.socketpair()
        configuration = {
            "control": theirs.fileno(),
            "module": self._module,
            "memory_mb": self._memory_mb,
            "seconds": self._seconds,
            "readable": self._code,
        }
        with theirs:
            self._zygote = subprocess.Popen(
                [sys.executable, "-I", "-c", _BOOT, json.dumps(configuration), *self._code, *_packages()],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"LC_ALL": "C.UTF-8"}
                | {name: os.environ[name] for name in _LOADER if name in os.environ},
                start_new_session=True,
            )
        self._control = ours
        try:
            ours.settimeout(_START_SECONDS)
            (length,) = GREETING.unpack(_exactly(ours, GREETING.size))
            self._walls = [Wall(**wall) for wall in json.loads(_exactly(ours, length))]
            ours.settimeout(None)
        except (OSError, ValueError, TypeError):
            self._end()
            raise MnemoError("The process that reads documents does not start on this machine.") from None

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._zygote is not None:
            try:
                self._zygote.wait(_SLACK)
            except subprocess.TimeoutExpired:
                self._zygote.kill()
                self._zygote.wait()
            self._zygote = None


def walls() -> list[Wall]:
    """The walls that this machine has, found by raising them."""
    with Sandbox(Settings()) as sandbox:
        return sandbox.walls()


def _packages() -> list[str]:
    """Where this process found its packages, for an interpreter that is told to find none by itself."""
    own = str(Path(mnemo_assets.__file__).parents[1])
    return [*(path for path in sys.path if Path(path).name in {"site-packages", "dist-packages"}), own]


def _received(life: socket.socket) -> bytes:
    """What the zygote says, or nothing once it is gone."""
    try:
        return life.recv(STATUS.size)
    except ConnectionError:
        return b""


def _exactly(connection: socket.socket, size: int) -> bytes:
    """That many bytes.

    Raises:
        OSError: the other side closed before.
    """
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise ConnectionError
        data += piece
    return data
