from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.settings import Settings
from mnemo_assets.text import converter, reading
from mnemo_assets.text.sandbox import Sandbox
from tests.markers.formats import made
from tests.office_files import ODF
from tests.text.conftest import reading_of
from tests.text.fake_office import office
from tests.text.invented_documents import docx, paragraph
from tests.text.ole_files import ole

if TYPE_CHECKING:
    from collections.abc import Callable

needs_writer = pytest.mark.skipif(
    "doc" not in converter.kinds(), reason="needs LibreOffice: on Debian libreoffice-writer-nogui"
)
#: What every Word document of Word 97 and later begins its main stream with: [MS-DOC] 2.5.2.
FIB = bytes.fromhex("eca5c100")
WORD_2003 = """\
<?xml version="1.0" encoding="UTF-8" standalone="yes"?><?mso-application progid="Word.Document"?>
<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"><w:body>
<w:p><w:r><w:t>The ferry leaves at noon.</w:t></w:r></w:p></w:body></w:wordDocument>
"""
RICH = rb"""{\rtf1\ansi{\*\revtbl{Unknown;}{Ada;}}{\info{\title A letter}{\author Ada}}
{\header\pard marker-header{\field{\*\fldinst DATE}{\fldrslt 2 January 2001}}ends\par}
{\footer\pard marker-footer\par}
\pard marker-body\par
\pard dated {\field{\*\fldinst DATE}{\fldrslt 2 January 2001}}here\par
\pard {\revised\revauth1 marker-inserted}{\deleted\revauthdel1 marker-deleted}\par
\pard with a note{\footnote\pard marker-footnote}\par
\pard {\*\atnid A}{\*\atnauthor Ada}\chatn{\*\annotation\pard marker-comment}\par
\trowd\cellx3000\cellx6000\pard\intbl marker-cell\cell second\cell\row
\pard\par}
"""
PREFIXES = " ".join(
    f'xmlns:{name}="{ODF}:{name}:1.0"' for name in ("office", "text", "style", "presentation")
)
PREFIXES += f' xmlns:draw="{ODF}:drawing:1.0" xmlns:svg="{ODF}:svg-compatible:1.0"'
#: A slide with words, and with the day of today where its master has a place for it.
DATED = (
    f'<?xml version="1.0"?><office:document {PREFIXES} office:version="1.2" '
    'office:mimetype="application/vnd.oasis.opendocument.presentation"><office:automatic-styles>'
    '<style:page-layout style:name="P"/><style:style style:name="D" style:family="drawing-page">'
    '<style:drawing-page-properties presentation:display-date-time="true"/></style:style>'
    '</office:automatic-styles><office:master-styles><style:master-page style:name="M" '
    'style:page-layout-name="P"><draw:frame presentation:class="date-time" svg:width="6cm" '
    'svg:height="1cm"><draw:text-box><text:p><presentation:date-time/></text:p></draw:text-box>'
    "</draw:frame></style:master-page></office:master-styles><office:body><office:presentation>"
    '<presentation:date-time-decl presentation:name="T" presentation:source="current-date"/>'
    '<draw:page draw:master-page-name="M" draw:style-name="D" presentation:use-date-time-name="T">'
    '<draw:frame svg:width="20cm" svg:height="10cm"><draw:text-box><text:p>The ferry leaves at noon.'
    "</text:p></draw:text-box></draw:frame></draw:page></office:presentation></office:body>"
    "</office:document>"
)


def word(flags: int, **others: bytes) -> bytes:
    """A container with the beginning of a Word document."""
    fib = (FIB.ljust(10, b"\0") + flags.to_bytes(2, "little")).ljust(5000, b"\0")
    return ole({"WordDocument": fib, **others})


def slides(token: str, **others: bytes) -> bytes:
    """A container with the beginning of a presentation."""
    user = (bytes(12) + bytes.fromhex(token)).ljust(5000, b"\0")
    return ole({"PowerPoint Document": bytes(5000), "Current User": user, **others})


def outcome(content: bytes, ext: str) -> str:
    """The kind that is to be converted, or the class of the error, or "read"."""
    try:
        reading.read(io.BytesIO(content), ext)
    except reading.ConversionNeededError as needed:
        return needed.kind
    except ReadingError as error:
        return error.error_class.value
    return "read"


