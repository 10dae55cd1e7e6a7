"""Code pages as Windows numbers them, and Python's codecs for them. Pure."""

from __future__ import annotations

import codecs
from typing import Final

#: Those that Python has under another name than `cp` and the number.
_NAMES: Final = {
    367: "ascii", 936: "gb18030", 1200: "utf-16-le", 10000: "mac_roman", 10006: "mac_greek",
    10007: "mac_cyrillic", 10029: "mac_latin2", 10081: "mac_turkish", 20127: "ascii", 20866: "koi8-r",
    20932: "euc_jp", 21866: "koi8-u", 32768: "mac_roman", 32769: "cp1252", 50220: "iso2022_jp",
    50221: "iso2022_jp", 50222: "iso2022_jp", 51932: "euc_jp", 51936: "gb2312", 51949: "euc_kr", 52936: "hz",
    54936: "gb18030", 65000: "utf-7", 65001: "utf-8",
    **{28590 + part: f"iso8859-{part}" for part in range(1, 17)},
}  # fmt: skip


def codec(page: int) -> str | None:
    """The codec of a code page, or None where there is none."""
    try:
        return codecs.lookup(_NAMES.get(page, f"cp{page}")).name
    except LookupError:
        return None
