"""Pure: relations between entities of one sentence, from the frames. Better none than an invented one."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mnemo_assets.extractions import frames, sentences, words
from mnemo_assets.extractions.candidates import FRAMED, Candidate
from mnemo_assets.extractions.extractor import Entity, Relation
from mnemo_assets.extractions.spelling import GAP, UPPER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mnemo_assets.extractions.frames import Frame

#: Doubt, denial or a condition before the statement: it is then not stated.
_DOUBT: Final = re.compile(
    r"\b(?:[Ii]f|[Ww]hether|[Uu]nless|[Nn]ot|[Nn]ever|[Nn]o|[Nn]either|[Nn]obody|[Dd]en(?:y|ies|ied)"
    r"|[Dd]oubts?|[Ff]alse(?:ly)?"
    r"|[Uu]ntrue|[Ww]rong(?:ly)?|[Ss]uppos(?:e|ing)|[Ii]magine|[Hh]op(?:e|es|ed|ing)|[Ww]ish(?:es"
    r"|ed)?|would|could|might"
    r"|[Aa]lleg(?:es|ed|edly)|[Rr]umou?r(?:s|ed)?|[Pp]retend(?:s|ed)?|[Dd]id|[Dd]oes|[Ww]hen|[Uu]ntil"
    r"|[Bb]efore"
    r"|[Nn]icht|[Kk]ein|[Ww]enn|[Ff]alls|[Oo]b|[Nn]iemals|[Ss]i|[Nn]e|[Jj]amais|[Nn]unca)\b|n['’]t\b"
)
_DENIED_AFTER: Final = re.compile(r"\b(?:false|untrue|not[ ]true|a[ ]lie|no[ ]longer[ ]true)\b")
#: What may stand between a name and the words that relate it: its age, something in brackets, a comma.
_BETWEEN: Final = re.compile(r"(?:[ ]\([^()\n]{1,60}\))?(?:,[ ]\d{1,3}|[ ]\(\d{1,3}\))?,?")
#: Entities of such a clause.
_CLAUSE_ENTITIES: Final = 4
_CLAUSE: Final = re.compile(r",[ \n][^,;:\n]{1,80},|[ ]\([^()\n]{1,80}\),?")
_ENDS_BETWEEN: Final = re.compile(r"(?:[ ]\([^()\n]{1,60}\)|,[ ]\d{1,3}),?\Z")
_OFFICE: Final = r"(?:(?:Mrs?|Ms|Miss|Dr|Prof|Professor|Sir|Frau|Herrn?)\.?[ ]){0,3}"
#: "The brother of Ann works for Acme" is not about Ann.
_GOVERNED: Final = re.compile(
    r"\b(?:of|von|de|del|di|van|than|['’]s)[ ](?:the[ ])?" + _OFFICE + r"\Z", re.IGNORECASE
)
_PREPOSED: Final = re.compile(
    r"\b(?:for|by|with|from|to|in|at|on|about|mit|für|bei|avec|pour|con|para|per)[ ](?:the[ ])?"
    + _OFFICE
    + r"\Z"
)
_BEFORE_OBJECT: Final = re.compile(_OFFICE)
#: "works for Acme's subsidiary", "for Acme or Beta": the object is another, or open.
_OTHER_OBJECT: Final = re.compile(r"['’]s?\b|[ ]or[ ]|[ ]oder[ ]|/\w")
_PLURAL: Final = re.compile(r"(?:work|live|depend|rely|reside|are|were)\b")
_JOINED: Final = re.compile(r",?[ ](?:and|und|et|y|&)[ ]" + _OFFICE + r"|,[ ]" + _OFFICE)
#: "was born on 5 May 1950 in Berlin": a second object.
_PREPOSITION: Final = re.compile(r" (?:in|on|am|à|le|en|el|a)\Z")
_ALSO: Final = re.compile(r",?[ ](?P<word>in|on|at)[ ]")

_WORD: Final = rf"(?:[{UPPER}][\w.'’+#\-]{{0,30}}|[a-z]{{1,10}}[{UPPER}][\w.+#\-]{{0,30}})(?<![.'’\-])(?!\w)"
_NAME: Final = re.compile(rf"{_WORD}(?:{GAP}(?:{_WORD}|\d{{1,4}}(?![\w.]))){{0,3}}")
_LAST_NAME: Final = re.compile(rf"(?<![\w.'’\-@/])(?:{_WORD}{GAP}){{0,3}}(?:{_WORD}|\d{{1,4}}(?![\w.]))\Z")
_REACH: Final = 90
#: A lone capitalised word that begins a sentence and ends like these is a common noun.
_NOUN: Final = re.compile(
    r"(?:[a-z]+(?:tion|sion|ness|ment|ity|ance|ence|ship|ism|ing|ings|ety|ure|ogy|ies|ess|rs)"
    r"|everything|much|life|love|this"
    r"|that|it|all|health|growth|price|progress|wealth|trade|speed|size|value|output|weather)\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A frame, and the span of the sentence that states it."""

    frame: Frame
    start: int
    end: int


def find(text: str) -> list[Statement]:
    """The frames whose sentence states them: no question, no doubt, no denial."""
    found = []
    for frame in frames.find(text):
        sentence = _sentence(text, frame)
        if sentence is not None:
            found.append(Statement(frame, *sentence))
    return found


