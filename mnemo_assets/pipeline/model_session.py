"""A session with a model: it is loaded, and ours, until the session ends."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from mnemo_assets import gpu, llm
from mnemo_assets.pipeline import asking
from mnemo_assets.pipeline.progress import Stop, never

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from mnemo_assets.llm import Endpoint
    from mnemo_assets.settings import Settings

#: Where nothing says how many requests the endpoint works on at once.
SLOTS: Final = 2


class Leased(Protocol):
    """What gets the lease of a preset: `gpu.leased`, or a resource that wraps it."""

    def __call__(
        self,
        settings: Settings,
        preset: str,
        tag: str,
        /,
        *,
        driver: gpu.Driver | None = None,
        stop: Stop = never,
    ) -> AbstractContextManager[gpu.Lease]:
        """The lease, with its preset loaded, until the context ends."""


@dataclass(frozen=True, slots=True)
class Session:
    """A model that is loaded, and ours for a while."""

    endpoint: Endpoint
    lease: gpu.Lease
    way: asking.Way


@contextmanager
def session(
    settings: Settings,
    model: str,
    program: str,
    *,
    preset: str | None = None,
    stop: Stop = never,
    leased: Leased = gpu.leased,
) -> Iterator[Session]:
    """Get the lease of a preset, have it loaded, and let go of it at the end.

    Args:
        settings: where the model is.
        model: what its endpoint calls it.
        program: who we are: `mine`.
        preset: what is loaded; by default that of the settings, else the model.
        stop: ends a wait for the lease.
        leased: gets the lease.

    Raises:
        EndpointDownError, EndpointElsewhereError, SettingsError: there is no such endpoint, or no text goes
        there.
        LeaseHeldError: another program has the lease.
    """
    chosen = preset or preset_of(settings, model)
    owner = gpu.tag(program)
    # the driver has a way of its own: whoever asks closes theirs, and the model is let go of after that
    with llm.open_endpoint(settings, model) as endpoint, llm.open_endpoint(settings, model) as loading:
        driver = gpu.driver(settings, loading, chosen, owner)
        with leased(settings, chosen, owner, driver=driver, stop=stop) as lease:
            way = asking.Way(
                slots=settings.llm_slots or endpoint.identity.slots or SLOTS,
                seconds=float(settings.llm_seconds),
                lease=lease,
                pauses=asking.PAUSES,
            )
            yield Session(endpoint, lease, way)


def preset_of(settings: Settings, model: str) -> str:
    """What is loaded for a model: the preset that is set goes with the model that is set."""
    return settings.llm_preset if settings.llm_preset and model == settings.llm_model else model
