"""Reading and mining of some documents, and up to a moment: what is not asked for stays as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemo_assets import database
from mnemo_assets.archive import ledger
from mnemo_assets.pipeline import claims, mine, read, scan

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

TEXTS = ("Ada Byron works for Nordwind Ltd.", "Carl Gauss met Ada Byron.", "Eve Curie lives in Paris.")


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """With the recipe that needs no model, and one worker."""
    return settings.model_copy(update={"extractor": "patterns", "workers": 1})


@pytest.fixture
def keys(connection: Connection, settings: Settings, tmp_path: Path) -> list[str]:
    """The sha256s of three letters that wait to be read, by document_id."""
    (folder := tmp_path / "letters").mkdir()
    for number, text in enumerate(TEXTS):
        (folder / f"{number}.txt").write_text(text)
    scan.scan(connection, settings, ledger.add_archive(connection, folder, None))
    return list(stages(connection))


def stages(connection: Connection) -> dict[str, str]:
    rows = connection.execute("select sha256, stage from documents order by document_id")
    return {row["sha256"]: row["stage"] for row in rows}


def test_only_some_are_read_and_mined(connection: Connection, settings: Settings, keys: list[str]) -> None:
    """Of those that wait, the ones that are named; an unknown one is nobody."""
    assert read.read(connection, settings, only=[keys[1], "f" * 64]).extracted == 1
    assert list(stages(connection).values()) == ["new", "extracted", "new"]
    read.read(connection, settings)
    assert mine.mine(connection, settings, only=keys[:1]).graphed == 1
    assert list(stages(connection).values()) == ["graphed", "extracted", "extracted"]


def test_none_is_not_all(connection: Connection, settings: Settings, keys: list[str]) -> None:
    """An empty choice is a choice."""
    assert read.read(connection, settings, only=[]).extracted == 0
    read.read(connection, settings)
    assert mine.mine(connection, settings, only=[]).graphed == 0
    assert mine.remerge(connection, settings, []).graphed == 0
    assert set(stages(connection)) == set(keys)


def test_a_stop_ends_what_is_claimed(connection: Connection, settings: Settings, keys: list[str]) -> None:
    """After it nothing more is claimed, what was claimed is ended, and the rest waits unclaimed."""
    assert read.read(connection, settings, stop=lambda: True).extracted == 0
    read.read(connection, settings)
    assert mine.mine(connection, settings, stop=lambda: True).graphed == 0
    assert claims.busy(connection, keys) == set()
    asked = iter([False, True])
    assert mine.mine(connection, settings, stop=lambda: next(asked)).graphed == 3


def test_remerging_leaves_what_was_not_extracted(
    connection: Connection, settings: Settings, keys: list[str]
) -> None:
    """A document of which no text was given to the recipe waits for mining; the others are merged."""
    read.read(connection, settings)
    mine.mine(connection, settings, only=keys[:2])
    assert mine.remerge(connection, settings, keys).graphed == 2
    assert list(stages(connection).values()) == ["graphed", "graphed", "extracted"]


def test_what_somebody_works_on_is_busy(connection: Connection, settings: Settings, keys: list[str]) -> None:
    """Claimed by a session that lives; not any more when it is gone."""
    with database.connect(settings) as other:
        with claims.claimant(other) as claimant:
            connection.execute(
                "update documents set claimed_by = %s, claim_token = gen_random_uuid(),"
                " claimed_until = now() + interval '1 hour' where sha256 = %s",
                (claimant.number, keys[0]),
            )
            assert claims.busy(connection, keys) == {keys[0]}
            assert read.read(connection, settings, only=keys[:1]).extracted == 0
        connection.execute(
            "update documents set claimed_by = 1, claim_token = gen_random_uuid() where sha256 = %s", keys[:1]
        )
    assert claims.busy(connection, keys) == set()


def test_a_failed_extraction_is_tried_again(
    connection: Connection, settings: Settings, keys: list[str]
) -> None:
    """What failed is mined again when it is asked for, and only then."""
    read.read(connection, settings)
    mine.mine(connection, settings)
    connection.execute("update chunk_extractions set outcome = 'failed', error_class = 'X'")
    connection.execute("update documents set stage = 'failed', error_class = 'ExtractionFailed'")
    assert mine.mine(connection, settings, only=keys).graphed == 0
    assert mine.mine(connection, settings, only=keys, again="failed").graphed == 3
    failed = connection.execute("select from chunk_extractions where outcome = 'failed'").fetchall()
    assert failed == []
