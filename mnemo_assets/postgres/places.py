"""Where the server's files stand: under MNEMO_HOME, but for what cannot be there.

    HOME/postgres/data    the cluster
    HOME/postgres/lock    held by the process that starts or stops the server
    HOME/postgres/watched held by the process that stops the server when nobody uses it
    HOME/postgres/log     what the server says
    HOME/postgres/socket  a link to the folder of its socket: run-* beside it, or in SHORT if that is unfit

As root where user namespaces are forbidden, cluster and socket stand in a folder of SERVICE (see account.py),
and HOME/postgres/service is a link to it. Whoever deletes such a home has to delete that folder too.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from mnemo_assets.errors import PostgresError

SOCKET = ".s.PGSQL.5432"
#: Bytes of a socket's path: sun_path holds 104 on macOS and 108 on Linux, both with a closing NUL.
LONGEST = 103
#: What a folder in a list of folders, or in quotes, cannot hold.
UNFIT = re.compile(rb"""[\x00-\x1f,"'\\]""")
#: The same for every process of a machine, unlike TMPDIR or XDG_RUNTIME_DIR, and short.
SHORT = Path("/tmp")  # noqa: S108 - the folder made in it is private, random and checked before each start
#: Only root can make a name here, so nobody can be waiting in our place.
SERVICE = Path("/var/lib/mnemo")


@dataclass(frozen=True, slots=True)
class Places:
    """The absolute paths of one server's files."""

    root: Path
    """HOME/postgres."""
    base: Path
    """The folder of the cluster: root, or the service account's own."""
    mark: str
    """Begins the name of what stands outside the home; a copied home has another."""

    @property
    def data(self) -> Path:
        """The cluster."""
        return self.base / "data"

    @property
    def pid_file(self) -> Path:
        """What the running server has written about itself."""
        return self.data / "postmaster.pid"

    @property
    def lock(self) -> Path:
        """Held by the process that starts or stops the server."""
        return self.root / "lock"

    @property
    def watched(self) -> Path:
        """Held by the process that stops the server when nobody uses it."""
        return self.root / "watched"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.root / "log"

    @property
    def link(self) -> Path:
        """Leads to the folder of the socket."""
        return self.root / "socket"

    @property
    def is_service(self) -> bool:
        """Whether the cluster belongs to a service account."""
        return self.base != self.root

    def socket_folder(self) -> Path | None:
        """The folder of the socket, or None if it has to be made. A few system calls."""
        try:
            folder = self.base / self.link.readlink()
        except OSError:
            return None
        ours = folder.parent == self.base or (folder.parent == SHORT and folder.name.startswith(self.mark))
        return folder if ours and is_private(folder) else None

    def make_socket_folder(self) -> Path:
        """Make the folder of the socket unless it is there.

        Its name is new with each cluster: a server whose home was deleted removes its socket by name, when it
        notices a minute later, and must not take its successor's.
        """
        if (folder := self.socket_folder()) is not None:
            return folder
        longest = os.fsencode(self.base / "run-12345678" / SOCKET)
        fits = len(longest) <= LONGEST and not UNFIT.search(longest)
        place, prefix = (self.base, "run-") if fits else (SHORT, self.mark)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(folder.name if fits else folder)
        return folder


def of(home: Path) -> Places:
    """The places of a home (an absolute path)."""
    mark = f"mnemo-{hashlib.sha256(os.fsencode(home)).hexdigest()[:12]}-"
    root = home / "postgres"
    try:
        base = (root / "service").readlink() if os.geteuid() == 0 else root
    except OSError:
        base = root
    return Places(root, base if base.parent == SERVICE else root, mark)


def service_of(home: Path, uid: int, gid: int) -> Places:
    """The places of a new home whose cluster belongs to a service account; makes that one's folder."""
    SERVICE.mkdir(mode=0o711, exist_ok=True)
    where = of(home)
    # a new name: a folder that is there may belong to a home that was moved away
    folder = Path(tempfile.mkdtemp(prefix=where.mark, dir=SERVICE))
    os.chown(folder, uid, gid)
    (where.root / "service").unlink(missing_ok=True)
    (where.root / "service").symlink_to(folder)
    return of(home)


def is_private(folder: Path) -> bool:
    """Whether a folder is there, no link, closed to others, and ours (to root: given away by root)."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    ours = found.st_uid == os.geteuid() or (os.geteuid() == 0 and folder.is_relative_to(SERVICE))
    return stat.S_ISDIR(found.st_mode) and ours and not stat.S_IMODE(found.st_mode) & 0o077


def make_private(folder: Path) -> None:
    """Make a folder that only its owner can open; an existing one of ours is closed.

    Raises:
        PostgresError: it is a link or another user's.
        OSError: it cannot be made.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid():
        folder.chmod(0o700)
    if not is_private(folder):
        raise PostgresError(f"{folder} is not a folder of yours. Remove it, or set another MNEMO_HOME.")
