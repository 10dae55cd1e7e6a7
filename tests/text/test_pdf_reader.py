from __future__ import annotations

import io
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import drawn, reading
from mnemo_assets.text import pdf as pdf_reader
from mnemo_assets.text.pdf import THIN
from tests.text.invented_documents import long_text, mupdf, pdf

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.text.reading import Text

WIDTH, HEIGHT = 600, 800


def read(content: bytes) -> Text:
    return reading.read(io.BytesIO(content), "pdf")


def drawn_pdf(*pages: Callable[[Any], object]) -> bytes:
    """A PDF with a page for each function, which draws on it."""
    with mupdf.open() as document:
        for draw in pages:
            draw(document.new_page(width=WIDTH, height=HEIGHT))
        saved: bytes = document.tobytes()
    return saved


def image(part: float) -> Callable[[Any], object]:
    """Draws a picture over a part of the page."""
    pixels = mupdf.Pixmap(mupdf.csGRAY, (0, 0, 4, 4), 0)
    pixels.clear_with(90)
    return lambda page: page.insert_image((0, 0, WIDTH, HEIGHT * part), pixmap=pixels, keep_proportion=False)


def surface(part: float, colour: float = 0) -> Callable[[Any], object]:
    """Draws a filled rectangle over a part of the page."""
    fill = (colour, colour, colour)
    return lambda page: page.draw_rect((0, 0, WIDTH, HEIGHT * part), color=None, fill=fill)


def lines(count: int) -> Callable[[Any], object]:
    return lambda page: page.insert_text((30, 60), long_text(count)) if count else None


def both(*draws: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda page: [draw(page) for draw in draws]


def shape(text: Text) -> tuple[int, bool, bool]:
    return text.pages_awaiting_ocr, text.scanned, text.blank


def test_pages_are_kept() -> None:
    """Each page of a PDF is a page of the text, in order."""
    text = read(pdf("Mara Lindqvist", "", "Jon Doe"))
    assert text.text == "Mara Lindqvist\f\fJon Doe"
    assert text.page_starts == (0, 15, 16)


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ([lines(0)], (0, False, True)),  # nothing on it
        ([surface(1, colour=1)], (0, False, True)),  # white on white is nothing
        ([lines(1)], (0, False, False)),  # thin, with the text it has
        ([both(lines(1), image(0.09))], (0, False, False)),  # thin, with a logo
        ([both(lines(1), image(0.11))], (1, True, False)),  # a letterhead over a scan
        ([image(1)], (1, True, False)),
        ([surface(0.11)], (1, True, False)),  # drawings count as pictures do
        ([both(*[surface(0.04)] * 3, lines(1))], (0, False, False)),  # one over the other covers once
        ([both(lines(12), image(1))], (0, False, False)),  # recognised before: there is text enough
        ([lines(0), image(1)], (1, True, False)),  # blank and scanned: no page with usable text
        ([lines(12), image(1), image(1)], (2, False, False)),  # two scans inside of a text document
        ([lines(1), lines(0)], (0, False, False)),
    ],
)  # fmt: skip
def test_a_page_is_usable_or_awaits_ocr_or_is_blank(
    pages: list[Callable[[Any], object]], expected: tuple[int, bool, bool]
) -> None:
    """Page by page: how many await text recognition, whether all do, whether nothing is there."""
    assert shape(read(drawn_pdf(*pages))) == expected


