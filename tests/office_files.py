"""Writes the smallest office documents that readers and LibreOffice open, from strings alone."""

from __future__ import annotations

import zipfile
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
OOXML = "http://schemas.openxmlformats.org"
OFFICE = f"{OOXML}/officeDocument/2006/relationships"
WORD = f"{OOXML}/wordprocessingml/2006/main"
SHEET = f"{OOXML}/spreadsheetml/2006/main"
KIND = "application/vnd.openxmlformats-officedocument"
PROPERTIES = (
    f'xmlns:cp="{OOXML}/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
)
ODF = "urn:oasis:names:tc:opendocument:xmlns"
NAMESPACES = " ".join(
    f'xmlns:{short}="{ODF}:{name}:1.0"'
    for short, name in {
        "office": "office",
        "text": "text",
        "draw": "drawing",
        "svg": "svg-compatible",
    }.items()
)
MIMETYPE = "application/vnd.oasis.opendocument"


def package(path: Path, parts: Mapping[str, str]) -> None:
    """Write a zip whose bytes depend on its parts alone; a part named `mimetype` is not compressed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as bundle:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, (2021, 3, 4, 12, 0, 0))
            entry.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            bundle.writestr(entry, content)


def _relations(*targets: tuple[str, str]) -> str:
    rows = "".join(
        f'<Relationship Id="r{n}" Type="{kind if "://" in kind else f"{OFFICE}/{kind}"}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'{XML}<Relationships xmlns="{OOXML}/package/2006/relationships">{rows}</Relationships>'


def _content_types(parts: Mapping[str, str]) -> str:
    rows = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in parts.items())
    return (
        f'{XML}<Types xmlns="{OOXML}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{rows}</Types>'
    )


def _word_lines(lines: Iterable[str]) -> str:
    return "".join(f'<w:p><w:r><w:t xml:space="preserve">{escape(line)}</w:t></w:r></w:p>' for line in lines)


def docx(path: Path, paragraphs: Iterable[str], *, title: str, day: str) -> None:
    """Write a Word document with a header; its title and day (YYYY-MM-DD) stand in its properties."""
    core = f"{OOXML}/package/2006/relationships/metadata/core-properties"
    kinds = {
        "word/document.xml": f"{KIND}.wordprocessingml.document.main+xml",
        "word/header1.xml": f"{KIND}.wordprocessingml.header+xml",
        "docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
    }
    parts = {
        "[Content_Types].xml": _content_types(kinds),
        "_rels/.rels": _relations(("officeDocument", "word/document.xml"), (core, "docProps/core.xml")),
        "word/_rels/document.xml.rels": _relations(("header", "header1.xml")),
        "word/header1.xml": f'{XML}<w:hdr xmlns:w="{WORD}">{_word_lines([title])}</w:hdr>',
        "word/document.xml": f'{XML}<w:document xmlns:w="{WORD}" xmlns:r="{OFFICE}"><w:body>'
        f'{_word_lines(paragraphs)}<w:sectPr><w:headerReference w:type="default" r:id="r1"/></w:sectPr>'
        "</w:body></w:document>",
        "docProps/core.xml": f"{XML}<cp:coreProperties {PROPERTIES}><dc:title>{escape(title)}</dc:title>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{day}T12:00:00Z</dcterms:created></cp:coreProperties>',
    }
    package(path, parts)


def workbook(path: Path, rows: Iterable[Iterable[str]], *, macros: bool = False) -> None:
    """Write a workbook of one sheet; with `macros` it calls itself one that may hold them, and holds none."""
    kind = "application/vnd.ms-excel.sheet.macroEnabled" if macros else f"{KIND}.spreadsheetml.sheet"
    cells = "".join(
        "<row>" + "".join(f'<c t="inlineStr"><is><t>{escape(cell)}</t></is></c>' for cell in row) + "</row>"
        for row in rows
    )
    kinds = {
        "xl/workbook.xml": f"{kind}.main+xml",
        "xl/worksheets/sheet1.xml": f"{KIND}.spreadsheetml.worksheet+xml",
    }
    parts = {
        "[Content_Types].xml": _content_types(kinds),
        "_rels/.rels": _relations(("officeDocument", "xl/workbook.xml")),
        "xl/_rels/workbook.xml.rels": _relations(("worksheet", "worksheets/sheet1.xml")),
        "xl/workbook.xml": f'{XML}<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets>'
        '<sheet name="Papers" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/worksheets/sheet1.xml": f'{XML}<worksheet xmlns="{SHEET}"><sheetData>{cells}</sheetData>'
        "</worksheet>",
    }
    package(path, parts)


def odt(path: Path, paragraphs: Iterable[str]) -> None:
    """Write an OpenDocument text."""
    lines = "".join(f"<text:p>{escape(line)}</text:p>" for line in paragraphs)
    parts = {
        "mimetype": f"{MIMETYPE}.text",
        "META-INF/manifest.xml": f'{XML}<manifest:manifest xmlns:manifest="{ODF}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{MIMETYPE}.text"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
        "</manifest:manifest>",
        "content.xml": f'{XML}<office:document-content {NAMESPACES} office:version="1.2"><office:body>'
        f"<office:text>{lines}</office:text></office:body></office:document-content>",
    }
    package(path, parts)


def slides(path: Path, pages: Iterable[str]) -> None:
    """Write a flat OpenDocument presentation, which LibreOffice turns into the others."""
    drawn = "".join(
        '<draw:page><draw:frame svg:width="20cm" svg:height="10cm" svg:x="2cm" svg:y="2cm"><draw:text-box>'
        f"<text:p>{escape(page)}</text:p></draw:text-box></draw:frame></draw:page>"
        for page in pages
    )
    path.write_text(
        f'{XML}<office:document {NAMESPACES} office:version="1.2" office:mimetype="{MIMETYPE}.presentation">'
        f"<office:body><office:presentation>{drawn}</office:presentation></office:body></office:document>",
        encoding="utf-8",
    )


def epub(path: Path, title: str, chapters: list[str]) -> None:
    """Write a book."""
    names = [f"c{n}.xhtml" for n in range(len(chapters))]
    items = "".join(f'<item id="{n}" href="{n}" media-type="application/xhtml+xml"/>' for n in names)
    spine = "".join(f'<itemref idref="{n}"/>' for n in names)
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": f'{XML}<container version="1.0" xmlns="{ODF}:container"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "book.opf": f'{XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" '
        f'unique-identifier="id"><metadata {PROPERTIES}><dc:identifier id="id">millers</dc:identifier>'
        f"<dc:title>{escape(title)}</dc:title><dc:language>en</dc:language></metadata>"
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
    }
    parts |= {
        name: f'{XML}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{escape(title)}</title></head>'
        f"<body><p>{escape(chapter)}</p></body></html>"
        for name, chapter in zip(names, chapters, strict=True)
    }
    package(path, parts)
