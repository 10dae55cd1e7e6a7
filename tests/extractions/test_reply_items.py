from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_assets.extractions.dropped import LONGEST, MOST, count
from mnemo_assets.extractions.parse import Named, Parsed, Stated, StoredReply, parse
from tests.extractions.replies import said

if TYPE_CHECKING:
    from pathlib import Path

ANN, NORDWIND = Named("Person", "Ann Kovar"), Named("Org", "Nordwind")
WORKS = Stated("Ann Kovar", "works for", "Nordwind", "She works there.")
GOOD = said(
    [("Person", "Ann Kovar"), ("Org", "Nordwind")],
    [("Ann Kovar", "works for", "Nordwind", "She works there.")],
)
WHOLE = Parsed((ANN, NORDWIND), (WORKS,), listed=(2, 1))


def parsed(text: str, finish_reason: str | None = "stop", reasoning: str = "") -> Parsed:
    return parse(StoredReply(text, reasoning, finish_reason))


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f'Here\'s what {{I}} found, "all" of it:\n\n{GOOD}\n\nI hope that helps!',
        f"{GOOD}{'<end_of_turn>' * 200}",
        f"{GOOD} <|im_end|>\n",
        f'<think>First {{"entities": [</think>{GOOD}',
        f'{{"result": {GOOD}}}',
        f'{GOOD}\nAn empty answer would be {{"entities":[],"relations":[]}}.',
        json.dumps(json.loads(GOOD), indent=4),
        GOOD.replace('"entities"', '"Entities"').replace('"relations"', '"relationships"'),
        GOOD.replace("She works there.", "She works there.\\'").replace("\\'", ""),
    ],
)
def test_wherever_it_stands(text: str) -> None:
    """The answer is found in prose, in a fence, behind a thought, before end tokens, and within another."""
    assert parsed(text) == WHOLE


def test_beside_the_answer() -> None:
    """An answer that stands in the field for reasoning is found there; one in its own place comes first."""
    assert parsed("", reasoning=f"So it is {GOOD}") == WHOLE
    assert parsed('{"entities":[],"relations":[]}', reasoning=GOOD) == Parsed()


@pytest.mark.parametrize("text", ['{"entities":[],"relations":[]}', "{}", "[]", "```json\n{}\n```"])
def test_nothing_to_say(text: str) -> None:
    """An empty answer is no fault."""
    assert parsed(text) == Parsed()


@pytest.mark.parametrize(
    ("text", "finish_reason", "fault"),
    [
        ("", "stop", "EmptyReply"),
        (" \n<eos>", "stop", "EmptyReply"),
        ("I found nobody in this text.", "stop", "Unparseable"),
        ("I'm sorry, but I can't help with that.", "stop", "Refused"),
        ("", "content_filter", "Refused"),
        (GOOD, "context", "TooLong"),
        ("", "length", "CutOff"),
        ("The first person is", "length", "CutOff"),
        (GOOD[:40], "length", "CutOff"),
        (GOOD[:60], "stop", "CutOff"),
        (GOOD[: GOOD.index("relations") - 3], "length", "CutOff"),
        ('{"entities": [' + " " * 9_000, "length", "Runaway"),
        (" " * 9_000, "length", "Runaway"),
        ('{"entities": [' + '{"name": "Ann", "type": "Person"}, ' * 300, "length", "Runaway"),
        ("the the " * 500, "stop", "Runaway"),
    ],
)
def test_fault(text: str, finish_reason: str, fault: str) -> None:
    """What is wrong with a reply is named."""
    assert parsed(text, finish_reason).fault == fault


def test_whole_in_spite_of_its_length() -> None:
    """What stands behind a whole answer, up to the limit, takes nothing from it."""
    assert parsed(GOOD + " " * 9_000, "length") == WHOLE
    assert parsed(GOOD[:-1], "length") == WHOLE  # the lists have ended


