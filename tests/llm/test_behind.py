"""What stands behind an endpoint: asked by GETs, before anything of the archive is sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets.errors import EndpointDownError, EndpointElsewhereError, MnemoError
from mnemo_assets.llm import Endpoint, Identity, address, identify, open_endpoint, wire
from mnemo_assets.settings import Settings
from tests.endpoints import KINDS, Answer, props, said, serving, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.endpoints import Stub

CANARY = "Eleanor Ashdown, 20417"
UPSTREAM = "/upstream/seer/props"


def settings(stub: Stub, **more: Any) -> Settings:
    return Settings(home=Path("/nowhere"), llm_url=stub.url, **more)


def identity(stub: Stub, model: str = "seer", **more: Any) -> Identity:
    """What it is found to be; that was asked for with GETs that hold nothing."""
    stub.asked.clear()
    try:
        with open_endpoint(settings(stub, **more), model) as endpoint:
            return endpoint.identity
    finally:
        assert {(one.method, one.body) for one in stub.asked} <= {("GET", b"")}


@pytest.fixture(params=sorted(KINDS))
def each_kind(request: pytest.FixtureRequest) -> Iterator[Stub]:
    with serving(lambda _asked: said("well"), request.param) as stub:
        yield stub


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("llama-server", Identity("llama-server", "here", 2, 8192)),
        ("llama-server-router", Identity("llama-server-router", "here", 2, 8192)),
        ("llama-swap", Identity("llama-swap", "here", 2, 8192)),
        ("ollama", Identity("ollama", "here", None, 4096)),
        ("lm-studio", Identity("lm-studio", "declared", 4, 4096)),
        ("unknown", Identity("unknown", "declared", None, None)),
    ],
)
def test_each_server_says_what_it_is(kind: str, found: Identity) -> None:
    """Its slots and its context, where it says them; settings say it better."""
    declared = found.place == "declared"
    with serving(lambda _asked: said("well"), kind) as stub:
        assert identity(stub, llm_declared_local=declared) == found
        better = Identity(found.server, found.place, 7, 16_384)
        assert identity(stub, llm_slots=7, llm_context=16_384, llm_declared_local=declared) == better


@pytest.mark.parametrize("kind", ["lm-studio", "unknown"])
def test_what_may_pass_requests_on_has_to_be_declared(kind: str) -> None:
    """Without that it is sent GETs that ask what it is, and no more; the message says how to declare it."""
    with serving(lambda _asked: said("well"), kind) as stub:
        with pytest.raises(
            EndpointElsewhereError, match=r"Nothing was sent\..*set MNEMO_LLM_DECLARED_LOCAL=1"
        ):
            identity(stub)
        assert stub.completions == []
        assert len(stub.asked) >= 4


def test_what_was_found_may_be_sent_text(each_kind: Stub) -> None:
    """Whatever the kind, the way from there is the same."""
    with open_endpoint(settings(each_kind, llm_declared_local=True), "seer") as endpoint:
        assert endpoint.complete([{"role": "user", "content": CANARY}], 5, 10).text == "well"
    assert len(each_kind.completions) == 1


def test_no_proxy_is_asked(each_kind: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by the GETs nor by what follows: a recording proxy is sent nothing."""
    with serving(lambda _asked: said("from the proxy")) as proxy:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
            monkeypatch.setenv(name.lower(), proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("OPENAI_API_KEY", "canary")
        monkeypatch.setenv("OPENAI_BASE_URL", proxy.url)
        with open_endpoint(settings(each_kind, llm_declared_local=True), "seer") as endpoint:
            assert endpoint.complete([{"role": "user", "content": CANARY}], 5, 10).text == "well"
    assert proxy.asked == []
    assert "canary" not in str(each_kind.asked)


class Redirects(dict[str, Answer]):
    """Every GET is answered so."""

    def __contains__(self, _path: object) -> bool:
        return True

    def __getitem__(self, path: str) -> Answer:
        return super().__getitem__("*")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_says_nothing(status: int) -> None:
    """It is not followed, where it leads to is sent nothing, and what stands there is not known."""
    with serving(lambda _asked: said("elsewhere")) as other, serving(lambda _asked: said("well")) as stub:
        stub.api = Redirects({"*": Answer(status, headers={"Location": f"{other.url}/props"})})
        with pytest.raises(EndpointElsewhereError):
            identity(stub)
        assert identity(stub, llm_declared_local=True) == Identity("unknown", "declared")
    assert other.asked == []


@pytest.mark.parametrize(
    ("model", "listed"),
    [
        ("gpt-oss:120b-cloud", {}),
        ("glm-5:cloud", {}),
        ("glm-5:Cloud", {}),
        ("library/glm-5:CLOUD", {}),
        ("seer", {"remote_host": "https://ollama.com:443", "remote_model": "gpt-oss:120b"}),
        ("SEER:latest", {"remote_host": "http://127.0.0.1:1"}),
        ("registry.ollama.ai/library/seer", {"remote_model": "gpt-oss:120b"}),
    ],
)
def test_a_remote_model_of_ollama_is_refused(model: str, listed: dict[str, str]) -> None:
    """By its name, which need not be listed, or by what it was made from; no declaration changes that."""
    with serving(lambda _asked: said("well"), "ollama") as stub:
        there = [{"name": "seer:latest"}, {"name": model, "model": model, **listed}]
        stub.api["/api/tags"] = told({"models": there if listed else there[:1]})
        for declared in (False, True):
            with pytest.raises(EndpointElsewhereError, match="Ollama passes requests for this model on"):
                identity(stub, model, llm_declared_local=declared)


def test_a_model_that_is_not_there_is_not_asked_for() -> None:
    """Ollama and a router have a list, and what a name leads to that is not in it is not known."""
    for kind in ("ollama", "llama-server-router"):
        with (
            serving(lambda _asked: said("well"), kind) as stub,
            pytest.raises(EndpointDownError, match="does not have the model"),
        ):
            identity(stub, "other", llm_declared_local=True)


@pytest.mark.parametrize(
    "listed",
    ["seer:latest", "SEER", "registry.ollama.ai/library/seer:latest"],
)
def test_ollamas_names(listed: str) -> None:
    """A name is found however much of it is said; its context is known once it is loaded."""
    with serving(lambda _asked: said("well"), "ollama", (listed,)) as stub:
        assert identity(stub).context == 4096
        stub.api["/api/ps"] = told({"models": []})
        assert identity(stub) == Identity("ollama", "here", None, None)


def test_a_router_is_not_made_to_load() -> None:
    """A model that is not loaded is here, and says nothing yet; an alias leads to its model."""
    with serving(lambda _asked: said("well"), "llama-server-router") as stub:
        data = [{"id": "other", "status": {"value": "unloaded"}, "aliases": ["seer"]}]
        stub.api["/models"] = told({"data": data})
        assert identity(stub) == Identity("llama-server-router", "here", None, None)
        assert [one.path for one in stub.asked] == ["/props", "/models"]
        data[0]["status"] = {"value": "loaded"}
        stub.api["/models"] = told({"data": data})
        with open_endpoint(settings(stub), "seer") as endpoint:
            assert endpoint.identity.slots == 2
            stub.api["/props?model=seer&autoload=false"] = props(4, 2048)
            assert identify(endpoint, settings(stub)) == endpoint.identity
            assert (endpoint.identity.slots, endpoint.identity.context) == (4, 2048)


RUNNING = {"model": "seer", "state": "ready", "proxy": "http://127.0.0.1:5800"}


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/running", told({"running": []})),
        ("/running", told({"running": [{**RUNNING, "model": "other"}]})),
        ("/running", told({"running": [{**RUNNING, "state": "starting"}]})),
        ("/running", told({"running": [{**RUNNING, "proxy": "http://192.168.1.5:5800"}]})),
        ("/running", told({"running": [{**RUNNING, "proxy": "https://service.example/v1"}]})),
        ("/running", told({"running": [{**RUNNING, "proxy": "http://127.0.0.1.service.example"}]})),
        ("/running", told({"running": [{**RUNNING, "proxy": "http://[nonsense"}]})),
        ("/running", told({"running": [{"model": "seer", "state": "ready"}]})),
        ("/api/profiles", told({"active": "p", "profiles": [{"id": "p", "pins": {"seer": "peer/seer"}}]})),
        (UPSTREAM, told({"error": "not found"}, 404)),
        (UPSTREAM, told({"data": []})),
    ],
)
def test_what_llama_swap_does_not_show_is_not_known(path: str, says: Answer) -> None:
    """A model that is not running, a proxy or a peer elsewhere, a program that is no llama-server."""
    with serving(lambda _asked: said("well"), "llama-swap") as stub:
        stub.api[path] = says
        with pytest.raises(EndpointElsewhereError, match="llama-swap passes requests on"):
            identity(stub)
        assert identity(stub, llm_declared_local=True) == Identity("llama-swap", "declared", None, None)


