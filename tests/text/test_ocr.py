from __future__ import annotations

import os
import threading
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymupdf
import pytest

from mnemo_assets.errors import ErrorClass, ReadingError, RecognitionError
from mnemo_assets.settings import Settings
from mnemo_assets.text import blend, drawing, ocr, pdf, pictures, reading, walled
from mnemo_assets.text.blend import Recognitions
from mnemo_assets.text.ocr import Recognised
from mnemo_assets.text.pages import Pages
from mnemo_assets.text.pictures import DPI, MAX_DOTS, MAX_SIDE, Picture
from mnemo_assets.text.reading import READERS, text_of
from tests.scans import (
    BRIEF,
    LETTER,
    PYTHON,
    born_digital_and_scanned,
    drawn,
    fake_tesseract,
    needs_tesseract,
    recall,
    scanned,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemo_assets.text.sandbox import Sandbox

_mupdf: Any = pymupdf
WHITE = Picture(2, 2, DPI, b"\xff" * 4)
TSV = (
    "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"
    "1\t1\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t\n"
    "5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t90\tDear\n"
    "5\t1\t1\t1\t1\t2\t0\t0\t9\t9\t60\tAda,\n"
    "5\t1\t1\t1\t2\t1\t0\t0\t9\t9\t95\t \n"
    "5\t1\t1\t2\t1\t1\t0\t0\t9\t9\t30\tit\n"
    "5\t1\t1\t2\t2\t1\t0\t0\t9\t9\t30\trains\n"
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, ocr_languages=("eng",), workers=2)


@pytest.fixture
def faked(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., ocr.Tesseract]:
    """An engine whose program does what it is told."""

    def fake(body: str, *, seconds: int = 60, languages: str = "eng osd") -> ocr.Tesseract:
        program = fake_tesseract(tmp_path / "bin", body, languages=languages)
        monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
        monkeypatch.setattr(walled, "SYSTEM", (*walled.SYSTEM, PYTHON))
        return ocr.engine(settings.model_copy(update={"ocr_seconds": seconds}))

    return fake


def pictured(sandbox: Sandbox, folder: Path, document: bytes, page: int = 1) -> Picture:
    path = folder / "document"
    path.write_bytes(document)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return sandbox.picture(descriptor, "pdf", page)
    finally:
        os.close(descriptor)


@pytest.fixture
def look(real_sandbox: Sandbox, tmp_path: Path) -> Callable[..., Picture]:
    """Draws a page of a document in the sandbox."""
    return lambda document, page=1: pictured(real_sandbox, tmp_path, document, page)


@needs_tesseract
@pytest.mark.parametrize(
    ("text", "languages", "scanner"),
    [
        (LETTER, ("eng",), (200, 0.0)),
        (LETTER, ("eng",), (300, 2.0)),
        (BRIEF, ("deu",), (200, 0.0)),
        (LETTER, ("eng", "deu"), (150, -1.5)),
        (LETTER, ("eng",), (200, 90.0)),
        (LETTER, ("eng",), (200, 180.0)),
    ],
)
def test_scans_are_read(
    look: Callable[..., Picture],
    settings: Settings,
    text: str,
    languages: tuple[str, ...],
    scanner: tuple[int, float],
) -> None:
    """At least 95 of 100 words of a scan are found: skewed, on its side, upside down, with umlauts."""
    engine = ocr.find(settings.model_copy(update={"ocr_languages": languages}))
    if engine.lacking():
        pytest.skip(f"tesseract lacks {engine.lacking()}")
    picture = look(scanned(text, dpi=scanner[0], rotate=scanner[1]))
    found = engine.recognise(picture, None)
    assert recall(text, found.text) >= 0.95
    assert found.languages == "+".join(languages)
    assert found.confidence is not None
    assert found.confidence > 80
    assert found.words == len(found.text.split())


@needs_tesseract
def test_columns_are_read_one_after_the_other(
    real_sandbox: Sandbox, settings: Settings, tmp_path: Path
) -> None:
    """The lines of two columns do not run into each other."""
    left = (
        "The harbour was closed in the\nwinter of that year, as ice had\ncome further south than ever.\n" * 6
    )
    right = "Nobody knew when ships would\nsail again, and bread became\ndear in all of the islands.\n" * 6
    with drawn(left, box=(50, 60, 280, 800)) as page:
        page[0].insert_textbox((315, 60, 560, 800), right, fontsize=11, fontname="helv")
        with _mupdf.open() as document:
            paper = document.new_page(width=595, height=842)
            paper.insert_image(paper.rect, pixmap=page[0].get_pixmap(dpi=200))
            made = document.tobytes()
    found = ocr.engine(settings).recognise(pictured(real_sandbox, tmp_path, made), None)
    assert recall(left + right, found.text) >= 0.95
    assert found.text.index("Nobody") > found.text.rindex("further south")


@needs_tesseract
def test_a_page_without_words_is_no_failure(settings: Settings) -> None:
    """White paper is read, and has nothing on it."""
    blank = Picture(600, 800, 72, b"\xff" * 480_000)
    assert ocr.engine(settings).recognise(blank, None) == Recognised("", 0, None, "eng")


def test_an_answer_in_values() -> None:
    """Words make lines and paragraphs; the confidence is their mean by length."""
    assert ocr.parse(TSV.encode()) == ("Dear Ada,\n\nit\nrains", 4, (4 * 90 + 4 * 60 + 7 * 30) / 15)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"words",
        b"\xff\xfe",
        TSV.replace("conf", "x").encode(),
        TSV.replace("\n5", "\nx").encode(),
        TSV.replace("90", "very").encode(),
    ],
)
def test_an_answer_that_is_none(answer: bytes) -> None:
    """What is not tesseract's table is not believed."""
    with pytest.raises(ReadingError) as refused:
        ocr.parse(answer)
    assert (refused.value.error_class, refused.value.detail) == (ErrorClass.OCR_FAILED, "answer")


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("time.sleep(900)", "clock"),
        ("while True: pass", "processor"),
        ("os.abort()", "signal 11"),  # it may not send itself the signal that it wants
        ("sys.exit(3)", "exit 3"),
        ('print("%PDF-1.7")', "answer"),
        ('sys.stdout.buffer.write(b"\\xff" * 1000)', "answer"),
        ("while True: os.write(1, bytes(65536))", "output"),
        ("page = bytearray(1 << 33)", "exit 1"),
    ],
)
def test_a_program_that_does_not_answer(
    faked: Callable[..., ocr.Tesseract], monkeypatch: pytest.MonkeyPatch, body: str, detail: str
) -> None:
    """It ends, within its bounds, and is a failure of that page."""
    monkeypatch.setattr(walled, "SLACK", 1.0)
    with pytest.raises(ReadingError) as failed:
        faked(body, seconds=1).recognise(WHITE, None)
    assert (failed.value.error_class, failed.value.detail) == (ErrorClass.OCR_FAILED, detail)


