from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.upped import running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.upped import Up


@pytest.fixture(scope="session")
def up() -> Iterator[Up]:
    """`mnemo up` over a small archive; a test leaves it running and quiet."""
    names = ("kept", "edited", "renamed", "copied", "deleted")
    with running({f"{n}.txt": f"Ada Byron of Nordwind Ltd wrote that this is {n}.\n" for n in names}) as up:
        yield up
