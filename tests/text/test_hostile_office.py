"""Office files made to hurt: each ends in text or in an error with a name, within 4 seconds and 512 MB."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from collections.abc import Callable

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.pages import MAX_TEXT
from mnemo_assets.text.reading import Text
from mnemo_assets.text.xml_parts import Parts, elements
from tests.text.invented_documents import docx, paragraph
from tests.text.office_parts import (
    TRANSITIONAL,
    Relations,
    cell,
    chart,
    package,
    part,
    presentation,
    rows,
    shape,
    workbook,
)

Read = Callable[[bytes, str], Text]

TIMEOUT, MEMORY, LARGE, CORRUPT = (
    ErrorClass.TIMED_OUT,
    ErrorClass.READER_MEMORY,
    ErrorClass.TOO_LARGE,
    ErrorClass.CORRUPT,
)
ENDED = {TIMEOUT, MEMORY, LARGE}
LAUGHS = "".join(f'<!ENTITY l{n} "&l{n - 1};&l{n - 1};">' for n in range(1, 40))
PROLOG = f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]>'
AROUND = f'xmlns="{TRANSITIONAL.of("spreadsheetml")}" {TRANSITIONAL.declared()}'


def outcome(read: Read, content: bytes, ext: str = "xlsx") -> str:
    """The text, or the class of the error."""
    try:
        return read(content, ext).text
    except ReadingError as error:
        return error.error_class


def test_a_far_cell(read: Read) -> None:
    """The last cell that a sheet can have asks for no memory: neither for its row nor for its column."""
    far = f'<sheetData><row r="1048576">{cell("far", "XFD1048576")}</row></sheetData>'
    assert outcome(read, workbook(far)) == "One\n\n" + "\t" * 20 + "far"


def test_a_cell_beyond_the_sheet(read: Read) -> None:
    """Places that no sheet has are no places."""
    wrong = (
        f'<row r="{"9" * 400}">{cell("a", "A" * 100_000 + "1")}{cell("b", "ZZZ999999999999")}'
        f'{cell("c", "é1")}<c t="s"><v>{"9" * 5000}</v></c><c s="-1"><v>5</v></c></row>'
    )
    assert outcome(read, workbook(f"<sheetData>{wrong}</sheetData>")).split() == ["One", "a", "b", "c", "5"]


def test_a_sparse_sheet(read: Read) -> None:
    """A cell in the first column and one in the last, in each of 20,000 rows."""
    sparse = "".join(
        f'<row r="{n}">{cell("a", f"A{n}")}{cell("z", f"XFD{n}")}</row>' for n in range(50, 1_000_001, 50)
    )
    assert outcome(read, workbook(f"<sheetData>{sparse}</sheetData>")).count("z") == 20_000


def test_a_million_empty_rows(read: Read) -> None:
    """Rows without cells are no lines."""
    empty = "<row/>" * 1_000_000
    assert (
        outcome(read, workbook(f"<sheetData>{empty}<row>{cell('last')}</row></sheetData>")) == "One\n\nlast"
    )


def test_a_sheet_bomb(read: Read) -> None:
    """A kilobyte that unpacks to more text, or more markup, than a document may have."""
    assert outcome(read, workbook(rows("<c><v>1</v></c>" * 6_000_000))) in ENDED
    assert outcome(read, workbook(rows(cell("bomb " * (MAX_TEXT // 5 + 1))))) == LARGE


def test_a_string_bomb(read: Read) -> None:
    """One long string, shown by each of 100,000 cells."""
    shown = workbook(rows('<c t="s"><v>0</v></c>' * 100_000), strings=(f"<t>{'x' * 32_000}</t>",))
    assert outcome(read, shown) == LARGE


def test_a_bomb_of_repeated_parts(read: Read) -> None:
    """A sheet, and a slide, that is named 50,000 times is read once; a chart the same."""
    sheets = "".join('<sheet name="x" r:id="r1"/>' for _ in range(50_000))
    content = package(
        {
            "xl/workbook.xml": f"<workbook {AROUND}><sheets>{sheets}</sheets></workbook>",
            "xl/sheet1.xml": f"<worksheet {AROUND}>{rows(cell('y' * 10_000))}</worksheet>",
        },
        {"": [("officeDocument", "xl/workbook.xml")], "xl/workbook.xml": [("worksheet", "sheet1.xml")]},
    )
    assert outcome(read, content).count("y") == 10_000
    charts = "<p:graphicFrame><c:chart r:id='r1'/></p:graphicFrame>" * 50_000
    slides = presentation(
        charts,
        order=(1,) * 50_000,
        parts={"ppt/chart1.xml": chart()},
        relations={"ppt/slides/slide1.xml": [("chart", "../chart1.xml")]},
    )
    assert outcome(read, slides, "pptx").count("Tides") == 1


def test_relations_that_loop(read: Read) -> None:
    """A chart drawn in itself, a slide that is its own notes, a workbook that is its own sheet."""
    loop: Relations = {"ppt/slides/slide1.xml": [("chart", "../chart1.xml"), ("notesSlide", "slide1.xml")]}
    loop["ppt/chart1.xml"] = [("chartUserShapes", "chart1.xml"), ("chart", "chart1.xml")]
    slide = shape("once") + "<p:graphicFrame><c:chart r:id='r1'/></p:graphicFrame>"
    found = outcome(read, presentation(slide, parts={"ppt/chart1.xml": chart()}, relations=loop), "pptx")
    assert found.split() == ["once", "Tides", "Height", "Harbour", "Depth", "2020-01-01", "once"]
    book = workbook(rows(cell("a")), relations={"xl/sheet1.xml": [("drawing", "sheet1.xml")]})
    assert outcome(read, book) == "One\n\na"


@pytest.mark.parametrize("ext", ["docx", "xlsx", "pptx"])
def test_nothing_outside_of_the_container_is_opened(read: Read, ext: str) -> None:
    """Targets on the network, on the disk and above the container lead nowhere; names of parts neither."""
    outside = [
        (kind, target)
        for kind in ("chart", "header", "aFChunk", "drawing", "comments", "notesSlide", "package")
        for target in ("https://example.org/x.docx", "file:///etc/passwd", "../../../../etc/passwd")
    ]
    parts: dict[str, str | bytes] = {"../../etc/passwd": "root", "/absolute/x.docx": "x"}
    content = {
        "docx": package(
            {"word/document.xml": part_of_word('<w:altChunk r:id="r9"/>' + paragraph("safe")), **parts},
            {"": [("officeDocument", "word/document.xml")], "word/document.xml": outside},
        ),
        "xlsx": workbook(rows(cell("safe")), parts=parts, relations={"xl/sheet1.xml": outside}),
        "pptx": presentation(shape("safe"), parts=parts, relations={"ppt/slides/slide1.xml": outside}),
    }[ext]
    found = read(content, ext)
    assert found.text.split()[-1] == "safe"
    assert found.parts == ()


def part_of_word(body: str) -> str:
    """The part that is a Word document."""
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return f'<w:document xmlns:w="{word}" {TRANSITIONAL.declared()}><w:body>{body}</w:body></w:document>'


@pytest.mark.parametrize(
    ("ext", "name", "content"),
    [
        ("xlsx", "xl/sharedStrings.xml", f"{PROLOG}<sst {AROUND}><si><t>&l39;</t></si></sst>"),
        ("xlsx", "xl/sheet1.xml", f"{PROLOG}<worksheet {AROUND}>{rows(cell('&l39;'))}</worksheet>"),
        ("pptx", "ppt/slides/slide1.xml", PROLOG + part("p:sld", shape("&l39;"))),
    ],
)
def test_entities(read: Read, ext: str, name: str, content: str) -> None:
    """A billion laughs are refused at the first."""
    made = workbook(rows(cell("a"))) if ext == "xlsx" else presentation(shape("a"))
    assert outcome(read, _replaced(made, name, content), ext) == CORRUPT


def _replaced(container: bytes, name: str, content: str) -> bytes:
    """The same container with another part."""
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(container)) as old, zipfile.ZipFile(held, "w") as new:
        for info in old.infolist():
            new.writestr(info.filename, content if info.filename == name else old.read(info))
    return held.getvalue()


@pytest.mark.parametrize("encoding", ["x-unknown", "utf-7", "idna", "big5", "cp1252"])
def test_encodings_of_xml(read: Read, encoding: str) -> None:
    """A part in an encoding that nobody knows, or that a parser cannot take, is damaged."""
    sheet = f'<?xml version="1.0" encoding="{encoding}"?><worksheet {AROUND}>{rows(cell("a"))}</worksheet>'
    content = _replaced(workbook(rows(cell("b"))), "xl/sheet1.xml", sheet)
    assert outcome(read, content) == ("One\n\na" if encoding == "cp1252" else CORRUPT)


def test_deep_nesting(read: Read) -> None:
    """Groups, tables and elements in one another, 5,000 deep: the deepest text is read."""
    depth = 5000
    group = "<p:grpSp>" * depth + shape("deep") + "</p:grpSp>" * depth
    assert outcome(read, presentation(group), "pptx") == "deep"
    table = "<w:tbl><w:tr><w:tc>" * depth + paragraph("deep") + "</w:tc></w:tr></w:tbl>" * depth
    assert outcome(read, docx(table), "docx") == "deep"
    cells = "<a:tbl><a:tr><a:tc>" * depth + "<a:t>deep</a:t>" + "</a:tc></a:tr></a:tbl>" * depth
    assert outcome(read, presentation(f"<p:sp>{cells}</p:sp>"), "pptx") == "deep"
    assert outcome(read, workbook("<x>" * depth + rows(cell("deep")) + "</x>" * depth)) == "One\n\ndeep"


def test_fields_and_alternatives_that_nest(read: Read) -> None:
    """100,000 fields in one another, none of which ends, and as many alternatives."""
    begun = "<w:r><w:fldChar w:fldCharType='begin'/></w:r>" * 100_000
    assert outcome(read, docx(f"<w:p>{begun}</w:p>" + paragraph("after")), "docx") == "after"
    depth = 20_000
    nested = "<mc:AlternateContent><mc:Choice>" * depth + shape("x")
    nested += "</mc:Choice></mc:AlternateContent>" * depth
    assert outcome(read, presentation(nested), "pptx") == "x"


@pytest.mark.parametrize("ext", ["docx", "xlsx", "pptx"])
def test_a_broken_container_is_damaged(read: Read, ext: str) -> None:
    """One that is cut, or whose sums are wrong, is not read in part."""
    content = {
        "docx": docx(paragraph("Dear Ada " * 400)),
        "xlsx": workbook(rows(cell("Dear Ada " * 400))),
        "pptx": presentation(shape("Dear Ada " * 400)),
    }[ext]
    assert outcome(read, content[: len(content) // 2], ext) == CORRUPT
    with zipfile.ZipFile(io.BytesIO(content)) as container:
        main = max(container.infolist(), key=lambda info: info.file_size)
    wrong = bytearray(content)
    place = wrong.rfind(main.filename.encode()) - 46 + 16  # the sum in the central directory
    wrong[place] ^= 0xFF
    assert outcome(read, bytes(wrong), ext) == CORRUPT


def test_parts_of_one_name(read: Read) -> None:
    """Of two parts of one name one is read, and always the same."""
    held = io.BytesIO(workbook(rows(cell("first"))))
    with (
        pytest.warns(UserWarning, match="Duplicate name"),
        zipfile.ZipFile(held, "a") as container,
    ):
        container.writestr("xl/sheet1.xml", f"<worksheet {AROUND}>{rows(cell('second'))}</worksheet>")
    assert outcome(read, held.getvalue()) == "One\n\nsecond"


def test_a_bomb_of_attributes_and_of_one_token(read: Read) -> None:
    """A name of ten megabytes, and a comment of forty that a parser reads again with each piece."""
    assert outcome(read, workbook(rows(cell("a")) + f"<x y='{'z' * 10_000_000}'/>")) in {"One\n\na", *ENDED}
    assert outcome(read, workbook(rows(cell("a")) + f"<!--{'z' * 40_000_000}-->")) in {"One\n\na", *ENDED}


def test_lists_that_are_bombs(read: Read) -> None:
    """Relations, styles and comments by the hundred thousand are read as they come."""
    relations: Relations = {"xl/sheet1.xml": [("hyperlink", "x.xml")] * 100_000}
    assert outcome(read, workbook(rows(cell("a")), relations=relations)) == "One\n\na"
    assert outcome(read, workbook(rows(cell("a")), formats=("0",) * 64_000)) == "One\n\na"
    comments = "<comment authorId='0'><text><t>x</t></text></comment>" * 100_000
    content = workbook(
        rows(cell("a")),
        parts={"xl/comments.xml": part("c:comments", f"<authors/>{comments}")},
        relations={"xl/sheet1.xml": [("comments", "comments.xml")]},
    )
    assert outcome(read, content).count("x") == 100_000


def test_nothing_is_unpacked_behind_a_bomb() -> None:
    """A part that a document can do without may meet the bound: what is read after it is not unpacked."""
    content = package({"bomb.xml": f"<x>{' ' * (1 << 20)}</x>", "page.html": " " * (32 << 20)}, {})
    with zipfile.ZipFile(io.BytesIO(content)) as container:
        parts = Parts(container, 1000)
        with pytest.raises(ReadingError):
            list(elements(parts, "bomb.xml"))
        tracemalloc.start()
        with pytest.raises(ReadingError) as refused:
            parts.whole("page.html")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert (refused.value.error_class, peak < 4 << 20) == (LARGE, True)


def test_an_embedded_bomb_is_left_out(read: Read) -> None:
    """An object that unpacks to more than may be taken out does not cost the document its text."""
    content = workbook(
        rows(cell("a")),
        parts={"xl/embeddings/bomb.docx": bytes(200 << 20)},
        relations={"xl/sheet1.xml": [("package", "embeddings/bomb.docx")]},
    )
    found = read(content, "xlsx")
    assert (found.text, found.parts) == ("One\n\na", ())
