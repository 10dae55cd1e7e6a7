"""What is asked of each kind of server, and what is left alone there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets import gpu
from mnemo_assets.errors import EndpointDownError, LeaseHeldError, LeaseLostError, NoReplyError, SettingsError
from mnemo_assets.gpu.drivers import AUTO, keeping
from mnemo_assets.llm import Endpoint, Identity
from mnemo_assets.settings import Settings
from tests.gpu.servers import LmStudioServer, OllamaServer, Proxy, Router, Server, Serving, Swap, serving

if TYPE_CHECKING:
    from collections.abc import Callable

OWNER = "mnemo mine, castle, process 7"
#: A kind, and a server of it: with the model `small` unloaded, or loaded by somebody else.
KINDS: dict[str, Callable[[bool], Server]] = {
    "llama-server": lambda loaded: Router({"small": "loaded" if loaded else "unloaded", "other": "loaded"}),
    "llama-swap": lambda loaded: Swap({"small", "other"}, running={"small": "ready"} if loaded else {}),
    "ollama": lambda loaded: OllamaServer({"small:latest"}, {"small:latest": "5m"} if loaded else {}),
    "lm-studio": lambda loaded: LmStudioServer({"small": ["small"] if loaded else [], "other": ["other"]}),
}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "AGAIN", 0.001)


def made(name: str, server: Serving, preset: str = "small", **more: Any) -> gpu.Driver:
    return gpu.driver(chosen(llm_driver=name, **more), server.endpoint(), preset, OWNER)


def chosen(**more: Any) -> Settings:
    return Settings(home=Path("/nowhere"), **more)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_loaded_is_unloaded(kind: str) -> None:
    """A preset that was not there is loaded, seen, and let go of; nothing else is touched."""
    with serving(KINDS[kind](False)) as server:  # noqa: FBT003 - not loaded
        driver = made(kind, server)
        assert driver.name == kind
        assert driver.is_loaded() is False
        driver.load()
        assert driver.is_loaded() is True
        driver.renew()
        driver.release()
        assert driver.is_loaded() is False
        assert "other" not in str(server.changes)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_loaded_before_stays(kind: str) -> None:
    """A preset that somebody else loaded is used, and neither loaded again nor unloaded."""
    with serving(KINDS[kind](True)) as server:  # noqa: FBT003 - loaded
        driver = made(kind, server)
        driver.load()
        driver.renew()
        driver.release()
        assert driver.is_loaded() is True
        assert [one for one in server.changes if "generate" not in one] == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_dropped_is_asked_for_again(kind: str) -> None:
    """A preset that its server dropped in the middle is seen to be gone, and a renewal brings it back."""
    backing: Any = KINDS[kind](False)  # noqa: FBT003
    with serving(backing) as server:
        driver = made(kind, server)
        driver.load()
        for held in ("models", "running", "loaded"):
            if isinstance(there := getattr(backing, held, None), dict):
                there.update({"small": "unloaded"} if kind == "llama-server" else {})
                there.update({"small": []} if kind == "lm-studio" else {})
                if kind in {"llama-swap", "ollama"}:
                    there.clear()
        assert driver.is_loaded() is False
        driver.renew()
        driver.load()
        assert driver.is_loaded() is True


@pytest.mark.parametrize("kind", KINDS)
def test_a_preset_that_is_not_there(kind: str) -> None:
    """A name that the server does not know ends the loading at once, by the class of what went wrong."""
    with (
        serving(KINDS[kind](False)) as server,  # noqa: FBT003
        pytest.raises(EndpointDownError, match="did not load the preset: status 404") as raised,
    ):
        made(kind, server, "canary").load()
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_says_something_else(kind: str) -> None:
    """What is no answer of that kind of server is unreadable, and it cannot be told what is loaded."""

    class Other:
        def answer(self, *_: object) -> tuple[int, object]:
            return 200, [1]

    with serving(Other()) as server:
        driver = made(kind, server)
        assert driver.is_loaded() is None
        with pytest.raises(EndpointDownError, match="unreadable"):
            driver.load()


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_is_gone(kind: str) -> None:
    """Nobody answers: nothing can be told, loaded or kept."""
    with serving(KINDS[kind](False)) as server:  # noqa: FBT003
        driver = made(kind, server)
    assert driver.is_loaded() is None
    with pytest.raises(EndpointDownError, match="does not answer"):
        driver.load()
    with pytest.raises(EndpointDownError):
        driver.renew()


def test_a_router_that_fails_to_load() -> None:
    """A model whose process ends is a failure at once; an earlier failure is none of this one."""
    with serving(Router({"small": "failed"}, bad={"small"})) as server:
        with pytest.raises(EndpointDownError, match="did not load the preset: failed"):
            made("llama-server", server).load()
        assert server.changes == ["POST /models/load"]


def test_a_router_that_is_busy() -> None:
    """A router whose places are all taken is asked again."""
    with serving(Router({"small": "unloaded"}, busy=3)) as server:
        made("llama-server", server).load()
        assert server.changes == ["POST /models/load"] * 4


def test_loading_takes_so_long_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that never gets there ends the loading by its time; it is let go of."""
    monkeypatch.setattr("mnemo_assets.gpu.drivers.LOADING", 0)
    with serving(Router({"small": "unloaded"}, looks=10**9)) as server:
        driver = made("llama-server", server, llm_seconds=1)
        with pytest.raises(EndpointDownError, match="timeout"):
            driver.load()
        driver.release()
        assert server.changes == ["POST /models/load", "POST /models/unload"]


