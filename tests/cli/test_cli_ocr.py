from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.text import walled
from tests.endpoints import said, serving
from tests.scans import LETTER, PYTHON, fake_tesseract, locked, needs_tesseract, recall, scanned

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Ended

    Run = Callable[..., Ended]

WORDS = "say('Ada', 'Byron', 'works', 'for', 'Birch', 'Tools', 'Ltd.', sure={sure})"


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    """An archive of one scan."""
    folder = tmp_path / "scans"
    folder.mkdir()
    (folder / "letter.pdf").write_bytes(scanned("Ada Byron works for Birch Tools Ltd."))
    return folder


@pytest.fixture
def tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str | None], None]:
    """Puts a program in tesseract's place, or none."""
    path = os.environ["PATH"]
    monkeypatch.setattr(walled, "SYSTEM", (*walled.SYSTEM, PYTHON))

    def put(body: str | None) -> None:
        if body is None:
            monkeypatch.setenv("PATH", str(tmp_path))
        else:
            program = fake_tesseract(tmp_path / "bin", body)
            monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{path}")

    return put


def test_scans_wait_for_tesseract_and_go_on(
    run: Run, scans: Path, tesseract: Callable[[str | None], None]
) -> None:
    """Without the program the package is named; once it is there the next sync recognises and mines."""
    tesseract(None)
    first = run("sync", scans)
    assert first.code == 0
    assert (
        "Scans wait. Scanned pages need the program tesseract: install the package tesseract-ocr."
        in first.err
    )
    assert "recognised" not in first.out
    asked = run("ocr", "--json")
    assert (asked.code, asked.said["error"]) == (1, "RecognitionError")
    assert "package tesseract-ocr" in run("failures").out
    tesseract(WORDS.format(sure=90))
    second = run("sync")
    assert "1 page recognised, 1 mined" in second.out
    assert run("sync", "--json").said["did"]["recognised"] == 0
    assert "Every file came in whole." in run("failures").out


@pytest.mark.parametrize(
    ("sure", "words", "doubtful"), [(90, "p. 1 (OCR): “Ada", None), (30, "p. 1 (OCR, uncertain): “Ada", True)]
)
def test_recognised_words_are_marked(
    run: Run,
    scans: Path,
    tesseract: Callable[[str | None], None],
    sure: int,
    words: str,
    *,
    doubtful: bool | None,
) -> None:
    """In a dossier's mentions and relations, for people and for programs; a document says how many pages."""
    tesseract(WORDS.format(sure=sure))
    run("sync", scans)
    dossier = run("dossier", "Ada Byron")
    assert dossier.out.count(words) == 2
    said = run("dossier", "Ada Byron", "--json").said
    for one in (said["documents"][0]["mentions"][0], said["relations_out"][0]):
        assert (one["ocr"], one.get("ocr_doubtful")) == (True, doubtful)
    document = run("document", "1", "--json").said
    assert (document["ocr_pages"], document["ocr_confidence"]) == (1, float(sure))
    assert "1 recognised (OCR" in run("document", "1").out


def test_what_failed_is_asked_for_again(
    run: Run, scans: Path, tesseract: Callable[[str | None], None]
) -> None:
    """A first failure ends with 5; --redo has the pages wait again, and what is recognised is mined."""
    tesseract("sys.exit(1)")
    assert run("sync", scans).code == 5
    assert run("ocr").out.startswith("No page waits.")
    assert run("ocr", "--redo").code == 0
    tesseract(WORDS.format(sure=90))
    again = run("ocr", "--redo", "--json").said
    assert (again["did"]["recognised"], again["did"]["mined"]) == (1, 1)
    assert again["documents"]["graphed"] == 1


def test_a_document_is_recognised_anew(
    run: Run, scans: Path, tesseract: Callable[[str | None], None]
) -> None:
    """By the beginning of its sha256; the words are the new ones."""
    tesseract("say('Nothing', 'here')")
    run("sync", scans)
    sha256 = run("document", "1", "--json").said["sha256"]
    tesseract(WORDS.format(sure=90))
    assert run("ocr", "--redo", "--json").said["did"]["recognised"] == 0
    assert run("ocr", sha256[:8], "--redo", "--json").said["did"] == {
        "hashed": 0,
        "read": 0,
        "recognised": 1,
        "mined": 1,
        "removed": 0,
    }
    assert run("search", "Ada Byron", "--json").said["entities"]
    assert run("ocr", "xyz").code == 2


