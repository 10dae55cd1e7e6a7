"""A Postgres of the owner's own, by MNEMO_DSN: real, with passwords and TLS."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import sqlalchemy
from pydantic import SecretStr

from mnemo_assets import database
from mnemo_assets.database import dsn
from mnemo_assets.database import own as own_server
from mnemo_assets.errors import (
    ExtensionMissingError,
    PasswordError,
    PrivilegeMissingError,
    ServerRefusedError,
    ServerTooOldError,
    ServerUnfitError,
    ServerUnreachableError,
    ServerUnverifiedError,
    SettingsError,
)
from tests.database.test_reader_role import BYPASSES
from tests.second_server import Graph, SecondServer, TlsFront, graph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.settings import Settings

ROLES: tuple[database.Role, ...] = ("owner", "reader")
DEBIAN = Path("/usr/lib/postgresql/15/bin")
#: What only a superuser can take from everybody.
SUPERUSERS = {
    "making a large object",
    "filling a large object",
    "a lock that writers wait for",
    "words in the log of changes",
}


def document(settings: Any) -> None:
    with database.connect(settings) as owner:
        owner.execute("insert into documents (sha256) values (repeat('a', 64))")


def test_the_graph_is_kept_there(own: Graph, tmp_path: Path) -> None:
    """What the owner writes, a reader's role of its own reads; no server of mnemo's is started."""
    settings = own.settings(tmp_path)
    with database.connect(settings, role="reader") as reader:  # the first call makes it all
        document(settings)
        assert reader.execute("select sha256 from documents").fetchall() == [{"sha256": "a" * 64}]
        assert reader.execute("select current_user as me").fetchone() == {"me": f"{own.name}_reader"}
    assert [path.name for path in tmp_path.iterdir()] == ["own-server"]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "own-server").rglob("*")}
    assert modes == {"reader": 0o600}
    assert stat.S_IMODE((tmp_path / "own-server").stat().st_mode) == 0o700


def test_sessions_are_as_mnemo_needs_them(own: Graph, tmp_path: Path) -> None:
    """Whatever the server's own settings are, a session has ours."""
    with database.connect(own.settings(tmp_path)) as owner:
        rows = owner.execute(
            "select name, setting from pg_settings where name = any(%s)",
            [["TimeZone", "DateStyle", "default_transaction_isolation", "statement_timeout", "search_path"]],
        )
        assert {row["name"]: row["setting"] for row in rows} == {
            "TimeZone": "UTC",
            "DateStyle": "ISO, MDY",
            "default_transaction_isolation": "read committed",
            "statement_timeout": "0",
            "search_path": "mnemo,public",
        }
        assert owner.execute("select lower('ÀÉ') as low, date '2020-01-02' as day").fetchone() is not None


@pytest.mark.parametrize("way", sorted(BYPASSES.keys() - SUPERUSERS))
def test_no_way_around(own_pair: tuple[database.Connection, database.Connection], way: str) -> None:
    """The reader's role is as small as the embedded server's: each way around it ends in a refusal."""
    owner, reader = own_pair
    *before, last = BYPASSES[way]
    refusals = (
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.UndefinedTable,
        psycopg.errors.UndefinedFunction,
    )
    if way in ("the owner's role", "the superuser's role", "the owner's session"):
        last = last.replace("mnemo_owner", f'"{owner.info.user}"').replace("mnemo_admin", "chief")
    last = last.replace("mnemo_reader", f'"{reader.info.user}"')
    for statement in before:
        reader.execute(statement.encode())
    with pytest.raises(refusals):
        reader.execute(last.encode())
    assert owner.execute("select count(*) as n from documents").fetchone() == {"n": 1}


@pytest.fixture(scope="module")
def module_graph(second_server: SecondServer) -> Graph:
    return graph(second_server)


