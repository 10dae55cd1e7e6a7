"""The XML parts of a zip container, parsed as a stream: no tree, so neither depth nor size takes memory.

A document type is refused: entities could name files, grow without end, or lose the text behind them.
"""

from __future__ import annotations

import errno
import lzma
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO, Protocol
from xml.parsers import expat

from mnemo_assets.errors import ErrorClass, ReadingError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Bytes that a container may unpack to, over all parts that are parsed: 50 times an 870-page handbook.
MOST_UNPACKED = 512 << 20
#: Bytes of a part that is kept whole in memory, such as a list of relations.
_MOST_LISTED = 16 << 20
_AT_ONCE = 256 << 10
#: Between the namespace and the name of an element.
_SEPARATOR = "\n"


#: What zipfile, and what unpacks for it, raise on damage.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    ValueError,
)


def damaged(error: Exception, error_class: ErrorClass = ErrorClass.CORRUPT) -> Exception:
    """The error to raise for one of DAMAGE: a file that cannot be reached any more is not damaged."""
    if isinstance(error, OSError) and error.errno not in {None, errno.EINVAL}:
        return error
    return ReadingError(error_class, type(error).__name__)


class Handler(Protocol):
    """What is told about the elements of a part; names are (namespace, local name)."""

    def start(self, namespace: str, name: str, attributes: dict[str, str]) -> None:
        """An element begins. The attributes are by local name."""

    def end(self, namespace: str, name: str) -> None:
        """An element ends."""

    def characters(self, text: str) -> None:
        """Characters between elements."""


class Parts:
    """The parts of a container by normalised name; what they unpack to is bounded over all of them."""

    def __init__(self, container: zipfile.ZipFile, limit: int = MOST_UNPACKED) -> None:
        self._container = container
        self._left = limit
        self._infos = {info.filename.replace("\\", "/").lstrip("/"): info for info in container.infolist()}

    def __contains__(self, name: object) -> bool:
        return name in self._infos

    def __iter__(self) -> Iterator[str]:
        return iter(self._infos)

    def parse(self, name: str, handler: Handler, *, typed: bool = False) -> None:
        """Parse one part; `typed` is whether it may name a document type that stands elsewhere.

        Raises:
            ReadingError: CORRUPT, ENCRYPTED, TOO_LARGE.
        """
        info = self._infos[name]
        if info.flag_bits & 1:
            raise ReadingError(ErrorClass.ENCRYPTED)
        parser = _parser(handler, typed=typed)
        try:
            with self._container.open(info) as part:
                while piece := part.read(_AT_ONCE):
                    self._left -= len(piece)
                    if self._left < 0:
                        raise ReadingError(ErrorClass.TOO_LARGE, "unpacked bytes")
                    parser.Parse(piece, False)  # noqa: FBT003 - the library takes it by place alone
                parser.Parse(b"", True)  # noqa: FBT003 - the same
        except expat.ExpatError:
            raise ReadingError(ErrorClass.CORRUPT, "ExpatError") from None

    def whole(self, name: str, limit: int = _MOST_LISTED) -> bytes:
        """The bytes of one part.

        Raises:
            ReadingError: CORRUPT, ENCRYPTED; TOO_LARGE, it has more than `limit` bytes.
        """
        info = self._infos[name]
        if info.flag_bits & 1:
            raise ReadingError(ErrorClass.ENCRYPTED)
        with self._container.open(info) as part:
            data = part.read(min(limit, self._left) + 1)
        self._left -= len(data)
        if len(data) > limit or self._left < 0:
            raise ReadingError(ErrorClass.TOO_LARGE, "unpacked bytes")
        return data


def parse_file(file: BinaryIO, handler: Handler) -> None:
    """Parse a file that is one XML document, from its beginning.

    Raises:
        ReadingError: CORRUPT, TOO_LARGE.
    """
    file.seek(0)
    parser, left = _parser(handler), MOST_UNPACKED
    try:
        while piece := file.read(_AT_ONCE):
            left -= len(piece)
            if left < 0:
                raise ReadingError(ErrorClass.TOO_LARGE, "bytes")
            parser.Parse(piece, False)  # noqa: FBT003 - the library takes it by place alone
        parser.Parse(b"", True)  # noqa: FBT003 - the same
    except expat.ExpatError:
        raise ReadingError(ErrorClass.CORRUPT, "ExpatError") from None


def _parser(handler: Handler, *, typed: bool = False) -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
    parser.buffer_text = True
    parser.buffer_size = _AT_ONCE

    def start(tag: str, attributes: dict[str, str]) -> None:
        namespace, _, name = tag.rpartition(_SEPARATOR)
        handler.start(
            namespace, name, {key.rpartition(_SEPARATOR)[2]: value for key, value in attributes.items()}
        )

    def end(tag: str) -> None:
        namespace, _, name = tag.rpartition(_SEPARATOR)
        handler.end(namespace, name)

    def refuse(_name: object, _system: object, _public: object, internal: object) -> None:
        if typed and not internal:
            return
        raise ReadingError(ErrorClass.CORRUPT, "document type")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = handler.characters
    parser.StartDoctypeDeclHandler = refuse
    return parser


class _Elements:
    def __init__(self) -> None:
        self.found: list[tuple[str, dict[str, str], str]] = []
        self._open: list[tuple[dict[str, str], list[str]]] = []
        self._size = 0

    def start(self, _namespace: str, _name: str, attributes: dict[str, str]) -> None:
        self._size += sum(map(len, attributes.values())) + 1
        self._open.append((attributes, []))

    def end(self, _namespace: str, name: str) -> None:
        attributes, texts = self._open.pop()
        self.found.append((name, attributes, "".join(texts)))

    def characters(self, text: str) -> None:
        self._size += len(text)
        if self._size > _MOST_LISTED:
            raise ReadingError(ErrorClass.TOO_LARGE, "part")
        self._open[-1][1].append(text)


def elements(parts: Parts, name: str, *, typed: bool = False) -> Iterator[tuple[str, dict[str, str], str]]:
    """Local name, attributes and own text of each element of a small part, in the order of their ends.

    Args:
        parts: of a container.
        name: of the part.
        typed: whether it may name a document type that stands elsewhere; it is not looked at.
    """
    handler = _Elements()
    parts.parse(name, handler, typed=typed)
    yield from handler.found
