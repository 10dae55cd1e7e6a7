"""Documents of every kind, made from a few words."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pymupdf

mupdf: Any = pymupdf

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006"
#: Prefixes of what is drawn in a Word document.
DRAWN = (
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)


def zipped(parts: dict[str, str]) -> bytes:
    """A zip container."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as container:
        for name, content in parts.items():
            container.writestr(name, content)
    return held.getvalue()


def docx(body: str, *, namespace: str = WORD, parts: dict[str, str] | None = None, prolog: str = "") -> bytes:
    """A Word document; other parts are named as their relation is, such as `header` or `footnotes`."""
    beside = parts or {}
    relations = "".join(
        f'<Relationship Id="r{number}" Type="{OFFICE}/{kind.rstrip("0123456789")}" Target="{kind}.xml"/>'
        for number, kind in enumerate(beside)
    )
    around = f'xmlns:w="{namespace}" xmlns:mc="{COMPATIBILITY}" {DRAWN}'
    return zipped(
        {
            "_rels/.rels": f'<Relationships xmlns="{RELATIONS}"><Relationship Id="a" '
            f'Type="{OFFICE}/officeDocument" Target="/word/document.xml"/></Relationships>',
            "word/document.xml": f"{prolog}<w:document {around}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{RELATIONS}">{relations}</Relationships>',
            **{
                f"word/{kind}.xml": f"<w:part {around}>{content}</w:part>" for kind, content in beside.items()
            },
        }
    )


def paragraph(text: str) -> str:
    """A paragraph of a Word document, in one run."""
    return f'<w:p><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def pdf(*pages: str, **options: Any) -> bytes:
    """A PDF with a page for each text, line by line; the options are those of saving it."""
    with mupdf.open() as document:
        for text in pages:
            page = document.new_page()
            if text:
                page.insert_text((50, 72), text)
        saved: bytes = document.tobytes(**options)
    return saved


def long_text(lines: int = 12) -> str:
    """Text enough for a page that is not thin."""
    return "\n".join(f"Mara Lindqvist wrote line {number} of the harbour report." for number in range(lines))
