from __future__ import annotations

import io
import random
import time
from collections.abc import Callable
from datetime import date

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import reading
from mnemo_assets.text.reading import Text

Read = Callable[[bytes, str], Text]

FONTS = r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset128 MS Gothic{\*\falt x};}}"


def rtf(body: str, head: str = r"\ansi\ansicpg1252\deff0" + FONTS) -> bytes:
    """A document of rich text."""
    return rf"{{\rtf1{head}\pard {body}}}".encode("latin-1")


def read(content: bytes) -> Text:
    return reading.read(io.BytesIO(content), "rtf")


def text(body: str) -> str:
    return read(rtf(body)).text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"Dear Ada,\par see you", "Dear Ada,\nsee you"),
        ("Dear\r\n Ada\\\r\nand\\\nJon", "Dear Ada\nand\nJon"),
        (r"a\tab b\line c\~d\_e\emdash\lquote f\rquote\{\}\\", "a\tb\nc d\u2011e—‘f’{}\\"),
        (r"{\b bo}ld {\i\v hidden}", "bold hidden"),
        (r"new {\revised in}{\deleted out}\deleted gone\deleted0 kept {\mvf away}", "new inkept"),
        (r"{\field{\*\fldinst HYPERLINK x}{\fldrslt link}}", "link"),
        (r"{\field{\*\fldinst FORMDROPDOWN{\*\formfield{\*\ffl red}{\*\ffl blue}}}{\fldrslt }}", "red blue"),
        (r"{\*\unknown no}{\stylesheet{\s0 Normal;}}{\xe no}{\*\generator no;}yes", "yes"),
        (r"{\pntext 1.\tab}one\par{\listtext 2.\tab}two", "1.\tone\n2.\ttwo"),
        (r"{\object{\*\objdata 00ff}{\result shown}}", "shown"),
        (r"{\upr{Gr?n}{\*\ud{Gr\u252?n}}}", "Grün"),
        (
            r"{\*\shppict{\pict{\*\picprop{\sp{\sn wzDescription}{\sv Tree}}}ffd8}}{\nonshppict{\pict ff}}a",
            "a\nTree",
        ),
        (r"{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt in}}{\shprslt{\*\do in}}}a\par b", "a\nin\nb"),
        (r"{\mmath{\*\moMath{\mr\mscr0 x+1}{\mrPr no}}}", "x+1"),
    ],
)  # fmt: skip
def test_the_body_is_read_in_its_order(body: str, expected: str) -> None:
    """What is seen, once, hidden text too; no deletion, template, code or copy for other programs."""
    assert text(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"Stra\'dfe \u8364?5 \u8364\'80", "Straße €5 €"),
        (r"\uc2\u8364 ??x\uc0\u8364 y{\uc1\u8364 ?}z", "€x€y€z"),
        (r"\f1 \'cf\'f0\'e8\'e2\'e5\'f2 \f0\'e4 {\f1\'ff}\'e4", "Привет ä яä"),
        (r"\f2 \'93\'fa\'96\'7b", "日本"),
        (r"\u-10179?\u-8704?!", "😀!"),
        (r"a\u-10179?b", "a\ufffdb"),
    ],
)
def test_characters_are_what_the_code_page_says(body: str, expected: str) -> None:
    """Those of the document and of each font, bytes that need one another, and Unicode with its stand-ins."""
    assert text(body) == expected


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        (r"\ansi\ansicpg1250", r"P\'f8\'edli\'9a", "Příliš"),
        (r"\mac", r"\'8a", "ä"),
        (r"\pc", r"\'84", "ä"),
        (r"\ansi\ansicpg99999", r"\'e4", "ä"),
        (r"\ansi\ansicpg1200", r"\'e4", "ä"),
        (r"\ansi\ansicpg1252\deff7{\fonttbl{\f7\fcharset238 X;}}", r"\'f8 \plain\'f8", "ř ř"),
        (r"\ansi\ansicpg1251{\fonttbl{\f0\fcharset0 X;}}", r"\f0\'ff", "я"),
    ],
)
def test_the_document_has_a_code_page(head: str, body: str, expected: str) -> None:
    """Any that is known; another one is that of Windows."""
    assert read(rtf(body, head)).text == expected


def test_rows_are_kept() -> None:
    """Lines of a cell are one, tables in cells keep their rows, and a row without an end is one."""
    outer = r"\trowd\pard\intbl a\par b\cell c\cell\row \trowd\pard\intbl d\cell\cell\row\pard after\par "
    assert text(outer) == "a b\tc\nd\nafter"
    inner = (
        r"\trowd\pard\intbl x\par\pard\intbl\itap2 i\nestcell j\nestcell{\*\nesttableprops\trowd\nestrow}"
        r"{\nonesttables\par}\pard\intbl\itap2 k\nestcell l\nestcell{\*\nesttableprops\trowd\nestrow}"
        r"\pard\intbl\itap1 y\cell z\cell\row\pard after"
    )
    assert text(inner) == "x\ni\tj\nk\tl\ny\tz\nafter"
    assert text(r"before\par\trowd\pard\intbl a\cell b\cell") == "before\na\tb"


