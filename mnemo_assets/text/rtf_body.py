"""The rich text in which Outlook keeps some bodies: unpacked, and the page or text in it. Pure.

Packed as MS-OXRTFCP has it, made from pages as MS-OXRTFEX has it. It is not the reader of rtf documents: of
those, more is kept than the words.
"""

from __future__ import annotations

import html
import re
import struct
from dataclasses import dataclass, field, replace
from typing import Final

from mnemo_assets.text.decoding import decode

#: Bytes of a body: it unpacks to eight times its size at most.
_MOST_BYTES: Final = 64 << 20
#: What is in the window before the first byte.
_WINDOW: Final = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript "
    b"\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_SIZE: Final = 4096  # of the window
_HEADER = struct.Struct("<II4sI")
_UTF_8: Final = 65001  # as a code page
_PACKED, _STORED = b"LZFu", b"MELA"

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z\r\n])"
    rb"|\\?[\r\n]+|([{}])|([^\\{}\r\n]+)",
    re.DOTALL,
)
_HIDDEN = frozenset(
    "fonttbl colortbl stylesheet info pict object generator listtable listoverridetable mmathPr".split()  # noqa: SIM905 - a list to read
)
_BREAKS = {"par": "\n", "line": "\n", "tab": "\t", "cell": "\t", "row": "\n", "page": "\n", "sect": "\n"}
_SIGNS = {
    "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•", "endash": "–",
    "emdash": "—", "emspace": " ", "enspace": " ",
}  # fmt: skip
_SYMBOLS = {b"~": "\u00a0", b"_": "-", b"\\": "\\", b"{": "{", b"}": "}"}
#: Encodings of fonts.
_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gb18030", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250",
}  # fmt: skip


def unpacked(data: bytes) -> bytes:
    """Rich text that was packed; as it is where it was not; what stands before damage."""
    if len(data) < _HEADER.size:
        return data
    _, raw_size, magic, _ = _HEADER.unpack_from(data)
    if magic == _STORED:
        return data[_HEADER.size : _HEADER.size + raw_size]
    return _inflated(data, min(raw_size, _MOST_BYTES)) if magic == _PACKED else data


def _inflated(data: bytes, size: int) -> bytes:
    """A flag says of each of eight that follow whether it is a byte or a place in the window."""
    found = bytearray(_WINDOW)
    whole, at = len(_WINDOW) + size, _HEADER.size
    while at < len(data) and len(found) < whole:
        flags, at = data[at], at + 1
        for bit in range(8):
            if at >= len(data):
                break
            if not flags >> bit & 1:
                found.append(data[at])
                at += 1
                continue
            place = int.from_bytes(data[at : at + 2], "big")
            at += 2
            back = (len(found) - (place >> 4)) % _SIZE
            if back == 0:  # the end
                return bytes(found[len(_WINDOW) : whole])
            for _ in range((place & 0xF) + 2):
                found.append(found[-back] if back <= len(found) else 0)
    return bytes(found[len(_WINDOW) : whole])


def read(rich: bytes) -> tuple[str, str]:
    """The media type and the text of what rich text was made from: a page, or else itself as plain text."""
    is_page = b"\\fromhtml" in rich[:1000]
    return ("text/html" if is_page else "text/plain"), _Walk(is_page=is_page).over(rich)


@dataclass(frozen=True, slots=True)
class _State:
    hidden: bool = False
    markup: bool = False  # inside of a tag of the page
    skip: int = 1  # characters that stand for one that is given by number, for programs that do not know it
    charset: str | None = None


@dataclass(slots=True)
class _Walk:
    is_page: bool
    charset: str = "cp1252"
    fonts: dict[int, str] = field(default_factory=dict)
    _font: int = 0  # whose encoding is being told
    _pieces: list[str] = field(default_factory=list)
    _held: bytearray = field(default_factory=bytearray)  # of a character that may not be whole
    _to_skip: int = 0
    _starred: bool = False

    def over(self, rich: bytes) -> str:
        """The text in it."""
        state, states = _State(), list[_State]()
        for token in _TOKEN.finditer(rich):
            word, number, code, symbol, brace, text = token.groups()
            if brace:
                self._flush(state)
                if brace == b"{":
                    states.append(state)
                elif states:
                    state = states.pop()
                self._to_skip = 0
            elif word:
                state = self._word(word.decode("ascii"), number, state)
            elif symbol == b"*":
                self._starred = True
                continue
            elif code:
                self._bytes(bytes([int(code, 16)]), state)
            elif symbol:
                self._text(_SYMBOLS.get(symbol, ""), state)
            elif text:
                self._bytes(text, state)
            self._starred = False
        self._flush(state)
        text = "".join(self._pieces)  # characters beyond the first plane were given as two
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _word(self, word: str, number: bytes | None, state: _State) -> _State:
        value = int(number) if number else None
        if word == "u" and value is not None:
            self._text(chr(value % 0x10000), state)
            self._to_skip = state.skip
            return state
        self._flush(state)
        if word == "htmlrtf":
            return replace(state, hidden=value != 0)
        if word == "htmltag":
            return replace(state, markup=True, hidden=False)
        if word in _HIDDEN or self._starred:
            return replace(state, hidden=True)
        return self._setting(word, value, state)

    def _setting(self, word: str, value: int | None, state: _State) -> _State:
        if word == "uc" and value is not None:
            return replace(state, skip=min(max(value, 0), 8))
        if word == "ansicpg" and value:
            self.charset = "utf-8" if value == _UTF_8 else f"cp{value}"
        elif word == "f" and value is not None:
            self._font = value
            return replace(state, charset=self.fonts.get(value))
        elif word == "fcharset" and value in _CHARSETS and state.hidden:
            self.fonts[self._font] = _CHARSETS[value]
        elif word in _BREAKS or word in _SIGNS:
            self._text(_BREAKS.get(word) or _SIGNS[word], state)
        return state

    def _bytes(self, data: bytes, state: _State) -> None:
        if self._to_skip:
            skipped = min(self._to_skip, len(data))
            self._to_skip -= skipped
            data = data[skipped:]
        if not state.hidden:
            self._held += data

    def _text(self, text: str, state: _State) -> None:
        self._flush(state)
        if not state.hidden:
            self._pieces.append(text if state.markup or not self.is_page else html.escape(text, quote=False))

    def _flush(self, state: _State) -> None:
        if self._held:
            text = decode(bytes(self._held), state.charset or self.charset)
            self._held.clear()
            self._pieces.append(text if state.markup or not self.is_page else html.escape(text, quote=False))
