"""What stands behind an endpoint: servers are asked with GETs of their own APIs, which hold nothing of ours.

A server on this machine may pass requests on to another. Each look below says whether this server, with this
model, does: it is known to run the model itself, or it is not known. What says itself that the model is
elsewhere is refused whatever the owner declares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from mnemo_assets.errors import EndpointDownError, EndpointElsewhereError
from mnemo_assets.llm import reply as replies
from mnemo_assets.llm.address import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mnemo_assets.llm.endpoint import Answer, Server

    Ask = Callable[[str], Answer]

_OK: Final = 200
_NO_ACCESS: Final = {401, 403}
_UNAVAILABLE: Final = 503
_ABSENT: Final = "The server of MNEMO_LLM_URL does not have the model. Load it there, or set another."


@dataclass(frozen=True, slots=True)
class Found:
    """What was found.

    Attributes:
        server: the program.
        slots: requests at once; None where it does not say.
        context: tokens of one slot; None where it does not say.
        doubt: why it is not known that the model runs there; empty if it is.
    """

    server: Server
    slots: int | None = None
    context: int | None = None
    doubt: str = ""


def look(ask: Ask, model: str) -> Found:
    """What stands behind an endpoint.

    Args:
        ask: GETs a path.
        model: as it will be asked for.

    Raises:
        EndpointElsewhereError: the model is on another machine.
        EndpointDownError: the server is loading its model, lets nobody in, or does not have the model.
        NoReplyError: as `ask` does.
    """
    for kind in (_llama_server, _llama_swap, _ollama, _lm_studio):
        found = kind(ask, model)
        if found is not None:
            return found
    return Found(
        "unknown",
        doubt="What answers at MNEMO_LLM_URL is no server that mnemo knows, and may pass requests on.",
    )


def _llama_server(ask: Ask, model: str) -> Found | None:
    answer = ask("/props")
    if answer.status in _NO_ACCESS:
        raise replies.of_status(answer.status)
    if answer.status == _UNAVAILABLE and _get(_get(answer.said, "error"), "message") == "Loading model":
        raise EndpointDownError("The server of MNEMO_LLM_URL is loading its model. Try again in a minute.")
    if answer.status != _OK:
        return None
    if _get(answer.said, "role") == "router":
        return _router(ask, model)
    return _served("llama-server", answer)


def _served(server: Server, answer: Answer) -> Found | None:
    """What llama-server says of the model that it has loaded, whoever asked it."""
    slots = _count(_get(answer.said, "total_slots"))
    context = _count(_get(_get(answer.said, "default_generation_settings"), "n_ctx"))
    if answer.status != _OK or slots is None or not isinstance(_get(answer.said, "model_path"), str):
        return None
    return Found(server, slots, context)


def _router(ask: Ask, model: str) -> Found:
    """Its models are children of its own; the loaded one is asked, and none is loaded by asking."""
    listed = next(
        (one for one in _each(ask("/models").said, "data") if model in _names(one)),
        None,
    )
    if listed is None:
        raise EndpointDownError(_ABSENT)
    found = None
    if _get(_get(listed, "status"), "value") == "loaded":
        found = _served("llama-server-router", ask(f"/props?model={quote(model, safe='')}&autoload=false"))
    return found or Found("llama-server-router")


def _names(listed: object) -> list[object]:
    aliases = _get(listed, "aliases")
    return [_get(listed, "id"), *(aliases if isinstance(aliases, list) else [])]


def _llama_swap(ask: Ask, model: str) -> Found | None:
    """It starts programs of this machine, and passes on to peers: a running model is asked itself."""
    answer = ask("/running")
    if answer.status != _OK or not isinstance(_get(answer.said, "running"), list):
        return None
    doubtful = Found(
        "llama-swap",
        doubt="llama-swap passes requests on, and does not say where a model runs that it has not loaded.",
    )
    running = next((one for one in _each(answer.said, "running") if _get(one, "model") == model), None)
    if _get(running, "state") != "ready" or not _is_here(_get(running, "proxy")):
        return doubtful
    if _is_pinned(ask("/api/profiles").said, model):
        return doubtful
    return _served("llama-swap", ask(f"/upstream/{quote(model)}/props")) or doubtful


def _is_pinned(said: object, model: str) -> bool:
    """Whether the profile in force leads the model's name to another one, which may be a peer's."""
    active = [one for one in _each(said, "profiles") if _get(one, "id") == _get(said, "active")]
    return any(_get(_get(one, "pins"), model) is not None for one in active)


def _is_here(proxy: object) -> bool:
    try:
        host = urlsplit(proxy).hostname if isinstance(proxy, str) else None
    except ValueError:
        return False
    return host is not None and (host == "localhost" or is_loopback(host))


def _ollama(ask: Ask, model: str) -> Found | None:
    """It passes on what is named so, and what was made from such a model: the list says `remote_host`."""
    version, listed = ask("/api/version"), ask("/api/tags")
    if not isinstance(_get(version.said, "version"), str) or not isinstance(
        _get(listed.said, "models"), list
    ):
        return None
    tag = model.rpartition(":")[2].casefold()
    if tag == "cloud" or (":" in model and "/" not in tag and tag.endswith("-cloud")):
        raise _remote("Ollama")
    there = [one for one in _each(listed.said, "models") if _is_named(one, model)]
    if any(_get(one, "remote_host") or _get(one, "remote_model") for one in there):
        raise _remote("Ollama")
    if not there:
        raise EndpointDownError(_ABSENT)
    loaded = next((one for one in _each(ask("/api/ps").said, "models") if _is_named(one, model)), None)
    return Found("ollama", None, _count(_get(loaded, "context_length")))


def _is_named(listed: object, model: str) -> bool:
    return _full(model) in {_full(str(_get(listed, "name"))), _full(str(_get(listed, "model")))}


def _full(name: str) -> str:
    """A name as Ollama understands it: without what it would add itself."""
    short = name.casefold().removesuffix(":local")
    short = short.removeprefix("registry.ollama.ai/").removeprefix("library/")
    return short if ":" in short.rpartition("/")[2] else f"{short}:latest"


def _lm_studio(ask: Ask, model: str) -> Found | None:
    """Whatever is linked to it is used as if it were here, and its API does not say which model is."""
    doubt = "LM Studio uses models of linked machines as its own (LM Link), and does not say which."
    models = list(_each(ask("/api/v1/models").said, "models"))
    if models and all(isinstance(_get(one, "loaded_instances"), list) for one in models):
        for one in models:
            for instance in _each(one, "loaded_instances"):
                if model in (_get(one, "key"), _get(instance, "id")):
                    config = _get(instance, "config")
                    slots, context = _count(_get(config, "parallel")), _count(_get(config, "context_length"))
                    return Found("lm-studio", slots, context, doubt)
        return Found("lm-studio", doubt=doubt)
    older = list(_each(ask("/api/v0/models").said, "data"))
    if older and all(isinstance(_get(one, "compatibility_type"), str) for one in older):
        loaded = next((one for one in older if _get(one, "id") == model), None)
        return Found("lm-studio", None, _count(_get(loaded, "loaded_context_length")), doubt)
    return None


def _remote(server: str) -> EndpointElsewhereError:
    return EndpointElsewhereError(
        f"{server} passes requests for this model on to another machine. Nothing was sent. Set one that it "
        "has here."
    )


def _get(said: object, name: str) -> Any:  # noqa: ANN401 - whatever JSON a server sends
    return said.get(name) if isinstance(said, dict) else None


def _each(said: object, name: str) -> Iterator[object]:
    found = _get(said, name)
    return iter(found if isinstance(found, list) else ())


def _count(value: object) -> int | None:
    return value if type(value) is int and value > 0 else None
