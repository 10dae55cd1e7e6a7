"""The registry and the page that documents it; what every client sees before the first call."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from mnemo_assets import errors
from mnemo_mcp import failures
from mnemo_mcp.profiles import MEANINGS, PROFILES
from mnemo_mcp.server import INSTRUCTIONS, describe
from mnemo_mcp.tools import TOOLS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")


def section(tool: str) -> str:
    """The part of the page under a tool's heading."""
    return PAGE.split(f"\n## {tool}\n")[1].split("\n## ")[0]


def examples(tool: str) -> list[Any]:
    """The JSON blocks of a tool's part: arguments, then the answer."""
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", section(tool), re.DOTALL)]


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_page_documents_every_argument_and_field(name: str) -> None:
    """Each argument and each field of the answer has its line, in the words of the schema."""
    listed = describe(TOOLS[name])
    text = section(name)
    assert listed.description is not None
    assert listed.description in text
    assert listed.output_schema is not None
    for schema in (listed.input_schema, listed.output_schema):
        for field, described in schema["properties"].items():
            assert f"| `{field}` |" in text
            assert _description(described) in text


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_page_documents_what_stands_inside_the_answers(name: str) -> None:
    """The parts of an answer are described once, field by field."""
    schema = describe(TOOLS[name]).output_schema
    assert schema is not None
    for part, described in schema.get("$defs", {}).items():
        text = PAGE.split(f"\n### {part}\n")[1].split("\n### ")[0]
        for field, inside in described["properties"].items():
            assert f"| `{field}` | {_description(inside)} |" in text


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_examples_on_the_page_are_valid(name: str) -> None:
    """The example's arguments are taken, and its answer fits the output schema."""
    arguments, answer = examples(name)
    TOOLS[name].arguments.model_validate_json(json.dumps(arguments))
    schema = describe(TOOLS[name]).output_schema
    assert schema is not None
    jsonschema.validate(answer, schema)


def test_page_has_no_tool_that_is_not_there() -> None:
    """What looks like a tool's heading is one, and every failure has its line."""
    assert set(re.findall(r"^## ([a-z_]+)$", PAGE, re.MULTILINE)) == set(TOOLS)
    for failure in failures.Failure:
        assert f"| `{failure}` | {failures.HINTS[failure]} |" in PAGE


def test_profiles_name_tools_that_exist() -> None:
    """Every tool is in the full profile, and every profile says what it gives away."""
    assert set(PROFILES["full"]) == set(TOOLS)
    assert all(set(tools) <= set(TOOLS) for tools in PROFILES.values())
    assert set(MEANINGS) == set(PROFILES)


def test_ready_configuration_names_a_profile() -> None:
    """The file beside the README starts this server with a profile that exists."""
    server = json.loads((ROOT / "mcp.json").read_text())["mcpServers"]["mnemo"]
    assert server["command"] == "mnemo-mcp"
    assert server["args"] in [["--profile", name] for name in PROFILES]


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_tool_is_described_for_clients(name: str) -> None:
    """Read-only, titled, strict, each argument described; the description begins with the key words."""
    listed = describe(TOOLS[name])
    assert listed.annotations is not None
    assert listed.annotations.read_only_hint
    assert not listed.annotations.open_world_hint
    assert listed.title
    assert listed.input_schema["type"] == "object"
    assert listed.input_schema["additionalProperties"] is False
    assert listed.output_schema is not None
    assert listed.output_schema["type"] == "object"
    for described in (
        *listed.input_schema["properties"].values(),
        *listed.output_schema["properties"].values(),
    ):
        assert _description(described)
    assert listed.description is not None
    first = re.split(r"\W+", listed.description)[0].lower()
    assert first in [*name.split("_"), "timeline", "cross"]
    assert len(listed.description) < 300


def test_instructions_are_short_and_name_every_tool() -> None:
    """Clients cut instructions at 2,048 characters; they tell what to begin with, and what not to obey."""
    assert len(INSTRUCTIONS) < 2048
    for name in TOOLS:
        assert re.search(rf"\b{name}\b", INSTRUCTIONS)
    assert "untrusted_" in INSTRUCTIONS


def test_every_error_has_a_class_for_agents() -> None:
    """Each class has a hint; what the questions raise is told apart, anything else is InternalError."""
    assert set(failures.HINTS) == set(failures.Failure)
    assert failures.classify(errors.CursorError("")) == "InvalidCursor"
    assert failures.classify(errors.SettingsError("")) == "InvalidSettings"
    assert failures.classify(errors.DatabaseNewerError("")) == "DatabaseNewer"
    assert failures.classify(errors.PostgresError("")) == "DatabaseUnavailable"
    assert failures.classify(errors.QuestionTimeoutError("")) == "Timeout"
    assert failures.classify(errors.NotFoundError("")) == "NotFound"
    assert failures.classify(TimeoutError()) == "Timeout"
    assert failures.classify(RuntimeError("SECRET")) == "InternalError"


def test_document_text_is_named_untrusted_in_every_schema() -> None:
    """A field that can hold document text says so: the strings that remain are ids, classes, cursors."""
    trusted = {
        "sha256",
        "date",
        "mtime",
        "next_cursor",
        "warning",
        "digest",
        "extractor",
        "type",
        "role",
        "reader",
    }
    trusted |= {"predicate", "date_source", "stage", "error_class", "reason", "extensions", "extension"}
    trusted |= {"rule"}
    for tool in TOOLS.values():
        schema = describe(tool).output_schema
        assert schema is not None
        for described in (schema, *schema.get("$defs", {}).values()):
            for field, inside in described["properties"].items():
                if '"string"' in json.dumps(inside):
                    assert field.startswith("untrusted_") or field in trusted


def _description(schema: dict[str, Any]) -> str:
    if "description" in schema:
        return str(schema["description"])
    return next(str(part["description"]) for part in schema.get("anyOf", []) if "description" in part)
