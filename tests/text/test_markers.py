"""Each place of each format bears a marker of its own: what readers make of it is what the matrix says."""

from __future__ import annotations

import io
import os
import zipfile
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.archive import rules
from tests.markers import formats, matrix
from tests.markers.formats import FORMATS
from tests.markers.places import PLACES, Fate, marker

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.text.reading import Text
    from mnemo_assets.text.sandbox import Sandbox

#: In which a marker may stand in a file as it is; the second one is that of old Office documents.
_ENCODINGS = ("utf-8", "utf-16-le")


def document(ext: str) -> bytes:
    """The document of a format; where LibreOffice is missing and has to make it, the test is skipped."""
    if (package := formats.missing(ext)) is not None:
        pytest.skip(f"needs LibreOffice: on Debian {package}")
    return formats.document(ext)


def read(sandbox: Sandbox, folder: Path, ext: str, *parts: tuple[str, str]) -> Text:
    """What the sandbox answers for a format's document, or for one inside of it."""
    path = folder / f"document.{ext}"
    path.write_bytes(document(ext))
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return sandbox.read(descriptor, ext, parts=parts)
    finally:
        os.close(descriptor)


def found(text: Text, place: str) -> Fate | int:
    """What became of a place: READ, BESIDE, or how many times else its marker occurs."""
    word = marker(place)
    times = text.text.count(word)
    beside = (text.metadata.title, text.metadata.author, *(part.name for part in text.parts))
    if times == 0 and any(word in line for line in beside if line):
        return Fate.BESIDE
    return Fate.READ if times == 1 else times


def expected(ext: str) -> dict[str, Fate | int]:
    """The matrix's column: what is neither read nor beside the text occurs nowhere."""
    fates = FORMATS[ext].fates
    return {place: fate if fate in {Fate.READ, Fate.BESIDE} else 0 for place, fate in fates.items()}


@pytest.mark.parametrize("ext", FORMATS)
def test_every_place_meets_its_fate(real_sandbox: Sandbox, tmp_path: Path, ext: str) -> None:
    """What a person can see is in the text once, what is deleted or code is not; through the sandbox."""
    text = read(real_sandbox, tmp_path, ext)
    assert {place: found(text, place) for place in FORMATS[ext].fates} == expected(ext)


@pytest.mark.parametrize("ext", FORMATS)
def test_no_other_marker_is_found(real_sandbox: Sandbox, tmp_path: Path, ext: str) -> None:
    """A place that the matrix says nothing of is none of the format's."""
    text = read(real_sandbox, tmp_path, ext)
    assert [place for place in PLACES if place not in FORMATS[ext].fates and marker(place) in text.text] == []


@pytest.mark.parametrize(
    "ext", [ext for ext, form in FORMATS.items() if Fate.DOCUMENT in form.fates.values()]
)
def test_what_is_attached_is_a_document_of_its_own(real_sandbox: Sandbox, tmp_path: Path, ext: str) -> None:
    """It is read by itself, and nothing else is."""
    [part] = read(real_sandbox, tmp_path, ext).parts
    assert part.rule is None
    inner = read(real_sandbox, tmp_path, ext, (part.path, part.ext))
    assert inner.text == marker("attached document")


@pytest.mark.parametrize("ext", FORMATS)
def test_what_is_not_found_was_there(ext: str) -> None:
    """What is left out stands in the file; what is not proven does not."""
    held = unpacked(document(ext))
    fates = FORMATS[ext].fates
    assert [place for place, fate in fates.items() if fate is Fate.LEFT_OUT and not holds(held, place)] == []
    assert [place for place, fate in fates.items() if fate is Fate.UNPROVEN and holds(held, place)] == []


def unpacked(content: bytes) -> bytes:
    """A file, or all that is in its zip."""
    if not zipfile.is_zipfile(io.BytesIO(content)) or not content.startswith(b"PK"):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as container:
        return b"".join(map(container.read, container.namelist()))


def holds(content: bytes, place: str) -> bool:
    """Whether the marker of a place stands in a file, in any spelling."""
    return any(marker(place).encode(encoding) in content for encoding in _ENCODINGS)


def test_each_format_has_its_column() -> None:
    """Every extension that comes in, and a reason for all that is lost."""
    assert sorted(FORMATS) == sorted(rules.ADMITTED)
    for form in FORMATS.values():
        assert {place for place, fate in form.fates.items() if fate is Fate.LOST} == set(form.why)


def test_markers_are_words_apart() -> None:
    """None is a part of another, so that occurrences can be counted; each place is one of some format."""
    words = [marker(place) for place in PLACES]
    assert [one for one in words for other in words if one != other and one in other] == []
    assert all(word.isalpha() for word in words)
    assert [place for place in PLACES if all(place not in form.fates for form in FORMATS.values())] == []


def test_each_format_has_its_row_on_the_page() -> None:
    """docs/reading.md says of each extension how it is read."""
    before, _ = matrix.PAGE.read_text(encoding="utf-8").split(matrix.BEGIN)
    rows = [line.split("|")[1] for line in before.splitlines() if line.startswith("| `")]
    assert sorted(ext.strip(" `") for row in rows for ext in row.split(",")) == sorted(FORMATS)


def test_the_page_shows_the_matrix() -> None:
    """docs/reading.md holds what `python -m tests.markers` writes."""
    page = matrix.PAGE.read_text(encoding="utf-8")
    assert matrix.written(page) == page
