"""Texts that are what they look like: txt, md, csv."""

from __future__ import annotations

from typing import Final

from tests.markers.places import Format, fates, marker


def txt() -> bytes:
    """A text."""
    return f"{marker('body')}\n".encode()


def md() -> bytes:
    """A text with marks; it is read as it is written, marks and all."""
    return (
        f"# {marker('body')}\n\n* {marker('list')}\n* x\n\n[{marker('link')}](#there)\n\n"
        f"| {marker('table cell')} | x |\n| --- | --- |\n\na[^1]\n\n[^1]: {marker('footnote')}\n\n"
        f"![{marker('alternative text')}](a.png)\n\n<!-- {marker('source comment')} -->\n"
    ).encode()


def csv() -> bytes:
    """A table; so short that it is no bare one."""
    return f"{marker('body')}\n{marker('table cell')},x\n".encode()


TXT: Final = Format(txt, fates(read="body"))
MD: Final = Format(md, fates(read="body, table cell, list, link, footnote, alternative text, source comment"))
CSV: Final = Format(csv, fates(read="body, table cell"))
