from __future__ import annotations

import io
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import drawn, reading
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
