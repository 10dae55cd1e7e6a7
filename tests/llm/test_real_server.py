"""What a real llama-server answers: the client, and the drivers of presets, are built on it."""

from __future__ import annotations

import json
import os
import signal
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets.errors import EndpointDownError, NoReplyError
from mnemo_assets.llm import Endpoint, Reply
from tests.llama import GGUF, NEEDS_LLAMA
from tests.upped import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.llama import Llama, OneServer

pytestmark = NEEDS_LLAMA

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["names"],
    "properties": {
        "names": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {"type": "string", "minLength": 3, "maxLength": 20},
        }
    },
}
ENFORCED = {"type": "json_schema", "json_schema": {"name": "names", "strict": True, "schema": SCHEMA}}
LETTER = "Ada Byron of Nordwind Ltd wrote a letter to Carl Gauss. Say in one sentence who wrote."
#: 4,000 tokens, half a minute's work: a request that is in flight until somebody ends it.
LONG = "word " * 4_000


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def completed(server: Llama, text: str, tokens: int = 20, model: str = "one") -> Reply:
    """A reply by way of the project's client."""
    with Endpoint(server.url, model) as endpoint:
        return endpoint.complete([{"role": "user", "content": text}], tokens, PATIENCE)


def asked(server: Llama, text: str, tokens: int = 60, model: str = "one", **more: object) -> tuple[int, Any]:
    """A status, and what the server said: what the client does not show, or not yet."""
    messages = [{"role": "user", "content": text}]
    body = {"model": model, "messages": messages, "max_tokens": tokens, "temperature": 0, **more}
    return server.ask("POST", "/v1/chat/completions", body, PATIENCE)


def in_flight(pool: ThreadPoolExecutor, server: Llama, model: str | None = None) -> Future[Reply]:
    """A long request that the server works on."""
    request = pool.submit(completed, server, LONG, model=model or "one")
    until(lambda: server.busy(model) or request.done(), "a slot works")
    assert not request.done()
    return request


def test_it_answers(llama: Llama) -> None:
    """A reply has a text, a reason of its end and a number of tokens."""
    reply = completed(llama, "What is the capital of France?")
    assert reply.text.strip()
    assert reply.finish_reason in {"stop", "length"}
    assert reply.tokens is not None
    assert 0 < reply.tokens <= 20


def test_it_says_what_it_has(llama: Llama) -> None:
    """Its properties hold the context of one slot, the slots, and where the model lies."""
    status, props = llama.ask("GET", "/props")
    assert status == 200
    assert props["default_generation_settings"]["n_ctx"] == 8_192
    assert props["total_slots"] == 2
    assert props["model_path"] == str(GGUF)
    assert props["build_info"]
    assert llama.ask("GET", "/health") == (200, {"status": "ok"})
    with Endpoint(llama.url, "any") as endpoint:
        assert endpoint.models() == {str(GGUF)}


@pytest.mark.parametrize("path", ["/api/tags", "/api/version", "/running", "/api/v1/models"])
def test_it_is_no_other_server(llama: Llama, path: str) -> None:
    """What tells other servers apart is not found on this one."""
    assert llama.ask("GET", path) == (
        404,
        {"error": {"message": "File Not Found", "type": "not_found_error", "code": 404}},
    )


def test_any_name_of_a_model_is_answered(llama: Llama) -> None:
    """A server of one model does not look at the name it is asked by."""
    status, said = asked(llama, "Hello", 2, model="none that is there")
    assert status == 200
    assert said["model"] == str(GGUF)


def test_a_schema_is_enforced(llama: Llama) -> None:
    """As `json_schema` with the schema inside, it is followed."""
    with Endpoint(llama.url, "one") as endpoint:
        messages = [{"role": "user", "content": LETTER}]
        reply = endpoint.complete(messages, 200, PATIENCE, response_format=ENFORCED)
    assert reply.finish_reason == "stop"
    found = json.loads(reply.text)
    assert list(found) == ["names"]
    assert 1 <= len(found["names"]) <= 2