def test_a_page_is_thin_under_the_documented_number_of_characters() -> None:
    """270 characters that are not white make a page of text, whatever lies behind it."""

    def written(characters: int) -> Callable[[Any], object]:
        return lambda page: page.insert_textbox(
            (10, 10, 590, 790), "x y " * (characters // 2) + "z" * (characters % 2)
        )

    assert shape(read(drawn_pdf(both(image(1), written(THIN))))) == (0, False, False)
    assert shape(read(drawn_pdf(both(image(1), written(THIN - 1))))) == (1, True, False)


def test_a_page_that_awaits_ocr_keeps_its_text() -> None:
    """The letterhead over a scan is true text."""
    text = read(drawn_pdf(lines(12), both(lines(1), image(1))))
    assert "line 0" in text.text[text.page_starts[1] :]


def test_many_small_drawings_count_together() -> None:
    """Letters that are drawn as shapes cover a page as a picture of it does; a few do not."""

    def letters(count: int) -> Callable[[Any], object]:
        def draw(page: Any) -> None:
            drawing = page.new_shape()
            for number in range(count):
                x, y = number % 70 * 8, number // 70 * 12
                drawing.draw_rect((x, y, x + 5, y + 9))
            drawing.finish(color=None, fill=(0, 0, 0))
            drawing.commit()

        return draw

    assert shape(read(drawn_pdf(letters(3000)))) == (1, True, False)
    assert shape(read(drawn_pdf(both(lines(1), letters(100))))) == (0, False, False)


def test_a_crowd_of_rectangles_covers_what_it_covers() -> None:
    """Overlapping rectangles are counted once, and clipped to the page."""
    page = (0.0, 0.0, 100.0, 100.0)
    assert not drawn.covers([(0, 0, 100, 9)] * 50, page)
    assert drawn.covers([(0, 0, 100, 6), (0, 50, 100, 56)], page)
    assert not drawn.covers([(-900, -900, 5, 100)], page)
    assert drawn.covers([(0, 0, 100, 10)], page)


def test_a_picture_too_small_to_await_ocr_is_not_nothing() -> None:
    """No text, a logo: that is a failure with a name, and not an empty document."""
    with pytest.raises(ReadingError) as refused:
        read(drawn_pdf(image(0.05)))
    assert refused.value.error_class is ErrorClass.NO_TEXT


def test_what_is_easily_lost_is_kept() -> None:
    """Sticky notes with their authors, and the values of form fields, once each."""

    def draw(page: Any) -> None:
        page.insert_text((50, 72), "Form")
        page.add_text_annot((300, 100), "call Jon Doe").set_info(title="Mara")
        field = mupdf.Widget()
        field.field_name, field.field_type = "employer", mupdf.PDF_WIDGET_TYPE_TEXT
        field.field_value, field.rect = "Harbour Company", mupdf.Rect(50, 200, 300, 220)
        page.add_widget(field)

    text = read(drawn_pdf(draw)).text
    assert "Mara: call Jon Doe" in text
    assert text.count("Harbour Company") == 1


@pytest.mark.parametrize(("owner", "user", "opens"), [("o", "", True), ("o", "u", False)])
def test_only_a_password_to_open_locks(owner: str, user: str, *, opens: bool) -> None:
    """A PDF whose owner locked printing opens; one that asks for a password says so."""
    locked = pdf(
        "Open to read but owner locked", encryption=mupdf.PDF_ENCRYPT_AES_256, owner_pw=owner, user_pw=user
    )
    if opens:
        assert read(locked).text == "Open to read but owner locked"
        return
    with pytest.raises(ReadingError) as refused:
        read(locked)
    assert refused.value.error_class is ErrorClass.ENCRYPTED


def test_nul_in_a_font_is_dropped() -> None:
    """A font may say that a glyph is U+0000: the database could not store that."""
    unicodes = (
        b"1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <41> <0041> <42> <0000> endbfchar"
    )
    stream = b"<< /Length %d >> stream\n%s\nendstream"
    page = b"BT /F 12 Tf 50 700 Td (ABA) Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
        stream % (len(page), page),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
        stream % (len(unicodes), unicodes),
    ]
    content = (
        b"%PDF-1.4\n"
        + b"".join(b"%d 0 obj %s endobj\n" % (number, body) for number, body in enumerate(objects, 1))
        + b"trailer << /Root 1 0 R >>"
    )
    text = read(content)
    assert "\0" not in text.text
    assert text.text.startswith("A")


