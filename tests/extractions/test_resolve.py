from __future__ import annotations

import itertools
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from mnemo_assets.errors import RecipeError
from mnemo_assets.extractions import from_llm, recipes, store
from mnemo_assets.extractions.extractor import Extraction
from mnemo_assets.extractions.from_llm import Resolved, resolve
from mnemo_assets.extractions.parse import FAULTS, StoredReply
from mnemo_assets.extractions.request import template
from tests.extractions.replies import TEMPLATE, answered, drained, edges, names, resolved, said

if TYPE_CHECKING:
    from pathlib import Path

    from mnemo_assets.database import Connection

CUT = StoredReply(
    '{"entities": [{"name": "Ann Kovar", "type": "Person"}, {"name": "No', finish_reason="length"
)
FILL = "And so it went on for a long while. " * 12
TEXT = f"Ann Kovar met Ben Holm. {FILL}\n\n{FILL}Ben Holm met Cy Dahl."


def test_asks() -> None:
    """Without a reply the whole text is what is to be asked."""
    assert resolve(TEMPLATE, TEXT, {}) == Resolved(Extraction((), ()), missing=(TEMPLATE.request(TEXT),))


def test_asks_for_halves() -> None:
    """A reply that was cut off asks for both halves; what they say is of the whole text, and said once."""
    replies = answered(TEXT, CUT)
    halves = TEMPLATE.halves(TEXT)
    assert halves is not None
    first, second = (TEXT[start:end] for start, end in halves)
    assert resolve(TEMPLATE, TEXT, replies).missing == (TEMPLATE.request(first), TEMPLATE.request(second))
    people = [("Person", "Ann Kovar"), ("Person", "Ben Holm")]
    replies |= answered(first, said(people, [("Ann Kovar", "met", "Ben Holm", "Ann Kovar met Ben Holm.")]))
    assert resolve(TEMPLATE, TEXT, replies).missing == (TEMPLATE.request(second),)
    people = [("Person", "Ben Holm"), ("Person", "Cy Dahl")]
    replies |= answered(second, said(people, [("Ben Holm", "met", "Cy Dahl", "Ben Holm met Cy Dahl.")]))
    found = resolve(TEMPLATE, TEXT, replies)
    assert names(found) == [
        ("Person", f"{name}") for name in ("Ann Kovar", "Ben Holm", "Ben Holm", "Cy Dahl")
    ]
    assert edges(found, TEXT) == [
        ("Ann Kovar", "met", "Ben Holm", "Ann Kovar met Ben Holm."),
        ("Ben Holm", "met", "Cy Dahl", "Ben Holm met Cy Dahl."),
    ]
    assert (found.fault, found.pieces, found.failed, found.missing) == (None, 2, 0, ())


def test_overlap() -> None:
    """What stands where two halves overlap, and is said by both or by one of them, is there once."""
    halves = TEMPLATE.halves("word " * 400)
    assert halves is not None
    seam = (halves[1][0] + halves[0][1]) // 10 * 5 - 10
    text = ("word " * 400)[:seam] + "Ann Kovar met Ben Holm " + ("word " * 400)[seam + 23 :]
    people = [("Person", "Ann Kovar"), ("Person", "Ben Holm"), ("Person", "Kovar")]
    relation = [("Ann Kovar", "met", "Ben Holm", "Ann Kovar met Ben Holm")]
    both = StoredReply(said(people, relation), finish_reason="stop")
    cut = TEMPLATE.request(text).key
    once = None
    for answers in (both, {"first": both}):
        replies = {cut: CUT}
        missing = resolve(TEMPLATE, text, replies).missing
        replies |= {request.key: StoredReply(said(), finish_reason="stop") for request in missing}
        replies |= {request.key: both for request in (missing if answers is both else missing[:1])}
        found = resolve(TEMPLATE, text, replies)
        assert names(found) == [("Person", "Ann Kovar"), ("Person", "Ben Holm")]
        assert len(found.extraction.relations) == 1
        assert once in (None, found.extraction)
        once = found.extraction


def test_name_across_the_cut() -> None:
    """Half a name, of which a model that saw only that half made one, is none in the whole text."""
    text = "x" * 445 + " Annabella " + "y" * 445
    replies = answered(text, CUT)
    missing = resolve(TEMPLATE, text, replies).missing
    replies |= {
        request.key: StoredReply(said([("Person", "Annab")]), finish_reason="stop") for request in missing
    }
    found = resolve(TEMPLATE, text, replies)
    assert (names(found), found.ungrounded) == ([], 1)


def test_cut_off_to_the_end() -> None:
    """What is cut off however short it is keeps its whole items, and says that something is missing."""
    found = drained(TEXT, CUT)
    assert names(found) == [("Person", "Ann Kovar")]
    assert (found.fault, found.pieces, found.failed) == ("CutOff", 2, 2)
    short = resolved(TEXT[:500], CUT)
    assert (names(short), short.fault, short.pieces) == ([("Person", "Ann Kovar")], "CutOff", 1)