def test_a_model_that_sleeps_is_there() -> None:
    """It wakes with the next request; an alias is as good as a name."""
    with serving(Router({"small": "sleeping"})) as server:
        driver = made("llama-server", server, "alias-of-small")
        driver.load()
        assert driver.is_loaded() is True
        assert server.changes == []


def test_a_llama_server_with_one_model_has_nothing_to_load() -> None:
    """It lists no status: it cannot be told, and nothing is asked of it."""

    class One:
        def answer(self, *_: object) -> tuple[int, object]:
            return 200, {"data": [{"id": "small"}]}

    with serving(One()) as server:
        driver = made("llama-server", server)
        driver.load()
        driver.release()
        assert driver.is_loaded() is None
        assert server.changes == []


def test_llama_swap_by_an_alias() -> None:
    """What an alias starts is found under its name, and stopped; what ran before stays."""
    swap = Swap({"author/one", "two"}, {"small": "author/one"})
    with serving(swap) as server:
        driver = made("llama-swap", server)
        driver.load()
        assert (driver.is_loaded(), swap.running) == (True, {"author/one": "ready"})
        driver.release()
        assert (driver.is_loaded(), swap.running) == (False, {})
        swap.running = {"author/one": "ready"}
        driver = made("llama-swap", server)
        driver.load()
        assert driver.is_loaded() is None
        driver.release()
        assert swap.running == {"author/one": "ready"}


def test_llama_swap_before_a_server_that_knows_no_health() -> None:
    """It is started by any request, whatever it says to it; a slash stays, a space does not."""
    swap = Swap({"author/one"}, health=(404, "not found"))
    with serving(swap) as server:
        made("llama-swap", server, "author/one").load()
        assert server.changes == ["GET /upstream/author/one/health"]


def test_ollama_keeps_ours_for_three_renewals() -> None:
    """A model of ours has our time; one that was there has the time of the server's settings."""
    backing = OllamaServer({"small:latest", "org/big:7b"}, {"org/big:7b": "5m"})
    with serving(backing) as server:
        ours = made("ollama", server, gpu_renew_seconds=300)
        ours.load()
        assert backing.loaded["small:latest"] == "900s"
        backing.loaded["small:latest"] = "5m"  # a request without a time
        ours.renew()
        assert backing.loaded["small:latest"] == "900s"
        theirs = made("ollama", server, "org/big:7b")
        theirs.load()
        theirs.renew()
        assert backing.loaded["org/big:7b"] == "as the server says"


@pytest.mark.parametrize("names", ["instance_id", "model_instance_id", "id"])
def test_lm_studio_unloads_its_own_instance(names: str) -> None:
    """Whatever the field is called; another one that came meanwhile stays."""
    backing = LmStudioServer({"small": []}, names)
    with serving(backing) as server:
        driver = made("lm-studio", server)
        driver.load()
        backing.models["small"].append("mine")
        driver.release()
        assert backing.models == {"small": ["mine"]}
        assert made("lm-studio", server, "mine").is_loaded() is True


