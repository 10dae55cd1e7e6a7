"""Writes the smallest OpenDocument texts that hold every kind of place."""

from __future__ import annotations

from tests.office_files import ODF
from tests.text.invented_documents import zipped

_NAMES = {name: name for name in ("office", "text", "table", "form", "style", "meta", "chart")} | {
    "draw": "drawing",
    "svg": "svg-compatible",
    "fo": "xsl-fo-compatible",
}
NAMESPACES = (
    " ".join(f'xmlns:{short}="{ODF}:{name}:1.0"' for short, name in _NAMES.items())
    + ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'
)
KIND = "application/vnd.oasis.opendocument.text"


def flat(body: str, *, before: str = "", kind: str = "text") -> bytes:
    """One XML file; `before` stands before its body."""
    return (
        f'<?xml version="1.0"?><office:document {NAMESPACES} office:mimetype="{KIND}">{before}'
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document>"
    ).encode()


def odt(body: str, *, styles: str = "", meta: str = "", kind: str = "text", **parts: str) -> bytes:
    """A package; other parts are named with `__` for a slash and `_1` for ` 1`."""
    beside = {name.replace("__", "/").replace("_1", " 1") + ".xml": text for name, text in parts.items()}
    return zipped(
        {
            "mimetype": KIND,
            "META-INF/manifest.xml": "<manifest/>",
            "content.xml": document(f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"),
            "styles.xml": document(styles),
            "meta.xml": document(f"<office:meta>{meta}</office:meta>"),
            **beside,
        }
    )


def document(inside: str) -> str:
    """A part of a package."""
    return f"<office:document-content {NAMESPACES}>{inside}</office:document-content>"


def paragraph(text: str, style: str = "") -> str:
    """A paragraph."""
    return f'<text:p text:style-name="{style}">{text}</text:p>' if style else f"<text:p>{text}</text:p>"


def table(*rows: tuple[str, ...]) -> str:
    """A table; a cell is a text, or elements."""
    inside = "".join(
        "<table:table-row>"
        + "".join(
            f"<table:table-cell>{cell if cell.startswith('<') else paragraph(cell)}</table:table-cell>"
            for cell in row
        )
        + "</table:table-row>"
        for row in rows
    )
    return f"<table:table>{inside}</table:table>"
