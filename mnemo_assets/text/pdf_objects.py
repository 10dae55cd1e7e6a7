"""The objects of a PDF below its pages, as MuPDF gives them: dictionaries, trees, streams.

PyMuPDF shows some of them as text that would have to be parsed again. Trees are walked with a list, each node
once, so that neither depth nor a loop in a hostile file matters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pymupdf

from mnemo_assets.errors import ErrorClass, ReadingError

if TYPE_CHECKING:
    from collections.abc import Iterator

mupdf: Any = pymupdf.mupdf  # it has no types

#: What MuPDF raises, and PyMuPDF where it does not expect what MuPDF returns.
DAMAGE: Final = (
    mupdf.FzErrorBase,
    RuntimeError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    AssertionError,
)
#: Of an array, how many items are looked at.
_MOST_ITEMS: Final = 100_000


def named(error: Exception) -> Exception:
    """The error to raise for one of DAMAGE; its text is looked at, and not kept."""
    said = str(error).lower()
    if "malloc" in said or "out of memory" in said or "alloc" in said:
        return MemoryError()
    return ReadingError(ErrorClass.CORRUPT, type(error).__name__)


def inside(document: Any, path: str) -> Any:  # noqa: ANN401 - MuPDF has no types
    """What a path of keys leads to in a document, from its trailer; a null object where it leads nowhere."""
    return mupdf.pdf_dict_getp(mupdf.pdf_trailer(mupdf.pdf_document_from_fz_document(document.this)), path)


def nodes(top: Any, below: str, most: int) -> Iterator[Any]:  # noqa: ANN401 - the same
    """The dictionaries of a tree, each once and before those below it, in order; no more than so many.

    Args:
        top: a node, or an array of them.
        below: the key under which a node holds others, one or an array.
        most: how many are looked at.
    """
    waiting, seen = [top], set()
    while waiting and most > 0:
        node = waiting.pop()
        most -= 1
        if mupdf.pdf_is_array(node):
            waiting.extend(reversed(items(node)))
        elif mupdf.pdf_is_dict(node) and (number := mupdf.pdf_to_num(node)) not in seen:
            seen |= {number} - {0}  # what has no number stands in one place
            yield node
            waiting.append(mupdf.pdf_dict_gets(node, below))


def items(array: Any) -> list[Any]:  # noqa: ANN401 - the same
    """The items of an array; none of what is not one."""
    length = min(mupdf.pdf_array_len(array), _MOST_ITEMS)
    return [mupdf.pdf_array_get(array, place) for place in range(length)]


def words(holder: Any, key: str) -> str:  # noqa: ANN401 - the same
    """A text that a dictionary holds, as a string or a stream, stripped; nothing where it does not."""
    found = mupdf.pdf_dict_gets(holder, key)
    if not (mupdf.pdf_is_string(found) or mupdf.pdf_is_stream(found)):
        return ""
    said: str = mupdf.pdf_load_stream_or_string_as_utf8(found)
    return said.strip()


def unpacked(stream: Any, most: int) -> bytes | None:  # noqa: ANN401 - the same
    """The bytes of a stream; None where there are more than so many, or it is none, or damaged."""
    if not mupdf.pdf_is_stream(stream):
        return None
    try:
        buffer, truncated = mupdf.fz_read_best(mupdf.pdf_open_stream(stream), 1024, most)
    except mupdf.FzErrorBase:
        return None
    data: bytes = b"" if truncated else mupdf.fz_buffer_extract_copy(buffer)
    return data or None


def folded(text: str) -> str:
    """A text with single spaces and in one case, to look whether it says something already."""
    return " ".join(text.split()).casefold()
