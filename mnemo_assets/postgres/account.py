"""The account that the server runs under: Postgres refuses to run as root, so root needs another one."""

from __future__ import annotations

import contextlib
import os
import pwd
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from mnemo_assets.errors import PostgresError

#: Accounts that every Linux has and that run nothing. Not `nobody`: in a user namespace every stranger is
#: nobody, and would be taken for us.
BORROWED = ("bin", "daemon")
#: All that the server's programs are told: no PG* variable, locale or preloaded library of the user's.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}
UNSHARE = (Path("/usr/bin/unshare"), Path("/bin/unshare"))


@dataclass(frozen=True, slots=True)
class Account:
    """How to start a program that refuses root, and as whom its clients arrive."""

    client: str
    """The name that the server's kernel gives to us."""
    prefix: tuple[str, ...] = ()
    """Words before the program's own."""
    uid: int | None = None
    """User and group to change to; None to stay."""
    gid: int | None = None

    def run(
        self,
        program: Path,
        *words: str | Path,
        seconds: float,
        said: int = subprocess.PIPE,
        data: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end, in a session of its own, with none of our files open.

        Args:
            program: absolute path.
            words: its arguments.
            seconds: it may take.
            said: descriptor that takes what it prints; by default that is in the answer.
            data: PGDATA, for pg_ctl: -D would go through a shell, where a folder's name may mean something.

        Raises:
            PostgresError: it took longer than `seconds`.
            OSError: it cannot be started.
        """
        try:
            return subprocess.run(
                [*self.prefix, program, *words],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=ENVIRONMENT if data is None else {**ENVIRONMENT, "PGDATA": os.fspath(data)},
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
            raise PostgresError(
                f"{program.name} did not end in {seconds:.0f} seconds. Is the disk stuck?"
            ) from None


def choose(*, service: bool = False) -> Account:
    """The account for this process's user.

    An ordinary user runs the server as themselves. Root runs it in a user namespace, where files stay root's
    and the server believes that it is another account; where that is forbidden, as that account (a container
    is often such a place).

    Args:
        service: the cluster was made by a service account, and only that one can open it.

    Raises:
        PostgresError: the user has no name on this machine, or is root and no way is left.
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
    if sys.platform == "darwin":
        raise PostgresError("Postgres does not run as root. Use an ordinary user.")
    borrowed = _borrowed()
    if not service and (namespace := _namespace(borrowed)) is not None:
        return namespace
    return Account(name, uid=borrowed.pw_uid, gid=borrowed.pw_gid)


def _borrowed() -> pwd.struct_passwd:
    for name in BORROWED:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise PostgresError(
        "Postgres does not run as root, and this machine has no account to borrow. Use an ordinary user."
    )


def _namespace(borrowed: pwd.struct_passwd) -> Account | None:
    """Root in a user namespace of its own, with the borrowed name there; None where that is forbidden."""
    for unshare in UNSHARE:
        if unshare.exists():
            ids = (f"--map-user={borrowed.pw_uid}", f"--map-group={borrowed.pw_gid}")
            account = Account(borrowed.pw_name, (str(unshare), "--user", *ids, "--"))
            return account if account.run(Path("/bin/true"), seconds=10).returncode == 0 else None
    return None