@pytest.mark.parametrize("ext", ["doc", "docx", "txt", "pdf"])
def test_a_word_document_is_converted_whatever_it_is_called(ext: str) -> None:
    """The streams of its container say what it is."""
    assert outcome(word(0x1000), ext) == "doc"


@pytest.mark.parametrize("ext", ["doc", "txt"])
def test_a_locked_document_is_known_before_anything_is_started(ext: str) -> None:
    """Word's flag, a presentation's token or summary, a package: it needs a password."""
    assert outcome(word(0x0100), ext) == "Encrypted"
    assert outcome(slides("dfc4d1f3"), ext) == "Encrypted"
    assert outcome(slides("5fc091e3", EncryptedSummary=bytes(5000)), ext) == "Encrypted"
    assert outcome(ole({"EncryptedPackage": bytes(5000)}), ext) == "Encrypted"


def test_what_is_called_doc_and_is_not_is_read_as_what_it_is() -> None:
    """Text, a page, a docx, and what nobody reads."""
    assert reading.read(io.BytesIO(b"Dear Ada"), "doc").text == "Dear Ada"
    assert reading.read(io.BytesIO(b"<html><p>Dear <b>Ada</b>"), "doc").text == "Dear Ada"
    assert reading.read(io.BytesIO(docx(paragraph("Dear Ada"))), "doc").text == "Dear Ada"
    assert outcome(b"\x89PNG\r\n\x1a\n" + bytes(40), "doc") == "Unsupported"
    assert outcome(bytes((7 * n * n + n // 3) % 256 for n in range(5000)), "doc") == "Corrupt"
    assert outcome(word(0)[:600], "doc") == "Corrupt"
    assert outcome(ole({"Workbook": bytes(5000)}), "doc") in {"Unsupported", "read", "Corrupt"}


def test_older_documents_are_left_to_libreoffice() -> None:
    """WordPerfect, Word 2, Word for DOS, Word 2003's XML, other containers; under their own name alone."""
    for beginning in (b"\xffWPC\x10\0\0\0\x01\x0a", b"\xdb\xa5\x2d\0", b"1\xbe\0\0\0\xab"):
        assert outcome(beginning + bytes(range(256)), "doc") == "doc"
        assert outcome(beginning + bytes(range(256)), "pdf") == "Corrupt"
    assert outcome(WORD_2003.encode(), "doc") == "doc"
    assert outcome(ole({"Other": bytes(5000)}), "doc") == "doc"
    assert outcome(ole({"Other": bytes(5000)}), "txt") == "Unsupported"


def test_the_result_is_read_in_the_sandbox(tmp_path: Path) -> None:
    """Whatever the program made: a document, none, one that is to be converted again, or an empty one."""
    (tmp_path / "made").mkdir()
    results = {
        "text": docx(paragraph("Dear Ada")),
        "Corrupt": b"PK\x03\x04 nothing",
        "ReaderCrashed": word(0),
        "NoText": docx(paragraph(" ")),
    }
    found: dict[str, object] = {}
    for name, content in results.items():
        fake = office(tmp_path, f"write(bytes.fromhex({content.hex()!r}))")
        with Sandbox(Settings(home=tmp_path), converter=fake) as sandbox:
            try:
                text = reading_of(sandbox, tmp_path / "made")(word(0), "doc")
                found[name] = text.text, text.reader, text.reader_version
            except ReadingError as error:
                found[error.error_class.value] = error.error_class
    doc = reading.READERS["doc"]
    assert found == {
        "text": ("Dear Ada", "doc", doc.version),
        "Corrupt": ErrorClass.CORRUPT,
        "ReaderCrashed": ErrorClass.READER_CRASHED,
        "NoText": ErrorClass.NO_TEXT,
    }


def test_its_version_rises_with_that_of_the_reader_of_its_result() -> None:
    """A better reader of docx is a better reader of doc."""
    assert reading.READERS["doc"].version >= reading.READERS["docx"].version
    assert reading.READERS["doc"].function == reading.READERS["docx"].function


@needs_writer
def test_a_real_document(tmp_path: Path) -> None:
    """What a person can see is there once, and neither what was deleted nor the day of the conversion."""
    old_letter = made(RICH, "rtf", "doc", "MS Word 97")
    with Sandbox(Settings(home=tmp_path / "home")) as sandbox:
        text = reading_of(sandbox, tmp_path)(old_letter, "doc")
    places = ("header", "body", "inserted", "footnote", "comment", "cell", "footer")
    assert {place: text.text.count(f"marker-{place}") for place in places} == dict.fromkeys(places, 1)
    assert "marker-cell\tsecond" in text.text
    assert "marker-deleted" not in text.text
    assert "marker-headerends" in text.text
    assert "dated here" in text.text
    assert (text.metadata.title, text.metadata.author) == ("A letter", "Ada")
    assert (text.reader, text.reader_version) == ("doc", reading.READERS["doc"].version)
    assert list((tmp_path / "home" / "scratch").iterdir()) == []


@pytest.mark.skipif(
    "ppt" not in converter.kinds(), reason="needs LibreOffice: on Debian libreoffice-impress-nogui"
)
def test_the_day_on_real_slides_is_not_that_of_the_conversion(tmp_path: Path) -> None:
    """It stands where a slide has its day, and that is left out: nobody saw it there."""
    with Sandbox(Settings(home=tmp_path)) as sandbox:
        text = reading_of(sandbox, tmp_path)(made(DATED.encode(), "fodp", "ppt", "MS PowerPoint 97"), "ppt")
    assert text.text == "The ferry leaves at noon."


@needs_writer
def test_word_2003s_xml_is_read(tmp_path: Path) -> None:
    """As a document, not as a text full of tags."""
    with Sandbox(Settings(home=tmp_path / "home")) as sandbox:
        assert reading_of(sandbox, tmp_path)(WORD_2003.encode(), "doc").text == "The ferry leaves at noon."


@needs_writer
@pytest.mark.parametrize("broken", [word(0x1000), ole({"Other": b"words of another kind " * 300})])
def test_a_document_that_libreoffice_cannot_read_is_no_empty_text(broken: bytes, tmp_path: Path) -> None:
    """It ends well, with nothing or with an empty document: neither passes for one that was read."""
    with Sandbox(Settings(home=tmp_path / "home")) as sandbox, pytest.raises(ReadingError) as refused:
        reading_of(sandbox, tmp_path)(broken, "doc")
    assert refused.value.error_class in {ErrorClass.CORRUPT, ErrorClass.NO_TEXT}


@needs_writer
def test_the_walls_stand_around_libreoffice(tmp_path: Path) -> None:
    """All those that the readers have on this machine; it says its version behind them."""
    with Sandbox(Settings(home=tmp_path)) as sandbox:
        of_readers = {wall.name: wall.in_force for wall in sandbox.walls()}
    version, walls = converter.Converter(tmp_path / "scratch").examined()
    assert version[0].isdigit()
    assert {wall.name: wall.in_force for wall in walls} == of_readers


def test_a_document_inside_of_a_document_goes_along(tmp_path: Path) -> None:
    """Its bytes are in the reader's process alone: they come out with the wish to convert them."""
    result = docx(paragraph("Ada")).hex()
    lines = f"assert document.read_bytes() == b'inner'; write(bytes.fromhex({result!r}))"
    with Sandbox(
        Settings(home=tmp_path),
        module="reader_of_parts",
        code=(Path(__file__).parent,),
        converter=office(tmp_path, lines),
    ) as sandbox:
        text = reading_of(sandbox, tmp_path)(b"From: Ada\ninner", "eml")
    assert (text.text, text.reader) == ("Ada", reading.READERS["eml"].name)


@pytest.mark.parametrize("kind", ["docx", "nonsense", 7, None, ["doc"]])
def test_only_what_converts_is_converted(attack: Callable[[str], str], kind: object) -> None:
    """A reader in a stranger's hands cannot have any other program started."""
    answer = json.dumps({"convert": kind}).encode()
    with pytest.raises(ReadingError) as refused:
        attack(f"say {(len(answer).to_bytes(4, 'big') + answer).hex()}")
    assert (refused.value.error_class, refused.value.detail) == (ErrorClass.READER_CRASHED, "answer")
