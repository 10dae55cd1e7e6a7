"""What a file is, by its content: the extension only decides between kinds of text."""

from __future__ import annotations

import re
import zipfile
from contextlib import suppress
from typing import BinaryIO

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import ole
from mnemo_assets.text.decoding import decode, is_binary
from mnemo_assets.text.xml_parts import DAMAGE, damaged

#: Bytes that are looked at; the same that tell text from binary.
_HEAD = 64 << 10
#: A PDF may have other bytes before its header, within the first kilobyte.
_PDF_WITHIN = 1024
#: The stream of an OLE container in which Office stores an encrypted document.
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
#: What is certainly something else, and short enough to pass for text.
_OTHERS = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!",
    b"SQLite format 3", b"\x7fELF", b"MZ\x90", b"ID3", b"OggS", b"bplist0", b"%!PS",
    b"II*\x00", b"MM\x00*", b"RIFF",
    b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00",  # Excel 2 to 4
)  # fmt: skip
_RTF = b"{\\rtf"
#: The kind of an OLE container by a stream of its root.
_STREAMS = {"Workbook": "xls", "Book": "xls"}
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.text"
_EPUB = b"application/epub+zip"
#: The extensions that say no more than "text": which kind is not decided by the content.
_TEXTS = frozenset({"txt", "md", "csv"})
#: The extensions whose documents are not text: anything else under them is damaged.
_CONTAINERS = frozenset({"pdf", "docx", "xls", "odt", "epub"})
_ZIPPED = frozenset({"docx", "odt", "epub"})
#: The root of an OpenDocument file that is not zipped.
_FLAT = re.compile(r"\s*<\?xml[^>]{0,200}>\s*<office:document\b")
_PAGE = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_MAIL = re.compile(
    r"\s*(?:From |(?:[A-Za-z][A-Za-z0-9-]{0,60}:[^\n]{0,2000}\n(?:[ \t][^\n]{0,2000}\n)*){1,60})"
)
_MAIL_HEADER = re.compile(r"^(?:MIME-Version|Message-ID|Received|Return-Path):", re.IGNORECASE | re.MULTILINE)


def kind_of(file: BinaryIO, ext: str) -> str | None:
    """The kind of reader for a file, a key of READERS; None for nothing but white space.

    Raises:
        ReadingError: ENCRYPTED, it is an encrypted Office document; UNSUPPORTED, no reader knows it;
            CORRUPT, it is bytes that could be a damaged document of its extension.
    """
    file.seek(0)
    head = file.read(_HEAD)
    if not head.strip(b" \t\r\n\f\v\x00"):
        if b"\x00" in head and ext in _CONTAINERS:
            raise ReadingError(ErrorClass.CORRUPT, "zeros")
        return None if _is_blank(file) else _text_kind(ext)
    if head.startswith(b"%PDF-") or (ext not in _TEXTS and b"%PDF-" in head[:_PDF_WITHIN]):
        return "pdf"
    if head.lstrip(b" \t\r\n").startswith(_RTF):
        return "rtf"
    if head.startswith(ole.MAGIC):
        return _held(file, ext)
    if head.startswith(_ZIP):
        return _zipped(file, ext)
    if head.startswith(_OTHERS):
        raise ReadingError(ErrorClass.UNSUPPORTED, "magic")
    if is_binary(head):
        raise ReadingError(ErrorClass.CORRUPT if ext in _CONTAINERS else ErrorClass.UNSUPPORTED, "binary")
    return ext if ext in _TEXTS else _written(decode(head), ext)


def _written(text: str, ext: str) -> str:
    """The kind of a text under an extension that promises more than text."""
    if _PAGE.match(text):
        return "html"
    if _FLAT.match(text):
        return "odt"
    if _MAIL.match(text) and _MAIL_HEADER.search(text[:8000]):
        return "eml"
    return _text_kind(ext)


def _text_kind(ext: str) -> str:
    return "txt" if ext in _CONTAINERS else ext


def _held(file: BinaryIO, ext: str) -> str:
    """The kind of an OLE container, by its streams."""
    try:
        streams = ole.streams(file)
    except ReadingError:
        if _holds(file, _ENCRYPTED):
            raise ReadingError(ErrorClass.ENCRYPTED, "OLE") from None
        damage = ErrorClass.CORRUPT if ext in _STREAMS.values() else ErrorClass.UNSUPPORTED
        raise ReadingError(damage, "OLE") from None
    if "EncryptedPackage" in streams:
        raise ReadingError(ErrorClass.ENCRYPTED, "OLE")
    for name, kind in _STREAMS.items():
        if name in streams:
            return kind
    raise ReadingError(ErrorClass.UNSUPPORTED, "OLE")


def _zipped(file: BinaryIO, ext: str) -> str:
    """The kind of a zip container, by the parts in it."""
    try:
        with zipfile.ZipFile(file) as container:
            names = {name.replace("\\", "/").lstrip("/").lower() for name in container.namelist()}
            mimetype = _mimetype(container)
    except DAMAGE as error:
        raise damaged(error, ErrorClass.CORRUPT if ext in _ZIPPED else ErrorClass.UNSUPPORTED) from None
    if any(name.startswith("word/") for name in names):
        return "docx"
    if mimetype.startswith(_EPUB) or "meta-inf/container.xml" in names:
        return "epub"
    if mimetype.startswith(_OPEN_DOCUMENT) or (ext == "odt" and "content.xml" in names):
        return "odt"
    other = any(name.startswith(("xl/", "ppt/")) or name == "mimetype" for name in names)
    if ext == "docx" and "[content_types].xml" in names and not other:
        return "docx"  # parts may have any name
    raise ReadingError(ErrorClass.UNSUPPORTED, "zip")


def _mimetype(container: zipfile.ZipFile) -> bytes:
    """What the part of that name says, which the first one has to be; empty where it cannot be read."""
    with suppress(KeyError, RuntimeError, *DAMAGE), container.open("mimetype") as part:
        return part.read(100).strip()
    return b""


def _holds(file: BinaryIO, wanted: bytes) -> bool:
    """Whether a file holds some bytes anywhere."""
    file.seek(0)
    tail = b""
    while piece := file.read(1 << 20):
        if wanted in tail + piece:
            return True
        tail = piece[-len(wanted) :]
    return False


def _is_blank(file: BinaryIO) -> bool:
    """Whether there is nothing but white space, and NULs, to the end of a file."""
    file.seek(0)
    return all(not piece.strip(b" \t\r\n\f\v\x00") for piece in iter(lambda: file.read(1 << 20), b""))
