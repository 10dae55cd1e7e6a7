"""What of a mail is quoted from an earlier one: a thread must not multiply its facts. Pure.

Quoted are lines that begin with ">", with the line that says whose they are, and all that stands below the
headers of an earlier mail, as Outlook puts them. What is forwarded is not: it may stand nowhere else in the
archive. English, German, French, Spanish, Italian, Dutch and Portuguese programs are understood.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Lines on which a program breaks the line that introduces a quotation.
_INTRODUCTION_LINES: Final = 4
#: Code points of a line that is looked at: no program writes a longer one of these.
_LONGEST_LINE: Final = 400
#: Lines of headers that stand above an earlier mail: long lists of recipients are broken.
_HEADER_LINES: Final = 15
#: Lines of the mail's own headers, where its subject stands.
_OWN_HEADERS: Final = 10

_MARK = re.compile(r">(?!From )")
_SAID = re.compile(
    r"\b(?:wrote|writes|schrieb|geschrieben|a écrit|écrit|escribió|ha scritto|scrisse|schreef|escreveu)\b"
    r"[^\n]{0,200}:\s*\Z",
    re.IGNORECASE,
)
#: The line of a program that names neither: a day and an address.
_ADDRESSED = re.compile(r"\A[^\n]*\d[^\n]*<[^<>\s]{1,200}@[^<>\s]{1,200}>[^\n]{0,40}:\s*\Z")
_BEGINS = re.compile(r"(?:On|Am|Le|El|Il|Op|Em|Den|Dia|Nel|In data)\b|.*\d{1,4}[./-]\d{1,2}", re.IGNORECASE)

_ORIGINAL = re.compile(
    r"-{2,}\s*(?:Original Message|Original-Nachricht|Ursprüngliche Nachricht|Originalnachricht"
    r"|Message d'origine|Message d’origine|Message original|Mensaje original|Messaggio originale"
    r"|Oorspronkelijk bericht|Origineel bericht|Mensagem original|Reply Message|Original Appointment"
    r"|Ursprünglicher Termin)\s*-{2,}\Z",
    re.IGNORECASE,
)
_FORWARDED = re.compile(
    r"(?:-{2,}\s*(?:(?:Begin )?Forwarded message|Weitergeleitete (?:Nachricht|Mail)|Message transféré"
    r"|Mensaje reenviado|Messaggio inoltrato|Doorgestuurd bericht|Mensagem (?:encaminhada|reencaminhada)"
    r"|Forwarded by .{1,200})\b.{0,60}"
    r"|(?:Begin forwarded message|Anfang der weitergeleiteten (?:Nachricht|E-Mail)"
    r"|Début du message (?:réexpédié|transféré)|Inicio del mensaje reenviado|Inizio messaggio inoltrato"
    r"|Begin doorgestuurd bericht)\s*:)\Z",
    re.IGNORECASE,
)
#: How a subject begins when a mail was passed on, behind the name of a list.
_PASSED_ON = re.compile(
    r"Subject: (?:\[[^\]\n]{1,80}\]\s*)?(?:FWD?|WG|TR|RV|I|Doorst|ENC|Weitergel\.)\s?:", re.IGNORECASE
)
_RULE = re.compile(r"[_-]{10,}\Z")


def _header(*names: str) -> re.Pattern[str]:
    """A header as a person's program writes it, perhaps in bold; it may have nothing behind it."""
    return re.compile(rf"[*]?(?:{'|'.join(names)})\s?:\s?[*]?(?:\s|\Z)", re.IGNORECASE)


_FROM = _header("From", "Von", "De", "Van", "Da")
_SENT = _header(
    "Sent", "Date", "Gesendet(?: am)?", "Datum", "Envoyé(?: le)?", "Enviado(?: el|: )?", "Enviada(?: em)?",
    "Fecha", "Verzonden", "Inviato(?: il)?", "Data",
)  # fmt: skip
_TO = _header("To", "An", "À", "A", "Para", "Aan")
_SUBJECT = _header("Subject", "Betreff", "Objet", "Asunto", "Onderwerp", "Oggetto", "Assunto")
_ATTACHMENT: Final = "Attachment: "


