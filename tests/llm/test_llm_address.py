"""Which machines may be sent anything."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from pydantic import SecretStr

from mnemo_assets.errors import EndpointDownError, SettingsError
from mnemo_assets.llm import address, key, open_endpoint, wire
from mnemo_assets.llm.address import Address
from mnemo_assets.llm.endpoint import Endpoint
from mnemo_assets.llm.wire import Wire
from mnemo_assets.settings import Settings
from tests.endpoints import said, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def resolving(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets every name lead to these addresses."""

    def resolve(*addresses: str) -> None:
        found = [(0, 0, 0, "", (each, 443)) for each in addresses]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)

    return resolve


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    key.forget()
    yield
    key.forget()


PUBLIC, OWN = "192.0.2.1", "192.168.1.5"
CASES: list[tuple[str, tuple[str, ...], str | None, bool, str]] = [
    ("http://model.test/v1", ("127.0.0.1",), None, False, "here"),
    ("http://model.test/v1", ("::1", "127.0.0.2", "::ffff:127.0.0.1"), None, False, "here"),
    ("http://model.test/v1", (OWN,), None, False, "is another machine"),
    ("http://model.test/v1", (OWN,), "other.test", False, "is another machine"),
    ("http://model.test/v1", (OWN,), "Model.Test", False, "named"),
    (
        "https://model.test/v1",
        (OWN, "10.1.2.3", "fd00::1", "::ffff:172.16.0.1"),
        "model.test",
        False,
        "named",
    ),
    ("http://model.test/v1", ("127.0.0.1", OWN), "model.test", True, "is another machine"),
    ("https://model.test/v1", ("127.0.0.1", PUBLIC), "model.test", True, "is another machine"),
    ("http://model.test/v1", (OWN, PUBLIC), "model.test", True, "only https:// goes there"),
    ("https://model.test/v1", (OWN, PUBLIC), "model.test", False, "names no folder"),
    ("https://model.test/v1", (PUBLIC,), "model.test", False, "names no folder"),
    ("https://model.test/v1", (PUBLIC,), None, True, "is another machine"),
    ("https://model.test/v1", (PUBLIC,), "model.test", True, "hosted"),
    ("http://model.test/v1", ("100.64.0.1",), "model.test", True, "only https:// goes there"),
    ("http://model.test/v1", ("fe80::1%eth0",), "model.test", True, "only https:// goes there"),
    ("http://model.test/v1", ("0.0.0.0",), "model.test", True, "only https:// goes there"),  # noqa: S104 - refused
    ("http://model.test/v1", ("::ffff:192.0.2.1",), "model.test", True, "only https:// goes there"),
    ("https://model.test/v1", ("127.0.0.1",), "model.test", True, "takes no TLS"),
]


@pytest.mark.parametrize(("url", "found", "named", "hosted", "said"), CASES)
def test_the_addresses_decide(  # noqa: PLR0917 - a table
    resolving: Callable[..., None],
    url: str,
    found: tuple[str, ...],
    named: str | None,
    hosted: bool,  # noqa: FBT001 - a table
    said: str,
) -> None:
    """All of a name's addresses: this machine's, the owner's other one if named, a hosted one if opted in."""
    resolving(*found)
    if said in {"here", "named", "hosted"}:
        there = address.find(url, remote_host=named, hosted=hosted)
        assert (there.place, there.addresses) == (said, found)
    else:
        with pytest.raises(SettingsError, match=said):
            address.find(url, remote_host=named, hosted=hosted)


def test_a_name_that_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was named may be found again; any other is a setting's fault."""

    def fail(*_: object, **__: object) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(EndpointDownError, match="is not found"):
        address.find("http://model.test/v1", remote_host="model.test")
    with pytest.raises(SettingsError, match="is not found"):
        address.find("http://model.test/v1")


def settings(url: str, **more: Any) -> Settings:
    return Settings(home=Path("/nowhere"), llm_url=url, llm_model="seer", **more)


def key_command(tmp_path: Path, printed: str = "sk-canary") -> SecretStr:
    """A command that notes that it was run, and prints a key."""
    program = tmp_path / "key"
    program.write_text(f"#!/bin/sh\necho x >> {tmp_path}/runs\nprintf '{printed}'\n")
    program.chmod(0o700)
    return SecretStr(str(program))


def test_this_machine_is_sent_no_key(tmp_path: Path) -> None:
    """Nor is the command that prints it run, whatever host is named."""
    with serving(lambda _asked: said("well")) as stub:
        chosen = settings(stub.url, llm_remote_host="127.0.0.1", llm_key_command=key_command(tmp_path))
        with open_endpoint(chosen, "seer") as endpoint:
            endpoint.complete([], 1, 10)
    assert {one.headers["Authorization"] for one in stub.asked} == {"Bearer mnemo"}
    assert not (tmp_path / "runs").exists()


