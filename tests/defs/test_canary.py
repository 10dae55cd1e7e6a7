"""Nothing of the archive is in what Dagster keeps, nor in what its programs print: canaries are sought."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pymupdf
import pytest

from mnemo_assets import database, postgres
from mnemo_assets.database import Connection
from mnemo_assets.up import instance
from tests.text.invented_documents import pdf
from tests.upped import Up, until

pytestmark = [
    pytest.mark.xdist_group("canary"),
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at in /proc"),
]

#: In the archive's root, folders, file names, names of entities, texts, titles and mails' subjects.
ROOT, FOLDER, FILE = "quixolanthe", "brindlewort", "trundlefern"
PERSON, FIRM, TEXT, TITLE, OWNER = "Zorblaxia", "Wembleforth", "marzipanoscope", "Flimmertide", "Ombrellina"
mupdf: Any = pymupdf
CANARIES = (ROOT, FOLDER, FILE, PERSON, FIRM, TEXT, TITLE, OWNER)

SPOIL = """
    alter table chunks add constraint bug check (text not like '%has the bug%') not valid
"""
LAUNCH = """
mutation ($params: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $params) {
  __typename ... on LaunchBackfillSuccess { backfillId } } }"""
RUNS = """
query ($filter: RunsFilter!) { runsOrError(filter: $filter) { ... on Runs { results { id } } } }"""


@pytest.fixture
def up(monkeypatch: pytest.MonkeyPatch) -> Iterator[Up]:
    """`mnemo up` over an archive that is full of canaries."""
    monkeypatch.setenv("MNEMO_OWNER", f"{OWNER} Quandle")
    scratch = Path(tempfile.mkdtemp(prefix="mnemo-c-", dir="/tmp"))
    archive = scratch / ROOT
    fill(archive)
    up = Up(scratch / "home", archive)
    try:
        up.start()
        yield up
    finally:
        if up.process is not None and up.process.poll() is None:
            up.end()
        postgres.stop(up.home)
        shutil.rmtree(scratch, ignore_errors=True)


def letter(number: int) -> str:
    return f"Dear {PERSON} Quandle,\n\n{FIRM} Ltd sent {OWNER} Quandle the {TEXT} number {number} in May.\n"


def fill(archive: Path) -> None:
    """Letters, a mail, what cannot be read, and what may not come in."""
    folder = archive / FOLDER
    folder.mkdir(parents=True)
    (folder / f"{FILE} one.txt").write_text(letter(1))
    (folder / f"{FILE} two.html").write_text(f"<title>{TITLE}</title><p>{letter(2)}</p>")
    sender = f"From: {PERSON} Quandle <{PERSON}@example.org>"
    (folder / f"{FILE} mail.eml").write_text(
        f"{sender}\nTo: {OWNER}@example.org\nSubject: {TITLE}\n\n{letter(3)}"
    )
    encryption = mupdf.PDF_ENCRYPT_AES_256
    (folder / f"{FILE} locked.pdf").write_bytes(
        pdf(letter(4), encryption=encryption, user_pw=TEXT, owner_pw=TEXT)
    )
    (folder / f"{FILE} broken.docx").write_bytes(b"PK\x03\x04" + letter(5).encode())
    (folder / f"{FILE} key.txt").write_text(
        f"{letter(6)}\n-----BEGIN OPENSSH PRIVATE KEY-----\n{'b3BlbnNzaC1rZXktdjEAAAAA' * 3}\n"
    )


def stages(ledger: Connection) -> dict[str, str]:
    rows = ledger.execute("select sha256, coalesce(error_class, stage) as what from documents")
    return {row["sha256"]: row["what"] for row in rows}


def test_no_word_of_the_archive_reaches_dagster(up: Up) -> None:
    """Scan, reading, mining, reports, failing documents, a failing run and a backfill tell no word of it."""
    with closing(database.connect(up.settings)) as ledger:
        ends = ["Corrupt", "Encrypted", "graphed", "graphed", "graphed"]
        until(lambda: sorted(stages(ledger).values()) == ends, "the archive is taken in")
        backfill_id = backfill(up, list(stages(ledger)))
        ledger.execute(SPOIL)  # the database's error then holds the row, and with it the text
        (up.archive / f"{FILE} late.txt").write_text(f"{letter(7)} This one has the bug.\n")
        until(lambda: up.runs("FAILURE"), "a run fails")
        of_it = {"tags": [{"key": "dagster/backfill", "value": backfill_id}], "statuses": ["SUCCESS"]}
        until(lambda: up.ask(RUNS, filter=of_it)["runsOrError"]["results"], "the backfill's run succeeds")
        for name in (PERSON, FIRM, OWNER):
            assert ledger.execute("select name from entities where name like %s", (f"{name}%",)).fetchone(), (
                name
            )
    assert up.end(signal.SIGINT) == 0
    variables = {**os.environ, **instance.environment(up.settings, up.environment)}
    report = subprocess.run(
        [sys.executable, "-m", "mnemo_assets.defs.report", "--again"],
        env=variables,
        capture_output=True,
        check=True,
    )
    kept = {
        "what `mnemo up` said": "\n".join(up.lines).encode(),
        "what the report said": report.stdout + report.stderr,
        **files(up.home / "dagster"),
        **rows(variables["DAGSTER_PG_URL"]),
    }
    for word in ("CheckViolation", "Corrupt", "Encrypted", "graphed"):  # what is to be there is found
        assert holding(kept, word), word
    assert {word: found for word in CANARIES if (found := holding(kept, word))} == {}


def backfill(up: Up, keys: list[str]) -> str:
    """Have everything made anew, from the page; the id of the backfill."""
    names = ("files", "text", "chunks", "extractions", "graph")
    params = {
        "assetSelection": [{"path": [name]} for name in names],
        "partitionNames": keys,
        "tags": [{"key": "mnemo/force", "value": "true"}],
    }

    def is_shown() -> bool:
        query = '{ assetNodes(assetKeys: [{path: ["files"]}]) { partitionStats { numPartitions } } }'
        return bool(up.ask(query)["assetNodes"][0]["partitionStats"]["numPartitions"] == len(keys))

    until(is_shown, "the page shows the documents")
    launched = up.ask(LAUNCH, params=params)["launchPartitionBackfill"]
    return str(launched["backfillId"])


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, its name before what it holds."""
    return {
        f"file {path.relative_to(folder)}": os.fsencode(path.relative_to(folder)) + b"\n" + path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def rows(url: str) -> dict[str, bytes]:
    """Every table of Dagster's database, each column as text; what is packed is unpacked."""
    found: dict[str, bytes] = {}
    with psycopg.connect(url.replace("+psycopg2", "")) as connection:
        tables = connection.execute(
            "select quote_ident(schemaname) || '.' || quote_ident(tablename) from pg_tables"
            " where schemaname not in ('pg_catalog', 'information_schema')"
        ).fetchall()
        assert len(tables) > 20
        for (table,) in tables:
            some = connection.execute(b"select * from " + table.encode()).fetchall()
            found[f"table {table}"] = b"\n".join(_plain(value) for row in some for value in row)
    return found


def _plain(value: object) -> bytes:
    if isinstance(value, bytes):
        try:
            return zlib.decompress(value)
        except zlib.error:
            return value
    return (json.dumps(value) if isinstance(value, dict | list) else str(value)).encode()


def holding(kept: dict[str, bytes], word: str) -> list[str]:
    """Where a word is, however it is written."""
    sought = word.lower().encode()
    return [where for where, what in kept.items() if sought in what.lower()]