def test_one_part_fails() -> None:
    """A part that cannot be done does not cost the others."""
    halves = TEMPLATE.halves(TEXT)
    assert halves is not None
    replies = answered(TEXT, CUT) | answered(TEXT[: halves[0][1]], said([("Person", "Ann Kovar")]))
    replies |= answered(TEXT[halves[1][0] :], "I cannot read that.")
    found = resolve(TEMPLATE, TEXT, replies)
    assert names(found) == [("Person", "Ann Kovar")]
    assert (found.fault, found.pieces, found.failed) == ("Unparseable", 2, 1)


def test_depth() -> None:
    """A text is divided a bounded number of times, whatever comes back."""
    long = "Word word. " * 545
    asked = drained(long, CUT)
    assert 8 <= asked.pieces <= 16
    assert (asked.fault, asked.failed) == ("CutOff", asked.pieces)


def test_runaway() -> None:
    """A model that ran away is asked about halves once; if it does so again, that part is given up."""
    away = StoredReply(
        '{"entities": [{"name": "Ann Kovar", "type": "Person"}, {' + " " * 9_000, finish_reason="length"
    )
    found = drained("Ann Kovar. " + "Word word. " * 500, away)
    assert (found.fault, found.pieces, found.failed) == ("Runaway", 2, 2)
    assert names(found) == [("Person", "Ann Kovar")]


@pytest.mark.parametrize(
    "reply",
    [
        StoredReply("", finish_reason="context"),
        StoredReply(said(), finish_reason="stop", prompt_tokens=4096),
        StoredReply(said(), finish_reason="stop", prompt_tokens=50),
    ],
)
def test_too_long_for_the_server(reply: StoredReply) -> None:
    """A text that the server found too long, or silently cut, is asked about in halves."""
    text = "word " * 400
    assert len(resolve(TEMPLATE, text, answered(text, reply)).missing) == 2


def test_too_long_to_ask() -> None:
    """What does not fit is not asked, but its halves; what never fits is too long."""
    digits = "12345 " * 1000
    missing = resolve(TEMPLATE, digits, {}).missing
    assert len(missing) >= 2
    assert all(len(request.messages[1]["content"]) < len(digits) for request in missing)
    tiny = template("seer", "p", 1024, "none")
    found = resolve(tiny, digits, {})
    assert (found.missing, found.fault, found.failed == found.pieces) == ((), "TooLong", True)


@pytest.mark.parametrize(("kind", "most"), [("entities", 80), ("relations", 50)])
def test_full_list(kind: str, most: int) -> None:
    """A list that is full to its bound may lack something; one full of the same ran away."""
    people = [f"Ann{number} Kovar" for number in range(51)]
    entities = [("Person", f"Ann{number} Kovar") for number in range(most)]
    relations = [("Ann0 Kovar", "met", name, "") for name in people[1:]]
    full = said(entities if kind == "entities" else [], relations if kind == "relations" else [])
    assert len(resolved(TEXT, full).missing) == 2
    same = (
        said([("Person", "Ann")] * most) if kind == "entities" else said([], [("A1", "met", "B1", "")] * most)
    )
    found = drained(TEXT, StoredReply(same, finish_reason="stop"))
    assert (found.fault, found.pieces) == ("Runaway", 2)
    free = template("seer", "p", 8192, "none")
    assert resolved(TEXT, full, free).fault is None


@pytest.mark.parametrize("fault", ["Unparseable", "Refused", "EmptyReply"])
def test_not_divided(fault: str) -> None:
    """What a shorter text would not mend fails at once."""
    reply = {"Unparseable": "None.", "Refused": "I'm sorry, I can't help with that.", "EmptyReply": ""}[fault]
    found = resolved(TEXT, reply)
    assert (found.fault, found.pieces, found.failed, found.missing) == (fault, 1, 1, ())


def test_empty() -> None:
    """An empty extraction is normal."""
    assert resolved(TEXT, said()) == Resolved(Extraction((), ()))


SNIPPETS = [
    *(
        '{"entities":[',
        '{"name":"',
        '"relations":[',
        '"},',
        "]}",
        '","type":"Person"}',
        "Ann Kovar",
        "Ben Holm",
    ),
    *(
        '["Ann Kovar","met","Ben Holm"]',
        '{"name":"Ann Kovar","type":"Person"},',
        '{"name":"Ben Holm"},',
        "\\u0000",
    ),
    *(
        '{"name":"5 Oct 2020","type":"Date"},',
        '{"name":"Zurich","type":"Place"},',
        "\\ud83d",
        "😀",
        "\ud83d",
        "\0",
    ),
    *(
        '{"subject":"Ann Kovar","predicate":"met","object":"Ben Holm","quote":"Ann',
        "null",
        "[",
        "}",
        " ",
        "\uffff",
    ),
]
WORDS = [
    *(
        "Ann",
        " ",
        "Kovar",
        "Ben Holm",
        "\n",
        "\n\n",
        "\f",
        "-\n",
        "met",
        ". ",
        "Zürich",
        "5 Oct 2020",
        "İ",
        "ß",
    ),
    *("e\u0301", "張偉", "👩\u200d💻", "’s", "(", '"', "Ltd.", "\u00a0", "\ud83d", "\0", "{", "\u2126", "ﬁ"),
]
GARBAGE = st.text(max_size=80) | st.lists(st.sampled_from(SNIPPETS), max_size=30).map("".join)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=60).map("".join) | st.text(max_size=200)
REPLIES = st.builds(
    StoredReply,
    GARBAGE,
    st.just("") | GARBAGE,
    st.sampled_from(["stop", "length", "context", "refusal", "tool_calls", None]),
    st.none() | st.integers(-1, 9000),
)


