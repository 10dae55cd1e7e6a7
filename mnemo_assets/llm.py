"""The one place that talks to a model's endpoint, which is on this machine.

The client of the package openai is made for a service: it reads a key, headers and proxies from the
environment, follows redirects with the body, tries again by itself, tells what machine it runs on, and its
log holds what was sent. Here a request goes once, to an address that was found to be this machine's, with the
headers written in this file and no other, and what it says when it fails is a class.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import socket
import threading
import time
import weakref
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self, cast
from urllib.parse import urlsplit

import httpx2
import openai

from mnemo_assets.errors import EndpointDownError, NoReplyError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

#: In seconds: to be connected with this machine, and to be told what models there are.
_CONNECTING: Final = 5
_LISTING: Final = 10
#: Bytes of a reply: a page of print as JSON takes 100 kB.
_LIMIT: Final = 8 << 20
#: Statuses that say that no request will fare better now: another URL, no access, no such model, not ready.
_TURNED_AWAY: Final = {401, 403, 404, 405, 407, 429, 503}
_REDIRECTS: Final = range(300, 400)
#: Local servers want some key, and look at none. It is no secret, and no key of the owner's goes there.
_KEY: Final = "mnemo"
#: Every request is answered without a train of thought, which costs minutes and is of no use here.
_NO_THINKING: Final = {"reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": False}}
#: Their debug lines hold requests, their others what a server calls its status.
_LOUD: Final = ("openai", "httpx2", "httpcore2")


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Attributes:
        text: as it came; it is a stranger's.
        finish_reason: `stop`, or `length` if it was cut off; None where the server does not say.
        tokens: of the reply; None where the server does not say.
        refused: the model says that it does not want to.
    """

    text: str
    finish_reason: str | None
    tokens: int | None
    refused: bool = False


class Endpoint:
    """A model behind a URL of this machine; used from several threads at once.

    Args:
        url: of the API, such as `http://127.0.0.1:11434/v1`.
        model: what the endpoint calls it.

    Raises:
        SettingsError: the URL is not one of this machine.
    """

    def __init__(self, url: str, model: str) -> None:
        for name in _LOUD:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        self.model = model
        self._wire = _Wire(_addresses(url))
        self._client = openai.OpenAI(
            base_url=url,
            api_key=_KEY,
            admin_api_key="",  # what is not given is read from the environment
            organization="",
            project="",
            webhook_secret="",
            max_retries=0,
            http_client=httpx2.Client(transport=self._wire, trust_env=False, follow_redirects=False),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it; requests in flight fail at once."""
        self._wire.close()

    def complete(self, messages: Sequence[Mapping[str, Any]], max_tokens: int, seconds: float) -> Reply:
        """Ask once, at temperature 0.

        Args:
            messages: as the API has them.
            max_tokens: that the reply may have.
            seconds: that it may take.

        Raises:
            NoReplyError: this request has no reply.
            EndpointDownError: none would have.
        """
        asked: Any = {**_NO_THINKING}
        with _classed():
            answer = self._client.chat.completions.with_raw_response.create(
                model=self.model,
                messages=cast("Any", list(messages)),
                temperature=0,
                max_tokens=max_tokens,
                extra_body=asked,
                timeout=_timeout(seconds),
            )
            return _reply(json.loads(answer.content))

    def models(self) -> frozenset[str]:
        """What the endpoint says that it can serve, as it calls them.

        Raises:
            NoReplyError, EndpointDownError: as for `complete`.
        """
        with _classed():
            answer = self._client.models.with_raw_response.list(timeout=_timeout(_LISTING))
            return frozenset(str(one["id"]) for one in json.loads(answer.content)["data"])


def _timeout(seconds: float) -> httpx2.Timeout:
    return httpx2.Timeout(seconds, connect=_CONNECTING)


def _reply(answer: Any) -> Reply:  # noqa: ANN401 - whatever JSON a server sends
    """The reply in an answer.

    Raises:
        LookupError, TypeError: it is no answer.
    """
    choice = answer["choices"][0]
    message, reason = choice["message"], choice.get("finish_reason")
    text, tokens = message.get("content") or "", (answer.get("usage") or {}).get("completion_tokens")
    if not isinstance(text, str):
        raise TypeError
    return Reply(
        text,
        reason if isinstance(reason, str) else None,
        tokens if type(tokens) is int else None,
        refused=bool(message.get("refusal")) or reason == "content_filter",
    )


@contextmanager
def _classed() -> Iterator[None]:
    """Whatever fails leaves as a class of ours: what the client raises holds the request, or the reply."""
    try:
        yield
    except openai.APIStatusError as error:
        raise _of_status(error.status_code) from None
    except openai.APIConnectionError as error:
        raise _of_link(error.__cause__) from None
    except (
        openai.OpenAIError,
        httpx2.HTTPError,
        httpx2.InvalidURL,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ):
        raise NoReplyError("unreadable") from None


def _of_status(status: int) -> EndpointDownError | NoReplyError:
    if status in _REDIRECTS:
        return EndpointDownError("The endpoint of MNEMO_LLM_URL points elsewhere, where nothing is sent.")
    if status in _TURNED_AWAY:
        return EndpointDownError(
            f"The endpoint of MNEMO_LLM_URL turns requests away, with status {status}. Is its model there?"
        )
    return NoReplyError(f"status {status}")


def _of_link(cause: BaseException | None) -> EndpointDownError | NoReplyError:
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
        return EndpointDownError("The endpoint of MNEMO_LLM_URL does not answer. Start it, or set another.")
    if isinstance(cause, _TooMuchError):
        return NoReplyError("too long")
    return NoReplyError("timeout" if isinstance(cause, httpx2.TimeoutException) else "dropped")


def _addresses(url: str) -> tuple[str, ...]:
    """The addresses of a URL's host, which are this machine's: the name is not asked for again.

    Raises:
        SettingsError: one of them is not, or the URL cannot be understood.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 80
        if parts.scheme != "http" or not host or "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError  # noqa: TRY301 - one name for all that is no such URL
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, ValueError):
        raise SettingsError(
            "MNEMO_LLM_URL is no URL of this machine's. One is http://127.0.0.1:11434/v1."
        ) from None
    found = tuple(dict.fromkeys(str(entry[4][0]) for entry in entries))
    if not found or not all(map(_is_loopback, found)):
        raise SettingsError(
            "The host of MNEMO_LLM_URL is another machine: pages of the archive would go there. Set it to an "
            "endpoint on this machine, such as http://127.0.0.1:11434/v1."
        )
    return found


