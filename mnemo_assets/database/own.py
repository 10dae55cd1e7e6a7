"""Connections to a server of the owner's: MNEMO_DSN. See docs/decisions/0006-own-server.md."""

from __future__ import annotations

import os
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from mnemo_assets.database import dsn, password
from mnemo_assets.database.embedded import url
from mnemo_assets.database.refusals import CREATION, OLDEST, TOO_OLD, why
from mnemo_assets.database.server import SEARCH_PATH, Connection, Role, forget_the_profile
from mnemo_assets.database.statements import Q
from mnemo_assets.errors import (
    ExtensionMissingError,
    PrivilegeMissingError,
    ServerRefusedError,
    ServerTooOldError,
    ServerUnfitError,
    SettingsError,
)

if TYPE_CHECKING:
    from mnemo_assets.settings import Settings

#: What a session of ours is like, whatever the server's own settings are.
_SESSION = (
    "timezone=UTC",
    "datestyle=ISO,MDY",
    "intervalstyle=postgres",
    "default_text_search_config=pg_catalog.simple",
    "default_transaction_isolation=read\\ committed",
    "jit=off",
    "client_connection_check_interval=1000",
    "tcp_keepalives_idle=20",  # a link that is gone takes its session along, and with it its claims
    "tcp_keepalives_interval=10",
    "tcp_keepalives_count=4",
)
_OWNER = (
    "statement_timeout=0",
    "lock_timeout=0",
    "idle_in_transaction_session_timeout=0",
    "transaction_timeout=0",
)
#: Longest name of a role, in bytes.
_LONGEST = 63


