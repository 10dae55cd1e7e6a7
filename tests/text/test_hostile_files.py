"""Files made to hurt: each ends in text or in an error with a name, within 4 seconds and 512 MB."""

from __future__ import annotations

import os
import random
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import warmth
from mnemo_assets.text.pages import MAX_TEXT, MAX_TEXT_BYTES
from mnemo_assets.text.reading import Text
from tests.text.invented_documents import docx, paragraph
from tests.text.invented_documents import pdf as written_pdf

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.text.sandbox import Sandbox

Read = Callable[[bytes, str], Text]

TIMEOUT, MEMORY, LARGE, CORRUPT = (
    ErrorClass.TIMED_OUT,
    ErrorClass.READER_MEMORY,
    ErrorClass.TOO_LARGE,
    ErrorClass.CORRUPT,
)


def outcome(read: Read, content: bytes, ext: str) -> str:
    """The text, or the class of the error."""
    try:
        return read(content, ext).text
    except ReadingError as error:
        return error.error_class


def pdf(*objects: bytes) -> bytes:
    """A PDF of raw objects without a table of references, which readers then make."""
    body = b"".join(b"%d 0 obj %s endobj\n" % (number, content) for number, content in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer << /Root 1 0 R >>"


#: Documents of each kind, whole.
DAMAGED = [
    *warmth.samples(),
    ("docx", docx(paragraph("Dear Ada") * 500)),
    ("pdf", written_pdf(*["Dear Ada"] * 9)),
]

CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R >>"


def test_a_docx_bomb_of_text(read: Read) -> None:
    """A kilobyte that unpacks to more text than a document may have."""
    assert outcome(read, docx(paragraph("bomb " * (MAX_TEXT // 5 + 1))), "docx") == LARGE


def test_a_docx_bomb_of_markup(read: Read) -> None:
    """A hundred megabytes of tags without a word end by size, time or memory, not in the machine's."""
    assert outcome(read, docx("<w:p/>" * 20_000_000), "docx") in {LARGE, TIMEOUT}


def test_a_docx_of_entities(read: Read) -> None:
    """A billion laughs are refused at the first."""
    laughs = "".join(f'<!ENTITY l{n} "&l{n - 1};&l{n - 1};">' for n in range(1, 40))
    prolog = f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]>'
    assert outcome(read, docx(paragraph("&l39;"), prolog=prolog), "docx") == CORRUPT


def test_a_deep_page(read: Read) -> None:
    """200,000 elements in one another take a parser minutes: the time runs out, or the text is there."""
    assert outcome(read, b"<div>" * 200_000 + b"deep", "html") in {TIMEOUT, "deep"}


def test_a_page_of_formatting(read: Read) -> None:
    """Formatting that is never closed is opened again in each paragraph."""
    assert outcome(read, b"<b><i><u><p>" * 20_000 + b"deep", "html") in {TIMEOUT, MEMORY, "deep"}


def test_a_deep_mail(read: Read) -> None:
    """Parts in parts, 2,000 deep."""
    opened = "".join(f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(2000))
    assert outcome(read, f"Subject: x\n{opened}\ndeep".encode(), "eml") == CORRUPT


def test_a_mail_of_addresses(read: Read) -> None:
    """A header that its parser takes quadratic time for."""
    assert outcome(read, b"To: " + b'"(,<' * 100_000 + b"\n\nDear Jon", "eml").endswith("Dear Jon")


def test_a_pdf_of_pages(read: Read) -> None:
    """A kilobyte that says it is 100,000 pages, most of them the same."""
    kids = b" ".join([b"3 0 R"] * 100_000)
    content = pdf(
        CATALOG, b"<< /Type /Pages /Count 100000 /Kids [%s] >>" % kids, PAGE, b"<< >> stream\n\nendstream"
    )
    assert outcome(read, content, "pdf") in {TIMEOUT, CORRUPT, ""}


def test_a_pdf_of_pages_that_loop(read: Read) -> None:
    """A page tree that is its own branch."""
    content = pdf(CATALOG, b"<< /Type /Pages /Count 9999999 /Kids [2 0 R 2 0 R] >>")
    assert outcome(read, content, "pdf") in {TIMEOUT, CORRUPT}


def test_a_pdf_bomb(read: Read) -> None:
    """A page whose drawing unpacks to a quarter of a gigabyte."""
    once = zlib.compress(zlib.compress(bytes(1 << 28), 1), 9)
    stream = b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >> stream\n%s\nendstream" % (len(once), once)
    content = pdf(CATALOG, b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>", PAGE, stream)
    assert outcome(read, content, "pdf") in {TIMEOUT, MEMORY, ""}


def test_combining_marks(read: Read) -> None:
    """Marks that Unicode has to sort take quadratic time: the reader's, not mnemo's."""
    assert outcome(read, ("a" + "\u0301\u0323" * 400_000).encode(), "txt") == TIMEOUT


def test_damage_has_a_name(read: Read) -> None:
    """Documents with bytes changed, cut and doubled are read, or are damaged: no reader breaks on them."""
    chooser = random.Random(11)
    for number in range(120):
        ext, content = chooser.choice(DAMAGED)
        damaged, place = bytearray(content), chooser.randrange(len(content))
        if number % 3 == 0:
            del damaged[place:]
        elif number % 3 == 1:
            damaged[place:place] = damaged[chooser.randrange(len(content)) :][:500]
        for _ in range(chooser.choice((1, 5, 50)) if damaged else 0):
            damaged[chooser.randrange(len(damaged))] = chooser.randrange(256)
        assert outcome(read, bytes(damaged), ext) not in {ErrorClass.READER_CRASHED, TIMEOUT, MEMORY}


def test_a_huge_csv(real_sandbox: Sandbox, tmp_path: Path) -> None:
    """Gigabytes of text are refused unread."""
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.write(b"a,b,c\n" * 20_000)
        file.truncate(2 << 30)
    with path.open("rb") as file, pytest.raises(ReadingError) as refused:
        real_sandbox.read(file.fileno(), "csv")
    assert refused.value.error_class is LARGE
    assert path.stat().st_size > MAX_TEXT_BYTES


def test_a_file_that_shrinks_under_the_reader(real_sandbox: Sandbox, tmp_path: Path) -> None:
    """A file cut while it is open is damage, and no end of mnemo."""
    path = tmp_path / "cut.pdf"
    path.write_bytes(b"%PDF-1.4\n" + bytes(100_000))
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.truncate(path, 9)
        with pytest.raises(ReadingError) as refused:
            real_sandbox.read(descriptor, "pdf")
    finally:
        os.close(descriptor)
    assert refused.value.error_class is CORRUPT
