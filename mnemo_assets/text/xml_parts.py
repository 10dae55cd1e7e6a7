"""The XML parts of a zip container, parsed as a stream: no tree, so neither depth nor size takes memory.

A document type is refused: entities could name files, grow without end, or lose the text behind them.
"""

from __future__ import annotations

import errno
import lzma
import struct
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Protocol
from xml.parsers import expat

from mnemo_assets.errors import ErrorClass, ReadingError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Bytes that a container may unpack to, over all parts that are parsed: 50 times an 870-page handbook.
MOST_UNPACKED = 512 << 20
#: Bytes of what is kept whole in memory: a part, or an element with those that it stands in.
_MOST_LISTED = 16 << 20
_AT_ONCE = 256 << 10
#: Between the namespace and the name of an element.
_SEPARATOR = "\n"
#: What an element counts beside its text and attributes.
_ELEMENT = 64
#: The namespaces of Office Open XML whose attributes name a relation.
_RELATIONS = frozenset(
    {
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "http://purl.oclc.org/ooxml/officeDocument/relationships",
    }
)


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
        """An element begins. The attributes are by local name, those that name a relation as in r:id."""

    def end(self, namespace: str, name: str) -> None:
        """An element ends."""

    def characters(self, text: str) -> None:
        """Characters between elements."""


class Parts:
    """The parts of a container by normalised name; what they unpack to is bounded over all of them.

    Names are compared without case, as Office does.
    """

    def __init__(self, container: zipfile.ZipFile, limit: int = MOST_UNPACKED) -> None:
        self._container = container
        self._left = limit
        self._infos = {_normalised(info.filename): info for info in container.infolist()}

    def __contains__(self, name: str) -> bool:
        return _normalised(name) in self._infos

    def __iter__(self) -> Iterator[str]:
        return (info.filename.replace("\\", "/").lstrip("/") for info in self._infos.values())

    def parse(self, name: str, handler: Handler, *, typed: bool = False) -> None:
        """Parse one part; `typed` is whether it may name a document type that stands elsewhere.

        Raises:
            ReadingError: CORRUPT, ENCRYPTED, TOO_LARGE.
        """
        for _ in self.steps(name, handler, typed=typed):
            pass

    def steps(self, name: str, handler: Handler, *, typed: bool = False) -> Iterator[None]:
        """Parse one part, as `parse` does, and pause after each piece.

        Raises:
            ReadingError: CORRUPT, ENCRYPTED, TOO_LARGE.
        """
        info = self._infos[_normalised(name)]
        if info.flag_bits & 1:
            raise ReadingError(ErrorClass.ENCRYPTED)
        parser = _parser(handler, typed=typed)
        with _faults_named(), self._container.open(info) as part:
            while piece := part.read(_AT_ONCE):
                self._left -= len(piece)
                if self._left < 0:
                    raise ReadingError(ErrorClass.TOO_LARGE, "unpacked bytes")
                parser.Parse(piece, False)  # noqa: FBT003 - the library takes it by place alone
                yield
            parser.Parse(b"", True)  # noqa: FBT003 - the same
        yield

    def whole(self, name: str, limit: int = _MOST_LISTED) -> bytes:
        """The bytes of one part.

        Raises:
            ReadingError: CORRUPT, ENCRYPTED; TOO_LARGE, it has more than `limit` bytes.
        """
        info = self._infos[_normalised(name)]
        if info.flag_bits & 1:
            raise ReadingError(ErrorClass.ENCRYPTED)
        with self._container.open(info) as part:
            data = part.read(max(min(limit, self._left), 0) + 1)  # a negative size would be all there is
        self._left -= len(data)
        if len(data) > limit or self._left < 0:
            raise ReadingError(ErrorClass.TOO_LARGE, "unpacked bytes")
        return data


@contextmanager
def opened(file: BinaryIO) -> Iterator[Parts]:
    """The parts of a zip container; damage that is met while they are read is named.

    Raises:
        ReadingError: CORRUPT, it is damaged.
    """
    try:
        with zipfile.ZipFile(file) as container:
            yield Parts(container)
    except DAMAGE as error:
        raise damaged(error) from None


