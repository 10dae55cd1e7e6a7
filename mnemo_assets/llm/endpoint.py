"""A model behind a URL: asked once, and what fails leaves as a class of ours."""

from __future__ import annotations

import logging
import socket
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, Self, cast

import httpx2

from mnemo_assets.errors import EndpointDownError, NoReplyError
from mnemo_assets.llm import address as addresses
from mnemo_assets.llm import key as keys
from mnemo_assets.llm import reply as replies
from mnemo_assets.llm import wire as wires

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    import openai

    from mnemo_assets.llm.address import Place
    from mnemo_assets.llm.reply import Reply

Server = Literal["llama-server", "llama-server-router", "llama-swap", "ollama", "lm-studio", "unknown"]

#: In seconds: to be told what models there are.
_LISTING: Final = 10
#: Every request is answered without a train of thought, which costs minutes and is of no use here.
_NO_THINKING: Final = {"reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": False}}
#: Their debug lines hold requests, their others what a server calls its status.
_LOUD: Final = ("openai", "httpx2", "httpcore2")
#: What is no JSON, or not what it should be.
_UNREADABLE: Final = (
    httpx2.HTTPError,
    httpx2.InvalidURL,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RecursionError,
)
_PROBE: Final = ({"role": "user", "content": "Say yes."},)


@dataclass(frozen=True, slots=True)
class Identity:
    """What stands behind an endpoint.

    Attributes:
        server: the program that answers.
        place: where the model runs: `here`, on this machine; `declared`, here, as the owner says; `named`,
            on another machine of the owner's; `hosted`, at somebody's service.
        slots: requests that it works on at once; None where it does not say.
        context: tokens of one request with its reply; None where it does not say.
    """

    server: Server
    place: Place
    slots: int | None = None
    context: int | None = None

    @property
    def is_hosted(self) -> bool:
        """Whether only documents that were opted in may be sent there."""
        return self.place == "hosted"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server's own API said: a status, and the JSON; None where it is none."""

    status: int
    said: object


