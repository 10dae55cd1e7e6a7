from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mnemo_assets import postgres
from tests.upped import Up

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def up() -> Iterator[Up]:
    """`mnemo up` over a small archive; a test leaves it running and quiet."""
    folder = Path(tempfile.mkdtemp(prefix="mnemo-u-", dir="/tmp"))
    archive = folder / "papers"
    archive.mkdir()
    for name in ("kept", "edited", "renamed", "copied", "deleted"):
        (archive / f"{name}.txt").write_text(f"Ada Byron of Nordwind Ltd wrote that this is {name}.\n")
    up = Up(folder / "home", archive)
    try:
        up.start()
        yield up
    finally:
        if up.process is not None and up.process.poll() is None:
            up.end()
        postgres.stop(up.home)
        shutil.rmtree(folder, ignore_errors=True)
