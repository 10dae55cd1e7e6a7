"""Filters of system calls: the few instructions that they are made of, and putting a process behind one."""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys

#: Which column of a table of call numbers is this machine's, and its AUDIT_ARCH (linux/audit.h).
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
LOAD, EQUAL, ABOVE, ANY_BIT, RETURN = 0x20, 0x15, 0x25, 0x45, 0x06  # of linux/filter.h
PASS, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000  # SECCOMP_RET_ALLOW, KILL_PROCESS, ERRNO
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def beginning() -> tuple[int, list[bytes]]:
    """The column of this machine, and the steps that begin its filter: the call's number is loaded then.

    Raises:
        OSError: ENOSYS, the system or the machine has no such wall.
    """
    if sys.platform != "linux" or platform.machine() not in _MACHINES or sys.maxsize < 1 << 32:
        raise OSError(errno.ENOSYS, "seccomp")
    column, architecture = _MACHINES[platform.machine()]
    return column, [
        step(LOAD, _ARCHITECTURE),
        step(EQUAL, architecture, 1, 0),
        step(RETURN, KILL),
        step(LOAD, _NUMBER),
    ]


def wall_off(filter_program: bytes) -> None:
    """Put this process behind the filter, for good.

    Raises:
        OSError: the kernel does not take it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    described = _Program(len(filter_program) // 8, filter_program)
    if (
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        or libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(described), 0, 0) != 0
    ):
        raise OSError(ctypes.get_errno(), "seccomp")


def step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """An instruction; a test skips so many of those behind it."""
    return struct.pack("=HBBI", code, if_true, if_false, value)


def when(number: int | None, steps: list[bytes]) -> list[bytes]:
    """The steps, skipped for any other call; nothing where the call does not exist."""
    return [] if number is None else [step(EQUAL, number, 0, len(steps)), *steps]


def if_argument(index: int, test: int, values: tuple[int, ...], *, passes: bool) -> list[bytes]:
    """Let the call pass, or fail, if an argument's lower half meets the test with one of the values."""
    met, other = (PASS, FAIL | errno.EPERM) if passes else (FAIL | errno.EPERM, PASS)
    # both machines are little-endian: the lower half of the 64 bits comes first
    steps = [step(LOAD, _ARGUMENTS + 8 * index)]
    for value in values:
        steps += [step(test, value, 0, 1), step(RETURN, met)]
    return [*steps, step(RETURN, other)]