@pytest.fixture
def own_pair(
    module_graph: Graph, tmp_path: Path
) -> Iterator[tuple[database.Connection, database.Connection]]:
    settings = module_graph.settings(tmp_path)
    with database.connect(settings) as owner, database.connect(settings, role="reader") as reader:
        owner.execute("insert into documents (sha256) values (repeat('a', 64)) on conflict do nothing")
        yield owner, reader


def test_the_readers_bounds_are_the_same(
    own_pair: tuple[database.Connection, database.Connection], reader: database.Connection
) -> None:
    """The reader's settings are those of the embedded server, but for what a superuser alone may bound."""
    query = (
        "select name, setting from pg_settings where source in ('user', 'database user') or name = any(%s)"
        " order by name"
    )
    names = ["default_transaction_read_only", "statement_timeout", "transaction_timeout", "lock_timeout"]
    there, here = (
        {row["name"]: row["setting"] for row in each.execute(query, [names])}
        for each in (own_pair[1], reader)
    )
    assert there | {"temp_file_limit": here["temp_file_limit"]} == here
    limit = "select rolconnlimit from pg_roles where rolname = current_user"
    assert own_pair[1].execute(limit).fetchone() == reader.execute(limit).fetchone()


def test_a_superusers_reader_has_no_way_at_all(second_server: SecondServer, tmp_path: Path) -> None:
    """Where the owner is a superuser, what only one can take away is taken away too."""
    theirs = graph(second_server, can="superuser")
    settings = theirs.settings(tmp_path)
    for way in sorted(SUPERUSERS):
        with database.connect(settings, role="reader") as reader:
            *before, last = BYPASSES[way]
            for statement in before:
                reader.execute(statement.encode())
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reader.execute(last.encode())


def test_two_homes_share_a_database(own: Graph, tmp_path: Path) -> None:
    """Two homes that take turns both read: the one that finds the password changed makes a new one."""
    homes = [own.settings(tmp_path / name) for name in ("one", "two", "one", "two")]
    for settings in homes:
        with database.connect(settings, role="reader") as reader:
            assert reader.execute("select count(*) as n from documents").fetchone() == {"n": 0}


def test_a_role_that_is_not_ours_is_left_alone(own: Graph, tmp_path: Path) -> None:
    """A role of the reader's name that somebody else made is not given another password."""
    with own.chief() as chief:
        chief.execute(f"create role \"{own.name}_reader\" login password 'theirs'".encode())
    with pytest.raises(PrivilegeMissingError, match="MNEMO_READER_DSN"):
        database.connect(own.settings(tmp_path))


def test_who_may_not_make_roles_names_a_reader(second_server: SecondServer, tmp_path: Path) -> None:
    """A user who may not make the reader's role is told what to type; with MNEMO_READER_DSN it works."""
    theirs = graph(second_server, can="nocreaterole")
    with pytest.raises(PrivilegeMissingError, match=f"alter role {theirs.user} createrole"):
        database.connect(theirs.settings(tmp_path))
    with theirs.chief() as chief:
        chief.execute("create role eve login password 'e:v e'")
    reader = f"host=127.0.0.1 port={second_server.port} user=eve password='e:v e' dbname='{theirs.name}'"
    settings = theirs.settings(tmp_path, reader_dsn=SecretStr(reader))
    document(settings)
    with database.connect(settings, role="reader") as connection:
        assert connection.execute("select current_user as me, count(*) as n from documents").fetchone() == {
            "me": "eve",
            "n": 1,
        }
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("select * from mnemo.documents")


def test_a_reader_who_may_write_is_refused(own: Graph, tmp_path: Path) -> None:
    """MNEMO_READER_DSN with the owner's user, or a superuser's, is refused: agents ask with it."""
    chief = own.dsn().replace(f"{own.user}:", "chief:").split("@")[1]
    for reader in (own.dsn(), f"postgresql://chief:{own.server.password}@{chief}"):
        settings = own.settings(tmp_path, reader_dsn=SecretStr(reader))
        database.connect(settings).close()
        with pytest.raises(SettingsError, match="MNEMO_READER_DSN may write"):
            database.connect(settings, role="reader")


