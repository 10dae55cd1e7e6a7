"""Bugs of comparable programs that stop a whole run, through the steps of ours."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from mnemo_assets.archive import ledger
from mnemo_assets.pipeline import read, scan

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

#: Case -> file -> its outcome; a document's stage and class, or the outcome of a file that has no document.
CASES = {
    "01-nul-in-extracted-text": {
        "clean.txt": "extracted",
        "nul.pdf": "extracted",
        "nul.txt": "extracted",
    },
    "06-encrypted-file-vague-error": {
        "owner-only.pdf": "extracted",
        "user-locked.pdf": "failed Encrypted",
        "user-locked.xlsx": "failed Encrypted",
    },
    "08-whitespace-only-document-blocks-queue": {
        "blank.pdf": "skipped Empty",
        "blank.txt": "skipped Empty",
        "good.txt": "extracted",
        "zero.txt": "empty",
    },
}


@pytest.mark.parametrize("case", CASES)
def test_a_collected_bug(
    bugcases: Path, connection: Connection, settings: Settings, tmp_path: Path, case: str
) -> None:
    """Each file ends as its description says, in one run; a second run has nothing to do."""
    folder = tmp_path / "papers"
    shutil.copytree(bugcases / case, folder)
    scan.scan(connection, settings, ledger.add_archive(connection, folder))
    read.read(connection, settings)
    query = b"select * from files left join documents using (sha256) where display_path <> 'README'"
    found = {}
    for row in connection.execute(query):
        stage = row["stage"] or row["outcome"]
        found[row["display_path"]] = " ".join(filter(None, (stage, row["error_class"])))
    assert found == CASES[case]
    assert read.read(connection, settings) == read.ReadCounts()
