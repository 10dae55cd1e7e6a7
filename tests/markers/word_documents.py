"""Word documents, each place with its marker."""

from __future__ import annotations

from typing import Final

from tests.markers.drawn import (
    ATTACHED_NAME,
    CONVERTED,
    DRAWING,
    NAMESPACES,
    PLACED,
    document,
    identifiers,
    picture,
)
from tests.markers.places import Format, fates, marker
from tests.text.invented_documents import WORD

_KIND: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_BY: Final = 'w:author="Ada" w:date="2021-03-04T10:00:00Z"'
_RELATED: Final = (
    *((part, f"{part}.xml") for part in ("header", "footer", "footnotes", "endnotes", "comments")),
    ("chart", "charts/chart1.xml"),
    ("diagramData", "diagrams/data1.xml"),
    ("image", "media/image1.png"),
    ("package", f"embeddings/{ATTACHED_NAME}"),
)
#: The identifier of each relation, by its kind.
_ID: Final = identifiers(_RELATED)


def docx() -> bytes:
    """A letter that has everything."""
    return document(
        "word/document.xml",
        {
            "word/document.xml": _part("document.main", "document", f"<w:body>{_body()}</w:body>"),
            "word/header.xml": _part("header", "hdr", _paragraph(_marked("header"))),
            "word/footer.xml": _part("footer", "ftr", _paragraph(_marked("footer"))),
            "word/footnotes.xml": _part("footnotes", "footnotes", _notes("footnote")),
            "word/endnotes.xml": _part("endnotes", "endnotes", _notes("endnote")),
            "word/comments.xml": _part(
                "comments",
                "comments",
                f'<w:comment w:id="1" w:author="{marker("author of a comment")}" w:initials="A">'
                f"{_paragraph(_marked('comment'))}</w:comment>",
            ),
        },
        {"word/document.xml": _RELATED},
    )


def _part(kind: str, root: str, content: str) -> tuple[str, str]:
    """The content type of a part, and its content."""
    return f"{_KIND}.{kind}+xml", f'<w:{root} xmlns:w="{WORD}" {NAMESPACES}>{content}</w:{root}>'


def _paragraph(*runs: str) -> str:
    return f"<w:p>{''.join(runs)}</w:p>"


def _run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def _marked(place: str, properties: str = "") -> str:
    """A run with the marker of a place."""
    held = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f"<w:r>{held}<w:t>{marker(place)}</w:t></w:r>"


def _notes(kind: str) -> str:
    """The notes of a kind; Word's own first two are the lines above them."""
    lines = "".join(
        f'<w:{kind} w:type="{name}" w:id="{number}"><w:p><w:r><w:{name}/></w:r></w:p></w:{kind}>'
        for number, name in ((-1, "separator"), (0, "continuationSeparator"))
    )
    return f'{lines}<w:{kind} w:id="1">{_paragraph(_marked(kind))}</w:{kind}>'


def _table(cell: str) -> str:
    return (
        '<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="dxa"/></w:tblPr><w:tblGrid><w:gridCol w:w="2500"/>'
        '<w:gridCol w:w="2500"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:tcW w:w="2500" w:type="dxa"/></w:tcPr>'
        f'{cell}</w:tc><w:tc><w:tcPr><w:tcW w:w="2500" w:type="dxa"/></w:tcPr>{_paragraph(_run("x"))}</w:tc>'
        "</w:tr></w:tbl>"
    )


def _inline(graphic: str, number: int, described: str = "") -> str:
    """A run with something drawn in the line."""
    said = f' descr="{described}"' if described else ""
    return (
        f'<w:r><w:drawing><wp:inline><wp:extent cx="2000000" cy="900000"/><wp:docPr id="{number}" '
        f'name="Drawn {number}"{said}/><a:graphic>{graphic}</a:graphic></wp:inline></w:drawing></w:r>'
    )


def _beside(graphic: str, number: int, described: str) -> str:
    """A run with something drawn that the text runs around."""
    return (
        '<w:r><w:drawing><wp:anchor distT="0" distB="0" distL="0" distR="0" simplePos="0" relativeHeight="2" '
        'behindDoc="0" locked="0" layoutInCell="1" allowOverlap="1"><wp:simplePos x="0" y="0"/>'
        '<wp:positionH relativeFrom="column"><wp:posOffset>0</wp:posOffset></wp:positionH>'
        '<wp:positionV relativeFrom="paragraph"><wp:posOffset>0</wp:posOffset></wp:positionV>'
        f'<wp:extent cx="2000000" cy="900000"/><wp:wrapSquare wrapText="bothSides"/><wp:docPr id="{number}" '
        f'name="Drawn {number}" descr="{described}"/><wp:cNvGraphicFramePr/><a:graphic>{graphic}</a:graphic>'
        "</wp:anchor></w:drawing></w:r>"
    )


def _data(kind: str, content: str) -> str:
    return f'<a:graphicData uri="{DRAWING}/{kind}">{content}</a:graphicData>'


