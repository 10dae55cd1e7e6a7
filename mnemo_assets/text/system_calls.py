"""The wall around system calls: a seccomp filter that lets through what reading a file needs, no more.

It is a list of what may be done, not of what may not: a call that a later kernel brings is outside of it. No
socket of any family, no process or thread, no signal, no program, no change of a file or of its times, no
open for writing. What is refused fails with EPERM, and what this list does not know with ENOSYS, as on an
old kernel, so that the C library takes another way.
"""

from __future__ import annotations

import errno
import os

from mnemo_assets.text.bpf import (
    ABOVE,
    ANY_BIT,
    EQUAL,
    FAIL,
    PASS,
    RETURN,
    beginning,
    if_argument,
    step,
    when,
)

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


def program(*, opens: bool, starts: bool = False) -> bytes:
    """The filter for this machine.

    Args:
        opens: whether files may be opened for reading; not where nothing else says which.
        starts: whether this process may become another program.

    Raises:
        OSError: ENOSYS, the system or the machine has no such wall.
    """
    column, steps = beginning()
    steps += [step(ABOVE, _KNOWN, 0, 1), step(RETURN, FAIL | errno.ENOSYS)]
    for numbers in (ALLOWED | (_STARTS if starts else {})).values():
        steps += when(numbers[column], [step(RETURN, PASS)])
    steps += when(_FCNTL[column], if_argument(1, EQUAL, _LOOKS, passes=True))
    steps += when(_PRLIMIT[column], if_argument(2, EQUAL, (0,), passes=True))  # asks, and sets nothing
    if starts:
        steps += when(_IOCTL[column], if_argument(1, EQUAL, _ASKS, passes=True))
    if opens:
        steps += when(_OPENAT[column], if_argument(2, ANY_BIT, (_CHANGES,), passes=False))
        steps += when(_OPEN[column], if_argument(1, ANY_BIT, (_CHANGES,), passes=False))
    return b"".join([*steps, step(RETURN, FAIL | errno.EPERM)])
