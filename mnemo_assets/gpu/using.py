"""The lease of what the settings name, with the driver that fits the endpoint: the usual way to it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from mnemo_assets.gpu.drivers import driver
from mnemo_assets.gpu.lease import leased, tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mnemo_assets.gpu.lease import Lease
    from mnemo_assets.llm import Endpoint
    from mnemo_assets.settings import Settings


@contextmanager
def using(
    settings: Settings, endpoint: Endpoint, command: str, *, stop: Callable[[], bool] = lambda: False
) -> Iterator[Lease]:
    """Have the lease of the preset of the settings, or of the endpoint's model, with the preset loaded.

    Args:
        settings: whose database; which preset and driver.
        endpoint: of the server that loads the preset, as `llm.open_endpoint` gave it.
        command: of mnemo that wants it, such as `mine`.
        stop: whether to wait no longer for who has it.

    Raises:
        LeaseHeldError: another has it.
        EndpointDownError: the preset cannot be loaded.
        SettingsError: no driver can be made of the settings.
        PostgresError: there is no connection for the lease.
    """
    preset, owner = settings.llm_preset or endpoint.model, tag(command)
    chosen = driver(settings, endpoint, preset, owner)
    with leased(settings, preset, owner, driver=chosen, stop=stop) as lease:
        yield lease
