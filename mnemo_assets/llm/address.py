"""Whose machine a URL's host is: asked for once, told by its addresses and not by its name, and held to."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit

from mnemo_assets.errors import EndpointDownError, SettingsError

Place = Literal["here", "declared", "named", "hosted"]

#: Networks that are somebody's own: RFC 1918, RFC 4193. Link-local and carrier's networks are shared with
#: strangers.
_OWN: Final = tuple(
    ipaddress.ip_network(network) for network in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
)
_EXAMPLE: Final = "http://127.0.0.1:11434/v1"


@dataclass(frozen=True, slots=True)
class Address:
    """Where an endpoint is.

    Attributes:
        host: as the URL calls it, without brackets; a certificate has to name it.
        port: of the URL.
        tls: it is spoken to by TLS.
        addresses: of the host; nothing is sent to any other.
        place: `here`, this machine; `named`, another one of a network of one's own; `hosted`, beyond it.
    """

    host: str
    port: int
    tls: bool
    addresses: tuple[str, ...]
    place: Place

    @property
    def authority(self) -> str:
        """Host and port, as a request says them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def root(self) -> str:
        """The URL of the host."""
        return f"{'https' if self.tls else 'http'}://{self.authority}"


def find(url: str, *, remote_host: str | None = None, hosted: bool = False) -> Address:
    """Where a URL leads.

    Args:
        url: of the API.
        remote_host: the host that may be another machine, said once more.
        hosted: it may be one beyond the networks that are one's own.

    Raises:
        SettingsError: it may not be sent anything, or the URL cannot be understood.
        EndpointDownError: the host that was named is not found now.
    """
    host, port, tls = _parts(url)
    named = remote_host is not None and remote_host.strip("[]").casefold() == host
    found = _addresses(host, port, named=named)
    local = [is_loopback(each) for each in found]
    if all(local):
        if tls:
            raise SettingsError(
                f"MNEMO_LLM_URL is no URL of this machine's: it takes no TLS. One is {_EXAMPLE}."
            )
        return Address(host, port, tls, found, "here")
    if any(local) or not named:
        raise SettingsError(
            "The host of MNEMO_LLM_URL is another machine: pages of the archive would go there. Set it to an "
            f"endpoint on this machine, such as {_EXAMPLE}, or name the host again in MNEMO_LLM_REMOTE_HOST."
        )
    if all(map(_is_own, found)):
        return Address(host, port, tls, found, "named")
    if not tls:
        raise SettingsError("The host of MNEMO_LLM_URL is beyond your own network: only https:// goes there.")
    if not hosted:
        raise SettingsError(
            "The host of MNEMO_LLM_URL is beyond your own network, and MNEMO_LLM_HOSTED_FOLDERS names no "
            "folder whose documents it may see."
        )
    return Address(host, port, tls, found, "hosted")


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's; a name is none."""
    parsed = _parsed(host)
    return parsed is not None and parsed.is_loopback


def _is_own(address: str) -> bool:
    parsed = _parsed(address)
    return parsed is not None and any(
        parsed.version == network.version and parsed in network for network in _OWN
    )


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed


def _parts(url: str) -> tuple[str, int, bool]:
    try:
        parts = urlsplit(url)
        host, tls = parts.hostname, parts.scheme == "https"
        port = parts.port or (443 if tls else 80)
        if parts.scheme not in {"http", "https"} or not host:
            raise ValueError  # noqa: TRY301 - one name for all that is no such URL
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError  # noqa: TRY301 - as above
    except ValueError:
        raise SettingsError(f"MNEMO_LLM_URL is no URL of an endpoint. One is {_EXAMPLE}.") from None
    return host, port, tls


def _addresses(host: str, port: int, *, named: bool) -> tuple[str, ...]:
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        if named:  # it may be found again
            raise EndpointDownError("The host of MNEMO_LLM_URL is not found.") from None
        raise SettingsError(f"The host of MNEMO_LLM_URL is not found. One is {_EXAMPLE}.") from None
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in entries))
