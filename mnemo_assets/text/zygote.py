"""The process that readers are forked from: freshly executed, warm, alone, and without a network.

It never looks at a document. On its control socket it is sent requests, each with three descriptors: the
document, the end of a pipe for the answer, and the end of a socket pair that stands for the request's life.
It forks a child for each; when the child ends, it writes how to the life socket; when the life socket
closes, it kills the child; when the control socket closes, or it dies itself, so do all children.
"""

from __future__ import annotations

import encodings
import errno
import gc
import io
import json
import os
import pkgutil
import resource
import selectors
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, NoReturn

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import pictures, reply, walls
from mnemo_assets.text.reading import READERS, ConversionNeededError, Text

#: A request: this, with its descriptors.
ASK = b"?"
#: Bytes that say what is wished: a pipe holds them before anybody reads.
WISH_LIMIT = 60_000
#: How a child ended: exit code, signal, milliseconds of processor time, kilobytes it had in memory at most.
STATUS = struct.Struct("!iiQQ")
GREETING = struct.Struct("!I")

#: With each request: the document, the answer, the life, the wish.
_DESCRIPTORS_SENT = 4
_DOCUMENT, _ANSWER, _WISH, _FIRST_OTHER = 3, 4, 5, 6
_DESCRIPTORS = 1 << 16
#: Modules that are imported, or opened, late by the readers: a child should not do it again for each
#: document.
_WARM = (
    "email.mime.text",
    "email.headerregistry",
    "email.iterators",
    "zipfile",
    "unicodedata",
    "mmap",
    "lzma",
    "bz2",
    "mnemo_assets.text.drawing",
)

#: What the system says of a document whose disk, or share, is gone.
_UNREACHABLE = frozenset(
    {errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.ENXIO, errno.ENODEV, errno.EHOSTDOWN}
)

_Read = Callable[..., Text]


