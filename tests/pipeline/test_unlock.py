"""Documents behind a password: each is opened by the one that fits, and stays as if it had none."""

from __future__ import annotations

import hashlib
import io
import random
from typing import TYPE_CHECKING

import pytest
from msoffcrypto.method.ecma376_agile import ECMA376Agile

from mnemo_assets.archive import ledger
from mnemo_assets.errors import NotFoundError, UsageError
from mnemo_assets.pipeline import read, recognise, scan, unlock
from mnemo_assets.pipeline.recognise import OcrCounts
from mnemo_assets.pipeline.unlock import UnlockCounts, passwords_in
from mnemo_assets.text import cache, reading
from mnemo_assets.text.reading import Reader
from tests.pipeline.test_recognise import Fake
from tests.scans import born_digital_and_scanned, locked
from tests.text.invented_documents import docx, mupdf, paragraph, pdf

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

PDF_WORDS, DOCX_WORDS = "The harbour report of Mara Lindqvist", "The contract of Jon Doe"


def locked_pdf(password: str, method: int = mupdf.PDF_ENCRYPT_AES_256) -> bytes:
    return pdf(PDF_WORDS, encryption=method, owner_pw="owner", user_pw=password)


def locked_docx(password: str) -> bytes:
    noise = random.Random(5).randbytes(9_000).hex()  # the library does not encrypt what is under 4 KB
    content = docx(paragraph(DOCX_WORDS), parts={"noise": f"<!--{noise}-->"})
    data: bytes = ECMA376Agile.encrypt(password, io.BytesIO(content))
    return data


@pytest.fixture
def papers(tmp_path: Path, connection: Connection, settings: Settings) -> Path:
    """An archive with locked documents, which a sync could not read."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "report.pdf").write_bytes(locked_pdf("hafen 12"))
    (folder / "contract.docx").write_bytes(locked_docx("Ångström"))
    (folder / "other.pdf").write_bytes(locked_pdf("nobody knows"))
    (folder / "plain.txt").write_text("It rains in Bath.")
    scan.scan(connection, settings, ledger.add_archive(connection, folder))
    scan.sweep(connection, settings)
    read.read(connection, settings)
    return folder


def outcomes(connection: Connection) -> dict[str, tuple[str, str | None]]:
    query = b"select display_path, stage, error_class from files join documents using (sha256)"
    return {row["display_path"]: (row["stage"], row["error_class"]) for row in connection.execute(query)}


def texts(connection: Connection) -> set[str]:
    return {row["text"] for row in connection.execute(b"select text from chunks")}


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def renew(monkeypatch: pytest.MonkeyPatch, ext: str) -> Reader:
    """Give an extension a reader of the next version."""
    old = reading.READERS[ext]
    newer = Reader(old.name, old.version + 1, old.function, old.part, takes_passwords=old.takes_passwords)
    monkeypatch.setitem(reading.READERS, ext, newer)
    return newer


def test_what_fits_opens(papers: Path, connection: Connection, settings: Settings) -> None:
    """Each kind by its own password; what none fits stays as it was, and nothing is read twice."""
    assert {name for name, (_, why) in outcomes(connection).items() if why == "Encrypted"} == {
        *("report.pdf", "contract.docx", "other.pdf")
    }
    found = unlock.unlock(connection, settings, ["wrong", "Ångström", "hafen 12"])
    assert found == UnlockCounts(opened=2, locked=1)
    assert outcomes(connection) == {
        "report.pdf": ("extracted", None),
        "contract.docx": ("extracted", None),
        "other.pdf": ("failed", "Encrypted"),
        "plain.txt": ("extracted", None),
    }
    assert texts(connection) == {PDF_WORDS, DOCX_WORDS, "It rains in Bath."}
    assert read.read(connection, settings) == read.ReadCounts()
    assert unlock.unlock(connection, settings, ["wrong"]) == UnlockCounts(locked=1)
    assert papers.exists()


def test_a_page_that_was_drawn_without_the_password(
    tmp_path: Path, connection: Connection, settings: Settings
) -> None:
    """Fails alone, and waits again once its document is unlocked: it is drawn with the password that fits."""
    folder = tmp_path / "scans"
    folder.mkdir()
    mixed = folder / "mixed.pdf"
    mixed.write_bytes(locked(born_digital_and_scanned(f"{PDF_WORDS}. " * 10, "one"), "hafen 12"))
    scan.scan(connection, settings, ledger.add_archive(connection, folder))
    read.read(connection, settings)
    passwords = [*map(str, range(60)), "hafen 12"]
    assert unlock.unlock(connection, settings, passwords) == UnlockCounts(opened=1)
    assert recognise.recognise(connection, settings, engine=Fake()) == OcrCounts(pages_failed=1, unchanged=1)
    assert outcomes(connection) == {"mixed.pdf": ("extracted", "OcrFailed")}
    only = [sha256(mixed)]
    assert unlock.unlock(connection, settings, passwords, only=only) == UnlockCounts(opened=1)
    counts = recognise.recognise(connection, settings, engine=Fake(), passwords=passwords)
    assert counts == OcrCounts(pages=1, extracted=1)
    assert "Ada Byron met Carl Gauss." in "".join(texts(connection))


def test_a_newer_reader_leaves_the_text(
    papers: Path, connection: Connection, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no password: what is there stays, is not asked for again, and can be read anew."""
    unlock.unlock(connection, settings, ["hafen 12"])
    sha = sha256(papers / "report.pdf")
    newer = renew(monkeypatch, "pdf")
    counts = read.read(connection, settings)
    assert (counts.unchanged, counts.kept, counts.failed) == (1, 1, 1)  # other.pdf has no text to keep
    assert outcomes(connection)["report.pdf"] == ("extracted", None)
    assert cache.load(settings.text_cache, sha, newer.name, newer.version) is not None
    assert read.read(connection, settings) == read.ReadCounts()
    assert unlock.unlock(connection, settings, ["wrong"], only=[sha]) == UnlockCounts(locked=1)
    assert PDF_WORDS in texts(connection)
    assert unlock.unlock(connection, settings, ["hafen 12"], only=[sha]) == UnlockCounts(opened=1)


