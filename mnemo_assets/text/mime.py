"""The tree of a mail: entities as RFC 2045 has them, over the bytes they stand in. Nothing is copied.

The standard library's parser makes an object of each line and calls itself for each level. This one finds
the lines that divide, so that a part is exactly the bytes that were sent, and a mail costs little more than
it weighs. It is as lenient: what is malformed is what its reader would have been shown.
"""

from __future__ import annotations

import binascii
import re
import string
from dataclasses import dataclass
from email.message import Message
from typing import TYPE_CHECKING, Final

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text.decoding import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Levels of parts in parts: a mail that was forwarded fifty times has half of them.
DEEPEST: Final = 100
#: Code points of a header whose parameters are looked for: that is not linear, and a file name has 255 bytes.
_LONGEST_PARAMETERS: Final = 8_000
#: Bytes of a header: some 20,000 recipients.
_LONGEST_HEADER: Final = 1_000_000
#: The boundary of RFC 2046 has 70.
_LONGEST_BOUNDARY: Final = 1_000

_LINE = re.compile(
    rb"(?:>?From [^\n]*+|([!-9;-~]++)[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)|[ \t][^\n]*+)(?:\n|\Z)"
)
_END_OF_HEADERS = re.compile(rb"\r?\n")
_ANY_BOUNDARY = re.compile(rb"^--([^\s\"\\][^\r\n\"\\]{0,199}?)[ \t]*\r?$", re.MULTILINE)
_FOLD = re.compile(r"[ \t\r\n]+")
_BLANKS = b" \t\r"
_WORD = re.compile(r"=\?([^?*\s]{1,40})(?:\*[^?\s]{0,20})?\?([BbQq])\?([^?]*)\?=(\s+(?==\?))?")
_NOT_BASE64 = bytes(sorted(set(range(256)) - set(string.ascii_letters.encode() + b"0123456789+/")))
#: Blanks that were added on the way behind a line that goes on.
_PADDED_BREAK = re.compile(rb"=[ \t]++(?=\r?\n)")
_IDN = re.compile(r"\bxn--[a-z0-9-]{1,59}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entity:
    """Headers and a body: a message, or a part of one.

    Attributes:
        data: what it stands in.
        start: where its headers begin there.
        body: where its body begins.
        end: where that ends.
        headers: their names in lower case, and what stands behind the colon, as it stands.
        default: its type where it declares none.
    """

    data: bytes
    start: int
    body: int
    end: int
    headers: tuple[tuple[str, bytes], ...]
    default: str = "text/plain"

    def raw(self, name: str) -> list[str]:
        """Each header of a name, given in lower case: as one line, its encoded words as they stand."""
        return [_line(value[:_LONGEST_HEADER]) for key, value in self.headers if key == name]

    def header(self, name: str) -> str:
        """The first header of a name as a person reads it, or nothing."""
        return next((words(value) for value in self.raw(name)), "")

    def kind(self) -> str:
        """Its media type, in lower case: the default where it is malformed."""
        declared = self.raw("content-type")
        if not declared:
            return self.default
        kind = declared[0].partition(";")[0].strip().lower()
        return kind if kind.count("/") == 1 else "text/plain"

    def disposition(self) -> str | None:
        """How it says that it is shown, such as "inline" or "attachment"; None if it does not."""
        declared = self.raw("content-disposition")
        return declared[0].partition(";")[0].strip().lower() or None if declared else None

    def charset(self) -> str | None:
        """The encoding that a text declares."""
        found = self._parameter("charset", "content-type")
        return found or None

    def flowed(self) -> tuple[bool, bool]:
        """Whether lines that end in a blank go on (RFC 3676), and whether that blank is to be dropped."""
        formatted = self._parameter("format", "content-type").lower() == "flowed"
        return formatted, self._parameter("delsp", "content-type").lower() == "yes"

    def file_name(self) -> str:
        """The name to save it under, as a person reads it, or nothing."""
        named = self._parameter("filename", "content-disposition") or self._parameter("name", "content-type")
        return words(named).strip()

    def content_id(self) -> str:
        """What the pages of a mail call it, or nothing."""
        return self.header("content-id").strip("<> ")

    def payload(self) -> bytes:
        """The bytes that were put in; as they stand where their transfer encoding is broken."""
        body = self.data[self.body : self.end]
        return decoded(body, self.header("content-transfer-encoding").lower())

    def is_encoded(self) -> bool:
        """Whether the payload is other bytes than those of the body."""
        return self.header("content-transfer-encoding").lower() in _DECODERS

    def inner(self) -> Entity:
        """The message that this one is the envelope of."""
        if self.is_encoded():
            return parsed(self.payload())
        return parsed(self.data, self.body, self.end)

    def divided(self) -> list[Entity]:
        """The parts of a multipart: by its boundary, else by the first that stands there, if any."""
        boundary = self._parameter("boundary", "content-type").rstrip()
        found = self._between(boundary.encode("utf-8", "surrogateescape"))
        if not found and (other := _ANY_BOUNDARY.search(self.data, self.body, self.end)) is not None:
            found = self._between(other[1])
        return found

    def _between(self, boundary: bytes) -> list[Entity]:
        if not 0 < len(boundary) <= _LONGEST_BOUNDARY:
            return []
        default = "message/rfc822" if self.kind() == "multipart/digest" else "text/plain"
        starts = list(self._divisions(boundary))
        if not starts:
            return []
        parts = zip(starts, [*starts[1:], (self.end, self.end, True)], strict=True)
        return [
            parsed(self.data, begin, _before_newline(self.data, begin, end), default)
            for (_, begin, is_last), (end, _, _) in parts
            if not is_last
        ]

    def _divisions(self, boundary: bytes) -> Iterator[tuple[int, int, bool]]:
        """Start and end of each line that divides, and whether it is the last."""
        wanted, at = b"--" + boundary, self.body
        while (at := self.data.find(wanted, at, self.end)) >= 0:
            newline = self.data.find(b"\n", at, self.end)
            after = self.end if newline < 0 else newline + 1
            if at == self.body or self.data[at - 1] == ord("\n"):
                rest = self.data[at + len(wanted) : min(after, at + len(wanted) + 100)].strip(b" \t\r\n")
                if rest in {b"", b"--"}:
                    yield at, after, rest == b"--"
                    if rest:
                        return
            at = after

    def _parameter(self, name: str, header: str) -> str:
        declared = next(iter(self.raw(header)), "")[:_LONGEST_PARAMETERS]
        if ";" not in declared:
            return ""
        message = Message()
        message[header] = declared  # for the standard library, which knows how parameters are written
        try:
            found = message.get_param(name, "", header)
        except Exception:  # noqa: BLE001 - the parser of parameters fails in many ways on hostile ones
            return ""
        if isinstance(found, tuple):  # RFC 2231: charset, language, value
            charset, _, value = found
            found = _said(value.encode("latin-1", "replace"), charset or "")
        return found if isinstance(found, str) else ""


def parsed(data: bytes, start: int = 0, end: int | None = None, default: str = "text/plain") -> Entity:
    """The entity in some bytes."""
    at, end, headers = start, len(data) if end is None else end, []
    while (line := _LINE.match(data, at, end)) is not None and at < end:
        if line[1]:
            headers.append((line[1].decode("ascii").lower(), line[2]))
        at = line.end()
    blank = _END_OF_HEADERS.match(data, at, end)
    return Entity(data, start, blank.end() if blank else at, end, tuple(headers), default)


def children(entity: Entity, depth: int) -> list[Entity]:
    """The entities that one is made of.

    Raises:
        ReadingError: CORRUPT, it is nested more deeply than any mail.
    """
    kind = entity.kind()
    found = entity.divided() if kind.startswith("multipart/") else []
    if kind in {"message/rfc822", "message/global"}:
        found = [entity.inner()]
    if found and depth >= DEEPEST:
        raise ReadingError(ErrorClass.CORRUPT, "nesting")
    return found


def _line(value: bytes) -> str:
    """A header's value as one line."""
    line = value.decode("ascii") if value.isascii() else decode(value)
    return (_FOLD.sub(" ", line) if "\n" in line or "\t" in line or "  " in line else line).strip()


def words(value: str) -> str:
    """A header with its encoded words (RFC 2047) decoded; those of a character that was torn, together."""
    if "=?" not in value:
        return value
    pieces: list[str] = []
    at, held, charset = 0, b"", ""
    for word in _WORD.finditer(value):
        if held and (word[1].lower() != charset or word.start() != at):
            pieces.append(_said(held, charset))
            held = b""
        pieces.append(value[at : word.start()])
        held += _word(word[2], word[3])
        charset, at = word[1].lower(), word.end()
    return "".join([*pieces, _said(held, charset) if held else "", value[at:]])


def international(value: str) -> str:
    """Addresses with their domains in the letters that their owners read."""
    return _IDN.sub(_label, value)


def _label(found: re.Match[str]) -> str:
    try:
        return found[0].encode("ascii").decode("idna")
    except UnicodeError:
        return found[0]


def _said(data: bytes, charset: str) -> str:
    """A few bytes in the encoding they say: of so few none can be guessed."""
    return data.decode("utf-8", "replace") if charset.lower() in {"utf-8", "utf8"} else decode(data, charset)


def _word(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return binascii.a2b_qp(data, header=True) if encoding in "qQ" else _base64(data)


def decoded(body: bytes, encoding: str) -> bytes:
    """A body without its transfer encoding; as it stands where that gives nothing."""
    decoder = _DECODERS.get(encoding)
    if decoder is None:
        return body
    try:
        return decoder(body) or body
    except (binascii.Error, ValueError):
        return body


def _base64(data: bytes) -> bytes:
    """Base64 with whatever else stands between; what stands behind its end is not of it."""
    letters = data.partition(b"=")[0]
    try:
        return binascii.a2b_base64(letters + b"==")
    except binascii.Error:  # one letter more than there are bytes for
        letters = letters.translate(None, _NOT_BASE64)
        return binascii.a2b_base64(letters[: len(letters) // 4 * 4])


def _quoted_printable(data: bytes) -> bytes:
    return binascii.a2b_qp(_PADDED_BREAK.sub(b"=", data) if b"= " in data or b"=\t" in data else data)


def _uu(data: bytes) -> bytes:
    lines = data.partition(b"begin ")[2].splitlines()[1:]
    pieces = []
    for line in lines:
        if line.strip() == b"end":
            break
        size = (((line[0] - 32) & 63) * 4 + 5) // 3 if line else 0  # some programs pad their lines
        pieces.append(binascii.a2b_uu(line[:size]))
    return b"".join(pieces)


_DECODERS = {
    "base64": _base64,
    "quoted-printable": _quoted_printable,
    **dict.fromkeys(("x-uuencode", "uuencode", "x-uue", "uue"), _uu),
}


def _before_newline(data: bytes, start: int, end: int) -> int:
    """The end without the newline before a line that divides, which belongs to that line."""
    if end > start and data[end - 1] == ord("\n"):
        end -= 1
        end -= end > start and data[end - 1] == ord("\r")
    return end
