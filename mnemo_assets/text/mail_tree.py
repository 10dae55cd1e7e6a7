"""The tree of a mail with all that mails are wrapped in: MIME, msg, winmail.dat, mailboxes, S/MIME, uuencode.

The place of an entity is where one turns at each step from the root: "2" is the second part, "2.1" the first
of what is in it. The root is no step, unless it has no parts: then it is "1" itself. In a mailbox "7" is the
seventh mail. A place stands for the same bytes as long as the file does, and this module.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import mime, ole, outlook, signed, tnef
from mnemo_assets.text.mime import Entity, parsed

if TYPE_CHECKING:
    from collections.abc import Iterator

MESSAGES: Final = frozenset({"message/rfc822", "message/global"})
SIGNED: Final = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_TNEF: Final = frozenset({"application/ms-tnef", "application/vnd.ms-tnef"})
_UNKNOWN: Final = "application/octet-stream"
_MARK: Final = b"\xef\xbb\xbf"
#: The line before each mail of a mailbox: a blank line before it, a header behind it.
_FROM = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n(?=[!-9;-~]+:|>?From |\r?\n)")
_QUOTED_FROM = re.compile(rb"^>(?=>*From )", re.MULTILINE)
#: A file in the lines of a text, as it was done before MIME. No line of it has a small letter.
_UUENCODED = re.compile(
    rb"^begin [0-7]{3,4} ([^\r\n]{1,255})\r?\n(?:[ -`]{1,90}\r?\n)++end[ \t]*\r?$", re.MULTILINE
)
_UUENCODED_HEAD: Final = b"Content-Type: application/octet-stream\nContent-Transfer-Encoding: x-uuencode\n\n"


def root(data: bytes) -> Entity:
    """The mail that a file is.

    Raises:
        ReadingError: CORRUPT, it is a container of Outlook's, and damaged.
    """
    if data.startswith(ole.MAGIC):
        return parsed(outlook.written(io.BytesIO(data)))
    if data.startswith(tnef.MAGIC):
        return parsed(tnef.written(data))
    data = data.removeprefix(_MARK).lstrip(b"\r\n")
    if b"\n" not in data and b"\r" in data:  # as a Macintosh wrote lines
        data = data.replace(b"\r", b"\n")
    return parsed(data)


def mails(data: bytes) -> list[tuple[int, int]]:
    """Start and end of each mail of a mailbox; nothing if it is not one, or has but one."""
    if not data.startswith(b"From "):
        return []
    lines = list(_FROM.finditer(data))
    ends = [*(line.start() for line in lines[1:]), len(data)]
    return [(line.end(), end) for line, end in zip(lines, ends, strict=True)] if len(lines) > 1 else []


def mail(data: bytes, start: int, end: int) -> bytes:
    """A mail of a mailbox as it was before it was put there: lines that began with "From " do so again."""
    return _QUOTED_FROM.sub(b"", data[start:end])


def inside(entity: Entity, depth: int) -> list[Entity]:
    """What an entity is made of, in its order: nothing if it is a leaf.

    Raises:
        ReadingError: CORRUPT, it is nested more deeply than any mail.
    """
    kind = entity.kind()
    if not is_leaf(entity):
        return mime.children(entity, depth)
    if depth >= mime.DEEPEST:
        raise ReadingError(ErrorClass.CORRUPT, "nesting")
    if is_tnef(entity):
        return mime.children(parsed(tnef.written(entity.payload())), depth)
    if kind in SIGNED:
        held = signed.content(entity.payload())
        return [] if held is None else [parsed(held)]
    return list(_uuencoded(entity.payload())) if kind == "text/plain" else []


def at(entity: Entity, place: str) -> Entity:
    """The entity at a place.

    Raises:
        KeyError: there is none.
    """
    for depth, step in enumerate(place.split(".")):
        found = [entity] if depth == 0 and is_leaf(entity) else inside(entity, depth)
        if not step.isdecimal() or not 0 < int(step) <= len(found):
            raise KeyError(place)
        entity = found[int(step) - 1]
    return entity


def is_leaf(entity: Entity) -> bool:
    """Whether MIME has no parts in an entity, whatever else may be in it."""
    return not entity.kind().startswith(("multipart/", "message/"))


def is_tnef(entity: Entity) -> bool:
    """Whether it is a winmail.dat, whatever it is called."""
    kind = entity.kind()
    named = kind in _TNEF or (kind == _UNKNOWN and entity.file_name().lower() == "winmail.dat")
    return named and entity.payload().startswith(tnef.MAGIC)


def without_files(text: bytes) -> bytes:
    """A text without the files in its lines."""
    return _UUENCODED.sub(b"", text) if b"begin " in text else text


def _uuencoded(text: bytes) -> Iterator[Entity]:
    if b"begin " not in text:
        return
    for file in _UUENCODED.finditer(text):
        name = quote(file[1].strip())
        head = f"Content-Disposition: attachment; filename*=utf-8''{name}\n"
        yield parsed(head.encode() + _UUENCODED_HEAD + file[0])
