from __future__ import annotations

import io
import zipfile
from datetime import date

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import ooxml, reading, xml_parts
from tests.text.invented_documents import RELATIONS, STRICT, WORD, docx, paragraph, zipped
from tests.text.office_parts import TRANSITIONAL, cell, chart, diagram, package, rows, workbook

BREAK = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
RUN = "<w:r><w:t>seen</w:t></w:r>"
RENDERED = "<w:p><w:r><w:lastRenderedPageBreak/><w:t>next</w:t></w:r></w:p>"


def read(content: bytes) -> reading.Text:
    return reading.read(io.BytesIO(content), "docx")


def text(body: str, **options: object) -> str:
    return read(docx(body, **options)).text  # type: ignore[arg-type] # the options of docx


def refusal(content: bytes) -> ErrorClass:
    with pytest.raises(ReadingError) as refused:
        read(content)
    return refused.value.error_class


def note(kind: str, number: int, words: str, author: str = "") -> str:
    by = f' w:author="{author}"' if author else ""
    return f'<w:{kind} w:id="{number}"{by}>{paragraph(words)}</w:{kind}>'


def row(*cells: str) -> str:
    inside = (cell if cell.startswith("<") else paragraph(cell) for cell in cells)
    return "<w:tr>" + "".join(f"<w:tc>{cell}</w:tc>" for cell in inside) + "</w:tr>"


def table(*rows: str) -> str:
    return "<w:tbl>" + "".join(rows) + "</w:tbl>"


def field(instruction: str, result: str = "", data: str = "") -> str:
    """A field; an instruction, or a result, may hold markup."""
    instructed = instruction if "<" in instruction else f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
    shown = result if "<" in result else f"<w:r><w:t xml:space='preserve'>{result}</w:t></w:r>"
    return (
        f"<w:r><w:fldChar w:fldCharType='begin'>{data}</w:fldChar></w:r>{instructed}"
        f"<w:r><w:fldChar w:fldCharType='separate'/></w:r>{shown}<w:r><w:fldChar w:fldCharType='end'/></w:r>"
    )


def drawn(inside: str) -> str:
    return f"<w:p><w:r>{inside}</w:r></w:p>"


def sym(font: str, place: str) -> str:
    return f"<w:sym w:font='{font}' w:char='{place}'/>"


def checkbox(ticked: int) -> str:
    return (
        f"<w:ffData><w:checkBox><w:default w:val='0'/><w:checked w:val='{ticked}'/></w:checkBox></w:ffData>"
    )


def dropdown(chosen: int) -> str:
    entries = "<w:listEntry w:val='red'/><w:listEntry w:val='green'/>"
    return f"<w:ffData><w:ddList><w:result w:val='{chosen}'/>{entries}</w:ddList></w:ffData>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (paragraph("Dear Ada,") + paragraph("see you"), "Dear Ada,\nsee you"),
        ("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>", "a\tb\nc"),
        (f"<w:p><w:ins>{RUN}</w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>", "seen"),
        (f"<w:p><w:moveFrom>{RUN}</w:moveFrom><w:moveTo>{RUN}</w:moveTo></w:p>", "seen"),
        (f"<w:sdt><w:sdtContent><w:p>{RUN}</w:p></w:sdtContent></w:sdt>", "seen"),
        (f"<w:p><w:hyperlink>{RUN}</w:hyperlink></w:p>", "seen"),
        (f"<w:p><w:r><w:instrText>DATE</w:instrText></w:r>{RUN}</w:p>", "seen"),
        (table(row("a", "", "c"), row("d")), "a\t\tc\nd"),
        (table(row(table(row("in", "ner")), "out")), "in ner\tout"),
        (table(row(paragraph("two") + paragraph("lines"), "b")), "two lines\tb"),
        (table(row(paragraph("Dear Ada,") + table(row("a", "b")))), "Dear Ada,\na\tb"),
        (drawn(f"{RUN}<w:drawing><wp:docPr descr='a'/><pic:cNvPr descr='a'/></w:drawing>"), "seen\na"),
        ("<w:p><w:pict><v:shape alt='a pier'><v:textpath string='DRAFT'/></v:shape></w:pict></w:p>",
         "a pier\nDRAFT"),
        (drawn("<a:txSp><a:txBody><a:p><a:t>drawn</a:t></a:p></a:txBody></a:txSp>"), "drawn"),
        (drawn(field("FORMCHECKBOX", data=checkbox(1)) + field("FORMCHECKBOX", data=checkbox(0))), "☒☐"),
        (f"<w:p>{field('FORMDROPDOWN', data=dropdown(1))}</w:p>", "green"),
        (f"<w:p>{field('IF' + field('PAGE', 'hidden'), 'seen')}</w:p>", "seen"),
        (f"<w:p>{field('TOC', RUN + field('PAGEREF', ' 7'))}</w:p>", "seen 7"),
        (drawn(2 * "<w:fldChar w:fldCharType='begin'/>" + "<w:t>lost</w:t>") + paragraph("found"), "found"),
        (drawn(sym("Wingdings", "F0FE") + sym("Symbol", "F061") + sym("x", "2603")), "☑α☃"),
        ("<w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num></m:f></m:oMath></w:p>", "a"),
        (f"<w:p>{RUN}<w:pict><w:txbxContent><w:p>{RUN}</w:p></w:txbxContent></w:pict></w:p>", "seen\nseen"),
    ],
)  # fmt: skip
def test_the_body_is_read_in_its_order(body: str, expected: str) -> None:
    """Paragraphs, tables in tables, controls, insertions, boxes: what is seen, and nothing deleted."""
    assert text(body) == expected