@given(st.integers(0, len(GOOD) - 2))
def test_cut_anywhere(at: int) -> None:
    """Of a cut reply every whole item is kept, and no half of one."""
    found = parsed(GOOD[:at], "length")
    items = [
        (GOOD.index(part) + len(part) <= at)
        for part in ('"Ann Kovar", "type": "Person"}', '"Nordwind", "type": "Org"}', 'there."}')
    ]
    assert found.entities == tuple(
        one for one, is_there in zip((ANN, NORDWIND), items, strict=False) if is_there
    )
    assert found.relations == ((WORKS,) if items[2] else ())
    assert found.dropped == ()


def entity(**said: Any) -> str:
    return json.dumps({"entities": [said, {"name": "Nordwind", "type": "Org"}], "relations": []})


@pytest.mark.parametrize(
    ("called", "type_"),
    [
        *(("PERSON", "Person"), ("people", "Person"), ("Organisation", "Org"), ("Organization", "Org")),
        *(("Company ", "Org"), ("LOCATION", "Place"), ("GPE", "Place"), ("date", "Date"), ("Event", "Thing")),
    ],
)
def test_type(called: str, type_: str) -> None:
    """The types go by the names that models give them."""
    assert parsed(entity(name="It", type=called)).entities == (Named(type_, "It"), NORDWIND)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"name": "Ann", "type": "Feeling"}, "unknown_type"),
        ({"name": "Ann", "type": ["Person"]}, "malformed"),
        ({"name": "", "type": "Person"}, "malformed"),
        ({"name": " … ", "type": "Person"}, "malformed"),
        ({"name": ["Ann"], "type": "Person"}, "malformed"),
        ({"name": True, "type": "Person"}, "malformed"),
        ({"name": "x" * 201, "type": "Person"}, "malformed"),
        ({"type": "Person"}, "malformed"),
    ],
)
def test_bad_entity(said: dict[str, Any], why: str) -> None:
    """A bad entity is dropped, told, and costs no other."""
    found = parsed(entity(**said))
    assert found.entities == (NORDWIND,)
    assert [(each["kind"], each["why"]) for each in found.dropped] == [("entity", why)]
    assert found.fault is None


@pytest.mark.parametrize(
    ("entities", "found"),
    [
        ('["Ann Kovar", ["Nordwind", "ORG"]]', (Named("Thing", "Ann Kovar"), NORDWIND)),
        ('{"Person": ["Ann Kovar"], "Place": [], "Org": ["Nordwind"]}', (ANN, NORDWIND)),
        ('[{"name": 1998, "type": "Date"}, 7, null, NaN]', (Named("Date", "1998"), Named("Thing", "7"))),
        ('[{"name": "5" pipe", "type": "Thing"}, {"name": "Nordwind", "type": "Org"}]', (NORDWIND,)),
        (r'[{"name": "O\'Brien", "type": "Person"}]', (Named("Person", "O'Brien"),)),
        ('[1], "entities": [{"name": "A1", "name": "Nordwind", "type": "Org"}]', (NORDWIND,)),
        ('[{"name": "Ann\n Kovar", "type": "Person"}]', (ANN,)),
    ],
)
def test_other_entities(entities: str, found: tuple[Named, ...]) -> None:
    """What is meant is taken from shapes that were not asked for."""
    answer = parsed(f'{{"entities": {entities}, "relations": []}}')
    assert (answer.entities, answer.fault) == (found, None)


@pytest.mark.parametrize(
    ("relation", "found"),
    [
        ('["A1", "WORKS_FOR", "B1"]', Stated("A1", "works for", "B1")),
        ('["A1", "worksFor", "B1", "So."]', Stated("A1", "works for", "B1", "So.")),
        ('{"source": {"name": "A1"}, "relation": "Co-Founded", "target": "B1", "evidence": []}',
         Stated("A1", "co-founded", "B1")),
    ],
)  # fmt: skip
def test_other_relations(relation: str, found: Stated) -> None:
    """So it is with relations; a predicate is words in lower case."""
    assert parsed(f'{{"entities": [], "relations": [{relation}]}}').relations == (found,)


def test_list_alone() -> None:
    """A list without an object around it holds both."""
    relation = {"subject": "A1", "predicate": "is", "object": "B1"}
    found = parsed(json.dumps([{"name": "Nordwind", "type": "Org"}, relation]))
    assert found == Parsed((NORDWIND,), (Stated("A1", "is", "B1"),))


