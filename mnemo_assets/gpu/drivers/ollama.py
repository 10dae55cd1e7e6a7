"""Ollama: a request without a prompt loads a model, and says how long it stays."""

from __future__ import annotations

from mnemo_assets.gpu.drivers.keeping import LOOKING, Endpoint, State, answered, entries


class Ollama:
    """`/api/generate` without a prompt, and `/api/ps`.

    No option goes along: another context than that of the requests would load the model anew.
    """

    name = "ollama"

    def __init__(self, endpoint: Endpoint, preset: str, seconds: int) -> None:
        """A model of ours stays for `seconds` after it was loaded or kept."""
        self._endpoint = endpoint
        self._preset = preset
        self._seconds = seconds

    def look(self) -> State:
        """By its name with its tag."""
        said = answered(self._endpoint.call("GET", "/api/ps", seconds=LOOKING))
        names = {one.get(field) for one in entries(said, "models") for field in ("name", "model")}
        return "loaded" if _tagged(self._preset) in names else "gone"

    def load(self, seconds: float) -> bool:
        """Answered when it is loaded."""
        self._ask(seconds, keep_alive=f"{self._seconds}s")
        return True

    def keep(self, *, ours: bool) -> None:
        """One that was there before stays as long as the server's own settings say."""
        self._ask(LOOKING, **({"keep_alive": f"{self._seconds}s"} if ours else {}))

    def unload(self) -> None:
        """When its requests in flight have ended."""
        self._ask(LOOKING, keep_alive=0)

    def _ask(self, seconds: float, **more: object) -> None:
        body = {"model": self._preset, "stream": False, **more}
        answered(self._endpoint.call("POST", "/api/generate", body, seconds=seconds))


def _tagged(name: str) -> str:
    """A model's whole name: without a tag, it is the latest."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"