def _normalised(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


@contextmanager
def _faults_named() -> Iterator[None]:
    """Give the faults of an XML document the names that they have here."""
    try:
        yield
    except expat.ExpatError:
        raise ReadingError(ErrorClass.CORRUPT, "ExpatError") from None
    except LookupError as error:
        if isinstance(error, KeyError | IndexError):
            raise
        raise ReadingError(ErrorClass.CORRUPT, "encoding") from None  # one that nobody knows


def parse_file(file: BinaryIO, handler: Handler) -> None:
    """Parse a file that is one XML document, from its beginning.

    Raises:
        ReadingError: CORRUPT, TOO_LARGE.
    """
    file.seek(0)
    parser, left = _parser(handler), MOST_UNPACKED
    with _faults_named():
        while piece := file.read(_AT_ONCE):
            left -= len(piece)
            if left < 0:
                raise ReadingError(ErrorClass.TOO_LARGE, "bytes")
            parser.Parse(piece, False)  # noqa: FBT003 - the library takes it by place alone
        parser.Parse(b"", True)  # noqa: FBT003 - the same


def _parser(handler: Handler, *, typed: bool = False) -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
    parser.buffer_text = True
    parser.buffer_size = _AT_ONCE

    begin, finish, names, keys = handler.start, handler.end, _Names(), _Keys()

    def start(tag: str, attributes: dict[str, str]) -> None:
        namespace, name = names[tag]
        if attributes:
            attributes = {keys[key]: value for key, value in attributes.items()}
        begin(namespace, name, attributes)

    def end(tag: str) -> None:
        namespace, name = names[tag]
        finish(namespace, name)

    def refuse(_name: object, _system: object, _public: object, internal: object) -> None:
        if typed and not internal:
            return
        raise ReadingError(ErrorClass.CORRUPT, "document type")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = handler.characters
    parser.StartDoctypeDeclHandler = refuse
    return parser


class _Names(dict[str, tuple[str, str]]):
    """Namespace and local name of each tag that was seen: taken apart once."""

    def __missing__(self, tag: str) -> tuple[str, str]:
        namespace, _, name = tag.rpartition(_SEPARATOR)
        self[tag] = namespace, name
        return namespace, name


class _Keys(dict[str, str]):
    """The name of each attribute that was seen, as handlers are told it."""

    def __missing__(self, attribute: str) -> str:
        namespace, _, name = attribute.rpartition(_SEPARATOR)
        self[attribute] = key = f"r:{name}" if namespace in _RELATIONS else name
        return key


class _Elements:
    def __init__(self) -> None:
        self.found: list[tuple[str, dict[str, str], str]] = []
        self._open: list[tuple[dict[str, str], list[str], int]] = []
        self._size = 0  # of what is open

    def start(self, _namespace: str, _name: str, attributes: dict[str, str]) -> None:
        size = sum(map(len, attributes.values())) + _ELEMENT
        self._spend(size)
        self._open.append((attributes, [], size))

    def end(self, _namespace: str, name: str) -> None:
        attributes, texts, size = self._open.pop()
        text = "".join(texts)
        self._size -= size + len(text)
        self.found.append((name, attributes, text))

    def characters(self, text: str) -> None:
        self._spend(len(text))
        self._open[-1][1].append(text)

    def _spend(self, size: int) -> None:
        self._size += size
        if self._size > _MOST_LISTED:
            raise ReadingError(ErrorClass.TOO_LARGE, "part")


def elements(parts: Parts, name: str, *, typed: bool = False) -> Iterator[tuple[str, dict[str, str], str]]:
    """Local name, attributes and own text of each element of a part, in the order of their ends.

    They come as the part is parsed: what was read before damage is there before its error is raised.

    Args:
        parts: of a container.
        name: of the part.
        typed: whether it may name a document type that stands elsewhere; it is not looked at.
    """
    handler = _Elements()
    try:
        for _ in parts.steps(name, handler, typed=typed):
            found, handler.found = handler.found, []
            yield from found
    except ReadingError:
        yield from handler.found
        raise
