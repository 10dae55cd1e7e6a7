"""llama-server without a model of its own, as a router: it loads models by name, and drops the least used."""

from __future__ import annotations

from typing import Final

from mnemo_assets.gpu.drivers.keeping import LOOKING, Endpoint, State, answered, entries

#: What `status.value` says, as we call it. A model that sleeps wakes at the next request.
_STATES: Final[dict[object, State]] = {
    "loaded": "loaded",
    "sleeping": "loaded",
    "loading": "loading",
    "downloading": "loading",
}
#: It is running already; or, when it is to be unloaded, it is not.
_AS_IT_IS: Final = 400
#: All places are taken by models that work; a model that starts is not reached yet.
_BUSY: Final = {500, 503}


class LlamaServer:
    """The router's `/models`."""

    name = "llama-server"

    def __init__(self, endpoint: Endpoint, preset: str) -> None:
        self._endpoint = endpoint
        self._preset = preset

    def look(self) -> State:
        """By name or alias; what is not listed is gone, and loading it will say so."""
        said = answered(self._endpoint.call("GET", "/models", seconds=LOOKING))
        for model in entries(said, "data"):
            if model.get("id") == self._preset or self._preset in (model.get("aliases") or []):
                status = model.get("status")
                if not isinstance(status, dict):  # no router: it has its one model
                    return None
                if status.get("value") in _STATES:
                    return _STATES[status["value"]]
                return "failed" if status.get("failed") else "gone"
        return "gone"

    def load(self, seconds: float) -> bool:
        """Answered at once: loading goes on."""
        answer = self._endpoint.call(
            "POST", "/models/load", {"model": self._preset}, seconds=min(seconds, LOOKING)
        )
        if answer.status != _AS_IT_IS and answer.status not in _BUSY:
            answered(answer)
        return False

    def keep(self, *, ours: bool) -> None:
        """It has no time that ends."""

    def unload(self) -> None:
        """Its requests in flight end."""
        answer = self._endpoint.call("POST", "/models/unload", {"model": self._preset}, seconds=LOOKING)
        if answer.status != _AS_IT_IS:
            answered(answer)
