"""LM Studio, 0.4 or newer: models, and instances of them that are loaded."""

from __future__ import annotations

from mnemo_assets.gpu.drivers.keeping import LOOKING, Endpoint, State, answered, entries


class LmStudio:
    """`/api/v1/models`. Loading what is loaded would load it twice: one looks first."""

    name = "lm-studio"

    def __init__(self, endpoint: Endpoint, preset: str) -> None:
        self._endpoint = endpoint
        self._preset = preset
        self._instance: str | None = None

    def look(self) -> State:
        """The preset is a model's key, or the name of an instance."""
        return "loaded" if self._instances() else "gone"

    def load(self, seconds: float) -> bool:
        """Answered when it is loaded."""
        body = {"model": self._preset}
        said = answered(self._endpoint.call("POST", "/api/v1/models/load", body, seconds=seconds))
        known = said if isinstance(said, dict) else {}
        named = known.get("instance_id") or known.get("model_instance_id")  # the name it had at first
        self._instance = named if isinstance(named, str) else next(iter(self._instances()), None)
        return True

    def keep(self, *, ours: bool) -> None:
        """What was loaded by name has no time that ends."""

    def unload(self) -> None:
        """The instance that was loaded here, and no other."""
        if self._instance is not None:
            body = {"instance_id": self._instance}
            answered(self._endpoint.call("POST", "/api/v1/models/unload", body, seconds=LOOKING))

    def _instances(self) -> list[str]:
        said = answered(self._endpoint.call("GET", "/api/v1/models", seconds=LOOKING))
        found = []
        for model in entries(said, "models"):
            names = [str(one.get("id")) for one in entries(model, "loaded_instances")]
            found += names if model.get("key") == self._preset else [n for n in names if n == self._preset]
        return found
