from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mnemo_assets.archive.rules import ADMITTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Ended

    Run = Callable[..., Ended]

SAMPLE = Path(__file__).parents[1] / "archive"

WAITING = {
    "letters/landlord.doc",
    "tax/expenses.xlsx",
    "tax/mileage.xlsm",
    "work/kick-off.ppt",
    "work/kick-off.pptx",
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
        **dict.fromkeys(WAITING, ("new", "ReaderToCome")),
        "Passwords/tax.pdf": ("excluded", "name:password"),
        "letters/vault.docx": ("excluded", "content:keepass"),
        "notes/laptop.txt": ("excluded", "content:bitlocker"),
        "letters/neighbour.txt": ("symlink", None),
        "notes/empty.txt": ("empty", None),
        "insurance/scanned claim.pdf": ("ocr_pending", "Scanned"),
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
        run("text", path, "--json").said["text"]
        for path in SAMPLE.rglob("*.*")
        if path.suffix in {".pdf", ".docx", ".txt", ".md", ".html", ".htm", ".csv", ".eml"} and path.is_file()
        if run("text", path).code == 0
    }
    dossier = run("dossier", "Nordwind Insurance Ltd", "--json").said
    assert len(dossier["documents"]) >= 5
    assert dossier["relations_in"]
    mentions = [mention for document in dossier["documents"] for mention in document["mentions"]]
    for one in [*mentions, *({**each, "quote_start": each["start"]} for each in dossier["relations_in"])]:
        start = one["quote_start"]
        assert any(text[start : start + len(one["quote"])] == one["quote"] for text in texts)
