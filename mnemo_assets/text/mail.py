"""Mails: eml, the forms of Outlook, mailboxes, and pages that a browser saved as a mail (MHTML).

The text begins with the headers that name people and days, a line each in a fixed order; then the body, what
an invitation says, and the names of what is attached. Of an alternative the plain part is taken, unless it
lacks most words of the page. A forwarded message that is shown inline is text of the mail; one that is
attached is a part of it, as a document that is attached is. The mails of a mailbox are its parts; those
beyond what a document may have are pages of its text. Places of parts are as `mail_tree` has them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, Final

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import flowed, html, invitation, mail_tree, mime, plain, signed
from mnemo_assets.text.days import plausible
from mnemo_assets.text.decoding import decode
from mnemo_assets.text.mail_tree import MESSAGES, SIGNED
from mnemo_assets.text.normalise import one_line
from mnemo_assets.text.pages import MAX_PARTS, Budget, Metadata, Pages, Part
from mnemo_assets.text.parts import described

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from mnemo_assets.text.mime import Entity

HEADERS: Final = ("From", "To", "Cc", "Bcc", "Date", "Subject")
#: Headers that name people: they may stand there again, and go on.
_PEOPLE: Final = frozenset({"From", "To", "Cc", "Bcc"})
#: Bytes of a mail: attachments are decoded in memory, one at a time.
_MOST_BYTES: Final = 512 << 20
#: Code points of all headers of one name.
_LONGEST_HEADER: Final = 1_000_000
#: Code points of a date.
_LONGEST_DATE: Final = 200
#: Code points of a name: what a file system takes; its extension is kept.
_LONGEST_NAME: Final = 255
_LONGEST_EXTENSION: Final = 10
#: What counts when two parts of an alternative are compared: words, and the characters of scripts without
#: blanks, whose lines are broken anywhere; and how many of the page.
_WORD = re.compile("(?=\\w)[\u2e80-\ufaff]|[^\\W\u2e80-\ufaff]{3,}")
_COMPARED: Final = 20_000

#: What is shown with a mail, though it is not text/plain or text/html.
_SHOWN: Final = frozenset(
    {"text/enriched", "text/richtext", "text/rfc822-headers", "message/delivery-status"}
    | {"message/disposition-notification", "message/feedback-report"}
)
_PAGES: Final = frozenset({"text/html", "text/enriched", "text/richtext"})
_CALENDARS: Final = frozenset({"text/calendar", "application/ics"})
#: What is neither text nor a document, but how a mail is made, signed or locked.
_MACHINERY: Final = frozenset(
    {"text/css", "text/javascript", "application/javascript", "application/pgp-encrypted"}
    | {"application/pgp-signature", "application/pgp-keys", "application/pkcs7-signature"}
    | {"application/x-pkcs7-signature"}
)
_CARDS: Final = frozenset({"text/vcard", "text/x-vcard", "text/directory"})
#: A mail in another wrapping: by its name, or by its type.
_MAIL_NAMES: Final = (".eml", ".msg", ".mbox")
_MAIL_KINDS: Final = MESSAGES | {"application/vnd.ms-outlook", "application/mbox"}

_PGP = re.compile(
    r"^-----BEGIN PGP MESSAGE-----$.*?(?:^-----END PGP MESSAGE-----$|\Z)", re.DOTALL | re.MULTILINE
)
_PGP_SIGNED = re.compile(r"^-----BEGIN PGP SIGNED MESSAGE-----\n(?:[A-Z][A-Za-z-]*: [^\n]*\n)*", re.MULTILINE)
_PGP_SIGNATURE = re.compile(
    r"^-----BEGIN PGP SIGNATURE-----$.*?(?:^-----END PGP SIGNATURE-----$|\Z)", re.DOTALL | re.MULTILINE
)
_DASHED = re.compile(r"^- (?=-)", re.MULTILINE)


def read(file: BinaryIO) -> Pages:
    """Read a mail, or a mailbox.

    Raises:
        ReadingError: TOO_LARGE; CORRUPT, it is nested more deeply than can be followed, or a damaged
            container; ENCRYPTED, all that there is opens only with a key.
    """
    data = plain.whole(file, _MOST_BYTES)
    if mails := mail_tree.mails(data):
        return _mailbox(data, mails)
    message = mail_tree.root(data)
    if not message.headers:
        return plain.read(file)
    walk = _Walk()
    text = walk.message(message, "", 0)
    if walk.locked and not walk.worded and not walk.parts:
        raise ReadingError(ErrorClass.ENCRYPTED)
    return Pages([text], _metadata(message), walk.parts, has_content=True, is_mail=True)


def part(file: BinaryIO, path: str) -> bytes:
    """The bytes of a part, by its place.

    Raises:
        ReadingError: TOO_LARGE, CORRUPT.
        KeyError: there is no such part.
    """
    data = plain.whole(file, _MOST_BYTES)
    mails = mail_tree.mails(data)
    if not mails:
        return mail_tree.at(mail_tree.root(data), path).payload()
    if not path.isdecimal() or not 0 < int(path) <= len(mails):
        raise KeyError(path)
    return mail_tree.mail(data, *mails[int(path) - 1])


def _mailbox(data: bytes, mails: list[tuple[int, int]]) -> Pages:
    """The mails of a mailbox are its parts, and named in its text; those beyond are pages."""
    found: list[Part] = []
    walk = _Walk(parts_left=0)
    names, pages = [], []
    for number, (start, end) in enumerate(mails, 1):
        content = mail_tree.mail(data, start, end)
        message = mime.parsed(content)
        if number <= MAX_PARTS:
            subject = message.header("subject")
            one = described(str(number), "", "message/rfc822", content)
            found += [replace(one, name=_short(subject))] if one else []
            names.append(f"Mail: {_short(subject)}")
        else:
            pages.append(walk.message(message, "", 0))
    return Pages(["\n".join(names), *pages], Metadata(), found, has_content=True, is_mail=True)


@dataclass(slots=True)
class _Shown:
    """What is shown of one message beside its texts.

    Attributes:
        events: of its calendars.
        names: of its attachments.
        spare: texts that are shown if there is no other.
    """

    events: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    spare: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Walk:
    """A walk over a mail.

    Attributes:
        parts_left: how many parts may still be found.
        parts: the documents inside of it.
        locked: whether something opens only with a key.
        worded: whether there is text beside the mail's own headers.
    """

    parts_left: int = MAX_PARTS
    parts: list[Part] = field(default_factory=list)
    locked: bool = False
    worded: bool = False
    _budget: Budget = field(default_factory=Budget)

    def message(self, message: Entity, place: str, depth: int) -> str:
        """The text of a message, and of those inside of it."""
        headers = [f"{name}: {value}" for name in HEADERS if (value := _header(message, name))]
        shown = _Shown()
        place = place or ("1" if mail_tree.is_leaf(message) else "")
        texts = self._texts(message, place, depth, shown) or shown.spare
        said = " ".join(" ".join(texts).split()) if shown.events else ""
        events = [event for event in dict.fromkeys(shown.events) if not _repeats(event, said)]
        self.worded = self.worded or bool(texts or events)
        names = [f"Attachment: {name}" for name in dict.fromkeys(shown.names)]
        blocks = ["\n".join(headers), *texts, *events, "\n".join(names)]
        return "\n\n".join(block for block in blocks if block)

    def _texts(self, entity: Entity, place: str, depth: int, shown: _Shown) -> list[str]:
        """The texts of an entity that are shown with its message, in order; blank ones are left out."""
        kind = entity.kind()
        if kind in MESSAGES:
            if entity.disposition() == "attachment":
                self._attach(entity, place, shown)
                return []
            inner = mail_tree.inside(entity, depth)[0]
            self.worded = True
            return [self.message(inner, _below(place, 1), depth + 1)]
        if kind.startswith("multipart/"):
            return self._multipart(entity, kind, place, depth, shown)
        if mail_tree.is_tnef(entity):
            shown.spare += self._all(mail_tree.inside(entity, depth), place, depth, shown)
            return []
        if kind in SIGNED:
            return self._signed(entity, place, depth, shown)
        return self._leaf(entity, kind, place, depth, shown)

    def _all(self, entities: list[Entity], place: str, depth: int, shown: _Shown) -> list[str]:
        found = []
        for number, child in enumerate(entities, 1):
            found += self._texts(child, _below(place, number), depth + 1, shown)
        return found

    def _multipart(self, entity: Entity, kind: str, place: str, depth: int, shown: _Shown) -> list[str]:
        entities = mail_tree.inside(entity, depth)
        if kind == "multipart/encrypted":
            self.locked = True
            return []
        if not entities:  # nothing divides it: a text that was called something else
            return self._text(entity, "text/plain")
        if kind != "multipart/alternative":
            return self._all(entities, place, depth, shown)
        texts = [
            self._texts(child, _below(place, number), depth + 1, shown)
            for number, child in enumerate(entities, 1)
        ]
        return _preferred([child.kind() for child in entities], texts)

    def _signed(self, entity: Entity, place: str, depth: int, shown: _Shown) -> list[str]:
        """The message that a signature holds; one that is locked is said to be."""
        entities = mail_tree.inside(entity, depth)
        if not entities and signed.is_locked(entity.payload()):
            self.locked = True
        return self._all(entities, place, depth, shown)

    def _leaf(self, entity: Entity, kind: str, place: str, depth: int, shown: _Shown) -> list[str]:
        name, disposition = entity.file_name(), entity.disposition()
        if kind in _CALENDARS:
            shown.events += invitation.shown(decode(entity.payload(), entity.charset()))
            shown.names += [_short(name)] if name and disposition == "attachment" else []
            return []
        is_attached = disposition == "attachment" and place != "1" * (depth == 0)
        if is_attached or not _is_shown(kind, name):
            self._attach(entity, place, shown)
            return []
        shown.names += [_short(name)] if name else []
        if kind == "text/plain":
            self._all(mail_tree.inside(entity, depth), place, depth, shown)
        return self._text(entity, kind)

    def _text(self, entity: Entity, kind: str) -> list[str]:
        """The text of a leaf."""
        data, charset = entity.payload(), entity.charset()
        if kind in _PAGES:
            text = html.from_bytes(data, charset, quotes=True).pages[0]
        else:
            text = self._plain(entity, decode(mail_tree.without_files(data), charset))
        return [self._budget.spend(text)] if text.strip() else []

    def _plain(self, entity: Entity, text: str) -> str:
        is_flowed, drop_blank = entity.flowed()
        if is_flowed:
            text = flowed.unfolded(text, drop_blank=drop_blank)
        if "-----BEGIN PGP " not in text:
            return text
        text, locked = _PGP.subn("", text.replace("\r\n", "\n"))
        self.locked = self.locked or locked > 0
        text, armoured = _PGP_SIGNED.subn("", text)
        return _DASHED.sub("", _PGP_SIGNATURE.sub("", text)) if armoured else text

    def _attach(self, entity: Entity, place: str, shown: _Shown) -> None:
        """Name an attachment, and keep it if it is a document."""
        kind, name = entity.kind(), entity.file_name()
        self.locked = self.locked or kind == "application/pgp-encrypted"
        if kind in _MACHINERY or (kind.startswith("image/") and _is_inline(entity)):
            return
        data: bytes | None = None
        if not name and kind in MESSAGES:
            data = entity.payload()
            name = mime.parsed(data).header("subject")
        if name := _short(name):
            shown.names.append(name)
        if self.parts_left and kind not in _CARDS:
            found = _described(place, name, kind, entity.payload() if data is None else data)
            if found is not None:
                self.parts.append(found)
                self.parts_left -= 1


def _is_shown(kind: str, name: str) -> bool:
    """Whether a mail program shows a leaf of a type below the mail, if nothing says that it is attached."""
    if kind in _SHOWN or kind in {"text/plain", "text/html"}:
        return True
    return kind.startswith("text/") and not name and kind not in _MACHINERY | _CARDS


def _is_inline(entity: Entity) -> bool:
    """Whether a page of the mail shows it in its place."""
    return bool(entity.content_id()) and entity.disposition() != "attachment"


def _described(place: str, name: str, kind: str, data: bytes) -> Part | None:
    """A part, if it may be one: mails in any wrapping are eml."""
    if kind not in _MAIL_KINDS and not name.lower().endswith(_MAIL_NAMES):
        return described(place, name, kind, data)
    found = described(place, f"{name}.eml" if name else "", "message/rfc822", data)
    return found and replace(found, name=name)


def _preferred(kinds: list[str], texts: list[list[str]]) -> list[str]:
    """Of an alternative the plain text, else the first that has any.

    A plain text gives way to a page most of whose words it lacks: then it is a notice, or a summary.
    """
    chosen = next(
        (some for kind, some in zip(kinds, texts, strict=True) if kind == "text/plain" and some), []
    )
    page = next((some for kind, some in zip(kinds, texts, strict=True) if kind != "text/plain" and some), [])
    if not chosen or not page:
        return chosen or page
    shown = set(islice(_words(page), _COMPARED))
    lacking = shown.difference(_words(chosen))
    return page if 2 * len(lacking) > len(shown) else chosen


def _words(texts: list[str]) -> Iterator[str]:
    return (word[0].casefold() for text in texts for word in _WORD.finditer(text))


def _repeats(event: str, said: str) -> bool:
    """Whether every line of an event stands in a text, of single blanks, anyway."""
    return all(" ".join(line.split()) in said for line in event.split("\n"))


def _below(place: str, number: int) -> str:
    return f"{place}.{number}" if place else str(number)


def _short(name: str) -> str:
    """A name as a line that a file system would take, with its extension."""
    line = one_line(name)
    if len(name) > len(line) or len(line) > _LONGEST_NAME:
        stem, dot, ext = name.rpartition(".")
        ending = one_line(dot + ext) if len(ext) <= _LONGEST_EXTENSION else ""
        line = one_line(stem)[: _LONGEST_NAME - len(ending)] + ending if stem else line[:_LONGEST_NAME]
    return line


def _metadata(message: Entity) -> Metadata:
    return Metadata(
        title=_header(message, "Subject"),
        sender=_header(message, "From"),
        recipients=_header(message, "To"),
        copies=_header(message, "Cc"),
        message_id=message.header("message-id").strip("<> "),
        sent=_day(message),
    )


def _header(message: Entity, name: str) -> str:
    """A header as one line, decoded; several that name people are one; empty where there is none."""
    found = message.raw(name.lower())
    value = ", ".join(one for one in found if one) if name in _PEOPLE else next(iter(found), "")
    value = mime.words(value[:_LONGEST_HEADER])
    return " ".join((mime.international(value) if name in _PEOPLE else value).split())


def _day(message: Entity) -> date | None:
    """The day the mail says it was sent, in its sender's time zone."""
    try:
        sent = parsedate_to_datetime(_header(message, "Date")[:_LONGEST_DATE])
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return plausible(sent.date())
