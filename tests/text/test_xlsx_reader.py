from __future__ import annotations

import io
from datetime import date

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import ooxml, reading, sheetml
from tests.text.invented_documents import docx, paragraph
from tests.text.office_parts import (
    STRICT,
    TRANSITIONAL,
    Dialect,
    cell,
    chart,
    part,
    properties,
    rows,
    shape,
    workbook,
)

SHEET = TRANSITIONAL.of("spreadsheetml")
THREADS = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
LETTER = docx(paragraph("Dear Ada"))


def read(content: bytes, ext: str = "xlsx") -> reading.Text:
    return reading.read(io.BytesIO(content), ext)


def text(sheet: str, **options: object) -> str:
    """What is read of a workbook of one sheet, without the sheet's name."""
    found = read(workbook(sheet, **options)).text  # type: ignore[arg-type] # the options of workbook
    assert found.startswith("One\n\n")
    return found.removeprefix("One\n\n")


def refusal(content: bytes, ext: str = "xlsx") -> ErrorClass:
    with pytest.raises(ReadingError) as refused:
        read(content, ext)
    return refused.value.error_class


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ('<c t="s"><v>1</v></c>', "second"),
        ('<c t="s"><v>2</v></c>', "bold and not"),
        ('<c t="s"><v>3</v></c>', "漢字"),
        ('<c t="s"><v>99</v></c><c><v>1</v></c>', "\t1"),
        ("<c><v>42</v></c>", "42"),
        ('<c t="inlineStr"><is><r><t>in </t></r><r><t>line</t></r></is></c>', "in line"),
        ('<c t="inlineStr"><is><t>漢</t><rPh><t>かん</t></rPh></is></c>', "漢"),
        ('<c t="str"><f>A1</f><v>computed</v></c>', "computed"),
        ("<c><f>SUM(A1:A2)</f><v>3</v></c>", "3"),
        ("<c><f>SUM(A1:A2)</f></c>", "=SUM(A1:A2)"),
        ('<c t="str"><f>IF(A1,1,"")</f><v></v></c><c><v>1</v></c>', "\t1"),
        ('<c t="b"><v>1</v></c><c t="b"><v>0</v></c>', "TRUE\tFALSE"),
        ('<c t="e"><v>#DIV/0!</v></c>', "#DIV/0!"),
        ('<c s="1"><v>43831</v></c>', "2020-01-01"),
        ('<c s="2"><v>0.125</v></c>', "12.5%"),
        ('<c t="d"><v>2020-01-01T00:00:00</v></c><c t="d"><v>2020-01-01T10:30:00</v></c>',
         "2020-01-01\t2020-01-01 10:30:00"),
        (cell("two&#10;lines&#9;and a tab"), "two lines and a tab"),
        (cell("a_x000D_b_x0041_"), "a bA"),
    ],
)  # fmt: skip
def test_a_cell_is_read_as_it_is_shown(inside: str, expected: str) -> None:
    """Shared and own strings, rich ones once, days by their format, formulas by their result."""
    strings = (
        "<t>first</t>",
        "<t>second</t>",
        "<r><rPr><b/></rPr><t>bold</t></r><r><t> and not</t></r>",
        "<t>漢字</t><rPh><t>かんじ</t></rPh>",
    )
    mark = cell("begin")
    found = text(rows(mark, inside), strings=strings, formats=("m/d/yy", "0.0%"))
    assert found == f"begin\n{expected}"


def test_days_are_counted_from_1904_where_the_workbook_says_so() -> None:
    """The same number is four years later."""
    sheet = rows('<c s="1"><v>42369</v></c>')
    assert text(sheet, formats=("d.m.yyyy",), properties='date1904="1"') == "2020-01-01"


def test_rows_and_columns_keep_their_places() -> None:
    """Empty cells between two are kept, empty rows are one empty line, and far cells cost nothing."""
    sheet = (
        '<dimension ref="B2:D9"/><sheetData><row r="2">' + cell("b2", "B2") + cell("d2", "D2") + "</row>"
        '<row r="3"><c r="B3"/>' + cell("c3", "C3") + '</row><row r="900000">' + cell("b9", "B900000")
        + cell("far", "XFD900000") + "</row></sheetData>"
    )  # fmt: skip
    assert text(sheet) == "b2\t\td2\n\tc3\n\nb9" + "\t" * 20 + "far"