@pytest.mark.parametrize(
    "content", [b"%PDF-1.4\n", b"%PDF-1.7\ngarbage without a page\n%%EOF", pdf(long_text())[:200]]
)
def test_a_damaged_file_is_corrupt(content: bytes) -> None:
    """No page is no document."""
    with pytest.raises(ReadingError) as refused:
        read(content)
    assert refused.value.error_class is ErrorClass.CORRUPT


def test_title_and_day_come_from_the_metadata() -> None:
    """The title is one line; a day that does not exist is none."""
    with mupdf.open() as document:
        document.new_page().insert_text((50, 72), "x")
        document.set_metadata({"title": "The\nharbour", "creationDate": "D:20190230120000"})
        impossible = read(document.tobytes())
        document.set_metadata({"title": "The\nharbour", "creationDate": "D:20190228120000+01'00'"})
        text = read(document.tobytes())
    assert (impossible.document_date, impossible.document_date_source) == (None, None)
    assert (text.metadata.title, text.document_date, text.document_date_source) == (
        "The harbour",
        date(2019, 2, 28),
        "metadata",
    )


def raw_pdf(*objects: bytes) -> bytes:
    """A PDF of raw objects, the first its catalog, without a table of references: readers then make it."""
    body = b"".join(b"%d 0 obj %s endobj\n" % (number, content) for number, content in enumerate(objects, 1))
    return b"%PDF-1.7\n" + body + b"trailer << /Root 1 0 R >>"


def stream(data: bytes, keys: bytes = b"") -> bytes:
    return b"<< /Length %d %s >> stream\n%s\nendstream" % (len(data), keys, data)


def field(kind: int, value: object, top: int, **attributes: object) -> Callable[[Any], object]:
    """Puts a form field on the page."""

    def draw(page: Any) -> None:
        widget = mupdf.Widget()
        widget.field_name, widget.field_type = f"field {top}", kind
        widget.rect = mupdf.Rect(50, top, 300, top + 20)
        for name, given in attributes.items():
            setattr(widget, name, given)
        widget.field_value = value
        page.add_widget(widget)

    return draw


def test_fields_of_every_kind() -> None:
    """Values as they are shown, once; a tick with its label; nothing of buttons and of what is not ticked."""
    options = [("a", "Alder"), ("b", "Birch")]
    text = read(
        drawn_pdf(
            both(
                lines(1),
                field(mupdf.PDF_WIDGET_TYPE_TEXT, "Harbour\nCompany", 100, field_label="Employer"),
                field(mupdf.PDF_WIDGET_TYPE_TEXT, "4711", 130, field_flags=1 << 24, text_maxlen=9),
                field(mupdf.PDF_WIDGET_TYPE_COMBOBOX, "b", 160, choice_values=options),
                field(mupdf.PDF_WIDGET_TYPE_LISTBOX, "Elm", 190, choice_values=["Elm", "Oak"]),
                field(mupdf.PDF_WIDGET_TYPE_CHECKBOX, True, 220, field_label="Wants a receipt"),  # noqa: FBT003
                field(mupdf.PDF_WIDGET_TYPE_CHECKBOX, False, 250, field_label="Wants a call"),  # noqa: FBT003
                field(mupdf.PDF_WIDGET_TYPE_BUTTON, None, 280, button_caption="Print"),
                field(mupdf.PDF_WIDGET_TYPE_TEXT, "hunter2", 310, field_flags=1 << 13),
                field(mupdf.PDF_WIDGET_TYPE_TEXT, "nobody sees it", 340, field_display=1),
            )
        )
    ).text
    assert text.split("\n")[1:] == [
        *("Employer: Harbour", "Company", "4711", "Birch", "Elm", "Wants a receipt: Yes")
    ]


