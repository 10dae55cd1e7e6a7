"""One call: its deadline, and what is left of it when the client gives up."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import pytest

from mnemo_assets.serve.answer import Value
from mnemo_mcp import calls
from mnemo_mcp.calls import Calls
from mnemo_mcp.tools import Arguments, Tool

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    from mnemo_assets.serve.session import Reading
    from mnemo_assets.settings import Settings


class Nothing(Value):
    """An empty answer."""


def tool(ask: Callable[[Reading, Any], Value]) -> dict[str, Tool]:
    return {"probe": Tool("probe", "Probe", "Probe.", Arguments, Nothing, ask)}


def endless(reading: Reading, _: Any) -> Value:
    """A question that ends only when it is stopped (or fails the test after ten minutes)."""
    reading.execute(b"select set_config('statement_timeout', '600000', true)")
    reading.execute(b"select pg_sleep(600)")
    return Nothing()


@pytest.fixture
def running(
    settings: Settings, clone: str, admin: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """How many of the reader's queries are running in the test's database."""
    monkeypatch.setattr(calls, "_settings", lambda: settings)
    query = b"select count(*) from pg_stat_activity where datname = %s and query ~ 'sleep'"

    def count() -> int:
        row = admin.execute(query, (clone,)).fetchone()
        assert row is not None
        return int(row[0])

    return count


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition of the database, and fail where it does not come."""
    with anyio.fail_after(60):
        while not await anyio.to_thread.run_sync(condition):
            await anyio.lowlevel.checkpoint()


def test_cancelled_call_ends_its_query(
    running: Callable[[], int], capsys: pytest.CaptureFixture[str]
) -> None:
    """When the client gives up, the query in the database ends too; the audit says so."""
    asking = Calls(tool(endless))

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(asking.call, "probe", {}))
            await until(lambda: running() == 1)
            tasks.cancel_scope.cancel()
        await until(lambda: running() == 0)

    anyio.run(main)
    said = json.loads(capsys.readouterr().err)
    assert (said["tool"], said["ok"], said["error"]) == ("probe", False, "Timeout")


def test_deadline_ends_the_query_and_is_answered(running: Callable[[], int]) -> None:
    """A question that takes too long is answered with its class, and does not go on in the database."""

    async def main() -> None:
        result = await Calls(tool(endless), deadline=0.2).call("probe", {})
        assert result.is_error
        assert json.loads(result.content[0].text)["error"] == "Timeout"  # type: ignore[union-attr]
        await until(lambda: running() == 0)

    anyio.run(main)


def test_more_calls_than_turns_are_all_answered(running: Callable[[], int]) -> None:
    """Twenty at once: at most AT_ONCE connections, every one answered."""
    most = 0

    def ask(reading: Reading, _: Any) -> Value:
        nonlocal most
        reading.execute(b"select pg_sleep(0)")
        most = max(most, running())
        return Nothing()

    answered = []

    async def main() -> None:
        asking = Calls(tool(ask))

        async def one() -> None:
            answered.append(await asking.call("probe", {}))

        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(one)

    anyio.run(main)
    assert [result.is_error for result in answered] == [False] * 20
    assert 1 <= most <= calls.AT_ONCE


@pytest.mark.parametrize(
    "statement",
    [
        b"insert into mnemo.archives (name, root) values ('x', '/x')",
        b"select error from mnemo.documents",
        b"create temporary table t (n integer)",
        b"set transaction read write",
    ],
)
def test_no_tool_could_write_if_it_wanted_to(running: Callable[[], int], statement: bytes) -> None:
    """A tool that tries to write, or to look past the views, is refused; the database's text stays there."""

    def ask(reading: Reading, _: Any) -> Value:
        reading.execute(statement)
        return Nothing()

    async def main() -> None:
        result = await Calls(tool(ask)).call("probe", {})
        assert result.is_error
        text = result.content[0].text  # type: ignore[union-attr]
        assert json.loads(text)["error"] == "DatabaseUnavailable"
        assert "archives" not in text

    anyio.run(main)
    assert running() == 0


def test_text_of_an_exception_reaches_nobody(
    running: Callable[[], int], capsys: pytest.CaptureFixture[str]
) -> None:
    """A fault of ours is a class, to the agent and on standard error."""

    def ask(_: Reading, __: Any) -> Value:
        raise RuntimeError("SECRET of a document")

    async def main() -> None:
        result = await Calls(tool(ask)).call("probe", {})
        assert json.loads(result.content[0].text)["error"] == "InternalError"  # type: ignore[union-attr]
        assert "SECRET" not in str(result)

    anyio.run(main)
    caught = capsys.readouterr()
    assert "SECRET" not in caught.err + caught.out
    assert running() == 0