def propose(text: str, found: Sequence[Statement]) -> Iterator[tuple[Candidate, tuple[str, ...]]]:
    """Names that a sentence tells, with the types that the sentence allows.

    Whoever works for something is a person, even one no list knows.
    """
    for frame in (statement.frame for statement in found):
        between = _ENDS_BETWEEN.search(text, max(0, frame.start - _REACH), frame.start)
        end = between.start() if between else frame.start
        left = _LAST_NAME.search(text, max(0, end - _REACH), end)
        office = _BEFORE_OBJECT.match(text, frame.end)
        right = _NAME.match(text, office.end() if office else frame.end)
        if not frame.rule.tells or left is None:
            continue
        if right is None and not text[frame.end : frame.end + 1].isdigit():
            continue
        start = _skip_stop(text, left.start(), left.end())
        if start < left.end() and not _is_noun(text, start, left.end()):
            yield Candidate(frame.rule.subjects[0], start, left.end(), FRAMED), frame.rule.subjects
        if right is not None and right.end() - right.start() > 1:
            yield Candidate(frame.rule.objects[0], *right.span(), FRAMED), frame.rule.objects


def relate(text: str, found: Sequence[Statement], entities: Sequence[Entity]) -> tuple[Relation, ...]:
    """What the frames state of the entities; sorted, each once."""
    starts = [entity.start for entity in entities]
    ends = [entity.end for entity in entities]
    related: set[tuple[int, int, int, int, str]] = set()
    for statement in found:
        frame, start, end = statement.frame, statement.start, statement.end
        for subject in _subjects(text, frame, entities, ends):
            for object_, predicate in _objects(text, frame, entities, starts):
                inside = start <= entities[subject].start and entities[object_].end <= end
                if inside and entities[subject].name != entities[object_].name:
                    related.add((start, subject, object_, end, predicate))
    return tuple(
        Relation(subject, predicate, object_, start, end)
        for start, subject, object_, end, predicate in sorted(related)
    )


def _sentence(text: str, frame: Frame) -> tuple[int, int] | None:
    """The sentence around a frame, if it states something."""
    sentence = sentences.around(text, frame.start, frame.end)
    if sentence is None:
        return None
    start, end = sentence
    if text[end - 1] == "?" or text[start:end].rstrip("\"'”’»)").endswith("?"):
        return None
    if _DOUBT.search(text, start, frame.start) or _DENIED_AFTER.search(text, frame.end, end):
        return None
    return sentence


def _subjects(text: str, frame: Frame, entities: Sequence[Entity], ends: list[int]) -> Iterator[int]:
    """The entity that the frame speaks of; with a verb in the plural, those that are joined to it too."""
    index = _subject(text, frame, entities, bisect_right(ends, frame.start) - 1)
    while index is not None:
        yield index
        joined = index and _PLURAL.match(frame.predicate)
        if not joined or not _JOINED.fullmatch(text, entities[index - 1].end, entities[index].start):
            return
        index = index - 1 if _fits(text, frame, entities[index - 1]) else None


def _subject(text: str, frame: Frame, entities: Sequence[Entity], last: int) -> int | None:
    """The entity right before the frame, or before a clause between commas: "Ann, born in Rome, lives in"."""
    adjacent = last >= 0 and _BETWEEN.fullmatch(text, entities[last].end, frame.start)
    if adjacent and _fits(text, frame, entities[last]):
        return last
    comma = frame.start + 1 if text[frame.start] == "," else frame.start
    for index in range(last, max(-1, last - _CLAUSE_ENTITIES), -1):
        clause = _CLAUSE.fullmatch(text, entities[index].end, comma)
        if clause and _fits(text, frame, entities[index]):
            return index
    return None


def _fits(text: str, frame: Frame, entity: Entity) -> bool:
    """Whether the frame can speak of the entity: not of Ann in "the brother of Ann works for"."""
    reach = max(0, entity.start - 40)
    if entity.type not in frame.rule.subjects or _GOVERNED.search(text, reach, entity.start):
        return False
    if _NOUN.fullmatch(entity.name) and "Thing" in frame.rule.subjects:
        return False
    return frame.appositive or not _PREPOSED.search(text, reach, entity.start)


def _objects(
    text: str, frame: Frame, entities: Sequence[Entity], starts: list[int]
) -> Iterator[tuple[int, str]]:
    """The entity right after the frame, and a second one as in "born on 5 May 1950 in Berlin"."""
    at, predicate = frame.end, frame.predicate
    for _ in range(2):
        office = _BEFORE_OBJECT.match(text, at)
        at = office.end() if office else at
        index = bisect_left(starts, at)
        if index == len(starts) or starts[index] != at or entities[index].type not in frame.rule.objects:
            return
        if _OTHER_OBJECT.match(text, entities[index].end):
            return
        yield index, predicate
        also = _ALSO.match(text, entities[index].end)
        if also is None or "Date" not in frame.rule.objects:
            return
        at, predicate = also.end(), f"{_PREPOSITION.sub('', predicate)} {also['word']}"


def _skip_stop(text: str, start: int, end: int) -> int:
    while start < end:
        word = re.compile(r"\S+").match(text, start, end)
        if word is None or word[0].strip(".,").casefold() not in words.STOP | words.OFFICES:
            return start
        start = word.end() + (word.end() < end)
    return end


def _is_noun(text: str, start: int, end: int) -> bool:
    return " " not in text[start:end] and bool(_NOUN.match(text, start, end))