def test_a_locked_scan(
    run: Run, scans: Path, tesseract: Callable[[str | None], None], tmp_path: Path
) -> None:
    """Its pages are drawn with the password that opens it, and mined, by the one command."""
    letter, passwords = scans / "letter.pdf", tmp_path / "list.txt"
    letter.write_bytes(locked(letter.read_bytes(), "hafen 12"))
    passwords.write_text("wrong\nhafen 12\n")
    passwords.chmod(0o600)
    tesseract(WORDS.format(sure=90))
    assert run("sync", scans, "--json").said["errors"] == {"Encrypted": 1}
    did = run("unlock", "--passwords", passwords, "--json").said["did"]
    assert (did["opened"], did["recognised"], did["mined"]) == (1, 1, 1)
    assert run("search", "Ada Byron", "--json").said["entities"]


def test_a_document_that_changed_since_the_scan(
    run: Run, scans: Path, tesseract: Callable[[str | None], None]
) -> None:
    """Is not said to wait for nothing; nor is a page that failed."""
    tesseract(WORDS.format(sure=90))
    run("sync", scans)
    sha256 = run("document", "1", "--json").said["sha256"]
    tesseract("sys.exit(1)")
    failed = run("ocr", sha256, "--redo")
    assert (failed.code, failed.out.splitlines()[0]) == (0, "Nothing was recognised.")
    assert "changed since" not in failed.err
    (scans / "letter.pdf").write_bytes(scanned("another"))
    changed = run("ocr", sha256, "--redo")
    assert (changed.code, changed.out.splitlines()[0]) == (0, "Nothing was recognised.")
    assert changed.err == ("Not opened, or changed since the scan: 1 document. `mnemo sync` looks again.\n")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("sys.exit(1)", "OcrFailed: Pictures that gave no text: 1 of 1. `mnemo doctor` looks at"),
        ("say()", "OcrFailed: Pictures that gave no text: 1 of 1. `mnemo doctor` looks at"),
        ("say('Ada')", ""),
    ],
)
def test_a_scan_that_gives_no_text(
    run: Run, scans: Path, tesseract: Callable[[str | None], None], body: str, said: str
) -> None:
    """Is not printed as nothing: its class and what to do stand on standard error; the exit code is 0."""
    waits = run("text", scans / "letter.pdf")
    assert (waits.code, waits.out) == (0, "")
    assert waits.err == (
        "Scanned: Pages that are pictures: 1 of 1. `mnemo text FILE --ocr` reads them, too.\n"
    )
    tesseract(body)
    tried = run("text", scans / "letter.pdf", "--ocr")
    assert (tried.code, tried.out) == (0, "" if said else "Ada")
    assert tried.err.startswith(said)
    assert bool(tried.err) == bool(said)


@needs_tesseract
def test_the_text_of_a_scan(run: Run, tmp_path: Path) -> None:
    """`mnemo text --ocr` prints what offsets of recognised words count in."""
    (tmp_path / "letter.pdf").write_bytes(scanned(LETTER))
    assert run("text", tmp_path / "letter.pdf").out == ""
    said = run("text", tmp_path / "letter.pdf", "--ocr", "--json").said
    assert recall(LETTER, said["text"]) >= 0.95
    assert (said["ocr_pages"], said["pages_awaiting_ocr"]) == ([1], 0)


def test_a_model_reads_it_anew(
    run: Run, scans: Path, tesseract: Callable[[str | None], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a change of the engine pages that are done stay as they are; --redo gives them its text."""
    tesseract("say('Nothing', 'here')")
    run("sync", scans)
    sha256 = run("document", "1", "--json").said["sha256"]
    with serving(lambda _asked: said("# Staff\n\nAda Byron works for Birch Tools Ltd.")) as stub:
        for name, value in (
            ("OCR_ENGINE", "vision"),
            ("OCR_MODEL", "seer"),
            ("LLM_URL", stub.url),
            ("LLM_DECLARED_LOCAL", "1"),
        ):
            monkeypatch.setenv(f"MNEMO_{name}", value)
        assert run("ocr").out.startswith("No page waits.")
        assert stub.completions == []
        assert run("ocr", sha256[:8], "--redo", "--json").said["did"]["recognised"] == 1
        said_by = run("text", scans / "letter.pdf", "--ocr", "--json").said
    assert said_by["text"] == "# Staff\n\nAda Byron works for Birch Tools Ltd."
    assert (said_by["ocr_pages"], said_by["ocr_confidence"]) == ([1], None)
    assert "p. 1 (OCR): “Ada" in run("dossier", "Ada Byron").out
    (scans / "second.pdf").write_bytes(scanned("another"))
    waits = run("sync")
    assert waits.code == 0
    assert "Scans wait. Scanned pages wait for a model." in waits.err
