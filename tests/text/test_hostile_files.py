"""Files made to hurt: each ends in text or in an error with a name, within 4 seconds and 512 MB."""

from __future__ import annotations

import io
import os
import random
import struct
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import warmth
from mnemo_assets.text.pages import MAX_TEXT, MAX_TEXT_BYTES
from mnemo_assets.text.pdf import part
from mnemo_assets.text.reading import Text
from tests.text.invented_documents import docx, mupdf, paragraph
from tests.text.invented_documents import pdf as written_pdf

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.text.sandbox import Sandbox

Read = Callable[[bytes, str], Text]

TIMEOUT, MEMORY, LARGE, CORRUPT = (
    ErrorClass.TIMED_OUT,
    ErrorClass.READER_MEMORY,
    ErrorClass.TOO_LARGE,
    ErrorClass.CORRUPT,
)


def outcome(read: Read, content: bytes, ext: str) -> str:
    """The text, or the class of the error."""
    try:
        return read(content, ext).text
    except ReadingError as error:
        return error.error_class


def pdf(*objects: bytes) -> bytes:
    """A PDF of raw objects without a table of references, which readers then make."""
    body = b"".join(b"%d 0 obj %s endobj\n" % (number, content) for number, content in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer << /Root 1 0 R >>"


#: Documents of each kind, whole.
DAMAGED = [
    *warmth.samples(),
    ("docx", docx(paragraph("Dear Ada") * 500)),
    ("pdf", written_pdf(*["Dear Ada"] * 9)),
]

CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R >>"


def test_a_docx_bomb_of_text(read: Read) -> None:
    """A kilobyte that unpacks to more text than a document may have."""
    assert outcome(read, docx(paragraph("bomb " * (MAX_TEXT // 5 + 1))), "docx") == LARGE


def test_a_docx_bomb_of_markup(read: Read) -> None:
    """A hundred megabytes of tags without a word end by size, time or memory, not in the machine's."""
    assert outcome(read, docx("<w:p/>" * 20_000_000), "docx") in {LARGE, TIMEOUT}


def test_a_docx_of_entities(read: Read) -> None:
    """A billion laughs are refused at the first."""
    laughs = "".join(f'<!ENTITY l{n} "&l{n - 1};&l{n - 1};">' for n in range(1, 40))
    prolog = f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]>'
    assert outcome(read, docx(paragraph("&l39;"), prolog=prolog), "docx") == CORRUPT


def test_a_deep_page(read: Read) -> None:
    """200,000 elements in one another take a parser minutes: the time runs out, or the text is there."""
    assert outcome(read, b"<div>" * 200_000 + b"deep", "html") in {TIMEOUT, "deep"}


def test_a_page_of_formatting(read: Read) -> None:
    """Formatting that is never closed is opened again in each paragraph."""
    assert outcome(read, b"<b><i><u><p>" * 20_000 + b"deep", "html") in {TIMEOUT, MEMORY, "deep"}


def test_a_deep_mail(read: Read) -> None:
    """Parts in parts, 2,000 deep."""
    opened = "".join(f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(2000))
    assert outcome(read, f"Subject: x\n{opened}\ndeep".encode(), "eml") == CORRUPT


def test_a_mail_of_addresses(read: Read) -> None:
    """A header that its parser takes quadratic time for."""
    assert outcome(read, b"To: " + b'"(,<' * 100_000 + b"\n\nDear Jon", "eml").endswith("Dear Jon")


def test_a_pdf_of_pages(read: Read) -> None:
    """A kilobyte that says it is 100,000 pages, most of them the same."""
    kids = b" ".join([b"3 0 R"] * 100_000)
    content = pdf(
        CATALOG, b"<< /Type /Pages /Count 100000 /Kids [%s] >>" % kids, PAGE, b"<< >> stream\n\nendstream"
    )
    assert outcome(read, content, "pdf") in {TIMEOUT, CORRUPT, ""}


def test_a_pdf_of_pages_that_loop(read: Read) -> None:
    """A page tree that is its own branch."""
    content = pdf(CATALOG, b"<< /Type /Pages /Count 9999999 /Kids [2 0 R 2 0 R] >>")
    assert outcome(read, content, "pdf") in {TIMEOUT, CORRUPT}


def test_a_pdf_bomb(read: Read) -> None:
    """A page whose drawing unpacks to a quarter of a gigabyte."""
    once = zlib.compress(zlib.compress(bytes(1 << 28), 1), 9)
    stream = b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >> stream\n%s\nendstream" % (len(once), once)
    content = pdf(CATALOG, b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>", PAGE, stream)
    assert outcome(read, content, "pdf") in {TIMEOUT, MEMORY, ""}


def test_combining_marks(read: Read) -> None:
    """Marks that Unicode has to sort take quadratic time: the reader's, not mnemo's."""
    assert outcome(read, ("a" + "\u0301\u0323" * 400_000).encode(), "txt") == TIMEOUT


def test_damage_has_a_name(read: Read) -> None:
    """Documents with bytes changed, cut and doubled are read, or are damaged: no reader breaks on them."""
    chooser = random.Random(11)
    for number in range(120):
        ext, content = chooser.choice(DAMAGED)
        damaged, place = bytearray(content), chooser.randrange(len(content))
        if number % 3 == 0:
            del damaged[place:]
        elif number % 3 == 1:
            damaged[place:place] = damaged[chooser.randrange(len(content)) :][:500]
        for _ in range(chooser.choice((1, 5, 50)) if damaged else 0):
            damaged[chooser.randrange(len(damaged))] = chooser.randrange(256)
        assert outcome(read, bytes(damaged), ext) not in {ErrorClass.READER_CRASHED, TIMEOUT, MEMORY}


def test_a_huge_csv(real_sandbox: Sandbox, tmp_path: Path) -> None:
    """Gigabytes of text are refused unread."""
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.write(b"a,b,c\n" * 20_000)
        file.truncate(2 << 30)
    with path.open("rb") as file, pytest.raises(ReadingError) as refused:
        real_sandbox.read(file.fileno(), "csv")
    assert refused.value.error_class is LARGE
    assert path.stat().st_size > MAX_TEXT_BYTES


def test_a_file_that_shrinks_under_the_reader(real_sandbox: Sandbox, tmp_path: Path) -> None:
    """A file cut while it is open is damage, and no end of mnemo."""
    path = tmp_path / "cut.pdf"
    path.write_bytes(b"%PDF-1.4\n" + bytes(100_000))
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.truncate(path, 9)
        with pytest.raises(ReadingError) as refused:
            real_sandbox.read(descriptor, "pdf")
    finally:
        os.close(descriptor)
    assert refused.value.error_class is CORRUPT


FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
WORDS = b"BT /F 12 Tf 50 700 Td (Mara Lindqvist) Tj ET"


def stream(data: bytes, keys: bytes = b"") -> bytes:
    """A stream of a PDF."""
    return b"<< /Length %d %s >> stream\n%s\nendstream" % (len(data), keys, data)


def twice(data: bytes) -> bytes:
    """A stream that unpacks twice."""
    packed = zlib.compress(zlib.compress(data, 1), 9)
    return stream(packed, b"/Filter [/FlateDecode /FlateDecode]")


def one_page(
    *more: bytes,
    contents: bytes = stream(WORDS),
    page: bytes = b"",
    things: bytes = b"",
    catalog: bytes = b"",
) -> bytes:
    """A PDF of a page with words; `more` objects are 6 and on, `things` are resources beside the font."""
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog,
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources "
        b"<< /Font << /F 5 0 R >> %s >> %s >>" % (things, page),
        contents,
        FONT,
        *more,
    )


def test_a_picture_of_billions(read: Read) -> None:
    """A picture of 60,000 by 60,000 points is looked at from outside: 10 GB are never unpacked."""
    keys = b"/Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8 /ColorSpace /DeviceRGB"
    picture = stream(zlib.compress(bytes(1 << 20)), keys + b" /Filter /FlateDecode")
    content = one_page(
        picture,
        contents=stream(b"q 600 0 0 800 0 0 cm /I Do Q " + WORDS),
        things=b"/XObject << /I 6 0 R >>",
    )
    text = read(content, "pdf")
    assert (text.text, text.pages_awaiting_ocr) == ("Mara Lindqvist", 1)


def test_a_form_that_draws_itself(read: Read) -> None:
    """Once."""
    form = stream(b"/X Do /X Do", b"/Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>")
    content = one_page(form, contents=stream(WORDS + b" /X Do /X Do"), things=b"/XObject << /X 6 0 R >>")
    assert outcome(read, content, "pdf") == "Mara Lindqvist"


def test_forms_that_draw_four_others(read: Read) -> None:
    """Twenty deep: 4 to the power of 20 lines in 4 KB."""
    keys = (
        b"/Subtype /Form /BBox [0 0 900 900] /Resources << /Font << /F 5 0 R >> /XObject << /X %d 0 R >> >>"
    )
    forms = [stream(b"/X Do " * 4, keys % (7 + number)) for number in range(19)]
    content = one_page(
        *forms, stream(WORDS, keys % 5), contents=stream(b"/X Do"), things=b"/XObject << /X 6 0 R >>"
    )
    assert outcome(read, content, "pdf") in {TIMEOUT, MEMORY}


def test_a_page_of_one_endless_text(read: Read) -> None:
    """60 million letters on a page, in 200 KB."""
    letters = b"(bomb bomb bomb bomb bomb bomb bomb bomb) Tj " * 1_500_000
    packed = zlib.compress(b"BT /F 12 Tf 50 700 Td " + letters + b" ET", 9)
    content = one_page(contents=stream(packed, b"/Filter /FlateDecode"))
    assert outcome(read, content, "pdf") in {TIMEOUT, MEMORY, LARGE}


def test_objects_in_a_bomb(read: Read) -> None:
    """The page is an object packed, twice, into half a gigabyte: it cannot be found, and that is said."""
    bomb = zlib.compress(zlib.compress(b"3 0 4 60 " + b" " * (1 << 29), 1), 9)
    held, places = bytearray(b"%PDF-1.5\n"), {}
    for number, content in {
        1: CATALOG,
        2: b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        6: stream(bomb, b"/Type /ObjStm /N 2 /First 12 /Filter [/FlateDecode /FlateDecode]"),
    }.items():
        places[number] = len(held)
        held += b"%d 0 obj %s endobj\n" % (number, content)
    rows = [(0, 0, 255), (1, places[1], 0), (1, places[2], 0), (2, 6, 0), (2, 6, 1), (0, 0, 0)]
    rows += [(1, places[6], 0), (1, len(held), 0)]
    table = b"".join(struct.pack(">BIB", *row) for row in rows)
    end = b"startxref\n%d\n%%%%EOF" % len(held)
    held += b"7 0 obj %s endobj\n" % stream(table, b"/Type /XRef /Size 8 /W [1 4 1] /Root 1 0 R")
    assert outcome(read, bytes(held) + end, "pdf") in {CORRUPT, MEMORY}


def test_a_table_of_two_billion_objects(read: Read) -> None:
    """A number in the table of references is no reason to take memory."""
    head = b"%PDF-1.5\n1 0 obj " + CATALOG + b" endobj\n"
    keys = b"/Type /XRef /Size 2147483647 /Index [0 2147483647] /W [1 4 1] /Root 1 0 R"
    content = b"%s7 0 obj %s endobj\nstartxref\n%d\n%%%%EOF" % (head, stream(bytes(60), keys), len(head))
    assert outcome(read, content, "pdf") == CORRUPT


def test_a_structure_100000_deep(read: Read) -> None:
    """Is more than MuPDF parses; the document is damaged."""
    deep = b"/StructTreeRoot << /K %s %s >>" % (b"[ " * 100_000, b"] " * 100_000)
    assert outcome(read, one_page(catalog=deep), "pdf") == CORRUPT


def test_a_structure_of_elements(read: Read) -> None:
    """So many are looked at; the rest of the document is read."""
    wide = b"/StructTreeRoot << /K [%s] >>" % (b"<< /S /P /K [<< >> << >>] >> " * 60_000)
    assert outcome(read, one_page(catalog=wide), "pdf") == "Mara Lindqvist"


def test_nothing_in_a_pdf_is_run(read: Read) -> None:
    """Scripts, programs, addresses and remote files, at every event that a viewer knows."""
    endless = b"<< /S /JavaScript /JS (while\\(true\\){}) >>"
    launch, visit = b"<< /S /Launch /F (/bin/true) >>", b"<< /S /URI /URI (http://127.0.0.1:9/) >>"
    value = b"<< /S /JavaScript /JS (event.value = 'run') >>"
    field = (
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (sum) /V (4711) /Rect [9 9 99 30] "
        b"/AA << /C %s /F %s /V %s /K %s >> >>" % (value, value, value, value)
    )
    content = one_page(
        field,
        page=b"/AA << /O %s >> /Annots [6 0 R << /Subtype /Link /Rect [0 0 99 99] /A %s >>]"
        % (visit, launch),
        catalog=b"/OpenAction %s /AA << /WC %s >> /Names << /JavaScript << /Names [(a) %s] >> >> "
        b"/AcroForm << /Fields [6 0 R] /CO [6 0 R] >>" % (endless, launch, endless),
    )
    assert outcome(read, content, "pdf") == "Mara Lindqvist\n4711"


def test_a_field_that_is_its_own_part(read: Read) -> None:
    """Damage in what is pinned to a page does not take the page along."""
    field = b"<< /Subtype /Widget /FT /Tx /Parent 6 0 R /Rect [9 9 99 30] >>"
    assert outcome(read, one_page(field, page=b"/Annots [6 0 R]"), "pdf") == "Mara Lindqvist"


def test_an_embedded_bomb(read: Read) -> None:
    """A gigabyte inside of a PDF is no part; its name and the text stay."""
    names = b"/Names << /EmbeddedFiles << /Names [(a) << /F (a.txt) /EF << /F 6 0 R >> >>] >> >>"
    text = read(one_page(twice(bytes(1 << 30)), catalog=names), "pdf")
    assert (text.text, text.parts) == ("Mara Lindqvist\na.txt", ())


def test_a_form_of_xml_that_is_a_bomb(read: Read) -> None:
    """Elements in one another, and more than a form may have, end the form; the page stays."""
    form = b"/NeedsRendering true /AcroForm << /XFA [(template) 6 0 R (datasets) 7 0 R] >>"
    content = one_page(twice(b"<a>" * (1 << 27)), twice(b"<data>" + b"<a>" * 5_000_000), catalog=form)
    assert outcome(read, content, "pdf") == "Mara Lindqvist"


def test_a_pdf_in_a_pdf(read: Read) -> None:
    """Six deep: each level has its words and its part, whose bytes are the next one."""
    content = written_pdf("level 6")
    for level in range(5, 0, -1):
        with mupdf.open() as document:
            document.new_page().insert_text((50, 72), f"level {level}")
            document.embfile_add("next", content, filename="next.pdf")
            content = document.tobytes()
    for level in range(1, 7):
        text = read(content, "pdf")
        assert text.text.split("\n")[0] == f"level {level}"
        assert [part.name for part in text.parts] == ["next.pdf"][: level != 6]
        if text.parts:
            content = part(io.BytesIO(content), text.parts[0].path)


@pytest.mark.parametrize("method", ["RC4_40", "RC4_128", "AES_128", "AES_256"])
def test_every_way_to_lock_a_pdf(read: Read, method: str) -> None:
    """Has one name."""
    way = getattr(mupdf, f"PDF_ENCRYPT_{method}")
    content = written_pdf("secret", encryption=way, owner_pw="o", user_pw="u")
    assert outcome(read, content, "pdf") == ErrorClass.ENCRYPTED


@pytest.mark.parametrize("tenths", range(10))
@pytest.mark.parametrize(
    ("ext", "content"), DAMAGED, ids=[f"{n}-{ext}" for n, (ext, _) in enumerate(DAMAGED)]
)
def test_cut_at_every_tenth(read: Read, ext: str, content: bytes, tenths: int) -> None:
    """A document that was copied in part is text, blank, or damaged."""
    cut = content[: len(content) * tenths // 10]
    ended = outcome(read, cut, ext)
    assert ended in {CORRUPT, ErrorClass.UNSUPPORTED, ErrorClass.NO_TEXT} or not isinstance(ended, ErrorClass)


@pytest.mark.parametrize("ext", ["txt", "csv", "md"])
def test_a_line_of_a_gigabyte(real_sandbox: Sandbox, tmp_path: Path, ext: str) -> None:
    """Of letters and then of holes, which take no disk: refused unread."""
    path = tmp_path / f"line.{ext}"
    with path.open("wb") as file:
        file.write(b"endless " * 10_000)
        file.truncate(1 << 30)
    with path.open("rb") as file, pytest.raises(ReadingError) as refused:
        real_sandbox.read(file.fileno(), ext)
    assert refused.value.error_class is LARGE


@pytest.mark.parametrize("ext", ["txt", "csv", "html", "eml"])
def test_a_line_of_ten_megabytes(read: Read, ext: str) -> None:
    """Is a line as others are."""
    content = {"html": b"<p>", "eml": b"Subject: x\n\n"}.get(ext, b"") + b"endless " * 1_250_000
    assert len(outcome(read, content, ext)) > 9_000_000
