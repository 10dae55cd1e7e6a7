from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import reading
from mnemo_assets.text.reading import Text
from tests.text.invented_documents import zipped
from tests.text.opendocument_files import document, flat, odt, paragraph, table

Read = Callable[[bytes, str], Text]

BREAKS = (
    '<style:style style:name="P1"><style:paragraph-properties fo:break-before="page"/></style:style>'
    '<style:style style:name="P2"><style:paragraph-properties fo:break-after="page"/></style:style>'
    '<style:style style:name="P3" style:parent-style-name="P1"/>'
    '<style:style style:name="P4" style:parent-style-name="P1">'
    '<style:paragraph-properties fo:break-before="auto"/></style:style>'
    '<style:style style:name="P5" style:master-page-name="Landscape"/>'
)
NOTE = (
    "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>{}</text:p>"
    "</text:note-body></text:note>"
)  # fmt: skip
ANNOTATION = (
    "<office:annotation><dc:creator>Ada</dc:creator><dc:date>2021-03-04T10:00:00</dc:date>"
    "<text:p>{}</text:p></office:annotation>"
)
FRAME = "<draw:frame>{}</draw:frame>"
BOX = FRAME.format("<draw:text-box><text:p>{}</text:p></draw:text-box>")


def read(content: bytes) -> Text:
    return reading.read(io.BytesIO(content), "odt")


def text(body: str, **parts: str) -> str:
    return read(odt(body, **parts)).text


def refusal(content: bytes) -> ErrorClass:
    with pytest.raises(ReadingError) as refused:
        read(content)
    return refused.value.error_class


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (paragraph("Dear Ada,") + "<text:h>see you</text:h>", "Dear Ada,\nsee you"),
        (paragraph("a<text:tab/>b<text:line-break/>c<text:s text:c='2'/>d"), "a\tb\nc  d"),
        (paragraph("\n  a \n <text:span> b</text:span>\n c  "), "a b c"),
        (
            ("<text:tracked-changes><text:changed-region><text:deletion><office:change-info>"
            "<dc:creator>Jon</dc:creator></office:change-info><text:p>gone</text:p></text:deletion>"
            '</text:changed-region></text:tracked-changes><text:p><text:change-start text:change-id="i"/>new'
            "<text:change-end/></text:p>"),
            "new",
        ),
        (paragraph("<text:a>link</text:a> <text:placeholder>name</text:placeholder>"), "link name"),
        ('<text:section text:display="none"><text:p>hidden</text:p></text:section>', "hidden"),
        (paragraph('<text:hidden-text text:string-value="unseen"/>'), "unseen"),
        (
            ("<text:list><text:list-item><text:number>1.</text:number><text:p>one</text:p></text:list-item>"
            "</text:list>"),
            "1. one",
        ),
        (
            ("<text:table-of-content><text:table-of-content-source><text:index-title-template>Contents"
            "</text:index-title-template></text:table-of-content-source><text:index-body><text:p>Contents"
            "</text:p></text:index-body></text:table-of-content>"),
            "Contents",
        ),
        ("<office:scripts><office:script><text:p>run</text:p></office:script></office:scripts><text:p/>", ""),
        (table(("a", "", "c"), ("d",)), "a\t\tc\nd"),
        (table((paragraph("a<text:tab/>b") + paragraph("c"), "d"), ("e", "")), "a b c\td\ne"),
        (table((paragraph("a") + paragraph("b"),)), "a\nb"),
        (table((table(("in", "ner"), ("x", "y")), "out")), "in\tner\nx\ty\tout"),
        (paragraph(f"a{BOX.format('boxed')}b"), "ab\nboxed"),
        (BOX.format("boxed") + paragraph("a"), "boxed\na"),
        (paragraph("<draw:g><draw:rect><text:p>drawn</text:p></draw:rect></draw:g>a"), "a\ndrawn"),
        (paragraph(FRAME.format("<draw:image/><svg:title>A</svg:title><svg:desc>b</svg:desc>")), "A\nb"),
        (paragraph(f"a{BOX.format(BOX.format('in'))}"), "a\nin"),
    ],
)  # fmt: skip
def test_the_body_is_read_in_its_order(body: str, expected: str) -> None:
    """Paragraphs, tables in tables, boxes in boxes, insertions: what is seen, once, and nothing deleted."""
    assert text(body) == expected