@pytest.mark.parametrize(
    "wrong",
    [{"type": "json_schema", "schema": SCHEMA}, {"type": "json_object"}],
    ids=["a level too high", "no schema"],
)
def test_a_schema_elsewhere_is_ignored(llama: Llama, wrong: dict[str, object]) -> None:
    """At any other level it changes nothing, and nobody says so: the answer is prose."""
    status, said = asked(llama, LETTER, response_format=wrong)
    assert status == 200
    with pytest.raises(json.JSONDecodeError):
        json.loads(said["choices"][0]["message"]["content"])


def test_a_reply_is_cut_off(llama: Llama) -> None:
    """At `max_tokens` a reply ends wherever it is, with the reason `length`: no JSON."""
    status, said = asked(llama, LETTER, 8, response_format=ENFORCED)
    (choice,) = said["choices"]
    assert (status, choice["finish_reason"]) == (200, "length")
    assert said["usage"]["completion_tokens"] == 8
    with pytest.raises(json.JSONDecodeError):
        json.loads(choice["message"]["content"])
    assert completed(llama, LONG[:100], 3).finish_reason == "length"


def test_a_prompt_is_too_long(llama: Llama) -> None:
    """What does not fit into a slot is refused at once, with both numbers."""
    status, said = asked(llama, "word " * 9_000)
    error = said["error"]
    assert (status, error["type"]) == (400, "exceed_context_size_error")
    assert error["n_prompt_tokens"] > 9_000
    assert error["n_ctx"] == 8_192
    reply = completed(llama, "word " * 9_000)
    assert (reply.text, reply.finish_reason) == ("", "context")


def test_a_context_is_full(one_server: OneServer) -> None:
    """A reply that would pass the end of its slot's context is cut off there, whatever it was allowed."""
    server = one_server.single(context=512)
    status, said = asked(server, "word " * 200, 500, ignore_eos=True)
    assert (status, said["choices"][0]["finish_reason"]) == (200, "length")
    assert said["usage"]["total_tokens"] == 256


def test_a_malformed_request_is_refused(llama: Llama) -> None:
    """With 400, and a type that is not the one of a prompt that is too long."""
    status, said = asked(llama, "Hello", chat_template_kwargs={"enable_thinking": "no"})
    assert (status, said["error"]["type"]) == (400, "invalid_request_error")


def test_two_are_worked_on_at_once(llama: Llama, pool: ThreadPoolExecutor) -> None:
    """Two slots work at the same time, and a third request waits for one of them."""
    requests = [pool.submit(asked, llama, f"{n} {'word ' * 200}", 4) for n in range(3)]
    until(lambda: llama.busy() == 2, "both slots work")
    assert [request.result()[0] for request in requests] == [200, 200, 200]


def test_it_loads(one_server: OneServer) -> None:
    """Until its model is loaded, it turns every request away with 503."""
    server = one_server.single()
    for _ in range(10):  # a busy machine may look away for as long as loading takes
        server.kill()
        server.launch()
        answer = _first_answer(server)
        if answer[0] != 200:
            break
    assert answer == (503, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}})
    until(server.is_ready, "llama-server is ready")


def _first_answer(server: Llama) -> tuple[int, Any]:
    while True:
        assert server.is_running
        with suppress(OSError):  # it does not listen yet
            return asked(server, "Hello", 1)


def test_killed_in_flight(llama: Llama, pool: ThreadPoolExecutor) -> None:
    """The request in flight has no reply, the next finds nobody, one after a new start is answered."""
    request = in_flight(pool, llama)
    llama.kill()
    with pytest.raises(NoReplyError, match="dropped"):
        request.result()
    with pytest.raises(EndpointDownError):
        completed(llama, "Hello")
    llama.start()
    assert completed(llama, "Hello").tokens


def test_a_server_that_ends_hangs(llama: Llama, pool: ThreadPoolExecutor) -> None:
    """Asked to end while it works, it goes on to say that it is well, and never answers the request."""
    request = in_flight(pool, llama)
    assert llama.process is not None
    llama.process.terminate()
    assert llama.ask("GET", "/health") == (200, {"status": "ok"})
    llama.end()
    assert not llama.is_running
    with pytest.raises(NoReplyError, match="dropped"):
        request.result()


