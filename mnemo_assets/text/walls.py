"""The walls that a reader stands behind: what they are, and raising them.

Some are raised once, in the zygote; the others in each child, in an order in which none stands in the way of
the next. A wall that the platform lacks is not fatal: it is reported with its reason, and the others hold.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import signal
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mnemo_assets.text import bpf, files_wall, system_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_CAPABILITY_VERSION = 0x20080522
#: Descriptors that a reader may have open: its document, its answer, a module it imports, a few to spare.
_DESCRIPTORS = 32
#: The first process that the kernel ends when memory runs out should be the one that reads strangers' files.
_FIRST_TO_END = b"1000"


@dataclass(frozen=True, slots=True)
class Wall:
    """A wall.

    Attributes:
        name: what it keeps a reader from.
        in_force: whether it stands on this machine.
        why_not: the name of the system's error, or None.
    """

    name: str
    in_force: bool
    why_not: str | None


@dataclass(slots=True)
class Walls:
    """What the zygote prepared once, for every child to raise.

    Attributes:
        memory: bytes of address space that a child may have.
        seconds: of processor time.
        network_error: why the network is not dropped, or None.
        rules: the descriptor of the wall around files, or the error that it met.
        program: the filter of system calls, or the error that it met.
    """

    memory: int
    seconds: int
    network_error: OSError | None = None
    rules: int | OSError = field(default_factory=lambda: OSError(errno.ENOSYS, ""))
    program: bytes | OSError = b""

    def raise_all(self, parent: int) -> list[Wall]:
        """Raise every wall around this process, a child of `parent`; nothing takes them down again."""
        raised = [tried("the network", partial(_again, self.network_error))]
        for name, wall in (
            ("outliving mnemo", partial(die_with, parent)),
            ("memory", partial(limit_memory, self.memory)),
            ("time, file sizes and core dumps", partial(_limit, self.seconds)),
            ("the rights of root", drop_capabilities),
            ("files other than its own", partial(_wall_files, self.rules)),
            ("sockets, processes and other system calls", partial(_wall_calls, self.program)),
        ):
            raised.append(tried(name, wall))
        return raised


def prepare(memory_mb: int, seconds: int, extra: list[str], programs: Sequence[str] = ()) -> Walls:
    """Drop the network, once, and make ready what children raise.

    Args:
        memory_mb: what one document may take, on top of the zygote's own.
        seconds: of processor time that it may take.
        extra: folders of code to read, beside the usual ones.
        programs: folders of programs, one of which a child becomes; a reader starts none.
    """
    be_first_to_end()
    walls = Walls((memory_mb << 20) + _address_space(), seconds)
    try:
        drop_network()
    except OSError as error:
        walls.network_error = error
    try:
        walls.rules = files_wall.ruleset([*files_wall.code_folders(), *extra], executable=programs)
    except OSError as error:
        walls.rules = error
    try:
        walls.program = system_calls.program(opens=isinstance(walls.rules, int), starts=bool(programs))
    except OSError as error:
        walls.program = error
    return walls


def be_first_to_end() -> None:
    """Be the process that the kernel ends when memory runs out."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_bytes(_FIRST_TO_END)


def tried(name: str, wall: Callable[[], None]) -> Wall:
    """Raise a wall; whether it stands."""
    try:
        wall()
    except (OSError, ValueError) as error:
        number = error.errno if isinstance(error, OSError) else None
        return Wall(name, in_force=False, why_not=errno.errorcode.get(number or 0, type(error).__name__))
    return Wall(name, in_force=True, why_not=None)


def _again(error: OSError | None) -> None:
    if error is not None:
        raise error


def _address_space() -> int:
    """Bytes that this process has mapped: a child begins with as much."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except OSError:
        return 1 << 30  # nothing says: a gigabyte covers the libraries


def drop_network() -> None:
    """Take a network namespace in which no interface is up; ordinary users need a user namespace for it.

    Raises:
        OSError: the system has none, or forbids it.
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, "unshare")
    flags = _CLONE_NEWNET | (0 if os.geteuid() == 0 else _CLONE_NEWUSER)
    if ctypes.CDLL(None, use_errno=True).unshare(flags) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def die_with(parent: int) -> None:
    """End when the parent does, which is the process with that number.

    Raises:
        OSError: the system knows no such thing.
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, "prctl")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    if os.getppid() != parent:  # it died before this line
        os._exit(1)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # not to be traced, by processes of the same user either


def limit_memory(limit: int) -> None:
    """Take no more address space than so many bytes.

    Raises:
        OSError: the system does not hold to it.
    """
    if sys.platform == "darwin":
        raise OSError(errno.ENOTSUP, "RLIMIT_AS")  # it is taken, and nothing holds to it
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _limit(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_DESCRIPTORS, _DESCRIPTORS))


def drop_capabilities() -> None:
    """Give up what root may and others may not.

    Raises:
        OSError: the system has no way to.
    """
    if sys.platform != "linux":
        if os.geteuid() == 0:
            raise OSError(errno.ENOSYS, "capset")
        return
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)  # nor may a program that it becomes have them
    if libc.capset(header, bytes(24)) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def _wall_files(rules: int | OSError) -> None:
    if isinstance(rules, OSError):
        raise rules
    files_wall.wall_off(rules)


def _wall_calls(program: bytes | OSError) -> None:
    if isinstance(program, OSError):
        raise program
    bpf.wall_off(program)