def test_a_field_without_a_picture() -> None:
    """A field that nobody has drawn, inherited and in two places, is there once; radio buttons by choice."""
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Annots [5 0 R 6 0 R 8 0 R 9 0 R] >>"
    box = b"<< /Type /Annot /Subtype /Widget /Rect [9 9 99 30] /Parent %d 0 R %s >>"
    content = raw_pdf(
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R 7 0 R] /NeedAppearances true >> >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        page,
        b"<< /T (who) /FT /Tx /V (Mara Lindqvist) /Kids [5 0 R 6 0 R] >>",
        box % (4, b""),
        box % (4, b""),
        b"<< /T (pay[0]) /FT /Btn /Ff 32768 /V /1 /Opt [(cash) (by card)] /Kids [8 0 R 9 0 R] >>",
        box % (7, b"/AS /Off"),
        box % (7, b"/AS /1"),
    )
    assert read(content).text == "Mara Lindqvist\npay: by card"


def test_notes_of_every_kind() -> None:
    """Each with its author, in order, once: what is drawn, or repeats what it marks, is not repeated."""

    def draw(page: Any) -> None:
        page.insert_text((50, 72), "The harbour report")
        page.add_text_annot((300, 100), "harbour").set_info(title="Mara")
        page.add_text_annot((300, 120), "which one?").set_info(title="Jon")
        page.add_freetext_annot((300, 200, 500, 250), "written freely").set_info(title="Mara")
        page.add_highlight_annot(mupdf.Rect(50, 60, 150, 75)).set_info(content="harbour report", title="Jon")
        page.add_underline_annot(mupdf.Rect(50, 60, 150, 75)).set_info(content="too long", title="Jon")
        page.add_stamp_annot((300, 300, 500, 350), stamp=0)
        page.add_line_annot((300, 400), (400, 400)).set_info(content="move it here")
        hidden = page.add_text_annot((300, 500), "nobody sees it")
        hidden.set_flags(mupdf.PDF_ANNOT_IS_HIDDEN)

    assert [line for line in read(drawn_pdf(draw)).text.split("\n") if line] == [
        *("The harbour report", "written freely", "APPROVED"),
        *("Mara: harbour", "Jon: which one?", "Jon: too long", "move it here"),
    ]


def test_a_note_in_rich_text() -> None:
    """A note whose plain words are missing is read from its rich ones; a damaged one ends where it breaks."""
    note = b"<< /Type /Annot /Subtype /Text /Rect [9 9 30 30] /T (Mara) /RC (%s) >>"
    rich = b'<body xmlns="http://www.w3.org/1999/xhtml"><p>call <b>Jon</b></p><p>today</p>'
    content = raw_pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Annots [4 0 R 5 0 R] >>",
        note % (rich + b"</body>"),
        note % rich,
    )
    assert read(content).text == "Mara: call Jon\ntoday\nMara: call Jon\ntoday"


def tagged(*, structure: bytes) -> bytes:
    """Two pages with a structure that speaks of them; the second one bears words."""
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /StructParents 0 /Contents 5 0 R %s >>"
    fonts = b"/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    return raw_pdf(
        b"<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 6 0 R /MarkInfo << /Marked true >> >>",
        b"<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>",
        page % fonts,
        page % fonts,
        stream(b"BT /F 12 Tf 50 700 Td (Boats) Tj ET /Figure << /MCID 1 >> BDC 0 0 9 9 re f EMC"),
        b"<< /Type /StructTreeRoot /K %s >>" % structure,
        b"<< /S /Figure /P 6 0 R /Pg 4 0 R /K 1 /Alt (A harbour at dusk) >>",
        b"<< /S /Figure /P 6 0 R /Pg 3 0 R /K 1 /Alt (boats) >>",
    )


def test_alternative_texts_stand_on_their_page() -> None:
    """What a picture shows, said for those who cannot see it; not again where the page says it."""
    assert read(tagged(structure=b"[7 0 R 8 0 R]")).text == "Boats\fBoats\nA harbour at dusk"


