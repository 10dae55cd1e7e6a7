"""What a file is, by its content: the extension only decides between kinds of text."""

from __future__ import annotations

import re
import zipfile
from contextlib import suppress
from typing import BinaryIO

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import ole, ooxml, outlook, tnef
from mnemo_assets.text.decoding import decode, is_binary
from mnemo_assets.text.old_office import CONVERTED, container_kind, is_older, is_word_xml
from mnemo_assets.text.xml_parts import DAMAGE, Parts, damaged

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
#: Bytes, or characters, in which the headers of a mail are looked for.
_MAIL_WITHIN = 8000
_RTF = b"{\\rtf"
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.text"
_EPUB = b"application/epub+zip"
#: The extensions that say no more than "text": which kind is not decided by the content.
_TEXTS = frozenset({"txt", "md", "csv"})
#: Those of Office Open XML.
_OPEN_XML = frozenset({"docx", "xlsx", "xlsm", "pptx"})
#: Those of zips.
_ZIPPED = _OPEN_XML | {"odt", "epub"}
#: The extensions whose documents are not text: anything else under them is damaged.
_CONTAINERS = _ZIPPED | CONVERTED | {"pdf", "xls"}
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
    kind = _marked(file, head, ext)
    if kind is not None:
        return kind
    if head.startswith(_OTHERS):
        raise ReadingError(ErrorClass.UNSUPPORTED, "magic")
    if is_binary(head):
        raise ReadingError(ErrorClass.CORRUPT if ext in _CONTAINERS else ErrorClass.UNSUPPORTED, "binary")
    return ext if ext in _TEXTS else _written(decode(head), ext)


def _marked(file: BinaryIO, head: bytes, ext: str) -> str | None:
    """The kind that a file's beginning gives away, if it does and there is a reader for it."""
    if head.startswith(tnef.MAGIC) or (ext == "eml" and _MAIL.match(head[:_MAIL_WITHIN].decode("latin-1"))):
        return "eml"  # what it holds may be binary, or begin as another kind does
    if head.startswith(b"%PDF-") or (ext not in _TEXTS and b"%PDF-" in head[:_PDF_WITHIN]):
        return "pdf"
    if head.lstrip(b" \t\r\n").startswith(_RTF):
        return "rtf"
    if head.startswith(ole.MAGIC):
        return "eml" if outlook.is_message(file) else _in_container(file, ext)
    if head.startswith(_ZIP):
        return _zipped(file, ext)
    return ext if ext == "doc" and is_older(head) else None


def _written(text: str, ext: str) -> str:
    """The kind of a text under an extension that promises more than text."""
    if ext in CONVERTED and is_word_xml(text):
        return "doc"
    if _PAGE.match(text):
        return "html"
    if _FLAT.match(text):
        return "odt"
    if _MAIL.match(text) and _MAIL_HEADER.search(text[:_MAIL_WITHIN]):
        return "eml"
    return _text_kind(ext)


def _text_kind(ext: str) -> str:
    return "txt" if ext in _CONTAINERS else ext


def _in_container(file: BinaryIO, ext: str) -> str:
    """The kind of an OLE container."""
    try:
        return container_kind(file, ext)
    except ReadingError as error:
        if error.error_class is not ErrorClass.CORRUPT:
            raise
        if _holds(file, _ENCRYPTED):
            raise ReadingError(ErrorClass.ENCRYPTED, "damaged") from None
        if ext in CONVERTED or ext == "xls":
            raise
        raise ReadingError(ErrorClass.UNSUPPORTED, "OLE") from None


def _zipped(file: BinaryIO, ext: str) -> str:
    """The kind of a zip container, by the parts in it."""
    try:
        with zipfile.ZipFile(file) as container:
            kind = ooxml.kind_of(Parts(container))
            names = {name.replace("\\", "/").lstrip("/").lower() for name in container.namelist()}
            mimetype = _mimetype(container)
    except DAMAGE as error:
        raise damaged(error, ErrorClass.CORRUPT if ext in _ZIPPED else ErrorClass.UNSUPPORTED) from None
    if kind is not None:
        return kind
    if mimetype.startswith(_EPUB) or "meta-inf/container.xml" in names:
        return "epub"
    if mimetype.startswith(_OPEN_DOCUMENT) or (ext == "odt" and "content.xml" in names):
        return "odt"
    if ext in _OPEN_XML and "[content_types].xml" in names and not mimetype:
        return ext  # parts may have any name
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