def test_reading_all_anew_leaves_the_text(papers: Path, connection: Connection, settings: Settings) -> None:
    """As a backfill by force does."""
    unlock.unlock(connection, settings, ["hafen 12"])
    counts = read.read(connection, settings, only=[sha256(papers / "report.pdf")], again="all")
    assert counts == read.ReadCounts(unchanged=1, kept=1)


def test_a_lost_cache_is_no_silent_loss(papers: Path, connection: Connection, settings: Settings) -> None:
    """Without the text that was read there is nothing to keep: the document fails with its class."""
    unlock.unlock(connection, settings, ["hafen 12"])
    sha = sha256(papers / "report.pdf")
    cache.remove(settings.text_cache, sha)
    counts = read.read(connection, settings, only=[sha], again="all")
    assert (counts.failed, counts.failed_first) == (1, 1)
    assert outcomes(connection)["report.pdf"] == ("failed", "Encrypted")


def test_many_passwords(papers: Path, connection: Connection, settings: Settings) -> None:
    """The last of hundreds is tried, too: some at a time."""
    many, only = [f"wrong {number}" for number in range(230)], [sha256(papers / "report.pdf")]
    found = unlock.unlock(connection, settings, [*many, "hafen 12"], only=only)
    assert found == UnlockCounts(opened=1)


@pytest.mark.parametrize(
    "method", [mupdf.PDF_ENCRYPT_RC4_40, mupdf.PDF_ENCRYPT_RC4_128, mupdf.PDF_ENCRYPT_AES_128]
)
def test_older_ways_to_lock_a_pdf(method: int) -> None:
    """Opened by the reader itself."""
    text = reading.read(io.BytesIO(locked_pdf("Größe", method)), "pdf", passwords=["wrong", "Größe"])
    assert text.text == PDF_WORDS


def test_what_excel_locks_by_itself() -> None:
    """A workbook that its program opens without asking asks nobody here."""
    assert reading.read(io.BytesIO(locked_docx("VelvetSweatshop")), "docx").text == DOCX_WORDS


def listed(folder: Path, content: bytes, mode: int = 0o600) -> Path:
    path = folder / "list.txt"
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_a_list_of_passwords(tmp_path: Path) -> None:
    """One a line, in order, each once; blanks count, and marks and returns of another system do not."""
    content = "\ufeffone\r\n two words \r\n\r\none\r\nÅ".encode()
    assert passwords_in(listed(tmp_path, content)) == ("one", " two words ", "Å")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601, 0o644])
def test_a_list_that_others_can_read(tmp_path: Path, mode: int) -> None:
    """Is refused, with what to type."""
    path = listed(tmp_path, b"one\n", mode)
    with pytest.raises(UsageError, match=f"chmod 600 '{path}'"):
        passwords_in(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\n\r\n", "is empty"),
        (b"\xff\xfe\xff", "UTF-8"),
        (b"x" * 256, "too long"),
        (b"".join(b"%d\n" % number for number in range(1001)), "too long"),
        (b"".join(b"%0200d\n" % number for number in range(300)), "too long"),
    ],
)
def test_a_list_that_is_none(tmp_path: Path, content: bytes, said: str) -> None:
    """Is refused in words."""
    with pytest.raises(UsageError, match=said):
        passwords_in(listed(tmp_path, content))


def test_a_list_that_is_no_file(tmp_path: Path) -> None:
    """Neither a folder nor nothing."""
    with pytest.raises(UsageError, match="regular file"):
        passwords_in(tmp_path)
    with pytest.raises(NotFoundError):
        passwords_in(tmp_path / "nothing")
