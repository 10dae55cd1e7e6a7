"""What an OLE container is, and whether it is locked; what else LibreOffice knows of old documents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mnemo_assets.errors import ErrorClass, ReadingError
from mnemo_assets.text import ole

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

#: The extensions whose documents are converted, if they are what they are called.
CONVERTED: Final = frozenset({"doc", "ppt"})
#: Beginnings of documents that stand in no container: Word for Windows 1 and 2, WordPerfect's documents, Word
#: for DOS. LibreOffice takes any bytes for a text of some encoding, so only these are given to it.
_BEFORE_OLE = re.compile(rb"[\x9b\xdb]\xa5.\x00|\xffWPC....\x01\x0a|1\xbe\x00\x00\x00\xab", re.DOTALL)
_WORD_XML = re.compile(r"\s*<\?xml\b.{0,500}<(?:\w+:)?wordDocument\b", re.DOTALL)
#: Of Word's FIB ([MS-DOC] 2.5.2): where its flags are, and the one that says that it is encrypted.
_FLAGS, _IS_ENCRYPTED = slice(10, 12), 0x0100
#: Of the stream `Current User` ([MS-PPT] 2.3.2): where its token is, and that of an encrypted presentation.
_TOKEN, _ENCRYPTED_TOKEN = slice(12, 16), bytes.fromhex("dfc4d1f3")


def is_older(head: bytes) -> bool:
    """Whether a document that is called doc begins like one from before containers."""
    return _BEFORE_OLE.match(head) is not None


def is_word_xml(text: str) -> bool:
    """Whether a text is a document as Word 2003 wrote it in XML."""
    return _WORD_XML.match(text) is not None


def container_kind(file: BinaryIO, ext: str) -> str:
    """The kind of document in an OLE container: doc or ppt, or xls.

    What has no stream that is known, and is called doc or ppt, is left to LibreOffice: it knows many.

    Raises:
        ReadingError: ENCRYPTED, it is locked; CORRUPT, the container is damaged; UNSUPPORTED, there is
            something else in it.
    """
    streams = ole.streams(file)
    if "EncryptedPackage" in streams:
        raise ReadingError(ErrorClass.ENCRYPTED, "package")
    for name, kind, is_locked in _KNOWN:
        if name in streams:
            if is_locked(file, streams):
                raise ReadingError(ErrorClass.ENCRYPTED, kind)
            return kind
    if ext in CONVERTED:
        return ext
    raise ReadingError(ErrorClass.UNSUPPORTED, "OLE")


def _is_locked_doc(file: BinaryIO, _streams: frozenset[str]) -> bool:
    flags = int.from_bytes(ole.stream(file, "WordDocument")[_FLAGS], "little")
    return bool(flags & _IS_ENCRYPTED)


def _is_locked_ppt(file: BinaryIO, streams: frozenset[str]) -> bool:
    if "EncryptedSummary" in streams:
        return True
    return "Current User" in streams and ole.stream(file, "Current User")[_TOKEN] == _ENCRYPTED_TOKEN


def _never(_file: BinaryIO, _streams: frozenset[str]) -> bool:
    return False


#: Stream, kind, and whether it is locked; a workbook's own reader finds that out.
_KNOWN: Final[tuple[tuple[str, str, Callable[[BinaryIO, frozenset[str]], bool]], ...]] = (
    ("WordDocument", "doc", _is_locked_doc),
    ("PowerPoint Document", "ppt", _is_locked_ppt),
    ("Workbook", "xls", _never),
    ("Book", "xls", _never),
)