@dataclass(frozen=True, slots=True)
class Own:
    """The server that MNEMO_DSN names.

    Attributes:
        settings: with a dsn.
    """

    settings: Settings

    def open(self, role: Role) -> Connection:
        """A connection; the owner's, or the reader's with its own password.

        Raises:
            psycopg.OperationalError: the reader's role is not there, or was given another password.
            PostgresError: it will not become better by itself; the message says what to do.
        """
        if role == "reader":
            return self._open_reader()
        try:
            return self._connect(self._owner(), "owner")
        except psycopg.OperationalError as error:
            raise why(error, "MNEMO_DSN") from None

    def prepare(self) -> None:
        """Check what is there, make the reader's role, close what is open to all."""
        with self.open("owner") as owner:
            check(owner)
            owner.execute(Q["lock_cluster"])
            if self.settings.reader_dsn is not None:
                self._admit_reader(owner)
            elif not self._reader_opens():
                self._make_reader(owner)
            owner.execute(Q["close_database"])
            if owner.execute(Q["serve_is_there"]).fetchone():
                with owner.transaction():
                    owner.execute(Q["lock_migrations"])
                    owner.execute(Q["open_serve"])

    def refused(self, error: psycopg.OperationalError) -> Exception:
        """The reader, whose role is there, is not let in; the owner's failures are ours already."""
        if self.settings.reader_dsn is not None:
            return why(error, "MNEMO_READER_DSN")
        return ServerRefusedError(
            f"The server does not let the role {self.reader} in with its password. Allow it in pg_hba.conf "
            "as the user of MNEMO_DSN, or name a user who may in MNEMO_READER_DSN."
        )

    def dagster_url(self) -> str:
        """Make Dagster's database unless it is there. The password, if there is one, waits in a file."""
        with self.open("owner") as owner:
            owner.execute(Q["lock_cluster"])
            values = {"name": self.dagster, "owner": owner.info.user, "reader": self.reader}
            for row in owner.execute(Q["creation_of_dagster"], values).fetchall():
                try:
                    owner.execute(row["statement"].encode())
                except psycopg.errors.InsufficientPrivilege:
                    raise PrivilegeMissingError(
                        f"The user of MNEMO_DSN may not make Dagster's database. Have an administrator type: "
                        f"{row['statement']};"
                    ) from None
            where = dsn.reach(self._owner(), self.settings)
            if "hostaddr" in where:
                where |= {"host": owner.info.host, "hostaddr": owner.info.hostaddr}
            if owner.pgconn.used_password:
                where["passfile"] = str(self._keep("dagster.pgpass", _pgpass(owner.info.password)))
        name, user = self.dagster, where.pop("user")
        words = {word: where[word] for word in where if word not in ("password", "dbname")}
        # Dagster is written for read committed: where two of its programs meet, others refuse one of them
        return url(user, name, words, (*_SESSION, *_OWNER))

    @property
    def dagster(self) -> str:
        """Beside the graph's database."""
        return f"{self._owner()['dbname']}_dagster"

    @property
    def reader(self) -> str:
        """The name of the reader's role: the user of MNEMO_READER_DSN, or one named after the database."""
        if self.settings.reader_dsn is not None:
            return dsn.parse(self.settings.reader_dsn, "MNEMO_READER_DSN")["user"]
        name = f"{self._owner()['dbname']}_reader"
        if len(name.encode()) > _LONGEST:
            raise SettingsError("The name of the database in MNEMO_DSN is too long: 55 bytes at most.")
        return name

    def _owner(self) -> dict[str, str]:
        assert self.settings.dsn is not None
        return dsn.parse(self.settings.dsn, "MNEMO_DSN")

    def _connect(self, words: dict[str, str], role: Role) -> Connection:
        """Connect, and run the password's command if, and only if, the server asks for one."""
        command = self.settings.password_command if role == "owner" and "password" not in words else None
        where = dsn.reach(words, self.settings)
        secret = where.pop("password", None) or password.known(command)
        try:
            connection = self._libpq(where, role, secret)
        except psycopg.OperationalError as error:
            asked = error.pgconn is not None and (error.pgconn.needs_password or error.pgconn.used_password)
            if command is None or not asked:
                raise
            fresh = password.ask(command)
            if fresh == secret:
                raise
            connection = self._libpq(where, role, fresh)
        if connection.info.server_version < OLDEST * 10_000:
            connection.close()
            raise ServerTooOldError(TOO_OLD)
        return connection

    def _libpq(self, where: dict[str, str], role: Role, secret: str | None) -> Connection:
        forget_the_profile()
        options = [f"search_path={SEARCH_PATH[role]}", *_SESSION]
        if role == "owner":
            reader = self.reader.replace("\\", "\\\\").replace(" ", "\\ ")
            options += [*_OWNER, f"mnemo.reader={reader}"]
        return psycopg.connect(
            make_conninfo(**where),
            password=secret,
            options=" ".join(f"-c {option}" for option in options),
            application_name="mnemo",
            client_encoding="utf8",
            target_session_attrs="read-write" if role == "owner" else "any",
            autocommit=True,
            row_factory=dict_row,
        )

    def _open_reader(self) -> Connection:
        if self.settings.reader_dsn is not None:
            words = dsn.parse(self.settings.reader_dsn, "MNEMO_READER_DSN")
            connection = self._connect(words, "reader")
            row = connection.execute(Q["reader_may_too_much"]).fetchone()
            if row is not None and row["too_much"]:
                connection.close()
                raise SettingsError(
                    "The user of MNEMO_READER_DSN may write in the graph, or make roles or databases. Agents "
                    "ask with it: name a user who owns nothing and is a member of nothing."
                )
            return connection
        try:
            secret = (self._folder() / "reader").read_text(encoding="ascii")
        except OSError:
            raise psycopg.OperationalError from None
        words = {
            name: word
            for name, word in self._owner().items()
            if name not in ("sslcert", "sslkey", "passfile")
        }
        return self._connect({**words, "user": self.reader, "password": secret}, "reader")

    def _reader_opens(self) -> bool:
        """Whether another process has made the role while this one waited."""
        try:
            self._open_reader().close()
        except psycopg.OperationalError:
            return False
        return True

    def _make_reader(self, owner: Connection) -> None:
        """Make the reader's role, or give it a new password, which is kept in the home."""
        state = owner.execute(Q["reader_state"], {"reader": self.reader}).fetchone()
        assert state is not None
        if state["is_there"] and not state["ours"]:
            raise PrivilegeMissingError(
                f"The server has a role {self.reader} that mnemo did not make. Name a user who only asks in "
                "MNEMO_READER_DSN."
            )
        secret = secrets.token_urlsafe(32)
        # the statement may be logged: it holds a verifier, from which the password does not follow
        verifier = owner.pgconn.encrypt_password(secret.encode(), self.reader.encode(), b"scram-sha-256")
        values = {"reader": self.reader, "verifier": verifier.decode()}
        try:
            with owner.transaction():
                for row in owner.execute(Q["making_of_reader"], values).fetchall():
                    owner.execute(row["statement"].encode())
                owner.execute(Q["limit_reader"])
        except psycopg.errors.InsufficientPrivilege:
            raise PrivilegeMissingError(
                "The user of MNEMO_DSN may not make the reader's role. Have an administrator type: alter "
                f"role {owner.info.user} createrole; or make a role with login, and name it in "
                "MNEMO_READER_DSN."
            ) from None
        self._keep("reader", secret)

    def _admit_reader(self, owner: Connection) -> None:
        """Bound the role that MNEMO_READER_DSN names, as far as the owner may."""
        state = owner.execute(Q["reader_state"], {"reader": self.reader}).fetchone()
        if state is None or not state["is_there"]:
            raise ServerRefusedError("The server has no role of the name that MNEMO_READER_DSN gives.")
        try:
            with owner.transaction():
                owner.execute(Q["limit_reader"])
        except psycopg.errors.InsufficientPrivilege:
            pass  # somebody else's role: each reading bounds itself as well

    def _folder(self) -> Path:
        return self.settings.home / "own-server"

    def _keep(self, name: str, text: str) -> Path:
        """Write a file that only the owner can read, whole or not at all."""
        folder = self._folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(dir=folder)  # 0600
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(unfinished).rename(folder / name)
        return folder / name


