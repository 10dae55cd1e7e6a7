from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets import database
from mnemo_assets.database.embedded import Embedded
from mnemo_assets.pipeline import claims

if TYPE_CHECKING:
    from mnemo_assets.database import Connection
    from mnemo_assets.settings import Settings

Q = database.queries("mine")


@pytest.fixture
def documents(connection: Connection) -> list[int]:
    """Five documents that wait to be mined."""
    rows = connection.execute(
        b"""insert into documents (sha256, stage) select repeat(n::text, 64), 'extracted'
        from generate_series(1, 5) as n returning document_id"""
    )
    return [row["document_id"] for row in rows]


def take(claimant: claims.Claimant, limit: int, after: int = 0) -> list[dict[str, Any]]:
    values = {"after": after, "limit": limit, "only": None, "again": None, "extractor_id": 1, "folders": None}
    return claimant.take(Q["claim_mining"], values)


def ids(rows: list[dict[str, Any]]) -> list[int]:
    return [row["document_id"] for row in rows]


def test_nobody_claims_what_is_claimed(
    connection: Connection, settings: Settings, documents: list[int]
) -> None:
    """Two claimants share the documents, ascending, until there is none left."""
    with (
        database.connect(settings) as other,
        claims.claimant(connection) as one,
        claims.claimant(other) as two,
    ):
        assert ids(take(one, 2)) == documents[:2]
        assert ids(take(two, 2)) == documents[2:4]
        assert ids(take(one, 2)) == documents[4:]
        assert take(two, 2) == []


def test_a_claimant_that_ends_leaves_nothing_claimed(connection: Connection, documents: list[int]) -> None:
    """What has no outcome at the end is free, also after an error."""
    with suppress(ZeroDivisionError), claims.claimant(connection) as claimant:
        assert ids(take(claimant, 9)) == documents
        raise ZeroDivisionError
    with claims.claimant(connection) as claimant:
        assert ids(take(claimant, 9)) == documents


def test_a_dead_session_has_no_claims(
    connection: Connection, settings: Settings, documents: list[int]
) -> None:
    """Whoever lost their session, as a killed process does, lost their claims at once."""
    other = database.connect(settings)
    lost = claims.claimant(other)
    assert ids(take(lost.__enter__(), 9)) == documents
    with claims.claimant(connection) as claimant:
        assert take(claimant, 9) == []
        connection.execute(b"select pg_terminate_backend(%s, 10000)", [other.info.backend_pid])
        assert ids(take(claimant, 9)) == documents
    other.close()


def test_an_old_claim_is_lost(connection: Connection, settings: Settings, documents: list[int]) -> None:
    """A claim ends with its time; the outcome of who had it is not written any more."""
    with database.connect(settings) as other, claims.claimant(other, timedelta(0)) as slow:
        (old, *_) = take(slow, 1)
        with claims.claimant(connection) as claimant:
            (new, *_) = take(claimant, 1)
            assert ids([old, new]) == documents[:1] * 2
            with pytest.raises(claims.LostError), other.transaction():
                claims.hold(other, old["document_id"], old["claim_token"])
            with connection.transaction():
                claims.hold(connection, new["document_id"], new["claim_token"])


def test_a_document_that_is_gone_has_no_claim(connection: Connection, documents: list[int]) -> None:
    """Whoever worked on it learns that there is nothing to write to."""
    with claims.claimant(connection) as claimant:
        (row, *_) = take(claimant, 1)
        connection.execute(b"delete from documents where document_id = %s", documents[:1])
        with pytest.raises(claims.LostError), connection.transaction():
            claims.hold(connection, row["document_id"], row["claim_token"])


def test_a_claim_in_another_database_is_none_here(
    connection: Connection, settings: Settings, documents: list[int]
) -> None:
    """Locks of the same number in another database of the server hold nothing."""
    with Embedded(settings.home, "mnemo", "dagster").open("owner") as elsewhere:
        elsewhere.execute(database.queries("claims")["try_claimant"], {"claimant": 4711})
        connection.execute(
            b"""update documents set claimed_by = 4711, claim_token = gen_random_uuid(),
            claimed_until = now() + interval '1 hour'"""
        )
        with claims.claimant(connection) as claimant:
            assert ids(take(claimant, 9)) == documents