def test_a_server_that_is_loading_is_down() -> None:
    """It says so, and is asked again later; one that wants a key is not guessed at."""
    with serving(lambda _asked: said("well")) as stub:
        loading = {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}
        stub.api["/props"] = told(loading, 503)
        with pytest.raises(EndpointDownError, match="is loading its model"):
            identity(stub, llm_declared_local=True)
        stub.api["/props"] = told({"error": {"message": "Invalid API Key"}}, 401)
        with pytest.raises(EndpointDownError, match="with status 401"):
            identity(stub, llm_declared_local=True)


def test_an_older_lm_studio() -> None:
    """Before its version 0.4 it says what is loaded, and not how many requests that takes."""
    with serving(lambda _asked: said("well"), "unknown") as stub:
        loaded = {"compatibility_type": "gguf", "state": "loaded", "loaded_context_length": 4096}
        stub.api["/api/v0/models"] = told({"data": [{"id": "seer", **loaded}]})
        assert identity(stub, llm_declared_local=True) == Identity("lm-studio", "declared", None, 4096)


HOSTILE = [
    b"",
    b"null",
    b"[]",
    b'"x"',
    b"NaN",
    b"[" * 100_000,
    b'{"a":' * 900 + b"1" + b"}" * 900,
    b"\xff\xfe",
    b'{"total_slots":{},"model_path":[],"default_generation_settings":7,"running":{},"models":1,"version":{}}',
    b'{"role":"router","data":[[],null,{"id":{},"aliases":7}]}',
    b'{"running":[{"model":"seer","state":"ready","proxy":"http://[::1]"}],"active":[],"profiles":[7,{"id":[]}]}',
    b'{"total_slots":true,"model_path":"x"}',
    b'{"total_slots":' + b"9" * 5_000 + b',"model_path":"x"}',
    b'{"running":[7,{"model":"seer","state":"ready","proxy":{}}],"version":"1","models":[7,{"name":{}}]}',
    b'{"models":[{"loaded_instances":[7,{"id":[],"config":[]}],"key":{}}]}',
    b'{"data":[{"compatibility_type":"x","id":{},"loaded_context_length":"4096"}]}',
]


