"""Workbooks, each place with its marker."""

from __future__ import annotations

from typing import Final

from tests.markers.drawn import (
    ATTACHED,
    ATTACHED_NAME,
    NAMESPACES,
    PICTURE,
    PLACED,
    TYPES,
    chart,
    picture,
    properties,
)
from tests.markers.places import Format, fates, marker
from tests.text.office_parts import TRANSITIONAL, Parts, package, words

_KIND: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_DRAWING: Final = "application/vnd.openxmlformats-officedocument.drawing+xml"
_DOCUMENT: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_MACROS: Final = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
_BESIDE: Final = (
    ("drawing", "drawings/drawing1.xml"),
    ("comments", "comments1.xml"),
    ("vmlDrawing", "drawings/comments1.vml"),
    ("package", f"embeddings/{ATTACHED_NAME}"),
    ("hyperlink", "https://example.org/"),
)
#: The identifier of each relation of the first sheet, by its kind.
_ID: Final = {kind: f"r{number}" for number, (kind, _) in enumerate(_BESIDE, 1)}
_NOTE: Final = (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" '
    'xmlns:x="urn:schemas-microsoft-com:office:excel"><v:shapetype id="t" coordsize="21600,21600" '
    'o:spt="202" path="m,l,21600r21600,l21600,xe"/><v:shape id="s1" type="#t" style="visibility:hidden">'
    '<v:textbox/><x:ClientData ObjectType="Note"><x:Row>0</x:Row><x:Column>0</x:Column></x:ClientData>'
    '</v:shape><v:shape id="_x0000_s1025" type="#t" style="width:60pt;height:40pt">'
    '<v:imagedata o:relid="r1"/><x:ClientData ObjectType="Pict">'
    "<x:Anchor>1,0,30,0,3,0,33,0</x:Anchor></x:ClientData>"
    "</v:shape></xml>"
)


def xlsx() -> bytes:
    """Two sheets, the second one hidden, that have everything."""
    return _workbook(f"{_KIND}.sheet.main+xml")


def xlsm() -> bytes:
    """The same with macros."""
    code = f'Sub Run()\r\nMsgBox "{marker("macro")}"\r\nEnd Sub\r\n'
    return _workbook(_MACROS, {"xl/vbaProject.bin": code.encode()}, [("vbaProject", "vbaProject.bin")])


def _workbook(kind: str, more: Parts | None = None, related: list[tuple[str, str]] | None = None) -> bytes:
    around = f'xmlns="{TRANSITIONAL.sheet}" {NAMESPACES}'
    parts: Parts = {
        "xl/workbook.xml": f'<workbook {around}><sheets><sheet name="{marker("sheet name")}" sheetId="1" '
        'r:id="r1"/><sheet name="Two" sheetId="2" state="hidden" r:id="r2"/></sheets></workbook>',
        "xl/sheet1.xml": f"<worksheet {around}>{_sheet()}</worksheet>",
        "xl/sheet2.xml": f'<worksheet {around}><sheetData><row r="1">{_cell("A1", "hidden sheet")}</row>'
        "</sheetData></worksheet>",
        "xl/sharedStrings.xml": f"<sst {around}><si><t>{marker('body')}</t></si></sst>",
        "xl/drawings/drawing1.xml": f"<xdr:wsDr {NAMESPACES}>{_drawn()}</xdr:wsDr>",
        "xl/drawings/comments1.vml": _NOTE,
        "xl/comments1.xml": f"<comments {around}><authors><author>{marker('author of a comment')}</author>"
        "</authors>"
        f'<commentList><comment ref="A1" authorId="0"><text><t>{marker("cell comment")}</t></text></comment>'
        "</commentList></comments>",
        "xl/charts/chart1.xml": chart(),
        "xl/media/image1.png": PICTURE,
        f"xl/embeddings/{ATTACHED_NAME}": ATTACHED,
        "docProps/core.xml": properties(),
        **(more or {}),
    }
    types = {name: _type(name) for name in parts} | {"xl/workbook.xml": kind}
    return package(
        parts,
        {
            "": [("officeDocument", "xl/workbook.xml"), ("metadata/core-properties", "docProps/core.xml")],
            "xl/workbook.xml": [
                ("worksheet", "sheet1.xml"),
                ("worksheet", "sheet2.xml"),
                ("sharedStrings", "sharedStrings.xml"),
                *(related or []),
            ],
            "xl/sheet1.xml": list(_BESIDE),
            "xl/drawings/comments1.vml": [("image", "../media/image1.png")],
            "xl/drawings/drawing1.xml": [("chart", "../charts/chart1.xml"), ("image", "../media/image1.png")],
        },
        types,
    )


