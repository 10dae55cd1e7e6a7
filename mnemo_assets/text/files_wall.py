"""The wall around files: a Landlock domain in which only code can be opened, and only for reading.

A reader is given its document as an open descriptor. Everything else (the archive, MNEMO_HOME, sockets, /etc,
other people's files) is out of its reach; modules that are imported late are not.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: System calls 444 to 446 have these numbers on every machine.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION_FLAG, _RULE_PATH_BENEATH = 1, 1
_EXECUTE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 2, 1 << 3
#: Rights that each ABI handles (linux/landlock.h): what is handled and not granted is refused.
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
#: From ABI 4 binding and connecting TCP is handled, from 6 abstract sockets and signals outside of the
#: domain.
_NETWORK_ABI, _NETWORK, _SCOPES_ABI, _SCOPES = 4, 3, 6, 3
_PR_SET_NO_NEW_PRIVS = 38

#: What the C library and Python open by themselves.
_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/dev/null",
    "/dev/urandom",
)


def code_folders() -> list[str]:
    """Where code is: Python's own library, installed packages, this package, and the system's libraries."""
    installed = [path for path in sys.path if Path(path).name in {"site-packages", "dist-packages"}]
    own = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), str(Path(__file__).parents[1])]
    return [path for path in dict.fromkeys([*_SYSTEM, *own, *installed]) if Path(path).exists()]


def ruleset(readable: Iterable[str], programs: Iterable[str] = ()) -> int:
    """A descriptor of the rules, to be kept and used for every child.

    Args:
        readable: files and folders that can be opened.
        programs: those of which programs can be started, too.

    Raises:
        OSError: the system has no such wall, or it is switched off.
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, "landlock")
    abi = _call(_CREATE, None, 0, _VERSION_FLAG)
    rights = _RIGHTS[max(version for version in _RIGHTS if version <= abi)]
    fields = [rights, _NETWORK if abi >= _NETWORK_ABI else 0, _SCOPES if abi >= _SCOPES_ABI else 0]
    described = struct.pack("=3Q", *fields)[: 8 * (1 + (abi >= _NETWORK_ABI) + (abi >= _SCOPES_ABI))]
    rules = _call(_CREATE, described, len(described), 0)
    for path in readable:
        _allow(rules, path, 0)
    for path in programs:
        _allow(rules, path, _EXECUTE)
    return rules


def _allow(rules: int, path: str, more: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        access = _READ_FILE | more | (_READ_DIR if Path(path).is_dir() else 0)
        _call(_ADD, rules, _RULE_PATH_BENEATH, struct.pack("=Qi", access, place), 0)
    finally:
        os.close(place)


def wall_off(rules: int) -> None:
    """Put this process behind the rules, for good.

    Raises:
        OSError: the kernel does not take them.
    """
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs")
    _call(_RESTRICT, rules, 0)


def _call(number: int, *arguments: bytes | int | None) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    wide = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result: int = libc.syscall(ctypes.c_long(number), *wide)
    if result < 0:
        raise OSError(ctypes.get_errno(), "landlock")
    return result