@pytest.mark.parametrize(
    "relation", ['"Ann works"', '["Ann", "works"]', '{"subject": "Ann", "object": "Bob"}', "7", "[1, [], {}]"]
)
def test_bad_relation(relation: str) -> None:
    """A bad relation is dropped, told, and costs no other."""
    found = parsed(f'{{"entities": [], "relations": [{relation}, {json.dumps(["A1", "is", "B1"])}]}}')
    assert found.relations == (Stated("A1", "is", "B1"),)
    assert [(each["kind"], each["why"], each["item"]) for each in found.dropped] == [
        ("relation", "malformed", relation)
    ]


def test_what_is_dropped_is_bounded() -> None:
    """Of what was dropped fifty items are kept, each cut to 300 characters, and all are counted."""
    bad = [{"name": "x" * 5_000, "type": "Person", "n": n} for n in range(120)]
    found = parsed(json.dumps({"entities": bad, "relations": []}))
    assert len(found.dropped) == MOST + 1
    assert {len(each["item"]) for each in found.dropped[:MOST]} == {LONGEST}
    assert found.dropped[MOST] == {"kind": "entity", "why": "malformed", "count": 70}
    assert count(found.dropped, "malformed", "entity") == 120


DEEP = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "[" * DEEP,
        '{"entities":' * DEEP,
        '{"entities":[' * DEEP,
        '{"entities":[{"name":"' * DEEP,
        '{"entities":[' + '{"name":' * DEEP + "1" + "}" * DEEP + "]}",
        '{"entities":[' + "[" * 7_000 + "]" * 7_000 + "]}",
        '{"entities":[' + '{"name":"Ann","type":"Person"},' * 270_000,
        '{"entities":["' + "\\" * 8_000_000,
        '"' * 8_000_000,
        '{"entities"' + " " * 8_000_000,
        '{"entities":["' + "{}" * 4_000_000,
        '{"entities":[{"name":' + "9" * 7_000_000 + "}]}",
        '{"entities":[{"name":' + "9" * 5_000 + "}]}",
        "<eos>" * 1_600_000,
        "```{" * 500_000,
        '{"entities":[{"name":"\\ud83d\\u0000","type":"\\udc00"}]}',
    ],
    ids=range(16),
)
def test_hostile(text: str) -> None:
    """However deep, long or odd it is, it is done with, and little of it is kept."""
    found = parsed(text, "length")
    assert len(found.entities) <= 1
    assert len(json.dumps(found.dropped)) < 10 * MOST * LONGEST


@given(
    st.text()
    | st.lists(
        st.sampled_from([*'{}[]":,\\', '"entities":[', '"relations":[', '"name":"A1"']), max_size=60
    ).map("".join)
)
def test_any_string(text: str) -> None:
    """Whatever a model says, it is no exception; what is dropped can be stored."""
    for found in (parsed(text), parsed("", None, text), parsed(text, "length")):
        json.dumps(found.dropped, ensure_ascii=False).encode()
        assert "\\u0000" not in json.dumps(found.dropped)


def test_bug_case_14_end_tokens() -> None:
    """Case 14: sixty entities and many end tokens are sixty entities."""
    sixty = said([("PERSON", f"Person {number}") for number in range(60)])
    for text in (sixty, sixty + "<end_of_turn>" * 80):
        found = parsed(text)
        assert (len(found.entities), found.fault) == (60, None)


@pytest.mark.parametrize(
    ("file", "fault", "entities"),
    [
        ("10-grammar-whitespace-runaway/response.json", "Runaway", 1),
        ("14-json-cut-mid-string/cut.json", "CutOff", 60),
        ("14-json-cut-mid-string/end-tokens.json", None, 60),
        ("15-escapes-in-model-json/response.json", None, 4),
    ],
)
def test_collected_bugs(bugcases: Path, file: str, fault: str | None, entities: int) -> None:
    """The collected replies: their fault, and how many entities they name all the same."""
    choice = json.loads((bugcases / file).read_bytes())["choices"][0]
    found = parsed(choice["message"]["content"], choice["finish_reason"])
    assert (found.fault, len(found.entities), found.dropped) == (fault, entities, ())
