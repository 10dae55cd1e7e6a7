"""Small documents of every kind, for the zygote to read once: libraries do much at their first."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any

import pymupdf

if TYPE_CHECKING:
    from collections.abc import Iterator

_mupdf: Any = pymupdf  # it has annotations in places, and not where they matter
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OPEN_TEXT = "application/vnd.oasis.opendocument.text"
_OPEN_DOCUMENT = (
    '<o:document-content xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><o:body><o:text><t:p>x</t:p></o:text></o:body>'
    "</o:document-content>"
)
_MAIL = """\
From: =?utf-8?q?=C3=84nne?= <a@example.org>
To: b@example.org, C <c@example.org>
Subject: x
Date: Mon, 3 Feb 2020 10:00:00 +0100
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary="b"

--b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: base64

eA==
--b
Content-Type: text/html

<p>x
--b--
"""


def samples() -> Iterator[tuple[str, bytes]]:
    """Extension and content of each."""
    yield "txt", "Größe und Maß, schön\n".encode("cp1252")
    yield "html", b"<!doctype html><title>x</title><p>x<table><tr><td>1<td>2</table><pre>a</pre>"
    yield "eml", _MAIL.encode()
    yield "docx", _docx()
    yield "xlsx", _xlsx()
    yield "pptx", _pptx()
    yield "rtf", rb"{\rtf1\ansi x\par}"
    yield "odt", _zip({"mimetype": _OPEN_TEXT, "content.xml": _OPEN_DOCUMENT})
    yield "epub", _zip({"META-INF/container.xml": "<a/>", "x.xhtml": "<p>x</p>"})
    yield "pdf", _pdf()


def _docx() -> bytes:
    return _zip(
        {
            "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body><w:p><w:r><w:t>x</w:t></w:r></w:p>'
            "</w:body></w:document>"
        }
    )


def _xlsx() -> bytes:
    return _zip(
        {
            "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}/relationships"><sheets>'
            '<sheet name="x" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": _relation("worksheet", "sheet1.xml"),
            "xl/sheet1.xml": f'<worksheet xmlns="{_SHEET}"><sheetData><row><c><v>1.5</v></c></row>'
            "</sheetData></worksheet>",
        }
    )


def _pptx() -> bytes:
    return _zip(
        {
            "ppt/presentation.xml": f'<p:presentation xmlns:p="{_SLIDE}" xmlns:r="{_OFFICE}/relationships">'
            '<p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": _relation("slide", "slide1.xml"),
            "ppt/slide1.xml": f'<p:sld xmlns:p="{_SLIDE}" xmlns:a="{_DRAWING}"><p:sp><a:p><a:t>x</a:t></a:p>'
            "</p:sp></p:sld>",
        }
    )


def _relation(kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" Type="{_OFFICE}/relationships/{kind}" '
        f'Target="{target}"/></Relationships>'
    )


def _zip(parts: dict[str, str]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as container:
        for name, content in parts.items():
            container.writestr(name, content)
    return held.getvalue()


def _pdf() -> bytes:
    with _mupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 72), "x")
        page.draw_rect(_mupdf.Rect(100, 100, 200, 200), fill=(0, 0, 0))
        page.add_text_annot((72, 90), "note")
        data: bytes = document.tobytes()
    return data
