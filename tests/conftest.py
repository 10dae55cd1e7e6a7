"""What every test stands on: a real Postgres, a home that is not the user's, a bare environment."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import hypothesis.configuration
import psycopg
import pytest

from mnemo_assets import database, postgres
from mnemo_assets.settings import Settings
from tests.llama import OneServer
from tests.second_server import Graph, SecondServer, graph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.llama import Llama

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"

_scratch: Path | None = None
_numbers = itertools.count(1)
_spare: list[tuple[str, list[tuple[object, ...]]]] = []

#: Whatever statement defines, drops or grants something writes to one of these.
_CATALOGS = (
    "attribute",
    "constraint",
    "db_role_setting",
    "extension",
    "namespace",
    "proc",
    "rewrite",
    "trigger",
)
_SCHEMA = " union all ".join(
    [
        *(f"select '{name}', count(*), max(xmin::text::bigint) from pg_{name}" for name in _CATALOGS),  # noqa: S608 - our own names
        "select 'migrations', count(*), max(xmin::text::bigint) from mnemo.migrations",
    ]
)
_END_OTHERS = """
    select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
"""
_EMPTY = """
    do $$ begin execute (
        select format('truncate %s restart identity', string_agg(oid::regclass::text, ', ')) from pg_class
        where relnamespace = 'mnemo'::regnamespace and relkind = 'r' and relname <> 'migrations'
    ); end $$
"""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Turn every road to the user's own files into a temporary folder, for this process and its children."""
    global _scratch  # noqa: PLW0603 - one a process, from its first moment to its last
    _scratch = Path(tempfile.mkdtemp(prefix="mnemo-t-", dir="/tmp"))
    for name in [name for name in os.environ if name.startswith(("MNEMO_", "PG", "XDG_"))]:
        del os.environ[name]
    if config.option.basetemp is None:
        config.option.basetemp = str(_scratch / "tmp")  # pytest's own would stay for three runs
    user = _scratch / "user"
    user.mkdir()
    os.environ["HOME"] = str(user)
    for name in ("CACHE_HOME", "CONFIG_HOME", "DATA_HOME", "RUNTIME_DIR", "STATE_HOME"):
        os.environ[f"XDG_{name}"] = str(user / name.lower())
    os.environ["PYTHONPATH"] = str(ROOT)  # children find the project from any folder
    hypothesis.configuration.set_hypothesis_home_dir(_scratch / "hypothesis")
    hypothesis.settings.register_profile(
        "mnemo",
        deadline=None,
        database=None,
        suppress_health_check=[
            hypothesis.HealthCheck.function_scoped_fixture,
            hypothesis.HealthCheck.too_slow,
        ],
    )
    hypothesis.settings.load_profile("mnemo")


def pytest_unconfigure() -> None:
    """Leave nothing behind, however the run ended."""
    if _scratch is not None:
        for home in _scratch.iterdir():
            postgres.stop(home)
        shutil.rmtree(_scratch, ignore_errors=True)


@pytest.fixture(autouse=True)
def _quiet_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test works in an empty folder: a developer's own `.env` says nothing to it."""
    assert _scratch is not None
    here = _scratch / "here"
    here.mkdir(exist_ok=True)
    monkeypatch.chdir(here)


@pytest.fixture(scope="session")
def shared_socket() -> Path:
    """The socket folder of the server that this process's tests share; its `mnemo` is the template."""
    assert _scratch is not None
    home = _scratch / "shared"
    database.connect(Settings(home=home)).close()
    socket = postgres.ensure(home)
    with psycopg.connect(host=str(socket), user="mnemo_admin", dbname="postgres", autocommit=True) as admin:
        admin.execute("alter system set fsync = off")  # a test's data need not outlive the machine
        admin.execute("alter system set full_page_writes = off")
        admin.execute("select pg_reload_conf()")
    return socket


@pytest.fixture
def admin(shared_socket: Path) -> Iterator[psycopg.Connection]:
    """The superuser, in the shared server's database `postgres`."""
    with psycopg.connect(
        host=str(shared_socket), user="mnemo_admin", dbname="postgres", autocommit=True
    ) as admin:
        yield admin


