"""A Postgres of somebody's own: TCP on the loopback alone, passwords, and TLS in front of it."""

from __future__ import annotations

import itertools
import os
import secrets
import selectors
import socket
import ssl
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import psycopg
from pydantic import SecretStr

from mnemo_assets.postgres import account, cluster
from mnemo_assets.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

_numbers = itertools.count(1)

CONFIGURATION = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
log_statement = all
log_min_messages = info
# what somebody's server may be like
timezone = 'Asia/Tokyo'
datestyle = 'German'
default_transaction_isolation = 'serializable'
statement_timeout = '20min'
"""


@dataclass(slots=True)
class SecondServer:
    """A running server.

    Attributes:
        folder: holds everything of it; made by `make`.
        programs: of the Postgres to run.
        port: on 127.0.0.1.
        password: of its superuser `chief`.
    """

    folder: Path
    programs: Path = field(default_factory=cluster.binaries)
    port: int = 0
    password: str = field(default_factory=lambda: secrets.token_urlsafe(12))

    def make(self) -> SecondServer:
        """Make its cluster and start it."""
        self.folder.mkdir(mode=0o700)
        who = account.choose()
        if who.uid is not None and who.gid is not None:
            os.chown(self.folder, who.uid, who.gid)
        (self.folder / "pw").write_text(self.password)
        words = ["--username=chief", f"--pwfile={self.folder}/pw", "--auth=scram-sha-256", "--encoding=UTF8"]
        self._run("initdb", *words, "--locale=C.UTF-8", "--no-sync", "-D", str(self.folder / "data"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (self.folder / "data/postgresql.auto.conf").write_text(f"{CONFIGURATION}port = {self.port}\n")
        self.start()
        return self

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        log = ["-l", str(self.folder / "log")]
        self._run("pg_ctl", "start", "-s", "-w", *log, "-D", str(self.folder / "data"))

    def stop(self, mode: str = "fast") -> None:
        """Stop it, ending its sessions."""
        self._run("pg_ctl", "stop", "-s", "-w", "-m", mode, "-D", str(self.folder / "data"))

    def _run(self, name: str, *words: str) -> None:
        with (self.folder / "said").open("wb") as said:
            answer = account.choose().run(self.programs / name, *words, seconds=120, said=said.fileno())
        logs = [path.read_text() for name in ("said", "log") if (path := self.folder / name).exists()]
        assert answer.returncode == 0, logs

    def chief(self, database: str = "postgres") -> psycopg.Connection[Any]:
        """The server's superuser."""
        return psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            user="chief",
            password=self.password,
            dbname=database,
            autocommit=True,
        )

    def said(self) -> str:
        """The server's log."""
        return (self.folder / "log").read_text()


@dataclass(slots=True)
class Graph:
    """A database in it, and the user who owns it."""

    server: SecondServer
    name: str
    user: str
    password: str

    def dsn(
        self,
        words: dict[str, str] | None = None,
        *,
        password: bool = True,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> str:
        """The value of MNEMO_DSN, with more words of libpq's."""
        secret = f":{quote(self.password, safe='')}" if password else ""
        place = f"{host}:{port or self.server.port}/{quote(self.name, safe='')}"
        more = "&".join(f"{name}={quote(value, safe='')}" for name, value in (words or {}).items())
        return f"postgresql://{self.user}{secret}@{place}" + (f"?{more}" if more else "")

    def settings(self, home: Path, **fields: Any) -> Settings:
        """Settings that lead there."""
        return Settings(**{"home": home, "workers": 2, "dsn": SecretStr(self.dsn()), **fields})

    def chief(self) -> psycopg.Connection[Any]:
        """The server's superuser, in this database."""
        return self.server.chief(self.name)


def graph(server: SecondServer, *, can: str = "createrole createdb", creation: str = "") -> Graph:
    """A new, empty database whose owner has these rights."""
    number = next(_numbers)
    made = Graph(server, f"graph {number}", f"ada{number}", f"p:{number}\\s@ {secrets.token_urlsafe(12)}")
    creation = creation or "locale_provider builtin builtin_locale 'C.UTF-8'"
    with server.chief() as chief:
        chief.execute(
            psycopg.sql.SQL("create role {} login password {} " + can).format(
                psycopg.sql.Identifier(made.user), psycopg.sql.Literal(made.password)
            )
        )
        chief.execute(
            psycopg.sql.SQL(
                "create database {} owner {} template template0 encoding 'UTF8' " + creation
            ).format(psycopg.sql.Identifier(made.name), psycopg.sql.Identifier(made.user))
        )
    return made


class TlsFront:
    """What a server with TLS is to its clients, in front of one whose build has none."""

    def __init__(self, folder: Path, behind: int) -> None:
        self.certificate = folder / "server.crt"
        self._behind = behind
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        key = _certify(folder)
        self._context.load_cert_chain(self.certificate, key)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        """Take no more clients."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), client:
            client.recv(8)  # SSLRequest
            client.sendall(b"S")
            with (
                self._context.wrap_socket(client, server_side=True) as near,
                socket.create_connection(("127.0.0.1", self._behind)) as far,
            ):
                near.settimeout(0)
                far.settimeout(0)
                _pump(near, far)


class Relay:
    """A network in front of a server, whose cut the client notices and the server does not."""

    def __init__(self, behind: int) -> None:
        self._behind = behind
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def cut(self) -> None:
        """The clients' ends are gone; the server's stay open."""
        for near, _ in self._pairs:
            near.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Take no more clients, and end all."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for pair in self._pairs:
            for end in pair:
                end.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._behind))
                self._pairs.append((near, far))
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._forward, args=(source, target), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                target.sendall(piece)


def _pump(near: ssl.SSLSocket, far: socket.socket) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(near, selectors.EVENT_READ, far)
        selector.register(far, selectors.EVENT_READ, near)
        while True:
            for key, _ in selector.select():
                source = key.fileobj
                assert isinstance(source, socket.socket)
                with suppress(ssl.SSLWantReadError):
                    while True:
                        piece = source.recv(65536)
                        if not piece:
                            return
                        key.data.settimeout(None)
                        key.data.sendall(piece)
                        key.data.settimeout(0)
                        if source is far or not near.pending():
                            break


def _certify(folder: Path) -> Path:
    """A certificate that signs itself, for localhost and not for 127.0.0.1. Returns its key."""
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command += ["-keyout", str(folder / "server.key"), "-out", str(folder / "server.crt")]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "server.key"
