"""What readers left on a PDF's page: sticky notes and their answers, remarks on a passage, stamps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mnemo_assets.text import xfa
from mnemo_assets.text.pdf_objects import folded, mupdf, words

if TYPE_CHECKING:
    from collections.abc import Iterator

_HIDDEN: Final = 2


def marks(page: Any) -> Iterator[Any]:  # noqa: ANN401 - PyMuPDF has no types
    """The annotations on a page that show, but for links, form fields and the windows of notes."""
    annotation = mupdf.pdf_first_annot(mupdf.pdf_page_from_fz_page(page.this))
    while annotation.m_internal:
        hidden = mupdf.pdf_annot_flags(annotation) & _HIDDEN
        if not hidden and mupdf.pdf_annot_type(annotation) != mupdf.PDF_ANNOT_POPUP:
            yield annotation
        annotation = mupdf.pdf_next_annot(annotation)


def said(annotation: Any, text: str) -> str:  # noqa: ANN401 - the same
    """What an annotation says, as `Author: words`; nothing where that is in the text of the page already.

    Free text and stamps are drawn, and so part of that; remarks on a passage often repeat it. A sticky note
    is drawn as a sign, and its words never stand on the page.

    Args:
        annotation: of a page.
        text: of the page.
    """
    held, kind = mupdf.pdf_annot_obj(annotation), mupdf.pdf_annot_type(annotation)
    remark = words(held, "Contents") or xfa.rich_text(words(held, "RC"))
    if not remark and kind == mupdf.PDF_ANNOT_STAMP:
        remark = mupdf.pdf_to_name(mupdf.pdf_dict_gets(held, "Name"))
    if not remark or (kind != mupdf.PDF_ANNOT_TEXT and folded(remark) in folded(text)):
        return ""
    author = words(held, "T")
    return f"{author}: {remark}" if author else remark
