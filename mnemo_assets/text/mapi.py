"""Mails as Outlook keeps them: its properties (MS-OXPROPS), and a mail written from them as MIME.

Both of Outlook's own forms, msg and winmail.dat, are numbered properties in another wrapping. A mail is
written from them with the same bytes each time, and read as any other mail is: no attachment of it is stored
anywhere.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Final
from urllib.parse import quote

from mnemo_assets.text import code_pages, mime, rtf, rtf_body
from mnemo_assets.text.decoding import decode

# The numbers of properties.
SUBJECT, TOPIC = 0x0037, 0x0070
TRANSPORT_HEADERS: Final = 0x007D
SUBMITTED, DELIVERED = 0x0039, 0x0E06
SENDER_NAME, SENDER_ADDRESS, SENDER_SMTP = 0x0C1A, 0x0C1F, 0x5D01
REPRESENTED_NAME, REPRESENTED_ADDRESS, REPRESENTED_SMTP = 0x0042, 0x0065, 0x5D02
SHOWN_TO, SHOWN_CC, SHOWN_BCC = 0x0E04, 0x0E03, 0x0E02
BODY, BODY_RTF, BODY_HTML = 0x1000, 0x1009, 0x1013
MESSAGE_ID: Final = 0x1035
CODE_PAGE, INTERNET_CODE_PAGE = 0x3FFD, 0x3FDE
RECIPIENT_TYPE, DISPLAY_NAME, ADDRESS, SMTP_ADDRESS = 0x0C15, 0x3001, 0x3003, 0x39FE
ATTACHED_DATA, ATTACHED_NAME, ATTACHED_LONG_NAME = 0x3701, 0x3704, 0x3707
ATTACHED_KIND, ATTACHED_CONTENT_ID = 0x370E, 0x3712

_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_HEADERS = ("From", "To", "Cc", "Bcc", "Date", "Subject", "Message-ID")
_ROLES = {1: "To", 2: "Cc", 3: "Bcc"}
_LINE_BREAKS = re.compile(r"[\r\n\0]+")

#: A property's value: text, bytes, a number, a time.
Value = str | bytes | int | datetime
Properties = dict[int, Value]


@dataclass(slots=True)
class Attachment:
    """A file of a mail, or a mail of it.

    Attributes:
        properties: its own.
        data: its bytes.
        is_mail: whether it is a mail: MIME, or what else is read as one.
    """

    properties: Properties
    data: bytes
    is_mail: bool = False


@dataclass(slots=True)
class Letter:
    """A mail: its properties, those of whom it is to, its attachments."""

    properties: Properties
    recipients: list[Properties] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)


def code_page(properties: Properties) -> str:
    """The encoding of texts that are bytes: the message's, else that of western Windows."""
    for number in (INTERNET_CODE_PAGE, CODE_PAGE):
        page = properties.get(number)
        if isinstance(page, int) and page:
            return code_pages.codec(page) or f"cp{page}"
    return "cp1252"


