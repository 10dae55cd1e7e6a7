"""What is sent, and to whom: to the addresses that were found, once, with the headers that stand here."""

from __future__ import annotations

import socket
import ssl
import threading
import time
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast

import httpx2

from mnemo_assets.errors import EndpointDownError, NoReplyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mnemo_assets.llm.address import Address

#: In seconds: to be connected.
CONNECTING: Final = 5
#: Bytes of a reply: a page of print as JSON takes 100 kB.
LIMIT: Final = 8 << 20
#: Local servers want some key, and look at none. It is no secret, and no key of the owner's goes there.
NO_KEY: Final = "mnemo"
#: What a socket is told by, once there is one, and once it speaks TLS.
_CONNECTED: Final = {"connection.connect_tcp.complete", "connection.start_tls.complete"}


class TooMuchError(httpx2.ReadError):
    """A reply is longer than a reply may be."""


class UnverifiedError(httpx2.ConnectError):
    """The host does not prove by a certificate that it is the one."""


def failure(cause: BaseException | None) -> EndpointDownError | NoReplyError:
    """The class of a request that had no answer: what the client raises may hold the request."""
    if isinstance(cause, UnverifiedError):
        return EndpointDownError(
            "The endpoint of MNEMO_LLM_URL does not prove by its certificate that it is that host."
        )
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
        return EndpointDownError("The endpoint of MNEMO_LLM_URL does not answer. Start it, or set another.")
    if isinstance(cause, TooMuchError):
        return NoReplyError("too long")
    return NoReplyError("timeout" if isinstance(cause, httpx2.TimeoutException) else "dropped")


class Wire(httpx2.BaseTransport):
    """A connection a request: nothing is left open that a server could have dropped meanwhile.

    A request that was sent on a connection that was just dropped could not be told from one that was worked
    on, and no request is sent twice.
    """

    def __init__(self, address: Address, key: str | None) -> None:
        self._address = address
        self._key = key or NO_KEY
        self._transport = httpx2.HTTPTransport(
            verify=trusted() if address.tls else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),  # else nobody
            trust_env=False,
            limits=httpx2.Limits(max_keepalive_connections=0),
        )
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._closed = False

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request to the first address that takes a connection."""
        until = time.monotonic() + request.extensions["timeout"]["read"]
        refused = httpx2.ConnectError("")
        for address in self._address.addresses:
            watch = _Watch(self, until)
            try:
                answer = self._transport.handle_request(self._plain(request, address, watch))
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                watch.end()
                refused = UnverifiedError("") if _is_unverified(error) else httpx2.ConnectError("")
                continue
            except httpx2.HTTPError:
                raise watch.ended() from None
            stream = _Bounded(cast("httpx2.SyncByteStream", answer.stream), watch)
            if "content-encoding" in answer.headers:  # none was asked for: it may unpack to anything
                stream.close()
                raise httpx2.RemoteProtocolError("")
            return httpx2.Response(answer.status_code, headers=answer.headers, stream=stream)
        raise refused

    def _plain(self, request: httpx2.Request, address: str, watch: _Watch) -> httpx2.Request:
        """The same request with its body, where it goes, and nothing that tells more."""
        body = request.read()
        headers = {
            "Host": self._address.authority,
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Authorization": f"Bearer {self._key}",
            "Connection": "close",
            **({"Content-Type": "application/json", "Content-Length": str(len(body))} if body else {}),
        }
        url = httpx2.URL(
            scheme="https" if self._address.tls else "http",
            host=address,
            port=self._address.port,
            raw_path=request.url.raw_path,
        )
        extensions = {
            "timeout": request.extensions["timeout"],
            "trace": watch.see,
            "sni_hostname": self._address.host,  # whom the certificate has to name
        }
        return httpx2.Request(
            request.method, url, headers=headers, content=body or None, extensions=extensions
        )

    def keep(self, connected: socket.socket) -> None:
        """Know a socket, to be able to end it."""
        with self._lock:
            self._sockets.add(connected)
            closed = self._closed
        if closed:
            shut(connected)

    def close(self) -> None:
        """End what is in flight, and what is begun after: closing alone would wake no thread that reads."""
        with self._lock:
            self._closed = True
        self.cut()

    def cut(self) -> None:
        """End what is in flight."""
        with self._lock:
            sockets = list(self._sockets)
        for each in sockets:
            shut(each)


def trusted() -> ssl.SSLContext:
    """The authorities that the system trusts, wherever the environment says that others are."""
    return httpx2.create_ssl_context(trust_env=False)


def shut(connected: socket.socket) -> None:
    """End a connection under a thread that reads from it."""
    with suppress(OSError):
        socket.socket.shutdown(connected, socket.SHUT_RDWR)  # a TLS socket's own would let go of its state


def _is_unverified(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


class _Watch:
    """The end of one request's time: a byte now and then, in the headers or the body, is no way out."""

    def __init__(self, wire: Wire, until: float) -> None:
        self._wire = wire
        self._until = until
        self._timer: threading.Timer | None = None

    def see(self, event: str, told: Mapping[str, Any]) -> None:
        """A step of the transport's; the socket is in it where there is a new one."""
        if event not in _CONNECTED:
            return
        connected: socket.socket = told["return_value"].get_extra_info("socket")
        self._wire.keep(connected)
        self.end()
        self._timer = threading.Timer(max(0.0, self._until - time.monotonic()), shut, [connected])
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """The request is over."""
        if self._timer is not None:
            self._timer.cancel()

    @property
    def is_over(self) -> bool:
        """Whether its time is over."""
        return time.monotonic() >= self._until

    def ended(self) -> httpx2.TransportError:
        """Why a connection broke off."""
        self.end()
        return httpx2.ReadTimeout("") if self.is_over else httpx2.ReadError("")


class _Bounded(httpx2.SyncByteStream):
    """A reply's bytes, as many as it may have, for as long as it may take."""

    def __init__(self, stream: httpx2.SyncByteStream, watch: _Watch) -> None:
        self._stream = stream
        self._watch = watch

    def __iter__(self) -> Iterator[bytes]:
        left, pieces = LIMIT, iter(self._stream)
        while (piece := self._next(pieces)) is not None:
            left -= len(piece)
            if left < 0:
                raise TooMuchError("")
            yield piece

    def _next(self, pieces: Iterator[bytes]) -> bytes | None:
        try:
            piece = next(pieces, None)
        except httpx2.HTTPError:
            raise self._watch.ended() from None
        if piece is None and self._watch.is_over:  # an end of ours looks like the server's
            raise httpx2.ReadTimeout("")
        return piece

    def close(self) -> None:
        self._watch.end()
        self._stream.close()
