"""What MNEMO_DSN says, and where that leads: this machine, or another one that was named and is verified."""

from __future__ import annotations

import ipaddress
import socket
import ssl
from typing import TYPE_CHECKING

import psycopg
from psycopg.conninfo import conninfo_to_dict

from mnemo_assets.errors import ServerUnreachableError, ServerUnverifiedError, SettingsError

if TYPE_CHECKING:
    from pydantic import SecretStr

    from mnemo_assets.settings import Settings

#: What a DSN may say. Not among them: `service`, which leads elsewhere, and what this module decides.
KNOWN = frozenset(
    {"host", "port", "user", "password", "passfile", "dbname"}
    | {"sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "sslcrldir"}
)
#: A link that is dead without a word is given up after a minute.
_LIVELY = {
    "keepalives": "1",
    "keepalives_idle": "20",
    "keepalives_interval": "10",
    "keepalives_count": "4",
    "tcp_user_timeout": "60000",
}


def parse(dsn: SecretStr, setting: str) -> dict[str, str]:
    """The words of a DSN, a URL or `name=value` pairs.

    Raises:
        SettingsError: it cannot be read, says what it may not, or lacks something; without its value.
    """
    try:
        words = {
            name: str(value) for name, value in conninfo_to_dict(dsn.get_secret_value()).items() if value
        }
    except (psycopg.Error, ValueError):
        raise SettingsError(
            f"Malformed setting {setting}. It is postgresql://USER@HOST:PORT/DATABASE, or name=value pairs."
        ) from None
    if unknown := sorted(words.keys() - KNOWN):
        raise SettingsError(f"{setting} may not say {unknown[0]}. It may say: {', '.join(sorted(KNOWN))}.")
    for name in ("host", "user", "dbname"):
        if name not in words:
            raise SettingsError(f"{setting} has to name {name}: postgresql://USER@HOST:PORT/DATABASE.")
    if "," in words["host"]:
        raise SettingsError(f"{setting} may name one host.")
    if not words.get("port", "1").isdecimal():
        raise SettingsError(f"The port in {setting} is not a number.")
    return words


def reach(words: dict[str, str], settings: Settings) -> dict[str, str]:
    """The words with which libpq comes to that server and to no other.

    A connection within this machine is pinned to the address that was looked up. Another machine has to be
    named in MNEMO_DSN_REMOTE_HOST, and to prove by its certificate that it is that one.

    Raises:
        ServerUnreachableError: nothing has that name.
        ServerUnverifiedError: it is elsewhere and not named, or was to be reached without verification.
    """
    fixed = {
        "port": "5432",
        "passfile": str(settings.home / "own-server" / "none"),
        "gssencmode": "disable",
        "connect_timeout": "15",
    }
    host = words["host"]
    if host.startswith(("/", "@")):
        return {**fixed, **words, "sslmode": "disable"}
    addresses = _addresses(host)
    if all(_is_loopback(address) for address in addresses):
        here = {"host": ",".join([host] * len(addresses)), "hostaddr": ",".join(addresses)}
        if words.get("sslmode") != "verify-full":
            here["require_auth"] = "!password"  # whoever listens there must not be told it in the clear
        return {**fixed, **_LIVELY, **words, **here}
    if settings.dsn_remote_host != host:
        raise ServerUnverifiedError(
            "The host of MNEMO_DSN is another machine: everything in the graph goes there. If that is "
            "wanted, name the host once more in MNEMO_DSN_REMOTE_HOST."
        )
    if words.get("sslmode", "verify-full") != "verify-full":
        raise ServerUnverifiedError(
            "The host of MNEMO_DSN is another machine, and has to be verified: sslmode is verify-full there."
        )
    roots = ssl.get_default_verify_paths().cafile or "system"
    return {**fixed, **_LIVELY, "sslrootcert": roots, **words, "sslmode": "verify-full"}


def _addresses(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise ServerUnreachableError("The host of MNEMO_DSN is not known. Is the network up?") from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _is_loopback(address: str) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:  # with a scope: a neighbour's
        return False
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped.is_loopback
    return parsed.is_loopback
