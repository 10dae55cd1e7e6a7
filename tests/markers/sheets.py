"""Workbooks, each place with its marker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.markers.drawn import (
    ATTACHED_NAME,
    DRAWING,
    NAMESPACES,
    PLACED,
    Typed,
    document,
    identifiers,
    picture,
)
from tests.markers.places import Format, fates, marker
from tests.text.office_parts import TRANSITIONAL, words

if TYPE_CHECKING:
    from collections.abc import Sequence

_KIND: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_DRAWING: Final = "application/vnd.openxmlformats-officedocument.drawing+xml"
_DRAWN_NOTES: Final = "application/vnd.openxmlformats-officedocument.vmlDrawing"
_MACROS: Final = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
_BESIDE: Final = (
    ("drawing", "drawings/drawing1.xml"),
    ("comments", "comments1.xml"),
    ("vmlDrawing", "drawings/comments1.vml"),
    ("package", f"embeddings/{ATTACHED_NAME}"),
    ("hyperlink", "https://example.org/"),
)
#: The identifier of each relation of the first sheet, by its kind.
_ID: Final = identifiers(_BESIDE)
_DRAWN: Final = (
    ("chart", "../charts/chart1.xml"),
    ("diagramData", "../diagrams/data1.xml"),
    ("image", "../media/image1.png"),
)
#: The same of what is drawn on it.
_DRAWN_ID: Final = identifiers(_DRAWN)
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
    macros: Typed = {"xl/vbaProject.bin": ("application/vnd.ms-office.vbaProject", code.encode())}
    return _workbook(_MACROS, macros, [("vbaProject", "vbaProject.bin")])


def _workbook(kind: str, more: Typed | None = None, related: Sequence[tuple[str, str]] = ()) -> bytes:
    sheets = (
        f'<sheets><sheet name="{marker("sheet name")}" sheetId="1" r:id="r1"/>'
        '<sheet name="Two" sheetId="2" state="hidden" r:id="r2"/></sheets>'
    )
    comments = (
        f"<authors><author>{marker('author of a comment')}</author></authors>"
        f'<commentList><comment ref="A1" authorId="0"><text><t>{marker("cell comment")}</t></text></comment>'
        "</commentList>"
    )
    hidden = f'<sheetData><row r="1">{_cell("A1", "hidden sheet")}</row></sheetData>'
    parts: Typed = {
        "xl/workbook.xml": (kind, _rooted("workbook", sheets)),
        "xl/sheet1.xml": _part("worksheet", "worksheet", _sheet()),
        "xl/sheet2.xml": _part("worksheet", "worksheet", hidden),
        "xl/sharedStrings.xml": _part("sharedStrings", "sst", f"<si><t>{marker('body')}</t></si>"),
        "xl/drawings/drawing1.xml": (_DRAWING, f"<xdr:wsDr {NAMESPACES}>{_drawn()}</xdr:wsDr>"),
        "xl/drawings/comments1.vml": (_DRAWN_NOTES, _NOTE),
        "xl/comments1.xml": _part("comments", "comments", comments),
        **(more or {}),
    }
    return document(
        "xl/workbook.xml",
        parts,
        {
            "xl/workbook.xml": [
                ("worksheet", "sheet1.xml"),
                ("worksheet", "sheet2.xml"),
                ("sharedStrings", "sharedStrings.xml"),
                *related,
            ],
            "xl/sheet1.xml": _BESIDE,
            "xl/drawings/comments1.vml": [("image", "../media/image1.png")],
            "xl/drawings/drawing1.xml": _DRAWN,
        },
    )


def _part(kind: str, root: str, content: str) -> tuple[str, str]:
    """The content type of a part, and its content."""
    return f"{_KIND}.{kind}+xml", _rooted(root, content)


def _rooted(root: str, content: str) -> str:
    return f'<{root} xmlns="{TRANSITIONAL.of("spreadsheetml")}" {NAMESPACES}>{content}</{root}>'


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
    graph = _frame("chart", f'<c:chart r:id="{_DRAWN_ID["chart"]}"/>')
    plan = _frame("diagram", f'<dgm:relIds r:dm="{_DRAWN_ID["diagramData"]}"/>')
    described = picture(_DRAWN_ID["image"], marker("alternative text"), "xdr")
    return "".join(_anchored(content, 3 + 9 * n) for n, content in enumerate((box, graph, plan, described)))


def _frame(kind: str, content: str) -> str:
    return (
        '<xdr:graphicFrame><xdr:nvGraphicFramePr><xdr:cNvPr id="3" name="Frame"/><xdr:cNvGraphicFramePr/>'
        '</xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic>'
        f'<a:graphicData uri="{DRAWING}/{kind}">{content}</a:graphicData></a:graphic></xdr:graphicFrame>'
    )


_PLACES: Final = (
    "body, table cell, link, header, footer, author of a comment, text box, chart label, diagram, "
    "alternative text, sheet name, hidden sheet, cell comment, input prompt"
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