def test_a_program_that_does_not_read_its_input(faked: Callable[..., ocr.Tesseract]) -> None:
    """The picture need not be taken: what is answered counts."""
    large = Picture(4000, 4000, DPI, bytes(16_000_000))
    engine = faked("say('x')")
    program = Path(engine.program)
    program.write_text(program.read_text().replace("page = sys.stdin.buffer.read()", "page = b''"))
    assert engine.recognise(large, None).text == "x"


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="these walls are Linux's")
@pytest.mark.parametrize(
    "attempt",
    [
        "open('/etc/passwd')",
        "open('/proc/self/environ')",
        "open(os.path.expanduser('~/written'), 'w')",
        "__import__('socket').socket()",
        "os.fork()",
        "__import__('subprocess').run(['/bin/true'])",
        "os.kill(os.getppid(), 0)",
    ],
)
def test_what_the_program_cannot_do(faked: Callable[..., ocr.Tesseract], attempt: str) -> None:
    """No file of other people's, nothing written, no socket, no process: it stands behind readers' walls."""
    body = f"try: {attempt}; say('did')\nexcept OSError as error: say(type(error).__name__)"
    assert faked(body).recognise(WHITE, None).text in {"PermissionError", "OSError"}


def test_nothing_of_the_environment_is_passed_on(
    faked: Callable[..., ocr.Tesseract], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program's environment is its own."""
    monkeypatch.setenv("MNEMO_DSN", "postgresql://secret")
    monkeypatch.setenv("HTTPS_PROXY", "secret")
    found = faked("say(*sorted(os.environ))").recognise(WHITE, None)
    assert set(found.text.split()) <= {"LC_ALL", "OMP_THREAD_LIMIT", "LD_LIBRARY_PATH", "TESSDATA_PREFIX"}


def test_it_ends_with_mnemo(faked: Callable[..., ocr.Tesseract]) -> None:
    """A page that is being read when the run ends fails at once."""
    engine = faked("time.sleep(900)")
    threading.Timer(0.5, engine.close).start()
    with pytest.raises(ReadingError) as failed:
        engine.recognise(WHITE, None)
    assert failed.value.detail == "mnemo ends"


def test_without_the_program(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is named."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RecognitionError, match=r"install the package tesseract-ocr\."):
        ocr.engine(settings)


def test_a_broken_program(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that says no version is not used."""
    program = tmp_path / "bin" / "tesseract"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    with pytest.raises(RecognitionError, match="does not work"):
        ocr.engine(settings)


def test_without_a_language(faked: Callable[..., ocr.Tesseract]) -> None:
    """Each language that is missing is named with its package; nothing is read in another one."""
    with pytest.raises(RecognitionError, match="tesseract-ocr-eng"):
        faked("say('x')", languages="osd fra")


def test_packages() -> None:
    """As Debian calls them."""
    packages = [ocr.package(name) for name in ("deu", "chi_sim", "script/Cyrillic")]
    assert packages == ["tesseract-ocr-deu", "tesseract-ocr-chi-sim", "tesseract-ocr-script-cyrillic"]


def test_the_language_of_the_document_comes_first(faked: Callable[..., ocr.Tesseract]) -> None:
    """If it is known and installed; else pages are read as is configured."""
    engine = faked("say(sys.argv[sys.argv.index('-l') + 1])", languages="eng deu fra osd")
    read_as = [engine.recognise(WHITE, language).text for language in ("de", "en", "sv", "xx", None)]
    assert read_as == ["deu+eng", "eng", "eng", "eng", "eng"]


def test_the_script_decides_between_languages(faked: Callable[..., ocr.Tesseract]) -> None:
    """A page in Cyrillic letters is read as Russian; one that is too short to tell, as all languages."""
    body = (
        "if page.endswith(b'?'): sys.exit(1 if '0' in sys.argv else say(*sys.argv))\n"
        "if '0' in sys.argv: print('Orientation in degrees: 0\\nScript: Cyrillic\\nScript confidence: 2')\n"
        "else: say(*sys.argv)"
    )
    found = faked(body, languages="eng deu rus osd")
    engine = ocr.Tesseract(found.program, "9", found.installed, ("eng", "rus", "deu"), 60, 2048)
    assert engine.recognise(WHITE, None).languages == "rus"
    assert engine.recognise(Picture(1, 1, DPI, b"?"), None).languages == "eng+rus+deu"
    assert ocr.of_script(("eng", "rus", "deu"), "Latin") == ("eng", "deu")
    assert ocr.of_script(("script/Cyrillic", "eng"), "Cyrillic") == ("script/Cyrillic",)


def test_which_pages_wait() -> None:
    """The reader says which, from 1."""
    made = born_digital_and_scanned(LETTER, BRIEF, over="Received 2021")
    assert pdf.read(BytesIO(made)).waiting == [2]
    text = reading.read(BytesIO(made), "pdf")
    assert (text.waiting, text.pages_awaiting_ocr, text.scanned) == ((2,), 1, False)


@pytest.mark.parametrize(
    ("width", "height"),
    [(595, 842), (14_400, 14_400), (3, 14_400), (14_400, 3), (1e6, 1e6), (1, 1), (0, 5), (2480, 3508)],
)
def test_absurd_pages_are_drawn_smaller(width: float, height: float) -> None:
    """However large a page is, its picture has no more dots than an A2 sheet at 300 dots an inch."""
    zoom = drawing.scale(width, height)
    across, down = width * zoom + 1, height * zoom + 1
    assert across * down <= MAX_DOTS
    assert max(across, down) <= MAX_SIDE
    assert 0 < 72 * zoom <= DPI + 1e-6


def test_a_page_of_absurd_size(real_sandbox: Sandbox, tmp_path: Path) -> None:
    """The largest page that a PDF can have, and a ribbon, are drawn within the sandbox's bounds."""
    with _mupdf.open() as document:
        document.new_page(width=14_400, height=14_400)
        document.new_page(width=14_400, height=3)
        made = document.tobytes()
    square = pictured(real_sandbox, tmp_path, made)
    assert square.width == square.height
    assert 30_000_000 < len(square.grey) <= MAX_DOTS
    ribbon = pictured(real_sandbox, tmp_path, made, 2)
    assert ribbon.width <= MAX_SIDE
    assert ribbon.height >= 1


@pytest.mark.parametrize(
    ("document", "page", "expected"),
    [
        (b"%PDF-1.7 and nothing", 1, ErrorClass.CORRUPT),
        (scanned("one"), 2, ErrorClass.CORRUPT),
        (scanned("one"), 0, ErrorClass.CORRUPT),
        (b"words", 1, ErrorClass.UNSUPPORTED),
    ],
)
def test_a_page_that_cannot_be_drawn(
    real_sandbox: Sandbox, tmp_path: Path, document: bytes, page: int, expected: ErrorClass
) -> None:
    """A damaged document, a page that is not there, a document that has none."""
    with pytest.raises(ReadingError) as refused:
        pictured(real_sandbox, tmp_path, document, page)
    assert refused.value.error_class is expected


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\0\0\0\2{}",
        pictures.pack(Picture(2, 2, DPI, b"abc")),
        pictures.pack(Picture(0, 0, DPI, b"")),
        b'\0\0\0\x22{"width":true,"height":1,"dpi":300}a',
        pictures.pack(Picture(1, 1, 9999, b"a")),
        pictures.pack(Picture(MAX_SIDE + 1, 1, DPI, b"a" * (MAX_SIDE + 1))),
    ],
)
def test_a_picture_is_checked(answer: bytes) -> None:
    """What comes out of the sandbox is a picture whose sizes are true, or none."""
    with pytest.raises(ReadingError) as refused:
        pictures.unpack(answer)
    assert refused.value.error_class is ErrorClass.READER_CRASHED


def test_a_picture_comes_back_as_it_was() -> None:
    """Packed, unpacked, and as a file."""
    assert pictures.unpack(pictures.pack(WHITE)) == WHITE
    assert WHITE.pgm() == b"P5 2 2 255\n\xff\xff\xff\xff"


def of(*pages: str, waiting: tuple[int, ...]) -> Any:
    """A text as the PDF reader makes it."""
    return text_of(
        Pages(list(pages), waiting=list(waiting), usable=len(pages) - len(waiting)), READERS["pdf"]
    )


def seen(text: str, confidence: float | None = 90.0) -> Recognised:
    return Recognised(text, len(text.split()), confidence if text else None, "eng")


def test_recognised_words_stand_in_their_pages_place() -> None:
    """Other pages stay as they are, page starts are those of the new text, and who waits still waits."""
    text = of("Born digital.", "", "", "Last.", waiting=(2, 3))
    known = Recognitions({2: seen("Dear\x00 Ada,\n\n\n\nit rains"), 4: seen("never")}, frozenset({3}))
    found = blend.blend(text, known)
    assert found.text.text == "Born digital.\fDear Ada,\n\nit rains\f\fLast."
    assert found.text.page_starts == (0, 14, 34, 35)
    assert (found.pages, found.failed, found.waiting, found.confidence) == ((2,), 1, 0, 90.0)
    assert found.text.waiting == (2, 3)
    assert blend.blend(text, Recognitions()).text is text
    assert blend.blend(text, Recognitions()).waiting == 2


def test_uncertain_words_are_kept_and_marked() -> None:
    """A page whose words are under the bound is named; one without words is not doubtful."""
    known = Recognitions({1: seen("a b c", 59.9), 2: seen("d", 60.0), 3: seen("")})
    found = blend.blend(of("", "", "", waiting=(1, 2, 3)), known)
    assert found.text.text == "a b c\fd\f"
    assert (found.pages, found.doubtful) == ((1, 2, 3), (1,))
    assert found.confidence == pytest.approx((3 * 59.9 + 60) / 4)


@pytest.mark.parametrize(
    ("certain", "recognised", "together"),
    [
        ("", "words", "words"),
        ("Nordwind Insurance Ltd", "Nordwlnd lnsurance Ltd\nDear Ada,", "Nordwind Insurance Ltd\nDear Ada,"),
        ("Nordwind Ltd", "Nordwind Ltd 14 March\nDear Ada,", "Nordwind Ltd 14 March\nDear Ada,"),
        ("Ann: call her", "Dear Ada,", "Ann: call her\n\nDear Ada,"),
        ("12.03.2020", "12.03.2021\nDear", "12.03.2020\n\n12.03.2021\nDear"),
        ("A note\nA note", "A note", "A note"),
    ],
)
def test_text_over_a_picture_stands_once(certain: str, recognised: str, together: str) -> None:
    """A letterhead is what the file says it is, in the place where it was seen; a note stands before."""
    assert blend.over(certain, recognised) == together


@needs_tesseract
def test_a_letterhead_over_a_scan(real_sandbox: Sandbox, settings: Settings, tmp_path: Path) -> None:
    """Text that stands over the picture is recognised with it, and stands in the text once."""
    made = born_digital_and_scanned(LETTER, BRIEF, over="Received 12 March 2021")
    text = reading.read(BytesIO(made), "pdf")
    found = ocr.engine(settings).recognise(pictured(real_sandbox, tmp_path, made, 2), None)
    whole = blend.blend(text, Recognitions({2: found})).text
    assert whole.text.split("\f")[0] == text.text.split("\f")[0]
    assert whole.text.count("Received 12 March 2021") == 1
    assert recall(BRIEF, whole.text.split("\f")[1]) >= 0.5  # in the wrong language
