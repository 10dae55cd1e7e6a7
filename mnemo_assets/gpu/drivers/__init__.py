"""What loads a preset, and keeps it: one driver a server of models, all behind one protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mnemo_assets.errors import SettingsError
from mnemo_assets.gpu.drivers.keeping import Driver, Endpoint, Keeping, Nothing
from mnemo_assets.gpu.drivers.llama_server import LlamaServer
from mnemo_assets.gpu.drivers.llama_swap import LlamaSwap
from mnemo_assets.gpu.drivers.lm_studio import LmStudio
from mnemo_assets.gpu.drivers.ollama import Ollama
from mnemo_assets.gpu.drivers.urls import Urls

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.settings import Settings

__all__ = ["AUTO", "DRIVERS", "Driver", "driver"]

#: Seconds that loading a preset may take, where a request may not take longer.
LOADING: Final = 300


def _nothing(_settings: Settings, _endpoint: Endpoint, _preset: str, _owner: str) -> Driver:
    return Nothing()


def _llama_server(settings: Settings, endpoint: Endpoint, preset: str, _owner: str) -> Driver:
    return Keeping(LlamaServer(endpoint, preset), _seconds(settings))


def _llama_swap(settings: Settings, endpoint: Endpoint, preset: str, _owner: str) -> Driver:
    return Keeping(LlamaSwap(endpoint, preset), _seconds(settings))


def _ollama(settings: Settings, endpoint: Endpoint, preset: str, _owner: str) -> Driver:
    return Keeping(Ollama(endpoint, preset, 3 * settings.gpu_renew_seconds), _seconds(settings))


def _lm_studio(settings: Settings, endpoint: Endpoint, preset: str, _owner: str) -> Driver:
    return Keeping(LmStudio(endpoint, preset), _seconds(settings))


def _urls(settings: Settings, _endpoint: Endpoint, preset: str, owner: str) -> Driver:
    return Urls(settings, preset, owner, _seconds(settings))


#: By the names of MNEMO_LLM_DRIVER.
DRIVERS: Final[dict[str, Callable[[Settings, Endpoint, str, str], Driver]]] = {
    "none": _nothing,
    "llama-server": _llama_server,
    "llama-swap": _llama_swap,
    "ollama": _ollama,
    "lm-studio": _lm_studio,
    "urls": _urls,
}
#: What `auto` takes, by what stands behind the endpoint. A llama-server that is no router has its one model.
AUTO: Final = {
    "llama-server-router": "llama-server",
    "llama-swap": "llama-swap",
    "ollama": "ollama",
    "lm-studio": "lm-studio",
}


def driver(settings: Settings, endpoint: Endpoint, preset: str, owner: str) -> Driver:
    """The driver that the settings name, or that fits what stands behind the endpoint.

    Args:
        settings: which driver, and how long a request may take.
        endpoint: of the server that loads the preset.
        preset: as that server calls it.
        owner: the tag of the lease, for a proxy that asks whose it is.

    Raises:
        SettingsError: the driver is one of URLs, and they are not set, or not fit.
    """
    name = settings.llm_driver
    if name == "auto":
        name = AUTO.get(endpoint.identity.server, "none")
    if name not in DRIVERS:
        raise SettingsError(f"MNEMO_LLM_DRIVER is none of: auto, {', '.join(DRIVERS)}.")
    return DRIVERS[name](settings, endpoint, preset, owner)


def _seconds(settings: Settings) -> float:
    return float(max(LOADING, settings.llm_seconds))
