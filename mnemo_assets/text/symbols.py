"""Characters of symbol fonts, which have places of their own in them: what a reader sees there. Pure."""

from __future__ import annotations

from typing import Final

#: Where Word puts the places of a symbol font.
_PRIVATE: Final = range(0xF000, 0xF100)
#: The places of Adobe's Symbol font that hold letters, from A and from a.
_GREEK: Final = dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True)) | dict(
    zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True)
)
_SYMBOL: Final = _GREEK | {
    0xA0: "€", 0xA3: "≤", 0xA5: "∞", 0xAE: "→", 0xB0: "°", 0xB1: "±", 0xB3: "≥", 0xB4: "×", 0xB7: "•",
    0xB8: "÷", 0xB9: "≠", 0xBB: "≈", 0xD6: "√", 0xE5: "∑", 0xF2: "∫",
}  # fmt: skip
#: Of Wingdings what is ticked, and what points.
_WINGDINGS: Final = {
    0x28: "☎", 0x2A: "✉", 0x4A: "☺", 0x6F: "☐", 0x71: "☐", 0x78: "☒", 0xA7: "▪", 0xA8: "☐", 0xD8: "➢",
    0xDF: "←", 0xE0: "→", 0xE8: "➔", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_WINGDINGS_2: Final = {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0xA3: "☐"}
_FONTS: Final = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2}


def symbol(font: str, place: str) -> str:
    """The character at a place of a font; nothing where it is not known what is drawn there.

    Args:
        font: its name.
        place: in hexadecimal digits.
    """
    try:
        code = int(place[:6], 16)
    except ValueError:
        return ""
    if code in _PRIVATE:
        code -= _PRIVATE.start
    known = _FONTS.get(font.strip().lower())
    if known is not None:
        return known.get(code, "")
    return chr(code) if code > 0xFF else ""  # noqa: PLR2004 - what is below depends on the font
