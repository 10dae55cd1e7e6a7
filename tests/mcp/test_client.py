"""The SDK's own client over stdio, in both eras of the protocol: it checks answers against their schemas."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from mnemo_assets.serve.answer import ANSWER, WARNING
from mnemo_assets.settings import Settings
from mnemo_mcp import calls, server
from mnemo_mcp.profiles import PROFILES
from tests.mcp.conftest import HOSTILE, Served

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.types import CallToolResult

ERAS = ("legacy", "2026-07-28", "auto")


def talk(served: Served, era: str, conversation: Callable[[Client], Awaitable[None]]) -> None:
    """Start the server as an agent would, and hold a conversation with it."""
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "mnemo_mcp", "--profile", "full"],
        env={"MNEMO_HOME": str(served.home), "PYTHONPATH": os.environ["PYTHONPATH"]},
    )

    async def main() -> None:
        async with Client(started, mode=era) as client:
            await conversation(client)

    anyio.run(main)


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer, after comparing it with the text."""
    result = await client.call_tool(tool, arguments)
    return checked(result)


def checked(result: CallToolResult) -> dict[str, Any]:
    """The data of a result, which is the same twice, and bounded."""
    assert not result.is_error, result
    (block,) = result.content
    text = block.text  # type: ignore[union-attr]
    assert json.loads(text) == result.structured_content
    assert text == json.dumps(result.structured_content, separators=(",", ":"), ensure_ascii=False)
    assert len(text) <= ANSWER
    data: dict[str, Any] = result.structured_content
    return data


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_answers_in_both_eras(served: Served, era: str) -> None:
    """Listed, called, and each answer fits the output schema that was listed (the client checks)."""
    ada, letter = served.ids["Ada Byron"], served.ids["letter"]
    questions: dict[str, dict[str, Any]] = {
        "status": {},
        "search_entities": {"query": "ada"},
        "get_dossier": {"entity_id": ada},
        "related_entities": {"entity_id": ada, "hops": 2},
        "entity_timeline": {"entity_id": ada, "after": "2019-01-01"},
        "cross_document_entities": {"min_documents": 2},
        "get_document": {"document_id": letter},
    }

    async def conversation(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert tuple(tool.name for tool in listed) == PROFILES["full"]
        assert client.instructions is not None or era == "2026-07-28"
        assert set(questions) == {tool.name for tool in listed}
        for tool, arguments in questions.items():
            data = await ask(client, tool, **arguments)
            assert data.get("warning", WARNING) == WARNING

    talk(served, era, conversation)


def test_dossier_reaches_an_agent_with_quotes_verbatim(served: Served) -> None:
    """From a name to the sentence that proves it: each quote stands at its span in the document's text."""

    async def conversation(client: Client) -> None:
        (found,) = (await ask(client, "search_entities", query="ada by"))["entities"]
        data = await ask(client, "get_dossier", entity_id=found["entity_id"])
        assert [document["date"] for document in data["documents"][:2]] == ["2020-02-01", "2019-05-03"]
        quotes = 0
        for document in data["documents"]:
            text = served.graph.texts[document["document_id"]]
            for mention in document["mentions"]:
                assert text[mention["start"] : mention["end"]] == mention["untrusted_form"] == "Ada Byron"
                assert text[mention["quote_start"] : mention["quote_end"]] == mention["untrusted_quote"]
                quotes += 1
        for relation in data["relations_out"] + data["relations_in"]:
            text = served.graph.texts[relation["document_id"]]
            assert text[relation["start"] : relation["end"]] == relation["untrusted_quote"]
            quotes += 1
        assert quotes == 5

    talk(served, "legacy", conversation)


@pytest.mark.parametrize(
    ("tool", "arguments", "faults"),
    [
        ("search_entities", {"query": "Ada", "SECRET": "SECRET"}, {"(other)": "extra_forbidden"}),
        ("search_entities", {"query": ["SECRET"]}, {"query": "string_type"}),
        ("search_entities", {"query": "SECRET" * 100}, {"query": "string_too_long"}),
        ("search_entities", {"query": "Ada", "type": "SECRET; drop"}, {"type": "string_pattern_mismatch"}),
        ("search_entities", {}, {"query": "missing"}),
        ("search_entities", {"query": "Ada", "limit": 0}, {"limit": "greater_than_equal"}),
        ("get_dossier", {"entity_id": "SECRET"}, {"entity_id": "int_type"}),
        ("get_dossier", {"entity_id": 10**40}, {"entity_id": "less_than"}),
        ("get_dossier", {"entity_id": True}, {"entity_id": "int_type"}),
        ("related_entities", {"entity_id": 1, "hops": 3}, {"hops": "literal_error"}),
        ("entity_timeline", {"entity_id": 1, "after": "SECRET"}, {"after": "date_parsing"}),
        ("get_document", {}, {"(other)": "value_error"}),
        ("get_document", {"sha256": "SECRET"}, {"sha256": "string_pattern_mismatch"}),
        ("status", {"SECRET": 1}, {"(other)": "extra_forbidden"}),
    ],
)
def test_bad_argument_is_a_result_that_names_the_fault(
    served: Served, tool: str, arguments: dict[str, Any], faults: dict[str, str]
) -> None:
    """A tool result with isError, a class and the kind of fault; never a value, nor an unknown name."""

    async def conversation(client: Client) -> None:
        result = await client.call_tool(tool, arguments)
        assert result.is_error
        assert result.structured_content is None
        text = result.content[0].text  # type: ignore[union-attr]
        said = json.loads(text)
        assert (said["error"], said["arguments"]) == ("InvalidArguments", faults)
        assert "SECRET" not in text

    _in_process(served, conversation)


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("nonsense", {}, "UnknownTool"),
        ("get_dossier", {"entity_id": 2**62}, "NotFound"),
        ("get_document", {"sha256": "0" * 64}, "NotFound"),
        ("search_entities", {"query": "Ada", "cursor": "SECRET"}, "InvalidCursor"),
    ],
)
def test_failure_is_a_class(served: Served, tool: str, arguments: dict[str, Any], error: str) -> None:
    """What went wrong is one of the classes, with a hint."""

    async def conversation(client: Client) -> None:
        result = await client.call_tool(tool, arguments)
        assert result.is_error
        said = json.loads(result.content[0].text)  # type: ignore[union-attr]
        assert said["error"] == error
        assert said["hint"]
        assert "SECRET" not in json.dumps(said)

    _in_process(served, conversation)


