"""Presentations, each place with its marker."""

from __future__ import annotations

from typing import Final

from tests.markers.drawn import (
    ATTACHED_NAME,
    CONVERTED,
    DRAWING,
    NAMESPACES,
    PLACED,
    Typed,
    document,
    identifiers,
    picture,
)
from tests.markers.places import Format, fates, marker
from tests.text.office_parts import words

_KIND: Final = "application/vnd.openxmlformats-officedocument.presentationml"
_FIRST: Final = (
    ("slideLayout", "../slideLayouts/slideLayout1.xml"),
    ("notesSlide", "../notesSlides/notesSlide1.xml"),
    ("comments", "../comments/comment1.xml"),
    ("chart", "../charts/chart1.xml"),
    ("diagramData", "../diagrams/data1.xml"),
    ("image", "../media/image1.png"),
    ("package", f"../embeddings/{ATTACHED_NAME}"),
    ("hyperlink", "https://example.org/"),
)
#: The identifier of each relation of the first slide, by its kind.
_ID: Final = identifiers(_FIRST)
_COLOURS: Final = 'bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" ' + " ".join(
    f'{name}="{name}"'
    for name in ("accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink", "folHlink")
)


def pptx() -> bytes:
    """Two slides, the second one hidden, that have everything."""
    parts: Typed = {
        "ppt/presentation.xml": _part(
            "presentation.main",
            "presentation",
            '<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="r3"/></p:sldMasterIdLst>'
            '<p:notesMasterIdLst><p:notesMasterId r:id="r5"/></p:notesMasterIdLst>'
            '<p:sldIdLst><p:sldId id="256" r:id="r1"/><p:sldId id="257" r:id="r2"/></p:sldIdLst>'
            '<p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>',
        ),
        "ppt/slides/slide1.xml": _part("slide", "sld", _tree(_first())),
        "ppt/slides/slide2.xml": _part("slide", "sld", _tree(_shape("hidden slide")), ' show="0"'),
        "ppt/slideMasters/slideMaster1.xml": _part(
            "slideMaster",
            "sldMaster",
            _tree(_shape("placeholder prompt", "title") + _shape("text on a master"))
            + f"<p:clrMap {_COLOURS}/>"
            '<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="r1"/></p:sldLayoutIdLst>',
        ),
        "ppt/slideLayouts/slideLayout1.xml": _part("slideLayout", "sldLayout", _tree("")),
        "ppt/notesMasters/notesMaster1.xml": _part(
            "notesMaster", "notesMaster", f"{_tree('')}<p:clrMap {_COLOURS}/>"
        ),
        "ppt/notesSlides/notesSlide1.xml": _part(
            "notesSlide", "notes", _tree(_shape("speaker note", "body", ' idx="1"'))
        ),
        "ppt/comments/comment1.xml": _part(
            "comments",
            "cmLst",
            '<p:cm authorId="0" dt="2021-03-04T10:00:00" idx="1"><p:pos x="10" y="10"/>'
            f"<p:text>{marker('comment')}</p:text></p:cm>",
        ),
        "ppt/commentAuthors.xml": _part(
            "commentAuthors",
            "cmAuthorLst",
            f'<p:cmAuthor id="0" name="{marker("author of a comment")}" initials="A" lastIdx="1" '
            'clrIdx="0"/>',
        ),
    }
    return document(
        "ppt/presentation.xml",
        parts,
        {
            "ppt/presentation.xml": [
                ("slide", "slides/slide1.xml"),
                ("slide", "slides/slide2.xml"),
                ("slideMaster", "slideMasters/slideMaster1.xml"),
                ("commentAuthors", "commentAuthors.xml"),
                ("notesMaster", "notesMasters/notesMaster1.xml"),
            ],
            "ppt/slides/slide1.xml": _FIRST,
            "ppt/slides/slide2.xml": [_FIRST[0]],
            "ppt/slideMasters/slideMaster1.xml": [("slideLayout", "../slideLayouts/slideLayout1.xml")],
            "ppt/slideLayouts/slideLayout1.xml": [("slideMaster", "../slideMasters/slideMaster1.xml")],
            "ppt/notesSlides/notesSlide1.xml": [
                ("notesMaster", "../notesMasters/notesMaster1.xml"),
                ("slide", "../slides/slide1.xml"),
            ],
        },
    )


