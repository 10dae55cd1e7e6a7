"""Sandboxes for the tests of the text room: each zygote is started once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.settings import Settings
from mnemo_assets.text.reading import Text
from mnemo_assets.text.sandbox import Sandbox

if TYPE_CHECKING:
    from mnemo_assets.text.second import Reads

SMALL_SETTINGS = Settings(home=Path("/nowhere"), reader_seconds=1, reader_memory_mb=256)
Read = Callable[[bytes, str], Text]


def hostile(settings: Settings) -> Sandbox:
    """A sandbox whose reader does what the document says."""
    return Sandbox(settings, module="hostile_reader", code=(Path(__file__).parent,))


def reading_of(sandbox: Reads, folder: Path) -> Read:
    """Reads bytes in a sandbox, as a file of an extension."""

    def read(content: bytes, ext: str = "txt") -> Text:
        path = folder / "document"
        path.write_bytes(content)
        descriptor = os.open(path, os.O_RDONLY)
        try:
            return sandbox.read(descriptor, ext)
        finally:
            os.close(descriptor)

    return read


@pytest.fixture(scope="session")
def _small() -> Iterator[Sandbox]:
    with hostile(SMALL_SETTINGS) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def real_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    home = tmp_path_factory.mktemp("home")
    with Sandbox(Settings(home=home, reader_seconds=4, reader_memory_mb=512)) as sandbox:
        yield sandbox


@pytest.fixture
def attack(_small: Sandbox, tmp_path: Path) -> Callable[[str], str]:
    """Lets a hostile reader try something; how that ended."""
    read = reading_of(_small, tmp_path)
    return lambda attempt: read(attempt.encode(), "txt").text


@pytest.fixture
def read(real_sandbox: Sandbox, tmp_path: Path) -> Read:
    """Reads bytes with the real readers, within 4 seconds and 512 MB."""
    return reading_of(real_sandbox, tmp_path)