def test_dagsters_database_opens_without_a_password_in_the_url(own: Graph, tmp_path: Path) -> None:
    """Its URL names a file that only the owner can read; the reader has no way into that database."""
    settings = own.settings(tmp_path)
    assert not database.dagster_exists(settings)
    url = database.dagster_url(settings)
    assert database.dagster_exists(settings)
    for secret in (own.password, own.password.split()[1]):
        assert secret not in url
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        query = "select current_user::text, current_database()::text"
        assert tuple(connection.execute(sqlalchemy.text(query)).one()) == (own.user, f"{own.name}_dagster")
        settings_in_force = connection.execute(
            sqlalchemy.text(
                "select current_setting('TimeZone'), current_setting('DateStyle'),"
                " current_setting('transaction_isolation'), current_setting('statement_timeout')"
            )
        ).one()
        assert tuple(settings_in_force) == ("UTC", "ISO, MDY", "read committed", "0")
    engine.dispose()
    secret_file = tmp_path / "own-server" / "dagster.pgpass"
    assert stat.S_IMODE(secret_file.stat().st_mode) == 0o600
    with own.chief() as chief:
        row = chief.execute(
            "select has_database_privilege(%s, %s, 'connect')", [f"{own.name}_reader", f"{own.name}_dagster"]
        ).fetchone()
    assert row == (False,)
    assert database.dagster_url(settings) == url


def test_who_may_not_make_databases_is_told_what_to_type(second_server: SecondServer, tmp_path: Path) -> None:
    """Without the right to make Dagster's database, the message is the statement for an administrator."""
    theirs = graph(second_server, can="createrole")
    settings = theirs.settings(tmp_path)
    with pytest.raises(PrivilegeMissingError) as raised:
        database.dagster_url(settings)
    statement = str(raised.value).partition("type: ")[2]
    with second_server.chief() as chief:
        chief.execute(statement.encode())
    assert database.dagster_url(settings)


@pytest.mark.skipif(not DEBIAN.is_dir(), reason="there is no Postgres 15 here")
def test_an_old_postgres_is_refused(tmp_path: Path) -> None:
    """Postgres 15 is called too old."""
    old = SecondServer(tmp_path / "old", DEBIAN).make()
    try:
        theirs = graph(old, creation="locale 'C.UTF-8'")
        with pytest.raises(ServerTooOldError, match="older than Postgres 17"):
            database.connect(theirs.settings(tmp_path / "home"))
    finally:
        old.stop("immediate")


