from __future__ import annotations

import io
import random

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import ole
from tests.text import ole_files

CONTENT = ole_files.ole({"WordDocument": b"a" * 5000, "1Table": b"b", "\x05SummaryInformation": b"c"})


def test_a_container_says_what_is_in_it() -> None:
    """The streams by name, and the bytes of one; asking twice is the same."""
    file = io.BytesIO(CONTENT)
    for _ in range(2):
        assert ole.streams(file) == {"WordDocument", "1Table", "\x05SummaryInformation"}
        assert ole.stream(file, "WordDocument") == b"a" * 5000


@pytest.mark.parametrize("content", [b"", ole.MAGIC, ole.MAGIC + bytes(2000), CONTENT[:700]])
def test_a_broken_container_is_damaged(content: bytes) -> None:
    """What is cut or empty behind its magic is damage by name."""
    with pytest.raises(ReadingError) as refused:
        ole.streams(io.BytesIO(content))
    assert refused.value.error_class is ErrorClass.CORRUPT


def test_a_stream_that_is_not_there_is_damage() -> None:
    """A name is asked for by what the directory said."""
    with pytest.raises(ReadingError) as refused:
        ole.stream(io.BytesIO(CONTENT), "Workbook")
    assert refused.value.error_class is ErrorClass.CORRUPT


def test_damage_anywhere_has_a_name() -> None:
    """Bytes changed at random end in streams or in damage, and soon."""
    chooser = random.Random(5)
    for _ in range(500):
        damaged = bytearray(CONTENT)
        for _ in range(chooser.choice((1, 8, 60))):
            damaged[chooser.randrange(3000)] = chooser.choice((0, 1, 2, 255, chooser.randrange(256)))
        try:
            ole.streams(io.BytesIO(damaged))
        except ReadingError as refused:
            assert refused.error_class is ErrorClass.CORRUPT  # noqa: PT017 - most end otherwise