def _part(kind: str, root: str, content: str, attributes: str = "") -> tuple[str, str]:
    """The content type of a part, and its content."""
    return f"{_KIND}.{kind}+xml", f"<p:{root} {NAMESPACES}{attributes}>{content}</p:{root}>"


def _tree(shapes: str) -> str:
    return (
        '<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>'
        f"<p:grpSpPr/>{shapes}</p:spTree></p:cSld>"
    )


def _shape(place: str, kind: str = "", attributes: str = "", content: str = "") -> str:
    """A shape with the marker of a place; `kind` is that of its placeholder."""
    holder = f'<p:ph type="{kind}"{attributes}/>' if kind else ""
    box = "" if kind else ' txBox="1"'
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="Shape"/><p:cNvSpPr{box}/><p:nvPr>{holder}</p:nvPr></p:nvSpPr>'
        f"<p:spPr>{PLACED}</p:spPr><p:txBody><a:bodyPr/>{content or words(marker(place))}</p:txBody></p:sp>"
    )


def _frame(kind: str, content: str) -> str:
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="Frame"/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm><a:off x="900000" y="2900000"/><a:ext cx="4000000" cy="2000000"/>'
        f'</p:xfrm><a:graphic><a:graphicData uri="{kind}">{content}</a:graphicData></a:graphic>'
        "</p:graphicFrame>"
    )


def _first() -> str:
    cells = "".join(
        f"<a:tc><a:txBody><a:bodyPr/>{words(text)}</a:txBody><a:tcPr/></a:tc>"
        for text in (marker("table cell"), "x")
    )
    grid = '<a:tblPr/><a:tblGrid><a:gridCol w="2000000"/><a:gridCol w="2000000"/></a:tblGrid>'
    click = f'<a:rPr><a:hlinkClick r:id="{_ID["hyperlink"]}"/></a:rPr>'
    link = f"<a:p><a:r>{click}<a:t>{marker('link')}</a:t></a:r></a:p>"
    listed = f'<a:p><a:pPr><a:buChar char="-"/></a:pPr><a:r><a:t>{marker("list")}</a:t></a:r></a:p>'
    formula = f"<a:p><m:oMath><m:r><m:t>{marker('equation')}</m:t></m:r></m:oMath></a:p>"
    return "".join(
        [
            _shape("slide title", "title"),
            _shape("body", "body", ' idx="1"'),
            _shape("list", content=listed),
            _shape("link", content=link),
            _shape("text box"),
            _shape("equation", content=formula),
            _shape("footer", "ftr", ' idx="11"'),
            _frame(f"{DRAWING}/table", f'<a:tbl>{grid}<a:tr h="400000">{cells}</a:tr></a:tbl>'),
            _frame(f"{DRAWING}/chart", f'<c:chart r:id="{_ID["chart"]}"/>'),
            _frame(f"{DRAWING}/diagram", f'<dgm:relIds r:dm="{_ID["diagramData"]}"/>'),
            picture(_ID["image"], marker("alternative text"), "p"),
            _frame(
                "http://schemas.openxmlformats.org/presentationml/2006/ole",
                f'<p:oleObj name="Document" r:id="{_ID["package"]}" progId="Word.Document.12" '
                f'imgW="900000" imgH="900000"><p:embed/>{picture(_ID["image"], "", "p")}</p:oleObj>',
            ),
        ]
    )


PPTX: Final = Format(
    pptx,
    fates(
        read="body, table cell, list, link, footer, comment, author of a comment, text box, equation, "
        "chart label, diagram, alternative text, slide title, hidden slide, text on a master, speaker note",
        beside="title property, author property, attachment name",
        documents="attached document",
        left_out="placeholder prompt",
    ),
)
PPT: Final = Format(
    pptx,
    fates(
        read="body, table cell, list, link, footer, comment, author of a comment, text box, chart label, "
        "slide title, hidden slide, text on a master, speaker note",
        beside="title property, author property",
        lost="attached document",
        unproven="equation, alternative text, placeholder prompt",
    ),
    why={"attached document": CONVERTED},
    made_by=("pptx", "MS PowerPoint 97"),
)
