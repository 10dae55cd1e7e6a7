"""The server's process, known by the file it writes about itself: which after kill -9 tells of another's."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from mnemo_assets.postgres.places import SOCKET

if TYPE_CHECKING:
    from mnemo_assets.postgres.places import Places

#: No process has this id: the largest is 4,194,304 on Linux and 99,998 on macOS.
NO_PROCESS = 2_147_483_646
#: The line of the file with the server's state, counted from 0.
_STATE = 7


def of(where: Places) -> int | None:
    """The id of the server's process; None if it is dead, even where another process has its id now."""
    try:
        pid = int(_lines(where)[0])
    except (ValueError, IndexError):
        return None
    return pid if pid > 0 and _works_in(pid, where.data) else None


def is_ready(where: Places) -> bool:
    """Whether the server's last word about itself was that it is ready."""
    return [line.strip() for line in _lines(where)[_STATE : _STATE + 1]] == ["ready"]


def bury(where: Places, socket: Path) -> None:
    """Let a dead server's files name no living process. Only with the lock, when `of` is None.

    Postgres refuses to start while a process has the id in them, whoever's it is. The first file has to stay:
    it leads the new server to the memory of the old one's orphans, if there are any.
    """
    if lines := _lines(where):
        where.pid_file.write_text("\n".join([str(NO_PROCESS), *lines[1:]]) + "\n", encoding="utf-8")
    (socket / f"{SOCKET}.lock").unlink(missing_ok=True)


def _lines(where: Places) -> list[str]:
    try:
        return where.pid_file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []


def _works_in(pid: int, data: Path) -> bool:
    """Whether a process is a Postgres of this cluster, whose folder it works in from its first moment on."""
    process = Path("/proc") / str(pid)
    try:
        if Path("/proc/self/cwd").exists():
            return (process / "cwd").samefile(data) and (process / "exe").readlink().name.startswith(
                "postgres"
            )
        command = ["/usr/sbin/lsof", "-a", "-p", str(pid), "-d", "cwd", "-F", "cn"]
        said = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout
    except OSError:  # it is gone, a zombie, or somebody else's
        return False
    return {"cpostgres", f"n{data.resolve()}"} <= set(said.splitlines())