def test_a_structure_that_loops() -> None:
    """An element that is its own part is looked at once."""
    loop = b"[<< /S /Part /K [6 0 R 7 0 R] >> 6 0 R 7 0 R 7 0 R]"
    assert read(tagged(structure=loop)).text == "Boats\fBoats\nA harbour at dusk"


def test_layers_that_are_off_are_text() -> None:
    """A viewer can switch them on."""
    with mupdf.open() as document:
        page = document.new_page()
        for number, on in enumerate((True, False)):
            layer = document.add_ocg(f"layer {number}", on=on)
            page.insert_text((50, 72 + 20 * number), f"words {number}", oc=layer)
        content = document.tobytes()
    assert read(content).text == "words 0\nwords 1"


def xfa_form(packets: dict[str, bytes], *, dynamic: bool = True) -> bytes:
    """A form in XML behind a page that asks to wait."""
    names = b" ".join(b"(%s) %d 0 R" % (name.encode(), 6 + place) for place, name in enumerate(packets))
    rendering = b"/NeedsRendering true" if dynamic else b""
    fields = b"" if dynamic else b"(any)"
    return raw_pdf(
        b"<< /Type /Catalog /Pages 2 0 R %s /AcroForm << /Fields [%s] /XFA [%s] >> >>"
        % (rendering, fields, names),
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R"
        b" /Resources << /Font << /F 5 0 R >> >> >>",
        stream(b"BT /F 12 Tf 50 700 Td (Please wait...) Tj ET"),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *map(stream, packets.values()),
    )


TEMPLATE = (
    b'<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform><draw>'
    b"<value><text>Claim</text></value>"
    b"</draw><field name='who'><caption><value><text>Your name</text></value></caption>"
    b"<value><text>nobody yet</text></value><event><script>xfa.host.beep()</script></event></field>"
    b"</subform></template>"
)
DATA = (
    b'<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form>'
    b"<who>Mara Lindqvist</who>"
    b"<empty/><address><town>Bath</town></address></form></xfa:data><other>not data</other></xfa:datasets>"
)


def test_a_dynamic_form() -> None:
    """The words of the form and what was filled in, behind the page that asks to wait; no script."""
    text = read(xfa_form({"template": TEMPLATE, "datasets": DATA})).text
    assert text == "Please wait...\nClaim\nYour name\nwho: Mara Lindqvist\ntown: Bath"


def test_a_form_that_has_its_fields_on_the_page_too() -> None:
    """Its values come from there, once."""
    text = read(xfa_form({"template": TEMPLATE, "datasets": DATA}, dynamic=False)).text
    assert text == "Please wait..."


def test_a_form_with_entities() -> None:
    """A document type ends the form; the page stays."""
    laughs = b'<!DOCTYPE x [<!ENTITY l "ha">]><data><a>&l;</a></data>'
    assert read(xfa_form({"datasets": laughs})).text == "Please wait..."


def test_files_inside_are_parts() -> None:
    """Those of the document and those pinned to a page, judged as files are; bytes are taken by path."""
    with mupdf.open() as document:
        page = document.new_page()
        page.insert_text((50, 72), "see the files")
        page.add_file_annot((300, 100), b"pinned words", "pinned.txt", desc="pinned")
        document.embfile_add("1", b"a,b\n1,2\n", filename="C:\\papers\\table.csv")
        document.embfile_add("2", b"MZ", filename="program.exe")
        document.embfile_add("3", b"words", filename="passwords.txt")
        document.embfile_add("4", b"", filename="empty.txt")
        content = document.tobytes()
    text = read(content)
    assert text.text == "see the files\npinned.txt\ntable.csv\nprogram.exe\npasswords.txt\nempty.txt"
    parts = text.parts
    assert [(part.name, part.ext, part.size, part.rule) for part in parts] == [
        ("pinned.txt", "txt", 12, None),
        ("table.csv", "csv", 8, None),
        ("passwords.txt", "txt", 5, "name:password"),
    ]
    assert pdf_reader.part(io.BytesIO(content), parts[0].path) == b"pinned words"
    assert pdf_reader.part(io.BytesIO(content), parts[1].path) == b"a,b\n1,2\n"