def test_a_named_machine_is_sent_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which is asked for once a process, and again after it was refused; what is no key is not sent."""
    monkeypatch.setattr(address, "is_loopback", lambda _host: False)
    monkeypatch.setattr(address, "_is_own", lambda _host: True)
    command = key_command(tmp_path)
    with serving(lambda _asked: said("well")) as stub:
        chosen = settings(stub.url, llm_remote_host="127.0.0.1", llm_key_command=command)
        for _ in range(2):
            with open_endpoint(chosen, "seer") as endpoint:
                assert endpoint.identity.place == "named"
                endpoint.complete([], 1, 10)
        assert {one.headers["Authorization"] for one in stub.asked} == {"Bearer sk-canary"}
        assert (tmp_path / "runs").read_text() == "x\n"
        stub.answer = lambda _asked: replace(said("no"), status=401)
        with open_endpoint(chosen, "seer") as endpoint, pytest.raises(EndpointDownError):
            endpoint.complete([], 1, 10)
        open_endpoint(chosen, "seer").close()
        assert (tmp_path / "runs").read_text() == "x\nx\n"
        stub.api["/props"] = replace(said("no"), status=401)
        for _ in range(2):
            with pytest.raises(EndpointDownError, match="with status 401"):
                open_endpoint(chosen, "seer")
        assert (tmp_path / "runs").read_text() == "x\nx\nx\n"
        key.forget()
        stub.asked.clear()
        for wrong in ("a b", "\\303\\251", "a\\tb", ""):
            key_command(tmp_path, wrong)
            with pytest.raises(EndpointDownError, match="MNEMO_LLM_KEY_COMMAND printed"):
                open_endpoint(chosen, "seer")
    assert stub.asked == []


def test_a_hosted_endpoint_is_asked_nothing(tmp_path: Path, resolving: Callable[..., None]) -> None:
    """What stands behind it is no question: it is somebody else's machine, and called that."""
    resolving(PUBLIC)
    chosen = settings(
        "https://model.test/v1",
        llm_remote_host="model.test",
        llm_hosted_folders=(tmp_path,),
        llm_context=32_768,
    )
    with open_endpoint(chosen, "seer") as endpoint:
        assert endpoint.identity.is_hosted
        assert (endpoint.identity.slots, endpoint.identity.context) == (None, 32_768)


@pytest.fixture
def tls(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """A server that speaks TLS, with a certificate for model.test that signs itself; its port, and that."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl")
    certificate, private = tmp_path / "server.crt", tmp_path / "server.key"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
    ]
    command += ["-subj", "/CN=model.test", "-addext", "subjectAltName=DNS:model.test", "-days", "2"]
    subprocess.run(
        [*command, "-keyout", str(private), "-out", str(certificate)], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, private)
    body = said("by TLS").body
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    with context.wrap_socket(server.accept()[0], server_side=True) as link:
                        asked = b""
                        while not asked.endswith(b"}"):
                            asked += link.recv(65_536)
                        link.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                except ssl.SSLError:
                    continue  # a client that does not trust it
                except OSError:
                    return

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1], certificate
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def by_tls(port: int, host: str) -> str:
    """What an endpoint there says that is held to be on another machine."""
    endpoint = Endpoint("http://127.0.0.1/v1", "seer")
    there = Wire(Address(host, port, tls=True, addresses=("127.0.0.1",), place="hosted"), None)
    endpoint._wire, endpoint._http = there, httpx2.Client(transport=there, trust_env=False)
    return endpoint.complete([{"role": "user", "content": "x"}], 1, 10).text


def test_a_certificate_has_to_name_the_host(tls: tuple[int, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """One that the system trusts and that names the host of the URL, and not the address; no other."""
    port, certificate = tls
    monkeypatch.setattr(wire, "trusted", lambda: ssl.create_default_context(cafile=str(certificate)))
    assert by_tls(port, "model.test") == "by TLS"
    with pytest.raises(EndpointDownError, match="by its certificate"):
        by_tls(port, "other.test")


def test_the_environment_names_no_authority(tls: tuple[int, Path]) -> None:
    """SSL_CERT_FILE and SSL_CERT_DIR are not looked at, nor is a log of session keys written."""
    port, certificate = tls
    secrets = certificate.parent / "keys"
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.llm.test_llm_address import by_tls\n"
        "try: print(by_tls(int(sys.argv[2]), 'model.test'))\n"
        "except Exception as error: print(error)\n"
    )
    environment = {"SSL_CERT_FILE": str(certificate), "SSLKEYLOGFILE": str(secrets), "PATH": "/usr/bin:/bin"}
    root = str(Path(__file__).parents[2])
    ran = subprocess.run(
        [sys.executable, "-c", code, root, str(port)],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    assert "by its certificate" in ran.stdout
    assert not secrets.exists()