def _box() -> str:
    """A text box as Word writes it: in the markup of today, and once more in that of Word 2007."""
    content = f"<w:txbxContent>{_paragraph(_marked('text box'))}</w:txbxContent>"
    return (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline>'
        '<wp:extent cx="2000000" cy="900000"/><wp:docPr id="3" name="Box"/><a:graphic><a:graphicData '
        'uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp>'
        f'<wps:cNvSpPr txBox="1"/><wps:spPr>{PLACED}</wps:spPr><wps:txbx>{content}</wps:txbx><wps:bodyPr/>'
        "</wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict>"
        f'<v:rect style="width:150pt;height:60pt"><v:textbox>{content}</v:textbox></v:rect></w:pict>'
        "</mc:Fallback></mc:AlternateContent></w:r>"
    )


def _field(instruction: str, result: str, data: str = "") -> str:
    marks = [f'<w:r><w:fldChar w:fldCharType="{kind}">{held}</w:fldChar></w:r>' for kind, held in (
        ("begin", data), ("separate", ""), ("end", ""),
    )]  # fmt: skip
    return f"{marks[0]}<w:r><w:instrText>{instruction}</w:instrText></w:r>{marks[1]}{result}{marks[2]}"


def _body() -> str:
    form = '<w:ffData><w:name w:val="Field"/><w:enabled/><w:textInput/></w:ffData>'
    moved = f'<w:moveToRangeStart w:id="21" w:name="m" {_BY}/>'
    away = f'<w:moveFromRangeStart w:id="22" w:name="m" {_BY}/>'
    return "".join(
        [
            _paragraph(_marked("body")),
            _table(_paragraph(_marked("table cell"))),
            _table(_table(_paragraph(_marked("nested table"))) + "<w:p/>"),
            _paragraph(
                '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>', _marked("list")
            ),
            _paragraph(f'<w:hyperlink w:anchor="there">{_marked("link")}</w:hyperlink>'),
            _paragraph(_run("a"), '<w:r><w:footnoteReference w:id="1"/></w:r>'),
            _paragraph(_run("b"), '<w:r><w:endnoteReference w:id="1"/></w:r>'),
            _paragraph(
                '<w:commentRangeStart w:id="1"/>',
                _run("c"),
                '<w:commentRangeEnd w:id="1"/><w:r><w:commentReference w:id="1"/></w:r>',
            ),
            _paragraph(_box()),
            f"<w:sdt><w:sdtPr/><w:sdtContent>{_paragraph(_marked('content control'))}</w:sdtContent></w:sdt>",
            _paragraph(_field("FORMTEXT", _marked("form field"), form)),
            _paragraph(f'<w:ins w:id="11" {_BY}>{_marked("tracked insertion")}</w:ins>'),
            _paragraph(
                _run("d"),
                f'<w:del w:id="12" {_BY}><w:r><w:delText>{marker("tracked deletion")}'
                "</w:delText></w:r></w:del>",
            ),
            _paragraph(
                f'{moved}<w:moveTo w:id="13" {_BY}>{_marked("moved text")}</w:moveTo>'
                '<w:moveToRangeEnd w:id="21"/>'
            ),
            _paragraph(
                _run("e"),
                f'{away}<w:moveFrom w:id="14" {_BY}>{_marked("moved away")}</w:moveFrom>'
                '<w:moveFromRangeEnd w:id="22"/>',
            ),
            _paragraph(_run("f "), _marked("hidden text", "<w:vanish/>")),
            _paragraph(f"<m:oMath><m:r><m:t>{marker('equation')}</m:t></m:r></m:oMath>"),
            _paragraph(_inline(_data("chart", f'<c:chart r:id="{_ID["chart"]}"/>'), 4)),
            _paragraph(_inline(_data("diagram", f'<dgm:relIds r:dm="{_ID["diagramData"]}"/>'), 5)),
            _paragraph(
                _beside(
                    _data("picture", picture(_ID["image"], marker("alternative text"))),
                    6,
                    marker("alternative text"),
                )
            ),
            _paragraph(_field(f"DOCVARIABLE {marker('field instruction')}", _run("g"))),
            _paragraph(
                '<w:r><w:object><v:shape id="o" style="width:50pt;height:50pt">'
                f'<v:imagedata r:id="{_ID["image"]}"/></v:shape><o:OLEObject Type="Embed" '
                f'ProgID="Word.Document.12" ShapeID="o" DrawAspect="Icon" ObjectID="_1" '
                f'r:id="{_ID["package"]}"/></w:object></w:r>'
            ),
            (
                f'<w:sectPr><w:headerReference w:type="default" r:id="{_ID["header"]}"/>'
                f'<w:footerReference w:type="default" r:id="{_ID["footer"]}"/></w:sectPr>'
            ),
        ]
    )


DOCX: Final = Format(
    docx,
    fates(
        read="body, table cell, nested table, list, link, header, footer, footnote, endnote, comment, "
        "author of a comment, text box, content control, form field, tracked insertion, moved text, "
        "hidden text, equation, chart label, diagram, alternative text",
        beside="title property, author property, attachment name",
        documents="attached document",
        left_out="tracked deletion, moved away, field instruction",
    ),
)
DOC: Final = Format(
    docx,
    fates(
        read="body, table cell, nested table, list, link, header, footer, footnote, endnote, comment, "
        "author of a comment, text box, content control, form field, tracked insertion, moved text, "
        "hidden text, chart label",
        beside="title property, author property",
        left_out="tracked deletion, moved away, field instruction",
        lost="attached document",
        unproven="equation, alternative text",
    ),
    why={"attached document": CONVERTED},
    made_by=("docx", "MS Word 97"),
)