def check(owner: Connection) -> None:
    """Refuse a database that lacks something.

    Raises:
        ServerUnfitError: its encoding or its locale.
        ExtensionMissingError: an extension is not there, or stands in another schema.
        PrivilegeMissingError: the user may not make schemas or extensions in it.
    """
    fit = owner.execute(Q["fitness"]).fetchone()
    assert fit is not None
    if fit["encoding"] != "UTF8" or not fit["folds"]:
        raise ServerUnfitError(
            f"The database of MNEMO_DSN does not hold and compare every script. Make one: {CREATION}"
        )
    if not fit["may_create"]:
        raise PrivilegeMissingError(
            "The user of MNEMO_DSN may not make schemas in that database. Have an administrator type: "
            f"alter database {owner.info.dbname} owner to {owner.info.user};"
        )
    for row in owner.execute(Q["extensions"]).fetchall():
        name, schema = row["name"], row["schema"]
        if not row["available"]:
            raise ExtensionMissingError(
                f"The server of MNEMO_DSN lacks the extension {name}. Install its package of extensions, on "
                "Debian postgresql-contrib."
            )
        if schema is not None and schema != "public":
            raise ExtensionMissingError(
                f"The extension {name} stands in the schema {schema}. Type: alter extension {name} "
                "set schema public;"
            )
        if schema is None and not row["may_create"]:
            raise PrivilegeMissingError(
                f"The user of MNEMO_DSN may not make the extension {name}. Have an administrator type, in "
                f"that database: create extension {name} schema public;"
            )


def _pgpass(secret: str) -> str:
    escaped = secret.replace("\\", "\\\\").replace(":", "\\:")
    return f"*:*:*:*:{escaped}\n"
