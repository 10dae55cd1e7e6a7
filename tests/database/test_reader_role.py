"""Read-only is a role, not a flag: every known way around it, tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import errors

if TYPE_CHECKING:
    from mnemo_assets import database

INSERT = "insert into mnemo.documents (sha256) values (repeat('b', 64))"
WRITABLE = "set default_transaction_read_only = off"

BYPASSES: dict[str, tuple[str, ...]] = {
    "a read-write transaction": ("begin read write", INSERT),
    "the transaction's flag": ("begin", "set transaction_read_only = off", INSERT),
    "the session's flag": (WRITABLE, INSERT),
    "a view that could be written": (
        WRITABLE,
        "insert into serve.documents (sha256) values (repeat('b', 64))",
    ),
    "deleting through a view": (WRITABLE, "delete from serve.documents"),
    "locking through a view": (WRITABLE, "select * from serve.documents for update"),
    "the table behind the view": ("select * from mnemo.documents",),
    "truncating": (WRITABLE, "truncate mnemo.documents"),
    "a block of code": (WRITABLE, f"do $$ begin {INSERT}; end $$"),
    "the owner's role": ("set role mnemo_owner",),
    "the superuser's role": ("set role mnemo_admin",),
    "the owner's session": ("set session authorization mnemo_owner",),
    "a program that takes the output": ("copy (select 1) to program 'true'",),
    "a file that takes the output": ("copy (select 1) to '/tmp/mnemo-never'",),
    "the server's files": ("select pg_read_file('/etc/passwd')",),
    "the server's folders": ("select pg_ls_dir('/')",),
    "importing a file": (WRITABLE, "select lo_import('/etc/passwd')"),
    "exporting to a file": (WRITABLE, "select lo_export(1, '/tmp/mnemo-never')"),
    "making a large object": (WRITABLE, "select lo_create(0)"),
    "filling a large object": (WRITABLE, "select lo_from_bytea(0, 'x')"),
    "a temporary table": (WRITABLE, "create temp table t (x int)"),
    "a table in public": (WRITABLE, "create table public.t (x int)"),
    "a table in serve": (WRITABLE, "create table serve.t (x int)"),
    "a schema": (WRITABLE, "create schema s"),
    "a function": (WRITABLE, "create function public.f() returns int language sql return 1"),
    "an extension": (WRITABLE, "create extension dblink schema public"),
    "another database": (WRITABLE, "create database d"),
    "another role": (WRITABLE, "create role r"),
    "its own privileges": (WRITABLE, "alter role mnemo_reader superuser"),
    "its own settings, for good": (WRITABLE, "alter database postgres set work_mem = '1GB'"),
    "the server's settings": (WRITABLE, "alter system set work_mem = '1GB'"),
    "the bound on temporary files": ("set temp_file_limit = -1",),
    "a lock that writers wait for": ("select pg_advisory_lock(1)",),
    "a lock on a table": (WRITABLE, "begin", "lock table mnemo.documents"),
    "words in the log of changes": (WRITABLE, "select pg_logical_emit_message(false, 'x', 'y')"),
    "the checkpoint": ("checkpoint",),
    "what others are known to type": ("select query from pg_stat_statements",),
    "a connection to elsewhere": ("select dblink('host=/tmp', 'select 1')",),
}


@pytest.mark.parametrize("way", BYPASSES)
def test_no_way_around(connection: database.Connection, reader: database.Connection, way: str) -> None:
    """Each way around read-only ends in a refusal, and changes nothing."""
    connection.execute("insert into documents (sha256) values (repeat('a', 64))")
    *before, last = BYPASSES[way]
    for statement in before:
        reader.execute(statement.encode())
    refusals = (errors.InsufficientPrivilege, errors.UndefinedTable, errors.UndefinedFunction)
    with pytest.raises(refusals):
        reader.execute(last.encode())
    assert connection.execute("select sha256, stage from documents").fetchall() == [
        {"sha256": "a" * 64, "stage": "new"}
    ]


def test_other_sessions_are_out_of_reach(
    connection: database.Connection, reader: database.Connection
) -> None:
    """The reader can neither end the owner's session nor see what it runs."""
    pid = connection.info.backend_pid
    with pytest.raises(errors.InsufficientPrivilege):
        reader.execute("select pg_terminate_backend(%s)", [pid])
    seen = reader.execute("select query from pg_stat_activity where pid = %s", [pid]).fetchall()
    assert seen == [{"query": "<insufficient privilege>"}]


def test_the_flag_stands_too(reader: database.Connection) -> None:
    """Without any trick, a transaction of the reader is read-only and bounded in time and disk."""
    rows = reader.execute(
        "select name, setting from pg_settings where name = any(%s)",
        [
            [
                "default_transaction_read_only",
                "statement_timeout",
                "transaction_timeout",
                "idle_in_transaction_session_timeout",
                "lock_timeout",
                "temp_file_limit",
            ]
        ],
    )
    assert {row["name"]: row["setting"] for row in rows} == {
        "default_transaction_read_only": "on",
        "statement_timeout": "30000",
        "transaction_timeout": "60000",
        "idle_in_transaction_session_timeout": "30000",
        "lock_timeout": "10000",
        "temp_file_limit": "1048576",
    }


def test_the_role_is_as_small_as_it_can_be(admin: psycopg.Connection, reader: database.Connection) -> None:
    """The reader is no member of anything and has no attribute; neither is the owner a superuser."""
    rows = admin.execute(
        "select rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls, rolconnlimit,"
        " (select count(*) from pg_auth_members where member = r.oid)"
        " from pg_roles r where rolname in ('mnemo_owner', 'mnemo_reader') order by rolname"
    ).fetchall()
    no = (False,) * 5
    assert rows == [("mnemo_owner", *no, -1, 0), ("mnemo_reader", *no, 20, 0)]
    assert reader.execute("select current_user as me").fetchone() == {"me": "mnemo_reader"}


def test_the_views_of_serve_are_all_it_sees(
    connection: database.Connection, reader: database.Connection
) -> None:
    """What the reader can select from, but for the system's own, is the views of schema serve."""
    query = (
        "select n.nspname as schema, c.relname as name, c.relkind::text as kind from pg_class c"
        " join pg_namespace n on n.oid = c.relnamespace"
        " where c.relkind in ('r', 'v', 'm', 'p', 'f', 'S')"
        " and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')"
    )
    all_views = [row for row in connection.execute(query.encode()) if row["schema"] == "serve"]
    can = reader.execute(f"{query} and has_table_privilege(c.oid, 'select')".encode()).fetchall()
    assert can == all_views
    assert {row["kind"] for row in can} == {"v"}
    cannot = "insert, update, delete, truncate, references, trigger"
    assert reader.execute(f"{query} and has_table_privilege(c.oid, '{cannot}')".encode()).fetchall() == []


@pytest.mark.parametrize("database_name", ["postgres", "template1"])
def test_other_databases_are_shut(shared_socket: object, database_name: str) -> None:
    """No role but the superuser connects to the cluster's other databases."""
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(host=str(shared_socket), user="mnemo_reader", dbname=database_name)