def test_a_router_says_so(router: Llama) -> None:
    """It has properties of its own, and no context; of a model that it has not loaded it says nothing."""
    _load(router, "one")
    props = router.ask("GET", "/props")[1]
    assert (props["role"], props["max_instances"]) == ("router", 1)
    assert "total_slots" not in props
    props = router.ask("GET", "/props?model=one&autoload=false")[1]
    assert (props["default_generation_settings"]["n_ctx"], props["total_slots"]) == (8_192, 2)
    assert router.ask("GET", "/props?model=two&autoload=false") == (
        400,
        {"error": {"code": 400, "message": "model is not loaded", "type": "invalid_request_error"}},
    )


def test_a_router_loads_and_evicts(router: Llama) -> None:
    """Loading answers at once; the other model goes, since there is room for one. A request loads as well."""
    _load(router, "one")
    assert router.states() == {"one": "loaded", "two": "unloaded"}
    refused = {"code": 400, "message": "model is already running", "type": "invalid_request_error"}
    assert router.ask("POST", "/models/load", {"model": "one"}) == (400, {"error": refused})
    _load(router, "two")
    assert router.states() == {"one": "unloaded", "two": "loaded"}
    assert completed(router, "Hello", model="one").tokens
    assert router.states() == {"one": "loaded", "two": "unloaded"}


def test_a_router_unloads(router: Llama) -> None:
    """Unloading answers at once too; what is not loaded cannot be unloaded."""
    _load(router, "one")
    assert router.ask("POST", "/models/unload", {"model": "one"}) == (200, {"success": True})
    until(lambda: router.states()["one"] == "unloaded", "the model is unloaded")
    refused = {"code": 400, "message": "model is not running", "type": "invalid_request_error"}
    assert router.ask("POST", "/models/unload", {"model": "one"}) == (400, {"error": refused})


def test_a_router_does_not_know_it(router: Llama) -> None:
    """A model that is not there is refused: by a completion with 400, by loading with 404."""
    refused = {"code": 400, "message": "model 'three' not found", "type": "invalid_request_error"}
    assert asked(router, "Hello", model="three") == (400, {"error": refused})
    assert router.ask("POST", "/models/load", {"model": "three"})[0] == 404


def test_a_router_is_busy(router: Llama, pool: ThreadPoolExecutor) -> None:
    """A model that works is not evicted: loading another is refused, and a request to another waits."""
    _load(router, "one")
    working = pool.submit(asked, router, "word " * 300, 20, ignore_eos=True)
    until(lambda: router.busy("one") or working.done(), "a slot works")
    refused = {"code": 500, "message": "model limit reached, try again later", "type": "server_error"}
    assert router.ask("POST", "/models/load", {"model": "two"}) == (500, {"error": refused})
    waiting = pool.submit(completed, router, "Hello", model="two")
    assert working.result()[0] == 200
    assert waiting.result().tokens
    assert router.states() == {"one": "unloaded", "two": "loaded"}


def test_a_routers_model_dies(router: Llama, pool: ThreadPoolExecutor) -> None:
    """The request in flight gets 500 and words that are no JSON; the next has the model loaded again."""
    _load(router, "one")
    request = pool.submit(asked, router, LONG)
    until(lambda: router.busy("one") or request.done(), "a slot works")
    (child,) = router.children()
    os.kill(child, signal.SIGKILL)
    assert request.result() == (500, "proxy error: Failed to read connection")
    assert completed(router, "Hello").tokens


def test_a_routers_model_is_unloaded_in_flight(router: Llama, pool: ThreadPoolExecutor) -> None:
    """The request in flight fails, after ten seconds in which it might have ended: it can be sent again."""
    _load(router, "one")
    request = in_flight(pool, router, "one")
    assert router.ask("POST", "/models/unload", {"model": "one"}) == (200, {"success": True})
    with pytest.raises(NoReplyError, match="loading"):
        request.result()


def _load(router: Llama, model: str) -> None:
    """Load a model, as the driver of presets does."""
    if router.states()[model] == "unloaded":
        assert router.ask("POST", "/models/load", {"model": model}) == (200, {"success": True})
    until(lambda: router.states()[model] == "loaded", f"{model} is loaded")
