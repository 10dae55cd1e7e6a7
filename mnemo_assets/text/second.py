"""A second reader for what the first could not read: the library unstructured, where it is installed.

It keeps less of a document than our own readers do and takes seconds to start, so it comes second. It runs in
a sandbox of its own, which starts with the first document that needs it.
"""

from __future__ import annotations

import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Protocol, Self

from mnemo_assets.errors import ErrorClass, MnemoError, ReadingError
from mnemo_assets.text.sandbox import Sandbox
from mnemo_assets.text.unstructured_reader import PARTITIONS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from mnemo_assets.settings import Settings
    from mnemo_assets.text.reading import Text

#: What another reader may do better: neither a lock, nor a bound, nor a wall stood in the way of the first.
_WORTH_IT: Final = frozenset({ErrorClass.CORRUPT, ErrorClass.NO_TEXT, ErrorClass.READER_CRASHED})
#: What the first reader refuses on purpose: behind a declared entity, text is silently lost.
_REFUSED: Final = "document type"


class Reads(Protocol):
    """What reads a document behind a descriptor, as `Sandbox.read` does."""

    def read(
        self,
        fd: int,
        ext: str,
        *,
        parts: Sequence[tuple[str, str]] = (),
        sha256: str | None = None,
        passwords: Sequence[str] = (),
    ) -> Text:
        """As `Sandbox.read`."""


class Second:
    """Reads with the first reader, and with the second where that fails; safe to use from several threads.

    Args:
        settings: as for `Sandbox`.
        first: is asked first; it is not closed with this.
    """

    def __init__(self, settings: Settings, first: Reads) -> None:
        self._settings = settings
        self._first = first
        self._lock = threading.Lock()
        self._sandbox: Sandbox | None = None
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._closed = True
            if self._sandbox is not None:
                self._sandbox.close()

    def read(
        self,
        fd: int,
        ext: str,
        *,
        parts: Sequence[tuple[str, str]] = (),
        sha256: str | None = None,
        passwords: Sequence[str] = (),
    ) -> Text:
        """As `Sandbox.read`; a document inside of a document is read by the first reader alone.

        Raises:
            ReadingError: why the first reader could not read it.
            MnemoError: as there.
        """
        try:
            return self._first.read(fd, ext, parts=parts, sha256=sha256, passwords=passwords)
        except ReadingError as error:
            if parts or ext not in PARTITIONS or not is_worth_it(error) or not is_installed():
                raise
            text = self._second(fd, ext)
            if text is None:
                raise
            return text

    def _second(self, fd: int, ext: str) -> Text | None:
        """What the second reader finds, if it finds anything."""
        with self._lock:
            if self._closed:
                return None
            if self._sandbox is None:
                self._sandbox = Sandbox(self._settings, module="mnemo_assets.text.unstructured_reader")
            sandbox = self._sandbox
        try:
            text = sandbox.read(fd, ext)
        except (ReadingError, MnemoError):
            return None
        return None if text.blank else text


def is_worth_it(error: ReadingError) -> bool:
    """Whether another reader may get further."""
    return error.error_class in _WORTH_IT and error.detail != _REFUSED


def is_installed() -> bool:
    """Whether the library is there; nothing of it is imported."""
    return find_spec("unstructured") is not None