@pytest.mark.parametrize("path", ["0", "1", "-3", "9999999999999", "x", ""])
def test_a_path_that_leads_to_no_file(path: str) -> None:
    """Is damage, whatever it is."""
    with pytest.raises(ReadingError) as refused:
        pdf_reader.part(io.BytesIO(pdf("x")), path)
    assert refused.value.error_class is ErrorClass.CORRUPT


def test_files_in_a_tree_that_loops() -> None:
    """A tree of names that is its own branch is walked once."""
    content = raw_pdf(
        b"<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles 4 0 R >> >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >>",
        b"<< /Kids [4 0 R 5 0 R 4 0 R] >>",
        b"<< /Names [(a) << /F (a.txt) /EF << /F 6 0 R >> >> (b) << /EF << /F 6 0 R >> >> (c) 4 0 R] >>",
        stream(b"words"),
    )
    assert (read(content).text, [part.name for part in read(content).parts]) == ("a.txt", ["a.txt"])


def test_a_scan_with_a_long_note_still_waits() -> None:
    """What is pinned to a page does not make its picture a text."""

    def pin(page: Any) -> None:
        page.add_text_annot((300, 100), "words " * 100)

    assert shape(read(drawn_pdf(both(image(1), pin)))) == (1, True, False)


def test_words_in_shapes_are_letters() -> None:
    """Arabic letters as a font shapes them are the letters that people type."""
    arabic = "\u0627\ufee7\ufeee\u0627\ufec9"
    unicodes = b"1 begincodespacerange <00> <ff> endcodespacerange 5 beginbfchar %s endbfchar" % b" ".join(
        b"<%02x> <%04x>" % (0x41 + place, ord(letter)) for place, letter in enumerate(arabic)
    )
    content = raw_pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
        stream(b"BT /F 12 Tf 50 700 Td (EDCBA) Tj ET"),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
        stream(unicodes),
    )
    assert read(content).text == "\u0627\u0646\u0648\u0627\u0639"


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_page_that_is_turned(degrees: int) -> None:
    """Its lines stay lines, in order."""

    def draw(page: Any) -> None:
        page.insert_text((50, 72), long_text(3))
        page.set_rotation(degrees)

    assert read(drawn_pdf(draw)).text == long_text(3)


def test_columns_are_read_one_after_the_other() -> None:
    """As they were written, and not line by line across them."""

    def draw(page: Any) -> None:
        page.insert_text((40, 72), "left one\nleft two\nleft three")
        page.insert_text((320, 72), "right one\nright two\nright three")

    text = read(drawn_pdf(draw)).text
    assert " ".join(text.split()) == "left one left two left three right one right two right three"


def test_what_stands_before_the_header() -> None:
    """Leading junk, as mail gateways and web servers leave it, is passed over."""
    assert read(b"HTTP/1.1 200 OK\r\n\r\n" + pdf("Mara Lindqvist")).text == "Mara Lindqvist"


@pytest.mark.parametrize("lost", [b"startxref\n", b"trailer", b"xref"])
def test_a_table_of_references_that_is_damaged(lost: bytes) -> None:
    """Is made anew from the objects."""
    whole = pdf("Mara Lindqvist", "Jon Doe")
    assert lost in whole
    assert read(whole.replace(lost, b"x" * len(lost))).text == "Mara Lindqvist\fJon Doe"


def test_bookmarks_are_not_repeated() -> None:
    """They name headings that stand on the pages."""
    with mupdf.open() as document:
        document.new_page().insert_text((50, 72), "Chapter one")
        document.set_toc([[1, "Chapter one", 1]])
        content = document.tobytes()
    assert read(content).text == "Chapter one"
