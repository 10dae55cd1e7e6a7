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
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

import mnemo_assets
from mnemo_assets.errors import ErrorClass, MnemoError, ReadingError
from mnemo_assets.settings import Settings
from mnemo_assets.text import pictures, reply
from mnemo_assets.text.converter import Converter
from mnemo_assets.text.files_wall import LOADER
from mnemo_assets.text.reading import READERS, Reader, Text
from mnemo_assets.text.walls import Wall
from mnemo_assets.text.zygote import ASK, GREETING, STATUS, WISH_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from mnemo_assets.text.pictures import Picture
    from mnemo_assets.text.reply import Conversion

#: By the clock a document may take twice its processor time, as others are read beside it, and this much
#: more.
_SLACK = 5.0
#: A fresh interpreter needs a second or two to import the readers' libraries; a cold disk, or a busy
#: machine, more.
_START_SECONDS = 120.0
#: Of its memory a process must have had this much in use when it crashed, for memory to be the reason.
_NEARLY_ALL = 0.8
_AT_ONCE = 1 << 20
_BOOT = (
    "import sys; sys.path += [path for path in sys.argv[2:] if path not in sys.path]; "
    "from mnemo_assets.text.zygote import main; main()"
)


_Answer = TypeVar("_Answer")


class _KilledError(Exception):
    """A reader or the zygote was killed from outside: not the document's fault, as far as one can tell."""


class Sandbox:
    """Reads documents, each in a process of its own; safe to use from several threads at once.

    The zygote starts with the first read. `close`, or the death of this process, ends it and all readers.

    Args:
        settings: `reader_seconds` of processor time and `reader_memory_mb` for one document.
        module: whose `read(file, ext) -> Text` the processes run; another one is for tests of the walls.
        code: folders of code beside the installed one.
        converter: another one is for tests of what becomes of its results.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        module: str = "mnemo_assets.text.reading",
        code: tuple[Path, ...] = (),
        converter: Converter | None = None,
    ) -> None:
        self._seconds = settings.reader_seconds
        self._memory_mb = settings.reader_memory_mb
        self._module = module
        self._code = tuple(str(path) for path in code)
        self._converter = converter or Converter.within(settings)
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
        self,
        fd: int,
        ext: str,
        *,
        parts: Sequence[tuple[str, str]] = (),
        sha256: str | None = None,
        passwords: Sequence[str] = (),
    ) -> Text:
        """Read the document behind a descriptor that is open for reading; its position changes.

        Args:
            fd: of the file.
            ext: of the file.
            parts: to read a document inside of it, or inside of that: path and extension of each, from the
                outermost.
            sha256: what the bytes of that document must have; any, if it is None.
            passwords: to try where one is needed.

        Raises:
            ReadingError: why it cannot be read.
            MnemoError: no reader can be started on this machine, or the sandbox is closed.
        """
        last = parts[-1][1] if parts else ext
        if last not in READERS:
            raise ReadingError(ErrorClass.UNSUPPORTED)
        found = self._granted(fd, _wish(ext, parts, sha256, passwords), _unpacks(READERS[last]))
        if isinstance(found, Text):
            return found
        return self._read_converted(found.document or fd, found.kind, READERS[last])

    def picture(
        self,
        fd: int,
        ext: str,
        page: int,
        *,
        parts: Sequence[tuple[str, str]] = (),
        sha256: str | None = None,
        passwords: Sequence[str] = (),
    ) -> Picture:
        """Draw a page of the document behind a descriptor, as `read` reads it; `page` counts from 1.

        Raises:
            ReadingError: why it cannot be drawn.
            MnemoError: as `read` does.
        """
        return self._granted(fd, _wish(ext, parts, sha256, passwords, page), pictures.unpack)

    def walls(self) -> list[Wall]:
        """The walls around the readers, as a process that raised them found them."""
        with self._lock:
            self._running()
            return list(self._walls)

    def close(self) -> None:
        """End the zygote, every reader and every converter. Reads that are under way fail."""
        self._converter.close()
        with self._lock:
            self._closed = True
            self._end()

    def _read_converted(self, document: bytes | int, kind: str, reader: Reader) -> Text:
        """The text of a document that another program turns into what can be read."""
        into = READERS[kind].converts
        assert into is not None
        with self._converter.converted(document, kind) as result:
            found = self._granted(result, _wish(into, is_converted=True), _unpacks(reader))
        if not isinstance(found, Text):
            raise ReadingError(ErrorClass.READER_CRASHED, "converter: another kind")
        if found.blank:  # what LibreOffice makes of what it does not understand
            raise ReadingError(ErrorClass.NO_TEXT, "converter: blank")
        return replace(found, parts=())  # they could be taken from the result alone, which is gone

    def _granted(self, fd: int, wish: bytes, unpack: Callable[[bytes], _Answer]) -> _Answer:
        """What is wished, asked for once more where a reader was killed from outside.

        A machine that is short of memory ends readers first.
        """
        for _ in range(2):
            with suppress(_KilledError):
                return unpack(self._answer(fd, wish))
        raise ReadingError(ErrorClass.READER_CRASHED, "killed twice")

    def _answer(self, fd: int, wish: bytes) -> bytes:
        """What a process answers that ended well."""
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
        self._judge(status)
        return answer

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

    def _judge(self, status: bytes) -> None:
        """What to call the end of a process that did not end well.

        Raises:
            ReadingError: TIMED_OUT, READER_MEMORY, READER_CRASHED.
            _KilledError: it was killed, and not for a bound of ours.
        """
        code, number, milliseconds, peak_kb = STATUS.unpack(status)
        if code == 0 and number == 0:
            return
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
                env={"LC_ALL": "C.UTF-8"} | {name: os.environ[name] for name in LOADER if name in os.environ},
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


def _wish(
    ext: str,
    parts: Sequence[tuple[str, str]] = (),
    sha256: str | None = None,
    passwords: Sequence[str] = (),
    page: int | None = None,
    *,
    is_converted: bool = False,
) -> bytes:
    """What a reader's process is asked for.

    Raises:
        ReadingError: TOO_LARGE.
    """
    wish = {"ext": ext, "parts": list(parts), "sha256": sha256, "passwords": list(passwords)}
    more = ({} if page is None else {"page": page}) | ({"is_converted": True} if is_converted else {})
    said = json.dumps(wish | more).encode()
    if len(said) > WISH_LIMIT:
        raise ReadingError(ErrorClass.TOO_LARGE, "wish")
    return said


def _unpacks(reader: Reader) -> Callable[[bytes], Text | Conversion]:
    """What takes an answer apart that is of a reader."""
    return lambda answer: reply.unpack(answer, reader)


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
