"""What leaves this program towards a model, and what may come back."""

from __future__ import annotations

import gzip
import logging
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets import llm
from mnemo_assets.errors import EndpointDownError, NoReplyError, SettingsError
from mnemo_assets.llm import Endpoint, Reply, wire
from tests.endpoints import Answer, Asked, said, serving, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.endpoints import Stub

CANARY = "Eleanor Ashdown, 20417"
MESSAGES = [{"role": "user", "content": CANARY}]


@pytest.fixture
def stub() -> Iterator[Stub]:
    with serving(lambda _asked: said("well")) as stub:
        yield stub


def completed(url: str, seconds: float = 10) -> Reply:
    with Endpoint(url, "seer") as endpoint:
        return endpoint.complete(MESSAGES, 50, seconds)


def test_a_request_is_what_stands_here(stub: Stub) -> None:
    """The body is the question, the headers are five, and none tells what machine or program asks."""
    assert completed(stub.url) == Reply("well", "stop", 3, prompt_tokens=7)
    (asked,) = stub.asked
    assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
    assert asked.said == {
        "model": "seer",
        "messages": MESSAGES,
        "temperature": 0,
        "max_tokens": 50,
        "reasoning_effort": "none",
        "chat_template_kwargs": {"enable_thinking": False},
    }
    assert asked.headers == {
        "Host": stub.url.removeprefix("http://").removesuffix("/v1"),
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Authorization": "Bearer mnemo",
        "Connection": "close",
        "Content-Type": "application/json",
        "Content-Length": str(len(asked.body)),
    }