@pytest.mark.parametrize(
    ("body", "opened", "converted"),
    [
        (field(' DATE \\@"d" ', "30.11.") + field("AUTHOR", " Ada"), "30.11. Ada", " Ada"),
        (field("time", "10:11") + field("TIMES", "table"), "10:11table", "table"),
        (field("<w:r><w:instrText>DA</w:instrText><w:instrText>TE</w:instrText></w:r>", "1"), "1", ""),
        (field("DATE", "1", "<w:fldData>AAAA</w:fldData>"), "1", ""),
        (field("QUOTE", RUN + field("DATE", "1") + RUN), "seen1seen", "seenseen"),
        (field(field("DATE", "1") + "<w:r><w:instrText> + 1</w:instrText></w:r>", "seen"), "seen", "seen"),
        ("<w:fldSimple w:instr=' DATE '><w:r><w:t>1</w:t></w:r></w:fldSimple>" + RUN, "1seen", "seen"),
        (f"<w:fldSimple w:instr='AUTHOR'>{RUN}</w:fldSimple>", "seen", "seen"),
        (field(f"<w:fldSimple w:instr='PAGE'>{RUN}</w:fldSimple>", "if"), "if", "if"),
    ],
)  # fmt: skip
def test_what_a_program_wrote_of_the_clock_is_no_text_of_the_document(
    body: str, opened: str, converted: str
) -> None:
    """A field of the day says when the document was converted, and only there; its neighbours stay."""
    content = docx(f"{paragraph('Dear')}<w:p>{body}</w:p>{paragraph('signed')}")
    assert read(content).text == f"Dear\n{opened}\nsigned"
    assert reading.read(io.BytesIO(content), "docx", is_converted=True).text == f"Dear\n{converted}\nsigned"


def with_parts(body: str, relations: list[tuple[str, str]], parts: dict[str, str | bytes]) -> bytes:
    """A document with parts of any kind; relations are r1, r2 and so on."""
    declared = f'xmlns:w="{WORD}" {TRANSITIONAL.declared()}'
    return package(
        {"word/document.xml": f"<w:document {declared}><w:body>{body}</w:body></w:document>", **parts},
        {"": [("officeDocument", "word/document.xml")], "word/document.xml": relations},
    )


def test_charts_and_diagrams_are_read_where_they_stand() -> None:
    """After their paragraph, once, and not the workbook behind a chart."""
    drawn = "<w:p><w:r><w:t>{}</w:t><w:drawing>{}</w:drawing></w:r></w:p>"
    body = (
        drawn.format("see", "<c:chart r:id='r1'/>")
        + drawn.format("the plan", "<dgm:relIds r:dm='r2'/>")
        + drawn.format("again", "<c:chart r:id='r1'/>")
    )
    content = with_parts(
        body,
        [("chart", "charts/chart1.xml"), ("diagramData", "data1.xml")],
        {"word/charts/chart1.xml": chart(), "word/data1.xml": diagram("dig", "fill")},
    )
    assert read(content).text.split("\n") == [
        "see", "Tides", "Height", "Harbour", "Depth", "2020-01-01", "the plan", "dig", "fill", "again",
    ]  # fmt: skip


