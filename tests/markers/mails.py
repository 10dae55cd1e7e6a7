"""Mails, each place with its marker."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP
from typing import Final

from tests.markers.drawn import ATTACHED, ATTACHED_NAME
from tests.markers.pages import blocks
from tests.markers.places import Format, fates, marker

_WORD: Final = "vnd.openxmlformats-officedocument.wordprocessingml.document"
_EVENT: Final = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:1\r\n"
    "DTSTART:20210304T100000Z\r\nSUMMARY:{}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


def eml() -> bytes:
    """An answer in two forms, with a document, a mail that is shown in it, and an invitation."""
    mail = EmailMessage(policy=SMTP)
    mail["From"] = "Mara <mara@example.org>"
    mail["To"] = "Jon <jon@example.org>"
    mail["Date"] = "Thu, 04 Mar 2021 10:00:00 +0100"
    mail["Subject"] = marker("mail header")
    body, quoted = marker("body"), marker("quoted mail")
    mail.set_content(f"{body}\n\n> {quoted}\n")
    mail.add_alternative(f"<p>{body}</p><blockquote type='cite'>{quoted}</blockquote>", subtype="html")
    mail.add_attachment(ATTACHED, maintype="application", subtype=_WORD, filename=ATTACHED_NAME)
    inner = EmailMessage(policy=SMTP)
    inner["Subject"] = marker("nested mail")
    style = f"<style>.{marker('style')} {{}}</style>"
    inner.set_content(f"<html><head>{style}</head><body>{blocks()}</body></html>", subtype="html", cte="8bit")
    shown = EmailMessage(policy=SMTP)
    shown.set_content(inner, disposition="inline")
    event = EmailMessage(policy=SMTP)
    event.set_content(_EVENT.format(marker("invitation")), subtype="calendar", cte="8bit")
    for part in (shown, event):
        mail.attach(part)
    return mail.as_bytes()


EML: Final = Format(
    eml,
    fates(
        read="mail header, quoted mail, nested mail, invitation, attachment name, body, header, footer, "
        "table cell, nested table, list, link, hidden text, form field, alternative text, equation, "
        "chart label, footnote",
        documents="attached document",
        left_out="script, style, source comment",
    ),
)
