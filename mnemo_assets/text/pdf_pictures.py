"""What the pictures in a PDF are said to show, for those who cannot see them: alternative texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mnemo_assets.text.pdf_objects import inside, mupdf, nodes, words

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Elements of the structure that are looked at: 500 pages of a book; a millisecond for each 130.
_MOST: Final = 50_000
#: Elements around one that are asked for its page.
_NEAR: Final = 32


def described(document: Any) -> Mapping[int, list[str]]:  # noqa: ANN401 - PyMuPDF has no types
    """Alternative texts by the number of the page, from 0, that the picture stands on."""
    found: dict[int, list[str]] = {}
    for element in nodes(inside(document, "Root/StructTreeRoot/K"), "K", _MOST):
        if text := words(element, "Alt"):
            page = _page(element)
            found.setdefault(page, []).append(text)
    if not found:
        return {}
    numbers = {document.page_xref(number): number for number in range(document.page_count)}
    return {numbers.get(page, 0): texts for page, texts in found.items()}


def _page(element: Any) -> int:  # noqa: ANN401 - the same
    """The number of the object that is the page of an element: it, a part of it, or what it is in says so."""
    for node in nodes(element, "K", _NEAR):
        if number := mupdf.pdf_to_num(mupdf.pdf_dict_gets(node, "Pg")):
            return int(number)
    for _ in range(_NEAR):
        element = mupdf.pdf_dict_gets(element, "P")
        if number := mupdf.pdf_to_num(mupdf.pdf_dict_gets(element, "Pg")):
            return int(number)
    return 0
