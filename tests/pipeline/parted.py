"""Mails whose attachments are parts, read by the standard library alone, in the test's own process."""

from __future__ import annotations

import os
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import TYPE_CHECKING, BinaryIO, Self

from mnemo_assets.text import reading
from mnemo_assets.text.pages import Metadata, Pages
from mnemo_assets.text.parts import described
from mnemo_assets.text.reading import Reader, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemo_assets.settings import Settings

#: What stands in the table of readers in place of the real one.
EML = Reader("mail", 7, f"{__name__}:read", f"{__name__}:part")
#: The next one, which finds no parts any more.
BLIND = Reader("mail", 8, f"{__name__}:read_blindly")


def read(file: BinaryIO) -> Pages:
    """The subject and the body, and the attachments as parts: "1" is the first."""
    message = _parsed(file)
    body = message.get_body(("plain",))
    text = f"Subject: {message['Subject']}\n\n{'' if body is None else body.get_content()}"
    parts = [
        described(str(number), attached.get_filename() or "", attached.get_content_type(), _bytes(attached))
        for number, attached in enumerate(message.iter_attachments(), start=1)
        if isinstance(attached, EmailMessage)
    ]
    metadata = Metadata(title=message["Subject"], sent=message["Date"] and message["Date"].datetime.date())
    return Pages([text], metadata, [part for part in parts if part is not None], has_content=True)


def read_blindly(file: BinaryIO) -> Pages:
    """The same without the attachments."""
    pages = read(file)
    return Pages(pages.pages, pages.metadata, has_content=True)


def part(file: BinaryIO, path: str) -> bytes:
    """The bytes of an attachment."""
    attached = list(_parsed(file).iter_attachments())[int(path) - 1]
    assert isinstance(attached, EmailMessage)
    return _bytes(attached)


def _parsed(file: BinaryIO) -> EmailMessage:
    file.seek(0)
    message = message_from_bytes(file.read(), policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def _bytes(attached: EmailMessage) -> bytes:
    content = attached.get_content()
    if isinstance(content, EmailMessage):
        return content.as_bytes()
    return content if isinstance(content, bytes) else content.encode()


def mail(subject: str, *attached: tuple[str, bytes], date: str | None = None, body: str = "Hello.") -> bytes:
    """A mail; what is attached with a name that ends in .eml is a message of its own."""
    message = EmailMessage(policy=policy.default)
    message["Subject"] = subject
    message["Message-ID"] = f"<{subject}@example.org>"
    if date is not None:
        message["Date"] = date
    message.set_content(body)
    for name, data in attached:
        if name.endswith(".eml"):
            message.add_attachment(message_from_bytes(data, policy=policy.default), filename=name)
        else:
            message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


class Here:
    """A sandbox that reads in this process, and remembers what it read, each as the parts on the way."""

    def __init__(self) -> None:
        self.reads: list[tuple[str, ...]] = []

    def __call__(self, _settings: Settings) -> Self:
        """As the class is called; there is one of it."""
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read(
        self,
        fd: int,
        ext: str,
        *,
        parts: Sequence[tuple[str, str]] = (),
        sha256: str | None = None,
        **_wish: object,
    ) -> Text:
        """Read in this process."""
        self.reads.append(tuple(path for path, _ in parts))
        with os.fdopen(os.dup(fd), "rb") as file:
            return reading.read(file, ext, parts=parts, sha256=sha256)
