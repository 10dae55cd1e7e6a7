"""A reader in a stranger's hands: the document says what to try, the answer says how that ended."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from mnemo_assets.text.reading import READERS, Text

if TYPE_CHECKING:
    from collections.abc import Callable

#: Calls whose place in the kernel differs by machine are left to the C library's wrappers.
LIBC = ctypes.CDLL(None, use_errno=True)
OPEN = "got through"


def read(file: BinaryIO, _ext: str, **_wish: object) -> Text:
    """Try what the document says: a name, and a value after a blank."""
    name, _, value = file.read().decode().partition(" ")
    return answer(attempt(name, value))


def answer(text: str) -> Text:
    """A text as a reader returns it."""
    reader = READERS["txt"]
    return Text(text, (0,), reader.name, reader.version)


def attempt(name: str, value: str) -> str:
    """How an attempt ended: "got through", or the name of the error."""
    try:
        ATTEMPTS[name](value)
    except (OSError, RuntimeError, ValueError) as error:
        return type(error).__name__
    return OPEN


def _tcp(port: str) -> None:
    socket.create_connection(("127.0.0.1", int(port)), timeout=5).close()


def _udp(port: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outgoing:
        outgoing.sendto(b"x", ("127.0.0.1", int(port)))


def _names(_value: str) -> None:
    socket.getaddrinfo("example.org", 80)


def _unix(address: str) -> None:
    with socket.socket(socket.AF_UNIX) as outgoing:
        outgoing.connect(address.replace("@", "\0", 1) if address.startswith("@") else address)


def _pair(_value: str) -> None:
    for end in socket.socketpair():
        end.close()


def _listen(_value: str) -> None:
    with socket.socket() as incoming:
        incoming.bind(("127.0.0.1", 0))
        incoming.listen()


def _program(_value: str) -> None:
    os.execv("/bin/true", ["true"])  # noqa: S606 - it is the attempt


def _fork(_value: str) -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def _thread(_value: str) -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()


def _write(path: str) -> None:
    Path(path).write_bytes(b"x")


def _remove(path: str) -> None:
    Path(path).unlink()


def _read(path: str) -> None:
    Path(path).read_bytes()


def _list(path: str) -> None:
    list(Path(path).iterdir())


def _signal(process: str) -> None:
    os.kill(int(process), 0)


def _trace(process: str) -> None:
    if LIBC.ptrace(16, int(process), None, None) != 0:  # PTRACE_ATTACH
        raise OSError(ctypes.get_errno(), "")
    LIBC.ptrace(17, int(process), None, None)  # PTRACE_DETACH


def _change_mode(_value: str) -> None:
    os.fchmod(3, 0o600)


def _change_times(_value: str) -> None:
    os.utime(3, (0, 0))


def _lock(_value: str) -> None:
    os.lockf(3, os.F_TEST, 0)


def _own_signals(process: str) -> None:
    import fcntl  # noqa: PLC0415 - for this attempt alone

    fcntl.fcntl(3, fcntl.F_SETOWN, int(process))


def _limits_of(process: str) -> None:
    resource.prlimit(int(process), resource.RLIMIT_CORE, (0, resource.RLIM_INFINITY))


def _own_limits(_value: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _outlive(_value: str) -> None:
    if LIBC.prctl(1, 0, 0, 0, 0) != 0:  # PR_SET_PDEATHSIG
        raise OSError(ctypes.get_errno(), "")


def _namespace(_value: str) -> None:
    if LIBC.unshare(0x10000000) != 0:  # CLONE_NEWUSER
        raise OSError(ctypes.get_errno(), "")


def _shared_memory(_value: str) -> None:
    if LIBC.shmget(0, 4096, 0o1600) < 0:  # IPC_PRIVATE, IPC_CREAT
        raise OSError(ctypes.get_errno(), "")


def _environment(_value: str) -> None:
    if set(os.environ) - {"LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH"}:
        return
    raise OSError


def _descriptors(_value: str) -> None:
    """Whether anything is open beside the standard streams, the document and the answer."""
    for descriptor in range(5, 32):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        return
    raise OSError


def _ring(_value: str) -> None:
    if (
        LIBC.syscall(425, 1, ctypes.create_string_buffer(120)) < 0
    ):  # io_uring_setup: the same number everywhere
        raise OSError(ctypes.get_errno(), "")


def _fill_memory(_value: str) -> None:
    held = []
    while True:
        held.append(bytearray(1 << 24))


def _loop(_value: str) -> None:
    while True:
        pass


def _sleep(_value: str) -> None:
    signal.pause() if _value == "signal" else threading.Event().wait()


def _crash(_value: str) -> None:
    ctypes.string_at(0)


def _abort(_value: str) -> None:
    os.abort()


def _end(code: str) -> None:
    os._exit(int(code))


def _say(value: str) -> None:
    os.write(4, bytes.fromhex(value))
    os._exit(0)


def _fail(_value: str) -> None:
    raise KeyError("secret words of the document")


ATTEMPTS: dict[str, Callable[[str], object]] = {
    "nothing": len,
    "tcp": _tcp,
    "udp": _udp,
    "names": _names,
    "unix": _unix,
    "pair": _pair,
    "listen": _listen,
    "program": _program,
    "fork": _fork,
    "thread": _thread,
    "write": _write,
    "remove": _remove,
    "read": _read,
    "list": _list,
    "signal": _signal,
    "trace": _trace,
    "change_mode": _change_mode,
    "change_times": _change_times,
    "lock": _lock,
    "own_signals": _own_signals,
    "limits_of": _limits_of,
    "own_limits": _own_limits,
    "outlive": _outlive,
    "namespace": _namespace,
    "shared_memory": _shared_memory,
    "environment": _environment,
    "descriptors": _descriptors,
    "ring": _ring,
    "fill_memory": _fill_memory,
    "loop": _loop,
    "sleep": _sleep,
    "crash": _crash,
    "abort": _abort,
    "end": _end,
    "say": _say,
    "fail": _fail,
}