def test_every_sheet_is_a_page() -> None:
    """Hidden and very hidden ones too, in their order; of a sheet of code of 1992 only the name is read."""
    content = workbook(
        rows(cell("a")), rows(cell("b")), "<sheetData/>", rows(cell("c")), states=("", "hidden", "veryHidden")
    )
    assert read(content).text.split("\f") == ["One\n\na", "Two\n\nb", "Three", "Four\n\nc"]
    code = workbook(rows(cell("a")), rows(cell("=HALT()")), kinds=("worksheet", "xlMacrosheet"))
    assert read(code).text == "One\n\na\fTwo"


def test_a_workbook_without_anything_in_it_is_blank() -> None:
    """The names of three empty sheets are no text, and a picture alone is a document without text."""
    assert read(workbook("<sheetData/>", "<sheetData/>")).blank
    drawing = part("xdr:wsDr", "<xdr:pic><xdr:nvPicPr><xdr:cNvPr name='Picture 1'/></xdr:nvPicPr></xdr:pic>")
    pictured = workbook(
        "<sheetData/>",
        parts={"xl/drawing1.xml": drawing},
        relations={"xl/sheet1.xml": [("drawing", "drawing1.xml")]},
    )
    assert refusal(pictured) is ErrorClass.NO_TEXT
    assert refusal(workbook()) is ErrorClass.CORRUPT


def test_what_stands_around_the_cells_is_read() -> None:
    """Headers, boxes, charts, alternative texts, controls, prompts and footers: each once, in this order."""
    drawing = part(
        "xdr:wsDr",
        shape("boxed", prefix="xdr")
        + "<xdr:pic><xdr:nvPicPr><xdr:cNvPr descr='a harbour at dawn'/></xdr:nvPicPr></xdr:pic>"
        "<xdr:graphicFrame><c:chart r:id='r1'/></xdr:graphicFrame>",
    )
    controls = (
        '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel">'
        "<v:shape><v:textbox><div><font>Press me</font></div></v:textbox><x:ClientData ObjectType='Button'/>"
        "</v:shape><v:shape><v:textbox><div>boxed</div></v:textbox><x:ClientData ObjectType='Rect'/>"
        "</v:shape>"
        "<v:shape><v:textbox><div>of a note</div></v:textbox><x:ClientData ObjectType='Note'/></v:shape>"
        "<br></xml>"
    )
    sheet = (
        rows(cell("Height"))
        + '<dataValidations><dataValidation promptTitle="Metres" prompt="above the sea"/></dataValidations>'
        '<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Secret&amp;CHarbour &amp;&amp; sea&amp;R'
        "&amp;P</oddHeader><oddFooter>&amp;K00FF00Page &amp;P of &amp;N</oddFooter></headerFooter>"
    )
    found = text(
        sheet,
        parts={"xl/drawing1.xml": drawing, "xl/controls.vml": controls, "xl/chart1.xml": chart()},
        relations={
            "xl/sheet1.xml": [("drawing", "drawing1.xml"), ("vmlDrawing", "controls.vml")],
            "xl/drawing1.xml": [("chart", "chart1.xml")],
        },
    )
    assert found.split("\n\n") == [
        "Secret\tHarbour & sea", "Height", "boxed", "a harbour at dawn", "Tides\nDepth", "Press me",
        "Metres: above the sea", "Page of",
    ]  # fmt: skip


def test_comments_have_their_author() -> None:
    """Notes and threads; the note that stands in for a thread is left out."""
    notes = (
        f'<comments xmlns="{SHEET}"><authors><author>Jon Doe</author><author>tc={{1}}</author>'
        "<author> </author></authors>"
        '<commentList><comment ref="A1" authorId="0"><text><r><t>Jon Doe:</t></r><r><t>\ncheck</t></r></text>'
        '</comment><comment ref="A2" authorId="0"><text><t>again</t></text></comment>'
        '<comment ref="A3" authorId="1"><text><t>[Threaded comment] why</t></text></comment>'
        '<comment ref="A4" authorId="2"><text><t>by nobody</t></text></comment></commentList>'
        "</comments>"
    )
    threads = (
        f'<ThreadedComments xmlns="{THREADS}"><threadedComment ref="A3" personId="p"><text>why</text>'
        '</threadedComment><threadedComment ref="A3" personId="q"><text>because</text></threadedComment>'
        "</ThreadedComments>"
    )
    persons = f'<personList xmlns="{THREADS}"><person displayName="Mara Lindqvist" id="p"/></personList>'
    parts: dict[str, str | bytes] = {
        "xl/comments1.xml": notes,
        "xl/threads.xml": threads,
        "xl/persons.xml": persons,
    }
    found = text(
        rows(cell("a")),
        parts=parts,
        relations={
            "xl/workbook.xml": [("person", "persons.xml")],
            "xl/sheet1.xml": [("comments", "comments1.xml"), ("threadedComment", "threads.xml")],
        },
    )
    assert found == "a\n\nJon Doe:\ncheck\n\nJon Doe: again\n\nby nobody\n\nMara Lindqvist: why\n\nbecause"