def tails(text: str) -> tuple[tuple[int, int], ...]:
    """Start and end of each place that is quoted, in order; they do not touch, and none is empty.

    Args:
        text: of a mail, normalised; a form feed begins another.
    """
    found: list[tuple[int, int]] = []
    start = 0
    for page in text.split("\f"):
        found += [(start + begin, start + end) for begin, end in _Lines(page).tails()]
        start += len(page) + 1
    return tuple(found)


class _Lines:
    """The lines of one mail."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts: list[int] = []
        at = 0
        for line in self._lines:
            self._starts.append(at)
            at += len(line) + 1
        own = self._lines[:_OWN_HEADERS]
        self._body = own.index("") if "" in own else 0
        self._is_passed_on = any(_PASSED_ON.match(line) for line in self._lines[: self._body])

    def tails(self) -> Iterator[tuple[int, int]]:
        """Start and end of each place that is quoted."""
        number = after = self._body  # the first line not looked at yet; the first behind the last quotation
        while number < len(self._lines):
            line = self._lines[number]
            if _is_forwarded(line):
                return
            if _MARK.match(line):
                end = self._end_of_marked(number)
                first = self._introduction(number, after)
                if first is not None:
                    yield self._span(first, end)
                number = after = end
            elif self._is_original(number):
                if not self._is_passed_on:
                    yield self._span(self._below_rule(number, after), self._end())
                return
            else:
                number += 1

    def _end_of_marked(self, number: int) -> int:
        """The line behind lines that are marked; blank lines between them are of them."""
        end = number
        while number < len(self._lines) and (
            not self._lines[number].strip() or _MARK.match(self._lines[number])
        ):
            number += 1
            end = number if self._lines[number - 1].strip() else end
        return end

    def _introduction(self, number: int, after: int) -> int | None:
        """The line with which a quotation begins: the one that says whose it is, or its own first.

        None if it was forwarded.
        """
        last = number - 1
        while last >= after and not self._lines[last].strip():
            last -= 1
        if last < after:
            return number
        if _is_forwarded(self._lines[last]):
            return None
        for first in range(last, max(after, last - _INTRODUCTION_LINES + 1) - 1, -1):
            if not self._lines[first].strip():
                break
            joined = " ".join(line[:_LONGEST_LINE] for line in self._lines[first : last + 1])
            if _ADDRESSED.match(joined) or (_SAID.search(joined) and _BEGINS.match(joined)):
                return first
        return last if _SAID.search(self._lines[last][-_LONGEST_LINE:]) else number

    def _is_original(self, number: int) -> bool:
        """Whether Outlook puts an earlier mail here: this is the first of its headers, or a line above."""
        line = self._lines[number][:_LONGEST_LINE].strip()
        if line.startswith("-"):
            return _ORIGINAL.match(line) is not None
        if not _FROM.match(line):
            return False
        if not any(_SENT.match(one[:_LONGEST_LINE].strip()) for one in self._lines[number + 1 : number + 4]):
            return False
        rest = [one[:_LONGEST_LINE].strip() for one in self._lines[number + 1 : number + _HEADER_LINES]]
        rest = rest[: rest.index("")] if "" in rest else rest
        sent = next((place for place, one in enumerate(rest[:3]) if _SENT.match(one)), len(rest))
        to = next((place for place in range(sent + 1, len(rest)) if _TO.match(rest[place])), None)
        return to is not None and any(_SUBJECT.match(one) for one in rest[to + 1 :])

    def _below_rule(self, number: int, after: int) -> int:
        """The line of strokes above the headers of an earlier mail, if there is one."""
        above = number - 1
        while above >= after and not self._lines[above].strip():
            above -= 1
        return above if above >= after and _RULE.match(self._lines[above].strip()) else number

    def _end(self) -> int:
        """The line behind the last that is not the name of an attachment, which is the later mail's."""
        end = len(self._lines)
        while end and (not self._lines[end - 1].strip() or self._lines[end - 1].startswith(_ATTACHMENT)):
            end -= 1
        return end

    def _span(self, first: int, end: int) -> tuple[int, int]:
        return self._starts[first], self._starts[end - 1] + len(self._lines[end - 1])


def _is_forwarded(line: str) -> bool:
    return len(line) <= _LONGEST_LINE and _FORWARDED.match(line.strip("> \t")) is not None
