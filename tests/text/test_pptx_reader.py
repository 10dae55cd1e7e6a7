from __future__ import annotations

import io
from datetime import date

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import ooxml, reading
from tests.text.invented_documents import docx, paragraph
from tests.text.office_parts import (
    STRICT,
    TRANSITIONAL,
    Dialect,
    chart,
    diagram,
    part,
    presentation,
    properties,
    shape,
    words,
)

MODERN = "http://schemas.microsoft.com/office/powerpoint/2018/8/main"
SLIDE = "ppt/slides/slide1.xml"
LETTER = docx(paragraph("Dear Ada"))


def read(content: bytes) -> reading.Text:
    return reading.read(io.BytesIO(content), "pptx")


def text(slide: str, **options: object) -> str:
    return read(presentation(slide, **options)).text  # type: ignore[arg-type] # the options of presentation


def refusal(content: bytes) -> ErrorClass:
    with pytest.raises(ReadingError) as refused:
        read(content)
    return refused.value.error_class


def table(*rows: tuple[str, ...]) -> str:
    inside = "".join(
        "<a:tr>" + "".join(f"<a:tc><a:txBody>{words(*one.split('|'))}</a:txBody></a:tc>" for one in cells)
        + "</a:tr>"
        for cells in rows
    )  # fmt: skip
    return f"<p:graphicFrame><a:graphic><a:tbl>{inside}</a:tbl></a:graphic></p:graphicFrame>"


@pytest.mark.parametrize(
    ("slide", "expected"),
    [
        (shape("first", "second"), "first\nsecond"),
        (shape("body") + shape("Title", place="title"), "Title\n\nbody"),
        (f"<p:grpSp><p:grpSp>{shape('deep')}</p:grpSp>{shape('less')}</p:grpSp>", "deep\n\nless"),
        (shape("", place="body"), ""),
        (shape("Footer words", place="ftr"), "Footer words"),
        ("<p:sp><a:p><a:fld type='slidenum'><a:t>7</a:t></a:fld><a:r><a:t>x</a:t></a:r></a:p></p:sp>", "x"),
        ("<p:sp><a:p><a:r><a:t>a</a:t></a:r><a:br/><a:fld><a:t>b</a:t></a:fld></a:p></p:sp>", "a\nb"),
        ("<p:sp><a:p><a:r><a:t>is </a:t></a:r><m:oMath><m:t>x=2</m:t></m:oMath></a:p></p:sp>", "is x=2"),
        (shape("text", described="what it shows"), "text\nwhat it shows"),
        (shape("text", described="text"), "text"),
        (table(("a|b", "", "c"), ("d",)), "a b\t\tc\nd"),
    ],
)
def test_a_slide_is_read_in_its_order(slide: str, expected: str) -> None:
    """The title, then shapes, groups, tables and what stands in for pictures; no number of the slide."""
    assert text(slide) == expected


def test_what_a_program_wrote_of_the_clock_is_no_text_of_the_slide() -> None:
    """A field of the day says when the document was converted, and only there."""
    day = "<a:fld type='datetime1'><a:t>30/11/26</a:t></a:fld>"
    slide = f"<p:sp><a:p>{day}<a:r><a:t>seen</a:t></a:r></a:p></p:sp>"
    content = presentation(slide)
    assert read(content).text == "30/11/26seen"
    assert reading.read(io.BytesIO(content), "pptx", is_converted=True).text == "seen"


def test_slides_are_pages_in_the_order_of_the_show() -> None:
    """Not that of their names; a slide that is shown twice is one page, and one in no show is none."""
    content = presentation(shape("a"), shape("b"), shape("c"), order=(3, 1, 3))
    assert read(content).text == "c\fa"


def test_an_alternative_is_read_once() -> None:
    """What a program is told that cannot show a thing is not what is shown."""
    apology = f"<mc:Fallback>{shape('This chart is not available.')}</mc:Fallback>"
    for choice, expected in ((shape("new"), "new"), ("", "This chart is not available.")):
        inside = f"<mc:Choice Requires='x'>{choice}</mc:Choice>{apology}"
        assert text(f"<mc:AlternateContent>{inside}</mc:AlternateContent>") == expected


@pytest.mark.parametrize("dialect", [TRANSITIONAL, STRICT])
def test_charts_diagrams_and_notes_are_read(dialect: Dialect) -> None:
    """Titles and labels once, the boxes in a chart, the points of a diagram, what the speaker says."""
    slide = (
        shape("shown")
        + "<p:graphicFrame><c:chart r:id='r1'/></p:graphicFrame>"
        + "<p:graphicFrame><dgm:relIds r:dm='r2'/></p:graphicFrame><p:pic/>"
        + "<p:graphicFrame><c:chart r:id='r1'/></p:graphicFrame>"
    )
    notes = part("p:notes", f"{shape('say this', place='body')}", dialect)
    drawing = part("c:userShapes", shape("drawn in it"), dialect)
    parts: dict[str, str | bytes] = {
        "ppt/charts/chart1.xml": chart(dialect),
        "ppt/drawing1.xml": drawing,
        "ppt/diagrams/data1.xml": diagram("plan", "build", dialect=dialect),
        "ppt/notes1.xml": notes,
    }
    found = text(
        slide,
        parts=parts,
        relations={
            SLIDE: [
                ("chart", "../charts/chart1.xml"),
                ("diagramData", "../diagrams/data1.xml"),
                ("notesSlide", "../notes1.xml"),
            ],
            "ppt/charts/chart1.xml": [("chartUserShapes", "../drawing1.xml")],
        },
        dialect=dialect,
    )
    assert found.split("\n\n") == [
        "shown",
        "Tides\nHeight\nHarbour\nDepth\n2020-01-01\ndrawn in it",
        "plan\nbuild",
        "say this",
    ]


