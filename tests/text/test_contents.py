from __future__ import annotations

import io
import itertools

import pytest

from mnemo_assets.archive.rules import ADMITTED
from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import reading
from mnemo_assets.text.reading import READERS
from tests.text import ole_files
from tests.text.invented_documents import docx, long_text, paragraph, pdf, zipped
from tests.text.office_parts import cell, package, part, presentation, rows, shape, workbook

OLE = bytes.fromhex("d0cf11e0a1b11ae1")
PDF = pdf(long_text())
DOCX = docx(paragraph("Mara Lindqvist"))
XLSX = workbook(rows(cell("Mara Lindqvist")))
PPTX = presentation(shape("Mara Lindqvist"))
PAGE = b"<!DOCTYPE html><html><body><p>Mara <b>Lindqvist</b></p></body></html>"
MAIL = b"Return-Path: <m@example.org>\nFrom: Mara <m@example.org>\nSubject: Harbour\n\nDear Ada"
SAVED_PAGE = (
    b"""\
From: <Saved by a browser>
Subject: Harbour
MIME-Version: 1.0
Content-Type: multipart/related; boundary="x"

--x
Content-Type: text/html

%s
--x--
"""
    % PAGE
)


def read(content: bytes, ext: str) -> str:
    return reading.read(io.BytesIO(content), ext).text


def refusal(content: bytes, ext: str) -> ErrorClass:
    with pytest.raises(ReadingError) as refused:
        read(content, ext)
    return refused.value.error_class


@pytest.mark.parametrize(("content", "ext"), list(itertools.product((PDF, DOCX, XLSX, PPTX), READERS)))
def test_a_document_under_any_name_is_read_as_what_it_is(content: bytes, ext: str) -> None:
    """A PDF called notes.txt is a PDF: the content decides."""
    assert "Mara Lindqvist" in read(content, ext)


@pytest.mark.parametrize(
    "kind",
    [
        "vnd.openxmlformats-officedocument.presentationml.slideshow",
        "vnd.openxmlformats-officedocument.presentationml.template",
        "vnd.ms-powerpoint.presentation.macroEnabled",
    ],
)
def test_an_office_document_is_known_by_the_type_of_its_main_part(kind: str) -> None:
    """Parts may have any name, and templates and what has macros is read as what it is made from."""
    content = package(
        {
            "word/show.xml": part("p:presentation", "<p:sldIdLst><p:sldId id='1' r:id='r1'/></p:sldIdLst>"),
            "word/one.xml": part("p:sld", shape("Mara Lindqvist")),
        },
        {"": [("officeDocument", "/word/show.xml")], "word/show.xml": [("slide", "one.xml")]},
        {"word/show.xml": f"application/{kind}.main+xml"},
    )
    assert read(content, "docx") == "Mara Lindqvist"


def test_text_under_another_name_is_read_as_text() -> None:
    """A page, a mail and a note that are called documents are read by their own readers."""
    assert read(PAGE, "docx") == "Mara Lindqvist"
    assert read(MAIL, "pdf") == "From: Mara <m@example.org>\nSubject: Harbour\n\nDear Ada"
    assert read(b"Dear Ada", "docx") == "Dear Ada"
    assert "Mara Lindqvist" in read(SAVED_PAGE, "htm")
    assert "<b>" not in read(SAVED_PAGE, "html")


def test_kinds_of_text_are_what_their_name_says() -> None:
    """The source of a page that is called .txt stays a source."""
    assert read(PAGE, "txt") == PAGE.decode()
    assert read(MAIL, "md") == MAIL.decode()


def test_an_encrypted_office_document_needs_a_password() -> None:
    """It looks like a bad zip, or an old .doc, and must be called neither."""
    content = OLE + bytes(2000) + "EncryptedPackage".encode("utf-16-le") + bytes(100)
    assert {refusal(content, ext) for ext in READERS} == {ErrorClass.ENCRYPTED}


@pytest.mark.parametrize(
    "content",
    [
        ole_files.ole({"Contents": b"of another program"}),
        b"\x09\x04\x06\x00\x00\x00\x10\x00" + bytes(60),
        b"\x89PNG\r\n\x1a\n" + bytes(40),
        zipped({"xl/workbook.bin": "", "[Content_Types].xml": "<Types/>"}),
        zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}),
    ],
)
@pytest.mark.parametrize("ext", sorted(READERS.keys() - {"doc", "ppt"}))
def test_what_no_reader_knows_is_unsupported(content: bytes, ext: str) -> None:
    """A broken .doc, an RTF, a picture, a binary workbook or a misnamed one: recognised, and said."""
    assert refusal(content, ext) is ErrorClass.UNSUPPORTED


def test_damage_is_told_from_disguise() -> None:
    """Bytes that are nothing are a damaged document, or a text that is none."""
    noise = bytes((7 * number * number + number // 3) % 256 for number in range(5000))
    assert refusal(noise, "docx") is ErrorClass.CORRUPT
    assert refusal(noise, "pdf") is ErrorClass.CORRUPT
    assert refusal(noise, "txt") is ErrorClass.UNSUPPORTED
    assert refusal(DOCX[:-30], "docx") is ErrorClass.CORRUPT
    assert refusal(OLE + bytes(2000), "xls") is ErrorClass.CORRUPT
    assert refusal(OLE + bytes(2000), "pdf") is ErrorClass.UNSUPPORTED
    assert refusal(bytes(5000), "pdf") is ErrorClass.CORRUPT


def test_every_line_of_the_table_can_be_read_with() -> None:
    """Each reader's function is there; those of texts make pages of an ordinary one."""
    assert all(callable(reading.function_of(reader)) for reader in READERS.values())
    for reader in {READERS[ext] for ext in ("txt", "html", "eml")}:
        assert reading.function_of(reader)(io.BytesIO(b"Dear Ada")).pages == ["Dear Ada"]


def test_whatever_is_admitted_has_a_reader() -> None:
    """An extension comes in together with its reader: there is no waiting for one."""
    assert READERS.keys() == ADMITTED