def test_imported_documents_are_read_where_they_stand() -> None:
    """Pages, texts, mails of pages, and documents that import others; one of another kind is content."""
    inner = with_parts(
        "<w:p/><w:altChunk r:id='r1'/>", [("aFChunk", "in.txt")], {"word/in.txt": b"innermost"}
    )
    saved = "Subject: x\nMIME-Version: 1.0\nContent-Type: text/html\n\n<p>saved"
    content = with_parts(
        paragraph("before")
        + "".join(f"<w:altChunk r:id='r{number}'/>" for number in (1, 2, 3, 4, 1))
        + paragraph("after"),
        [("aFChunk", f"chunk.{ext}") for ext in ("html", "docx", "mht", "rtf")],
        {
            "word/chunk.html": "<h1>page</h1><script>gone</script>",
            "word/chunk.docx": inner,
            "word/chunk.mht": saved,
            "word/chunk.rtf": "{\\rtf1 x}",
        },
    )
    assert read(content).text.split() == ["before", "page", "innermost", "Subject:", "x", "saved", "after"]
    other = with_parts("<w:altChunk r:id='r1'/>", [("aFChunk", "chunk.rtf")], {"word/chunk.rtf": "x"})
    assert refusal(other) is ErrorClass.NO_TEXT


def test_embedded_documents_are_parts() -> None:
    """What was put into a letter as an object can be taken out again."""
    sheet = workbook(rows(cell("a")))
    content = with_parts(
        paragraph("see below"), [("package", "embeddings/Costs.xlsx")], {"word/embeddings/Costs.xlsx": sheet}
    )
    [found] = read(content).parts
    assert (found.path, found.name, found.ext, found.size) == ("1", "Costs.xlsx", "xlsx", len(sheet))
    assert ooxml.part(io.BytesIO(content), "1") == sheet


def test_strict_documents_are_read() -> None:
    """The ISO namespaces are the same document."""
    assert text(paragraph("Dear Ada"), namespace=STRICT) == "Dear Ada"


def test_an_alternative_is_read_once() -> None:
    """A text box stands in each of the alternatives; the first one with text is taken."""
    box = f"<w:txbxContent>{paragraph('boxed')}</w:txbxContent>"
    for choice in (box, ""):
        inside = f"<mc:Choice>{choice}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
        assert text(f"<w:p><mc:AlternateContent>{inside}</mc:AlternateContent></w:p>") == "boxed"


def test_the_name_of_a_shape_is_not_what_it_shows() -> None:
    """LibreOffice writes the name where the alternative text of the older form stands."""
    said = "".join(f"<w:pict><v:group alt='{words}'/></w:pict>" for words in ("Shape 2", "a pier"))
    choice = "<mc:Choice><w:drawing><wp:docPr name='Shape 2'/></w:drawing></mc:Choice>"
    shapes = f"<mc:AlternateContent>{choice}<mc:Fallback>{said}</mc:Fallback></mc:AlternateContent>"
    assert text(f"<w:p>{RUN}{shapes}</w:p>") == "seen\na pier"


def test_notes_stand_on_the_page_that_refers_to_them() -> None:
    """Headers first, notes and comments with their page, footers and what nothing refers to last."""
    body = (
        '<w:p><w:r><w:t>one</w:t><w:footnoteReference w:id="2"/></w:r></w:p>'
        + BREAK
        + '<w:p><w:r><w:t>two</w:t><w:commentReference w:id="7"/></w:r></w:p>'
    )
    parts = {
        "header1": paragraph("HEAD"),
        "header2": paragraph("HEAD"),
        "footer1": paragraph("FOOT"),
        "footnotes": note("footnote", 2, "a footnote") + note("footnote", 3, "left over"),
        "endnotes": "",
        "comments": note("comment", 7, "check", author="Jon Doe"),
    }
    first, second = text(body, parts=parts).split("\f")
    assert first.split() == ["HEAD", "one", "a", "footnote"]
    assert second.split() == ["two", "Jon", "Doe:", "check", "left", "over", "FOOT"]