@pytest.mark.parametrize("body", HOSTILE, ids=range(len(HOSTILE)))
def test_whatever_is_said_is_an_answer(body: bytes) -> None:
    """It is an identity or an error of ours, in which nothing of it is; and nothing is sent after it."""
    for status in (200, 404, 500, 503):
        with serving(lambda _asked: said("well")) as stub:
            stub.api = Redirects({"*": Answer(status, body)})
            with pytest.raises(MnemoError) as raised:
                identity(stub)
            assert stub.completions == []
            assert "seer" not in str(raised.value)


def test_what_says_too_much_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read as far as a reply may go, and is down."""
    monkeypatch.setattr(wire, "LIMIT", 1_000)
    with serving(lambda _asked: said("well")) as stub:
        stub.api["/props"] = Answer(body=b" " * 2_000)
        with pytest.raises(EndpointDownError, match="does not say what it is: too long"):
            identity(stub)


def test_the_owners_other_machine_is_asked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may pass requests on as well: it is asked, and where that is not known it has to be declared."""
    monkeypatch.setattr(address, "is_loopback", lambda _host: False)
    monkeypatch.setattr(address, "_is_own", lambda _host: True)
    with serving(lambda _asked: said("well")) as stub:
        assert identity(stub, llm_remote_host="127.0.0.1") == Identity("llama-server", "named", 2, 8192)
    with serving(lambda _asked: said("well"), "unknown") as stub:
        with pytest.raises(EndpointElsewhereError):
            identity(stub, llm_remote_host="127.0.0.1")
        declared = identity(stub, llm_remote_host="127.0.0.1", llm_declared_local=True)
        assert declared == Identity("unknown", "named", None, None)


def test_an_answer_of_nothing_to_a_prompt_that_fills_the_context() -> None:
    """LM Studio says so that a prompt does not fit: where the context is known, it is called that."""
    full = json.loads(said("").body)
    full["usage"]["prompt_tokens"] = 4096
    with serving(lambda _asked: told(full), "lm-studio") as stub:
        with open_endpoint(settings(stub, llm_declared_local=True), "seer") as endpoint:
            assert endpoint.complete([], 5, 10).finish_reason == "context"
        with Endpoint(stub.url, "seer") as endpoint:
            assert endpoint.complete([], 5, 10).finish_reason == "stop"
