"""A document inside of a document, read in the sandbox."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import reply
from mnemo_assets.text.pages import Part
from mnemo_assets.text.reading import READERS, Text
from mnemo_assets.text.sandbox import Sandbox
from tests.pipeline.parted import mail
from tests.text.conftest import SMALL_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

LETTER = b"Ann Miller works for Nordwind Ltd."
INNER = mail("Before", ("letter.txt", LETTER), ("copy.txt", b"Another."))
OUTER = mail("After", ("Fwd.eml", INNER))
WAY = [("1", "eml"), ("1", "txt")]
SHA256 = hashlib.sha256(LETTER).hexdigest()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    root = Path(__file__).parents[2]
    with Sandbox(SMALL_SETTINGS, module="tests.text.reader_with_parts", code=(root,)) as sandbox:
        yield sandbox


@pytest.fixture
def outer(tmp_path: Path) -> Iterator[int]:
    path = tmp_path / "outer.eml"
    path.write_bytes(OUTER)
    fd = os.open(path, os.O_RDONLY)
    yield fd
    os.close(fd)


def test_a_part_of_a_part(sandbox: Sandbox, outer: int) -> None:
    """The way leads through the mail in the mail; the text is that of the reader of the last extension."""
    text = sandbox.read(outer, "eml", parts=WAY, sha256=SHA256)
    assert (text.text, text.reader) == (LETTER.decode(), READERS["txt"].name)


def test_a_mail_tells_its_parts(sandbox: Sandbox, outer: int) -> None:
    """What comes back is what the part is, in rows that the ledger takes."""
    sha256 = hashlib.sha256(INNER).hexdigest()
    assert sandbox.read(outer, "eml").parts == (Part("1", "Fwd.eml", "eml", len(INNER), sha256),)


@pytest.mark.parametrize(
    ("way", "ext"),
    [
        ([("2", "eml"), ("1", "txt")], "eml"),  # there is none
        ([("1", "eml"), ("2", "txt")], "eml"),  # it is another one
        ([("1", "eml"), ("1", "txt"), ("1", "txt")], "eml"),  # a letter holds no others
    ],
)
def test_a_part_that_is_not_there(sandbox: Sandbox, outer: int, way: list[tuple[str, str]], ext: str) -> None:
    """A part that is gone, or another one by now, gives no text: its parent is not what it was."""
    with pytest.raises(ReadingError) as refused:
        sandbox.read(outer, ext, parts=way, sha256=SHA256)
    assert refused.value.error_class is ErrorClass.FILE_CHANGED


@pytest.mark.parametrize(
    "change",
    [
        {"sha256": "x" * 64},
        {"ext": "exe"},
        {"size": -1},
        {"name": "a\0b"},
        {"path": "1" * 2000},
        {"rule": 5},
    ],
)
def test_an_answer_that_the_ledger_would_not_take(change: dict[str, Any]) -> None:
    """What a reader in a stranger's hands says of parts is checked before anything is made of it."""
    good = asdict(Part("1", "a.txt", "txt", 5, SHA256))

    def answer(*parts: dict[str, Any]) -> bytes:
        header = json.dumps({"page_starts": [0], "parts": parts}).encode()
        return len(header).to_bytes(4, "big") + header + b"text"

    found = reply.unpack(answer(good, {**good, "path": "2"}), READERS["eml"])
    assert isinstance(found, Text)
    assert len(found.parts) == 2
    for parts in ([{**good, **change}], [good, good]):
        with pytest.raises(ReadingError) as refused:
            reply.unpack(answer(*parts), READERS["eml"])
        assert refused.value.error_class is ErrorClass.READER_CRASHED
