"""Pure: the lists of entities and relations in what a model said, whatever stands around or within them.

Nothing is read as a whole: a list is followed bracket by bracket, and each of its items is read alone. So a
bad item costs itself, a cut reply its last one, and the depth or length of what a stranger wrote costs no
more than the time to see it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Characters of a reply that are looked at: 4,096 tokens of print are a fiftieth of it.
LONGEST_REPLY: Final = 1_000_000
#: Items of a list that are read. An answer has 80.
MOST_ITEMS: Final = 500
#: Characters of an item; a quote has 300, and each may be written as six.
_LONGEST_ITEM: Final = 8_000
#: Lists without an end that are followed to it.
_MOST_ENDLESS: Final = 8

_KEY: Final = re.compile(r'"(entities|relation(?:ship)?s)"\s*+:\s*+(?=[\[{])', re.IGNORECASE)
_LIST: Final = re.compile(r"\[(?=\s*+[{\]])")
_NOTHING: Final = re.compile(r"(?:```\w{0,10}\s*+)?\{\s*+\}(?:\s*+```)?")
_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+(")?|[\[\]{}]|[^\s,:"\[\]{}]++', re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
#: An object without objects in it: where quotes are unpaired, brackets alone tell where it ends.
_FLAT: Final = re.compile(r"\{[^{}]*+\}")


@dataclass(frozen=True, slots=True)
class Listed:
    """A list: its items as they are written, those that are over the bound, and whether it ends.

    `after` is what stands right behind it: one character that is no white space, or nothing.
    """

    items: tuple[str, ...]
    more: int
    after: str
    is_closed: bool


def find(text: str) -> dict[str, Listed]:
    """The lists `entities` and `relations` of a reply; of several the last that ends and holds something.

    A list that stands alone is both: `loose`. An empty object is a list of nothing.
    """
    found: dict[str, list[Listed]] = {}
    done = endless = 0
    keys = list(_KEY.finditer(text))
    for number, key in enumerate(keys):
        if key.start() < done or endless == _MOST_ENDLESS:
            continue
        following = keys[number + 1].start() if number + 1 < len(keys) else len(text)
        listed, end = _followed(text, key.end(), following)
        if listed.is_closed:
            done = end
        else:
            endless += 1
        name = "entities" if key[1].casefold() == "entities" else "relations"
        found.setdefault(name, []).append(listed)
    if found:
        return {name: max(enumerate(lists), key=_worth)[1] for name, lists in found.items()}
    if alone := _LIST.search(text):
        return {"loose": _followed(text, alone.start(), len(text))[0]}
    return {"loose": Listed((), 0, after="", is_closed=True)} if _NOTHING.fullmatch(text.strip()) else {}


def read(item: str) -> Any:  # noqa: ANN401 - any JSON
    """An item's value; numbers are strings, as they are written.

    Raises:
        ValueError: it is no JSON, or longer or deeper than an item is.
    """
    if len(item) > _LONGEST_ITEM:
        raise ValueError
    try:
        item = item if "\\" not in item else _ESCAPE.sub(_mended, item)
        return json.loads(item, strict=False, parse_int=str, parse_float=str, parse_constant=_nothing)
    except RecursionError:
        raise ValueError from None


def _mended(escape: re.Match[str]) -> str:
    """An escape that JSON knows; of another one, such as of an apostrophe, what is escaped."""
    return escape[0] if escape[1] in '"\\/bfnrtu' else escape[1]


def _nothing(_constant: str) -> None:
    """NaN and Infinity, which are no JSON, are no values either."""


def _worth(numbered: tuple[int, Listed]) -> tuple[bool, bool, int]:
    place, listed = numbered
    return bool(listed.items) and listed.is_closed, bool(listed.items), place


def _followed(text: str, start: int, following: int) -> tuple[Listed, int]:
    """The list, or the object of lists, that begins at an offset; if it does not end, as far as it goes."""
    found: list[str] = []
    more = 0
    for begin, end, is_item in _spans(text, start):
        if not is_item:
            return Listed(tuple(found), more, after=text[end:].lstrip()[:1], is_closed=True), end
        if len(found) < MOST_ITEMS:
            found.append(text[begin:end])
        else:
            more += 1
    flat = [each[0] for each in _FLAT.finditer(text, start, following)]
    if len(flat) > len(found):
        found, more = flat[:MOST_ITEMS], len(flat[MOST_ITEMS:])
    return Listed(tuple(found), more, after="", is_closed=False), len(text)


def _spans(text: str, start: int) -> Iterator[tuple[int, int, bool]]:
    """Where each item of a list begins and ends; then the list itself, if it ends."""
    depth = begin = 0
    for token in _TOKEN.finditer(text, start):
        mark = token[0][0]
        if mark in "[{":
            begin = token.start() if depth == 1 else begin
            depth += 1
        elif mark in "]}":
            depth -= 1
            if depth == 1:
                yield begin, token.end(), True
            elif depth == 0:
                yield start, token.end(), False
                return
        elif mark == '"' and token[1] is None:  # it has no end
            return
        elif depth == 1:
            yield *token.span(), True