def test_notes_stand_on_the_page_that_refers_to_them() -> None:
    """Headers first and footers last, once each; notes and comments, with their author, on their page."""
    body = (
        r"{\header HEAD\par}{\footer FOOT\par}one{\footnote\pard a {\b footnote}}\par\page "
        r"{\*\atnid JD}{\*\atnauthor Jon Doe}\chatn{\*\annotation{\*\atndate 1}check}two"
        r"{\*\footnote\ftnalt an endnote}\par\sect\sectd{\header HEAD\par}three"
    )
    pages = [page.split("\n\n") for page in text(body).split("\f")]
    assert pages == [
        ["HEAD", "one", "a footnote"],
        ["two", "Jon Doe: check", "an endnote"],
        ["three", "FOOT"],
    ]


@pytest.mark.parametrize(
    ("body", "pages"),
    [
        (r"one\page two", 2),
        (r"one\page\page two", 2),
        (r"one\par\sect\sectd two", 2),
        (r"one\par\sect\sectd\sbknone two\par\sect\sectd\sbknone three", 2),
        (r"one\par\pard\pagebb two", 2),
        (r"\trowd\pard\intbl a\cell\softpage b\cell\row\pard", 1),
        (r"one\par\trowd\pard\intbl a\cell\softpage b\cell\row\pard", 2),
        (r"{\footnote a\page b}c", 1),
    ],
)
def test_a_page_ends_where_the_document_says(body: str, pages: int) -> None:
    """Breaks of pages and sections, once each, and before a row rather than inside of it."""
    found = read(rtf(body))
    assert len(found.page_starts) == pages
    assert all(page.strip() for page in found.text.split("\f"))


def test_a_document_says_what_it_is() -> None:
    """Title, author and days; a day that nobody set is none."""
    info = (
        r"{\info{\title Gr\'fc\u223?e}{\author Ada}{\operator Jon}{\creatim\yr2020\mo3\dy4\hr10}"
        r"{\revtim\yr2021\mo5\dy6}{\printim\yr1601\mo1\dy1}}"
    )
    found = read(rtf(info + "text")).metadata
    assert (found.title, found.author) == ("Grüße", "Ada")
    assert (found.created, found.modified) == (date(2020, 3, 4), date(2021, 5, 6))
    assert read(rtf(r"{\info{\creatim\yr0\mo0\dy0}}x")).metadata.created is None


def test_a_broken_document_keeps_its_text() -> None:
    """Groups that are not closed, or closed too often, and what follows the end."""
    assert read(rb"{\rtf1 {\b one {\footnote two").text == "one\n\ntwo"
    assert read(rb"{\rtf1 one}} two").text == "one two"
    assert read(b"\r\n {\\rtf1 one\\").text == "one"


def test_pictures_alone_are_no_text() -> None:
    """There is something, and it has no word."""
    with pytest.raises(ReadingError) as refused:
        read(rtf(r"{\pict\pngblip 89504e47}"))
    assert refused.value.error_class is ErrorClass.NO_TEXT


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("{" * 200_000 + "deep" + "}" * 200_000, "deep"),
        (r"{\pict" * 100_000 + "ff" + "}" * 100_000 + "end", "end"),
        (r"\trowd\intbl\itap999999999 a\nestcell" * 5_000 + r"\nestrow\cell\row end", "end"),
        (r"{\*\bin2147483647 x}end", ""),
        (r"a\bin-5 b\bin3 \}{c", "abc"),
        (r"\u8364?" * 200_000 + "end", "end"),
        (r"{\footnote" * 20_000 + " deep", "deep"),
        (r"\uc2147483647\u65?" + "x" * 9 + r"\uc1 end", "A"),
    ],
)
def test_hostile_documents_end_soon(body: str, expected: str, read: Read) -> None:
    """Depth, tables in tables, binary data that is not there, stand-ins without end: text, within walls."""
    try:
        assert read(rtf(body), "rtf").text.endswith(expected)
    except ReadingError as refused:
        assert (refused.error_class, expected) == (ErrorClass.NO_TEXT, "")  # noqa: PT017 - text is as good


def test_damage_never_breaks_the_reader() -> None:
    """Bytes changed, cut and doubled at random: a text, or none."""
    whole = rtf(
        r"{\info{\title T}}{\header h}a{\footnote f}\trowd\intbl b\cell{\*\nesttableprops\nestrow}c\nestcell"
        r"\cell\row{\shp{\*\shpinst{\shptxt s}}}\u8364?\'e4\page{\*\annotation x}{\upr{a}{\*\ud b}}"
    )
    chooser, begun = random.Random(3), time.process_time()
    for _ in range(1500):
        damaged = bytearray(whole)
        place = chooser.randrange(6, len(whole))
        damaged[place:place] = damaged[chooser.randrange(6, len(whole)) :][: chooser.randrange(60)]
        for _ in range(chooser.choice((0, 2, 20))):
            damaged[chooser.randrange(6, len(damaged))] = chooser.choice(rb"{}\'0a ")
        try:
            read(bytes(damaged))
        except ReadingError as refused:
            assert refused.error_class is ErrorClass.NO_TEXT  # noqa: PT017 - most are read
    assert time.process_time() - begun < 30
