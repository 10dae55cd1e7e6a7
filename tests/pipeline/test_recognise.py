from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

from mnemo_assets import database
from mnemo_assets.archive import ledger
from mnemo_assets.errors import ErrorClass, MnemoError, ReadingError, RecognitionError
from mnemo_assets.pipeline import claims, mine, read, recognise, retry, scan, verify
from mnemo_assets.pipeline.recognise import OcrCounts
from mnemo_assets.text import cache, drawing, reading
from mnemo_assets.text.ocr import Recognised
from mnemo_assets.text.reading import Reader
from tests.scans import BRIEF, LETTER, born_digital_and_scanned, needs_tesseract, recall, scanned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings
    from mnemo_assets.text.pictures import Picture
    from mnemo_assets.text.reading import Text

REPORT = "Dear Ada Byron, Nordwind Ltd wrote to Carl Gauss in May. " * 8


@dataclass
class Fake:
    """An engine that answers page by page, as it is told."""

    answers: Sequence[str | ReadingError | MnemoError] = ()
    name: str = "fake"
    version: str = "1"
    in_order: bool = False
    confidence: float = 90.0
    seen: int = 0
    meanwhile: Callable[[], object] = lambda: None
    languages: list[str | None] = field(default_factory=list)
    befores: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def recognise(self, picture: Picture, language: str | None, before: str = "") -> Recognised:
        """The next answer; after the last one, words."""
        assert picture.width > 1000
        with self.lock:
            answers = [*self.answers, "Ada Byron met Carl Gauss."]
            answer = answers[min(self.seen, len(self.answers))]
            self.seen += 1
            self.languages.append(language)
            self.befores.append(before)
        self.meanwhile()
        if isinstance(answer, Exception):
            raise answer
        words = len(answer.split())
        return Recognised(answer, words, self.confidence if words else None, "eng")

    def close(self) -> None:
        """Nothing runs."""


def failing(detail: str) -> ReadingError:
    return ReadingError(ErrorClass.OCR_FAILED, detail)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"extractor": "patterns", "workers": 1})


class Bench:
    """A sandbox that reads and draws in this process."""

    lock = threading.Lock()

    def __init__(self, _settings: Settings) -> None:
        """As the sandbox is made."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read(self, fd: int, ext: str, **_wish: object) -> Text:
        """Read a document."""
        with self.lock, os.fdopen(os.dup(fd), "rb") as file:
            return reading.read(file, ext)

    def picture(self, fd: int, ext: str, page: int, **_wish: object) -> Picture:
        """Draw a page."""
        with self.lock, os.fdopen(os.dup(fd), "rb") as file:
            return drawing.draw(file, ext, page)


@pytest.fixture(autouse=True)
def _bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "Sandbox", Bench)
    monkeypatch.setattr(recognise, "Sandbox", Bench)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    return folder


@pytest.fixture
def take_in(connection: Connection, settings: Settings, folder: Path) -> Callable[..., None]:
    """Writes files into the archive, scans and reads it."""

    def take(**files: bytes) -> None:
        for name, content in files.items():
            (folder / f"{name}.pdf").write_bytes(content)
        scan.scan(connection, settings, ledger.add_archive(connection, folder))
        scan.sweep(connection, settings)
        read.read(connection, settings)

    return take


def document(connection: Connection) -> dict[str, Any]:
    (row,) = connection.execute(b"select * from documents").fetchall()
    return row


def text_of(connection: Connection) -> str:
    """The one document's text, put together from its chunks."""
    found = ""
    for row in connection.execute(b"select start_offset, text from chunks order by ordinal"):
        found = found[: row["start_offset"]] + row["text"]
    return found


