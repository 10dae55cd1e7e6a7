"""Where the server's files stand: everything under MNEMO_HOME, but for what cannot be there.

    HOME/postgres/data    the cluster              HOME/postgres/lock         held while it is started or stopped
    HOME/postgres/log     what the server says     HOME/socket                its socket: a folder, or a symbolic
                                                                              link where the path is too long

As root where user namespaces are forbidden, data and socket stand in SERVICE, in the service account's own folder.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from mnemo_assets.errors import PostgresError

SOCKET = ".s.PGSQL.5432"
#: Bytes of a socket's path: sun_path holds 104 on macOS and 108 on Linux, both with a closing NUL.
LONGEST = 103
#: Only root can make a name here, so nobody can be waiting in our place.
SERVICE = Path("/var/lib/mnemo")
#: The same for every process of a machine, unlike TMPDIR or XDG_RUNTIME_DIR, and short.
SHORT = Path("/tmp")  # noqa: S108 - the folder made in it is private, random and checked before use


@dataclass(frozen=True, slots=True)
class Places:
    """The absolute paths of one server's files."""

    data: Path
    lock: Path
    log: Path
    link: Path
    socket_home: Path
    mark: str

    @property
    def pid_file(self) -> Path:
        """What the running server has written about itself."""
        return self.data / "postmaster.pid"

    def socket_folder(self) -> Path | None:
        """The folder of the socket, or None while it has to be made."""
        if _fits(self.socket_home):
            return self.socket_home
        try:
            target = self.link.readlink()
        except OSError:
            return None
        # a copied home must not follow the link to the server of the original
        return target if target.parent == SHORT and target.name.startswith(self.mark) else None

    def make_socket_folder(self) -> Path:
        """Make the folder of the socket where it is missing, and check that it is private.

        Raises:
            PostgresError: it belongs to somebody else.
        """
        folder = self.socket_folder()
        if folder is None or (folder != self.socket_home and not folder.is_dir()):
            folder = Path(tempfile.mkdtemp(prefix=self.mark, dir=SHORT))
            self.link.unlink(missing_ok=True)
            self.link.symlink_to(folder)
        make_private(folder)
        return folder


def _fits(folder: Path) -> bool:
    return len(os.fsencode(folder / SOCKET)) <= LONGEST


def of(home: Path) -> Places:
    """The places of a home (an absolute path)."""
    mark = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
    root, socket_home = home / "postgres", home / "socket"
    data = root / "data"
    if os.geteuid() == 0 and (SERVICE / mark).is_dir():
        data, socket_home = SERVICE / mark / "data", SERVICE / mark / "socket"
    return Places(data, root / "lock", root / "log", home / "socket", socket_home, f"mnemo-{mark}-")


def make_private(folder: Path) -> None:
    """Make a folder that only its owner can open, or check that an existing one is.

    Raises:
        PostgresError: it is a link, another user's, or open to others and cannot be closed.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {
            os.geteuid(),
            folder.parent.lstat().st_uid,
        }:
            raise PostgresError(f"{folder} is not a folder of yours. Remove it, or set another MNEMO_HOME.")
        if stat.S_IMODE(found.st_mode) & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise PostgresError(
            f"{folder} cannot be made private: {error.strerror}. Set another MNEMO_HOME."
        ) from None
