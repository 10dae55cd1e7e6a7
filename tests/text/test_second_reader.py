from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.settings import Settings
from mnemo_assets.text import reading, second
from mnemo_assets.text.second import Second
from tests.text.conftest import reading_of
from tests.text.invented_documents import docx, paragraph, zipped

if TYPE_CHECKING:
    from collections.abc import Iterator

needs_it = pytest.mark.skipif(not second.is_installed(), reason="needs pip install 'mnemo[unstructured]'")
SETTINGS = Settings(home=Path("/nowhere"), reader_seconds=30)
CELLS = (
    "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>"
    "<w:tc><w:p><w:r><w:t>b c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
)
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'wordprocessingml.document.main+xml"/></Types>'
)


class First:
    """A first reader that fails in a way that can be chosen."""

    def __init__(self, error_class: ErrorClass, detail: str = "") -> None:
        self.error = ReadingError(error_class, detail)

    def read(self, *_: object, **__: object) -> NoReturn:
        """Fail."""
        raise self.error


def whole(body: str) -> bytes:
    """A Word document with the part that other libraries insist on."""
    parts = {"[Content_Types].xml": TYPES}
    with zipfile.ZipFile(io.BytesIO(docx(body))) as container:
        parts |= {name: container.read(name).decode() for name in container.namelist()}
    return zipped(parts)


LETTER = whole(paragraph("The ferry leaves at noon.") + CELLS)


@pytest.fixture(scope="session")
def failing() -> Iterator[Second]:
    with Second(SETTINGS, First(ErrorClass.READER_CRASHED)) as readers:
        yield readers


@needs_it
def test_what_the_first_reader_could_not_read_the_second_reads(failing: Second, tmp_path: Path) -> None:
    """Its text is recorded with the first reader's name, so that what is looked up is what was put there."""
    text = reading_of(failing, tmp_path)(LETTER, "docx")
    assert text.text.startswith("The ferry leaves at noon.")
    assert text.text.endswith("a\tb c")
    assert (text.reader, text.reader_version) == ("docx", reading.READERS["docx"].version)
    assert text.second_reader is not None
    assert text.second_reader.startswith("unstructured 0.27")


@needs_it
@pytest.mark.parametrize("content", [b"PK\x03\x04 nothing", b"", LETTER[: len(LETTER) // 2]])
def test_where_neither_can_the_first_one_says_why(failing: Second, tmp_path: Path, content: bytes) -> None:
    """The class of the error is the first reader's."""
    with pytest.raises(ReadingError) as refused:
        reading_of(failing, tmp_path)(content, "docx")
    assert refused.value.error_class is ErrorClass.READER_CRASHED


@pytest.mark.parametrize(
    ("error", "ext"),
    [
        (First(ErrorClass.ENCRYPTED), "docx"),
        (First(ErrorClass.TOO_LARGE), "docx"),
        (First(ErrorClass.TIMED_OUT), "docx"),
        (First(ErrorClass.READER_MEMORY), "docx"),
        (First(ErrorClass.FILE_CHANGED), "docx"),
        (First(ErrorClass.CORRUPT, "document type"), "docx"),
        (First(ErrorClass.CORRUPT), "pdf"),
        (First(ErrorClass.CORRUPT), "eml"),
    ],
)
def test_it_is_not_asked_where_it_must_not_or_cannot_help(error: First, ext: str, tmp_path: Path) -> None:
    """Locks, bounds and refusals stand; and of other kinds it would lose text, or start programs."""
    with Second(SETTINGS, error) as readers:
        with pytest.raises(ReadingError) as refused:
            reading_of(readers, tmp_path)(LETTER, ext)
        assert readers._sandbox is None
    assert refused.value is error.error


def test_without_it_nothing_changes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is an extra: who does not install it has the first reader's outcome."""
    monkeypatch.setattr(second, "find_spec", lambda _: None)
    with Second(SETTINGS, First(ErrorClass.CORRUPT)) as readers, pytest.raises(ReadingError):
        reading_of(readers, tmp_path)(LETTER, "docx")


def test_a_text_of_the_first_reader_is_the_text(tmp_path: Path) -> None:
    """The second is not even started."""

    class Reads:
        def read(self, *_: object, **__: object) -> reading.Text:
            return reading.read(io.BytesIO(LETTER), "docx")

    with Second(SETTINGS, Reads()) as readers:
        assert reading_of(readers, tmp_path)(LETTER, "docx").second_reader is None
        assert readers._sandbox is None


@needs_it
def test_it_calls_nobody(tmp_path: Path) -> None:
    """Neither when it is imported nor at a document: no connection, no name that is asked for, no program."""
    (tmp_path / "letter.docx").write_bytes(LETTER)
    program = (
        "import sys\n"
        "seen = []\n"
        "calls = {'socket.connect', 'socket.getaddrinfo', 'subprocess.Popen', 'os.system', 'os.exec'}\n"
        "sys.addaudithook(lambda name, _: seen.append(name) if name in calls else None)\n"
        "from mnemo_assets.text import unstructured_reader\n"
        "unstructured_reader.warm_up()\n"
        "print(unstructured_reader.read(open(sys.argv[1], 'rb'), 'docx').text[:9])\n"
        "print(seen, 'en_core_web_sm' in sys.modules)\n"
    )
    environment = {name: value for name, value in os.environ.items() if "TRACK" not in name}
    ended = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "letter.docx"],
        capture_output=True,
        check=True,
        text=True,
        env=environment,
    )
    assert ended.stdout.splitlines() == ["The ferry", "[] False"]


def test_it_is_imported_nowhere_else() -> None:
    """Neither the command line nor the pipeline pays for it, or trusts it."""
    program = "import sys, mnemo_assets.pipeline.read, mnemo_assets.text.second; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    ).stdout.split()
    assert not {"unstructured", "spacy", "numpy", "lxml"} & {name.partition(".")[0] for name in loaded}