@pytest.mark.parametrize("dialect", [TRANSITIONAL, STRICT])
@pytest.mark.parametrize("ext", ["xlsx", "xlsm"])
def test_both_dialects_are_read(dialect: Dialect, ext: str) -> None:
    """The ISO namespaces are the same workbook, with macros or without."""
    content = workbook(rows('<c t="s"><v>0</v></c>'), strings=("<t>Dear Ada</t>",), dialect=dialect)
    assert read(content, ext).text == "One\n\nDear Ada"


def test_strings_and_cells_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither more strings than memory has room for, nor a cell longer than any."""
    monkeypatch.setattr(sheetml, "_MOST_STRINGS", 3)
    monkeypatch.setattr(sheetml, "_LONGEST_CELL", 10)
    assert text(rows(cell("ten" * 3)), strings=("<t>x</t>",) * 3) == "ten" * 3
    assert refusal(workbook(rows(cell("a")), strings=("<t>x</t>",) * 4)) is ErrorClass.TOO_LARGE
    assert refusal(workbook(rows(cell("x" * 11)))) is ErrorClass.TOO_LARGE
    assert refusal(workbook(rows(f"<c><f>{'x' * 6}</f><v>{'y' * 6}</v></c>"))) is ErrorClass.TOO_LARGE


def test_title_author_and_days_come_from_the_properties() -> None:
    """The part that the container names as its properties says them."""
    content = workbook(
        rows(cell("a")),
        parts={"docProps/core.xml": properties()},
        relations={"": [("core-properties", "docProps/core.xml")]},
    )
    found = read(content).metadata
    assert (found.title, found.author) == ("The harbour", "Mara Lindqvist")
    assert (found.created, found.modified) == (date(2019, 2, 28), date(2020, 3, 1))


def test_embedded_documents_are_parts() -> None:
    """What was put on a sheet as an object can be taken out again; the workbook of a chart is not shown."""
    content = workbook(
        rows(cell("a")),
        parts={
            "xl/embeddings/Letter.docx": LETTER,
            "xl/embeddings/Behind.xlsx": workbook(rows(cell("b"))),
            "xl/embeddings/oleObject1.bin": b"\xd0\xcf\x11\xe0",
            "xl/charts/chart1.xml": chart(),
        },
        relations={
            "xl/sheet1.xml": [
                ("package", "embeddings/Letter.docx"),
                ("oleObject", "embeddings/oleObject1.bin"),
                ("package", "embeddings/missing.docx"),
                ("package", "https://example.org/Other.docx"),
            ],
            "xl/charts/chart1.xml": [("package", "../embeddings/Behind.xlsx")],
        },
        types={"xl/charts/chart1.xml": "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"},
    )
    [found] = read(content).parts
    assert (found.path, found.name, found.ext, found.size) == ("1", "Letter.docx", "docx", len(LETTER))
    assert ooxml.part(io.BytesIO(content), "1") == LETTER
    for path in ("0", "2", "-1", "x", "../1"):
        with pytest.raises(ReadingError):
            ooxml.part(io.BytesIO(content), path)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml", "One\n\na"),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml", "One\n\na"),
        ("application/vnd.ms-excel.sheet.macroEnabled.main+xml", "One\n\na"),
        ("application/vnd.ms-excel.sheet.binary.macroEnabled.main", ErrorClass.UNSUPPORTED),
    ],
)
def test_the_content_type_decides(kind: str, expected: str) -> None:
    """Templates and workbooks with macros are read; a binary workbook under the same name is not."""
    content = workbook(rows(cell("a")), types={"xl/workbook.xml": kind})
    try:
        found: str = read(content).text
    except ReadingError as error:
        found = error.error_class
    assert found == expected
