"""Lets no process of `mnemo up` outlive it, however it ends. A file of its own, with no import of ours.

    keeper.py                     reads lines "+GROUP" and "-GROUP"; when they end, ends the groups left
    keeper.py PARENT PROGRAM ...  becomes the program, which the kernel ends when PARENT ends (Linux)

Two ways, since each alone may be killed or, on macOS, missing.
"""

import contextlib
import ctypes
import os
import signal
import sys
import time

#: Seconds that a process group has to end by itself.
GRACE = 8.0
#: prctl(PR_SET_PDEATHSIG, ...) of <sys/prctl.h>
PDEATHSIG = 1


def send(group: int, number: int) -> bool:
    """Signal a process group; False if nobody is left in it."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # macOS: only zombies are left
        return False
    return True


def end(groups: set[int], grace: float = GRACE) -> None:
    """End process groups: asked first, killed when the grace is over."""
    left = {group for group in groups if send(group, signal.SIGTERM)}
    until = time.monotonic() + grace
    while left and time.monotonic() < until:
        time.sleep(0.05)
        for group in left:
            with contextlib.suppress(ChildProcessError):  # one of ours stays until it is asked for
                os.waitpid(-group, os.WNOHANG)
        left = {group for group in left if send(group, 0)}
    for group in left:
        send(group, signal.SIGKILL)


def keep() -> None:
    """Read of groups until whoever writes is gone; then end those that are left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    end(groups)


def become(parent: int, program: list[str]) -> None:
    """Become a program that ends with its parent.

    A shell has what it starts with "&" ignore Ctrl-C. Dagster takes SIGTERM for the same, and would ignore
    that too: they listen to both again.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it ended before
            raise SystemExit(1)
    os.execv(program[0], program)  # noqa: S606 - an absolute path, without a shell


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        if len(sys.argv) > 1:
            become(int(sys.argv[1]), sys.argv[2:])
        keep()
