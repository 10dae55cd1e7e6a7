from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.extractions.request import PROMPT, SMALLEST, Template, template
from tests.extractions.replies import TEMPLATE

TEXT = "Ann Kovar works for Nordwind Ltd."


def test_request() -> None:
    """A request is the prompt, then the text between two lines that have the text's own number."""
    asked = TEMPLATE.request(TEXT)
    system, user = asked.messages
    assert system == {"role": "system", "content": PROMPT}
    assert user["role"] == "user"
    found = re.fullmatch(
        r"Document ([0-9a-f]{16}) begins\.\n(.*)\nDocument \1 ends\.\n\n.* of document \1:", user["content"]
    )
    assert found is not None
    assert found[2] == TEXT
    assert (asked.max_tokens, asked.response_format) == (4096, TEMPLATE.response_format)


def test_prompt() -> None:
    """The prompt names the five types, shows the classic reversals both ways, and fits a small model."""
    for words in (
        *("Person", "Org", "Place", "Date", "Thing", '{"entities":[],"relations":[]}'),
        *(
            "works for",
            "employs",
            "owns",
            "is owned by",
            "mother of",
            "son of",
            "acquired",
            "was acquired by",
        ),
    ):
        assert words in PROMPT
    assert len(PROMPT) / 3 < 900


def test_form_of_an_answer() -> None:
    """The schema stands where servers enforce it: closed objects, both lists required, everything bounded."""
    form = TEMPLATE.response_format
    assert form is not None
    assert (form["type"], form["json_schema"]["name"], form["json_schema"]["strict"]) == (
        "json_schema",
        "extraction",
        True,
    )
    objects: list[Any] = []
    lists: list[Any] = []
    strings: list[Any] = []

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            {"object": objects, "array": lists, "string": strings}.get(str(part.get("type")), []).append(part)
            for each in part.values():
                walk(each)

    walk(form["json_schema"]["schema"])
    assert [(each["required"], each["additionalProperties"]) for each in objects] == [
        (["entities", "relations"], False),
        (["name", "type"], False),
        (["quote", "subject", "predicate", "object"], False),
    ]
    assert all(list(each["properties"]) == each["required"] for each in objects)
    assert all("maxItems" in each for each in lists)
    assert all("maxLength" in each or "enum" in each for each in strings)
    assert "$" not in json.dumps(form)


def test_no_form() -> None:
    """A preset that answers nothing to a response format is sent none."""
    assert template("seer", "p", 8192, "none").request(TEXT).response_format is None


def test_round_trip() -> None:
    """A template that went through jsonb, which sorts keys, asks the same to the letter."""
    kept = json.loads(json.dumps(TEMPLATE.to_json(), sort_keys=True))
    again = Template.from_json(kept)
    assert again == TEMPLATE
    assert again.digest == TEMPLATE.digest
    assert again.request(TEXT) == TEMPLATE.request(TEXT)
    assert json.dumps(again.response_format) == json.dumps(TEMPLATE.response_format)


@pytest.mark.parametrize(
    "other",
    [
        replace(TEMPLATE, model="other"),
        replace(TEMPLATE, preset="other"),
        replace(TEMPLATE, max_tokens=100),
        replace(TEMPLATE, prompt=PROMPT + " "),
        replace(TEMPLATE, answer_format="none"),
        replace(TEMPLATE, schema={**TEMPLATE.schema, "x": 1}),
        replace(TEMPLATE, parameters={**TEMPLATE.parameters, "temperature": 1}),
    ],
)
def test_key(other: Template) -> None:
    """Whatever is sent is in the key, and in the template's digest."""
    assert other.request(TEXT).key != TEMPLATE.request(TEXT).key
    assert other.digest != TEMPLATE.digest
    assert TEMPLATE.request(TEXT).key != TEMPLATE.request(TEXT + " ").key


def test_parameters_are_told() -> None:
    """What the client adds to each request is a part of what a reply is known by."""
    assert TEMPLATE.to_json()["parameters"] == {
        "temperature": 0,
        "reasoning_effort": "none",
        "chat_template_kwargs": {"enable_thinking": False},
    }


def test_key_elsewhere() -> None:
    """Another process has the same key."""
    code = (
        "from tests.extractions.replies import TEMPLATE; "
        f"print(TEMPLATE.request({TEXT!r}).key, TEMPLATE.digest)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == [TEMPLATE.request(TEXT).key, TEMPLATE.digest]


def test_room() -> None:
    """A reply has half the context, 4,096 tokens at most; a prose chunk fits beside it, digits may not."""
    assert [template("m", "p", context, "none").max_tokens for context in (2048, 8192, 100_000)] == [
        1024,
        4096,
        4096,
    ]
    assert TEMPLATE.fits("word " * 1200)
    assert not TEMPLATE.fits("12345 " * 1000)
    assert not TEMPLATE.fits("張" * 6000)
    assert not template("m", "p", 1024, "none").fits("")


@pytest.mark.parametrize(
    ("text", "tokens", "is_cut"),
    [
        ("word " * 1000, 4095, False),
        ("word " * 1000, 4096, True),  # no room for a whole reply, or it took what it had room for
        ("word " * 1000, 500, False),
        ("word " * 1000, 499, True),  # a word has a token at least
        ("." * 5000, 100, False),  # marks may be one token together
        ("word " * 1000, None, False),
        ("word " * 1000, 0, False),
        ("", 1, False),
    ],
)
def test_cut_by_the_server(text: str, tokens: int | None, is_cut: bool) -> None:  # noqa: FBT001
    """A server that cut what it was sent tells by its count."""
    assert TEMPLATE.is_cut(text, tokens) is is_cut


@given(st.lists(st.sampled_from(["word ", "End. ", "\n\n", "e\u0301", "張", "x" * 90]), max_size=900))
def test_halves(pieces: list[str]) -> None:
    """Two halves overlap, hold the whole text, and none is shorter than it may be."""
    text = "".join(pieces)
    halves = TEMPLATE.halves(text)
    if len(text) < 2 * SMALLEST:
        assert halves is None
        return
    assert halves is not None
    (start, cut), (begin, end) = halves
    assert (start, end) == (0, len(text))
    assert 0 < cut - begin < len(text) // 8 + 200
    assert min(cut, end - begin) >= SMALLEST - 40  # an accent is not parted from its letter
    assert max(cut, end - begin) <= len(text) * 3 // 4 + 200


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("Word word. " * 45 + "End here.\n\n" + "word word. " * 45, "End here.\n\n"),
        ("word " * 100 + "End here. " + "Word " * 100, "End here. "),
        ("word " * 200, "word "),
    ],
)
def test_halves_end_where_something_ends(text: str, end: str) -> None:
    """The first half ends with a paragraph near the middle, else with a sentence, else with a word."""
    halves = TEMPLATE.halves(text)
    assert halves is not None
    assert text[: halves[0][1]].endswith(end)
    assert text[halves[1][0] - 1].isspace()