def moment(ticks: int) -> datetime | None:
    """A time in tenths of a microsecond since 1601."""
    try:
        return _EPOCH + timedelta(microseconds=ticks // 10)
    except OverflowError:
        return None


def text_of(properties: Properties, number: int) -> str:
    """A property as text, or nothing."""
    value = properties.get(number)
    if isinstance(value, bytes):
        return decode(value, code_page(properties))
    return value if isinstance(value, str) else ""


def written(letter: Letter, depth: int = 0) -> bytes:
    """A mail as MIME.

    Args:
        letter: the mail.
        depth: in how many others it stands: boundaries must differ.
    """
    boundary = b"=_%d" % depth  # base64 has no line that begins with it
    lines = [f"{name}: {value}".encode() for name, value in _headers(letter) if value]
    lines.append(b'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="%s"\n' % boundary)
    body = _body(letter)
    parts = ([body] if body is not None else []) + [_attached(one) for one in letter.attachments]
    for part in parts:
        lines += [b"--" + boundary, part]
    return b"\n".join([*lines, b"--" + boundary + b"--\n"])


def _headers(letter: Letter) -> list[tuple[str, str]]:
    """Those that it was sent with, else what its properties say."""
    properties = letter.properties
    sent_with = mime.parsed(text_of(properties, TRANSPORT_HEADERS).encode("utf-8", "replace"))
    time = next((properties[one] for one in (SUBMITTED, DELIVERED) if one in properties), None)
    made = {
        "From": _sender(properties),
        "Date": format_datetime(time) if isinstance(time, datetime) else "",
        "Subject": text_of(properties, SUBJECT) or text_of(properties, TOPIC),
        "Message-ID": text_of(properties, MESSAGE_ID),
    } | _recipients(letter)
    return [
        (name, ", ".join(sent_with.raw(name.lower())[:50]) or _line(made.get(name, ""))) for name in _HEADERS
    ]


def _recipients(letter: Letter) -> dict[str, str]:
    shown = {
        name: text_of(letter.properties, number)
        for name, number in (("To", SHOWN_TO), ("Cc", SHOWN_CC), ("Bcc", SHOWN_BCC))
    }
    found: dict[str, list[str]] = {}
    for one in letter.recipients:
        role = one.get(RECIPIENT_TYPE, 1)
        address = next((text for each in (SMTP_ADDRESS, ADDRESS) if (text := text_of(one, each))), "")
        name = _ROLES.get(role & 0xF if isinstance(role, int) else 1, "To")
        found.setdefault(name, []).append(_person(text_of(one, DISPLAY_NAME), address))
    return shown | {name: ", ".join(people) for name, people in found.items()}


def _sender(properties: Properties) -> str:
    for name, *addresses in (
        (REPRESENTED_NAME, REPRESENTED_SMTP, REPRESENTED_ADDRESS),
        (SENDER_NAME, SENDER_SMTP, SENDER_ADDRESS),
    ):
        address = next((text for one in addresses if (text := text_of(properties, one))), "")
        if (person := _person(text_of(properties, name), address)) != "":
            return person
    return ""


def _person(name: str, address: str) -> str:
    """As a header has it; an address of Exchange's own directory is none that a person knows."""
    address = address if "@" in address else ""
    if not name or name == address:
        return address
    return f"{name} <{address}>" if address else name


def _body(letter: Letter) -> bytes | None:
    """The text, else the page, else the rich text as one of the two."""
    properties = letter.properties
    text = text_of(properties, BODY)
    if text.strip():
        return _leaf("text/plain; charset=utf-8", text.encode("utf-8", "replace"))
    page = properties.get(BODY_HTML)
    if isinstance(page, str):
        return _leaf("text/html; charset=utf-8", page.encode("utf-8", "replace"))
    if isinstance(page, bytes) and page:
        return _leaf(f"text/html; charset={code_page(properties)}", page)
    rich = properties.get(BODY_RTF)
    if not isinstance(rich, bytes):
        return None
    kind, found = rtf.source(rtf_body.unpacked(rich))
    return _leaf(f"{kind}; charset=utf-8", found.encode("utf-8", "replace")) if found.strip() else None


def _attached(attachment: Attachment) -> bytes:
    properties = attachment.properties
    name = next(
        (
            text
            for one in (ATTACHED_LONG_NAME, ATTACHED_NAME, DISPLAY_NAME)
            if (text := text_of(properties, one))
        ),
        "",
    )
    kind = _line(text_of(properties, ATTACHED_KIND)) or "application/octet-stream"
    headers = [f"Content-Disposition: attachment; filename*=utf-8''{quote(name, errors='replace')}"]
    if content_id := _line(text_of(properties, ATTACHED_CONTENT_ID)):
        headers.append(f"Content-ID: <{content_id}>")
    if attachment.is_mail and attachment.data.isascii():
        # as it is: encoded once a level, mails in mails would grow without end
        head = "\n".join(["Content-Type: message/rfc822", *headers])
        return head.encode("utf-8", "replace") + b"\n\n" + attachment.data
    return _leaf("message/rfc822" if attachment.is_mail else kind, attachment.data, *headers)


def _leaf(kind: str, data: bytes, *headers: str) -> bytes:
    head = "\n".join([f"Content-Type: {kind}", "Content-Transfer-Encoding: base64", *headers])
    return head.encode("utf-8", "replace") + b"\n\n" + base64.encodebytes(data)


def _line(value: str) -> str:
    return _LINE_BREAKS.sub(" ", value).strip().encode("utf-8", "replace").decode()
