from __future__ import annotations

import hashlib
import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import pytest

from mnemo_assets import database
from mnemo_assets.archive import ledger
from mnemo_assets.errors import ErrorClass, MnemoError, ReadingError
from mnemo_assets.pipeline import mine, read, retry, scan
from mnemo_assets.pipeline.read import ReadCounts
from mnemo_assets.text import cache, converter, reading, second
from mnemo_assets.text.pages import Metadata, Pages
from mnemo_assets.text.reading import Reader, Text
from tests.text.fake_office import office
from tests.text.invented_documents import docx, paragraph
from tests.text.ole_files import ole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

#: As a recovery key is written; markup between its digits hides it from the first look at the file.
RECOVERY_KEY = "<p>" + "-<b></b>".join(["204622"] * 8) + "</p>"


def sha256(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    return folder


def scan_all(connection: Connection, settings: Settings, folder: Path) -> None:
    scan.scan(connection, settings, ledger.add_archive(connection, folder))
    scan.sweep(connection, settings)


def stages(connection: Connection) -> dict[str, tuple[str, str | None]]:
    """Display path -> stage and error class."""
    query = b"select * from files join documents using (sha256) where missing_since is null"
    return {row["display_path"]: (row["stage"], row["error_class"]) for row in connection.execute(query)}


def everything(connection: Connection) -> list[Any]:
    """All rows of documents and chunks, with their versions: equal means that nothing was written."""
    return [
        connection.execute(b"select xmin, * from documents order by document_id").fetchall(),
        connection.execute(b"select xmin, * from chunks order by document_id, ordinal").fetchall(),
    ]


class Bench:
    """A sandbox that reads in this process, and can be told what a reader says."""

    def __init__(self) -> None:
        self.reads: list[str] = []
        self.lock = threading.Lock()
        self.change: Callable[[Text], Text] = lambda text: text
        self.meanwhile: Callable[[], None] = lambda: None

    def __call__(self, _settings: Settings) -> Self:
        """As the class is called; there is one of it."""
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read(self, fd: int, ext: str, **_wish: object) -> Text:
        """Read in this process."""
        with os.fdopen(os.dup(fd), "rb") as file:
            text = self.change(reading.read(file, ext))
        with self.lock:
            self.reads.append(text.text)
        self.meanwhile()
        return text


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench()
    monkeypatch.setattr(read, "Sandbox", bench)
    return bench


def renew(monkeypatch: pytest.MonkeyPatch, ext: str) -> None:
    """Give an extension a reader of the next version."""
    old = reading.READERS[ext]
    monkeypatch.setitem(reading.READERS, ext, Reader(old.name, old.version + 1, old.function))


def test_outcomes(connection: Connection, settings: Settings, folder: Path) -> None:
    """Each document ends in the stage that its content asks for; a second run writes nothing."""
    (folder / "letter.txt").write_text("Dear Ada,\n\nit rains.\n")
    (folder / "page.md").write_text("# Title\n\nWords.\n")
    (folder / "blank.txt").write_text(" \n\t\n")
    (folder / "table.csv").write_text("a,b,c,d,e\n" * 2_000)
    (folder / "key.html").write_text(RECOVERY_KEY)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and then nothing")
    (folder / "old.xlsm").write_bytes(b"\xd0\xcf\x11\xe0 whatever")
    scan_all(connection, settings, folder)
    heard: list[tuple[str, int, int | None]] = []
    counts = read.read(connection, settings, lambda *progress: heard.append(progress))
    assert stages(connection) == {
        "letter.txt": ("extracted", None),
        "page.md": ("extracted", None),
        "blank.txt": ("skipped", "Empty"),
        "table.csv": ("skipped", "Tabular"),
        "key.html": ("skipped", "Secret"),
        "broken.pdf": ("failed", "Corrupt"),
        "old.xlsm": ("failed", "Corrupt"),
    }
    assert counts == ReadCounts(extracted=2, skipped=3, failed=2, failed_first=2)
    assert heard == [("read", done, 7) for done in range(8)]
    cached = {path.name.partition(".")[0] for path in settings.text_cache.rglob("*.json")}
    assert cached == {sha256("Dear Ada,\n\nit rains.\n"), sha256("# Title\n\nWords.\n")}
    before = everything(connection)
    assert read.read(connection, settings) == ReadCounts()
    assert everything(connection) == before


def test_the_rows_of_a_document(
    connection: Connection, settings: Settings, folder: Path, bench: Bench
) -> None:
    """The ledger says who read a document and what its text is like; the chunks are that text."""
    (folder / "note.txt").write_text("It rains.\fIn Bath.")
    scan_all(connection, settings, folder)
    read.read(connection, settings)
    (row,) = connection.execute(b"select * from documents").fetchall()
    assert {name: value for name, value in row.items() if value is not None and not name.endswith("_at")} == {
        "document_id": row["document_id"],
        "sha256": sha256("It rains.\fIn Bath."),
        "stage": "extracted",
        "attempts": 0,
        "forced": False,
        "reader": "plain",
        "reader_version": reading.READERS["txt"].version,
        "metadata": {},
        "pages": 2,
        "page_starts": [0, 10],
        "quoted": [],
        "chars": 18,
        "characters_removed": 0,
        "chunks_version": 1,
        "pages_awaiting_ocr": 0,
        "ocr_pages": [],
        "ocr_doubtful": [],
        "ocr_failed": 0,
        "chunks_failed": 0,
    }
    assert row["extracted_at"] >= row["new_at"]
    assert connection.execute(b"select * from chunks").fetchall() == [
        {
            "document_id": row["document_id"],
            "ordinal": 0,
            "start_offset": 0,
            "end_offset": 18,
            "first_page": 1,
            "last_page": 2,
            "text": bench.reads[0],
            "content_sha256": sha256(bench.reads[0]),
        }
    ]


@pytest.mark.parametrize(
    "example", [("key.html", RECOVERY_KEY, "Secret"), ("table.csv", "a,b,c,d,e\n" * 2_000, "Tabular")]
)
def test_a_gate_can_be_overridden(
    connection: Connection, settings: Settings, folder: Path, example: tuple[str, str, str]
) -> None:
    """What a gate keeps out is taken in when the owner says so, and only then."""
    name, content, gate = example
    (folder / name).write_text(content)
    scan_all(connection, settings, folder)
    read.read(connection, settings)
    assert stages(connection) == {name: ("skipped", gate)}
    assert retry.retry(connection) == 0
    assert retry.retry(connection, sha256=sha256(content)[:8]) == 1
    read.read(connection, settings)
    assert stages(connection) == {name: ("skipped", gate)}
    assert retry.retry(connection, sha256=sha256(content)[:8], force=True) == 1
    read.read(connection, settings)
    assert stages(connection) == {name: ("extracted", None)}


def test_a_file_that_changed_is_not_read(connection: Connection, settings: Settings, folder: Path) -> None:
    """What is there now is not what was hashed: the document waits for the next scan."""
    (folder / "note.txt").write_text("before")
    scan_all(connection, settings, folder)
    (folder / "note.txt").write_text("afterwards")
    assert read.read(connection, settings) == ReadCounts(unreachable=1)
    assert stages(connection) == {"note.txt": ("new", "FileChanged")}
    scan_all(connection, settings, folder)
    assert read.read(connection, settings) == ReadCounts(extracted=1)
    assert stages(connection) == {"note.txt": ("extracted", None)}


def test_a_file_that_changes_while_it_is_read(
    connection: Connection, settings: Settings, folder: Path, bench: Bench
) -> None:
    """A text that may be half of one content and half of another is nobody's."""
    (folder / "note.txt").write_text("before")
    scan_all(connection, settings, folder)

    def change() -> None:
        (folder / "note.txt").write_text("after all")

    bench.meanwhile = change
    assert read.read(connection, settings) == ReadCounts(unreachable=1)
    assert stages(connection) == {"note.txt": ("new", "FileChanged")}
    assert list(settings.text_cache.rglob("*.json")) == []


def test_a_copy_is_as_good(connection: Connection, settings: Settings, folder: Path) -> None:
    """A document is read from any file that still holds it."""
    (folder / "a.txt").write_text("same")
    (folder / "b.txt").write_text("same")
    scan_all(connection, settings, folder)
    (folder / "a.txt").unlink()
    assert read.read(connection, settings) == ReadCounts(extracted=1)


def test_a_folder_that_became_a_link(
    connection: Connection, settings: Settings, folder: Path, tmp_path: Path
) -> None:
    """A link that takes a folder's place after the scan is not followed, even to the same file."""
    (folder / "in").mkdir()
    (folder / "in" / "note.txt").write_text("mine")
    scan_all(connection, settings, folder)
    (folder / "in").rename(tmp_path / "out")
    (folder / "in").symlink_to(tmp_path / "out")
    assert read.read(connection, settings) == ReadCounts(unreachable=1)
    assert stages(connection) == {"in/note.txt": ("new", "FileUnreachable")}


def test_a_cached_text_needs_no_file(
    connection: Connection, settings: Settings, folder: Path, bench: Bench
) -> None:
    """Work on what is cached goes on while the archive is away."""
    (folder / "note.txt").write_text("kept")
    scan_all(connection, settings, folder)
    read.read(connection, settings)
    connection.execute(b"update documents set stage = 'new'")
    folder.rename(folder.with_name("away"))
    assert read.read(connection, settings) == ReadCounts(extracted=1)
    assert bench.reads == ["kept"]


@pytest.mark.usefixtures("bench")
def test_what_waited_for_a_reader_of_an_older_mnemo_is_read(
    connection: Connection, settings: Settings, folder: Path
) -> None:
    """An extension whose reader was still to come had a class of its own, which is no reason to wait now."""
    (folder / "old.txt").write_text("words")
    scan_all(connection, settings, folder)
    connection.execute(b"update documents set error_class = 'ReaderToCome'")
    converts = {"stage": "new", "converts": []}
    assert connection.execute(database.queries("watch")["documents_waiting"], converts).fetchone() == {
        "n": 1, "first": 1, "last": 1,
    }  # fmt: skip
    assert read.read(connection, settings) == ReadCounts(extracted=1)
    assert stages(connection) == {"old.txt": ("extracted", None)}


def test_a_text_of_the_second_reader_stays(
    connection: Connection, settings: Settings, folder: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is recorded under the name of the first, and so it is not read again by every run."""
    (folder / "letter.docx").write_bytes(docx(paragraph("It rains.")))
    scan_all(connection, settings, folder)
    failing = iter([ReadingError(ErrorClass.CORRUPT)])

    def fail(_text: Text) -> Text:
        raise next(failing)

    bench.change = fail
    rescued = replace(
        reading.text_of(Pages(["It rains."]), reading.READERS["docx"]), second_reader="unstructured 0.27"
    )
    monkeypatch.setattr(second, "is_installed", lambda: True)
    monkeypatch.setattr(second.Second, "_second", lambda *_: rescued)
    assert read.read(connection, settings) == ReadCounts(extracted=1)
    (row,) = connection.execute(b"select reader, reader_version, metadata from documents").fetchall()
    docx_reader = reading.READERS["docx"]
    assert (row["reader"], row["reader_version"]) == (docx_reader.name, docx_reader.version)
    assert row["metadata"] == {"second_reader": "unstructured 0.27"}
    assert read.read(connection, settings) == ReadCounts()
    (cached,) = settings.text_cache.rglob("*.json")
    found = cache.load(settings.text_cache, cached.name[:64], docx_reader.name, docx_reader.version)
    assert found == rescued


def test_a_converter_that_is_missing(
    connection: Connection, settings: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document waits for it and is not tried while it is missing; it goes on by itself once it is there."""
    (folder / "old.doc").write_bytes(ole({"WordDocument": bytes(5000)}))
    (folder / "text.doc").write_text("This one needs none.")
    scan_all(connection, settings, folder)
    monkeypatch.setattr(converter, "find", lambda: None)
    assert read.read(connection, settings) == ReadCounts(extracted=1, converter_missing=1)
    assert stages(connection) == {"old.doc": ("new", "ConverterMissing"), "text.doc": ("extracted", None)}
    before = everything(connection)
    assert read.read(connection, settings) == ReadCounts()
    assert everything(connection) == before
    fake = office(folder.parent, f"write(bytes.fromhex({docx(paragraph('It rains.')).hex()!r}))")
    monkeypatch.setattr(converter, "find", lambda: fake._program)
    monkeypatch.setattr(converter.Converter, "within", lambda _settings: fake)
    assert read.read(connection, settings) == ReadCounts(extracted=1)
    query = b"select reader, error_class, error from documents where chars = 9"
    assert connection.execute(query).fetchall() == [{"reader": "doc", "error_class": None, "error": None}]


@pytest.mark.usefixtures("bench")
def test_a_newer_reader_with_the_same_text(
    connection: Connection, settings: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every document of the reader is read once more; where the text is the same, nothing is mined again."""
    (folder / "note.txt").write_text("On 5 October 2020 it rained.")
    scan_all(connection, settings, folder)
    read.read(connection, settings)
    mine.mine(connection, settings)
    before = everything(connection)[1], connection.execute(b"select xmin, * from mention_spans").fetchall()
    renew(monkeypatch, "txt")
    assert read.read(connection, settings) == ReadCounts(unchanged=1)
    assert stages(connection) == {"note.txt": ("graphed", None)}
    assert (
        everything(connection)[1],
        connection.execute(b"select xmin, * from mention_spans").fetchall(),
    ) == before
    assert read.read(connection, settings) == ReadCounts()
    assert len(list(settings.text_cache.rglob("*.json"))) == 1


def test_a_newer_reader_that_sees_a_quotation(
    connection: Connection, settings: Settings, folder: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same text of which a part is quoted is merged again, from what was extracted before."""
    (folder / "note.txt").write_text("On 5 October 2020 it rained.")
    scan_all(connection, settings, folder)
    read.read(connection, settings)
    mine.mine(connection, settings)
    extracted = connection.execute(b"select xmin, * from chunk_extractions").fetchall()
    renew(monkeypatch, "txt")
    bench.change = lambda text: replace(text, quoted=((0, 17),))
    assert read.read(connection, settings) == ReadCounts(extracted=1)
    mine.mine(connection, settings)
    assert connection.execute(b"select count, quoted from mentions").fetchall() == [{"count": 0, "quoted": 1}]
    assert connection.execute(b"select xmin, * from chunk_extractions").fetchall() == extracted


def test_a_newer_reader_with_another_text(
    connection: Connection, settings: Settings, folder: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the graph says of the old text is gone with it; the new one is mined."""
    (folder / "note.txt").write_text("On 5 October 2020 it rained.")
    scan_all(connection, settings, folder)
    read.read(connection, settings)
    mine.mine(connection, settings)
    renew(monkeypatch, "txt")
    bench.change = lambda _text: reading.text_of(
        Pages(["On 6 October 2020 it snowed."]), reading.READERS["txt"]
    )
    assert read.read(connection, settings) == ReadCounts(extracted=1)
    assert connection.execute(b"select * from mention_spans").fetchall() == []
    mine.mine(connection, settings)
    assert connection.execute(b"select key from entities").fetchall() == [{"key": "2020-10-06"}]
    assert connection.execute(b"select count(*) as n from chunk_extractions").fetchall() == [{"n": 1}]


@pytest.mark.usefixtures("bench")
def test_a_full_disk_stops_the_run(
    connection: Connection, settings: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No room for a text is not the document's fault: it stays new, and nobody has claimed it."""
    (folder / "note.txt").write_text("words")
    scan_all(connection, settings, folder)

    def store(*_: object) -> None:
        raise MnemoError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(cache, "store", store)
        with pytest.raises(MnemoError, match="full"):
            read.read(connection, settings)
    assert stages(connection) == {"note.txt": ("new", None)}
    assert read.read(connection, settings) == ReadCounts(extracted=1)


def test_a_document_that_breaks_the_reading_is_alone_in_it(
    connection: Connection, settings: Settings, folder: Path, bench: Bench
) -> None:
    """A fault of mnemo, or a character that the database does not take, costs one document."""
    for name in ("fault", "surrogate", "title", "fine"):
        (folder / f"{name}.txt").write_text(name)
    scan_all(connection, settings, folder)

    def change(text: Text) -> Text:
        if text.text == "fault":
            raise RuntimeError(text.text)
        title = "a\0b" if text.text == "title" else None
        words = "\udc80" if text.text == "surrogate" else text.text
        return Text(words, (0,), "plain", 2, Metadata(title=title))

    bench.change = change
    counts = read.read(connection, settings)
    assert counts == ReadCounts(extracted=1, failed=3, failed_first=3)
    assert stages(connection)["fine.txt"] == ("extracted", None)
    details = connection.execute(
        b"select distinct error from documents where stage = 'failed' order by 1"
    ).fetchall()
    assert [row["error"] for row in details] == ["DataError", "RuntimeError", "UnicodeEncodeError"]


def test_a_document_that_goes_while_it_is_read(
    connection: Connection, settings: Settings, folder: Path, bench: Bench
) -> None:
    """A document that was swept meanwhile comes back neither as a row nor as a cached text."""
    (folder / "note.txt").write_text("words")
    scan_all(connection, settings, folder)

    def sweep() -> None:
        with database.connect(settings) as other:
            other.execute(b"delete from documents")

    bench.meanwhile = sweep
    assert read.read(connection, settings) == ReadCounts()
    assert list(settings.text_cache.rglob("*.json")) == []
    assert everything(connection) == [[], []]


def test_two_runs_share_the_work(
    connection: Connection, settings: Settings, folder: Path, bench: Bench
) -> None:
    """Two at once read every document once."""
    for number in range(60):
        (folder / f"{number}.txt").write_text(f"number {number}")
    scan_all(connection, settings, folder)
    counts: list[ReadCounts] = []

    def run() -> None:
        with database.connect(settings) as own:
            counts.append(read.read(own, settings))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(bench.reads) == sorted(f"number {number}" for number in range(60))
    assert sum(each.extracted for each in counts) == 60


def test_nul_in_a_text(connection: Connection, settings: Settings, bugcases: Path) -> None:
    """Bug case 01: NULs are removed before there are offsets, counted, and cost nothing else."""
    scan_all(connection, settings, bugcases / "01-nul-in-extracted-text")
    assert read.read(connection, settings).extracted == 3
    rows = connection.execute(
        b"""select display_path, characters_removed > 0 as removed from files join documents using (sha256)
        join chunks using (document_id) order by 1"""
    ).fetchall()
    assert [(row["display_path"], row["removed"]) for row in rows] == [
        ("clean.txt", False),
        ("nul.pdf", False),  # MuPDF shows the glyph's own letter where the map says NUL
        ("nul.txt", True),
    ]


def test_blank_documents_do_not_block_the_queue(
    connection: Connection, settings: Settings, bugcases: Path
) -> None:
    """Bug case 08: what is blank is skipped for good, an empty file has no document; the good one is read."""
    scan_all(connection, settings, bugcases / "08-whitespace-only-document-blocks-queue")
    assert read.read(connection, settings) == ReadCounts(extracted=1, skipped=2)
    assert stages(connection) == {
        "blank.pdf": ("skipped", "Empty"),
        "blank.txt": ("skipped", "Empty"),
        "good.txt": ("extracted", None),
    }
    zero = connection.execute(b"select outcome from files where display_path = 'zero.txt'").fetchall()
    assert zero == [{"outcome": "empty"}]
    assert read.read(connection, settings) == ReadCounts()


def test_a_first_try_that_died_is_no_duplicate(
    connection: Connection, settings: Settings, bugcases: Path
) -> None:
    """Bug case 09: a document whose worker died before its text was stored is completed, with both paths."""
    scan_all(connection, settings, bugcases / "09-failed-first-try-then-duplicate")
    connection.execute(
        b"""update documents set claimed_by = 77, claimed_until = now() + interval '1 hour',
        claim_token = gen_random_uuid()"""
    )
    assert read.read(connection, settings) == ReadCounts(extracted=1)
    assert stages(connection) == {"copy-a.txt": ("extracted", None), "copy-b.txt": ("extracted", None)}
    assert connection.execute(b"select count(*) as n from documents").fetchall() == [{"n": 1}]
