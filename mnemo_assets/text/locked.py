"""Office documents behind a password, opened in memory: their readers see what is inside.

Office Open XML is encrypted as a whole, inside of an OLE container (MS-OFFCRYPTO). A PDF opens its own pages,
and its reader takes the passwords itself. OpenDocument and the formats before 2007 are not opened.
"""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING, BinaryIO, Final
from xml.parsers.expat import ExpatError

from msoffcrypto.exceptions import DecryptionError, FileFormatError, ParseError
from msoffcrypto.format.ooxml import OOXMLFile

from mnemo_assets.errors import ErrorClass, ReadingError

if TYPE_CHECKING:
    from collections.abc import Sequence

_OLE: Final = bytes.fromhex("d0cf11e0a1b11ae1")
#: What Excel encrypts with where its user gave no password, and then opens without asking.
_EXCEL_OWN: Final = "VelvetSweatshop"
#: What the library raises for a password that does not fit, for another kind of document, and on damage.
_REFUSED: Final = (
    DecryptionError,
    FileFormatError,
    ParseError,
    ExpatError,
    struct.error,
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
)


def opened(file: BinaryIO, passwords: Sequence[str] = ()) -> BinaryIO:
    """What is inside of an encrypted document, or the file itself where it is none that is opened here.

    Args:
        file: a document.
        passwords: to try, in this order.

    Raises:
        ReadingError: ENCRYPTED, none of the passwords fits, or it is encrypted in a way that nobody knows.
    """
    file.seek(0)
    if file.read(len(_OLE)) != _OLE:
        return file
    try:
        document = OOXMLFile(file)
    except _REFUSED:
        return file  # not encrypted, or damaged: its reader says which
    for password in (_EXCEL_OWN, *passwords):
        if (inside := _inside(document, password)) is not None:
            return inside
    raise ReadingError(ErrorClass.ENCRYPTED)


def _inside(document: OOXMLFile, password: str) -> BinaryIO | None:
    """The document, if the password fits."""
    inside = io.BytesIO()
    try:
        document.load_key(password=password, verify_password=True)
        document.decrypt(inside)
    except _REFUSED:
        return None
    return inside