@pytest.mark.parametrize(
    ("body", "pages"),
    [
        (paragraph("one") + BREAK + paragraph("two"), 2),
        (paragraph("one") + RENDERED, 2),
        (paragraph("one") + BREAK + RENDERED, 2),  # Word says it twice
        ("<w:p><w:pPr><w:pageBreakBefore/></w:pPr></w:p>" + paragraph("one"), 1),
        (paragraph("one") + '<w:p><w:pPr><w:pageBreakBefore w:val="0"/></w:pPr></w:p>' + paragraph("two"), 1),
        ("<w:p><w:pPr><w:sectPr/></w:pPr><w:r><w:t>one</w:t></w:r></w:p>" + paragraph("two"), 2),
        ('<w:p><w:pPr><w:sectPr><w:type w:val="continuous"/></w:sectPr></w:pPr></w:p>' + paragraph("two"), 1),
        (paragraph("one") + table(row(RENDERED, RENDERED), row("last")), 2),
    ],
)
def test_a_page_ends_where_the_document_says(body: str, pages: int) -> None:
    """Breaks that were set or rendered, once each, and before a row rather than inside of it."""
    found = read(docx(body))
    assert len(found.page_starts) == pages
    assert all(page.strip() for page in found.text.split("\f"))


def test_tables_are_read_to_any_depth() -> None:
    """The deepest text of tables 5,000 deep is not lost, as it is where a parser gives up in silence."""
    depth = 5000
    body = "<w:tbl><w:tr><w:tc>" * depth + paragraph("deep") + "</w:tc></w:tr></w:tbl>" * depth
    assert text(body) == "deep"


def test_a_document_type_is_refused() -> None:
    """Entities could name files, grow without end, or lose the text behind them."""
    prolog = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    assert refusal(docx(paragraph("before &a; after"), prolog=prolog)) is ErrorClass.CORRUPT


def test_a_bomb_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither text nor markup may unpack to more than is allowed."""
    monkeypatch.setattr(xml_parts, "MOST_UNPACKED", 1 << 20)
    monkeypatch.setattr(xml_parts.Parts.__init__, "__defaults__", (1 << 20,))
    assert refusal(docx("<w:p/>" * 400_000)) is ErrorClass.TOO_LARGE


def test_a_locked_part_needs_a_password() -> None:
    """A zip whose parts are encrypted is not called damaged."""
    content = bytearray(docx(paragraph("x")))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = -1
        while (place := content.find(signature, place + 1)) >= 0:
            content[place + flags] |= 1
    assert refusal(bytes(content)) is ErrorClass.ENCRYPTED


def test_damage_is_corrupt_and_emptiness_is_blank() -> None:
    """XML that ends early is damage; no words are an empty document, only a picture is one without text."""
    assert refusal(docx("<w:p><w:r>")) is ErrorClass.CORRUPT
    assert refusal(zipped({"word/other.xml": "<x/>"})) is ErrorClass.UNSUPPORTED
    assert read(docx("<w:p/>")).blank
    assert refusal(docx("<w:p><w:r><w:drawing/></w:r></w:p>")) is ErrorClass.NO_TEXT


def test_title_and_day_come_from_the_properties() -> None:
    """The part that the container names as its properties says them."""
    properties = (
        '<p xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:t="http://purl.org/dc/terms/">'
        "<d:title>The harbour</d:title><t:created>2019-02-28T10:00:00Z</t:created></p>"
    )
    with zipfile.ZipFile(io.BytesIO(docx(paragraph("x")))) as container:
        parts = {name: container.read(name).decode() for name in container.namelist()}
    relation = f'<Relationship Id="b" Type="{RELATIONS}/metadata/core-properties" Target="about.xml"/>'
    parts["_rels/.rels"] = parts["_rels/.rels"].replace("</", f"{relation}</")
    found = read(zipped({**parts, "about.xml": properties}))
    assert (found.metadata.title, found.document_date) == ("The harbour", date(2019, 2, 28))
    assert found.document_date_source == "metadata"
    assert read(zipped({**parts, "about.xml": "<broken"})).text == "x"
