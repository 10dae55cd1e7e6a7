"""The GPU lease: who has it, and since when."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from mnemo_assets import gpu
from mnemo_assets.doctor.finding import Finding, well

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings


def lease(connection: Connection, _settings: Settings) -> Iterator[Finding]:
    """Each lease that somebody has who is there, by a number; presets are not named."""
    held = gpu.holders(connection)
    if not held:
        yield well("gpu", "the lease", "nobody has it")
    for number, one in enumerate(held, start=1):
        name = "the lease" if len(held) == 1 else f"lease {number}"
        yield well("gpu", name, f"{one.tag}, since {one.since.astimezone(UTC):%Y-%m-%d %H:%M} UTC")
