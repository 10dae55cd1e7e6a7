"""What Postgres or the machine does to us while we work is said in words that a person can act on."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import psycopg
import pytest

from mnemo_assets.database import failures
from mnemo_assets.errors import DiskError, LinkLostError, PostgresError, ServerUnfitError

if TYPE_CHECKING:
    from mnemo_assets import database

CANARY = "Xanthippe"


@pytest.mark.parametrize(
    ("sqlstate", "error", "match"),
    [
        ("53100", DiskError, "disk is full"),
        ("53200", PostgresError, "memory"),
        ("53300", PostgresError, "Too many programs"),
        ("57014", PostgresError, "longer than the server allows"),
        ("55P03", PostgresError, "longer than the server allows"),
        ("25006", ServerUnfitError, "takes no changes"),
        ("58030", PostgresError, "damaged"),
        ("XX001", PostgresError, "damaged"),
        ("57P01", LinkLostError, "broke off"),
        ("57P02", LinkLostError, "broke off"),
        ("08006", LinkLostError, "broke off"),
    ],
)
def test_an_error_of_the_servers_says_what_to_do(
    connection: database.Connection, sqlstate: str, error: type[Exception], match: str
) -> None:
    """Each is an error of ours, by its SQLSTATE and in no language; nothing of its text comes along."""
    with pytest.raises(psycopg.Error) as raised:
        connection.execute(f"do $$ begin raise '{CANARY}' using errcode = '{sqlstate}'; end $$".encode())
    known = failures.clear(raised.value)
    assert type(known) is error
    with pytest.raises(error, match=match):
        raise known
    assert CANARY not in str(known)


def test_a_link_that_is_cut_is_called_that(
    connection: database.Connection, admin: psycopg.Connection
) -> None:
    """The first statement after it, and the next, which the client library refuses by itself."""
    admin.execute("select pg_terminate_backend(%s, 10000)", [connection.info.backend_pid])
    for _ in range(2):
        with pytest.raises(psycopg.Error) as raised:
            connection.execute("select 1")
        assert isinstance(failures.clear(raised.value), LinkLostError)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_disk_that_takes_no_more_is_called_that(number: int) -> None:
    """Whatever room met it, and without the path."""
    known = failures.clear(OSError(number, CANARY, CANARY))
    assert isinstance(known, DiskError)
    assert CANARY not in str(known)


@pytest.mark.parametrize(
    "fault", [ValueError(CANARY), OSError(errno.ENOENT, CANARY), psycopg.errors.UniqueViolation(CANARY)]
)
def test_a_fault_of_ours_stays_one(fault: Exception) -> None:
    """What is nobody's doing but ours is not made to look like the machine's."""
    assert failures.clear(fault) is None
