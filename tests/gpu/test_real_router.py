"""A preset on a real llama-server that loads models by name: leased, evicted in the middle, and let go of."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from mnemo_assets import gpu, llm
from mnemo_assets.errors import EndpointDownError
from tests.gpu.leases import until
from tests.llama import NEEDS_LLAMA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.llm import Endpoint
    from mnemo_assets.settings import Settings
    from tests.llama import Llama

pytestmark = NEEDS_LLAMA
MESSAGES = [{"role": "user", "content": "Say yes."}]


@pytest.fixture
def endpoint(settings: Settings, router: Llama) -> Iterator[Endpoint]:
    """The router, as mnemo opens it, with no model loaded."""
    for name, state in router.states().items():
        if state != "unloaded":
            router.ask("POST", "/models/unload", {"model": name})
    until(lambda: set(router.states().values()) == {"unloaded"}, "nothing is loaded")
    with llm.open_endpoint(settings.model_copy(update={"llm_url": router.url}), "one") as endpoint:
        yield endpoint


@contextmanager
def using(settings: Settings, endpoint: Endpoint, preset: str = "one") -> Iterator[gpu.Lease]:
    """A preset's lease, with the driver that fits the endpoint."""
    tag = gpu.tag("mine")
    driver = gpu.driver(settings, endpoint, preset, tag)
    with gpu.leased(settings, preset, tag, driver=driver) as lease:
        yield lease


def test_a_preset_is_loaded_evicted_and_loaded_again(
    settings: Settings, endpoint: Endpoint, router: Llama
) -> None:
    """While the lease stands the model is there, also after it was evicted; afterwards it is not."""
    assert endpoint.identity.server == "llama-server-router"
    with using(settings, endpoint) as lease:
        assert router.states() == {"one": "loaded", "two": "unloaded"}
        assert lease.restore() is False
        router.ask("POST", "/models/load", {"model": "two"})
        until(lambda: router.states()["two"] == "loaded", "the other one has taken its place")
        assert lease.restore() is True
        assert router.states() == {"one": "loaded", "two": "unloaded"}
        assert endpoint.complete(MESSAGES, 1, 120).tokens == 1
        lease.check()
    until(lambda: router.states()["one"] == "unloaded", "it is let go of")


def test_a_preset_that_somebody_else_loaded_stays(
    settings: Settings, endpoint: Endpoint, router: Llama
) -> None:
    """It is used, and left as it was."""
    router.ask("POST", "/models/load", {"model": "one"})
    until(lambda: router.states()["one"] == "loaded", "it is loaded")
    with using(settings, endpoint):
        pass
    assert router.states()["one"] == "loaded"


def test_a_preset_that_the_router_does_not_know(settings: Settings, endpoint: Endpoint) -> None:
    """The lease is given back, and the class of what went wrong is said."""
    with pytest.raises(EndpointDownError, match="status 404"), using(settings, endpoint, "three"):
        pass