def test_the_environment_says_nothing(stub: Stub, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Neither proxies nor keys nor headers nor a .netrc: a recording proxy is sent nothing at all."""
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ada password canary\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    with serving(lambda _asked: said("from the proxy")) as proxy:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
            monkeypatch.setenv(name.lower(), proxy.url.removesuffix("/v1"))
        for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "WEBHOOK_SECRET"):
            monkeypatch.setenv(f"OPENAI_{name}", "canary")
        monkeypatch.setenv("OPENAI_BASE_URL", proxy.url)
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: canary\nX-More: canary")
        assert completed(stub.url).text == "well"
    assert proxy.asked == []
    assert "canary" not in str(stub.asked)
    assert len(stub.asked) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(stub: Stub, status: int) -> None:
    """Where it points to is sent nothing, and it is not asked again."""
    with serving(lambda _asked: said("elsewhere")) as other:
        stub.answer = lambda _asked: Answer(status, headers={"Location": f"{other.url}/chat/completions"})
        with pytest.raises(EndpointDownError, match="points elsewhere"):
            completed(stub.url)
    assert other.asked == []
    assert len(stub.asked) == 1


@pytest.mark.parametrize(
    "url",
    [
        "http://192.0.2.1:11434/v1",
        "http://[2001:db8::1]/v1",
        "http://0.0.0.0:11434/v1",
        "http://10.0.0.1/v1",
        "http://[::ffff:192.0.2.1]/v1",
    ],
)
def test_another_machine_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its address, before anything is connected; the message says what to do."""
    monkeypatch.setattr(socket.socket, "connect", None)
    with pytest.raises(SettingsError, match="Set it to an endpoint on this machine"):
        Endpoint(url, "seer")


@pytest.mark.parametrize(
    "url",
    ["https://127.0.0.1/v1", "http://ada:pw@127.0.0.1/v1", "http://127.0.0.1:99999/v1", "http:///v1", "x"],
)
def test_what_is_no_url_of_this_machine(url: str) -> None:
    """TLS, a password or a port that is none."""
    with pytest.raises(SettingsError, match="is no URL of"):
        Endpoint(url, "seer")


def test_the_address_counts_and_not_the_name(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name is asked for once: one that points elsewhere is refused, and none is followed later."""
    port = int(stub.url.split(":")[2].removesuffix("/v1"))

    def pointing(*addresses: str) -> Callable[..., Any]:
        return lambda *_, **__: [(0, 0, 0, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", pointing("127.0.0.1", "192.0.2.1"))
    with pytest.raises(SettingsError):
        Endpoint("http://localhost/v1", "seer")
    monkeypatch.setattr(socket, "getaddrinfo", pointing("127.0.0.2", "127.0.0.1"))
    with Endpoint(f"http://model.test:{port}/v1", "seer") as endpoint:
        monkeypatch.undo()
        assert endpoint.complete(MESSAGES, 50, 10).text == "well"
    assert stub.asked[0].headers["Host"] == f"model.test:{port}"


def dropping(_asked: Asked) -> Answer:
    raise ConnectionAbortedError


REPLIES: list[tuple[Callable[[Asked], Answer], str]] = [
    (lambda _: Answer(500, b'{"error":{"message":"' + CANARY.encode() + b'"}}'), "status 500"),
    (lambda _: Answer(400, CANARY.encode()), "status 400"),
    (lambda _: Answer(200, CANARY.encode()), "unreadable"),
    (lambda _: Answer(200, CANARY.encode(), {"Content-Type": "text/plain"}), "unreadable"),
    (lambda _: Answer(200, b"[" * 100_000), "unreadable"),
    (lambda _: Answer(200, b"\xff\xfe"), "unreadable"),
    (lambda _: Answer(200, b'{"choices":' * 50_000 + b"1" + b"}" * 50_000), "unreadable"),
    (lambda _: Answer(200, said("x").body.replace(b"7", b"NaN")), "unreadable"),
    (lambda _: Answer(200, said("x").body.replace(b"7", b"7" * 5_000)), "unreadable"),
    (lambda _: said("x", reasoning=[CANARY]), "unreadable"),
    (lambda _: Answer(200, b"null"), "unreadable"),
    (lambda _: Answer(200, b'[{"choices":1}]'), "unreadable"),
    (lambda _: Answer(200, b'{"choices":{"0":1}}'), "unreadable"),
    (lambda _: Answer(200, b'{"choices":[null]}'), "unreadable"),
    (lambda _: told({"error": CANARY}), "unreadable"),
    (lambda _: Answer(500, b"proxy error: Could not establish connection"), "loading"),
    (lambda _: Answer(500, b"model limit reached, try again later"), "busy"),
    (lambda _: told({"error": {"message": "Loading model", "code": 503}}, 503), "loading"),
    (lambda _: told({"error": "server busy, please try again."}, 503), "busy"),
    (lambda _: Answer(429, CANARY.encode()), "busy"),
    (lambda _: Answer(200, b'{"choices":[]}'), "unreadable"),
    (lambda _: Answer(200, b'{"choices":[{"message":[]}]}'), "unreadable"),
    (lambda _: said([CANARY]), "unreadable"),
    (lambda _: Answer(200, gzip.compress(said("x").body), {"Content-Encoding": "gzip"}), "dropped"),
    (lambda _: Answer(200, b"{", {"Content-Length": "999"}), "dropped"),
    (dropping, "dropped"),
]


@pytest.mark.parametrize(("answer", "detail"), REPLIES)
def test_a_reply_that_is_none(
    stub: Stub,
    caplog: pytest.LogCaptureFixture,
    answer: Callable[[Asked], Answer],
    detail: str,
) -> None:
    """It is a class, once; no word of the question or the answer is in an error or a log."""
    stub.answer = answer
    with caplog.at_level(logging.DEBUG), pytest.raises(NoReplyError) as raised:
        completed(stub.url)
    assert raised.value.detail == detail
    assert str(raised.value) == f"The model gave no reply: {detail}."
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    assert "Ashdown" not in caplog.text
    assert [one for one in caplog.records if one.name.startswith(("openai", "http"))] == []
    assert len(stub.asked) == 1


def test_a_reply_without_end(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read as far as a reply may go."""
    monkeypatch.setattr(wire, "LIMIT", 1000)
    stub.answer = lambda _asked: said("x" * 2000)
    with pytest.raises(NoReplyError, match="too long"):
        completed(stub.url)


def test_a_reply_that_takes_too_long(stub: Stub) -> None:
    """The time is that of the one request."""
    over = threading.Event()

    def waiting(_asked: Asked) -> Answer:
        over.wait(30)
        return said("late")

    stub.answer = waiting
    with pytest.raises(NoReplyError, match="timeout"):
        completed(stub.url, seconds=0.2)
    over.set()


@pytest.mark.parametrize("status", [401, 403, 404, 503])
def test_an_endpoint_that_turns_away(stub: Stub, status: int) -> None:
    """It is not this request's doing."""
    stub.answer = lambda _asked: Answer(status, CANARY.encode())
    with pytest.raises(EndpointDownError, match=f"with status {status}") as raised:
        completed(stub.url)
    assert "Ashdown" not in str(raised.value)


def test_an_endpoint_that_is_not_there() -> None:
    """Nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(EndpointDownError, match="does not answer"):
            completed(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")


def test_closing_ends_what_is_in_flight(stub: Stub) -> None:
    """A thread that waits for a reply fails at once, and nothing is sent any more."""
    arrived, over = threading.Event(), threading.Event()

    def waiting(_asked: Asked) -> Answer:
        arrived.set()
        over.wait(30)
        return said("late")

    stub.answer = waiting
    endpoint = Endpoint(stub.url, "seer")
    failed: list[str] = []

    def ask() -> None:
        with pytest.raises(NoReplyError) as raised:
            endpoint.complete(MESSAGES, 50, 600)
        failed.append(raised.value.detail)

    thread = threading.Thread(target=ask)
    thread.start()
    assert arrived.wait(30)
    endpoint.close()
    thread.join(30)
    over.set()
    assert failed == ["dropped"]
    with pytest.raises(NoReplyError):
        endpoint.complete(MESSAGES, 50, 10)
    assert len(stub.asked) == 1


def test_models_are_listed(stub: Stub) -> None:
    """As the endpoint calls them."""
    with Endpoint(stub.url, "seer") as endpoint:
        assert endpoint.models() == {"seer"}


def test_what_a_reply_says_of_itself(stub: Stub) -> None:
    """Cut off, refused, silent about both, thought about; surrogates pass through."""
    stub.answer = lambda _asked: said("half", "length")
    assert completed(stub.url) == Reply("half", "length", 3, prompt_tokens=7)
    stub.answer = lambda _asked: said(None, None, refusal="no")
    assert completed(stub.url) == Reply("", None, 3, refused=True, prompt_tokens=7)
    stub.answer = lambda _asked: said("\ud800", "content_filter")
    assert completed(stub.url) == Reply("\ud800", "content_filter", 3, refused=True, prompt_tokens=7)
    for name in ("reasoning", "reasoning_content"):
        stub.answer = lambda _asked, name=name: said(None, **{name: "hm"})  # type: ignore[misc]
        assert completed(stub.url) == Reply("", "stop", 3, reasoning="hm", prompt_tokens=7)
    stub.answer = lambda _asked: told(
        {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": -1}}
    )
    assert completed(stub.url) == Reply("x", None, None)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": 400, "message": "too many", "type": "exceed_context_size_error", "n_ctx": 2048}),
        (400, {"message": "request (8030 tokens) exceeds the available context size (2048 tokens)"}),
        (400, "the prompt is longer than the context length currently available to the model; shorten it"),
        (400, "The number of tokens to keep from the initial prompt is greater than the context length."),
        (400, "Trying to keep the first 15857 tokens when context the overflows."),
        (200, {"message": "Context size has been exceeded."}),
        (400, {"message": "Your input is too long.", "code": "context_length_exceeded"}),
    ],
)
def test_a_prompt_that_does_not_fit(stub: Stub, status: int, error: object) -> None:
    """However a server says it, it is a reply without text whose end is the context."""
    stub.answer = lambda _asked: told({"error": error}, status)
    assert completed(stub.url) == Reply("", "context", None)


def test_a_format_is_passed_on(stub: Stub) -> None:
    """As it was given, beside the question."""
    schema = {
        "type": "json_schema",
        "json_schema": {"name": "x", "strict": True, "schema": {"type": "object"}},
    }
    with Endpoint(stub.url, "seer") as endpoint:
        endpoint.complete(MESSAGES, 50, 10, response_format=schema)
    assert stub.asked[0].said["response_format"] == schema


def test_a_probe_is_answered_or_not(stub: Stub) -> None:
    """By any reply to a request for one token; an error is none, nor is a server that is gone."""
    with Endpoint(stub.url, "seer") as endpoint:
        assert endpoint.is_answering(10)
        assert stub.asked[0].said["max_tokens"] == 1
        stub.answer = lambda _asked: Answer(500)
        assert not endpoint.is_answering(10)
    with serving(lambda _asked: said("x")) as gone:
        pass
    with Endpoint(gone.url, "seer") as endpoint:
        assert not endpoint.is_answering(10)


def test_a_servers_own_api(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any status is an answer, what is no JSON is nothing; the headers are those of a question."""
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    stub.answer = lambda asked: told({"error": "already"}, 400) if asked.body else Answer(200, b"OK")
    with Endpoint(stub.url, "seer") as endpoint:
        assert endpoint.call("POST", "/models/load", {"model": "seer"}) == llm.Answer(
            400, {"error": "already"}
        )
        assert endpoint.call("POST", "/models/unload?all=1") == llm.Answer(200, None)
    first, second = stub.asked
    assert (first.method, first.path, first.said) == ("POST", "/models/load", {"model": "seer"})
    assert first.headers["Authorization"] == "Bearer mnemo"
    assert "User-Agent" not in first.headers
    assert (second.path, second.body) == ("/models/unload?all=1", b"")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_of_its_own_api_is_not_followed(stub: Stub, status: int) -> None:
    """Nor are its cookies kept."""
    with serving(lambda _asked: said("elsewhere")) as other, Endpoint(stub.url, "seer") as endpoint:
        headers = {"Location": f"{other.url}/x", "Set-Cookie": "canary=1"}
        stub.answer = lambda _asked: Answer(status, headers=headers)
        for _ in range(2):
            with pytest.raises(EndpointDownError, match="points elsewhere"):
                endpoint.call("POST", "/models/load", {"model": "seer"})
    assert other.asked == []
    assert "canary" not in str(stub.asked)


def test_the_address_of_this_machine_in_the_other_family() -> None:
    """`[::1]` is this machine, too."""
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as server:
        thread = threading.Thread(target=_answer_once, args=[server, [said("well").body]])
        thread.start()
        assert completed(f"http://[::1]:{server.getsockname()[1]}/v1").text == "well"
        thread.join()


@pytest.mark.parametrize("drop", [b"X: y\r\n", b" "])
def test_a_reply_drop_by_drop(drop: bytes) -> None:
    """Each drop comes in time, and the whole does not: in the headers or in the body, it is given up."""
    over, waited_for = threading.Event(), threading.Event()
    begin = b"HTTP/1.1 200 OK\r\n" + (b"\r\n" if drop == b" " else b"")

    def drip(server: socket.socket) -> None:
        with server.accept()[0] as link, suppress(OSError):
            link.sendall(begin)
            for _ in range(500):
                if over.wait(0.02):
                    return
                link.sendall(drop)
            waited_for.set()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=drip, args=[server])
        thread.start()
        with pytest.raises(NoReplyError, match="timeout"):
            completed(f"http://127.0.0.1:{server.getsockname()[1]}/v1", seconds=0.5)
        assert not waited_for.is_set()
        over.set()
        thread.join()


def _answer_once(server: socket.socket, pieces: list[bytes]) -> None:
    with server.accept()[0] as link:
        asked = b""
        while not asked.endswith(b"}"):
            asked += link.recv(65_536)
        link.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + b"".join(pieces))


def test_a_server_that_is_gone_keeps_no_request() -> None:
    """One that takes no connection any more, and holds what it has, is left; one that is there is not."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        with Endpoint(url, "seer") as endpoint, ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(endpoint.complete, MESSAGES, 50, 60)
            held, _ = listening.accept()
            with held:
                assert held.recv(10)
                assert not endpoint.cut_if_gone()
                listening.accept()[0].close()
                assert not waiting.done()
                listening.close()
                assert endpoint.cut_if_gone()
                with pytest.raises(NoReplyError, match="dropped"):
                    waiting.result(20)
