"""The account that the server runs under: Postgres refuses to run as root, so root needs another one."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mnemo_assets.errors import PostgresError

#: Accounts that every Linux has and that run nothing. Not `nobody`: in a user namespace every stranger is.
BORROWED = ("bin", "daemon")
#: All that the server's programs are told: no PG* variable, no locale and no proxy of the user's reaches them.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


@dataclass(frozen=True, slots=True)
class Account:
    """How to start a program that refuses root, and as whom its clients arrive."""

    client: str
    prefix: tuple[str, ...] = ()
    uid: int | None = None
    gid: int | None = None

    def run(
        self, arguments: Sequence[str | Path], *, seconds: float, said: int = subprocess.PIPE
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end, in a session of its own, with none of our files open.

        Raises:
            PostgresError: it took longer than `seconds`.
        """
        try:
            return subprocess.run(
                [*self.prefix, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=ENVIRONMENT,
                cwd="/",
                umask=0o077,
                user=self.uid,
                group=self.gid,
                extra_groups=None if self.uid is None else (),
                start_new_session=True,
                timeout=seconds,
                check=False,
                text=True,
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            program = Path(arguments[0]).name
            raise PostgresError(
                f"{program} did not end in {seconds:.0f} seconds. Is the disk stuck?"
            ) from None


def _namespace(borrowed: pwd.struct_passwd) -> Account | None:
    """Root in a user namespace of its own, called by the borrowed name there; None where that is forbidden."""
    for unshare in (Path("/usr/bin/unshare"), Path("/bin/unshare")):
        if unshare.exists():
            ids = (f"--map-user={borrowed.pw_uid}", f"--map-group={borrowed.pw_gid}")
            account = Account(borrowed.pw_name, (str(unshare), "--user", *ids, "--"))
            return account if account.run(["/bin/true"], seconds=10).returncode == 0 else None
    return None


def _borrowed() -> pwd.struct_passwd:
    for name in BORROWED:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise PostgresError(
        "Postgres does not run as root, and there is no account to borrow. Use an ordinary user."
    )


def choose(*, service: bool = False) -> Account:
    """The account for this process's user.

    An ordinary user runs the server as themselves. Root runs it in a user namespace, where files stay root's and
    the server believes it is another account; where that is forbidden, as a service account.

    Args:
        service: the cluster was made by a service account, and only that one can open it.

    Raises:
        PostgresError: the user has no name on this machine, or is root where no way is left.
    """
    uid = os.geteuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        raise PostgresError(
            f"User id {uid} has no name on this machine, and Postgres asks for one. Add it to /etc/passwd, "
            "or use another user."
        ) from None
    if uid != 0:
        return Account(name)
    if not sys.platform.startswith("linux"):
        raise PostgresError("Postgres does not run as root. Use an ordinary user.")
    borrowed = _borrowed()
    return (None if service else _namespace(borrowed)) or Account(
        name, uid=borrowed.pw_uid, gid=borrowed.pw_gid
    )
