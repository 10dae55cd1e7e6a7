"""Run a program of another project behind the walls of readers: it is given bytes, and answers with bytes.

Between mnemo and the program stands a fresh interpreter, which raises the walls around itself and then
becomes the program: no network and no socket, no file but the system's, none that it could write, no other
process, bounds of memory and time. `main` is that interpreter's.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from mnemo_assets.text import walls
from mnemo_assets.text.files_wall import LOADER

if TYPE_CHECKING:
    from collections.abc import Sequence

#: By the clock a program may take twice its processor time, as others run beside it, and this much more.
SLACK: Final = 5.0
#: How often a run looks whether mnemo ends, in seconds.
_LOOK = 0.2
_AT_ONCE = 1 << 16
#: The program could not be started: what a shell says, too.
NOT_STARTED: Final = 127
#: Where programs are, and what they read by themselves.
SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/opt", "/nix/store")
_BOOT = "import sys; sys.path.append(sys.argv[2]); from mnemo_assets.text.walled import main; main()"


class EndedBadlyError(Exception):
    """The program gave no answer; the text says how it ended, and nothing of what it was given."""


class NotStartedError(Exception):
    """The program could not be started."""


def run(
    command: Sequence[str],
    given: bytes,
    *,
    seconds: int,
    memory_mb: int,
    limit: int,
    environment: dict[str, str],
    readable: Sequence[str] = (),
    end: threading.Event | None = None,
) -> bytes:
    """What a program writes to its output; its complaints are not kept.

    Args:
        command: an absolute path without links, and arguments.
        given: its input.
        seconds: of processor time that it may take.
        memory_mb: that it may have.
        limit: bytes that it may write.
        environment: all of it.
        readable: files and folders that it may read beside the system's.
        end: is set when mnemo ends: the program is killed.

    Raises:
        EndedBadlyError: it took too long, wrote too much, crashed or failed.
        NotStartedError: there is no such program.
    """
    folders = [*SYSTEM, str(Path(command[0]).parent)]
    order = {
        "command": list(command),
        "programs": [path for path in folders if Path(path).exists()],
        "memory_mb": memory_mb,
        "seconds": seconds,
        "readable": [path for path in readable if Path(path).exists()],
        "parent": os.getpid(),
    }
    process = _start(order, environment)
    assert process.stdin is not None
    assert process.stdout is not None
    feeding = threading.Thread(target=_feed, args=(process.stdin, given), daemon=True)
    feeding.start()
    try:
        deadline = time.monotonic() + 2 * seconds + SLACK
        output = _collected(process.stdout, deadline, limit, end or threading.Event())
        code = process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise EndedBadlyError("clock") from None
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        feeding.join()
        process.stdout.close()
    _judge(code)
    return output


def _start(order: dict[str, object], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """The fresh interpreter, which raises the walls and becomes the program: see `main`."""
    root = str(Path(__file__).parents[2])
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _BOOT, json.dumps(order), root],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=environment | {name: os.environ[name] for name in LOADER if name in os.environ},
        start_new_session=True,
    )


def _feed(pipe: IO[bytes], given: bytes) -> None:
    with suppress(OSError), pipe:  # it may end without having read all
        pipe.write(given)


def _collected(pipe: IO[bytes], deadline: float, limit: int, end: threading.Event) -> bytes:
    """All that is written to a pipe."""
    pieces: list[bytes] = []
    size = 0
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    while True:
        if end.is_set():
            raise EndedBadlyError("mnemo ends")
        left = deadline - time.monotonic()
        if left <= 0:
            raise EndedBadlyError("clock")
        if not poll.poll(1000 * min(left, _LOOK)):
            continue
        piece = os.read(pipe.fileno(), _AT_ONCE)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise EndedBadlyError("output")


def _judge(code: int) -> None:
    if code == NOT_STARTED:
        raise NotStartedError
    if code == -signal.SIGXCPU:
        raise EndedBadlyError("processor")
    if code:
        raise EndedBadlyError(f"signal {-code}" if code < 0 else f"exit {code}")


def main() -> None:
    """Raise the walls around this process, then become the program. The first argument is the order."""
    order = json.loads(sys.argv[1])
    command: list[str] = order["command"]
    prepared = walls.prepare(order["memory_mb"], order["seconds"], order["readable"], order["programs"])
    prepared.raise_all(order["parent"])
    with suppress(OSError):
        os.execve(command[0], command, dict(os.environ))  # noqa: S606 - no shell is wanted
    os._exit(NOT_STARTED)