def test_hostile_text_stays_in_untrusted_fields(served: Served) -> None:
    """Names, titles, quotes and predicates that give orders are in fields called untrusted_ alone."""
    hostile, document = served.ids[HOSTILE], served.ids["hostile"]

    async def conversation(client: Client) -> None:
        for tool, arguments in (
            ("search_entities", {"query": "ignore all"}),
            ("get_dossier", {"entity_id": hostile}),
            ("get_dossier", {"entity_id": served.ids["Ada Byron"]}),
            ("related_entities", {"entity_id": hostile}),
            ("entity_timeline", {"entity_id": hostile}),
            ("cross_document_entities", {"min_documents": 1}),
            ("get_document", {"document_id": document}),
        ):
            data = await ask(client, tool, **arguments)
            places = set(_places(data, "Ignore all"))
            assert places, tool
            assert all(place.startswith("untrusted_") for place in places), (tool, places)
            assert data["warning"] == WARNING

    _in_process(served, conversation)


def _places(data: Any, text: str, place: str = "") -> Any:
    """The names of the fields that hold a text."""
    if isinstance(data, dict):
        for name, value in data.items():
            assert text not in name
            yield from _places(value, text, name)
    elif isinstance(data, list):
        for value in data:
            yield from _places(value, text, place)
    elif text in str(data):
        yield place


def _in_process(served: Served, conversation: Callable[[Client], Awaitable[None]]) -> None:
    """The same server without a process of its own: the wire is tested elsewhere."""

    async def main() -> None:
        async with Client(server.build("full"), mode="legacy") as client:
            await conversation(client)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calls, "_settings", partial(Settings, home=served.home))
        anyio.run(main)
