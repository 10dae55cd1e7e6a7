"""Mails: eml, and pages that a browser saved as one (MHTML).

The text begins with the headers that name people and days, a line each in a fixed order; then the body. Of an
alternative the plain part is taken, unless it is blank. A forwarded message that is shown inline is part of
the text; one that is attached, as any attachment, is not.
"""

from __future__ import annotations

import re
from contextlib import suppress
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import EmailMessage, Message
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, BinaryIO

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import html, plain
from mnemo_assets.text.days import plausible
from mnemo_assets.text.decoding import decode
from mnemo_assets.text.pages import Metadata, Pages

if TYPE_CHECKING:
    from datetime import date

HEADERS = ("From", "To", "Cc", "Date", "Subject")
#: Bytes of a mail: attachments are decoded in memory, at several times their size.
_MOST_BYTES = 512 << 20
#: Code points of a header that is taken apart: the parser of addresses is not linear.
_LONGEST_PARSED = 20_000
#: Code points of a header: some 20,000 recipients.
_LONGEST_HEADER = 1_000_000
#: Messages inside of messages that are followed.
_DEEPEST = 50
_BLANKS = re.compile(r"[ \t\r\n]+")
_BOUNDARY = re.compile(rb"^--([^\s\"\\][^\r\n\"\\]{0,199}?)[ \t]*\r?$", re.MULTILINE)


def read(file: BinaryIO) -> Pages:
    """Read a mail.

    Raises:
        ReadingError: TOO_LARGE; CORRUPT, it is nested more deeply than can be followed.
    """
    data = plain.whole(file, _MOST_BYTES)
    try:
        message = message_from_bytes(data.lstrip(b"\r\n"), policy=policy.default)
    except RecursionError:
        raise ReadingError(ErrorClass.CORRUPT, "RecursionError") from None
    if not message.keys():
        return plain.read(file)
    text = _message(message, 0)
    metadata = Metadata(
        title=_header(message, "Subject"),
        sender=_header(message, "From"),
        recipients=_header(message, "To"),
        copies=_header(message, "Cc"),
        message_id=_header(message, "Message-ID").strip("<>"),
        sent=_day(message),
    )
    return Pages([text], metadata, has_content=True)


def _message(message: Message, depth: int) -> str:
    """The headers and the body of a message, and of those inside of it."""
    lines = [f"{name}: {value}" for name in HEADERS if (value := _header(message, name))]
    return "\n".join(lines) + "\n\n" + "\n\n".join(_bodies(message, depth))


def _bodies(part: Message, depth: int) -> list[str]:
    """The texts of a part that are shown with the message, in order; blank ones are left out."""
    kind = part.get_content_type()
    if depth and part.get_content_disposition() == "attachment":
        return []
    if kind == "message/rfc822":
        inner = part.get_payload()
        nested = inner[0] if isinstance(inner, list) and inner else None
        return [_message(nested, depth + 1)] if isinstance(nested, Message) and depth < _DEEPEST else []
    if part.is_multipart():
        texts = [_bodies(child, depth + 1) for child in part.get_payload() if isinstance(child, Message)]
        if kind == "multipart/alternative":
            return _preferred(part, texts)
        return [text for some in texts for text in some]
    if part.get_content_maintype() == "multipart":
        repaired = _rebound(part)
        return _bodies(repaired, depth + 1) if repaired is not None and depth < _DEEPEST else []
    text = _leaf(part, kind)
    return [text] if text.strip() else []


def _rebound(part: Message) -> Message | None:
    """The parts of a multipart whose boundary is declared wrongly, by the boundary that stands in it."""
    body = _payload(part)
    found = _BOUNDARY.search(body)
    if found is None:
        return None
    head = b'Content-Type: %s; boundary="%s"\n\n' % (
        part.get_content_type().encode("ascii", "replace"),
        found[1],
    )
    repaired = message_from_bytes(head + body, policy=policy.default)
    return repaired if repaired.is_multipart() else None


def _preferred(part: Message, texts: list[list[str]]) -> list[str]:
    """Of an alternative the plain text, else the first that has any."""
    children = [child for child in part.get_payload() if isinstance(child, Message)]
    kinds = [child.get_content_type() for child in children]
    order = sorted(range(len(texts)), key=lambda index: kinds[index] != "text/plain")
    return next((texts[index] for index in order if texts[index]), [])


def _leaf(part: Message, kind: str) -> str:
    """The text of a part that has no parts."""
    if kind not in {"text/plain", "text/html"}:
        return ""
    data = _payload(part)
    try:
        charset = part.get_content_charset()
    except Exception:  # noqa: BLE001 - the parser of parameters fails in many ways on hostile ones
        charset = None
    return html.from_bytes(data, charset).pages[0] if kind == "text/html" else decode(data, charset)


def _payload(part: Message) -> bytes:
    """The bytes of a part; as they stand where their transfer encoding is broken."""
    try:
        data = part.get_payload(decode=True)
    except Exception:  # noqa: BLE001 - uuencode and base64 fail in many ways on hostile input
        data = None
    raw = part.get_payload()
    if isinstance(data, bytes) and (data or not (isinstance(raw, str) and raw.strip())):
        return data
    return raw.encode("utf-8", "surrogateescape") if isinstance(raw, str) else b""


def _header(message: Message, name: str) -> str:
    """A header as one line, decoded; as it stands where it is malformed; empty where there is none."""
    raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), None)
    if raw is None:
        return ""
    value = str(raw)[:_LONGEST_HEADER]
    decoded = decode(value.encode("utf-8", "surrogateescape"))
    parsed = len(value) <= _LONGEST_PARSED and value == decoded and isinstance(message, EmailMessage)
    with suppress(Exception):  # hostile headers break the parser in many ways: the raw one stays
        decoded = str(message[name]) if parsed else str(make_header(decode_header(decoded)))
    return _BLANKS.sub(" ", decoded).strip()


def _day(message: Message) -> date | None:
    """The day the mail says it was sent, in its sender's time zone."""
    try:
        sent = parsedate_to_datetime(_header(message, "Date"))
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return plausible(sent.date())