def _type(name: str) -> str:
    """The content type of a part."""
    file = name.rpartition("/")[2]
    known = {
        "drawing1.xml": _DRAWING,
        "comments1.vml": "application/vnd.openxmlformats-officedocument.vmlDrawing",
        "comments1.xml": f"{_KIND}.comments+xml",
        "chart1.xml": TYPES["chart"],
        "image1.png": "image/png",
        "core.xml": TYPES["properties"],
        "vbaProject.bin": "application/vnd.ms-office.vbaProject",
        ATTACHED_NAME: _DOCUMENT,
        "sharedStrings.xml": f"{_KIND}.sharedStrings+xml",
    }
    return known.get(file, f"{_KIND}.worksheet+xml")


def _cell(reference: str, place: str) -> str:
    return f'<c r="{reference}" t="inlineStr"><is><t>{marker(place)}</t></is></c>'


def _sheet() -> str:
    return (
        '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c>'
        f"{_cell('B1', 'table cell')}{_cell('C1', 'link')}"
        f'<c r="D1"><f>LEN("{marker("formula")}")</f><v>11</v></c></row></sheetData>'
        '<dataValidations count="1"><dataValidation type="whole" allowBlank="1" showInputMessage="1" '
        f'promptTitle="Hint" prompt="{marker("input prompt")}" sqref="A2"><formula1>1</formula1>'
        "<formula2>9</formula2></dataValidation></dataValidations>"
        f'<hyperlinks><hyperlink ref="C1" r:id="{_ID["hyperlink"]}"/></hyperlinks>'
        f"<headerFooter><oddHeader>&amp;C{marker('header')}</oddHeader>"
        f"<oddFooter>&amp;C{marker('footer')}</oddFooter></headerFooter>"
        f'<drawing r:id="{_ID["drawing"]}"/><legacyDrawing r:id="{_ID["vmlDrawing"]}"/>'
        '<oleObjects><oleObject progId="Word.Document.12" shapeId="1025" '
        f'r:id="{_ID["package"]}"/></oleObjects>'
    )


def _anchored(content: str, row: int) -> str:
    ends = "".join(
        f"<xdr:{name}><xdr:col>{column}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>{row + column}</xdr:row>"
        f"<xdr:rowOff>0</xdr:rowOff></xdr:{name}>"
        for name, column in (("from", 1), ("to", 5))
    )
    return f"<xdr:twoCellAnchor>{ends}{content}<xdr:clientData/></xdr:twoCellAnchor>"


def _drawn() -> str:
    box = (
        '<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" name="Box"/><xdr:cNvSpPr txBox="1"/></xdr:nvSpPr>'
        f"<xdr:spPr>{PLACED}</xdr:spPr><xdr:txBody><a:bodyPr/>{words(marker('text box'))}</xdr:txBody>"
        "</xdr:sp>"
    )
    graph = (
        '<xdr:graphicFrame><xdr:nvGraphicFramePr><xdr:cNvPr id="3" name="Chart"/><xdr:cNvGraphicFramePr/>'
        '</xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic>'
        '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart r:id="r1"/>'
        "</a:graphicData></a:graphic></xdr:graphicFrame>"
    )
    described = picture("r2", marker("alternative text"), "xdr")
    return _anchored(box, 3) + _anchored(graph, 10) + _anchored(described, 20)


_PLACES: Final = (
    "body, table cell, link, header, footer, author of a comment, text box, chart label, alternative text, "
    "sheet name, hidden sheet, cell comment, input prompt"
)
_BESIDE_IT: Final = "title property, author property, attachment name"
XLSX: Final = Format(
    xlsx,
    fates(read=_PLACES, beside=_BESIDE_IT, documents="attached document", left_out="formula"),
)
XLSM: Final = Format(
    xlsm,
    fates(read=_PLACES, beside=_BESIDE_IT, documents="attached document", left_out="formula, macro"),
)
XLS: Final = Format(
    xlsx,
    fates(
        read="body, table cell, link, header, footer, text box, chart label, sheet name, hidden sheet, "
        "cell comment, input prompt",
        beside="title property, author property",
        left_out="formula",
        lost="attached document",
        unproven="author of a comment, alternative text",
    ),
    why={"attached document": "objects inside of an old workbook are not taken out of it"},
    made_by=("xlsx", "MS Excel 97"),
)
