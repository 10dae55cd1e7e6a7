"""What stands in the form fields of a PDF's page.

A viewer draws a field from a picture of it that may be older than its value, spell it in boxes a letter each,
or show a tick as the letter of a font of signs. So a field that has a value is not drawn, and its value is
taken. Captions of buttons are no text of the document, and what a hidden field holds nobody sees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mnemo_assets.text.pdf_objects import items, mupdf, words

if TYPE_CHECKING:
    from collections.abc import Iterator

_HIDDEN: Final = 2
_PASSWORD: Final = 1 << 13
_BUTTONS: Final = frozenset(
    {mupdf.PDF_WIDGET_TYPE_BUTTON, mupdf.PDF_WIDGET_TYPE_CHECKBOX, mupdf.PDF_WIDGET_TYPE_RADIOBUTTON}
)
_CHOICES: Final = frozenset({mupdf.PDF_WIDGET_TYPE_COMBOBOX, mupdf.PDF_WIDGET_TYPE_LISTBOX})
#: How deep a field may stand in others.
_DEEP: Final = 32


def take(page: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - PyMuPDF has no types
    """The label and value of each field of a page that has one, once; from here on they are not drawn.

    The label of a field is what a viewer shows beside the pointer, or nothing; a box that is ticked has one
    always.
    """
    found: dict[tuple[int, str], str] = {}
    for widget in _widgets(page):
        flags, kind = mupdf.pdf_annot_flags(widget), mupdf.pdf_widget_type(widget)
        if flags & _HIDDEN:
            continue
        field = mupdf.pdf_annot_obj(widget)
        label, value = _ticked(field, kind) if kind in _BUTTONS else _written(field, kind)
        if value or kind in _BUTTONS or _is_secret(field):
            mupdf.pdf_dict_puts(field, "F", mupdf.pdf_new_int(flags | _HIDDEN))
        if value:  # a field may show in several places
            found.setdefault((_number(field), value), label)
    return [(label, value) for (_, value), label in found.items()]


def _widgets(page: Any) -> Iterator[Any]:  # noqa: ANN401 - the same
    widget = mupdf.pdf_first_widget(mupdf.pdf_page_from_fz_page(page.this))
    while widget.m_internal:
        yield widget
        widget = mupdf.pdf_next_widget(widget)


def _ticked(field: Any, kind: int) -> tuple[str, str]:  # noqa: ANN401 - the same
    """The label and state of a box that is ticked."""
    state = mupdf.pdf_dict_gets(field, "AS")
    if not state.m_internal:
        state = mupdf.pdf_dict_gets_inheritable(field, "V")
    name = mupdf.pdf_to_name(state) if mupdf.pdf_is_name(state) else ""
    if kind == mupdf.PDF_WIDGET_TYPE_BUTTON or name in {"", "Off"}:
        return "", ""
    captions = items(mupdf.pdf_dict_gets_inheritable(field, "Opt"))
    if name.isdecimal() and int(name) < len(captions):
        name = mupdf.pdf_to_text_string(captions[int(name)])
    return _inherited(field, "TU") or _inherited(field, "T").partition("[")[0], name.strip()


def _written(field: Any, kind: int) -> tuple[str, str]:  # noqa: ANN401 - the same
    """The label and value of a field that is written or chosen; one that is signed stays drawn."""
    if kind == mupdf.PDF_WIDGET_TYPE_SIGNATURE or _is_secret(field):
        return "", ""
    value = _chosen(field) if kind in _CHOICES else _inherited(field, "V")
    return _inherited(field, "TU"), value


def _is_secret(field: Any) -> bool:  # noqa: ANN401 - the same
    """Whether a field holds a password, which a viewer shows as dots."""
    return bool(mupdf.pdf_to_int(mupdf.pdf_dict_gets_inheritable(field, "Ff")) & _PASSWORD)


def _chosen(field: Any) -> str:  # noqa: ANN401 - the same
    """What is chosen, as it is shown: an option is a text, or a pair of a name and a text."""
    shown = {}
    for option in items(mupdf.pdf_dict_gets_inheritable(field, "Opt")):
        if mupdf.pdf_is_array(option):
            name, text = (mupdf.pdf_to_text_string(mupdf.pdf_array_get(option, place)) for place in (0, 1))
            shown[name] = text
    held = mupdf.pdf_dict_gets_inheritable(field, "V")
    chosen = items(held) if mupdf.pdf_is_array(held) else [held]
    names = [mupdf.pdf_to_text_string(one) for one in chosen if mupdf.pdf_is_string(one)]
    return "\n".join(shown.get(name, name) for name in names).strip()


def _inherited(field: Any, key: str) -> str:  # noqa: ANN401 - the same
    """A text of a field, or of the one that it is a part of."""
    for _ in range(_DEEP):
        if said := words(field, key):
            return said
        field = mupdf.pdf_dict_gets(field, "Parent")
    return ""


def _number(field: Any) -> int:  # noqa: ANN401 - the same
    """The number of the object that is the field, where this is one of the places in which it shows."""
    named = mupdf.pdf_dict_gets(field, "T").m_internal
    number: int = mupdf.pdf_to_num(field if named else mupdf.pdf_dict_gets(field, "Parent"))
    return number or id(field)
