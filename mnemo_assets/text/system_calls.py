"""The wall around system calls: a seccomp filter that lets through what reading a file needs, no more.

It is a list of what may be done, not of what may not: a call that a later kernel brings is outside of it. No
socket of any family, no process or thread, no signal, no program, no change of a file or of its times, no
open for writing. What is refused fails with EPERM, and what this list does not know with ENOSYS, as on an
old kernel, so that the C library takes another way.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys

#: Name: its number on x86_64 and on aarch64 (asm/unistd_64.h, asm-generic/unistd.h); None where it does not
#: exist.
ALLOWED: dict[str, tuple[int | None, int | None]] = {
    # the file it was given, and the pipe for its answer
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "pread64": (17, 67),
    "lseek": (8, 62), "close": (3, 57), "close_range": (436, 436), "dup": (32, 23), "fstat": (5, 80),
    # modules that are imported late; what may be opened is the wall around files
    "newfstatat": (262, 79), "stat": (4, None), "lstat": (6, None), "statx": (332, 291),
    "getdents64": (217, 61), "readlink": (89, None), "readlinkat": (267, 78), "access": (21, None),
    "faccessat": (269, 48), "faccessat2": (439, 439), "getcwd": (79, 17),
    # memory
    "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "mremap": (25, 216),
    "madvise": (28, 233), "brk": (12, 214), "membarrier": (324, 283),
    # itself
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132), "futex": (202, 98), "set_robust_list": (273, 99), "rseq": (334, 293),
    "restart_syscall": (219, 128), "getpid": (39, 172), "getppid": (110, 173), "gettid": (186, 178),
    "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177),
    "getrlimit": (97, 163), "getrusage": (98, 165), "uname": (63, 160), "sysinfo": (99, 179),
    "sched_yield": (24, 124), "sched_getaffinity": (204, 123), "getrandom": (318, 278),
    "exit": (60, 93), "exit_group": (231, 94),
    # the time
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101), "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153),
}  # fmt: skip
#: What a program of another project needs to be started, and its C library to begin. The programs that it
#: could start in turn stand behind the same walls.
_STARTS: dict[str, tuple[int | None, int | None]] = {
    "execve": (59, 221), "arch_prctl": (158, None), "set_tid_address": (218, 96),
}  # fmt: skip
_OPEN, _OPENAT, _FCNTL, _PRLIMIT = (2, None), (257, 56), (72, 25), (302, 261)
_IOCTL = (16, 29)
#: ioctl requests that a program makes of what it opens: is it a terminal, and is it closed at the next start.
_ASKS = (0x5401, 0x5450, 0x5451)  # TCGETS FIONCLEX FIOCLEX
#: Flags of open that could change something: for writing, for both, create, truncate, a nameless file.
_CHANGES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | 0o20000000
#: fcntl commands that only look at, or copy, a descriptor; the others lock, lease, and send signals.
_LOOKS = (0, 1, 2, 3, 1030)  # F_DUPFD F_GETFD F_SETFD F_GETFL F_DUPFD_CLOEXEC
#: The highest number that the list above was made from; what is above it does not exist yet, as far as we
#: know.
_KNOWN = 450

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column, AUDIT_ARCH
_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06  # of linux/filter.h
_PASS, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000  # SECCOMP_RET_ALLOW, KILL_PROCESS, ERRNO
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def program(*, opens: bool, starts: bool = False) -> bytes:
    """The filter for this machine.

    Args:
        opens: whether files may be opened for reading; not where nothing else says which.
        starts: whether this process may become another program.

    Raises:
        OSError: ENOSYS, the system or the machine has no such wall.
    """
    if sys.platform != "linux" or platform.machine() not in _MACHINES or sys.maxsize < 1 << 32:
        raise OSError(errno.ENOSYS, "seccomp")
    column, architecture = _MACHINES[platform.machine()]
    steps = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, architecture, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_ABOVE, _KNOWN, 0, 1),
        _step(_RETURN, _FAIL | errno.ENOSYS),
    ]
    for numbers in (ALLOWED | (_STARTS if starts else {})).values():
        steps += _when(numbers[column], [_step(_RETURN, _PASS)])
    steps += _when(_FCNTL[column], _if_argument(1, _EQUAL, _LOOKS, passes=True))
    steps += _when(_PRLIMIT[column], _if_argument(2, _EQUAL, (0,), passes=True))  # asks, and sets nothing
    if starts:
        steps += _when(_IOCTL[column], _if_argument(1, _EQUAL, _ASKS, passes=True))
    if opens:
        steps += _when(_OPENAT[column], _if_argument(2, _ANY_BIT, (_CHANGES,), passes=False))
        steps += _when(_OPEN[column], _if_argument(1, _ANY_BIT, (_CHANGES,), passes=False))
    return b"".join([*steps, _step(_RETURN, _FAIL | errno.EPERM)])


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


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _when(number: int | None, steps: list[bytes]) -> list[bytes]:
    """The steps, skipped for any other call; nothing where the call does not exist."""
    return [] if number is None else [_step(_EQUAL, number, 0, len(steps)), *steps]


def _if_argument(index: int, test: int, values: tuple[int, ...], *, passes: bool) -> list[bytes]:
    """Let the call pass, or fail, if an argument's lower half meets the test with one of the values."""
    met, other = (_PASS, _FAIL | errno.EPERM) if passes else (_FAIL | errno.EPERM, _PASS)
    # both machines are little-endian: the lower half of the 64 bits comes first
    steps = [_step(_LOAD, _ARGUMENTS + 8 * index)]
    for value in values:
        steps += [_step(test, value, 0, 1), _step(_RETURN, met)]
    return [*steps, _step(_RETURN, other)]