def test_controls_say_their_values_and_labels() -> None:
    """A form's values, labels and choices stand where the control is drawn; passwords nowhere."""
    forms = (
        '<office:forms><form:form form:name="f"><form:text form:id="c1" form:current-value="Bristol"/>'
        '<form:checkbox xml:id="c2" form:id="c2" form:label="I agree" form:value="yes"/>'
        '<form:listbox form:id="c3"><form:option form:label="red"/><form:option form:label="blue"/>'
        '</form:listbox><form:password form:value="secret"/><form:hidden form:value="token"/>'
        '<form:fixed-text form:id="c9" form:label="never drawn"/></form:form></office:forms>'
    )
    drawn = "".join(paragraph(f'{n}<draw:control draw:control="c{n}"/>') for n in (3, 1, 2))
    assert text(forms + drawn) == "3\nred\nblue\n1\nBristol\n2\nI agree\nnever drawn"


def test_notes_stand_on_the_page_that_refers_to_them() -> None:
    """Headers first and footers last, once each; notes and comments with their page."""
    styles = (
        "<office:master-styles><style:master-page><style:header><text:p>HEAD</text:p></style:header>"
        '<style:header-left style:display="false"><text:p>unused</text:p></style:header-left>'
        "<style:footer><text:p>FOOT</text:p></style:footer></style:master-page>"
        "<style:master-page><style:header><text:p>HEAD</text:p></style:header></style:master-page>"
        "</office:master-styles>"
    )
    body = (
        paragraph(f"one{NOTE.format('a footnote')}.")
        + paragraph(f"<text:soft-page-break/>two{ANNOTATION.format('check')}!")
        + table((f"<text:p>three{NOTE.format('an endnote')}</text:p>",))
    )
    first, second = text(body, styles=styles).split("\f")
    assert first.split("\n\n") == ["HEAD", "one.", "a footnote"]
    assert second.split("\n\n") == ["two!\nthree", "Ada: check", "an endnote", "FOOT"]


@pytest.mark.parametrize(
    ("body", "pages"),
    [
        (paragraph("one") + paragraph("<text:soft-page-break/>two"), 2),
        (paragraph("one") + "<text:soft-page-break/>" + paragraph("two", "P1"), 2),
        (paragraph("one", "P1"), 1),
        (paragraph("one", "P2") + paragraph("two"), 2),
        (paragraph("one") + paragraph("two", "P3"), 2),
        (paragraph("one") + paragraph("two", "P4"), 1),
        (paragraph("one") + paragraph("two", "P5"), 2),
        (paragraph("one") + table((paragraph("two", "P1"), "three"), ("four",)), 2),
        (table((paragraph("one"), paragraph("<text:soft-page-break/>two"))), 1),
        (paragraph(f"one{BOX.format('<text:soft-page-break/>box')}") + table(("two",)), 1),
    ],
)
def test_a_page_ends_where_the_document_says(body: str, pages: int) -> None:
    """Breaks that were set, by any style, or rendered, once each, and before a row rather than in it."""
    found = read(odt(body, styles=BREAKS))
    assert len(found.page_starts) == pages
    assert all(page.strip() for page in found.text.split("\f"))


def test_embedded_objects_are_read_once() -> None:
    """A chart's title and categories; the same object again, a loop, and damage are not."""
    chart = (
        "<office:body><office:chart><chart:chart><chart:title><text:p>Growth</text:p></chart:title>"
        "<table:table><table:table-row><table:table-cell><text:p>North</text:p><draw:g>"
        "<svg:desc>local-table.A2</svg:desc></draw:g></table:table-cell></table:table-row></table:table>"
        '<draw:object xlink:href="./Object 1"/></chart:chart></office:chart></office:body>'
    )
    body = paragraph(
        FRAME.format('<draw:object xlink:href="./Object 1"/><draw:image/>')
        + FRAME.format('<draw:object xlink:href="./Object%201"/>')
        + FRAME.format('<draw:object xlink:href="../../etc/passwd"/>')
        + FRAME.format('<draw:object xlink:href="Broken"/>')
        + "end"
    )
    parts = {"Object_1__content": document(chart), "Broken__content": "<broken"}
    assert text(body, **parts) == "end\nGrowth\nNorth"


