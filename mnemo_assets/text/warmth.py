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
    yield "rtf", rb"{\rtf1\ansi x\par}"
    yield "odt", _zipped({"mimetype": _OPEN_TEXT, "content.xml": _OPEN_DOCUMENT})
    yield "epub", _zipped({"META-INF/container.xml": "<a/>", "x.xhtml": "<p>x</p>"})
    yield "pdf", _pdf()


def _docx() -> bytes:
    body = "<w:body><w:p><w:r><w:t>x</w:t></w:r></w:p></w:body>"
    return _zipped({"word/document.xml": f'<w:document xmlns:w="{_WORD}">{body}</w:document>'})


def _zipped(parts: dict[str, str]) -> bytes:
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
