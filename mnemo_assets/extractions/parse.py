"""Pure: what a model answered -> the entities and relations that it names, each looked at alone.

A reply is a stranger's word: nothing in it is believed but names, types, predicates and quotes of a bounded
length, in the form that text has here. What is wrong with a whole reply is its fault, one of `FAULTS`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from mnemo_assets.extractions import items
from mnemo_assets.extractions.dropped import bounded, dropped
from mnemo_assets.text.mannerisms import is_excuse, is_runaway, without_end_tokens
from mnemo_assets.text.normalise import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.extractions.dropped import Dropped
    from mnemo_assets.extractions.extractor import EntityType

#: What can be wrong with a reply, or with a text that was to have one. The first three are mended by asking
#: about less.
CUT_OFF: Final = "CutOff"
RUNAWAY: Final = "Runaway"
TOO_LONG: Final = "TooLong"
UNPARSEABLE: Final = "Unparseable"
REFUSED: Final = "Refused"
EMPTY_REPLY: Final = "EmptyReply"
FAULTS: Final = (CUT_OFF, RUNAWAY, TOO_LONG, UNPARSEABLE, REFUSED, EMPTY_REPLY)

#: How a server says that the model did not want to.
_REFUSING: Final = frozenset({"content_filter", "refusal"})
#: A longer "name" is a sentence, a longer predicate is a story. Characters.
_LONGEST_NAME: Final = 200
_LONGEST_PREDICATE: Final = 100
#: Of a reply that was cut off: where it runs away, it does so at its end.
_TAIL: Final = 2_000

#: What models call the five types.
_CALLED: Final[dict[EntityType, str]] = {
    "Person": "person per people human individual",
    "Org": "org organization organisation company corporation institution agency group team",
    "Place": "place location loc gpe city country region state address facility building",
    "Date": "date time day year month",
    "Thing": "thing product project event law work work_of_art object concept document misc other",
}
_TYPES: Final = {word: type_ for type_, words in _CALLED.items() for word in words.split()}
_NAME_KEYS: Final = ("name", "entity", "text")
_TYPE_KEYS: Final = ("type", "entity_type", "label", "category")
_SUBJECT_KEYS: Final = ("subject", "source", "head")
_PREDICATE_KEYS: Final = ("predicate", "relation", "relationship", "type")
_OBJECT_KEYS: Final = ("object", "target", "tail")
_QUOTE_KEYS: Final = ("quote", "evidence", "sentence")
#: How an answer ends, perhaps in a fence.
_ENDS: Final = re.compile(r"\]\s{0,20}\}\s{0,20}(?:```)?\Z")
_CAMEL: Final = re.compile(r"(?<=[a-zß-ÿ])(?=[A-Z])")
_LETTER: Final = re.compile(r"[^\W\d_]")
_WORD: Final = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class StoredReply:
    """What a model answered, as it came.

    Attributes:
        text: its answer.
        reasoning: what it said beside it.
        finish_reason: `stop`, `length`; `context` if the server found the request too long,
            `content_filter` or `refusal` if the model did not want to; None where the server does not say.
        prompt_tokens: of the request, as the server counted them.
        tokens: of the reply.
    """

    text: str
    reasoning: str = ""
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """An entity that a model names."""

    type: EntityType
    name: str


@dataclass(frozen=True, slots=True)
class Stated:
    """A relation that a model states, and the words that it says it has it from."""

    subject: str
    predicate: str
    object: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a reply says; with a fault, what could be read of it. `listed` counts the items of its lists."""

    entities: tuple[Named, ...] = ()
    relations: tuple[Stated, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    fault: str | None = None
    listed: tuple[int, int] = (0, 0)


_Read: TypeAlias = "Named | Stated | Dropped"


def parse(reply: StoredReply) -> Parsed:
    """The items of a reply: in prose, in a fence, cut off, or beside the answer."""
    if reply.finish_reason == "context":
        return Parsed(fault=TOO_LONG)
    if reply.finish_reason in _REFUSING:
        return Parsed(fault=REFUSED)
    for text in _sources(reply):
        if lists := items.find(text):
            return _parsed(lists, text, reply.finish_reason)
    return Parsed(fault=_fault_of_no_list(reply))


def _sources(reply: StoredReply) -> Iterator[str]:
    """Where the answer may stand, the likeliest first."""
    text = reply.text[: items.LONGEST_REPLY]
    thought, _, answer = text.rpartition("</think>")
    if thought:
        yield answer
    yield text
    yield reply.reasoning[: items.LONGEST_REPLY]


def _fault_of_no_list(reply: StoredReply) -> str:
    said = reply.text[: items.LONGEST_REPLY]
    text = without_end_tokens(said)
    if _runs_away(said) or (not text and _runs_away(reply.reasoning[: items.LONGEST_REPLY])):
        return RUNAWAY
    if reply.finish_reason == "length":
        return CUT_OFF
    if is_excuse(text):
        return REFUSED
    return UNPARSEABLE if text else EMPTY_REPLY


def _runs_away(text: str) -> bool:
    return is_runaway(text) or is_runaway(text[-_TAIL:])


def _parsed(lists: dict[str, items.Listed], text: str, finish_reason: str | None) -> Parsed:
    entities: dict[Named, None] = {}
    relations: dict[Stated, None] = {}
    bad: list[Dropped] = []
    for kind, listed in lists.items():
        for found in _items(kind, listed):
            if isinstance(found, Named):
                entities[found] = None
            elif isinstance(found, Stated):
                relations[found] = None
            else:
                bad.append(found)
    listed_of = tuple(len(lists[kind].items) if kind in lists else 0 for kind in ("entities", "relations"))
    return Parsed(
        tuple(entities),
        tuple(relations),
        bounded(bad),
        _fault(lists, text, finish_reason),
        cast("tuple[int, int]", listed_of),
    )


def _fault(lists: dict[str, items.Listed], text: str, finish_reason: str | None) -> str | None:
    """Whether something is missing of a reply with lists."""
    is_whole = all(listed.is_closed for listed in lists.values())
    if is_whole and finish_reason == "length" and "relations" not in lists:
        is_whole = all(listed.after in ("}", "]") for listed in lists.values())
    elif not is_whole and finish_reason != "length":  # quotes are unpaired somewhere in it
        is_whole = _ENDS.search(without_end_tokens(text)[-_TAIL:]) is not None
    if is_whole:
        return None
    return RUNAWAY if _runs_away(text) else CUT_OFF


def _items(kind: str, listed: items.Listed) -> Iterator[_Read]:
    """What a list says, item by item."""
    of_one = "relation" if kind == "relations" else "entity"
    type_: str | None = None
    for item in listed.items:
        try:
            value = items.read(item)
        except ValueError:
            yield dropped(of_one, "malformed", item)
            continue
        if kind == "relations" or (isinstance(value, dict) and _first(value, _SUBJECT_KEYS) is not None):
            yield _relation(value, item)
        elif isinstance(value, list) and type_ is not None:  # {"Person": ["Ann", "Bob"]}
            yield from (_entity({"name": each, "type": type_}, item) for each in value)
            type_ = None
        elif isinstance(value, str) and value.strip().casefold() in _TYPES:
            type_ = value
        else:
            yield _entity(value, item)
    if listed.more:
        yield {"kind": of_one, "why": "too_many", "count": listed.more}


def _entity(value: Any, item: str) -> Named | Dropped:  # noqa: ANN401 - any JSON
    """An entity. One without a type is a thing: that it has a name was said."""
    if isinstance(value, str):
        value = {"name": value}
    elif isinstance(value, list) and len(value) == 2:  # noqa: PLR2004 - a name and a type
        value = dict(zip(("name", "type"), value, strict=True))
    if not isinstance(value, dict):
        return dropped("entity", "malformed", item)
    name, said = _name(_first(value, _NAME_KEYS)), _first(value, _TYPE_KEYS)
    if name is None or not (said is None or isinstance(said, str)):
        return dropped("entity", "malformed", item)
    type_ = "Thing" if said is None else _TYPES.get(said.strip().casefold())
    return dropped("entity", "unknown_type", item) if type_ is None else Named(type_, name)


def _relation(value: Any, item: str) -> Stated | Dropped:  # noqa: ANN401 - any JSON
    if isinstance(value, list) and len(value) in (3, 4):
        value = dict(zip(("subject", "predicate", "object", "quote"), value, strict=False))
    if not isinstance(value, dict):
        return dropped("relation", "malformed", item)
    subject, object_ = (_name(_first(value, keys)) for keys in (_SUBJECT_KEYS, _OBJECT_KEYS))
    predicate = _predicate(_first(value, _PREDICATE_KEYS))
    if subject is None or object_ is None or predicate is None:
        return dropped("relation", "malformed", item)
    quote = _first(value, _QUOTE_KEYS)
    return Stated(subject, predicate, object_, one_line(quote) if isinstance(quote, str) else "")


def _first(value: dict[str, Any], keys: tuple[str, ...]) -> Any:  # noqa: ANN401 - any JSON
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _name(value: Any) -> str | None:  # noqa: ANN401 - any JSON
    """A name in the form that text has here: by the same rule, so that it can be found there."""
    if isinstance(value, dict):
        value = _first(value, _NAME_KEYS)
    if not isinstance(value, str):
        return None
    name = one_line(value)
    return name if len(name) <= _LONGEST_NAME and _WORD.search(name) else None


def _predicate(value: Any) -> str | None:  # noqa: ANN401 - any JSON
    """Words in lower case: `WORKS_FOR` and `worksFor` are `works for`."""
    if not isinstance(value, str):
        return None
    words = one_line(value.replace("_", " "))
    words = (_CAMEL.sub(" ", words) if " " not in words else words).lower()
    is_one = len(words) <= _LONGEST_PREDICATE and words.isprintable() and _LETTER.search(words)
    return words if is_one else None