def check(text: str, found: Resolved) -> None:
    entities = found.extraction.entities
    assert found.fault in (None, *FAULTS)
    for entity in entities:
        assert text[entity.start : entity.end] == entity.name == entity.name.strip() != ""
        assert "\n\n" not in entity.name
        assert "\f" not in entity.name
    for one, other in itertools.pairwise(entities):
        assert one.end <= other.start
    for relation in found.extraction.relations:
        assert relation.subject != relation.object
        ends = [entities[relation.subject], entities[relation.object]]
        assert any(relation.start <= end.start and end.end <= relation.end <= len(text) for end in ends)
        assert relation.predicate == relation.predicate.lower().strip() != ""
    json.dumps([asdict(found.extraction)["relations"], found.dropped], ensure_ascii=False).encode()


@examples(max_examples=300)
@given(TEXTS, REPLIES)
def test_garbage(text: str, reply: StoredReply) -> None:
    """Whatever a model says about whatever text: what is taken stands there, and the same each time."""
    replies = answered(text, reply)
    found = resolve(TEMPLATE, text, replies)
    check(text, found)
    shuffled = {"0" * 64: reply, **dict(reversed(list(replies.items())))}
    assert resolve(TEMPLATE, text, shuffled) == found


@examples(max_examples=100)
@given(TEXTS)
def test_told_what_stands_there(text: str) -> None:
    """The text's own words, said back, are taken without an exception, whatever they are."""
    people = [("Person", word) for word in text.split()]
    relations = [(word, "met", other, text) for word, other in itertools.pairwise(text.split())]
    check(text, resolved(text, json.dumps(json.loads(said(people, relations)))))


def test_stored(connection: Connection) -> None:
    """What a hostile reply comes to is stored in Postgres, and comes back the same."""
    text = "Ada Kern founded the Club \ufffd and the Club 😀. End."
    bad: list[Any] = [
        {"name": "\0\ud83d\uffff" * 200, "type": ["\0"]},
        "\ud800",
        {"name": "\0x\ud800", "type": "Org"},
    ]
    odd = [{"name": name} for name in ("Ada\0 Kern", "the Club \ud83d", "Club 😀", "End\uffff")]
    relation = {
        "subject": "Ada\0 Kern",
        "predicate": "Founded\0",
        "object": "Club 😀",
        "quote": "\0founded \ud83d",
    }
    found = resolved(text, json.dumps({"entities": bad + odd, "relations": [relation, ["\0", "\0", "\0"]]}))
    assert [entity.name for entity in found.extraction.entities] == [
        "Ada Kern",
        "Club \ufffd",
        "Club 😀",
        "End",
    ]
    assert edges(found, text) == [("Ada Kern", "founded", "Club 😀", text[:-5])]
    query = b"insert into extractors (name, version) values ('x', 1) returning extractor_id"
    row = connection.execute(query).fetchone()
    assert row is not None
    store.store(connection, row["extractor_id"], {"1" * 64: found.extraction})
    kept = connection.execute(b"select entities, relations from chunk_extractions").fetchone()
    assert kept is not None
    assert store.extraction(kept["entities"], kept["relations"]) == found.extraction
    stored = connection.execute(b"select %s::jsonb as dropped", [Jsonb(list(found.dropped))]).fetchone()
    assert stored == {"dropped": list(found.dropped)}
    assert len(found.dropped) == 4


def test_bug_case_15(bugcases: Path) -> None:
    """Case 15: all four names are taken, cleaned as the text is; the pair stays one emoji."""
    text = "Ada Kern, Club \ufffd, Club 😀, End"
    content = json.loads((bugcases / "15-escapes-in-model-json/response.json").read_bytes())
    found = resolved(text, content["choices"][0]["message"]["content"])
    assert [entity.name for entity in found.extraction.entities] == [
        "Ada Kern",
        "Club \ufffd",
        "Club 😀",
        "End",
    ]
    assert found.dropped == ()


def test_recipe() -> None:
    """A recipe that asks a model is called after it; it has a version, and is no extractor."""
    assert recipes.version("llm:anything") == from_llm.VERSION
    assert recipes.asks_a_model("llm:anything")
    assert not any(map(recipes.asks_a_model, ("ner", "patterns", "llm", "llm:", "llm: ")))
    assert recipes.default_recipe() in recipes.EXTRACTORS
    for name in ("llm:anything", "llm"):
        with pytest.raises(RecipeError, match="endpoint"):
            recipes.open_extractor(name)
    with pytest.raises(RecipeError, match="llm:MODEL"):
        recipes.version("llm:")
