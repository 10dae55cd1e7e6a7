from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from mnemo_assets.archive.rules import ADMITTED
from mnemo_assets.text import converter
from tests.scans import needs_tesseract

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Ended

    Run = Callable[..., Ended]

SAMPLE = Path(__file__).parents[1] / "archive"

#: With tesseract scans come in, too.
RECOGNISES = shutil.which("tesseract") is not None
OCR = ["--ocr"] if RECOGNISES else []

#: What waits where the program that converts it is not installed.
CONVERTED = {
    name
    for name in ("letters/landlord.doc", "work/kick-off.ppt")
    if name.rpartition(".")[2] not in converter.kinds()
}


def test_the_sample_has_every_extension() -> None:
    """There is a file for each extension that is admitted."""
    assert {path.suffix[1:] for path in SAMPLE.rglob("*.*")} >= ADMITTED


def test_each_file_of_the_sample_ends_as_it_should(run: Run) -> None:
    """What did not come in whole, and why; everything else is in the graph."""
    synced = run("sync", SAMPLE, "--json").said
    failures = {
        row["path"]: (row.get("stage", row["outcome"]), row.get("error_class", row.get("rule")))
        for row in run("failures", "--json").lines
    }
    assert failures == {
        **dict.fromkeys(CONVERTED, ("new", "ConverterMissing")),
        "Passwords/tax.pdf": ("excluded", "name:password"),
        "letters/vault.docx": ("excluded", "content:keepass"),
        "notes/laptop.txt": ("excluded", "content:bitlocker"),
        "letters/neighbour.txt": ("symlink", None),
        "notes/empty.txt": ("empty", None),
        **({} if RECOGNISES else {"insurance/scanned claim.pdf": ("ocr_pending", "Scanned")}),
        "medical/blank.pdf": ("skipped", "Empty"),
        "tax/statement 2022.csv": ("skipped", "Tabular"),
        "tax/return 2019.pdf": ("failed", "Corrupt"),
        "tax/return 2020.pdf": ("failed", "Encrypted"),
    }
    paths = {path.relative_to(SAMPLE).as_posix() for path in SAMPLE.rglob("*.*") if not path.is_dir()}
    known = {path for path in paths if path.rpartition(".")[2] in ADMITTED and "node_modules" not in path}
    assert synced["files"]["admitted"] == len(known) - 5
    assert synced["documents"]["graphed"] == len(known - failures.keys()) - 1  # one mail lies there twice


def test_every_quote_of_the_sample_stands_in_its_text(run: Run) -> None:
    """What a dossier quotes is verbatim in what `mnemo text` prints, at the offsets it names."""
    run("sync", SAMPLE)
    texts = {
        run("text", path, *OCR, "--json").said["text"]
        for path in SAMPLE.rglob("*.*")
        if path.suffix[1:] in ADMITTED and path.is_file()
        if run("text", path).code == 0
    }
    dossier = run("dossier", "Nordwind Insurance Ltd", "--json").said
    assert len(dossier["documents"]) >= 5
    assert dossier["relations_in"]
    mentions = [mention for document in dossier["documents"] for mention in document["mentions"]]
    for one in [*mentions, *({**each, "quote_start": each["start"]} for each in dossier["relations_in"])]:
        start = one["quote_start"]
        assert any(text[start : start + len(one["quote"])] == one["quote"] for text in texts)


@needs_tesseract
def test_the_scan_of_the_sample_is_marked(run: Run) -> None:
    """What is said of an entity on a scan is shown as recognised, and nothing else is."""
    run("sync", SAMPLE)
    documents = run("dossier", "Nordwind Insurance Ltd", "--json").said["documents"]
    marked = {one["document_id"] for one in documents if any(each.get("ocr") for each in one["mentions"])}
    [scan] = marked
    assert run("document", str(scan), "--json").said["files"] == ["archive: insurance/scanned claim.pdf"]
    assert "(OCR): “" in run("dossier", "Nordwind Insurance Ltd").out
