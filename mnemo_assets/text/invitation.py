"""What a calendar invitation says: the lines a mail program shows of one (RFC 5545). Pure."""

from __future__ import annotations

import re
from typing import Final

from mnemo_assets.text.days import pdf_day

#: Events of one calendar that are shown: more is a whole calendar.
_MOST_EVENTS: Final = 1_000
_FOLD = re.compile(r"\r?\n[ \t]")
_ESCAPED = re.compile(r"\\(.)")
_TIME = re.compile(r"\d{8}T(\d\d)(\d\d)\d\dZ?\Z")
_COMMON_NAME = re.compile(r';CN=(?:"([^"]*)"|([^;:"]*))', re.IGNORECASE)
_ZONE = re.compile(r';TZID=(?:"([^"]*)"|([^;:"]*))', re.IGNORECASE)
#: Name, parameters, value; a colon in quotation marks is of a parameter.
_PROPERTY = re.compile(r'([A-Za-z0-9-]+)((?:;[^":;]*+(?:"[^"]*+"[^":;]*+)*+)*+):(.*)', re.DOTALL)
_EVENTS = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
_PEOPLE = {"ORGANIZER": "Organizer", "ATTENDEE": "Attendee"}


def shown(calendar: str) -> list[str]:
    """The events of a calendar, each as lines: what, when, where, who, and what is said of it."""
    events: list[str] = []
    lines: dict[str, list[str]] | None = None
    for line in _FOLD.sub("", calendar).splitlines():
        found = _PROPERTY.match(line)
        if found is None:
            continue
        name, parameters, value = found[1].upper(), found[2], found[3]
        if name == "BEGIN" and value.strip().upper() in _EVENTS:
            lines = {}
        elif name == "END" and value.strip().upper() in _EVENTS and lines is not None:
            events.append(_lines(lines))
            lines = None
            if len(events) == _MOST_EVENTS:
                break
        elif lines is not None:
            lines.setdefault(name, []).append(_value(name, parameters, value))
    return list(dict.fromkeys(event for event in events if event))


def _lines(properties: dict[str, list[str]]) -> str:
    start, end = (properties.get(name, [""])[0] for name in ("DTSTART", "DTEND"))
    labelled = [
        ("Summary", properties.get("SUMMARY", [])),
        ("When", [" – ".join(dict.fromkeys(time for time in (start, end) if time))]),
        ("Where", properties.get("LOCATION", [])),
        *((label, properties.get(name, [])) for name, label in _PEOPLE.items()),
        ("Description", properties.get("DESCRIPTION", [])),
    ]
    return "\n".join(f"{label}: {value}" for label, values in labelled for value in values if value)


def _value(name: str, parameters: str, value: str) -> str:
    if name in _PEOPLE:
        return _person(parameters, value)
    if name in {"DTSTART", "DTEND"}:
        return _moment(parameters, value.strip())
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value).strip()


def _person(parameters: str, value: str) -> str:
    address = re.sub(r"\Amailto:", "", value.strip(), flags=re.IGNORECASE)
    found = _COMMON_NAME.search(parameters)
    name = (found[1] or found[2] or "").strip() if found else ""
    return f"{name} <{address}>" if name and name != address else address


def _moment(parameters: str, value: str) -> str:
    """A day or a time as ISO 8601 has it; the zone as it is named."""
    day = pdf_day(value)  # both write YYYYMMDD
    if day is None:
        return value
    time, zone = _TIME.match(value), _ZONE.search(parameters)
    if time is None:
        return day.isoformat()
    named = "UTC" if value.endswith("Z") else (zone[1] or zone[2] or "").strip() if zone else ""
    return f"{day.isoformat()} {time[1]}:{time[2]} {named}".rstrip()