class Endpoint:
    """A model behind a URL; used from several threads at once.

    What stands behind it is not asked for here: `open_endpoint` does, and nothing of the archive may be sent
    before that.

    Args:
        url: of the API, such as `http://127.0.0.1:11434/v1`.
        model: what the endpoint calls it.
        remote_host: the host, said once more, where it is another machine.
        hosted: the host may be one beyond the networks that are one's own.
        key: gives the key of an endpoint on another machine; one on this machine is sent none.

    Raises:
        SettingsError: the URL is not one of this machine, nor of one that was named.
        EndpointDownError: the host that was named is not found, or there is no key.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        remote_host: str | None = None,
        hosted: bool = False,
        key: Callable[[], str] | None = None,
    ) -> None:
        for name in _LOUD:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        self.model = model
        self.address = addresses.find(url, remote_host=remote_host, hosted=hosted)
        self.identity = Identity("unknown", self.address.place)
        self._url = url
        secret = key() if key is not None and self.address.place != "here" else None
        self._wire = wires.Wire(self.address, secret)
        self._http = httpx2.Client(transport=self._wire, trust_env=False, follow_redirects=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it; requests in flight fail at once."""
        self._wire.close()

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        max_tokens: int,
        seconds: float,
        *,
        response_format: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Ask once, at temperature 0.

        Args:
            messages: as the API has them.
            max_tokens: that the reply may have.
            seconds: that it may take.
            response_format: what the reply is held to, as the API has it.

        Raises:
            NoReplyError: this request has no reply.
            EndpointDownError: none would have.
        """
        import openai  # noqa: PLC0415 - takes a third of a second, which a look at an endpoint need not

        asked: dict[str, Any] = {**_NO_THINKING}
        if response_format is not None:
            asked["response_format"] = dict(response_format)
        try:
            with _classed():
                answer = self._client.chat.completions.with_raw_response.create(
                    model=self.model,
                    messages=cast("Any", list(messages)),
                    temperature=0,
                    max_tokens=max_tokens,
                    extra_body=asked,
                    timeout=_timeout(seconds),
                )
                return replies.of_json(answer.content, self.identity.context)
        except openai.APIStatusError as error:
            status, content = error.status_code, error.response.content
            _learn(status)
            if replies.is_too_long(status, content):
                return replies.TOO_LONG
            raise replies.of_status(status, content) from None
        except openai.APIConnectionError as error:
            raise wires.failure(error.__cause__) from None
        except httpx2.TransportError as error:
            raise wires.failure(error) from None
        except openai.OpenAIError:
            raise NoReplyError("unreadable") from None

    def models(self) -> frozenset[str]:
        """What the endpoint says that it can serve, as it calls them.

        Raises:
            NoReplyError, EndpointDownError: as for `complete`.
        """
        answer = self.look(f"{httpx2.URL(self._url).path.rstrip('/')}/models", seconds=_LISTING)
        if answer.status != httpx2.codes.OK:
            raise replies.of_status(answer.status)
        with _classed():
            return frozenset(str(one["id"]) for one in cast("Any", answer.said)["data"])

    def call(self, method: str, path: str, body: object = None, *, seconds: float = 10) -> Answer:
        """Use the server's own API, once; whatever status it has is an answer.

        Args:
            method: such as `POST`.
            path: from the root of the host, such as `/models/load`.
            body: is sent as JSON.
            seconds: that it may take.

        Raises:
            NoReplyError: there is no answer.
            EndpointDownError: nobody answers, or it points elsewhere.
        """
        found = self._ask(method, path, body, seconds)
        if httpx2.codes.is_redirect(found.status):
            raise replies.of_status(found.status)
        return found

    def look(self, path: str, *, seconds: float) -> Answer:
        """Ask what stands there; one that points elsewhere is an answer, too, and not followed.

        Raises:
            NoReplyError, EndpointDownError: as for `call`.
        """
        return self._ask("GET", path, None, seconds)

    def is_answering(self, seconds: float) -> bool:
        """Whether a request for one token has a reply."""
        try:
            self.complete(_PROBE, 1, seconds)
        except (NoReplyError, EndpointDownError):
            return False
        return True

    def cut_if_gone(self) -> bool:
        """End what is in flight if nobody takes connections any more; returns whether that was so.

        A server that was asked to end may keep the requests that it has, and never answer them.
        """
        for host in self.address.addresses:
            try:
                socket.create_connection((host, self.address.port), timeout=wires.CONNECTING).close()
            except ConnectionRefusedError:
                continue
            except OSError:  # a network that is slow, for one: nothing is known
                return False
            return False
        self._wire.cut()
        return True

    def _ask(self, method: str, path: str, body: object, seconds: float) -> Answer:
        try:
            with _classed():
                more = {} if body is None else {"json": body}
                answer = self._http.request(
                    method, f"{self.address.root}{path}", timeout=_timeout(seconds), **cast("Any", more)
                )
        except httpx2.TransportError as error:
            raise wires.failure(error) from None
        _learn(answer.status_code)
        try:
            return Answer(answer.status_code, replies.parsed(answer.content))
        except (ValueError, RecursionError):
            return Answer(answer.status_code, None)

    @cached_property
    def _client(self) -> openai.OpenAI:
        import openai  # noqa: PLC0415 - as above

        return openai.OpenAI(
            base_url=self._url,
            api_key=wires.NO_KEY,  # the wire has the key
            admin_api_key="",  # what is not given is read from the environment
            organization="",
            project="",
            webhook_secret="",
            max_retries=0,
            http_client=self._http,
        )


def _learn(status: int) -> None:
    if status == httpx2.codes.UNAUTHORIZED:
        keys.forget()


def _timeout(seconds: float) -> httpx2.Timeout:
    return httpx2.Timeout(seconds, connect=wires.CONNECTING)


@contextmanager
def _classed() -> Iterator[None]:
    """What cannot be understood leaves as a class of ours: what the client raises holds what was said."""
    try:
        yield
    except httpx2.TransportError:
        raise
    except _UNREADABLE:
        raise NoReplyError("unreadable") from None
