"""One call: check the arguments, ask in a worker thread, stop at the deadline or when the client gives up."""

from __future__ import annotations

import functools
import json
import time
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from mcp.types import CallToolResult, TextContent
from pydantic import ValidationError

from mnemo_assets import settings
from mnemo_assets.serve import session
from mnemo_mcp import failures, wire
from mnemo_mcp.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mnemo_assets.serve.answer import Value
    from mnemo_mcp.tools import Arguments, Tool

#: Seconds that a call may take, waiting for its turn included. The first one may have to start the database.
DEADLINE = 30.0
#: Calls that are answered at once; more wait. Each holds a connection.
AT_ONCE = 4


class Calls:
    """Answers calls of the tools it is given. Nothing is read or connected to before the first one."""

    def __init__(self, tools: Mapping[str, Tool], deadline: float = DEADLINE) -> None:
        self._tools = tools
        self._deadline = deadline
        self._turns = anyio.CapacityLimiter(AT_ONCE)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """The answer, or a result with `isError` that holds a class and a hint, never a value."""
        began = time.monotonic()
        tool = self._tools.get(name)
        failure: Failure | None = None
        try:
            if tool is None:
                failure = Failure.UNKNOWN_TOOL
                return _refused(failure)
            try:
                wanted = tool.arguments.model_validate_json(json.dumps(arguments))
            except ValidationError as error:
                failure = Failure.INVALID_ARGUMENTS
                return _refused(failure, _faults(tool, error))
            try:
                return answered(await self._ask(tool, wanted))
            except Exception as error:  # noqa: BLE001 - its text may hold document text
                failure = failures.classify(error)
                return _refused(failure)
            except BaseException:
                failure = Failure.TIMEOUT  # the client gave the call up
                raise
        finally:
            milliseconds = round(1000 * (time.monotonic() - began))
            said: dict[str, str | int | bool] = {"tool": tool.name if tool else "unknown", "ms": milliseconds}
            wire.say(said | {"ok": failure is None} | ({} if failure is None else {"error": failure.value}))

    async def _ask(self, tool: Tool, wanted: Arguments) -> Value:
        stop = session.Stop()
        ask = functools.partial(_ask, tool, wanted, stop)
        try:
            with anyio.fail_after(self._deadline):
                return await anyio.to_thread.run_sync(ask, abandon_on_cancel=True, limiter=self._turns)
        except BaseException:
            with anyio.CancelScope(shield=True):  # the query must not outlive the call
                await anyio.to_thread.run_sync(stop.ask)
            raise


def _ask(tool: Tool, wanted: Arguments, stop: session.Stop) -> Value:
    with session.reading(_settings(), stop) as reading:
        return tool.ask(reading, wanted)


@functools.cache
def _settings() -> settings.Settings:
    """From the environment alone: an agent's working folder is not trusted to hold a `.env`."""
    return settings.load(dotenv=None)


def answered(value: Value) -> CallToolResult:
    """An answer as structured content, and the same data as compact text."""
    data = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data)


def _refused(failure: Failure, faults: Mapping[str, str] | None = None) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=failures.message(failure, faults))], is_error=True
    )


def _faults(tool: Tool, error: ValidationError) -> dict[str, str]:
    """Argument -> kind of fault, in pydantic's words; a name that is not ours is a value too."""
    faults: dict[str, str] = {}
    for fault in error.errors(include_input=False, include_url=False, include_context=False):
        name = str(fault["loc"][0]) if fault["loc"] else ""
        faults[name if name in tool.arguments.model_fields else "(other)"] = fault["type"]
    return faults