def test_a_flat_file_is_the_same_document() -> None:
    """One XML file, as a package is."""
    before = (
        "<office:meta><dc:title>Lease</dc:title><meta:initial-creator>Mara</meta:initial-creator>"
        "<dc:creator>Jon</dc:creator><meta:creation-date>2020-02-03T10:00:00</meta:creation-date>"
        "<dc:date>2021-04-05T10:00:00</dc:date></office:meta>"
    )
    found = read(flat(paragraph("Dear Ada"), before=before))
    assert found.text == "Dear Ada"
    assert (found.metadata.title, found.metadata.author) == ("Lease", "Mara")
    assert (found.metadata.created, found.metadata.modified) == (date(2020, 2, 3), date(2021, 4, 5))


def test_properties_are_the_documents_own() -> None:
    """A comment's author and day are not the document's; without a first author the last is named."""
    found = read(odt(paragraph(f"a{ANNOTATION.format('b')}"), meta="<dc:creator>Jon</dc:creator>"))
    assert (found.metadata.author, found.metadata.modified) == ("Jon", None)


@pytest.mark.parametrize("broken", ["styles.xml", "meta.xml", "META-INF/manifest.xml"])
def test_damage_beside_the_body_does_not_lose_it(broken: str) -> None:
    """Only the body has to be whole."""
    content = document(f"<office:body><office:text>{paragraph('Dear Ada')}</office:text></office:body>")
    assert read(zipped({"mimetype": "x", "content.xml": content, broken: "<broken"})).text == "Dear Ada"


def test_refusals_have_names() -> None:
    """Encrypted, damaged, a document type, another kind of document, pictures alone."""
    manifest = {"META-INF/manifest.xml": "<m:encryption-data xmlns:m='x'/>", "mimetype": "x"}
    assert refusal(zipped(manifest | {"content.xml": "noise"})) is ErrorClass.ENCRYPTED
    whole = "application/vnd.oasis.opendocument.text"
    assert refusal(zipped(manifest | {"mimetype": whole, "encrypted-package": "x"})) is ErrorClass.ENCRYPTED
    assert refusal(zipped({"mimetype": whole})) is ErrorClass.CORRUPT
    assert refusal(zipped({"mimetype": whole, "content.xml": "<a>"})) is ErrorClass.CORRUPT
    typed = '<!DOCTYPE a [<!ENTITY e "x">]>' + document("&e;")
    assert refusal(zipped({"mimetype": whole, "content.xml": typed})) is ErrorClass.CORRUPT
    assert refusal(odt(paragraph("a"), kind="spreadsheet")) is ErrorClass.UNSUPPORTED
    assert refusal(odt(paragraph(FRAME.format("<draw:image/>")))) is ErrorClass.NO_TEXT


def test_hostile_texts_end_soon(read: Read) -> None:
    """Depth, repeated blanks, a bomb of rows: text or a name, within the reader's walls."""
    deep = table(("x",))
    for _ in range(9):
        deep = table((deep, "y"))
    assert read(odt(deep), "odt").text.startswith("x\ty")
    spans = "<text:span>" * 100_000 + "deep" + "</text:span>" * 100_000
    assert read(odt(paragraph(spans)), "odt").text == "deep"
    assert len(read(odt(paragraph("a<text:s text:c='999999999'/>b")), "odt").text) == 1002
    with pytest.raises(ReadingError) as refused:
        read(odt(paragraph("<text:s text:c='1000'/>" * 60_000)), "odt")
    assert refused.value.error_class is ErrorClass.TOO_LARGE