def test_an_older_one_than_needed_is_refused(
    own: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server older than needed is refused for the reader, too, and says so before anything is made."""
    monkeypatch.setattr(own_server, "OLDEST", 99)
    for role in ROLES:
        with pytest.raises(ServerTooOldError, match="older than Postgres 17"):
            database.connect(own.settings(tmp_path), role=role)


def test_an_ascii_database_is_refused(second_server: SecondServer, tmp_path: Path) -> None:
    """A database in which É and é are strangers is refused, with the statement that makes a fit one."""
    theirs = graph(second_server, creation="locale_provider libc locale 'C'")
    with pytest.raises(ServerUnfitError, match=r"builtin_locale 'C\.UTF-8'"):
        database.connect(theirs.settings(tmp_path))


def test_a_missing_extension_is_named(own: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An extension that cannot be had, stands elsewhere, or may not be made, is named with what to do."""
    absent = {**database.Q, "extensions": b"select 'unaccent' as name, false as available, null as schema"}
    with monkeypatch.context() as patch:
        patch.setattr(own_server, "Q", absent)
        with pytest.raises(ExtensionMissingError, match="lacks the extension unaccent"):
            database.connect(own.settings(tmp_path))
    with own.chief() as chief:
        chief.execute("create schema elsewhere")
        chief.execute("create extension pg_trgm schema elsewhere")
    with pytest.raises(ExtensionMissingError, match="alter extension pg_trgm set schema public"):
        database.connect(own.settings(tmp_path))
    with own.chief() as chief:
        chief.execute("drop schema elsewhere cascade")
        chief.execute("alter schema public owner to chief")
    with pytest.raises(PrivilegeMissingError, match="create extension pg_trgm schema public"):
        database.connect(own.settings(tmp_path))
    with own.chief() as chief:
        chief.execute("create extension pg_trgm")
        chief.execute("create extension unaccent")
    document(own.settings(tmp_path))


def test_somebody_elses_database_is_not_enough(own: Graph, tmp_path: Path) -> None:
    """A user who may not make schemas is told so."""
    with own.chief() as chief:
        chief.execute(f'alter database "{own.name}" owner to chief'.encode())
    with pytest.raises(PrivilegeMissingError, match="alter database"):
        database.connect(own.settings(tmp_path))


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"user": "nobody"}, ServerRefusedError, "user or the password"),
        ({"password": "canary"}, ServerRefusedError, "user or the password"),
        ({"dbname": "canary"}, ServerRefusedError, "create database"),
        ({"port": "1"}, ServerUnreachableError, "Nothing listens"),
        ({"host": "canary.invalid"}, ServerUnreachableError, "not known"),
        ({"host": "/nowhere/canary"}, ServerUnreachableError, "socket"),
        ({"password": ""}, PasswordError, "MNEMO_PASSWORD_COMMAND"),
    ],
)
def test_a_server_that_lets_nobody_in_says_why(
    own: Graph, tmp_path: Path, change: dict[str, str], error: type[Exception], match: str
) -> None:
    """Each reason is an error of its own that holds nothing of the client library's."""
    words = psycopg.conninfo.conninfo_to_dict(own.dsn()) | change
    settings = own.settings(tmp_path, dsn=SecretStr(psycopg.conninfo.make_conninfo("", **words)))
    for role in ROLES:
        with pytest.raises(error, match=match) as raised:
            database.connect(settings, role=role)
        assert "canary" not in str(raised.value)
        assert raised.value.__suppress_context__


@pytest.mark.parametrize(
    ("value", "match"),
    [
        ("canary canary", "Malformed setting MNEMO_DSN"),
        ("postgresql://u:canary@h:5x/y", "port in MNEMO_DSN is not a number"),
        ("host=canary dbname=x", "has to name user"),
        ("user=canary dbname=x", "has to name host"),
        ("postgresql://u@canary", "has to name dbname"),
        ("host=a,canary user=u dbname=x", "one host"),
        ("host=canary user=u dbname=x service=canary", "may not say service"),
        ("host=canary hostaddr=192.0.2.1 user=u dbname=x", "may not say hostaddr"),
        ("host=canary user=u dbname=x options=-ccanary", "may not say options"),
    ],
)
def test_a_malformed_dsn_is_refused(own: Graph, tmp_path: Path, value: str, match: str) -> None:
    """What a DSN may not say is named, and its value is not."""
    with pytest.raises(SettingsError, match=match) as raised:
        database.connect(own.settings(tmp_path, dsn=SecretStr(value)))
    assert "canary" not in str(raised.value)


