"""Rich text: rtf, read as a stream of control words (Rich Text Format 1.9.1).

The body in its order, page by page, where the document breaks a page; notes and comments at the end of the
page that refers to them, text boxes and alternative texts after the paragraph that holds them; headers first
and footers last, once. Tables keep their rows. Insertions that wait for approval and hidden text are text,
deletions are not. A group that is never closed ends with the file. Of what Outlook made from a page, the page
is found again (MS-OXRTFEX).
"""

from __future__ import annotations

import html
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import BinaryIO, Final

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import code_pages
from mnemo_assets.text.days import plausible
from mnemo_assets.text.pages import Metadata, Pages, split_pages
from mnemo_assets.text.plain import whole
from mnemo_assets.text.rtf_text import Document

#: Bytes of a file: its pictures are spelled out in it.
_MOST_BYTES: Final = 512 << 20
#: Bytes within which it begins, and says whether it was made from a page.
_HEAD: Final = 1024
_FROM_PAGE: Final = b"\\fromhtml"
_TOKEN: Final = re.compile(
    rb"\\(?:([a-zA-Z]{1,32})(-?[0-9]{1,10})?+[ ]?|'([0-9a-fA-F]{2})|(\r\n|.))|([{}])|([^\\{}]+)", re.DOTALL
)
#: What a control word writes.
_GLYPHS: Final = {
    "tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "emspace": " ", "enspace": " ",
    "qmspace": " ", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "zwj": "\u200d", "zwnj": "\u200c",
}  # fmt: skip
_SYMBOLS: Final = {b"~": "\u00a0", b"_": "\u2011", b"\\": "\\", b"{": "{", b"}": "}"}
#: What is not the document's text; nothing in it is.
_GONE: Final = frozenset(
    """
    colortbl stylesheet filetbl listtable nonshppict shprslt objdata xe rxe tc tcn ftnsep ftnsepc ftncn
    aftnsep aftnsepc aftncn nonesttables themedata datastore mmathPict private
    """.split()  # noqa: SIM905 - a list of words is read as words
)
#: What is no text by itself and may hold some.
_HULLS: Final = frozenset(
    "fonttbl info pict picprop sp fldinst formfield upr nesttableprops creatim revtim".split()  # noqa: SIM905 - the same
)
#: Destinations that a program may skip, and this one follows: their text, or what is in them, is seen.
_FOLLOWED: Final = frozenset(
    """
    shpinst shppict do annotation atnauthor ud ffl background mmath moMath moMathPara mmathPara
    shptxt dptxbxtext footnote
    """.split()  # noqa: SIM905 - the same
)
#: A short text that is kept, by the hull it stands in.
_KEPT: Final = {
    "title": "info", "author": "info", "sn": "sp", "sv": "sp", "atnauthor": "text", "ffl": "formfield",
}  # fmt: skip
_FRAMES: Final = {
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "footer"),
    **dict.fromkeys(("footnote", "annotation"), "note"),
    **dict.fromkeys(("shptxt", "dptxbxtext"), "box"),
}
#: Properties of a shape that are words.
_SHAPE_WORDS: Final = frozenset({"wzDescription", "gtextUNICODE"})
#: Code pages by the character set of a font; what is not here is the document's own.
_CHARSETS: Final = {
    2: "cp1252", 77: "mac_roman", 78: "cp932", 79: "cp949", 80: "gb18030", 81: "cp950", 85: "mac_greek",
    86: "mac_turkish", 88: "mac_latin2", 89: "mac_cyrillic", 128: "cp932", 129: "cp949", 130: "johab",
    134: "gb18030", 136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256",
    186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
#: As a code page.
_UTF_16: Final = 1200
_PAGES: Final = {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}


def read(file: BinaryIO) -> Pages:
    """Read rich text.

    Raises:
        ReadingError: CORRUPT, there is no rich text in it; TOO_LARGE.
    """
    data = whole(file, _MOST_BYTES)
    start = data[:_HEAD].find(b"{\\rtf")
    if start < 0:
        raise ReadingError(ErrorClass.CORRUPT, "no rtf")
    walk = _Walk()
    walk.over(data, start)
    said = Metadata(
        title=walk.said.get("title"),
        author=walk.said.get("author"),
        created=walk.days.get("creatim"),
        modified=walk.days.get("revtim"),
    )
    return Pages(split_pages(walk.document.text()), said, has_content=walk.pictured)


def source(data: bytes) -> tuple[str, str]:
    """The media type and the text of what rich text was made from: a page, or else itself as plain text.

    Raises:
        ReadingError: TOO_LARGE.
    """
    is_page = _FROM_PAGE in data[:_HEAD]
    walk = _Walk(is_page=is_page)
    walk.over(data, max(0, data[:_HEAD].find(b"{\\rtf")))
    return "text/html" if is_page else "text/plain", walk.document.text().replace("\f", "\n")


@dataclass(slots=True)
class _Group:
    """What holds until a group ends.

    Attributes:
        destination: what its text is.
        font: of its characters; None is the document's.
        skip: how many characters stand for one in Unicode.
        deleted: whether it is no text any more.
        doubled: whether it stands for markup of the page, for programs that know only rich text.
        is_markup: whether it is markup of the page.
        ends: what ends with this group.
    """

    destination: str = "text"
    font: int | None = None
    skip: int = 1
    deleted: bool = False
    doubled: bool = False
    is_markup: bool = False
    ends: str = ""

    def inner(self) -> _Group:
        """A group that begins in this one."""
        return _Group(self.destination, self.font, self.skip, self.deleted, self.doubled, self.is_markup)

    def is_gone(self) -> bool:
        """Whether what stands in it is not seen."""
        return self.deleted or self.doubled


class _Walk:
    """A walk over the control words that keeps its own stack: groups may be nested to any depth."""

    def __init__(self, *, is_page: bool = False) -> None:
        self.document = Document()
        self._is_page = is_page  # what is wanted is the page that it was made from
        self.said: dict[str, str] = {}
        self.days: dict[str, date] = {}
        self.pictured = False
        self._group = _Group()
        self._outer: list[_Group] = []
        self._star = False  # the next destination may be skipped
        self._codec = "cp1252"
        self._fonts: dict[int, str] = {}
        self._defined = 0  # the font whose definition is open
        self._default: int | None = None
        self._bytes = bytearray()  # of the document's code page, not yet decoded
        self._kept: list[str] = []
        self._day = {"yr": 0, "mo": 0, "dy": 0}
        self._property = ""  # name of the shape's
        self._author = ""
        self._skipped = 0  # characters to come that stand for one in Unicode

    def over(self, data: bytes, place: int) -> None:
        """Visit every token from a place on."""
        match = _TOKEN.match
        while token := match(data, place):
            place = token.end()
            word, number, byte, symbol, brace, text = token.groups()
            if word is not None:
                if word == b"bin":
                    place += max(0, int(number or 0))
                else:
                    self._word(word.decode("ascii"), None if number is None else int(number))
            elif text is not None:
                if self._group.destination != "gone":
                    self._characters(text.translate(None, b"\r\n\0"))
            elif byte is not None:
                self._characters(bytes.fromhex(byte.decode("ascii")))
            elif brace == b"{":
                self._flush()
                self._outer.append(self._group)
                self._group = self._group.inner()
                self._skipped = 0
            elif brace is not None:
                self._close()
            else:
                self._symbol(symbol)
        while self._outer:
            self._close()
        self._flush()

    def _close(self) -> None:
        """End a group, and what ends with it; one that was never opened is nothing."""
        self._flush()
        self._skipped, self._star = 0, False
        group = self._group
        if self._outer:
            self._group = self._outer.pop()
            if group.ends:
                self._finish(group.ends)

    def _finish(self, ended: str) -> None:
        if ended in {"creatim", "revtim"}:
            with suppress(ValueError):
                day = plausible(date(self._day["yr"], self._day["mo"], self._day["dy"]))
                self.days |= {ended: day} if day else {}
        elif ended in _FRAMES:
            author, self._author = (self._author, "") if ended == "annotation" else ("", self._author)
            self.document.close(_FRAMES[ended], author)
        elif ended in _KEPT:
            text = "".join(self._kept).strip()
            self._kept.clear()
            self._keep(ended, text)

    def _keep(self, name: str, text: str) -> None:
        """A short text has ended."""
        if name == "sn":
            self._property = text
        elif name == "sv" and self._property in _SHAPE_WORDS:
            self.document.box(text)
        elif name == "atnauthor":
            self._author = text
        elif name == "ffl":
            self.document.write(f"{text} ")
        elif name in {"title", "author"}:
            self.said[name] = text

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._star = True
        elif symbol in {b"\r\n", b"\r", b"\n"}:
            self._word("par", None)
        elif symbol in _SYMBOLS:
            self._write(_SYMBOLS[symbol])

    def _characters(self, data: bytes) -> None:
        """Bytes in the code page of the font, less those that stand for a character in Unicode."""
        if self._skipped:
            dropped = min(self._skipped, len(data))
            self._skipped -= dropped
            data = data[dropped:]
        if data and self._group.destination not in _HULLS:
            self._bytes += data

    def _flush(self) -> None:
        """Write the bytes that have been waiting for the rest of their characters."""
        if self._bytes:
            codec = self._fonts.get(self._current_font(), self._codec)
            text = self._bytes.decode(codec, "replace")
            self._bytes.clear()
            self._put(text)

    def _current_font(self) -> int:
        font = self._group.font if self._group.font is not None else self._default
        return -1 if font is None else font

    def _write(self, text: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        self._flush()
        self._put(text)

    def _put(self, text: str) -> None:
        group = self._group
        if group.destination == "text":
            if not group.is_gone():
                is_said = self._is_page and not group.is_markup
                self.document.write(html.escape(text, quote=False) if is_said else text)
        elif group.destination in _KEPT:
            self._kept.append(self.document.budget.spend(text))

    def _word(self, name: str, number: int | None) -> None:
        star, self._star = self._star, False
        if self._group.destination == "gone":
            return
        if name in _GLYPHS:
            self._write(_GLYPHS[name])
        elif name == "u":
            self._unicode(number or 0)
        else:
            self._flush()
            if not self._enter(name, optional=star) and not self._character_property(name, number):
                self._setting(name, number)

    def _unicode(self, number: int) -> None:
        if self._skipped:  # one that stands for another
            self._skipped -= 1
            return
        self._flush()
        self._put(chr(number % 0x10000))
        self._skipped = self._group.skip

    def _enter(self, name: str, *, optional: bool) -> bool:
        """Begin a destination; whether the word is one."""
        group = self._group
        if name == "htmltag" and self._is_page:
            group.destination, group.is_markup, group.doubled = "text", True, False
            return True
        unknown = optional and name not in _FOLLOWED and name not in _HULLS
        if unknown or name in _GONE or (name.startswith("m") and name.endswith("Pr")):  # of formulas
            group.destination = "gone"
        elif name in _HULLS:
            self.pictured = self.pictured or name == "pict"
            group.destination, group.ends = name, name
            self._day = dict.fromkeys(self._day, 0)
        elif name in _FRAMES and group.destination == "text":
            self.document.open()
            group.destination, group.ends = "text", name
        elif name in _KEPT and (group.destination == _KEPT[name]):
            group.destination, group.ends = name, name
        elif name == "ud" and group.destination == "upr":
            group.destination = "text"
        else:
            return optional
        return True

    def _character_property(self, name: str, number: int | None) -> bool:
        group = self._group
        if name == "f":
            if group.destination == "fonttbl":
                self._defined = number or 0
            group.font = number
        elif name == "uc":
            group.skip = max(0, number if number is not None else 1)
        elif name in {"deleted", "mvf"}:
            group.deleted = number != 0
        elif name == "htmlrtf" and self._is_page:
            group.doubled = number != 0
        elif name == "plain":
            group.font, group.deleted = None, False
        else:
            return False
        return True

    def _setting(self, name: str, number: int | None) -> None:
        if name in self._day:
            self._day[name] = number or 0
        elif name == "ansicpg":
            self._codec = _known(number or 1252)
        elif name in _PAGES:
            self._codec = _PAGES[name]
        elif name == "deff":
            self._default = number
        elif name == "fcharset" and number in _CHARSETS:
            self._fonts[self._defined] = _CHARSETS[number]
        elif name == "cpg" and self._group.destination == "fonttbl" and number:
            self._fonts[self._defined] = _known(number)
        elif self._group.destination in {"text", "nesttableprops"} and not self._group.is_gone():
            self.document.word(name, number)


def _known(page: int) -> str:
    """The codec of a code page; that of Windows 1252 where there is none, or it has no bytes."""
    return (None if page == _UTF_16 else code_pages.codec(page)) or "cp1252"
