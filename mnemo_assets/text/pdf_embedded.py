"""The files inside of a PDF: of a portfolio, hanging on the document, or pinned to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mnemo_assets.text import parts
from mnemo_assets.text.pages import MAX_PARTS
from mnemo_assets.text.pdf_objects import inside, items, mupdf, nodes, unpacked, words

if TYPE_CHECKING:
    from mnemo_assets.text.pages import Part

#: Bytes of one file, and of all together, that are unpacked to be looked at.
MOST_BYTES: Final = 256 << 20
#: Nodes of the tree of names.
_MOST_NODES: Final = 10 * MAX_PARTS


class Embedded:
    """Collects the files that a document holds, each once.

    Attributes:
        parts: those that come in; `path` is the number of the file's object.
        names: of all that are named.
    """

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.names: list[str] = []
        self._seen: set[int] = set()
        self._left = MOST_BYTES

    def add_document(self, document: Any) -> None:  # noqa: ANN401 - PyMuPDF has no types
        """Add what hangs on the document as a whole."""
        for node in nodes(inside(document, "Root/Names/EmbeddedFiles"), "Kids", _MOST_NODES):
            for specification in items(mupdf.pdf_dict_gets(node, "Names"))[1::2]:
                self.add(specification)

    def add(self, specification: Any) -> None:  # noqa: ANN401 - the same
        """Add the file that a specification names, if it is inside of the document."""
        stream = _stream(specification)
        number = mupdf.pdf_to_num(stream)
        if not number or number in self._seen or len(self._seen) >= MAX_PARTS:
            return
        self._seen.add(number)
        path = words(specification, "UF") or words(specification, "F")
        name = path.replace("\\", "/").rpartition("/")[2]
        self.names += [name] if name else []
        data = unpacked(stream, self._left)
        if data is None:
            return
        self._left -= len(data)
        kind = mupdf.pdf_to_name(mupdf.pdf_dict_gets(stream, "Subtype"))
        found = parts.described(str(number), name, kind, data)
        if found is not None:
            self.parts.append(found)


def bytes_of(document: Any, path: str) -> bytes | None:  # noqa: ANN401 - the same
    """The bytes of a file inside of a document; None if there is no such file."""
    if not path.isdecimal() or not 0 < int(path) < document.xref_length():
        return None
    pdf = mupdf.pdf_document_from_fz_document(document.this)
    return unpacked(mupdf.pdf_new_indirect(pdf, int(path), 0), MOST_BYTES)


def _stream(specification: Any) -> Any:  # noqa: ANN401 - the same
    held = mupdf.pdf_dict_gets(specification, "EF")
    for key in ("UF", "F"):
        stream = mupdf.pdf_dict_gets(held, key)
        if mupdf.pdf_is_stream(stream):
            return stream
    return held