def test_the_profiles_variables_lead_nowhere(
    own: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No variable, service file or password file of libpq's changes where we connect, or as whom."""
    service = tmp_path / "services"
    service.write_text("[elsewhere]\nhost=192.0.2.1\nhostaddr=192.0.2.1\nuser=x\n")
    for name, value in {
        "PGHOSTADDR": "192.0.2.1",
        "PGSERVICE": "elsewhere",
        "PGSERVICEFILE": str(service),
        "PGPASSWORD": "x",
        "PGOPTIONS": "-c search_path=pg_temp",
        "PGSSLMODE": "verify-full",
        "PGSSLROOTCERT": "/nowhere",
        "PGREQUIREAUTH": "none",
        "PGTARGETSESSIONATTRS": "standby",
    }.items():
        monkeypatch.setenv(name, value)
    settings = own.settings(tmp_path / "home")
    document(settings)
    with database.connect(settings) as owner:
        there = owner.execute(
            "select current_user as me, current_database() as here, (select count(*) from documents) as n"
        ).fetchone()
    assert there == {"me": own.user, "here": own.name, "n": 1}


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second server is taken to be on another machine."""
    monkeypatch.setattr(dsn, "_is_loopback", lambda _address: False)


@pytest.mark.usefixtures("elsewhere")
def test_another_machine_has_to_be_named(own: Graph, tmp_path: Path) -> None:
    """A host that is not this machine is refused unless MNEMO_DSN_REMOTE_HOST says it once more."""
    for named in (None, "db.example.org"):
        with pytest.raises(ServerUnverifiedError, match="MNEMO_DSN_REMOTE_HOST"):
            database.connect(own.settings(tmp_path, dsn_remote_host=named))


@pytest.fixture
def tls(second_server: SecondServer, tmp_path: Path) -> Iterator[TlsFront]:
    """The second server, by TLS."""
    front = TlsFront(tmp_path, second_server.port)
    yield front
    front.close()


@pytest.mark.usefixtures("elsewhere")
def test_another_machine_is_verified(own: Graph, tls: TlsFront, tmp_path: Path) -> None:
    """It has to prove by its certificate that it is that host, and nothing less is taken."""
    root = {"sslrootcert": str(tls.certificate)}

    def there(host: str, words: dict[str, str]) -> Settings:
        dsn = SecretStr(own.dsn(words, host=host, port=tls.port))
        return own.settings(tmp_path / "home", dsn=dsn, dsn_remote_host=host)

    with pytest.raises(ServerUnverifiedError, match="authority that signed it"):
        database.connect(there("localhost", {}))
    with pytest.raises(ServerUnverifiedError, match="does not prove"):
        database.connect(there("127.0.0.1", root))  # the certificate is for localhost
    for weaker in ("disable", "prefer", "require", "verify-ca"):
        with pytest.raises(ServerUnverifiedError, match="sslmode is verify-full there"):
            database.connect(there("localhost", {**root, "sslmode": weaker}))
    for role in ROLES:
        with database.connect(there("localhost", root), role=role) as connection:
            assert connection.pgconn.ssl_in_use
    url = database.dagster_url(there("localhost", root))
    assert "sslmode=verify-full" in url
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connected:
        assert connected.execute(sqlalchemy.text("select 1")).scalar() == 1
    engine.dispose()


@pytest.mark.usefixtures("elsewhere")
def test_another_machine_without_tls_is_refused(own: Graph, tmp_path: Path) -> None:
    """A server that offers no TLS is told nothing."""
    settings = own.settings(tmp_path, dsn=SecretStr(own.dsn(host="localhost")), dsn_remote_host="localhost")
    with pytest.raises(ServerUnverifiedError, match="offers no TLS"):
        database.connect(settings)


@pytest.mark.parametrize(
    ("address", "is_here"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("192.168.1.5", False),
        ("::ffff:192.168.1.5", False),
        ("fe80::1%eth0", False),
        ("0.0.0.0", False),  # noqa: S104 - an address to judge
    ],
)
def test_the_address_decides_and_not_the_name(
    own: Graph, tmp_path: Path, address: str, *, is_here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that leads to another machine is elsewhere, whatever it is called."""
    monkeypatch.setattr(dsn, "_addresses", lambda _host: ["127.0.0.1", address])
    words = dsn.parse(SecretStr(own.dsn(host="localhost")), "MNEMO_DSN")
    if is_here:
        reached = dsn.reach(words, own.settings(tmp_path))
        assert reached["hostaddr"] == f"127.0.0.1,{address}"
    else:
        with pytest.raises(ServerUnverifiedError):
            dsn.reach(words, own.settings(tmp_path))
