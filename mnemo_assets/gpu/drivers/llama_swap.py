"""llama-swap: starts the server of whichever model is asked for, and stops another where there is no room."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from mnemo_assets.gpu.drivers.keeping import LOOKING, Endpoint, State, answered, entries

#: Of which a model's server is there, or will be.
_STATES: Final[dict[object, State]] = {"ready": "loaded", "starting": "loading"}


class LlamaSwap:
    """`/running`, and a path of the model's own server that does no work there."""

    name = "llama-swap"

    def __init__(self, endpoint: Endpoint, preset: str) -> None:
        self._endpoint = endpoint
        self._preset = preset
        self._running_as: str | None = preset  # `/running` has names, where the preset may be an alias
        self._started = False

    def look(self) -> State:
        """By its name; what goes by an alias only cannot be told."""
        if self._running_as is None:
            return None
        return self._running().get(self._running_as, "gone")

    def load(self, seconds: float) -> bool:
        """Any request to the model's server starts it, and is answered when it is ready."""
        before = self._running()
        self._started |= self._preset not in before
        path = f"/upstream/{quote(self._preset, safe='/')}/health"
        answer = self._endpoint.call("GET", path, seconds=seconds)
        after = self._running()
        if self._preset in after:
            return after[self._preset] == "loaded"
        answered(answer)  # no such model, or one that does not start
        started = [name for name in after if name not in before]
        self._started = bool(started)  # else what has the alias ran before
        self._running_as = started[0] if len(started) == 1 else None
        return True

    def keep(self, *, ours: bool) -> None:
        """Its `ttl` is the owner's to set, and begins anew with each request."""

    def unload(self) -> None:
        """By its name or alias; what is not running is no error there."""
        if not self._started:
            return
        path = f"/api/models/unload/{quote(self._preset, safe='/')}"
        answered(self._endpoint.call("POST", path, seconds=LOOKING))

    def _running(self) -> dict[str, State]:
        said = answered(self._endpoint.call("GET", "/running", seconds=LOOKING))
        return {
            str(one.get("model")): _STATES.get(one.get("state"), "gone") for one in entries(said, "running")
        }