def standing(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["stage"], row["error_class"], row["pages_awaiting_ocr"], row["ocr_pages"], row["ocr_failed"]


def test_a_scan_becomes_a_document(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """A scan that waits is recognised, page by page, and mined the ordinary way."""
    take_in(letter=scanned("one", "two"))
    assert standing(document(connection)) == ("ocr_pending", "Scanned", 2, [], 0)
    heard: list[Any] = []
    engine = Fake(["Dear Ada Byron,", "Nordwind Ltd wrote to Carl Gauss."])
    counts = recognise.recognise(connection, settings, lambda *told: heard.append(told), engine=engine)
    assert counts == OcrCounts(pages=2, extracted=1)
    assert heard == [("ocr", done, 2) for done in range(3)]
    row = document(connection)
    assert standing(row) == ("extracted", None, 0, [1, 2], 0)
    assert (row["pages"], row["page_starts"], row["ocr_confidence"]) == (2, [0, 16], 90.0)
    assert text_of(connection) == "Dear Ada Byron,\fNordwind Ltd wrote to Carl Gauss."
    mine.mine(connection, settings)
    assert document(connection)["stage"] == "graphed"
    assert verify.disagreements(connection, settings) == {}
    assert verify.quotes(connection)["mentions_not_verbatim"] == 0
    assert recognise.recognise(connection, settings, engine=engine) == OcrCounts()
    assert engine.seen == 2


def test_a_mixed_document_is_mined_again(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """Its born-digital page stays as it is, its picture gets its words, and it is mined with both."""
    take_in(report=born_digital_and_scanned(REPORT, "one"))
    mine.mine(connection, settings)
    before = text_of(connection)
    assert standing(document(connection)) == ("graphed", None, 1, [], 0)
    recognise.recognise(connection, settings, engine=Fake())
    assert standing(document(connection)) == ("extracted", None, 0, [2], 0)
    assert text_of(connection) == before.rstrip("\f") + "\fAda Byron met Carl Gauss."
    assert mine.mine(connection, settings).graphed == 1


@needs_tesseract
def test_the_program_itself(connection: Connection, settings: Settings, take_in: Callable[..., None]) -> None:
    """From a scan to its words with the program that is installed; engine and version are kept."""
    take_in(letter=scanned(LETTER, BRIEF))
    assert recognise.recognise(connection, settings).pages == 2
    assert recall(LETTER, text_of(connection)) >= 0.95
    rows = connection.execute(b"select * from recognised_pages order by page").fetchall()
    assert [(row["page"], row["engine"], row["languages"]) for row in rows] == [
        (1, "tesseract", "eng"),
        (2, "tesseract", "eng"),
    ]
    assert all(row["milliseconds"] > 0 and row["engine_version"][0].isdigit() for row in rows)


def test_without_an_engine_documents_wait(
    connection: Connection,
    settings: Settings,
    take_in: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Nothing is claimed and nothing changes; without anything that waits no engine is missed."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert recognise.recognise(connection, settings) == OcrCounts()
    take_in(letter=scanned("one"))
    with pytest.raises(RecognitionError):
        recognise.recognise(connection, settings)
    assert standing(document(connection)) == ("ocr_pending", "Scanned", 1, [], 0)
    assert document(connection)["claimed_by"] is None


def test_a_run_that_is_stopped_is_gone_on_with(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """What was recognised is not recognised again."""
    take_in(letter=scanned("one", "two", "three"))
    first = Fake(["1", "2", "3"])
    recognise.recognise(connection, settings, engine=first, stop=lambda: first.seen >= 1)
    assert 1 <= first.seen < 3
    assert standing(document(connection)) == ("ocr_pending", "Scanned", 3, [], 0)
    assert document(connection)["claimed_by"] is None
    second = Fake(["2", "3"][first.seen - 1 :])
    assert recognise.recognise(connection, settings, engine=second).extracted == 1
    assert first.seen + second.seen == 3
    assert text_of(connection) == "1\f2\f3"


def test_a_killed_run_loses_the_page_that_was_read(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """Killed by force while the third page is read, the next run reads that one, and no page twice."""
    take_in(letter=scanned("one", "two", "three"))
    socket = connection.info.host
    script = f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from pathlib import Path
from mnemo_assets import database, postgres, settings
from mnemo_assets.pipeline import recognise
from tests.pipeline.test_recognise import Fake
database.DATABASE = {database.DATABASE!r}
postgres.ensure = lambda home, **options: Path({socket!r})
postgres.is_running = lambda home: True
class Slow(Fake):
    def recognise(self, *given):
        if self.seen == 2:
            print("third", flush=True)
            time.sleep(900)
        return super().recognise(*given)
chosen = settings.Settings(home={str(settings.home)!r}, workers=1)
recognise.recognise(database.connect(chosen), chosen, engine=Slow(["1", "2"]))
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"third\n"
        kept = b"select count(*) as n from recognised_pages"
        while connection.execute(kept).fetchall() != [{"n": 2}]:
            pass
        run.send_signal(signal.SIGKILL)
    while claims.busy(connection, [document(connection)["sha256"]]):
        pass  # the server has not seen yet that its session is over
    engine = Fake(["3"])
    assert recognise.recognise(connection, settings, engine=engine) == OcrCounts(pages=1, extracted=1)
    assert text_of(connection) == "1\f2\f3"


def test_some_pages_fail(connection: Connection, settings: Settings, take_in: Callable[..., None]) -> None:
    """The document goes on without them, says so, and does not ask for them until it is told to."""
    take_in(letter=scanned("one", "two", "three"))
    engine = Fake(["Dear Ada Byron,", failing("clock"), "Carl Gauss"])
    assert recognise.recognise(connection, settings, engine=engine) == OcrCounts(
        pages=2, pages_failed=1, extracted=1
    )
    assert standing(document(connection)) == ("extracted", "OcrFailed", 1, [1, 3], 1)
    assert text_of(connection) == "Dear Ada Byron,\f\fCarl Gauss"
    mine.mine(connection, settings)
    assert standing(document(connection)) == ("graphed", "OcrFailed", 1, [1, 3], 1)
    assert recognise.recognise(connection, settings, engine=engine) == OcrCounts()
    assert recognise.send_back(connection) == 1
    assert standing(document(connection)) == ("graphed", None, 1, [1, 3], 0)
    again = Fake(["it rains."])
    assert recognise.recognise(connection, settings, engine=again) == OcrCounts(pages=1, extracted=1)
    assert text_of(connection) == "Dear Ada Byron,\fit rains.\fCarl Gauss"
    assert standing(document(connection)) == ("extracted", None, 0, [1, 2, 3], 0)


@pytest.mark.parametrize("answers", [[failing("exit 1"), failing("clock")], ["", ""], ["", failing("x")]])
def test_nothing_is_recognised(
    connection: Connection, settings: Settings, take_in: Callable[..., None], answers: list[Any]
) -> None:
    """A scan without a word is a failure, and no empty text; it can be asked for again."""
    take_in(letter=scanned("one", "two"))
    counts = recognise.recognise(connection, settings, engine=Fake(list(answers)))
    assert (counts.failed, counts.failed_first, counts.extracted) == (1, 1, 0)
    row = document(connection)
    assert (row["stage"], row["error_class"]) == ("failed", "OcrFailed")
    assert read.read(connection, settings) == read.ReadCounts()
    assert recognise.recognise(connection, settings, engine=Fake()) == OcrCounts()
    assert recognise.send_back(connection) == 1
    assert document(connection)["stage"] == "ocr_pending"
    assert recognise.recognise(connection, settings, engine=Fake(["a", "b"])).extracted == 1
    assert text_of(connection) == "a\fb"


def test_retry_asks_for_failed_pages_again(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """`mnemo retry` reads the document again, and its pages wait again."""
    take_in(letter=scanned("one"))
    recognise.recognise(connection, settings, engine=Fake([failing("exit 1")]))
    assert retry.retry(connection, error_class=ErrorClass.OCR_FAILED) == 1
    read.read(connection, settings)
    assert standing(document(connection)) == ("ocr_pending", "Scanned", 1, [], 0)
    assert recognise.recognise(connection, settings, engine=Fake(["a"])).extracted == 1


def test_a_blank_page_among_others(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """The back of a sheet has no words, and that is no failure."""
    take_in(letter=scanned("one", "two"))
    recognise.recognise(connection, settings, engine=Fake(["Dear Ada Byron,", ""]))
    assert standing(document(connection)) == ("extracted", None, 0, [1, 2], 0)


def test_pictures_without_words_change_nothing(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """A document with a photograph stays in the graph as it is."""
    take_in(report=born_digital_and_scanned(REPORT, "one"))
    mine.mine(connection, settings)
    assert recognise.recognise(connection, settings, engine=Fake([""])) == OcrCounts(pages=1, unchanged=1)
    assert standing(document(connection)) == ("graphed", None, 0, [2], 0)
    take = Fake([""])
    assert recognise.recognise(connection, settings, engine=take) == OcrCounts()


def test_a_photograph_that_fails(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """The text stays, and the class says what is missing of it."""
    take_in(report=born_digital_and_scanned(REPORT, "one"))
    mine.mine(connection, settings)
    recognise.recognise(connection, settings, engine=Fake([failing("exit 1")]))
    assert standing(document(connection)) == ("graphed", "OcrFailed", 1, [], 1)
    recognise.send_back(connection)
    recognise.recognise(connection, settings, engine=Fake([""]))
    assert standing(document(connection)) == ("graphed", None, 0, [2], 0)


def test_doubtful_pages_are_kept_and_marked(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """Words of little confidence are words."""
    take_in(letter=scanned("one"))
    recognise.recognise(connection, settings, engine=Fake(["Dear Ada Byron,"], confidence=41.5))
    row = document(connection)
    assert (row["stage"], row["ocr_pages"], row["ocr_doubtful"]) == ("extracted", [1], [1])
    assert row["ocr_confidence"] == 41.5


def test_a_key_on_a_scan_is_a_secret(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """What a gate keeps out is not kept as a recognised page either."""
    key = "-".join(["204622"] * 8)
    take_in(letter=scanned("one"))
    assert recognise.recognise(connection, settings, engine=Fake([key])) == OcrCounts(pages=1, skipped=1)
    assert document(connection)["error_class"] == "Secret"
    assert connection.execute(b"select * from recognised_pages").fetchall() == []
    assert list(settings.text_cache.rglob("*.json")) == []


def test_a_newer_reader_needs_no_recognition_again(
    connection: Connection,
    settings: Settings,
    take_in: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was recognised is of the content, and joins whatever text is read of it."""
    take_in(letter=scanned("one"))
    recognise.recognise(connection, settings, engine=Fake(["Dear Ada Byron,"]))
    old = reading.READERS["pdf"]
    monkeypatch.setitem(reading.READERS, "pdf", Reader(old.name, old.version + 1, old.function))
    assert read.read(connection, settings).unchanged == 1
    assert text_of(connection) == "Dear Ada Byron,"
    assert standing(document(connection)) == ("extracted", None, 0, [1], 0)
    assert read.rechunk(connection, settings, [document(connection)["sha256"]]).unchanged == 1


def test_another_engine_replaces_and_the_earlier_is_kept(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """Pages can be recognised again; the latest text is the document's, a failure takes nothing away."""
    take_in(letter=scanned("one"))
    recognise.recognise(connection, settings, engine=Fake(["Dear Ada,"]))
    keys = [document(connection)["sha256"]]
    better = Fake(["Dear Ada Byron,"], version="2")
    recognise.recognise(connection, settings, engine=better, only=keys, again=True)
    assert text_of(connection) == "Dear Ada Byron,"
    recognise.recognise(connection, settings, engine=Fake([failing("x")], version="3"), only=keys, again=True)
    assert text_of(connection) == "Dear Ada Byron,"
    assert standing(document(connection))[3:] == ([1], 0)
    rows = connection.execute(
        b"select engine_version, text, error from recognised_pages order by engine_version"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("1", "Dear Ada,", None),
        ("2", "Dear Ada Byron,", None),
        ("3", None, "OcrFailed x"),
    ]


def test_only_what_is_asked_for(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """Others go on waiting."""
    take_in(first=scanned("one"), second=scanned("two"))
    keys = [row["sha256"] for row in connection.execute(b"select sha256 from documents")]
    assert recognise.recognise(connection, settings, engine=Fake(), only=keys[:1]).extracted == 1
    assert recognise.recognise(connection, settings, engine=Fake(), only=["0" * 64]) == OcrCounts()
    stages = connection.execute(b"select stage from documents order by stage").fetchall()
    assert [row["stage"] for row in stages] == ["extracted", "ocr_pending"]


def test_a_file_that_is_gone(
    connection: Connection, settings: Settings, take_in: Callable[..., None], folder: Path
) -> None:
    """Its document waits as it was; one that changes between two pages, too."""
    take_in(letter=scanned("one", "two"))
    shutil.move(folder / "letter.pdf", folder / "elsewhere")
    assert recognise.recognise(connection, settings, engine=Fake()) == OcrCounts(unreachable=1)
    shutil.move(folder / "elsewhere", folder / "letter.pdf")
    engine = Fake(meanwhile=lambda: (folder / "letter.pdf").unlink(missing_ok=True))
    assert recognise.recognise(connection, settings, engine=engine).unreachable == 1
    assert standing(document(connection)) == ("ocr_pending", "Scanned", 2, [], 0)
    assert document(connection)["claimed_by"] is None


def test_an_engine_that_goes_away_ends_the_run(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """It is not the page's doing: nothing is noted of it."""
    take_in(letter=scanned("one"))
    with pytest.raises(RecognitionError):
        recognise.recognise(connection, settings, engine=Fake([RecognitionError("gone")]))
    assert standing(document(connection)) == ("ocr_pending", "Scanned", 1, [], 0)
    assert recognise.recognise(connection, settings, engine=Fake()).extracted == 1


def test_a_document_that_is_swept_meanwhile(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """Nothing is kept of it."""
    take_in(letter=scanned("one"))

    def sweep() -> None:
        with database.connect(settings) as other:
            other.execute(b"delete from documents")

    assert recognise.recognise(connection, settings, engine=Fake(meanwhile=sweep)) == OcrCounts()
    assert connection.execute(b"select * from recognised_pages").fetchall() == []
    assert list(settings.text_cache.rglob("*.json")) == []


def test_what_somebody_else_recognises_is_left_alone(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """Two runs share the work."""
    take_in(letter=scanned("one"))
    seen: list[OcrCounts] = []

    def meanwhile() -> None:
        with database.connect(settings) as other:
            seen.append(recognise.recognise(other, settings, engine=Fake()))

    assert recognise.recognise(connection, settings, engine=Fake(meanwhile=meanwhile)).extracted == 1
    assert seen == [OcrCounts()]


def test_a_claim_lasts_as_long_as_pages_come(
    connection: Connection,
    settings: Settings,
    take_in: Callable[..., None],
) -> None:
    """Each page renews it."""
    take_in(letter=scanned("one", "two"))
    until = []

    def meanwhile() -> None:
        with database.connect(settings) as other:
            until.append(document(other)["claimed_until"])
            other.execute(b"update documents set claimed_until = now() + interval '1 minute'")

    recognise.recognise(connection, settings, engine=Fake(meanwhile=meanwhile, in_order=True))
    first, second = until
    assert second > first
    assert document(connection)["stage"] == "extracted"


def test_several_pages_at_once(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """As many as there are workers, of one document too."""
    take_in(letter=scanned("one", "two"))
    both = threading.Barrier(2, timeout=30)
    two = settings.model_copy(update={"workers": 2})
    counts = recognise.recognise(connection, two, engine=Fake(meanwhile=both.wait))
    assert counts == OcrCounts(pages=2, extracted=1)


def test_texts_are_found_in_the_cache(
    connection: Connection, settings: Settings, take_in: Callable[..., None]
) -> None:
    """The reader's text is cached as it was read: what was recognised is in the database alone."""
    take_in(letter=scanned("one"))
    recognise.recognise(connection, settings, engine=Fake())
    row = document(connection)
    text = cache.load(settings.text_cache, row["sha256"], row["reader"], row["reader_version"])
    assert text is not None
    assert (text.text, text.waiting) == ("", (1,))