@pytest.fixture
def clone(shared_socket: Path, admin: psycopg.Connection) -> Iterator[str]:
    """The name of a migrated, empty database of this test's own.

    A test that left the schema as it was hands its database on, emptied: that takes a tenth of a new one.
    """
    if _spare:
        name, schema = _spare.pop()
    else:
        name = f"test_{next(_numbers)}"
        admin.execute(f"create database {name} template mnemo owner mnemo_owner".encode())
        with _inside(shared_socket, name) as inside:
            inside.execute(database.Q["close_database"])
            schema = inside.execute(_SCHEMA.encode()).fetchall()
    yield name
    with _inside(shared_socket, name) as inside:
        inside.execute(_END_OTHERS)
        changed = inside.execute(_SCHEMA.encode()).fetchall() != schema
        if not changed:
            inside.execute(_EMPTY)
    if changed:
        admin.execute(f"drop database {name} with (force)".encode())
    else:
        _spare.append((name, schema))


def _inside(socket: Path, name: str) -> psycopg.Connection:
    return psycopg.connect(host=str(socket), user="mnemo_admin", dbname=name, autocommit=True)


@pytest.fixture
def settings(
    tmp_path: Path,
    shared_socket: Path,
    clone: str,
    admin: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Settings]:
    """Settings with a home of the test's own; in this process, its database is the test's clone."""
    monkeypatch.setattr(database, "DATABASE", clone)
    monkeypatch.setattr(database, "DAGSTER", f"{clone}_dagster")
    monkeypatch.setattr(postgres, "ensure", lambda _home, **_options: shared_socket)
    monkeypatch.setattr(postgres, "is_running", lambda _home: True)
    yield Settings(home=tmp_path / "home", workers=2)
    admin.execute(f"drop database if exists {clone}_dagster with (force)".encode())


@pytest.fixture
def connection(settings: Settings) -> Iterator[database.Connection]:
    """The owner's connection to the test's database."""
    with database.connect(settings) as connection:
        yield connection


@pytest.fixture
def reader(settings: Settings) -> Iterator[database.Connection]:
    """The reader's connection to the test's database."""
    with database.connect(settings, role="reader") as connection:
        yield connection


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A MNEMO_HOME of the test's own, also for child processes; its server starts when it is asked for."""
    assert _scratch is not None
    folder = _scratch / f"home-{next(_numbers)}"
    monkeypatch.setenv("MNEMO_HOME", str(folder))
    try:
        yield folder
    finally:
        postgres.stop(folder)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def second_server() -> Iterator[SecondServer]:
    """A Postgres that is somebody's own, with passwords and TLS, on the loopback."""
    assert _scratch is not None
    running = SecondServer(_scratch / "second-server").make()
    yield running
    running.stop("immediate")


@pytest.fixture
def own(second_server: SecondServer) -> Graph:
    """A new, empty database on the second server, and the user who owns it."""
    return graph(second_server)


@pytest.fixture(scope="session")
def one_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneServer]:
    """The one llama-server of this run; see tests/llama.py for what a module needs that asks it."""
    one = OneServer(tmp_path_factory.mktemp("llama"))
    try:
        yield one
    finally:
        one.end()


@pytest.fixture
def llama(one_server: OneServer) -> Llama:
    """A llama-server with a small model, two slots of 8,192 tokens each."""
    return one_server.single()


@pytest.fixture
def router(one_server: OneServer) -> Llama:
    """A llama-server that has two models, and room for one."""
    return one_server.router()


@pytest.fixture
def corpus() -> Path:
    """The invented archive beside the project."""
    return _beside("corpus/files")


@pytest.fixture
def bugcases() -> Path:
    """The collected bugs beside the project."""
    return _beside("bugcases")


def _beside(name: str) -> Path:
    if not (SHARED / name).is_dir():
        pytest.skip(f"../shared/{name} is not there")
    return SHARED / name
