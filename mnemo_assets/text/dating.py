"""The day a document is dated by: what its content says, else its metadata. Pure.

Of the content only what dates a document counts: a label that says so ("Invoice date: ..."), or a date that
is a line of its own in a letter's head, with a place before it or not. Better no date than a wrong one: two
different days, a range, a day that is due, a birthday, and what needs a guess are none.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final, Literal

from mnemo_assets import dates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemo_assets.text.pages import Metadata

#: Code points and lines of the first page in which a label counts, and lines in which a date alone does.
_HEAD: Final = 6_000
_LABELLED_WITHIN: Final = 60
_ALONE_WITHIN: Final = 15
_LONGEST_LINE: Final = 300
#: Years of documents: the first typewriters, and a future that nobody means.
_YEARS: Final = range(1870, 2100)
#: A date alone that lies so far behind the last change of the file is of something that was to come.
_AHEAD: Final = timedelta(days=31)

#: What says, and says only, that a date is the document's: English, German, French, Spanish, Italian, Dutch.
_LABELS: Final = frozenset(
    label.strip()
    for labels in (
        "date, dated, date of letter, letter date, date of this letter, document date, date of document",
        "invoice date, date of invoice, bill date, billing date, receipt date, date of receipt",
        "statement date, date of statement, issue date, date of issue, date issued, issued on, issued",
        "report date, date of report, notice date, date of notice",
        "datum, briefdatum, belegdatum, dokumentdatum, datum des schreibens, datum der rechnung",
        "rechnungsdatum, ausstellungsdatum, ausgestellt am, auszugsdatum, erstellungsdatum, erstellt am",
        "bescheiddatum, datum des bescheids, berichtsdatum",
        "date de facture, date de la facture, date de facturation, date du document, date d'émission",
        "date d'emission, date du relevé, date du courrier, émis le, établi le, établie le, le",
        "fecha, fecha de factura, fecha de la factura, fecha factura, fecha de emisión, fecha de emision",
        "fecha de expedición, fecha del documento, emitido el, emitida el",
        "data, data fattura, data della fattura, data di emissione, data emissione, data documento",
        "data del documento, emesso il, emessa il",
        "factuurdatum, datum factuur, datum van de factuur, dagtekening, briefdatum, datum brief",
        "afschriftdatum, datum afschrift, opgemaakt op",
    )
    for label in labels.split(",")
)
#: A label, the longest there is, with more behind it.
_BEGUN: Final = re.compile(
    f"({'|'.join(sorted(map(re.escape, _LABELS), key=len, reverse=True))}) ", re.IGNORECASE
)
_CELLS: Final = re.compile(r"\t| {2,}| \| ")
_MARKS: Final = "*_#>|-–•· \t"
#: A place and what stands between it and its date: "Berlin, den", "Paris, le", "Madrid, a", "Roma, lì".
_PLACE: Final = re.compile(
    r"(?P<place>[^\W\d_][^\W\d_.'’\-]*(?:[ .'’\-]{1,2}[^\W\d_]+){0,4}(?: \([^\W\d_]{1,20}\))?)"
    r"(?:, (?:(?:den|dem|the|le|el|a|lì|li|il|op) )?| (?:den|le|lì|li) )"
)
#: Words that begin no place: the day behind them is another one.
_NO_PLACES: Final = frozenset(
    """
    born geboren geb né née nacido nacida nato nata due fällig payable zahlbar until bis by before vom von
    from since seit ab valid gültig effective expires expiry deadline on am period zeitraum event meeting
    termin signed received updated last version page rev revision as stand part chapter arrival departure
    anreise abreise
    died gestorben delivery lieferung next print printed
    """.split()  # noqa: SIM905 - a list of words is read as words
)
#: In any of the languages of the date grammar, long and short.
_WEEKDAY: Final = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado"
    r"|domingo|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica"
    r"|(?:maan|dins|woens|donder|vrij|zater|zon)dag|(?:segunda|terça|quarta|quinta|sexta)-feira"
    r"|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|mo|di|mi|do|fr|sa|so",
    re.IGNORECASE,
)


def document_date(
    text: str, metadata: Metadata
) -> tuple[date, Literal["content", "metadata"]] | tuple[None, None]:
    """The day, and where it stands.

    Args:
        text: the normalised text.
        metadata: what the file says about itself.
    """
    if metadata.sent is not None:
        return metadata.sent, "content"
    is_mail = metadata.sender is not None or metadata.message_id is not None
    if not is_mail:  # in one without a day the days are those of the mails that it quotes
        last = max((day for day in (metadata.created, metadata.modified) if day), default=None)
        if (said := _said(text, last)) is not None:
            return said, "content"
    if metadata.created is not None:
        return metadata.created, "metadata"
    return None, None


def _said(text: str, last: date | None) -> date | None:
    """The day that the head of the first page says."""
    head = text[:_HEAD].partition("\f")[0]
    lines = [line.strip() for line in head.split("\n") if line.strip()]
    labelled = set(_labelled(lines[:_LABELLED_WITHIN]))
    if labelled:
        return labelled.pop() if len(labelled) == 1 else None
    alone = {day for line in lines[:_ALONE_WITHIN] if (day := _alone(line))}
    day = alone.pop() if len(alone) == 1 else None
    return None if day and last and day > last + _AHEAD else day


def _labelled(lines: list[str]) -> Iterator[date]:
    """The days that a label stands before: in the same cell, in the next one, or in the line below."""
    for number, line in enumerate(lines):
        cells = _CELLS.split(line[:_LONGEST_LINE])
        for place, cell in enumerate(cells):
            label, value = _parted(cell)
            if label not in _LABELS:
                continue
            if not value:
                below = lines[number + 1] if len(cells) == 1 and number + 1 < len(lines) else ""
                value = cells[place + 1] if place + 1 < len(cells) else below
            if day := _day(value):
                yield day


def _parted(cell: str) -> tuple[str, str]:
    """A cell's label, in lower case, and what follows it; a label may end with a colon, or before a date."""
    cell = cell.strip(_MARKS)
    label, colon, value = cell.partition(":")
    if not colon:
        begun = _BEGUN.match(cell)
        if begun and _day(cell[begun.end() :].strip(_MARKS)):  # with a weekday before it
            label, value = begun[1], cell[begun.end() :]
        else:
            label = re.split(r"\d", cell, maxsplit=1)[0]
            value = cell[len(label) :]
    return label.strip(_MARKS).lower().replace("’", "'"), value.strip(_MARKS)


def _alone(line: str) -> date | None:
    """The day of a line that is a date, or a place and a date."""
    if len(line) > _LONGEST_LINE:
        return None
    line = line.strip(_MARKS)
    if day := _day(line):
        return day
    place = _PLACE.match(line)
    if place is None or not place["place"][0].isupper():
        return None
    words = re.split(r"[ .'’\-]", place["place"].lower())
    return None if words[0] in _NO_PLACES else _day(line[place.end() :])


def _day(words: str) -> date | None:
    """The day that the words are, whole; no month, no year, no range."""
    words = words.strip(" .,;")
    first = re.match(r"[^\W\d_]+(?:-feira)?\.?,? ", words)
    if first and _WEEKDAY.fullmatch(first[0].rstrip(" .,")):
        words = words[first.end() :]  # the grammar takes any word for one
    found = next(dates.find(words[:_LONGEST_LINE]), None)
    if found is None or found.start != 0 or found.precision != "day" or not dates.parse(words):
        return None
    day = date.fromisoformat(found.value)
    return day if day.year in _YEARS else None