def _is_loopback(address: str) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:  # with a scope: a neighbour's
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return (mapped or parsed).is_loopback


class _TooMuchError(httpx2.ReadError):
    """A reply is longer than a reply may be."""


class _Wire(httpx2.BaseTransport):
    """What is sent, and to whom: to these addresses alone, with the headers that stand here alone."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = addresses
        # a connection a request: nothing is left open that a server could have dropped meanwhile
        self._transport = httpx2.HTTPTransport(
            trust_env=False, limits=httpx2.Limits(max_keepalive_connections=0)
        )
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._closed = False

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request to the first address that takes a connection."""
        until = time.monotonic() + request.extensions["timeout"]["read"]
        failure = httpx2.ConnectError("")
        for address in self._addresses:
            try:
                answer = self._transport.handle_request(self._plain(request, address))
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                failure = httpx2.ConnectError(type(error).__name__)
                continue
            if "content-encoding" in answer.headers:  # none was asked for: it may unpack to anything
                answer.close()
                raise httpx2.RemoteProtocolError("")
            stream = _Bounded(cast("httpx2.SyncByteStream", answer.stream), until)
            return httpx2.Response(answer.status_code, headers=answer.headers, stream=stream)
        raise failure

    def _plain(self, request: httpx2.Request, address: str) -> httpx2.Request:
        """The same request with its body, where it goes, and nothing that tells more."""
        body = request.read()
        headers = {
            "Host": request.url.netloc.decode("ascii"),
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Authorization": f"Bearer {_KEY}",
            "Connection": "close",
            **({"Content-Type": "application/json", "Content-Length": str(len(body))} if body else {}),
        }
        return httpx2.Request(
            request.method,
            request.url.copy_with(host=address),
            headers=headers,
            content=body or None,
            extensions={"timeout": request.extensions["timeout"], "trace": self._watch},
        )

    def _watch(self, event: str, told: Mapping[str, Any]) -> None:
        """Know each socket, to be able to end it."""
        if event == "connection.connect_tcp.complete":
            connected: socket.socket = told["return_value"].get_extra_info("socket")
            with self._lock:
                self._sockets.add(connected)
                closed = self._closed
            if closed:
                _shut(connected)

    def close(self) -> None:
        """End what is in flight: closing alone would wake no thread that reads."""
        with self._lock:
            self._closed = True
            sockets = list(self._sockets)
        for each in sockets:
            _shut(each)


def _shut(connected: socket.socket) -> None:
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


class _Bounded(httpx2.SyncByteStream):
    """A reply's bytes, as many as it may have, for as long as it may take: a drop at a time is no way out."""

    def __init__(self, stream: httpx2.SyncByteStream, until: float) -> None:
        self._stream = stream
        self._until = until

    def __iter__(self) -> Iterator[bytes]:
        left = _LIMIT
        for piece in self._stream:
            left -= len(piece)
            if left < 0:
                raise _TooMuchError("")
            if time.monotonic() > self._until:
                raise httpx2.ReadTimeout("")
            yield piece

    def close(self) -> None:
        self._stream.close()