def main() -> None:
    """Serve requests until the control socket closes. The one argument is the configuration, in JSON."""
    configuration = json.loads(sys.argv[1])
    control = socket.socket(fileno=configuration["control"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for mnemo, which then closes the control socket
    module = import_module(configuration["module"])
    read: _Read = module.read
    getattr(module, "warm_up", _warm_up)()
    prepared = walls.prepare(configuration["memory_mb"], configuration["seconds"], configuration["readable"])
    gc.collect()
    gc.freeze()  # children must not touch, and so copy, every object only to count it
    greeting = json.dumps([asdict(wall) for wall in _probed(prepared)]).encode()
    control.sendall(GREETING.pack(len(greeting)) + greeting)
    _Zygote(control, read, prepared).serve()


def _warm_up() -> None:
    """Import what readers import, and let each library do once what it does at its first document."""
    for reader in READERS.values():
        import_module(reader.function.partition(":")[0])
    for name in _WARM:
        import_module(name)
    for module in pkgutil.iter_modules(encodings.__path__):
        with suppress(ImportError):  # the code pages of Windows
            import_module(f"encodings.{module.name}")
    import_module("mnemo_assets.text.language").load()
    from mnemo_assets.text.warmth import samples  # noqa: PLC0415 - imports the readers' libraries

    for ext, data in samples():
        with suppress(ReadingError):
            reply.pack(import_module("mnemo_assets.text.reading").read(io.BytesIO(data), ext))


def _probed(prepared: walls.Walls) -> list[walls.Wall]:
    """The walls as a child that raised them found them."""
    receive, send = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            found = prepared.raise_all(parent)
            os.write(send, json.dumps([asdict(wall) for wall in found]).encode())
        finally:
            os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return [walls.Wall(**wall) for wall in json.loads(answer)] if answer else []


class _Zygote:
    def __init__(self, control: socket.socket, read: _Read, prepared: walls.Walls) -> None:
        self._control = control
        self._read = read
        self._walls = prepared
        self._lives: dict[int, socket.socket] = {}  # of children, by process
        self._selector = selectors.DefaultSelector()

    def serve(self) -> None:
        """Answer requests until the control socket closes."""
        woken, waker = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(waker, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # only a signal that is handled wakes the selector
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        self._selector.register(self._control, selectors.EVENT_READ)
        self._selector.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._control:
                    if not self._accept():
                        self._end_all()
                        return
                elif key.fileobj == woken:
                    with suppress(BlockingIOError):
                        os.read(woken, 4096)
                else:
                    _kill(key.data)  # mnemo gave up waiting
                    self._selector.unregister(key.fileobj)
            self._reap()

    def _accept(self) -> bool:
        """Take one request, and fork its child; whether there was one."""
        try:
            request, descriptors, _, _ = socket.recv_fds(self._control, len(ASK), _DESCRIPTORS_SENT)
        except OSError:
            return False
        if request != ASK or len(descriptors) != _DESCRIPTORS_SENT:
            return False
        document, answer, life, wish = descriptors
        parent = os.getpid()
        try:
            child = os.fork()
        except OSError:  # no process to be had
            child = -1
        if child == 0:
            self._child([document, answer, wish], parent)
        for descriptor in (document, answer, wish):
            os.close(descriptor)
        held = socket.socket(fileno=life)
        if child < 0:
            with held, suppress(OSError):
                held.send(STATUS.pack(-1, 0, 0, 0))
            return True
        held.settimeout(0)
        self._lives[child] = held
        self._selector.register(held, selectors.EVENT_READ, child)
        return True

    def _reap(self) -> None:
        """Say of every child that ended how it did."""
        while self._lives:
            child, status, usage = os.wait4(-1, os.WNOHANG)
            if child == 0:
                return
            life = self._lives.pop(child)
            with suppress(KeyError):
                self._selector.unregister(life)
            ended = os.waitstatus_to_exitcode(status)
            milliseconds = int((usage.ru_utime + usage.ru_stime) * 1000)
            peak = usage.ru_maxrss // (1024 if sys.platform == "darwin" else 1)
            with suppress(OSError):
                life.send(STATUS.pack(max(ended, 0), max(-ended, 0), milliseconds, peak))
            life.close()

    def _end_all(self) -> None:
        for child in self._lives:
            _kill(child)
        for child in self._lives:
            with suppress(OSError):
                os.waitpid(child, 0)

    def _child(self, descriptors: list[int], parent: int) -> NoReturn:
        """Read the document behind all walls, write the answer, end."""
        code = 1
        try:
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            rules = self._walls.rules
            self._walls.rules = _moved(descriptors, rules)
            self._walls.raise_all(parent)
            os.closerange(_FIRST_OTHER, _FIRST_OTHER + 1)  # the rules, which have served
            os.lseek(_DOCUMENT, 0, os.SEEK_SET)  # the position is shared with mnemo, and an earlier try
            with os.fdopen(_DOCUMENT, "rb") as file:
                _write_all(_ANSWER, _answer(self._read, file))
            code = 0
        finally:
            os._exit(code)


def _moved(descriptors: list[int], rules: int | OSError) -> int | OSError:
    """Keep these descriptors, at fixed numbers, and close every other that the zygote has."""
    high = [os.dup(one) for one in (*descriptors, *([rules] if isinstance(rules, int) else []))]
    for place, descriptor in enumerate(high, _DOCUMENT):
        os.dup2(descriptor, place, inheritable=False)
    os.closerange(_DOCUMENT + len(high), _DESCRIPTORS)
    return _FIRST_OTHER if isinstance(rules, int) else rules


def _granted(read: _Read, file: BinaryIO) -> bytes:
    """What is wished: the text of the document, or the picture of a page."""
    with os.fdopen(_WISH, "rb") as pipe:
        wish = json.load(pipe)
    ext, page = wish.pop("ext"), wish.pop("page", None)
    wish["parts"] = [tuple(part) for part in wish["parts"]]
    if page is not None:
        drawing = import_module("mnemo_assets.text.drawing")
        return pictures.pack(drawing.draw(file, ext, page, **wish))
    return reply.pack(read(file, ext, **wish))


def _answer(read: _Read, file: BinaryIO) -> bytes:
    """The answer to a wish; an error that has no class of ours tells its name and place, not its text."""
    try:
        return _granted(read, file)
    except ReadingError as error:
        return reply.pack_error(error)
    except ConversionNeededError as needed:
        return _conversion(needed, file)
    except MemoryError:
        return reply.pack_error(ReadingError(ErrorClass.READER_MEMORY))
    except OSError as error:
        gone = error.errno in _UNREACHABLE
        error_class = ErrorClass.FILE_UNREACHABLE if gone else ErrorClass.READER_CRASHED
        return reply.pack_error(ReadingError(error_class, errno.errorcode.get(error.errno or 0, "OSError")))
    except Exception as error:  # noqa: BLE001 - whatever a library raises on a hostile file
        place = traceback.extract_tb(error.__traceback__)[-1]
        detail = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
        return reply.pack_error(ReadingError(ErrorClass.READER_CRASHED, detail))


def _conversion(needed: ConversionNeededError, document: BinaryIO) -> bytes:
    """An answer that asks for a conversion; a document inside of the document goes along."""
    if needed.file is document:
        return reply.pack_conversion(needed.kind, b"")
    needed.file.seek(0)
    return reply.pack_conversion(needed.kind, needed.file.read())


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _kill(child: int) -> None:
    for kill in (os.killpg, os.kill):  # the group, or the child that has not made it yet
        with suppress(OSError):
            kill(child, signal.SIGKILL)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