def test_comments_of_both_kinds_have_their_author() -> None:
    """Answers stand after what they answer, wherever the file has them."""
    old = part(
        "p:cmLst",
        "<p:cm authorId='0'><p:text>check</p:text></p:cm><p:cm authorId='9'><p:text>x</p:text></p:cm>",
    )
    new = (
        f'<q:cmLst xmlns:q="{MODERN}" xmlns:a="{TRANSITIONAL.of("drawingml")}"><q:cm authorId="m">'
        f'<q:replyLst><q:reply authorId="j"><q:txBody>{words("because")}</q:txBody></q:reply></q:replyLst>'
        f"<q:txBody>{words('why', 'though')}</q:txBody></q:cm></q:cmLst>"
    )
    people = (
        f'<q:authorLst xmlns:q="{MODERN}"><q:author id="m" name="Mara"/><q:author id="j" name="Jon"/>'
        "</q:authorLst>"
    )
    authors = part("p:cmAuthorLst", "<p:cmAuthor id='0' name='Ada'/>")
    parts: dict[str, str | bytes] = {
        "ppt/old.xml": old,
        "ppt/new.xml": new,
        "ppt/people.xml": people,
        "ppt/authors.xml": authors,
    }
    found = text(
        shape("shown"),
        parts=parts,
        relations={
            "ppt/presentation.xml": [("commentAuthors", "authors.xml"), ("authors", "people.xml")],
            SLIDE: [("comments", "../old.xml"), ("comments", "../new.xml")],
        },
    )
    assert found == "shown\n\nAda: check\n\nx\n\nMara: why\nthough\n\nJon: because"


def test_layouts_and_masters_are_read_once_and_without_their_places() -> None:
    """What stands on every slide stands with the first; the prompts of empty places are no text."""
    prompt = shape("Click to add text", place="body")
    picture = "<p:pic/>"
    parts: dict[str, str | bytes] = {
        "ppt/layout1.xml": part("p:sldLayout", prompt + shape("Draft")),
        "ppt/layout2.xml": part("p:sldLayout", prompt),
        "ppt/master1.xml": part(
            "p:sldMaster", shape("Click", place="title") + shape("Harbour Ltd") + picture
        ),
    }
    relations = {
        f"ppt/slides/slide{number}.xml": [("slideLayout", f"../layout{layout}.xml")]
        for number, layout in ((1, 1), (2, 2), (3, 1))
    } | {f"ppt/layout{number}.xml": [("slideMaster", "master1.xml")] for number in (1, 2)}
    found = read(presentation(*(shape(f"slide {n}") for n in (1, 2, 3)), parts=parts, relations=relations))
    assert found.text.split("\f") == ["slide 1\n\nDraft\n\nHarbour Ltd", "slide 2", "slide 3"]
    parts["ppt/master1.xml"] = part("p:sldMaster", picture)
    parts["ppt/layout1.xml"] = part("p:sldLayout", prompt)
    assert read(presentation(shape(""), parts=parts, relations=relations)).blank


def test_emptiness_is_blank_and_a_picture_is_no_text() -> None:
    """Nothing on a slide is an empty document; a picture is one without text."""
    assert read(presentation(shape(""))).blank
    assert refusal(presentation("<p:pic/>")) is ErrorClass.NO_TEXT
    assert (
        refusal(presentation("<p:graphicFrame><c:chart r:id='r1'/></p:graphicFrame>")) is ErrorClass.NO_TEXT
    )
    assert refusal(presentation(shape("lost"), order=(2,))) is ErrorClass.CORRUPT


def test_properties_and_embedded_documents_are_taken() -> None:
    """Title, author, days, and what was put on a slide as an object."""
    content = presentation(
        shape("shown"),
        parts={"docProps/core.xml": properties(), "ppt/embeddings/Letter.docx": LETTER},
        relations={
            "": [("core-properties", "docProps/core.xml")],
            SLIDE: [("package", "../embeddings/Letter.docx")],
        },
    )
    found = read(content)
    assert (found.metadata.title, found.metadata.author) == ("The harbour", "Mara Lindqvist")
    assert (found.document_date, found.metadata.modified) == (date(2019, 2, 28), date(2020, 3, 1))
    assert [one.name for one in found.parts] == ["Letter.docx"]
    assert ooxml.part(io.BytesIO(content), found.parts[0].path) == LETTER
