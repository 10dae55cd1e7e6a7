"""Pure: cut a proposed name to its own words, and refuse what is no name. All recipes pass through here."""

from __future__ import annotations

import re
from typing import Final

from mnemo_assets.extractions import words
from mnemo_assets.extractions.gazetteer import FIRST_NAMES, ORGANISATIONS, PLACES

#: A longer "name" is a sentence.
LONGEST: Final = 100
#: A capitalised word of more letters than this is a heading's rather than an acronym.
_ACRONYM: Final = 5

_LEADING: Final = re.compile(
    r"(?:[\s\"'“”„‘’«»‹›(\[{<*_#>|•·–—\-:;,./\\=~+!?¿¡]"
    r"|(?:[Tt]he|[Aa]n?|[Dd](?:er|ie|as|em|en)|les?|la|el|los|il)\s)*"
)
_MARKS: Final = frozenset("\"'“”„‘’»«›‹()[]{}<>*_#|•·–—-:;,./\\=~+!?")
#: The last word keeps its full stop: "Acme Inc.", "Washington D.C.", "S.p.A.".
_STOPPED: Final = re.compile(r"(?:(?<!\w)(?:Inc|Co|Corp|Bros|Jr|e\.V)|\.[^\W\d_])\.\Z")
#: Also these, unless the full stop may be the sentence's: one name is not to become two.
_STOPPED_WITHIN: Final = re.compile(r"(?<!\w)(?:Ltd|St|Sr|Ges|mbH)\.\Z")
_GOES_ON: Final = re.compile(r",|[ \u00a0][^\W\d_]")
_LINE_END: Final = re.compile(r"[\n\f\r\v\t\x1c-\x1e\x85\u2028\u2029]")
_ADDRESS: Final = re.compile(
    r"[@\\]|://|www\.|\.(?:com|org|net|de|txt|pdf|docx?|xlsx?|html?|py|js|png|jpg)\b", re.IGNORECASE
)
#: A name of a program's part; McDonald, DeVito and O'Brien are persons.
_CAMEL: Final = re.compile(r"[^\W\d_][a-zß-ÿ]{3}[A-Z]")
#: What stands in program text and markup, not in names.
_CODE: Final = re.compile(r"[<>{}|=\[\]]|\([^)]*\Z|\A[^(]*\)")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_DIGIT: Final = re.compile(r"\d")
_FIRST: Final = re.compile(r"[^\W_]")


def trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Cut a span to one line, without article, possessive s and marks around it; None if nothing is left."""
    if text[start:end] in PLACES or text[start:end] in ORGANISATIONS:
        return start, end
    start = _leading_end(text, start, end)
    line = _LINE_END.search(text, start, end)
    end = _trailing_start(text, start, line.start() if line else end)
    return (start, end) if start < end <= start + LONGEST else None


def _trailing_start(text: str, start: int, end: int) -> int:
    while start < end:
        if text[start:end] in ORGANISATIONS or text[start:end] in PLACES:
            break
        last = text[end - 1]
        if last == "s" and text[end - 2] in "'’":
            end -= 2
        elif last == "." and _keeps_stop(text, start, end):
            break
        elif last in _MARKS or last.isspace() or not last.isprintable():
            end -= 1
        else:
            break
    return end


def _keeps_stop(text: str, start: int, end: int) -> bool:
    if _STOPPED.search(text, start, end):
        return True
    following = _GOES_ON.match(text, end)
    return bool(_STOPPED_WITHIN.search(text, start, end) and following and not following[0][-1].isupper())


def _leading_end(text: str, start: int, end: int) -> int:
    match = _LEADING.match(text, start, end)
    return match.end() if match else start


def is_name(text: str, start: int, end: int, type_: str) -> bool:
    """Whether a trimmed span can be the name of an entity of the type (not a date)."""
    name = text[start:end]
    if name in PLACES or name in ORGANISATIONS:
        return not _is_heading(text, start, end)
    parts = [part.casefold() for part in _LETTERS.findall(name)]
    if not _is_spelled_as_name(name, parts) or all(_is_common(part) for part in parts):
        return False
    if (
        _CODE.search(name)
        or _ADDRESS.search(name)
        or _inside_address(text, start, end)
        or _is_heading(text, start, end)
    ):
        return False
    return type_ != "Person" or _is_person(name, parts)


def is_common(name: str, type_: str) -> bool:
    """Whether what somebody says is a name is of common words alone: "He", "the Company".

    What is no person, organisation or place may be called by such words if they have a capital: "The Report".
    """
    if name in PLACES or name in ORGANISATIONS or name in FIRST_NAMES or _DIGIT.search(name):
        return False
    parts = [part.casefold() for part in _LETTERS.findall(name)]
    if all(part in words.STOP or (len(part) == 1 and part.isascii()) for part in parts):
        return True
    if type_ == "Thing" and not name.islower():
        return False
    return all(_is_common(part) and (len(part) > 1 or part.isascii()) for part in parts)


def _is_spelled_as_name(name: str, parts: list[str]) -> bool:
    """More than a letter, capitalised where the script has capitals, and nothing that no printer prints."""
    if not name.replace("\u00a0", " ").isprintable() or "\ufffd" in name:
        return False
    first = _FIRST.search(name)
    if first is None or sum(map(len, parts)) < 2:  # noqa: PLR2004 - a letter names nobody
        return False
    return not first[0].islower() or _may_start_small(name, parts[0])


def _is_common(part: str) -> bool:
    return part in words.STOP or part in words.COMMON or part in words.PEOPLES or len(part) == 1


def _may_start_small(name: str, first: str) -> bool:
    """Particles of a name, and brands such as eBay."""
    return any(map(str.isupper, name)) and (first in words.PARTICLES or name[1:2].isupper())


def _is_person(name: str, parts: list[str]) -> bool:
    if any(char.isdigit() for char in name) or _CAMEL.search(name):
        return False
    return not (parts[0] in words.STOP or parts[-1] in words.STOP or parts[-1] in words.COMMON - {"may"})


def _inside_address(text: str, start: int, end: int) -> bool:
    """Whether the span is a piece of a mail address, a web address, a path or a file's name."""
    before = text[start - 1] if start else " "
    after = text[end : end + 2]
    return (
        before in "@/\\_#=" or after[:1] in ("@", "\\", "_", "=", "(") or bool(re.match(r"[./]\w|://", after))
    )


def _is_heading(text: str, start: int, end: int) -> bool:
    """Whether the span is in capitals, in a line in capitals: there they do not tell a name."""
    name = text[start:end]
    if name.upper() != name or name.lower() == name:
        return False
    line_start = text.rfind("\n", max(0, start - 200), start) + 1 or max(0, start - 200)
    line_end = text.find("\n", end, end + 200)
    line = text[line_start : line_end if line_end >= 0 else end + 200]
    letters = _LETTERS.findall(line)
    if line.upper() != line:
        return False
    return len(letters) > 1 or any(len(word) > _ACRONYM for word in letters)