def urls(server: Serving, **more: str) -> gpu.Driver:
    templates = {
        "llm_lock_url": f"{server.root}/lock/{{preset}}?by={{owner}}",
        "llm_renew_url": f"{server.root}/renew?preset={{preset}}",
        "llm_unlock_url": f"{server.root}/unlock/{{preset}}/{{owner}}",
        **more,
    }
    return made("urls", server, "org/small:7b", **templates)


def test_a_proxy_is_told_preset_and_owner() -> None:
    """Each URL is posted to in its turn, with both of them quoted."""
    with serving(Proxy()) as server:
        driver = urls(server)
        driver.load()
        driver.renew()
        driver.release()
        driver.release()
        assert driver.is_loaded() is None
        owner = "mnemo%20mine%2C%20castle%2C%20process%207"
        assert server.asked == [
            f"POST /lock/org%2Fsmall%3A7b?by={owner}",
            "POST /renew?preset=org%2Fsmall%3A7b",
            f"POST /unlock/org%2Fsmall%3A7b/{owner}",
        ]


def test_a_proxy_that_gave_the_preset_away() -> None:
    """Taken by somebody else is held, or lost; any other trouble is the endpoint's."""
    proxy = Proxy(423)
    with serving(proxy) as server:
        driver = urls(server)
        with pytest.raises(LeaseHeldError):
            driver.load()
        driver.release()
        assert len(server.asked) == 1
        proxy.status = 200
        driver.load()
        proxy.status = 410
        with pytest.raises(LeaseLostError):
            driver.renew()
        proxy.status = 500
        with pytest.raises(NoReplyError, match="status 500"):
            driver.renew()
        with pytest.raises(EndpointDownError, match="status 500"):
            driver.load()
        with pytest.raises(NoReplyError):
            driver.release()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://192.0.2.1/lock/{preset}", "leads nowhere, or to another machine"),
        ("https://example.org/{preset}", "leads nowhere, or to another machine"),
        ("http://127.0.0.1:1/{user}", "no other name"),
        ("http://127.0.0.1:1/{preset", "no other name"),
        ("http://{preset}:80/", "after its host"),
        ("http://127.0.0.1:{preset}/", "after its host"),
        ("http://[::1/{preset}", "is no URL"),
    ],
)
def test_a_url_that_is_not_fit(url: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another machine, another name in braces, or a host that a name could change: nothing is sent."""
    monkeypatch.setattr("socket.socket.connect", None)
    monkeypatch.setattr("socket.getaddrinfo", lambda host, *_, **__: [(0, 0, 0, "", (host, 80))])
    endpoint = Endpoint("http://127.0.0.1/v1", "")
    with pytest.raises(SettingsError, match=said):
        gpu.driver(chosen(llm_driver="urls", llm_lock_url=url), endpoint, "p", OWNER)


def test_urls_need_a_first_one() -> None:
    """Without a URL that loads there is no such driver; without the two others there is."""
    with serving(Proxy()) as server:
        with pytest.raises(SettingsError, match="needs MNEMO_LLM_LOCK_URL"):
            made("urls", server)
        driver = made("urls", server, llm_lock_url=f"{server.root}/lock")
        driver.load()
        driver.renew()
        driver.release()
        assert server.asked == ["POST /lock"]


@pytest.mark.parametrize(
    ("behind", "name"),
    [
        ("llama-server-router", "llama-server"),
        ("llama-swap", "llama-swap"),
        ("ollama", "ollama"),
        ("lm-studio", "lm-studio"),
        ("llama-server", "none"),
        ("unknown", "none"),
    ],
)
def test_auto_takes_what_stands_behind(behind: Any, name: str) -> None:
    """The driver fits the server; one that loads nothing, or is not known, has none."""
    endpoint = Endpoint("http://127.0.0.1:1/v1", "small")
    endpoint.identity = Identity(behind, "here")
    assert gpu.driver(chosen(), endpoint, "small", OWNER).name == name


def test_the_settings_have_a_name_for_each() -> None:
    """What may be set is `auto` and the drivers that there are, and `auto` leads to none but these."""
    for name in ("auto", *gpu.DRIVERS):
        assert chosen(llm_driver=name).llm_driver == name
    assert set(AUTO.values()) <= set(gpu.DRIVERS)


def test_no_driver_does_nothing() -> None:
    """`none` asks nobody."""
    driver = gpu.driver(chosen(llm_driver="none"), Endpoint("http://127.0.0.1:1/v1", ""), "small", OWNER)
    driver.load()
    driver.renew()
    driver.release()
    assert driver.is_loaded() is None
