from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import reading
from mnemo_assets.text.reading import Text
from tests.text.invented_documents import zipped

Read = Callable[[bytes, str], Text]

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="x"/></rootfiles></container>'
)
METADATA = (
    '<dc:title>The Harbour</dc:title><dc:creator>Mara Lindqvist</dc:creator><dc:creator>Jon Doe</dc:creator>'
    '<dc:date opf:event="modification">2021-05-06</dc:date><dc:date>2020-03-04</dc:date>'
)  # fmt: skip
XHTML = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">'


def page(body: str, prolog: str = "") -> str:
    """An item of a book."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?>{prolog}<html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops"><head><title>unseen</title></head>'
        f"<body>{body}</body></html>"
    )


def book(
    *pages: str, spine: str = "", items: str = "", metadata: str = METADATA, prolog: str = "", **parts: str
) -> bytes:
    """A book; its pages are p1.xhtml and so on, other parts are named with `__` for a slash."""
    names = [f"p{number}" for number in range(1, len(pages) + 1)]
    listed = "".join(
        f'<item id="{name}" href="text/{name}.xhtml" media-type="application/xhtml+xml"/>' for name in names
    )
    order = spine or "".join(f'<itemref idref="{name}"/>' for name in names)
    package = (
        f'{prolog}<package xmlns="http://www.idpf.org/2007/opf" xmlns:opf="http://www.idpf.org/2007/opf" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>{metadata}</metadata>'
        f"<manifest>{listed}{items}</manifest><spine>{order}</spine></package>"
    )
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "OEBPS/book.opf": package,
            **{f"OEBPS/text/{name}.xhtml": content for name, content in zip(names, pages, strict=True)},
            **{name.replace("__", "/") + ".xml": content for name, content in parts.items()},
        }
    )


def read(content: bytes) -> Text:
    return reading.read(io.BytesIO(content), "epub")


def refusal(content: bytes) -> ErrorClass:
    with pytest.raises(ReadingError) as refused:
        read(content)
    return refused.value.error_class


def test_the_spine_is_the_order_of_the_pages() -> None:
    """What the spine says, also beside the line, each item once and a page."""
    order = '<itemref idref="p2"/><itemref idref="p1" linear="no"/><itemref idref="p3"/><itemref idref="p2"/>'
    found = read(book(page("<p>one</p>"), page("<p>two</p>"), page("<p>three</p>"), spine=order))
    assert found.text.split("\f") == ["two", "one", "three"]
    assert len(found.page_starts) == 3


def test_a_book_says_what_it_is() -> None:
    """Title, authors and days, of EPUB 2 and of EPUB 3."""
    found = read(book(page("text"))).metadata
    assert (found.title, found.author) == ("The Harbour", "Mara Lindqvist, Jon Doe")
    assert (found.created, found.modified) == (date(2020, 3, 4), date(2021, 5, 6))
    third = '<meta property="dcterms:modified">2022-07-08T00:00:00Z</meta>'
    assert read(book(page("text"), metadata=third)).metadata.modified == date(2022, 7, 8)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (page("fish&nbsp;&amp; chips &eacute;", XHTML), "fish & chips é"),
        (page("a&x;b", '<!DOCTYPE html [<!ENTITY x "y"> <!ENTITY z "]>">]>'), "a&x;b"),
        (page('<a id="x"/>one<script src="x"/><div class="y" />two<br/>three'), "one\ntwo\nthree"),
        (page("<![CDATA[a < b]]>"), "a < b"),
        (page('<nav epub:type="toc"><a href="x">Chapter</a></nav><h1>Chapter</h1>'), "Chapter"),
        ("<html><head><title/></head><body><p>seen</p></body></html>", "seen"),
        ('<svg xmlns="http://www.w3.org/2000/svg"><text>drawn</text></svg>', "drawn"),
    ],
)  # fmt: skip
def test_a_page_is_read_as_it_is_shown(content: str, expected: str) -> None:
    """XHTML with a document type, empty elements and CDATA loses nothing; the contents are not repeated."""
    assert read(book(content)).text == expected


def test_what_is_missing_or_damaged_does_not_lose_the_rest() -> None:
    """Items without a part, outside of the book, not well-formed, of other kinds, without an entry."""
    items = (
        '<item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="out" href="../../../etc/passwd" media-type="text/html"/>'
        '<item id="scan" href="scan.png" media-type="image/png" fallback="p1"/>'
        '<item id="loop" href="a.pdf" media-type="application/pdf" fallback="loop"/>'
    )
    names = ("gone", "out", "loop", "none", "scan", "p2")
    order = "".join(f'<itemref idref="{name}"/>' for name in names)
    found = read(book(page("<p>one"), "<p>two <b>bold", spine=order, items=items))
    assert found.text.split("\f") == ["", "", "one", "two bold"]


@pytest.mark.parametrize(
    "prolog", ["<!DOCTYPE package SYSTEM 'oeb.dtd'>", "<!DOCTYPE p [<!ENTITY a 'b'>]>", "<broken"]
)
def test_a_book_without_an_order_is_read_by_name(prolog: str) -> None:
    """A package document may name its type; one that is damaged leaves the pages in the order of names."""
    assert read(book(page("one"), page("two"), prolog=prolog)).text == "one\ftwo"


def test_rights_management_is_encryption() -> None:
    """A locked page is said to be locked; a font that is hidden locks nothing."""

    def encryption(algorithm: str, part: str) -> str:
        return (
            f'<encryption><EncryptedData><EncryptionMethod Algorithm="{algorithm}"/><CipherData>'
            f'<CipherReference URI="{part}"/></CipherData></EncryptedData></encryption>'
        )

    aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    locked = encryption(aes, "OEBPS/text/p1.xhtml")
    assert refusal(book(page("x"), **{"META-INF__encryption": locked})) is ErrorClass.ENCRYPTED
    for harmless in (encryption("http://www.idpf.org/2008/embedding", "OEBPS/text/p1.xhtml"), "<broken"):
        assert read(book(page("x"), **{"META-INF__encryption": harmless})).text == "x"


def test_nothing_to_read_is_damage() -> None:
    """A book without a page, and one whose pages have no word."""
    assert refusal(zipped({"mimetype": "application/epub+zip"})) is ErrorClass.CORRUPT
    assert refusal(book(page("<img src='scan.png'/>"))) is ErrorClass.NO_TEXT


def test_a_bomb_ends_by_its_size(read: Read) -> None:
    """Pages that unpack to more than a book may have, one or many."""
    big = page("a " * 40_000_000)
    for content in (book(big), book(*[page("b " * 4_000_000)] * 12)):
        with pytest.raises(ReadingError) as refused:
            read(content, "epub")
        assert refused.value.error_class in {ErrorClass.TOO_LARGE, ErrorClass.TIMED_OUT}
